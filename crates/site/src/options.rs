//! What a site needs to know besides its recordings.

use crate::config::Config;
use crate::facts::Moment;
use crate::summary::Summary;

/// Files of the viewer: the paths and bytes that `cargo xtask web` made.
pub type Viewer<'a> = &'a [(&'a str, &'a [u8])];

/// What a site needs to know besides its recordings.
pub struct Options<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The viewer; empty for a site without one.
    pub viewer: Viewer<'a>,
    /// The copy of a recording on the site; absent where it is not published.
    pub published: &'a (dyn Fn(&Summary) -> Option<Published> + Sync),
    /// The path of the clip of a moment of a recording; absent where there is none.
    pub clip: &'a (dyn Fn(&Summary, &Moment) -> Option<String> + Sync),
    /// Whether the site has tables of its data: whether [`Library::table`](crate::Library::table) makes files.
    pub data: bool,
    /// How the figures of recordings are kept.
    pub layout: Layout,
    /// Which recordings have a card. There are none without the feature `cards`, nor without an address of the site: chat programs want the full one.
    pub cards: Cards,
}

/// Which recordings have a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cards {
    /// All.
    All,
    /// Those that have one of the best moments.
    Best,
    /// None.
    None,
}

/// How the figures of recordings are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `m.json` and `m.md` beside each page.
    Full,
    /// At most 256 files of JSON Lines for all, and no `m.md`: few files, for large archives.
    Compact,
}

/// The copy of a recording on a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its path from the root. What is in the file decides it, so that it never changes.
    pub path: String,
    /// What the copy lacks, as words behind its name; empty for one that lacks nothing.
    pub lacks: String,
}
