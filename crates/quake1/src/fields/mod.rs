//! Field tables of the classic deltas, and nothing else (`docs/formats/quake1.md`, "Entity deltas").

pub mod netquake;
pub mod quakeworld;

use fragreel_base::delta::masked::{Form, MaskField, MaskTable, Sign};

/// A mask bit that is always on: fields that are always sent.
pub const ALWAYS: u64 = 1 << 63;

/// A field with one form.
fn one(name: &'static str, slot: usize, bit: u64, width: u32, sign: Sign) -> MaskField {
    MaskField { name: name.into(), slot: slot as u16, forms: vec![Form { test: bit, want: bit, width: width as u8, sign }] }
}

/// Coordinates of 16 bits are kept with their sign spread, all others as sent.
fn coord_sign(width: u32) -> Sign {
    if width == 16 { Sign::Twos } else { Sign::None }
}

/// Checks a table that was written by hand.
fn compile(fields: Vec<MaskField>) -> MaskTable {
    MaskTable::compile(fields).unwrap_or_else(|error| unreachable!("the tables are checked by tests: {error:?}"))
}
