//! Detects recordings of this family, and the dialect in which they begin.

use fragreel_base::wire::{ReadBytes, Wire};
use fragreel_model::Certainty;

use crate::container::{dm2::Blocks, mvd2};
use crate::dialect::{Announced, Dialect, FrameHeader, RecordingKind};
use crate::message::{Body, Op, Reader, ServerData};

/// The container of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Blocks: `.dm2` and `.rla`.
    Dm2,
    /// Records: `.mvd2`.
    Mvd2,
}

/// Container and first dialect of a recording, and the certainty of both.
#[derive(Debug, Clone, Copy)]
pub struct Identified {
    /// The framing.
    pub framing: Framing,
    /// The dialect in force before the first message.
    pub dialect: Dialect,
    /// How sure.
    pub certainty: Certainty,
}

/// How certain it is that these bytes are a recording of this family. Reads only the first blocks.
pub fn detect(bytes: &[u8], extension: Option<&str>) -> Certainty {
    identify(bytes, extension).map_or(Certainty::No, |found| found.certainty)
}

/// The number of blocks to try when the start does not identify the recording.
const TRIED: usize = 40;

/// Detects container and dialect. `None` if the bytes are not of this family.
pub fn identify(bytes: &[u8], extension: Option<&str>) -> Option<Identified> {
    if bytes.starts_with(mvd2::MAGIC) {
        let dialect = Dialect::of(37, RecordingKind::NETWORK, Announced { minor: 2010, ..Announced::default() })?;
        return Some(Identified { framing: Framing::Mvd2, dialect, certainty: Certainty::Certain });
    }
    let ours = extension.is_some_and(|extension| ["dm2", "rla"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
    let dm2 = |dialect, certainty| Some(Identified { framing: Framing::Dm2, dialect, certainty });
    if let Some((dialect, certainty)) = announced(bytes) {
        let [first, second] = dialect.variants();
        let better = !std::ptr::eq(first.entity, second.entity) && evidence(bytes, second) > evidence(bytes, first);
        return dm2(if better { second } else { first }, certainty);
    }
    let best = [Dialect::headless(), Dialect::beheaded(), Dialect { frame: FrameHeader::NoSuppress, ..Dialect::beheaded() }]
        .into_iter()
        .map(|dialect| (evidence(bytes, dialect), dialect))
        .max_by_key(|&(evidence, _)| evidence)?;
    match best {
        ((clean, frames), dialect) if clean && frames > 0 => dm2(dialect, if ours { Certainty::Likely } else { Certainty::Possible }),
        // A file extension is not enough: some block must make sense.
        (_, dialect) if ours && Blocks::recovering(bytes, dialect).take(TRIED).any(|block| !block.data.is_empty()) => dm2(dialect, Certainty::Possible),
        _ => None,
    }
}

/// The dialect that a `serverdata` at the very start announces. Also works on a truncated first block.
fn announced(bytes: &[u8]) -> Option<(Dialect, Certainty)> {
    let length = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
    let rest = &bytes[4..];
    let data = &rest[..length.min(rest.len())];
    let (&number, body) = data.split_first()?;
    let protocol = u32::from_le_bytes(*body.first_chunk()?);
    if number == 7 && protocol == 25 {
        return Some((Dialect::test_release(), Certainty::Certain));
    }
    if number != 12 {
        return None;
    }
    let mut server_data = ServerData::default();
    let mut r = ReadBytes::new(body);
    server_data.code(&mut r).ok()?;
    let dialect = Dialect::of(protocol, RecordingKind(server_data.kind), Announced::default())?;
    let printable = |text: &[u8]| text.iter().all(|&byte| byte & 0x7f >= 0x20 || byte == b'\n');
    let sane = printable(&server_data.gamedir.0) && length <= 1 << 20 && server_data.gamedir.0.len() < 64;
    let certainty = match r.more(false).then(|| r.bits(0, 8)) {
        _ if !sane => return None,
        Some(Ok(next)) if Op::of(dialect.numbering, next as u8).is_some() => Certainty::Certain,
        None => Certainty::Certain,
        _ => Certainty::Likely,
    };
    Some((dialect, certainty))
}

/// Whether the first blocks make sense in a dialect, and how many frames with entities they hold.
fn evidence(bytes: &[u8], dialect: Dialect) -> (bool, usize) {
    let mut reader = Reader::new(dialect);
    let (mut frames, mut clean) = (0, true);
    for block in Blocks::new(bytes).take(TRIED) {
        let mut last = None;
        let read = reader.block(block.data, |message, _, _| {
            let op = message.body.op();
            match (&message.body, last) {
                (Body::PacketEntities(_), Some(Op::Frame)) => frames += usize::from(dialect.kind == RecordingKind::SERVER),
                (Body::PacketEntities(_), Some(Op::PlayerInfo)) => frames += usize::from(dialect.kind != RecordingKind::SERVER),
                (Body::PlayerInfo(_), Some(Op::Frame)) => clean &= dialect.kind != RecordingKind::SERVER,
                (_, Some(Op::Frame)) => clean = false,
                _ => {}
            }
            last = Some(op);
            true
        });
        if read.is_err() {
            return (false, frames);
        }
    }
    (clean, frames)
}
