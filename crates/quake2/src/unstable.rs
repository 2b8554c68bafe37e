//! What the crates above the families use of this one. It may change in any version.

pub use crate::encode::{block_writer, canonical, mvd, mvd_signon, reencode, signon, strings};

/// The limits of engines.
pub mod limits {
    pub use crate::limits::{AREAS, fatal, holds};
}

/// Recordings of all players, as clients of protocol 34 receive them.
pub mod views {
    pub use crate::edit::downgrade::Downgrade;
    pub use crate::edit::pov::{find, first};
    pub use crate::edit::translate::{Eyes, Translated, Translator, has_several_views, name, players};
}
