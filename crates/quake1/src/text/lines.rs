//! The kinds of lines.

use std::sync::LazyLock;

use fragreel_base::textform::Names;

pub(super) const RECORDING: usize = 0;
pub(super) const BLOCK: usize = 1;
pub(super) const COMMAND: usize = 2;
pub(super) const SEQUENCES: usize = 3;
pub(super) const OPAQUE: usize = 4;

/// The names of the kinds.
pub(super) static LINES: LazyLock<Names> = LazyLock::new(|| Names::new(["recording", "block", "command", "sequences", "opaque"]));
