//! The walk that gives events.

use std::collections::VecDeque;

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{EventSource, Events, Fed, make_ready};
use fragreel_model::{Damage, Event, Kinds, Milliseconds};

use super::EventBuilder;
use super::kills_alone::KillWalk;
use crate::dialect::Dialect;
use crate::message::Depth;
use crate::walk::Visit;

/// The events of the wanted kinds in a recording of this dialect, in stream order.
///
/// ```
/// use fragreel_quake3::{dialect::Dialect, events};
///
/// let mut events = events::read(&[], Dialect::of(68).unwrap(), fragreel_model::Kinds::ALL);
/// assert_eq!((events.by_ref().count(), events.damage().len()), (0, 1), "even the mark that ends a recording is missing");
/// ```
pub fn read(bytes: &[u8], dialect: &'static Dialect, wanted: Kinds) -> Events<impl EventSource> {
    Events::new(EventPlayback::new(bytes, dialect, wanted, usize::MAX))
}

/// The walk that makes the events of the wanted kinds.
pub(crate) struct EventPlayback<'a> {
    pub(super) visit: Visit<'a>,
    builder: EventBuilder,
    /// Plays the messages that need nothing else, where only kills are wanted.
    pub(super) kills: Option<Box<KillWalk>>,
    most_damage: usize,
}

impl<'a> EventPlayback<'a> {
    /// A walk that stands at the start, and lists at most this number of findings.
    pub(crate) fn new(bytes: &'a [u8], dialect: &'static Dialect, wanted: Kinds, most_damage: usize) -> Self {
        Self::with(bytes, EventBuilder::new(dialect, wanted), dialect, most_damage)
    }

    /// A walk that stands at the start, and reads commands alone.
    pub(crate) fn of_commands(bytes: &'a [u8], dialect: &'static Dialect, wanted: Kinds, most_damage: usize) -> Self {
        Self::with(bytes, EventBuilder { depth: Depth::Commands, ..EventBuilder::new(dialect, wanted) }, dialect, most_damage)
    }

    fn with(bytes: &'a [u8], builder: EventBuilder, dialect: &'static Dialect, most_damage: usize) -> Self {
        let kills = if let Depth::Fields(_) = builder.depth { KillWalk::new(dialect, &builder.entity).map(Box::new) } else { None };
        EventPlayback { visit: Visit::new(bytes, dialect, builder.depth), builder, kills, most_damage }
    }
}

impl EventPlayback<'_> {
    /// The same walk over another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> EventPlayback<'b> {
        EventPlayback { visit: self.visit.over(chunk), ..self }
    }
}

impl Fed for EventPlayback<'static> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let mut walk = self.over(chunk);
        make_ready(&mut walk);
        walk.over(Chunk::none())
    }

    fn needed(&self) -> usize {
        self.visit.needed()
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
        if !has_more && !self.visit.chunk().hides_more() {
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
