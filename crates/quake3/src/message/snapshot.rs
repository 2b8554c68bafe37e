//! Snapshots: the state of the game at one time, as changes (`docs/formats/quake3.md`, "Snapshots").

use fragreel_base::wire::{Reused, Wire};

use super::entity::{EntityDelta, LAST};
use super::player::PlayerDelta;
use crate::dialect::Dialect;

/// A snapshot as sent: changes from the one that `delta` points back to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// The last client command that the server had seen; only before protocol 46.
    pub client_command: u32,
    /// The server's clock in milliseconds.
    pub server_time: i32,
    /// How many messages back the base lies; 0 for none.
    pub delta: u8,
    /// Flags: rate delayed (1), not active (2), server count toggle (4).
    pub flags: u8,
    /// Which areas the player can see into, one bit each, set where it cannot.
    pub area_mask: Vec<u8>,
    /// The player whose view this is.
    pub player: PlayerDelta,
    /// Entities, in the order sent: rising by number from stock servers.
    pub entities: Reused<EntityDelta>,
}

impl Snapshot {
    #[inline]
    pub(super) fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        self.code_head(w, dialect)?;
        let length = w.field("area mask length", self.area_mask.len() as u32, 8)?;
        w.expect(length <= 32, "the area mask is longer than 32 bytes")?;
        w.enter("area mask");
        w.octets(&mut self.area_mask, length as usize)?;
        let player = &mut self.player;
        w.scope("player", None, |w| player.code(w, dialect))?;
        if W::READING {
            self.entities.cut(0);
        }
        let mut at = 0;
        loop {
            let number = self.entities.get(at).map_or(LAST, |entity| entity.number);
            let number = w.field("entity number", u32::from(if W::READING { 0 } else { number }), 10)? as u16;
            if number == LAST {
                break;
            }
            if W::READING {
                self.entities.grow().number = number;
            }
            let entity = &mut self.entities[at];
            w.scope("entity", Some(u32::from(number)), |w| entity.code(w, dialect))?;
            w.checkpoint()?;
            at += 1;
        }
        Ok(())
    }

    /// Codes the fields before the area mask.
    #[inline]
    pub(super) fn code_head<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        if dialect.snapshot_command {
            self.client_command = w.field("client command", self.client_command, 32)?;
        }
        self.server_time = w.signed("serverTime", self.server_time, 32)?;
        self.delta = w.field("deltaNum", u32::from(self.delta), 8)? as u8;
        self.flags = w.field("snapFlags", u32::from(self.flags), 8)? as u8;
        Ok(())
    }
}
