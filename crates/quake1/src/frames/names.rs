//! Names that frames share, made once.

use std::sync::Arc;

use fragreel_model::Text;

use crate::characters;
use crate::state::Person;

/// Names of players and teams.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    players: Vec<Known>,
}

#[derive(Debug, Clone, Default)]
struct Known {
    /// As sent.
    raw: (Vec<u8>, Vec<u8>),
    name: Option<Arc<Text>>,
    team: Option<Arc<str>>,
}

impl Names {
    /// The name and team of a person.
    pub(super) fn person(&mut self, slot: u8, person: &Person) -> (Option<&Arc<Text>>, Option<&Arc<str>>) {
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
        (known.name.as_ref(), known.team.as_ref().filter(|_| !person.spectator))
    }
}
