//! CPMA's statistics of one player: `mstats` again and again, `xstats2` at the end.

use fragreel_model::{ItemStat, PlayerStats, Stat, Statement, WeaponStat, common};

use super::Field::{Of, Other, Took};
use super::{Field, WEAPONS, fill, int, player};
use crate::walk::Roster;

/// Power-ups by the number of their bit.
const POWERUPS: [&str; 9] =
    ["none", common::QUAD, common::BATTLE_SUIT, common::HASTE, common::INVISIBILITY, common::REGENERATION, common::FLIGHT, common::RED_FLAG, common::BLUE_FLAG];

const MIDDLE: [Field; 8] = [
    Of(Stat::DamageGiven),
    Of(Stat::DamageTaken),
    Of(Stat::ArmorTaken),
    Of(Stat::HealthTaken),
    Took(common::MEGA_HEALTH),
    Took(common::RED_ARMOR),
    Took(common::YELLOW_ARMOR),
    Took(common::GREEN_ARMOR),
];

const LAST: [Field; 15] = [
    Other("unknown"),
    Other("letters"),
    Of(Stat::Score),
    Of(Stat::Kills),
    Of(Stat::DeathsByEnemies),
    Of(Stat::OwnDeaths),
    Of(Stat::Telefrags),
    Of(Stat::DamageTeam),
    Of(Stat::TeamKills),
    Other("rocket_damage"),
    Other("rocket_direct_hits"),
    Of(Stat::Captures),
    Other("unknown_1"),
    Other("unknown_2"),
    Other("unknown_3"),
];

/// Reads them.
pub(super) fn read(words: &[&[u8]], players: &Roster) -> Option<Statement> {
    let (_, line) = player(words.first()?, players)?;
    of(line, words)
}

/// Reads the statistics of a player whom an earlier command named.
pub(super) fn of(mut line: PlayerStats, words: &[&[u8]]) -> Option<Statement> {
    let mask = u32::try_from(int(words.get(1)?)).ok()?;
    let mut rest = &words[2..];
    for bit in (0..32).filter(|bit| mask >> bit & 1 != 0) {
        let six = rest.get(..6)?;
        rest = &rest[6..];
        let name = WEAPONS.get((bit as usize).checked_sub(1)?)?;
        let figures = [WeaponStat::Hits, WeaponStat::Shots, WeaponStat::Kills, WeaponStat::Deaths, WeaponStat::TotalPickups, WeaponStat::Drops];
        figures.into_iter().zip(six).for_each(|(stat, word)| line.weapon(*name).state(stat, int(word)));
    }
    fill(&mut line, &MIDDLE, rest.get(..MIDDLE.len())?);
    rest = &rest[MIDDLE.len()..];
    let powerups = u32::try_from(int(rest.first()?)).ok()?;
    rest = &rest[1..];
    for bit in (0..32).filter(|bit| powerups >> bit & 1 != 0) {
        let pair = rest.get(..2)?;
        rest = &rest[2..];
        let name = POWERUPS.get(bit as usize)?;
        if matches!(*name, common::RED_FLAG | common::BLUE_FLAG) {
            line.stats.state(Stat::FlagsTaken, int(pair[0]));
            line.stats.state(Stat::FlagTime, int(pair[1]));
        } else {
            line.item(*name).state(ItemStat::Pickups, int(pair[0]));
            line.item(*name).state(ItemStat::TimeHeld, int(pair[1]));
        }
    }
    fill(&mut line, &LAST, rest);
    // CPMA's deaths are those by others; its suicides have the world's in them
    if let [_, _, _, _, deaths, suicides, ..] = rest {
        line.stats.state(Stat::Deaths, int(deaths) + int(suicides));
    }
    let mut statement = Statement::default();
    statement.players.push(line);
    Some(statement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::roster::tests::roster;

    #[test]
    fn a_player_is_read() {
        let line = b"3 6 1 2 3 4 0 0 10 40 5 6 7 1 900 800 150 75 1 2 3 4 2 1 30083 2 abavaqayaaaa 11 12 1 0 0 100 1 1078 2 3 0 0 0";
        let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let said = read(&words, &roster(&["a", "b"])).unwrap();
        let line = &said.players[0];
        let of = |stat| line.stats.get(stat).stated.unwrap();
        assert_eq!((of(Stat::Score), of(Stat::Kills), of(Stat::Deaths), of(Stat::TeamKills), of(Stat::Captures)), (11, 12, 1, 1, 3));
        assert_eq!((of(Stat::DeathsByEnemies), of(Stat::OwnDeaths)), (1, 0));
        assert_eq!((of(Stat::DamageGiven), of(Stat::DamageTaken), of(Stat::DamageTeam)), (900, 800, 100));
        assert_eq!(line.weapons[common::MACHINE_GUN].get(WeaponStat::Shots).stated, Some(40));
        assert_eq!(line.items[common::QUAD].get(ItemStat::TimeHeld).stated, Some(30_083));
        assert_eq!(line.other["letters"], "abavaqayaaaa");
        assert_eq!(read(&words[..9], &roster(&["a", "b"])), None);
    }
}
