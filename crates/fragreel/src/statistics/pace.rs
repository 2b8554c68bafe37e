//! The top speed of a player of whom only places are known.
//!
//! A server moves a player when a packet arrives. So a step between two frames may show two moves and the next one none, and after lost packets a step
//! shows all that came late. Times are whole milliseconds, and servers move players in steps of some 13. So a step counts as far as the steps around it
//! confirm it.

use std::collections::VecDeque;

use fragreel_model::Milliseconds;

/// The least duration of a step, in milliseconds.
const STEP: i64 = 15;
/// The least duration of a way that contains a step and limits its speed.
const WAY: i64 = 40;
/// The limit, as a multiple of the speed on that way: QuakeWorld's friction takes that much between the middle of a step and the middle of the way.
const FASTER: f32 = 1.035;
/// The limit, as a multiple of the faster of the steps before and after.
const FASTER_THAN_NEXT: f32 = 1.15;
/// Places that are kept before a step.
const KEPT: usize = 16;

/// The last places of a player.
#[derive(Debug, Clone, Default)]
pub(super) struct Pace {
    places: VecDeque<Place>,
    /// The place up to which steps are measured.
    measured: usize,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    time: Milliseconds,
    origin: [f32; 2],
}

impl Place {
    /// The time that has passed since another.
    fn since(&self, other: &Place) -> i64 {
        (self.time - other.time).0
    }

    /// The mean speed on the way from another.
    fn speed_from(&self, other: &Place) -> f32 {
        (self.origin[0] - other.origin[0]).hypot(self.origin[1] - other.origin[1]) * 1000.0 / self.since(other) as f32
    }
}

impl Pace {
    /// Adds a step. Returns the highest speed of earlier steps that became known.
    pub(super) fn go(&mut self, from: (Milliseconds, [f32; 3]), to: (Milliseconds, [f32; 3])) -> f32 {
        let place = |(time, [x, y, _]): (Milliseconds, [f32; 3])| Place { time, origin: [x, y] };
        let mut top = 0.0;
        if self.places.back().is_none_or(|last| last.time != from.0) {
            top = self.end();
            self.places.push_back(place(from));
        }
        let to = place(to);
        self.places.push_back(to);
        while self.places.get(self.measured + 1).is_some_and(|next| to.since(next) >= WAY) {
            self.measured += 1;
            top = self.speed(self.measured).max(top);
        }
        while self.measured > KEPT {
            self.places.pop_front();
            self.measured -= 1;
        }
        top
    }

    /// Ends the way: the player is elsewhere. Returns the highest speed of its last steps.
    pub(super) fn end(&mut self) -> f32 {
        let top = self.last_steps();
        *self = Pace::default();
        top
    }

    /// The highest speed of the steps that nothing confirms from behind so far.
    pub(super) fn last_steps(&self) -> f32 {
        (self.measured + 1..self.places.len()).map(|end| self.speed(end)).fold(0.0, f32::max)
    }

    /// The speed of the step that ends at a place, as far as the others confirm it.
    fn speed(&self, end: usize) -> f32 {
        let places = &self.places;
        let before = |at: usize, time: i64| (0..at).rev().find(|&other| places[at].since(&places[other]) >= time);
        let behind = |at: usize, time: i64| (at + 1..places.len()).find(|&other| places[other].since(&places[at]) >= time);
        let fastest = |ways: [Option<(usize, usize)>; 2]| ways.into_iter().flatten().map(|(from, to)| places[to].speed_from(&places[from])).reduce(f32::max);
        let Some(start) = before(end, STEP) else { return 0.0 };
        let speed = places[end].speed_from(&places[start]);
        if places[end].since(&places[start]) >= WAY {
            return speed;
        }
        let way = fastest([before(end, WAY).map(|from| (from.min(start), end)), behind(start, WAY).map(|to| (start, to.max(end)))]);
        let next = fastest([before(start, STEP).map(|from| (from, start)), behind(end, STEP).map(|to| (end, to))]);
        let (Some(way), Some(next)) = (way, next) else { return 0.0 };
        speed.min(way * FASTER).min(next * FASTER_THAN_NEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The top speed over places along a line.
    fn top(places: &[(i64, f32)]) -> f32 {
        let mut pace = Pace::default();
        let place = |&(time, x): &(i64, f32)| (Milliseconds(time), [x, 0.0, 0.0]);
        let known = places.windows(2).map(|two| pace.go(place(&two[0]), place(&two[1]))).fold(0.0, f32::max);
        known.max(pace.last_steps())
    }

    #[test]
    fn a_step_counts_as_far_as_others_confirm_it() {
        let even: Vec<(i64, f32)> = (0..40).map(|step| (step * 13, step as f32 * 13.0 * 0.4)).collect();
        assert!((top(&even) - 400.0).abs() < 0.1, "{}", top(&even));
        // after lost packets, one step shows the moves of 100 ms
        let mut late = even.clone();
        late.iter_mut().skip(20).for_each(|(_, x)| *x += 40.0);
        assert!(top(&late) < 400.0 * 1.16, "{}", top(&late));
        // an explosion: six steps at 1000
        let mut thrown = even.clone();
        (20..26).for_each(|step| thrown.iter_mut().skip(step).for_each(|(_, x)| *x += 13.0 * 0.6));
        assert!((top(&thrown) - 1000.0).abs() < 1.0, "{}", top(&thrown));
        // the last steps before a way ends
        assert!((top(&thrown[..26]) - 1000.0).abs() < 1.0, "{}", top(&thrown[..26]));
        assert_eq!(top(&even[..2]), 0.0, "one step is confirmed by nothing");
        // frames that are far apart are steps, too
        let far: Vec<(i64, f32)> = (0..9).map(|step| (step * 100, step as f32 * 30.0)).collect();
        assert!((top(&far) - 300.0).abs() < 0.1, "{}", top(&far));
    }
}
