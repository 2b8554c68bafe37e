//! Recordings in an SQLite database: an index to search, and SQL over tables.
//!
//! A [`Catalogue`] stores for each recording its format, players, chat, damage, and the moments that identify its match. [`Search`] queries it.
//! [`Sql`] runs a query and decodes only the tables and columns that it names. `docs/catalogue.md` documents the schema. Any SQLite tool opens the
//! file. This is the one library that opens files: SQLite does it.
//!
//! ```
//! use fragreel_tables::catalogue::{Catalogue, Entry, Looked, Search, Stamp};
//!
//! let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
//! let entry = Entry::of(&fragreel_tables::Source::new(&recording, "dm_bots.dm_71"));
//!
//! let mut catalogue = Catalogue::in_memory()?;
//! catalogue.put_all(&[("dm_bots.dm_71".into(), Stamp::default(), Looked::Recording(entry.into()))])?;
//! let found = catalogue.find(&Search { players: vec!["gargoyle".into()], map: Some("oa_*".into()), ..Search::default() })?;
//! assert_eq!(found.recordings[0].path, "dm_bots.dm_71");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choose;
mod entry;
mod error;
mod find;
mod functions;
mod marks;
mod schema;
mod search;
mod sql;
mod store;
mod version;

pub use entry::Entry;
pub use error::Error;
pub use find::{Found, Hits, Relation, Same};
pub use marks::{Mark, Marks};
pub use search::Search;
pub use sql::{Answer, Cell, Sql};
pub use store::{Catalogue, Duplicates, File, Looked, Stamp};
pub use version::VERSION;
