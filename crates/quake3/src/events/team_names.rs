//! The names that players give their sides (`docs/formats/quake3-events.md`, "Configstrings").

use fragreel_model::{EventKind, Evidence, Kind, Statement, TeamStats};

use super::sink::EventSink;
use crate::game::Game;
use crate::state::State;
use crate::strings::{clean, info};

/// What stands in place of a name.
const NO_NAMES: [&str; 4] = ["", "none", "red team", "blue team"];
/// The game types in which Quake Live's names are those of clans. In others, they are those of some players.
const OF_CLANS: [&str; 2] = ["Team Deathmatch", "Capture the Flag"];

/// Follows the names.
#[derive(Debug, Default)]
pub(super) struct TeamNames {
    stated: [String; 2],
}

impl TeamNames {
    /// Emits the names of red and blue when they change.
    pub(super) fn update(&mut self, state: &State, game: &Game, out: &mut EventSink) {
        let names = match (game.strings.cpma, game.strings.team_names) {
            (Some((own, _)), _) => ["nr", "nb"].map(|key| clean(info(state.string(own), key))),
            (None, Some(names)) if game.type_of(state).is_some_and(|mode| OF_CLANS.contains(&mode.name)) => {
                [0, 1].map(|side| clean(state.string(names + side)))
            }
            _ => return,
        };
        let names = names.map(|name| if NO_NAMES.iter().any(|none| name.eq_ignore_ascii_case(none)) { String::new() } else { name });
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
