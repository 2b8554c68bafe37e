//! Reading the values of fields for a state, without their spelling.

use super::ahead::{ReadAhead, load, word};
use super::passing::{NEAR, NEXT};
use super::read::{DECODE, LENGTH, MASK, SYMBOL};
use crate::wire::{SIGNED, SMALL_BITS, Widths, sign_extend};

/// A width that stands for a float.
const FLOAT: u8 = 0;
/// What stands at the start of some bits.
enum Next {
    /// No field.
    End,
    /// A run of this length or more.
    Far(u32),
    /// A field with its value, in all these bits.
    Short(usize, u32, u32),
    /// A field with a value that may have several codes, behind these bits.
    Long(usize, u32),
}

/// The next sent field of those from `at` to `end` (at most 63), behind a run of `near` at most.
#[inline(always)]
fn next<const ZERO_FLAG: bool>(window: u64, near: u32, widths: &Widths, at: usize, end: usize) -> Next {
    let run = (window | 1 << (near + 1)).trailing_zeros();
    let field = at + run as usize;
    if field >= end {
        return Next::End;
    }
    if run > near {
        return Next::Far(run);
    }
    // the flag that ends the run
    let (window, bits) = (window >> run >> 1, run + 1);
    if ZERO_FLAG && window & 1 == 0 {
        return Next::Short(field, 0, bits + 1);
    }
    let flags = u32::from(ZERO_FLAG);
    let (window, bits) = (window >> flags, bits + flags);
    let width = widths[field];
    if width == FLOAT {
        if window & 1 != 0 {
            return Next::Long(field, bits + 1);
        }
        let (low, entry) = short(window >> 1, SMALL_BITS % 8);
        // the symbol goes above the low bits, and half of all symbols are negative
        let high = (entry ^ 1 << (SYMBOL + 7)) as i32 >> (SYMBOL - SMALL_BITS % 8);
        return Next::Short(field, (high.wrapping_add(low as i32) as f32).to_bits(), bits + 1 + SMALL_BITS % 8 + (entry & LENGTH));
    }
    if width & !7 == 8 {
        let raw = u32::from(width & 7);
        let (low, entry) = short(window, raw);
        return Next::Short(field, low | entry >> SYMBOL << raw, bits + raw + (entry & LENGTH));
    }
    Next::Long(field, bits)
}

/// The low bits, and the entry for the code behind them.
#[inline(always)]
fn short(window: u64, raw: u32) -> (u32, u32) {
    ((window & ((1 << raw) - 1)) as u32, DECODE[(window >> raw & MASK) as usize])
}

/// A value that is not a small float at the start of the window, and the bits it takes.
#[inline(always)]
fn long(mut window: u64, width: u8) -> (u32, u32) {
    let bits = u32::from(width & !SIGNED);
    if matches!(bits, 0 | 32) {
        return word(&mut window);
    }
    let raw = bits % 8;
    let (mut value, mut taken) = ((window & ((1 << raw) - 1)) as u32, raw);
    for code in 0..bits / 8 {
        let entry = DECODE[(window.wrapping_shr(taken) & MASK) as usize];
        value |= entry >> SYMBOL << (raw + 8 * code);
        taken += entry & LENGTH;
    }
    (if width & SIGNED != 0 { sign_extend(value, bits) } else { value }, taken)
}

impl ReadAhead<'_> {
    /// Reads the sent ones of the first `end` (at most 63) fields, and puts each with its number. Returns which were sent, a bit each. `ZERO_FLAG` says
    /// whether a flag marks zero values apart. One load of bits for two fields, unless they are long (docs/performance.md).
    #[inline(always)]
    pub fn read_values<const ZERO_FLAG: bool>(&mut self, widths: &Widths, end: usize, mut put: impl FnMut(usize, u32)) -> u64 {
        let (mut bit, mut at, end, mut sent) = (self.at as u32, 0, end.min(63), 0u64);
        let mut keep = |field: usize, value: u32| {
            put(field, value);
            sent |= 1 << field;
        };
        loop {
            let window = load(self.data, u64::from(bit));
            let taken = match next::<ZERO_FLAG>(window, NEAR, widths, at, end) {
                Next::Short(field, value, bits) => {
                    keep(field, value);
                    (at, bit) = (field + 1, bit + bits);
                    bits
                }
                Next::Long(field, before) => {
                    let (value, bits) = long(window >> before, widths[field]);
                    keep(field, value);
                    (at, bit) = (field + 1, bit + before + bits);
                    continue;
                }
                Next::Far(run) => {
                    (at, bit) = (at + run as usize, bit + run);
                    continue;
                }
                Next::End => break,
            };
            match next::<ZERO_FLAG>(window.wrapping_shr(taken), NEXT, widths, at, end) {
                Next::Short(field, value, bits) => {
                    keep(field, value);
                    (at, bit) = (field + 1, bit + bits);
                }
                Next::Long(field, before) => {
                    let (value, bits) = long(load(self.data, u64::from(bit + before)), widths[field]);
                    keep(field, value);
                    (at, bit) = (field + 1, bit + before + bits);
                }
                Next::Far(run) => (at, bit) = (at + run as usize, bit + run),
                Next::End => break,
            }
        }
        bit += (end - at) as u32;
        self.at = u64::from(bit);
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Error, ReadHuffman, Wire};

    /// The fields that were sent with their values, and the positions behind two tables.
    type Values = Vec<(usize, u64)>;

    /// Reads every flag and value of the first fields of a table, as the format describes them.
    fn careful_table<const ZERO_FLAG: bool>(r: &mut ReadHuffman<'_>, widths: &Widths, values: &mut Values) -> Result<(), Error> {
        for (at, &width) in widths.iter().enumerate().take(51) {
            if !r.flag(false)? {
                continue;
            }
            let value = if ZERO_FLAG && !r.flag(false)? {
                0
            } else if width != FLOAT {
                let bits = u32::from(width & !SIGNED);
                let value = r.bits(0, bits)?;
                if width & SIGNED != 0 { sign_extend(value, bits) } else { value }
            } else if r.flag(false)? {
                r.bits(0, 32)?
            } else {
                (r.bits(0, SMALL_BITS)? as f32 - 4096.0).to_bits()
            };
            values.push((at, value.into()));
        }
        values.push((51, r.position()));
        Ok(())
    }

    fn careful(bytes: &[u8], widths: &Widths) -> Result<Values, Error> {
        let (mut r, mut values) = (ReadHuffman::new(bytes), Vec::new());
        careful_table::<true>(&mut r, widths, &mut values)?;
        careful_table::<false>(&mut r, widths, &mut values)?;
        Ok(values)
    }

    fn fast_table<const ZERO_FLAG: bool>(r: &mut ReadAhead<'_>, widths: &Widths, values: &mut Values) {
        let mut numbers = 0;
        let sent = r.read_values::<ZERO_FLAG>(widths, 51, |at, value| {
            numbers |= 1 << at;
            values.push((at, value.into()));
        });
        assert_eq!(sent, numbers);
        values.push((51, r.position()));
    }

    fn fast(bytes: &[u8], widths: &Widths) -> Option<Values> {
        let (mut r, mut values) = (ReadAhead::new(bytes, bytes.len()), Vec::new());
        fast_table::<true>(&mut r, widths, &mut values);
        fast_table::<false>(&mut r, widths, &mut values);
        r.checkpoint().ok().map(|()| values)
    }

    #[test]
    fn values_are_those_of_the_careful_reader() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32
        };
        let mut sound = 0;
        for _ in 0..2000 {
            let widths: Widths = std::array::from_fn(|_| [0, 0, 8, 10, 16, 16 | SIGNED, 19, 24, 32, 1, 4, 8 | SIGNED][random() as usize % 12]);
            let sparse = random() % 2 == 0;
            let bytes: Vec<u8> = (0..600).map(|_| (if sparse { random() & random() & random() } else { random() }) as u8).collect();
            let (careful, fast) = (careful(&bytes, &widths), fast(&bytes, &widths));
            sound += usize::from(fast.is_some());
            assert_eq!(fast, careful.ok());
        }
        assert!(sound > 1000, "{sound}");
    }
}
