//! Parquet's encodings of numbers: packed bits, runs, and differences.

/// Puts numbers of some bits each behind one another, the lowest bit first.
pub(super) fn bits(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut held, mut used) = (0u128, 0);
    for value in values {
        held |= u128::from(value) << used;
        used += width;
        if used >= 64 {
            out.extend_from_slice(&(held as u64).to_le_bytes());
            held >>= 64;
            used -= 64;
        }
    }
    out.extend_from_slice(&held.to_le_bytes()[..used.div_ceil(8) as usize]);
}

/// The same of numbers of 32 bits at most; most have a few bits.
fn short_bits(values: impl Iterator<Item = u32>, width: u32, out: &mut Vec<u8>) {
    let (mut held, mut used) = (0u64, 0);
    for value in values {
        held |= u64::from(value) << used;
        used += width;
        if used >= 32 {
            out.extend_from_slice(&(held as u32).to_le_bytes());
            held >>= 32;
            used -= 32;
        }
    }
    out.extend_from_slice(&held.to_le_bytes()[..used.div_ceil(8) as usize]);
}

/// A bit for each yes or no.
pub(super) fn flags(values: &[bool], out: &mut Vec<u8>) {
    out.extend(values.chunks(8).map(|some| some.iter().enumerate().fold(0, |byte, (at, value)| byte | u8::from(*value) << at)));
}

/// A number in groups of seven bits.
pub(super) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64, out: &mut Vec<u8>) {
    varint((value << 1 ^ value >> 63) as u64, out);
}

/// How many bits a number takes.
pub(super) fn width(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// Runs shorter than this are packed.
const RUN: usize = 32;

/// Numbers below 2^`width`, in runs where they have some, otherwise packed (RLE of Parquet).
pub(super) fn runs(values: &[i32], width: u32, out: &mut Vec<u8>) {
    let mut packed = 0;
    let mut at = 0;
    while at < values.len() {
        let same = values[at..].iter().take_while(|value| **value == values[at]).count();
        if same >= RUN {
            pack(&values[packed..at], width, out);
            run(values[at] as u64, same, width, out);
            at += same;
            packed = at;
        } else {
            // what is packed comes in eights
            at += 8;
        }
    }
    pack(&values[packed..], width, out);
}

fn pack(values: &[i32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let groups = values.len().div_ceil(8);
    varint((groups as u64) << 1 | 1, out);
    let padding = std::iter::repeat_n(0, groups * 8 - values.len());
    short_bits(values.iter().map(|value| *value as u32).chain(padding), width, out);
}

/// The same number `count` times.
pub(super) fn run(value: u64, count: usize, width: u32, out: &mut Vec<u8>) {
    varint((count as u64) << 1, out);
    out.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Numbers in a block, and in a part of it that has a width of its own.
const BLOCK: usize = 128;
const PART: usize = 32;

/// A type whose differences wrap.
pub(super) trait Number: Copy + Ord + Default + Into<i64> {
    /// The difference.
    fn less(self, other: Self) -> Self;
    /// Its bits.
    fn bits(self) -> u64;
}

impl Number for i32 {
    fn less(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn bits(self) -> u64 {
        u64::from(self as u32)
    }
}

impl Number for i64 {
    fn less(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn bits(self) -> u64 {
        self as u64
    }
}

/// Whole numbers as differences (DELTA_BINARY_PACKED of Parquet).
pub(super) fn differences<N: Number>(values: &[N], out: &mut Vec<u8>) {
    varint(BLOCK as u64, out);
    varint((BLOCK / PART) as u64, out);
    varint(values.len() as u64, out);
    let mut before = values.first().copied().unwrap_or_default();
    zigzag(before.into(), out);
    let mut block = [N::default(); BLOCK];
    for some in values.get(1..).unwrap_or_default().chunks(BLOCK) {
        let block = &mut block[..some.len()];
        for (place, &value) in block.iter_mut().zip(some) {
            *place = value.less(before);
            before = value;
        }
        let least = block.iter().copied().min().unwrap_or_default();
        zigzag(least.into(), out);
        let widths = out.len();
        out.resize(widths + BLOCK / PART, 0);
        for (at, part) in block.chunks(PART).enumerate() {
            let rest = part.iter().map(|value| value.less(least).bits());
            let width = width(rest.clone().fold(0, |all, rest| all | rest));
            out[widths + at] = width as u8;
            let padded = rest.chain(std::iter::repeat_n(0, PART - part.len()));
            match width {
                0 => {}
                1..=32 => short_bits(padded.map(|rest| rest as u32), width, out),
                _ => bits(padded, width, out),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_lie_behind_one_another() {
        let mut out = Vec::new();
        bits([1, 2, 3, 4, 5, 6, 7, 0].into_iter(), 3, &mut out);
        assert_eq!(out, [0b1101_0001, 0b0101_1000, 0b0001_1111], "as in Parquet's description: 88 c6 fa reversed by value");
        let mut out = Vec::new();
        bits([u64::MAX, 0, 1].into_iter(), 64, &mut out);
        assert_eq!(out, [vec![0xff; 8], vec![0; 8], vec![1, 0, 0, 0, 0, 0, 0, 0]].concat());
        assert_eq!([0, 1, 255, 256, u64::MAX].map(width), [0, 1, 8, 9, 64]);
    }

    #[test]
    fn short_numbers_lie_as_long_ones_do() {
        for width in 1..=32 {
            let values: Vec<u32> = (0..77u32).map(|at| at.wrapping_mul(0x9e37_79b9) >> (32 - width)).collect();
            let (mut short, mut long) = (Vec::new(), Vec::new());
            short_bits(values.iter().copied(), width, &mut short);
            bits(values.iter().map(|value| u64::from(*value)), width, &mut long);
            assert_eq!(short, long, "{width}");
        }
        let mut out = Vec::new();
        flags(&[true, false, true, true, false, false, false, false, true], &mut out);
        assert_eq!(out, [0b1101, 1]);
    }

    #[test]
    fn long_runs_are_said_once() {
        let mut out = Vec::new();
        runs(&[5; 100], 3, &mut out);
        assert_eq!(out, [200, 1, 5]);
        let mut out = Vec::new();
        runs(&[[1, 0, 1, 0, 1, 0, 1, 0].as_slice(), &[1; 40], &[0, 0, 1]].concat(), 1, &mut out);
        assert_eq!(out, [3, 0x55, 80, 1, 3, 4]);
    }
}
