//! The tree of any message.

use fragreel_base::wire::Wire;
use fragreel_base::{declare_messages, match_message};

use super::list::messages;
use super::*;
use crate::dialect::Numbering::{self, *};

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Relay: the one client it was for.
    pub unicast: Option<u8>,
    /// What it says.
    pub body: Body,
}

messages! { declare_messages {
    /// What a message says.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[allow(missing_docs, reason = "each is the message of the same name")]
    pub enum Body;
    /// A kind of message, whatever its number. Its numbers are those with which the numberings begin to use it.
    #[allow(missing_docs, reason = "named as engines name them")]
    pub enum MessageKind: (Numbering, u8);
} }

impl Body {
    /// Reads or writes the body. `high`: the top three bits of the message's number, where the dialect uses them.
    #[inline]
    pub fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context, high: u8) -> Result<(), W::Error> {
        messages! { match_message { self as Body, coder(w, cx, high) else Ok(()) } }
    }
}

impl Message {
    /// A message for everybody.
    pub fn new(body: Body) -> Self {
        Message { unicast: None, body }
    }

    /// Writes the message, number and all. The context moves on as it does when reading.
    pub fn write<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        let op = self.body.kind();
        let number = op.number(cx.dialect.numbering).unwrap_or(0);
        w.enter("number");
        match (&self.body, self.unicast) {
            (Body::Frame(frame), _) if frame.packed.is_some() => {
                w.bits(u32::from(number | frame.extra >> 4 << 5), 8)?;
            }
            (_, Some(client)) => {
                w.bits(u32::from(number | 0x80), 8)?;
                w.field("client", client.into(), 8)?;
            }
            _ => {
                w.bits(number.into(), 8)?;
            }
        }
        let high = match &self.body {
            Body::Frame(frame) => frame.extra >> 4,
            _ => 0,
        };
        w.scope(op.name(), None, |w| self.body.code(w, cx, high))?;
        cx.learn(&self.body);
        Ok(())
    }
}
