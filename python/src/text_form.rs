//! Functions that no single recording has.

use fragreel::Recording;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::demo::Demo;
use crate::edit::Edited;
use crate::error::{DamagedError, MisuseError, exception};
use crate::work::away;

/// The recording of a text form, as bytes.
#[pyfunction]
pub fn compile<'py>(py: Python<'py>, text: Vec<u8>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = away(py, move || fragreel::text_form::compile(&text))?;
    Ok(PyBytes::new(py, &bytes.map_err(|error| DamagedError::new_err(error.to_string()))?))
}

/// One recording of parts of one session, in order.
#[pyfunction]
pub fn join(py: Python<'_>, parts: Vec<PyRef<'_, Demo>>) -> PyResult<Edited> {
    let parts: Vec<_> = parts.iter().map(|part| part.recording.clone()).collect();
    let joined = away(py, move || {
        let edited = Recording::join(&parts)?;
        let checked = Recording::check_joined(&parts, &edited)?;
        Ok(Edited::new(edited, checked.verification.is_whole(), Some(checked.comparison.differing)))
    })?;
    joined.map_err(|error| exception(py, &error))
}

/// Chooses the code page of names and chat that are no UTF-8, for all that is read from now on; `None` for none.
#[pyfunction]
#[pyo3(signature = (name))]
pub fn set_encoding(name: Option<&str>) -> PyResult<()> {
    let page = name.map(|name| {
        let names = || fragreel::code_page::CodePage::names().collect::<Vec<_>>().join(", ");
        fragreel::code_page::CodePage::named(name).ok_or_else(|| MisuseError::new_err(format!("{name:?} is none of {}", names())))
    });
    fragreel::code_page::choose(page.transpose()?);
    Ok(())
}

/// Whether a file's name is one that recordings have.
#[pyfunction]
pub fn is_recording_name(name: &str) -> bool {
    fragreel::is_recording_name(name)
}
