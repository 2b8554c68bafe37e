//! MVD2: records and the messages in them, those for single clients among them, through their own readers.

use fragreel_base::wire::{Error as WireFault, ReadBytes, Wire};
use fragreel_quake2::container::Window;
use fragreel_quake2::container::mvd2::{Records, write_record};
use fragreel_quake2::dialect::Dialect;
use fragreel_quake2::message::{Context, Destination, MvdReader, Parcel, Reader};

use crate::Error;
use crate::coding::Coding;
use crate::fields::{Fields, MESSAGE, Memory};
use crate::file::Content;
use crate::original::{Bytes, Layout, Original};
use crate::pieces::{BROKEN, NO_MESSAGE, Pieces, RAW, Raw, SOUND};
use crate::stream::{Stream, kind};

/// The longest record.
const LONGEST: usize = 0xffff;

/// A recording in either direction.
pub(crate) struct Recording<'a> {
    bytes: &'a [u8],
    records: std::vec::IntoIter<Window<'a>>,
    next: Option<Window<'a>>,
    at: usize,
    raw: Raw<'a>,
    reader: MvdReader,
    /// Reads ahead, to know whether the data are sound.
    trial: MvdReader,
    parcels: Parcels,
    memory: Memory,
    pieces: Pieces,
}

impl<'a> Recording<'a> {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Recording {
            bytes: &[],
            records: Vec::new().into_iter(),
            next: None,
            at: 0,
            raw: Raw::default(),
            reader: MvdReader::new(dialect),
            trial: MvdReader::new(dialect),
            parcels: Parcels { reader: Reader::new(dialect), trial: Reader::new(dialect), data: Vec::new() },
            memory: Memory::new(),
            pieces: Pieces::default(),
        }
    }

    pub(crate) fn packing(bytes: &'a [u8], dialect: Dialect) -> Self {
        let mut records = Records::readable(bytes, dialect).into_iter();
        Recording { bytes, next: records.next(), records, ..Self::new(dialect) }
    }

    /// The data of the next record, unless other bytes come before it.
    fn next_record(&mut self) -> Option<&'a [u8]> {
        let to = self.next.map_or(self.bytes.len(), |record| record.offset as usize);
        if let Some(record) = self.next.filter(|_| to == self.at) {
            self.next = self.records.next();
            return Some(record.data);
        }
        self.raw = Raw(&self.bytes[self.at..to]);
        None
    }

    fn pack_piece<D: Coding>(&mut self, stream: &mut Stream<D>) -> Result<usize, Error> {
        let record = if self.raw.0.is_empty() { self.next_record() } else { None };
        let taken = match record {
            Some(data) => {
                self.trial.context.restore(&self.reader.context);
                let sound = self.trial.read_through(&mut ReadBytes::new(data), skip).is_ok();
                self.pieces.code(stream, if sound { SOUND } else { BROKEN });
                self.code_data::<D>(stream, sound, data)?;
                data.len() + 2
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
        if data.len() > LONGEST {
            return Err(NO_MESSAGE);
        }
        write_record(out, &data);
        Ok(())
    }

    fn code_data<D: Coding>(&mut self, stream: &mut Stream<D>, sound: bool, data: &[u8]) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        let parcels = &mut self.parcels;
        if !sound {
            stream.bytes(data, kind::DAMAGE, LONGEST, &mut out);
        } else if D::PACKING {
            let mut fields = Fields::new(Bytes::source(data), &mut self.memory, stream).by_second(true);
            self.reader.read_through(&mut fields, |fields, parcel, dialect, length| parcels.code(fields, parcel, dialect, length)).map_err(|_| NO_MESSAGE)?;
            if fields.original().position() != data.len() as u64 * 8 {
                return Err(NO_MESSAGE);
            }
        } else {
            let mut fields = Fields::new(<Bytes as Layout>::Sink::default(), &mut self.memory, stream).by_second(true);
            self.reader.read_through(&mut fields, |fields, parcel, dialect, length| parcels.code(fields, parcel, dialect, length)).map_err(|_| NO_MESSAGE)?;
            out = Bytes::finish(fields.into_original());
        }
        Ok(out)
    }
}

fn skip(r: &mut ReadBytes<'_>, _: &Parcel, _: Dialect, length: usize) -> Result<(), WireFault> {
    r.skip(length)
}

/// The data of parcels: ordinary messages, as far as they are sound.
struct Parcels {
    reader: Reader,
    trial: Reader,
    data: Vec<u8>,
}

impl Parcels {
    fn code<D: Coding, O: Original>(&mut self, fields: &mut Fields<'_, D, O>, parcel: &Parcel, dialect: Dialect, length: usize) -> Result<(), WireFault> {
        let mut sound = false;
        if D::PACKING {
            let mut ahead = fields.original().clone();
            self.data.clear();
            for _ in 0..length {
                self.data.push(ahead.take(8)? as u8);
            }
            self.trial.context.restore(&Context::new(dialect));
            sound = self.trial.read_through(&mut ReadBytes::new(&self.data)).is_ok();
        }
        if fields.decide(sound) {
            self.reader.context.restore(&Context::new(dialect));
            let whole = match parcel.destination {
                Destination::All => MESSAGE,
                Destination::Client(client) => u64::from(client) | 1 << 16,
                Destination::Hearing(leaf) | Destination::Seeing(leaf) => u64::from(leaf) | 2 << 16,
            };
            fields.within(length, whole, |fields| self.reader.read_through(fields))
        } else {
            fields.enter("data");
            fields.octets(&mut self.data, length)
        }
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
