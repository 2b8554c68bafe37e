//! What a step of a playhead puts out, and what it changes.

use fragreel_live::Console;
use fragreel_quake2::message::{Body, Message, Text};
use fragreel_quake2::unstable::signon::SignonState;

/// A message and its only receiver, if there is one.
#[derive(Debug, Clone)]
pub(crate) struct Directed {
    pub client: Option<u8>,
    pub message: Message,
}

impl Directed {
    /// Whether a viewer who follows the player in a slot receives the message.
    pub(crate) fn is_for(&self, follows: Option<u16>) -> bool {
        self.client.is_none_or(|client| follows == Some(u16::from(client)))
    }
}

/// The output of one block.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// Messages to send reliably.
    pub reliable: Vec<Directed>,
    /// Whether the block has a new frame.
    pub framed: bool,
    /// Whether another level begins.
    pub level: bool,
}

/// The maximum number of effects sent with a frame.
const MAX_EFFECTS: usize = 256;

/// The parts of a playhead that a step changes.
pub(super) struct CommonStep<'b> {
    pub step: &'b mut Step,
    pub signon: &'b mut SignonState,
    pub effects: &'b mut Vec<Directed>,
    pub console: &'b mut Console,
}

impl CommonStep<'_> {
    /// Sorts a message by how to send it.
    pub(super) fn message(&mut self, client: Option<u8>, message: &Message) {
        let mut message = message.clone();
        message.unicast = None;
        match &mut message.body {
            Body::MuzzleFlash(_) | Body::MuzzleFlash2(_) | Body::TempEntity(_) | Body::Sound(_) => {
                if self.effects.len() < MAX_EFFECTS {
                    self.effects.push(Directed { client, message });
                }
                return;
            }
            Body::Print(_) | Body::CenterPrint(_) | Body::Layout(_) | Body::Inventory(_) | Body::ConfigString(_) => {}
            Body::StuffText(text) => {
                *text = Text(self.console.filter(&text.0));
                if text.0.is_empty() {
                    return;
                }
            }
            _ => return,
        }
        self.step.reliable.push(Directed { client, message });
    }
}
