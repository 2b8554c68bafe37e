//! The limits of dialects on numbers and sizes (`docs/formats/quake1.md`, "Limits").

use crate::dialect::{Dialect, NetQuakeRules};

/// Light styles that plain engines have.
pub const LIGHT_STYLES: u8 = 64;

/// The limits of a dialect. Numbers have to be below them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entities.
    pub entities: u32,
    /// Models.
    pub models: u32,
    /// Sounds.
    pub sounds: u32,
    /// Animation frames: a power of two.
    pub frames: u32,
    /// Entities in one frame.
    pub in_sight: usize,
    /// Bytes of one message.
    pub message: usize,
    /// Slots of players. Colormaps are those of the players, from 1.
    pub players: u8,
    /// Numbers of stats.
    pub stats: u16,
    /// Entities that never change.
    pub statics: u32,
    /// Whether entities have opacity.
    pub alpha: bool,
    /// Whether entities have a size.
    pub scale: bool,
}

impl Limits {
    /// Protocol 15.
    pub(crate) const ID: Limits = Limits {
        entities: 600,
        models: 256,
        sounds: 256,
        frames: 256,
        in_sight: usize::MAX,
        message: 8000,
        players: 16,
        stats: 32,
        statics: 128,
        alpha: false,
        scale: false,
    };
    /// Protocol 666.
    pub(crate) const FITZ: Limits = Limits {
        entities: 32_000,
        models: 2048,
        sounds: 2048,
        frames: 65_536,
        in_sight: usize::MAX,
        message: 64_000,
        players: 16,
        stats: 256,
        statics: 512,
        alpha: true,
        scale: false,
    };
    /// Protocol 999.
    pub(crate) const RMQ: Limits = Limits { scale: true, ..Self::FITZ };
    /// QuakeWorld 28.
    pub(crate) const QUAKEWORLD: Limits = Limits {
        entities: 512,
        models: 256,
        sounds: 256,
        frames: 256,
        in_sight: 64,
        message: 1450,
        players: 32,
        stats: 32,
        statics: 128,
        alpha: false,
        scale: false,
    };
    /// No limits but those of the numbers' widths.
    pub const NONE: Limits = Limits {
        entities: 1 << 22,
        models: 65_536,
        sounds: 65_536,
        frames: 65_536,
        in_sight: usize::MAX,
        message: 65_536,
        players: 255,
        stats: 256,
        statics: u32::MAX,
        alpha: true,
        scale: true,
    };

    /// The limits of a dialect.
    pub fn of(d: &Dialect) -> Self {
        if d.replacement() || d.numbers.pext1 != 0 {
            return Self::NONE;
        }
        match (d.is_netquake(), d.netquake) {
            (false, _) => Self::QUAKEWORLD,
            (true, NetQuakeRules::FitzQuake) if d.has_scale() => Self::RMQ,
            (true, NetQuakeRules::FitzQuake) => Self::FITZ,
            (true, NetQuakeRules::Id) => Self::ID,
            _ => Self::NONE,
        }
    }
}
