//! Converts values from one dialect to another.

use crate::dialect::Dialect;
use crate::fields::quakeworld::slot;
use crate::message::temp_entity::{Part, layout};
use crate::message::{Angle, Appearance, Coord, Message, TempEntity, plain_entity};
use crate::replacement::{Angles, EntityState};
use crate::state::{Game, QwRow};
use fragreel_model::{Loss, LossList};

use crate::encode::world::thing;
use crate::encode::world::{EntityView, LIFE_SIZE, OPAQUE};
use crate::limits::{LIGHT_STYLES, Limits};

/// A model that every game has, for numbers without a file.
pub(crate) const MODEL_FILLER: &[u8] = b"progs/player.mdl";
/// A sound that every game has.
pub(crate) const SOUND_FILLER: &[u8] = b"misc/null.wav";

/// Render flags of replacement deltas.
const VIEW_MODEL: u32 = 4;
const EXTERIOR_MODEL: u32 = 8;
const COLORS: u32 = 32;

/// A conversion between two dialects.
#[derive(Debug, Clone)]
pub struct Recode {
    /// The source's dialect.
    pub from: Dialect,
    /// The target's dialect.
    pub to: Dialect,
    /// The target's limits.
    pub limits: Limits,
    /// The losses so far.
    pub losses: LossList,
}

impl Recode {
    /// A conversion between two dialects.
    pub fn new(from: &Dialect, to: &Dialect, limits: Limits) -> Self {
        Recode { from: from.clone(), to: to.clone(), limits, losses: LossList::default() }
    }

    /// Notes a loss, once.
    pub(crate) fn lose(&mut self, what: Loss) {
        self.losses.lose(what);
    }

    /// A coordinate.
    pub(crate) fn coord(&mut self, coord: Coord) -> Coord {
        Coord(self.place(self.from.coord.units(coord.0)))
    }

    /// A coordinate in map units.
    fn place(&mut self, units: f32) -> u32 {
        if !units.is_finite() || units.abs() > self.to.coord_reach() {
            self.lose(Loss::FarPlaces);
        }
        self.to.coord.word(units)
    }

    /// Three coordinates.
    pub fn coords(&mut self, coords: &mut [Coord; 3]) {
        *coords = coords.map(|coord| self.coord(coord));
    }

    /// An angle.
    pub(crate) fn angle(&self, angle: Angle) -> Angle {
        Angle(if self.from.angle == self.to.angle { angle.0 } else { self.to.angle.word(self.from.angle.degrees(angle.0)) })
    }

    /// Three angles.
    pub(crate) fn angles(&self, angles: &mut [Angle; 3]) {
        *angles = angles.map(|angle| self.angle(angle));
    }

    /// Converts an appearance.
    pub(crate) fn looks(&mut self, looks: &mut Appearance) {
        self.coords(&mut looks.origin);
        self.angles(&mut looks.angles);
    }

    /// An entity's state as a plain appearance, with its opacity and size.
    pub(crate) fn appearance(&mut self, number: u32, state: &EntityState) -> (Appearance, u8, u8) {
        let thing = thing(&self.from, number, state);
        let seen = &thing.seen;
        let looks = Appearance {
            model: if seen.model < self.limits.models { seen.model as u16 } else { 0 },
            frame: (seen.frame & (self.limits.frames - 1)) as u16,
            colormap: seen.colormap as u8,
            skin: seen.skin as u8,
            origin: seen.origin.map(|units| Coord(self.place(units))),
            angles: seen.angles.map(|degrees| Angle(self.to.angle.word(degrees))),
        };
        self.beyond(&thing);
        (looks, thing.alpha, thing.scale)
    }

    /// Notes the values of an entity that the target cannot encode.
    pub(crate) fn beyond(&mut self, thing: &EntityView) {
        let limits = self.limits;
        let seen = &thing.seen;
        if seen.frame >= limits.frames {
            self.lose(Loss::AnimationFrames);
        }
        if seen.effects > 255 {
            self.lose(Loss::Effects);
        }
        if !(0..256).contains(&seen.skin) {
            self.lose(Loss::Skins);
        }
        if thing.alpha != OPAQUE && !limits.alpha {
            self.lose(Loss::Opacity);
        }
        if thing.scale != LIFE_SIZE && !limits.scale {
            self.lose(Loss::Sizes);
        }
    }

    /// Notes the values of visible entities that only replacement deltas can encode.
    pub(crate) fn decorations(&mut self, game: &Game) {
        let plain = EntityState::default();
        for (_, known) in game.world.replaced().iter() {
            let s = &known.state;
            for (what, differs) in [
                (Loss::Tints, s.color_mod != plain.color_mod || s.glow_mod != plain.glow_mod || s.glow_size != 0),
                (Loss::EntityLights, s.light != plain.light),
                (Loss::Attachments, s.tag_entity != 0),
                (Loss::FurtherModels, s.model2 != 0),
                (Loss::Bones, !s.bones.is_empty() || s.base_frame != 0),
                (Loss::EntityParticles, s.trail_effect != 0 || s.emit_effect != 0),
                (Loss::Fatness, s.fatness != 0),
                (Loss::ViewModels, s.flags & (VIEW_MODEL | EXTERIOR_MODEL) != 0),
                (Loss::Colors, s.flags & COLORS != 0),
            ] {
                if differs {
                    self.lose(what);
                }
            }
        }
    }

    /// True if an entity is visible, and the target has numbers for it.
    pub(crate) fn can_say(&mut self, thing: &EntityView) -> bool {
        thing.seen.model != 0 && self.can_number(thing)
    }

    /// True if the target has numbers for an entity.
    pub(crate) fn can_number(&mut self, thing: &EntityView) -> bool {
        if thing.seen.number >= self.limits.entities {
            self.lose(Loss::Entities { from: self.limits.entities.into() });
            return false;
        }
        if thing.seen.model >= self.limits.models {
            self.lose(Loss::Models { from: self.limits.models.into() });
            return false;
        }
        self.beyond(thing);
        true
    }

    /// A byte angle as rows store it.
    fn row_angle(&self, degrees: f32) -> u32 {
        let word = self.to.angle.word(degrees);
        if self.to.angle == Angles::Byte { word >> 8 } else { word }
    }

    /// An entity as a QuakeWorld row.
    pub(crate) fn qw_row(&mut self, thing: &EntityView) -> QwRow {
        let seen = &thing.seen;
        let mut row = [0; slot::COUNT];
        row[slot::MODEL] = seen.model;
        row[slot::FRAME] = seen.frame & 255;
        row[slot::COLORMAP] = seen.colormap & 255;
        row[slot::SKIN] = seen.skin as u32 & 255;
        row[slot::EFFECTS] = seen.effects & 255;
        for axis in 0..3 {
            row[slot::ORIGIN + axis] = self.place(seen.origin[axis]);
            row[slot::ANGLES + axis] = self.row_angle(seen.angles[axis]);
        }
        row
    }

    /// An entity as a NetQuake row over its baseline.
    pub(crate) fn nq_row(&mut self, base: &crate::state::NqRow, thing: &EntityView) -> crate::state::NqRow {
        use crate::fields::netquake::slot;
        let seen = &thing.seen;
        let frame = seen.frame & (self.limits.frames - 1);
        let mut row = *base;
        row[slot::MODEL] = seen.model & 255;
        row[slot::MODEL2] = seen.model >> 8;
        row[slot::FRAME] = frame & 255;
        row[slot::FRAME2] = frame >> 8;
        row[slot::COLORMAP] = seen.colormap & 255;
        row[slot::SKIN] = seen.skin as u32 & 255;
        row[slot::EFFECTS] = seen.effects & 255;
        for axis in 0..3 {
            row[slot::ORIGIN + axis] = self.place(seen.origin[axis]);
            row[slot::ANGLES + axis] = self.row_angle(seen.angles[axis]);
        }
        if self.limits.alpha {
            row[slot::ALPHA] = fitz_alpha(thing.alpha).into();
        }
        if self.limits.scale {
            let given = base[slot::SCALE] != 0 || thing.scale != LIFE_SIZE;
            row[slot::SCALE] = if given { thing.scale.into() } else { 0 };
        }
        row
    }

    /// Converts a temporary entity. `None` if the target has nothing similar.
    pub fn temp_entity(&mut self, entity: &TempEntity) -> Option<TempEntity> {
        const COUNTED_GUNSHOT: u8 = 21;
        let netquake = self.to.is_netquake();
        let mut entity = entity.clone();
        let old = layout(netquake, entity.kind)?;
        for (value, (_, part)) in entity.parts.iter_mut().zip(old.parts) {
            if *part == Part::Coord {
                *value = self.coord(Coord(*value)).0;
            }
        }
        entity.entity_overlong = false;
        let plain = match (netquake, entity.kind) {
            (true, 0..=13) | (false, 0..=13) => return self.known_entity(entity),
            // additions of other engines become the nearest effect that all have
            (true, 20 | 70) | (false, 20 | 70) => 3,
            (true, COUNTED_GUNSHOT) => {
                entity.parts.copy_within(1..4, 0);
                2
            }
            (false, COUNTED_GUNSHOT | 57) => {
                entity.parts.copy_within(0..3, 1);
                entity.parts[0] = 1;
                2
            }
            (true, 57) => 2,
            (_, 58) => 0,
            (_, 59) => 1,
            _ => {
                self.lose(Loss::ShortEffects { of: format!("the kind {}", old.name) });
                return None;
            }
        };
        self.lose(Loss::ShortEffectsNearest { name: old.name.to_owned() });
        entity.kind = plain;
        Some(entity)
    }

    fn known_entity(&mut self, entity: TempEntity) -> Option<TempEntity> {
        let parts = layout(self.to.is_netquake(), entity.kind)?.parts;
        let large = parts.iter().zip(&entity.parts).any(|((_, part), value)| *part == Part::Entity && *value > 0xffff);
        if large {
            self.lose(Loss::ShortEffects { of: String::from("entities from 65536 on") });
        }
        (!large).then_some(entity)
    }

    /// Converts messages that differ only in the width of values, or not at all. `None` for all others.
    pub fn plain(&mut self, message: &Message) -> Option<Message> {
        if slot_of(message).is_some_and(|slot| slot >= self.limits.players) {
            self.lose(Loss::Players { from: u64::from(self.limits.players) });
            return None;
        }
        if matches!(message, Message::LightStyle(m) if m.style >= LIGHT_STYLES) {
            self.lose(Loss::LightStyles);
            return None;
        }
        let mut message = message.clone();
        match &mut message {
            Message::Particle(m) => self.coords(&mut m.origin),
            Message::Damage(m) => self.coords(&mut m.origin),
            Message::SetAngle(m) => {
                m.reason = 0;
                self.angles(&mut m.angles);
            }
            Message::QwIntermission(m) => {
                self.coords(&mut m.origin);
                self.angles(&mut m.angles);
            }
            Message::StaticSound(m) => self.coords(&mut m.origin),
            Message::Static(m) => self.looks(&mut m.looks),
            Message::Baseline(m) => {
                self.looks(&mut m.looks);
                m.entity = plain_entity(m.entity.number);
            }
            Message::SetView(m) => m.entity = plain_entity(m.entity.number),
            Message::MuzzleFlash(m) => m.entity = plain_entity(m.entity.number),
            Message::Nop(_)
            | Message::Disconnect(_)
            | Message::QwPrint(_)
            | Message::NqPrint(_)
            | Message::StuffText(_)
            | Message::LightStyle(_)
            | Message::UpdateName(_)
            | Message::UpdateFrags(_)
            | Message::UpdateColors(_)
            | Message::UpdatePing(_)
            | Message::UpdateLoss(_)
            | Message::UpdateEnterTime(_)
            | Message::UpdateUserInfo(_)
            | Message::SetInfo(_)
            | Message::ServerInfoKey(_)
            | Message::StopSound(_)
            | Message::SetPause(_)
            | Message::SignonNum(_)
            | Message::CenterPrint(_)
            | Message::KilledMonster(_)
            | Message::FoundSecret(_)
            | Message::NqIntermission(_)
            | Message::Finale(_)
            | Message::QwCdTrack(_)
            | Message::NqCdTrack(_)
            | Message::SellScreen(_)
            | Message::CutScene(_)
            | Message::SmallKick(_)
            | Message::BigKick(_)
            | Message::Nails(_)
            | Message::ChokeCount(_)
            | Message::MaxSpeed(_)
            | Message::EntGravity(_) => {}
            _ => return None,
        }
        Some(message)
    }
}

/// The slot that a scoreboard message is about.
fn slot_of(message: &Message) -> Option<u8> {
    Some(match message {
        Message::UpdateName(m) => m.slot,
        Message::UpdateFrags(m) => m.slot,
        Message::UpdateColors(m) => m.slot,
        Message::UpdatePing(m) => m.slot,
        Message::UpdateLoss(m) => m.slot,
        Message::UpdateEnterTime(m) => m.slot,
        Message::UpdateUserInfo(m) => m.slot,
        Message::SetInfo(m) => m.slot,
        _ => return None,
    })
}

/// Opacity as FitzQuake has it: 0 default, 255 opaque.
pub(crate) fn fitz_alpha(alpha: u8) -> u8 {
    if alpha == OPAQUE { 0 } else { alpha + 1 }
}
