//! The arithmetic coder: bits and their probabilities become bytes, and back.
//!
//! Integers only, so that every processor gives the same bytes (`docs/formats/pack.md`, "The coder").

/// The direction of a model. Packing stores the bit that it gets; unpacking ignores it and returns the one that was stored.
pub(crate) trait Direction: Default {
    /// Whether bits are stored.
    const PACKING: bool;

    /// Codes one bit. `one` is the probability of a set bit, of 65536; 1 to 65535.
    fn bit(&mut self, bit: bool, one: u32) -> bool;

    /// Whether more bits were asked for than the block stores.
    fn overran(&self) -> bool;
}

/// Where a set bit's part of the range ends.
#[inline(always)]
fn split(low: u32, high: u32, one: u32) -> u32 {
    low + ((u64::from(high - low) * u64::from(one)) >> 16) as u32
}

/// Stores bits.
#[derive(Debug)]
pub(crate) struct Packing {
    low: u32,
    high: u32,
    out: Vec<u8>,
}

impl Default for Packing {
    fn default() -> Self {
        Packing { low: 0, high: u32::MAX, out: Vec::new() }
    }
}

impl Packing {
    /// The bytes of the block so far. The next bit begins a new block.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        // the fewest bytes that name a number in the range, whatever follows: readers take zeros behind the end
        let mut keep = 0;
        while keep < 4 {
            let mask = u32::MAX.checked_shr(keep * 8).unwrap_or(0);
            let value = self.low.checked_add(mask).map(|sum| sum & !mask);
            if let Some(value) = value.filter(|value| (self.low..=self.high).contains(value)) {
                self.out.extend_from_slice(&value.to_be_bytes()[..keep as usize]);
                break;
            }
            keep += 1;
        }
        if keep == 4 {
            self.out.extend_from_slice(&self.low.to_be_bytes());
        }
        (self.low, self.high) = (0, u32::MAX);
        std::mem::take(&mut self.out)
    }

    /// How many bytes the block has so far.
    pub(crate) fn stored(&self) -> usize {
        self.out.len()
    }
}

impl Direction for Packing {
    const PACKING: bool = true;

    #[inline(always)]
    fn bit(&mut self, bit: bool, one: u32) -> bool {
        let middle = split(self.low, self.high, one);
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.out.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 0xff;
        }
        bit
    }

    fn overran(&self) -> bool {
        false
    }
}

/// Returns stored bits.
#[derive(Debug, Default)]
pub(crate) struct Unpacking {
    low: u32,
    high: u32,
    value: u32,
    block: Vec<u8>,
    next: usize,
}

impl Unpacking {
    /// Begins a block.
    pub(crate) fn start(&mut self, block: &[u8]) {
        self.block.clear();
        self.block.extend_from_slice(block);
        (self.low, self.high, self.value, self.next) = (0, u32::MAX, 0, 0);
        for _ in 0..4 {
            self.value = self.value << 8 | self.byte();
        }
    }

    #[inline(always)]
    fn byte(&mut self) -> u32 {
        let byte = self.block.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        u32::from(byte)
    }
}

impl Unpacking {
    /// Whether every bit so far was decided by bytes that are there, whatever comes behind them.
    pub(crate) fn is_certain(&self) -> bool {
        self.next <= self.block.len()
    }
}

impl Direction for Unpacking {
    const PACKING: bool = false;

    #[inline(always)]
    fn bit(&mut self, _: bool, one: u32) -> bool {
        let middle = split(self.low, self.high, one);
        let bit = self.value <= middle;
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
        while (self.low ^ self.high) >> 24 == 0 {
            self.low <<= 8;
            self.high = self.high << 8 | 0xff;
            self.value = self.value << 8 | self.byte();
        }
        bit
    }

    /// A block ends with four bytes that are read ahead; its last ones may be left out where they are zero.
    #[inline(always)]
    fn overran(&self) -> bool {
        self.next > self.block.len() + 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_and_take_what_their_probabilities_say() {
        let mut random = fragreel_testkit::Random::new(3);
        let bits: Vec<(bool, u32)> = (0..50_000).map(|_| (1 + random.below(65535) as u32, random.below(65536) as u32)).map(|(one, x)| (x < one, one)).collect();
        let mut packing = Packing::default();
        for &(bit, one) in &bits {
            packing.bit(bit, one);
        }
        let block = packing.finish();
        let expected: f64 = bits.iter().map(|&(bit, one)| -(f64::from(if bit { one } else { 65536 - one }) / 65536.0).log2()).sum::<f64>() / 8.0;
        assert!((block.len() as f64) < expected * 1.001 + 4.0, "{} instead of {expected}", block.len());
        let mut unpacking = Unpacking::default();
        unpacking.start(&block);
        assert!(bits.iter().all(|&(bit, one)| unpacking.bit(false, one) == bit));
        assert!(!unpacking.overran());
    }

    #[test]
    fn an_end_is_noticed() {
        let mut unpacking = Unpacking::default();
        unpacking.start(&[1, 2, 3]);
        for _ in 0..100 {
            unpacking.bit(false, 32768);
        }
        assert!(unpacking.overran());
    }
}
