//! The three containers: NetQuake's `.dem`, QuakeWorld's `.qwd` and `.mvd` (`docs/formats/quake1.md`, "Containers").
//!
//! A [`Blocks`] hands out windows over the file, each with its offset. Nothing is looked into.
//!
//! ```
//! use fragreel_quake1::unstable::container::{Blocks, Container, Framing};
//!
//! let mut file = b"-1\n".to_vec();
//! file.extend([1, 0, 0, 0]); // one byte of messages
//! file.extend([0; 12]); // view angles
//! file.push(2); // svc_disconnect
//! let mut blocks = Blocks::new(&file, Container::NetQuake, &fragreel_base::wire::Limits::default()).unwrap();
//! let block = blocks.next().unwrap().unwrap();
//! assert_eq!((block.offset, block.data_offset, block.data), (3, 19, &[2][..]));
//! assert!(matches!(block.framing, Framing::NetQuake { .. }));
//! assert!(blocks.next().is_none());
//! ```

mod blocks;
mod clock;
mod framing;
mod hot_path;
mod plausible;
mod read;

pub use blocks::Blocks;
pub(crate) use blocks::sense;
pub use framing::{Container, Framing, Stamp, Target, UserCommand, code_framing, kind, write_block};
pub(crate) use plausible::{IN_A_ROW, LONGEST_LIKELY, is_likely_time, plausible, plausible_length, plausible_length_read};
pub use read::Block;
pub(crate) use read::{frame, header, header_before};
