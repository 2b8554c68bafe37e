//! Where players are and where they look around the times that are asked for, in one walk over the frames. Frames between those times are not made:
//! `highlights --distance` took 2.5 times as long as a plain search with all of them.

use std::collections::VecDeque;

use model::{Fields, Frame, FrameOptions, Milliseconds, Player, When};

use crate::{Frames, Recording, geometry};

/// Somebody's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Body {
    origin: Option<[f32; 3]>,
    /// Pitch, yaw and roll in degrees.
    angles: Option<[f32; 3]>,
    /// Whether he stands on nothing, where the recording says.
    pub in_air: Option<bool>,
}

impl Body {
    /// How far apart two are, where both places are known.
    pub fn distance(&self, other: &Body) -> Option<f32> {
        Some(geometry::distance(self.origin?, other.origin?))
    }

    /// The angle between two views in degrees.
    fn turn(&self, other: &Body) -> Option<f32> {
        Some(geometry::turn(self.angles?, other.angles?))
    }
}

/// Everybody's place at one moment, by slot.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    time: Milliseconds,
    /// The number of the frame.
    number: u32,
    /// Whose eyes the recording shows.
    pub view: Option<u16>,
    bodies: Vec<(u16, Body)>,
}

impl Bodies {
    fn take(&mut self, frame: &Frame) {
        (self.time, self.number) = (frame.time, frame.number);
        self.view = frame.view.as_ref().and_then(|view| view.slot);
        self.bodies.clear();
        let places = frame.players.iter().map(|player| {
            let in_air = player.on_ground.map(|on_ground| !on_ground);
            (player.slot, Body { origin: player.origin, angles: player.angles, in_air })
        });
        self.bodies.extend(places);
    }

    pub fn find(&self, player: &Player) -> Option<&Body> {
        let slot = player.slot?;
        self.bodies.iter().find(|(known, _)| *known == slot).map(|(_, body)| body)
    }
}

/// Frames are made from so long before the earliest time that is asked about, because the frame before it counts.
const AHEAD: Milliseconds = Milliseconds(500);

/// A walk over the places of everybody, which remembers the last while.
pub(super) struct Places<'a> {
    frames: Option<Frames<'a>>,
    frame: Frame,
    /// Whether `frame` is still to be taken in.
    ahead: bool,
    seen: VecDeque<Bodies>,
    /// How far back is remembered.
    back: Milliseconds,
    /// Whether each slot's player lives, and since when where the frames showed it; asked for of every frame.
    lives: Option<Vec<(u16, bool, Option<Milliseconds>)>>,
}

impl<'a> Places<'a> {
    /// Places are asked for up to `back` before the latest time. None are known of recordings whose frames are not understood. With health, who came to life
    /// when is known, too, for which every frame is made.
    pub fn of(recording: &Recording<'a>, fields: Fields, back: Milliseconds) -> Self {
        let frames = recording.frames(FrameOptions::default().fields(fields)).ok();
        let lives = fields.has(Fields::HEALTH).then(Vec::new);
        Places { frames, frame: Frame::default(), ahead: false, seen: VecDeque::new(), back, lives }
    }

    /// Goes on to a time, which is not before the last one that was gone to.
    pub fn go_to(&mut self, time: Milliseconds) {
        let earliest = time - self.back - Milliseconds(1);
        if let (Some(frames), None) = (&mut self.frames, &self.lives) {
            let from = earliest - AHEAD;
            frames.skip_until(from);
            // No run of frames goes over what is left out.
            self.ahead &= self.frame.time >= from;
            while self.seen.front().is_some_and(|seen| seen.time < from) {
                self.seen.pop_front();
            }
        }
        self.read_to(time);
        let before = time - Milliseconds(1);
        if self.lives.is_none() && self.has_passed_over(before) {
            // Nothing was recorded for a while.
            self.seen.clear();
            self.ahead = false;
            if self.frames.as_mut().is_some_and(|frames| frames.seek(When::Demo(before))) {
                self.read_to(time);
            }
        }
    }

    fn read_to(&mut self, time: Milliseconds) {
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
            let forgotten = self.seen.get(1).is_some_and(|next| next.time <= time - self.back);
            let mut bodies = if forgotten { self.seen.pop_front().unwrap_or_default() } else { Bodies::default() };
            bodies.take(&self.frame);
            self.seen.push_back(bodies);
            if let Some(lives) = &mut self.lives {
                live(lives, &self.frame);
            }
        }
    }

    /// Whether the frame that shows a time was not made.
    fn has_passed_over(&self, time: Milliseconds) -> bool {
        let after = self.seen.partition_point(|seen| seen.time <= time);
        let next = self.seen.get(after).map(|seen| seen.number).or(self.ahead.then_some(self.frame.number));
        let expected = after.checked_sub(1).map_or(0, |last| self.seen[last].number + 1);
        // Behind the recording's end nothing follows, and whatever was made since the time to skip to is the last.
        next.map_or(after == 0, |next| next != expected)
    }

    /// Everybody's place at the last frame at or before a time; at the first one for earlier times.
    pub fn at(&self, time: Milliseconds) -> Option<&Bodies> {
        let after = self.seen.partition_point(|seen| seen.time <= time);
        self.seen.get(after.max(1) - 1)
    }

    /// How long somebody had been in the air at a time, as far back as is remembered; `None` where that is not known.
    pub fn air(&self, player: &Player, time: Milliseconds) -> Option<Milliseconds> {
        let in_air = |bodies: &Bodies| bodies.find(player)?.in_air;
        if !in_air(self.at(time)?)? {
            return Some(Milliseconds(0));
        }
        let before = self.seen.iter().rev().skip_while(|seen| seen.time > time);
        let first = before.take_while(|bodies| in_air(bodies) == Some(true)).last()?.time;
        Some(time - first)
    }

    /// The widest angle between somebody's view at a time and a view up to `within` before it.
    pub fn turn(&self, player: &Player, time: Milliseconds, within: Milliseconds) -> Option<f32> {
        let now = self.at(time)?.find(player)?;
        let before = self.seen.iter().rev().skip_while(|seen| seen.time > time).take_while(|seen| seen.time >= time - within);
        before.filter_map(|bodies| now.turn(bodies.find(player)?)).reduce(f32::max)
    }

    /// When somebody's life began that the frames last showed, where they showed its begin.
    pub fn born(&self, player: &Player) -> Option<Milliseconds> {
        let slot = player.slot?;
        self.lives.as_ref()?.iter().find(|(known, ..)| *known == slot)?.2
    }
}

/// Notes who came to life.
fn live(lives: &mut Vec<(u16, bool, Option<Milliseconds>)>, frame: &Frame) {
    for player in &frame.players {
        let Some(alive) = player.alive else { continue };
        match lives.iter_mut().find(|(slot, ..)| *slot == player.slot) {
            Some((_, before, born)) if alive && !*before => (*before, *born) = (true, Some(frame.time)),
            Some((_, before, _)) => *before = alive,
            None => lives.push((player.slot, alive, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Demo;

    /// The same answers as from all frames, also where snapshots were lost and over changes of level.
    #[test]
    fn frames_that_are_passed_over_change_no_answer() {
        let samples: [(&str, &[u8]); 5] = [
            ("a.dm_71", include_bytes!("../../../../../samples/quake3/packet_loss.dm_71")),
            ("b.dm_68", include_bytes!("../../../../../samples/quake3/warmup_restart.dm_68")),
            ("c.dm2", include_bytes!("../../../../../samples/quake2/synth_fixmulti_lmpc.dm2")),
            ("d.qwd", include_bytes!("../../../../../samples/quake1/match_e1m1.qwd")),
            ("e.mvd", include_bytes!("../../../../../samples/quake1/match_e1m1.mvd")),
        ];
        for (name, bytes) in samples {
            let demo = Demo::new(bytes, name).unwrap();
            let recording = demo.open().unwrap();
            let fields = Fields::ORIGIN | Fields::ANGLES | Fields::VIEW;
            let back = Milliseconds(200);
            let (mut some, mut all) = (Places::of(&recording, fields, back), Places::of(&recording, fields | Fields::HEALTH, back));
            let mut known = 0;
            for time in (0..60_000).step_by(1700).map(Milliseconds) {
                some.go_to(time);
                all.go_to(time);
                for at in [time, time - Milliseconds(1)] {
                    let [one, other] = [&some, &all].map(|places| places.at(at).map(|seen| (seen.time, seen.view, seen.bodies.clone())));
                    known += one.as_ref().map_or(0, |(_, _, bodies)| bodies.len());
                    assert_eq!(one, other, "{name} at {at}");
                }
            }
            assert!(known > 20, "{name}: {known}");
        }
    }
}
