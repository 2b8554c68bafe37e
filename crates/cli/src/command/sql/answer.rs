//! How an answer is written.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;

use fragreel_tables::catalogue::{Answer, Cell};
use serde_json::{Number, Value};

use crate::atomic_file::{self, Draft, Inputs, Target};
use crate::failure::{Failure, Stop};
use crate::output::{self, Output, hex, printable};
use crate::shell::Shell;
use crate::{cells, table};

/// What an answer is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// Comma-separated values with a header line
    Csv,
    /// One JSON object per row
    Json,
    /// Apache Parquet, into a file
    Parquet,
}

/// Where the answer goes.
pub struct Writer {
    format: Format,
    /// Whether cells may look like formulas.
    formulas: bool,
    target: Option<Target>,
    names: Vec<String>,
    rows: Rows,
    /// Why no more rows are taken.
    failed: Option<Stop>,
}

/// What becomes of rows.
enum Rows {
    /// They wait for the others: widths of a table and types of Parquet are those of all.
    Held(Vec<Answer>),
    /// They go out as they come.
    Out(Output),
    /// The same, into a file that comes into place when it is complete.
    File(Draft, BufWriter<File>),
}

impl Writer {
    /// Looks at the place before anything is decoded.
    pub fn new(format: Format, formulas: bool, path: Option<&Path>, inputs: &Inputs, force: bool) -> Result<Self, Failure> {
        if format == Format::Parquet {
            crate::command::export::Format::Parquet.must_be_built_in()?;
            if path.is_none() {
                return Err(Failure::new("Parquet is written into a file").help("Name it with -o FILE."));
            }
        }
        let target = path.map(|path| Target::of(path, inputs, force)).transpose()?;
        Ok(Writer { format, formulas, target, names: Vec::new(), rows: Rows::Held(Vec::new()), failed: None })
    }

    /// Takes the names of the columns. Rows follow.
    pub fn begin(&mut self, names: &[String]) {
        self.names = names.to_vec();
        if let Err(stop) = self.open() {
            self.failed = Some(stop);
        }
    }

    fn open(&mut self) -> Result<(), Stop> {
        if matches!(self.format, Format::Table | Format::Parquet) {
            return Ok(());
        }
        self.rows = match self.target.take() {
            None => Rows::Out(output::stdout()),
            Some(target) => {
                let mut draft = Draft::new(target)?;
                let file = draft.file().try_clone().map_err(|error| atomic_file::unwritable(draft.target(), error))?;
                Rows::File(draft, BufWriter::new(file))
            }
        };
        if self.format == Format::Csv {
            let names = self.names.iter().map(String::as_str).collect::<Vec<_>>();
            let mut text = Vec::new();
            cells::write(&mut text, &names, self.formulas);
            self.out(&text)?;
        }
        Ok(())
    }

    /// Takes a row, and says whether more are wanted.
    pub fn row(&mut self, row: Answer) -> ControlFlow<()> {
        if self.failed.is_some() {
            return ControlFlow::Break(());
        }
        if let Rows::Held(rows) = &mut self.rows {
            rows.push(row);
            return ControlFlow::Continue(());
        }
        let text = line(self.format, self.formulas, &self.names, &row);
        match self.out(&text) {
            Ok(()) => ControlFlow::Continue(()),
            Err(stop) => {
                self.failed = Some(stop);
                ControlFlow::Break(())
            }
        }
    }

    fn out(&mut self, text: &[u8]) -> Result<(), Stop> {
        match &mut self.rows {
            Rows::Held(_) => Ok(()),
            Rows::Out(out) => Ok(out.write_all(text)?),
            Rows::File(draft, file) => Ok(file.write_all(text).map_err(|error| atomic_file::unwritable(draft.target(), error))?),
        }
    }

    /// Writes what was held, and puts a file in place.
    pub fn finish(self, shell: &Shell) -> Result<(), Stop> {
        let Writer { format, target, names, rows, failed, .. } = self;
        if let Some(stop) = failed {
            return Err(stop);
        }
        match (rows, target) {
            (Rows::Out(mut out), _) => Ok(out.flush()?),
            (Rows::File(mut draft, mut file), _) => {
                file.flush().map_err(|error| atomic_file::unwritable(draft.target(), error))?;
                Ok(draft.place()?)
            }
            (Rows::Held(rows), None) => {
                let mut out = output::stdout();
                show(shell, &mut out, &names, &rows)?;
                Ok(out.flush()?)
            }
            (Rows::Held(rows), Some(target)) => {
                let mut text = Vec::new();
                match format {
                    #[cfg(feature = "parquet")]
                    Format::Parquet => text = parquet(&names, rows)?,
                    _ => show(shell, &mut text, &names, &rows)?,
                }
                Ok(Draft::put(target, &text)?)
            }
        }
    }
}

fn show(shell: &Shell, out: &mut impl Write, names: &[String], rows: &[Answer]) -> Result<(), Stop> {
    let headings: Vec<String> = names.iter().map(|name| printable(name).into_owned()).collect();
    let mut table = table::Rows::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
    for row in rows {
        table.push(shell, out, row.iter().map(|cell| printable(&shown(cell, "-")).into_owned()).collect())?;
    }
    Ok(table.flush(shell, out)?)
}

fn shown(cell: &Cell, nothing: &str) -> String {
    match cell {
        Cell::Null => nothing.to_owned(),
        Cell::Int(value) => value.to_string(),
        Cell::Real(value) => value.to_string(),
        Cell::Text(text) => text.clone(),
        Cell::Bytes(bytes) => hex(bytes),
    }
}

/// A row as text: an object, or comma-separated values.
fn line(format: Format, formulas: bool, names: &[String], row: &Answer) -> Vec<u8> {
    let mut text = Vec::new();
    if format != Format::Json {
        let row: Vec<String> = row.iter().map(|cell| shown(cell, "")).collect();
        cells::write(&mut text, &row.iter().map(String::as_str).collect::<Vec<_>>(), formulas);
        return text;
    }
    // In the order of the query, which a map would not keep.
    let mut gap = "{";
    for (name, cell) in names.iter().zip(row) {
        let value = match cell {
            Cell::Null => Value::Null,
            Cell::Int(value) => Value::from(*value),
            Cell::Real(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
            other => Value::String(shown(other, "")),
        };
        // Writing to memory cannot fail.
        let _ = write!(text, "{gap}{}:{value}", Value::from(name.as_str()));
        gap = ",";
    }
    text.extend_from_slice(b"}\n");
    text
}

/// A column's type is that of its values; where they are of several, text.
#[cfg(feature = "parquet")]
fn parquet(names: &[String], rows: Vec<Answer>) -> Result<Vec<u8>, Failure> {
    use fragreel_tables::{Type, Value, Values};
    let kind = |column: usize| {
        let mut kind = None;
        for cell in rows.iter().map(|row| &row[column]) {
            kind = match (kind, cell) {
                (kind, Cell::Null) => kind,
                (None | Some(Type::Long), Cell::Int(_)) => Some(Type::Long),
                (None | Some(Type::Long | Type::Double), Cell::Int(_) | Cell::Real(_)) => Some(Type::Double),
                _ => Some(Type::Text),
            };
        }
        kind.unwrap_or(Type::Text)
    };
    let columns: Vec<(String, Type)> = names.iter().enumerate().map(|(at, name)| (name.clone(), kind(at))).collect();
    let mut values: Vec<Values> = columns.iter().map(|(_, kind)| Values::new(*kind)).collect();
    for row in &rows {
        for ((cell, (_, kind)), values) in row.iter().zip(&columns).zip(&mut values) {
            match (cell, kind) {
                (Cell::Null, _) => values.push(Value::Null),
                (Cell::Int(value), Type::Double) => values.push(Value::Double(*value as f64)),
                (Cell::Int(value), Type::Long) => values.push(Value::Int(*value)),
                (Cell::Real(value), Type::Double) => values.push(Value::Double(*value)),
                (other, _) => values.push(Value::Text(&shown(other, ""))),
            }
        }
    }
    let failed = |error: String| Failure::new("the answer cannot be written as Parquet").help(error);
    let schema = fragreel_tables::arrow::schema_of(&columns);
    let mut file =
        fragreel_tables::write::ParquetFile::new(Vec::new(), &schema, fragreel_tables::write::Codec::default()).map_err(|error| failed(error.to_string()))?;
    let batch = fragreel_tables::Batch { columns: values, rows: rows.len() };
    file.write(&batch).map_err(|error| failed(error.to_string()))?;
    file.finish().map_err(|error| failed(error.to_string()))
}
