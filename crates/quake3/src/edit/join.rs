//! One recording of parts of one session.

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, Fate};

use super::recording_writer::RecordingWriter;
use super::source::Source;
use crate::Recording;
use crate::container::Piece;
use crate::message::Gamestate;
use crate::state::{ENTITIES, STRINGS, State};
use crate::strings::{clean, info};

pub(super) fn join(parts: &[&Recording<'_>]) -> Result<Edited, Error> {
    let [first, rest @ ..] = parts else { return Err(Error::misuse("there is nothing to join")) };
    if let Some(other) = rest.iter().find(|part| !part.dialect().is_like(first.dialect()) || part.dialect().protocol != first.dialect().protocol) {
        let (a, b) = (first.dialect().protocol, other.dialect().protocol);
        return Err(Error::misuse(format!("the parts have different protocols, {a} and {b}: convert them first")));
    }
    let mut joined = Joined { writer: RecordingWriter::for_source(first), last: None, actions: Vec::new(), repeated: 0 };
    for (number, part) in parts.iter().enumerate() {
        joined.add(number + 1, part)?;
    }
    let Joined { writer, mut actions, repeated, .. } = joined;
    if repeated > 0 {
        actions.push(Action::RepeatedMessagesLeftOut { messages: repeated });
    }
    actions.insert(0, Action::PartsJoined { parts: parts.len() as u64 });
    Ok(writer.finish(first, actions))
}

struct Joined {
    writer: RecordingWriter,
    last: Option<JoinedEnd>,
    actions: Vec<Action>,
    repeated: u64,
}

/// Where the recording so far ends.
struct JoinedEnd {
    state: State,
    gamestate: Gamestate,
    sequence: i32,
    server_time: i32,
    /// The number of the last command, before a big configstring that is not complete yet.
    counted: i32,
}

impl Joined {
    fn add(&mut self, number: usize, part: &Recording<'_>) -> Result<(), Error> {
        let mut source = Source::new(part);
        self.writer.numbers.touched |= number > 1;
        let mut before = self.last.take();
        let mut at_start = true;
        let mut last: Option<(i32, i32)> = None;
        while let Some(piece) = source.next() {
            let Piece::Message(frame) = piece else { continue };
            let begins = source.begins_level();
            if at_start && begins && source.playback.error.is_none() {
                at_start = false;
                if let Some(known) = &before {
                    let next = first_level(part)?;
                    match known.followed_by(&next, number)? {
                        Following::Continues => {
                            self.actions.push(Action::PartGoesOnInLevel { part: number as u64 });
                            source.apply(&frame);
                            continue;
                        }
                        Following::NewLevel(why) => self.actions.push(Action::PartBeginsWithGamestate { part: number as u64, why: why.to_owned() }),
                    }
                    before = None;
                }
            } else if begins {
                before = None;
            }
            let known = before.as_ref().is_some_and(|known| frame.sequence <= known.sequence);
            if known {
                source.apply(&frame);
                self.repeated += 1;
            } else {
                self.writer.pass(&mut source, &frame)?;
            }
            let time = source.playback.state.snapshot().filter(|snapshot| snapshot.sequence == frame.sequence).map(|snapshot| snapshot.server_time);
            if let (Some(time), false) = (time, known) {
                last = Some((frame.sequence, time));
            }
        }
        self.last = match (last, before) {
            // all of it was known
            (None, before) => before,
            (Some((sequence, server_time)), _) => {
                let gamestate = source.signon.gamestate.clone().ok_or_else(|| Error::malformed(format!("part {number} has no whole gamestate")))?;
                let counted = source.signon.last_complete_command(&source.playback.state);
                Some(JoinedEnd { state: source.playback.state, gamestate, sequence, server_time, counted })
            }
        };
        Ok(())
    }
}

enum Following {
    Continues,
    NewLevel(&'static str),
}

/// How a part begins: its state after the gamestate, and its first frame.
struct PartStart {
    state: State,
    gamestate: Gamestate,
    sequence: i32,
    server_time: i32,
    last_sequence: i32,
}

/// Looks at the first level of a part.
fn first_level(part: &Recording<'_>) -> Result<PartStart, Error> {
    let mut ahead = Source::new(part);
    let mut begun: Option<(State, Gamestate)> = None;
    let mut first = None;
    let mut last_sequence = i32::MIN;
    while let Some(piece) = ahead.next() {
        let Piece::Message(frame) = piece else { continue };
        let mut applied = None;
        ahead.apply_with(&frame, &mut |state, _, outcome| {
            applied = state.snapshot().filter(|_| outcome.is_shown()).map(|snapshot| snapshot.server_time);
            Fate::Keep
        });
        if ahead.signon.levels > 1 {
            break;
        }
        if begun.is_none() {
            begun = ahead.signon.gamestate.clone().map(|gamestate| (ahead.playback.state.clone(), gamestate));
        }
        if let Some(time) = applied {
            first.get_or_insert((frame.sequence, time));
            last_sequence = frame.sequence;
        }
    }
    let (Some((state, gamestate)), Some((sequence, server_time))) = (begun, first) else {
        return Err(Error::malformed("a part has no whole frame"));
    };
    Ok(PartStart { state, gamestate, sequence, server_time, last_sequence })
}

impl JoinedEnd {
    /// Whether a part with this beginning continues where this one ends.
    fn followed_by(&self, next: &PartStart, number: usize) -> Result<Following, Error> {
        let server = |state: &State| info(state.string(0), "sv_hostname").to_vec();
        let (a, b) = (server(&self.state), server(&next.state));
        if a != b {
            return Err(Error::misuse(format!("part {number} is of another server: `{}` instead of `{}`", clean(&b), clean(&a))));
        }
        if self.gamestate.client != next.gamestate.client {
            let (a, b) = (self.gamestate.client, next.gamestate.client);
            return Err(Error::misuse(format!("part {number} was recorded by player {b}, the previous one by {a}: use `merge` for several viewpoints")));
        }
        let map = |state: &State| info(state.string(0), "mapname").to_vec();
        let same_level = map(&self.state) == map(&next.state)
            && self.gamestate.checksum_feed == next.gamestate.checksum_feed
            && (0..ENTITIES as u16).all(|entity| self.state.baseline(entity) == next.state.baseline(entity));
        if !same_level {
            return Ok(Following::NewLevel("it is another level"));
        }
        if next.server_time < self.server_time && next.last_sequence <= self.sequence && next.sequence < self.sequence {
            // the part lies inside of what is written already
            return Ok(Following::Continues);
        }
        if next.sequence <= self.sequence && next.server_time > self.server_time || next.sequence > self.sequence && next.server_time < self.server_time {
            return Ok(Following::NewLevel("messages are renumbered"));
        }
        let overlaps = next.sequence <= self.sequence;
        let same_strings = (0..STRINGS).all(|index| self.state.string(index) == next.state.string(index));
        if overlaps {
            return Ok(Following::Continues);
        }
        if next.gamestate.command_sequence < self.counted {
            return Ok(Following::NewLevel("commands are renumbered"));
        }
        if same_strings { Ok(Following::Continues) } else { Ok(Following::NewLevel("strings changed in between")) }
    }
}
