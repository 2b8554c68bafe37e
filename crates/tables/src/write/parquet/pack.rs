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
    bits(values.iter().map(|value| *value as u64).chain(padding), width, out);
}

/// The same number so many times.
pub(super) fn run(value: u64, count: usize, width: u32, out: &mut Vec<u8>) {
    varint((count as u64) << 1, out);
    out.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Numbers in a block, and in a part of it that has a width of its own.
const BLOCK: usize = 128;
const PART: usize = 32;

/// Whole numbers as differences (DELTA_BINARY_PACKED of Parquet). `bits` is the width of their type: differences wrap in it.
pub(super) fn differences(values: impl ExactSizeIterator<Item = i64>, bits_of_type: u32, out: &mut Vec<u8>) {
    let mut values = values;
    let wrap = |value: i64| if bits_of_type == 32 { i64::from(value as i32) } else { value };
    let mask = if bits_of_type == 32 { u64::from(u32::MAX) } else { u64::MAX };
    varint(BLOCK as u64, out);
    varint((BLOCK / PART) as u64, out);
    varint(values.len() as u64, out);
    let mut before = values.next().unwrap_or(0);
    zigzag(before, out);
    let mut block = [0i64; BLOCK];
    loop {
        let mut count = 0;
        for (place, value) in block.iter_mut().zip(&mut values) {
            *place = wrap(value.wrapping_sub(before));
            before = value;
            count += 1;
        }
        let Some(&least) = block[..count].iter().min() else { return };
        zigzag(least, out);
        let rest = |value: i64| value.wrapping_sub(least) as u64 & mask;
        let widths = out.len();
        out.resize(widths + BLOCK / PART, 0);
        for (at, part) in block[..count].chunks(PART).enumerate() {
            let most = part.iter().fold(0, |most, value| most | rest(*value));
            let width = width(most);
            out[widths + at] = width as u8;
            let padding = std::iter::repeat_n(0, PART - part.len());
            bits(part.iter().map(|value| rest(*value)).chain(padding), width, out);
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
    fn long_runs_are_said_once() {
        let mut out = Vec::new();
        runs(&[5; 100], 3, &mut out);
        assert_eq!(out, [200, 1, 5]);
        let mut out = Vec::new();
        runs(&[[1, 0, 1, 0, 1, 0, 1, 0].as_slice(), &[1; 40], &[0, 0, 1]].concat(), 1, &mut out);
        assert_eq!(out, [3, 0x55, 80, 1, 3, 4]);
    }
}
