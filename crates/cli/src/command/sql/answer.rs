//! How an answer is written.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use catalogue::{Answer, Cell};
use serde_json::{Number, Value};

use crate::draft::{Draft, Inputs, Target};
use crate::failure::{Failure, Stop};
use crate::output::{self, printable};
use crate::shell::Shell;
use crate::{cells, table};

/// What an answer is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// Comma-separated values with a line of headings
    Csv,
    /// One JSON object a row
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
        Ok(Writer { format, formulas, target, names: Vec::new() })
    }

    /// The names of the columns.
    pub fn names(&mut self, names: Vec<String>) {
        self.names = names;
    }

    /// Keeps a row.
    pub fn take_or_hold(&self, row: Answer, held: &mut Vec<Answer>) -> ControlFlow<()> {
        held.push(row);
        ControlFlow::Continue(())
    }

    /// Writes the rows.
    pub fn finish(self, shell: &Shell, rows: Vec<Answer>) -> Result<(), Stop> {
        let Writer { format, formulas, target, names } = self;
        let Some(target) = target else {
            let mut out = output::stdout();
            if format == Format::Table {
                show(shell, &mut out, &names, &rows)?;
            } else {
                write(&mut out, format, formulas, &names, &rows)?;
            }
            return Ok(out.flush()?);
        };
        let mut text = Vec::new();
        match format {
            Format::Table => show(shell, &mut text, &names, &rows)?,
            #[cfg(feature = "parquet")]
            Format::Parquet => text = parquet(&names, rows)?,
            format => write(&mut text, format, formulas, &names, &rows)?,
        }
        Ok(Draft::put(target, &text)?)
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
        Cell::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

fn write(out: &mut impl Write, format: Format, formulas: bool, names: &[String], rows: &[Answer]) -> Result<(), Stop> {
    if format == Format::Json {
        for row in rows {
            // In the order of the query, which a map would not keep.
            let mut gap = "{";
            for (name, cell) in names.iter().zip(row) {
                let value = match cell {
                    Cell::Null => Value::Null,
                    Cell::Int(value) => Value::from(*value),
                    Cell::Real(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
                    other => Value::String(shown(other, "")),
                };
                write!(out, "{gap}{}:{value}", Value::from(name.as_str()))?;
                gap = ",";
            }
            out.write_all(b"}\n")?;
        }
        return Ok(());
    }
    let mut text = Vec::new();
    let rows = rows.iter().map(|row| row.iter().map(|cell| shown(cell, "")).collect());
    for row in std::iter::once(names.to_vec()).chain(rows) {
        cells::write(&mut text, &row.iter().map(String::as_str).collect::<Vec<_>>(), formulas);
        out.write_all(&text)?;
        text.clear();
    }
    Ok(())
}

/// A column's type is that of its values; where they are of several, text.
#[cfg(feature = "parquet")]
fn parquet(names: &[String], rows: Vec<Answer>) -> Result<Vec<u8>, Failure> {
    use tables::{Type, Value, Values};
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
    let schema = tables::arrow::schema_of(&columns);
    let mut file = tables::write::ParquetFile::new(Vec::new(), &schema).map_err(|error| failed(error.to_string()))?;
    let batch = tables::Batch { columns: values, rows: rows.len() };
    file.write(&batch).map_err(|error| failed(error.to_string()))?;
    file.finish().map_err(|error| failed(error.to_string()))
}
