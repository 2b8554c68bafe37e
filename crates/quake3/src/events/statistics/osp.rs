//! OSP's statistics: `statsinfo` of the watched player, `xstats1` of any player.

use fragreel_model::{PlayerStats, Stat, Statement, WeaponStat, common};

use super::Field::{Of, Took};
use super::{Field, WEAPONS, fill, int, player as slot};
use crate::walk::Roster;

const DAMAGE: [Field; 2] = [Of(Stat::DamageGiven), Of(Stat::DamageTaken)];
const ITEMS: [Field; 4] = [Took(common::MEGA_HEALTH), Took(common::GREEN_ARMOR), Took(common::RED_ARMOR), Took(common::YELLOW_ARMOR)];

/// `xstats1`: client, weapons, then fields that depend on the version.
pub(super) fn player(words: &[&[u8]], players: &Roster) -> Option<Statement> {
    let (_, mut line) = slot(words.first()?, players)?;
    let mask = int(words.get(1)?) as u32;
    let behind = words.len().saturating_sub(2 + 4 * mask.count_ones() as usize);
    let rest = weapons(&mut line, words.get(1..)?, behind >= 8)?;
    if rest.len() >= 8 {
        fill(&mut line, &[Of(Stat::ArmorTaken), Of(Stat::HealthTaken)], rest);
        fill(&mut line, &DAMAGE, &rest[2..]);
        fill(&mut line, &ITEMS, &rest[4..]);
    } else {
        fill(&mut line, &DAMAGE, rest);
    }
    Some(one(line))
}

/// `statsinfo`, of the player of the view.
pub(super) fn own(words: &[&[u8]], players: &Roster, view: u32) -> Option<Statement> {
    let mut line = PlayerStats::new(Some(view).filter(|&view| players.has_slot(view)).map(|view| players.player(view))?);
    let head =
        [Of(Stat::Score), Field::Other("team"), Of(Stat::Kills), Of(Stat::DeathsByEnemies), Of(Stat::OwnDeaths), Of(Stat::TeamKills), Of(Stat::DamageTeam)];
    fill(&mut line, &head, words.get(1..8)?);
    fill(&mut line, &DAMAGE, words.get(8..10)?);
    let fits = |at: usize| words.get(at).is_some_and(|mask| words.len() == at + 1 + 4 * (int(mask) as u32).count_ones() as usize);
    if fits(21) {
        fill(&mut line, &ITEMS, &words[17..21]);
        line.stats.state(Stat::ArmorTaken, int(words[10]) >> 16);
        line.stats.state(Stat::HealthTaken, int(words[11]) >> 16);
        weapons(&mut line, &words[21..], true)?;
    } else if fits(17) {
        weapons(&mut line, &words[17..], false)?;
    } else if words.len() == 17 + 9 * 4 {
        // shots come first here
        for (name, four) in WEAPONS.iter().zip(words[17..].chunks_exact(4)).filter(|(_, four)| four.iter().any(|word| int(word) != 0)) {
            let of = [WeaponStat::Shots, WeaponStat::Hits, WeaponStat::Kills, WeaponStat::Deaths];
            of.into_iter().zip(four).for_each(|(stat, word)| line.weapon(*name).state(stat, int(word)));
        }
    }
    Some(one(line))
}

/// A mask of weapons, four words for each, and the rest. In versions with item statistics, the high halves hold pickups and drops; in earlier ones
/// they are always 0.
fn weapons<'w, 'a>(line: &mut PlayerStats, words: &'w [&'a [u8]], with_items: bool) -> Option<&'w [&'a [u8]]> {
    let mask = int(words.first()?) as u32;
    let mut rest = &words[1..];
    for bit in (0..32).filter(|bit| mask >> bit & 1 != 0) {
        let four: Vec<i64> = rest.get(..4)?.iter().map(|word| int(word)).collect();
        rest = &rest[4..];
        let figures = line.weapon(*WEAPONS.get((bit as usize).checked_sub(1)?)?);
        figures.state(WeaponStat::Hits, four[0] & 0xffff);
        figures.state(WeaponStat::Shots, four[1] & 0xffff);
        if with_items {
            figures.state(WeaponStat::Drops, four[0] >> 16 & 0xffff);
            figures.state(WeaponStat::TotalPickups, four[1] >> 16 & 0xffff);
        }
        figures.state(WeaponStat::Kills, four[2]);
        figures.state(WeaponStat::Deaths, four[3]);
    }
    Some(rest)
}

fn one(line: PlayerStats) -> Statement {
    let mut statement = Statement::default();
    statement.players.push(line);
    statement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::roster::tests::roster;

    /// The server printed of the same player: 62 kills, 67 deaths, 1 suicide, 2 team kills, damage 10917, 11906, 339, score 59.
    #[test]
    fn words_are_those_of_the_printed_row() {
        let players = roster(&["ann"]);
        let line = format!("1 59 2 62 67 1 2 339 10917 11906{}", " 0".repeat(7 + 36));
        let line = own(&line.split(' ').map(str::as_bytes).collect::<Vec<_>>(), &players, 0).unwrap().players.remove(0);
        let of = |stat| line.stats.get(stat).stated;
        assert_eq!([Stat::Score, Stat::Kills, Stat::DeathsByEnemies, Stat::TeamKills].map(of), [Some(59), Some(62), Some(67), Some(2)]);
        assert_eq!([Stat::DamageTeam, Stat::DamageGiven, Stat::DamageTaken].map(of), [Some(339), Some(10_917), Some(11_906)]);
        assert_eq!(of(Stat::OwnDeaths), Some(1));
        assert_eq!((line.other["team"].as_str(), of(Stat::Deaths)), ("2", None));
    }

    #[test]
    fn versions_without_items_state_no_pickups() {
        let players = roster(&["ann"]);
        let read = |line: &str| player(&line.split(' ').map(str::as_bytes).collect::<Vec<_>>(), &players).unwrap().players.remove(0);
        let shots = (12 << 16 | 188).to_string();
        let early = read("0 32 49 188 10 1 5502 3598");
        let late = read(&format!("0 32 49 {shots} 10 1 1 2 5502 3598 3 4 5 6"));
        for (line, pickups) in [(early, None), (late, Some(12))] {
            let rockets = &line.weapons[common::ROCKET_LAUNCHER];
            let of = |stat| rockets.get(stat).stated;
            assert_eq!([of(WeaponStat::Shots), of(WeaponStat::Hits), of(WeaponStat::TotalPickups)], [Some(188), Some(49), pickups]);
            assert_eq!(line.stats.get(Stat::DamageGiven).stated, Some(5502));
        }
    }
}
