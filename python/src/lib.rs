//! The Python module `fragreel._native`: what `fragreel` answers, as Python has it. No logic is here.

mod demo;
mod edit;
mod error;
mod file;
mod frames;
mod json;
mod reader;
mod scan;
mod table;
mod text_form;
mod time;
mod work;

use pyo3::prelude::*;

/// The compiled part of the package `fragreel`.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::demo::Demo;
    #[pymodule_export]
    use crate::edit::Edited;
    #[pymodule_export]
    use crate::error::{DamagedError, Error, LimitError, MisuseError, UnsupportedError};
    #[pymodule_export]
    use crate::frames::{FrameIterator, Frames};
    #[pymodule_export]
    use crate::scan::{Batches, Scan};
    #[pymodule_export]
    use crate::table::{Table, tables_declared};
    #[pymodule_export]
    use crate::text_form::{compile, is_recording_name, join, set_encoding};
}
