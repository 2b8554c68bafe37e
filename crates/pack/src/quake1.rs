//! QuakeWorld, NetQuake and multi-view recordings: blocks and their messages, through their own readers.

use std::borrow::Cow;

use fragreel_base::wire::{Limits, ReadBytes};
use fragreel_quake1::unstable::container::{Block, Blocks, Container, Framing, code_framing, write_block};
use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::message::{Float, Packet, code_packet};

use crate::coding::Coding;
use crate::fields::{Fields, Memory};
use crate::file::{Content, Method};
use crate::known::How;
use crate::original::{Bytes, Layout, Original};
use crate::pieces::{BROKEN, NO_MESSAGE, Pieces, RAW, Raw, SOUND};
use crate::stream::{Stream, kind};
use crate::{Error, Packed};

/// The longest block.
const LONGEST: usize = 1 << 20;

/// Packs a recording of this family.
pub(crate) fn pack(bytes: &[u8], extension: Option<&str>, name: &str, how: How<'_>) -> Option<Packed> {
    let recording = fragreel_quake1::Recording::open(bytes, extension, Limits::default()).ok()?;
    let container = recording.container();
    let blocks = Blocks::new(bytes, container, &Limits::default()).ok()?;
    let number = match container {
        Container::NetQuake => 0,
        Container::QuakeWorld => 1,
        Container::MultiView => 2,
    };
    let mut content = Recording { source: Some((bytes, blocks)), ..Recording::new(container) };
    crate::pack_as(Method::Quake1(number), &mut content, bytes, name, how)
}

/// The content of a packed file of this family.
pub(crate) fn unpacking(container: u8) -> Result<Recording<'static>, Error> {
    let containers = [Container::NetQuake, Container::QuakeWorld, Container::MultiView];
    containers.get(usize::from(container)).map(|&container| Recording::new(container)).ok_or(Error::Method)
}

/// A recording in either direction.
pub(crate) struct Recording<'a> {
    container: Container,
    source: Option<(&'a [u8], Blocks<'a>)>,
    at: usize,
    raw: Raw<'a>,
    dialect: Dialect,
    memory: Memory,
    pieces: Pieces,
    packet: Packet,
}

impl<'a> Recording<'a> {
    fn new(container: Container) -> Self {
        Recording {
            container,
            source: None,
            at: 0,
            raw: Raw::default(),
            dialect: Dialect::new(container.stream()),
            memory: Memory::new(),
            pieces: Pieces::default(),
            packet: Packet::default(),
        }
    }

    fn has_header(&self) -> bool {
        self.container == Container::QuakeWorld
    }

    /// The next block, unless other bytes come before it.
    fn next_block(&mut self) -> Option<Block<'a>> {
        let (bytes, blocks) = self.source.as_mut()?;
        let mut ahead = blocks.clone();
        let found = ahead.next();
        let (bytes, at) = (*bytes, self.at);
        match found {
            Some(Ok(block)) if block.offset as usize == at => {
                *blocks = ahead;
                return Some(block);
            }
            Some(Ok(block)) => self.raw = Raw(&bytes[at..block.offset as usize]),
            Some(Err(_)) => {
                let to = ahead.resume(|_| true).map_or(bytes.len(), |(_, to)| to as usize);
                *blocks = ahead;
                self.raw = Raw(&bytes[at..to]);
            }
            None => self.raw = Raw(&bytes[at..]),
        }
        None
    }

    fn pack_piece<D: Coding>(&mut self, stream: &mut Stream<D>) -> Result<usize, Error> {
        let block = if self.raw.0.is_empty() { self.next_block() } else { None };
        let Some(block) = block else {
            if self.raw.0.is_empty() {
                return Ok(0);
            }
            self.pieces.code(stream, RAW);
            let taken = self.raw.pack(stream);
            self.at += taken;
            return Ok(taken);
        };
        let header = self.has_header();
        let mut dialect = Cow::Borrowed(&self.dialect);
        let has_data = matches!(block.framing, Framing::NetQuake { .. } | Framing::Packet { .. });
        let sound = has_data && code_packet(&mut ReadBytes::new(block.data), &mut dialect, &mut self.packet, header).is_ok();
        self.pieces.code(stream, if sound || !has_data { SOUND } else { BROKEN });
        let (bytes, _) = self.source.as_ref().ok_or(Error::Truncated)?;
        let head = &bytes[block.offset as usize..block.data_offset as usize];
        let framing = self.code_framing::<D>(stream, head)?.0;
        debug_assert!(framing == block.framing);
        if has_data {
            self.code_data::<D>(stream, sound, block.data)?;
        }
        let taken = block.end() as usize - self.at;
        self.at += taken;
        Ok(taken)
    }

    fn unpack_piece<D: Coding>(&mut self, stream: &mut Stream<D>, out: &mut Vec<u8>) -> Result<(), Error> {
        let piece = self.pieces.code(stream, 0);
        if piece == RAW {
            Raw::unpack(stream, out);
            return Ok(());
        }
        let (framing, ..) = self.code_framing::<D>(stream, &[])?;
        let has_data = matches!(framing, Framing::NetQuake { .. } | Framing::Packet { .. });
        let data = if has_data { self.code_data::<D>(stream, piece == SOUND, &[])? } else { Vec::new() };
        write_block(out, self.container, &framing, &data);
        Ok(())
    }

    fn code_framing<D: Coding>(&mut self, stream: &mut Stream<D>, head: &[u8]) -> Result<(Framing, u32), Error> {
        let mut framing = Framing::NetQuake { angles: [Float(0); 3] };
        let mut length = 0;
        let container = self.container;
        if D::PACKING {
            let mut fields = Fields::new(Bytes::source(head), &mut self.memory, stream).without_length(0, true);
            code_framing(&mut fields, container, &mut framing, &mut length).map_err(|_| Error::Damaged("a block's head is none"))?;
        } else {
            let mut fields = Fields::new(<Bytes as Layout>::Sink::default(), &mut self.memory, stream).without_length(0, true);
            code_framing(&mut fields, container, &mut framing, &mut length).map_err(|_| Error::Damaged("a block's head is none"))?;
        }
        if let Framing::Packet { time: fragreel_quake1::unstable::container::Stamp::After(passed), .. } = framing {
            self.memory.time += i64::from(passed);
        }
        Ok((framing, length))
    }

    fn code_data<D: Coding>(&mut self, stream: &mut Stream<D>, sound: bool, data: &[u8]) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        if !sound {
            stream.bytes(data, kind::DAMAGE, LONGEST, &mut out);
            return Ok(out);
        }
        let header = self.has_header();
        let mut dialect = Cow::Borrowed(&self.dialect);
        if D::PACKING {
            let mut fields = Fields::new(Bytes::source(data), &mut self.memory, stream);
            code_packet(&mut fields, &mut dialect, &mut self.packet, header).map_err(|_| NO_MESSAGE)?;
            if fields.original().position() != data.len() as u64 * 8 {
                return Err(NO_MESSAGE);
            }
        } else {
            let mut fields = Fields::new(<Bytes as Layout>::Sink::default(), &mut self.memory, stream);
            code_packet(&mut fields, &mut dialect, &mut self.packet, header).map_err(|_| NO_MESSAGE)?;
            out = Bytes::finish(fields.into_original());
        }
        if let Cow::Owned(learned) = dialect {
            self.dialect = learned;
        }
        Ok(out)
    }
}

impl<D: Coding> Content<D> for Recording<'_> {
    fn piece(&mut self, stream: &mut Stream<D>, _: usize, out: &mut Vec<u8>) -> Result<usize, Error> {
        if D::PACKING { self.pack_piece(stream) } else { self.unpack_piece(stream, out).map(|()| 0) }
    }

    fn memory(&mut self) -> Option<&mut Memory> {
        Some(&mut self.memory)
    }
}
