//! Flags: their places from the status string, the player from prints and from the entities that carry one
//! (`docs/formats/quake3-events.md`, "Flags").

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, FlagAction, Kind, Player};

use super::sink::EventSink;
use crate::fields::array;
use crate::game::Game;
use crate::state::State;
use crate::strings::clean;
use crate::walk::Roster;
use crate::walk::entity_events::{ET_PLAYER, EntityFields, field};

/// The place of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Base,
    Carried,
    Ground,
}

/// The flags in the order that the watch keeps them in, and their slots among the power-ups.
const FLAGS: [(&str, &str); 3] = [("red", "team_CTF_redflag"), ("blue", "team_CTF_blueflag"), ("neutral", "team_CTF_neutralflag")];

/// Follows the flags.
#[derive(Debug, Default)]
pub(super) struct FlagTracker {
    places: [Option<Place>; 3],
    carriers: [Option<u32>; 3],
    /// The changes from strings, until the snapshot shows the carriers.
    changes: Vec<Change>,
}

#[derive(Debug)]
struct Change {
    flag: usize,
    action: FlagAction,
    player: Option<Player>,
}

impl FlagTracker {
    /// Notes changes after all commands of a message. `scored` is the team whose score rose, `lines` are the prints.
    pub(super) fn update(&mut self, state: &State, game: &Game, restarted: bool, scored: Option<usize>, lines: &[Vec<u8>], players: &Roster) {
        let places = read(state.string(game.strings.flag_status));
        let before = std::mem::replace(&mut self.places, places);
        if restarted || before == places {
            return;
        }
        let lines: Vec<String> = lines.iter().map(|line| clean(line)).collect();
        for flag in 0..FLAGS.len() {
            let (Some(from), Some(to)) = (before[flag], places[flag]) else { continue };
            let action = match (from, to) {
                (Place::Carried, Place::Base) => flag_return(flag, scored, &lines),
                (_, Place::Base) if from != to => FlagAction::Returned,
                (_, Place::Carried) if from != to => {
                    self.carriers[flag] = None;
                    FlagAction::Taken
                }
                (_, Place::Ground) if from != to => FlagAction::Dropped,
                _ => continue,
            };
            let player = lines.iter().find_map(|line| named_player(line, flag, action, players));
            self.changes.push(Change { flag, action, player });
        }
    }

    /// Finds the carriers in the snapshot behind the commands.
    pub(super) fn snapshot(&mut self, state: &State, game: &Game, at: &EntityFields, view: u32, players: &Roster) {
        let Some(snapshot) = state.snapshot() else { return };
        for (flag, (_, powerup)) in FLAGS.iter().enumerate() {
            if self.places[flag] != Some(Place::Carried) {
                continue;
            }
            let Some(slot) = game.powerups.iter().position(|name| name == powerup).filter(|&slot| slot < 16) else { continue };
            let own = snapshot.player.arrays[array::POWERUPS][slot] != 0;
            let seen =
                || state.entities().find(|(number, row)| players.has_slot(u32::from(*number)) && carries(row, at, slot)).map(|(number, _)| u32::from(number));
            if let Some(carrier) = own.then_some(view).or_else(seen) {
                self.carriers[flag] = Some(carrier);
            }
        }
    }

    /// Reports the noted changes.
    #[inline]
    pub(super) fn report(&mut self, players: &Roster, out: &mut EventSink) {
        if !self.changes.is_empty() {
            self.report_changes(players, out);
        }
    }

    fn report_changes(&mut self, players: &Roster, out: &mut EventSink) {
        for Change { flag, action, player } in std::mem::take(&mut self.changes) {
            let carrier = self.carriers[flag].filter(|_| action != FlagAction::Returned).map(|slot| players.player(slot));
            if action != FlagAction::Taken {
                self.carriers[flag] = None;
            }
            let player = player.or(carrier);
            out.push(Evidence::Inferred, Kind::Flag, || EventKind::Flag { team: Cow::Borrowed(FLAGS[flag].0), action, player });
        }
    }
}

fn carries(row: &fragreel_base::delta::interleaved::Row, at: &EntityFields, slot: usize) -> bool {
    field(row, at.e_type) == ET_PLAYER && field(row, at.powerups) >> slot & 1 != 0
}

/// The status string: a digit for each flag, or one for the neutral flag.
fn read(string: &[u8]) -> [Option<Place>; 3] {
    let place = |digit| match digit {
        b'0' => Some(Place::Base),
        b'1' => Some(Place::Carried),
        b'2' => Some(Place::Ground),
        _ => None,
    };
    match *string {
        [red, blue] => [place(red), place(blue), None],
        [neutral] => [
            None,
            None,
            match neutral {
                b'1'..=b'3' => Some(Place::Carried),
                b'4' => Some(Place::Ground),
                _ => place(neutral),
            },
        ],
        _ => [None; 3],
    }
}

/// The action that returns a carried flag to its base. Either the other team scored with it, or a round ended and all flags returned, or it was out of
/// reach.
fn flag_return(flag: usize, scored: Option<usize>, lines: &[String]) -> FlagAction {
    let other = 1 - flag.min(1);
    let says = |words: &str| lines.iter().any(|line| line.to_ascii_lowercase().contains(words));
    if says("scores: ") {
        return if says("scores: capture") { FlagAction::Captured } else { FlagAction::Returned };
    }
    let captured = says("captured the") || if flag < 2 { scored == Some(other) } else { scored.is_some() };
    if captured { FlagAction::Captured } else { FlagAction::Returned }
}

/// The player that a printed line names.
fn named_player(line: &str, flag: usize, action: FlagAction, players: &Roster) -> Option<Player> {
    let line = line.trim_end();
    let name = match action {
        FlagAction::Captured => {
            let timed = line.split_once(" CAPTURED the flag! (").and_then(|(_, rest)| rest.split_once(" captured in ")).map(|(name, _)| name);
            timed.or_else(|| line.split_once(" captured the ").map(|(name, _)| name))?
        }
        FlagAction::Taken => line.split_once(" got the ").filter(|(_, what)| names_flag(what, flag))?.0,
        FlagAction::Returned => line.split_once(" returned the ").filter(|(_, what)| names_flag(what, flag))?.0,
        _ => return None,
    };
    players.named_at_end(name)
}

fn names_flag(what: &str, flag: usize) -> bool {
    let what = what.to_ascii_lowercase();
    what.starts_with("flag") || what.split_once(" flag").is_some_and(|(color, _)| color == FLAGS[flag].0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::roster::tests::roster;

    #[test]
    fn strings_say_where_flags_are() {
        assert_eq!(read(b"02"), [Some(Place::Base), Some(Place::Ground), None]);
        assert_eq!(read(b"3"), [None, None, Some(Place::Carried)]);
        assert_eq!((read(b""), read(b"0/"), read(b"000")), ([None; 3], [Some(Place::Base), None, None], [None; 3]));
    }

    #[test]
    fn lines_say_who_did_it() {
        let players = roster(&["ann", "^3bob"]);
        let slot = |line: &str, flag, action| named_player(line, flag, action, &players).and_then(|player| player.slot);
        assert_eq!(slot("ann got the RED flag!\n", 0, FlagAction::Taken), Some(0));
        assert_eq!(slot("ann got the RED flag!", 1, FlagAction::Taken), None);
        assert_eq!(slot("[x] bob returned the BLUE flag!", 1, FlagAction::Returned), Some(1));
        assert_eq!(slot("ann captured the BLUE flag!", 1, FlagAction::Captured), Some(0));
        assert_eq!(slot("RED TEAM CAPTURED the flag! ([x] bob captured in 0:14.003)", 1, FlagAction::Captured), Some(1));
        assert_eq!(slot("nobody got the RED flag!", 0, FlagAction::Taken), None);
    }

    #[test]
    fn a_carried_flag_comes_home_in_three_ways() {
        let lines = |text: &str| vec![String::from(text)];
        assert_eq!(flag_return(1, Some(0), &[]), FlagAction::Captured);
        assert_eq!(flag_return(1, Some(1), &[]), FlagAction::Returned);
        assert_eq!(flag_return(1, None, &lines("RED scores: Capture")), FlagAction::Captured);
        assert_eq!(flag_return(1, None, &lines("RED scores: Elimination")), FlagAction::Returned);
        assert_eq!(flag_return(0, None, &lines("The RED flag has returned!")), FlagAction::Returned);
    }
}
