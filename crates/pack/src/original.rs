//! The two ends of a packed message: its bytes when packing, the bytes to be when unpacking.

use std::convert::Infallible;

use fragreel_base::wire::{Error, ReadBits, ReadBytes, ReadHuffman, Wire, WriteBits, WriteBytes, WriteHuffman};

/// The message on the side that is not packed. Packing takes its values and puts nothing; unpacking puts values and takes nothing. So one
/// function of a family, which reads, drives both.
pub(crate) trait Original: Clone {
    /// The next value, when packing.
    fn take(&mut self, width: u32) -> Result<u32, Error>;
    /// Appends a value, when unpacking.
    fn put(&mut self, value: u32, width: u32);
    /// Bits so far.
    fn position(&self) -> u64;
    /// Whether the message continues, when packing.
    fn more(&mut self) -> bool;
}

/// The original of a message that is packed.
#[derive(Debug, Clone)]
pub(crate) struct Source<R>(pub R);

impl<R: Wire<Error = Error> + Clone> Original for Source<R> {
    #[inline(always)]
    fn take(&mut self, width: u32) -> Result<u32, Error> {
        self.0.bits(0, width)
    }

    #[inline(always)]
    fn put(&mut self, _: u32, _: u32) {}

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn more(&mut self) -> bool {
        self.0.more(true)
    }
}

/// The original of a message that is unpacked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sink<W>(pub W);

impl<W: Wire<Error = Infallible> + Clone> Original for Sink<W> {
    #[inline(always)]
    fn take(&mut self, _: u32) -> Result<u32, Error> {
        Ok(0)
    }

    #[inline(always)]
    fn put(&mut self, value: u32, width: u32) {
        let Ok(_) = self.0.bits(value, width);
    }

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn more(&mut self) -> bool {
        false
    }
}

/// How the values of a message lie in its bytes.
pub(crate) trait Layout {
    /// Takes values.
    type Source<'a>: Original;
    /// Puts values.
    type Sink: Original + Default;

    fn source(data: &[u8]) -> Self::Source<'_>;
    fn finish(sink: Self::Sink) -> Vec<u8>;
}

macro_rules! layouts {
    ($($(#[$about:meta])* $name:ident $reader:ident $writer:ident;)*) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, Copy)]
            pub(crate) struct $name;

            impl Layout for $name {
                type Source<'a> = Source<$reader<'a>>;
                type Sink = Sink<$writer>;

                fn source(data: &[u8]) -> Source<$reader<'_>> {
                    Source($reader::new(data))
                }

                fn finish(sink: Sink<$writer>) -> Vec<u8> {
                    sink.0.finish()
                }
            }
        )*
    };
}

layouts! {
    /// Whole bytes.
    Bytes ReadBytes WriteBytes;
    /// Plain bits.
    Bits ReadBits WriteBits;
    /// Huffman codes of Quake III.
    Huffman ReadHuffman WriteHuffman;
}
