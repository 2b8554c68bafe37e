//! Compares an edited recording with its source: the states of the frames that both have.

use std::hash::{DefaultHasher, Hash, Hasher};

use fragreel_model::replay::lockstep::{self, By, Verdict};
use fragreel_model::replay::{Advance, CheckpointedWalk, FrameAt};
use fragreel_model::{Comparison, Milliseconds};

use super::EditSource;
use super::translate::has_several_views;
use super::view::View;
use crate::detect::Framing;
use crate::dialect::Dialect;
use crate::encode::reencode::MAX_STEPS;
use crate::fields::{entity, player};
use crate::message::{Body, Message, MvdBody, MvdMessage};
use crate::state::{Effect, State, aged};
use crate::walk::timeline::Run;
use crate::walk::{At, Input, Playback, Visitor, WalkOptions};

fn hash(value: impl Hash) -> i64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish() as i64
}

/// Converts a frame of the source to the form that the edited recording has.
type ViewFn<'p> = dyn Fn(&State) -> View + 'p;

/// Compares recordings with their source. Takes one walk over the source if they come in the order of their frames there.
pub(crate) struct Comparer<'a> {
    /// How the source is read.
    source: Input<'static>,
    /// The dialects of the levels of the source.
    dialects: Vec<Dialect>,
    /// The walk over the source, before the frames that are looked at.
    start: Playback<'a>,
    /// The frames of the source that are looked at.
    part: Run,
    /// The frames of the source, once a recording in the same format was compared.
    frames: Option<Vec<FrameAt>>,
    player: CheckpointedWalk<FramePlayer<'a>>,
}

impl<'a> Comparer<'a> {
    pub(crate) fn new(source: &EditSource<'a>) -> Self {
        let input = source.input;
        Comparer::of_part(&input, source.timeline().dialects.clone(), playback(&input), Run { first: 0, last: u64::MAX })
    }

    /// Looks at some frames of the source only. `start` is a walk that stands before them, in a chunk that shows them.
    pub(super) fn of_part(source: &Input<'_>, dialects: Vec<Dialect>, start: Playback<'a>, part: Run) -> Self {
        let player = CheckpointedWalk::new(FramePlayer::new(start.clone(), &View::of));
        Comparer { source: source.over(&[]), dialects, start, part, frames: None, player }
    }
}

impl Comparer<'_> {
    /// Like [`Recording::compare`](crate::Recording::compare).
    pub(crate) fn compare(&mut self, edited: &Input<'_>) -> Comparison {
        let (from, to) = (&self.source, edited);
        let multi = from.container == Framing::Mvd2;
        let dialect = dialect_of_frames(edited);
        if from.container == to.container && self.dialects.iter().any(|level| same_layout(level, &dialect)) {
            // Frames of an MVD2 have no numbers, so match them by content.
            let by = if multi { By::Key } else { By::KeyAndTime };
            let frames = self.frames.get_or_insert_with(|| FramePlayer::new(self.start.clone(), &View::of).frames(by, 0, self.part));
            return compare_frames(frames, &mut self.player, edited, CompareOptions { by, same: true, multi, relative: false });
        }
        let shown = super::convert::converted_view(&self.source, edited);
        // in recordings of all players, numbers of frames count from the first of a level
        let relative = has_several_views(edited);
        let shift = if multi && !relative { super::frame_number::FIRST_FRAME } else { 0 };
        let player = FramePlayer { relative, ..FramePlayer::new(self.start.clone(), &*shown) };
        let frames = player.clone().frames(By::KeyAndTime, shift, self.part);
        let options = CompareOptions { by: By::KeyAndTime, same: false, multi: to.container == Framing::Mvd2, relative };
        compare_frames(&frames, &mut CheckpointedWalk::new(player), edited, options)
    }
}

/// How to compare an edited recording with its source.
#[derive(Clone, Copy)]
struct CompareOptions {
    by: By,
    /// Whether it must contain everything in the source.
    same: bool,
    /// Whether it has several views.
    multi: bool,
    /// Whether frames are found by their numbers from the first of a level on.
    relative: bool,
}

fn compare_frames(
    old: &[FrameAt],
    player: &mut CheckpointedWalk<FramePlayer<'_>>,
    edited: &Input<'_>,
    CompareOptions { by, same, multi, relative }: CompareOptions,
) -> Comparison {
    let mut after = FramePlayer { relative, ..FramePlayer::new(playback(edited), &View::of) };
    let (new, steps) = after.clone().frames_and_steps(by);
    let mut before = None;
    lockstep::compare(old, &new, by, &mut |old, new| {
        if !after.play_to(new.message) {
            return Verdict::Unplayable;
        }
        let difference = match old {
            // MVD2 has a frame for each that the source lacks
            None if relative && multi && after.repeats => return Verdict::Uncounted,
            None => Some(String::from("the source has no such frame")),
            Some(old) => {
                let before = player.follow(&mut before, old.message);
                if !before.play_to(old.message) {
                    return Verdict::Unplayable;
                }
                difference(&after.view, &before.view, same, if same { &[] } else { &after.late })
            }
        };
        match difference {
            None => Verdict::Same,
            Some(_) if !multi && steps[new.message as usize] => Verdict::Uncounted,
            Some(difference) => Verdict::Differs(difference),
        }
    })
}

/// Plays a recording frame by frame.
#[derive(Clone)]
struct FramePlayer<'r> {
    playback: Playback<'r>,
    view_of: &'r ViewFn<'r>,
    /// The number of complete frames so far.
    count: u32,
    /// The last complete frame.
    view: View,
    /// The entities that a full frame does not mention, and whose changes may therefore be postponed.
    late: Vec<u16>,
    /// The size of the current frame in bytes.
    length: usize,
    /// Whether frames are numbered from the first of a level on: that level, and its first number.
    relative: bool,
    first: (u32, i64),
    /// Whether the last frame changed nothing.
    repeats: bool,
}

/// The walk over all of a recording.
fn playback<'a>(input: &Input<'a>) -> Playback<'a> {
    input.playback(WalkOptions { parcels: false, ..input.walk_options() })
}

/// The maximum size of an entity in protocol 34. A frame with this much room left could have held another one.
const LONGEST_ENTITY: usize = 64;

impl<'r> FramePlayer<'r> {
    fn new(playback: Playback<'r>, view_of: &'r ViewFn<'r>) -> Self {
        FramePlayer { playback, view_of, count: 0, view: View::default(), late: Vec::new(), length: 0, relative: false, first: (0, 0), repeats: false }
    }

    /// Advances to the next complete frame and reads it.
    fn next(&mut self) -> bool {
        let there = self.next_frame();
        if there {
            self.read_view();
        }
        there
    }

    /// Advances to the next complete frame. [`read_view`](Self::read_view) reads it.
    fn next_frame(&mut self) -> bool {
        let mut stop = FrameStop { frame: false, length: self.length };
        while self.playback.step(&mut stop) {}
        self.length = stop.length;
        self.count += u32::from(stop.frame);
        stop.frame
    }

    /// Reads the current frame.
    fn read_view(&mut self) {
        let state = &self.playback.state;
        let last = std::mem::replace(&mut self.view, (self.view_of)(state));
        self.late.clear();
        let line = state.dialect.line;
        self.repeats = self.relative
            && last.players == self.view.players
            && last.entities.len() == self.view.entities.len()
            && last.entities.iter().zip(&self.view.entities).all(|(before, now)| before.0 == now.0 && aged(&before.1, line) == aged(&now.1, line));
        if self.length + LONGEST_ENTITY > state.dialect.safe_block() {
            let before =
                |number: u16| last.entities.binary_search_by_key(&number, |(known, _)| *known).ok().map(|at| aged(&last.entities[at].1, state.dialect.line));
            self.late.extend(self.view.entities.iter().filter(|(number, row)| before(*number) == Some(*row)).map(|(number, _)| *number));
        }
    }

    /// The frames of a part, by their position among the complete ones.
    fn frames(mut self, by: By, shift: i64, part: Run) -> Vec<FrameAt> {
        self.view_of = &View::of;
        let next = |player: &mut Self| if by == By::Key { player.next() } else { player.next_frame() };
        let all = std::iter::from_fn(|| next(&mut self).then(|| (self.playback.state.clock.frames(), self.place(by, shift))));
        all.take_while(|(number, _)| *number <= part.last).filter(|(number, _)| *number >= part.first).map(|(_, frame)| frame).collect()
    }

    /// Like [`frames`](Self::frames), and whether each frame only prepares the first frame of a level.
    fn frames_and_steps(mut self, by: By) -> (Vec<FrameAt>, Vec<bool>) {
        let (mut frames, mut steps): (Vec<FrameAt>, Vec<bool>) = (Vec::new(), Vec::new());
        let (mut last, mut level, mut run, mut begins) = (View::default(), 0, 0, true);
        while self.next_frame() {
            // Inside a level, only the position of a frame matters.
            let new_level = level != self.playback.state.levels;
            if begins || new_level || by == By::Key {
                self.read_view();
            }
            let at = self.place(by, 0);
            if let Some(step) = steps.last_mut() {
                *step = begins && run < MAX_STEPS && last.prepares(&self.view);
                run = if *step { run + 1 } else { 0 };
                begins = *step || new_level;
            }
            level = self.playback.state.levels;
            frames.push(at);
            steps.push(false);
            if begins {
                last.clone_from(&self.view);
            }
        }
        (frames, steps)
    }

    /// A level that begins unannounced has the name and numbers of the level before, so all frames are searched as one level.
    fn place(&mut self, by: By, shift: i64) -> FrameAt {
        let state = &self.playback.state;
        let clock = &state.clock;
        let mut number = clock.number() + shift;
        if self.relative {
            if self.first.0 != state.levels {
                self.first = (state.levels, number);
            }
            number -= self.first.1;
        }
        let level = (state.level.servercount & 0xffff, state.strings.get(state.dialect.strings.models + 1));
        let key = if by == By::Key { hash(&self.view) } else { hash((level, number)) };
        let server = if shift == 0 && !self.relative { clock.server_time() } else { Milliseconds(number * 1000 / i64::from(clock.rate())) };
        FrameAt { message: self.count - 1, key, demo: clock.time(), server, ..FrameAt::default() }
    }
}

impl Advance for FramePlayer<'_> {
    fn at(&self) -> Option<u32> {
        self.count.checked_sub(1)
    }

    fn step(&mut self) -> bool {
        self.next()
    }
}

/// Stops a walk at every complete frame.
struct FrameStop {
    frame: bool,
    length: usize,
}

impl Visitor for FrameStop {
    fn message(&mut self, _: At, message: &mut Message, bytes: &[u8], effect: Effect, _: &State) {
        match message.body {
            Body::Frame(_) => self.length = bytes.len(),
            Body::PlayerInfo(_) | Body::PacketEntities(_) => self.length += bytes.len(),
            _ => return,
        }
        self.frame = effect == Effect::Frame && matches!(message.body, Body::Frame(_) | Body::PacketEntities(_));
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, _: &State) {
        self.frame = matches!(message.body, MvdBody::Frame(_) | MvdBody::ServerData(_));
    }

    fn done(&self) -> bool {
        self.frame
    }
}

/// The dialect of the first frame. A damaged start may look like another one.
fn dialect_of_frames(input: &Input<'_>) -> Dialect {
    let mut player = FramePlayer::new(playback(input), &View::of);
    player.next_frame();
    player.playback.state.dialect
}

pub(super) fn same_layout(a: &Dialect, b: &Dialect) -> bool {
    (a.number(), a.minor, a.frame) == (b.number(), b.minor, b.frame) && a.unicasts() == b.unicasts()
}

/// Describes the first difference. If `all`, both must be equal. Otherwise only what both contain is compared.
fn difference(copy: &View, source: &View, all: bool, late: &[u16]) -> Option<String> {
    if copy == source {
        return None;
    }
    for (number, state) in &copy.players {
        match source.players.iter().find(|(known, _)| known == number) {
            None if all => return Some(format!("player {number} is not in the source")),
            None => {}
            Some((_, known)) => {
                if let Some(at) = (0..player::SLOTS).find(|&at| state.row[at] != known.row[at]) {
                    return Some(format!(
                        "player {number}, {}: {} in the copy, {} in the source",
                        player::NAMES[at],
                        state.row[at] as i32,
                        known.row[at] as i32
                    ));
                }
                if let Some(at) = (0..64).find(|&at| state.stats[at] != known.stats[at]) {
                    return Some(format!("player {number}, stat {at}: {} in the copy, {} in the source", state.stats[at], known.stats[at]));
                }
                if state.more_stats != known.more_stats {
                    return Some(format!("player {number}, stats from 32 on"));
                }
            }
        }
    }
    let first = |view: &View, number: u16| view.entities.partition_point(|(known, _)| *known < number);
    for (place, (number, row)) in copy.entities.iter().enumerate().filter(|(_, (number, _))| late.binary_search(number).is_err()) {
        // A broken list may contain an entity twice.
        let place = first(source, *number) + place - first(copy, *number);
        match source.entities.get(place).filter(|(known, _)| known == number) {
            None if all => return Some(format!("entity {number} is not in the source")),
            None => {}
            Some((_, known)) => {
                if let Some(at) = (0..entity::SLOTS).find(|&at| row[at] != known[at]) {
                    return Some(format!("entity {number}, {}: {} in the copy, {} in the source", entity::NAMES[at], row[at] as i32, known[at] as i32));
                }
            }
        }
    }
    if all && (copy.entities.len() != source.entities.len() || copy.players.len() != source.players.len()) {
        return Some(format!(
            "{} players and {} entities in the copy, {} and {} in the source",
            copy.players.len(),
            copy.entities.len(),
            source.players.len(),
            source.entities.len()
        ));
    }
    None
}
