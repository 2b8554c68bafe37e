//! Everybody who was there, each once however often he reconnected.

use model::{PlayerInfo, Text};

use crate::characters;
use crate::state::{Game, Person, team};

/// A person, and the slot that he is in or was in last.
#[derive(Debug, Clone)]
struct Seen {
    slot: u8,
    user_id: i32,
    here: bool,
    info: PlayerInfo,
}

/// Who was seen so far.
#[derive(Debug, Clone, Default)]
pub struct People {
    seen: Vec<Seen>,
}

impl Seen {
    fn change(&mut self, slot: u8, person: &Person, name: Text) {
        (self.slot, self.user_id, self.here) = (slot, person.user_id, true);
        self.info = PlayerInfo { slot: u16::from(slot), name, team: team(person).map(std::borrow::Cow::into_owned) };
    }
}

impl People {
    /// Takes in who is on the score board now.
    pub fn see(&mut self, game: &Game) {
        for seen in &mut self.seen {
            seen.here &= game.roster.get(seen.slot).is_some_and(|person| person.user_id == seen.user_id);
        }
        for (slot, person) in game.roster.iter() {
            let name = characters::text(&person.name);
            // the one who is in the slot may have another name now; otherwise somebody of that name comes back
            let at = self.seen.iter().position(|seen| seen.here && seen.slot == slot);
            let at = at.or_else(|| self.seen.iter().position(|seen| !seen.here && seen.info.name == name));
            match at {
                Some(at) => self.seen[at].change(slot, person, name),
                None => self.seen.push({
                    let info = PlayerInfo { slot: u16::from(slot), name: name.clone(), team: None };
                    let mut seen = Seen { slot, user_id: person.user_id, here: true, info };
                    seen.change(slot, person, name);
                    seen
                }),
            }
        }
    }

    /// NetQuake assigns slots again with every level.
    pub fn level(&mut self) {
        self.seen.iter_mut().for_each(|seen| seen.here = false);
    }

    /// Who is or was last in a slot.
    pub fn in_slot(&self, slot: u8) -> Option<&PlayerInfo> {
        let of_slot = || self.seen.iter().filter(|seen| seen.slot == slot);
        of_slot().find(|seen| seen.here).or_else(|| of_slot().next_back()).map(|seen| &seen.info)
    }

    /// Everybody, in slot order.
    pub fn all(self) -> Vec<PlayerInfo> {
        let mut all: Vec<PlayerInfo> = self.seen.into_iter().map(|seen| seen.info).collect();
        all.sort_by_key(|info| info.slot);
        all
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
        let mut people = People::default();
        people.see(&board(&[(0, "naper", 1), (1, "bob", 2)]));
        people.see(&board(&[(0, "nap", 1), (1, "bob", 2)]));
        people.see(&board(&[(0, "naper", 1)]));
        people.see(&board(&[(3, "naper", 5)]));
        people.see(&board(&[(3, "naper", 5), (4, "naper", 6), (1, "eve", 7)]));
        let all: Vec<_> = people.all().into_iter().map(|info| (info.slot, info.name.clean)).collect();
        assert_eq!(all.iter().map(|(slot, name)| (*slot, name.as_str())).collect::<Vec<_>>(), [(1, "bob"), (1, "eve"), (3, "naper"), (4, "naper")]);
    }
}
