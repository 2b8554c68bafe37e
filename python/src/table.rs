//! Tables, as Arrow sees them.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::SchemaRef;
use arrow_schema::ffi::FFI_ArrowSchema;
use fragreel_tables::Query;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::demo::Demo;
use crate::error::{Error, misuse};
use crate::failure::failed;
use crate::time::Time;

/// Rows in columns. Polars, DuckDB, pyarrow and pandas take it as it is, without a copy: `polars.DataFrame(table)`,
/// `pyarrow.table(table)`, `duckdb.sql("select … from table")`. Without them, `table["column"]` is a list, `table[3]` a dictionary, and a loop runs over
/// dictionaries.
#[pyclass(frozen, module = "fragreel")]
pub struct Table {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

impl Table {
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Table { schema, batches }
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    pub(crate) fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// How many rows there are.
    #[getter]
    pub(crate) fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    /// The schema, for libraries that use the Arrow PyCapsule interface. Fields carry `about` and `unit`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule_of_schema(py, &self.schema)
    }

    /// The rows, for libraries that use the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(&self, py: Python<'py>, requested_schema: Option<Bound<'py, PyCapsule>>) -> PyResult<Bound<'py, PyCapsule>> {
        let rows = arrow_array::RecordBatchIterator::new(self.batches.clone().into_iter().map(Ok), self.schema.clone());
        stream(py, Box::new(rows), requested_schema.as_ref())
    }

    /// A `polars.DataFrame`.
    fn to_polars<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// A `pandas.DataFrame`.
    fn to_pandas<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method0("to_pandas")
    }

    /// A `pyarrow.Table`.
    fn to_pyarrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }
}

/// A schema as a capsule.
pub fn capsule_of_schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(|error| Error::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Rows that come as they are pulled, as a capsule. Another schema is for pyarrow to give them, where it is there; elsewhere they come as they are, which
/// the interface allows. A library that casts every type of Arrow into every other was half of the package.
pub fn stream<'py>(
    py: Python<'py>,
    rows: Box<dyn RecordBatchReader + Send>,
    requested_schema: Option<&Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let capsule = PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(rows), c"arrow_array_stream")?;
    let Some((schema, pyarrow)) = requested_schema.zip(py.import("pyarrow").ok()) else { return Ok(capsule) };
    let reader = pyarrow.getattr("RecordBatchReader")?;
    if !reader.hasattr("cast")? {
        return Ok(capsule);
    }
    let schema = pyarrow.getattr("Schema")?.call_method1("_import_from_c_capsule", (schema,))?;
    let cast = reader.call_method1("_import_from_c_capsule", (capsule,))?.call_method1("cast", (schema,))?;
    Ok(cast.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?)
}

/// A query of the names and conditions that Python gave.
pub fn query(table: &str, columns: Option<Vec<String>>, filters: Option<Vec<String>>, hz: Option<f64>) -> PyResult<Query> {
    let refused = |error: fragreel_tables::QueryError| misuse(error.to_string());
    let mut query = Query::of(table).map_err(refused)?;
    if let Some(columns) = columns {
        query = query.columns(columns).map_err(refused)?;
    }
    for condition in filters.unwrap_or_default() {
        query = query.filter(&condition).map_err(refused)?;
    }
    match hz {
        Some(rate) if rate > 0.0 && rate.is_finite() => Ok(query.hz(rate)),
        Some(rate) => Err(misuse(format!("{rate} is no rate: give frames a second, such as 10"))),
        None => Ok(query),
    }
}

/// Conditions that a stretch of time means.
pub fn within(start: Option<Time>, end: Option<Time>) -> PyResult<Vec<String>> {
    let mut conditions = Vec::new();
    if let Some(start) = start {
        conditions.push(format!("time >= {}", start.milliseconds()?.0));
    }
    if let Some(end) = end {
        conditions.push(format!("time <= {}", end.milliseconds()?.0));
    }
    Ok(conditions)
}

#[pymethods]
impl Demo {
    /// A table of this recording: `table("positions", columns=["time", "name", "x", "y"], where=["health > 0"], hz=10)`.
    /// `fragreel.tables()` says which there are; only what is named is decoded.
    #[pyo3(signature = (name, columns = None, *, r#where = None, hz = None, start = None, end = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn table(
        &self,
        py: Python<'_>,
        name: &str,
        columns: Option<Vec<String>>,
        r#where: Option<Vec<String>>,
        hz: Option<f64>,
        start: Option<Time>,
        end: Option<Time>,
    ) -> PyResult<Table> {
        let mut filters = r#where.unwrap_or_default();
        filters.extend(within(start, end)?);
        self.rows(py, query(name, columns, Some(filters), hz)?)
    }

    /// Who killed whom, with what, when.
    #[getter]
    fn kills(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        self.kept(py, "kills")
    }

    /// What was said.
    #[getter]
    fn chat(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        self.kept(py, "chat")
    }

    /// Who took part.
    #[getter]
    fn players(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        self.kept(py, "players")
    }
}

impl Demo {
    /// All rows of a query.
    pub fn rows(&self, py: Python<'_>, query: Query) -> PyResult<Table> {
        let schema = fragreel_tables::arrow::schema(&query);
        let (recording, path, columns) = (self.recording.clone(), self.path.clone(), schema.clone());
        let made = crate::work::away(py, move || {
            let mut batches = Vec::new();
            let source = fragreel_tables::Source::new(&recording, path);
            for batch in fragreel_tables::Batches::new(&source, &query) {
                batches.push(fragreel_tables::arrow::record_batch(&columns, batch)?);
            }
            Ok::<_, crate::failure::Failure>(batches)
        })?;
        made.map(|batches| Table::new(schema, batches)).map_err(|failure| failed(py, failure, &self.path))
    }

    /// A whole table, made once.
    fn kept(&self, py: Python<'_>, name: &str) -> PyResult<Py<Table>> {
        let cache = self.tables(py);
        if let Some(table) = cache.get_item(name)? {
            return Ok(table.cast_into::<Table>()?.unbind());
        }
        let table = Py::new(py, self.rows(py, query(name, None, None, None)?)?)?;
        cache.set_item(name, &table)?;
        Ok(table)
    }
}

/// What tables there are: for each its meaning and its columns with type, unit, meaning and games.
#[pyfunction]
pub fn tables_declared(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for table in fragreel_tables::TABLES.iter() {
        let columns = PyDict::new(py);
        for column in &table.columns {
            let about = PyDict::new(py);
            about.set_item("type", column.kind.name())?;
            about.set_item("unit", column.unit)?;
            about.set_item("about", column.about)?;
            about.set_item("games", column.games.to_string())?;
            columns.set_item(column.name, about)?;
        }
        let one = PyDict::new(py);
        one.set_item("about", table.about)?;
        one.set_item("columns", columns)?;
        all.set_item(table.name, one)?;
    }
    Ok(all)
}
