//! Quake II: blocks of a `.dm2` and their messages, through their own reader.

mod mvd2;

use fragreel_base::wire::{Limits, ReadBytes};
use fragreel_quake2::container::dm2::{Blocks, write_block};
use fragreel_quake2::detect::Framing;
use fragreel_quake2::dialect::{Dialect, RecordingKind};
use fragreel_quake2::message::Reader;

use crate::coding::Coding;
use crate::fields::{Fields, Memory};
use crate::file::{Beginning, Content, Method};
use crate::known::How;
use crate::original::{Bytes, Layout, Original};
use crate::pieces::{BROKEN, NO_MESSAGE, Pieces, RAW, Raw, SOUND};
use crate::stream::{Stream, kind};
use crate::{Error, Packed};

/// The longest block.
const LONGEST: usize = 1 << 20;

impl Beginning {
    fn of(dialect: &Dialect) -> Option<Self> {
        let states = [(dialect.protocol, dialect.kind), (0, RecordingKind::SERVER), (0, RecordingKind::CLIENT)];
        states.into_iter().find_map(|(protocol, kind)| {
            let same = |other: &Dialect| other.begins_as(dialect) && other.numbering == dialect.numbering && other.kind == dialect.kind;
            let variant = Dialect::beginnings(protocol, kind).iter().position(same)?;
            Some(Beginning { protocol, kind: kind.0, variant: variant as u8 })
        })
    }

    fn dialect(self) -> Option<Dialect> {
        Dialect::beginnings(self.protocol, RecordingKind(self.kind)).get(usize::from(self.variant)).copied()
    }
}

/// Packs a recording of this family.
pub(crate) fn pack(bytes: &[u8], extension: Option<&str>, name: &str, how: How<'_>) -> Option<Packed> {
    let recording = fragreel_quake2::Recording::open(bytes, extension, Limits::default()).ok()?;
    let input = recording.input();
    if input.container == Framing::Mvd2 {
        return crate::pack_as(Method::Mvd2(MVD2), &mut mvd2::Recording::packing(bytes, mvd2_dialect()?), bytes, name, how);
    }
    pack_blocks(bytes, Method::Quake2Second(Beginning::of(&input.dialect)?), name, how)
}

/// Packs the blocks of a `.dm2` by one of its methods.
pub(crate) fn pack_blocks(bytes: &[u8], method: Method, name: &str, how: How<'_>) -> Option<Packed> {
    let (Method::Quake2(beginning) | Method::Quake2Second(beginning)) = method else { return None };
    let dialect = beginning.dialect()?;
    let recording = Recording::new(dialect, method == Method::Quake2Second(beginning));
    let mut content = Recording { source: Some((bytes, Blocks::recovering(bytes, dialect))), ..recording };
    crate::pack_as(method, &mut content, bytes, name, how)
}

/// The content of a packed file of this family, by the first rules of fields or the second.
pub(crate) fn unpacking(beginning: Beginning, second: bool) -> Result<Recording<'static>, Error> {
    beginning.dialect().map(|dialect| Recording::new(dialect, second)).ok_or(Error::Method)
}

/// The model of MVD2 recordings.
const MVD2: u8 = 1;

fn mvd2_dialect() -> Option<Dialect> {
    Dialect::beginnings(37, RecordingKind::NETWORK).first().copied()
}

/// The content of a packed MVD2.
pub(crate) fn unpacking_mvd2(model: u8) -> Result<mvd2::Recording<'static>, Error> {
    mvd2_dialect().filter(|_| model == MVD2).map(mvd2::Recording::new).ok_or(Error::Method)
}

/// A recording in either direction.
pub(crate) struct Recording<'a> {
    source: Option<(&'a [u8], Blocks<'a>)>,
    at: usize,
    raw: Raw<'a>,
    reader: Reader,
    /// Reads ahead, to know whether the data are sound.
    trial: Reader,
    memory: Memory,
    pieces: Pieces,
    /// By the second rules of fields.
    second: bool,
}

impl<'a> Recording<'a> {
    fn new(dialect: Dialect, second: bool) -> Self {
        Recording {
            second,
            source: None,
            at: 0,
            raw: Raw::default(),
            reader: Reader::new(dialect),
            trial: Reader::new(dialect),
            memory: Memory::new(),
            pieces: Pieces::default(),
        }
    }

    /// The data of the next block, unless other bytes come before it.
    fn next_block(&mut self) -> Option<&'a [u8]> {
        let at = self.at;
        let (bytes, blocks) = self.source.as_mut()?;
        let mut ahead = blocks.clone();
        let found = ahead.next();
        let (bytes, to) = (*bytes, found.map_or(bytes.len(), |block| block.offset as usize));
        if let Some(block) = found.filter(|_| to == at) {
            *blocks = ahead;
            return Some(block.data);
        }
        self.raw = Raw(&bytes[at..to]);
        None
    }

    fn pack_piece<D: Coding>(&mut self, stream: &mut Stream<D>) -> Result<usize, Error> {
        let block = if self.raw.0.is_empty() { self.next_block() } else { None };
        let taken = match block {
            Some(data) => {
                self.trial.context.restore(&self.reader.context);
                let sound = self.trial.read_through(&mut ReadBytes::new(data)).is_ok();
                self.pieces.code(stream, if sound { SOUND } else { BROKEN });
                self.code_data::<D>(stream, sound, data)?;
                data.len() + 4
            }
            None if self.raw.0.is_empty() => return Ok(0),
            None => {
                self.pieces.code(stream, RAW);
                self.raw.pack(stream)
            }
        };
        self.at += taken;
        Ok(taken)
    }

    fn unpack_piece<D: Coding>(&mut self, stream: &mut Stream<D>, out: &mut Vec<u8>) -> Result<(), Error> {
        let piece = self.pieces.code(stream, 0);
        if piece == RAW {
            Raw::unpack(stream, out);
            return Ok(());
        }
        let data = self.code_data::<D>(stream, piece == SOUND, &[])?;
        write_block(out, &data);
        Ok(())
    }

    fn code_data<D: Coding>(&mut self, stream: &mut Stream<D>, sound: bool, data: &[u8]) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        if !sound {
            stream.bytes(data, kind::DAMAGE, LONGEST, &mut out);
        } else if D::PACKING {
            let mut fields = Fields::new(Bytes::source(data), &mut self.memory, stream).by_second(self.second);
            self.reader.read_through(&mut fields).map_err(|_| NO_MESSAGE)?;
            if fields.original().position() != data.len() as u64 * 8 {
                return Err(NO_MESSAGE);
            }
        } else {
            let mut fields = Fields::new(<Bytes as Layout>::Sink::default(), &mut self.memory, stream).by_second(self.second);
            self.reader.read_through(&mut fields).map_err(|_| NO_MESSAGE)?;
            out = Bytes::finish(fields.into_original());
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
