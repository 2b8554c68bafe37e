//! The state of the game at one time.

use std::borrow::Cow;
use std::sync::Arc;

use fragreel_base::wire::Error;
use fragreel_model::replay::{At, LazyIndex};
use fragreel_model::{Fields, FrameOptions, Moment, Record, Section, When};

use crate::dialect::Dialect;
use crate::frames::{self, Index};
use crate::state::Game;
use crate::state::record::{record_of_entity, record_of_player};
use crate::walk::input::Input;
use crate::walk::playback::{Playback, PlayedBlock, Step};

/// Everything known at the last frame at or before `when`; at the first frame for earlier times.
pub(crate) fn state_at(input: &Input<'_>, index: &Arc<LazyIndex<Index>>, when: When) -> Result<Moment, Error> {
    let mut frames = frames::frames(input, index, FrameOptions::default().fields(Fields::NONE));
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
    Moment { time: at.time, server_time: at.server_time, message: at.message, sections: vec![server(game), players(game, d), entities(game, d)] }
}

fn server(game: &Game) -> Section {
    let mut record = Record::default();
    record.push("map", game.level.map().unwrap_or_default());
    record.push("title", game.level.title.game());
    record.push("game_directory", game.level.game_directory());
    record.push("paused", game.paused);
    record.push("intermission", game.intermission);
    record.push("statics", game.world.statics);
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
    let records = (0..slots(game)).filter_map(|slot| record_of_player(game, d, slot as u8)).collect();
    Section { name: Cow::Borrowed("players"), records }
}

fn entities(game: &Game, d: &Dialect) -> Section {
    let mut records = Vec::new();
    game.world.each(d, |seen| records.push(record_of_entity(game, &seen)));
    Section { name: Cow::Borrowed("entities"), records }
}
