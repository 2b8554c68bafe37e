//! Files of Apache Parquet, and of Arrow's own format.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

/// A row group ends after so many rows.
const GROUP_ROWS: usize = 1 << 18;

/// Columns whose values mostly grow from row to row.
const GROWING: [&str; 5] = ["time", "server_time", "match_time", "message", "number"];

/// A Parquet file that is being written: row groups are finished while rows still come.
pub struct ParquetFile<W: Write + Send>(ArrowWriter<W>);

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When the first bytes cannot be written.
    pub fn new(out: W, schema: &SchemaRef) -> Result<Self, ParquetError> {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(concat!("fragreel ", env!("CARGO_PKG_VERSION")).to_owned());
        for field in schema.fields() {
            let path = ColumnPath::from(field.name().as_str());
            // Places seldom come again; clocks and numbers of frames grow.
            if field.data_type().is_floating() {
                properties = properties.set_column_dictionary_enabled(path, false);
            } else if GROWING.contains(&field.name().as_str()) && field.data_type().is_integer() {
                properties = properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
            }
        }
        Ok(ParquetFile(ArrowWriter::try_new(out, schema.clone(), Some(properties.build()))?))
    }

    /// Adds rows. Texts may be dictionaries.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.0.write(batch)
    }

    /// How many bytes the row group takes in memory until its end.
    pub fn held(&self) -> usize {
        self.0.memory_size()
    }

    /// How many bytes are written.
    pub fn written(&self) -> usize {
        self.0.bytes_written()
    }

    /// Ends the row group.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), ParquetError> {
        self.0.flush()
    }

    /// Ends the file and gives back what it was written to.
    ///
    /// # Errors
    /// When its end cannot be written.
    pub fn finish(self) -> Result<W, ParquetError> {
        self.0.into_inner()
    }
}

/// A file of Arrow's interchange format (IPC, "Feather 2") that is being written.
pub struct ArrowFile<W: Write>(FileWriter<W>);

impl<W: Write> ArrowFile<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When the first bytes cannot be written.
    pub fn new(out: W, schema: &SchemaRef) -> Result<Self, ArrowError> {
        Ok(ArrowFile(FileWriter::try_new(out, schema)?))
    }

    /// Adds rows.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.0.write(batch)
    }

    /// Ends the file and gives back what it was written to.
    ///
    /// # Errors
    /// When its end cannot be written.
    pub fn finish(mut self) -> Result<W, ArrowError> {
        self.0.finish()?;
        self.0.into_inner()
    }
}
