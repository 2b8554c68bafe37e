//! Recordings as JSON Lines and back, without loss (`docs/formats/quake2.md`, "Text form").
//!
//! ```
//! use fragreel_quake2::text::{Compiler, Decompiler};
//!
//! // One block with `serverdata` (protocol 34, kind 1, game "", player 0, title "x"), and the end mark.
//! let recording = b"\x0f\0\0\0\x0c\x22\0\0\0\x01\0\0\0\x01\0\0\0x\0\xff\xff\xff\xff";
//! let decompiler = Decompiler::new(recording, Some("dm2"), fragreel_base::wire::Limits::default())?;
//! let text = String::from_utf8(fragreel_base::textform::decompile(decompiler, recording)).unwrap();
//! assert_eq!(
//!     text,
//!     r#"{"recording":{"form":1,"family":"quake2","container":"dm2","protocol":34,"kind":"client"}}
//! {"block":{"messages":[{"serverdata":{"protocol":34,"servercount":1,"kind":"client","gamedir":"","clientnum":0,"levelname":"x"}}]}}
//! {"end":{}}
//! "#
//! );
//! assert_eq!(fragreel_base::textform::compile(Compiler::default(), text.as_bytes()).unwrap(), recording);
//!
//! let renamed = text.replace(r#""levelname":"x""#, r#""levelname":"The Edge""#);
//! assert_eq!(fragreel_base::textform::compile(Compiler::default(), renamed.as_bytes()).unwrap().len(), recording.len() + 7);
//! # Ok::<(), fragreel_base::wire::Error>(())
//! ```

mod compile;
mod decompile;
mod effects;
mod entity;
mod kinds;
mod known;
mod level;
mod lines;
mod message;
mod mvd;
mod player;
mod rerelease;
mod schema;
mod table;
mod values;

pub use compile::Compiler;
pub use decompile::Decompiler;
pub use schema::schema;
