//! Nails in flight.

use crate::message::{Nails, Nails2};
use crate::text::rules::Rules;
use crate::text::units::BYTE_ANGLE;
use crate::text::value::{AsText, elements};
use fragreel_base::textform::{Form, Leaf};

/// A nail as x, y, z, pitch and yaw.
fn nail<F: Form>(f: &mut F, at: usize, b: &mut [u8]) -> Result<(), F::Error> {
    const STEPS: i64 = 2048;
    const PITCH: f64 = 360.0 / 16.0;
    let place = |f: &mut F, twelve: u32| f.scaled(i64::from(twelve) - STEPS, 2.0, -STEPS, STEPS - 1).map(|steps| (steps + STEPS) as u32);
    let word = |byte: u8| u32::from(byte);
    match at {
        0 => {
            let x = place(f, word(b[0]) | (word(b[1]) & 15) << 8)?;
            (b[0], b[1]) = (x as u8, b[1] & 0xf0 | (x >> 8) as u8);
        }
        1 => {
            let y = place(f, word(b[1]) >> 4 | word(b[2]) << 4)?;
            (b[1], b[2]) = (b[1] & 15 | (y << 4) as u8, (y >> 4) as u8);
        }
        2 => {
            let z = place(f, word(b[3]) | (word(b[4]) & 15) << 8)?;
            (b[3], b[4]) = (z as u8, b[4] & 0xf0 | (z >> 8) as u8);
        }
        3 => b[4] = b[4] & 15 | (f.scaled(i64::from(b[4] >> 4), PITCH, 0, 15)? as u8) << 4,
        _ => b[5] = f.scaled(i64::from(b[5]), BYTE_ANGLE, 0, 255)? as u8,
    }
    Ok(())
}

const MANY_NAILS: &str = "more than 255 nails";

impl AsText for Nails {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("nails")?;
            elements(f, &mut self.nails, 255, MANY_NAILS, |f, bytes| f.tuple(5, |f, at| nail(f, at, bytes)))
        })
    }
}

impl AsText for Nails2 {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("nails")?;
            elements(f, &mut self.nails, 255, MANY_NAILS, |f, bytes| {
                f.tuple(6, |f, at| match at.checked_sub(1) {
                    None => Leaf::form(&mut bytes[0], f),
                    Some(at) => nail(f, at, &mut bytes[1..]),
                })
            })
        })
    }
}
