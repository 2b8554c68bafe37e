//! The game state: strings, baselines, frames. Applies messages. Implements *States* of `docs/formats/quake2.md`.

mod clock;
mod entities;
mod in_place;
mod packed;
mod packing;
mod players;
mod ring;
mod strings;

pub use clock::Clock;
pub use entities::{Baselines, NOTHING, RF_BEAM, aged, apply_entity};
pub use in_place::InPlace;
pub(crate) use packed::Packed;
pub use players::{MORE_STATS, PlayerState};
pub use ring::{FrameView, Ring};
pub use strings::Strings;

use std::sync::Arc;

use crate::dialect::{Dialect, FrameHeader};
use crate::message::{Body, Contents, Message, MvdBody, MvdMessage};

/// How much state to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Strings and frame numbers.
    Strings,
    /// Everything.
    Full,
}

/// The state at one position of a recording.
#[derive(Debug, Clone)]
pub struct State {
    /// The current dialect.
    pub dialect: Dialect,
    /// Configstrings.
    pub strings: Strings,
    /// Baselines.
    pub baselines: Baselines,
    /// Frames that are deltas against earlier ones.
    pub ring: Ring,
    /// The state of an MVD2, which changes in place.
    pub in_place: InPlace,
    /// Time.
    pub clock: Clock,
    /// The title, game directory and recording player of the last `serverdata`.
    pub level: Level,
    /// Levels begun so far.
    pub levels: u32,
    /// What the player's screen shows beside the world.
    pub screen: Screen,
    detail: Detail,
}

/// What a player's screen shows beside the world. Copies share it.
#[derive(Debug, Clone, Default)]
pub struct Screen {
    /// The program of the last layout, such as a scoreboard.
    pub layout: Arc<[u8]>,
    /// How many the player has of each item.
    pub inventory: Option<Arc<[i16; 256]>>,
}

/// The contents of `serverdata`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Level {
    /// The title.
    pub title: Vec<u8>,
    /// The game directory.
    pub gamedir: Vec<u8>,
    /// The recording player's number; −1 for none.
    pub clientnum: i16,
    /// The server's level count.
    pub servercount: u32,
}

/// The effect of a message on the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// No visible change.
    None,
    /// A level begins.
    Level,
    /// A configstring has a new value.
    String(u16),
    /// A frame header arrived. Player and entities follow.
    FrameBegun,
    /// A frame begins, and its number shows that a new level began unannounced.
    LevelUnannounced,
    /// A frame is complete.
    Frame,
    /// The frame is a delta against one that the recording lacks.
    MissingBase(i32),
    /// The frames around it contradict the frame's number. The state did not take it in.
    Contradicted,
    /// Player or entities arrived without a frame.
    OutOfPlace,
}

impl State {
    /// The state before the first message.
    pub fn new(dialect: Dialect, detail: Detail, lenient: bool) -> Self {
        State {
            dialect,
            strings: Strings::default(),
            baselines: Baselines::default(),
            ring: Ring::new(lenient),
            in_place: InPlace::default(),
            clock: Clock::new(dialect.rate),
            level: Level { clientnum: -1, ..Level::default() },
            levels: 0,
            screen: Screen::default(),
            detail,
        }
    }

    /// The value of `maxclients`. Entities up to this number are players.
    pub fn max_clients(&self) -> u16 {
        std::str::from_utf8(self.strings.get(self.dialect.strings.maxclients)).ok().and_then(|text| text.parse().ok()).unwrap_or(1)
    }

    /// Applies a message.
    #[inline]
    pub fn apply(&mut self, message: &Message) -> Effect {
        match &message.body {
            Body::Frame(frame) => {
                let number = frame.number.into();
                let unannounced = self.clock.would_go_back(number);
                if unannounced {
                    self.clock.new_level();
                    self.levels += 1;
                    self.ring.clear();
                }
                self.clock.frame(number);
                if self.detail == Detail::Strings {
                    return if unannounced { Effect::LevelUnannounced } else { Effect::Frame };
                }
                let based = self.ring.begin(frame, self.dialect.frame == FrameHeader::Server);
                if let Some(packed) = &frame.packed {
                    self.ring.player(&self.dialect, None, &packed.0);
                    self.ring.entities(&self.dialect, &self.baselines, &packed.1);
                    return if based { Effect::Frame } else { Effect::MissingBase(frame.delta) };
                }
                match (based, unannounced) {
                    (false, _) => Effect::MissingBase(frame.delta),
                    (_, true) => Effect::LevelUnannounced,
                    _ => Effect::FrameBegun,
                }
            }
            _ if self.detail == Detail::Strings && matches!(message.body, Body::PlayerInfo(_) | Body::PacketEntities(_)) => Effect::None,
            Body::PlayerInfo(player) if self.ring.player(&self.dialect, message.unicast, player) => Effect::None,
            Body::PlayerInfo(_) => Effect::OutOfPlace,
            Body::PacketEntities(entities) => match self.ring.entities(&self.dialect, &self.baselines, entities) {
                Some(true) => Effect::Frame,
                Some(false) => Effect::None,
                None => Effect::OutOfPlace,
            },
            Body::ConfigString(string) => {
                self.strings.set(string.index, &string.text.0);
                Effect::String(string.index)
            }
            Body::SpawnBaseline(delta) => {
                self.baselines.set(&self.dialect, delta);
                Effect::None
            }
            Body::ServerData(data) => {
                let level =
                    Level { title: data.levelname.0.clone(), gamedir: data.gamedir.0.clone(), clientnum: data.clientnum, servercount: data.servercount };
                self.begin_level(data.dialect(), level)
            }
            _ => self.apply_rare(message),
        }
    }

    /// Passes over a frame whose number the frames around it contradict, and over what follows of it.
    pub(crate) fn reject(&mut self) -> Effect {
        self.ring.reject();
        Effect::Contradicted
    }

    /// Whether the current frame builds on what the recording lacks.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.ring.is_uncertain() || self.in_place.is_uncertain()
    }

    #[cold]
    fn apply_rare(&mut self, message: &Message) -> Effect {
        match &message.body {
            // what a Relay recording has for one of its clients is not on the others' screens
            Body::Layout(layout) if message.unicast.is_none() && self.detail == Detail::Full => self.screen.layout = layout.0.as_slice().into(),
            Body::Inventory(inventory) if message.unicast.is_none() && self.detail == Detail::Full => {
                self.screen.inventory = Some(Arc::new(inventory.0));
            }
            Body::GameState(state) | Body::BaselineStream(state) => {
                state.strings.0.iter().for_each(|string| self.strings.set(string.index, &string.text.0));
                state.baselines.iter().for_each(|delta| self.baselines.set(&self.dialect, delta));
            }
            Body::ConfigStringStream(strings) | Body::LevelRestart(strings) => {
                strings.0.iter().for_each(|string| self.strings.set(string.index, &string.text.0));
            }
            Body::ConfigBlast(packed) | Body::BaselineBlast(packed) => match &packed.contents {
                Contents::Strings(strings) => strings.iter().for_each(|string| self.strings.set(string.index, &string.text.0)),
                Contents::Baselines(list) => list.iter().for_each(|delta| self.baselines.set(&self.dialect, delta)),
                _ => {}
            },
            Body::Setting(setting) if setting.index == 1 && (1..=1000).contains(&setting.value) => self.clock.set_rate(setting.value),
            _ => {}
        }
        Effect::None
    }

    /// Applies a message of an MVD2.
    pub(crate) fn apply_mvd(&mut self, message: &MvdMessage) -> Effect {
        match &message.body {
            MvdBody::ServerData(data) => {
                let level = Level { title: Vec::new(), gamedir: data.gamedir.0.clone(), clientnum: data.clientnum, servercount: data.servercount };
                self.begin_level(data.dialect(), level);
                data.strings.0.iter().for_each(|string| self.strings.set(string.index, &string.text.0));
                self.level.title = self.strings.get(0).to_vec();
                self.mvd_frame(&data.frame);
                Effect::Level
            }
            MvdBody::ConfigString(string) => {
                self.strings.set(string.index, &string.text.0);
                Effect::String(string.index)
            }
            MvdBody::Frame(frame) => {
                self.mvd_frame(frame);
                Effect::Frame
            }
            _ => Effect::None,
        }
    }

    fn mvd_frame(&mut self, frame: &crate::message::MvdFrame) {
        self.clock.next_frame();
        if self.detail == Detail::Full {
            self.in_place.frame(&self.dialect, frame);
        }
    }

    fn begin_level(&mut self, dialect: Option<Dialect>, level: Level) -> Effect {
        if let Some(dialect) = dialect {
            self.dialect = dialect.after(&self.dialect);
        }
        self.clock.new_level();
        self.clock.set_rate(self.dialect.rate);
        self.levels += 1;
        self.strings.clear(self.dialect.strings.end);
        self.baselines.clear();
        self.ring.clear();
        self.in_place.clear();
        self.screen = Screen::default();
        self.level = level;
        Effect::Level
    }

    /// The players of the current frame, by client number. The recording player has the number in `serverdata`.
    pub fn players(&self) -> impl Iterator<Item = (i16, &PlayerState)> {
        let own = self.level.clientnum;
        let ring = self.ring.current().into_iter().flat_map(move |frame| frame.players().map(move |(client, player)| (client.map_or(own, i16::from), player)));
        ring.chain(self.in_place.players())
    }

    /// Whether there is a current frame.
    pub fn has_frame(&self) -> bool {
        self.ring.current().is_some() || self.in_place.frames() > 0
    }

    /// Whether this level has had a frame.
    pub(crate) fn has_frame_on_level(&self) -> bool {
        self.clock.begun()
    }

    /// Calls `each` for every entity of the current frame, in stream order.
    pub fn entities(&self, mut each: impl FnMut(u16, &crate::fields::entity::Row)) {
        if let Some(frame) = self.ring.current() {
            for (number, row) in frame.entities(self.dialect.line) {
                each(number, &row);
            }
        }
        self.in_place.entities(self.dialect.line, each);
    }

    /// Calls `each` for every entity of the current frame, in stream order, with what was stated of it last and whether that was in this frame. If it was
    /// not, its event is over, and its former place may be another one: [`entities`](Self::entities) says so and takes a copy of each.
    pub(crate) fn stated_entities(&self, mut each: impl FnMut(u16, &crate::fields::entity::Row, bool)) {
        if let Some(frame) = self.ring.current() {
            frame.stated_entities().for_each(|(number, row, is_new)| each(number, row, is_new));
        }
        self.in_place.stated_entities(each);
    }
}
