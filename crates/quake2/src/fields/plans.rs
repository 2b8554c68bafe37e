//! Remembered masks: what a layout makes of a mask is worked out once and then followed blindly.
//!
//! A stream uses few different masks. On a client's recording of a duel this took full reconstruction of states from 170 to
//! 277 MB/s (bench `states`); the search for each field's form had been half of all time.

use fragreel_base::delta::masked::Sign;
use fragreel_base::wire::{Wire, sign_extend};

use super::{Shape, Step};

/// Plans kept; a mask finds its place by its bits.
const PLACES: usize = 1024;
/// Longest plan kept.
const LONGEST: usize = 40;

#[derive(Debug, Clone, Copy, Default)]
struct Item {
    slot: u8,
    width: u8,
    /// Bits of a word above the field.
    above: u8,
    signed: bool,
}

#[derive(Debug, Clone)]
struct Plan {
    mask: u64,
    /// The number of the layout; 0 for an empty place.
    shape: usize,
    length: u8,
    /// The bytes of all fields, if all are of whole bytes.
    bytes: Option<u8>,
    items: [Item; LONGEST],
}

/// The plans of one reader or writer.
#[derive(Debug, Default)]
pub struct Plans {
    places: Vec<Plan>,
}

/// A copy starts without plans: they are soon remembered again, and copying them costs more.
impl Clone for Plans {
    fn clone(&self) -> Self {
        Plans::default()
    }
}

impl Plans {
    /// As [`Shape::code`]. `names`: the names of the row's words.
    #[inline]
    pub fn code<W: Wire>(&mut self, shape: &'static Shape, names: &[&'static str], w: &mut W, mask: u64, row: &mut [u32], solid: bool) -> Result<(), W::Error> {
        if mask == 0 {
            return Ok(());
        }
        let place = place(mask, shape.number);
        match self.places.get(place) {
            Some(plan) if plan.mask == mask && plan.shape == shape.number => {
                for item in &plan.items[..usize::from(plan.length)] {
                    let (slot, width) = (usize::from(item.slot), u32::from(item.width));
                    w.enter(names[slot]);
                    let raw = w.bits(row[slot], width)?;
                    row[slot] = if item.signed { sign_extend(raw, width) } else { raw };
                }
                Ok(())
            }
            _ => {
                self.remember(shape, place, mask);
                shape.code(w, mask, row, solid)
            }
        }
    }

    /// The bytes of the fields that a mask announces, if the mask is remembered.
    #[inline]
    pub(crate) fn bytes(&self, shape: &'static Shape, mask: u64) -> Option<usize> {
        if mask == 0 {
            return Some(0);
        }
        self.plan(shape, mask)?.bytes.map(usize::from)
    }

    /// Reads the fields that a mask announces from the start of `data`, and returns their bytes. `None` if the mask is not remembered, or if the data ends
    /// soon: every field is read as a word of four bytes, which takes half the instructions of a read of its own width.
    #[inline]
    pub(crate) fn read(&self, shape: &'static Shape, mask: u64, data: &[u8], row: &mut [u32]) -> Option<usize> {
        if mask == 0 {
            return Some(0);
        }
        let plan = self.plan(shape, mask)?;
        let length = usize::from(plan.bytes?);
        let data = data.get(..length + 4)?;
        let mut at = 0;
        for item in plan.items.get(..usize::from(plan.length))? {
            let word = u32::from_le_bytes(*data.get(at..)?.first_chunk()?) << item.above;
            *row.get_mut(usize::from(item.slot))? = if item.signed { (word as i32 >> item.above) as u32 } else { word >> item.above };
            at += usize::from(item.width / 8);
        }
        Some(length)
    }

    #[inline]
    fn plan(&self, shape: &'static Shape, mask: u64) -> Option<&Plan> {
        self.places.get(place(mask, shape.number)).filter(|plan| plan.mask == mask && plan.shape == shape.number)
    }

    #[cold]
    #[inline(never)]
    fn remember(&mut self, shape: &Shape, place: usize, mask: u64) {
        let [Step::Fields(table)] = &shape.steps[..] else { return };
        let mut plan = Plan { mask, shape: shape.number, length: 0, bytes: Some(0), items: [Item::default(); LONGEST] };
        for field in table.fields() {
            let Some(form) = field.forms.iter().find(|form| mask & form.test == form.want) else {
                // The table refuses some masks: let it.
                if field.forms.iter().any(|form| mask & form.want == form.want) {
                    return;
                }
                continue;
            };
            let (Ok(slot), false, Some(item)) = (u8::try_from(field.slot), form.sign == Sign::Magnitude, plan.items.get_mut(usize::from(plan.length))) else {
                return;
            };
            *item = Item { slot, width: form.width, above: 32u8.saturating_sub(form.width), signed: form.sign == Sign::Twos };
            plan.length += 1;
            plan.bytes = plan.bytes.filter(|_| form.width % 8 == 0).and_then(|bytes| bytes.checked_add(form.width / 8));
        }
        if self.places.is_empty() {
            self.places = vec![Plan { mask: 0, shape: 0, length: 0, bytes: Some(0), items: [Item::default(); LONGEST] }; PLACES];
        }
        self.places[place] = plan;
    }
}

#[inline]
fn place(mask: u64, layout: usize) -> usize {
    ((mask ^ (layout as u64) << 58).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize & (PLACES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::entity;
    use fragreel_base::wire::{ReadBytes, WriteBytes};

    /// The plan and the table, which is the plain way, say the same of every mask.
    #[test]
    fn plans_agree_with_their_tables() {
        let mut plans = Plans::default();
        let mut seed = 1u64;
        let mut data = [0u8; 128];
        for round in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mask = seed >> 36 & if round % 3 == 0 { 0xfff } else { u64::MAX };
            data[round % 128] = (seed >> 20) as u8;
            for shape in [&*entity::CLASSIC, &*entity::LONG_SOLID, &*entity::EXTENDED] {
                for _ in 0..2 {
                    let (mut slow, mut fast) = ([0; entity::SLOTS], [0; entity::SLOTS]);
                    let (mut a, mut b) = (ReadBytes::new(&data), ReadBytes::new(&data));
                    assert_eq!(shape.code(&mut a, mask, &mut slow, false), plans.code(shape, entity::NAMES, &mut b, mask, &mut fast, false));
                    assert_eq!((slow, a.offset()), (fast, b.offset()));
                    let mut words = [0; entity::SLOTS];
                    let read = plans.read(shape, mask, &data, &mut words);
                    assert!(read.is_none_or(|length| (length, words) == (a.offset(), slow)));
                    assert!(read.is_none() || plans.bytes(shape, mask) == read);
                    let mut w = WriteBytes::default();
                    let Ok(()) = plans.code(shape, entity::NAMES, &mut w, mask, &mut fast, false);
                    assert_eq!(w.written(), &data[..b.offset()]);
                }
            }
        }
    }
}
