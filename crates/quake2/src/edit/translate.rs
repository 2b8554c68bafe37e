//! Translates a recording of any convertible dialect to protocol 34, message by message, for those who receive them.

use super::downgrade::{Downgrade, StatKinds};
use super::pov;
use super::view::View;
use crate::container::Window;
use crate::detect::Framing;
use crate::dialect::{Dialect, FrameHeader};
use crate::fields::entity::Row;
use crate::message::{Body, ConfigString, Destination, Message, MvdBody, MvdMessage, Parcel, Print, ServerData, Sound, Text};
use crate::state::{Effect, PlayerState, State};
use crate::walk::{At, Input, Visitor};

/// Receives a recording in protocol 34. `client` is the only receiver of a string or a message, if there is one.
pub trait Translated {
    /// A level begins.
    fn level(&mut self, data: ServerData);
    /// Frame numbers start over without a new level.
    fn unannounced(&mut self);
    /// A configstring.
    fn string(&mut self, client: Option<u8>, index: u16, text: &[u8]);
    /// A message.
    fn message(&mut self, client: Option<u8>, message: Message);
    /// A baseline. It may come again.
    fn baseline(&mut self, number: u16, row: Row);
    /// A frame is complete in `state`.
    fn frame(&mut self, state: &State, downgrade: &mut Downgrade);
    /// A block of the source ends.
    fn end_block(&mut self) {}
}

/// The translating visitor.
#[derive(Debug, Clone)]
pub struct Translator<T> {
    /// What receives it.
    pub to: T,
    /// The dialect of the source, and what protocol 34 cannot express.
    pub(crate) downgrade: Downgrade,
    /// Whether the source is a server recording.
    server: bool,
}

impl<T: Translated> Translator<T> {
    /// A translator from a dialect.
    pub fn new(from: Dialect, to: T) -> Self {
        Translator { to, downgrade: Downgrade::new(from), server: from.frame == FrameHeader::Server }
    }

    fn level(&mut self, dialect: Dialect, data: ServerData) {
        self.downgrade.from = dialect;
        let ServerData { servercount, gamedir, levelname, clientnum, .. } = data;
        let dialect = Dialect::playable();
        let kind = dialect.kind.0;
        self.to.level(ServerData { protocol: dialect.protocol, kind, servercount, gamedir, levelname, clientnum, ..ServerData::default() });
    }

    fn string(&mut self, client: Option<u8>, index: u16, text: &[u8]) {
        // Without stats, the status bar would show zeros.
        let strings = self.downgrade.from.strings;
        if self.server && (strings.statusbar..strings.airaccel).contains(&index) {
            return;
        }
        if let Some(index) = self.downgrade.string(index) {
            self.to.string(client, index, text);
        }
    }

    fn strings(&mut self, client: Option<u8>, strings: &[ConfigString]) {
        strings.iter().for_each(|string| self.string(client, string.index, &string.text.0));
    }

    fn body(&mut self, client: Option<u8>, body: &Body) {
        if let Some(message) = self.downgrade.message(body) {
            self.to.message(client, message);
        }
    }

    fn frame(&mut self, state: &State) {
        self.to.frame(state, &mut self.downgrade);
    }

    fn baselines(&mut self, state: &State) {
        for (number, row) in state.baselines.iter() {
            if let Some(row) = self.downgrade.entity(number, row) {
                self.to.baseline(number, row);
            }
        }
    }
}

impl<T: Translated> Visitor for Translator<T> {
    fn block(&mut self, _: u32, _: Window<'_>) {}

    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        if effect == Effect::LevelUnannounced {
            self.to.unannounced();
        }
        if effect == Effect::Frame && matches!(message.body, Body::Frame(_) | Body::PacketEntities(_)) {
            self.frame(state);
        }
        let client = message.unicast;
        match &message.body {
            Body::ServerData(data) => self.level(state.dialect, (**data).clone()),
            Body::ConfigString(string) => self.string(client, string.index, &string.text.0),
            Body::GameState(all) => {
                self.strings(client, &all.strings.0);
                self.baselines(state);
            }
            Body::ConfigStringStream(strings) => self.strings(client, &strings.0),
            Body::SpawnBaseline(_) | Body::BaselineStream(_) => self.baselines(state),
            Body::Frame(_) | Body::PlayerInfo(_) | Body::PacketEntities(_) => {}
            body => self.body(client, body),
        }
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            MvdBody::ServerData(data) => {
                let levelname = Text(state.strings.get(0).to_vec());
                self.level(state.dialect, ServerData { servercount: data.servercount, gamedir: data.gamedir.clone(), levelname, ..ServerData::default() });
                self.strings(None, &data.strings.0);
                self.frame(state);
            }
            MvdBody::ConfigString(string) => self.string(None, string.index, &string.text.0),
            MvdBody::Frame(_) => self.frame(state),
            MvdBody::Sound(sound) => self.body(None, &Body::Sound(Sound { flags: sound.flags | Sound::ENTITY, ..sound.clone() })),
            MvdBody::Print(Print { level, text }) => self.body(None, &Body::Print(Print { level: *level, text: text.clone() })),
            _ => {}
        }
    }

    fn parcel(&mut self, _: At, parcel: &Parcel, message: &mut Message, _: &[u8], _: &State) {
        let client = match parcel.destination {
            Destination::Client(client) => Some(client),
            _ => None,
        };
        match &message.body {
            Body::ConfigString(string) => self.string(client, string.index, &string.text.0),
            body => self.body(client, body),
        }
    }

    fn block_end(&mut self, _: u32, _: Window<'_>, _: &[u8]) {
        self.to.end_block();
    }
}

/// Whether a recording has the views of several players.
pub fn has_several_views(input: &Input<'_>) -> bool {
    input.container == Framing::Mvd2 || input.dialect.frame == FrameHeader::Server || input.dialect.unicasts()
}

/// A view of a frame in protocol 34.
pub(crate) fn translated(view: View, state: &State, downgrade: &mut Downgrade) -> (Option<PlayerState>, Vec<(u16, Row)>) {
    let player = view.players.first().map(|(_, player)| downgrade.player(player, StatKinds::of(state)));
    (player, downgrade.entities(&view.entities))
}

/// The slots of a frame's players, spectators excepted, in order.
pub fn players(state: &State) -> Vec<u16> {
    const SPECTATOR: u32 = 1;
    let mut slots: Vec<u16> = if state.dialect.frame == FrameHeader::Server {
        let mut slots = Vec::new();
        state.entities(|number, _| slots.extend(number.checked_sub(1).filter(|slot| *slot < state.max_clients())));
        slots
    } else {
        let plays = |player: &PlayerState| player.row[crate::fields::player::PM_TYPE] != SPECTATOR;
        state.players().filter(|(_, player)| plays(player)).filter_map(|(slot, _)| u16::try_from(slot).ok()).collect()
    };
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// The name of the player in a slot; empty if nobody is there.
pub fn name(state: &State, slot: u16) -> &[u8] {
    let strings = state.dialect.strings;
    let is_slot = slot < strings.general.saturating_sub(strings.playerskins);
    if is_slot { crate::walk::roster::player_name(state.strings.get(strings.playerskins + slot)) } else { b"" }
}

/// The eyes of one player, from frame to frame, in protocol 34.
#[derive(Clone)]
pub struct Eyes {
    viewer: pov::Viewer,
    downgrade: Downgrade,
}

impl Eyes {
    /// Those of the player in a slot.
    pub fn of(slot: u16) -> Self {
        Eyes { viewer: pov::Viewer::new(slot), downgrade: Downgrade::new(Dialect::playable()) }
    }

    /// The current frame as the player sees it. There is no player state before the player's first frame.
    pub fn look(&mut self, state: &State) -> (Option<PlayerState>, Vec<(u16, Row)>) {
        self.downgrade.from = state.dialect;
        translated(self.viewer.view(state), state, &mut self.downgrade)
    }
}
