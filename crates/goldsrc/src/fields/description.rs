//! Delta descriptions: the stream says how its rows are sent (`docs/formats/goldsrc.md`, "Delta descriptions").

use std::borrow::Cow;

use fragreel_base::delta::masked::{Form, MaskField, MaskTable, Sign};
use fragreel_base::wire::Wire;

use crate::bit_order::{BitOrder, Section};
use crate::fields;
use crate::fields::scale::Scale;
use crate::scalars::Str;

/// Most fields that the eight mask bytes' three-bit count can announce.
pub(crate) const MAX_FIELDS: usize = 56;
const MULTIPLIER_SCALE: f64 = 4000.0;

/// `svc_deltadescription`: how the rows of one structure are sent from now on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeltaDescription {
    /// The structure's name, such as `entity_state_t`.
    pub name: Str,
    /// Its fields in wire order.
    pub fields: Vec<FieldDescription>,
    /// What fills the last byte.
    pub padding: u8,
}

/// One field, itself sent as a delta against zeroes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldDescription {
    /// Bytes of the mask.
    pub mask_bytes: u8,
    /// Which of the seven below were sent.
    pub mask: u64,
    /// The type's bit and the sign's.
    pub field_type: u32,
    /// The field's name in the engine's structure.
    pub field_name: Str,
    /// Where the engine keeps it.
    pub field_offset: u32,
    /// Bytes that the engine keeps it in.
    pub field_size: u32,
    /// Bits on the wire.
    pub significant_bits: u32,
    /// What the sender multiplied by, times 4000.
    pub premultiply: u32,
    /// What the receiver multiplies by, times 4000.
    pub postmultiply: u32,
}

impl DeltaDescription {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, order: BitOrder) -> Result<(), W::Error> {
        w.enter("name");
        self.name.code_bits(w)?;
        let mut w = Section::new(w, order);
        let count = w.field("fields", self.fields.len() as u32, 16)? as usize;
        w.expect(count <= MAX_FIELDS, "a delta description has at most 56 fields")?;
        if W::READING {
            self.fields.resize_with(count, FieldDescription::default);
        }
        for (at, field) in self.fields.iter_mut().enumerate() {
            w.scope("field", Some(at as u32), |w| field.code(w))?;
        }
        self.padding = w.finish(self.padding)?;
        Ok(())
    }
}

impl FieldDescription {
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        if W::READING {
            *self = FieldDescription::default();
        }
        (self.mask_bytes, self.mask) = code_mask(w, self.mask_bytes, self.mask)?;
        w.expect(self.mask >> 7 == 0, "the mask names a field that descriptions do not have")?;
        let number = |w: &mut W, bit: u32, name: &'static str, word: &mut u32, width: u32| {
            if self.mask >> bit & 1 != 0 {
                *word = w.field(name, *word, width)?;
            }
            Ok::<(), W::Error>(())
        };
        number(w, 0, "field_type", &mut self.field_type, 32)?;
        if self.mask >> 1 & 1 != 0 {
            w.enter("field_name");
            self.field_name.code_bits(w)?;
        }
        number(w, 2, "field_offset", &mut self.field_offset, 16)?;
        number(w, 3, "field_size", &mut self.field_size, 8)?;
        number(w, 4, "significant_bits", &mut self.significant_bits, 8)?;
        number(w, 5, "premultiply", &mut self.premultiply, 32)?;
        number(w, 6, "postmultiply", &mut self.postmultiply, 32)
    }
}

/// The mask in front of every delta: a three-bit count of bytes, then the bytes. More bytes than the mask needs are
/// legal, and none at all.
#[inline(always)]
pub(crate) fn code_mask<W: Wire>(w: &mut W, bytes: u8, mask: u64) -> Result<(u8, u64), W::Error> {
    let bytes = w.field("mask bytes", u32::from(bytes), 3)?;
    w.enter("mask");
    let mut out = 0;
    for at in 0..bytes {
        out |= u64::from(w.bits((mask >> (8 * at)) as u32 & 0xff, 8)?) << (8 * at);
    }
    Ok((bytes as u8, out))
}

/// How a field's bits are to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers; the engine cuts fractions off.
    Whole,
    /// Numbers with fractions.
    Float,
    /// A turn in 2^bits parts.
    Angle,
    /// Hundredths of a second before the message's time.
    TimeWindow8,
    /// Fractions of a second, as premultiplied, before the message's time.
    TimeWindowBig,
    /// A NUL-terminated string.
    Text,
}

/// A field of a compiled description.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name, from the list of fields that engines know where possible.
    pub name: Cow<'static, str>,
    /// How its bits are understood.
    pub kind: Kind,
    /// Whether a sign bit goes before the magnitude.
    pub signed: bool,
    /// Bits on the wire.
    pub bits: u32,
    /// What the sender multiplied by.
    pub premultiply: f64,
    /// What the receiver multiplies by.
    pub postmultiply: f64,
}

/// A description made ready for coding. Rows hold one word per field: the bits as they were sent. Time windows become
/// absolute and strings become their number once the state holds them, see [`State`](crate::State).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Description {
    /// The structure's name.
    pub name: String,
    /// The fields in wire order.
    pub fields: Vec<Field>,
    /// Fields that are relative to the message's time.
    pub time_fields: u64,
    /// Fields that are strings.
    pub text_fields: u64,
    order: BitOrder,
    parts: Vec<Part>,
    /// The fields' bits on the wire.
    widths: Vec<u8>,
    /// What the fields' words in a row are worth.
    scales: Vec<Scale>,
}

/// Fields between strings are one table; strings go between tables.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Table { table: Box<MaskTable>, mask: u64, first: usize },
    Text { at: usize },
}

const BYTE: u32 = 1 << 0;
const SHORT: u32 = 1 << 1;
const FLOAT: u32 = 1 << 2;
const INTEGER: u32 = 1 << 3;
const ANGLE: u32 = 1 << 4;
const TIME_WINDOW_8: u32 = 1 << 5;
const TIME_WINDOW_BIG: u32 = 1 << 6;
const STRING: u32 = 1 << 7;
const SIGNED: u32 = 1 << 31;

/// The types of fields and what they are called.
pub(crate) const TYPES: [(u32, &str); 8] = [
    (BYTE, "byte"),
    (SHORT, "short"),
    (FLOAT, "float"),
    (INTEGER, "integer"),
    (ANGLE, "angle"),
    (TIME_WINDOW_8, "time window 8"),
    (TIME_WINDOW_BIG, "time window big"),
    (STRING, "string"),
];

impl Description {
    /// Checks a description from the stream. The error names the rule that it breaks.
    pub fn compile(tree: &DeltaDescription, order: BitOrder) -> Result<Self, &'static str> {
        let mut fields = Vec::with_capacity(tree.fields.len());
        let (mut time_fields, mut text_fields) = (0, 0);
        for (at, field) in tree.fields.iter().enumerate().take(MAX_FIELDS) {
            let field = Field::compile(field)?;
            time_fields |= u64::from(field.is_time()) << at;
            text_fields |= u64::from(field.kind == Kind::Text) << at;
            fields.push(field);
        }
        let mut parts = Vec::new();
        let mut open: Vec<MaskField> = Vec::new();
        let mut first = 0;
        for (at, field) in fields.iter().enumerate() {
            if field.kind == Kind::Text {
                parts.extend(close(&mut open, first)?);
                parts.push(Part::Text { at });
                first = at + 1;
                continue;
            }
            let form = Form { test: 1 << at, want: 1 << at, width: field.bits as u8, sign: Sign::None };
            open.push(MaskField {
                name: Cow::Borrowed(fields::known(&field.name).unwrap_or("a field that no engine lists")),
                slot: at as u16,
                forms: vec![form],
            });
        }
        parts.extend(close(&mut open, first)?);
        let widths = fields.iter().map(|field| field.bits as u8).collect();
        let scales = fields.iter().map(|field| field.scale(order)).collect();
        Ok(Description { name: tree.name.show(), fields, time_fields, text_fields, order, parts, widths, scales })
    }

    /// The place of the field called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The fields' bits on the wire.
    #[inline]
    pub(crate) fn widths(&self) -> &[u8] {
        &self.widths
    }

    /// What the bits of field `at` mean in a message of this time, for all but strings.
    pub fn meaning(&self, at: usize, bits: u32, time: f32) -> f32 {
        let field = &self.fields[at];
        self.value(at, if field.is_time() { self.absolute(at, bits, time) } else { bits })
    }

    /// How the words of field `at` in a state's row become numbers, for all but strings.
    pub(crate) fn scale(&self, at: usize) -> Scale {
        self.scales[at]
    }

    /// What a word of a state's row means, for all but strings.
    #[inline]
    pub fn value(&self, at: usize, word: u32) -> f32 {
        self.scales[at].value(word)
    }

    /// The word that a state keeps for a time field: scaled seconds, no longer relative.
    pub fn absolute(&self, at: usize, bits: u32, time: f32) -> u32 {
        let field = &self.fields[at];
        let now = (f64::from(time) * field.time_scale()) as i32;
        now.wrapping_sub(field.whole(bits, self.order) as i32) as u32
    }

    /// The bits that a message of this time would send for a state's word of a time field.
    pub fn relative(&self, at: usize, word: u32, time: f32) -> u32 {
        let field = &self.fields[at];
        let now = (f64::from(time) * field.time_scale()) as i32;
        let behind = now.wrapping_sub(word as i32);
        let magnitude = behind.unsigned_abs().min((1u32 << (field.bits - 1)) - 1);
        field.sent(magnitude, behind < 0, self.order)
    }

    /// Whether a message of this time can say a state's word of a time field: the window is as wide as its bits.
    pub(crate) fn reaches(&self, at: usize, word: u32, time: f32) -> bool {
        self.absolute(at, self.relative(at, word, time), time) == word
    }

    /// The word whose value comes nearest to `value`, for all but strings.
    pub fn nearest(&self, at: usize, value: f32) -> u32 {
        let field = &self.fields[at];
        if field.is_time() {
            return (f64::from(value) * field.time_scale()) as i32 as u32;
        }
        let mut raw = f64::from(value);
        if field.kind == Kind::Angle {
            raw = raw * (1u64 << field.bits) as f64 / 360.0;
        } else {
            if significant(field.postmultiply) && field.postmultiply != 0.0 {
                raw /= field.postmultiply;
            }
            if significant(field.premultiply) {
                raw *= field.premultiply;
            }
        }
        let most = (1u64 << (field.bits - u32::from(field.signed))) - 1;
        let magnitude = (raw.abs().round() as u64).min(most) as u32;
        if field.signed { field.sent(magnitude, raw < 0.0, self.order) } else { magnitude }
    }

    /// Reads or writes the fields of `mask`. Words go to and come from `row`; strings to and from `text`, each with
    /// its NUL, their place in it being their word.
    #[inline]
    pub(crate) fn code<W: Wire>(&self, w: &mut W, mask: u64, row: &mut [u32], text: &mut Vec<u8>, time: f32) -> Result<(), W::Error> {
        w.expect(mask >> self.fields.len() == 0, "the mask names a field that its description does not have")?;
        for part in &self.parts {
            match part {
                Part::Table { table, mask: own, first } => {
                    table.code_noting(w, mask & own, row, |at, word| self.meaning(first + at, word, time).to_string())?;
                }
                Part::Text { at } if mask >> at & 1 != 0 => {
                    w.enter(fields::known(&self.fields[*at].name).unwrap_or("a field that no engine lists"));
                    row[*at] = code_text(w, row[*at], text)?;
                }
                Part::Text { .. } => {}
            }
        }
        Ok(())
    }
}

fn close(open: &mut Vec<MaskField>, first: usize) -> Result<Option<Part>, &'static str> {
    if open.is_empty() {
        return Ok(None);
    }
    let mask = open.iter().fold(0, |mask, field| mask | field.forms[0].want);
    let table = MaskTable::compile(std::mem::take(open)).map_err(|_| "the delta description makes no table")?;
    Ok(Some(Part::Table { table: Box::new(table), mask, first }))
}

fn code_text<W: Wire>(w: &mut W, at: u32, text: &mut Vec<u8>) -> Result<u32, W::Error> {
    if W::READING {
        let at = text.len();
        let mut one = Str::default();
        one.code_bits(w)?;
        text.extend_from_slice(&one.0);
        text.push(0);
        Ok(at as u32)
    } else {
        let rest = text.get(at as usize..).unwrap_or_default();
        Str(crate::scalars::before_nul(rest).to_vec()).code_bits(w)?;
        Ok(at)
    }
}

impl Field {
    fn compile(tree: &FieldDescription) -> Result<Self, &'static str> {
        let kind = match tree.field_type & !SIGNED {
            BYTE | SHORT | INTEGER => Kind::Whole,
            FLOAT => Kind::Float,
            ANGLE => Kind::Angle,
            TIME_WINDOW_8 => Kind::TimeWindow8,
            TIME_WINDOW_BIG => Kind::TimeWindowBig,
            STRING => Kind::Text,
            _ => return Err("the delta description has a field of an unknown type"),
        };
        let bits = if kind == Kind::TimeWindow8 { 8 } else { tree.significant_bits };
        if !(1..=32).contains(&bits) {
            return Err("the delta description has a field that is not 1 to 32 bits wide");
        }
        let name = fragreel_model::game_text(&tree.field_name.0);
        let name = fields::known(&name).map_or(Cow::Owned(name), Cow::Borrowed);
        Ok(Field {
            name,
            kind,
            signed: tree.field_type & SIGNED != 0 && kind != Kind::Angle || matches!(kind, Kind::TimeWindow8 | Kind::TimeWindowBig),
            bits,
            premultiply: f64::from(tree.premultiply) / MULTIPLIER_SCALE,
            postmultiply: f64::from(tree.postmultiply) / MULTIPLIER_SCALE,
        })
    }

    fn is_time(&self) -> bool {
        matches!(self.kind, Kind::TimeWindow8 | Kind::TimeWindowBig)
    }

    fn time_scale(&self) -> f64 {
        match self.kind {
            Kind::TimeWindowBig if significant(self.premultiply) => self.premultiply,
            Kind::TimeWindowBig => 1.0,
            _ => 100.0,
        }
    }

    /// The scale of its words in a state's row.
    fn scale(&self, order: BitOrder) -> Scale {
        let top = 1 << 31;
        let (sign, shift, magnitude, subtracted) = match order {
            _ if self.is_time() => (0, 0, top - 1, top),
            _ if !self.signed => (0, 0, u32::MAX, 0),
            BitOrder::LeastFirst => (1, 1, u32::MAX, 0),
            BitOrder::MostFirst => (1 << (self.bits - 1), 0, (1 << (self.bits - 1)) - 1, 0),
        };
        let (divisor, factor) = if self.is_time() {
            (self.time_scale(), 1.0)
        } else if self.kind == Kind::Angle {
            ((1u64 << self.bits) as f64, 360.0)
        } else {
            let divisor = if significant(self.premultiply) && self.premultiply != 0.0 { self.premultiply } else { 1.0 };
            (divisor, if significant(self.postmultiply) { self.postmultiply } else { 1.0 })
        };
        // a whole number that is not scaled has no fraction
        let cuts = self.kind == Kind::Whole && (divisor, factor) != (1.0, 1.0);
        Scale { sign, shift, magnitude, subtracted, cuts, divisor, factor }
    }

    /// The bits of a signed number.
    pub(crate) fn sent(&self, magnitude: u32, negative: bool, order: BitOrder) -> u32 {
        match order {
            BitOrder::LeastFirst => magnitude << 1 | u32::from(negative),
            BitOrder::MostFirst => magnitude | u32::from(negative) << (self.bits - 1),
        }
    }

    /// What one step of the number is worth.
    pub(crate) fn unit(&self) -> f64 {
        match self.kind {
            Kind::Angle => 360.0 / (1u64 << self.bits) as f64,
            Kind::TimeWindow8 | Kind::TimeWindowBig => 1.0 / self.time_scale(),
            _ => {
                let apart = |multiplier: f64| if significant(multiplier) && multiplier != 0.0 { multiplier } else { 1.0 };
                apart(self.postmultiply) / apart(self.premultiply)
            }
        }
    }

    /// The bits as a number, sign applied.
    pub(crate) fn whole(&self, bits: u32, order: BitOrder) -> i64 {
        if !self.signed {
            return i64::from(bits);
        }
        let (negative, magnitude) = match order {
            BitOrder::LeastFirst => (bits & 1 != 0, bits >> 1),
            BitOrder::MostFirst => (bits >> (self.bits - 1) & 1 != 0, bits & ((1u64 << (self.bits - 1)) - 1) as u32),
        };
        if negative { -i64::from(magnitude) } else { i64::from(magnitude) }
    }
}

/// Multipliers this close to one are not applied.
fn significant(multiplier: f64) -> bool {
    !(0.9999..1.0001).contains(&multiplier)
}

impl DeltaDescription {
    /// The same rows with time windows wide enough for any time of a game.
    pub(crate) fn widened(&self) -> DeltaDescription {
        let mut wide = self.clone();
        for field in &mut wide.fields {
            let window = field.field_type & !SIGNED;
            if window != TIME_WINDOW_8 && window != TIME_WINDOW_BIG {
                continue;
            }
            if window == TIME_WINDOW_8 {
                // hundredths of a second, as windows of 8 bits always have
                field.premultiply = (100.0 * MULTIPLIER_SCALE) as u32;
            }
            field.field_type = TIME_WINDOW_BIG | field.field_type & SIGNED;
            field.significant_bits = WIDE_WINDOW;
            field.mask |= 1 | 1 << 4 | 1 << 5;
            field.mask_bytes = field.mask_bytes.max(1);
        }
        wide
    }
}

/// Bits of a widened time window: as many as a state's word has, so that no time is out of reach.
const WIDE_WINDOW: u32 = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_base::wire::{ReadBits, WriteBits};

    fn field(name: &str, field_type: u32, bits: u32, premultiply: f64, postmultiply: f64) -> FieldDescription {
        FieldDescription {
            mask_bytes: 1,
            mask: 0x7f,
            field_type,
            field_name: Str(name.as_bytes().to_vec()),
            significant_bits: bits,
            premultiply: (premultiply * 4000.0) as u32,
            postmultiply: (postmultiply * 4000.0) as u32,
            ..FieldDescription::default()
        }
    }

    fn sample(order: BitOrder) -> Description {
        let fields = vec![
            field("animtime", TIME_WINDOW_8 | SIGNED, 8, 1.0, 1.0),
            field("origin[0]", FLOAT | SIGNED, 16, 8.0, 1.0),
            field("physinfo", STRING, 1, 1.0, 1.0),
            field("scale", FLOAT, 8, 1.0, 0.1),
            field("angles[1]", ANGLE, 16, 1.0, 1.0),
            field("impacttime", TIME_WINDOW_BIG | SIGNED, 13, 100.0, 1.0),
        ];
        Description::compile(&DeltaDescription { name: Str(b"entity_state_t".to_vec()), fields, padding: 0 }, order).unwrap()
    }

    #[test]
    fn rows_survive_with_strings_between_and_every_bit_kept() {
        for order in [BitOrder::LeastFirst, BitOrder::MostFirst] {
            let description = sample(order);
            // origin is "minus zero", which no number can say
            let mut row = [9, 1, 0, 25, 0x4000, 77];
            let mut text = b"*hl\0".to_vec();
            let mut writer = WriteBits::default();
            let mut section = Section::new(&mut writer, order);
            let Ok(()) = description.code(&mut section, 0x3f, &mut row, &mut text, 10.0);
            let Ok(_) = section.finish(0);
            let bytes = writer.finish();
            let (mut got, mut found) = ([0; 6], Vec::new());
            let mut reader = ReadBits::new(&bytes);
            description.code(&mut Section::new(&mut reader, order), 0x3f, &mut got, &mut found, 10.0).unwrap();
            assert_eq!((got, found), (row, text));
        }
    }

    #[test]
    fn values_follow_the_multipliers() {
        let description = sample(BitOrder::LeastFirst);
        assert_eq!(description.meaning(1, 81, 0.0), -5.0);
        assert_eq!(description.meaning(3, 25, 0.0), 2.5);
        assert_eq!(description.meaning(4, 0x4000, 0.0), 90.0);
        assert_eq!(description.meaning(0, 50 << 1, 10.0), 9.5);
        assert_eq!(description.meaning(5, 50 << 1 | 1, 10.0), 10.5);
        let word = description.absolute(5, 50 << 1 | 1, 10.0);
        assert_eq!(description.relative(5, word, 10.0), 50 << 1 | 1);
        assert_eq!(description.value(5, word), 10.5);
    }

    #[test]
    fn senseless_descriptions_are_refused() {
        for wrong in [field("a", BYTE | SHORT, 8, 1.0, 1.0), field("a", BYTE, 0, 1.0, 1.0), field("a", BYTE, 33, 1.0, 1.0)] {
            let tree = DeltaDescription { fields: vec![wrong], ..DeltaDescription::default() };
            assert!(Description::compile(&tree, BitOrder::LeastFirst).is_err());
        }
    }
}
