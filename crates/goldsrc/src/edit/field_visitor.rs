//! Fields of players and entities, changed by name (`docs/formats/goldsrc.md`, "Editing").

use fragreel_base::delta::FieldSet;
use fragreel_base::wire::Error;
use fragreel_model::{Place, Rewrite, Subject, Value};

use crate::fields::Structure;
use crate::fields::description::{Description, Kind};
use crate::game_text::text;
use crate::message::context::Context;
use crate::message::{Delta, Message, Values};

/// The names of the fields that a [`Rewrite`] asks for. Weapon fields have the prefix `weapon.`.
#[derive(Debug, Clone, Default)]
pub(super) struct FieldFilter {
    wanted: Vec<String>,
}

impl FieldFilter {
    pub(super) fn of(rewrite: &dyn Rewrite) -> Self {
        FieldFilter { wanted: rewrite.fields().iter().map(|name| (*name).to_owned()).collect() }
    }

    /// Passes the fields of players and entities in a message to the rewrite.
    ///
    /// # Errors
    /// Fails for a value that its field cannot hold.
    pub(super) fn message(&self, rewrite: &mut dyn Rewrite, place: Place, context: &Context, message: &mut Message) -> Result<(), Error> {
        if self.wanted.is_empty() {
            return Ok(());
        }
        let mut shown = FieldVisitor { wanted: &self.wanted, rewrite, place, context };
        match message {
            Message::ClientData(data) => {
                let Some(body) = &mut data.body else { return Ok(()) };
                shown.delta(Subject::View, "", Structure::ClientData, &body.client, &mut body.values)?;
                body.weapons.iter().try_for_each(|weapon| shown.delta(Subject::View, "weapon.", Structure::WeaponData, &weapon.delta, &mut body.values))
            }
            Message::PacketEntities(update) => {
                update.updates.iter().try_for_each(|entity| shown.entity(entity.number, entity.custom, entity.delta.as_ref(), &mut update.values))
            }
            Message::DeltaPacketEntities(update) => {
                update.updates.iter().try_for_each(|entity| shown.entity(entity.number, entity.custom, entity.delta.as_ref(), &mut update.values))
            }
            Message::SpawnBaseline(all) => {
                all.baselines.iter().try_for_each(|entity| shown.entity(entity.number, entity.custom(), Some(&entity.delta), &mut all.values))
            }
            _ => Ok(()),
        }
    }
}

struct FieldVisitor<'s> {
    wanted: &'s [String],
    rewrite: &'s mut dyn Rewrite,
    place: Place,
    context: &'s Context,
}

impl FieldVisitor<'_> {
    fn entity(&mut self, number: u16, custom: bool, delta: Option<&Delta>, values: &mut Values) -> Result<(), Error> {
        let Some(delta) = delta else { return Ok(()) };
        let structure = self.context.entity_structure(number, custom);
        self.delta(Subject::Entity(number.into()), "", structure, delta, values)
    }

    fn delta(&mut self, of: Subject, prefix: &str, structure: Structure, delta: &Delta, values: &mut Values) -> Result<(), Error> {
        let Some(description) = self.context.description(structure) else { return Ok(()) };
        for (at, field) in FieldSet(delta.mask).into_iter().enumerate() {
            let name = &description.fields[field].name;
            let is_wanted = |wanted: &String| wanted.strip_prefix(prefix) == Some(name);
            let Some(name) = self.wanted.iter().find(|wanted| is_wanted(wanted)) else { continue };
            let word = delta.at as usize + at;
            let before = self.value(description, field, values.words[word], values);
            let mut value = before.clone();
            self.rewrite.field(self.place, of, name, &mut value);
            if value == before {
                continue;
            }
            values.words[word] = match (&value, description.fields[field].kind) {
                (Value::Game(text), Kind::Text) => put(values, &fragreel_model::game_bytes(&text.raw)),
                (Value::Text(text), Kind::Text) => put(values, text.as_bytes()),
                (_, Kind::Text) => None,
                _ => value.as_float().and_then(|value| self.bits(description, field, value)),
            }
            .ok_or_else(|| Error::misuse(format!("the field {name} cannot be {value}: `explain` shows what it can hold")))?;
        }
        Ok(())
    }

    /// The value of a word.
    fn value(&self, description: &Description, field: usize, word: u32, values: &Values) -> Value {
        match description.fields[field].kind {
            Kind::Text => Value::from(text(values.string(word))),
            Kind::Whole => Value::Int(description.meaning(field, word, self.context.time) as i64),
            _ => Value::Float(description.meaning(field, word, self.context.time)),
        }
    }

    /// The bits nearest to a value. `None` if the field's steps allow none near enough.
    fn bits(&self, description: &Description, at: usize, value: f32) -> Option<u32> {
        let field = &description.fields[at];
        let value = if field.kind == Kind::Angle { value.rem_euclid(360.0) } else { value };
        let word = description.nearest(at, value);
        let is_time = matches!(field.kind, Kind::TimeWindow8 | Kind::TimeWindowBig);
        let bits = if is_time { description.relative(at, word, self.context.time) } else { word };
        let off = (description.meaning(at, bits, self.context.time) - value).abs();
        let off = if field.kind == Kind::Angle { off.min(360.0 - off) } else { off };
        // times are truncated, other numbers rounded
        let most = field.unit() * if is_time { 1.0 } else { 0.51 };
        (f64::from(off) <= most + f64::from(value.abs()) * 1e-6).then_some(bits)
    }
}

/// Adds a string. `None` if it contains a NUL.
fn put(values: &mut Values, text: &[u8]) -> Option<u32> {
    let at = values.text.len() as u32;
    values.text.extend_from_slice(text);
    values.text.push(0);
    (!text.contains(&0)).then_some(at)
}
