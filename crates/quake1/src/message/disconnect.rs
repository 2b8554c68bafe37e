//! The end of the connection (`docs/formats/quake1.md`, "Messages").

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Rest, Value};
use fragreel_base::wire::Wire;

/// The end of the connection. Recordings of QuakeWorld add a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disconnect {
    /// What follows in the packet, in QuakeWorld: mostly `EndOfDemo` and its NUL.
    pub text: Rest,
}

impl Body for Disconnect {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if d.is_netquake() {
            return Ok(());
        }
        self.text.code(w, "text", d)
    }
}
