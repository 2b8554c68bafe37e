//! The packed file: a head, then blocks (`docs/formats/pack.md`, "The file").

use sha2::{Digest, Sha256};

use crate::Error;
use crate::coding::{PackCoding, UnpackCoding};
use crate::fields::Memory;
use crate::preset::Preset;
use crate::stream::{Stream, slots};

/// The first bytes of a packed file.
pub(crate) const MAGIC: [u8; 4] = *b"FrgP";
/// The model that this code packs with. A reader keeps every version that it ever had.
pub const VERSION: u8 = 1;
/// Bytes of the original behind which a block ends with the piece.
const BLOCK: usize = 1 << 20;
/// The longest block: one piece more.
const LONGEST_BLOCK: u64 = (BLOCK as u64) + (1 << 24);

/// The bits of the method's byte that say the preset.
const PRESET: u8 = 0xe0;
const SMALL: u8 = 0x20;
const FORMER_QUICK: u8 = 0x80;
const DEEP: u8 = 0x40;
const QUICK: u8 = 0xc0;

/// The dialect in which a recording of Quake II begins, as the packed file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning {
    /// The protocol; 0 when the recording states none.
    pub protocol: u32,
    /// The kind of recording.
    pub kind: u8,
    /// Which of the dialects that begin so.
    pub variant: u8,
}

impl Beginning {
    fn read(from: &mut Cursor<'_>) -> Result<Self, Error> {
        let mut protocol = [0; 4];
        protocol.copy_from_slice(from.take(4)?);
        Ok(Beginning { protocol: u32::from_le_bytes(protocol), kind: from.byte()?, variant: from.byte()? })
    }
}

/// How the blocks are coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// As they are.
    Stored,
    /// Bytes of an unknown format.
    Bytes,
    /// Messages of Quake III, of this protocol.
    Quake3(u16),
    /// Messages of QuakeWorld or NetQuake, in this container: 0 `.dem`, 1 `.qwd`, 2 `.mvd`.
    Quake1(u8),
    /// Messages of Quake II that begin so.
    Quake2(Beginning),
    /// Messages of Half-Life, of these protocols of recordings and of the network.
    GoldSrc(u8, u8),
    /// Records of an MVD2, by this version of their model.
    Mvd2(u8),
    /// Messages of Quake II that begin so, by the second rules of fields.
    Quake2Second(Beginning),
}

impl Method {
    /// The family that the model knows the fields of.
    pub fn family(self) -> Option<&'static str> {
        match self {
            Method::Stored | Method::Bytes => None,
            Method::Quake3(_) => Some("quake3"),
            Method::Quake1(_) => Some("quake1"),
            Method::Quake2(_) | Method::Mvd2(_) | Method::Quake2Second(_) => Some("quake2"),
            Method::GoldSrc(..) => Some("goldsrc"),
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        match self {
            Method::Stored => out.push(0),
            Method::Bytes => out.push(1),
            Method::Quake3(protocol) => {
                out.push(2);
                out.extend_from_slice(&protocol.to_le_bytes());
            }
            Method::Quake1(container) => out.extend([3, container]),
            Method::Quake2(Beginning { protocol, kind, variant }) | Method::Quake2Second(Beginning { protocol, kind, variant }) => {
                out.push(if matches!(self, Method::Quake2(_)) { 4 } else { 7 });
                out.extend_from_slice(&protocol.to_le_bytes());
                out.extend([kind, variant]);
            }
            Method::GoldSrc(demo, network) => out.extend([5, demo, network]),
            Method::Mvd2(model) => out.extend([6, model]),
        }
    }

    fn read(number: u8, from: &mut Cursor<'_>) -> Result<Self, Error> {
        match number {
            0 => Ok(Method::Stored),
            1 => Ok(Method::Bytes),
            2 => Ok(Method::Quake3(u16::from(from.byte()?) | u16::from(from.byte()?) << 8)),
            3 => Ok(Method::Quake1(from.byte()?)),
            4 => Ok(Method::Quake2(Beginning::read(from)?)),
            5 => Ok(Method::GoldSrc(from.byte()?, from.byte()?)),
            6 => Ok(Method::Mvd2(from.byte()?)),
            7 => Ok(Method::Quake2Second(Beginning::read(from)?)),
            _ => Err(Error::Method),
        }
    }
}

/// What a packed file states of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The version of the model.
    pub version: u8,
    /// How much work the model does.
    pub preset: Preset,
    /// How the blocks are coded.
    pub method: Method,
    /// SHA-256 of the original.
    pub sha256: [u8; 32],
    /// Bytes of the original.
    pub length: u64,
    /// The name of the original, at most 255 bytes, without folders. Empty when it has none.
    pub name: Vec<u8>,
}

/// Whether these bytes begin as a packed file does.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The head of a packed file.
///
/// # Errors
/// When it is not packed, is truncated, or needs a newer version.
pub fn head(packed: &[u8]) -> Result<Head, Error> {
    Cursor { rest: packed }.head()
}

/// The same packed file for an original of another name.
///
/// # Errors
/// As [`head`].
pub fn renamed(packed: &[u8], name: &str) -> Result<Vec<u8>, Error> {
    let mut from = Cursor { rest: packed };
    let before = from.head()?.name.len();
    let fixed = packed.len() - from.rest.len() - before - 1;
    let name = kept_name(name);
    Ok([&packed[..fixed], &[name.len() as u8], name, from.rest].concat())
}

/// Whether a packed file is as it was written, by the checks of its blocks: nothing is unpacked. What its head says is not checked.
pub fn is_intact(packed: &[u8]) -> bool {
    let mut from = Cursor { rest: packed };
    let Ok(head) = from.head() else { return false };
    if head.method == Method::Stored {
        return Sha256::digest(from.rest)[..] == head.sha256;
    }
    let mut done = 0_u64;
    while done < head.length {
        let Ok((length, _)) = from.block() else { return false };
        done = done.saturating_add(length);
    }
    done == head.length && from.rest.is_empty()
}

/// The part of a name that is kept.
fn kept_name(name: &str) -> &[u8] {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().as_bytes();
    if name.len() > 255 { &[] } else { name }
}

/// Makes a head of what is packed.
pub(crate) fn write_head(method: Method, preset: Preset, bytes: &[u8], name: &str) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    let number = out.len();
    method.write(&mut out);
    out[number] |= match preset {
        Preset::Small => SMALL,
        Preset::FormerSmall => 0,
        Preset::Quick => QUICK,
        Preset::Deep => DEEP,
        Preset::FormerQuick => FORMER_QUICK,
    };
    out.extend_from_slice(&Sha256::digest(bytes));
    write_number(bytes.len() as u64, &mut out);
    let name = kept_name(name);
    out.push(name.len() as u8);
    out.extend_from_slice(name);
    out
}

/// The length of a file that holds the original as it is.
pub(crate) fn stored_length(bytes: &[u8], name: &str) -> usize {
    let mut length = Vec::new();
    write_number(bytes.len() as u64, &mut length);
    MAGIC.len() + 2 + 32 + length.len() + 1 + kept_name(name).len() + bytes.len()
}

pub(crate) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// What the blocks are made of, piece by piece, in either direction.
pub(crate) trait Content<D> {
    /// Codes the next piece. Packing returns how many bytes of the original it took, 0 at the end. Unpacking appends it to `out` and is given
    /// how many bytes the block still lacks.
    fn piece(&mut self, stream: &mut Stream<D>, left: usize, out: &mut Vec<u8>) -> Result<usize, Error>;

    /// What it remembers of fields, where its model has such a memory.
    fn memory(&mut self) -> Option<&mut Memory> {
        None
    }
}

/// Bytes of an original, and what they were packed into.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sizes {
    pub taken: usize,
    pub packed: usize,
}

/// Bytes of the original that are its beginning, if it has as many.
pub(crate) const BEGINNING: usize = 1 << 17;

/// Appends the blocks of `content`. Returns the sizes of the beginning, which ends with a piece.
pub(crate) fn pack_blocks<M: PackCoding>(content: &mut impl Content<M>, stream: &mut Stream<M>, out: &mut Vec<u8>) -> Result<Sizes, Error> {
    let (head, mut beginning, mut before) = (out.len(), Sizes::default(), 0);
    let mut unused = Vec::new();
    loop {
        let mut length = 0;
        let mut ended = false;
        while length < BLOCK && !ended {
            let taken = content.piece(stream, BLOCK - length, &mut unused)?;
            ended = taken == 0;
            length += taken;
            if beginning.taken < BEGINNING {
                beginning = Sizes { taken: before + length, packed: out.len() - head + stream.model.stored() };
            }
        }
        before += length;
        if length > 0 {
            block_of(length, &stream.model.finish(), out);
        }
        if ended {
            return Ok(beginning);
        }
    }
}

/// Appends a block that unpacks to `length` bytes.
pub(crate) fn block_of(length: usize, block: &[u8], out: &mut Vec<u8>) {
    write_number(length as u64, out);
    write_number(block.len() as u64, out);
    out.extend_from_slice(&crc32fast::hash(block).to_le_bytes());
    out.extend_from_slice(block);
}

/// Appends the bytes as one block, or none.
pub(crate) fn store(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(bytes);
}

/// A reader of heads and blocks.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(packed: &'a [u8]) -> Self {
        Cursor { rest: packed }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn head(&mut self) -> Result<Head, Error> {
        if !is_packed(self.rest) {
            return Err(Error::NotPacked);
        }
        self.take(MAGIC.len())?;
        let version = self.byte()?;
        if version != VERSION {
            return Err(Error::Version(version));
        }
        let number = self.byte()?;
        let preset = match number & PRESET {
            0 => Preset::FormerSmall,
            SMALL => Preset::Small,
            QUICK => Preset::Quick,
            FORMER_QUICK => Preset::FormerQuick,
            DEEP => Preset::Deep,
            _ => return Err(Error::Method),
        };
        let method = Method::read(number & !PRESET, self)?;
        let mut sha256 = [0; 32];
        sha256.copy_from_slice(self.take(32)?);
        let length = self.number()?;
        let name = self.byte()?;
        let name = self.take(usize::from(name))?.to_vec();
        Ok(Head { version, preset, method, sha256, length, name })
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Error::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn number(&mut self) -> Result<u64, Error> {
        let mut number = 0;
        for at in 0..9 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Error::Damaged("a number is too long"))
    }

    /// The next block, as far as it is there.
    fn part_of_block(&mut self) -> Result<(u64, &'a [u8]), Error> {
        let length = self.number()?;
        let packed = self.number()?;
        self.take(4)?;
        let there = self.rest.len().min(usize::try_from(packed).unwrap_or(usize::MAX));
        Ok((length, self.take(there)?))
    }

    /// The next block: bytes of the original, and what they are packed into.
    fn block(&mut self) -> Result<(u64, &'a [u8]), Error> {
        let length = self.number()?;
        let packed = self.number()?;
        if length == 0 || length > LONGEST_BLOCK {
            return Err(Error::Damaged("a block cannot have this length"));
        }
        let check = self.take(4)?;
        let block = self.take(usize::try_from(packed).map_err(|_| Error::Truncated)?)?;
        if crc32fast::hash(block).to_le_bytes() != check {
            return Err(Error::Damaged("the checksum of a block does not match"));
        }
        Ok((length, block))
    }
}

/// Unpacks from a file's beginning what its bytes suffice for: up to `most` bytes. Nothing is checked.
pub(crate) fn unpack_beginning<M: UnpackCoding>(content: &mut impl Content<M>, from: &mut Cursor, head: &Head, most: usize) -> Vec<u8> {
    let mut stream = Stream::<M>::new(head.preset, slots(head.length));
    let mut out = Vec::new();
    let Ok((length, block)) = from.part_of_block() else { return out };
    stream.model.start(block);
    while out.len() < most {
        let before = out.len();
        let left = (length as usize).saturating_sub(before);
        let read = content.piece(&mut stream, left.min(most), &mut out);
        // the last piece may hold what is not there
        if read.is_err() || stream.model.overran() {
            out.truncate(before);
        }
        if out.len() == before {
            break;
        }
    }
    out
}

/// Unpacks what is certain of a block that is cut off: its check is cut off or of no use, so nothing is taken that bytes behind the cut decide.
#[cold]
fn unpack_rest<M: UnpackCoding>(content: &mut impl Content<M>, stream: &mut Stream<M>, mut from: Cursor) -> Vec<u8> {
    let mut out = Vec::new();
    let Ok((length, block)) = from.part_of_block() else { return out };
    stream.model.start(block);
    while (out.len() as u64) < length.min(LONGEST_BLOCK) {
        let before = out.len();
        // bytes of unknown formats one at a time: the last ones are not certain
        let read = content.piece(stream, 1, &mut out);
        if read.is_err() || !stream.model.is_certain() || out.len() as u64 > length {
            out.truncate(before);
        }
        if out.len() == before {
            break;
        }
    }
    out
}

/// Unpacks the blocks of `content` into `sink`, which breaks off by returning false.
pub(crate) fn unpack_blocks<M: UnpackCoding>(
    content: &mut impl Content<M>,
    stream: &mut Stream<M>,
    from: &mut Cursor,
    head: &Head,
    sink: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), Error> {
    let mut out = Vec::new();
    let mut done = 0;
    while done < head.length {
        let rest = from.clone();
        let (length, block) = match from.block() {
            Err(Error::Truncated) => {
                sink(&unpack_rest(content, stream, rest));
                return Err(Error::Truncated);
            }
            block => block?,
        };
        if length > head.length - done {
            return Err(Error::Damaged("there is more than the head states"));
        }
        let length = length as usize;
        stream.model.start(block);
        out.clear();
        while out.len() < length {
            let before = out.len();
            content.piece(stream, length - before, &mut out)?;
            if out.len() == before || stream.model.overran() {
                return Err(Error::Damaged("a block ends too early"));
            }
        }
        if out.len() > length {
            return Err(Error::Damaged("a block is longer than it states"));
        }
        done += length as u64;
        if !sink(&out) {
            return Ok(());
        }
    }
    if from.rest.is_empty() { Ok(()) } else { Err(Error::Damaged("there is data after the last block")) }
}
