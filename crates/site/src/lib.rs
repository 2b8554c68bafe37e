//! Makes a website of an archive of recordings: pages that need no script, lists, feeds, and a search that needs no server.
//!
//! Nothing here opens a file or reads a clock. [`facts::of`] makes the facts of a recording, [`Summary::of`] what lists say of it, and a [`Site`]
//! has the [`Output`]s: each with its path, a key that changes when what it is made of changes, and a way to make it. The same archive and the same
//! settings give the same bytes, in whatever order the recordings come.
//!
//! `docs/site.md` describes the pages and their addresses.

#![warn(unreachable_pub)]

mod alone;
mod archive;
#[cfg(feature = "cards")]
mod card;
mod config;
pub mod data;
pub mod facts;
mod feed;
mod key;
mod library;
mod lists;
mod markdown;
mod options;
mod output;
mod pages;
mod people;
mod plan;
mod site;
mod slug;
mod summary;
mod text;

pub use alone::{HTML_END, HTML_START, board_html, board_markdown};
pub use archive::{Archive, Place, Subject};
pub use config::{BadConfig, Config, Event, Names, Removed};
pub use library::{Failed, Library};
pub use options::{Cards, Layout, Options, Published, Viewer};
pub use output::{Output, OutputKind, Source};
pub use people::People;
pub use site::Site;
pub use slug::slug;
pub use summary::{Played, Row, Summary};
