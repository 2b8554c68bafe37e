//! Recordings as JSON Lines and back, without loss (`docs/formats/quake3.md`, "Text form").
//!
//! ```
//! use fragreel_quake3::text::{Compiler, Decompiler};
//!
//! let recording = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
//! let decompiler = Decompiler::new(recording, Some("dm_71"), fragreel_base::wire::Limits::default())?;
//! let text = String::from_utf8(fragreel_base::textform::decompile(decompiler, recording)).unwrap();
//! assert!(text.starts_with(r#"{"recording":{"form":1,"family":"quake3","protocol":71,"#));
//!
//! let renamed = text.replace("Gargoyle", "Somebody");
//! let changed = fragreel_base::textform::compile(Compiler::default(), renamed.as_bytes()).unwrap();
//! let recording_of_it = fragreel_quake3::Recording::open(&changed, Some("dm_71"), fragreel_base::wire::Limits::default())?;
//! assert!(recording_of_it.info().players.iter().any(|player| player.name.clean == "Somebody"));
//! assert_eq!(fragreel_base::textform::compile(Compiler::default(), text.as_bytes()).unwrap(), recording);
//! # Ok::<(), fragreel_base::wire::Error>(())
//! ```

mod compile;
mod decompile;
mod lines;
mod message;
mod row;
mod schema;
pub(crate) mod vocabulary;

pub use compile::Compiler;
pub use decompile::Decompiler;
pub use schema::schema;
