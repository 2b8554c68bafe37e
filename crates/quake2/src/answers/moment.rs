//! `state`: everything known at one time.

use fragreel_base::wire::Error;
use fragreel_model::replay::At;
use fragreel_model::{Fields, FrameOptions, Moment, Record, Section, When};

use crate::Frames;
use crate::chars;
use crate::state::State;
use crate::walk::describe::{describe_entity, describe_player};

/// The options of the frames that [`state_at`] searches.
pub(crate) fn frame_options() -> FrameOptions {
    FrameOptions::default().fields(Fields::NONE)
}

pub(crate) fn state_at(mut frames: Frames<'_>, protocol: u32, when: When) -> Result<Moment, Error> {
    if let Some(at) = frames.look(when) {
        return Ok(describe(frames.source().state(), at));
    }
    Err(match protocol {
        25 => Error::unsupported("the frames of the test release (protocol 25) are not described anywhere"),
        _ if frames.source().has_begun() => Error::malformed("no frame can be rebuilt: their delta bases are missing"),
        _ => Error::misuse("the recording has no frame to look at"),
    })
}

fn describe(state: &State, at: At) -> Moment {
    let mut level = Record::default();
    level.push("frame", state.clock.number());
    level.push("map", crate::walk::roster::map_name(state.strings.get(state.dialect.strings.models + 1)).unwrap_or_default());
    level.push("title", chars::text(&state.level.title));
    level.push("gamedir", chars::clean(&state.level.gamedir));
    level.push("clientnum", i64::from(state.level.clientnum));
    if let Some(frame) = state.ring.current() {
        level.push("areas", frame.areas().iter().map(|&byte| i64::from(byte)).collect::<Vec<_>>());
    }
    let players = state.players().map(|(number, player)| describe_player(state, number, player)).collect();
    let mut entities = Vec::new();
    state.entities(|number, row| entities.push(describe_entity(state, number, row)));
    let strings = state
        .strings
        .iter()
        .map(|(index, value)| {
            let mut record = Record::default();
            record.push("index", index);
            record.push("value", chars::text(value));
            record
        })
        .collect();
    let sections = [("level", vec![level]), ("players", players), ("entities", entities), ("configstrings", strings)];
    Moment {
        time: at.time,
        server_time: at.server_time,
        message: at.message,
        sections: sections.into_iter().map(|(name, records)| Section { name: name.into(), records }).collect(),
    }
}
