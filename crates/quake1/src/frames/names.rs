//! Names that frames share, made once.

use std::sync::Arc;

use model::Text;

use crate::characters;
use crate::state::{Game, Person};

/// Names of players, teams and models.
#[derive(Debug, Clone, Default)]
pub struct Names {
    players: Vec<Known>,
    models: Vec<Option<Arc<str>>>,
    level: u32,
}

#[derive(Debug, Clone, Default)]
struct Known {
    /// As sent.
    raw: (Vec<u8>, Vec<u8>),
    name: Option<Arc<Text>>,
    team: Option<Arc<str>>,
}

impl Names {
    /// Forgets what belongs to another level.
    pub fn of_level(&mut self, game: &Game) {
        if self.level != game.levels {
            self.level = game.levels;
            self.models.clear();
        }
    }

    /// The name and team of a person.
    pub fn person(&mut self, slot: u8, person: &Person) -> (Option<Arc<Text>>, Option<Arc<str>>) {
        let at = usize::from(slot);
        if self.players.len() <= at {
            self.players.resize_with(at + 1, Known::default);
        }
        let known = &mut self.players[at];
        if known.name.is_none() || known.raw.0 != person.name || known.raw.1 != person.team {
            known.raw = (person.name.clone(), person.team.clone());
            known.name = Some(Arc::new(characters::text(&person.name)));
            known.team = (!person.team.is_empty()).then(|| characters::clean(&person.team).into());
        }
        (known.name.clone(), known.team.clone().filter(|_| !person.spectator))
    }

    /// The name of a model.
    pub fn model(&mut self, game: &Game, number: u32) -> Option<Arc<str>> {
        let at = number as usize;
        let path = game.level.models.get(at)?.bytes();
        if path.is_empty() {
            return None;
        }
        if self.models.len() <= at {
            self.models.resize(at + 1, None);
        }
        // a list may be stated again: the name counts, not the number
        let name = &mut self.models[at];
        if name.as_ref().is_none_or(|known| known.as_bytes() != path) {
            *name = Some(String::from_utf8_lossy(path).into());
        }
        name.clone()
    }
}
