//! `info`: summarizes a recording. Skips frame contents.

use std::collections::BTreeMap;

use fragreel_model::replay::{Chunks, People, Whole, feed_all};
use fragreel_model::{Damage, Family, Info, Milliseconds};

use crate::chars;
use crate::container::Window;
use crate::detect::Framing;
use crate::dialect::Dialect;
use crate::fields::player::{PM_TYPE, PPS_M_TYPE};
use crate::message::{Body, Message, MvdBody, MvdFrame, MvdMessage};
use crate::state::{Detail, Effect, State};
use crate::walk::findings::Findings;
use crate::walk::match_clock::MatchClock;
use crate::walk::roster::{map_name, player_name, team_of_skin};
use crate::walk::{At, Input, Visitor, VisitorWalk, WalkOptions};

/// Summarizes a recording in memory.
pub(crate) fn info(input: &Input<'_>) -> Info {
    let Ok(info) = info_chunks(input, &mut Whole(input.bytes));
    info
}

/// Summarizes the recording that `chunks` give. `input` says how it is read.
pub(crate) fn info_chunks<C: Chunks>(input: &Input<'_>, chunks: &mut C) -> Result<Info, C::Error> {
    let builder = InfoBuilder { findings: Findings::new(input.limits.damage_entries), ..InfoBuilder::default() };
    // In an MVD2, only the frames show who plays.
    let skim = input.container != Framing::Mvd2;
    let options = WalkOptions { skim, detail: Detail::Strings, parcels: false, longest: input.limits.message_bytes, players_only: false };
    let VisitorWalk { playback, visitor: mut builder, length } = feed_all(VisitorWalk::new(input, options, builder), chunks)?;
    let summary = playback.close_at(length, input, &mut builder);
    let state = playback.state;
    let dialect = state.dialect;
    let mut info = Info::new(Family::Quake2, dialect.name(), length as u64);
    info.recording = if input.container == Framing::Mvd2 { String::from("multi-view") } else { dialect.kind.name().to_owned() };
    info.game = String::from("Quake II");
    info.game_mod = builder.gamedir.map(|dir| chars::clean(&dir)).filter(|dir| !dir.is_empty());
    info.engine = dialect.engine().map(str::to_owned);
    info.maps = builder.maps;
    info.match_clock = builder.match_times;
    info.game_type = builder.settings.get("game_type").cloned();
    builder.settings.remove("game_type");
    info.duration = (state.clock.frames() > 0).then(|| state.clock.time());
    info.snapshots = state.clock.frames();
    info.messages = summary.blocks.into();
    info.snapshot_rate = Info::rate(info.snapshots, info.duration);
    info.recorder = u16::try_from(builder.recorder).ok().and_then(|slot| builder.people.in_slot(slot)).cloned();
    info.players = builder.people.all();
    info.server_settings = builder.settings;
    info.damage = builder.findings.finish();
    Ok(info)
}

/// The visitor that collects the summary.
#[derive(Default)]
struct InfoBuilder {
    gamedir: Option<Vec<u8>>,
    maps: Vec<String>,
    people: People,
    settings: BTreeMap<String, String>,
    recorder: i16,
    findings: Findings,
    match_clock: MatchClock,
    /// The first and the last reading of the match clock.
    match_times: Option<(Milliseconds, Milliseconds)>,
    /// Whether it is an MVD2, and what its frames say of each slot.
    multi: bool,
    places: Vec<Place>,
}

/// What the frames of an MVD2 say of a slot.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The movement type.
    moves: u32,
    plays: bool,
}

/// Movement types of those who do not play.
const SPECTATOR: u32 = 1;
const FREEZE: u32 = 4;

impl InfoBuilder {
    fn string(&mut self, index: u16, value: &[u8], dialect: &Dialect) {
        let strings = dialect.strings;
        if index == strings.models + 1 {
            // A level that is reloaded at once is listed once.
            self.maps.extend(map_name(value).filter(|map| self.maps.last() != Some(map)));
        } else if (strings.playerskins..strings.general).contains(&index) {
            self.person(index - strings.playerskins, value);
        } else if index == strings.maxclients {
            self.settings.insert(String::from("maxclients"), chars::clean(value));
        } else if index == strings.maxclients + 1 {
            self.settings.insert(String::from("mapchecksum"), chars::clean(value));
        } else if index == strings.airaccel {
            self.settings.insert(String::from("airaccel"), chars::clean(value));
        } else if index == 0 {
            self.settings.insert(String::from("level"), chars::clean(value));
        }
    }

    /// Sets the name of a slot.
    fn person(&mut self, slot: u16, skin: &[u8]) {
        let name = player_name(skin);
        if name.is_empty() {
            self.people.leave(slot);
            if let Some(place) = self.places.get_mut(usize::from(slot)) {
                *place = Place::default();
            }
        } else {
            let watches = self.multi && !self.places.get(usize::from(slot)).is_some_and(|place| place.plays);
            let team = if watches { Some("spectator") } else { team_of_skin(skin) };
            self.people.seat(slot, chars::text(name), team.map(str::to_owned));
        }
    }

    /// Notes who plays in a frame of an MVD2. Spectators have no player state there, or one that moves as a spectator.
    fn frame(&mut self, frame: &MvdFrame, state: &State) {
        for player in &frame.players {
            let slot = u16::from(player.number);
            if self.places.len() <= usize::from(slot) {
                self.places.resize_with(usize::from(slot) + 1, Place::default);
            }
            let place = &mut self.places[usize::from(slot)];
            if player.delta.mask & PPS_M_TYPE != 0 {
                place.moves = player.delta.row[PM_TYPE];
            }
            // During an intermission, everybody is frozen.
            if !player.removes(&state.dialect) && !place.plays && !matches!(place.moves, SPECTATOR | FREEZE) {
                place.plays = true;
                let skin = state.strings.get(state.dialect.strings.playerskins + slot).to_vec();
                self.person(slot, &skin);
            }
        }
    }

    /// Reads the match clock at a frame.
    fn clock(&mut self, effect: Effect, state: &State) {
        self.match_clock.effect(effect);
        if effect == Effect::Frame
            && let Some(now) = self.match_clock.at(state.clock.time())
        {
            self.match_times = Some((self.match_times.map_or(now, |(first, _)| first), now));
        }
    }

    fn all(&mut self, state: &State) {
        for (index, value) in state.strings.iter() {
            self.string(index, value, &state.dialect);
        }
    }
}

impl Visitor for InfoBuilder {
    fn block(&mut self, block: u32, window: Window<'_>) {
        self.findings.block(block, window.data_offset + window.data.len() as u64);
    }

    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        match &message.body {
            Body::ConfigString(string) => self.string(string.index, &string.text.0, &state.dialect),
            Body::ServerData(data) => {
                self.gamedir.get_or_insert_with(|| data.gamedir.0.clone());
                self.people.level();
                if state.levels <= 1 {
                    self.recorder = data.clientnum;
                }
            }
            Body::GameState(_) | Body::ConfigStringStream(_) | Body::ConfigBlast(_) => self.all(state),
            Body::Print(print) => drop(self.match_clock.print(&print.text.0, state.clock.time())),
            _ => {}
        }
        self.clock(effect, state);
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], effect: Effect, state: &State) {
        self.clock(effect, state);
        match &message.body {
            MvdBody::ServerData(data) => {
                self.gamedir.get_or_insert_with(|| data.gamedir.0.clone());
                self.people.level();
                (self.recorder, self.multi) = (-1, true);
                self.places.clear();
                self.all(state);
                self.frame(&data.frame, state);
            }
            MvdBody::Frame(frame) => self.frame(frame, state),
            MvdBody::ConfigString(string) => self.string(string.index, &string.text.0, &state.dialect),
            MvdBody::Print(print) => drop(self.match_clock.print(&print.text.0, state.clock.time())),
            _ => {}
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.findings.add(damage);
    }
}
