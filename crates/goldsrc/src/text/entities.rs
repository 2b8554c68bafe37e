//! Entities and their baselines, by number.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names};
use fragreel_base::wire::WireError;

use super::message::{MessageContext, MessageForm};
use super::scope::Scope;
use super::value::padding;
use crate::fields::Structure;
use crate::message::{Base, Baseline, Delta, DeltaPacketEntities, EntityUpdate, NumberSpelling, PacketEntities, SpawnBaseline, Values};

/// Entities' numbers have eleven bits.
const NUMBERS: u16 = 1 << 11;
/// The number that ends a list of baselines.
const NO_BASELINE: u16 = NUMBERS - 1;

static SPELLINGS: LazyLock<Names> = LazyLock::new(|| Names::new(["next", "offset", "absolute"]));

/// A row of a structure, as members of the open object.
pub(super) fn row<F: Form>(f: &mut F, scope: &Scope, structure: Structure, delta: &mut Delta, values: &mut Values) -> Result<(), F::Error> {
    match scope.rows(structure) {
        Some(rows) => rows.form(f, delta, values),
        None => f.expect(false, "the stream has not described this structure"),
    }
}

/// Something that has an entity's number.
trait Numbered: Default {
    fn number(&self) -> u16;
    fn set_number(&mut self, number: u16);
}

impl Numbered for EntityUpdate {
    fn number(&self) -> u16 {
        self.number
    }

    fn set_number(&mut self, number: u16) {
        self.number = number;
    }
}

impl Numbered for Baseline {
    fn number(&self) -> u16 {
        self.number
    }

    fn set_number(&mut self, number: u16) {
        self.number = number;
    }
}

/// A list as an object whose keys are the numbers; where they do not rise, as they are sent. `each` gets to know which.
fn by_number<F: Form, T: Numbered>(
    f: &mut F,
    (name, in_order): (&'static str, &'static str),
    below: u16,
    list: &mut Vec<T>,
    mut each: impl FnMut(&mut F, &mut T, bool) -> Result<(), F::Error>,
) -> Result<(), F::Error> {
    let rising = list.windows(2).all(|pair| pair[0].number() < pair[1].number());
    if f.key(name, rising && !list.is_empty())? {
        let present: Vec<usize> = if F::READING { Vec::new() } else { list.iter().map(|one| one.number().into()).collect() };
        let mut next = 0;
        let result = f.object(|f| {
            next = 0;
            if F::READING {
                list.clear();
            }
            f.numbered(below.into(), present.iter().copied(), |f, number| {
                if F::READING {
                    list.push(T::default());
                    list[next].set_number(number as u16);
                }
                next += 1;
                f.object(|f| each(f, &mut list[next - 1], true))
            })
        });
        result.map_err(|error| error.inside(name, None))?;
        if F::READING && !list.is_sorted_by_key(T::number) {
            list.sort_unstable_by_key(T::number);
        }
        return f.insist(list.windows(2).all(|pair| pair[0].number() < pair[1].number()), "an entity stands here twice");
    }
    if f.key(in_order, !rising)? {
        let count = f.items(list.len(), |f, at| {
            if F::READING {
                list.truncate(at);
                list.push(T::default());
            }
            let one = &mut list[at];
            f.object(|f| {
                f.require("number")?;
                let number = f.int(one.number().into(), 0, i64::from(below) - 1)? as u16;
                one.set_number(number);
                each(f, one, false)
            })
        });
        list.truncate(count.map_err(|error| error.inside(in_order, None))?);
        return Ok(());
    }
    if F::READING {
        list.clear();
    }
    Ok(())
}

impl MessageForm for PacketEntities {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            updates(f, context.scope, true, &mut self.updates, &mut self.values)?;
            f.unless("count", &mut self.count, context.frames.count(None, &self.updates))?;
            padding(f, &mut self.padding)
        })
    }
}

impl MessageForm for DeltaPacketEntities {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            f.field("delta_sequence", &mut self.delta_sequence)?;
            updates(f, context.scope, false, &mut self.updates, &mut self.values)?;
            f.unless("count", &mut self.count, context.frames.count(Some(self.delta_sequence), &self.updates))?;
            padding(f, &mut self.padding)
        })
    }
}

fn updates<F: Form>(f: &mut F, scope: &Scope, full: bool, updates: &mut Vec<EntityUpdate>, values: &mut Values) -> Result<(), F::Error> {
    if F::READING {
        values.clear();
    }
    let usual: Vec<NumberSpelling> = shortest(updates, full).collect();
    let mut at = 0;
    let mut spelled = Vec::new();
    let mut by_numbers = true;
    by_number(f, ("entities", "entities_in_order"), NUMBERS, updates, |f, update, rising| {
        by_numbers = rising;
        update_members(f, scope, full, update, values)?;
        // where numbers do not rise nothing is usual
        let there = f.key("spelling", !rising || usual.get(at).is_some_and(|usual| *usual != update.spelling))?;
        at += 1;
        if there {
            update.spelling = match f.word(update.spelling as u32, 2, &*SPELLINGS)? {
                0 => NumberSpelling::Next,
                1 => NumberSpelling::Offset,
                _ => NumberSpelling::Absolute,
            };
            spelled.push(update.number);
        } else if F::READING {
            update.spelling = NumberSpelling::Absolute;
        }
        Ok(())
    })?;
    if !F::READING {
        return Ok(());
    }
    spelled.sort_unstable();
    let usual: Vec<NumberSpelling> = shortest(updates, full).collect();
    let mut last = 0;
    for (update, usual) in updates.iter_mut().zip(usual) {
        if by_numbers && spelled.binary_search(&update.number).is_err() {
            update.spelling = usual;
        }
        let possible = match update.spelling {
            NumberSpelling::Next => full && update.number == last + 1,
            NumberSpelling::Offset => update.number.checked_sub(last).is_some_and(|offset| (1..64).contains(&offset)),
            NumberSpelling::Absolute => true,
        };
        f.insist(possible, "an entity's number cannot be spelled so after the number before")?;
        last = update.number;
    }
    Ok(())
}

/// How stock servers would spell the numbers.
fn shortest(updates: &[EntityUpdate], full: bool) -> impl Iterator<Item = NumberSpelling> {
    let mut last = 0;
    updates.iter().map(move |update| NumberSpelling::shortest(std::mem::replace(&mut last, update.number), update.number, full))
}

fn update_members<F: Form>(f: &mut F, scope: &Scope, full: bool, update: &mut EntityUpdate, values: &mut Values) -> Result<(), F::Error> {
    let mut removed = update.delta.is_none() && !F::READING;
    if !full {
        f.unless("remove", &mut removed, false)?;
    }
    if removed {
        (update.delta, update.custom, update.base) = (None, false, Base::Baseline);
        // the others are no members of one that is removed
        return Ok(());
    }
    f.unless("custom", &mut update.custom, false)?;
    let context = &scope.context;
    let (mut instanced, mut back) = (0, 0);
    match update.base {
        Base::Instanced(number) => instanced = number,
        Base::Back(places) => back = places,
        Base::Baseline => {}
    }
    let is_instanced =
        (context.instanced > 0 || context.rules.instanced_always) && base(f, "instanced", matches!(update.base, Base::Instanced(_)), &mut instanced)?;
    let is_back = full && context.rules.back_reference && base(f, "back", matches!(update.base, Base::Back(_)), &mut back)?;
    f.insist(!(is_instanced && is_back), "an entity starts from an instanced baseline or an earlier entity, not from both")?;
    update.base = match (is_instanced, is_back) {
        (true, _) => Base::Instanced(instanced),
        (_, true) => Base::Back(back),
        _ => Base::Baseline,
    };
    let delta = update.delta.get_or_insert_default();
    row(f, scope, context.entity_structure(update.number, update.custom), delta, values)
}

fn base<F: Form>(f: &mut F, name: &'static str, there: bool, number: &mut u8) -> Result<bool, F::Error> {
    let there = f.key(name, there)?;
    if there {
        *number = f.int((*number).into(), 0, 63).map_err(|error| error.inside(name, None))? as u8;
    }
    Ok(there)
}

impl MessageForm for SpawnBaseline {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            if F::READING {
                self.values.clear();
            }
            let values = &mut self.values;
            by_number(f, ("baselines", "baselines_in_order"), NO_BASELINE, &mut self.baselines, |f, baseline, _| {
                // the lower bit is clear for custom entities; stock servers send no other types
                let mut kind = baseline.entity_type;
                f.unless("entity_type", &mut kind, 1)?;
                f.insist(kind < 4, "an entity's type has two bits")?;
                baseline.entity_type = kind;
                row(f, context.scope, context.scope.context.entity_structure(baseline.number, baseline.custom()), &mut baseline.delta, values)
            })?;
            if f.key("instanced", !self.instanced.is_empty())? {
                let list = &mut self.instanced;
                let count = f.items(list.len(), |f, at| {
                    if F::READING {
                        list.truncate(at);
                        list.push(Delta::default());
                    }
                    f.object(|f| row(f, context.scope, Structure::Entity, &mut list[at], values))
                })?;
                list.truncate(count);
                f.expect(list.len() < 64, "there are at most 63 instanced baselines")?;
            } else {
                self.instanced.clear();
            }
            padding(f, &mut self.padding)
        })
    }
}
