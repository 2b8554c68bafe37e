//! Baselines and statics as plain values (`docs/formats/quake1.md`, "Baselines and statics").

use fragreel_base::wire::Wire;

use crate::dialect::{Dialect, NetQuakeRules};
use crate::message::body::Body;
use crate::message::primitive::{Angle, Coord, Entity, Value};

/// The appearance of an entity, for baselines and static entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Appearance {
    /// Which model.
    pub model: u16,
    /// Which of its frames.
    pub frame: u16,
    /// The player whose colors it has.
    pub colormap: u8,
    /// Which of its skins.
    pub skin: u8,
    /// Where.
    pub origin: [Coord; 3],
    /// Its angles.
    pub angles: [Angle; 3],
}

impl Appearance {
    #[inline]
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect, model_width: u32, frame_width: u32) -> Result<(), W::Error> {
        self.model = w.field("model", u32::from(self.model), model_width)? as u16;
        self.frame = w.field("frame", u32::from(self.frame), frame_width)? as u16;
        self.colormap.code(w, "colormap", d)?;
        self.skin.code(w, "skin", d)?;
        for at in 0..3 {
            self.origin[at].code(w, ["origin_x", "origin_y", "origin_z"][at], d)?;
            self.angles[at].code(w, ["pitch", "yaw", "roll"][at], d)?;
        }
        Ok(())
    }

    fn plain<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.code(w, d, if d.is_netquake() && d.wide_models() { 16 } else { 8 }, 8)
    }
}

/// An entity's baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The entity.
    pub entity: Entity,
    /// Its appearance.
    pub looks: Appearance,
}

impl Body for Baseline {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.entity.code(w, "entity", d)?;
        self.looks.plain(w, d)
    }
}

/// A static entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Static {
    /// Its appearance.
    pub looks: Appearance,
}

impl Body for Static {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.looks.plain(w, d)
    }
}

/// FitzQuake's appearance, after a mask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FitzAppearance {
    /// 1 wide model, 2 wide frame, 4 alpha, 8 scale.
    pub mask: u8,
    /// The appearance.
    pub looks: Appearance,
    /// Opacity.
    pub alpha: u8,
    /// Size in sixteenths; solidity in the re-release.
    pub scale: u8,
    /// Bits 4 to 7 of the re-release, whose meaning is unknown.
    pub unknown: [u8; 4],
}

impl Body for FitzAppearance {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.mask.code(w, "bits", d)?;
        w.expect(self.mask < 16 || d.is_rerelease(), "unknown bits in a baseline")?;
        if W::READING {
            (self.alpha, self.scale, self.unknown) = (0, 0, [0; 4]);
        }
        let has = |bit: u8| self.mask & bit != 0;
        let (alpha, scale) = (has(4), has(8));
        self.looks.code(w, d, if has(1) { 16 } else { 8 }, if has(2) { 16 } else { 8 })?;
        if alpha {
            self.alpha.code(w, "alpha", d)?;
        }
        if scale {
            self.scale.code(w, "scale", d)?;
        }
        for (at, value) in self.unknown.iter_mut().enumerate() {
            if self.mask & 16 << at != 0 {
                value.code(w, "unknown", d)?;
            }
        }
        Ok(())
    }
}

/// FitzQuake's baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FitzBaseline {
    /// The entity.
    pub entity: Entity,
    /// Its appearance.
    pub looks: FitzAppearance,
}

impl Body for FitzBaseline {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.entity.code(w, "entity", d)?;
        self.looks.code(w, d)
    }
}

/// DarkPlaces' baseline: model and frame have 16 bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DpBaseline {
    /// The entity.
    pub entity: Entity,
    /// Its appearance.
    pub looks: Appearance,
}

impl Body for DpBaseline {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.entity.code(w, "entity", d)?;
        self.looks.code(w, d, 16, 16)
    }
}

/// DarkPlaces' static: model and frame have 16 bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DpStatic {
    /// Its appearance.
    pub looks: Appearance,
}

impl Body for DpStatic {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.looks.code(w, d, 16, 16)
    }
}

/// A static sound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StaticSound {
    /// Where.
    pub origin: [Coord; 3],
    /// Which sound.
    pub sound: u16,
    /// How loud.
    pub volume: u8,
    /// How fast it fades with distance, in 64ths.
    pub attenuation: u8,
}

impl Body for StaticSound {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.origin.code(w, "origin", d)?;
        let wide = d.is_netquake() && d.netquake == NetQuakeRules::Bjp2;
        self.sound = w.field("sound", u32::from(self.sound), if wide { 16 } else { 8 })? as u16;
        self.volume.code(w, "volume", d)?;
        self.attenuation.code(w, "attenuation", d)
    }
}
