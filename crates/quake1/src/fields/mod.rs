//! Field tables of the classic deltas, and nothing else (`docs/formats/quake1.md`, "Entity deltas").

pub(crate) mod names;
pub(crate) mod netquake;
pub(crate) mod quakeworld;

use fragreel_base::delta::masked::{Form, MaskField, MaskTable, Sign};
use fragreel_base::wire::Vocabulary;

use crate::replacement::Coordinates;

/// A field that one mask bit announces: its name, its slot, and the bit.
pub(crate) type Field = (&'static str, usize, u64);

/// The bits of the fields that differ between two rows.
#[inline]
pub(crate) fn differing(fields: &[Field], before: &[u32], after: &[u32]) -> u64 {
    fields.iter().filter(|(_, at, _)| before[*at] != after[*at]).fold(0, |mask, (.., bit)| mask | bit)
}

/// The slots of the lowest 16 bits. Bits without a field have `none`.
pub(crate) const fn slots_of_bits(fields: &[Field], none: usize) -> [usize; 16] {
    let mut slots = [none; 16];
    let mut at = 0;
    while at < fields.len() {
        slots[fields[at].2.trailing_zeros() as usize] = fields[at].1;
        at += 1;
    }
    slots
}

/// A mask bit that is always on: fields that are always sent.
pub(crate) const ALWAYS: u64 = 1 << 63;

/// A field with one form.
fn one(name: &'static str, slot: usize, bit: u64, width: u32, sign: Sign) -> MaskField {
    MaskField { name: name.into(), slot: slot as u16, forms: vec![Form { test: bit, want: bit, width: width as u8, sign }] }
}

/// Coordinates of 16 bits are kept with their sign spread, all others as sent.
fn coord_sign(width: u32) -> Sign {
    if width == 16 { Sign::Twos } else { Sign::None }
}

/// What a word of a table means: units, degrees, units per second, names, or the number with its sign. `coord` says how its coordinates are sent.
pub(crate) fn meaning(table: &MaskTable, coord: Coordinates, netquake: bool, at: usize, word: u32) -> String {
    let Some(field) = table.fields().get(at) else { return word.to_string() };
    let form = field.forms.first();
    match (&*field.name, form.map(|form| form.width)) {
        ("origin_x" | "origin_y" | "origin_z", _) => coord.units(word).to_string(),
        ("pitch" | "yaw" | "roll", Some(8)) => (f32::from(word as u8 as i8) * (360.0 / 256.0)).to_string(),
        ("pitch" | "yaw" | "roll", Some(16)) => (f32::from(word as u16 as i16) * (360.0 / 65536.0)).to_string(),
        ("pitch" | "yaw" | "roll", _) => f32::from_bits(word).to_string(),
        ("velocity_x" | "velocity_y" | "velocity_z", Some(8)) => ((word as i32).wrapping_mul(16)).to_string(),
        ("effects", _) => names::effects(netquake).show(word),
        ("items", _) => names::ITEMS.show(word),
        ("flags", _) => names::RENDER_FLAGS.show(word),
        _ if form.is_some_and(|form| form.sign == Sign::Twos) => (word as i32).to_string(),
        _ => word.to_string(),
    }
}

/// Checks a table that was written by hand.
fn compile(fields: Vec<MaskField>) -> MaskTable {
    MaskTable::compile(fields).unwrap_or_else(|error| unreachable!("the tables are checked by tests: {error:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replacement::Angles;

    #[test]
    fn words_have_units() {
        let of = |table: &MaskTable, name: &str, word: u32| {
            let at = table.fields().iter().position(|field| field.name == name).unwrap();
            meaning(table, Coordinates::Eighths, true, at, word)
        };
        let entity = quakeworld::entity(0, Coordinates::Eighths, Angles::Byte);
        assert_eq!(of(&entity, "origin_x", 59105 | 0xffff_0000), "-803.875");
        assert_eq!((of(&entity, "yaw", 192), of(&entity, "frame", 255)), (String::from("-90"), String::from("255")));
        let view = quakeworld::view_player(Coordinates::Eighths);
        assert_eq!((of(&view, "pitch", 8192), of(&view, "effects", 10)), (String::from("45"), String::from("EF_MUZZLEFLASH EF_DIMLIGHT")));
    }

    #[test]
    fn extensions_have_the_slots_of_the_table() {
        let table = quakeworld::entity(u32::MAX, Coordinates::Eighths, Angles::Byte);
        for (bit, from, count) in quakeworld::EXTENSIONS {
            let slots = table.fields().iter().filter(|field| field.forms.iter().all(|form| form.want == bit)).map(|field| usize::from(field.slot));
            assert_eq!(slots.collect::<Vec<_>>(), (from..from + count).collect::<Vec<_>>());
        }
        let listed = quakeworld::PLAIN.len() + quakeworld::EXTENSIONS.iter().map(|(.., count)| count).sum::<usize>();
        assert_eq!(table.fields().len(), listed);
    }
}
