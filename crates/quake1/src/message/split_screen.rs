//! Seats of a split screen (`docs/formats/quake1.md`, "Messages").

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::Value;
use fragreel_base::wire::Wire;

/// Which players sit at a split screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seats {
    /// Their slots.
    pub players: Vec<u8>,
}

impl Body for Seats {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        let count = w.field("count", self.players.len() as u32, 8)?;
        if W::READING {
            self.players.clear();
            self.players.resize(count as usize, 0);
        }
        self.players.iter_mut().try_for_each(|player| player.code(w, "player", d))
    }
}
