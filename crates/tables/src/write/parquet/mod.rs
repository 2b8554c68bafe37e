//! Files of Apache Parquet, and of Arrow's own format.

mod bounds;
mod chunk;
mod codec;
mod index;
mod pack;

use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescPtr;

use crate::batch::Batch;
use crate::column::Values;
use chunk::{Chunk, Scratch};
pub use codec::Codec;

/// A row group ends after this number of rows,
const GROUP_ROWS: usize = 1 << 18;
/// or when a column keeps this number of bytes of texts.
const GROUP_TEXTS: usize = 4 << 20;
/// A page has at least this number of rows, but the last of a row group.
const PAGE_ROWS: usize = 4096;

/// A Parquet file that is being written: row groups are finished while rows still come.
pub struct ParquetFile<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<(ColumnDescPtr, bool, Chunk)>,
    /// Rows of the group in pages so far.
    rows: usize,
    /// Rows that are too few for a page.
    few: Option<Batch>,
    scratch: Scratch,
}

impl<W: Write + Send> ParquetFile<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When the first bytes cannot be written.
    pub fn new(out: W, schema: &SchemaRef, codec: Codec) -> Result<Self, ParquetError> {
        let mut properties = WriterProperties::builder().set_created_by(concat!("fragreel ", env!("CARGO_PKG_VERSION")).to_owned()).build();
        add_encoded_arrow_schema_to_metadata(schema, &mut properties);
        let types = ArrowSchemaConverter::new().convert(schema)?;
        let is_text = schema.fields().iter().map(|field| field.data_type() == &DataType::Utf8);
        let columns = types.columns().iter().cloned().zip(is_text).map(|(column, is_text)| (column, is_text, Chunk::default())).collect();
        let file = SerializedFileWriter::new(out, types.root_schema_ptr(), Arc::new(properties))?;
        Ok(ParquetFile { file, columns, rows: 0, few: None, scratch: Scratch::new(codec)? })
    }

    /// Adds rows, of the columns of the schema in its order.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&mut self, batch: &Batch) -> Result<(), ParquetError> {
        if batch.columns.len() != self.columns.len() {
            return Err(ParquetError::General(format!("{} columns for {}", batch.columns.len(), self.columns.len())));
        }
        if self.few.is_none() && batch.rows >= PAGE_ROWS {
            return self.page(batch);
        }
        let few = match self.few.take() {
            Some(mut few) => {
                few.columns.iter_mut().zip(&batch.columns).for_each(|(values, more)| values.append(more));
                Batch { rows: few.rows + batch.rows, ..few }
            }
            None => batch.clone(),
        };
        if few.rows >= PAGE_ROWS || few.columns.iter().map(Values::bytes).sum::<usize>() >= GROUP_TEXTS {
            return self.page(&few);
        }
        self.few = Some(few);
        Ok(())
    }

    /// Adds a page of rows to the row group.
    fn page(&mut self, batch: &Batch) -> Result<(), ParquetError> {
        for ((_, _, chunk), values) in self.columns.iter_mut().zip(&batch.columns) {
            chunk.add(values, &mut self.scratch)?;
        }
        self.rows += batch.rows;
        let is_full = self.rows >= GROUP_ROWS || self.columns.iter().any(|(_, _, chunk)| chunk.dictionary() >= GROUP_TEXTS);
        if is_full { self.end_group() } else { Ok(()) }
    }

    /// How many bytes the row group takes in memory until its end.
    pub fn held(&self) -> usize {
        let few = self.few.iter().flat_map(|few| &few.columns).map(Values::bytes).sum::<usize>();
        self.columns.iter().map(|(_, _, chunk)| chunk.held()).sum::<usize>() + few
    }

    /// How many bytes are written.
    pub fn written(&self) -> usize {
        self.file.bytes_written()
    }

    /// Ends the row group.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), ParquetError> {
        if let Some(few) = self.few.take() {
            self.page(&few)?;
        }
        self.end_group()
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for (column, is_text, chunk) in &mut self.columns {
            let (bytes, close) = chunk.finish(column, *is_text, &mut self.scratch)?;
            group.append_column(&bytes, close)?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    /// Ends the file and gives back what it was written to.
    ///
    /// # Errors
    /// When its end cannot be written.
    pub fn finish(mut self) -> Result<W, ParquetError> {
        self.flush()?;
        self.file.into_inner()
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
