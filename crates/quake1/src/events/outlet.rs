//! Where events leave: with their times, only the wanted ones, and in stream order even where one waits for evidence.

use model::{Event, EventKind, Evidence, Kind, Kinds, Milliseconds};
use replay::Sink;

use super::deaths::{Deaths, OneSided};
use super::items::Pickup;
use super::match_clock::MatchClock;
use crate::clock::Clock;

/// What an event waits for before it is emitted.
enum Waits {
    /// It is held only so that the order stays.
    No,
    /// For the rest of its moment: a statement replaces a line that says the same.
    Pickup(Pickup),
    /// For evidence of the side of a kill that no line names.
    OneSided(OneSided),
}

/// Emits events.
pub struct Outlet<'s> {
    /// The kinds that are emitted.
    pub wanted: Kinds,
    sink: Sink<'s, Event>,
    /// The recording's clocks.
    pub clock: Clock,
    /// The container's message.
    pub message: u32,
    /// The clock of the match.
    pub match_clock: MatchClock,
    held: Vec<(Event, Waits)>,
}

impl<'s> Outlet<'s> {
    /// Nothing emitted yet.
    pub fn new(wanted: Kinds, sink: Sink<'s, Event>) -> Self {
        Outlet { wanted, sink, clock: Clock::default(), message: 0, match_clock: MatchClock::default(), held: Vec::new() }
    }

    /// Whether a kind is wanted.
    pub fn wants(&self, kind: Kind) -> bool {
        self.wanted.has(kind)
    }

    /// Whether whoever asks has had enough.
    pub fn is_stopped(&self) -> bool {
        self.sink.is_stopped()
    }

    /// The present moment.
    pub fn now(&self) -> Milliseconds {
        self.clock.demo
    }

    /// Emits an event that is fully known.
    pub fn emit(&mut self, evidence: Evidence, kind: EventKind) {
        if !self.wanted.has(kind.kind()) {
            return;
        }
        let event = self.event(evidence, kind);
        if self.held.is_empty() {
            self.sink.give(event);
        } else {
            self.held.push((event, Waits::No));
        }
    }

    /// Emits a pick-up once its moment has passed.
    pub fn pickup(&mut self, evidence: Evidence, pickup: Pickup, kind: EventKind) {
        if self.wanted.has(kind.kind()) {
            let event = self.event(evidence, kind);
            self.held.push((event, Waits::Pickup(pickup)));
        }
    }

    /// Emits a kill once the side that its line does not name is known, or cannot be.
    pub fn one_sided(&mut self, evidence: Evidence, one_sided: OneSided, kind: EventKind) {
        if self.wanted.has(kind.kind()) {
            let event = self.event(evidence, kind);
            self.held.push((event, Waits::OneSided(one_sided)));
        }
    }

    /// Emits what was stated in a moment that has just passed.
    pub fn emit_at(&mut self, time: Milliseconds, kind: EventKind) {
        if self.wanted.has(kind.kind()) {
            let mut event = self.event(Evidence::Stated, kind);
            event.server_time = event.server_time - (event.time - time);
            event.match_time = event.match_time.map(|clock| clock - (event.time - time));
            event.time = time;
            self.held.push((event, Waits::No));
        }
    }

    fn event(&self, evidence: Evidence, kind: EventKind) -> Event {
        let match_time = self.match_clock.at(self.clock.demo);
        Event { time: self.clock.demo, server_time: self.clock.server, match_time, message: self.message, evidence, kind }
    }

    /// A moment has passed: emits what waited for it, unless a kill may still become known.
    pub fn moment_passed(&mut self, deaths: &mut Deaths) {
        let now = self.clock.demo;
        let open = |(event, waits): &(Event, Waits)| matches!(waits, Waits::OneSided(kill) if deaths.may_learn(event.time, kill, now));
        if !self.held.iter().any(open) {
            self.flush(deaths);
        }
        deaths.forget(now);
    }

    /// Emits everything that waits.
    pub fn flush(&mut self, deaths: &mut Deaths) {
        let mut held = std::mem::take(&mut self.held);
        for (event, waits) in &mut held {
            if let (Waits::OneSided(one_sided), EventKind::Kill(kill)) = (&*waits, &mut event.kind) {
                deaths.settle(event.time, one_sided, kill);
            }
        }
        let stated: Vec<(Milliseconds, Pickup)> = held
            .iter()
            .filter_map(|(event, waits)| match waits {
                Waits::Pickup(pickup) if event.evidence == Evidence::Stated => Some((event.time, pickup.clone())),
                _ => None,
            })
            .collect();
        for (event, waits) in held {
            let said = match waits {
                Waits::Pickup(line) if event.evidence == Evidence::Inferred => stated.iter().any(|(time, pickup)| *time == event.time && pickup.means(&line)),
                _ => false,
            };
            if !said {
                self.sink.give(event);
            }
        }
    }
}
