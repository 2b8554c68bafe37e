//! Passing over the fields that a question does not need: their lengths are worked out, not their values.

use super::LONGEST;
use super::ahead::{ReadAhead, load};
use super::read::{DECODE, LENGTH, MASK};
use crate::wire::{BURST, SIGNED, SMALL_BITS, Widths};

/// The length of the code in every window of [`LONGEST`] bits. Bits that are no code lead beyond the end of every message, where the next
/// [`checkpoint`](crate::wire::Wire::checkpoint) finds the position.
static LENGTHS: [u32; 1 << LONGEST] = {
    let mut lengths = DECODE;
    let mut window = 0;
    while window < lengths.len() {
        lengths[window] &= LENGTH;
        window += 1;
    }
    lengths
};

/// How to pass over each field of a table. `ZERO_FLAG` says whether a flag marks zero values apart.
///
/// A step is [`FLOAT`], or for a value with one code the number of bits before it: flag and low bits. Most fields are one of these two. [`OTHERS`]
/// have the number of codes in the high half besides, and a [`WANTED`] field is stopped at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passing<const ZERO_FLAG: bool>([u8; 64]);

const FLOAT: u32 = 0;
const OTHERS: u32 = 0x10;
const WANTED: u32 = 0x80;

/// A run behind which two flags and four codes of [`LONGEST`] are at hand.
pub(super) const NEAR: u32 = BURST - 1 - 2 - 4 * LONGEST;
/// A run behind which a value with one code is at hand, if another run with such a value came before. Such a value has three flags, with the one that ends
/// the run, 7 plain bits, and the code, at most.
pub(super) const NEXT: u32 = BURST - 2 * (3 + 7 + LONGEST) - NEAR;

impl<const ZERO_FLAG: bool> Passing<ZERO_FLAG> {
    /// The steps over the fields of these widths. [`ReadAhead::pass_fields`] stops at the `wanted` ones.
    pub fn new(widths: &Widths, wanted: u64) -> Self {
        let mut steps = [0; 64];
        for at in 0..63 {
            let width = u32::from(widths[at] & !SIGNED);
            let before = u32::from(ZERO_FLAG) + width % 8;
            let step = match width / 8 {
                _ if wanted >> at & 1 != 0 => WANTED,
                0 if width == 0 => FLOAT,
                1 if before > 0 => before,
                codes => OTHERS * (1 + codes) + before,
            };
            steps[at] = step as u8;
        }
        Passing(steps)
    }
}

/// The lengths of the next codes together.
#[inline(always)]
fn lengths<const COUNT: usize>(mut window: u64) -> u32 {
    let mut sum = 0;
    for _ in 0..COUNT {
        let length = LENGTHS[(window & MASK) as usize];
        // by the low six bits: those of a length beyond every message are 0
        window = window.wrapping_shr(length);
        sum += length;
    }
    sum
}

/// What stands at the start of some bits.
enum Next {
    /// No field.
    End,
    /// A run of this length or more.
    Far(u32),
    /// A field in all these bits, with one code at most.
    Short(usize, u32),
    /// A field with this number of codes, behind these bits.
    Long(usize, u32, u32),
    /// A wanted field, behind these bits.
    Wanted(usize, u32),
}

/// The next sent field of those from `at` to `end` (at most 63), behind a run of `near` at most.
#[inline(always)]
fn next<const ZERO_FLAG: bool>(window: u64, near: u32, steps: &[u8; 64], at: usize, end: usize) -> Next {
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
    let (flags, is_zero) = (u32::from(ZERO_FLAG), ZERO_FLAG && window & 1 == 0);
    let step = u32::from(steps[field]);
    if step == WANTED {
        return Next::Wanted(field, bits);
    }
    if is_zero {
        return Next::Short(field, bits + flags);
    }
    if step == FLOAT {
        if window >> flags & 1 != 0 {
            return Next::Long(field, bits + flags + 1, 4);
        }
        let before = flags + 1 + SMALL_BITS % 8;
        return Next::Short(field, bits + before + lengths::<1>(window >> before));
    }
    if step < OTHERS {
        return Next::Short(field, bits + step + lengths::<1>(window >> step));
    }
    Next::Long(field, bits + step % OTHERS, step / OTHERS - 1)
}

/// The bits of this number of codes together.
#[inline(always)]
fn long(window: u64, codes: u32) -> u32 {
    match codes {
        0 => 0,
        1 => lengths::<1>(window),
        2 => lengths::<2>(window),
        3 => lengths::<3>(window),
        _ => lengths::<4>(window),
    }
}

impl ReadAhead<'_> {
    /// Passes over fields from `at` to `end` (at most 63). Returns the first wanted one that was sent, with its flag taken, or `end`. One load
    /// of bits for two fields, unless they are long (docs/performance.md).
    #[inline(always)]
    pub fn pass_fields<const ZERO_FLAG: bool>(&mut self, steps: &Passing<ZERO_FLAG>, at: usize, end: usize) -> usize {
        let (mut bit, mut at, end) = (self.at as u32, at, end.min(63));
        let found = loop {
            let window = load(self.data, u64::from(bit));
            let taken = match next::<ZERO_FLAG>(window, NEAR, &steps.0, at, end) {
                Next::Short(field, bits) => {
                    (at, bit) = (field + 1, bit + bits);
                    bits
                }
                Next::Long(field, before, codes) => {
                    (at, bit) = (field + 1, bit + before + long(window >> before, codes));
                    continue;
                }
                Next::Far(run) => {
                    (at, bit) = (at + run as usize, bit + run);
                    continue;
                }
                Next::Wanted(field, before) => {
                    bit += before;
                    break field;
                }
                Next::End => {
                    bit += (end - at) as u32;
                    break end;
                }
            };
            match next::<ZERO_FLAG>(window.wrapping_shr(taken), NEXT, &steps.0, at, end) {
                Next::Short(field, bits) => (at, bit) = (field + 1, bit + bits),
                Next::Long(field, before, codes) => {
                    bit += before;
                    (at, bit) = (field + 1, bit + long(load(self.data, u64::from(bit)), codes));
                }
                Next::Far(run) => (at, bit) = (at + run as usize, bit + run),
                Next::Wanted(field, before) => {
                    bit += before;
                    break field;
                }
                Next::End => {
                    bit += (end - at) as u32;
                    break end;
                }
            }
        };
        self.at = u64::from(bit);
        found
    }

    /// Passes over bytes.
    #[inline(always)]
    pub fn pass_bytes(&mut self, count: usize) {
        for _ in 0..count / 4 {
            self.at += u64::from(lengths::<4>(load(self.data, self.at)));
        }
        for _ in 0..count % 4 {
            self.at += u64::from(lengths::<1>(load(self.data, self.at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Error, ReadHuffman, Wire};

    /// The fields that were sent and wanted, each with the position behind its flag, and the positions behind two tables.
    type Stops = Vec<(usize, u64)>;

    /// Reads every flag and value of the first fields of a table, as the format describes them.
    fn careful_table<const ZERO_FLAG: bool>(r: &mut ReadHuffman<'_>, widths: &Widths, wanted: u64, stops: &mut Stops) -> Result<(), Error> {
        for (at, &width) in widths.iter().enumerate().take(51) {
            if !r.flag(false)? {
                continue;
            }
            if wanted >> at & 1 != 0 {
                stops.push((at, r.position()));
            }
            if !ZERO_FLAG || r.flag(false)? {
                let width = match width {
                    0 if r.flag(false)? => 32,
                    0 => SMALL_BITS,
                    width => u32::from(width & !SIGNED),
                };
                r.bits(0, width)?;
            }
        }
        stops.push((51, r.position()));
        Ok(())
    }

    fn careful(bytes: &[u8], widths: &Widths, wanted: u64) -> Result<Stops, Error> {
        let (mut r, mut stops) = (ReadHuffman::new(bytes), Vec::new());
        careful_table::<true>(&mut r, widths, wanted, &mut stops)?;
        careful_table::<false>(&mut r, widths, 0, &mut stops)?;
        r.bits(0, 32)?;
        Ok(stops)
    }

    fn fast(bytes: &[u8], widths: &Widths, wanted: u64) -> Result<Stops, crate::wire::huffman::Unsound> {
        let (mut r, mut stops, mut at) = (ReadAhead::new(bytes, bytes.len()), Vec::new(), 0);
        let steps = Passing::<true>::new(widths, wanted);
        loop {
            at = r.pass_fields(&steps, at, 51);
            stops.push((at, r.position()));
            if at == 51 {
                break;
            }
            if r.flag(false)? {
                r.bits(0, u32::from(widths[at] & !SIGNED))?;
            }
            at += 1;
        }
        r.pass_fields(&Passing::<false>::new(widths, 0), 0, 51);
        stops.push((51, r.position()));
        r.pass_bytes(4);
        r.checkpoint().map(|()| stops)
    }

    #[test]
    fn fields_are_passed_over_as_the_careful_reader_does() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32
        };
        let mut sound = 0;
        for _ in 0..2000 {
            let widths: Widths = std::array::from_fn(|_| [0, 0, 8, 10, 16, 16 | SIGNED, 19, 24, 32, 1, 4][random() as usize % 11]);
            let sparse = random() % 2 == 0;
            let bytes: Vec<u8> = (0..600).map(|_| (if sparse { random() & random() & random() } else { random() }) as u8).collect();
            // a float is never wanted
            let floats = (0..64).filter(|&at| widths[at] == 0).fold(0, |set, at| set | 1u64 << at);
            let wanted = u64::from(random()) & u64::from(random()) & !floats;
            let (careful, fast) = (careful(&bytes, &widths, wanted), fast(&bytes, &widths, wanted));
            sound += usize::from(fast.is_ok());
            assert_eq!(fast.ok(), careful.ok());
        }
        assert!(sound > 1000, "{sound}");
    }
}
