//! The circumstances of kills: one walk over the frames beside the one over the events.

use std::collections::VecDeque;

use model::{Damage, Event, EventKind, Fields, Frame, FrameOptions, Kill, Kind, Kinds, Milliseconds, Player, PlayerFrame, Scene};

use replay::Flow;

use crate::geometry::{distance, length};
use crate::{Frames, Recording, geometry};

/// How far back a turn of the view is measured.
const TURN: Milliseconds = Milliseconds(250);

impl Recording<'_> {
    /// The same as [`events`](Self::events), with [`scene`](Kill::scene) filled in for every kill: where both were, how far apart, what the attacker
    /// held, whether the victim stood on nothing, health, power-ups, time since the spawn. It is what the last frame before the kill
    /// shows; what a format does not say is absent. Frames are walked over besides, which takes about as long again.
    ///
    /// ```
    /// use fragreel::model::{EventKind, Kind, Kinds};
    ///
    /// # fn main() -> Result<(), fragreel::Error> {
    /// let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
    /// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
    /// let mut farthest = 0.0_f32;
    /// demo.open()?.events_with_scenes(Kinds::ALL, &mut |event| {
    ///     if let EventKind::Kill(kill) = event.kind
    ///         && let Some(distance) = kill.scene.and_then(|scene| scene.distance)
    ///     {
    ///         farthest = farthest.max(distance);
    ///     }
    /// });
    /// assert!(farthest > 100.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn events_with_scenes<R: Flow>(&self, wanted: Kinds, sink: &mut (impl FnMut(Event) -> R + ?Sized)) -> Vec<Damage> {
        if !wanted.has(Kind::Kill) {
            return self.events(wanted, sink);
        }
        let mut stage = Stage::of(self);
        self.events(wanted, &mut |mut event| {
            if let EventKind::Kill(kill) = &mut event.kind {
                stage.go_before(event.message, event.time);
                kill.scene = stage.scene(kill);
            }
            sink(event)
        })
    }
}

/// What is remembered of a player beyond one frame.
#[derive(Debug, Clone, Default)]
struct Past {
    /// When the present life began, where that was seen.
    spawned: Option<Milliseconds>,
    /// Whether the last frame that showed the player showed him alive.
    alive: Option<bool>,
    /// Since when he stands on nothing.
    in_air_since: Option<Milliseconds>,
    /// When he was last seen: what a gap may hide is not known.
    seen: u32,
    /// Views of the last while, the latest last.
    angles: VecDeque<(Milliseconds, [f32; 3])>,
}

/// A walk over the frames, up to just before the kill that is asked about.
struct Stage<'a> {
    frames: Option<Frames<'a>>,
    /// The frame that is current, and the next one, which is already read.
    now: Frame,
    next: Frame,
    has_now: bool,
    has_next: bool,
    pasts: Vec<Past>,
}

impl<'a> Stage<'a> {
    fn of(recording: &Recording<'a>) -> Self {
        let fields = [Fields::ORIGIN, Fields::VELOCITY, Fields::ANGLES, Fields::HEALTH, Fields::ARMOR, Fields::WEAPON, Fields::POWERUPS, Fields::STANCE];
        let options = FrameOptions::default().fields(fields.into_iter().collect());
        let mut stage =
            Stage { frames: recording.frames(options).ok(), now: Frame::default(), next: Frame::default(), has_now: false, has_next: false, pasts: Vec::new() };
        stage.has_next = stage.read();
        stage
    }

    fn read(&mut self) -> bool {
        self.frames.as_mut().is_some_and(|frames| frames.next_into(&mut self.next))
    }

    /// Goes on to the last frame before the message of a kill. Kills that a format reports behind their frame are of that frame.
    fn go_before(&mut self, message: u32, time: Milliseconds) {
        while self.has_next && self.next.message < message && self.next.time <= time {
            if self.has_now && self.next.level != self.now.level {
                self.pasts.clear();
            }
            std::mem::swap(&mut self.now, &mut self.next);
            self.has_now = true;
            remember(&mut self.pasts, &self.now);
            self.has_next = self.read();
        }
    }

    fn scene(&self, kill: &Kill) -> Option<Box<Scene>> {
        if !self.has_now {
            return None;
        }
        let find = |player: Option<&Player>| player.and_then(|player| self.now.player(player.slot?));
        let (attacker, victim) = (find(kill.attacker.as_ref()), find(Some(&kill.victim)));
        let mut scene = Scene::default();
        if let Some(attacker) = attacker.filter(|_| !kill.is_suicide()) {
            let past = self.past(attacker);
            scene.attacker_origin = attacker.origin;
            scene.attacker_angles = attacker.angles;
            scene.attacker_health = attacker.health;
            scene.attacker_powerups.clone_from(&attacker.powerups);
            scene.attacker_speed = attacker.velocity.map(length);
            scene.held.clone_from(&attacker.weapon);
            scene.attacker_turn = past.and_then(|past| turn(past, attacker.angles?, self.now.time));
        }
        if let Some(victim) = victim {
            let past = self.past(victim);
            scene.victim_origin = victim.origin;
            scene.victim_health = victim.health;
            scene.victim_armor = victim.armor;
            scene.victim_powerups.clone_from(&victim.powerups);
            scene.victim_speed = victim.velocity.map(length);
            scene.victim_in_air = victim.on_ground.map(|on_ground| !on_ground);
            scene.victim_air_time = past.and_then(|past| Some(self.now.time - past.in_air_since?));
            scene.since_spawn = past.and_then(|past| Some(self.now.time - past.spawned?));
        }
        scene.distance = scene.attacker_origin.zip(scene.victim_origin).map(|(from, to)| distance(from, to));
        (scene != Scene::default()).then(|| Box::new(scene))
    }

    fn past(&self, player: &PlayerFrame) -> Option<&Past> {
        self.pasts.get(usize::from(player.slot))
    }
}

fn remember(pasts: &mut Vec<Past>, frame: &Frame) {
    for player in &frame.players {
        let slot = usize::from(player.slot);
        if pasts.len() <= slot {
            pasts.resize_with(slot + 1, Past::default);
        }
        let past = &mut pasts[slot];
        // somebody who was out of sight may have died there and come back
        if past.seen != 0 && past.seen != frame.number {
            *past = Past::default();
        }
        past.seen = frame.number + 1;
        // a player who is not shown at his place is not in sight
        if player.origin.is_none() {
            *past = Past::default();
            continue;
        }
        if let Some(alive) = player.alive {
            match (past.alive, alive) {
                (Some(false), true) => past.spawned = Some(frame.time),
                (_, false) => past.spawned = None,
                _ => {}
            }
            past.alive = Some(alive);
        }
        match player.on_ground {
            Some(false) => drop(past.in_air_since.get_or_insert(frame.time)),
            _ => past.in_air_since = None,
        }
        if let Some(angles) = player.angles {
            past.angles.push_back((frame.time, angles));
            while past.angles.front().is_some_and(|(time, _)| frame.time - *time > TURN) {
                past.angles.pop_front();
            }
        }
    }
}

/// The angle between the view now and a quarter of a second ago; nothing where the recording does not reach back that far.
fn turn(past: &Past, now: [f32; 3], time: Milliseconds) -> Option<f32> {
    let (when, before) = past.angles.front()?;
    if time - *when < Milliseconds(TURN.0 / 2) {
        return None;
    }
    Some(geometry::turn(*before, now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_angles_between_views() {
        let mut past = Past::default();
        past.angles.push_back((Milliseconds(1000), [0.0, 170.0, 0.0]));
        assert_eq!(turn(&past, [0.0, -170.0, 0.0], Milliseconds(1250)).map(f32::round), Some(20.0), "over the seam");
        assert_eq!(turn(&past, [0.0, 0.0, 0.0], Milliseconds(1010)), None, "too short a while");
    }

    #[test]
    fn a_life_begins_where_somebody_comes_back_in_sight() {
        let mut pasts = Vec::new();
        let mut at = |number: u32, alive: bool, in_air: bool| {
            let mut frame = Frame::default();
            (frame.number, frame.time) = (number, Milliseconds(i64::from(number) * 100));
            let player = frame.add_player(1);
            (player.alive, player.origin, player.on_ground) = (Some(alive), Some([0.0; 3]), Some(!in_air));
            remember(&mut pasts, &frame);
            pasts[1].clone()
        };
        assert_eq!(at(0, true, false).spawned, None, "he may have lived for long");
        assert_eq!(at(1, false, false).spawned, None);
        assert_eq!(at(2, true, true).spawned, Some(Milliseconds(200)));
        assert_eq!(at(3, true, true).in_air_since, Some(Milliseconds(200)));
        assert_eq!(at(9, true, true).spawned, None, "he was out of sight");
    }
}
