//! Where answers go one at a time, until whoever takes them has had enough.

use std::ops::ControlFlow;

use crate::{Damage, Milliseconds};

/// What a sink may return: nothing, or whether to go on.
pub trait Flow: sealed::Sealed {
    /// Whether to go on.
    fn flow(self) -> ControlFlow<()>;
}

impl Flow for () {
    fn flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Flow for ControlFlow<()> {
    fn flow(self) -> ControlFlow<()> {
        self
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for std::ops::ControlFlow<()> {}
}

/// Hands things on until the one who takes them breaks off; from then on they are dropped.
///
/// ```
/// use std::ops::ControlFlow;
///
/// let mut taken = Vec::new();
/// let mut take = |number| {
///     taken.push(number);
///     if number == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// };
/// let mut sink = fragreel_model::replay::Sink::new(&mut take);
/// (1..=4).for_each(|number| sink.give(number));
/// assert!(sink.is_stopped());
/// assert_eq!(taken, [1, 2]);
/// ```
pub struct Sink<'s, T> {
    take: &'s mut dyn FnMut(T) -> ControlFlow<()>,
    stopped: bool,
}

impl<'s, T> Sink<'s, T> {
    /// Hands things to `take`.
    pub fn new(take: &'s mut dyn FnMut(T) -> ControlFlow<()>) -> Self {
        Sink { take, stopped: false }
    }

    /// Hands one on, unless it is stopped.
    pub fn give(&mut self, thing: T) {
        if !self.stopped {
            self.stopped = (self.take)(thing).is_break();
        }
    }

    /// Whether nothing more is wanted.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }
}

/// How a walk for events ended.
#[derive(Debug, Clone, Default)]
pub struct EventWalk {
    /// The damage met on the way.
    pub damage: Vec<Damage>,
    /// The time of the last frame. A match without an end lasts until then, though nothing happened in it for a while.
    pub end: Milliseconds,
}
