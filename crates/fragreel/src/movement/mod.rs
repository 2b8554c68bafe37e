//! Movement: the rows that `fragreel_movement` computes steps and jumps from, of each family's frames and user commands.

mod compared;
#[cfg(feature = "goldsrc")]
mod half_life;
mod inferred;
mod quake3;
#[cfg(feature = "quake1")]
mod quakeworld;
mod route;
mod rows;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fragreel_base::wire::Error;
use fragreel_model::{Damage, Family, Fields, Frame, FrameOptions, Happening};
use fragreel_movement::{State, Tracker};

use crate::Recording;
use rows::Context;

pub use compared::{Compared, Mark, Passed, Stretch};
pub use fragreel_movement::{Best, End, Game, Input, Jump, JumpKind, Keys, KeysSource, Phase, Physics, Side, Source, Step, Strafe, Wish};
pub use route::{Pauses, Place, Route};

/// A row of movement.
#[derive(Debug)]
pub enum Moved<'m> {
    /// A state that follows another of the same player.
    Step(&'m Step),
    /// A phase off the ground that has ended.
    Jump(&'m Jump),
}

impl Recording {
    /// Follows the movement of all players: shows each step, and each jump or fall as it ends. `show` may end the walk. Returns the damage that was met.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use fragreel::movement::Moved;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let mut jumps = 0;
    /// recording.movement(&mut |moved| {
    ///     jumps += u32::from(matches!(moved, Moved::Jump(jump) if jump.jumped));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(jumps > 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for recordings whose frames are not understood.
    pub fn movement(&self, show: &mut dyn FnMut(Moved<'_>) -> ControlFlow<()>) -> Result<Vec<Damage>, Error> {
        let mut players = Players { family: self.family(), trackers: BTreeMap::new(), show, is_over: false };
        let damage = self.states(&mut |state| players.push(state))?;
        players.end();
        Ok(damage)
    }

    /// Shows the states of all players, until `show` breaks.
    fn states(&self, show: &mut dyn FnMut(State) -> ControlFlow<()>) -> Result<Vec<Damage>, Error> {
        let fields = Fields::VIEW | Fields::ORIGIN | Fields::VELOCITY | Fields::ANGLES | Fields::HEALTH | Fields::STANCE;
        let mut options = FrameOptions::default().fields(fields);
        options.happenings = self.family() == Family::Quake1;
        let mut frames = self.frames(options)?;
        let (mut context, mut frame, mut happenings) = (Context::of(self), Frame::default(), Vec::<Happening>::new());
        let is_over = Cell::new(false);
        let mut push = |state| is_over.set(is_over.get() || show(state).is_break());
        while !is_over.get() && frames.next_into(&mut frame) {
            if options.happenings {
                frames.happenings(&mut happenings);
            }
            context.frame(&frames, &frame, &happenings, &mut push);
        }
        context.end(&mut push);
        Ok(frames.damage())
    }
}

/// The players who are followed.
struct Players<'s> {
    family: Family,
    trackers: BTreeMap<u16, Tracker>,
    show: &'s mut dyn FnMut(Moved<'_>) -> ControlFlow<()>,
    is_over: bool,
}

impl Players<'_> {
    fn push(&mut self, state: State) -> ControlFlow<()> {
        let family = self.family;
        let tracked = self.trackers.entry(state.slot).or_insert_with(|| Tracker::new(family)).push(state);
        if let Some(step) = &tracked.step {
            self.is_over |= (self.show)(Moved::Step(step)).is_break();
        }
        if let Some(jump) = &tracked.jump {
            self.is_over |= (self.show)(Moved::Jump(jump)).is_break();
        }
        if self.is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(&mut self) {
        for tracker in self.trackers.values_mut() {
            if let Some(jump) = tracker.end().filter(|_| !self.is_over) {
                self.is_over |= (self.show)(Moved::Jump(&jump)).is_break();
            }
        }
    }
}
