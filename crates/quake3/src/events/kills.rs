//! Kills, from obituaries: one event entity per death, which everybody sees.

use std::borrow::Cow;

use delta::interleaved::Row;
use model::{EventKind, Kill};

use super::entities::{EntityFields, field};
use crate::game::Game;
use crate::walk::Roster;

/// Quake Live's obituary for a player who was thawed in freeze tag. Nobody died.
const THAW: &str = "MOD_THAW";

/// The kill of the obituary `row`, if its victim is a player.
pub(super) fn event(row: &Row, at: &EntityFields, game: &Game, players: &Roster, teams: bool) -> Option<EventKind> {
    let victim = field(row, at.other);
    if !players.has_slot(victim) {
        return None;
    }
    let number = field(row, at.event_parm);
    let means = game.means(number).map_or_else(|| Cow::Owned(format!("MOD_{number}")), Cow::Borrowed);
    if means == THAW {
        return None;
    }
    let attacker = field(row, at.other2);
    let attacker = players.has_slot(attacker).then(|| players.player(attacker));
    let victim = players.player(victim);
    let same_team =
        |attacker: &model::Player| attacker.slot != victim.slot && attacker.team == victim.team && matches!(victim.team.as_deref(), Some("red" | "blue"));
    let team_kill = teams && attacker.as_ref().is_some_and(same_team);
    let mut kill = Kill::new(attacker, victim, means);
    kill.team_kill = team_kill;
    Some(EventKind::Kill(kill))
}
