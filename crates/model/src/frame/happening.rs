//! What is seen or heard for a moment: sounds, explosions, beams.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::{FrameOptions, Subject};
use crate::Milliseconds;

/// Something that is seen or heard for a moment and is no entity.
///
/// What an engine draws with it follows from the kind, and is stated in its terms: a color, a size. Where an engine chooses by chance, for instance one of
/// three sounds of a ricochet, the first is given.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Happening {
    /// When it begins, since the recording's first frame.
    pub time: Milliseconds,
    /// What it is.
    pub kind: HappeningKind,
    /// Where it is. A sound without a place is heard everywhere.
    pub origin: Option<[f32; 3]>,
    /// The other end of a beam.
    pub end: Option<[f32; 3]>,
    /// Away from the surface that was hit, or where a weapon points. Its length is 1.
    pub direction: Option<[f32; 3]>,
    /// Whose it is: a player's or an entity's. A beam of one replaces the one before.
    pub subject: Option<Subject>,
    /// Red, green, blue.
    pub color: Option<[u8; 3]>,
    /// How far it reaches: the radius of an explosion or of the light of a flash, the width of a beam.
    pub size: Option<f32>,
    /// The number of particles.
    pub count: Option<u16>,
    /// How long it is seen, where that does not follow from the kind.
    pub life: Option<Milliseconds>,
    /// What is heard.
    pub sound: Option<Sound>,
    /// How bright a light style is from here on.
    pub light: Option<LightStyle>,
    /// A static entity, which stays until the level ends. It faces along `direction`.
    pub entity: Option<StaticEntity>,
    /// The picture of a decal, by its name in `decals.wad`.
    pub picture: Option<Arc<str>>,
}

/// A static entity: a model in a level that never changes, such as a torch on a wall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticEntity {
    /// The model's file, or `*` and the number of an inline model of the map.
    pub model: Arc<str>,
    /// The frame of the model.
    pub frame: u16,
    /// The skin of the model.
    pub skin: u16,
}

/// A light style of a level: the lights of its number change together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LightStyle {
    /// The number that faces of the map name.
    pub number: u16,
    /// A letter for each tenth of a second, from the start again after the last: `a` is dark, `m` as bright as the map states, `z` about twice as bright.
    /// Empty: as bright as the map states.
    pub pattern: Arc<str>,
}

/// A sound and how far it carries.
#[derive(Debug, Clone, PartialEq)]
pub struct Sound {
    /// The file in the game's data, with its folder.
    pub file: Arc<str>,
    /// From 0 to 1.
    pub volume: f32,
    /// Units up to which it is as loud as at its source.
    pub near: f32,
    /// Units from which on it is not heard: it fades in proportion between the two. Absent: it is as loud everywhere.
    pub far: Option<f32>,
    /// The channel of its subject. Another sound on it ends this one; 0 ends none.
    pub channel: u8,
    /// Its speed; 1 is normal.
    pub pitch: f32,
    /// Whether it goes on until its channel is silenced or the level ends.
    pub lasts: bool,
}

impl Sound {
    /// A sound of full volume on no channel that is heard everywhere.
    pub const fn new(file: Arc<str>) -> Self {
        Sound { file, volume: 1.0, near: 0.0, far: None, channel: 0, pitch: 1.0, lasts: false }
    }

    /// How it fades with distance.
    #[must_use]
    pub fn within(self, near: f32, far: Option<f32>) -> Self {
        Sound { near, far: far.filter(|far| far.is_finite()), ..self }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// What happens.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum HappeningKind {
            $($(#[$doc])* $kind,)*
        }

        impl HappeningKind {
            /// All of them.
            pub const ALL: &'static [HappeningKind] = &[$(HappeningKind::$kind),*];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(HappeningKind::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// A sound alone.
    Sound = "sound",
    /// An explosion.
    Explosion = "explosion",
    /// A hit on a wall: sparks and dust.
    Impact = "impact",
    /// A hit on a body.
    Blood = "blood",
    /// A body falls to pieces.
    Gibs = "gibs",
    /// A weapon's muzzle flash.
    Flash = "flash",
    /// The trail of a railgun.
    Rail = "rail",
    /// Lightning between two places. Without an end it goes from its origin along its direction, as far as its size.
    Lightning = "lightning",
    /// A straight beam.
    Laser = "laser",
    /// The way of a bullet.
    Tracer = "tracer",
    /// Somebody comes or goes by a teleporter.
    Teleport = "teleport",
    /// An item comes back.
    Respawn = "respawn",
    /// Drops of a liquid.
    Splash = "splash",
    /// Bubbles between two places.
    Bubbles = "bubbles",
    /// A cloud of smoke.
    Smoke = "smoke",
    /// The sound on a channel of its subject ends.
    Silence = "silence",
    /// A light style has another pattern.
    LightStyle = "lightstyle",
    /// A static entity appears, and stays until the level ends.
    Static = "static",
    /// A pellet of a shot. It flies from its origin along its direction until it meets something.
    Pellet = "pellet",
    /// A picture on the wall at its place, until the level ends. Without a place, all decals of the level end.
    Decal = "decal",
}

impl Happening {
    /// A happening with nothing known but its kind.
    pub const fn new(kind: HappeningKind) -> Self {
        Happening {
            time: Milliseconds(0),
            kind,
            origin: None,
            end: None,
            direction: None,
            subject: None,
            color: None,
            size: None,
            count: None,
            life: None,
            sound: None,
            light: None,
            entity: None,
            picture: None,
        }
    }

    /// A happening at a place.
    pub fn at(kind: HappeningKind, origin: [f32; 3]) -> Self {
        Happening { origin: Some(origin), ..Self::new(kind) }
    }

    /// Whether all numbers of its places are finite.
    fn is_finite(&self) -> bool {
        [self.origin, self.end, self.direction].into_iter().flatten().flatten().all(f32::is_finite)
    }
}

/// The happenings since they were last asked for, and the names of their sounds, which they share.
#[derive(Debug, Clone, Default)]
pub struct Happenings {
    is_wanted: bool,
    now: Milliseconds,
    list: Vec<Happening>,
    names: HashSet<Arc<str>>,
    lights: BTreeMap<u16, Arc<str>>,
    /// The level's static entities, the number of those already seen, and the level's number.
    statics: Vec<Happening>,
    statics_seen: usize,
    level: u32,
}

impl Happenings {
    /// The most that are kept between two frames.
    pub const MOST: usize = 1024;
    /// The most names that are shared. No game has as many sounds.
    const MOST_NAMES: usize = 4096;

    /// An empty list.
    pub fn new(options: &FrameOptions) -> Self {
        Happenings { is_wanted: options.happenings, ..Self::default() }
    }

    /// Whether they are asked for.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Sets the time of what is added from here on.
    pub fn set_time(&mut self, now: Milliseconds) {
        self.now = now;
    }

    /// Adds one, where there is room for it and its places are numbers. Its time counts from the one that was set.
    pub fn push(&mut self, happening: Happening) {
        if self.is_wanted && self.list.len() < Self::MOST && happening.is_finite() {
            self.list.push(Happening { time: self.now + happening.time, ..happening });
        }
    }

    /// The shared name of a file. A sound's path in the game's data has forward slashes.
    pub fn name(&mut self, path: &str) -> Arc<str> {
        if let Some(known) = self.names.get(path) {
            return known.clone();
        }
        if self.names.len() >= Self::MOST_NAMES {
            self.names.clear();
        }
        let name: Arc<str> = Arc::from(path);
        self.names.insert(name.clone());
        name
    }

    /// A sound by its path.
    pub fn sound(&mut self, path: &str) -> Sound {
        Sound::new(self.name(path))
    }

    /// Adds what has changed since the last call: `stated` are all light styles of the level. All of them are new at the start, and behind a seek.
    pub fn light_styles<'s>(&mut self, stated: impl IntoIterator<Item = (u16, &'s [u8])>) {
        let mut before = std::mem::take(&mut self.lights);
        for (number, pattern) in stated {
            let pattern = self.name(&String::from_utf8_lossy(pattern));
            if before.remove(&number).is_none_or(|known| known != pattern) {
                self.push_light(number, pattern.clone());
            }
            self.lights.insert(number, pattern);
        }
        for (gone, pattern) in before {
            if !pattern.is_empty() {
                self.push_light(gone, Arc::default());
            }
        }
    }

    fn push_light(&mut self, number: u16, pattern: Arc<str>) {
        self.push(Happening { light: Some(LightStyle { number, pattern }), ..Happening::new(HappeningKind::LightStyle) });
    }

    /// Adds the static entities that are new since the last call. The level has `count` of them. `one` returns the one at an index.
    pub fn statics(&mut self, level: u32, count: usize, mut one: impl FnMut(usize) -> Option<Happening>) {
        if self.level != level || count < self.statics_seen {
            self.forget_statics();
            self.level = level;
        }
        for at in self.statics_seen..count.min(Self::MOST) {
            if let Some(entity) = one(at) {
                self.statics.push(entity.clone());
                self.push(entity);
            }
        }
        self.statics_seen = count;
    }

    fn forget_statics(&mut self) {
        self.statics.clear();
        self.statics_seen = 0;
    }

    /// Moves them to the end of `to`.
    pub fn take_into(&mut self, to: &mut Vec<Happening>) {
        to.append(&mut self.list);
    }

    /// Forgets everything except the current light styles and static entities, and reports those.
    pub(crate) fn keep_level(&mut self) {
        self.list.clear();
        for entity in self.statics.clone() {
            self.push(entity);
        }
        for (number, pattern) in self.lights.clone() {
            self.push_light(number, pattern);
        }
    }

    /// Forgets them: the walk went elsewhere.
    pub fn clear(&mut self) {
        self.list.clear();
        self.lights.clear();
        self.forget_statics();
    }
}
