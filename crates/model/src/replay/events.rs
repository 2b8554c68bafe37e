//! A walk over the events of a recording, for all families alike.

use std::collections::VecDeque;

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
