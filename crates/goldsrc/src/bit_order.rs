//! Bit-packed parts of messages (`docs/formats/goldsrc.md`, "Bit-packed parts").

use fragreel_base::wire::Wire;

/// From which end of a byte its bits are taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BitOrder {
    /// Least significant first: network protocol 45 and later.
    #[default]
    LeastFirst,
    /// Most significant first: network protocol 43 and earlier.
    MostFirst,
}

/// A bit-packed part: starts at a byte boundary and is filled up to one. Bits pass straight through, except that
/// the most-significant-first order goes by way of a byte of its own.
#[derive(Debug)]
pub(crate) struct Section<'w, W> {
    wire: &'w mut W,
    order: BitOrder,
    /// Most-first reading: what is left of the byte taken; writing: what is collected, at the low end.
    byte: u32,
    held: u32,
}

impl<'w, W: Wire> Section<'w, W> {
    #[inline(always)]
    pub(crate) fn new(wire: &'w mut W, order: BitOrder) -> Self {
        Self { wire, order, byte: 0, held: 0 }
    }

    /// Ends the part at a byte boundary. `padding` is what fills the last byte.
    pub(crate) fn finish(mut self, padding: u8) -> Result<u8, W::Error> {
        self.enter("padding");
        match self.order {
            BitOrder::LeastFirst => Ok(self.wire.align(u32::from(padding))? as u8),
            BitOrder::MostFirst => {
                let width = if W::READING { self.held } else { (8 - self.held) % 8 };
                Ok(self.bits(u32::from(padding), width)? as u8)
            }
        }
    }

    #[cold]
    fn most_first(&mut self, value: u32, width: u32) -> Result<u32, W::Error> {
        let mut out = 0u32;
        for at in (0..width).rev() {
            if W::READING {
                if self.held == 0 {
                    self.byte = self.wire.bits(0, 8)?;
                    self.held = 8;
                }
                self.held -= 1;
                out = out << 1 | (self.byte >> self.held & 1);
            } else {
                self.byte = self.byte << 1 | (value >> at & 1);
                self.held += 1;
                if self.held == 8 {
                    self.wire.bits(self.byte & 0xff, 8)?;
                    (self.byte, self.held) = (0, 0);
                }
            }
        }
        Ok(if W::READING { out } else { value })
    }
}

impl<W: Wire> Wire for Section<'_, W> {
    type Error = W::Error;
    const READING: bool = W::READING;

    fragreel_base::wire::without_bursts!();

    #[inline(always)]
    fn bits(&mut self, value: u32, width: u32) -> Result<u32, W::Error> {
        match self.order {
            BitOrder::LeastFirst => self.wire.bits(value, width),
            BitOrder::MostFirst => self.most_first(value, width),
        }
    }

    #[inline(always)]
    fn expect(&mut self, ok: bool, rule: &'static str) -> Result<(), W::Error> {
        self.wire.expect(ok, rule)
    }

    fn more(&mut self, more: bool) -> bool {
        self.wire.more(more)
    }

    fn position(&self) -> u64 {
        let position = self.wire.position();
        if W::READING { position - u64::from(self.held) } else { position + u64::from(self.held) }
    }

    #[inline(always)]
    fn enter(&mut self, field: &'static str) {
        self.wire.enter(field);
    }

    #[inline(always)]
    fn note(&mut self, meaning: impl FnOnce() -> String) {
        self.wire.note(meaning);
    }

    #[inline(always)]
    fn open(&mut self, name: &'static str, index: Option<u32>) {
        self.wire.open(name, index);
    }

    #[inline(always)]
    fn close(&mut self) {
        self.wire.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_base::wire::{ReadBits, WriteBits};

    fn sample<W: Wire>(w: &mut W, order: BitOrder, values: [u32; 4], padding: u8) -> Result<([u32; 4], u8), W::Error> {
        let mut section = Section::new(w, order);
        let widths = [3, 10, 1, 7];
        let mut out = [0; 4];
        for ((out, value), width) in out.iter_mut().zip(values).zip(widths) {
            *out = section.bits(value, width)?;
        }
        Ok((out, section.finish(padding)?))
    }

    #[test]
    fn both_orders_survive_with_their_padding() {
        for order in [BitOrder::LeastFirst, BitOrder::MostFirst] {
            let mut writer = WriteBits::default();
            let Ok(_) = sample(&mut writer, order, [5, 700, 1, 99], 0b101);
            let bytes = writer.finish();
            assert_eq!(bytes.len(), 3);
            let mut reader = ReadBits::new(&bytes);
            assert_eq!(sample(&mut reader, order, [0; 4], 0).unwrap(), ([5, 700, 1, 99], 0b101));
            assert_eq!(reader.position(), 24);
        }
    }

    #[test]
    fn most_first_is_what_its_name_says() {
        let mut writer = WriteBits::default();
        let mut section = Section::new(&mut writer, BitOrder::MostFirst);
        let Ok(_) = section.bits(1, 1);
        let Ok(_) = section.bits(0b10, 3);
        let Ok(_) = section.finish(0);
        assert_eq!(writer.finish(), [0b1010_0000]);
    }
}
