//! What messages change in their context.

use std::sync::Arc;

use crate::fields::Structure;
use crate::fields::description::Description;
use crate::message::context::{Context, UserMessageShape};
use crate::message::{Hltv, Message};

impl Context {
    /// Updates the context from a message. The error names the rule that a description breaks.
    #[inline]
    pub fn observe(&mut self, message: &Message) -> Result<(), &'static str> {
        match message {
            Message::Time(time) => self.time = time.time,
            Message::ServerInfo(info) => {
                self.max_clients = info.max_clients;
                self.instanced = 0;
            }
            Message::DeltaDescription(tree) => {
                if let Some(structure) = Structure::from_name(&tree.name.0) {
                    let description = Description::compile(tree, self.order())?;
                    let slot = &mut self.descriptions[structure as usize];
                    // an equal description keeps its pointer, so that rows stay comparable
                    if slot.as_deref() != Some(&description) {
                        *slot = Some(Arc::new(description));
                    }
                }
            }
            Message::NewUserMessage(new) => {
                let size = u8::try_from(new.size).ok();
                Arc::make_mut(&mut self.user_messages)[usize::from(new.number)] = Some(UserMessageShape { name: new.name.text().to_vec(), size });
            }
            Message::SpawnBaseline(baseline) => self.instanced = baseline.instanced.len() as u8,
            Message::Hltv(Hltv { mode: 0, .. }) => self.hltv = true,
            _ => {}
        }
        Ok(())
    }
}
