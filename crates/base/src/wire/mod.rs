//! Cursors over the bits and bytes of game recordings, for every format.
//!
//! A message is described once, as a function over [`Wire`]: a cursor whose type is its direction. Given a reader, the function decodes;
//! given a writer, it encodes; given a [`Trace`], it explains.
//!
//! ```
//! use fragreel_base::wire::{ReadBits, Wire, WriteBits};
//!
//! /// A made-up message: a five-bit weapon, then a signed eight-bit view height.
//! fn code<W: Wire>(w: &mut W, weapon: u32, height: i32) -> Result<(u32, i32), W::Error> {
//!     Ok((w.field("weapon", weapon, 5)?, w.signed("height", height, 8)?))
//! }
//!
//! let mut writer = WriteBits::default();
//! let Ok(_) = code(&mut writer, 9, -22);
//! let bytes = writer.finish();
//! assert_eq!(code(&mut ReadBits::new(&bytes), 0, 0).unwrap(), (9, -22));
//! ```
//!
//! # Three readers
//!
//! The careful readers check every field and know their position. [`ReadAhead`] is the fast one: it looks for the end of the message only at
//! checkpoints, and when a message is unsound the caller decodes it again with a careful reader. [`Trace`] records fields. A property test
//! holds the fast and the careful reader to the same tree and the same error.
//!
//! Four methods of [`Wire`] go beyond plain fields: `more` for messages that end where their data ends, `checkpoint` for the rare look at
//! the end, `hot` for cursors that stay in registers, and `scope` for the path that errors and traces name.

mod bits;
mod bytes;
mod chunk;
mod direction;
mod error;
pub mod huffman;
mod limits;
mod message_list;
mod reused;
mod trace;

pub use crate::without_bursts;
pub use bits::{ReadBits, WriteBits};
pub use bytes::{ReadBytes, WriteBytes};
pub use chunk::Chunk;
pub use direction::{BURST, Bounded, Burst, Quantity, SIGNED, SMALL_BITS, Vocabulary, Widths, Wire, sign_extend};
pub use error::{Crumb, Error, ErrorKind, WireError, path_text};
pub use huffman::{ReadAhead, ReadHuffman, WriteHuffman};
pub use limits::Limits;
pub use reused::Reused;
pub use trace::{Bits, Span, Trace, hex};
