//! How a recording begins, as the engines' recorders write it. Realises *Openings* of `docs/formats/quake2.md`.

use std::collections::BTreeMap;

use wire::WriteBytes;

use super::encode::{self, Telling};
use super::sheet::Sheet;
use super::strings::{Image, opening as opening_strings};
use crate::dialect::{Dialect, FrameHeader, RecordingKind};
use crate::limits;
use crate::message::{Body, ConfigString, Context, Message, ServerData, Text};
use crate::state::{Baselines, NOTHING, State};

/// Bytes that id's recorder wants free before it writes a string or a baseline.
const ROOM_FOR_STRING: usize = 32;
const ROOM_FOR_BASELINE: usize = 64;

/// What shows on the screen and is told once: it must be told again where a recording begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    messages: BTreeMap<(u8, u32, Option<u8>), Message>,
}

impl Kept {
    pub fn clear(&mut self) {
        self.messages.clear();
    }

    /// Remembers the message if it is of this sort.
    pub fn take_in(&mut self, message: &Message) {
        if let Some((kind, index)) = slot(message) {
            self.messages.insert((kind, index, message.unicast), message.clone());
        }
    }

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

/// Whether [`Kept`] remembers such messages.
pub(crate) fn is_kept(message: &Message) -> bool {
    slot(message).is_some()
}

/// What the stream said of the level so far that no state keeps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Background {
    pub server_data: Option<ServerData>,
    pub image: Image,
    pub kept: Kept,
}

impl Background {
    /// Takes in a message, after the state did. `in_zpacket` does not matter: its messages come one by one.
    pub fn take_in(&mut self, message: &Message, state: &State) {
        match &message.body {
            Body::ServerData(data) => {
                self.server_data = Some((**data).clone());
                self.image.clear();
                self.kept.clear();
            }
            _ => {
                self.image.take_in(&state.dialect, message);
                self.kept.take_in(message);
            }
        }
    }
}

pub(crate) fn write(message: &Message, cx: &mut Context) -> Vec<u8> {
    let mut w = WriteBytes::default();
    let Ok(()) = message.clone().write(&mut w, cx);
    w.finish()
}

/// Everything that comes before the first frame.
pub(crate) struct Opening<'a> {
    pub dialect: &'a Dialect,
    pub server_data: Option<ServerData>,
    pub strings: Vec<(u16, Vec<u8>)>,
    pub baselines: &'a Baselines,
    pub kept: &'a Kept,
}

/// Writes the opening as of now.
pub(crate) fn open(sheet: &mut Sheet, cx: &mut Context, background: &Background, state: &State) {
    let mut server_data = background.server_data.clone();
    if let Some(data) = &mut server_data {
        if data.kind == RecordingKind::NETWORK.0 {
            data.kind = RecordingKind::CLIENT.0;
        }
        limits::state_protocol(data, &state.dialect);
    }
    let strings = opening_strings(&state.dialect, &background.image, &state.strings);
    Opening { dialect: &state.dialect, server_data, strings, baselines: &state.baselines, kept: &background.kept }.write(sheet, cx);
}

impl Opening<'_> {
    /// Writes it. What is on the screen stands in the block of the first frame, where it fits.
    pub fn write(self, sheet: &mut Sheet, cx: &mut Context) {
        let limit = self.dialect.safe_block();
        let server = self.dialect.frame == FrameHeader::Server;
        if let Some(data) = self.server_data {
            sheet.message(&write(&Message::new(Body::ServerData(Box::new(data))), cx));
        }
        for (index, text) in self.strings {
            if sheet.length() + text.len() + ROOM_FOR_STRING > limit {
                sheet.end_block(limit);
            }
            sheet.message(&write(&Message::new(Body::ConfigString(ConfigString { index, text: Text(text) })), cx));
        }
        if !server {
            for (number, row) in self.baselines.iter() {
                if sheet.length() + ROOM_FOR_BASELINE > limit {
                    sheet.end_block(limit);
                }
                let Some(delta) = encode::entity(self.dialect, number, &NOTHING, row, Telling { force: true, new: true }) else { continue };
                sheet.message(&write(&Message::new(Body::SpawnBaseline(Box::new(delta))), cx));
            }
            sheet.message(&write(&Message::new(Body::StuffText(Text(b"precache\n".to_vec()))), cx));
        }
        sheet.end_block(limit);
        for message in self.kept.messages() {
            let bytes = write(message, cx);
            if sheet.length() + bytes.len() > limit {
                sheet.end_block(limit);
            }
            sheet.message(&bytes);
        }
        if server {
            sheet.end_block(limit);
        }
    }
}
