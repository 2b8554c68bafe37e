//! Two runs on one course, compared where they are, not when (`docs/movement.md`, "Two runs compared").

use fragreel_model::{Milliseconds, Run};
use serde::Serialize;

use super::route::{Place, Route, apart, mixed};

/// A place of the first route with the nearest of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passed {
    /// Units that the first has gone.
    pub along: f64,
    /// When the first was there, in milliseconds since its run began; and when the second, if it came by.
    pub times: (f64, Option<f64>),
    /// The horizontal speeds there.
    pub speeds: (f32, Option<f32>),
    /// The distance between the place and the nearest of the second route.
    pub apart: f32,
}

impl Passed {
    /// The time of the first less that of the second, in milliseconds.
    pub fn difference(&self) -> Option<f64> {
        Some(self.times.0 - self.times.1?)
    }
}

/// A place at which both runs are compared.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Mark {
    /// `checkpoint`, `share` of the first route, or `finish`.
    pub place: &'static str,
    /// The number of the checkpoint, or the percent of the route.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// When the first run was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_a: Option<Milliseconds>,
    /// When the second was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_b: Option<Milliseconds>,
    /// The time of the first less that of the second: positive where the first is behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Milliseconds>,
    /// What the first lost since the last mark at which both times are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Milliseconds>,
    /// The first's horizontal speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_a: Option<f32>,
    /// The second's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_b: Option<f32>,
}

/// A stretch between two marks, by their places in [`Compared::marks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Stretch {
    /// The mark that it begins at; absent at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The mark that it ends at.
    pub to: usize,
    /// What the first run lost in it: negative if it gained.
    pub lost: Milliseconds,
}

/// Two runs compared.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Compared {
    /// The first route, place by place.
    pub line: Vec<Passed>,
    /// The checkpoints, where both runs have the same number of them; else equal shares of the first route. The last is the finish, with the runs' times.
    pub marks: Vec<Mark>,
    /// Where the first run lost the most.
    pub most_lost: Option<Stretch>,
    /// Where it gained the most.
    pub most_gained: Option<Stretch>,
}

/// Places further apart are not the same, in units.
const NEAR: f32 = 256.0;
/// How much a place that is far away may weigh: a detour must not bend the rest.
const FAR: f32 = 1024.0;
/// How many units a unit of the route weighs where a route is at a place more than once.
const DOUBT: f32 = 0.01;
/// The number of places of a route that are looked at, about: at most 2001, if 1000 parts are asked for. The sums that pair two routes take 4 bytes for each
/// pair of places, so 16 MB at most, and 9 MB for ten parts.
const PLACES: usize = 1500;
/// And the least distance between them, in units.
const APART: f64 = 4.0;

impl Compared {
    /// Compares the first run with the second, at the end of each of `parts` equal parts of the first route or at the stated checkpoints.
    pub fn of(first: (&Run, &Route), second: (&Run, &Route), parts: u32) -> Self {
        let parts = parts.clamp(1, 1000);
        let line = line(first.1, second.1, parts as usize);
        let (a, b) = (&first.0.checkpoints, &second.0.checkpoints);
        let mut marks = if !a.is_empty() && a.len() == b.len() { at_checkpoints(first, second) } else { at_shares(&line, parts as usize) };
        let last = |route: &Route| route.places.last().map(|place| place.speed);
        let times = (first.0.time.value().map(Milliseconds), second.0.time.value().map(Milliseconds));
        marks.push(Mark::at("finish", None, times, (last(first.1), last(second.1))));
        let stretches = lose(&mut marks);
        let most_lost = stretches.iter().copied().filter(|one| one.lost.0 > 0).max_by_key(|one| (one.lost, std::cmp::Reverse(one.to)));
        let most_gained = stretches.iter().copied().filter(|one| one.lost.0 < 0).min_by_key(|one| (one.lost, one.to));
        Compared { line, marks, most_lost, most_gained }
    }
}

impl Mark {
    fn at(place: &'static str, number: Option<u32>, times: (Option<Milliseconds>, Option<Milliseconds>), speeds: (Option<f32>, Option<f32>)) -> Self {
        let difference = times.0.zip(times.1).map(|(a, b)| a - b);
        Mark { place, number, time_a: times.0, time_b: times.1, difference, lost: None, speed_a: speeds.0, speed_b: speeds.1 }
    }
}

fn at_checkpoints(first: (&Run, &Route), second: (&Run, &Route)) -> Vec<Mark> {
    let speed = |route: &Route, time: Milliseconds| route.when(time.0 as f64).map(|place| place.speed);
    let both = first.0.checkpoints.iter().zip(&second.0.checkpoints).zip(1..);
    both.map(|((&a, &b), number)| Mark::at("checkpoint", Some(number), (Some(a), Some(b)), (speed(first.1, a), speed(second.1, b)))).collect()
}

fn at_shares(line: &[Passed], parts: usize) -> Vec<Mark> {
    let Some(last) = line.len().checked_sub(1) else { return Vec::new() };
    let whole = |time: f64| Milliseconds(time.round() as i64);
    let mark = |part: usize| {
        let passed = line.get(last * part / parts)?;
        let times = (Some(whole(passed.times.0)), passed.times.1.map(whole));
        Some(Mark::at("share", Some((100 * part / parts) as u32), times, (Some(passed.speeds.0), passed.speeds.1)))
    };
    (1..parts).filter_map(mark).collect()
}

/// Writes what is lost from mark to mark, and returns the stretches between those where both times are known.
fn lose(marks: &mut [Mark]) -> Vec<Stretch> {
    let (mut before, mut from, mut stretches) = (Milliseconds(0), None, Vec::new());
    for (to, mark) in marks.iter_mut().enumerate() {
        let Some(difference) = mark.difference else { continue };
        let lost = difference - before;
        mark.lost = Some(lost);
        stretches.push(Stretch { from, to, lost });
        (before, from) = (difference, Some(to));
    }
    stretches
}

/// The first route with the second beside it: of all pairings that go forward on both, the one in which the places are nearest to each other.
fn line(first: &Route, second: &Route, parts: usize) -> Vec<Passed> {
    let (ours, theirs) = (samples(first, parts), samples(second, parts));
    let pairs = pairs(&ours, &theirs);
    let mut latest = 0.0;
    let mut line = Vec::with_capacity(ours.len());
    for (place, pair) in ours.iter().zip(pairs) {
        let from = theirs[pair.saturating_sub(1)].along;
        let to = theirs[(pair + 1).min(theirs.len() - 1)].along;
        let near = nearest(place.origin, second, (from, theirs[pair].along, to)).filter(|near| apart(near.origin, place.origin) <= NEAR);
        let distance = near.map_or_else(|| apart(theirs[pair].origin, place.origin), |near| apart(near.origin, place.origin));
        // two neighbors may have the same stretch to choose from
        let time = near.map(|near| near.elapsed.max(latest));
        latest = time.unwrap_or(latest);
        line.push(Passed { along: place.along, times: (place.elapsed, time), speeds: (place.speed, near.map(|near| near.speed)), apart: distance });
    }
    line
}

/// Places at equal distances along a route; their number less one is a multiple of `parts`.
fn samples(route: &Route, parts: usize) -> Vec<Place> {
    let length = route.length();
    let count = ((length / APART) as usize).clamp(1, PLACES).div_ceil(parts) * parts;
    (0..=count).filter_map(|at| route.at(length * at as f64 / count as f64)).collect()
}

/// For each of the first places one of the second, never further back than the one before.
fn pairs(ours: &[Place], theirs: &[Place]) -> Vec<usize> {
    if theirs.is_empty() {
        return Vec::new();
    }
    // sums of distances, and for each the place from which the sum before was taken
    let mut sums = vec![0.0_f32; theirs.len()];
    let mut taken = Vec::with_capacity(ours.len());
    for place in ours {
        let (mut best, mut best_at) = (f32::INFINITY, 0);
        let mut from = Vec::with_capacity(theirs.len());
        for (at, (sum, other)) in sums.iter_mut().zip(theirs).enumerate() {
            if *sum < best {
                (best, best_at) = (*sum, at);
            }
            from.push(best_at as u32);
            *sum = best + apart(place.origin, other.origin).min(FAR);
        }
        taken.push(from);
    }
    let mut at = (0..sums.len()).min_by(|&one, &other| sums[one].total_cmp(&sums[other])).unwrap_or_default();
    let mut pairs = vec![0; ours.len()];
    for (number, from) in taken.iter().enumerate().rev() {
        pairs[number] = at;
        at = from[at] as usize;
    }
    pairs
}

/// Where a route comes nearest to a place, between the first and the last of three of its lengths. Who walks to and fro is there more than once:
/// then it is the time around the middle one.
fn nearest(origin: [f32; 3], route: &Route, (from, middle, to): (f64, f64, f64)) -> Option<Place> {
    let first = route.places.partition_point(|place| place.along < from).saturating_sub(1);
    let mut best: Option<(f32, Place)> = None;
    for at in first..route.places.len() {
        let here = &route.places[at];
        if here.along > to {
            break;
        }
        let place = match route.places.get(at + 1).filter(|next| !next.is_cut) {
            Some(next) => mixed(here, next, part(origin, here.origin, next.origin)),
            None => *here,
        };
        let distance = apart(place.origin, origin) + DOUBT * (place.along - middle).abs() as f32;
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, place));
        }
    }
    best.map(|(_, place)| place)
}

/// Which part of the line from one place to another comes nearest to a third.
fn part(origin: [f32; 3], from: [f32; 3], to: [f32; 3]) -> f64 {
    let (mut along, mut length) = (0.0, 0.0);
    for axis in 0..3 {
        let span = f64::from(to[axis]) - f64::from(from[axis]);
        along += span * (f64::from(origin[axis]) - f64::from(from[axis]));
        length += span * span;
    }
    if length > 0.0 { (along / length).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::Course;

    /// A route along places, each a tenth of a second after the one before.
    fn route(places: impl IntoIterator<Item = [f32; 2]>) -> Route {
        let mut route = Route::default();
        for (number, [x, y]) in places.into_iter().enumerate() {
            let origin = [x, y, 0.0];
            let along = route.places.last().map_or(0.0, |last: &Place| last.along + f64::from(apart(last.origin, origin)));
            route.places.push(Place { elapsed: number as f64 * 100.0, along, origin, speed: x, is_cut: false });
        }
        route
    }

    fn run(route: &Route) -> Run {
        let mut run = Run::new(Course::Defrag, "m", Milliseconds(0));
        run.time.stated = route.places.last().map(|place| place.elapsed as i64);
        run
    }

    fn compare(first: &Route, second: &Route, parts: u32) -> Compared {
        Compared::of((&run(first), first), (&run(second), second), parts)
    }

    fn differences(compared: &Compared) -> Vec<Option<i64>> {
        compared.marks.iter().map(|mark| mark.difference.map(|time| time.0)).collect()
    }

    #[test]
    fn a_run_equals_itself() {
        let one = route((0..50).map(|at| [at as f32 * 30.0, (at as f32 / 5.0).sin() * 200.0]));
        let compared = compare(&one, &one, 4);
        assert!(compared.line.iter().all(|passed| passed.difference().is_some_and(|difference| difference.abs() < 0.5) && passed.apart < 0.1));
        assert_eq!((differences(&compared), compared.most_lost, compared.most_gained), (vec![Some(0); 4], None, None));
    }

    #[test]
    fn a_walk_to_and_fro_is_at_its_own_time() {
        let fro = (0..40).map(|at| [300.0 + (at % 4) as f32, 0.0]);
        let one = route((0..=10).map(|at| [at as f32 * 30.0, 0.0]).chain(fro).chain((11..=20).map(|at| [at as f32 * 30.0, 0.0])));
        let compared = compare(&one, &one, 10);
        assert!(compared.line.iter().all(|passed| passed.difference().is_some_and(|difference| difference.abs() < 0.5)), "{:?}", compared.line);
    }

    #[test]
    fn a_stop_is_where_the_time_is_lost() {
        let second = route((0..=40).map(|at| [at as f32 * 30.0, 0.0]));
        // half a second at 600 units, a little beside
        let stop = std::iter::repeat_n([600.0, 10.0], 5);
        let first = route((0..=20).map(|at| [at as f32 * 30.0, 10.0]).chain(stop).chain((21..=40).map(|at| [at as f32 * 30.0, 10.0])));
        let compared = compare(&first, &second, 8);
        assert_eq!(differences(&compared), [0, 0, 0, 0, 500, 500, 500, 500].map(Some));
        assert_eq!(compared.most_lost, Some(Stretch { from: Some(3), to: 4, lost: Milliseconds(500) }));
        let back = compare(&second, &first, 8);
        assert_eq!(back.most_gained.map(|stretch| stretch.lost), Some(Milliseconds(-500)));
    }

    /// The nearest place of a route that crosses itself is not always the one that was meant.
    #[test]
    fn a_crossing_is_passed_twice() {
        let eight = |slow: usize| {
            (0..=400).flat_map(move |at| {
                let angle = at as f32 / 400.0 * std::f32::consts::TAU;
                std::iter::repeat_n([angle.sin() * 800.0, (2.0 * angle).sin() * 400.0], if at == 200 { slow } else { 1 })
            })
        };
        let (first, second) = (route(eight(1)), route(eight(11)));
        let compared = compare(&first, &second, 10);
        let found = differences(&compared);
        assert!(found[..4].iter().all(|one| one.is_some_and(|one| one.abs() <= 100)), "{found:?}");
        assert!(found[5..].iter().all(|one| one.is_some_and(|one| (one + 1000).abs() <= 100)), "{found:?}");
    }

    #[test]
    fn where_the_second_does_not_come_by_is_unknown() {
        let straight = route((0..=100).map(|at| [at as f32 * 30.0, 0.0]));
        let around = route((0..=100).map(|at| [at as f32 * 30.0, if (40..60).contains(&at) { 900.0 } else { 0.0 }]));
        let compared = compare(&straight, &around, 2);
        assert_eq!(compared.marks[0].difference, None, "half of the route is in the detour");
        assert_eq!(compared.line.last().and_then(Passed::difference).map(f64::round), Some(0.0));
        assert_eq!(compared.marks[1].lost, Some(Milliseconds(0)));
    }

    #[test]
    fn stated_checkpoints_go_before_shares() {
        let one = route((0..=10).map(|at| [at as f32 * 100.0, 0.0]));
        let (mut first, mut second) = (run(&one), run(&one));
        first.checkpoints = vec![Milliseconds(300), Milliseconds(700)];
        second.checkpoints = vec![Milliseconds(250), Milliseconds(720)];
        let compared = Compared::of((&first, &one), (&second, &one), 10);
        let marks: Vec<_> = compared.marks.iter().map(|mark| (mark.place, mark.number, mark.lost.map(|lost| lost.0), mark.speed_a)).collect();
        let wanted =
            [("checkpoint", Some(1), Some(50), Some(300.0)), ("checkpoint", Some(2), Some(-70), Some(700.0)), ("finish", None, Some(20), Some(1000.0))];
        assert_eq!(marks, wanted);
        second.checkpoints.pop();
        assert_eq!(Compared::of((&first, &one), (&second, &one), 10).marks.len(), 10, "nine shares and the finish");
    }

    #[test]
    fn an_empty_way_has_no_places() {
        let one = route([[0.0, 0.0], [100.0, 0.0]]);
        for compared in [compare(&one, &Route::default(), 3), compare(&Route::default(), &one, 3)] {
            assert!(compared.line.is_empty() && compared.marks.len() == 1, "{compared:?}");
        }
    }
}
