//! Tables as lists and dictionaries of Python, and as text to look at.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySlice, PyString};

use crate::error::Error;
use crate::table::Table;

/// How many rows are shown.
const SHOWN: usize = 10;
/// How wide a line of text may be, in characters.
const WIDTH: usize = 120;
/// How much of a cell is shown, in characters.
const CELL: usize = 24;

/// A cell as Python has it.
fn cell<'py>(py: Python<'py>, values: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if values.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match values.data_type() {
        DataType::Boolean => values.as_boolean().value(row).into_bound_py_any(py),
        DataType::Int32 => values.as_primitive::<Int32Type>().value(row).into_bound_py_any(py),
        DataType::Int64 => values.as_primitive::<Int64Type>().value(row).into_bound_py_any(py),
        DataType::Float32 => values.as_primitive::<Float32Type>().value(row).into_bound_py_any(py),
        DataType::Float64 => values.as_primitive::<Float64Type>().value(row).into_bound_py_any(py),
        _ => values.as_string::<i32>().value(row).into_bound_py_any(py),
    }
}

/// A cell as text: a number of 32 bits in as few digits as it needs.
fn text(values: &dyn Array, row: usize) -> String {
    if values.is_null(row) {
        return String::from("–");
    }
    match values.data_type() {
        DataType::Boolean => values.as_boolean().value(row).to_string(),
        DataType::Int32 => values.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => values.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float32 => values.as_primitive::<Float32Type>().value(row).to_string(),
        DataType::Float64 => values.as_primitive::<Float64Type>().value(row).to_string(),
        _ => {
            let text = values.as_string::<i32>().value(row);
            let mut shown: String = text.chars().take(CELL).map(|c| if c.is_control() { '·' } else { c }).collect();
            if text.chars().nth(CELL).is_some() {
                shown.push('…');
            }
            shown
        }
    }
}

fn is_number(kind: &DataType) -> bool {
    matches!(kind, DataType::Int32 | DataType::Int64 | DataType::Float32 | DataType::Float64)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Table {
    /// The batch with a row, and the row's place in it.
    fn place(&self, mut row: usize) -> Option<(&RecordBatch, usize)> {
        self.batches.iter().find_map(|batch| {
            let found = (row < batch.num_rows()).then_some((batch, row));
            row = row.saturating_sub(batch.num_rows());
            found
        })
    }

    fn row<'py>(&self, py: Python<'py>, batch: &RecordBatch, row: usize) -> PyResult<Bound<'py, PyDict>> {
        let made = PyDict::new(py);
        for (field, values) in self.schema.fields().iter().zip(batch.columns()) {
            made.set_item(field.name(), cell(py, values, row)?)?;
        }
        Ok(made)
    }

    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let at = self.index_of(name)?;
        let made = PyList::empty(py);
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                made.append(cell(py, batch.column(at), row)?)?;
            }
        }
        Ok(made)
    }

    fn index_of(&self, name: &str) -> PyResult<usize> {
        self.schema.index_of(name).map_err(|_| PyKeyError::new_err(format!("there is no column {name:?}: there are {}", self.column_names().join(", "))))
    }

    /// Rows from one place to another.
    fn part(&self, from: usize, length: usize) -> Table {
        let (mut skip, mut left, mut batches) = (from, length, Vec::new());
        for batch in &self.batches {
            let start = skip.min(batch.num_rows());
            let many = (batch.num_rows() - start).min(left);
            if many > 0 {
                batches.push(batch.slice(start, many));
            }
            skip -= start;
            left -= many;
        }
        Table::new(self.schema.clone(), batches)
    }

    fn columns(&self, names: &[String]) -> PyResult<Table> {
        let places = names.iter().map(|name| self.index_of(name)).collect::<PyResult<Vec<_>>>()?;
        let schema = self.schema.project(&places).map_err(raised)?;
        let batches = self.batches.iter().map(|batch| batch.project(&places)).collect::<Result<_, _>>().map_err(raised)?;
        Ok(Table::new(schema.into(), batches))
    }

    /// The first rows as text, column by column, each with its name.
    fn shown(&self) -> Vec<(String, bool, Vec<String>)> {
        let first: Vec<_> = (0..self.num_rows().min(SHOWN)).filter_map(|row| self.place(row)).collect();
        let column = |(at, field): (usize, &std::sync::Arc<arrow_schema::Field>)| {
            (field.name().clone(), is_number(field.data_type()), first.iter().map(|(batch, row)| text(batch.column(at), *row)).collect())
        };
        self.schema.fields().iter().enumerate().map(column).collect()
    }

    fn size(&self) -> String {
        format!("{} rows, {} columns", self.num_rows(), self.schema.fields().len())
    }
}

fn raised(error: ArrowError) -> PyErr {
    Error::new_err(error.to_string())
}

#[pymethods]
impl Table {
    /// `table["column"]` is the list of its values, `table[["a", "b"]]` a table of these columns, `table[3]` a row as a dictionary, and `table[10:20]` a
    /// table of these rows.
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        if let Ok(name) = key.cast::<PyString>() {
            return self.column(py, name.to_str()?)?.into_bound_py_any(py);
        }
        if let Ok(slice) = key.cast::<PySlice>() {
            let found = slice.indices(self.num_rows().try_into()?)?;
            if found.step != 1 {
                return Err(PyValueError::new_err("rows are taken one after the other: a step other than 1 needs `to_polars()` or `to_pandas()`"));
            }
            return self.part(found.start.try_into()?, found.slicelength).into_bound_py_any(py);
        }
        if let Ok(names) = key.cast::<PyList>() {
            return self.columns(&names.extract::<Vec<String>>()?)?.into_bound_py_any(py);
        }
        let number: isize = key.extract().map_err(|_| PyTypeError::new_err("give a column's name, a list of names, a row's number, or a slice"))?;
        let rows = self.num_rows();
        let place = if number < 0 { rows.checked_add_signed(number) } else { number.try_into().ok() };
        match place.and_then(|row| self.place(row)) {
            Some((batch, row)) => self.row(py, batch, row)?.into_bound_py_any(py),
            None => Err(PyIndexError::new_err(format!("there is no row {number}: there are {rows}"))),
        }
    }

    /// The rows as dictionaries.
    fn __iter__(slf: Bound<'_, Self>) -> TableRows {
        TableRows { table: slf.unbind(), next: std::sync::Mutex::default() }
    }

    /// All rows as dictionaries.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let made = PyList::empty(py);
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                made.append(self.row(py, batch, row)?)?;
            }
        }
        Ok(made)
    }

    /// A table travels to other processes as a stream of Arrow.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let mut writer = StreamWriter::try_new(Vec::new(), &self.schema).map_err(raised)?;
        self.batches.iter().try_for_each(|batch| writer.write(batch)).map_err(raised)?;
        let bytes = writer.into_inner().map_err(raised)?;
        Ok((py.import("fragreel._native")?.getattr("table_from_ipc")?, (PyBytes::new(py, &bytes),)))
    }

    fn __repr__(&self) -> String {
        let mut lines = vec![String::new(); self.num_rows().min(SHOWN) + 1];
        let columns = self.shown();
        let (mut width, mut many) = (0, 0);
        for (name, is_number, cells) in &columns {
            let length = cells.iter().chain([name]).map(|cell| cell.chars().count()).max().unwrap_or_default();
            if many > 0 && width + length + 2 > WIDTH {
                break;
            }
            let gap = if many == 0 { "" } else { "  " };
            for (line, cell) in lines.iter_mut().zip([name].into_iter().chain(cells)) {
                // a string takes any
                let _ = if *is_number { write!(line, "{gap}{cell:>length$}") } else { write!(line, "{gap}{cell:<length$}") };
            }
            width += length + gap.len();
            many += 1;
        }
        let more = |count: usize, what: &str| if count == 0 { String::new() } else { format!(", {count} more {what}") };
        let rest = more(self.num_rows().saturating_sub(SHOWN), "rows") + &more(columns.len() - many, "columns");
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        format!("Table({}{rest})\n{}", self.size(), lines.join("\n"))
    }

    /// The first rows, for notebooks.
    fn _repr_html_(&self) -> String {
        let columns = self.shown();
        let mut html = String::from("<table><thead><tr>");
        for ((name, ..), field) in columns.iter().zip(self.schema.fields()) {
            let about = field.metadata().get("about").map(|about| escaped(about)).unwrap_or_default();
            let unit =
                field.metadata().get("unit").filter(|unit| !unit.is_empty()).map(|unit| format!("<br><small>{}</small>", escaped(unit))).unwrap_or_default();
            let _ = write!(html, "<th title=\"{about}\">{}{unit}</th>", escaped(name));
        }
        html += "</tr></thead><tbody>";
        for row in 0..self.num_rows().min(SHOWN) {
            html += "<tr>";
            for (_, is_number, cells) in &columns {
                let align = if *is_number { "right" } else { "left" };
                let _ = write!(html, "<td style=\"text-align: {align}\">{}</td>", escaped(&cells[row]));
            }
            html += "</tr>";
        }
        let _ = write!(html, "</tbody></table><small>{}</small>", self.size());
        html
    }
}

/// The table of a stream of Arrow, as a pickled table has it.
#[pyfunction]
pub fn table_from_ipc(bytes: &[u8]) -> PyResult<Table> {
    let reader = StreamReader::try_new(bytes, None).map_err(raised)?;
    let schema = reader.schema();
    Ok(Table::new(schema, reader.collect::<Result<_, _>>().map_err(raised)?))
}

/// The rows of a table, one after the other.
#[pyclass(frozen, module = "fragreel")]
pub struct TableRows {
    table: Py<Table>,
    /// The batch, and the row in it.
    next: std::sync::Mutex<(usize, usize)>,
}

#[pymethods]
impl TableRows {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let table = self.table.get();
        let place = {
            let mut next = self.next.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            while table.batches.get(next.0).is_some_and(|batch| next.1 >= batch.num_rows()) {
                *next = (next.0 + 1, 0);
            }
            next.1 += 1;
            (next.0, next.1 - 1)
        };
        table.batches.get(place.0).map(|batch| table.row(py, batch, place.1)).transpose()
    }
}
