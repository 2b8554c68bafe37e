//! One file of an export.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use fragreel_tables::{Batch, Query, Value};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::failure::unwritable;
use crate::atomic_file::{Draft, Inputs, Target};
use crate::cells;
use crate::failure::{Failure, FailureKind};
use crate::output::hex;

/// What files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Apache Parquet
    Parquet,
    /// Arrow's interchange format, also known as Feather
    Arrow,
    /// Comma-separated values with a header line
    Csv,
    /// One JSON object per line
    Jsonl,
}

impl Default for Format {
    fn default() -> Self {
        if cfg!(feature = "parquet") { Format::Parquet } else { Format::Csv }
    }
}

impl Format {
    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
        }
    }

    /// Refuses what this command was built without.
    pub fn must_be_built_in(self) -> Result<(), Failure> {
        if cfg!(feature = "parquet") || matches!(self, Format::Csv | Format::Jsonl) {
            return Ok(());
        }
        Err(Failure::new(format!("this command was built without {}", self.extension()))
            .kind(FailureKind::Unsupported)
            .help("Build it with `cargo install --path crates/cli --features parquet`, or use --format csv or jsonl."))
    }
}

/// How the pages of Parquet files are compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Codec {
    /// Fast
    #[default]
    Snappy,
    /// A third smaller
    Zstd,
}

impl Codec {
    #[cfg(feature = "parquet")]
    fn of_pages(self) -> fragreel_tables::write::Codec {
        match self {
            Codec::Snappy => fragreel_tables::write::Codec::Snappy,
            Codec::Zstd => fragreel_tables::write::Codec::Zstd,
        }
    }
}

/// How files are written.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    pub format: Format,
    pub codec: Codec,
    /// Whether cells of comma-separated values may look like formulas.
    pub formulas: bool,
}

impl From<Format> for Style {
    fn from(format: Format) -> Self {
        Style { format, codec: Codec::default(), formulas: true }
    }
}

/// A file that is being written, as a draft.
pub struct Part {
    draft: Draft,
    writer: Writer,
    pub rows: u64,
}

enum Writer {
    /// And whether cells may look like formulas.
    Csv(BufWriter<File>, bool),
    Jsonl(BufWriter<File>, Vec<&'static str>),
    #[cfg(feature = "parquet")]
    Parquet(Box<fragreel_tables::write::ParquetFile<File>>),
    #[cfg(feature = "parquet")]
    Arrow(Box<fragreel_tables::write::ArrowFile<BufWriter<File>>>, fragreel_tables::arrow::SchemaRef),
}

/// The columns of a file.
pub struct Shape {
    names: Vec<&'static str>,
    #[cfg(feature = "parquet")]
    schema: fragreel_tables::arrow::SchemaRef,
}

impl Shape {
    fn of(query: &Query) -> Self {
        Shape {
            names: query.names(),
            #[cfg(feature = "parquet")]
            schema: fragreel_tables::arrow::schema(query),
        }
    }

    /// Columns of text.
    pub fn texts(names: &[&'static str]) -> Self {
        Shape {
            names: names.to_vec(),
            #[cfg(feature = "parquet")]
            schema: fragreel_tables::arrow::schema_of(&names.iter().map(|name| ((*name).to_owned(), fragreel_tables::Type::Text)).collect::<Vec<_>>()),
        }
    }
}

/// What a finished file is.
pub struct Finished {
    pub bytes: u64,
    pub sha256: String,
    pub rows: u64,
}

impl Part {
    /// Begins a file. `force`: what is there already may be replaced.
    pub fn new(path: &Path, style: Style, query: &Query, force: bool) -> Result<Self, Failure> {
        Self::with(path, style, &Shape::of(query), force)
    }

    /// Like [`new`](Self::new), for columns that no table declares.
    pub fn with(path: &Path, style: Style, shape: &Shape, force: bool) -> Result<Self, Failure> {
        let mut draft = Draft::new(Target::of(path, &Inputs::none(), force)?)?;
        let file = draft.file().try_clone().map_err(|error| unwritable(path, error))?;
        let writer = Self::writer(file, style, shape).map_err(|error| unwritable(path, error))?;
        Ok(Part { draft, writer, rows: 0 })
    }

    fn writer(file: File, style: Style, shape: &Shape) -> io::Result<Writer> {
        Ok(match style.format {
            Format::Csv => {
                let mut out = BufWriter::new(file);
                writeln!(out, "{}", shape.names.join(","))?;
                Writer::Csv(out, style.formulas)
            }
            Format::Jsonl => Writer::Jsonl(BufWriter::new(file), shape.names.clone()),
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let file = fragreel_tables::write::ParquetFile::new(file, &shape.schema, style.codec.of_pages()).map_err(io::Error::other)?;
                Writer::Parquet(Box::new(file))
            }
            #[cfg(feature = "parquet")]
            Format::Arrow => {
                let file = fragreel_tables::write::ArrowFile::new(BufWriter::new(file), &shape.schema).map_err(io::Error::other)?;
                Writer::Arrow(Box::new(file), shape.schema.clone())
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet | Format::Arrow => return Err(io::ErrorKind::Unsupported.into()),
        })
    }

    /// Adds rows.
    pub fn write(&mut self, batch: Batch) -> Result<(), Failure> {
        self.rows += batch.rows as u64;
        let written = match &mut self.writer {
            Writer::Csv(out, true) => fragreel_tables::write::csv(&batch, out),
            Writer::Csv(out, false) => harmless(&batch, out),
            Writer::Jsonl(out, names) => fragreel_tables::write::json_lines(&batch, names, out),
            #[cfg(feature = "parquet")]
            Writer::Parquet(file) => file.write(&batch).map_err(io::Error::other),
            #[cfg(feature = "parquet")]
            Writer::Arrow(file, schema) => {
                fragreel_tables::arrow::record_batch(schema, batch).map_err(io::Error::other).and_then(|batch| file.write(&batch).map_err(io::Error::other))
            }
        };
        written.map_err(|error| self.failed(error))
    }

    /// The file's name.
    pub fn name(&self) -> String {
        self.draft.target().shown().file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// How many bytes it holds in memory.
    pub fn held(&self) -> usize {
        match &self.writer {
            #[cfg(feature = "parquet")]
            Writer::Parquet(file) => file.held(),
            _ => 0,
        }
    }

    /// Lets go of what it holds in memory.
    pub fn flush(&mut self) -> Result<(), Failure> {
        #[cfg(feature = "parquet")]
        if let Writer::Parquet(file) = &mut self.writer {
            return file.flush().map_err(|error| self.failed(io::Error::other(error)));
        }
        Ok(())
    }

    /// How many bytes of it are out.
    pub fn written(&mut self) -> u64 {
        self.draft.file().metadata().map_or(0, |metadata| metadata.len())
    }

    fn failed(&self, error: io::Error) -> Failure {
        unwritable(self.draft.target().shown(), error)
    }

    /// Ends the file and puts it in place.
    pub fn finish(self) -> Result<Finished, Failure> {
        let Part { mut draft, writer, rows } = self;
        let shown = draft.target().shown().to_owned();
        let failed = |error: io::Error| unwritable(&shown, error);
        match writer {
            Writer::Csv(mut out, _) | Writer::Jsonl(mut out, _) => out.flush(),
            #[cfg(feature = "parquet")]
            Writer::Parquet(file) => file.finish().map(drop).map_err(io::Error::other),
            #[cfg(feature = "parquet")]
            Writer::Arrow(file, _) => file.finish().map_err(io::Error::other).and_then(|mut out| out.flush()),
        }
        .map_err(failed)?;
        draft.place()?;
        let (bytes, sha256) = hash(&shown).map_err(failed)?;
        Ok(Finished { bytes, sha256, rows })
    }
}

/// Comma-separated values that no spreadsheet takes for formulas.
fn harmless(batch: &Batch, out: &mut impl Write) -> io::Result<()> {
    let shown = |value: Value<'_>| match value {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Real(value) => format!("{value:?}"),
        Value::Double(value) => format!("{value:?}"),
        Value::Text(text) => text.to_owned(),
    };
    let mut text = Vec::new();
    for row in 0..batch.rows {
        let row: Vec<String> = batch.columns.iter().map(|values| shown(values.get(row))).collect();
        cells::write(&mut text, &row.iter().map(String::as_str).collect::<Vec<_>>(), false);
    }
    out.write_all(&text)
}

/// The length of a file and its hash.
pub fn hash(path: &Path) -> io::Result<(u64, String)> {
    let (mut file, mut hash, mut buffer, mut bytes) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16], 0);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((bytes, hex(&hash.finalize())));
        }
        bytes += read as u64;
        hash.update(&buffer[..read]);
    }
}
