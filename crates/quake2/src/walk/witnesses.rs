//! Frame numbers that the frames around them contradict. Frame numbers are the only clock of a recording, so one damaged number would
//! otherwise change every time after it.

use crate::container::dm2::Blocks;
use crate::dialect::FrameHeader;
use crate::message::{Body, Context, Frame, Reader};
use crate::state::Clock;

/// The number of later frames to ask.
const FRAMES: usize = 3;
/// The same where a piece of the recording may stand in another place: fewer than an edit moves, and more than a sector holds.
const MOVED_FRAMES: usize = 16;
/// The maximum number of blocks in which to look for them.
pub(super) const BLOCKS: usize = 24;
/// The maximum age of a delta base in any engine, in frames.
const BASES: i64 = 64;
/// Ten minutes in most games: the longest time that is believed to pass between two frames because of a single number.
const LONG: i64 = 6000;

/// Whether the frames around `frame` contradict its number. `rest` is the rest of its block, `following` the blocks after it, and
/// `clock` stands at the frame before.
#[inline]
pub(super) fn contradict(frame: &Frame, clock: &Clock, cx: &Context, rest: &[u8], following: &Blocks<'_>) -> bool {
    let number = i64::from(frame.number);
    let last = clock.begun().then(|| clock.number());
    // Doubled frames are no damage.
    if last.is_some_and(|last| number == last + 1 || number == last) {
        return false;
    }
    if is_contradicted(frame, last, &later(cx, rest, following, FRAMES), cx.dialect.frame == FrameHeader::Server) {
        return true;
    }
    last.is_some_and(|last| (number - last).abs() > BASES && is_elsewhere(number, last, &later(cx, rest, following, MOVED_FRAMES)))
}

/// Whether later frames go on from the last one behind a piece of the recording that stands in another place.
fn is_elsewhere(number: i64, last: i64, later: &[(i64, i64)]) -> bool {
    later.iter().any(|(next, _)| (last + 1..=last + BASES).contains(next) && (number < last || *next < number))
}

#[cold]
fn is_contradicted(frame: &Frame, last: Option<i64>, later: &[(i64, i64)], every: bool) -> bool {
    let number = i64::from(frame.number);
    let numbers: Vec<i64> = later.iter().map(|(number, _)| *number).collect();
    let rises = numbers.is_sorted_by(|a, b| a < b);
    match (last, &numbers[..]) {
        // No later frame. The base of this one is no more than some frames older, and close to the last.
        (Some(last), []) => {
            let base = i64::from(frame.delta);
            let by_base = base > 0 && !(1..=BASES).contains(&(number - base)) && (base - last).abs() <= BASES;
            by_base || every && number - last > BASES
        }
        // The later frames go on from the last one as if this one were not there.
        (Some(last), [next, more @ ..]) => {
            let goes_on = *next > last && rises && (!more.is_empty() || *next - last <= BASES);
            let in_between = number > last && number < *next;
            goes_on && !in_between && (number > last || *next - last <= LONG)
        }
        (None, [next, _, third]) => {
            let base = later[0].1;
            let by_base = base > number && *next - number > BASES;
            rises && *third - *next <= BASES && (number >= *next || *next - number > LONG || by_base)
        }
        (None, _) => false,
    }
}

/// The numbers and bases of the next frames of this level.
#[cold]
fn later(cx: &Context, rest: &[u8], following: &Blocks<'_>, most: usize) -> Vec<(i64, i64)> {
    let mut reader = Reader::new(cx.dialect).skimming(true);
    reader.context = cx.clone();
    let (mut list, mut over) = (Vec::new(), false);
    let blocks = following.clone().take(BLOCKS).map(|block| block.data);
    for data in std::iter::once(rest).chain(blocks) {
        // What cannot be read says nothing.
        let _ = reader.block(data, |message, _, _| {
            match &message.body {
                Body::Frame(frame) => list.push((frame.number.into(), frame.delta.into())),
                Body::ServerData(_) => over = true,
                _ => {}
            }
            over |= list.len() == most;
            !over
        });
        if over {
            break;
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(number: i32, delta: i32, last: Option<i64>, later: &[i64]) -> bool {
        let later: Vec<(i64, i64)> = later.iter().map(|&number| (number, number - 1)).collect();
        is_contradicted(&Frame { number, delta, ..Frame::default() }, last, &later, false)
    }

    #[test]
    fn a_moved_piece_is_known_by_what_goes_on_behind_it() {
        let later = |numbers: &[i64]| numbers.iter().map(|&number| (number, number - 1)).collect::<Vec<_>>();
        assert!(is_elsewhere(900, 10, &later(&[901, 902, 903, 904, 12, 13])), "ahead");
        assert!(is_elsewhere(10, 900, &later(&[11, 12, 13, 14, 902, 903])), "back");
        assert!(!is_elsewhere(900, 10, &later(&[901, 902, 903, 904, 905])), "a long gap");
        assert!(!is_elsewhere(1, 900, &later(&[2, 3, 4, 5, 6])), "a level");
    }

    #[test]
    fn later_frames_tell_damage_from_gaps_and_levels() {
        // Damaged numbers.
        assert!(judged(90_000, 10, Some(10), &[12, 13, 14]));
        assert!(judged(3, 10, Some(10), &[12, 13, 14]));
        assert!(judged(13, 10, Some(10), &[12, 13, 14]));
        assert!(judged(90_000, 10, Some(10), &[12]));
        assert!(judged(90_000, 10, Some(10), &[]));
        assert!(judged(90_000, -1, None, &[12, 13, 14]));
        assert!(judged(1, -1, None, &[90_012, 90_013, 90_014]));
        // Lost packets, and the next level of a server.
        assert!(!judged(90_000, 89_999, Some(10), &[90_001, 90_002, 90_003]));
        assert!(!judged(12, 10, Some(10), &[13, 14, 15]));
        assert!(!judged(1, -1, Some(10), &[2, 3, 4]));
        assert!(!judged(1, -1, None, &[2, 3, 4]));
        assert!(!judged(40, 30, Some(1), &[]));
    }
}
