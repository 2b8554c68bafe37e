//! Verifies a recording: decodes everything, encodes it, and compares.

use std::borrow::Cow;

use fragreel_base::wire::{Chunk, ReadBytes, Trace, WriteBytes};
use fragreel_model::replay::{Chunks, Fed, Share, Whole, causes, feed_all, show_range};
use fragreel_model::{Damage, DamageKind, Extent, Family, RoundTrip, Verification};

use crate::container::{Block, Container, Framing, write_block};
use crate::encode::canonical;
use crate::message::hot_path::FastWriter;
use crate::message::{Body, Message, MessageKind, Packet, PacketHeader, code, code_packet, is_frame};
use crate::walk::blocks::NextBlock;
use crate::walk::clock::Clock;
use crate::walk::decoder::{Decoder, Item};
use crate::walk::findings::Remark;
use crate::walk::input::Input;
use crate::walk::playable;
use crate::walk::playback::{MessageContext, Playback};

/// Whether a recording in memory is whole, and encodes to the same bytes. Encodes only the messages of `share` again.
pub(crate) fn verify(input: &Input<'_>, share: Share) -> Verification {
    let Ok(report) = verify_chunks(input, share, &mut Whole(input.bytes));
    report
}

/// Whether the recording that `chunks` give is whole, and encodes to the same bytes. `input` says how it is read.
pub(crate) fn verify_chunks<C: Chunks>(input: &Input<'_>, share: Share, chunks: &mut C) -> Result<Verification, C::Error> {
    Ok(verify_and(input, share, chunks, ())?.0)
}

/// Verifies the recording that `chunks` give, and shows `listener` what the walk reads.
pub(super) fn verify_and<C: Chunks, L: Listener>(input: &Input<'_>, share: Share, chunks: &mut C, listener: L) -> Result<(Verification, L), C::Error> {
    let mut report = Verification::new(Family::Quake1, input.dialect.name(), 0);
    report.round_trip = RoundTrip::Identical;
    let playback = Playback::new(input, true).with_dropped().over(Chunk::none());
    let check = Check { container: input.container, ..Check::default() };
    let walk = VerifyWalk { playback, check, share, stopped: false, report, length: 0, listener };
    let VerifyWalk { playback, check, mut report, length, listener, .. } = feed_all(walk, chunks)?;
    report.bytes = length as u64;
    if let Some(difference) = check.difference {
        report.first_difference = Some(difference.finish(&decoder_before(input, difference.number, chunks)?));
    }
    (report.damage, report.damage_omitted) = (playback.findings.kept, playback.findings.omitted);
    report.notes.extend([check.missing, check.empty, check.long].into_iter().filter_map(Remark::into_note));
    causes::name_zeros(chunks, length, &mut report.damage)?;
    if input.container == Container::NetQuake {
        for damage in &mut report.damage {
            name_second_recording(chunks, damage)?;
        }
    }
    if !report.damage.is_empty() {
        report.damage.extend(causes::text_mode_in(chunks)?);
    }
    if !check.ended && report.damage.is_empty() {
        let error = fragreel_base::wire::Error::malformed("the recording ends without svc_disconnect").at_offset(length as u64);
        report.notes.push(Damage::of(&error, DamageKind::NoEndMarker));
    }
    Ok((report, listener))
}

/// What learns from the same walk.
pub(super) trait Listener {
    /// A block begins.
    fn block(&mut self, block: &Block<'_>, clock: &Clock);

    /// The header of a packet that clients accept, or drop.
    fn header(&mut self, header: PacketHeader, dropped: bool);

    /// A message that is not applied yet. Those of dropped packets are not shown.
    fn message(&mut self, message: &Message);

    /// The message is applied.
    fn applied(&mut self, message: &Message, context: &MessageContext<'_>);

    /// The block ends. Unless it is `sound`, a part of it was not read.
    fn block_end(&mut self, sound: bool);

    /// Bytes are skipped.
    fn skipped(&mut self);
}

impl Listener for () {
    fn block(&mut self, _: &Block<'_>, _: &Clock) {}
    fn header(&mut self, _: PacketHeader, _: bool) {}
    fn message(&mut self, _: &Message) {}
    fn applied(&mut self, _: &Message, _: &MessageContext<'_>) {}
    fn block_end(&mut self, _: bool) {}
    fn skipped(&mut self) {}
}

/// The walk that verifies.
struct VerifyWalk<L> {
    playback: Playback<'static>,
    check: Check,
    /// The blocks that the walk encodes again, and whether the walk stopped after them.
    share: Share,
    stopped: bool,
    report: Verification,
    /// Bytes that were walked over.
    length: usize,
    listener: L,
}

impl<L: Listener> Fed for VerifyWalk<L> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let VerifyWalk { playback, mut check, mut share, mut stopped, mut report, mut listener, .. } = self;
        let mut playback = playback.over(chunk);
        while let Some(step) = playback.next_block() {
            let NextBlock::Block(block) = step else {
                listener.skipped();
                continue;
            };
            stopped = share.stops_at(block.offset);
            if stopped {
                break;
            }
            check.encodes = share.encodes(block.offset);
            listener.block(&block, &playback.clock);
            check.block(&mut playback, &block, &mut report, &mut listener);
        }
        VerifyWalk { playback: playback.over(Chunk::none()), check, share, stopped, report, length: chunk.end(), listener }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.stopped
    }
}

/// Bytes of the longest line that [`name_second_recording`] looks for.
const LONGEST_LINE: u64 = 5;

/// Names the line that a NetQuake recording begins with, where another one lies before it in the file.
fn name_second_recording<C: Chunks>(chunks: &mut C, damage: &mut Damage) -> Result<(), C::Error> {
    let Some(Extent { from, to }) = damage.skipped.filter(|skipped| skipped.to.saturating_sub(skipped.from) <= LONGEST_LINE) else { return Ok(()) };
    let mut line = Vec::new();
    show_range(chunks, from as usize..to as usize, |_, bytes| {
        line.extend_from_slice(bytes);
        true
    })?;
    let Some(number) = line.strip_suffix(b"\n") else { return Ok(()) };
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    if (1..=3).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        damage.detail = String::from("a second recording begins here, with the number of its music track; `split --by gamestate` separates them");
    }
    Ok(())
}

/// The first block that does not encode to the same bytes.
struct Difference {
    number: u32,
    /// The offset of the first byte that differs, and its place in the block's data, in bits.
    offset: u64,
    bit: u64,
    data: Vec<u8>,
}

impl Difference {
    /// Names the field that differs. `decoder` is that before the block.
    fn finish(&self, decoder: &Decoder) -> Damage {
        let error = fragreel_base::wire::Error::malformed("encoding it again gives a different byte").at_offset(self.offset).at_bit(self.bit);
        let error = name_field(error, &self.data, decoder, self.bit);
        Damage::of(&error.inside("block", Some(self.number)), DamageKind::RoundTrip)
    }
}

struct Check {
    container: Container,
    /// True if the current block is encoded again.
    encodes: bool,
    /// Where encoding gives other bytes first.
    difference: Option<Difference>,
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
            container: Container::NetQuake,
            encodes: true,
            difference: None,
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
    fn block(&mut self, playback: &mut Playback<'_>, block: &Block<'_>, report: &mut Verification, listener: &mut impl Listener) {
        report.messages += 1;
        self.remarks(block);
        let result = self.encode(playback, block, report, listener);
        listener.block_end(result.is_ok());
        let dialect = playback.dialect();
        if dialect.known && !dialect.supported() && !self.noted {
            self.noted = true;
            let error = fragreel_base::wire::Error::unsupported(format!("messages of {} are kept unchanged", dialect.name())).at_offset(block.offset);
            report.notes.push(Damage::of(&error, DamageKind::Unsupported));
        }
        if result.is_ok() && self.encodes {
            self.compare(playback.chunk(), block, report);
        }
    }

    /// Remarks on what engines do not accept in a block as a whole.
    fn remarks(&mut self, block: &Block<'_>) {
        let remark = |what| {
            let error = fragreel_base::wire::Error::malformed(what).at_offset(block.offset).inside("block", Some(block.number));
            Damage::of(&error, DamageKind::Compatibility)
        };
        if matches!(block.framing, Framing::NetQuake { .. }) && block.data.is_empty() {
            self.empty.count(|| remark("an empty block, at which id's engine and its descendants stop"));
        }
        if block.data.len() > playable::LONGEST_BLOCK && self.container != Container::QuakeWorld {
            self.long.count(|| remark("a block longer than engines read"));
        }
    }

    /// Applies a block's data, and encodes it again if it is in the walk's share.
    fn encode(
        &mut self,
        playback: &mut Playback<'_>,
        block: &Block<'_>,
        report: &mut Verification,
        listener: &mut impl Listener,
    ) -> Result<(), fragreel_base::wire::Error> {
        self.buffer.clear();
        let mut writer = WriteBytes::with_buffer(std::mem::take(&mut self.buffer));
        let mut opaque = None;
        let encodes = self.encodes;
        let (ended, scratch, fast, remark) = (&mut self.ended, &mut self.scratch, &mut self.fast, &mut self.missing);
        let result = playback.play(block, |context, item| match item {
            Item::Header(mut header) => {
                listener.header(header, context.delivery.dropped);
                if encodes {
                    let Ok(()) = header.code(&mut writer);
                }
            }
            Item::Message(message) => {
                opaque = opaque.or_else(|| message.is_opaque().then(|| message.name()));
                if encodes && fast.write(&mut writer, context.dialect, message).is_none() {
                    scratch.clone_from(message);
                    let Ok(()) = code(&mut writer, context.dialect, scratch);
                }
                if message.changes_dialect() {
                    fast.clear();
                }
                if context.delivery.dropped {
                    return;
                }
                listener.message(message);
                report.snapshots += u64::from(is_frame(message));
                *ended = matches!(message, Message::Disconnect(_));
                let check = if encodes { canonical::expect(context.dialect, context.game, message) } else { None };
                context.apply(message);
                listener.applied(message, context);
                if let Some(base) = context.game.take_missing() {
                    // not damage: clients skip such packets, and servers send them until the client complains
                    remark.count(|| missing(base.from, context));
                } else if let Some(check) = check {
                    let same = check.agrees(context.dialect, context.game, message);
                    report.count_canonical(block.number, block.offset, same);
                }
            }
            Item::Hidden(blocks) => {
                if encodes {
                    let Ok(()) = blocks.clone().code(&mut writer, context.dialect);
                }
            }
            Item::Opaque(bytes) => {
                opaque = opaque.or(Some("those of a protocol that is not known"));
                for &byte in bytes.iter().filter(|_| encodes) {
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

    fn compare(&mut self, chunk: Chunk<'_>, block: &Block<'_>, report: &mut Verification) {
        let data = if matches!(block.framing, Framing::NetQuake { .. } | Framing::Packet { .. }) { &self.buffer[..] } else { block.data };
        self.framing.clear();
        write_block(&mut self.framing, self.container, &block.framing, data);
        let original = chunk.get(block.offset as usize..block.end() as usize).unwrap_or_default();
        if self.framing == original {
            return;
        }
        report.round_trip = RoundTrip::Differs;
        if self.difference.is_some() {
            return;
        }
        let at = self.framing.iter().zip(original).position(|(a, b)| a != b).unwrap_or(original.len().min(self.framing.len()));
        let offset = block.offset + at as u64;
        let bit = offset.saturating_sub(block.data_offset) * 8;
        self.difference = Some(Difference { number: block.number, offset, bit, data: block.data.to_vec() });
    }
}

/// Damage from a missing delta base.
fn missing(from: u8, context: &MessageContext<'_>) -> Damage {
    let error = fragreel_base::wire::Error::malformed(format!("the delta base of the entities is packet {from}, which the recording does not have"));
    let error = error.at_bit(context.at as u64 * 8).in_message_at(context.block.data_offset).inside("block", Some(context.block.number));
    Damage::of(&error, DamageKind::MissingBase)
}

/// The decoder before a block.
fn decoder_before<C: Chunks>(recording: &Input<'_>, number: u32, chunks: &mut C) -> Result<Decoder, C::Error> {
    let playback = Playback::new(recording, false).over(Chunk::none());
    Ok(feed_all(DecoderWalk { playback, number, is_there: false }, chunks)?.playback.decoder().clone())
}

/// A walk up to a block.
struct DecoderWalk {
    playback: Playback<'static>,
    number: u32,
    is_there: bool,
}

impl Fed for DecoderWalk {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let DecoderWalk { playback, number, .. } = self;
        let mut playback = playback.over(chunk);
        let is_there = loop {
            if playback.peek().is_some_and(|block| block.number >= number) {
                break true;
            }
            if playback.next().is_none() {
                break false;
            }
        };
        DecoderWalk { playback: playback.over(Chunk::none()), number, is_there }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.is_there
    }
}

/// Adds the path of the field that owns a bit of a block's data.
fn name_field(error: fragreel_base::wire::Error, data: &[u8], decoder: &Decoder, bit: u64) -> fragreel_base::wire::Error {
    let mut trace = Trace::new(ReadBytes::new(data));
    let _ = code_packet(&mut trace, &mut Cow::Borrowed(&decoder.dialect), &mut Packet::default(), decoder.has_header());
    match trace.spans().iter().find(|span| span.to > bit) {
        Some(span) => span.path.iter().rev().fold(error.inside(span.field, None), |error, crumb| error.inside(crumb.name, crumb.index)),
        None => error,
    }
}
