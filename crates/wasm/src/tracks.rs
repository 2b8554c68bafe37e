//! Every frame of a recording, arranged by player and entity.

use std::collections::BTreeMap;
use std::sync::Arc;

use fragreel::model::{
    EntityFrame, EntityKind, EntityKinds, Fields, Frame, FrameOptions, Happening, Held, Look, Motion, PlayerFrame, Sound, Subject, Term, Text,
};
use fragreel::{Bytes, Error, Frames, Recording};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::*;

use crate::happenings::{Happenings, color};
use crate::layout::{
    self, ABSENT, ALIVE, CROUCHING, FIRES, NONE, ON_GROUND, ONLY_SHELL, PRESENT, ROTATES, SPECTATOR, TELEPORTED, Tables, about, aim, entity, entity_kind, hand,
    look, pace, place, pose, speed, status, view,
};
use crate::pack::Blocks;
use crate::table::ByNumber;
use crate::words::{Last, Words};

/// A fact that may be absent: its bit says that it is known, the next higher one that it is so.
pub(crate) fn fact(bit: i32, known: Option<bool>) -> i32 {
    known.map_or(0, |so| if so { bit * 3 } else { bit })
}

/// Every frame, or of a recording that grows every frame that is new: when it was, and tables of rows that stand where something changes.
///
/// The page asks for each column by the names in [`layout`]. Unknown numbers are NaN, or [`ABSENT`]; names and the like are numbers of
/// [`words`](Self::words), or [`NONE`]. A happening has a row at the frame at which it was known.
#[wasm_bindgen]
pub struct Tracks {
    of_frames: layout::Frames,
    pub(crate) tables: Tables,
    extents: Vec<f64>,
    words: String,
    damage: String,
}

#[wasm_bindgen]
impl Tracks {
    /// A column of the frames whose numbers may have a fraction.
    pub fn doubles(&mut self, column: &str) -> Result<Vec<f64>, JsError> {
        taken(self.of_frames.doubles(column))
    }

    /// A column of the frames with whole numbers.
    pub fn counts(&mut self, column: &str) -> Result<Vec<u32>, JsError> {
        taken(self.of_frames.counts(column))
    }

    /// The subjects of a table.
    pub fn keys(&mut self, table: &str) -> Result<Vec<u32>, JsError> {
        taken(self.tables.get(table).map(|(columns, _)| &mut columns.keys))
    }

    /// The number of rows of each subject.
    pub fn sizes(&mut self, table: &str) -> Result<Vec<u32>, JsError> {
        taken(self.tables.get(table).map(|(columns, _)| &mut columns.sizes))
    }

    /// How the numbers of each block of a column are kept. The column `frames` is the frame of each row, by its place in the columns of the frames.
    pub fn kinds(&mut self, table: &str, column: &str) -> Result<Vec<u8>, JsError> {
        taken(self.blocks(table, column).map(|blocks| &mut blocks.kinds))
    }

    /// The number of each block that the others are counted from.
    pub fn bases(&mut self, table: &str, column: &str) -> Result<Vec<f64>, JsError> {
        taken(self.blocks(table, column).map(|blocks| &mut blocks.bases))
    }

    /// The numbers of a column that are kept in one byte.
    pub fn ones(&mut self, table: &str, column: &str) -> Result<Vec<u8>, JsError> {
        taken(self.blocks(table, column).map(|blocks| &mut blocks.ones))
    }

    /// The numbers of a column that are kept in two bytes.
    pub fn twos(&mut self, table: &str, column: &str) -> Result<Vec<u16>, JsError> {
        taken(self.blocks(table, column).map(|blocks| &mut blocks.twos))
    }

    /// The numbers with a fraction that are kept as they are.
    pub fn floats(&mut self, table: &str, column: &str) -> Result<Vec<f32>, JsError> {
        taken(self.tables.get(table).and_then(|(columns, names)| Some(&mut columns.floats_of(names, column)?.plain)))
    }

    /// The whole numbers that are kept as they are.
    pub fn ints(&mut self, table: &str, column: &str) -> Result<Vec<i32>, JsError> {
        taken(self.tables.get(table).and_then(|(columns, names)| Some(&mut columns.ints_of(names, column)?.plain)))
    }

    /// How far players go in each level: its number, the least x, y and z, and the largest ones.
    pub fn extents(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.extents)
    }

    /// Names and other things by number: a JSON array.
    pub fn words(&mut self) -> String {
        std::mem::take(&mut self.words)
    }

    /// The damage met on the way: a JSON array.
    pub fn damage(&mut self) -> String {
        std::mem::take(&mut self.damage)
    }
}

impl Tracks {
    /// The blocks of a column.
    fn blocks(&mut self, table: &str, column: &str) -> Option<&mut Blocks> {
        let (columns, names) = self.tables.get(table)?;
        if names.is_float(column) { Some(&mut columns.floats_of(names, column)?.blocks) } else { Some(&mut columns.ints_of(names, column)?.blocks) }
    }
}

/// A column that is handed over.
pub(crate) fn taken<T>(column: Option<&mut Vec<T>>) -> Result<Vec<T>, JsError> {
    column.map(std::mem::take).ok_or_else(|| JsError::new("the library has no such column: the page has another version than the library"))
}

/// Beyond every map.
const FARTHEST: f32 = 65536.0;

/// Frames between two reports of progress.
const REPORT_EVERY: u32 = 512;

impl Tracks {
    /// Walks over all frames. `report` is called with the number of a message now and then.
    ///
    /// # Errors
    /// When they cannot be walked over.
    pub fn of(recording: &Recording, report: impl Fn(u32)) -> Result<Self, Error> {
        let mut frames = recording.frames(options())?;
        let mut builder = Builder::default();
        builder.add_all(&mut frames, true, report);
        Ok(builder.take(&frames))
    }
}

/// A walk over a recording that grows.
pub struct Growing {
    walk: Frames,
    builder: Builder,
}

impl Growing {
    /// Stands at the start.
    ///
    /// # Errors
    /// When the frames cannot be walked over.
    pub fn new(recording: &Recording) -> Result<Self, Error> {
        Ok(Growing { walk: recording.frames(options())?.pause(), builder: Builder::default() })
    }

    /// The frames that are new. `bytes` are the recording so far, `last` says that it is complete.
    pub fn more(self, bytes: Bytes, last: bool) -> (Self, Tracks) {
        let (mut builder, mut frames) = (self.builder, self.walk.resume(bytes, last));
        builder.add_all(&mut frames, last, |_| ());
        let tracks = builder.take(&frames);
        (Growing { walk: frames.pause(), builder }, tracks)
    }
}

fn options() -> FrameOptions {
    // players are players; they need not be entities too
    let entities: EntityKinds = EntityKind::ALL.into_iter().filter(|&kind| kind != EntityKind::Player).map(EntityKinds::from).collect();
    FrameOptions::default().fields(Fields::ALL).entities(entities).happenings()
}

#[derive(Default)]
struct Builder {
    count: u32,
    of_frames: layout::Frames,
    place: place::Table,
    speed: speed::Table,
    status: status::Table,
    entity: entity::Table,
    about: about::Table,
    figures: Looks,
    looks: Looks,
    hands: hand::Table,
    hand_words: ByNumber<Last<Arc<str>>>,
    view: view::Table,
    happenings: Happenings,
    words: Words,
    players: ByNumber<PlayerWords>,
    entities: ByNumber<EntityWords>,
}

#[derive(Default)]
struct PlayerWords {
    name: Last<Arc<Text>>,
    team: Last<Arc<str>>,
    weapon: Last<Term>,
    powerups: Last<Vec<Held>>,
    items: Last<Vec<Held>>,
    ammo: Last<Vec<Held>>,
}

#[derive(Default)]
struct EntityWords {
    model: Last<Arc<str>>,
    item: Last<Term>,
    motion: Last<Motion>,
    turning: Last<Motion>,
}

/// What is drawn, of players or of entities. Poses change often, and have rows of their own.
#[derive(Default)]
struct Looks {
    look: look::Table,
    aim: aim::Table,
    pose: pose::Table,
    pace: pace::Table,
    known: ByNumber<Known>,
    frame: u32,
}

/// The last look of a subject, when it was, and its place in the table.
#[derive(Default)]
struct Known {
    last: Option<(u32, usize, Look)>,
    words: LookWords,
}

impl Looks {
    fn begin(&mut self, frame: u32) {
        self.frame = frame;
        self.look.begin(frame);
        self.pose.begin(frame);
        self.pace.begin(frame);
        self.aim.begin(frame);
    }

    fn push(&mut self, key: u32, look: &Look, words: &mut Words) {
        let known = self.known.get_or(key, Known::default);
        // most looks are those of the frame before
        if let Some((when, place, last)) = &mut known.last
            && *when + 1 == self.frame
            && is_same_look(last, look)
        {
            *when = self.frame;
            self.look.keep(*place);
            return;
        }
        let last = &mut known.words;
        let row = look::Row {
            bits: PRESENT | if look.rotates { ROTATES } else { 0 } | if look.only_shell { ONLY_SHELL } else { 0 },
            model: last.model.number(look.model.as_ref(), words),
            held: last.held.number(look.held.as_ref(), words),
            bare: last.bare.number(look.bare.as_ref(), words),
            skin: last.skin.number(look.skin.as_ref(), words),
            skin_number: look.skin_number.unwrap_or(ABSENT),
            colors: look.colors.map_or(ABSENT, |[top, bottom]| i32::from(top) << 8 | i32::from(bottom)),
            body: look.body.unwrap_or(ABSENT),
            sequence: look.sequence.unwrap_or(ABSENT),
            second_sequence: look.second_sequence.unwrap_or(ABSENT),
            carried: last.carried.number(look.carried.as_ref(), words),
            carried_skin: look.carried_skin.unwrap_or(ABSENT),
            shell: look.shell.map_or(ABSENT, color),
            render: look.render.map_or(ABSENT, |render| i32::from_le_bytes([render.mode, render.amount, render.effect, 0])),
            render_color: look.render.map_or(ABSENT, |render| color(render.color)),
            sound: last.sound.number(look.sound.clone().map(Lasting).as_ref(), words),
        };
        if look.fires.is_some() || look.blends.is_some() || look.controllers.is_some() {
            let bytes = |bytes: Option<[u8; 4]>| bytes.map_or(ABSENT, i32::from_le_bytes);
            let row = aim::Row {
                bits: PRESENT | if look.fires == Some(true) { FIRES } else { 0 },
                stride: look.stride.map_or(0, i32::from),
                blends: bytes(look.blends.map(|[first, second]| [first, second, 0, 0])),
                controllers: bytes(look.controllers),
            };
            self.aim.push(key, row);
        }
        if let Some(frame) = look.frame {
            self.pose.push(key, pose::Row { frame, bits: PRESENT });
        }
        if let Some(began) = look.began {
            let began = i32::try_from(began.0).unwrap_or(ABSENT);
            self.pace.push(key, pace::Row { rate: look.rate.unwrap_or(f32::NAN), bits: PRESENT, began });
        }
        known.last = Some((self.frame, self.look.push(key, row), look.clone()));
    }

    /// Ends a frame. Poses and paces of who is absent are not asked for, so they have no rows for it.
    fn end(&mut self) {
        self.look.end();
    }
}

/// Whether two looks of one subject are the same. Names of one look are mostly shared with the next. What differs most often comes first: compared as
/// tuples, opening a multi-view recording of QuakeWorld took 1.4 % more instructions.
fn is_same_look(one: &Look, other: &Look) -> bool {
    fn is_same<T: PartialEq + ?Sized>(one: &Option<Arc<T>>, other: &Option<Arc<T>>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            (one, other) => one.is_none() && other.is_none(),
        }
    }
    one.frame.map(f32::to_bits) == other.frame.map(f32::to_bits)
        && is_same(&one.model, &other.model)
        && one.skin_number == other.skin_number
        && one.sequence == other.sequence
        && one.second_sequence == other.second_sequence
        && one.began == other.began
        && one.rate.map(f32::to_bits) == other.rate.map(f32::to_bits)
        && one.colors == other.colors
        && one.body == other.body
        && one.fires == other.fires
        && one.stride == other.stride
        && one.blends == other.blends
        && one.controllers == other.controllers
        && one.carried_skin == other.carried_skin
        && one.shell == other.shell
        && one.render == other.render
        && one.only_shell == other.only_shell
        && one.rotates == other.rotates
        && is_same(&one.held, &other.held)
        && is_same(&one.bare, &other.bare)
        && is_same(&one.skin, &other.skin)
        && is_same(&one.carried, &other.carried)
        && is_same(&one.sound, &other.sound)
}

#[derive(Default)]
struct LookWords {
    model: Last<Arc<str>>,
    held: Last<Arc<str>>,
    bare: Last<Arc<str>>,
    skin: Last<Arc<str>>,
    carried: Last<Arc<str>>,
    sound: Last<Lasting>,
}

/// A sound that lasts, as a word.
#[derive(Clone, PartialEq)]
struct Lasting(Arc<Sound>);

impl Serialize for Lasting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Sound { file, volume, near, far, pitch, .. } = &*self.0;
        let mut word = serializer.serialize_struct("LastingSound", 5)?;
        word.serialize_field("file", file)?;
        word.serialize_field("volume", volume)?;
        word.serialize_field("near", near)?;
        word.serialize_field("far", far)?;
        word.serialize_field("pitch", pitch)?;
        word.end()
    }
}

impl Builder {
    /// Adds the frames up to the end. `last` says that no more will come.
    fn add_all(&mut self, frames: &mut Frames, last: bool, report: impl Fn(u32)) {
        let (mut frame, mut looks, mut happenings) = (Frame::default(), Vec::new(), Vec::new());
        while frames.next_into(&mut frame) {
            if self.count.is_multiple_of(REPORT_EVERY) {
                report(frame.message);
            }
            frames.looks(&mut looks);
            self.add(&frame, &looks);
            frames.happenings(&mut happenings);
            self.happen(&happenings);
        }
        // what came after the last frame; else it comes with the next one
        if last {
            frames.happenings(&mut happenings);
            self.happen(&happenings);
        }
    }

    fn happen(&mut self, happenings: &[Happening]) {
        for happening in happenings {
            self.happenings.push(self.count.saturating_sub(1), happening, &mut self.words);
        }
    }

    fn add(&mut self, frame: &Frame, looks: &[Look]) {
        let at = self.count;
        self.count += 1;
        self.of_frames.times.push(frame.time.0 as f64);
        self.of_frames.server_times.push(frame.server_time.0 as f64);
        self.of_frames.match_times.push(frame.match_time.map_or(f64::NAN, |time| time.0 as f64));
        self.of_frames.levels.push(frame.level);
        self.of_frames.messages.push(frame.message);
        self.of_frames.numbers.push(frame.number);
        self.place.begin(at);
        self.speed.begin(at);
        self.status.begin(at);
        self.entity.begin(at);
        self.about.begin(at);
        self.figures.begin(at);
        self.looks.begin(at);
        self.hands.begin(at);
        self.view.begin(at);
        if let Some(view) = &frame.view {
            let [x, y, z] = view.origin;
            let [pitch, yaw, roll] = view.angles.unwrap_or([f32::NAN; 3]);
            let (fov, slot) = (view.fov.unwrap_or(f32::NAN), view.slot.map_or(ABSENT, i32::from));
            self.view.push(0, view::Row { x, y, z, pitch, yaw, roll, fov, bits: bits(view.teleported), slot });
        }
        for player in &frame.players {
            self.add_player(player);
        }
        for entity in &frame.entities {
            self.add_entity(entity);
        }
        for look in looks {
            match look.subject {
                Subject::Player(slot) => {
                    self.figures.push(slot.into(), look, &mut self.words);
                    if look.view_model.is_some() {
                        let model = self.hand_words.get_or(slot.into(), Last::default).number(look.view_model.as_ref(), &mut self.words);
                        self.hands.push(slot.into(), hand_row(look, model));
                    }
                }
                Subject::Entity(number) => self.looks.push(number, look, &mut self.words),
                Subject::View => {}
            }
        }
        self.place.end();
        self.speed.end();
        self.status.end();
        self.entity.end();
        self.about.end();
        self.figures.end();
        self.looks.end();
        self.hands.end();
        self.view.end();
    }

    fn add_player(&mut self, player: &PlayerFrame) {
        let slot = u32::from(player.slot);
        if player.origin.is_some() || player.angles.is_some() {
            let ([x, y, z], [pitch, yaw, roll]) = (three(player.origin), three(player.angles));
            self.place.push(slot, place::Row { x, y, z, pitch, yaw, roll, bits: bits(player.teleported) });
        }
        if let Some([x, y, z]) = player.velocity {
            self.speed.push(slot, speed::Row { x, y, z, bits: bits(player.teleported) });
        }
        let (last, words) = (self.players.get_or(slot, PlayerWords::default), &mut self.words);
        let row = status::Row {
            bits: PRESENT
                | fact(ALIVE, player.alive)
                | fact(SPECTATOR, player.spectator)
                | fact(ON_GROUND, player.on_ground)
                | fact(CROUCHING, player.crouching),
            health: player.health.unwrap_or(ABSENT),
            armor: player.armor.unwrap_or(ABSENT),
            weapon: last.weapon.number(player.weapon.as_ref(), words),
            name: last.name.number(player.name.as_ref(), words),
            team: last.team.number(player.team.as_ref(), words),
            score: player.score.unwrap_or(ABSENT),
            ping: player.ping.unwrap_or(ABSENT),
            powerups: last.powerups.of_list(&player.powerups, words),
            items: last.items.of_list(&player.items, words),
            ammo: last.ammo.of_list(&player.ammo, words),
        };
        self.status.push(slot, row);
    }

    fn add_entity(&mut self, entity: &EntityFrame) {
        let (last, words) = (self.entities.get_or(entity.number, EntityWords::default), &mut self.words);
        let motion = last.motion.number(entity.motion.as_ref(), words);
        let turning = last.turning.number(entity.turning.as_ref(), words);
        // what follows from a motion that stays the same need not be kept for every frame
        let follows = |number: i32, motion: Option<Motion>| number != NONE && motion.is_some_and(is_law);
        let [x, y, z] = three(entity.origin.filter(|_| !follows(motion, entity.motion)));
        let [pitch, yaw, roll] = three(entity.angles.filter(|_| !follows(turning, entity.turning)));
        self.entity.push(entity.number, entity::Row { x, y, z, pitch, yaw, roll, bits: bits(entity.teleported) });
        let row = about::Row {
            bits: PRESENT,
            kind: entity_kind(entity.kind),
            model: last.model.number(entity.model.as_ref(), words),
            owner: entity.owner.map_or(ABSENT, i32::from),
            item: last.item.number(entity.item.as_ref(), words),
            motion,
            turning,
        };
        self.about.push(entity.number, row);
    }

    /// How far the new places of players reach in each level. What is beyond every map does not count.
    fn extents(&self) -> Vec<f64> {
        let levels = &self.of_frames.levels;
        let first = self.count as usize - levels.len();
        let mut found: BTreeMap<u32, [f32; 6]> = BTreeMap::new();
        for (frame, [x, y, z, ..], bits) in self.place.new_rows() {
            let Some(level) = levels.get(frame as usize - first) else { continue };
            if bits[0] == 0 || x.is_nan() {
                continue;
            }
            let extent = found.entry(*level).or_insert([f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY]);
            for (axis, value) in [x, y, z].into_iter().enumerate().filter(|(_, value)| value.abs() <= FARTHEST) {
                extent[axis] = extent[axis].min(*value);
                extent[axis + 3] = extent[axis + 3].max(*value);
            }
        }
        found.into_iter().flat_map(|(level, extent)| std::iter::once(f64::from(level)).chain(extent.map(f64::from))).collect()
    }

    fn take(&mut self, frames: &Frames) -> Tracks {
        let extents = self.extents();
        let tables = Tables {
            place: self.place.take(),
            speed: self.speed.take(),
            status: self.status.take(),
            entity: self.entity.take(),
            about: self.about.take(),
            figure: self.figures.look.take(),
            figure_pose: self.figures.pose.take(),
            figure_pace: self.figures.pace.take(),
            figure_aim: self.figures.aim.take(),
            look: self.looks.look.take(),
            look_pose: self.looks.pose.take(),
            look_pace: self.looks.pace.take(),
            look_aim: self.looks.aim.take(),
            hand: self.hands.take(),
            happening: self.happenings.take(),
            view: self.view.take(),
        };
        Tracks {
            of_frames: std::mem::take(&mut self.of_frames),
            tables,
            extents,
            words: self.words.take(),
            damage: serde_json::to_string(&frames.damage()).unwrap_or_default(),
        }
    }
}

/// Whether the place follows from the motion alone.
fn is_law(motion: Motion) -> bool {
    motion.trajectory != fragreel::model::Trajectory::Interpolate
}

fn bits(teleported: bool) -> i32 {
    PRESENT | if teleported { TELEPORTED } else { 0 }
}

/// The weapon before somebody's eyes.
fn hand_row(look: &Look, model: i32) -> hand::Row {
    let ([ahead, right, up], [turn_pitch, turn_yaw, turn_roll]) = (three(look.view_offset), three(look.view_turn));
    let [kick_pitch, kick_yaw, kick_roll] = three(look.view_kick);
    let (frame, step) = (look.view_frame.unwrap_or(f32::NAN), look.view_step.map_or(f32::NAN, f32::from));
    hand::Row { frame, ahead, right, up, turn_pitch, turn_yaw, turn_roll, kick_pitch, kick_yaw, kick_roll, step, bits: PRESENT, model }
}

fn three(known: Option<[f32; 3]>) -> [f32; 3] {
    known.unwrap_or([f32::NAN; 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::ROWS;
    use crate::table::Columns;
    use std::collections::HashMap;

    /// The names of all tables.
    fn tables() -> impl Iterator<Item = String> {
        layout::TABLES.iter().flat_map(|shape| shape.tables).map(|table| layout::camel(table))
    }

    /// Where the rows of each subject begin, and the end.
    fn starts_of(columns: &Columns) -> Vec<usize> {
        let mut end = 0;
        std::iter::once(0).chain(columns.sizes.iter().map(|&size| (end += size as usize, end).1)).collect()
    }

    /// The rows of a table: frame and bits of all numbers.
    fn rows_of(columns: &Columns) -> Vec<Vec<u32>> {
        let blocks = columns.blocks();
        let mut rows: Vec<Vec<u32>> = columns.frames.unpacked(&blocks).into_iter().map(|frame| vec![frame as u32]).collect();
        for column in &columns.floats {
            rows.iter_mut().zip(column.unpacked(&blocks)).for_each(|(row, number)| row.push(if number.is_nan() { u32::MAX } else { number.to_bits() }));
        }
        for column in &columns.ints {
            rows.iter_mut().zip(column.unpacked(&blocks)).for_each(|(row, number)| row.push(number as u32));
        }
        rows
    }

    #[test]
    fn places_are_those_of_the_frames() {
        let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
        let recording = Recording::open(&bytes[..], "dm_bots.dm_71").unwrap();
        let messages = recording.info().messages;
        let tracks = Tracks::of(&recording, |message| assert!(u64::from(message) < messages)).unwrap();
        let place = &tracks.tables.place;
        let blocks = place.blocks();
        let place_frames = place.frames.unpacked(&blocks);
        let floats: Vec<_> = place.floats.iter().map(|column| column.unpacked(&blocks)).collect();
        let starts = starts_of(place);
        let mut frame = Frame::default();
        let mut frames = recording.frames(FrameOptions::default()).unwrap();
        let (mut at, mut compared) = (0, 0);
        while frames.next_into(&mut frame) {
            for player in &frame.players {
                let Ok(track) = place.keys.binary_search(&u32::from(player.slot)) else { continue };
                let rows = starts[track]..starts[track + 1];
                let row = place_frames[rows.clone()].partition_point(|&frame| frame <= at) + rows.start;
                let column = |name| &floats[place::NAMES.floats.iter().position(|other| *other == name).unwrap()];
                let found = (row > rows.start).then(|| ["x", "y", "z"].map(|name| column(name)[row - 1])).filter(|place| !place[0].is_nan());
                assert_eq!(found, player.origin, "frame {at}, slot {}", player.slot);
                compared += usize::from(found.is_some());
            }
            at += 1;
        }
        assert!(compared > 2000 && at as usize == tracks.of_frames.times.len());
        assert!(place_frames.len() < compared * 2);
    }

    #[test]
    fn a_recording_that_grows_has_the_same_frames_and_words() {
        for (bytes, name) in [
            (&include_bytes!("../../../samples/quake3/dm_bots.dm_71")[..], "dm_bots.dm_71"),
            (include_bytes!("../../../samples/quake2/yq2dm_Alice.dm2"), "yq2dm_Alice.dm2"),
            (include_bytes!("../../../samples/quake3/warmup_restart.dm_68"), "warmup_restart.dm_68"),
            (include_bytes!("../../../samples/quake2/q2p_mvd_multi.mvd2"), "q2p_mvd_multi.mvd2"),
            (include_bytes!("../../../samples/quake1/match_e1m1.mvd"), "match_e1m1.mvd"),
            (include_bytes!("../../../samples/quake1/quakeworld_deltas_e1m1.qwd"), "quakeworld_deltas_e1m1.qwd"),
            (include_bytes!("../../../samples/quake1/netquake666_deltas_dm6.dem"), "netquake666_deltas_dm6.dem"),
        ] {
            let bytes = Bytes::from_static(bytes);
            let mut expected = Tracks::of(&Recording::open(bytes.clone(), name).unwrap(), |_| ()).unwrap();
            let (size, quarter) = (bytes.len(), bytes.len() / 4);
            let mut growing = Growing::new(&Recording::open(bytes.slice(..quarter), name).unwrap()).unwrap();
            let (mut times, mut rows, mut words) = (Vec::<f64>::new(), HashMap::new(), Vec::new());
            for end in [quarter, quarter + 1, quarter + 1, quarter * 2, quarter * 3, size, size] {
                let (walk, mut tracks) = growing.more(bytes.slice(..end), end == size);
                growing = walk;
                assert!(tracks.of_frames.times.len() < expected.of_frames.times.len());
                times.extend(&tracks.of_frames.times);
                words.extend(serde_json::from_str::<Vec<serde_json::Value>>(&tracks.words).unwrap());
                for table in tables() {
                    let (columns, _) = tracks.tables.get(&table).unwrap();
                    let (starts, new) = (starts_of(columns), rows_of(columns));
                    for (at, key) in columns.keys.iter().enumerate() {
                        let rows: &mut Vec<Vec<u32>> = rows.entry((table.clone(), *key)).or_default();
                        // those of a block that was not full come again
                        rows.truncate(rows.len() / ROWS * ROWS);
                        rows.extend_from_slice(&new[starts[at]..starts[at + 1]]);
                    }
                }
            }
            assert_eq!(times, expected.of_frames.times, "{name}");
            assert!(words == serde_json::from_str::<Vec<serde_json::Value>>(&expected.words).unwrap(), "{name}");
            let mut subjects = 0;
            for table in tables() {
                let (columns, _) = expected.tables.get(&table).unwrap();
                let (starts, all) = (starts_of(columns), rows_of(columns));
                for (at, key) in columns.keys.iter().enumerate() {
                    subjects += 1;
                    assert_eq!(rows[&(table.clone(), *key)], all[starts[at]..starts[at + 1]], "{name}: {table} {key}");
                }
            }
            assert_eq!((subjects, subjects > 10), (rows.len(), true));
        }
    }
}
