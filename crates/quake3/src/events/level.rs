//! The level of a gamestate.

use std::borrow::Cow;

use fragreel_model::EventKind;

use crate::game::Game;
use crate::game::strings::{SERVERINFO, SYSTEMINFO};
use crate::state::State;
use crate::strings::{clean, info, number, text};

/// The level of the gamestate that `state` holds.
pub(super) fn event(state: &State, game: &Game) -> EventKind {
    let (serverinfo, systeminfo) = (state.string(SERVERINFO), state.string(SYSTEMINFO));
    let title = state.string(game.strings.title);
    EventKind::Level {
        map: clean(info(serverinfo, "mapname")),
        game: game.directory_of(serverinfo, systeminfo),
        game_type: game.type_of(state).map(|game_type| Cow::Borrowed(game_type.name)),
        title: (!title.is_empty()).then(|| text(title)),
        date: date(serverinfo),
        teams: game.type_of(state).map(|game_type| game_type.teams),
        time_limit: fragreel_model::Milliseconds::of_minutes(info(serverinfo, "timelimit")),
    }
}

/// When a level began, by the server's settings.
pub(crate) fn date(serverinfo: &[u8]) -> Option<String> {
    fragreel_model::replay::date::of(|key| Some(info(serverinfo, key)).filter(|value| !value.is_empty()).map(clean))
}

impl Game {
    /// The game type from the strings. CPMA's own string goes first.
    pub(crate) fn type_of(&self, state: &State) -> Option<crate::game::names::GameType> {
        if let Some((own, _)) = self.strings.cpma {
            let stated = info(state.string(own), "t");
            if !stated.is_empty() {
                return self.game_type_number(number(stated));
            }
        }
        self.game_type(state.string(SERVERINFO))
    }

    /// Whether players are on teams.
    pub(crate) fn plays_in_teams(&self, state: &State) -> bool {
        self.type_of(state).is_some_and(|game_type| game_type.teams)
    }

    /// Whether the strings of scores are of red and blue. In Red Rover, which has sides, they are of the first and the second player.
    pub(crate) fn has_team_scores(&self, state: &State) -> bool {
        self.type_of(state).is_some_and(|game_type| game_type.teams && game_type.name != "Red Rover")
    }

    /// Whether two players play against each other.
    pub(crate) fn is_duel(&self, state: &State) -> bool {
        self.type_of(state).is_some_and(|game_type| game_type.name == "Duel")
    }
}
