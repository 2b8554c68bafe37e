//! Rows of keys and figures below a player's own row, as KTX and KTPro print them.

use fragreel_model::{ItemStat, PlayerStats, Stat, WeaponStat, common};

use crate::events::demo_info::{common_item, common_weapon};

/// `Damage: Tkn:8239 Gvn:7360 Tm:249` and similar rows. Words without a common name stay as they are.
pub(super) fn row(text: &str, line: &mut PlayerStats) {
    let Some((head, rest)) = text.split_once(':') else { return };
    let head = head.trim();
    let mut words = rest.split_whitespace().peekable();
    if head == "SpawnFrags" {
        if let Some(count) = words.next().and_then(|word| word.trim_matches(['[', ']']).parse().ok()) {
            line.stats.state(Stat::SpawnKills, count);
        }
        return;
    }
    while let Some(word) = words.next() {
        // `strafes:16.0% (4/25)`
        if word.starts_with(['(', '[']) {
            continue;
        }
        let split = word.split_once(':').or_else(|| word.find(|c: char| c.is_ascii_digit()).map(|at| word.split_at(at)));
        let Some((key, value)) = split else { continue };
        // `lg20.5% (45/219)`: hits and shots
        if head == "Wp" {
            let name = common_weapon(key);
            let figures = words.next_if(|next| next.starts_with('(')).and_then(|next| next.trim_matches(['(', ')']).split_once('/'));
            if let (Some(name), Some((Ok(hits), Ok(shots)))) = (name, figures.map(|(hits, shots)| (hits.parse(), shots.parse()))) {
                line.weapon(name).state(WeaponStat::Hits, hits);
                line.weapon(name).state(WeaponStat::Shots, shots);
            }
            line.other.insert(format!("Wp.{key}"), value.to_owned());
            continue;
        }
        let Ok(number) = value.trim_end_matches('%').trim_matches(['[', ']']).parse::<i64>() else {
            line.other.insert(format!("{head}.{key}"), value.to_owned());
            continue;
        };
        let stat = match (head, key) {
            ("Damage", "Tkn") => Some(Stat::DamageTaken),
            ("Damage", "Gvn") => Some(Stat::DamageGiven),
            ("Damage", "Tm") => Some(Stat::DamageTeam),
            ("Damage", "Self") => Some(Stat::DamageSelf),
            ("Damage", "EWep") => Some(Stat::DamageToArmed),
            ("Streaks", "Frags") => Some(Stat::BestSpree),
            ("Streaks", "QuadRun") => Some(Stat::BestQuadSpree),
            _ => None,
        };
        if let Some(stat) = stat {
            line.stats.state(stat, number);
            continue;
        }
        let weapon = match head {
            "RL" => Some(common::ROCKET_LAUNCHER),
            "LG" => Some(common::LIGHTNING_GUN),
            _ => None,
        };
        let of_weapon = match key {
            "Took" => Some(WeaponStat::Pickups),
            "Killed" => Some(WeaponStat::HoldersKilled),
            "Dropped" => Some(WeaponStat::Drops),
            "Xfer" => Some(WeaponStat::Transfers),
            _ => None,
        };
        match (weapon, of_weapon, common_item(key)) {
            (Some(weapon), Some(figure), _) => line.weapon(weapon).state(figure, number),
            (_, _, Some(item)) if matches!(head, "Armr&mhs" | "Powerups") => line.item(item).state(ItemStat::Pickups, number),
            _ => drop(line.other.insert(format!("{head}.{key}"), value.to_owned())),
        }
    }
}
