//! Kills, from obituaries: one event entity per death, which everybody sees.

use std::borrow::Cow;

use fragreel_base::delta::interleaved::Row;
use fragreel_model::{EventKind, Evidence, Kill, Kind};

use super::sink::EventSink;
use crate::game::Game;
use crate::state::State;
use crate::walk::Roster;
use crate::walk::entity_events::{EntityFields, field};

/// Quake Live's obituary for a player who was thawed in freeze tag. Nobody died.
const THAW: &str = "MOD_THAW";
/// Quake Live's obituary for a player who changed teams. Nobody killed them.
const SWITCH: &str = "MOD_SWITCH_TEAMS";

/// Passes on the kill of the obituary `row`.
pub(super) fn report(row: &Row, at: &EntityFields, game: &Game, players: &Roster, state: &State, out: &mut EventSink) {
    if let Some(kill) = event(row, at, game, players, game.plays_in_teams(state)) {
        out.push(Evidence::Stated, Kind::Kill, || kill);
    }
}

/// The kill of the obituary `row`, if its victim is a player.
fn event(row: &Row, at: &EntityFields, game: &Game, players: &Roster, teams: bool) -> Option<EventKind> {
    let victim = field(row, at.other);
    if !players.has_slot(victim) {
        return None;
    }
    let number = field(row, at.event_parm);
    let means = game.means(number).map_or_else(|| Cow::Owned(format!("MOD_{number}")), Cow::Borrowed);
    if means == THAW || means == SWITCH {
        return None;
    }
    let attacker = field(row, at.other2);
    let attacker = players.has_slot(attacker).then(|| players.player_before(attacker));
    let victim = players.player_before(victim);
    let same_team = |attacker: &fragreel_model::Player| {
        attacker.slot != victim.slot && attacker.team == victim.team && matches!(victim.team.as_deref(), Some("red" | "blue"))
    };
    let team_kill = teams && attacker.as_ref().is_some_and(same_team);
    let mut kill = Kill::new(attacker, victim, means);
    kill.team_kill = team_kill;
    Some(EventKind::Kill(kill))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect, Line};
    use crate::walk::roster::tests::roster;

    fn kill(means: &str, players: &Roster) -> Option<Kill> {
        let at = EntityFields::of(Dialect::of(91).unwrap());
        let game = Game::of(Line::QuakeLive, b"", b"", b"");
        let mut row = [0; 64];
        (row[at.other], row[at.other2]) = (0, 1);
        row[at.event_parm] = game.means.iter().position(|name| *name == means).expect("it is one of the game's") as u32;
        event(&row, &at, &game, players, true).map(|event| if let EventKind::Kill(kill) = event { kill } else { panic!("{event:?}") })
    }

    #[test]
    fn the_team_of_a_kill_is_the_one_before_its_frame() {
        let mut players = roster(&["ann", "bob"]);
        for (slot, string) in [(0, "n\\ann\\t\\1"), (1, "n\\bob\\t\\2")] {
            players.update(slot, string.as_bytes());
        }
        players.start_message();
        // in Red Rover the dead change teams
        players.update(0, b"n\\ann\\t\\2");
        let died = kill("MOD_ROCKET", &players).unwrap();
        assert_eq!((died.team_kill, died.victim.team.as_deref()), (false, Some("red")));
        players.start_message();
        assert!(kill("MOD_ROCKET", &players).unwrap().team_kill, "and from the next message on they are in the other");
    }

    #[test]
    fn a_change_of_teams_is_no_kill() {
        let players = roster(&["ann", "bob"]);
        assert_eq!((kill("MOD_SWITCH_TEAMS", &players), kill("MOD_THAW", &players)), (None, None));
        assert!(kill("MOD_RAILGUN", &players).is_some());
    }
}
