//! Finds the fields that frames need in the rows of a structure. Each stream describes its own rows.

use std::sync::Arc;

use crate::fields::Structure;
use crate::fields::description::Description;
use crate::fields::scale::Scale;
use crate::message::context::Context;

macro_rules! columns {
    ($($constant:ident = $name:literal,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "they are places in a list")]
        #[derive(Clone, Copy)]
        pub(super) enum Column { $($constant),* }
        const NAMES: [&str; [$($name),*].len()] = [$($name),*];
    };
}

columns! {
    OriginX = "origin[0]", OriginY = "origin[1]", OriginZ = "origin[2]",
    Pitch = "angles[0]", Yaw = "angles[1]", Roll = "angles[2]",
    VelocityX = "velocity[0]", VelocityY = "velocity[1]", VelocityZ = "velocity[2]",
    ViewX = "view_ofs[0]", ViewY = "view_ofs[1]", ViewZ = "view_ofs[2]",
    ModelIndex = "modelindex", WeaponModel = "weaponmodel", Solid = "solid", MoveType = "movetype", Effects = "effects", Hull = "usehull",
    Sequence = "sequence", Gait = "gaitsequence", Pose = "frame", Began = "animtime", Rate = "framerate", Body = "body", Skin = "skin",
    Owner = "owner", RenderMode = "rendermode", RenderFx = "renderfx", RenderAmount = "renderamt",
    Health = "health", Flags = "flags", DeadFlag = "deadflag", Weapon = "m_iId", Weapons = "weapons", Fov = "fov",
    Entity = "entindex", Observer = "iuser1", Observed = "iuser2", Clip = "m_iClip", ControllerA = "controller[0]", ControllerB = "controller[1]", ControllerC = "controller[2]", ControllerD = "controller[3]",
    BlendA = "blending[0]", BlendB = "blending[1]", Red = "rendercolor.r", Green = "rendercolor.g", Blue = "rendercolor.b",
    ViewModel = "viewmodel", ViewSequence = "weaponanim",
}

/// The positions and scales of the columns in one structure's rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    description: Option<Arc<Description>>,
    places: Option<Box<[Place; NAMES.len()]>>,
}

/// Where a column is in a row, and what its words are worth.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Behind every row if the stream does not describe the column.
    at: usize,
    scale: Scale,
}

impl Columns {
    /// Looks up the positions again if the description has changed.
    #[inline]
    pub(super) fn bind(&mut self, context: &Context, structure: Structure) {
        let now = context.description(structure);
        if self.description.as_ref().map(Arc::as_ptr) != now.map(Arc::as_ptr) {
            self.find(now);
        }
    }

    #[cold]
    fn find(&mut self, now: Option<&Arc<Description>>) {
        self.places = now.map(|now| {
            Box::new(NAMES.map(|name| match now.find(name) {
                Some(at) => Place { at, scale: now.scale(at) },
                None => Place { at: usize::MAX, scale: Scale::default() },
            }))
        });
        self.description = now.cloned();
    }

    /// Where a field stands in a row.
    pub(super) fn place(&self, column: Column) -> Option<u8> {
        u8::try_from(self.places.as_ref()?[column as usize].at).ok()
    }

    /// The value of a field. `None` if the stream does not describe it.
    #[inline]
    pub(super) fn get(&self, row: &[u32], column: Column) -> Option<f32> {
        let place = &self.places.as_ref()?[column as usize];
        Some(place.scale.value(*row.get(place.at)?))
    }

    /// A whole number, bits of it included: words of fields that are sent as they are.
    #[inline]
    pub(super) fn whole(&self, row: &[u32], column: Column) -> Option<i64> {
        self.get(row, column).map(|value| value as i64)
    }

    /// The bits of an unsigned field: numbers beyond 24 bits do not fit a float.
    #[inline]
    pub(super) fn bits(&self, row: &[u32], column: Column) -> Option<u32> {
        row.get(self.places.as_ref()?[column as usize].at).copied()
    }

    /// Three values; absent without the first. Of the others, what is not described is never sent.
    #[inline]
    pub(super) fn vector(&self, row: &[u32], [x, y, z]: [Column; 3]) -> Option<[f32; 3]> {
        let first = self.get(row, x)?;
        Some([first, self.get(row, y).unwrap_or_default(), self.get(row, z).unwrap_or_default()])
    }
}

pub(super) const ORIGIN: [Column; 3] = [Column::OriginX, Column::OriginY, Column::OriginZ];
pub(super) const ANGLES: [Column; 3] = [Column::Pitch, Column::Yaw, Column::Roll];
pub(super) const VELOCITY: [Column; 3] = [Column::VelocityX, Column::VelocityY, Column::VelocityZ];
pub(super) const CONTROLLERS: [Column; 4] = [Column::ControllerA, Column::ControllerB, Column::ControllerC, Column::ControllerD];
pub(super) const BLENDS: [Column; 2] = [Column::BlendA, Column::BlendB];
pub(super) const COLOR: [Column; 3] = [Column::Red, Column::Green, Column::Blue];
pub(super) const VIEW: [Column; 3] = [Column::ViewX, Column::ViewY, Column::ViewZ];
