//! A recording of several players: what all receive, and what each receives alone.

use std::collections::BTreeMap;

use fragreel_quake2::dialect::Dialect;
use fragreel_quake2::fields::entity::{EVENT, Row, U_OLDORIGIN};
use fragreel_quake2::message::{Body, ConfigString, Message, ServerData, Text};
use fragreel_quake2::state::{Baselines, NOTHING, State};
use fragreel_quake2::unstable::canonical;
use fragreel_quake2::unstable::signon::ScreenMessages;
use fragreel_quake2::unstable::views::{Downgrade, Translated};

use super::step::{CommonStep, Directed};

/// The state of the level that is not in the signon state.
#[derive(Clone, Default)]
pub(super) struct Views {
    /// The baselines in protocol 34.
    pub baselines: Baselines,
    /// By client.
    own: BTreeMap<u8, Own>,
}

/// What one player received alone.
#[derive(Clone, Default)]
pub(super) struct Own {
    pub strings: BTreeMap<u16, Vec<u8>>,
    pub screen: ScreenMessages,
}

impl Views {
    /// What the player in a slot received alone.
    pub(super) fn own(&self, slot: Option<u16>) -> Option<&Own> {
        self.own.get(&u8::try_from(slot?).ok()?)
    }
}

/// Steps through a recording of several players.
pub(super) struct ViewsStep<'b> {
    pub common: CommonStep<'b>,
    pub views: &'b mut Views,
    pub is_open: bool,
}

impl Translated for ViewsStep<'_> {
    fn level(&mut self, data: ServerData) {
        self.common.signon.server_data = Some(data);
        self.common.signon.image.clear();
        self.common.signon.screen.clear();
        *self.views = Views::default();
        self.common.step.level = true;
        self.is_open = false;
    }

    fn unannounced(&mut self) {}

    fn string(&mut self, client: Option<u8>, index: u16, text: &[u8]) {
        match client {
            Some(client) => drop(self.views.own.entry(client).or_default().strings.insert(index, text.to_vec())),
            None => self.common.signon.image.set(&Dialect::playable(), index, text),
        }
        let message = Message::new(Body::ConfigString(ConfigString { index, text: Text(text.to_vec()) }));
        self.common.step.reliable.push(Directed { client, message });
    }

    fn message(&mut self, client: Option<u8>, message: Message) {
        match client {
            Some(client) => self.views.own.entry(client).or_default().screen.take_in(&message),
            None => self.common.signon.screen.take_in(&message),
        }
        self.common.message(client, &message);
    }

    fn baseline(&mut self, number: u16, row: Row) {
        if self.is_open {
            return;
        }
        // as clients will have it: without an event
        let (dialect, mut row) = (Dialect::playable(), row);
        row[EVENT] = 0;
        let delta = canonical::entity(&dialect, dialect.line, number, &NOTHING, &row, true, true);
        if delta.is_some_and(|delta| delta.mask & U_OLDORIGIN != 0) {
            self.views.baselines.put(number, row);
        }
    }

    fn frame(&mut self, _: &State, _: &mut Downgrade) {
        self.common.step.framed = true;
    }
}
