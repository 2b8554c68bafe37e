//! The values of one column in a row group.
//!
//! What batches hold is close to what a file holds: which values are there is packed bits in both, and texts have numbers in both. The library's general
//! writer looks each value up by hash; without it, and with a frame's clocks put into its rows at once, an export of positions takes 53 % of the time
//! (docs/scale.md).

use std::collections::HashMap;
use std::mem::take;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

use super::bounds::Bounds;
use super::codec::{Codec, Encoder};
use super::index::{PageFacts, indexes};
use super::pack;
use crate::column::{Bits, Data, Texts, Values};

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
    /// What the index of the file says of each page.
    facts: Vec<PageFacts>,
    /// Texts of all pages, each once, one behind the other with its length before it; and their numbers.
    texts: Vec<u8>,
    numbers: HashMap<String, i32>,
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
        let (encoding, bounds) = match &values.data {
            Data::Bool(data) => {
                let there = present(data, valid, bools);
                pack::flags(there, page);
                let (least, most) = (!there.contains(&false), there.contains(&true));
                (Encoding::PLAIN, if there.is_empty() { Bounds::None } else { Bounds::Bool(least, most) })
            }
            Data::Int(data) => {
                let there = present(data, valid, ints);
                pack::differences(there, page);
                (Encoding::DELTA_BINARY_PACKED, bounds(there).map_or(Bounds::None, |(least, most)| Bounds::Int(least, most)))
            }
            Data::Long(data) => {
                let there = present(data, valid, longs);
                pack::differences(there, page);
                (Encoding::DELTA_BINARY_PACKED, bounds(there).map_or(Bounds::None, |(least, most)| Bounds::Long(least, most)))
            }
            Data::Real(data) => {
                let there = present(data, valid, reals);
                let start = page.len();
                page.resize(start + there.len() * 4, 0);
                page[start..].chunks_exact_mut(4).zip(there).for_each(|(place, value)| place.copy_from_slice(&value.to_le_bytes()));
                (Encoding::PLAIN, real_bounds(there).map_or(Bounds::None, |(least, most)| Bounds::Real(least, most)))
            }
            Data::Double(data) => {
                let there = present(data, valid, doubles);
                page.reserve(there.len() * 8);
                there.iter().for_each(|value| page.extend_from_slice(&value.to_le_bytes()));
                let bounds = there.iter().filter(|value| !value.is_nan()).map(|value| (*value, *value)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
                (Encoding::PLAIN, bounds.map_or(Bounds::None, |(least, most)| Bounds::Double(least, most)))
            }
            Data::Text(data) => {
                let there = present(&data.numbers, valid, ints);
                let (numbers, bounds) = self.texts(data, there);
                let width = pack::width((self.numbers.len() as u64).saturating_sub(1)).max(1);
                page.push(width as u8);
                pack::runs(&numbers, width, page);
                (Encoding::RLE_DICTIONARY, bounds)
            }
        };
        let missing = values.valid.zeros as u64;
        self.bounds.add(&bounds);
        self.rows += rows;
        self.missing += missing;
        let (plain, buf) = scratch.compressed()?;
        let (rle, offset) = (Encoding::RLE, self.pages.len());
        self.put(Page::DataPage { buf, num_values: rows as u32, encoding, def_level_encoding: rle, rep_level_encoding: rle, statistics: None }, plain)?;
        self.facts.push(PageFacts { offset, bytes: self.pages.len() - offset, rows, missing, bounds });
        Ok(())
    }

    /// The numbers of a batch's texts in the column's own dictionary, and the bounds of these texts.
    fn texts(&mut self, data: &Texts, there: &[i32]) -> (Vec<i32>, Bounds) {
        const UNKNOWN: i32 = -1;
        let mut known = vec![UNKNOWN; data.offsets.len()];
        let mut bounds: Option<(&str, &str)> = None;
        let mut number = |number: &i32| {
            let place = &mut known[*number as usize];
            if *place == UNKNOWN {
                let text = data.text(*number);
                bounds = Some(bounds.map_or((text, text), |(least, most)| (least.min(text), most.max(text))));
                *place = self.text(text);
            }
            *place
        };
        let numbers = there.iter().map(&mut number).collect();
        (numbers, bounds.map_or(Bounds::None, |(least, most)| Bounds::Text(least.to_owned(), most.to_owned())))
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

    /// Ends the column: its bytes, and what the file says of them.
    pub(super) fn finish(&mut self, column: &ColumnDescPtr, is_text: bool, scratch: &mut Scratch) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let kind = column.physical_type();
        let statistics = self.bounds.statistics(kind, self.missing);
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
            .set_compression_codec(scratch.codec().named())
            .set_encodings(encodings)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(self.plain)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(data_offset as i64)
            .set_dictionary_page_offset(is_text.then_some(0))
            .set_statistics(statistics)
            .build()?;
        let (bytes_written, rows_written) = (bytes.len() as u64, self.rows as u64);
        let (column_index, offset_index) = indexes(&self.facts, kind, data_offset)?;
        *self = Chunk::default();
        let close = ColumnCloseResult { bytes_written, rows_written, metadata, bloom_filter: None, column_index, offset_index: Some(offset_index) };
        Ok((bytes.into(), close))
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

impl Scratch {
    pub(super) fn new(codec: Codec) -> Result<Self, ParquetError> {
        Ok(Scratch {
            page: Vec::new(),
            packed: Vec::new(),
            bools: Vec::new(),
            ints: Vec::new(),
            longs: Vec::new(),
            reals: Vec::new(),
            doubles: Vec::new(),
            encoder: Encoder::new(codec)?,
        })
    }

    fn codec(&self) -> Codec {
        self.encoder.codec()
    }

    /// The page's length, and the page compressed.
    fn compressed(&mut self) -> Result<(usize, Bytes), ParquetError> {
        let length = self.encoder.compress(&self.page, &mut self.packed)?;
        Ok((self.page.len(), Bytes::copy_from_slice(&self.packed[..length])))
    }
}
