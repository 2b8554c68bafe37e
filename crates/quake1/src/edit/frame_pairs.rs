//! Matches the frames of two recordings by time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// The time of a frame, by a clock that both recordings have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FrameTime {
    /// The number of levels before.
    pub level: u32,
    /// The time, or the packet's sequence number.
    pub at: i64,
}

/// A source frame, if there is one, and a frame of the edited recording.
pub(super) type Pair = (Option<usize>, usize);

/// Frames with one time: the first, and the one after the last.
#[derive(Debug, Clone, Copy)]
struct Run {
    when: FrameTime,
    from: usize,
    to: usize,
}

fn runs(frames: &[FrameTime]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, &when) in frames.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.when == when => run.to = at + 1,
            _ => runs.push(Run { when, from: at, to: at + 1 }),
        }
    }
    runs
}

/// The limit on offsets that are tried.
const MOST_WAYS: usize = 8;
/// The limit on levels that are counted for one time.
const MOST_VOTES: usize = 64;

/// The possible numbers of source levels before the edited recording's first, likely ones first, and the number of frames that match
/// at the first. There is more than one if a map was played again with frames at the same times.
pub(super) fn level_offsets(source: &[FrameTime], edited: &[FrameTime]) -> (Vec<i64>, usize) {
    let mut levels: HashMap<i64, Vec<u32>> = HashMap::new();
    for run in runs(source) {
        let of = levels.entry(run.when.at).or_default();
        if of.len() < MOST_VOTES && of.last() != Some(&run.when.level) {
            of.push(run.when.level);
        }
    }
    let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
    for run in runs(edited) {
        for &level in levels.get(&run.when.at).map(Vec::as_slice).unwrap_or_default() {
            *votes.entry(i64::from(level) - i64::from(run.when.level)).or_default() += run.to - run.from;
        }
    }
    let most = votes.values().max().copied().unwrap_or_default();
    let level_offsets: Vec<i64> = votes.into_iter().filter(|(_, votes)| *votes == most).map(|(way, _)| way).take(MOST_WAYS).collect();
    (if level_offsets.is_empty() { vec![0] } else { level_offsets }, most)
}

/// The pairs of frames with the same time, with the edited recording's first level at `way` in the source.
/// `alike` says that each frame of one is a frame of the other. If the source has more frames at a time, the last ones count.
pub(super) fn pairs(source: &[FrameTime], edited: &[FrameTime], way: i64, alike: bool) -> Vec<Pair> {
    let source = runs(source);
    let mut by_time: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (at, run) in source.iter().enumerate() {
        by_time.entry((run.when.level.into(), run.when.at)).or_default().push(at);
    }
    let mut next = 0;
    let mut pairs = Vec::new();
    let edited = runs(edited);
    let last = edited.len().saturating_sub(1);
    for (number, Run { when, from, to }) in edited.into_iter().enumerate() {
        // the next occurrence of this time in the source
        let run = by_time.get(&(i64::from(when.level) + way, when.at)).and_then(|runs| runs.get(runs.partition_point(|&at| at < next)));
        let run = run.map(|&at| {
            next = at + 1;
            &source[at]
        });
        for at in from..to {
            // a part may end within a moment, and has its first frames
            if let Some(run) = run.filter(|run| number == last && number > 0 && alike && run.to - run.from > to - from) {
                pairs.push((Some(run.from + at - from), at));
                continue;
            }
            pairs.push((run.and_then(|run| run.to.checked_sub(to - at)).filter(|&at| run.is_some_and(|run| at >= run.from)), at));
        }
    }
    pairs
}

/// Counts a vote for each matching frame offset, up to this many per frame.
const MOST_PLACES: usize = 4_000_000;

/// The possible numbers of source frames before those of an edited recording that has consecutive frames of it. Offsets with the most identical frames
/// come first; offsets with less than half of that are left out. Frames are given by hashes of their bytes.
pub(super) fn frame_offsets(source: &[u64], edited: &[u64]) -> Vec<usize> {
    let Some(most) = source.len().checked_sub(edited.len()) else { return Vec::new() };
    // a loop in the game repeats frames
    let mut frame_offsets: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, &frame) in source.iter().enumerate() {
        let same = frame_offsets.entry(frame).or_default();
        if same.len() < MOST_PLACES / edited.len().max(1) {
            same.push(at);
        }
    }
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, frame) in edited.iter().enumerate() {
        for before in frame_offsets.get(frame).into_iter().flatten().filter_map(|place| place.checked_sub(at)).filter(|before| *before <= most) {
            *votes.entry(before).or_default() += 1;
        }
    }
    let mut likely: Vec<(usize, usize)> = votes.into_iter().collect();
    // while the clock stands still, a part has the last frames
    likely.sort_by_key(|(before, votes)| Reverse((*votes, *before)));
    let least = likely.first().map_or(0, |(_, votes)| votes / 2);
    likely.into_iter().take_while(|(_, votes)| *votes > least).map(|(before, _)| before).take(MOST_WAYS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(list: &[(u32, i64)]) -> Vec<FrameTime> {
        list.iter().map(|&(level, at)| FrameTime { level, at }).collect()
    }

    /// Two levels with the same times: a part of the second does not match the first.
    #[test]
    fn levels_are_told_apart() {
        let source = frames(&[(1, 0), (1, 10), (1, 20), (2, 0), (2, 10), (2, 20), (2, 30)]);
        let part = frames(&[(1, 20), (1, 30)]);
        assert_eq!(level_offsets(&source, &part), (vec![1], 2));
        assert_eq!(pairs(&source, &part, 1, true), [(Some(5), 0), (Some(6), 1)]);
        assert_eq!(level_offsets(&source, &part[..1]), (vec![0, 1], 1));
        assert_eq!(level_offsets(&source, &frames(&[(7, 99)])), (vec![0], 0));
    }

    #[test]
    fn a_part_stands_where_most_frames_are_its_own() {
        // the first frame was re-encoded
        assert_eq!(frame_offsets(&[7, 8, 7, 9], &[70, 8, 7]), [0]);
        assert_eq!(frame_offsets(&[7, 8, 7, 8, 9], &[7, 8]), [2, 0]);
        assert_eq!(frame_offsets(&[7], &[7, 8]), [0; 0]);
        let mut circle: Vec<u64> = (0..2000).map(|at| at % 10).collect();
        circle[1500] = 99;
        assert_eq!(frame_offsets(&circle, &circle[1000..1600])[0], 1000);
        // a repeated frame matches at an offset where nothing else does
        assert_eq!(frame_offsets(&[1, 2, 3, 4, 1, 5, 6, 7], &[1, 2, 3, 4]), [0]);
    }

    /// A level entered again: the same times come twice.
    #[test]
    fn clocks_may_start_again() {
        let source = frames(&[(1, 5), (1, 6), (1, 5), (1, 6), (1, 7)]);
        assert_eq!(pairs(&source, &source, 0, true), (0..5).map(|at| (Some(at), at)).collect::<Vec<_>>());
    }
}
