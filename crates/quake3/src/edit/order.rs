//! Which messages of a recording stand in order: those with the longest series of server times that do not fall.

use std::collections::BTreeSet;

use crate::Recording;
use crate::container::{self, Frames, Piece};
use crate::message::{Depth, Message, Operation};
use crate::walk::NOT_ACTIVE;

/// The offsets of the messages that are out of order in their level: `late` ones stand too late in the file, `early` ones too early.
#[derive(Debug, Default)]
pub(super) struct OutOfOrder {
    late: BTreeSet<u64>,
    early: BTreeSet<u64>,
}

impl OutOfOrder {
    /// Reads the server times of a recording up to its end mark.
    pub(super) fn of(recording: &Recording<'_>) -> Self {
        let (mut found, mut level) = (OutOfOrder::default(), Vec::new());
        let mut head = Message::default();
        for piece in Frames::new(recording.bytes()) {
            let frame = match piece {
                Piece::Message(frame) => frame,
                Piece::End(_) => break,
                _ => continue,
            };
            // what is damaged behind its snapshot's head still states a time, but is dropped for that
            if head.read_to(container::data(recording.bytes(), &frame), recording.dialect(), Depth::Commands).is_err() {
                continue;
            }
            for operation in &head.operations {
                match operation {
                    Operation::Gamestate(_) => found.add(&std::mem::take(&mut level)),
                    // engines do not show what comes before the first of the game
                    Operation::Snapshot(snapshot) if level.is_empty() && snapshot.flags & NOT_ACTIVE != 0 => {}
                    Operation::Snapshot(snapshot) => level.push((frame.offset, snapshot.server_time)),
                    _ => {}
                }
            }
        }
        found.add(&level);
        found
    }

    /// Whether all messages are in order.
    pub(super) fn is_empty(&self) -> bool {
        self.late.is_empty() && self.early.is_empty()
    }

    /// Whether the message at this offset stands too early in the file.
    pub(super) fn is_early(&self, offset: u64) -> bool {
        self.early.contains(&offset)
    }

    /// Whether it stands too late.
    pub(super) fn is_late(&self, offset: u64) -> bool {
        self.late.contains(&offset)
    }

    fn add(&mut self, level: &[(u64, i32)]) {
        if level.is_sorted_by_key(|(_, time)| *time) {
            return;
        }
        let times: Vec<i32> = level.iter().map(|(_, time)| *time).collect();
        let in_order = longest_rising(&times);
        let mut last = i32::MIN;
        for (&(offset, time), &is_in_order) in level.iter().zip(&in_order) {
            match (is_in_order, time < last) {
                (true, _) => last = time,
                (false, true) => drop(self.late.insert(offset)),
                (false, false) => drop(self.early.insert(offset)),
            }
        }
    }
}

/// Which numbers belong to the longest series that does not fall.
fn longest_rising(numbers: &[i32]) -> Vec<bool> {
    // the last number of the best series of each length, and for each number the one before it in its series
    let (mut tails, mut before) = (Vec::<usize>::new(), vec![usize::MAX; numbers.len()]);
    for (at, number) in numbers.iter().enumerate() {
        let length = tails.partition_point(|&tail| numbers[tail] <= *number);
        before[at] = length.checked_sub(1).map_or(usize::MAX, |shorter| tails[shorter]);
        if length == tails.len() { tails.push(at) } else { tails[length] = at }
    }
    let mut belongs = vec![false; numbers.len()];
    let mut at = tails.last().copied().unwrap_or(usize::MAX);
    while let Some(belonging) = belongs.get_mut(at) {
        *belonging = true;
        at = before[at];
    }
    belongs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(numbers: &[i32]) -> Vec<usize> {
        longest_rising(numbers).iter().enumerate().filter(|(_, belongs)| !**belongs).map(|(at, _)| at).collect()
    }

    #[test]
    fn the_fewer_are_out_of_order() {
        assert_eq!(out(&[1, 2, 3, 3, 4]), [0; 0]);
        assert_eq!(out(&[1, 2, 90, 91, 3, 4, 5, 6]), [2, 3], "too early");
        assert_eq!(out(&[11, 12, 13, 1, 2, 14, 15, 16]), [3, 4], "too late");
        assert_eq!(out(&[1, 2, 3, 4, 2, 3, 4, 5]), [2, 3], "doubled");
        assert_eq!(out(&[]), [0; 0]);
    }

    #[test]
    fn places_say_which_way() {
        let mut found = OutOfOrder::default();
        found.add(&[(10, 1), (20, 900), (30, 2), (40, 3), (50, 1), (60, 4)]);
        assert!(found.is_early(20) && found.is_late(50) && !found.is_early(50) && !found.is_late(30));
    }
}
