//! Shows fields of players and entities to a [`Rewrite`], by name.

use fragreel_base::delta::interleaved::{self, Field, Kind, Row, Spelling};
use fragreel_base::delta::{FieldSet, Word};
use fragreel_base::wire::{Error, sign_extend};
use fragreel_model::{Place, Rewrite, Subject, Value};

use crate::dialect::Dialect;
use crate::message::{Change, EntityDelta, Snapshot};
use crate::state::values::scalar;

/// The fields that a [`Rewrite`] wants to see.
pub(super) struct FieldVisitor {
    entity: FieldSet,
    player: FieldSet,
}

impl FieldVisitor {
    pub(super) fn of(rewrite: &dyn Rewrite, dialect: &Dialect) -> Self {
        let set = |table: &[Field]| {
            let mut set = FieldSet::EMPTY;
            table.iter().enumerate().filter(|(_, field)| rewrite.fields().contains(&field.name)).for_each(|(at, _)| set.insert(at));
            set
        };
        FieldVisitor { entity: set(dialect.entity), player: set(dialect.player) }
    }

    /// Shows the changed fields of a snapshot. Returns whether a value changed.
    pub(super) fn snapshot(&self, rewrite: &mut dyn Rewrite, place: Place, snapshot: &mut Snapshot, dialect: &Dialect) -> Result<bool, Error> {
        let player = &mut snapshot.player;
        let mut changed = values::<false>(rewrite, place, Subject::View, self.player, dialect.player, &mut player.row, &mut player.spelling)?;
        for entity in &mut *snapshot.entities {
            changed |= self.entity(rewrite, place, entity, dialect)?;
        }
        Ok(changed)
    }

    /// Shows the changed fields of an entity or a baseline. Returns whether a value changed.
    pub(super) fn entity(&self, rewrite: &mut dyn Rewrite, place: Place, entity: &mut EntityDelta, dialect: &Dialect) -> Result<bool, Error> {
        if entity.change != Change::Changed {
            return Ok(false);
        }
        let of = Subject::Entity(u32::from(entity.number));
        values::<true>(rewrite, place, of, self.entity, dialect.entity, &mut entity.row, &mut entity.spelling)
    }
}

fn values<const ZERO_FLAG: bool>(
    rewrite: &mut dyn Rewrite,
    place: Place,
    of: Subject,
    wanted: FieldSet,
    table: &[Field],
    row: &mut Row,
    spelling: &mut Spelling,
) -> Result<bool, Error> {
    let mut changed = false;
    for at in FieldSet(wanted.0 & spelling.sent.0) {
        let field = table[at];
        let before = scalar(field.kind, row[at]);
        let mut value = before.clone();
        rewrite.field(place, of, field.name, &mut value);
        if value == before {
            continue;
        }
        row[at] = word(field.kind, &value).ok_or_else(|| Error::misuse(format!("the field {} cannot be {value}", field.name)))?;
        let only = FieldSet(1 << at);
        let new = interleaved::spelled::<ZERO_FLAG>(table, row, only);
        spelling.nonzero.0 = spelling.nonzero.0 & !only.0 | new.nonzero.0;
        spelling.full.0 = spelling.full.0 & !only.0 | new.full.0;
        changed = true;
    }
    Ok(changed)
}

/// The word of a value, if the field can hold it.
fn word(kind: Kind, value: &Value) -> Option<u32> {
    match kind {
        Kind::Float => value.as_float().map(Word::word),
        Kind::Uint(32) => value.as_int().and_then(|value| i32::try_from(value).map(|value| value as u32).ok().or_else(|| u32::try_from(value).ok())),
        Kind::Uint(width) => value.as_int().and_then(|value| u32::try_from(value).ok()).filter(|value| value >> width == 0),
        Kind::Int(width) => {
            let word = value.as_int().and_then(|value| i32::try_from(value).ok())? as u32;
            (sign_extend(word, u32::from(width)) == word).then_some(word)
        }
    }
}
