//! Answers as Python objects, with the names and shapes of the command's JSON.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;

/// Any answer as dictionaries, lists, strings and numbers.
pub fn object<'py>(py: Python<'py>, answer: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(answer).map_err(|error| Error::new_err(error.to_string()))?;
    from_value(py, &value)
}

/// The same of a value that is JSON already.
pub fn from_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => py.None().into_bound_py_any(py),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (None, Some(number)) => number.into_bound_py_any(py),
            _ => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(from_value(py, value)?)?;
            }
            list.into_bound_py_any(py)
        }
        Value::Object(members) => {
            let dict = PyDict::new(py);
            for (name, value) in members {
                dict.set_item(name, from_value(py, value)?)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}
