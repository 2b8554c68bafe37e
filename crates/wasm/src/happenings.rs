//! Sounds, explosions and the like, as rows in the order in which they came.

use std::collections::HashMap;
use std::sync::Arc;

use fragreel::model::{Happening, Subject};

use crate::layout::{ABSENT, ENTITY, LASTS, NONE, happening, happening_kind};
use crate::table::{Columns, Rows};
use crate::words::Words;

/// The most of a whole recording: 20 MB.
const MOST: usize = 200_000;

/// Rows of happenings.
#[derive(Debug, Default)]
pub struct Happenings {
    count: usize,
    rows: Rows<{ happening::FLOATS }, { happening::INTS }>,
    files: HashMap<Arc<str>, i32>,
}

impl Happenings {
    /// Adds one that was collected at a frame.
    pub fn push(&mut self, frame: u32, happening: &Happening, words: &mut Words) {
        if self.count >= MOST {
            return;
        }
        self.count += 1;
        let place = |place: Option<[f32; 3]>| place.unwrap_or([f32::NAN; 3]);
        let number = |number: Option<f32>| number.unwrap_or(f32::NAN);
        let ([x, y, z], [end_x, end_y, end_z]) = (place(happening.origin), place(happening.end));
        let [direction_x, direction_y, direction_z] = place(happening.direction);
        let sound = happening.sound.as_ref();
        let light = happening.light.as_ref();
        let entity = happening.entity.as_ref();
        let file =
            match light.map(|light| &light.pattern).or(entity.map(|entity| &entity.model)).or(happening.picture.as_ref()).or(sound.map(|sound| &sound.file)) {
                None => NONE,
                Some(file) => match self.files.get(file) {
                    Some(known) => *known,
                    None => {
                        let number = words.number(file);
                        self.files.insert(file.clone(), number);
                        number
                    }
                },
            };
        let whole = |number: i64| i32::try_from(number).unwrap_or(ABSENT);
        let row = happening::Row {
            x,
            y,
            z,
            end_x,
            end_y,
            end_z,
            direction_x,
            direction_y,
            direction_z,
            size: number(happening.size),
            volume: number(sound.map(|sound| sound.volume)),
            near: number(sound.map(|sound| sound.near)),
            far: number(sound.and_then(|sound| sound.far)),
            pitch: number(sound.map(|sound| sound.pitch)),
            time: whole(happening.time.0),
            kind: happening_kind(happening.kind),
            subject: match happening.subject {
                Some(Subject::Player(slot)) => slot.into(),
                Some(Subject::Entity(number)) => i32::try_from(number).map_or(ABSENT, |number| number.saturating_add(ENTITY)),
                Some(Subject::View) | None => ABSENT,
            },
            color: happening.color.map_or(ABSENT, color),
            count: light.map(|light| light.number).or(entity.map(|entity| entity.frame)).or(happening.count).map_or(ABSENT, i32::from),
            life: happening.life.map_or(ABSENT, |life| whole(life.0)),
            file,
            channel: match (sound, entity) {
                (Some(sound), _) => i32::from(sound.channel) | if sound.lasts { LASTS } else { 0 },
                (None, entity) => entity.map_or(ABSENT, |entity| i32::from(entity.skin) & (LASTS - 1)),
            },
        };
        let (floats, ints) = row.into();
        self.rows.push(frame, floats, ints);
    }

    /// Those since the last time.
    pub fn take(&mut self) -> Columns {
        let mut columns = Columns::new::<{ happening::FLOATS }, { happening::INTS }>();
        if self.rows.has_more() {
            self.rows.take(0, &mut columns);
        }
        columns
    }
}

/// A color as a column has it.
pub(crate) fn color([red, green, blue]: [u8; 3]) -> i32 {
    i32::from(red) << 16 | i32::from(green) << 8 | i32::from(blue)
}
