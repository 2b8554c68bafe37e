//! The compression of pages.

use parquet::basic::CompressionCodec;
use parquet::errors::ParquetError;

/// How the pages of a Parquet file are compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Codec {
    /// Snappy, which is fast.
    #[default]
    Snappy,
    /// Zstandard, which is smaller.
    Zstd,
}

/// The level of Zstandard. docs/performance.md has sizes.
const LEVEL: i32 = 3;

impl Codec {
    pub(super) fn named(self) -> CompressionCodec {
        match self {
            Codec::Snappy => CompressionCodec::SNAPPY,
            Codec::Zstd => CompressionCodec::ZSTD,
        }
    }
}

/// An encoder that is used for page after page.
pub(super) enum Encoder {
    Snappy(Box<snap::raw::Encoder>),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Encoder {
    pub(super) fn new(codec: Codec) -> Result<Self, ParquetError> {
        Ok(match codec {
            Codec::Snappy => Encoder::Snappy(Box::new(snap::raw::Encoder::new())),
            Codec::Zstd => Encoder::Zstd(zstd::bulk::Compressor::new(LEVEL)?),
        })
    }

    pub(super) fn codec(&self) -> Codec {
        match self {
            Encoder::Snappy(_) => Codec::Snappy,
            Encoder::Zstd(_) => Codec::Zstd,
        }
    }

    /// Compresses a page to the start of `packed`, which grows as needed. Returns the length.
    pub(super) fn compress(&mut self, page: &[u8], packed: &mut Vec<u8>) -> Result<usize, ParquetError> {
        let most = match self {
            Encoder::Snappy(_) => snap::raw::max_compress_len(page.len()),
            Encoder::Zstd(_) => zstd::zstd_safe::compress_bound(page.len()),
        };
        if packed.len() < most {
            packed.resize(most, 0);
        }
        match self {
            Encoder::Snappy(encoder) => encoder.compress(page, packed).map_err(|error| ParquetError::External(Box::new(error))),
            Encoder::Zstd(encoder) => Ok(encoder.compress_to_buffer(page, &mut packed[..])?),
        }
    }
}
