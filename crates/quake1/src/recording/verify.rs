//! Whether a recording is whole: decode everything, encode everything, compare.

use model::{Damage, DamageKind, Family, RoundTrip, Verification};
use wire::{ReadBytes, Trace, WriteBytes};

use super::findings::{Findings, Remark};
use super::{Recording, canonical, playable};
use crate::container::{Block, Container, Framing, write_block};
use crate::dialect::Dialect;
use crate::events::target_of;
use crate::message::{Body, Message, MessageKind, Packet, code, code_packet};
use crate::state::Game;
use crate::walk::{Addressee, Decoder, Item, Step};

impl Recording<'_> {
    /// Whether the recording is whole, and comes out the same when it is encoded again.
    pub fn verify(&self) -> Verification {
        let mut report = Verification::new(Family::Quake1, self.dialect.name(), self.bytes.len() as u64);
        report.round_trip = RoundTrip::Identical;
        let mut check = Check::new(self);
        for step in self.walk() {
            match step {
                Step::Block(block) => check.block(self, &block, &mut report),
                Step::Broken(error, (from, to)) => {
                    check.findings.add(broken(&error, from, to, self.bytes.len()), &self.limits);
                }
            }
        }
        (report.damage, report.damage_omitted) = (std::mem::take(&mut check.findings.kept), check.findings.omitted);
        report.notes.extend([check.missing, check.empty, check.long].into_iter().filter_map(Remark::into_note));
        if !check.ended && report.damage.is_empty() {
            let error = wire::Error::malformed("the recording ends without svc_disconnect").at_offset(self.bytes.len() as u64);
            report.notes.push(Damage::of(&error, DamageKind::NoEndMarker));
        }
        report
    }
}

/// Damage from framing that makes no sense, or from a file that ends early.
pub(crate) fn broken(error: &wire::Error, from: u64, to: u64, length: usize) -> Damage {
    let kind = if to == length as u64 && error.fault() == wire::Fault::Malformed { DamageKind::Truncated } else { DamageKind::Framing };
    Damage::of(error, kind).skipping(from, to)
}

/// Damage from a message that cannot be read: the rest of its block is passed over.
pub(crate) fn unreadable(error: &wire::Error, block: &Block<'_>) -> Damage {
    let from = error.offset().unwrap_or(block.data_offset);
    Damage::of(error, DamageKind::Message).skipping(from, block.end())
}

/// Damage from a message of no known number: the rest of its block is passed over.
pub(super) fn unknown(number: u8, at: usize, block: &Block<'_>) -> Damage {
    let error = wire::Error::malformed(format!("no message has the number {number}")).at_bit(at as u64 * 8).in_message_at(block.data_offset);
    Damage::of(&error.inside("block", Some(block.number)), DamageKind::Message).skipping(block.data_offset + at as u64, block.end())
}

struct Check {
    decoder: Decoder,
    /// What is broken.
    findings: Findings,
    /// Entities that start from a packet that is not there.
    missing: Remark,
    /// Blocks without a byte.
    empty: Remark,
    /// Blocks that are too long.
    long: Remark,
    game: Game,
    addressee: Addressee,
    /// The message as it is encoded again.
    scratch: Message,
    buffer: Vec<u8>,
    framing: Vec<u8>,
    /// Whether the last message was the end of the connection.
    ended: bool,
    /// Whether it was noted that the dialect is only recognised.
    noted: bool,
}

impl Check {
    fn new(recording: &Recording<'_>) -> Self {
        Check {
            decoder: Decoder::new(recording.container),
            findings: Findings::default(),
            missing: Remark::default(),
            empty: Remark::default(),
            long: Remark::default(),
            game: Game::default(),
            addressee: Addressee::default(),
            scratch: MessageKind::Nop.blank(),
            buffer: Vec::new(),
            framing: Vec::new(),
            ended: false,
            noted: false,
        }
    }

    fn block(&mut self, recording: &Recording<'_>, block: &Block<'_>, report: &mut Verification) {
        report.messages += 1;
        self.buffer.clear();
        let mut writer = WriteBytes::with_buffer(std::mem::take(&mut self.buffer));
        let mut opaque = false;
        let mut unsupported = None;
        let mut snapshots = 0;
        let ended = &mut self.ended;
        let game = &mut self.game;
        let scratch = &mut self.scratch;
        let target = target_of(&block.framing).map_or_else(Default::default, |target| self.addressee.resolve(target));
        let mut sequence = 0;
        let mut missing = Vec::new();
        let mut stop = None;
        let (mut attempted, mut identical) = (0, 0);
        let result = self.decoder.decode(block, |d, item, at| match item {
            Item::Header(mut header) => {
                sequence = header.sequence & 0x7fff_ffff;
                let Ok(()) = header.code(&mut writer);
            }
            Item::Message(message) => {
                opaque |= message.is_opaque();
                snapshots += u64::from(is_frame(message));
                *ended = matches!(message, Message::Disconnect(_));
                if let Message::Unknown(unknown) = message {
                    unsupported = Some((at, unknown.number));
                }
                if stop.is_none() {
                    stop = playable::stop_at_message(d, message, game.level.max_clients).map(|why| (at, why));
                }
                scratch.clone_from(message);
                let Ok(()) = code(&mut writer, d, scratch);
                let attempt = canonical::before(d, game, message);
                game.apply(d, message, target, sequence);
                if let Some(base) = game.take_missing() {
                    missing.push((at, base.from));
                } else if let Some(attempt) = attempt {
                    attempted += 1;
                    identical += u64::from(attempt.judge(d, game, message));
                }
            }
            Item::Hidden(blocks) => {
                let Ok(()) = blocks.clone().code(&mut writer, d);
            }
            Item::Opaque(bytes) => {
                opaque = true;
                for &byte in bytes {
                    let Ok(_) = wire::Wire::bits(&mut writer, u32::from(byte), 8);
                }
            }
        });
        report.snapshots += snapshots;
        report.canonical_attempted += attempted;
        report.canonical_identical += identical;
        let here = |error: wire::Error| error.inside("block", Some(block.number));
        for (at, from) in missing {
            self.missing.count(|| {
                let error = wire::Error::malformed(format!("entities start from packet {from}, which the recording does not have"));
                // clients skip such a packet, and servers send them until the client says so: no damage
                Damage::of(&here(error.at_bit(at as u64 * 8).in_message_at(block.data_offset)), DamageKind::MissingBase)
            });
        }
        if matches!(block.framing, Framing::NetQuake { .. }) && block.data.is_empty() {
            let error = || here(wire::Error::malformed("a block without a byte, at which id's engine and its descendants stop").at_offset(block.offset));
            self.empty.count(|| Damage::of(&error(), DamageKind::Compatibility));
        }
        if block.data.len() > playable::LONGEST_BLOCK && recording.container != Container::QuakeWorld {
            let error = || here(wire::Error::malformed("a block longer than engines read").at_offset(block.offset));
            self.long.count(|| Damage::of(&error(), DamageKind::Compatibility));
        }
        report.opaque += u64::from(opaque);
        if let Some(why) = playable::stop_at_framing(&block.framing) {
            let error = here(wire::Error::malformed(why).at_offset(block.offset));
            self.findings.add(Damage::of(&error, DamageKind::Framing), &recording.limits);
        }
        if let Some((at, why)) = stop {
            let error = here(wire::Error::malformed(why).at_bit(at as u64 * 8).in_message_at(block.data_offset));
            self.findings.add(Damage::of(&error, DamageKind::Message), &recording.limits);
        }
        if let Some((at, number)) = unsupported {
            self.findings.add(unknown(number, at, block), &recording.limits);
        }
        if let Err(error) = &result {
            self.findings.add(unreadable(error, block), &recording.limits);
        }
        if self.decoder.dialect.known && !self.decoder.dialect.supported() && !self.noted {
            self.noted = true;
            let error = wire::Error::unsupported(format!("messages of {} are kept as they are", self.decoder.dialect.name())).at_offset(block.offset);
            report.notes.push(Damage::of(&error, DamageKind::Unsupported));
        }
        self.buffer = writer.finish();
        if result.is_ok() {
            self.compare(recording, block, report);
        }
    }

    fn compare(&mut self, recording: &Recording<'_>, block: &Block<'_>, report: &mut Verification) {
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
        let error = wire::Error::malformed("encoding gives another byte").at_offset(offset).at_bit(in_data * 8);
        let error = name_field(error, block, dialect_before(recording, block.number), in_data * 8, self.decoder.has_header());
        report.first_difference = Some(Damage::of(&error.inside("block", Some(block.number)), DamageKind::RoundTrip));
    }
}

/// The rules in force where a block begins.
fn dialect_before(recording: &Recording<'_>, number: u32) -> Dialect {
    let mut decoder = Decoder::new(recording.container);
    for step in recording.walk() {
        match step {
            Step::Block(block) if block.number < number => drop(decoder.decode(&block, |_, _, _| {})),
            Step::Block(_) => break,
            Step::Broken(..) => {}
        }
    }
    decoder.dialect
}

/// Adds the path of the field that owns a bit.
fn name_field(error: wire::Error, block: &Block<'_>, mut dialect: Dialect, bit: u64, header: bool) -> wire::Error {
    let mut trace = Trace::new(ReadBytes::new(block.data));
    let _ = code_packet(&mut trace, &mut dialect, &mut Packet::default(), header);
    match trace.spans().iter().find(|span| span.to > bit) {
        Some(span) => span.path.iter().rev().fold(error.inside(span.field, None), |error, crumb| error.inside(crumb.name, crumb.index)),
        None => error,
    }
}

/// Whether a message brings a new view of the world.
pub(crate) fn is_frame(message: &Message) -> bool {
    matches!(message, Message::NqTime(_) | Message::PacketEntities(_) | Message::DeltaPacketEntities(_) | Message::UpdateEntities(_))
}
