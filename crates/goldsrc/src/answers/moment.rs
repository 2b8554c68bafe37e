//! `state`: everything known at one moment.

use std::borrow::Cow;

use fragreel_base::wire::{Error, Vocabulary as _};
use fragreel_model::{Fields, FrameOptions, Moment, Record, Section, Value, When};

use crate::fields::description::Kind;
use crate::fields::{Structure, names};
use crate::frames::Frames;
use crate::game_text::{clean, text};
use crate::message::context::Context;
use crate::state::rows::RowId;
use crate::state::{Entity, State};
use crate::walk::roster::Roster;

/// The resource kind of models.
const MODEL: u8 = 2;

/// `state` reads the state itself, not the fields of frames.
pub(crate) fn frame_options() -> FrameOptions {
    FrameOptions::default().fields(Fields::NONE)
}

/// The state in the last frame at or before the time, or in the first frame for earlier times.
pub(crate) fn state_at(mut frames: Frames, when: When) -> Result<Moment, Error> {
    if frames.source().playback().context().is_none() {
        return Err(unknown());
    }
    let at = frames.look(when).ok_or_else(|| Error::malformed("the recording has no frame"))?;
    let (playback, roster) = (frames.source().playback(), frames.source().roster());
    let (Some(context), state) = (playback.context(), &playback.state) else { return Err(unknown()) };
    let mut sections = vec![
        server(state, context),
        player(state, context),
        weapons(state, context),
        players(state, roster),
        entities(state, context),
        baselines(state, context),
        light_styles(state),
        resources(state),
    ];
    for (key, value) in sections.iter_mut().flat_map(|section| &mut section.records).flat_map(|record| &mut record.0) {
        name(key, value);
    }
    Ok(Moment { time: at.time, server_time: at.server_time, message: at.message, sections })
}

/// Replaces a number by what it means.
fn name(key: &str, value: &mut Value) {
    let Value::Int(number @ (..=-1 | 1..)) = *value else { return };
    let word = number as u32;
    if let Some(contents) = Some(number).filter(|_| key == "skin").and_then(names::contents) {
        *value = Value::from(contents);
        return;
    }
    match (names::words(key), names::flags(key)) {
        (Some(words), _) => *value = Value::from(words.show(word)),
        (None, Some(flags)) => *value = Value::from(flags.show(word)),
        (None, None) => {}
    }
}

fn unknown() -> Error {
    Error::unsupported("the messages of this network protocol are not known")
}

fn section(name: &'static str, records: Vec<Record>) -> Section {
    Section { name: Cow::Borrowed(name), records }
}

fn server(state: &State, context: &Context) -> Section {
    let mut record = Record::default();
    if let Some(info) = &state.server {
        record.push("map", clean(&info.map.0));
        record.push("game", clean(&info.game.0));
        if let Some(name) = &info.host_name {
            record.push("host_name", text(&name.0));
        }
        record.push("max_clients", info.max_clients);
        record.push("player_number", info.player_number);
    }
    record.push("hltv", context.hltv);
    record.push("paused", state.paused);
    record.push("view_entity", state.view_entity);
    if state.is_uncertain() {
        record.push("uncertain", true);
    }
    section("server", vec![record])
}

fn player(state: &State, context: &Context) -> Section {
    let records = state.client().map(|(row, _)| fields(state, context, Structure::ClientData, row)).into_iter().collect();
    section("player", records)
}

fn weapons(state: &State, context: &Context) -> Section {
    let weapons = state.client().map_or(&[][..], |(_, weapons)| weapons);
    let records = weapons.iter().map(|&(index, row)| {
        let mut record = Record::default();
        record.push("weapon", index);
        record.0.extend(fields(state, context, Structure::WeaponData, row).0);
        record
    });
    section("weapons", records.collect())
}

fn players(state: &State, roster: &Roster) -> Section {
    let records = (0..=u8::MAX).filter(|&slot| !state.slots[usize::from(slot)].info.is_empty()).map(|slot| {
        let mut record = Record::default();
        let member = roster.member(slot);
        record.push("slot", slot);
        record.push("name", member.name.clone());
        record.push("user_id", state.slots[usize::from(slot)].user_id);
        if let Some(team) = &member.team {
            record.push("team", team.clone());
        }
        if let (Some(frags), Some(deaths)) = (member.frags, member.deaths) {
            record.push("frags", frags);
            record.push("deaths", deaths);
        }
        record.push("info", text(&state.slots[usize::from(slot)].info));
        record
    });
    section("players", records.collect())
}

fn entities(state: &State, context: &Context) -> Section {
    section("entities", records(state, context, state.frame().iter()))
}

fn baselines(state: &State, context: &Context) -> Section {
    section("baselines", records(state, context, state.baselines()))
}

fn records<'s>(state: &State, context: &Context, entities: impl Iterator<Item = &'s Entity>) -> Vec<Record> {
    let records = entities.map(|entity| {
        let mut record = Record::default();
        record.push("entity", entity.number);
        record.push("structure", entity.structure.name());
        let rest = fields(state, context, entity.structure, entity.row);
        if let Some(Value::Int(index)) = rest.find("modelindex")
            && let Some(model) = u16::try_from(*index).ok().and_then(|index| state.resource(MODEL, index))
        {
            record.push("model", clean(&model.name.0));
        }
        record.0.extend(rest.0);
        record
    });
    records.collect()
}

fn light_styles(state: &State) -> Section {
    let mut styles: Vec<_> = state.light_styles.iter().collect();
    styles.sort_unstable();
    let records = styles.into_iter().map(|(style, pattern)| {
        let mut record = Record::default();
        record.push("style", *style);
        record.push("pattern", clean(pattern));
        record
    });
    section("light_styles", records.collect())
}

fn resources(state: &State) -> Section {
    let records = state.resources.iter().map(|resource| {
        let mut record = Record::default();
        record.push("kind", names::RESOURCE_KINDS.show(resource.kind.into()));
        record.push("index", resource.index);
        record.push("name", text(&resource.name.0));
        record.push("size", resource.size);
        record.push("flags", names::RESOURCE_FLAGS.show(resource.flags.into()));
        record
    });
    section("resources", records.collect())
}

/// The fields of a row in their order; `origin[0]`, `origin[1]`, `origin[2]` become one vector where the first stands.
fn fields(state: &State, context: &Context, structure: Structure, row: RowId) -> Record {
    let mut record = Record::default();
    let Some(description) = context.description(structure) else { return record };
    let words = state.row(row);
    for (at, field) in description.fields.iter().enumerate() {
        if field.kind == Kind::Text {
            record.push(field.name.clone(), text(state.text(words[at])));
            continue;
        }
        let value = description.value(at, words[at]);
        match field.name.split_once('[').and_then(|(name, rest)| Some((name, rest.strip_suffix(']')?.parse::<usize>().ok()?))) {
            Some((name, index)) if index < 4 => {
                let known = record.0.iter().position(|(key, _)| key == name).unwrap_or_else(|| {
                    record.push(name.to_owned(), Value::Floats(Vec::new()));
                    record.0.len() - 1
                });
                if let Value::Floats(vector) = &mut record.0[known].1 {
                    vector.resize(vector.len().max(index + 1), 0.0);
                    vector[index] = value;
                }
            }
            _ if field.kind == Kind::Whole => record.push(field.name.clone(), Value::Int(value as i64)),
            _ => record.push(field.name.clone(), value),
        }
    }
    record
}
