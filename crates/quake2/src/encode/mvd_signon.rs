//! The signon state of an MVD2: server data, strings, and the messages of single clients.

use std::collections::BTreeMap;
use std::ops::Range;

use super::mvd::full_frame;
use crate::encode::strings::StringSlots;
use crate::message::{Body, ConfigString, ConfigStrings, Destination, MvdBody, MvdMessage, MvdServerData, Parcel, Reader, Text};
use crate::state::State;

/// A client, and what of it: its layout, or one of its private strings by index.
pub type ClientKey = (u8, u8, u16);

/// The latest value of everything persistent that [`State`] does not keep.
#[derive(Debug, Clone, Default)]
pub struct MvdSignonState {
    /// The server data.
    pub server_data: Option<MvdServerData>,
    /// The strings as they were written.
    pub image: StringSlots,
    /// The last layouts and private strings of each client.
    pub single: BTreeMap<ClientKey, Parcel>,
}

impl MvdSignonState {
    /// Updates the signon state from a message.
    pub fn take_in(&mut self, message: &MvdMessage, state: &State) {
        match &message.body {
            MvdBody::ServerData(data) => {
                self.server_data = Some((**data).clone());
                self.single.clear();
                self.image.clear();
                data.strings.0.iter().for_each(|string| self.image.set(&state.dialect, string.index, &string.text.0));
            }
            MvdBody::ConfigString(string) => self.image.set(&state.dialect, string.index, &string.text.0),
            MvdBody::Parcel(parcel) => self.remember(parcel, state),
            _ => {}
        }
    }

    fn remember(&mut self, parcel: &Parcel, state: &State) {
        for (key, range) in Self::keys(parcel, state) {
            self.single.insert(key, Parcel { destination: parcel.destination, reliable: true, data: parcel.data[range].to_vec() });
        }
    }

    /// What a parcel sets for its client, and where.
    pub fn keys(parcel: &Parcel, state: &State) -> Vec<(ClientKey, Range<usize>)> {
        let Destination::Client(client) = parcel.destination else { return Vec::new() };
        let mut keys = Vec::new();
        let _ = Reader::new(state.dialect).block(&parcel.data, |message, range, _| {
            match &message.body {
                Body::Layout(_) => keys.push(((client, 0, 0), range)),
                Body::ConfigString(string) => keys.push(((client, 1, string.index), range)),
                _ => {}
            }
            true
        });
        keys
    }

    /// The current level in one message, without the messages of single clients.
    pub fn signon_message(&self, state: &State) -> Option<MvdMessage> {
        let mut data = self.server_data.clone()?;
        let strings = self.image.recorded().map(|(index, text)| ConfigString { index, text: Text(text.to_vec()) });
        data.strings = ConfigStrings(strings.collect());
        data.frame = full_frame(state, std::mem::take(&mut data.frame.portals));
        Some(MvdMessage { extra: 0, body: MvdBody::ServerData(Box::new(data)) })
    }
}
