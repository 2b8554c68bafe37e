//! Answers that are lists: one object, row, or line of a table for each item.

use std::io::Write;

use fragreel::Answer;
use serde::Serialize;

use crate::batch::Renderer;
use crate::failure::{Failure, Stop};
use crate::output::Output;
use crate::resume::Format;
use crate::shell::{Outcome, Shell};
use crate::{cells, json, table};

/// How an item is written as a row.
pub struct Columns<T: 'static, const N: usize> {
    /// The columns of `--csv`, in order.
    pub names: &'static [&'static str; N],
    /// The cells of `--csv`, from the path and the item.
    pub values: fn(&str, &T) -> [String; N],
    /// The cells of the table.
    pub row: fn(&str, &T) -> Vec<String>,
    /// What a person reads when there is no item at all.
    pub none: &'static str,
}

/// Writes lists, recording after recording.
pub struct Listing<'a, T: 'static, const N: usize> {
    shell: &'a Shell,
    format: Format,
    formulas: bool,
    headed: bool,
    columns: Columns<T, N>,
    rows: table::Rows,
    is_empty: bool,
}

impl<'a, T, const N: usize> Listing<'a, T, N> {
    pub fn new(shell: &'a Shell, format: Format, formulas: bool, headed: bool, columns: Columns<T, N>, rows: table::Rows) -> Self {
        Listing { shell, format, formulas, headed, columns, rows, is_empty: true }
    }
}

impl<T: Serialize, const N: usize> Renderer<Answer<Vec<T>>> for Listing<'_, T, N> {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer<Vec<T>>) -> Result<Outcome, Stop> {
        self.is_empty &= answer.value.is_empty();
        match self.format {
            Format::Json => {
                for item in &answer.value {
                    json::line(output, &json::About { path, answer: item })?;
                }
            }
            Format::Csv => {
                if !std::mem::replace(&mut self.headed, true) {
                    writeln!(output, "{}", self.columns.names.join(","))?;
                }
                let mut text = Vec::new();
                for item in &answer.value {
                    let values = (self.columns.values)(path, item);
                    cells::write(&mut text, &values.each_ref().map(String::as_str), self.formulas);
                }
                output.write_all(&text)?;
            }
            Format::Table => {
                for item in &answer.value {
                    self.rows.push(self.shell, output, (self.columns.row)(path, item))?;
                }
            }
        }
        super::damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.format == Format::Json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        if self.is_empty && self.format == Format::Table {
            eprintln!("{}", self.columns.none);
        }
        Ok(self.rows.flush(self.shell, output)?)
    }
}
