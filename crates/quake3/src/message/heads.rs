//! The heads of snapshots and entities, each read with one look at the bits.

use fragreel_base::wire::{Burst, Wire};

use super::entity::LAST;

/// Delta number, flags, and length of the area mask: three codes.
#[derive(Default)]
pub(super) struct SnapshotBytes {
    pub delta: u8,
    pub flags: u8,
    pub areas: usize,
}

impl<W: Wire> Burst<W> for SnapshotBytes {
    type Out = Result<Self, W::Error>;

    #[inline(always)]
    fn run(self, w: &mut W) -> Result<Self, W::Error> {
        Ok(SnapshotBytes { delta: w.bits(0, 8)? as u8, flags: w.bits(0, 8)? as u8, areas: w.bits(0, 8)? as usize })
    }
}

/// An entity's number and its field count: 4 bits and two codes.
#[derive(Default)]
pub(super) struct EntityHead {
    pub number: u32,
    /// The field count, or one of the two constants below if no fields were sent. One value is cheaper than two that depend on each other.
    pub end: u32,
}

impl EntityHead {
    pub(super) const REMOVED: u32 = 0x100;
    pub(super) const UNCHANGED: u32 = 0x101;
}

impl<W: Wire> Burst<W> for EntityHead {
    type Out = Result<Self, W::Error>;

    #[inline(always)]
    fn run(self, w: &mut W) -> Result<Self, W::Error> {
        let number = w.bits(0, 10)?;
        let end = if number == u32::from(LAST) {
            EntityHead::UNCHANGED
        } else if w.flag(false)? {
            EntityHead::REMOVED
        } else if w.flag(false)? {
            w.bits(0, 8)?
        } else {
            EntityHead::UNCHANGED
        };
        Ok(EntityHead { number, end })
    }
}
