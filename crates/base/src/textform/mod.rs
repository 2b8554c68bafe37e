//! Trees as JSON Lines, and back to the same tree.
//!
//! A form is one function over [`Form`], and the type of the form is its direction: a [`Writer`] writes, a [`Reader`] reads, and a [`Schema`]
//! takes every branch and records the allowed values.
//!
//! ```
//! use fragreel_base::textform::{Form, Reader, Schema, Writer, read_line, write_line};
//!
//! #[derive(Debug, Default, PartialEq)]
//! struct Print {
//!     level: u8,
//!     text: Vec<u8>,
//! }
//!
//! impl Print {
//!     fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
//!         f.object(|f| {
//!             f.unless("level", &mut self.level, 2)?;
//!             f.require("text")?;
//!             f.text(&mut self.text)
//!         })
//!     }
//! }
//!
//! let mut text = Vec::new();
//! write_line(&mut text, |f| Print { level: 2, text: b"hi \xff".to_vec() }.form(f));
//! assert_eq!(text, "{\"text\":\"hi \u{e0ff}\"}\n".as_bytes());
//!
//! let mut print = Print::default();
//! read_line(&text, 1, |f| print.form(f)).unwrap();
//! assert_eq!(print, Print { level: 2, text: b"hi \xff".to_vec() });
//!
//! let error = read_line(br#"{"text": "hi", "level": 300}"#, 7, |f| print.form(f)).unwrap_err();
//! assert_eq!(error.to_string(), "line 7, column 25 (level): expected a whole number from 0 to 255");
//!
//! let schema = Schema::collect(1, |f| Print::default().form(f));
//! assert_eq!(schema["required"][0], "text");
//! ```
//!
//! A form is separate from the coder of a message. In text, masks, counts and lengths are derived, angles are in degrees, and enumerated
//! numbers are words. The `text` folder of each family has the forms, with a decompiler and a compiler that take a window of the file, or a
//! line, at a time. [`compile_in_shares`]
//! compiles parts of a text in parallel.

mod flags;
mod form;
mod leaf;
mod line;
mod names;
mod number;
mod read;
mod scan;
mod schema;
mod shares;
mod stream;
mod write;

pub use flags::Flags;
pub use form::{Form, Leaf};
pub use line::{Error, read_line, write_line};
pub use names::Names;
pub use read::Reader;
pub use schema::Schema;
pub use shares::{Line, Share, compile_in_shares};
pub use stream::{Compile, Decompile, Patch, compile, decompile, decompile_in_windows};
pub use write::Writer;

#[cfg(test)]
mod tests;
