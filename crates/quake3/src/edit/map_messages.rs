//! Changes the messages of a recording one by one, as trees.

use fragreel_base::wire::Error;
use fragreel_model::replay::Clock;
use fragreel_model::{Action, Edited, Fate, Place};

use super::recording_writer::RecordingWriter;
use super::source::Source;
use crate::Recording;
use crate::container::{END_MARK, Frame, Framing, HEAD, Piece};
use crate::message::{Message, Operation, Snapshot};
use crate::state::Outcome;

/// What a mapper did to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing.
    None,
    /// It changed.
    Changed,
    /// It dropped the message.
    Dropped,
}

/// Changes messages for [`map`].
pub(super) trait MessageMapper {
    /// Gets every message that can be decoded.
    fn message(&mut self, place: Place, message: &mut Message) -> Result<Change, Error>;

    /// Gets undecoded bytes, whose number stays the same.
    fn undecoded(&mut self, _: Place, _: &mut [u8]) {}

    /// Gets the bytes of messages that no server writes, in recordings with damage: text may be decoded as numbers there.
    fn suspicious(&mut self, _: Place, _: &mut [u8]) {}
}

/// Passes every message to `mapper`, and writes the result. Undecoded bytes keep their length.
pub(super) fn map(recording: &Recording<'_>, mapper: &mut dyn MessageMapper) -> Result<Edited, Error> {
    let mut source = Source::new(recording);
    let mut writer = RecordingWriter::for_source(recording);
    writer.numbers.fills_source_gaps = false;
    let mut clock = Clock::default();
    let mut time = fragreel_model::Milliseconds(0);
    let (mut changed, mut dropped) = (0u64, 0u64);
    let mut last = 0;
    // the start of undecoded bytes in the new recording. Neighbors may belong together, so they are shown together
    let (mut undecoded, mut damaged): (Option<usize>, bool) = (None, false);
    let mut suspicious = Vec::new();
    while let Some(piece) = source.next() {
        damaged |= source.playback.error.is_some() || matches!(piece, Piece::Opaque(..));
        if let Some(from) = undecoded.filter(|_| !matches!(piece, Piece::Opaque(..))) {
            changed += change_bytes(&mut writer.bytes[from..], |bytes| mapper.undecoded(Place { message: last, time }, bytes));
            undecoded = None;
        }
        let frame = match piece {
            Piece::Message(frame) => frame,
            Piece::End(_) => {
                writer.bytes.extend_from_slice(&END_MARK);
                continue;
            }
            Piece::Opaque(range, _) => {
                undecoded.get_or_insert(writer.bytes.len());
                writer.bytes.extend_from_slice(&recording.bytes()[range.start as usize..range.end as usize]);
                continue;
            }
            Piece::Prologue(_) => continue,
        };
        last = frame.number;
        if source.playback.error.is_some() {
            source.apply(&frame);
            writer.frames.remove(frame.sequence);
            let data = source.playback.data(&frame);
            writer.write_bytes(frame.sequence, data);
            match frame.framing {
                Framing::Plain => undecoded = Some(writer.bytes.len() - data.len()),
                // the length follows once more
                Framing::Mirrored => {
                    let end = writer.bytes.len() - 4;
                    changed += change_bytes(&mut writer.bytes[end - data.len()..end], |bytes| mapper.undecoded(Place { message: last, time }, bytes));
                }
            }
            continue;
        }
        if source.begins_level() {
            clock.level();
        }
        if let Some(snapshot) = first_snapshot(&source.playback.message) {
            time = clock.at(i64::from(snapshot.server_time));
        }
        let snapshot = first_snapshot(&source.playback.message).cloned();
        let before = commands(&source.playback.message);
        let change = mapper.message(Place { message: frame.number, time }, &mut source.playback.message)?;
        if change != Change::None {
            let left = if change == Change::Dropped { Vec::new() } else { commands(&source.playback.message) };
            writer.numbers.removed.extend(before.into_iter().filter(|number| !left.contains(number)));
        }
        match change {
            Change::None => {}
            Change::Changed => changed += 1,
            Change::Dropped => dropped += 1,
        }
        let (from, odd) = (writer.bytes.len(), snapshot.as_ref().is_some_and(|snapshot| !snapshot.entities.is_sorted_by_key(|entity| entity.number)));
        write_message(&mut source, &mut writer, &frame, snapshot, change)?;
        if odd && writer.bytes.len() > from {
            let tail = if frame.framing == Framing::Mirrored { 4 } else { 0 };
            suspicious.push((Place { message: frame.number, time }, from + HEAD..writer.bytes.len() - tail));
        }
    }
    if let Some(from) = undecoded {
        changed += change_bytes(&mut writer.bytes[from..], |bytes| mapper.undecoded(Place { message: last, time }, bytes));
    }
    if damaged {
        for (place, written) in suspicious {
            changed += change_bytes(&mut writer.bytes[written], |data| mapper.suspicious(place, data));
        }
    }
    let mut actions = Vec::new();
    if changed > 0 {
        actions.push(Action::MessagesChanged { messages: changed });
    }
    if dropped > 0 {
        actions.push(Action::MessagesDropped { messages: dropped });
    }
    Ok(writer.finish_as_is(recording, actions))
}

/// Passes bytes to a hook, and returns 1 if they changed.
fn change_bytes(bytes: &mut [u8], to: impl FnOnce(&mut [u8])) -> u64 {
    let before = bytes.to_vec();
    to(bytes);
    u64::from(bytes != before)
}

fn first_snapshot(message: &Message) -> Option<&Snapshot> {
    message.operations.iter().find_map(|operation| match operation {
        Operation::Snapshot(snapshot) => Some(&**snapshot),
        _ => None,
    })
}

fn commands(message: &Message) -> Vec<i32> {
    let number = |operation: &Operation| if let Operation::ServerCommand(command) = operation { Some(command.sequence) } else { None };
    message.operations.iter().filter_map(number).collect()
}

/// Applies a message and writes it. A dropped snapshot is applied too, because later ones may be deltas against it; those are re-encoded.
fn write_message(source: &mut Source<'_>, writer: &mut RecordingWriter, frame: &Frame, snapshot: Option<Snapshot>, change: Change) -> Result<(), Error> {
    if change == Change::Dropped {
        source.apply(frame);
        if snapshot.is_some() {
            writer.frames.remove(frame.sequence);
        }
        return Ok(());
    }
    if source.begins_level() {
        writer.frames.clear();
    }
    let mut changed = change == Change::Changed;
    if let Some(gone) = snapshot.filter(|_| changed && first_snapshot(&source.playback.message).is_none()) {
        source.playback.state.apply(frame.sequence, &Operation::Snapshot(Box::new(gone)));
        writer.frames.remove(frame.sequence);
    }
    source.apply_with(frame, &mut |state, snapshot, outcome| {
        // what was uncertain in the source stays as it is
        if outcome == Outcome::Applied && state.snapshot().is_some_and(|snapshot| !snapshot.is_uncertain()) {
            changed |= writer.frames.reencode_if_base_missing(state, snapshot);
        }
        Fate::Keep
    });
    changed |= writer.renumber_commands(&mut source.playback.message);
    if changed {
        return writer.write_numbered(frame.sequence, &mut source.playback.message);
    }
    writer.write_bytes(frame.sequence, source.playback.data(frame));
    Ok(())
}
