//! Joins, leaves, renames, and team changes, from the players' configstrings.

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind, Player, Text};

use super::sink::EventSink;
use crate::strings::text;
use crate::walk::Roster;
use crate::walk::roster::Person;

/// Reports a changed player string. `lines` are what the server printed just before. Returns a player who stopped playing, as he was.
pub(super) fn changed(roster: &mut Roster, slot: usize, string: &[u8], lines: &[Vec<u8>], out: &mut EventSink) -> Option<Player> {
    let (old, new) = roster.update(slot, string)?;
    let plays = |person: &Person| !person.is_spectator();
    let gone = old.as_ref().filter(|old| plays(old) && !new.is_some_and(plays)).map(|old| old.player(slot));
    match (old, new) {
        (None, Some(new)) => out.push(Evidence::Stated, Kind::Join, || EventKind::Join { player: new.player(slot) }),
        (Some(old), None) => {
            let reason = || lines.iter().rev().find_map(|line| leave_reason(line, &old.raw));
            out.push(Evidence::Stated, Kind::Leave, || EventKind::Leave { player: old.player(slot), reason: reason() });
        }
        (Some(old), Some(new)) => {
            if old.raw != new.raw {
                out.push(Evidence::Inferred, Kind::Rename, || EventKind::Rename { player: new.player(slot), from: (*old.name).clone() });
            }
            if let (Some(from), Some(to)) = (old.team_name(), new.team_name())
                && from != to
            {
                out.push(Evidence::Inferred, Kind::Team, || EventKind::Team { player: new.player(slot), from: Cow::Borrowed(from) });
            }
        }
        (None, None) => {}
    }
    gone
}

/// Why a player left, from a printed line: the part behind the name.
fn leave_reason(line: &[u8], name: &[u8]) -> Option<Text> {
    let at = line.windows(name.len().max(1)).position(|part| part == name)?;
    let rest = &line[at + name.len()..];
    let rest = rest.strip_prefix(b"^7").unwrap_or(rest).trim_ascii();
    (!rest.is_empty()).then(|| text(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::roster::tests::roster;

    #[test]
    fn strings_give_joins_renames_teams_and_leaves() {
        let mut out = EventSink::new(fragreel_model::Kinds::ALL);
        let mut players = roster(&["a"]);
        let said = [b"^1b^7 disconnected\n".to_vec()];
        for (slot, string) in [(1, "n\\b\\t\\3"), (1, "n\\^1b\\t\\3"), (1, "n\\^1b\\t\\2"), (1, ""), (64, "n\\x"), (0, "n\\a\\t\\0")] {
            let _ = changed(&mut players, slot, string.as_bytes(), &said, &mut out);
        }
        out.finish();
        let events: Vec<EventKind> = out.ready.into_iter().map(|event| event.kind).collect();
        let names: Vec<&str> = events.iter().map(|kind| kind.kind().name()).collect();
        assert_eq!(names, ["join", "rename", "team", "leave"]);
        let EventKind::Leave { player, reason: Some(reason) } = &events[3] else { panic!("{:?}", events[3]) };
        assert_eq!((player.name.clean.as_str(), player.team.as_deref(), reason.clean.as_str()), ("b", Some("blue"), "disconnected"));
    }
}
