//! Repair: a file that plays, made of the sound messages of a damaged one.

use fragreel_base::wire::Error;
use fragreel_model::{Action, DamageKind, Edited, Fate};

use super::order::OutOfOrder;
use super::recording_writer::RecordingWriter;
use super::source::Source;
use crate::Recording;
use crate::container::{END_MARK, Frame, Frames, Piece};
use crate::encode::{canonical, encode_in_parts, is_mixed};
use crate::limits::{COMMAND_BYTES, GAMESTATE_BYTES, gamestate_bytes, leave_out_unused, unused_bytes};
use crate::message::{Gamestate, GamestateItem, Message, Operation, op};
use crate::walk::{CommandNumbers, ServerTimes};

pub(super) fn repair(recording: &Recording<'_>) -> Result<Edited, Error> {
    let order = OutOfOrder::of(recording);
    let repaired = repair_in_order(recording, &order);
    // where only a message out of order has a state that others can be decoded against, it stays
    if repaired.is_err() && !order.is_empty() { repair_in_order(recording, &OutOfOrder::default()) } else { repaired }
}

fn repair_in_order(recording: &Recording<'_>, order: &OutOfOrder) -> Result<Edited, Error> {
    let mut source = Source::new(recording);
    let mut writer = RecordingWriter::for_source(recording);
    let mut actions = Vec::new();
    let mut frames = 0u32;
    let (mut ended, mut backwards) = (None, 0);
    let mut ruled = Ruled::default();
    // commands of damaged messages, which the next message takes along
    let mut carried: Vec<Operation> = Vec::new();
    let mut times = ServerTimes::default();
    let mut early = 0;
    let mut trailing = None;
    // where the piece of the file that is being read starts
    let mut start = 0u64;
    while let Some(piece) = source.next() {
        match piece {
            Piece::Prologue(_) => {}
            Piece::End(range) => ended = Some(range.start),
            Piece::Opaque(range, fault) => {
                let bytes = &recording.bytes()[(start + range.start) as usize..(start + range.end) as usize];
                if fault.kind == DamageKind::TrailingData && goes_on(recording, bytes) {
                    actions.push(Action::EndMarkRemoved { offset: start + range.start });
                    start += range.start;
                    source.playback.continue_with(bytes);
                    ended = None;
                    writer.numbers.touched = true;
                    continue;
                }
                if fault.kind == DamageKind::TrailingData {
                    // a seal, or what a tool put there: engines do not read it
                    trailing = Some(bytes);
                    continue;
                }
                writer.numbers.touched = true;
                actions.push(Action::BytesLeftOut { bytes: Some(bytes.len() as u64), offset: start + range.start, why: fault.rule.to_owned() });
            }
            Piece::Message(frame) if source.playback.error.is_some() && source.begins_level() && ended.is_none() => {
                actions.push(keep_readable_level(&mut source, &mut writer, &frame)?);
                times.start_level();
            }
            Piece::Message(frame) => {
                if source.playback.error.is_some() {
                    actions.push(Action::MessageLeftOut { message: frame.number, offset: start + frame.offset, why: broken(&source) });
                }
                let begins = source.begins_level();
                if let Some(offset) = ended.take() {
                    if begins {
                        // a second recording: engines play the first
                        writer.bytes.extend_from_slice(&END_MARK);
                        writer.numbers = CommandNumbers::default();
                    } else {
                        actions.push(Action::EndMarkRemoved { offset: start + offset });
                        writer.numbers.touched = true;
                    }
                }
                if begins {
                    times.start_level();
                }
                let now = source.playback.message.operations.iter().find_map(|operation| match operation {
                    Operation::Snapshot(snapshot) => Some(snapshot),
                    _ => None,
                });
                if source.playback.error.is_none() && source.signon.gamestate.is_some() && !begins && order.is_early(start + frame.offset) {
                    // those behind it go on from the one before; its commands come too early, too
                    early += 1;
                    writer.numbers.touched = true;
                    continue;
                }
                let falls = order.is_late(start + frame.offset) || now.is_some_and(|snapshot| times.falls_below(snapshot).is_some());
                let mut after = times;
                if let Some(snapshot) = now {
                    after.advance(snapshot);
                }
                let has_snapshot = now.is_some();
                // engines stop where the server's clock goes back
                if source.playback.error.is_none() && falls && source.signon.gamestate.is_some() {
                    backwards += 1;
                    source.apply_with(&frame, &mut |_, _, _| Fate::Drop);
                    writer.frames.remove(frame.sequence);
                    if !source.playback.message.operations.is_empty() {
                        writer.write(frame.sequence, &mut source.playback.message)?;
                    }
                    continue;
                }
                let written = writer.bytes.len();
                let is_whole = source.playback.error.is_none();
                let resent = is_whole && !carried.is_empty();
                if resent {
                    source.playback.message.operations.splice(0..0, carried.drain(..));
                } else if !is_whole && source.signon.gamestate.is_some() {
                    carried.extend(commands_before_damage(&source));
                }
                let first = writer.is_empty();
                let changed = is_whole && (ruled.repair(&mut source.playback.message) | in_parts(&source, &frame, recording, first));
                writer.pass_changed(&mut source, &frame, resent || changed)?;
                let applied = source.playback.state.snapshot().is_some_and(|snapshot| snapshot.sequence == frame.sequence);
                if applied && writer.bytes.len() > written && has_snapshot {
                    times = after;
                    frames += 1;
                }
            }
        }
    }
    if frames == 0 {
        return Err(Error::malformed("the recording has no complete frame after a complete gamestate, so there is nothing to write"));
    }
    if backwards > 0 {
        actions.push(Action::SnapshotsLeftOutBackwards { messages: backwards });
    }
    if early > 0 {
        actions.push(Action::MessagesLeftOutEarly { messages: early });
    }
    ruled.report(&mut actions);
    if ended.is_none() {
        actions.push(Action::EndMarkAdded);
    }
    writer.left_out.broken = 0;
    writer.bytes.extend_from_slice(&END_MARK);
    writer.bytes.extend_from_slice(trailing.unwrap_or_default());
    Ok(writer.finish_as_is(recording, actions))
}

/// The new commands of a damaged message that stand before the damage: what they set counts in the frames behind.
fn commands_before_damage(source: &Source<'_>) -> Vec<Operation> {
    let mut last = source.playback.state.command_sequence();
    let follows = |operation: &&Operation| {
        let is_next = matches!(operation, Operation::ServerCommand(command) if command.sequence == last + 1);
        last += i32::from(is_next);
        is_next
    };
    source.playback.message.operations.iter().filter(follows).cloned().collect()
}

/// Whether a message must be split for engines to accept it: it is too long, or has several gamestates and snapshots.
fn in_parts(source: &Source<'_>, frame: &Frame, recording: &Recording<'_>, first: bool) -> bool {
    let dialect = recording.dialect();
    let too_long = frame.length as usize > dialect.longest_message;
    // what no part can hold stays as it is
    (too_long || is_mixed(&source.playback.message)) && encode_in_parts(&mut source.playback.message.clone(), dialect, first).is_ok()
}

/// Cuts off the end of a command that engines do not read. A string of the level stays: half of one would say something else.
fn shorten(operation: &mut Operation) -> bool {
    let Operation::ServerCommand(command) = operation else { return false };
    let is_string = [&b"cs "[..], b"bcs"].iter().any(|name| command.text.starts_with(name));
    if command.text.len() <= COMMAND_BYTES || is_string {
        return false;
    }
    let is_quoted = command.text.trim_ascii_end().ends_with(b"\"");
    command.text.truncate(COMMAND_BYTES - usize::from(is_quoted));
    command.text.extend(is_quoted.then_some(b'"'));
    true
}

/// Leaves out strings that set nothing, where engines could not hold the gamestate with them and can without. Returns how many.
fn without_unused(gamestate: &mut Gamestate) -> u64 {
    let size = gamestate_bytes(gamestate);
    let helps = size > GAMESTATE_BYTES && size - unused_bytes(gamestate) <= GAMESTATE_BYTES;
    if helps { leave_out_unused(gamestate) as u64 } else { 0 }
}

/// What is done to messages that can be read, because engines stop at them, or read them wrongly.
#[derive(Default)]
struct Ruled {
    downloads: u64,
    sorted: u64,
    shortened: u64,
    /// Strings of gamestates that set nothing.
    unused: u64,
    /// Messages with nothing in them.
    empty: u64,
}

impl Ruled {
    /// Changes a message. Returns whether it did.
    fn repair(&mut self, message: &mut Message) -> bool {
        let before = message.operations.len();
        let empty = u64::from(before == 0 && message.late_voice.is_empty() && message.rest.len() < 2);
        // nobody asked for the file
        message.operations.retain(|operation| !matches!(operation, Operation::Download(_)));
        let downloads = (before - message.operations.len()) as u64;
        let (mut sorted, mut shortened, mut unused) = (0, 0, 0);
        for operation in &mut message.operations {
            shortened += u64::from(shorten(operation));
            if let Operation::Gamestate(gamestate) = operation {
                unused += without_unused(gamestate);
            }
            let Operation::Snapshot(snapshot) = operation else { continue };
            if snapshot.entities.is_sorted_by(|one, next| one.number < next.number) {
                continue;
            }
            snapshot.entities.sort_by_key(|entity| entity.number);
            sorted += 1;
        }
        self.downloads += downloads;
        self.sorted += sorted;
        self.shortened += shortened;
        self.unused += unused;
        self.empty += empty;
        downloads + sorted + shortened + unused + empty > 0
    }

    fn report(&self, actions: &mut Vec<Action>) {
        if self.downloads > 0 {
            actions.push(Action::DownloadLeftOut { count: self.downloads });
        }
        if self.shortened > 0 {
            actions.push(Action::CommandsShortened { commands: self.shortened, bytes: COMMAND_BYTES as u64 });
        }
        if self.unused > 0 {
            actions.push(Action::StringsLeftOut { strings: self.unused, bytes: GAMESTATE_BYTES as u64 });
        }
        if self.empty > 0 {
            actions.push(Action::EmptyMessagesLeftOut { messages: self.empty });
        }
        if self.sorted > 0 {
            actions.push(Action::EntitiesSorted { snapshots: self.sorted });
        }
    }
}

/// Writes the part of a damaged gamestate that can be read. Its end has the recorder's number, which the next snapshot states too.
fn keep_readable_level(source: &mut Source<'_>, writer: &mut RecordingWriter, frame: &Frame) -> Result<Action, Error> {
    let (why, acknowledged) = (broken(source), source.playback.message.acknowledged);
    writer.frames.clear();
    source.apply(frame);
    let state = &source.playback.state;
    let client = if state.dialect().identifies_client { source.client().unwrap_or_default() } else { 0 };
    let numbers = Gamestate { command_sequence: state.command_sequence(), end: op::EOF, client, ..Gamestate::default() };
    let gamestate = canonical::gamestate(state, &numbers);
    let baselines = gamestate.items.iter().filter(|item| matches!(item, GamestateItem::Baseline(_))).count();
    let action = Action::GamestatePartlyKept { strings: (gamestate.items.len() - baselines) as u64, baselines: baselines as u64, why };
    (source.signon.gamestate, source.signon.end) = (Some(numbers), Some(op::EOF));
    let mut message = Message { acknowledged, operations: vec![Operation::Gamestate(gamestate)], end: Some(op::EOF), ..Message::default() };
    writer.write(frame.sequence, &mut message)?;
    Ok(action)
}

fn broken(source: &Source<'_>) -> String {
    source.playback.error.as_ref().map_or_else(String::new, ToString::to_string)
}

/// Whether the bytes behind an end marker continue the recording: two messages that can be decoded.
fn goes_on(recording: &Recording<'_>, bytes: &[u8]) -> bool {
    let mut message = Message::default();
    let first = Frames::new(bytes).take(2).filter(|piece| match piece {
        Piece::Message(frame) => message.read(crate::container::data(bytes, frame), recording.dialect()).is_ok() && !message.operations.is_empty(),
        _ => false,
    });
    first.count() == 2
}
