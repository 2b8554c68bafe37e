//! Two recordings of the same game, frame by frame.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::Comparison;

use crate::replay::FrameAt;

/// Most differences that are put into words.
const MOST_DIFFERENCES: usize = 10;

/// How often frames are looked for among several with one key in vain, before the first of them is taken for the one that is meant.
const MOST_TRIALS: u32 = 4;

/// What two frames of one moment have to do with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// They say the same.
    Same,
    /// They do not; what differs, in words.
    Differs(String),
    /// It is no frame that has to be in the source.
    Uncounted,
    /// One of the recordings cannot be played so far: the comparison ends.
    Unplayable,
}

/// Counts frames by their verdicts, and keeps the first differences in words.
#[derive(Debug, Default)]
pub struct Tally {
    /// What was counted so far.
    pub comparison: Comparison,
}

impl Tally {
    /// Takes the verdict on an edited frame.
    pub fn take(&mut self, new: &FrameAt, verdict: Verdict) {
        match verdict {
            Verdict::Uncounted | Verdict::Unplayable => return,
            Verdict::Same => {}
            Verdict::Differs(what) => {
                self.comparison.differing += 1;
                if self.comparison.differences.len() < MOST_DIFFERENCES {
                    self.comparison.differences.push(format!("{}, server time {}: {what}", new.demo, new.server));
                }
            }
        }
        self.comparison.frames += 1;
    }
}

/// By what a frame of one recording is found in the other, within a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Its key and the server's time; where most keys are others, the time alone.
    KeyAndTime,
    /// Its key alone.
    Key,
}

/// Compares the frames of `edited` with those of `source` that they are made from. `judge` plays both recordings up to the frames it
/// is given, and says whether they agree; it gets no frame of the source where that has none. Edited frames come in order. Where an edit
/// took some of several frames with one key, the next that says the same is the one: `judge` is asked again with the same edited frame,
/// and where none does, goes back in the source (a few times at most).
///
/// ```
/// use fragreel_model::replay::{FrameAt, lockstep::{By, Verdict, compare}};
///
/// let at = |message: u32| FrameAt { message, key: message.into(), ..FrameAt::default() };
/// let source: Vec<FrameAt> = (0..5).map(at).collect();
/// let comparison = compare(&source, &source[2..], By::KeyAndTime, &mut |old, _| match old {
///     Some(old) if old.message != 3 => Verdict::Same,
///     _ => Verdict::Differs(String::from("health is 5 instead of 100")),
/// });
/// assert_eq!((comparison.frames, comparison.differing), (3, 1));
/// ```
pub fn compare(source: &[FrameAt], edited: &[FrameAt], by: By, judge: &mut dyn FnMut(Option<&FrameAt>, &FrameAt) -> Verdict) -> Comparison {
    let mut tally = Tally::default();
    let old = levels(source);
    // the level of the source that is played, and its next frame
    let (mut level, mut next) = (0, 0);
    let mut trials = MOST_TRIALS;
    for frames in levels(edited) {
        let found = find_level(&old, level, frames, by);
        let mut places = found.map(|(at, numbered)| {
            (level, next) = (at, if at == level { next } else { 0 });
            Places::new(old[at], frames, by, numbered)
        });
        for new in frames {
            let mut candidates = places.as_mut().map_or_else(Vec::new, |places| places.candidates(new, next));
            if trials == 0 {
                candidates.truncate(1);
            }
            let (verdict, place) = alike(old.get(level).copied().unwrap_or_default(), &candidates, new, judge);
            trials -= u32::from(candidates.len() > 1 && verdict != Verdict::Same);
            if verdict == Verdict::Uncounted {
                // what it was held against may be a frame of later on
                continue;
            }
            next = place.map_or(next, |place| place + 1);
            if verdict == Verdict::Unplayable {
                return tally.comparison;
            }
            tally.take(new, verdict);
        }
    }
    tally.comparison
}

/// How one of some frames of a level agrees with an edited one, and which: the first that says the same, else the first.
fn alike(old: &[FrameAt], candidates: &[usize], new: &FrameAt, judge: &mut dyn FnMut(Option<&FrameAt>, &FrameAt) -> Verdict) -> (Verdict, Option<usize>) {
    let mut first = None;
    for &place in candidates {
        let verdict = judge(Some(&old[place]), new);
        if matches!(verdict, Verdict::Same | Verdict::Unplayable) {
            return (verdict, Some(place));
        }
        first.get_or_insert((verdict, Some(place)));
    }
    first.unwrap_or_else(|| (judge(None, new), None))
}

fn levels(frames: &[FrameAt]) -> Vec<&[FrameAt]> {
    frames.chunk_by(|a, b| a.level == b.level).collect()
}

/// The level of the source, from `first` on, with the most frames of the same key and time, else of the same time; and whether most
/// frames have both.
fn find_level(old: &[&[FrameAt]], first: usize, frames: &[FrameAt], by: By) -> Option<(usize, bool)> {
    let both: HashSet<(i64, i64)> = frames.iter().map(|frame| (frame.key, frame.server.0)).collect();
    let single: HashSet<i64> = frames.iter().map(|frame| if by == By::Key { frame.key } else { frame.server.0 }).collect();
    let score = |level: &[FrameAt]| {
        let same = level.iter().filter(|frame| both.contains(&(frame.key, frame.server.0))).count();
        (same, level.iter().filter(|frame| single.contains(&if by == By::Key { frame.key } else { frame.server.0 })).count())
    };
    let best = old.iter().enumerate().skip(first).map(|(level, frames)| (score(frames), Reverse(level))).max();
    let ((numbered, alike), Reverse(level)) = best.filter(|(score, _)| score.1 > 0)?;
    Some((level, numbered * 2 > alike))
}

type Key = (i64, i64);

/// Where the frames of a level are, by their keys.
struct Places {
    key: fn(&FrameAt) -> Key,
    places: HashMap<Key, Vec<usize>>,
    /// How many frames of a key the edited recording still has.
    left: HashMap<Key, usize>,
}

impl Places {
    fn new(old: &[FrameAt], frames: &[FrameAt], by: By, numbered: bool) -> Self {
        let key: fn(&FrameAt) -> Key = match by {
            By::Key => |frame| (frame.key, 0),
            By::KeyAndTime if numbered => |frame| (frame.key, frame.server.0),
            // edits that renumber frames leave the times
            By::KeyAndTime => |frame| (0, frame.server.0),
        };
        let mut found = Places { key, places: HashMap::new(), left: HashMap::new() };
        for (at, frame) in old.iter().enumerate() {
            found.places.entry(key(frame)).or_default().push(at);
        }
        for frame in frames {
            *found.left.entry(key(frame)).or_default() += 1;
        }
        found
    }

    /// The frames from `next` on that an edited one may be: as many as leave one for each that follows it.
    fn candidates(&mut self, new: &FrameAt, next: usize) -> Vec<usize> {
        let key = (self.key)(new);
        let left = self.left.get_mut(&key).map_or(0, |left| std::mem::replace(left, left.saturating_sub(1)));
        let Some(places) = self.places.get(&key) else { return Vec::new() };
        let ahead = &places[places.partition_point(|&place| place < next)..];
        ahead[..ahead.len().min(ahead.len().saturating_sub(left) + 1)].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Milliseconds;

    fn frames(of: &[(u32, i64, i64)]) -> Vec<FrameAt> {
        of.iter()
            .enumerate()
            .map(|(at, &(level, key, server))| FrameAt { message: at as u32, key, level, server: Milliseconds(server), ..FrameAt::default() })
            .collect()
    }

    /// Which frames of the source are found to say what the edited ones do, where `says` distinguishes those of one key.
    fn found(source: &[FrameAt], edited: &[FrameAt], by: By, says: impl Fn(&FrameAt, &FrameAt) -> bool) -> Vec<(Option<u32>, u32)> {
        let mut found = Vec::new();
        let comparison = compare(source, edited, by, &mut |old, new| match old {
            Some(old) if !says(old, new) => Verdict::Differs(String::from("x")),
            old => {
                found.push((old.map(|old| old.message), new.message));
                Verdict::Same
            }
        });
        assert!(comparison.frames <= edited.len() as u64);
        found
    }

    fn pairs(source: &[FrameAt], edited: &[FrameAt]) -> Vec<(Option<u32>, u32)> {
        found(source, edited, By::KeyAndTime, |_, _| true)
    }

    /// The first only prepares the next one; another of its number comes later.
    #[test]
    fn frames_that_do_not_count_take_no_place() {
        let source = frames(&[(0, 41, 4100), (0, 42, 4200), (0, 40, 4000), (0, 41, 4100), (0, 42, 4200)]);
        let edited = frames(&[(0, 40, 4000), (0, 41, 4100), (0, 42, 4200)]);
        let mut found = Vec::new();
        let comparison = compare(&source, &edited, By::KeyAndTime, &mut |old, new| {
            if new.key == 40 {
                return Verdict::Uncounted;
            }
            found.push(old.map(|old| old.message));
            Verdict::Same
        });
        assert_eq!((comparison.frames, found), (2, vec![Some(0), Some(1)]));
    }

    #[test]
    fn levels_whose_clocks_show_the_same_are_told_apart_by_their_keys() {
        let source = frames(&[(0, 1, 100), (0, 2, 200), (1, 11, 100), (1, 12, 200), (1, 13, 300)]);
        assert_eq!(pairs(&source, &frames(&[(0, 12, 200), (0, 13, 300)])), [(Some(3), 0), (Some(4), 1)]);
        assert_eq!(pairs(&source, &source), [0, 1, 2, 3, 4].map(|at| (Some(at), at)));
        assert_eq!(pairs(&source, &frames(&[(0, 12, 200), (0, 14, 300), (0, 13, 300)])), [(Some(3), 0), (None, 1), (Some(4), 2)], "not in the source");
    }

    #[test]
    fn frames_that_are_renumbered_go_by_their_times() {
        let source = frames(&[(0, 1, 100), (0, 2, 200), (0, 3, 300)]);
        assert_eq!(pairs(&source, &frames(&[(0, 71, 200), (0, 72, 300)])), [(Some(1), 0), (Some(2), 1)]);
        // and those whose clocks start again by their keys
        assert_eq!(found(&source, &frames(&[(0, 2, 0), (0, 3, 100)]), By::Key, |_, _| true), [(Some(1), 0), (Some(2), 1)]);
    }

    /// A game that stands still: an excerpt has some of several frames at one time, and each is compared.
    #[test]
    fn of_several_frames_with_one_key_none_is_dropped() {
        let source = frames(&[(0, 1, 100), (0, 2, 200), (0, 2, 200), (0, 2, 200), (0, 3, 300)]);
        let says = |shown: [u32; 3]| move |old: &FrameAt, new: &FrameAt| old.message == shown[new.message as usize];
        let excerpt = frames(&[(0, 2, 200), (0, 2, 200), (0, 3, 300)]);
        assert_eq!(found(&source, &excerpt, By::KeyAndTime, says([2, 3, 4])), [(Some(2), 0), (Some(3), 1), (Some(4), 2)]);
        assert_eq!(found(&source, &excerpt, By::KeyAndTime, says([1, 2, 4])), [(Some(1), 0), (Some(2), 1), (Some(4), 2)]);
        assert_eq!(found(&source, &excerpt, By::KeyAndTime, says([1, 9, 4])), [(Some(1), 0), (Some(4), 2)], "one that differs is said to");
        assert_eq!(found(&source, &excerpt, By::KeyAndTime, says([9, 2, 4])), [(Some(2), 1), (Some(4), 2)], "and those behind it are still found");
        let comparison = compare(&source, &excerpt, By::KeyAndTime, &mut |_, _| Verdict::Differs(String::from("x")));
        assert_eq!((comparison.frames, comparison.differing), (3, 3));
        assert_eq!(pairs(&source, &[]), []);
    }

    #[test]
    fn differences_are_counted_and_the_first_ten_named() {
        let source: Vec<FrameAt> = frames(&(0..30).map(|at| (0, at, at * 10)).collect::<Vec<_>>());
        let comparison = compare(&source, &source, By::KeyAndTime, &mut |_, new| match new.message {
            25 => Verdict::Unplayable,
            24 => Verdict::Uncounted,
            at if at % 2 == 0 => Verdict::Same,
            _ => Verdict::Differs(String::from("x")),
        });
        assert_eq!((comparison.frames, comparison.differing, comparison.differences.len()), (24, 12, MOST_DIFFERENCES));
    }
}
