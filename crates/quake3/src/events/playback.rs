//! The walk that gives events.

use std::collections::VecDeque;

use fragreel_model::replay::{EventSource, Events, Flow};
use fragreel_model::{Damage, Event, Kinds, Milliseconds};

use super::EventBuilder;
use super::kills_alone::KillWalk;
use crate::dialect::Dialect;
use crate::message::Depth;
use crate::walk::Visit;

/// Gives events to `sink` in stream order until it breaks off. Returns the damage found on the way.
///
/// ```
/// use fragreel_quake3::{dialect::Dialect, events};
///
/// let mut count = 0;
/// let damage = events::run(&[], Dialect::of(68).unwrap(), fragreel_model::Kinds::ALL, &mut |_| count += 1);
/// assert_eq!((count, damage.len()), (0, 1), "even the mark that ends a recording is missing");
/// ```
pub fn run<R: Flow>(bytes: &[u8], dialect: &'static Dialect, wanted: Kinds, sink: &mut (impl FnMut(Event) -> R + ?Sized)) -> Vec<Damage> {
    Events::new(EventPlayback::new(bytes, dialect, wanted, usize::MAX)).send(sink)
}

/// The walk that makes the events of the wanted kinds.
pub(crate) struct EventPlayback<'a> {
    visit: Visit<'a>,
    builder: EventBuilder,
    /// Plays the messages that need nothing else, where only kills are wanted.
    pub(super) kills: Option<Box<KillWalk>>,
    most_damage: usize,
}

impl<'a> EventPlayback<'a> {
    /// A walk that stands at the start, and lists at most this number of findings.
    pub(crate) fn new(bytes: &'a [u8], dialect: &'static Dialect, wanted: Kinds, most_damage: usize) -> Self {
        let builder = EventBuilder::new(dialect, wanted);
        let kills = if let Depth::Fields(_) = builder.depth { KillWalk::new(dialect, &builder.entity).map(Box::new) } else { None };
        EventPlayback { visit: Visit::new(bytes, dialect, builder.depth), builder, kills, most_damage }
    }
}

impl EventSource for EventPlayback<'_> {
    fn advance(&mut self) -> bool {
        if let Some(kills) = &mut self.kills
            && kills.play(&mut self.visit, &mut self.builder)
        {
            return true;
        }
        let has_more = self.visit.step(&mut self.builder);
        if !has_more {
            self.visit.close(&mut self.builder);
            self.builder.out.finish();
        }
        has_more
    }

    fn ready(&mut self) -> &mut VecDeque<Event> {
        &mut self.builder.out.ready
    }

    fn damage(&self) -> Vec<Damage> {
        self.builder.damage.iter().take(self.most_damage).cloned().collect()
    }

    fn end(&self) -> Milliseconds {
        self.builder.out.end
    }
}
