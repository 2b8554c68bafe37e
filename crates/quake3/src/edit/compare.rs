//! Whether the frames of an edited recording are those of its source (`docs/formats/quake3.md`, "Editing").

use std::collections::{HashMap, HashSet};

use model::{Comparison, Milliseconds};

use super::convert::Fields;
use super::source::Source;
use super::timeline::{FrameAt, Timeline};
use crate::Recording;
use crate::container::Piece;
use crate::state::{STRINGS, State};

/// What is compared besides the game's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Nothing: what a rewrite or a conversion does to strings is its purpose.
    State,
    /// The configstrings too.
    Strings,
}

/// Most differences that are told.
const TOLD: usize = 10;

pub(super) fn compare(source: &Recording<'_>, edited: &Recording<'_>, extent: Extent) -> Comparison {
    let pairs = pairs(&Timeline::of(source), &Timeline::of(edited));
    let mut comparison = Comparison::default();
    let (mut before, mut after) = (Player::new(source), Player::new(edited));
    let mut fields = Fields::new(source.dialect(), edited.dialect());
    for (old, new) in pairs {
        if !(before.play_to(old.message) && after.play_to(new.message)) {
            break;
        }
        comparison.frames += 1;
        if let Some(difference) = differ(&mut before, &mut after, &mut fields, extent) {
            comparison.differing += 1;
            if comparison.differences.len() < TOLD {
                comparison.differences.push(format!("{}, server time {}: {difference}", new.demo, Milliseconds(i64::from(new.server))));
            }
        }
    }
    comparison
}

/// A recording that is played up to a message.
struct Player<'a> {
    source: Source<'a>,
    /// Whether strings may have changed since they were last compared.
    spoken: bool,
}

impl<'a> Player<'a> {
    fn new(recording: &Recording<'a>) -> Self {
        Player { source: Source::new(recording), spoken: true }
    }

    fn play_to(&mut self, message: u32) -> bool {
        while let Some(piece) = self.source.next() {
            let Piece::Message(frame) = piece else { continue };
            let (commands, levels) = (self.source.playback.state.command_sequence(), self.source.levels);
            self.source.apply(&frame);
            self.spoken |= commands != self.source.playback.state.command_sequence() || levels != self.source.levels;
            if frame.number == message {
                return true;
            }
        }
        false
    }

    fn state(&self) -> &State {
        &self.source.playback.state
    }
}

/// The frames of the source that those of the edited recording are made from.
fn pairs(source: &Timeline, edited: &Timeline) -> Vec<(FrameAt, FrameAt)> {
    let levels = |timeline: &Timeline| -> Vec<Vec<FrameAt>> {
        let mut levels = vec![Vec::new(); timeline.levels.len()];
        for frame in &timeline.frames {
            levels[frame.level as usize].push(*frame);
        }
        levels
    };
    let (old, new) = (levels(source), levels(edited));
    let mut pairs = Vec::new();
    let mut at = 0;
    for frames in new {
        // the level with the most frames of the same sequence and time, else of the same time
        let both: HashSet<(i32, i32)> = frames.iter().map(|frame| (frame.sequence, frame.server)).collect();
        let times: HashSet<i32> = frames.iter().map(|frame| frame.server).collect();
        let score = |level: &Vec<FrameAt>| {
            let same = level.iter().filter(|frame| both.contains(&(frame.sequence, frame.server))).count();
            (same, level.iter().filter(|frame| times.contains(&frame.server)).count())
        };
        let best = old.iter().enumerate().skip(at).map(|(level, frames)| (score(frames), std::cmp::Reverse(level))).max();
        let Some(((numbered, timed), std::cmp::Reverse(level))) = best.filter(|(score, _)| score.1 > 0) else { continue };
        at = level;
        // edits that number messages anew leave the times
        let by_number = numbered * 2 > timed;
        let key = |frame: &FrameAt| (if by_number { frame.sequence } else { 0 }, frame.server);
        pairs.extend(paired(&old[level], &frames, key));
    }
    pairs
}

/// Frames with the same key, in order. Where an edit took some of several with one key, nothing tells which.
fn paired(old: &[FrameAt], new: &[FrameAt], key: impl Fn(&FrameAt) -> (i32, i32)) -> Vec<(FrameAt, FrameAt)> {
    let mut places: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
    for (at, frame) in old.iter().enumerate().rev() {
        places.entry(key(frame)).or_default().push(at);
    }
    let mut counts: HashMap<(i32, i32), usize> = HashMap::new();
    for frame in new {
        *counts.entry(key(frame)).or_default() += 1;
    }
    places.retain(|key, list| counts.get(key) == Some(&list.len()));
    let mut pairs: Vec<(FrameAt, FrameAt)> = Vec::new();
    let mut next = 0;
    for frame in new {
        let Some(list) = places.get_mut(&key(frame)) else { continue };
        while let Some(at) = list.pop() {
            if at >= next {
                next = at + 1;
                pairs.push((old[at], *frame));
                break;
            }
        }
    }
    pairs
}

/// The first difference between two frames.
fn differ(before: &mut Player<'_>, after: &mut Player<'_>, fields: &mut Fields, extent: Extent) -> Option<String> {
    let (old, new) = (before.state(), after.state());
    let (Some(a), Some(b)) = (old.snapshot(), new.snapshot()) else { return Some(String::from("there is no frame")) };
    if a.flags != b.flags {
        return Some(format!("flags are {} instead of {}", b.flags, a.flags));
    }
    if a.area_mask != b.area_mask {
        return Some(String::from("the area mask differs"));
    }
    let player = fields.player_state(&a.player);
    if let Some(at) = (0..64).find(|&at| player.row[at] != b.player.row[at]) {
        let name = new.dialect().player.get(at).map_or("?", |field| field.name);
        return Some(format!("the player's {name} is {} instead of {}", b.player.row[at] as i32, player.row[at] as i32));
    }
    if player.arrays != b.player.arrays {
        return Some(String::from("the player's arrays differ"));
    }
    let numbers = |list: &[crate::state::EntityRef]| list.iter().map(|entity| entity.number).collect::<Vec<_>>();
    if a.entities.len() != b.entities.len() || a.entities.iter().zip(&b.entities).any(|(a, b)| a.number != b.number) {
        return Some(format!("entities {:?} instead of {:?}", numbers(&b.entities), numbers(&a.entities)));
    }
    for (a, b) in a.entities.iter().zip(&b.entities) {
        let (was, is) = (fields.entity_row(old.row(*a)), new.row(*b));
        if let Some(at) = (0..64).find(|&at| was[at] != is[at]) {
            let name = new.dialect().entity.get(at).map_or("?", |field| field.name);
            return Some(format!("entity {}'s {name} is {} instead of {}", a.number, is[at] as i32, was[at] as i32));
        }
    }
    if extent == Extent::Strings && (std::mem::take(&mut before.spoken) | std::mem::take(&mut after.spoken)) {
        let (old, new) = (before.state(), after.state());
        if let Some(index) = (0..STRINGS).find(|&index| old.string(index) != new.string(index)) {
            before.spoken = true;
            let text = |state: &State| crate::text::clean(state.string(index));
            return Some(format!("configstring {index} is `{}` instead of `{}`", text(after.state()), text(before.state())));
        }
    }
    None
}
