//! Failures of writing an export.

use std::path::Path;

use crate::failure::Failure;

/// The failure of writing there.
pub fn unwritable(path: &Path, error: std::io::Error) -> Failure {
    Failure::new(format!("cannot write `{}`", path.display()))
        .because(error)
        .help("Check free space and permissions. Everything in the manifest is complete; --resume continues from there.")
}
