//! OpenArena's player statistics.

use fragreel_model::{PlayerStats, Statement, WeaponStat};

use super::{WEAPONS, int};
use crate::walk::Roster;

/// `accs`: shots and hits with each weapon from the machine gun to the chain gun, of the client whom it is sent to. Shots of the nail gun are counted
/// once, its hits by nail; the grapple's and the mine's words are 0.
pub(super) fn accuracies(words: &[&[u8]], players: &Roster, recorder: u32) -> Option<Statement> {
    let mut line = PlayerStats::new(Some(recorder).filter(|&slot| players.has_slot(slot)).map(|slot| players.player(slot))?);
    // a word behind the last is the end of the line
    let words: Vec<&&[u8]> = words.iter().filter(|word| !word.is_empty()).collect();
    if words.len() != 24 {
        return None;
    }
    for (weapon, pair) in WEAPONS[1..].iter().zip(words.chunks_exact(2)) {
        let (shots, hits) = (int(pair[0]), int(pair[1]));
        if shots != 0 || hits != 0 {
            line.weapon(*weapon).state(WeaponStat::Shots, shots);
            line.weapon(*weapon).state(WeaponStat::Hits, hits);
        }
    }
    let mut statement = Statement::default();
    statement.players.push(line);
    Some(statement)
}

#[cfg(test)]
mod tests {
    use fragreel_model::common;

    use super::*;
    use crate::walk::roster::tests::roster;

    #[test]
    fn shots_come_before_hits() {
        let players = roster(&["a", "b"]);
        let line = b"120 31 0 0 0 0 20 9 0 0 4 3 0 0 0 0 0 0 0 0 0 0 50 7";
        let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let said = accuracies(&words, &players, 1).unwrap();
        let of = |weapon: &str| [WeaponStat::Shots, WeaponStat::Hits].map(|stat| said.players[0].weapons[weapon].get(stat).stated);
        assert_eq!(said.players[0].player.slot, Some(1));
        assert_eq!(of(common::MACHINE_GUN), [Some(120), Some(31)]);
        assert_eq!(of(common::ROCKET_LAUNCHER), [Some(20), Some(9)]);
        assert_eq!(of(common::RAILGUN), [Some(4), Some(3)]);
        assert_eq!(of(common::CHAINGUN), [Some(50), Some(7)]);
        assert_eq!(said.players[0].weapons.len(), 4);
        assert!(accuracies(&words[1..], &players, 1).is_none());
        assert!(accuracies(&words, &players, 200).is_none());
    }
}
