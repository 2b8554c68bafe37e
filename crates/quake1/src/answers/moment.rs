//! The state of the game at one time.

use std::borrow::Cow;
use std::sync::Arc;

use fragreel_base::wire::{Error, Vocabulary as _};
use fragreel_model::replay::{At, LazyIndex};
use fragreel_model::{Fields, FrameOptions, Moment, Record, Section, Value, When};

use crate::dialect::Dialect;
use crate::fields::names;
use crate::frames::{self, Index};
use crate::message::Text;
use crate::state::Game;
use crate::state::record::{even_out, record_of, record_of_entity, record_of_player};
use crate::walk::input::Input;
use crate::walk::playback::{Playback, PlayedBlock, Step};

/// Everything known at the last frame at or before `when`; at the first frame for earlier times.
pub(crate) fn state_at(input: &Input<'_>, index: &Arc<LazyIndex<Index>>, when: When) -> Result<Moment, Error> {
    let mut frames = frames::frames(input, index, &FrameOptions::default().fields(Fields::NONE));
    let at = frames.look(when).ok_or_else(|| why_no_frame(input))?;
    let playback = frames.source().playback();
    Ok(moment(&playback.game, playback.dialect(), at))
}

/// Why the first frame cannot be read.
fn why_no_frame(input: &Input<'_>) -> Error {
    let first = Playback::new(input, false).find_map(|step| match step {
        Step::Broken(error, _) => Some(error),
        Step::Block(PlayedBlock { error, .. }) => error,
    });
    first.unwrap_or_else(|| Error::malformed("the recording has no frame"))
}

fn moment(game: &Game, d: &Dialect, at: At) -> Moment {
    let mut sections = vec![server(game), players(game, d), entities(game, d), baselines(game, d), statics(game), light_styles(game)];
    sections.extend([files("models", &game.level.models), files("sounds", &game.level.sounds)]);
    for record in sections.iter_mut().flat_map(|section| &mut section.records) {
        name(record, d);
    }
    Moment { time: at.time, server_time: at.server_time, message: at.message, sections }
}

/// Replaces numbers by what they mean.
fn name(record: &mut Record, d: &Dialect) {
    for (key, value) in &mut record.0 {
        let Value::Int(number @ (..=-1 | 1..)) = *value else { continue };
        let word = number as u32;
        *value = match &**key {
            "effects" => Value::from(names::effects(d.is_netquake()).show(word)),
            "items" => Value::from(names::ITEMS.show(word)),
            "flags" => Value::from(names::RENDER_FLAGS.show(word)),
            "solid" => Value::from(super::meaning::solid_box(word)),
            _ => continue,
        };
    }
}

fn server(game: &Game) -> Section {
    let mut record = Record::default();
    record.push("map", game.level.map().unwrap_or_default());
    record.push("title", game.level.title.game());
    record.push("game_directory", game.level.game_directory());
    record.push("paused", game.paused);
    record.push("intermission", game.intermission);
    record.push("statics", game.world.statics().count());
    for (key, value) in &game.level.info {
        record.push(crate::characters::clean(key), crate::characters::text(value));
    }
    Section { name: Cow::Borrowed("server"), records: vec![record] }
}

/// The number of slots with any data.
fn slots(game: &Game) -> usize {
    game.roster.people.len().max(game.bodies.len()).max(game.stats.len())
}

fn players(game: &Game, d: &Dialect) -> Section {
    let known = (0..slots(game)).filter_map(|slot| Some((slot as u8, record_of_player(game, d, slot as u8)?)));
    let mut records: Vec<(u8, Record)> = known.collect();
    even_out(game, d, &mut records);
    Section { name: Cow::Borrowed("players"), records: records.into_iter().map(|(_, record)| record).collect() }
}

fn entities(game: &Game, d: &Dialect) -> Section {
    let mut records = Vec::new();
    game.world.each(d, |seen| records.push(record_of_entity(game, d, &seen)));
    Section { name: Cow::Borrowed("entities"), records }
}

fn baselines(game: &Game, d: &Dialect) -> Section {
    let mut records = Vec::new();
    game.world.each_baseline(d, |seen| records.push(record_of(game, &seen)));
    Section { name: Cow::Borrowed("baselines"), records }
}

fn statics(game: &Game) -> Section {
    Section { name: Cow::Borrowed("statics"), records: game.world.statics().iter().map(|seen| record_of(game, seen)).collect() }
}

fn light_styles(game: &Game) -> Section {
    let records = game.light_styles.iter().map(|(style, pattern)| {
        let mut record = Record::default();
        record.push("style", *style);
        record.push("pattern", crate::characters::clean(pattern));
        record
    });
    Section { name: Cow::Borrowed("light_styles"), records: records.collect() }
}

fn files(name: &'static str, files: &[Text]) -> Section {
    let named = files.iter().enumerate().filter(|(_, file)| !file.bytes().is_empty());
    let records = named.map(|(number, file)| {
        let mut record = Record::default();
        record.push("number", number as i64);
        record.push("name", file.game());
        record
    });
    Section { name: Cow::Borrowed(name), records: records.collect() }
}
