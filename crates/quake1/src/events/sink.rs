//! Where events leave: with their times, only the wanted ones, and in stream order even where one waits for evidence.

use std::collections::VecDeque;

use model::{Event, EventKind, Evidence, Kind, Kinds, Milliseconds};
use replay::Sink;

use crate::events::deaths::{Deaths, OneSided};
use crate::events::pickups::{Pickup, StatedPickups};
use crate::walk::clock::Clock;
use crate::walk::match_clock::MatchClock;

/// What an event waits for before it is emitted.
enum Hold {
    /// It is held only so that the order stays.
    ForOrder,
    /// For nothing: it was stated, too.
    Superseded,
    /// For the rest of its moment: a statement replaces a line that says the same.
    Pickup(Pickup),
    /// For evidence of the side of a kill that no line names.
    OneSided(OneSided),
}

/// Emits events.
pub struct EventSink<'s> {
    /// The kinds that are emitted.
    pub wanted: Kinds,
    sink: Sink<'s, Event>,
    /// The recording's clocks.
    pub clock: Clock,
    /// The container's message.
    pub message: u32,
    /// The clock of the match.
    pub match_clock: MatchClock,
    held: VecDeque<(Event, Hold)>,
    /// How many of them are of moments that have passed.
    passed: usize,
}

impl<'s> EventSink<'s> {
    /// Nothing emitted yet.
    pub fn new(wanted: Kinds, sink: Sink<'s, Event>) -> Self {
        EventSink { wanted, sink, clock: Clock::default(), message: 0, match_clock: MatchClock::default(), held: VecDeque::new(), passed: 0 }
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
            self.held.push_back((event, Hold::ForOrder));
        }
    }

    /// Emits a pick-up once its moment has passed.
    pub fn pickup(&mut self, evidence: Evidence, pickup: Pickup, kind: EventKind) {
        if self.wanted.has(kind.kind()) {
            let event = self.event(evidence, kind);
            self.held.push_back((event, Hold::Pickup(pickup)));
        }
    }

    /// Emits a kill once the side that its line does not name is known, or cannot be.
    pub fn one_sided(&mut self, evidence: Evidence, one_sided: OneSided, kind: EventKind) {
        if self.wanted.has(kind.kind()) {
            let event = self.event(evidence, kind);
            self.held.push_back((event, Hold::OneSided(one_sided)));
        }
    }

    /// Emits what was stated in a moment that has just passed.
    pub fn emit_at(&mut self, time: Milliseconds, kind: EventKind) {
        if self.wanted.has(kind.kind()) {
            let mut event = self.event(Evidence::Stated, kind);
            event.server_time = event.server_time - (event.time - time);
            event.match_time = event.match_time.map(|clock| clock - (event.time - time));
            event.time = time;
            self.held.push_back((event, Hold::ForOrder));
        }
    }

    fn event(&self, evidence: Evidence, kind: EventKind) -> Event {
        let match_time = self.match_clock.at(self.clock.demo);
        Event { time: self.clock.demo, server_time: self.clock.server, match_time, message: self.message, evidence, uncertain: false, kind }
    }

    /// A moment has passed: emits what waited for it, up to a kill that may still become known.
    pub fn moment_passed(&mut self, deaths: &mut Deaths) {
        self.settle_pickups();
        let now = self.clock.demo;
        self.emit_while(deaths, |time, kill, deaths| !deaths.may_learn(time, kill, now));
        deaths.forget(now);
    }

    /// Emits everything that waits.
    pub fn flush(&mut self, deaths: &mut Deaths) {
        self.settle_pickups();
        self.emit_while(deaths, |_, _, _| true);
    }

    /// Of what was picked up in the moment that ends, lines say nothing where a statement does.
    fn settle_pickups(&mut self) {
        // of most moments nothing waits: 0.6 of 10 million instructions of `kills` (QuakeWorld, `counts`)
        if self.passed == self.held.len() {
            return;
        }
        let mut stated = StatedPickups::default();
        for (event, waits) in self.held.range(self.passed..) {
            if let (Evidence::Stated, Hold::Pickup(pickup)) = (event.evidence, waits) {
                stated.take(pickup);
            }
        }
        let of = |(event, waits): &(Event, Hold)| matches!(waits, Hold::Pickup(line) if event.evidence == Evidence::Inferred && stated.has(line));
        let said: Vec<usize> = (self.passed..self.held.len()).filter(|&at| of(&self.held[at])).collect();
        said.into_iter().for_each(|at| self.held[at].1 = Hold::Superseded);
        self.passed = self.held.len();
    }

    /// Emits what waits, up to the first kill of which this says that it is to wait on.
    fn emit_while(&mut self, deaths: &mut Deaths, is_known: impl Fn(Milliseconds, &OneSided, &Deaths) -> bool) {
        while let Some((mut event, waits)) = self.held.pop_front() {
            match waits {
                Hold::OneSided(kill) if !is_known(event.time, &kill, deaths) => {
                    self.held.push_front((event, Hold::OneSided(kill)));
                    break;
                }
                Hold::OneSided(one_sided) => {
                    if let EventKind::Kill(kill) = &mut event.kind {
                        deaths.settle(event.time, &one_sided, kill);
                    }
                    self.sink.give(event);
                }
                Hold::ForOrder | Hold::Pickup(_) => self.sink.give(event),
                Hold::Superseded => {}
            }
        }
        self.passed = self.held.len();
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use model::{Kill, Unknown};

    use super::*;
    use crate::state::{Game, player, stat};

    /// Kills that follow each other closely wait for who killed, to no end. Who fell right after the first belongs to it all the same.
    #[test]
    fn a_kill_that_waits_holds_back_no_kill_before_it() {
        let mut game = Game::default();
        for (slot, name) in [b"ann", b"bob", b"cid"].into_iter().enumerate() {
            let person = game.roster.person(slot as u8);
            (person.name, person.team) = (name.to_vec(), b"red".to_vec());
        }
        let mut alive = [0; stat::COUNT];
        alive[stat::HEALTH] = 100;
        game.stats = vec![Some(alive); 3];
        let ann = player(0, game.roster.get(0).unwrap());
        let mut told = Vec::new();
        let mut take = |event: Event| {
            let EventKind::Kill(kill) = event.kind else { panic!("{event:?}") };
            told.push((event.time.0, kill.victim.name.clean, kill.unknown));
            ControlFlow::Continue(())
        };
        let mut out = EventSink::new(Kinds::ALL, Sink::new(&mut take));
        let mut deaths = Deaths::default();
        for time in (0..=480).step_by(40) {
            out.clock.demo = Milliseconds(time);
            out.moment_passed(&mut deaths);
            let missing = if time == 0 { Unknown::Victim } else { Unknown::Attacker };
            let kill = EventKind::Kill(Kill::new(Some(ann.clone()), ann.clone(), "rl"));
            out.one_sided(Evidence::Stated, OneSided::new(&game, 0, missing), kill);
            if time == 80 {
                deaths.health(Milliseconds(time), &game, 1, 0);
            }
        }
        out.flush(&mut deaths);
        assert_eq!(told[0], (0, String::from("bob"), None));
        assert!(told.len() == 13 && told[1..].iter().all(|(_, _, unknown)| *unknown == Some(Unknown::Attacker)), "{told:?}");
    }
}
