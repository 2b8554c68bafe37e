//! The sink of events: filters them by kind, and sets their times.

use std::collections::VecDeque;

use fragreel_model::{Event, EventKind, Evidence, Kind, Kinds, Milliseconds};

use fragreel_model::replay::Clock;

use crate::walk::MatchClock;

/// Sets the times of events and passes them on.
pub(super) struct EventSink {
    wanted: Kinds,
    /// The events to hand on.
    pub(super) ready: VecDeque<Event>,
    clock: Clock,
    message: u32,
    /// The server time of the message's snapshot.
    now: Option<i32>,
    /// The server time of the last snapshot; `None` before the first.
    last: Option<i32>,
    /// The time of the last snapshot since the first.
    pub(super) end: Milliseconds,
    pub(super) match_clock: MatchClock,
    /// Whether events rest on an uncertain snapshot now.
    pub(super) uncertain: bool,
    /// Events of messages without a snapshot. Clients execute such messages with the next snapshot.
    waiting: Vec<(u32, Evidence, EventKind)>,
}

impl EventSink {
    pub(super) fn new(wanted: Kinds) -> Self {
        EventSink {
            wanted,
            ready: VecDeque::new(),
            clock: Clock::default(),
            message: 0,
            now: None,
            last: None,
            end: Milliseconds(0),
            match_clock: MatchClock::default(),
            uncertain: false,
            waiting: Vec::new(),
        }
    }

    /// Whether this kind is wanted.
    pub(super) fn wants(&self, kind: Kind) -> bool {
        self.wanted.has(kind)
    }

    /// The server time of the current message, or of the last one with a snapshot.
    pub(super) fn now(&self) -> Option<i32> {
        self.now.or(self.last)
    }

    /// The time of the current message since the first snapshot.
    pub(super) fn demo_time(&self) -> Milliseconds {
        self.last.map_or(Milliseconds(0), |now| self.clock.clone().at(i64::from(now)))
    }

    /// Starts a message.
    pub(super) fn message(&mut self, number: u32, server_time: Option<i32>) {
        (self.message, self.uncertain) = (number, false);
        self.now = server_time;
        if let Some(now) = server_time {
            self.last = Some(now);
            self.end = self.clock.at(i64::from(now));
            self.release();
        }
    }

    /// Starts a level, which has its own clock.
    pub(super) fn start_level(&mut self) {
        // waiting events belong to the old level
        self.release();
        self.clock.level();
        self.now = None;
        self.match_clock = MatchClock::Stopped;
    }

    /// Passes on the waiting events at the end.
    pub(super) fn finish(&mut self) {
        self.release();
    }

    /// Passes on the event of `make`, if its kind is wanted.
    pub(super) fn push(&mut self, evidence: Evidence, kind: Kind, make: impl FnOnce() -> EventKind) {
        if !self.wants(kind) {
            return;
        }
        let event = make();
        debug_assert_eq!(event.kind(), kind);
        match self.now {
            Some(now) => self.emit(self.message, Some(now), evidence, event),
            None => self.waiting.push((self.message, evidence, event)),
        }
    }

    #[inline]
    fn release(&mut self) {
        if !self.waiting.is_empty() {
            self.emit_waiting();
        }
    }

    fn emit_waiting(&mut self) {
        for (message, evidence, kind) in std::mem::take(&mut self.waiting) {
            self.emit(message, self.last, evidence, kind);
        }
    }

    fn emit(&mut self, message: u32, server_time: Option<i32>, evidence: Evidence, kind: EventKind) {
        let time = server_time.map_or(Milliseconds(0), |now| self.clock.at(i64::from(now)));
        let match_time = server_time.and_then(|now| self.match_clock.at(now));
        let server_time = Milliseconds(i64::from(server_time.unwrap_or_default()));
        self.ready.push_back(Event { time, server_time, match_time, message, evidence, uncertain: self.uncertain, kind });
    }
}
