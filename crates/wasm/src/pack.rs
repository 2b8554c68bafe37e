//! Columns in few bytes: blocks of rows of one subject, each in the fewest bytes that give back the same numbers. `web/src/data/packed.ts` reads them
//! where they are.

use crate::constants::{ABSENT, ALIKE, COUNTING, ONE_BYTE, PLAIN, TWO_BYTES, UNIT_SHIFT};

/// The most rows in a block.
pub const ROWS: usize = crate::constants::BLOCK as usize;

/// The units that the numbers of a block may have: whole numbers, the coordinates of old games, angles of 16 bits.
pub const UNITS: [f64; 3] = [1.0, 1.0 / 8.0, 360.0 / 65536.0];

/// The largest numbers of one and of two bytes. They stand for what the recording does not state.
const UNKNOWN: [u16; 2] = [u8::MAX as u16, u16::MAX];

/// A number in a column.
pub trait Number: Copy {
    /// The units that it may have.
    const UNITS: &[f64];

    /// What the recording states.
    fn known(self) -> Option<f64>;

    /// The same number without its type.
    fn bits(self) -> u32;

    fn base(self) -> f64;
}

impl Number for f32 {
    const UNITS: &[f64] = &UNITS;

    #[inline]
    fn known(self) -> Option<f64> {
        (!self.is_nan()).then_some(f64::from(self))
    }

    #[inline]
    fn bits(self) -> u32 {
        self.to_bits()
    }

    #[inline]
    fn base(self) -> f64 {
        f64::from(self)
    }
}

impl Number for i32 {
    const UNITS: &[f64] = &[1.0];

    #[inline]
    fn known(self) -> Option<f64> {
        (self != ABSENT).then_some(f64::from(self))
    }

    #[inline]
    fn bits(self) -> u32 {
        self as u32
    }

    #[inline]
    fn base(self) -> f64 {
        f64::from(self)
    }
}

/// The blocks of a column, one after the other.
#[derive(Debug, Default)]
pub struct Packed<T> {
    pub blocks: Blocks,
    /// The numbers that are kept as they are.
    pub plain: Vec<T>,
}

/// How the numbers of blocks are kept, and those that are kept in less than they came in.
#[derive(Debug, Default)]
pub struct Blocks {
    /// How the numbers of each block are kept: [`ALIKE`], [`ONE_BYTE`], [`TWO_BYTES`] or [`PLAIN`], with [`COUNTING`], and the place of the unit in [`UNITS`]
    /// from [`UNIT_SHIFT`] on.
    pub kinds: Vec<u8>,
    /// The number of each block that the others are counted from.
    pub bases: Vec<f64>,
    pub ones: Vec<u8>,
    pub twos: Vec<u16>,
}

impl Blocks {
    fn note(&mut self, kind: i32, base: f64) {
        self.kinds.push(kind as u8);
        self.bases.push(base);
    }
}

impl<T: Number> Packed<T> {
    /// Adds a block. It has at least one row, and at most [`ROWS`].
    pub fn add(&mut self, block: &[T]) {
        let Some((first, rest)) = block.split_first() else { return };
        if rest.iter().all(|number| number.bits() == first.bits()) {
            return self.blocks.note(ALIKE, first.base());
        }
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for known in block.iter().filter_map(|number| number.known()) {
            // in browsers, the standard library's version of this is a separate function
            if known < least {
                least = known;
            }
            if known > most {
                most = known;
            }
        }
        // unknown numbers may differ in their bits
        if least > most {
            return self.blocks.note(ALIKE, first.base());
        }
        let mut steps = [0; ROWS];
        for (place, unit) in T::UNITS.iter().enumerate() {
            let span = (most - least) / unit;
            let Some(width) = UNKNOWN.iter().position(|&unknown| span < f64::from(unknown) - 0.5) else { continue };
            if !stepped(block, least, *unit, UNKNOWN[width], &mut steps) {
                continue;
            }
            let steps = &steps[..block.len()];
            if width == 0 {
                self.blocks.ones.extend(steps.iter().map(|&step| step as u8));
            } else {
                self.blocks.twos.extend(steps);
            }
            return self.blocks.note([ONE_BYTE, TWO_BYTES][width] | (place as i32) << UNIT_SHIFT, least);
        }
        self.plain.extend(block);
        self.blocks.note(PLAIN, 0.0);
    }
}

impl Packed<i32> {
    /// Adds a block of frames. Most stand at each frame, or leave out a few.
    pub fn add_frames(&mut self, frames: &[i32]) {
        let Some(&first) = frames.first() else { return };
        let left_out = |(place, frame): (i32, &i32)| frame.checked_sub(first)?.checked_sub(place).and_then(|steps| u8::try_from(steps).ok());
        let places = || (0..).zip(frames);
        if places().all(|one| left_out(one) == Some(0)) {
            self.blocks.note(ALIKE | COUNTING, first.into());
        } else if places().all(|one| left_out(one).is_some()) {
            self.blocks.ones.extend(places().filter_map(left_out));
            self.blocks.note(ONE_BYTE | COUNTING, first.into());
        } else {
            self.add(frames);
        }
    }
}

/// Writes how many units each number of a block is above the least. Answers with `false` where a number is not a whole number of units above it.
fn stepped<T: Number>(block: &[T], least: f64, unit: f64, unknown: u16, steps: &mut [u16; ROWS]) -> bool {
    let per_unit = 1.0 / unit;
    for (number, step) in block.iter().zip(steps) {
        let Some(known) = number.known() else {
            *step = unknown;
            continue;
        };
        let rounded = ((known - least) * per_unit + 0.5).floor();
        let again = least + rounded * unit;
        // zeros with a sign are equal to those without
        if again.to_bits() != known.to_bits() {
            return false;
        }
        *step = rounded as u16;
    }
    true
}

#[cfg(test)]
impl<T: Unpacked> Packed<T> {
    /// The numbers of blocks of these sizes.
    pub fn unpacked(&self, sizes: &[usize]) -> Vec<T> {
        let (mut ones, mut twos, mut plain) = (self.blocks.ones.iter(), self.blocks.twos.iter(), self.plain.iter());
        let mut numbers = Vec::new();
        for ((&kind, &base), &size) in self.blocks.kinds.iter().zip(&self.blocks.bases).zip(sizes) {
            let kind = i32::from(kind);
            for place in 0..size {
                let counted = if kind & COUNTING == 0 { 0.0 } else { place as f64 };
                let width = kind & PLAIN;
                if width == PLAIN {
                    numbers.push(*plain.next().unwrap());
                    continue;
                }
                let step = match width {
                    ONE_BYTE => u16::from(*ones.next().unwrap()),
                    TWO_BYTES => *twos.next().unwrap(),
                    _ => {
                        // a sum would take away a sign of zero
                        numbers.push(T::of(if kind & COUNTING == 0 { base } else { base + counted }));
                        continue;
                    }
                };
                let is_unknown = kind & COUNTING == 0 && step == UNKNOWN[width as usize - 1];
                let number = base + counted + f64::from(step) * UNITS[(kind >> UNIT_SHIFT) as usize];
                numbers.push(if is_unknown { T::UNKNOWN } else { T::of(number) });
            }
        }
        assert!(ones.next().is_none() && twos.next().is_none() && plain.next().is_none());
        numbers
    }
}

/// A number that a block gives back.
#[cfg(test)]
pub trait Unpacked: Copy {
    const UNKNOWN: Self;

    fn of(number: f64) -> Self;
}

#[cfg(test)]
impl Unpacked for f32 {
    const UNKNOWN: Self = f32::NAN;

    fn of(number: f64) -> Self {
        number as f32
    }
}

#[cfg(test)]
impl Unpacked for i32 {
    const UNKNOWN: Self = ABSENT;

    fn of(number: f64) -> Self {
        number as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs a block, and gives its width, its unit, and what is unpacked.
    fn round<T: Number + Unpacked + Default>(block: &[T]) -> (i32, usize, Vec<u32>) {
        let mut packed = Packed::default();
        packed.add(block);
        let kind = i32::from(packed.blocks.kinds[0]);
        (kind & PLAIN, (kind >> UNIT_SHIFT) as usize, packed.unpacked(&[block.len()]).iter().map(|number| number.bits()).collect())
    }

    #[test]
    fn floats_are_kept_in_the_fewest_bytes_without_loss() {
        let all = |of: fn(i16) -> f32| (0..ROWS as i16).map(of).collect::<Vec<_>>();
        let cases: [(Vec<f32>, i32, usize); 14] = [
            (vec![1.5; 7], ALIKE, 0),
            (vec![f32::NAN; 256], ALIKE, 0),
            (vec![-0.0; 3], ALIKE, 0),
            (all(|at| f32::from(at % 250) - 4000.0), ONE_BYTE, 0),
            (all(|at| if at % 9 == 0 { f32::NAN } else { f32::from(at % 250) }), ONE_BYTE, 0),
            (all(f32::from), TWO_BYTES, 0),
            (vec![0.0, 65534.0], TWO_BYTES, 0),
            (vec![0.0, 65535.0], PLAIN, 0),
            (vec![0.0, 254.0], ONE_BYTE, 0),
            (all(|at| f32::from(at) / 8.0 - 33.0), TWO_BYTES, 1),
            (all(|at| (f32::from(at) * 200.0).rem_euclid(65536.0) * (360.0 / 65536.0)), TWO_BYTES, 2),
            (vec![0.0, -0.0, 1.0], PLAIN, 0),
            (vec![1.0, f32::INFINITY], PLAIN, 0),
            (vec![0.1, 0.25, f32::MAX, f32::MIN_POSITIVE], PLAIN, 0),
        ];
        for (block, width, unit) in cases {
            let bits: Vec<_> = block.iter().map(|number| number.bits()).collect();
            assert_eq!(round(&block), (width, unit, bits), "{block:?}");
        }
    }

    #[test]
    fn whole_numbers_are_kept_in_the_fewest_bytes_without_loss() {
        for (block, width) in [
            (vec![ABSENT; 4], ALIKE),
            (vec![ABSENT, 100, 354], ONE_BYTE),
            (vec![-1, 254], TWO_BYTES),
            (vec![ABSENT, 0, 65534], TWO_BYTES),
            (vec![ABSENT, 0, 65535], PLAIN),
            (vec![ABSENT, i32::MIN + 1, i32::MAX], PLAIN),
        ] {
            let bits: Vec<_> = block.iter().map(|number| number.bits()).collect();
            assert_eq!(round(&block), (width, 0, bits), "{block:?}");
        }
    }

    #[test]
    fn frames_are_counted() {
        let every_third: Vec<i32> = (0..256).map(|at| 900 + at * 3).collect();
        for (frames, kind) in [
            (vec![7], ALIKE | COUNTING),
            ((5..261).collect(), ALIKE | COUNTING),
            (vec![0, 2, 3, 258], ONE_BYTE | COUNTING),
            (vec![0, 1, 2, 258], ONE_BYTE | COUNTING),
            (vec![0, 1, 2, 259], TWO_BYTES),
            (vec![4, 4, 4], ALIKE),
            (vec![4, 4, 5], ONE_BYTE),
            (vec![0, 1 << 20], PLAIN),
            (every_third, TWO_BYTES),
        ] {
            let mut packed = Packed::default();
            packed.add_frames(&frames);
            assert_eq!((i32::from(packed.blocks.kinds[0]), packed.unpacked(&[frames.len()])), (kind, frames));
        }
    }
}
