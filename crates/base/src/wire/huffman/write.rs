//! Encoding.

use std::convert::Infallible;

use super::CODES;
use crate::wire::Wire;
use crate::wire::bits::BitSink;

/// Writes a Huffman-coded message.
#[derive(Debug, Default, Clone)]
pub struct WriteHuffman {
    sink: BitSink,
}

impl WriteHuffman {
    /// Writes into `buffer`, whose contents are dropped and whose memory is reused.
    pub fn with_buffer(buffer: Vec<u8>) -> Self {
        Self { sink: BitSink::with_buffer(buffer) }
    }

    /// The bytes written, the last one filled up with zero bits.
    pub fn finish(self) -> Vec<u8> {
        self.sink.finish()
    }
}

impl Wire for WriteHuffman {
    type Error = Infallible;
    const READING: bool = false;

    crate::wire::without_bursts!();

    #[inline]
    fn bits(&mut self, value: u32, width: u32) -> Result<u32, Infallible> {
        let raw = width & 7;
        // at most 7 bits and four codes of 11: put into the sink at once
        let (mut bits, mut length) = (u64::from(value) & ((1 << raw) - 1), raw);
        let mut shift = raw;
        while shift < width {
            let code = CODES[(value >> shift & 0xff) as usize];
            bits |= u64::from(code.bits) << length;
            length += u32::from(code.length);
            shift += 8;
        }
        self.sink.put(bits, length);
        Ok(value)
    }

    fn more(&mut self, more: bool) -> bool {
        more
    }

    fn position(&self) -> u64 {
        self.sink.position()
    }
}
