//! Quake III and Quake Live: messages through their own reader, and the state that predicts the next
//! (`docs/formats/pack.md`, "Quake III").

mod entities;
mod game;
mod pending;
mod rows;
mod values;
mod wire;

use fragreel_base::wire::Limits;
use fragreel_quake3::container::{END_MARK, Frame, Frames, Framing, Piece};
use fragreel_quake3::dialect::{self, Dialect};
use fragreel_quake3::message::Message;

use crate::coding::Coding;
use crate::file::{Content, Method};
use crate::known::How;
use crate::model::context;
use crate::original::{Bits, Huffman, Layout};
use crate::pieces::Raw;
use crate::stream::{Stream, kind};
use crate::{Error, Packed};
use game::Game;
use wire::Fields;

/// Packs a recording of this family.
pub(crate) fn pack(bytes: &[u8], extension: Option<&str>, name: &str, how: How<'_>) -> Option<Packed> {
    let recording = fragreel_quake3::Recording::open(bytes, extension, Limits::default()).ok()?;
    let dialect = recording.dialect();
    let mut content = Recording { bytes, frames: Frames::new(bytes), left: Raw::default(), game: Game::new(dialect), message: Message::default() };
    crate::pack_as(Method::Quake3(dialect.protocol), &mut content, bytes, name, how)
}

/// The content of a packed file of this family.
pub(crate) fn unpacking(protocol: u16) -> Result<Recording<'static>, Error> {
    let dialect = Dialect::of(protocol).ok_or(Error::Method)?;
    Ok(Recording { bytes: &[], frames: Frames::new(&[]), left: Raw::default(), game: Game::new(dialect), message: Message::default() })
}

/// A recording in either direction.
pub(crate) struct Recording<'a> {
    bytes: &'a [u8],
    frames: Frames<'a>,
    /// What is left of a range of bytes.
    left: Raw<'a>,
    game: Game,
    message: Message,
}

/// Kinds of pieces.
mod piece {
    /// A message that is read to its end, and one that is not; each with plain and mirrored framing.
    pub(super) const MESSAGE: u32 = 0;
    pub(super) const BROKEN: u32 = 2;
    pub(super) const MIRRORED: u32 = 1;
    pub(super) const RAW: u32 = 4;
    pub(super) const END: u32 = 5;
}

/// The longest message.
const LONGEST_MESSAGE: usize = 1 << 16;

impl<D: Coding> Content<D> for Recording<'_> {
    fn piece(&mut self, stream: &mut Stream<D>, _: usize, out: &mut Vec<u8>) -> Result<usize, Error> {
        if D::PACKING { self.pack_piece(stream) } else { self.unpack_piece(stream, out).map(|()| 0) }
    }
}

impl<'a> Recording<'a> {
    fn pack_piece<D: Coding>(&mut self, stream: &mut Stream<D>) -> Result<usize, Error> {
        if !self.left.0.is_empty() {
            return Ok(self.pack_raw(stream));
        }
        match self.frames.next() {
            None => Ok(0),
            Some(Piece::End(range)) => {
                self.code_kind(stream, piece::END);
                Ok((range.end - range.start) as usize)
            }
            Some(Piece::Message(frame)) => {
                let data = fragreel_quake3::container::data(self.bytes, &frame);
                let mirrored = if frame.framing == Framing::Mirrored { piece::MIRRORED } else { 0 };
                let sound = self.message.read(data, self.game.dialect()).is_ok() && data.len() <= LONGEST_MESSAGE;
                self.code_kind(stream, mirrored | if sound { piece::MESSAGE } else { piece::BROKEN });
                self.game.code_sequence(stream, frame.sequence);
                if sound {
                    self.code_message(stream, frame.sequence, data)?;
                } else {
                    stream.bytes(data, kind::DAMAGE, LONGEST_MESSAGE, &mut Vec::new());
                }
                Ok((frame.end() - frame.offset) as usize)
            }
            Some(Piece::Prologue(range) | Piece::Opaque(range, _)) => {
                self.left = Raw(&self.bytes[range.start as usize..range.end as usize]);
                Ok(self.pack_raw(stream))
            }
        }
    }

    fn pack_raw<D: Coding>(&mut self, stream: &mut Stream<D>) -> usize {
        self.code_kind(stream, piece::RAW);
        self.left.pack(stream)
    }

    fn unpack_piece<D: Coding>(&mut self, stream: &mut Stream<D>, out: &mut Vec<u8>) -> Result<(), Error> {
        let found = self.code_kind(stream, 0);
        match found {
            piece::END => out.extend_from_slice(&END_MARK),
            piece::RAW => Raw::unpack(stream, out),
            0..4 => {
                let framing = if found & piece::MIRRORED != 0 { Framing::Mirrored } else { Framing::Plain };
                let sequence = self.game.code_sequence(stream, 0);
                let data = if found & piece::BROKEN != 0 {
                    let mut data = Vec::new();
                    stream.bytes(&[], kind::DAMAGE, LONGEST_MESSAGE, &mut data);
                    data
                } else {
                    self.code_message(stream, sequence, &[])?
                };
                Frame { number: 0, offset: 0, sequence, length: data.len() as u32, framing }.write(&data, out);
            }
            _ => return Err(Error::Damaged("there is no piece of this kind")),
        }
        Ok(())
    }

    fn code_kind<D: Coding>(&mut self, stream: &mut Stream<D>, kind: u32) -> u32 {
        let before = &mut self.game.pieces;
        let found = stream.model.symbol(kind, 3, &[context(&[40, u64::from(before[0])]), context(&[41, u64::from(before[0]), u64::from(before[1])])], 2);
        *before = [found, before[0]];
        found
    }

    /// Codes a message and applies it to the state. Returns its bytes when unpacking.
    fn code_message<D: Coding>(&mut self, stream: &mut Stream<D>, sequence: i32, data: &[u8]) -> Result<Vec<u8>, Error> {
        let bytes = match self.game.dialect().layout {
            dialect::Layout::Coded => self.code_laid_out::<D, Huffman>(stream, sequence, data),
            dialect::Layout::Plain => self.code_laid_out::<D, Bits>(stream, sequence, data),
        }?;
        self.game.apply(sequence, &self.message);
        Ok(bytes)
    }

    fn code_laid_out<D: Coding, L: Layout>(&mut self, stream: &mut Stream<D>, sequence: i32, data: &[u8]) -> Result<Vec<u8>, Error> {
        self.game.begin(sequence);
        if D::PACKING {
            let mut fields = Fields::new(L::source(data), &mut self.game, stream);
            fields.code(&mut self.message)?;
            let position = fields.code_padding()?;
            self.game.code_rest(stream, &data[(position / 8) as usize..], &mut Vec::new());
            return Ok(Vec::new());
        }
        let mut fields = Fields::new(L::Sink::default(), &mut self.game, stream);
        fields.code(&mut self.message)?;
        fields.code_padding()?;
        let mut bytes = L::finish(fields.into_original());
        self.game.code_rest(stream, &[], &mut bytes);
        Ok(bytes)
    }
}
