//! The players of a recording, from the scoreboard.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::characters;
use crate::state::{Game, team};

/// The players seen so far.
#[derive(Debug, Clone, Default)]
pub struct SeenPlayers {
    /// All of them.
    pub players: replay::People,
    /// The user ID in each slot. Another ID is another person.
    user_ids: BTreeMap<u16, i32>,
}

impl SeenPlayers {
    /// Adds the players on the scoreboard now.
    pub fn update(&mut self, game: &Game) {
        let person = |slot: u16| u8::try_from(slot).ok().and_then(|slot| game.roster.get(slot));
        self.players.leave_unless(|slot| person(slot).is_some_and(|person| self.user_ids.get(&slot) == Some(&person.user_id)));
        for (slot, person) in game.roster.iter() {
            self.players.seat(slot.into(), characters::text(&person.name), team(person).map(Cow::into_owned));
            self.user_ids.insert(slot.into(), person.user_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(people: &[(u8, &str, i32)]) -> Game {
        let mut game = Game::without_bodies();
        for (slot, name, user_id) in people {
            let person = game.roster.person(*slot);
            (person.name, person.user_id) = (name.as_bytes().to_vec(), *user_id);
        }
        game
    }

    #[test]
    fn who_comes_back_is_the_same_person() {
        let mut people = SeenPlayers::default();
        people.update(&board(&[(0, "naper", 1), (1, "bob", 2)]));
        people.update(&board(&[(0, "nap", 1), (1, "bob", 2)]));
        people.update(&board(&[(0, "naper", 1)]));
        people.update(&board(&[(3, "naper", 5)]));
        people.update(&board(&[(3, "naper", 5), (4, "naper", 6), (1, "eve", 7)]));
        let all: Vec<_> = people.players.all().into_iter().map(|info| (info.slot, info.name.clean)).collect();
        assert_eq!(all.iter().map(|(slot, name)| (*slot, name.as_str())).collect::<Vec<_>>(), [(1, "bob"), (1, "eve"), (3, "naper"), (4, "naper")]);
    }
}
