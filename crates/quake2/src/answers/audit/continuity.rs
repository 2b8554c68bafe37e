//! Checks whether the frames of an MVD2, which have no numbers, continue each other (`docs/audit.md`, "MVD2").
//!
//! A frame contains the changes since the one before. After a splice, frames repeat values, remove absent entities, and skip part of a steady
//! movement. Habits of a server appear in the whole recording and are ignored.

use std::collections::{BTreeMap, HashMap};

use fragreel_model::{Extent, Milliseconds};

use crate::dialect::Dialect;
use crate::fields::{entity, player};
use crate::message::{EntityDelta, MvdFrame, MvdPlayer};
use crate::state::{InPlace, PlayerState};

/// The number of equal steps after which a movement counts as steady.
const STEADY: u32 = 3;

/// Evidence that a frame does not continue the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Break {
    /// Fields are sent unchanged.
    Redundant,
    /// An absent entity or player is removed.
    Absent,
    /// A steady movement skips a stretch once.
    Skip,
    /// Several animations start in the middle.
    Animation,
}

impl Break {
    pub(super) fn evidence(self, times: u32) -> String {
        match self {
            Break::Redundant => format!("{times} unchanged fields are sent, which the server never does elsewhere"),
            Break::Absent => format!("{times} players or entities are removed that do not exist"),
            Break::Skip => format!("{times} entities in steady motion skip a stretch"),
            Break::Animation => format!("{times} animations start in the middle, which they never do elsewhere"),
        }
    }
}

/// Where a frame is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub block: u32,
    pub extent: Extent,
    pub time: Milliseconds,
}

/// The state after the previous frame, and the findings.
#[derive(Default)]
pub(super) struct Continuity {
    players: HashMap<u8, PlayerState>,
    entities: HashMap<u16, entity::Row>,
    steps: HashMap<(u16, usize), Steps>,
    pictures: HashMap<(bool, u32), Picture>,
    found: Found,
    frames: u32,
    /// The number of frames in the recording.
    all_frames: u64,
    /// The number of frames with each kind of finding.
    counts: BTreeMap<Break, u64>,
}

/// Findings by frame number and kind, with their place and their count in the frame.
type Found = BTreeMap<(u32, Break), (Place, u32)>;

/// How often an animation frame followed its predecessor, how often it followed another frame, and the first place of the latter.
#[derive(Default)]
struct Picture {
    steps: u32,
    jumps: u32,
    jump: Option<(u32, Place)>,
}

/// The most frames that may have a finding, in a recording of `frames` frames. If more have it, it is a habit of the whole recording.
fn most(frames: u64) -> u64 {
    2 + frames / 50
}

/// How often an animation frame must have followed the one before it to count as the middle of an animation.
const USUAL: u32 = 2;

/// A movement along one axis.
#[derive(Default)]
struct Steps {
    step: i32,
    run: u32,
    /// The last step, and the frame where a steady movement was just interrupted.
    broken: Option<(i32, u32, Place)>,
}

impl Steps {
    /// Adds a step. Returns the frame at which a steady movement skipped once, as soon as it continues. Steps are `rounded` to multiples of
    /// that, so equal ones may differ by as much.
    fn next(&mut self, step: i32, rounded: i32, (frame, place): (u32, Place)) -> Option<(u32, Place)> {
        let same = |a: i32, b: i32| a.abs_diff(b) <= rounded as u32;
        let skipped = self.broken.take().filter(|(before, ..)| same(*before, step)).map(|(_, frame, place)| (frame, place));
        if same(step, self.step) {
            self.run += 1;
            return skipped;
        }
        if self.run >= STEADY && self.step.abs() > 2 * rounded {
            self.broken = Some((self.step, frame, place));
        }
        (self.step, self.run) = (step, 1);
        skipped
    }
}

impl Continuity {
    /// Starts before the first of `frames` frames.
    pub(super) fn new(frames: u64) -> Self {
        Continuity { all_frames: frames, ..Continuity::default() }
    }

    /// Starts a level with its full state.
    pub(super) fn begin(&mut self, dialect: &Dialect, after: &InPlace) {
        self.steps.clear();
        self.remember(dialect, after);
    }

    /// Adds the next frame of the recording, with the state after it.
    pub(super) fn frame(&mut self, place: Place, dialect: &Dialect, frame: &MvdFrame, after: &InPlace) {
        let here = (self.frames, place);
        self.frames += 1;
        let mut absent = 0;
        let mut redundant = 0;
        let states: HashMap<u8, &PlayerState> = after.known_players().map(|(player, _, state)| (player, state)).collect();
        for player in &frame.players {
            match (self.players.get(&player.number), states.get(&player.number)) {
                (None, _) => absent += u32::from(player.removes(dialect)),
                (Some(before), Some(now)) if !player.removes(dialect) => {
                    redundant += of_player(dialect, player, before, now);
                    self.picture(here, true, before.row[player::GUNFRAME], now.row[player::GUNFRAME]);
                }
                _ => {}
            }
        }
        let mut rows = HashMap::new();
        after.entities(dialect.line, |entity, row| {
            rows.insert(entity, *row);
        });
        for delta in &frame.entities.deltas {
            match (self.entities.get(&delta.number), rows.get(&delta.number)) {
                (None, _) => absent += u32::from(delta.removes()),
                (Some(before), Some(now)) if !delta.removes() => redundant += of_entity(delta, before, now),
                _ => {}
            }
        }
        for (&entity, now) in &rows {
            let Some(before) = self.entities.get(&entity).copied() else { continue };
            self.picture(here, false, before[entity::FRAME], now[entity::FRAME]);
            for at in (entity::ORIGIN_X..=entity::ORIGIN_Z).chain(entity::ANGLES_X..=entity::ANGLES_Z) {
                let step = now[at].wrapping_sub(before[at]) as i32;
                // Angles are 65536ths of a turn.
                let (step, rounded) = if at < entity::ANGLES_X { (step, 1) } else { (i32::from(step as i16), 256) };
                if let Some(skipped) = self.steps.entry((entity, at)).or_default().next(step, rounded, here) {
                    self.find(skipped, Break::Skip, 1);
                }
            }
        }
        self.steps.retain(|(entity, _), _| rows.contains_key(entity));
        for (what, times) in [(Break::Redundant, redundant), (Break::Absent, absent)] {
            if times > 0 {
                self.find(here, what, times);
            }
        }
        self.remember(dialect, after);
    }

    fn find(&mut self, (number, place): (u32, Place), what: Break, times: u32) {
        let count = self.counts.entry(what).or_default();
        if *count > most(self.all_frames) {
            return;
        }
        let found = self.found.entry((number, what)).or_insert((place, 0));
        *count += u64::from(found.1 == 0);
        found.1 += times;
        self.forget_usual(what, self.all_frames);
    }

    /// Forgets the findings of this kind if too many of the `frames` frames have them.
    fn forget_usual(&mut self, what: Break, frames: u64) {
        if self.counts.get(&what).is_some_and(|count| *count > most(frames)) {
            self.found.retain(|(_, found), _| *found != what);
        }
    }

    fn picture(&mut self, here: (u32, Place), gun: bool, before: u32, now: u32) {
        if before == now {
            return;
        }
        let picture = self.pictures.entry((gun, now)).or_default();
        if now == before.wrapping_add(1) {
            picture.steps += 1;
        } else {
            picture.jumps += 1;
            picture.jump.get_or_insert(here);
        }
    }

    fn remember(&mut self, dialect: &Dialect, after: &InPlace) {
        self.players.clear();
        self.players.extend(after.known_players().filter(|(_, in_game, _)| *in_game).map(|(player, _, state)| (player, state.clone())));
        self.entities.clear();
        after.entities(dialect.line, |entity, row| {
            self.entities.insert(entity, *row);
        });
    }

    /// Returns the findings by frame, without what the whole recording does.
    pub(super) fn finish(mut self) -> Found {
        let mut entered: BTreeMap<u32, (Place, u32)> = BTreeMap::new();
        for picture in self.pictures.values().filter(|picture| picture.jumps == 1 && picture.steps >= USUAL) {
            if let Some((number, place)) = picture.jump {
                entered.entry(number).or_insert((place, 0)).1 += 1;
            }
        }
        for (number, (place, times)) in entered.into_iter().filter(|(_, (_, times))| *times >= 2) {
            self.find((number, place), Break::Animation, times);
        }
        for what in [Break::Redundant, Break::Absent, Break::Skip, Break::Animation] {
            self.forget_usual(what, self.frames.into());
        }
        self.found
    }
}

/// The player fields that are sent unchanged.
fn of_player(dialect: &Dialect, sent: &MvdPlayer, before: &PlayerState, now: &PlayerState) -> u32 {
    let bits = (0..player::PPS_STATS.trailing_zeros()).map(|bit| dialect.player.touched(sent.delta.mask & 1 << bit));
    let unchanged = |slots: &u128| *slots != 0 && (0..player::SLOTS).filter(|at| slots >> at & 1 != 0).all(|at| before.row[at] == now.row[at]);
    let fields = bits.filter(unchanged).count() as u32;
    let stats = (0..64).filter(|&at| sent.delta.stats_mask >> at & 1 != 0 && before.stats[at] == now.stats[at]).count() as u32;
    fields + stats
}

/// The entity fields that are sent unchanged.
fn of_entity(sent: &EntityDelta, before: &entity::Row, now: &entity::Row) -> u32 {
    use entity::*;
    let fields = [
        (U_ORIGIN1, ORIGIN_X),
        (U_ORIGIN2, ORIGIN_Y),
        (U_ORIGIN3, ORIGIN_Z),
        (U_ANGLE1, ANGLES_X),
        (U_ANGLE2, ANGLES_Y),
        (U_ANGLE3, ANGLES_Z),
        (U_FRAME8 | U_FRAME16, FRAME),
        (U_SKIN8 | U_SKIN16, SKINNUM),
        (U_EFFECTS8 | U_EFFECTS16, EFFECTS),
        (U_RENDERFX8 | U_RENDERFX16, RENDERFX),
        (U_MODEL, MODELINDEX),
        (U_MODEL2, MODELINDEX2),
        (U_SOLID, SOLID),
    ];
    fields.into_iter().filter(|&(bits, at)| sent.mask & bits != 0 && before[at] == now[at]).count() as u32
}
