//! Detects recordings of this family, and the dialect in which they begin.

use fragreel_base::wire::{Chunk, ReadBytes, Wire};
use fragreel_model::Certainty;

use crate::container::{dm2::Blocks, mvd2};
use crate::dialect::{Announced, Dialect, FrameHeader, RecordingKind};
use crate::message::{Body, MessageKind, Reader, ServerData};

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

/// The number of blocks to try behind a damaged opening.
const LEGIBLE: usize = 200;
/// The records of an MVD2 that chance does not line up, and the bytes that they are looked for in.
const MVD2_RECORDS: usize = 8;
const LOOKED_IN: usize = 1 << 18;

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
        (_, dialect) if ours => {
            let any = || Blocks::recovering(bytes, dialect).take(TRIED).any(|block| !block.data.is_empty()).then_some(dialect);
            dm2(behind_damage(bytes).or_else(any)?, Certainty::Possible)
        }
        _ if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("mvd2")) => without_magic(bytes),
        _ => None,
    }
}

/// Whether a recording that begins with `head` is opened as `head` alone is: it states itself, and `head` shows the blocks that decide about the rest.
pub(crate) fn is_settled(head: Chunk<'_>) -> bool {
    let shows_blocks = || head.is_last() || Blocks::new(&[]).over_chunk(head).take(TRIED).count() == TRIED;
    head.bytes().starts_with(mvd2::MAGIC) || announced(head.bytes()).is_some() && shows_blocks()
}

/// The dialect of a recording whose opening is damaged: that in which the blocks behind it hold most frames, and fewest errors.
#[cold]
fn behind_damage(bytes: &[u8]) -> Option<Dialect> {
    let all = Dialect::all().into_iter().filter(|dialect| !dialect.is_mvd()).chain([Dialect::headless(), Dialect::beheaded()]);
    // of equal ones the first, which is the usual one
    let best = all.map(|dialect| (legible(bytes, dialect), dialect)).reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|((frames, _), _)| *frames > 0).map(|(_, dialect)| dialect)
}

/// How many blocks with a whole frame there are among the first in a dialect, and how many blocks without an error.
fn legible(bytes: &[u8], dialect: Dialect) -> (usize, usize) {
    let mut reader = Reader::new(dialect);
    let (mut frames, mut sound) = (0, 0);
    for block in Blocks::recovering(bytes, dialect).take(LEGIBLE) {
        let (mut open, mut framed) = (false, false);
        let read = reader.block(block.data, |message, _, _| {
            match message.body {
                Body::Frame(_) => open = true,
                Body::PacketEntities(_) => framed |= std::mem::take(&mut open),
                _ => {}
            }
            true
        });
        if read.is_ok() {
            (frames, sound) = (frames + usize::from(framed), sound + 1);
        }
    }
    (frames, sound)
}

/// The dialect of a multi-view recording whose first bytes are damaged.
#[cold]
fn without_magic(bytes: &[u8]) -> Option<Identified> {
    let dialect = Dialect::of(37, RecordingKind::NETWORK, Announced { minor: 2010, ..Announced::default() })?;
    let head = &bytes[..bytes.len().min(LOOKED_IN)];
    let is_one = mvd2::Records::readable(head, dialect).len() >= MVD2_RECORDS;
    is_one.then_some(Identified { framing: Framing::Mvd2, dialect, certainty: Certainty::Possible })
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
        Some(Ok(next)) if MessageKind::of(dialect.numbering, next as u8).is_some() => Certainty::Certain,
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
            let op = message.body.kind();
            match (&message.body, last) {
                (Body::PacketEntities(_), Some(MessageKind::Frame)) => frames += usize::from(dialect.kind == RecordingKind::SERVER),
                (Body::PacketEntities(_), Some(MessageKind::PlayerInfo)) => frames += usize::from(dialect.kind != RecordingKind::SERVER),
                (Body::PlayerInfo(_), Some(MessageKind::Frame)) => clean &= dialect.kind != RecordingKind::SERVER,
                (_, Some(MessageKind::Frame)) => clean = false,
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
