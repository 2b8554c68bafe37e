//! Batches as text.

mod csv;
mod json;

pub use csv::csv;
pub use json::json_lines;

#[cfg(feature = "files")]
mod parquet;
#[cfg(feature = "files")]
pub use parquet::{ArrowFile, Codec, ParquetFile};
