//! A walk over the events of a recording, for all families alike.

use std::collections::VecDeque;

use fragreel_base::wire::Error;

use super::{Chunks, Fed};
use crate::{Damage, Event, Milliseconds};

/// What a family gives of a walk that makes events. [`Events`] is the rest.
pub trait EventSource {
    /// Plays on by a step: a block, a message, a macro. Returns whether there is more.
    fn advance(&mut self) -> bool;
    /// The events that are certain and not taken yet, in stream order.
    fn ready(&mut self) -> &mut VecDeque<Event>;
    /// The damage met so far; after the last step, all of it.
    fn damage(&self) -> Vec<Damage>;
    /// The time of the last frame so far.
    fn end(&self) -> Milliseconds;
    /// Why the walk could not read the recording to its end.
    fn failure(&self) -> Option<&Error> {
        None
    }
}

impl<S: EventSource + ?Sized> EventSource for Box<S> {
    fn advance(&mut self) -> bool {
        (**self).advance()
    }

    fn ready(&mut self) -> &mut VecDeque<Event> {
        (**self).ready()
    }

    fn damage(&self) -> Vec<Damage> {
        (**self).damage()
    }

    fn end(&self) -> Milliseconds {
        (**self).end()
    }

    fn failure(&self) -> Option<&Error> {
        (**self).failure()
    }
}

/// The events of a recording in stream order. Each step of the walk is made when its events are asked for.
#[derive(Debug, Clone)]
pub struct Events<S> {
    source: S,
    has_more: bool,
}

impl<S: EventSource> Events<S> {
    /// The events of a walk that stands at the start.
    pub fn new(source: S) -> Self {
        Events { source, has_more: true }
    }

    /// The damage met so far; after the last event, all of it.
    pub fn damage(&self) -> Vec<Damage> {
        self.source.damage()
    }

    /// The time of the last frame so far; after the last event, that of the recording.
    pub fn end(&self) -> Milliseconds {
        self.source.end()
    }

    /// Why the recording could not be read to its end.
    pub fn failure(&self) -> Option<&Error> {
        self.source.failure()
    }

    /// Reads the recording to its end. Returns all damage.
    pub fn into_damage(mut self) -> Vec<Damage> {
        self.by_ref().for_each(drop);
        self.damage()
    }
}

impl<S: EventSource> Iterator for Events<S> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            let event = self.source.ready().pop_front();
            if event.is_some() || !self.has_more {
                return event;
            }
            self.has_more = self.source.advance();
        }
    }
}

impl<S: EventSource> std::iter::FusedIterator for Events<S> {}

/// A walk over events that is [`Fed`] stops once this many events are ready, so that few are in memory.
const EVENTS_AT_ONCE: usize = 1024;

/// Plays a walk until enough events are ready or it cannot advance.
pub fn make_ready(walk: &mut impl EventSource) {
    while !is_full(walk) && walk.advance() {}
}

fn is_full(walk: &mut impl EventSource) -> bool {
    walk.ready().len() >= EVENTS_AT_ONCE
}

/// The walk over the events of a recording that comes in chunks.
#[derive(Debug)]
pub struct ChunkedEvents<W, C> {
    /// The walk. `None` only while it takes a chunk.
    walk: Option<W>,
    chunks: C,
    /// The end of the last chunk, unless the walk stopped before it.
    beyond: usize,
    none: VecDeque<Event>,
    failure: Option<Error>,
}

impl<W, C> ChunkedEvents<W, C> {
    /// A walk that stands at the start.
    pub fn new(walk: W, chunks: C) -> Self {
        ChunkedEvents { walk: Some(walk), chunks, beyond: 0, none: VecDeque::new(), failure: None }
    }
}

impl<W: EventSource + Fed, C: Chunks<Error = Error>> EventSource for ChunkedEvents<W, C> {
    fn advance(&mut self) -> bool {
        let Some(walk) = self.walk.take() else { return false };
        let chunk = match self.chunks.chunk(walk.needed(), self.beyond) {
            Ok(chunk) => chunk,
            Err(error) => {
                self.walk = Some(walk);
                self.failure = Some(error);
                return false;
            }
        };
        let (from, end, last) = (walk.needed(), chunk.end(), chunk.is_last());
        let walk = self.walk.insert(walk.feed(chunk));
        let is_full = is_full(walk);
        // a walk that starts over has not seen the end
        let starts_over = walk.needed() < from;
        self.beyond = if is_full || starts_over { 0 } else { end };
        is_full || starts_over || !last && !walk.is_over()
    }

    fn ready(&mut self) -> &mut VecDeque<Event> {
        self.walk.as_mut().map_or(&mut self.none, W::ready)
    }

    fn damage(&self) -> Vec<Damage> {
        self.walk.as_ref().map_or_else(Vec::new, W::damage)
    }

    fn end(&self) -> Milliseconds {
        self.walk.as_ref().map_or(Milliseconds(0), W::end)
    }

    fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }
}
