//! Shots: events whose scripts are those of weapons (`docs/formats/goldsrc.md`, "Events").

use std::borrow::Cow;
use std::collections::HashMap;

use fragreel_model::EventKind;

use super::EventBuilder;
use crate::container::{Macro, body};
use crate::fields::Structure;
use crate::game_text::clean;
use crate::message::context::Context;
use crate::message::{Delta, Message, Values};
use crate::weapon_scripts::{EVENT_SCRIPT, weapon_script};

/// The weapons of a level's scripts, by the scripts' numbers.
pub(super) type Scripts = HashMap<u16, &'static str>;

impl EventBuilder {
    /// Learns the scripts of a level, and emits the shots of a message.
    pub(super) fn shots(&mut self, context: &Context, message: &Message) {
        match message {
            Message::ResourceList(list) => {
                let scripts = list.resources.iter().filter(|resource| resource.kind == EVENT_SCRIPT);
                self.shots.extend(scripts.filter_map(|script| Some((script.index, weapon_script(&clean(&script.name.0))?.weapon))));
            }
            Message::Event(events) => {
                for event in &events.events {
                    let by = event.arguments.and_then(|arguments| entity(context, &arguments, &events.values));
                    self.shot(context.max_clients, event.index, by);
                }
            }
            Message::EventReliable(event) => self.shot(context.max_clients, event.index, entity(context, &event.arguments, &event.values)),
            _ => {}
        }
    }

    /// Emits the shot of an event that the recording client predicted. Servers do not send those to the client.
    pub(super) fn predicted(&mut self, window: &Macro) {
        let Some(event) = body::predicted_event(window) else { return };
        let Ok(index) = u16::try_from(event.index) else { return };
        let by = self.pov.map(|slot| i64::from(slot) + 1);
        self.shot(u8::MAX, index, by.filter(|by| *by == i64::from(event.entity_index)));
    }

    fn shot(&mut self, max_clients: u8, script: u16, by: Option<i64>) {
        let Some(&weapon) = self.shots.get(&script) else { return };
        let Some(player) = by.and_then(|by| u8::try_from(by).ok()).filter(|by| *by <= max_clients).and_then(|by| self.roster.numbered(by)) else { return };
        self.emit_stated(EventKind::Shot { player, weapon: Cow::Borrowed(weapon) });
    }
}

/// The entity that an event's arguments state.
fn entity(context: &Context, arguments: &Delta, values: &Values) -> Option<i64> {
    let description = context.description(Structure::Event)?;
    let place = description.find("entindex")?;
    let (_, word) = values.of(arguments).find(|(field, _)| *field == place)?;
    Some(description.value(place, word) as i64)
}
