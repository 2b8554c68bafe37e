//! The opening of another recording of the same level, for one whose own is lost (`docs/formats/quake3.md`, "Repair").

use fragreel_base::wire::Error;

use super::recording_writer::RecordingWriter;
use super::source::Source;
use crate::Recording;
use crate::container::Piece;
use crate::encode::canonical;
use crate::game::Game;
use crate::message::{ConfigString, Gamestate, GamestateItem, Message, Operation, op};
use crate::state::{STRINGS, State};

/// The messages of `recording` from its first frame on, behind the gamestate of `donor`. What `recording` itself states goes first; of the donor's
/// strings those of its players and of its match are left out.
pub(super) fn open_by(recording: &Recording<'_>, donor: &Recording<'_>) -> Result<Vec<u8>, Error> {
    if !std::ptr::eq(recording.dialect(), donor.dialect()) {
        return Err(Error::misuse("the donor is of another protocol"));
    }
    let given = given_level(donor).ok_or_else(|| Error::misuse("the donor has no whole gamestate"))?;
    let mut source = Source::new(recording);
    let first = loop {
        match source.next() {
            None => return Err(Error::malformed("no snapshot of the recording can be read")),
            Some(Piece::Message(frame)) => {
                let is_whole = source.playback.error.is_none();
                if is_whole && source.begins_level() {
                    return Err(Error::misuse("the recording has its own complete gamestate, so it needs no donor"));
                }
                if is_whole && source.playback.message.operations.iter().any(|operation| matches!(operation, Operation::Snapshot(_))) {
                    break frame;
                }
                source.apply(&frame);
            }
            Some(_) => {}
        }
    };
    let own = &source.playback.state;
    let places = Game::of_state(&given).strings;
    let strings = (0..STRINGS).filter_map(|index| {
        let text = if own.string(index).is_empty() && !places.changes_with_match(index) { given.string(index) } else { own.string(index) };
        (!text.is_empty()).then(|| GamestateItem::ConfigString(ConfigString { index: index as u16, text: text.to_vec() }))
    });
    let strings: Vec<GamestateItem> = strings.collect();
    let mut seen = source.clone();
    seen.apply(&first);
    let client = seen.client().unwrap_or_default();
    let numbers = Gamestate { command_sequence: first_command(&source).map_or(0, |first| first - 1), end: op::EOF, client, ..Gamestate::default() };
    let baselines = canonical::gamestate(&given, &numbers).items.into_iter().filter(|item| matches!(item, GamestateItem::Baseline(_)));
    let gamestate = Gamestate { items: strings.into_iter().chain(baselines).collect(), ..numbers };
    let acknowledged = source.playback.message.acknowledged;
    let mut message = Message { acknowledged, operations: vec![Operation::Gamestate(gamestate)], end: Some(op::EOF), ..Message::default() };
    let mut writer = RecordingWriter::for_source(recording);
    writer.write(first.sequence.wrapping_sub(1), &mut message)?;
    writer.bytes.extend_from_slice(&recording.bytes()[first.offset as usize..]);
    Ok(writer.bytes)
}

/// The state behind the first whole gamestate.
fn given_level(donor: &Recording<'_>) -> Option<State> {
    let mut source = Source::new(donor);
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        if source.begins_level() && source.playback.error.is_none() {
            source.apply(&frame);
            return Some(source.playback.state);
        }
    }
    None
}

/// The number of the first reliable command from the last message on.
fn first_command(source: &Source<'_>) -> Option<i32> {
    let mut ahead = source.playback.clone();
    loop {
        let number = ahead.message.operations.iter().find_map(|operation| match operation {
            Operation::ServerCommand(command) => Some(command.sequence),
            _ => None,
        });
        if number.is_some() {
            return number;
        }
        ahead.read()?;
    }
}
