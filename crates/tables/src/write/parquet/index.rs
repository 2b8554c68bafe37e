//! The index of pages: where each page of a column begins, and the bounds of its values. Readers skip pages by it.

use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnIndexBuilder, OffsetIndexBuilder};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;

use super::bounds::Bounds;

/// A page.
pub(super) struct PageFacts {
    /// Where it begins, from the first page of the column that has rows.
    pub(super) offset: usize,
    /// Its length with its header.
    pub(super) bytes: usize,
    pub(super) rows: usize,
    pub(super) missing: u64,
    pub(super) bounds: Bounds,
}

/// The index of a column whose first page with rows begins at `start`. There are no bounds where those of one page are not known.
pub(super) fn indexes(pages: &[PageFacts], kind: Type, start: usize) -> Result<(Option<ColumnIndexMetaData>, OffsetIndexMetaData), ParquetError> {
    let (mut bounds, mut places) = (ColumnIndexBuilder::new(kind), OffsetIndexBuilder::new());
    for page in pages {
        let is_empty = page.missing == page.rows as u64;
        match page.bounds.bytes() {
            Some((least, most)) => bounds.append(false, least, most, page.missing as i64),
            None if is_empty => bounds.append(true, Vec::new(), Vec::new(), page.missing as i64),
            None => bounds.to_invalid(),
        }
        places.append_offset_and_size((start + page.offset) as i64, i32::try_from(page.bytes).unwrap_or(i32::MAX));
        places.append_row_count(page.rows as i64);
    }
    let bounds = if bounds.valid() { Some(bounds.build()?) } else { None };
    Ok((bounds, places.build()))
}
