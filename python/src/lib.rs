//! The Python module `fragreel._native`: what `fragreel` answers, as Python has it. No logic is here.

mod command;
mod demo;
mod edit;
mod error;
mod failure;
mod file;
mod frames;
mod json;
mod places;
mod reader;
mod rows;
mod scan;
mod table;
mod text_form;
mod time;
mod work;

use pyo3::prelude::*;

/// The compiled part of the package `fragreel`.
#[pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::demo::Demo;
    #[pymodule_export]
    use crate::edit::Edited;
    #[pymodule_export]
    use crate::error::{DamagedError, Error, LimitError, MisuseError, UnsupportedError, failure};
    #[pymodule_export]
    use crate::frames::{FrameIterator, Frames};
    #[pymodule_export]
    use crate::places::recordings_at;
    #[pymodule_export]
    use crate::rows::{TableRows, table_from_ipc};
    #[pymodule_export]
    use crate::scan::{Batches, Scan};
    #[pymodule_export]
    use crate::table::{Table, tables_declared};
    #[pymodule_export]
    use crate::text_form::{compile, is_recording_name, join, set_encoding};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        crate::error::put_defaults(module.py())
    }
}
