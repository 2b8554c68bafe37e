//! Where players are around the times that are asked for, in one walk over the frames.

use std::collections::VecDeque;

use model::{Fields, Frame, FrameOptions, Milliseconds, Player};

use crate::{Frames, Recording};

/// Somebody's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Body {
    origin: [f32; 3],
    /// Whether he stands on nothing, where the recording says.
    pub in_air: Option<bool>,
}

impl Body {
    pub fn distance(&self, other: &Body) -> f32 {
        self.origin.iter().zip(other.origin).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    }
}

/// Everybody's place at one moment, by slot.
#[derive(Debug, Default)]
pub(super) struct Bodies(Vec<(u16, Body)>);

impl Bodies {
    fn take(&mut self, frame: &Frame) {
        self.0.clear();
        let places = frame.players.iter().filter_map(|player| {
            let in_air = player.on_ground.map(|on_ground| !on_ground);
            Some((player.slot, Body { origin: player.origin?, in_air }))
        });
        self.0.extend(places);
    }

    pub fn find(&self, player: &Player) -> Option<&Body> {
        let slot = player.slot?;
        self.0.iter().find(|(known, _)| *known == slot).map(|(_, body)| body)
    }
}

/// A walk over the places of everybody, which remembers the last while.
pub(super) struct Places<'a> {
    frames: Option<Frames<'a>>,
    frame: Frame,
    /// Whether `frame` is still to be taken in.
    ahead: bool,
    seen: VecDeque<(Milliseconds, Bodies)>,
    /// How far back is remembered.
    back: Milliseconds,
}

impl<'a> Places<'a> {
    /// Places are asked for up to `back` before the latest time. None are known of recordings whose frames are not understood.
    pub fn of(recording: &Recording<'a>, back: Milliseconds) -> Self {
        let frames = recording.frames(FrameOptions::default().fields(Fields::ORIGIN | Fields::STANCE)).ok();
        Places { frames, frame: Frame::default(), ahead: false, seen: VecDeque::new(), back }
    }

    /// Goes on to a time, which is not before the last one that was gone to.
    pub fn go_to(&mut self, time: Milliseconds) {
        let Some(frames) = &mut self.frames else { return };
        loop {
            if !self.ahead && !frames.next_into(&mut self.frame) {
                return;
            }
            self.ahead = self.frame.time > time && !self.seen.is_empty();
            if self.ahead {
                return;
            }
            // a frame that is forgotten lends its room to the new one
            let forgotten = self.seen.get(1).is_some_and(|(next, _)| *next <= time - self.back);
            let mut bodies = if forgotten { self.seen.pop_front().map(|(_, bodies)| bodies).unwrap_or_default() } else { Bodies::default() };
            bodies.take(&self.frame);
            self.seen.push_back((self.frame.time, bodies));
        }
    }

    /// Everybody's place at the last frame at or before a time; at the first one for earlier times.
    pub fn at(&self, time: Milliseconds) -> Option<&Bodies> {
        let after = self.seen.partition_point(|(seen, _)| *seen <= time);
        self.seen.get(after.max(1) - 1).map(|(_, bodies)| bodies)
    }
}
