//! Recordings in an SQLite database.
//!
//! A [`Catalogue`] is an index of many recordings: what they are, who played and said what, what is broken, and by which moments they
//! are known again. [`Search`] asks it. [`Sql`] makes only the tables and columns that a query names. `docs/catalogue.md` documents the
//! schema; any SQLite tool opens the file.
//!
//! ```
//! use catalogue::{Catalogue, Entry, Search, Stamp};
//!
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
//! let recording = demo.open()?;
//! let entry = Entry::of(&tables::Source::new(&demo, &recording, "dm_bots.dm_71"));
//!
//! let mut catalogue = Catalogue::in_memory()?;
//! catalogue.put_all(&[("dm_bots.dm_71".into(), Stamp::default(), Ok(entry))])?;
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
mod sql;
mod store;

pub use entry::Entry;
pub use error::Error;
pub use find::{Found, Hits, Relation, Same, Search};
pub use marks::{Mark, Marks};
pub use schema::VERSION;
pub use sql::{Answer, Cell, Sql};
pub use store::{Catalogue, Stamp};
