//! Trees as JSON Lines and back. A form is described once, as a function over [`Form`]; whether that writes, reads or says
//! what is allowed depends on what it is given.
//!
//! ```
//! use textform::{Form, Reader, Schema, Writer, read_line, write_line};
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

pub use form::Form;
pub use leaf::Leaf;
pub use line::{Error, read_line, write_line};
pub use names::Names;
pub use read::Reader;
pub use schema::Schema;
pub use shares::{Line, Share, compile_in_shares};
pub use stream::{Compile, Decompile, Patch, compile, decompile, decompile_in_windows};
pub use write::Writer;

#[cfg(test)]
mod tests;
