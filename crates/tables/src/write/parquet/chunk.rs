//! The values of one column in a row group.
//!
//! What batches hold is close to what a file holds: which values are there is packed bits in both, and texts have numbers in both. The library's general
//! writer looks each value up by hash; without it, and with a frame's clocks put into its rows at once, an export of positions takes 53 % of the time
//! (docs/scale.md).

use std::collections::HashMap;
use std::mem::take;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use snap::raw::Encoder;

use super::pack;
use crate::column::{Bits, Data, Texts, Values};

/// Texts that are longer are no bounds of a column.
const LONGEST_BOUND: usize = 64;

/// A column whose row group is being written.
#[derive(Default)]
pub(super) struct Chunk {
    /// Pages so far, each with its header.
    pages: Vec<u8>,
    rows: usize,
    /// What the pages would take uncompressed.
    plain: i64,
    missing: u64,
    bounds: Bounds,
    /// Texts of all pages, each once, one behind the other with its length before it; and their numbers.
    texts: Vec<u8>,
    numbers: HashMap<String, i32>,
}

/// The least and the greatest value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Bounds {
    #[default]
    None,
    Bool(bool, bool),
    Int(i32, i32),
    Long(i64, i64),
    Real(f32, f32),
    Double(f64, f64),
}

impl Chunk {
    /// How many bytes it takes in memory.
    pub(super) fn held(&self) -> usize {
        self.pages.len() + self.dictionary()
    }

    /// How many bytes of texts it keeps.
    pub(super) fn dictionary(&self) -> usize {
        self.texts.len() * 2
    }

    /// Adds the values of a batch, as one page.
    pub(super) fn add(&mut self, values: &Values, scratch: &mut Scratch) -> Result<(), ParquetError> {
        let Scratch { page, ints, longs, reals, doubles, bools, .. } = scratch;
        let rows = values.len();
        page.clear();
        levels(values, rows, page);
        let valid = &values.valid;
        let encoding = match &values.data {
            Data::Bool(data) => {
                let there = present(data, valid, bools);
                pack::flags(there, page);
                let (least, most) = (!there.contains(&false), there.contains(&true));
                self.bounds((!there.is_empty()).then_some((least, most)), |(least, most)| Bounds::Bool(least, most));
                Encoding::PLAIN
            }
            Data::Int(data) => {
                let there = present(data, valid, ints);
                pack::differences(there, page);
                self.bounds(bounds(there), |(least, most)| Bounds::Int(least, most));
                Encoding::DELTA_BINARY_PACKED
            }
            Data::Long(data) => {
                let there = present(data, valid, longs);
                pack::differences(there, page);
                self.bounds(bounds(there), |(least, most)| Bounds::Long(least, most));
                Encoding::DELTA_BINARY_PACKED
            }
            Data::Real(data) => {
                let there = present(data, valid, reals);
                let start = page.len();
                page.resize(start + there.len() * 4, 0);
                page[start..].chunks_exact_mut(4).zip(there).for_each(|(place, value)| place.copy_from_slice(&value.to_le_bytes()));
                self.bounds(real_bounds(there), |(least, most)| Bounds::Real(least, most));
                Encoding::PLAIN
            }
            Data::Double(data) => {
                let there = present(data, valid, doubles);
                page.reserve(there.len() * 8);
                there.iter().for_each(|value| page.extend_from_slice(&value.to_le_bytes()));
                let bounds = there.iter().filter(|value| !value.is_nan()).map(|value| (*value, *value)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
                self.bounds(bounds, |(least, most)| Bounds::Double(least, most));
                Encoding::PLAIN
            }
            Data::Text(data) => {
                let numbers = self.texts(data, present(&data.numbers, valid, ints));
                let width = pack::width((self.numbers.len() as u64).saturating_sub(1)).max(1);
                page.push(width as u8);
                pack::runs(&numbers, width, page);
                Encoding::RLE_DICTIONARY
            }
        };
        self.rows += rows;
        self.missing += values.valid.zeros as u64;
        let (plain, buf) = scratch.compressed()?;
        let rle = Encoding::RLE;
        self.put(Page::DataPage { buf, num_values: rows as u32, encoding, def_level_encoding: rle, rep_level_encoding: rle, statistics: None }, plain)
    }

    /// The numbers of a batch's texts, in the column's own dictionary.
    fn texts(&mut self, data: &Texts, there: &[i32]) -> Vec<i32> {
        const UNKNOWN: i32 = -1;
        let mut known = vec![UNKNOWN; data.offsets.len()];
        let mut number = |number: &i32| {
            let place = &mut known[*number as usize];
            if *place == UNKNOWN {
                *place = self.text(data.text(*number));
            }
            *place
        };
        there.iter().map(&mut number).collect()
    }

    fn text(&mut self, text: &str) -> i32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.numbers.len() as i32;
        self.numbers.insert(text.to_owned(), number);
        self.texts.extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.texts.extend_from_slice(text.as_bytes());
        number
    }

    fn put(&mut self, page: Page, plain: usize) -> Result<(), ParquetError> {
        let mut out = TrackedWrite::new(take(&mut self.pages));
        let spec = SerializedPageWriter::new(&mut out).write_page(CompressedPage::new(page, plain))?;
        self.pages = out.into_inner()?;
        self.plain += spec.uncompressed_size as i64;
        Ok(())
    }

    fn bounds<T>(&mut self, of: Option<T>, bounds: impl Fn(T) -> Bounds) {
        if let Some(of) = of {
            self.bounds = self.bounds.with(bounds(of));
        }
    }

    /// Ends the column: its bytes, and what the file says of them.
    pub(super) fn finish(&mut self, column: &ColumnDescPtr, is_text: bool, scratch: &mut Scratch) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let statistics = self.statistics(column.physical_type());
        let pages = take(&mut self.pages);
        let mut encodings = vec![Encoding::RLE, Encoding::PLAIN];
        let mut data_offset = 0;
        if is_text {
            scratch.page.clear();
            scratch.page.extend_from_slice(&self.texts);
            let (plain, buf) = scratch.compressed()?;
            self.put(Page::DictionaryPage { buf, num_values: self.numbers.len() as u32, encoding: Encoding::PLAIN, is_sorted: false }, plain)?;
            data_offset = self.pages.len();
            encodings.push(Encoding::RLE_DICTIONARY);
        } else {
            encodings.push(Encoding::DELTA_BINARY_PACKED);
        }
        let bytes = if is_text {
            let mut bytes = take(&mut self.pages);
            bytes.extend_from_slice(&pages);
            bytes
        } else {
            pages
        };
        let metadata = ColumnChunkMetaData::builder(column.clone())
            .set_compression(Compression::SNAPPY)
            .set_encodings(encodings)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(self.plain)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(data_offset as i64)
            .set_dictionary_page_offset(is_text.then_some(0))
            .set_statistics(statistics)
            .build()?;
        let (bytes_written, rows_written) = (bytes.len() as u64, self.rows as u64);
        *self = Chunk::default();
        let close = ColumnCloseResult { bytes_written, rows_written, metadata, bloom_filter: None, column_index: None, offset_index: None };
        Ok((bytes.into(), close))
    }

    fn statistics(&self, kind: Type) -> Statistics {
        let missing = Some(self.missing);
        match self.bounds {
            Bounds::Bool(least, most) => Statistics::boolean(Some(least), Some(most), None, missing, false),
            Bounds::Int(least, most) => Statistics::int32(Some(least), Some(most), None, missing, false),
            Bounds::Long(least, most) => Statistics::int64(Some(least), Some(most), None, missing, false),
            // 0 has two signs
            Bounds::Real(least, most) => Statistics::float(Some(if least == 0.0 { -0.0 } else { least }), Some(most + 0.0), None, missing, false),
            Bounds::Double(least, most) => Statistics::double(Some(if least == 0.0 { -0.0 } else { least }), Some(most + 0.0), None, missing, false),
            Bounds::None => match kind {
                Type::BOOLEAN => Statistics::boolean(None, None, None, missing, false),
                Type::INT32 => Statistics::int32(None, None, None, missing, false),
                Type::INT64 => Statistics::int64(None, None, None, missing, false),
                Type::FLOAT => Statistics::float(None, None, None, missing, false),
                Type::DOUBLE => Statistics::double(None, None, None, missing, false),
                _ => {
                    let bound = |text: Option<&String>| text.filter(|text| text.len() <= LONGEST_BOUND).map(|text| ByteArray::from(text.as_str()));
                    Statistics::byte_array(bound(self.numbers.keys().min()), bound(self.numbers.keys().max()), None, missing, false)
                }
            },
        }
    }
}

impl Bounds {
    fn with(self, other: Bounds) -> Bounds {
        match (self, other) {
            (Bounds::Bool(a, b), Bounds::Bool(c, d)) => Bounds::Bool(a.min(c), b.max(d)),
            (Bounds::Int(a, b), Bounds::Int(c, d)) => Bounds::Int(a.min(c), b.max(d)),
            (Bounds::Long(a, b), Bounds::Long(c, d)) => Bounds::Long(a.min(c), b.max(d)),
            (Bounds::Real(a, b), Bounds::Real(c, d)) => Bounds::Real(a.min(c), b.max(d)),
            (Bounds::Double(a, b), Bounds::Double(c, d)) => Bounds::Double(a.min(c), b.max(d)),
            (_, other) => other,
        }
    }
}

/// Which values are there: the length of what follows in bytes, then it.
fn levels(values: &Values, rows: usize, page: &mut Vec<u8>) {
    let start = page.len();
    page.extend_from_slice(&[0; 4]);
    let valid = &values.valid;
    if valid.zeros == 0 || valid.zeros == rows {
        pack::run(u64::from(valid.zeros == 0), rows, 1, page);
    } else {
        pack::varint((valid.bytes.len() as u64) << 1 | 1, page);
        page.extend_from_slice(&valid.bytes);
    }
    let length = (page.len() - start - 4) as u32;
    page[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// The values that are there, gathered where some are not.
fn present<'v, T: Copy>(data: &'v [T], valid: &Bits, gathered: &'v mut Vec<T>) -> &'v [T] {
    if valid.zeros == 0 {
        return data;
    }
    gathered.clear();
    gathered.reserve(data.len() - valid.zeros);
    for (&bits, some) in valid.bytes.iter().zip(data.chunks(8)) {
        match bits {
            0 => {}
            0xff => gathered.extend_from_slice(some),
            _ => gathered.extend(some.iter().enumerate().filter(|(at, _)| bits >> at & 1 != 0).map(|(_, value)| *value)),
        }
    }
    gathered
}

/// The least and the greatest.
fn bounds<T: Copy + Ord>(values: &[T]) -> Option<(T, T)> {
    values.iter().min().copied().zip(values.iter().max().copied())
}

/// The same; what is no number stays outside. In lanes, so that the compiler takes several at a time.
fn real_bounds(values: &[f32]) -> Option<(f32, f32)> {
    const LANES: usize = 8;
    let (mut least, mut most) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
    for some in values.chunks(LANES) {
        for (at, &value) in some.iter().enumerate() {
            least[at] = if value < least[at] { value } else { least[at] };
            most[at] = if value > most[at] { value } else { most[at] };
        }
    }
    let (least, most) = (least.into_iter().fold(f32::INFINITY, f32::min), most.into_iter().fold(f32::NEG_INFINITY, f32::max));
    (least <= most).then_some((least, most))
}

/// What all columns use in turn.
pub(super) struct Scratch {
    page: Vec<u8>,
    /// The page compressed, and room behind it.
    packed: Vec<u8>,
    bools: Vec<bool>,
    ints: Vec<i32>,
    longs: Vec<i64>,
    reals: Vec<f32>,
    doubles: Vec<f64>,
    encoder: Encoder,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            page: Vec::new(),
            packed: Vec::new(),
            bools: Vec::new(),
            ints: Vec::new(),
            longs: Vec::new(),
            reals: Vec::new(),
            doubles: Vec::new(),
            encoder: Encoder::new(),
        }
    }
}

impl Scratch {
    /// The page's length, and the page compressed.
    fn compressed(&mut self) -> Result<(usize, Bytes), ParquetError> {
        let most = snap::raw::max_compress_len(self.page.len());
        if self.packed.len() < most {
            self.packed.resize(most, 0);
        }
        let length = self.encoder.compress(&self.page, &mut self.packed).map_err(|error| ParquetError::External(Box::new(error)))?;
        Ok((self.page.len(), Bytes::copy_from_slice(&self.packed[..length])))
    }
}
