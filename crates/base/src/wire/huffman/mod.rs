//! Quake III's byte-wise Huffman coding over a bit stream (`docs/formats/quake3.md`, "Bits").
//!
//! A value of `width` bits is sent as its low `width % 8` bits raw, then every further eight bits as one code.
//! The tree never changes; it is what the engine's adaptive coder arrives at when fed the published byte
//! frequencies in order. [`CODES`] holds the result; a test rebuilds it from the frequencies.

#[cfg(test)]
mod adaptive;
mod ahead;
mod codes;
mod passing;
mod read;
mod values;
mod write;

pub use ahead::{ReadAhead, Unsound};
pub use codes::{CODES, Code, LONGEST};
pub use passing::Passing;
pub use read::ReadHuffman;
pub use write::WriteHuffman;
