//! Names of files in answers for machines, and the paths that they stand for.

use std::path::{Path, PathBuf};

use fragreel::model::game_text;

/// The name for standard input.
pub const STDIN: &str = "-";

/// A path in answers for machines, by the rule of game text: a byte that is no UTF-8 is the character U+E000 + byte, so the file
/// can be found again.
pub fn name(path: &Path) -> String {
    game_text(path.as_os_str().as_encoded_bytes())
}

/// The path that [`name`] made a name of.
pub fn path_of(name: &str) -> PathBuf {
    let bytes = fragreel::model::game_bytes(name);
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        std::ffi::OsString::from_vec(bytes).into()
    }
    #[cfg(not(unix))]
    {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}
