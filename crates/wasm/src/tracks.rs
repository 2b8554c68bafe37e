//! Every frame of a recording, arranged by player and entity.

use std::collections::HashMap;
use std::sync::Arc;

use fragreel::model::{
    EntityFrame, EntityKind, EntityKinds, Fields, Frame, FrameOptions, Happening, Held, Look, Motion, PlayerFrame, Sound, Subject, Term, Text,
};
use fragreel::{Error, Frames, Recording};
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::*;

use crate::happenings::Happenings;
use crate::table::{ByNumber, Columns, Table};
use crate::words::{Last, NONE, Words};

/// A number that the format does not say.
pub(crate) const ABSENT: i32 = i32::MIN;

/// Whether a frame says something, and what: bits of the first whole number of a row.
mod bit {
    pub const PRESENT: i32 = 1;
    pub const TELEPORTED: i32 = 2;
    pub const ALIVE: i32 = 4;
    pub const SPECTATOR: i32 = 16;
    pub const ON_GROUND: i32 = 64;
    pub const CROUCHING: i32 = 256;
    /// Of looks: it turns, and its shell alone is seen.
    pub const ROTATES: i32 = 4;
    pub const ONLY_SHELL: i32 = 8;
    /// Of aims: the player fires.
    pub const FIRES: i32 = 4;
}

/// A fact that may be absent: its bit says that it is known, the next higher one that it is so.
fn fact(bit: i32, known: Option<bool>) -> i32 {
    known.map_or(0, |so| if so { bit * 3 } else { bit })
}

/// Every frame, or of a recording that grows every frame that is new: when it was, and tables of rows that stand where something changes.
///
/// | table | subjects | numbers with a fraction | whole numbers |
/// |---|---|---|---|
/// | `place` | slots | x, y, z, pitch, yaw, roll | bits |
/// | `speed` | slots | x, y, z | bits |
/// | `status` | slots | none | bits, health, armor, weapon, name, team, score, ping, powerups, items, ammo |
/// | `entity` | numbers | x, y, z, pitch, yaw, roll | bits |
/// | `about` | numbers | none | bits, kind, model, owner, item, motion, turning |
/// | `figure`, `look` | slots, numbers | none | bits, model, held, skin, skin's number, colors, body, sequence, second sequence, carried, its skin, shell, sound |
/// | `figureAim`, `lookAim` | slots, numbers | none | bits, stride, blends, controllers |
/// | `figurePose`, `lookPose` | slots, numbers | frame | bits |
/// | `figurePace`, `lookPace` | slots, numbers | rate | bits, began |
/// | `hand` | slots | frame, offset, turn, kick, step | bits, model of the weapon as the player sees it |
/// | `happening` | 0 | x, y, z, the other end, the direction, size, volume, near, far, pitch | time, kind, subject, color, count, life, file, channel |
/// | `view` | 0 | x, y, z, pitch, yaw, roll, field of view | bits, slot |
///
/// Unknown numbers are NaN, or the least whole number; names and the like are numbers of [`words`](Self::words), or -1. Bits are 1 for
/// present, 2 for teleported, in `figure` and `look` 4 for what turns and 8 for a shell alone, in `figureAim` 4 for who fires, and in `status` pairs of known and true: 4 alive, 16 spectator, 64 on the ground, 256 crouching. Poses and paces
/// have no rows for absence: they are those of looks that are there. Happenings have a row each, at the frame at which they were known; their subject is a
/// slot, or an entity's number and 65536. A light style has its number as count and its pattern as file.
#[wasm_bindgen]
pub struct Tracks {
    times: Vec<f64>,
    server_times: Vec<f64>,
    match_times: Vec<f64>,
    levels: Vec<u32>,
    messages: Vec<u32>,
    numbers: Vec<u32>,
    tables: HashMap<&'static str, Columns>,
    words: String,
    damage: String,
}

#[wasm_bindgen]
impl Tracks {
    /// Milliseconds since the first frame, by frame.
    pub fn times(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.times)
    }

    /// The server's clock by frame.
    pub fn server_times(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.server_times)
    }

    /// The match's clock by frame, NaN while none runs.
    pub fn match_times(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.match_times)
    }

    /// The level's number by frame.
    pub fn levels(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.levels)
    }

    /// The message's number by frame.
    pub fn messages(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.messages)
    }

    /// The frame's own number.
    pub fn numbers(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.numbers)
    }

    /// The subjects of a table.
    pub fn keys(&mut self, table: &str) -> Vec<u32> {
        self.table(table).map(|columns| std::mem::take(&mut columns.keys)).unwrap_or_default()
    }

    /// Where the rows of each subject begin, and the end.
    pub fn starts(&mut self, table: &str) -> Vec<u32> {
        self.table(table).map(|columns| std::mem::take(&mut columns.starts)).unwrap_or_default()
    }

    /// The frame of each row, by place in [`times`](Self::times).
    pub fn frames(&mut self, table: &str) -> Vec<u32> {
        self.table(table).map(|columns| std::mem::take(&mut columns.frames)).unwrap_or_default()
    }

    /// The numbers with a fraction of each row.
    pub fn floats(&mut self, table: &str) -> Vec<f32> {
        self.table(table).map(|columns| std::mem::take(&mut columns.floats)).unwrap_or_default()
    }

    /// The whole numbers of each row.
    pub fn ints(&mut self, table: &str) -> Vec<i32> {
        self.table(table).map(|columns| std::mem::take(&mut columns.ints)).unwrap_or_default()
    }

    /// Names and other things by number: a JSON array.
    pub fn words(&mut self) -> String {
        std::mem::take(&mut self.words)
    }

    /// The damage met on the way: a JSON array.
    pub fn damage(&mut self) -> String {
        std::mem::take(&mut self.damage)
    }

    fn table(&mut self, name: &str) -> Option<&mut Columns> {
        self.tables.get_mut(name)
    }
}

/// Frames between two reports of progress.
const REPORT_EVERY: u32 = 512;

impl Tracks {
    /// Walks over all frames. `report` is called with the number of a message now and then.
    ///
    /// # Errors
    /// When they cannot be walked over.
    pub fn of(recording: &Recording<'_>, report: impl Fn(u32)) -> Result<Self, Error> {
        let mut frames = recording.frames(options())?;
        let mut builder = Builder::default();
        builder.add_all(&mut frames, true, report);
        Ok(builder.take(&frames))
    }
}

/// A walk over a recording that grows.
pub struct Growing {
    walk: Frames<'static>,
    builder: Builder,
}

impl Growing {
    /// Stands at the start.
    ///
    /// # Errors
    /// When the frames cannot be walked over.
    pub fn new(recording: &Recording<'_>) -> Result<Self, Error> {
        Ok(Growing { walk: recording.frames(options())?.pause(), builder: Builder::default() })
    }

    /// The frames that are new. `bytes` are the recording so far, `last` says that it is complete.
    pub fn more(self, bytes: &[u8], last: bool) -> (Self, Tracks) {
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
    times: Vec<f64>,
    server_times: Vec<f64>,
    match_times: Vec<f64>,
    levels: Vec<u32>,
    messages: Vec<u32>,
    numbers: Vec<u32>,
    place: Table<6, 1>,
    speed: Table<3, 1>,
    status: Table<0, 11>,
    entity: Table<6, 1>,
    about: Table<0, 7>,
    figures: Looks,
    looks: Looks,
    hands: Table<11, 2>,
    hand_words: ByNumber<Last<Arc<str>>>,
    view: Table<7, 2>,
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
    look: Table<0, 13>,
    aim: Table<0, 4>,
    pose: Table<1, 1>,
    pace: Table<1, 2>,
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
        let row = [
            bit::PRESENT | if look.rotates { bit::ROTATES } else { 0 } | if look.only_shell { bit::ONLY_SHELL } else { 0 },
            last.model.number(look.model.as_ref(), words),
            last.held.number(look.held.as_ref(), words),
            last.skin.number(look.skin.as_ref(), words),
            look.skin_number.unwrap_or(ABSENT),
            look.colors.map_or(ABSENT, |[top, bottom]| i32::from(top) << 8 | i32::from(bottom)),
            look.body.unwrap_or(ABSENT),
            look.sequence.unwrap_or(ABSENT),
            look.second_sequence.unwrap_or(ABSENT),
            last.carried.number(look.carried.as_ref(), words),
            look.carried_skin.unwrap_or(ABSENT),
            look.shell.map_or(ABSENT, |[red, green, blue]| i32::from(red) << 16 | i32::from(green) << 8 | i32::from(blue)),
            last.sound.number(look.sound.clone().map(Lasting).as_ref(), words),
        ];
        if look.fires.is_some() || look.blends.is_some() || look.controllers.is_some() {
            let bits = bit::PRESENT | if look.fires == Some(true) { bit::FIRES } else { 0 };
            let bytes = |bytes: Option<[u8; 4]>| bytes.map_or(ABSENT, i32::from_le_bytes);
            let blends = look.blends.map(|[first, second]| [first, second, 0, 0]);
            self.aim.push(key, [], [bits, look.stride.map_or(0, i32::from), bytes(blends), bytes(look.controllers)]);
        }
        if let Some(frame) = look.frame {
            self.pose.push(key, [frame], [bit::PRESENT]);
        }
        if let Some(began) = look.began {
            let began = i32::try_from(began.0).unwrap_or(ABSENT);
            self.pace.push(key, [look.rate.unwrap_or(f32::NAN)], [bit::PRESENT, began]);
        }
        known.last = Some((self.frame, self.look.push(key, [], row), look.clone()));
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
        && one.only_shell == other.only_shell
        && one.rotates == other.rotates
        && is_same(&one.held, &other.held)
        && is_same(&one.skin, &other.skin)
        && is_same(&one.carried, &other.carried)
        && is_same(&one.sound, &other.sound)
}

#[derive(Default)]
struct LookWords {
    model: Last<Arc<str>>,
    held: Last<Arc<str>>,
    skin: Last<Arc<str>>,
    carried: Last<Arc<str>>,
    sound: Last<Lasting>,
}

/// A sound that lasts, as a word: file, volume, near, far, pitch.
#[derive(Clone, PartialEq)]
struct Lasting(Arc<Sound>);

impl Serialize for Lasting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Sound { file, volume, near, far, pitch, .. } = &*self.0;
        (file, volume, near, far, pitch).serialize(serializer)
    }
}

impl Builder {
    /// Adds the frames up to the end. `last` says that no more will come.
    fn add_all(&mut self, frames: &mut Frames<'_>, last: bool, report: impl Fn(u32)) {
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
        self.times.push(frame.time.0 as f64);
        self.server_times.push(frame.server_time.0 as f64);
        self.match_times.push(frame.match_time.map_or(f64::NAN, |time| time.0 as f64));
        self.levels.push(frame.level);
        self.messages.push(frame.message);
        self.numbers.push(frame.number);
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
            let floats = [x, y, z, pitch, yaw, roll, view.fov.unwrap_or(f32::NAN)];
            self.view.push(0, floats, [bits(view.teleported), view.slot.map_or(ABSENT, i32::from)]);
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
                        self.hands.push(slot.into(), hand(look), [bit::PRESENT, model]);
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
            self.place.push(slot, six(player.origin, player.angles), [bits(player.teleported)]);
        }
        if let Some(velocity) = player.velocity {
            self.speed.push(slot, velocity, [bits(player.teleported)]);
        }
        let (last, words) = (self.players.get_or(slot, PlayerWords::default), &mut self.words);
        let facts = bit::PRESENT
            | fact(bit::ALIVE, player.alive)
            | fact(bit::SPECTATOR, player.spectator)
            | fact(bit::ON_GROUND, player.on_ground)
            | fact(bit::CROUCHING, player.crouching);
        let row = [
            facts,
            player.health.unwrap_or(ABSENT),
            player.armor.unwrap_or(ABSENT),
            last.weapon.number(player.weapon.as_ref(), words),
            last.name.number(player.name.as_ref(), words),
            last.team.number(player.team.as_ref(), words),
            player.score.unwrap_or(ABSENT),
            player.ping.unwrap_or(ABSENT),
            last.powerups.of_list(&player.powerups, words),
            last.items.of_list(&player.items, words),
            last.ammo.of_list(&player.ammo, words),
        ];
        self.status.push(slot, [], row);
    }

    fn add_entity(&mut self, entity: &EntityFrame) {
        let (last, words) = (self.entities.get_or(entity.number, EntityWords::default), &mut self.words);
        let motion = last.motion.number(entity.motion.as_ref(), words);
        let turning = last.turning.number(entity.turning.as_ref(), words);
        let mut floats = six(entity.origin, entity.angles);
        // what follows from a motion that stays the same need not be kept for every frame
        if motion != NONE && entity.motion.is_some_and(is_law) {
            floats[..3].fill(f32::NAN);
        }
        if turning != NONE && entity.turning.is_some_and(is_law) {
            floats[3..].fill(f32::NAN);
        }
        self.entity.push(entity.number, floats, [bits(entity.teleported)]);
        let row = [
            bit::PRESENT,
            entity.kind as i32,
            last.model.number(entity.model.as_ref(), words),
            entity.owner.map_or(ABSENT, i32::from),
            last.item.number(entity.item.as_ref(), words),
            motion,
            turning,
        ];
        self.about.push(entity.number, [], row);
    }

    fn take(&mut self, frames: &Frames<'_>) -> Tracks {
        let tables = HashMap::from([
            ("place", self.place.take()),
            ("speed", self.speed.take()),
            ("status", self.status.take()),
            ("entity", self.entity.take()),
            ("about", self.about.take()),
            ("figure", self.figures.look.take()),
            ("figurePose", self.figures.pose.take()),
            ("figurePace", self.figures.pace.take()),
            ("figureAim", self.figures.aim.take()),
            ("look", self.looks.look.take()),
            ("lookPose", self.looks.pose.take()),
            ("lookPace", self.looks.pace.take()),
            ("lookAim", self.looks.aim.take()),
            ("hand", self.hands.take()),
            ("happening", self.happenings.take()),
            ("view", self.view.take()),
        ]);
        Tracks {
            times: std::mem::take(&mut self.times),
            server_times: std::mem::take(&mut self.server_times),
            match_times: std::mem::take(&mut self.match_times),
            levels: std::mem::take(&mut self.levels),
            messages: std::mem::take(&mut self.messages),
            numbers: std::mem::take(&mut self.numbers),
            tables,
            words: self.words.take(),
            damage: serde_json::to_string(frames.damage()).unwrap_or_default(),
        }
    }
}

/// Whether the place follows from the motion alone.
fn is_law(motion: Motion) -> bool {
    motion.law != fragreel::model::Law::Interpolate
}

fn bits(teleported: bool) -> i32 {
    bit::PRESENT | if teleported { bit::TELEPORTED } else { 0 }
}

/// The numbers of a weapon before somebody's eyes.
fn hand(look: &Look) -> [f32; 11] {
    let three = |known: Option<[f32; 3]>| known.unwrap_or([f32::NAN; 3]);
    let ([a, b, c], [d, e, f], [g, h, i]) = (three(look.view_offset), three(look.view_turn), three(look.view_kick));
    [look.view_frame.unwrap_or(f32::NAN), a, b, c, d, e, f, g, h, i, look.view_step.map_or(f32::NAN, f32::from)]
}

fn six(origin: Option<[f32; 3]>, angles: Option<[f32; 3]>) -> [f32; 6] {
    let [x, y, z] = origin.unwrap_or([f32::NAN; 3]);
    let [pitch, yaw, roll] = angles.unwrap_or([f32::NAN; 3]);
    [x, y, z, pitch, yaw, roll]
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel::Demo;

    #[test]
    fn places_are_those_of_the_frames() {
        let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
        let demo = Demo::new(&bytes[..], "dm_bots.dm_71").unwrap();
        let recording = demo.open().unwrap();
        let messages = recording.info().messages;
        let tracks = Tracks::of(&recording, |message| assert!(u64::from(message) < messages)).unwrap();
        let place = &tracks.tables["place"];
        let mut frame = Frame::default();
        let mut frames = recording.frames(FrameOptions::default()).unwrap();
        let (mut at, mut compared) = (0, 0);
        while frames.next_into(&mut frame) {
            for player in &frame.players {
                let Ok(track) = place.keys.binary_search(&u32::from(player.slot)) else { continue };
                let rows = place.starts[track] as usize..place.starts[track + 1] as usize;
                let row = place.frames[rows.clone()].partition_point(|&frame| frame <= at) + rows.start;
                let found = (row > rows.start).then(|| &place.floats[(row - 1) * 6..][..3]).filter(|place| !place[0].is_nan());
                assert_eq!(found, player.origin.as_ref().map(|origin| &origin[..]), "frame {at}, slot {}", player.slot);
                compared += usize::from(found.is_some());
            }
            at += 1;
        }
        assert!(compared > 2000 && at as usize == tracks.times.len());
        assert!(place.frames.len() < compared * 2);
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
            let whole = Demo::new(bytes, name).unwrap();
            let expected = Tracks::of(&whole.open().unwrap(), |_| ()).unwrap();
            let (size, quarter) = (bytes.len(), bytes.len() / 4);
            let mut demo = Demo::new(&bytes[..quarter], name).unwrap();
            let mut growing = Growing::new(&demo.open().unwrap()).unwrap();
            let (mut times, mut rows, mut words) = (Vec::new(), HashMap::new(), Vec::new());
            for end in [quarter, quarter + 1, quarter + 1, quarter * 2, quarter * 3, size, size] {
                let so_far = demo.bytes().len();
                demo.append(&bytes[so_far..end]).unwrap();
                let (walk, tracks) = growing.more(demo.bytes(), end == size);
                growing = walk;
                assert!(tracks.times.len() < expected.times.len());
                times.extend(tracks.times);
                words.extend(serde_json::from_str::<Vec<serde_json::Value>>(&tracks.words).unwrap());
                for (table, columns) in tracks.tables {
                    for (at, key) in columns.keys.iter().enumerate() {
                        let rows: &mut Vec<u32> = rows.entry((table, *key)).or_default();
                        rows.extend(&columns.frames[columns.starts[at] as usize..columns.starts[at + 1] as usize]);
                    }
                }
            }
            assert_eq!(times, expected.times, "{name}");
            assert!(words == serde_json::from_str::<Vec<serde_json::Value>>(&expected.words).unwrap(), "{name}");
            let mut subjects = 0;
            for (table, columns) in &expected.tables {
                for (at, key) in columns.keys.iter().enumerate() {
                    subjects += 1;
                    assert_eq!(rows[&(*table, *key)], columns.frames[columns.starts[at] as usize..columns.starts[at + 1] as usize], "{name}: {table} {key}");
                }
            }
            assert_eq!((subjects, subjects > 10), (rows.len(), true));
        }
    }
}
