//! The names that players give their sides (`docs/formats/quake3-events.md`, "Configstrings").

use fragreel_model::{EventKind, Evidence, Kind, Statement, TeamStats};

use super::sink::EventSink;
use crate::game::Game;
use crate::state::State;
use crate::strings::{clean, info};

/// What stands in place of a name.
const NO_NAMES: [&str; 4] = ["", "none", "red team", "blue team"];
/// Follows the names.
#[derive(Debug, Default)]
pub(super) struct TeamNames {
    stated: [String; 2],
}

impl TeamNames {
    /// Emits the names of red and blue when they change.
    pub(super) fn update(&mut self, state: &State, game: &Game, out: &mut EventSink) {
        let names = match (game.strings.cpma, game.strings.sides(state.dialect().protocol)) {
            (Some((own, _)), _) => ["nr", "nb"].map(|key| name(info(state.string(own), key))),
            (None, Some([names, tags])) if game.type_of(state).is_some_and(|mode| mode.teams) => [0, 1].map(|side| {
                let stated = name(state.string(names[side]));
                if stated.is_empty() { name(state.string(tags[side])) } else { stated }
            }),
            _ => return,
        };
        if names == self.stated || names.iter().all(String::is_empty) {
            return;
        }
        self.stated = names;
        let mut statement = Statement::new("team names");
        for (side, title) in ["red", "blue"].into_iter().zip(&self.stated).filter(|(_, title)| !title.is_empty()) {
            let mut team = TeamStats::new(side);
            team.title = Some(title.clone().into());
            statement.teams.push(team);
        }
        out.push(Evidence::Stated, Kind::Statistics, || EventKind::Statistics(Box::new(statement)));
    }
}

/// The name that a string states, or nothing.
fn name(string: &[u8]) -> String {
    let name = clean(string);
    if NO_NAMES.iter().any(|none| name.eq_ignore_ascii_case(none)) { String::new() } else { name }
}
