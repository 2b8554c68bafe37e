//! The opening of another recording of the same level, for one whose own is lost (`docs/formats/quake1.md`, "Repair").

use fragreel_base::wire::Error;

use crate::container::{Container, Framing, Stamp};
use crate::encode::block_writer::BlockWriter;
use crate::message::Message;
use crate::walk::decoded_blocks::{DecodedBlock, DecodedBlocks, NextDecoded};
use crate::walk::input::Input;

/// The blocks of `recording` from its first frame on, behind the signon of `donor`, without what that says of its players.
pub(super) fn open_by(recording: &Input<'_>, donor: &Input<'_>) -> Result<Vec<u8>, Error> {
    if recording.container != donor.container {
        return Err(Error::misuse("the donor is of another format"));
    }
    let first = first_frame(recording)?;
    let line = if recording.header().is_empty() { donor.header() } else { recording.header() };
    let mut out = BlockWriter::new(recording.container, line);
    let mut reading = DecodedBlocks::new(donor);
    let mut states_level = false;
    while let Some(next) = reading.next(|_, _, _| {}) {
        let NextDecoded::Block(mut unit) = next else { continue };
        if unit.is_frame() && !reading.is_signing_on() {
            break;
        }
        if unit.target.is_none() || unit.dropped || unit.error.is_some() {
            continue;
        }
        states_level |= unit.messages.iter().any(is_level);
        unit.messages.retain(|message| !is_of_players(message));
        match (&mut unit.block.framing, &first.block.framing) {
            (Framing::Packet { time: Stamp::At(time), .. }, Framing::Packet { time: Stamp::At(own), .. }) => *time = *own,
            (Framing::Packet { time: Stamp::After(delay), .. }, _) => *delay = 0,
            (Framing::NetQuake { angles }, Framing::NetQuake { angles: own }) => *angles = *own,
            _ => {}
        }
        out.encode_block(&unit);
    }
    if !states_level {
        return Err(Error::misuse("the donor has no signon"));
    }
    if let (Container::QuakeWorld, Framing::Packet { time, .. }, Some(header)) = (recording.container, first.block.framing, first.header) {
        // from here on packets have the numbers of the connection
        let (outgoing, incoming) = (header.acknowledged.wrapping_add(1) & 0x7fff_ffff, first.sequence().wrapping_sub(1));
        crate::container::write_block(&mut out.bytes, recording.container, &Framing::Sequences { time, outgoing, incoming }, &[]);
    }
    out.bytes.extend_from_slice(&recording.bytes[first.block.offset as usize..]);
    Ok(out.bytes)
}

/// The first block with a frame. Nothing before it may state the level.
fn first_frame<'a>(recording: &Input<'a>) -> Result<Box<DecodedBlock<'a>>, Error> {
    let mut reading = DecodedBlocks::new(recording);
    while let Some(next) = reading.next(|_, _, _| {}) {
        let NextDecoded::Block(unit) = next else { continue };
        if unit.messages.iter().any(is_level) && unit.error.is_none() {
            return Err(Error::misuse("the recording states its level: it needs no donor"));
        }
        if unit.is_frame() {
            return Ok(unit);
        }
    }
    Err(Error::malformed("no frame of the recording can be read"))
}

/// True if the recording states its level before its first frame: then what was lost is not its opening.
pub(super) fn states_level(recording: &Input<'_>) -> bool {
    let mut reading = DecodedBlocks::new(recording);
    while let Some(next) = reading.next(|_, _, _| {}) {
        let NextDecoded::Block(unit) = next else { continue };
        if unit.is_frame() && !reading.is_signing_on() {
            return false;
        }
        if unit.messages.iter().any(is_level) {
            return unit.error.is_none();
        }
    }
    false
}

fn is_level(message: &Message) -> bool {
    matches!(message, Message::ServerData(_) | Message::ServerInfo(_))
}

/// True if a message is about the donor's players, or printed for them.
fn is_of_players(message: &Message) -> bool {
    matches!(
        message,
        Message::UpdateName(_)
            | Message::UpdateFrags(_)
            | Message::UpdateColors(_)
            | Message::UpdateUserInfo(_)
            | Message::SetInfo(_)
            | Message::UpdatePing(_)
            | Message::UpdateLoss(_)
            | Message::UpdateEnterTime(_)
            | Message::StatByte(_)
            | Message::StatLong(_)
            | Message::PlayerInfo(_)
            | Message::ViewPlayer(_)
            | Message::QwPrint(_)
            | Message::NqPrint(_)
            | Message::CenterPrint(_)
    )
}
