//! Short spellings for mask tables, and the few fields that no mask table can say.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use fragreel_base::delta::masked::{Form, MaskField, MaskTable, Sign};
use fragreel_base::wire::{Wire, sign_extend};

/// A field with one form: sent when all of `bits` are set.
pub(super) fn one(name: &'static str, slot: usize, bits: u64, width: u8, sign: Sign) -> MaskField {
    many(name, slot, &[(bits, bits, width, sign)])
}

/// A field with several forms, each `(test, want, width, sign)`.
pub(super) fn many(name: &'static str, slot: usize, forms: &[(u64, u64, u8, Sign)]) -> MaskField {
    let forms = forms.iter().map(|&(test, want, width, sign)| Form { test, want, width, sign }).collect();
    MaskField { name: Cow::Borrowed(name), slot: slot as u16, forms }
}

/// A field of 8, 16 or (both bits) 32 bits, unsigned.
pub(super) fn pair(name: &'static str, slot: usize, narrow: u64, wide: u64) -> MaskField {
    let both = narrow | wide;
    many(name, slot, &[(both, narrow, 8, Sign::None), (both, wide, 16, Sign::None), (both, both, 32, Sign::None)])
}

/// Fields one after the other under one bit.
pub(super) fn run(names: &[&'static str], slot: usize, bits: u64, width: u8, sign: Sign) -> Vec<MaskField> {
    names.iter().enumerate().map(|(at, name)| one(name, slot + at, bits, width, sign)).collect()
}

/// A part of a state's layout, in wire order.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "a dozen layouts in all, and the large variant is the hot one")]
pub enum Step {
    /// Fields whose widths the mask alone decides.
    Fields(MaskTable),
    /// Each word under its bit: 16 bits, and 8 more when the lowest bit is set. Kept with that bit; see
    /// *Coordinates* of the format document.
    Flagged(Cow<'static, [(&'static str, usize, u64)]>),
    /// Each word under its bit: the high byte first, then the low 16 bits.
    High24(&'static [(&'static str, usize, u64)]),
    /// An index of 14 bits whose top bits announce the loop's volume and attenuation.
    LoopSound {
        /// The mask bit.
        bit: u64,
        /// The word of the index; volume and attenuation follow it.
        slot: usize,
    },
    /// The KEX gun frame: 9 bits of frame, then seven bits that announce six floats and a byte.
    KexGun {
        /// The mask bit.
        bit: u64,
        /// The word of the frame; the six floats and the rate follow it.
        slot: usize,
    },
    /// Two halves of a byte announce the bytes of the blend and of the damage blend.
    Blends {
        /// The mask bit.
        bit: u64,
        /// The word of the announcing byte; the eight bytes follow it.
        slot: usize,
    },
    /// A byte announces the parts of the fog.
    Fog {
        /// The mask bit.
        bit: u64,
        /// The word of the announcing byte; the parts follow it.
        slot: usize,
    },
    /// Origins that are floats for solid entities and eighths for others.
    KexOrigin,
}

/// Layouts made so far.
static MADE: AtomicUsize = AtomicUsize::new(0);
/// No more layouts are made: each is a static of this crate.
pub(crate) const LAYOUTS: usize = 32;

/// A state's layout.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Its parts in wire order.
    pub steps: Vec<Step>,
    /// Its number among all layouts, in the order that they are made, from 1.
    pub(crate) number: usize,
    /// For every mask bit, the words that it can change.
    touches: Box<[u128; 64]>,
}

impl Shape {
    /// A layout that is one mask table.
    pub(super) fn plain(fields: Vec<MaskField>) -> Self {
        Self::new(vec![table(fields)])
    }

    /// A layout of these parts.
    pub(super) fn new(steps: Vec<Step>) -> Self {
        let mut touches = Box::new([0u128; 64]);
        let mut touch = |bits: u64, slot: usize| {
            for bit in fragreel_base::delta::masked::members(bits) {
                touches[bit] |= 1 << slot;
            }
        };
        for step in &steps {
            match step {
                Step::Fields(table) => {
                    for field in table.fields() {
                        let wants = || field.forms.iter().map(|form| form.want);
                        // A bit that every form wants decides alone; otherwise any of them may.
                        let all = wants().fold(u64::MAX, |all, want| all & want);
                        let any = wants().fold(0, |any, want| any | want);
                        touch(if all != 0 { all } else { any }, field.slot.into());
                    }
                }
                Step::Flagged(fields) => fields.iter().for_each(|&(_, slot, bit)| touch(bit, slot)),
                Step::High24(fields) => fields.iter().for_each(|&(_, slot, bit)| touch(bit, slot)),
                Step::LoopSound { bit, slot } | Step::KexGun { bit, slot } | Step::Blends { bit, slot } | Step::Fog { bit, slot } => touch(*bit, *slot),
                Step::KexOrigin => {
                    use super::entity_words::*;
                    for (bit, slot) in [(U_ORIGIN1, ORIGIN_X), (U_ORIGIN2, ORIGIN_Y), (U_ORIGIN3, ORIGIN_Z)] {
                        touch(bit, slot);
                    }
                    (0..3).for_each(|at| touch(U_OLDORIGIN, OLD_ORIGIN_X + at));
                }
            }
        }
        Shape { steps, touches, number: MADE.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Whether the entity's box has 32 bits.
    pub(crate) fn has_wide_solid(&self) -> bool {
        let fields = self.steps.iter().flat_map(|step| if let Step::Fields(table) = step { table.fields() } else { &[] });
        fields.filter(|field| field.name == "solid").any(|field| field.forms.iter().any(|form| form.width == 32))
    }

    /// The words that a delta with this mask changes, as a set. Of words that are announced by another word
    /// ([`Step::Blends`] and the like) only the announcing word.
    #[inline]
    pub fn touched(&self, mask: u64) -> u128 {
        fragreel_base::delta::masked::members(mask).fold(0, |set, bit| set | self.touches[bit])
    }

    /// Reads or writes what `mask` announces. `solid` says, for [`Step::KexOrigin`], whether the entity is solid before
    /// this delta says anything of it.
    #[inline]
    pub fn code<W: Wire>(&self, w: &mut W, mask: u64, row: &mut [u32], solid: bool) -> Result<(), W::Error> {
        for step in &self.steps {
            match step {
                Step::Fields(table) => table.code(w, mask, row)?,
                Step::Flagged(fields) => {
                    for &(name, slot, bit) in &**fields {
                        if mask & bit != 0 {
                            w.enter(name);
                            row[slot] = flagged(w, row[slot])?;
                        }
                    }
                }
                Step::High24(fields) => {
                    for &(name, slot, bit) in *fields {
                        if mask & bit != 0 {
                            w.enter(name);
                            row[slot] = high24(w, row[slot])?;
                        }
                    }
                }
                _ => code_rare(w, step, mask, row, solid)?,
            }
        }
        Ok(())
    }
}

/// Compiles a list; the lists are fixed, so a failure is a mistake in this crate that any test meets.
pub(super) fn table(fields: Vec<MaskField>) -> Step {
    Step::Fields(MaskTable::compile(fields).expect("a table of this crate compiles"))
}

/// 16 bits, and 8 more when the lowest is set. The raw value is kept, flag and all.
#[inline]
pub fn flagged<W: Wire>(w: &mut W, raw: u32) -> Result<u32, W::Error> {
    let low = w.bits(raw & 0xffff, 16)?;
    Ok(if low & 1 != 0 { low | w.bits(raw >> 16 & 0xff, 8)? << 16 } else { low })
}

/// What a flagged coordinate says: a new value, or a difference to the old one.
pub(crate) fn flagged_value(raw: u32, from: u32) -> u32 {
    if raw & 1 != 0 { sign_extend(raw >> 1, 23) } else { from.wrapping_add(sign_extend(raw >> 1, 15)) }
}

/// The high byte first, then the low 16 bits; signed.
#[inline]
pub(crate) fn high24<W: Wire>(w: &mut W, value: u32) -> Result<u32, W::Error> {
    let high = w.bits(value >> 16 & 0xff, 8)?;
    let low = w.bits(value & 0xffff, 16)?;
    Ok(sign_extend(high << 16 | low, 24))
}

/// The parts of a fog up to its distances: the bit that announces them, their names and widths.
pub(crate) const FOG_PARTS: &[(u32, &[(&str, u32)])] = &[
    (1, &[("fog_red", 8), ("fog_green", 8), ("fog_blue", 8)]),
    (2, &[("fog_density", 16), ("fog_sky_factor", 16)]),
    (4, &[("heightfog_density", 16)]),
    (8, &[("heightfog_falloff", 16)]),
    (16, &[("heightfog_start_red", 8), ("heightfog_start_green", 8), ("heightfog_start_blue", 8)]),
    (32, &[("heightfog_end_red", 8), ("heightfog_end_green", 8), ("heightfog_end_blue", 8)]),
];

fn code_rare<W: Wire>(w: &mut W, step: &Step, mask: u64, row: &mut [u32], solid: bool) -> Result<(), W::Error> {
    match *step {
        Step::LoopSound { bit, slot } if mask & bit != 0 => {
            row[slot] = w.field("sound", row[slot], 16)?;
            if row[slot] & 0x4000 != 0 {
                row[slot + 1] = w.field("loop_volume", row[slot + 1], 8)?;
            }
            if row[slot] & 0x8000 != 0 {
                row[slot + 2] = w.field("loop_attenuation", row[slot + 2], 8)?;
            }
        }
        Step::KexGun { bit, slot } if mask & bit != 0 => {
            row[slot] = w.field("gunframe", row[slot], 16)?;
            for part in 0..7 {
                if row[slot] >> (9 + part) & 1 != 0 {
                    let at = slot + 1 + part;
                    row[at] = w.field(super::player_words::NAMES[at], row[at], if part == 6 { 8 } else { 32 })?;
                }
            }
        }
        Step::Blends { bit, slot } if mask & bit != 0 => {
            row[slot] = w.field("blend_mask", row[slot], 8)?;
            for part in 0..8 {
                if row[slot] >> part & 1 != 0 {
                    let at = slot + 1 + part;
                    row[at] = w.field(super::player_words::NAMES[at], row[at], 8)?;
                }
            }
        }
        Step::Fog { bit, slot } if mask & bit != 0 => {
            row[slot] = w.field("fog_mask", row[slot], 8)?;
            let mut at = slot;
            for &(flag, parts) in FOG_PARTS {
                for &(name, width) in parts {
                    at += 1;
                    if row[slot] & flag != 0 {
                        row[at] = w.field(name, row[at], width)?;
                    }
                }
            }
            for (flag, name) in [(64, "heightfog_start_distance"), (128, "heightfog_end_distance")] {
                at += 1;
                if row[slot] & flag != 0 {
                    w.enter(name);
                    row[at] = flagged(w, row[at])?;
                }
            }
        }
        Step::KexOrigin => {
            use super::entity_words::*;
            let solid = if mask & U_SOLID != 0 { row[SOLID] != 0 } else { solid };
            let given_as_float = row[PRECISE] != 0;
            row[PRECISE] = u32::from(solid);
            let fields = [U_ORIGIN1, U_ORIGIN2, U_ORIGIN3, U_OLDORIGIN, U_OLDORIGIN, U_OLDORIGIN];
            let slots = [ORIGIN_X, ORIGIN_Y, ORIGIN_Z, OLD_ORIGIN_X, OLD_ORIGIN_Y, OLD_ORIGIN_Z];
            for (bit, at) in fields.into_iter().zip(slots) {
                if mask & bit == 0 {
                    continue;
                }
                w.enter(NAMES[at]);
                // the frame that said whether it is solid may have been left out
                let given = match (given_as_float, solid) {
                    (false, true) => float_of(row[at]),
                    (true, false) => eighths_of(row[at]),
                    _ => row[at],
                };
                row[at] = if solid { w.bits(given, 32)? } else { sign_extend(w.bits(given, 16)?, 16) };
            }
        }
        _ => {}
    }
    Ok(())
}
