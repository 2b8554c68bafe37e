//! What is kept of a player or an entity: bytes at fixed places.

/// Bytes with numbers in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record<const N: usize>(pub [u8; N]);

impl<const N: usize> Record<N> {
    pub(super) const EMPTY: Self = Record([0; N]);

    pub(super) fn number(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    pub(super) fn set(&mut self, at: usize, number: u16) {
        self.0[at..at + 2].copy_from_slice(&number.to_le_bytes());
    }

    /// Adds a number of this record to another one.
    pub(super) fn add_own(&mut self, at: usize, from: usize) {
        self.set(at, self.number(at).wrapping_add(self.number(from)));
    }

    pub(super) fn add_byte(&mut self, at: usize, difference: u8) {
        self.0[at] = self.0[at].wrapping_add(difference);
    }
}

/// A player. The first four bytes are masks of what differed; see [`player`].
pub(super) type Player = Record<48>;

/// Where things are in a player's record.
pub(super) mod player {
    pub(in super::super) const ORIGIN_MASK: usize = 0;
    pub(in super::super) const COMMAND_MASK: usize = 1;
    pub(in super::super) const LOOK_MASK: usize = 2;
    pub(in super::super) const VELOCITY_MASK: usize = 3;
    pub(in super::super) const ORIGIN: [usize; 3] = [4, 6, 8];
    pub(in super::super) const FRAME: usize = 10;
    pub(in super::super) const SLOT: usize = 11;
    pub(in super::super) const ANGLES: [usize; 2] = [12, 14];
    pub(in super::super) const IMPULSE: usize = 16;
    pub(in super::super) const UNUSED: usize = 17;
    pub(in super::super) const ROLL: usize = 18;
    pub(in super::super) const FORWARD: usize = 20;
    pub(in super::super) const SIDE: usize = 22;
    pub(in super::super) const COMMAND_TIME: usize = 24;
    pub(in super::super) const MODEL: usize = 25;
    pub(in super::super) const SKIN: usize = 26;
    pub(in super::super) const EFFECTS: usize = 27;
    pub(in super::super) const VELOCITY: [usize; 3] = [28, 30, 32];
    pub(in super::super) const WEAPON_FRAME: usize = 34;
    /// By what the angles changed last.
    pub(in super::super) const TURN: [usize; 2] = [36, 38];
    /// By what the velocity changed last.
    pub(in super::super) const GAIN: [usize; 3] = [40, 42, 44];
    pub(in super::super) const TIME: usize = 46;
}

/// An entity; see [`entity`].
pub(super) type Entity = Record<32>;

/// Where things are in an entity's record.
pub(super) mod entity {
    pub(in super::super) const NUMBER: usize = 0;
    pub(in super::super) const MASK: usize = 2;
    pub(in super::super) const MODEL: usize = 4;
    pub(in super::super) const FRAME: usize = 5;
    pub(in super::super) const COLORMAP: usize = 6;
    pub(in super::super) const SKIN: usize = 7;
    pub(in super::super) const EFFECTS: usize = 8;
    pub(in super::super) const ANGLES: [usize; 3] = [9, 10, 11];
    pub(in super::super) const ORIGIN: [usize; 3] = [12, 14, 16];
    /// By what the origin changed last.
    pub(in super::super) const MOVED: [usize; 3] = [18, 20, 22];
    /// By what the angles changed last.
    pub(in super::super) const TURNED: [usize; 3] = [24, 25, 26];
}
