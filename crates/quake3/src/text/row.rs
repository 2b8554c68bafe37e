//! Changed fields: a member for each, and the spelling where a stock engine would spell them otherwise.

use fragreel_base::delta::interleaved::{self, Kind, Row, Spelling};
use fragreel_base::delta::{FieldSet, Word};
use fragreel_base::textform::Form;

use super::vocabulary::{Table, Vocabulary};

/// The sent fields with their values, as members of the open object.
pub(super) fn fields<F: Form>(f: &mut F, words: &Vocabulary, table: &Table, row: &mut Row, sent: &mut FieldSet) -> Result<(), F::Error> {
    let present = *sent;
    let mut found = if F::READING { FieldSet::EMPTY } else { present };
    f.members(&table.names, table.members(present), |f, member| {
        let Some(vector) = member.checked_sub(table.fields.len()) else {
            found.insert(member);
            return field(f, words, table, row, member);
        };
        let vector = &table.vectors[vector];
        let last = vector.components.iter().rposition(|&at| present.has(at)).map_or(0, |last| last + 1);
        f.items(last, |f, at| {
            let Some(&at) = vector.components.get(at) else { return f.insist(false, "the vector has fewer components") };
            if f.null(!F::READING && !present.has(at))? {
                return Ok(());
            }
            found.insert(at);
            field(f, words, table, row, at)
        })
        .map(|_| ())
    })?;
    *sent = found;
    Ok(())
}

fn field<F: Form>(f: &mut F, words: &Vocabulary, table: &Table, row: &mut Row, at: usize) -> Result<(), F::Error> {
    let word = &mut row[at & 63];
    if let (Kind::Uint(width), Some(names)) = (table.fields[at].kind, words.flags(table.fields[at].name)) {
        *word = f.flags(*word, ((1u64 << width) - 1) as u32, names)?;
        return Ok(());
    }
    *word = match (table.fields[at].kind, words.values(table, at)) {
        (Kind::Uint(width), Some(names)) => f.word(*word, ((1u64 << width) - 1) as u32, names)?,
        (kind, _) => value(f, kind, *word)?,
    };
    Ok(())
}

fn value<F: Form>(f: &mut F, kind: Kind, word: u32) -> Result<u32, F::Error> {
    Ok(match kind {
        Kind::Float => f.float(f32::of(word))?.word(),
        // times, which are signed in the game
        Kind::Uint(32) => f.int(i32::of(word).into(), i32::MIN.into(), i32::MAX.into())? as i32 as u32,
        Kind::Uint(width) => f.int(word.into(), 0, (1i64 << width) - 1)? as u32,
        Kind::Int(width) => f.int(i32::of(word).into(), -(1i64 << (width - 1)), (1i64 << (width - 1)) - 1)? as i32 as u32,
    })
}

/// How the sent fields are spelled, a member of the open object that is left out when a stock engine would do the same.
/// `end` is what the engine's `end` means: for early entities the number of the known mask, else the field count.
pub(super) fn spelling<F: Form, const ZERO_FLAG: bool>(
    f: &mut F,
    table: &Table,
    row: &Row,
    spelling: &mut Spelling,
    usual_end: impl FnOnce(&Spelling) -> u8,
    most: u8,
) -> Result<(), F::Error> {
    let mut usual = interleaved::spelled::<ZERO_FLAG>(table.fields, row, spelling.sent);
    usual.end = usual_end(&usual);
    if F::READING {
        *spelling = usual;
    }
    if !f.key("spelling", *spelling != usual)? {
        return Ok(());
    }
    f.object(|f| {
        let mut end = spelling.end;
        if f.key("end", end != usual.end)? {
            end = f.int(end.into(), usual.end.min(most).into(), most.into())? as u8;
        } else {
            end = usual.end;
        }
        let mut nonzero = FieldSet(spelling.nonzero.0 ^ usual.nonzero.0);
        set(f, "nonzero", table, &mut nonzero)?;
        let mut full = FieldSet(spelling.full.0 ^ usual.full.0);
        set(f, "full", table, &mut full)?;
        if F::READING {
            let nonzero = FieldSet(usual.nonzero.0 ^ nonzero.0);
            // a zero spelling means zero
            let zeroes = if ZERO_FLAG { spelling.sent.0 & !nonzero.0 } else { 0 };
            f.insist(
                FieldSet(zeroes).into_iter().all(|at| row[at & 63] == 0 || row[at & 63] == (-0.0f32).word()),
                "a field that is not zero cannot be spelled as zero",
            )?;
            let full = FieldSet(usual.full.0 ^ full.0);
            let whole = spelling.sent.into_iter().filter(|&at| table.fields[at].kind == Kind::Float && zeroes >> at & 1 == 0);
            let short = |at: usize| f32::of(row[at & 63]);
            let fits = |at: usize| full.has(at) || (short(at) as i32 as f32 == short(at) && (-4096.0..4096.0).contains(&short(at)));
            f.insist(whole.into_iter().all(fits), "a number that is not whole cannot be spelled short")?;
            *spelling = Spelling { end, sent: spelling.sent, nonzero, full };
        }
        Ok(())
    })
    .map_err(|error| fragreel_base::wire::WireError::inside(error, "spelling", None))
}

/// Names of fields; left out when there are none.
fn set<F: Form>(f: &mut F, name: &'static str, table: &Table, set: &mut FieldSet) -> Result<(), F::Error> {
    let listed: Vec<usize> = set.into_iter().collect();
    *set = if F::READING { FieldSet::EMPTY } else { *set };
    if !f.key(name, !listed.is_empty())? {
        return Ok(());
    }
    f.items(listed.len(), |f, at| {
        let field = f.word(listed.get(at).map_or(0, |&field| field as u32), 63, &table.names)? as usize;
        f.expect(field < table.fields.len(), "there is no field of this number")?;
        set.insert(field);
        Ok(())
    })
    .map(|_| ())
}
