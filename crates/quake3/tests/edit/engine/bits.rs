//! Bits of a message, as `MSG_ReadBits` takes them.

use super::huffman::TREE;

/// A message and the next bit of it.
pub(super) struct Bits<'a> {
    data: &'a [u8],
    /// The next bit.
    pub at: usize,
    coded: bool,
}

impl<'a> Bits<'a> {
    /// `coded`: whether whole bytes are in Huffman's code, as they are from protocol 66 on.
    pub(super) fn new(data: &'a [u8], coded: bool) -> Self {
        Bits { data, at: 0, coded }
    }

    fn bit(&mut self) -> Result<u32, String> {
        let byte = self.data.get(self.at / 8).ok_or("read past the end of the message")?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Ok(bit.into())
    }

    /// What the next bits say, without a sign. In code, those that fill no byte come first and plain.
    pub(super) fn read(&mut self, bits: u32) -> Result<u32, String> {
        let plain = if self.coded { bits % 8 } else { bits };
        let mut value = 0;
        for at in 0..plain {
            value |= self.bit()? << at;
        }
        for at in (plain..bits).step_by(8) {
            value |= u32::from(TREE.symbol(|| self.bit())?) << at;
        }
        Ok(value)
    }

    pub(super) fn flag(&mut self) -> Result<bool, String> {
        Ok(self.read(1)? != 0)
    }

    pub(super) fn long(&mut self) -> Result<i32, String> {
        Ok(self.read(32)? as i32)
    }

    pub(super) fn text(&mut self, most: usize) -> Result<Vec<u8>, String> {
        let mut text = Vec::new();
        loop {
            match self.read(8)? as u8 {
                0 => return Ok(text),
                _ if text.len() == most => return Err(format!("a string of more than {most} characters")),
                byte => text.push(byte),
            }
        }
    }

    pub(super) fn skip(&mut self, bytes: u32) -> Result<(), String> {
        (0..bytes).try_for_each(|_| self.read(8).map(drop))
    }

    /// Goes on at the next byte.
    pub(super) fn align(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }

    /// Whether every byte is read, or begun.
    pub(super) fn is_over(&self) -> bool {
        self.at.div_ceil(8) >= self.data.len()
    }

    /// Whether the cursor of an engine has passed the end: it stands behind the byte that the next bit is in.
    pub(super) fn is_past(&self) -> bool {
        self.at / 8 + 1 > self.data.len()
    }
}
