//! Converts to the same container without extensions.

use std::borrow::Cow;

use fragreel_model::{Action, Edited, Loss};

use crate::container::{Framing, Stamp, kind};
use crate::dialect::Dialect;
use crate::message::{Float, Message, PacketHeader};
use crate::state::Game;
use crate::walk::input::Input;

use crate::edit::convert::netquake::NetQuake;
use crate::encode::block_writer::BlockWriter;
use crate::encode::delays::wait;
use crate::encode::quakeworld::{FrameParts, QuakeWorld};
use crate::encode::recode::Recode;
use crate::encode::usage::Usage;
use crate::encode::world::WorldView;
use crate::limits::Limits;
use crate::message::encoded_length;
use crate::walk::decoded_blocks::{DecodedBlock, DecodedBlocks, NextDecoded};

/// Converts NetQuake with extensions, or of another protocol, to plain NetQuake.
pub(super) fn netquake(recording: &Input<'_>, usage: &Usage, to: Dialect) -> Edited {
    let limits = Limits::of(&to);
    let mut converter = NetQuake::new(Recode::new(&recording.dialect, &to, limits), &usage.levels);
    let mut out = BlockWriter::new(recording.container, recording.header());
    let mut reading = DecodedBlocks::new(recording);
    let mut game = Game::default();
    let mut last = Last::default();
    let mut stated = false;
    loop {
        let mut messages = Vec::new();
        let mut frame: Option<(usize, Float)> = None;
        let next = reading.next(|d, message, delivery| {
            delivery.apply(&mut game, d, message);
            stated |= matches!(message, Message::ServerInfo(_));
            if !stated {
                // nothing could state that this is another protocol
                messages.push(message.clone());
                return;
            }
            match message {
                Message::UpdateEntities(m) => frame = Some((frame.map_or(messages.len(), |(at, _)| at), Float(m.update.time))),
                // updates other than replacement deltas keep their places
                Message::NqTime(m) if d.replacement() => frame = Some((frame.map_or(messages.len(), |(at, _)| at), m.time)),
                _ => {}
            }
            messages.extend(converter.message(d, &game, message));
        });
        let Some(next) = next else { break };
        let Some(unit) = block(next, &mut converter.recode) else { continue };
        if let Some((at, time)) = frame {
            let own = messages.iter().position(|message| matches!(message, Message::ClientData(_))).map(|at| (at, messages.remove(at)));
            let at = own.as_ref().map_or(at, |(own, _)| at - usize::from(*own < at));
            let mut seen = converter.frame(reading.dialect(), &game, time, own.is_some());
            if let Some((_, own)) = own {
                seen.insert(1, own);
            }
            messages.splice(at..at, seen);
        }
        last.see(&unit, &messages);
        if messages.is_empty() {
            continue;
        }
        for part in portions(&out, messages, limits.message) {
            out.write_packet(&unit.block.framing, None, &part);
        }
    }
    last.end(&mut out);
    let what = if recording.dialect.replacement() { "replacement deltas" } else { "everything" };
    edited(out, converter.recode, Action::ConvertedTo { what: String::from(what), form: format!("plain protocol {}", to.numbers.protocol) })
}

/// Divides messages into blocks that engines accept. A block without a time continues the frame before.
pub(super) fn portions(out: &BlockWriter, messages: Vec<Message>, most: usize) -> Vec<Vec<Message>> {
    let mut parts = vec![Vec::new()];
    let mut bytes = 0;
    let mut d = out.dialect.clone();
    for mut message in messages {
        let long = encoded_length(&d, &mut message);
        message.apply_to_dialect(&mut d);
        if bytes + long > most && bytes > 0 {
            parts.push(Vec::new());
            bytes = 0;
        }
        bytes += long;
        if let Some(part) = parts.last_mut() {
            part.push(message);
        }
    }
    parts
}

/// Converts QuakeWorld with extensions to plain QuakeWorld.
pub(super) fn quakeworld(recording: &Input<'_>, usage: &Usage, to: Dialect) -> Edited {
    let limits = Limits::of(&to);
    let mut converter = QuakeWorld::new(Recode::new(&recording.dialect, &to, limits), usage.levels.clone());
    let mut out = BlockWriter::new(recording.container, recording.header());
    let mut reading = DecodedBlocks::new(recording);
    let mut game = Game::default();
    let mut last = Last::default();
    let mut delay = 0;
    let (mut signed_on, mut sequence) = (!starts_with_signon(recording), 1);
    loop {
        let mut messages = Vec::new();
        let mut frame = FrameParts::default();
        let next = reading.next(|d, message, delivery| {
            delivery.apply(&mut game, d, message);
            frame.see(message, messages.len());
            // without extensions there is one seat
            if delivery.seat == 0 {
                messages.extend(converter.message(d, &game, message));
            }
        });
        let Some(next) = next else { break };
        let Some(mut unit) = block(next, &mut converter.recode) else { continue };
        if unit.dropped {
            continue;
        }
        if let Some(at) = frame.at {
            let world_view = WorldView::of(reading.dialect(), &game);
            let seen = converter.frame(reading.dialect(), &game, &world_view, &frame);
            messages.splice(at..at, seen);
        }
        last.see(&unit, &messages);
        if let Framing::Packet { time: Stamp::After(after), target } = &mut unit.block.framing {
            delay += u32::from(*after);
            if messages.is_empty() {
                continue;
            }
            // "same as before" needs the block before
            if let Some(resolved) = unit.target {
                *target = if resolved.kind <= kind::READ { crate::encode::reencode::EVERYBODY } else { resolved };
            }
            *after = wait(&mut out, &mut delay, || converter.keepalive_frame());
        }
        unit.tail = Cow::Borrowed(&[]);
        unit.hidden = None;
        if let Framing::Sequences { .. } = unit.block.framing {
            signed_on = true;
        }
        match unit.header.filter(|header| !signed_on && !header.is_connectionless()) {
            // signon packets are renumbered, and none is longer than clients accept
            Some(_) => {
                for part in portions(&out, messages, LONGEST_PACKET) {
                    let header = PacketHeader { sequence, acknowledged: sequence };
                    sequence += 1;
                    out.write_packet(&unit.block.framing, Some(header), &part);
                }
            }
            None => {
                unit.messages = messages;
                out.encode_block(&unit);
            }
        }
    }
    last.end(&mut out);
    edited(out, converter.recode, Action::ConvertedTo { what: String::from("everything"), form: String::from("plain QuakeWorld 28") })
}

/// The longest packet that every QuakeWorld client accepts, in bytes of messages.
pub(super) const LONGEST_PACKET: usize = 1400;

/// True if a recording starts as engines write it: signon packets counted from 1, then the connection's numbers.
fn starts_with_signon(recording: &Input<'_>) -> bool {
    for block in recording.blocks().map_while(Result::ok) {
        match block.framing {
            Framing::Sequences { .. } => return true,
            Framing::Command { .. } => return false,
            _ => {}
        }
    }
    false
}

/// The next block, if it is one. Notes bytes between blocks, and contents that no target has.
pub(super) fn block<'a>(next: NextDecoded<'a>, recode: &mut Recode) -> Option<Box<DecodedBlock<'a>>> {
    let NextDecoded::Block(unit) = next else {
        recode.lose(Loss::NoBlocks);
        return None;
    };
    if let Some(error) = &unit.error {
        recode.lose(Loss::UnreadableMessages { why: error.detail().to_owned() });
    }
    if unit.hidden.is_some() {
        recode.lose(Loss::HiddenMessages);
    }
    Some(unit)
}

/// Follows what the end mark needs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Last {
    ended: bool,
    time: Float,
    angles: [Float; 3],
}

impl Last {
    /// Follows a block.
    pub(super) fn see(&mut self, unit: &DecodedBlock<'_>, messages: &[Message]) {
        self.ended = messages.iter().any(|message| matches!(message, Message::Disconnect(_)));
        match unit.block.framing {
            Framing::NetQuake { angles } => self.angles = angles,
            Framing::Packet { time: Stamp::At(time), .. } | Framing::Command { time: Stamp::At(time), .. } => self.time = time,
            _ => {}
        }
    }

    /// Writes an end mark if there is none.
    pub(super) fn end(self, out: &mut BlockWriter) {
        if !self.ended {
            out.write_end(self.time, self.angles);
        }
    }
}

/// The result.
pub(super) fn edited(out: BlockWriter, recode: Recode, action: Action) -> Edited {
    Edited { extension: out.container.extension().to_owned(), bytes: out.bytes, actions: vec![action], losses: recode.losses.in_order() }
}
