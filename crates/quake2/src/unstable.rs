//! What the crates above the families use of this one. It may change in any version.

pub use crate::encode::{block_writer, canonical, mvd, mvd_signon, reencode, signon, strings};

/// The limits of engines.
pub mod limits {
    pub use crate::limits::{AREAS, fatal, holds};
}
