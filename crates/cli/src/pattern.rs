//! Patterns of paths.

use std::path::Path;

/// Whether a path stands for all files that match it.
pub fn is_pattern(path: &Path) -> bool {
    !path.exists() && path.to_str().is_some_and(|path| path.trim_start_matches(VERBATIM).contains(WILD))
}

/// How Windows begins paths that it takes as they are. The mark in it is no wildcard.
pub const VERBATIM: &str = r"\\?\";

/// What patterns have and other paths do not.
pub const WILD: [char; 4] = ['*', '?', '[', '{'];
