//! Quake III: a field count, then per field a changed-flag followed at once by its value
//! (`docs/formats/quake3.md`, "Deltas").
//!
//! Entities put a non-zero flag before each value, player states do not. Floats say whether they are sent whole
//! or as a 13-bit integer.

use crate::wire::huffman::Passing;
use crate::wire::{Burst, ReadAhead, SIGNED, SMALL_BITS, Widths, Wire, sign_extend};

use crate::delta::{FieldSet, Word};

/// A row large enough for every table of this shape.
pub type Row = [u32; 64];

/// How a field's value is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A float: whole, or as an integer of 13 bits.
    Float,
    /// An unsigned integer of this width.
    Uint(u8),
    /// A two's-complement integer of this width.
    Int(u8),
}

/// A named field of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name in the format document.
    pub name: &'static str,
    /// How its value is sent.
    pub kind: Kind,
}

/// The fields of a row, 63 at most, with their kinds by themselves: a reader that finds a kind by one load and asks first whether it
/// is a float takes 3 % fewer instructions for a state (docs/performance.md).
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    fields: &'static [Field],
    kinds: Widths,
}

/// A kind in a byte: 0 is a float, else the width, with the top bit set where it is two's complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packed(u8);

impl Packed {
    const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Float => Packed(0),
            Kind::Uint(width) => Packed(width),
            Kind::Int(width) => Packed(SIGNED | width),
        }
    }

    fn kind(self) -> Kind {
        match self.0 {
            0 => Kind::Float,
            width if width & SIGNED != 0 => Kind::Int(width & !SIGNED),
            width => Kind::Uint(width),
        }
    }
}

impl Table {
    /// A table of these fields.
    pub const fn new(fields: &'static [Field]) -> Self {
        assert!(fields.len() < 64, "the last word of a row stands for fields that a table has not");
        let mut kinds = [1; 64];
        let mut at = 0;
        while at < fields.len() {
            kinds[at] = Packed::of(fields[at].kind).0;
            at += 1;
        }
        Table { fields, kinds }
    }

    /// How to pass over the fields that are not `wanted`. `ZERO_FLAG` is as for [`code_fields`].
    pub fn passing<const ZERO_FLAG: bool>(&self, wanted: FieldSet) -> Passing<ZERO_FLAG> {
        Passing::new(&self.kinds, wanted.0)
    }

    /// Reads the sent ones of the first `end` fields without their spelling, and puts each value with its number: fast, and enough for states. Returns
    /// which were sent. `ZERO_FLAG` is as for [`code_fields`].
    #[inline(always)]
    pub fn read_values<const ZERO_FLAG: bool>(&self, r: &mut ReadAhead<'_>, end: usize, put: impl FnMut(usize, u32)) -> FieldSet {
        FieldSet(r.read_values::<ZERO_FLAG>(&self.kinds, end, put))
    }

    /// Inlined, nothing is looked up where no wire wants the name: it was 5.6 of 300 million instructions of `events` over 2.7 MB of Quake III.
    #[inline]
    fn name(&self, at: usize) -> &'static str {
        self.fields.get(at).map_or("", |field| field.name)
    }
}

impl std::ops::Deref for Table {
    type Target = [Field];

    fn deref(&self) -> &[Field] {
        self.fields
    }
}

/// What a delta said beyond its values. Kept, it re-encodes to the same bits; dropped, [`canonical`] makes the
/// stock engine's choice instead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spelling {
    /// The field count: one past the last field that has a flag.
    pub end: u8,
    /// Fields that carried a value.
    pub sent: FieldSet,
    /// Sent fields that were not spelled as plain zero.
    pub nonzero: FieldSet,
    /// Sent floats that were spelled whole.
    pub full: FieldSet,
}

const BIAS: i32 = 1 << (SMALL_BITS - 1);

/// Reads or writes one delta: the field count and then [`code_fields`].
#[inline]
pub fn code<W: Wire, const ZERO_FLAG: bool>(w: &mut W, table: &Table, row: &mut Row, s: &mut Spelling) -> Result<(), W::Error> {
    let end = w.field("field count", u32::from(s.end), 8)?;
    code_fields::<W, ZERO_FLAG>(w, table, end as usize, row, s)
}

/// Reads or writes the first `end` fields of one delta. Only the words of sent fields are touched on reading and
/// looked at on writing, so `row` may hold anything elsewhere. `ZERO_FLAG` says whether a flag marks zero values
/// apart (entities).
#[inline(always)]
pub fn code_fields<W: Wire, const ZERO_FLAG: bool>(w: &mut W, table: &Table, end: usize, row: &mut Row, s: &mut Spelling) -> Result<(), W::Error> {
    w.expect(end <= table.len(), "the field count exceeds the table")?;
    let end = end.min(table.len()).min(64);
    // kept in registers; handed back at the end
    let mut said = if W::READING { Spelling { end: end as u8, ..Spelling::default() } } else { *s };
    w.hot(|w| {
        let mut at = 0;
        while at < end {
            w.enter("unchanged fields");
            let gap = said.sent;
            let sent = w.run_and(|| gap.gap(at, end), at, end, |at| Sent::<ZERO_FLAG> { table, at, row, s: &mut said })?;
            let Some(next) = sent else { break };
            at = next?;
        }
        Ok(())
    })?;
    *s = said;
    Ok(())
}

/// Reads or writes the fields of `sent`, which a mask announced: no flag before each.
pub fn code_announced<W: Wire>(w: &mut W, table: &[Field], sent: FieldSet, row: &mut Row, s: &mut Spelling) -> Result<(), W::Error> {
    for at in sent {
        w.expect(at < table.len(), "the mask announces a field beyond the table")?;
        code_field::<W, false>(w, table[at], at, row, s)?;
    }
    Ok(())
}

#[inline(always)]
fn code_field<W: Wire, const ZERO_FLAG: bool>(w: &mut W, field: Field, at: usize, row: &mut Row, s: &mut Spelling) -> Result<(), W::Error> {
    w.enter(field.name);
    s.sent.insert(at);
    let word = &mut row[at & 63];
    *word = w.burst(Value::<ZERO_FLAG> { kind: Packed::of(field.kind), word: *word, at, s })?;
    w.note(|| show(field.kind, *word));
    Ok(())
}

/// A sent field behind the run of those that are not. Gives the number of the next.
struct Sent<'s, const ZERO_FLAG: bool> {
    table: &'s Table,
    at: usize,
    row: &'s mut Row,
    s: &'s mut Spelling,
}

impl<W: Wire, const ZERO_FLAG: bool> Burst<W> for Sent<'_, ZERO_FLAG> {
    type Out = Result<usize, W::Error>;

    #[inline(always)]
    fn run(self, w: &mut W) -> Result<usize, W::Error> {
        let kind = Packed(self.table.kinds[self.at & 63]);
        w.enter(self.table.name(self.at));
        self.s.sent.insert(self.at);
        let word = &mut self.row[self.at & 63];
        *word = value::<W, ZERO_FLAG>(w, kind, *word, self.at, self.s)?;
        w.note(|| show(kind.kind(), *word));
        Ok(self.at + 1)
    }
}

/// A field's value with the flags before it: 2 bits and four codes at most.
struct Value<'s, const ZERO_FLAG: bool> {
    kind: Packed,
    word: u32,
    at: usize,
    s: &'s mut Spelling,
}

impl<W: Wire, const ZERO_FLAG: bool> Burst<W> for Value<'_, ZERO_FLAG> {
    type Out = Result<u32, W::Error>;

    #[inline(always)]
    fn run(self, w: &mut W) -> Result<u32, W::Error> {
        value::<W, ZERO_FLAG>(w, self.kind, self.word, self.at, self.s)
    }
}

#[inline(always)]
fn value<W: Wire, const ZERO_FLAG: bool>(w: &mut W, kind: Packed, word: u32, at: usize, s: &mut Spelling) -> Result<u32, W::Error> {
    if ZERO_FLAG {
        if !w.flag(s.nonzero.has(at))? {
            return Ok(0);
        }
        s.nonzero.insert(at);
    }
    // two of three are floats
    if kind == Packed(0) {
        let full = w.flag(s.full.has(at))?;
        s.full.insert_if(at, full);
        return if full {
            w.bits(word, 32)
        } else {
            let small = w.bits((f32::of(word) as i32).wrapping_add(BIAS) as u32, SMALL_BITS)?;
            Ok(((small as i32 - BIAS) as f32).word())
        };
    }
    let width = u32::from(kind.0 & !SIGNED);
    let value = w.bits(word, width)?;
    Ok(if kind.0 & SIGNED != 0 { sign_extend(value, width) } else { value })
}

/// A word as people read it.
pub fn show(kind: Kind, word: u32) -> String {
    match kind {
        Kind::Float => f32::of(word).to_string(),
        Kind::Uint(_) => word.to_string(),
        Kind::Int(_) => i32::of(word).to_string(),
    }
}

/// Puts the sent words of a delta over `row`, which holds the base.
#[inline(always)]
pub fn apply(row: &mut Row, delta: &Row, sent: FieldSet) {
    for at in sent {
        row[at & 63] = delta[at & 63];
    }
}

/// The stock engine's spelling of the change from one row to another: fields that differ are sent, the count ends
/// after the last of them, floats go short when they are whole numbers that fit.
pub fn canonical<const ZERO_FLAG: bool>(table: &[Field], from: &Row, to: &Row) -> Spelling {
    let mut sent = FieldSet::EMPTY;
    // most fields are the same: four words at a time
    for (at, (from, to)) in from.as_chunks::<4>().0.iter().zip(to.as_chunks::<4>().0).enumerate() {
        if from != to {
            for word in 0..4 {
                sent.insert_if(at * 4 + word, from[word] != to[word]);
            }
        }
    }
    if table.len() < 64 {
        sent.0 &= (1 << table.len()) - 1;
    }
    spelled::<ZERO_FLAG>(table, to, sent)
}

/// The stock engine's spelling of the `sent` fields of `row`. (Engines also shorten -0.0, to 0. A row that was read holds -0.0
/// only where it was sent whole, and there it is kept.)
pub fn spelled<const ZERO_FLAG: bool>(table: &[Field], row: &Row, sent: FieldSet) -> Spelling {
    let mut s = Spelling { sent, end: sent.end() as u8, ..Spelling::default() };
    for at in sent {
        let (word, kind) = (row[at & 63], table[at].kind);
        if ZERO_FLAG {
            s.nonzero.insert_if(at, word != 0);
            if word == 0 {
                continue;
            }
        }
        if kind == Kind::Float {
            s.full.insert_if(at, !is_small(word));
        }
    }
    s
}

fn is_small(word: u32) -> bool {
    let float = f32::of(word);
    let whole = float as i32;
    (whole as f32).word() == word && (-BIAS..BIAS).contains(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ReadBits, ReadHuffman, WriteBits, WriteHuffman};

    static TABLE: &Table = &Table::new(&[
        Field { name: "time", kind: Kind::Uint(32) },
        Field { name: "x", kind: Kind::Float },
        Field { name: "y", kind: Kind::Float },
        Field { name: "weapon time", kind: Kind::Int(16) },
        Field { name: "event", kind: Kind::Uint(10) },
    ]);

    fn odd() -> (Row, Spelling) {
        let mut row = [0; 64];
        row[..5].copy_from_slice(&[900, (-12.0f32).word(), 0.5f32.word(), (-7i32).word(), 0]);
        // event is sent though zero, x is spelled whole though it fits 13 bits
        (row, Spelling { end: 5, sent: FieldSet(0b11110), nonzero: FieldSet(0b01110), full: FieldSet(0b00110) })
    }

    #[test]
    fn a_kept_spelling_reproduces_the_bits() {
        let (mut row, mut spelling) = odd();
        let mut writer = WriteHuffman::default();
        let Ok(()) = code::<_, true>(&mut writer, TABLE, &mut row, &mut spelling);
        let bytes = writer.finish();
        let (mut got, mut seen) = ([77; 64], Spelling::default());
        code::<_, true>(&mut ReadHuffman::new(&bytes), TABLE, &mut got, &mut seen).unwrap();
        assert_eq!(seen, spelling);
        assert_eq!(got[1..5], row[1..5]);
        assert_eq!(got[0], 77, "a field that was not sent is not touched");
        let mut again = WriteHuffman::default();
        let Ok(()) = code::<_, true>(&mut again, TABLE, &mut got, &mut seen);
        assert_eq!(again.finish(), bytes);
    }

    #[test]
    fn an_overlong_field_count_is_refused_where_it_stands() {
        let mut writer = WriteBits::default();
        let Ok(_) = writer.bits(200, 8);
        let error = code::<_, true>(&mut ReadBits::new(&writer.finish()), TABLE, &mut [0; 64], &mut Spelling::default()).unwrap_err();
        assert_eq!((error.detail(), error.bit()), ("the field count exceeds the table", Some(8)));
    }

    #[test]
    fn canonical_is_what_the_engine_writes() {
        let (to, _) = odd();
        let s = canonical::<true>(TABLE, &[0; 64], &to);
        assert_eq!(s, Spelling { end: 4, sent: FieldSet(0b1111), nonzero: FieldSet(0b1111), full: FieldSet(0b100) });
        let s = canonical::<true>(TABLE, &to, &[0; 64]);
        assert_eq!((s.sent, s.nonzero), (FieldSet(0b1111), FieldSet::EMPTY));
    }
}
