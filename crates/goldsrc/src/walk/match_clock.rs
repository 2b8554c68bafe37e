//! The match clock. It starts when the game prints that a match commences, and stops at the intermission and with the level. Before, no match clock
//! is known: a recording may begin in the middle of a match.

use fragreel_model::Milliseconds;

use crate::message::Message;
use crate::message::context::Context;
use crate::walk::time::milliseconds;

/// What the game prints when a match starts.
const COMMENCING: &[u8] = b"#Game_Commencing";

/// The clock of the current match.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MatchClock {
    /// The server time at which it started.
    zero: Option<f32>,
}

impl MatchClock {
    /// Follows a message. Returns true if it started or stopped the clock.
    #[inline]
    pub(crate) fn message(&mut self, context: &Context, message: &Message) -> bool {
        match message {
            Message::ServerInfo(_) | Message::Intermission(_) | Message::Finale(_) => self.zero = None,
            Message::User(user)
                if user.data.get(1..).is_some_and(|text| text.starts_with(COMMENCING))
                    && context.user_message(user.id).is_some_and(|shape| shape.name == b"TextMsg") =>
            {
                self.zero = Some(context.time);
            }
            _ => return false,
        }
        true
    }

    /// The match time at a server time. Absent if no match runs.
    pub(crate) fn at(&self, server_time: f32) -> Option<Milliseconds> {
        self.zero.map(|zero| (milliseconds(server_time) - milliseconds(zero)).max(Milliseconds(0)))
    }
}
