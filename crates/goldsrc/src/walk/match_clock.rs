//! The clock of the match: it runs from a level's start, or the moment that a game commences, to the intermission or the next start.

use model::Milliseconds;

use crate::message::Message;
use crate::message::context::Context;
use crate::walk::time::milliseconds;

/// What the game prints when a match starts.
const COMMENCING: &[u8] = b"#Game_Commencing";

/// The clock of the match that runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MatchClock {
    /// The server's time when it started.
    zero: Option<f32>,
}

impl MatchClock {
    /// Takes in a message.
    #[inline]
    pub(crate) fn message(&mut self, context: &Context, message: &Message) {
        match message {
            // a level's clock starts with it
            Message::ServerInfo(_) => self.zero = Some(0.0),
            Message::Intermission(_) | Message::Finale(_) => self.zero = None,
            Message::User(user)
                if user.data.get(1..).is_some_and(|text| text.starts_with(COMMENCING))
                    && context.user_message(user.id).is_some_and(|shape| shape.name == b"TextMsg") =>
            {
                self.zero = Some(context.time);
            }
            _ => {}
        }
    }

    /// What it shows at a time of the server's.
    pub(crate) fn at(&self, server_time: f32) -> Option<Milliseconds> {
        self.zero.map(|zero| (milliseconds(server_time) - milliseconds(zero)).max(Milliseconds(0)))
    }
}
