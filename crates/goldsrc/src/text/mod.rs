//! Recordings as JSON Lines and back, without loss (`docs/formats/goldsrc.md`, "Text form").
//!
//! ```
//! use fragreel_goldsrc::text::{Compiler, Decompiler};
//!
//! # let recording = fragreel_goldsrc::properties::tiny_recording();
//! let decompiler = Decompiler::new(&recording, Some("dem"), fragreel_base::wire::Limits::default())?;
//! let text = String::from_utf8(fragreel_base::textform::decompile(decompiler, &recording)).unwrap();
//! assert!(text.starts_with(r#"{"recording":{"form":1,"family":"goldsrc","demo_protocol":5,"network_protocol":48,"#));
//!
//! let changed = text.replace("hand_made", "de_dust2");
//! let changed = fragreel_base::textform::compile(Compiler::default(), changed.as_bytes()).unwrap();
//! assert!(fragreel_goldsrc::Recording::open(&changed, None, fragreel_base::wire::Limits::default())?.container().header.map_name() == b"de_dust2");
//! assert_eq!(fragreel_base::textform::compile(Compiler::default(), text.as_bytes()).unwrap(), recording);
//! # Ok::<(), fragreel_base::wire::Error>(())
//! ```

mod compile;
mod decompile;
mod effects;
mod entities;
mod game;
mod layout;
mod lines;
mod message;
mod rows;
mod schema;
mod scope;
mod signon;
mod user;
mod value;

pub use compile::Compiler;
pub use decompile::Decompiler;
pub use schema::schema;
