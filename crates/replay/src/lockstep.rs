//! Two recordings of the same game, frame by frame.

use std::collections::{HashMap, HashSet};

use model::Comparison;

use crate::FrameAt;

/// Most differences that are put into words.
pub const MOST_DIFFERENCES: usize = 10;

/// What two frames of one moment have to do with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// They say the same.
    Same,
    /// They do not; what differs, in words.
    Differs(String),
    /// One of the recordings cannot be played so far: the comparison ends.
    Unplayable,
}

/// Compares the frames of `edited` with those of `source` that they are made from. `judge` plays both recordings up to the frames it
/// is given, which come in order, and says whether they agree.
///
/// ```
/// use replay::{FrameAt, lockstep::{Verdict, compare}};
///
/// let at = |message: u32| FrameAt { message, key: message.into(), ..FrameAt::default() };
/// let source: Vec<FrameAt> = (0..5).map(at).collect();
/// let comparison = compare(&source, &source[2..], &mut |old, new| {
///     if old.message == 3 { Verdict::Differs(String::from("health is 5 instead of 100")) } else { Verdict::Same }
/// });
/// assert_eq!((comparison.frames, comparison.differing), (3, 1));
/// ```
pub fn compare(source: &[FrameAt], edited: &[FrameAt], judge: &mut dyn FnMut(&FrameAt, &FrameAt) -> Verdict) -> Comparison {
    let mut comparison = Comparison::default();
    for (old, new) in pairs(source, edited) {
        let verdict = judge(&old, &new);
        if verdict == Verdict::Unplayable {
            break;
        }
        comparison.frames += 1;
        if let Verdict::Differs(what) = verdict {
            comparison.differing += 1;
            if comparison.differences.len() < MOST_DIFFERENCES {
                comparison.differences.push(format!("{}, server time {}: {what}", new.demo, new.server));
            }
        }
    }
    comparison
}

/// The frames of `source` that those of `edited` are made from, level by level.
pub fn pairs(source: &[FrameAt], edited: &[FrameAt]) -> Vec<(FrameAt, FrameAt)> {
    let (old, new) = (levels(source), levels(edited));
    let mut pairs = Vec::new();
    let mut next = 0;
    for frames in new {
        // the level with the most frames of the same key and time, else of the same time
        let both: HashSet<(i64, i64)> = frames.iter().map(|frame| (frame.key, frame.server.0)).collect();
        let times: HashSet<i64> = frames.iter().map(|frame| frame.server.0).collect();
        let score = |level: &[FrameAt]| {
            let same = level.iter().filter(|frame| both.contains(&(frame.key, frame.server.0))).count();
            (same, level.iter().filter(|frame| times.contains(&frame.server.0)).count())
        };
        let best = old.iter().enumerate().skip(next).map(|(level, frames)| (score(frames), std::cmp::Reverse(level))).max();
        let Some(((numbered, timed), std::cmp::Reverse(level))) = best.filter(|(score, _)| score.1 > 0) else { continue };
        next = level;
        // edits that number frames anew leave the times
        let by_number = numbered * 2 > timed;
        pairs.extend(paired(old[level], frames, |frame| (if by_number { frame.key } else { 0 }, frame.server.0)));
    }
    pairs
}

fn levels(frames: &[FrameAt]) -> Vec<&[FrameAt]> {
    frames.chunk_by(|a, b| a.level == b.level).collect()
}

/// Frames with the same key, in order. Where an edit took some of several with one key, nothing tells which.
fn paired(old: &[FrameAt], new: &[FrameAt], key: impl Fn(&FrameAt) -> (i64, i64)) -> Vec<(FrameAt, FrameAt)> {
    let mut places: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (at, frame) in old.iter().enumerate().rev() {
        places.entry(key(frame)).or_default().push(at);
    }
    let mut counts: HashMap<(i64, i64), usize> = HashMap::new();
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::Milliseconds;

    fn frames(of: &[(u32, i64, i64)]) -> Vec<FrameAt> {
        of.iter()
            .enumerate()
            .map(|(at, &(level, key, server))| FrameAt { message: at as u32, key, level, server: Milliseconds(server), ..FrameAt::default() })
            .collect()
    }

    fn messages(source: &[FrameAt], edited: &[FrameAt]) -> Vec<(u32, u32)> {
        pairs(source, edited).iter().map(|(old, new)| (old.message, new.message)).collect()
    }

    #[test]
    fn levels_whose_clocks_show_the_same_are_told_apart_by_their_keys() {
        let source = frames(&[(0, 1, 100), (0, 2, 200), (1, 11, 100), (1, 12, 200), (1, 13, 300)]);
        assert_eq!(messages(&source, &frames(&[(0, 12, 200), (0, 13, 300)])), [(3, 0), (4, 1)]);
        assert_eq!(messages(&source, &source), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]);
    }

    #[test]
    fn frames_that_are_numbered_anew_go_by_their_times() {
        let source = frames(&[(0, 1, 100), (0, 2, 200), (0, 3, 300)]);
        assert_eq!(messages(&source, &frames(&[(0, 71, 200), (0, 72, 300)])), [(1, 0), (2, 1)]);
    }

    #[test]
    fn of_several_frames_with_one_key_none_is_guessed() {
        let source = frames(&[(0, 1, 100), (0, 2, 200), (0, 2, 200), (0, 3, 300)]);
        assert_eq!(messages(&source, &frames(&[(0, 1, 100), (0, 2, 200), (0, 3, 300)])), [(0, 0), (3, 2)]);
        assert_eq!(messages(&source, &[]), []);
    }

    #[test]
    fn differences_are_counted_and_the_first_ten_named() {
        let source: Vec<FrameAt> = frames(&(0..30).map(|at| (0, at, at * 10)).collect::<Vec<_>>());
        let comparison = compare(&source, &source, &mut |old, _| match old.message {
            25 => Verdict::Unplayable,
            at if at % 2 == 0 => Verdict::Same,
            _ => Verdict::Differs(String::from("x")),
        });
        assert_eq!((comparison.frames, comparison.differing, comparison.differences.len()), (25, 12, MOST_DIFFERENCES));
    }
}
