//! Frames: their headers and, where the dialect packs them together, their player and entities.

use fragreel_base::wire::Wire;

use super::{Context, PacketEntities, PlayerDelta};
use crate::dialect::{Dialect, FrameHeader};

/// The start of a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The server's frame number.
    pub number: i32,
    /// The delta base of this frame; 0 and less: none. In packed headers the difference is sent.
    pub delta: i32,
    /// Frames that the server left out for want of rate; in packed headers four flags.
    pub suppress: u8,
    /// A bit for each area that the player can see.
    pub areas: Vec<u8>,
    /// Relay: the clients connected.
    pub connected: Vec<u8>,
    /// Packed headers: the player and the entities, which have no numbers of their own there.
    pub packed: Option<Box<(PlayerDelta, PacketEntities)>>,
    /// Packed headers: the extra flags, which are spread over the message's number and the header.
    pub extra: u8,
}

/// What packed headers have for "no delta base"; smaller numbers are how many frames before it is.
const NO_BASE: u32 = 31;

impl Frame {
    /// Whether the header of a frame can name another one as its delta base.
    pub(crate) fn can_name(dialect: &Dialect, number: i32, base: i32) -> bool {
        base > 0
            && match dialect.frame {
                FrameHeader::Server => false,
                FrameHeader::Packed => (1..NO_BASE).contains(&(number.wrapping_sub(base) as u32)),
                _ => true,
            }
    }

    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context, extra_high: u8) -> Result<(), W::Error> {
        let header = cx.dialect.frame;
        // A message that is read again and again keeps nothing of another dialect's.
        if header != FrameHeader::Packed {
            (self.packed, self.extra) = (None, 0);
        }
        if header != FrameHeader::Relay {
            self.connected.clear();
        }
        match header {
            FrameHeader::Server => {
                self.number = w.signed("number", self.number, 32)?;
                self.delta = -1;
                self.suppress = 0;
                self.areas.clear();
                return Ok(());
            }
            FrameHeader::Packed => self.packed_header(w, extra_high)?,
            _ => {
                self.number = w.signed("number", self.number, 32)?;
                self.delta = w.signed("delta", self.delta, 32)?;
                if header == FrameHeader::NoSuppress {
                    self.suppress = 0;
                } else {
                    self.suppress = w.field("suppress", self.suppress.into(), 8)? as u8;
                }
            }
        }
        code_counted(w, "areas_count", "areas", &mut self.areas)?;
        if header == FrameHeader::Relay {
            code_counted(w, "connected_count", "connected", &mut self.connected)?;
        }
        if header == FrameHeader::Packed {
            let (player, entities) = &mut **self.packed.get_or_insert_default();
            w.scope("playerinfo", None, |w| player.code(w, cx, self.extra))?;
            w.scope("packetentities", None, |w| entities.code(w, cx, false))?;
        }
        Ok(())
    }

    fn packed_header<W: Wire>(&mut self, w: &mut W, extra_high: u8) -> Result<(), W::Error> {
        let difference = if self.delta <= -1 { NO_BASE } else { self.number.wrapping_sub(self.delta) as u32 & 31 };
        let word = w.field("number", self.number as u32 & 0x7ff_ffff | difference << 27, 32)?;
        self.number = (word & 0x7ff_ffff) as i32;
        self.delta = if word >> 27 == NO_BASE { -1 } else { self.number.wrapping_sub((word >> 27) as i32) };
        // A difference that reaches below zero is spelled again as it was: only -1 itself means "none".
        if word >> 27 != NO_BASE && self.delta < 0 {
            w.expect(false, "the delta base is a frame before the first")?;
        }
        let byte = w.field("suppress", u32::from(self.suppress & 15) | u32::from(self.extra & 15) << 4, 8)?;
        self.suppress = byte as u8 & 15;
        self.extra = byte as u8 >> 4 | extra_high << 4;
        Ok(())
    }
}

fn code_counted<W: Wire>(w: &mut W, count: &'static str, name: &'static str, bytes: &mut Vec<u8>) -> Result<(), W::Error> {
    let length = w.field(count, bytes.len() as u32, 8)? as usize;
    w.enter(name);
    w.octets(bytes, length)
}
