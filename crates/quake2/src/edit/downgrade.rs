//! Translates states and messages of any dialect to protocol 34, and lists what is lost.

use fragreel_base::wire::sign_extend;
use fragreel_model::{Loss, LossList};

use crate::dialect::{CLASSIC_STRINGS, Coordinates, Dialect};
use crate::encode::strings::StringSlots;
use crate::fields::{entity, flagged_value, player};
use crate::limits;
use crate::message::{Body, Message, Sound, TempEntity};
use crate::state::{PlayerState, State};

/// Translates, and remembers losses.
#[derive(Debug, Clone)]
pub struct Downgrade {
    pub(crate) from: Dialect,
    pub(crate) losses: LossList,
}

/// The number of entities in protocol 34.
const MAX_EDICTS: u16 = 1024;
/// The number of models, sounds and images.
const MAX_INDEX: u32 = 256;
/// The first temporary entity that only Q2PRO and the rerelease know.
const TEMP_ENTITIES: u8 = 56;
/// The sound flags that protocol 34 knows.
const SOUND_FLAGS: u8 = Sound::VOLUME | Sound::ATTENUATION | Sound::POSITION | Sound::ENTITY | Sound::OFFSET;

impl Downgrade {
    pub(crate) fn new(from: Dialect) -> Self {
        Downgrade { from, losses: LossList::default() }
    }

    fn lose(&mut self, what: Loss) {
        self.losses.lose(what);
    }

    /// The index of a configstring in protocol 34.
    pub(super) fn string(&mut self, index: u16) -> Option<u16> {
        let (old, new) = (self.from.strings, &CLASSIC_STRINGS);
        let ends = |strings: &crate::dialect::Strings| {
            [
                0,
                strings.statusbar,
                strings.airaccel,
                strings.models,
                strings.sounds,
                strings.images,
                strings.lights,
                strings.items,
                strings.playerskins,
                strings.general,
                strings.general + 512,
            ]
        };
        let (old, new) = (ends(old), ends(new));
        let area = old.windows(2).position(|area| (area[0]..area[1]).contains(&index));
        let found = area.map(|area| (new[area] + (index - old[area]), new[area + 1])).filter(|(index, end)| index < end);
        if found.is_none() {
            self.lose(Loss::Strings34);
        }
        found.map(|(index, _)| index)
    }

    fn index(&mut self, index: u32) -> u32 {
        if index < MAX_INDEX {
            return index;
        }
        self.lose(Loss::ModelsAndSoundsAbove255);
        0
    }

    /// The entities that protocol 34 can have.
    pub(super) fn entities(&mut self, all: &[(u16, entity::Row)]) -> Vec<(u16, entity::Row)> {
        all.iter().filter_map(|(number, row)| Some((*number, self.entity(*number, row)?))).collect()
    }

    /// Translates an entity. `None` if protocol 34 cannot have it.
    pub(super) fn entity(&mut self, number: u16, row: &entity::Row) -> Option<entity::Row> {
        use entity::*;
        let mut to = *row;
        if number >= MAX_EDICTS {
            self.lose(Loss::Entities { from: 1024 });
            return None;
        }
        if row[ORIGIN_X..=ORIGIN_Z].iter().any(|&word| !fits(word)) {
            self.lose(Loss::FarPlaces);
            return None;
        }
        for at in OLD_ORIGIN_X..=OLD_ORIGIN_Z {
            to[at] = clamp(row[at]);
        }
        for at in [MODELINDEX, MODELINDEX2, MODELINDEX3, MODELINDEX4, SOUND] {
            to[at] = self.index(row[at]);
        }
        for (at, what) in [
            (MODELINDEX5, Loss::FurtherModels),
            (MODELINDEX6, Loss::FurtherModels),
            (MOREFX, Loss::FurtherEffects),
            (ALPHA, Loss::Opacity),
            (SCALE, Loss::Sizes),
            (LOOP_VOLUME, Loss::LoopVolume),
            (LOOP_ATTENUATION, Loss::LoopVolume),
        ] {
            if to[at] != 0 {
                self.lose(what);
                to[at] = 0;
            }
        }
        for at in ANGLES_X..=ANGLES_Z {
            if row[at] & 0xff != 0 {
                self.lose(Loss::EntityAngles);
            }
            to[at] = row[at] & !0xff;
        }
        // Signed 16 bits.
        to[FRAME] = sign_extend(row[FRAME], 16);
        to[SOLID] = self.solid(row[SOLID]);
        Some(to)
    }

    /// Packs a 32-bit bounding box into 16 bits.
    fn solid(&self, solid: u32) -> u32 {
        if std::ptr::eq(self.from.entity, &*entity::CLASSIC) || matches!(solid, 0 | 31) || self.from.coordinates == Coordinates::High24 {
            return solid;
        }
        let byte = |at: u32| solid >> at & 255;
        let (width, depth, height) =
            if self.from.extended { (byte(0), byte(16), byte(24) as i32 - 32) } else { (byte(0), byte(8), (solid >> 16) as i32 - 32768) };
        let packed = (width / 8).clamp(1, 31) | (depth / 8).clamp(1, 31) << 5 | (((height + 32) / 8).clamp(1, 63) as u32) << 10;
        sign_extend(packed, 16)
    }

    /// Translates a player. `kinds`: how the status bar uses each stat.
    pub(super) fn player(&mut self, state: &PlayerState, kinds: StatKinds) -> PlayerState {
        use player::*;
        let mut to = state.clone();
        let row = &mut to.row;
        if row[ORIGIN_X..=ORIGIN_Z].iter().any(|&word| !fits(word)) {
            self.lose(Loss::FarPlaces);
        }
        (ORIGIN_X..=VELOCITY_Z).for_each(|at| row[at] = clamp(row[at]));
        if self.from.flagged {
            // Milliseconds there, eighths of them here.
            row[PM_TIME] = (row[PM_TIME] / 8).min(255);
            row[PM_FLAGS] &= 0xff;
        }
        if self.from.extended && row[GUNINDEX] >> 13 != 0 {
            self.lose(Loss::WeaponSkins);
            row[GUNINDEX] &= 0x1fff;
        }
        row[GUNINDEX] = self.index(row[GUNINDEX]);
        row[CLIENTNUM] = 0;
        for (range, what) in
            [(DAMAGE_RED..=DAMAGE_ALPHA, Loss::ScreenEdges), (FOG_RED..=HEIGHTFOG_END_DISTANCE, Loss::Fog), (GUNINDEX2..=STOPSPEED, Loss::SecondWeapon)]
        {
            if to.row[range.clone()].iter().any(|&word| word != 0) {
                self.lose(what);
                to.row[range].fill(0);
            }
        }
        if to.stats[32..].iter().any(|&stat| stat != 0) || to.more_stats.take().is_some_and(|stats| stats.iter().any(|&stat| stat != 0)) {
            self.lose(Loss::StatsAbove32);
        }
        to.stats[32..].fill(0);
        for (at, stat) in to.stats[..32].iter_mut().enumerate() {
            if kinds.strings >> at & 1 != 0 {
                *stat = if *stat == 0 { 0 } else { self.string(*stat as u16).unwrap_or(0) as i16 };
            } else if kinds.pictures >> at & 1 != 0 && u32::from(*stat as u16) >= MAX_INDEX {
                self.lose(Loss::StatusPictures);
                *stat = 0;
            }
        }
        to
    }

    /// Translates a message other than frames, strings and baselines. `None` if protocol 34 has none or needs none.
    pub(super) fn message(&mut self, body: &Body) -> Option<Message> {
        let body = match body {
            Body::Layout(_) | Body::Inventory(_) | Body::Print(_) | Body::CenterPrint(_) => body.clone(),
            Body::StuffText(text) if !limits::is_handshake(&text.0) => body.clone(),
            Body::MuzzleFlash(flash) | Body::MuzzleFlash2(flash) => {
                if flash.entity == 0 || flash.entity >= MAX_EDICTS {
                    self.lose(Loss::MuzzleFlashes);
                    return None;
                }
                body.clone()
            }
            Body::Sound(sound) => Body::Sound(self.sound(sound)?),
            Body::TempEntity(_) if limits::fatal(body, &self.from).is_some() => {
                self.lose(Loss::TempEntities);
                return None;
            }
            Body::TempEntity(entity) => Body::TempEntity(Box::new(self.temp_entity(entity)?)),
            _ => return None,
        };
        Some(Message::new(body))
    }

    fn sound(&mut self, sound: &Sound) -> Option<Sound> {
        let mut to = sound.clone();
        to.flags &= SOUND_FLAGS;
        let entity = sound.entity_channel >> 3;
        if u32::from(sound.index) >= MAX_INDEX || to.flags & Sound::ENTITY != 0 && entity >= MAX_EDICTS.into() {
            self.lose(Loss::SoundLimits);
            return None;
        }
        if to.flags & Sound::POSITION != 0 {
            to.position = self.position(sound.position)?;
        }
        Some(to)
    }

    fn temp_entity(&mut self, entity: &TempEntity) -> Option<TempEntity> {
        let mut to = entity.clone();
        if !self.from.since_32 {
            to.kind = match entity.kind {
                26 => 27,
                27 => 26,
                kind => kind,
            };
        }
        let renamed = self.from.coordinates == Coordinates::High24 && matches!(entity.kind, 27);
        if to.kind >= TEMP_ENTITIES || renamed || matches!(to.kind, 31 | 32) {
            self.lose(Loss::TempEntities);
            return None;
        }
        for position in &mut to.positions {
            *position = self.position(*position)?;
        }
        Some(to)
    }

    /// A position in a message, in eighths of a unit.
    fn position(&mut self, position: [u32; 3]) -> Option<[u32; 3]> {
        let words = position.map(|word| if self.from.coordinates == Coordinates::Flagged { flagged_value(word, 0) } else { word });
        if !words.iter().all(|&word| fits(word)) {
            self.lose(Loss::FarPlaces);
            return None;
        }
        Some(words)
    }
}

/// Bit masks of the stats that the status bar uses as configstring numbers (`stat_string`) and picture numbers (`pic`). Their
/// values shift with the configstrings. Engines end playback at numbers beyond their limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StatKinds {
    pub strings: u32,
    pub pictures: u32,
}

impl StatKinds {
    /// The uses of stats in the status bar of `state`. Empty if configstrings do not shift.
    pub(super) fn of(state: &State) -> Self {
        let strings = state.dialect.strings;
        if strings.end == CLASSIC_STRINGS.end {
            return StatKinds::default();
        }
        let mut image = StringSlots::default();
        (strings.statusbar..strings.airaccel).for_each(|index| match state.strings.get(index) {
            [] => {}
            text => image.set(&state.dialect, index, text),
        });
        StatKinds::by(image.text(strings.statusbar))
    }

    /// Like [`of`](Self::of), for a layout program.
    fn by(program: &[u8]) -> Self {
        let mut kinds = StatKinds::default();
        let words: Vec<&[u8]> = program.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            let Some(stat) = std::str::from_utf8(pair[1]).ok().and_then(|word| word.parse::<u32>().ok()).filter(|&stat| stat < 32) else { continue };
            match pair[0] {
                b"stat_string" => kinds.strings |= 1 << stat,
                b"pic" => kinds.pictures |= 1 << stat,
                _ => {}
            }
        }
        kinds
    }
}

/// Whether a coordinate fits in 16 bits.
fn fits(word: u32) -> bool {
    i16::try_from(word as i32).is_ok()
}

fn clamp(word: u32) -> u32 {
    (word as i32).clamp(i16::MIN.into(), i16::MAX.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_signed() {
        let mut row = crate::state::NOTHING;
        row[entity::FRAME] = 62_496;
        let to = Downgrade::new(Dialect::playable()).entity(1, &row).unwrap();
        assert_eq!(to[entity::FRAME] as i32, -3040);
    }

    #[test]
    fn a_status_bar_says_which_stats_are_numbers_of_strings() {
        let kinds = StatKinds::by(b"yb -24 xv 0 hnum xv 50 pic 0 if 7 xv 26 stat_string 8 endif num 3 14 stat_string 40");
        assert_eq!(kinds, StatKinds { strings: 1 << 8, pictures: 1 });
    }
}
