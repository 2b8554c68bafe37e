//! OpenTDM's statistics of a player, printed at a match's end: weapons and items, then totals (`docs/formats/quake2.md`, "Results").

use fragreel_model::{ItemStat, Player, PlayerStats, Stat, Statement, WeaponStat, common};

/// The tables so far: the totals do not say whose they are, and follow.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenTdmStats {
    of: Option<PlayerStats>,
}

/// Weapons as the table calls them.
const WEAPONS: &[(&str, &str)] = &[
    ("Blaster", common::PISTOL),
    ("Shotgun", common::SHOTGUN),
    ("Super Shotgun", common::SUPER_SHOTGUN),
    ("Machinegun", common::MACHINE_GUN),
    ("Chaingun", common::CHAINGUN),
    ("Grenades", common::HAND_GRENADE),
    ("Grenade Launcher", common::GRENADE_LAUNCHER),
    ("Rocket Launcher", common::ROCKET_LAUNCHER),
    ("HyperBlaster", common::PLASMA_GUN),
    ("Railgun", common::RAILGUN),
    ("BFG10K", common::BFG),
];

impl OpenTdmStats {
    /// Follows a printed text of several lines. `player` finds a player by name.
    pub(super) fn read(&mut self, text: &str, player: impl Fn(&str) -> Player) -> Option<Statement> {
        let text = text.trim_start_matches('\n');
        if let Some(rest) = text.strip_prefix("Stats for ") {
            let (name, table) = rest.split_once(":\n")?;
            let mut line = PlayerStats::new(player(name));
            table.lines().filter_map(|row| row.split_once(" | ")).for_each(|(name, figures)| row(&mut line, name.trim(), figures));
            self.of = Some(line);
            return None;
        }
        let totals = text.strip_prefix("Total  | Kills Dths Sui TKs Tele Dealt Recvd TDealt TRecvd\n")?;
        let (_, row) = totals.lines().find_map(|row| row.split_once("Player | "))?;
        let figures: Vec<i64> = row.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let &[kills, deaths, suicides, mates, telefrags, given, taken, to_mates, _] = &figures[..] else { return None };
        let mut line = self.of.take()?;
        for (stat, value) in [
            (Stat::Kills, kills),
            (Stat::Deaths, deaths),
            (Stat::Suicides, suicides),
            (Stat::TeamKills, mates),
            (Stat::Telefrags, telefrags),
            (Stat::DamageGiven, given),
            (Stat::DamageTaken, taken),
            (Stat::DamageTeam, to_mates),
        ] {
            line.stats.state(stat, value);
        }
        let mut statement = Statement::new("opentdm statistics");
        statement.players.push(line);
        Some(statement)
    }
}

/// `56%     1      1   500   300    2    3`: accuracy, kills, deaths, damage dealt and received, picked up, missed. `-` is nothing to say.
fn row(line: &mut PlayerStats, name: &str, figures: &str) {
    let figures: Vec<Option<i64>> = figures.split_whitespace().map(|word| word.trim_end_matches('%').parse().ok()).collect();
    let &[accuracy, kills, deaths, dealt, _, picked, _] = &figures[..] else { return };
    let Some((_, weapon)) = WEAPONS.iter().find(|(known, _)| *known == name) else {
        let item = match name {
            "MegaHealth" => common::MEGA_HEALTH,
            "Combat Armor" => common::YELLOW_ARMOR,
            "Body Armor" => common::RED_ARMOR,
            "Jacket Armor" => common::GREEN_ARMOR,
            _ => return,
        };
        if let Some(picked) = picked {
            line.item(item).state(ItemStat::Pickups, picked);
        }
        return;
    };
    let figures = [
        (WeaponStat::Accuracy, accuracy),
        (WeaponStat::Kills, kills),
        (WeaponStat::Deaths, deaths),
        (WeaponStat::Damage, dealt),
        (WeaponStat::TotalPickups, picked),
    ];
    for (stat, value) in figures {
        if let Some(value) = value {
            line.weapon(*weapon).state(stat, value);
        }
    }
}
