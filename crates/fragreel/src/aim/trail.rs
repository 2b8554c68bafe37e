//! The last views of a player.

use std::collections::VecDeque;

use crate::geometry;

/// Views older than this are dropped, in milliseconds.
const KEPT: f64 = 1000.0;
/// No more views than this are kept: a second at a thousand a second.
const MOST: usize = 1024;
/// Steps without a turn are counted up to this number.
pub(super) const MOST_STILL: u32 = 20;

/// A recorded view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct View {
    /// Milliseconds since the recording's first frame.
    pub(super) time: f64,
    /// Pitch, yaw, roll.
    pub(super) angles: [f32; 3],
    /// The message that states it.
    pub(super) message: u32,
    /// The number of the packet that carried its command.
    pub(super) packet: Option<u32>,
    /// Milliseconds by which its client showed others in the past.
    pub(super) lerp: Option<f64>,
    /// The angle to the view of the user command of the same client frame.
    pub(super) offset: Option<f32>,
    /// Steps in a row up to it without a turn.
    still: u32,
}

impl View {
    pub(super) fn new(time: f64, angles: [f32; 3]) -> Self {
        View { time, angles, message: 0, packet: None, lerp: None, offset: None, still: 0 }
    }

    /// Whether it looks where another does.
    fn is_same(&self, other: &View) -> bool {
        self.angles[..2] == other.angles[..2]
    }
}

/// The views of one player, in order of time.
#[derive(Debug, Default)]
pub(super) struct Trail {
    views: VecDeque<View>,
    /// The number of the first of them.
    first: u64,
}

/// What the views up to one say.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Turns {
    pub(super) within: [Option<f32>; 3],
    pub(super) step: Option<f32>,
    pub(super) still: Option<u32>,
    /// The mean time between views.
    pub(super) msec: Option<f32>,
}

/// The windows in which turns are measured, in milliseconds.
const WINDOWS: [f64; 3] = [50.0, 100.0, 200.0];
/// Milliseconds are whole in most recordings.
const GRAIN: f64 = 1.0;

impl Trail {
    /// Forgets all: a teleport or a spawn turned the view, or it was not recorded for a while.
    pub(super) fn cut(&mut self) {
        self.first += self.views.len() as u64;
        self.views.clear();
    }

    /// Adds a view. One at the time of the last replaces it; one before it begins the trail again.
    pub(super) fn push(&mut self, mut view: View) {
        if self.views.back().is_some_and(|last| view.time < last.time || view.time - last.time > KEPT) {
            self.cut();
        }
        if let Some(last) = self.views.back() {
            view.still = if view.is_same(last) { (last.still + 1).min(MOST_STILL) } else { 0 };
        }
        self.views.push_back(view);
        while self.views.len() > MOST || self.views.front().is_some_and(|first| view.time - first.time > KEPT) {
            self.views.pop_front();
            self.first += 1;
        }
    }

    /// The number of the last view.
    pub(super) fn last(&self) -> Option<u64> {
        Some(self.first + self.views.len().checked_sub(1)? as u64)
    }

    /// The number of the view that a packet carried.
    pub(super) fn of_packet(&self, packet: u32) -> Option<u64> {
        Some(self.first + self.views.iter().rposition(|view| view.packet == Some(packet))? as u64)
    }

    /// The number of the last view up to a message.
    pub(super) fn until(&self, message: u32) -> Option<u64> {
        Some(self.first + self.views.iter().rposition(|view| view.message <= message)? as u64)
    }

    fn place(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    pub(super) fn get(&self, number: u64) -> Option<&View> {
        self.views.get(self.place(number)?)
    }

    /// The steps after a view in which nothing turned, and whether their end is known.
    pub(super) fn still_after(&self, number: u64) -> Option<(u32, bool)> {
        let at = self.place(number)?;
        let view = self.views.get(at)?;
        let count = self.views.iter().skip(at + 1).take_while(|later| later.is_same(view)).count();
        let is_over = count >= MOST_STILL as usize || at + 1 + count < self.views.len();
        Some(((count as u32).min(MOST_STILL), is_over))
    }

    /// The turns up to a view. A window is known if views reach back to its start and one of them lies in it.
    pub(super) fn turns(&self, number: u64) -> Turns {
        let Some(at) = self.place(number) else { return Turns::default() };
        let (Some(view), Some(first)) = (self.views.get(at), self.views.front()) else { return Turns::default() };
        let earlier = || self.views.range(..at).rev();
        let within = WINDOWS.map(|window| {
            let from = view.time - window;
            if first.time > from + GRAIN {
                return None;
            }
            let recent = earlier().take_while(|earlier| earlier.time >= from - GRAIN);
            recent.map(|earlier| geometry::turn(earlier.angles, view.angles)).reduce(f32::max)
        });
        let count = earlier().take_while(|earlier| earlier.time >= view.time - WINDOWS[2] - GRAIN).count();
        let oldest = at.checked_sub(count.max(1)).and_then(|oldest| self.views.get(oldest));
        let before = at.checked_sub(1).and_then(|before| self.views.get(before));
        Turns {
            within,
            step: before.map(|before| if before.is_same(view) { 0.0 } else { geometry::turn(before.angles, view.angles) }),
            still: before.map(|before| before.still),
            msec: oldest.map(|oldest| ((view.time - oldest.time) / count.max(1) as f64) as f32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(views: &[(f64, f32)]) -> Trail {
        let mut trail = Trail::default();
        views.iter().for_each(|&(time, yaw)| trail.push(View::new(time, [0.0, yaw, 0.0])));
        trail
    }

    #[test]
    fn turns_are_the_widest_in_windows_that_views_cover() {
        let trail = trail(&[(0.0, 0.0), (40.0, 350.0), (80.0, 350.0), (120.0, 350.0), (160.0, 5.0)]);
        let turns = trail.turns(4);
        let round = |turn: Option<f32>| turn.map(f32::round);
        assert_eq!(turns.within.map(round), [Some(15.0), Some(15.0), None], "200 ms before, nothing is recorded");
        assert_eq!((round(turns.step), turns.still, turns.msec), (Some(15.0), Some(2), Some(40.0)));
        let slow = Trail { views: trail.views.iter().copied().filter(|view| view.time != 120.0).collect(), first: 0 };
        assert_eq!(slow.turns(3).within.map(round), [None, Some(15.0), None], "no view lies in the last 50 ms");
        assert_eq!(trail.turns(0), Turns { within: [None; 3], ..Turns::default() });
    }

    #[test]
    fn still_steps_end_with_a_turn() {
        let mut trail = trail(&[(0.0, 1.0), (10.0, 1.0), (20.0, 1.0), (30.0, 2.0), (40.0, 2.0)]);
        assert_eq!((trail.still_after(0), trail.still_after(3), trail.turns(3).still), (Some((2, true)), Some((1, false)), Some(2)));
        (5..80).for_each(|at| trail.push(View::new(f64::from(at) * 10.0, [0.0, 2.0, 0.0])));
        assert_eq!(trail.still_after(3), Some((MOST_STILL, true)));
        trail.push(View::new(100.0, [0.0; 3]));
        assert_eq!((trail.last(), trail.still_after(3)), (Some(80), None), "a clock that goes back is another level's");
    }
}
