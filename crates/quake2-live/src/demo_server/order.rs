//! The order in which viewers go from player to player.

/// Who comes after or before a player, of those who are there. After the last comes the first.
pub(super) fn next_of(players: &[u16], now: Option<u16>, back: bool) -> Option<u16> {
    let Some(now) = now else { return players.first().copied() };
    if back {
        players.iter().rev().find(|slot| **slot < now).or(players.last()).copied()
    } else {
        players.iter().find(|slot| **slot > now).or(players.first()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_chosen_in_turn() {
        let players = [2, 5, 9];
        assert_eq!([None, Some(2), Some(3), Some(9)].map(|now| next_of(&players, now, false)), [2, 5, 5, 2].map(Some));
        assert_eq!([Some(2), Some(3), Some(9)].map(|now| next_of(&players, now, true)), [9, 2, 5].map(Some));
        assert_eq!(next_of(&[], Some(3), false), None);
    }
}
