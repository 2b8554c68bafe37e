//! The signon: how a recording begins, as the recorders of the engines write it. Implements *Openings* of `docs/formats/quake2.md`.

use std::collections::BTreeMap;

use fragreel_base::wire::WriteBytes;

use crate::dialect::{Dialect, FrameHeader, RecordingKind};
use crate::encode::block_writer::BlockWriter;
use crate::encode::deltas::{self, EncodeFlags};
use crate::encode::strings::{StringSlots, signon_strings};
use crate::limits;
use crate::message::{Body, ConfigString, Context, Message, ServerData, Text};
use crate::state::{Baselines, NOTHING, State};

/// The free bytes that id's recorder wants in a block before it writes a string or a baseline.
const ROOM_FOR_STRING: usize = 32;
const ROOM_FOR_BASELINE: usize = 64;

/// Messages that stay on the screen until replaced. They are sent once, so a signon must repeat them.
#[derive(Debug, Clone, Default)]
pub struct ScreenMessages {
    messages: BTreeMap<(u8, u32, Option<u8>), Message>,
}

impl ScreenMessages {
    /// Forgets them: a level begins.
    pub fn clear(&mut self) {
        self.messages.clear();
    }

    /// Remembers the message if it is of this kind.
    pub fn take_in(&mut self, message: &Message) {
        if let Some((kind, index)) = slot(message) {
            self.messages.insert((kind, index, message.unicast), message.clone());
        }
    }

    /// The messages.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.values()
    }
}

fn slot(message: &Message) -> Option<(u8, u32)> {
    Some(match &message.body {
        Body::Layout(_) => (0, 0),
        Body::Inventory(_) => (1, 0),
        Body::Setting(setting) => (2, setting.index),
        Body::KmFog(_) => (3, 0),
        _ => return None,
    })
}

/// Whether [`ScreenMessages`] remembers this message.
pub(crate) fn is_screen_message(message: &Message) -> bool {
    slot(message).is_some()
}

/// The latest value of everything persistent that [`State`] does not keep.
#[derive(Debug, Clone, Default)]
pub struct SignonState {
    /// The server data.
    pub server_data: Option<ServerData>,
    /// The strings as they were written.
    pub image: StringSlots,
    /// What is on the screen.
    pub screen: ScreenMessages,
}

impl SignonState {
    /// Updates the signon state from a message, after `state` applied it. Messages of a compressed packet arrive one by one.
    pub fn take_in(&mut self, message: &Message, state: &State) {
        match &message.body {
            Body::ServerData(data) => {
                self.server_data = Some((**data).clone());
                self.image.clear();
                self.screen.clear();
            }
            _ => {
                self.image.take_in(&state.dialect, message);
                self.screen.take_in(message);
            }
        }
    }
}

/// The bytes of a message.
pub fn write(message: &Message, cx: &mut Context) -> Vec<u8> {
    let mut w = WriteBytes::default();
    let Ok(()) = message.clone().write(&mut w, cx);
    w.finish()
}

/// Everything before the first frame.
pub(crate) struct Signon<'a> {
    pub dialect: &'a Dialect,
    pub server_data: Option<ServerData>,
    pub strings: Vec<(u16, Vec<u8>)>,
    pub baselines: &'a Baselines,
    pub screen: &'a ScreenMessages,
}

/// Writes the signon for the current state.
pub fn write_signon(blocks: &mut BlockWriter, cx: &mut Context, signon: &SignonState, state: &State) {
    let mut server_data = signon.server_data.clone();
    if let Some(data) = &mut server_data {
        if data.kind == RecordingKind::NETWORK.0 {
            data.kind = RecordingKind::CLIENT.0;
        }
        limits::state_protocol(data, &state.dialect);
    }
    let strings = signon_strings(&state.dialect, &signon.image, &state.strings);
    Signon { dialect: &state.dialect, server_data, strings, baselines: &state.baselines, screen: &signon.screen }.write(blocks, cx);
}

impl Signon<'_> {
    /// Writes it. Messages for the screen go into the block of the first frame, if they fit.
    pub(crate) fn write(self, blocks: &mut BlockWriter, cx: &mut Context) {
        let limit = self.dialect.safe_block();
        let server = self.dialect.frame == FrameHeader::Server;
        if let Some(data) = self.server_data {
            blocks.message(&write(&Message::new(Body::ServerData(Box::new(data))), cx));
        }
        for (index, text) in self.strings {
            if blocks.length() + text.len() + ROOM_FOR_STRING > limit {
                blocks.end_block(limit);
            }
            blocks.message(&write(&Message::new(Body::ConfigString(ConfigString { index, text: Text(text) })), cx));
        }
        if !server {
            for (number, row) in self.baselines.iter() {
                if blocks.length() + ROOM_FOR_BASELINE > limit {
                    blocks.end_block(limit);
                }
                let Some(delta) = deltas::entity(self.dialect, number, &NOTHING, row, EncodeFlags { force: true, new: true }) else { continue };
                blocks.message(&write(&Message::new(Body::SpawnBaseline(Box::new(delta))), cx));
            }
            blocks.message(&write(&Message::new(Body::StuffText(Text(b"precache\n".to_vec()))), cx));
        }
        blocks.end_block(limit);
        for message in self.screen.messages() {
            let bytes = write(message, cx);
            if blocks.length() + bytes.len() > limit {
                blocks.end_block(limit);
            }
            blocks.message(&bytes);
        }
        if server {
            blocks.end_block(limit);
        }
    }
}
