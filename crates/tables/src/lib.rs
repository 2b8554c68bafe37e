//! Game recordings as tables, with the same names and units for all games.
//!
//! [`TABLES`] declares tables and columns once; `docs/tables.md` shows them. A [`Query`] is a table with the wanted columns and rows. [`read`]
//! makes the rows of several queries in one pass; [`Batches`] yields those of one. Only what a query names is decoded. [`mod@write`] writes a [`Batch`] as
//! CSV or JSON Lines. The features `arrow` and `files` add Arrow record batches and Parquet.
//!
//! ```
//! use fragreel_tables::{Batches, Query, Source, Value};
//!
//! let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
//! let source = Source::new(&recording, "dm_bots.dm_71");
//! let query = Query::of("kills")?.columns(["time", "attacker", "means"])?.filter("victim = Gargoyle")?;
//! for batch in Batches::new(&source, &query) {
//!     assert_eq!((batch.rows, batch.get(0, 1), batch.get(0, 2)), (3, Value::Text("Grism"), Value::Text("MOD_SHOTGUN")));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(unreachable_pub)]

#[cfg(feature = "arrow")]
pub mod arrow;
mod batch;
mod batches;
#[cfg(feature = "catalogue")]
pub mod catalogue;
mod column;
mod condition;
pub mod declared;
pub mod document;
mod make;
mod query;
mod query_error;
mod schema;
mod source;
pub mod write;

pub use batch::{BATCH_ROWS, Batch};
pub use batches::{Batches, Stream};
pub use column::{Bits, Data, Texts, Value, Values};
pub use condition::{Condition, Operand, Operator};
pub use declared::{COMMON, TABLES, table};
pub use make::{Sink, read};
pub use query::Query;
pub use query_error::QueryError;
pub use schema::{Column, Games, Origin, Range, Table, Type};
pub use source::{Source, recording_id};
