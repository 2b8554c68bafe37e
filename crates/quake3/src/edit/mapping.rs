//! A recording with its messages changed one by one, as trees.

use model::{Action, Edited, Fate, Place};
use replay::Clock;
use wire::Error;

use super::source::Source;
use super::writer::Writer;
use crate::Recording;
use crate::container::{END_MARK, Frame, Piece};
use crate::message::{Message, Operation, Snapshot};
use crate::state::Outcome;

/// What a change did to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touched {
    /// Nothing.
    No,
    /// It is another one now.
    Changed,
    /// It goes.
    Dropped,
}

/// Shows every message that can be read to `change`. What cannot be read stays as it is.
pub(super) fn map(recording: &Recording<'_>, change: &mut dyn FnMut(Place, &mut Message) -> Result<Touched, Error>) -> Result<Edited, Error> {
    let mut source = Source::new(recording);
    let mut writer = Writer::like(recording);
    writer.numbers.mends = false;
    let mut clock = Clock::default();
    let mut time = model::Milliseconds(0);
    let (mut changed, mut dropped) = (0u64, 0u64);
    while let Some(piece) = source.next() {
        let frame = match piece {
            Piece::Message(frame) => frame,
            Piece::End(_) => {
                writer.bytes.extend_from_slice(&END_MARK);
                continue;
            }
            Piece::Opaque(range, _) => {
                writer.bytes.extend_from_slice(&recording.bytes()[range.start as usize..range.end as usize]);
                continue;
            }
            Piece::Prologue(_) => continue,
        };
        if source.playback.error.is_some() {
            source.apply(&frame);
            writer.lose(frame.sequence);
            writer.put(frame.sequence, source.playback.data(&frame));
            continue;
        }
        if source.playback.message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_))) {
            clock.level();
        }
        if let Some(snapshot) = first_snapshot(&source.playback.message) {
            time = clock.at(i64::from(snapshot.server_time));
        }
        let snapshot = first_snapshot(&source.playback.message).cloned();
        let before = commands(&source.playback.message);
        let touched = change(Place { message: frame.number, time }, &mut source.playback.message)?;
        if touched != Touched::No {
            let left = if touched == Touched::Dropped { Vec::new() } else { commands(&source.playback.message) };
            writer.numbers.removed.extend(before.into_iter().filter(|number| !left.contains(number)));
        }
        match touched {
            Touched::No => {}
            Touched::Changed => changed += 1,
            Touched::Dropped => dropped += 1,
        }
        keep(&mut source, &mut writer, &frame, snapshot, touched)?;
    }
    let mut actions = Vec::new();
    if changed > 0 {
        actions.push(Action::MessagesChanged { messages: changed });
    }
    if dropped > 0 {
        actions.push(Action::MessagesRemoved { messages: dropped });
    }
    Ok(writer.finish_as_is(recording, actions))
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

/// Lets a message happen and writes it. A snapshot that went still happens, because later ones may be told against it; those
/// are told anew.
fn keep(source: &mut Source<'_>, writer: &mut Writer, frame: &Frame, snapshot: Option<Snapshot>, touched: Touched) -> Result<(), Error> {
    if touched == Touched::Dropped {
        source.apply(frame);
        if snapshot.is_some() {
            writer.lose(frame.sequence);
        }
        return Ok(());
    }
    if source.playback.message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_))) {
        writer.forget();
    }
    let mut changed = touched == Touched::Changed;
    if let Some(gone) = snapshot.filter(|_| changed && first_snapshot(&source.playback.message).is_none()) {
        source.playback.state.apply_snapshot(frame.sequence, &gone);
        writer.lose(frame.sequence);
    }
    source.apply_with(frame, &mut |state, snapshot, outcome| {
        if outcome == Outcome::Applied {
            changed |= writer.settle(state, snapshot);
        }
        Fate::Keep
    });
    changed |= writer.number(&mut source.playback.message);
    if changed {
        return writer.tell(frame.sequence, &mut source.playback.message);
    }
    writer.put(frame.sequence, source.playback.data(frame));
    Ok(())
}
