//! Verifies a recording: decodes everything, encodes it, and compares.

use std::borrow::Cow;

use fragreel_base::wire::{ReadBytes, Trace, WriteBytes};
use fragreel_model::replay::causes;
use fragreel_model::{Damage, DamageKind, Extent, Family, RoundTrip, Verification};

use crate::container::{Block, Container, Framing, write_block};
use crate::encode::canonical;
use crate::message::hot_path::FastWriter;
use crate::message::{Body, Message, MessageKind, Packet, code, code_packet, is_frame};
use crate::walk::blocks::NextBlock;
use crate::walk::decoder::{Decoder, Item};
use crate::walk::findings::Remark;
use crate::walk::input::Input;
use crate::walk::playable;
use crate::walk::playback::{MessageContext, Playback};

/// Whether the recording is whole, and encodes to the same bytes.
pub(crate) fn verify(input: &Input<'_>) -> Verification {
    let mut report = Verification::new(Family::Quake1, input.dialect.name(), input.bytes.len() as u64);
    report.round_trip = RoundTrip::Identical;
    let mut playback = Playback::new(input, true).with_dropped();
    let mut check = Check::default();
    while let Some(step) = playback.next_block() {
        if let NextBlock::Block(block) = step {
            check.block(input, &mut playback, &block, &mut report);
        }
    }
    (report.damage, report.damage_omitted) = (playback.findings.kept, playback.findings.omitted);
    report.notes.extend([check.missing, check.empty, check.long].into_iter().filter_map(Remark::into_note));
    causes::name_zeros(input.bytes, &mut report.damage);
    if input.container == Container::NetQuake {
        report.damage.iter_mut().for_each(|damage| name_second_recording(input.bytes, damage));
    }
    if !report.damage.is_empty() {
        report.damage.extend(causes::text_mode(input.bytes));
    }
    if !check.ended && report.damage.is_empty() {
        let error = fragreel_base::wire::Error::malformed("the recording ends without svc_disconnect").at_offset(input.bytes.len() as u64);
        report.notes.push(Damage::of(&error, DamageKind::NoEndMarker));
    }
    report
}

/// Names the line that a NetQuake recording begins with, where another one lies before it in the file.
fn name_second_recording(bytes: &[u8], damage: &mut Damage) {
    let Some(Extent { from, to }) = damage.skipped else { return };
    let Some([number @ .., b'\n']) = bytes.get(from as usize..to as usize) else { return };
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    if (1..=3).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        damage.detail = String::from("a second recording begins here, with the number of its music track; `split --by gamestate` separates them");
    }
}

struct Check {
    /// Frames whose delta base is missing.
    missing: Remark,
    /// Empty blocks.
    empty: Remark,
    /// Blocks that are too long.
    long: Remark,
    /// The message being re-encoded.
    scratch: Message,
    fast: FastWriter,
    buffer: Vec<u8>,
    framing: Vec<u8>,
    /// True if the last message was `svc_disconnect`.
    ended: bool,
    /// True once an unsupported dialect was noted.
    noted: bool,
}

impl Default for Check {
    fn default() -> Self {
        Check {
            missing: Remark::default(),
            empty: Remark::default(),
            long: Remark::default(),
            scratch: MessageKind::Nop.empty(),
            fast: FastWriter::new(),
            buffer: Vec::new(),
            framing: Vec::new(),
            ended: false,
            noted: false,
        }
    }
}

impl Check {
    fn block(&mut self, recording: &Input<'_>, playback: &mut Playback<'_>, block: &Block<'_>, report: &mut Verification) {
        report.messages += 1;
        self.remarks(recording, block);
        let result = self.encode(playback, block, report);
        let dialect = playback.dialect();
        if dialect.known && !dialect.supported() && !self.noted {
            self.noted = true;
            let error = fragreel_base::wire::Error::unsupported(format!("messages of {} are kept unchanged", dialect.name())).at_offset(block.offset);
            report.notes.push(Damage::of(&error, DamageKind::Unsupported));
        }
        if result.is_ok() {
            self.compare(recording, block, report);
        }
    }

    /// Remarks on what engines do not accept in a block as a whole.
    fn remarks(&mut self, recording: &Input<'_>, block: &Block<'_>) {
        let remark = |what| {
            let error = fragreel_base::wire::Error::malformed(what).at_offset(block.offset).inside("block", Some(block.number));
            Damage::of(&error, DamageKind::Compatibility)
        };
        if matches!(block.framing, Framing::NetQuake { .. }) && block.data.is_empty() {
            self.empty.count(|| remark("an empty block, at which id's engine and its descendants stop"));
        }
        if block.data.len() > playable::LONGEST_BLOCK && recording.container != Container::QuakeWorld {
            self.long.count(|| remark("a block longer than engines read"));
        }
    }

    /// Applies a block's data and re-encodes it.
    fn encode(&mut self, playback: &mut Playback<'_>, block: &Block<'_>, report: &mut Verification) -> Result<(), fragreel_base::wire::Error> {
        self.buffer.clear();
        let mut writer = WriteBytes::with_buffer(std::mem::take(&mut self.buffer));
        let mut opaque = None;
        let (ended, scratch, fast, remark) = (&mut self.ended, &mut self.scratch, &mut self.fast, &mut self.missing);
        let result = playback.play(block, |context, item| match item {
            Item::Header(mut header) => {
                let Ok(()) = header.code(&mut writer);
            }
            Item::Message(message) => {
                opaque = opaque.or_else(|| message.is_opaque().then(|| message.name()));
                if fast.write(&mut writer, context.dialect, message).is_none() {
                    scratch.clone_from(message);
                    let Ok(()) = code(&mut writer, context.dialect, scratch);
                }
                if message.changes_dialect() {
                    fast.clear();
                }
                if context.delivery.dropped {
                    return;
                }
                report.snapshots += u64::from(is_frame(message));
                *ended = matches!(message, Message::Disconnect(_));
                let check = canonical::expect(context.dialect, context.game, message);
                context.apply(message);
                if let Some(base) = context.game.take_missing() {
                    // not damage: clients skip such packets, and servers send them until the client complains
                    remark.count(|| missing(base.from, context));
                } else if let Some(check) = check {
                    let same = check.agrees(context.dialect, context.game, message);
                    report.count_canonical(block.number, block.offset, same);
                }
            }
            Item::Hidden(blocks) => {
                let Ok(()) = blocks.clone().code(&mut writer, context.dialect);
            }
            Item::Opaque(bytes) => {
                opaque = opaque.or(Some("those of a protocol that is not known"));
                for &byte in bytes {
                    let Ok(_) = fragreel_base::wire::Wire::bits(&mut writer, u32::from(byte), 8);
                }
            }
        });
        if let Some(what) = opaque {
            report.count_opaque(what);
        }
        self.buffer = writer.finish();
        result
    }

    fn compare(&mut self, recording: &Input<'_>, block: &Block<'_>, report: &mut Verification) {
        let data = if matches!(block.framing, Framing::NetQuake { .. } | Framing::Packet { .. }) { &self.buffer[..] } else { block.data };
        self.framing.clear();
        write_block(&mut self.framing, recording.container, &block.framing, data);
        let original = &recording.bytes[block.offset as usize..block.end() as usize];
        if self.framing == original {
            return;
        }
        report.round_trip = RoundTrip::Differs;
        if report.first_difference.is_some() {
            return;
        }
        let at = self.framing.iter().zip(original).position(|(a, b)| a != b).unwrap_or(original.len().min(self.framing.len()));
        let offset = block.offset + at as u64;
        let in_data = offset.saturating_sub(block.data_offset);
        let error = fragreel_base::wire::Error::malformed("encoding it again gives a different byte").at_offset(offset).at_bit(in_data * 8);
        let error = name_field(error, block, &decoder_before(recording, block.number), in_data * 8);
        report.first_difference = Some(Damage::of(&error.inside("block", Some(block.number)), DamageKind::RoundTrip));
    }
}

/// Damage from a missing delta base.
fn missing(from: u8, context: &MessageContext<'_>) -> Damage {
    let error = fragreel_base::wire::Error::malformed(format!("the delta base of the entities is packet {from}, which the recording does not have"));
    let error = error.at_bit(context.at as u64 * 8).in_message_at(context.block.data_offset).inside("block", Some(context.block.number));
    Damage::of(&error, DamageKind::MissingBase)
}

/// The decoder before a block.
fn decoder_before(recording: &Input<'_>, number: u32) -> Decoder {
    let mut playback = Playback::new(recording, false);
    while playback.peek().is_none_or(|block| block.number < number) && playback.next().is_some() {}
    playback.decoder().clone()
}

/// Adds the path of the field that owns a bit.
fn name_field(error: fragreel_base::wire::Error, block: &Block<'_>, decoder: &Decoder, bit: u64) -> fragreel_base::wire::Error {
    let mut trace = Trace::new(ReadBytes::new(block.data));
    let _ = code_packet(&mut trace, &mut Cow::Borrowed(&decoder.dialect), &mut Packet::default(), decoder.has_header());
    match trace.spans().iter().find(|span| span.to > bit) {
        Some(span) => span.path.iter().rev().fold(error.inside(span.field, None), |error, crumb| error.inside(crumb.name, crumb.index)),
        None => error,
    }
}
