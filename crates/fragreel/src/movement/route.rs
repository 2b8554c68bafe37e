//! The route of a run: where its player was, how far along, and when.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fragreel_base::wire::Error;
use fragreel_model::{EventKind, Family, Kind, MatchState, Milliseconds, Run};
use fragreel_movement::{Physics, Source, State};
use serde::Serialize;

use crate::Recording;

/// A place on a route.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Place {
    /// Milliseconds since the run began.
    pub elapsed: f64,
    /// Units gone since the route began. Teleports add nothing.
    pub along: f64,
    /// Where the player was.
    pub origin: [f32; 3],
    /// The horizontal speed.
    pub speed: f32,
    /// Whether the player came here by a teleport, a spawn, or out of sight.
    pub is_cut: bool,
}

/// Pauses during a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pauses {
    /// How many.
    pub count: u32,
    /// How long they took on the recording's clock.
    pub time: Milliseconds,
}

/// The route of a run. It keeps at most 36,000,000 places of 40 bytes; later ones are left out.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Route {
    /// Its places, in order of time. None if the recording does not show the player.
    pub places: Vec<Place>,
    /// The median time between them in milliseconds; where each is one user command, the client's frame time.
    pub step: Option<f32>,
    /// Where most of the places come from.
    pub source: Source,
    /// The physics at its first place that states them.
    pub physics: Option<Physics>,
    /// The pauses. Absent where there is none and the game does not state pauses.
    pub pauses: Option<Pauses>,
}

/// A route keeps no more places than this: ten hours at a thousand a second. With 40 bytes a place, that is 1.44 GB; ten hours at 77 a second take 111 MB.
const MOST: usize = 36_000_000;
const _: () = assert!(size_of::<Place>() <= 40);

impl Recording {
    /// The routes of runs of this recording, in their order.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for recordings whose frames are not understood.
    pub fn routes(&self, runs: &[Run]) -> Result<Vec<Route>, Error> {
        let mut makers: Vec<Maker<'_>> = runs.iter().map(Maker::new).collect();
        self.states(&mut |state| {
            makers.iter_mut().for_each(|maker| maker.take(&state));
            ControlFlow::Continue(())
        })?;
        let mut routes: Vec<Route> = makers.into_iter().map(Maker::finish).collect();
        self.add_pauses(runs, &mut routes);
        Ok(routes)
    }

    fn add_pauses(&self, runs: &[Run], routes: &mut [Route]) {
        let mut pauses = Vec::new();
        let mut since = None;
        let mut last = Milliseconds(0);
        for event in self.events(Kind::Match) {
            last = event.time;
            let EventKind::Match { state, .. } = &event.kind else { continue };
            match state {
                MatchState::Paused => since = since.or(Some(event.time)),
                MatchState::Resumed => pauses.extend(since.take().map(|since| (since, event.time))),
                _ => {}
            }
        }
        pauses.extend(since.map(|since| (since, last.max(self.info().duration.unwrap_or_default()))));
        let is_stated = matches!(self.family(), Family::Quake1 | Family::GoldSrc);
        for (run, route) in runs.iter().zip(routes) {
            let (from, to) = window(run);
            let within = pauses.iter().map(|&(begin, end)| (begin.max(from), end.min(to))).filter(|(begin, end)| begin < end);
            let all = within.fold(Pauses::default(), |all, (begin, end)| Pauses { count: all.count + 1, time: all.time + (end - begin) });
            route.pauses = Some(all).filter(|all| is_stated || all.count > 0);
        }
    }
}

/// From when to when a run lasts, since the recording's first frame.
fn window(run: &Run) -> (Milliseconds, Milliseconds) {
    let from = run.from.or_else(|| run.time.value().map(|time| run.to - Milliseconds(time)));
    (from.unwrap_or_default().max(Milliseconds(0)), run.to)
}

/// Makes the route of one run.
struct Maker<'r> {
    run: &'r Run,
    from: Milliseconds,
    route: Route,
    steps: Vec<f32>,
    sources: BTreeMap<&'static str, (usize, Source)>,
}

impl<'r> Maker<'r> {
    fn new(run: &'r Run) -> Self {
        Maker { run, from: window(run).0, route: Route::default(), steps: Vec::new(), sources: BTreeMap::new() }
    }

    fn take(&mut self, state: &State) {
        let is_own = self.run.player.as_ref().and_then(|player| player.slot) == Some(state.slot);
        if !is_own || state.time < self.from || state.time > self.run.to || self.route.places.len() >= MOST {
            return;
        }
        let mut place = Place { elapsed: state.server_time.0 as f64, along: 0.0, origin: state.origin, speed: state.speed(), is_cut: state.is_cut };
        if let Some(before) = self.route.places.last() {
            // a clock that goes back is another level's
            if place.elapsed < before.elapsed {
                return;
            }
            place.along = before.along + if place.is_cut { 0.0 } else { f64::from(apart(before.origin, place.origin)) };
        }
        if state.msec > 0.0 && !state.is_cut {
            self.steps.push(state.msec);
        }
        self.sources.entry(state.source.name()).or_insert((0, state.source)).0 += 1;
        self.route.physics = self.route.physics.or(state.physics);
        self.route.places.push(place);
    }

    /// Times are those of the server's clock; the last is the run's time.
    fn finish(mut self) -> Route {
        let end = self.route.places.last().map_or(0.0, |place| place.elapsed);
        let first = self.route.places.first().map_or(0.0, |place| place.elapsed);
        let time = self.run.time.counted.or(self.run.time.stated).map_or(end - first, |time| time as f64);
        self.route.places.iter_mut().for_each(|place| place.elapsed = (place.elapsed - end + time).max(0.0));
        self.steps.sort_by(f32::total_cmp);
        self.route.step = self.steps.get(self.steps.len() / 2).copied();
        self.route.source = self.sources.values().max_by_key(|(count, _)| *count).map(|(_, source)| *source).unwrap_or_default();
        self.route
    }
}

/// The distance between two places.
pub(super) fn apart(one: [f32; 3], other: [f32; 3]) -> f32 {
    let [x, y, z] = [0, 1, 2].map(|axis| one[axis] - other[axis]);
    x.hypot(y).hypot(z)
}

impl Route {
    /// The units gone in all.
    pub fn length(&self) -> f64 {
        self.places.last().map_or(0.0, |place| place.along)
    }

    /// The first place at which this number of units is gone, between two recorded places where none is there.
    pub(super) fn at(&self, along: f64) -> Option<Place> {
        let next = self.places.partition_point(|place| place.along < along);
        self.between(next, |place| place.along, along)
    }

    /// Where the player was at a time since the run began.
    pub(super) fn when(&self, elapsed: f64) -> Option<Place> {
        let next = self.places.partition_point(|place| place.elapsed < elapsed);
        self.between(next, |place| place.elapsed, elapsed)
    }

    fn between(&self, next: usize, of: impl Fn(&Place) -> f64, wanted: f64) -> Option<Place> {
        let after = *self.places.get(next).or(self.places.last())?;
        let Some(before) = next.checked_sub(1).and_then(|before| self.places.get(before)) else { return Some(after) };
        let span = of(&after) - of(before);
        if after.is_cut || span <= 0.0 || next >= self.places.len() {
            return Some(after);
        }
        Some(mixed(before, &after, (wanted - of(before)) / span))
    }
}

/// The place a part of the route from one to the next.
pub(super) fn mixed(before: &Place, after: &Place, part: f64) -> Place {
    let mix = |one: f64, other: f64| one + (other - one) * part;
    Place {
        elapsed: mix(before.elapsed, after.elapsed),
        along: mix(before.along, after.along),
        origin: [0, 1, 2].map(|axis| mix(before.origin[axis].into(), after.origin[axis].into()) as f32),
        speed: mix(before.speed.into(), after.speed.into()) as f32,
        is_cut: false,
    }
}
