//! The players of a recording, from the scoreboard.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::characters;
use crate::state::{Game, team};

/// The players seen so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenPlayers {
    /// All of them.
    pub players: fragreel_model::replay::People,
    /// The user ID in each slot. Another ID is another person.
    user_ids: BTreeMap<u16, i32>,
}

impl SeenPlayers {
    /// Adds the players on the scoreboard now, and spectators if wanted.
    pub(crate) fn update(&mut self, game: &Game, spectators: bool) {
        let person = |slot: u16| u8::try_from(slot).ok().and_then(|slot| game.roster.get(slot)).filter(|person| spectators || !person.spectator);
        self.players.leave_unless(|slot| person(slot).is_some_and(|person| self.user_ids.get(&slot) == Some(&person.user_id)));
        for (slot, person) in game.roster.iter().filter(|(_, person)| spectators || !person.spectator) {
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
        people.update(&board(&[(0, "naper", 1), (1, "bob", 2)]), true);
        people.update(&board(&[(0, "nap", 1), (1, "bob", 2)]), true);
        people.update(&board(&[(0, "naper", 1)]), true);
        people.update(&board(&[(3, "naper", 5)]), true);
        people.update(&board(&[(3, "naper", 5), (4, "naper", 6), (1, "eve", 7)]), true);
        let all: Vec<_> = people.players.all().into_iter().map(|info| (info.slot, info.name.clean)).collect();
        let mut watched = board(&[(0, "ann", 1), (1, "bob", 2)]);
        watched.roster.person(1).spectator = true;
        let mut playing = SeenPlayers::default();
        playing.update(&watched, false);
        assert_eq!(playing.players.all().len(), 1);
        assert_eq!(all.iter().map(|(slot, name)| (*slot, name.as_str())).collect::<Vec<_>>(), [(1, "bob"), (1, "eve"), (3, "naper"), (4, "naper")]);
    }
}
