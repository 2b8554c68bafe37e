//! Sounds, explosions and the like, as rows in the order in which they came.

use std::collections::HashMap;
use std::sync::Arc;

use fragreel::model::{Happening, HappeningKind, Subject};

use crate::table::Columns;
use crate::tracks::ABSENT;
use crate::words::{NONE, Words};

/// The most of a whole recording: 20 MB.
const MOST: usize = 200_000;
/// What is added to an entity's number, so that it is no slot.
const ENTITY: i32 = 1 << 16;

/// Set in a channel whose sound lasts.
const LASTS: i32 = 256;

/// Rows of happenings.
#[derive(Debug, Default)]
pub struct Happenings {
    count: usize,
    frames: Vec<u32>,
    floats: Vec<f32>,
    ints: Vec<i32>,
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
        let sound = happening.sound.as_ref();
        self.frames.push(frame);
        for part in [place(happening.origin), place(happening.end), place(happening.direction)] {
            self.floats.extend(part);
        }
        self.floats.extend([
            number(happening.size),
            number(sound.map(|sound| sound.volume)),
            number(sound.map(|sound| sound.near)),
            number(sound.and_then(|sound| sound.far)),
            number(sound.map(|sound| sound.pitch)),
        ]);
        let light = happening.light.as_ref();
        let file = match light.map(|light| &light.pattern).or(sound.map(|sound| &sound.file)) {
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
        self.ints.extend([
            whole(happening.time.0),
            HappeningKind::ALL.iter().position(|kind| *kind == happening.kind).map_or(ABSENT, |at| at as i32),
            match happening.subject {
                Some(Subject::Player(slot)) => slot.into(),
                Some(Subject::Entity(number)) => i32::try_from(number).map_or(ABSENT, |number| number.saturating_add(ENTITY)),
                Some(Subject::View) | None => ABSENT,
            },
            happening.color.map_or(ABSENT, |[red, green, blue]| i32::from(red) << 16 | i32::from(green) << 8 | i32::from(blue)),
            light.map(|light| light.number).or(happening.count).map_or(ABSENT, i32::from),
            happening.life.map_or(ABSENT, |life| whole(life.0)),
            file,
            sound.map_or(ABSENT, |sound| i32::from(sound.channel) | if sound.lasts { LASTS } else { 0 }),
        ]);
    }

    /// Those since the last time.
    pub fn take(&mut self) -> Columns {
        let frames = std::mem::take(&mut self.frames);
        if frames.is_empty() {
            return Columns { starts: vec![0], ..Columns::default() };
        }
        let count = frames.len() as u32;
        Columns { keys: vec![0], starts: vec![0, count], frames, floats: std::mem::take(&mut self.floats), ints: std::mem::take(&mut self.ints) }
    }
}
