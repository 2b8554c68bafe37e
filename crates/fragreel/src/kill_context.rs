//! The circumstances of kills: one walk over the frames beside the one over the events.
//!
//! `events --scenes`, `highlights` and the table `kills` all ask this module, so they give one answer. `docs/moments.md` defines
//! every figure.

use std::collections::{HashMap, VecDeque};

use fragreel_model::{Fields, Frame, FrameOptions, Kill, KillContext, Milliseconds, Player, PlayerFrame, When};

use crate::geometry::{distance, length};
use crate::{Frames, Recording, geometry};

/// How far before a kill a turn of the view counts.
pub const VIEW_TURN_WINDOW: Milliseconds = Milliseconds(200);

/// The longest time in the air that is measured.
pub const AIR_TIME_LIMIT: Milliseconds = Milliseconds(5000);

/// Frames are made from this long before the earliest time that counts, because the frame before it counts too.
const AHEAD: Milliseconds = Milliseconds(500);

/// What is needed of the frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    pub fields: Fields,
    /// Time in the air, which looks back [`AIR_TIME_LIMIT`].
    pub air_time: bool,
    /// Time since the spawn, for which every frame is made.
    pub spawns: bool,
}

impl Needs {
    pub(crate) const ALL: Needs = Needs { fields: Fields::ALL, air_time: true, spawns: true };

    /// The fields with those that the rest is made of.
    fn fields(self) -> Fields {
        const USED: [Fields; 9] =
            [Fields::VIEW, Fields::ORIGIN, Fields::VELOCITY, Fields::ANGLES, Fields::HEALTH, Fields::ARMOR, Fields::WEAPON, Fields::POWERUPS, Fields::STANCE];
        let needed = [(self.air_time, Fields::STANCE | Fields::HEALTH), (self.spawns, Fields::HEALTH)];
        let needed = needed.into_iter().filter_map(|(on, fields)| on.then_some(fields));
        needed.chain(USED.into_iter().filter(|&field| self.fields.has(field))).collect()
    }
}

/// A walk over the frames, up to the kill that is asked about. Frames that no kill needs are not made:
/// `highlights --distance` took 2.5 times as long as a plain search with all of them.
pub(crate) struct KillContexts {
    frames: Option<Frames>,
    /// The next frame, where it is made already.
    next: Frame,
    has_next: bool,
    /// The last frames, as far back as is needed.
    seen: VecDeque<Frame>,
    /// Frames that are done with, for their room.
    spare: Frame,
    /// How far back frames are kept.
    back: Milliseconds,
    /// Who came to life when, where that is needed.
    spawns: Option<Spawns>,
    /// The last kill of each slot's player.
    deaths: HashMap<u16, Milliseconds>,
}

impl KillContexts {
    /// Frames are missing of recordings whose frames are not understood; then nothing is known.
    pub(crate) fn of(recording: &Recording, needs: Needs) -> Self {
        let frames = recording.frames(FrameOptions::default().fields(needs.fields()).players_only()).ok();
        let back = if needs.air_time { AIR_TIME_LIMIT } else { VIEW_TURN_WINDOW };
        KillContexts {
            frames,
            next: Frame::default(),
            has_next: false,
            seen: VecDeque::new(),
            spare: Frame::default(),
            back,
            spawns: needs.spawns.then(Spawns::default),
            deaths: HashMap::new(),
        }
    }

    /// Goes on to a time, which is not before the last one.
    pub(crate) fn go_to(&mut self, time: Milliseconds) {
        let earliest = time - self.back - Milliseconds(1);
        if let (Some(frames), None) = (&mut self.frames, &self.spawns) {
            let from = earliest - AHEAD;
            frames.skip_until(from);
            // No run of frames goes over what is left out.
            self.has_next &= self.next.time >= from;
            while self.seen.front().is_some_and(|seen| seen.time < from) {
                self.seen.pop_front();
            }
        }
        self.read_to(time);
        let before = time - Milliseconds(1);
        if self.spawns.is_none() && self.has_passed_over(before) {
            // Nothing was recorded for a while.
            self.seen.clear();
            self.has_next = false;
            if self.frames.as_mut().is_some_and(|frames| frames.seek(When::Demo(before))) {
                self.read_to(time);
            }
        }
    }

    fn read_to(&mut self, time: Milliseconds) {
        let Some(frames) = &mut self.frames else { return };
        loop {
            if !self.has_next && !frames.next_into(&mut self.next) {
                return;
            }
            self.has_next = self.next.time > time && !self.seen.is_empty();
            if self.has_next {
                return;
            }
            // A frame that is done with lends its room to the next one.
            if self.seen.get(1).is_some_and(|next| next.time <= time - self.back) {
                self.spare = self.seen.pop_front().unwrap_or_default();
            }
            if let Some(spawns) = &mut self.spawns {
                spawns.add(&self.next);
            }
            self.seen.push_back(std::mem::replace(&mut self.next, std::mem::take(&mut self.spare)));
        }
    }

    /// Whether the frame that shows a time was not made.
    fn has_passed_over(&self, time: Milliseconds) -> bool {
        let after = self.seen.partition_point(|seen| seen.time <= time);
        let next = self.seen.get(after).map(|seen| seen.number).or(self.has_next.then_some(self.next.number));
        let expected = after.checked_sub(1).map_or(0, |last| self.seen[last].number + 1);
        // Behind the recording's end nothing follows, and what was made since the time to skip to is the last.
        next.map_or(after == 0, |next| next != expected)
    }

    /// The last frame at or before a time; the first one for earlier times.
    fn at(&self, time: Milliseconds) -> Option<&Frame> {
        let after = self.seen.partition_point(|seen| seen.time <= time);
        self.seen.get(after.max(1) - 1)
    }

    /// The slot of the player whose eyes the recording shows at a time.
    #[cfg(any(feature = "edit", test))]
    pub(crate) fn view(&self, time: Milliseconds) -> Option<u16> {
        self.at(time)?.view.as_ref()?.slot
    }

    /// The circumstances of a kill at a time that was gone to; `None` where no frame comes before it.
    pub(crate) fn context(&mut self, kill: &Kill, time: Milliseconds) -> Option<KillContext> {
        let context = self.shown(kill, time);
        if let Some(slot) = kill.victim.slot {
            self.deaths.insert(slot, time);
        }
        context
    }

    fn shown(&self, kill: &Kill, time: Milliseconds) -> Option<KillContext> {
        // The frame at the time of the kill shows the victim dead. In the frame before both are as they were.
        let is_before = |frame: &&Frame| frame.time < time && self.at(time).is_some_and(|at| at.level == frame.level);
        let frame = self.at(time - Milliseconds(1)).filter(is_before)?;
        let (attacker, victim) = (find(frame, kill.attacker.as_ref()), find(frame, Some(&kill.victim)));
        let mut context = KillContext::default();
        if let Some(attacker) = attacker.filter(|_| !kill.is_suicide()) {
            context.attacker_origin = attacker.origin;
            context.attacker_angles = attacker.angles;
            context.attacker_health = attacker.health;
            context.attacker_powerups.clone_from(&attacker.powerups);
            context.attacker_speed = attacker.velocity.map(length);
            context.held.clone_from(&attacker.weapon);
        }
        if !kill.is_suicide()
            && let Some(attacker) = &kill.attacker
        {
            context.attacker_turn = self.turn(attacker, time);
        }
        if let Some(victim) = victim {
            context.victim_origin = victim.origin;
            // a frame that shows the victim dead already does not show the health before
            context.victim_health = victim.health.filter(|health| *health > 0);
            context.victim_armor = victim.armor;
            context.victim_powerups.clone_from(&victim.powerups);
            context.victim_speed = victim.velocity.map(length);
            context.victim_in_air = victim.on_ground.map(|on_ground| !on_ground);
            context.victim_air_time = self.air_time(victim, frame);
        }
        context.since_spawn = self.spawned(&kill.victim).map(|spawned| time - spawned);
        context.distance = context.attacker_origin.zip(context.victim_origin).map(|(from, to)| distance(from, to));
        (context.frame, context.frame_message, context.frame_time) = (Some(frame.number), Some(frame.message), Some(frame.time));
        Some(context)
    }

    /// How long a player had stood on nothing at a frame: since the first of the frames in a row that show it.
    fn air_time(&self, player: &PlayerFrame, frame: &Frame) -> Option<Milliseconds> {
        let is_in_air = |player: &PlayerFrame| player.on_ground == Some(false) && player.alive != Some(false);
        if !is_in_air(player) {
            return None;
        }
        let before = self.seen.iter().rev().skip_while(|seen| seen.number > frame.number);
        let (mut first, mut number) = (frame, frame.number + 1);
        for seen in before {
            let is_next = seen.number + 1 == number && seen.level == frame.level;
            if !is_next || !seen.player(player.slot).is_some_and(is_in_air) {
                break;
            }
            (first, number) = (seen, seen.number);
        }
        Some((frame.time - first.time).min(AIR_TIME_LIMIT))
    }

    /// The widest angle between a player's view at a time and a view up to [`VIEW_TURN_WINDOW`] before it. The frame of the kill
    /// has the view that the shot was fired with.
    fn turn(&self, player: &Player, time: Milliseconds) -> Option<f32> {
        let now = self.at(time)?;
        let angles = find(now, Some(player))?.angles?;
        let earlier = self.seen.iter().rev().skip_while(|seen| seen.number >= now.number);
        let earlier = earlier.take_while(|seen| seen.time >= time - VIEW_TURN_WINDOW && seen.level == now.level);
        earlier.filter_map(|seen| Some(geometry::turn(find(seen, Some(player))?.angles?, angles))).reduce(f32::max)
    }

    /// When a player's life began, where the frames showed it and no kill of that player came since.
    fn spawned(&self, player: &Player) -> Option<Milliseconds> {
        let slot = player.slot?;
        let spawned = self.spawns.as_ref()?.of(slot)?;
        self.deaths.get(&slot).is_none_or(|died| *died <= spawned).then_some(spawned)
    }
}

fn find<'f>(frame: &'f Frame, player: Option<&Player>) -> Option<&'f PlayerFrame> {
    frame.player(player?.slot?)
}

/// When each slot's player came to life.
#[derive(Debug, Default)]
struct Spawns {
    level: u32,
    /// By slot, where a frame said whether the player lives.
    lives: Vec<Option<Life>>,
}

/// What the last frame said that says whether a player lives.
#[derive(Debug, Clone, Copy)]
struct Life {
    alive: bool,
    /// When the last life began, where the frames showed that.
    spawned: Option<Milliseconds>,
    /// The number of the frame.
    number: u32,
}

impl Spawns {
    fn add(&mut self, frame: &Frame) {
        if frame.level != self.level {
            self.level = frame.level;
            self.lives.clear();
        }
        for player in &frame.players {
            let Some(alive) = player.alive else { continue };
            let slot = usize::from(player.slot);
            if self.lives.len() <= slot {
                self.lives.resize(slot + 1, None);
            }
            let before = self.lives[slot];
            let spawned = match before {
                // Out of sight for a while, the player may have come to life at any time of it.
                Some(Life { alive: false, number, .. }) if alive => (number + 1 == frame.number).then_some(frame.time),
                Some(Life { spawned, .. }) => spawned,
                None => None,
            };
            self.lives[slot] = Some(Life { alive, spawned, number: frame.number });
        }
    }

    fn of(&self, slot: u16) -> Option<Milliseconds> {
        self.lives.get(usize::from(slot)).copied().flatten()?.spawned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::{EventKind, Kind};

    fn frames() -> KillContexts {
        KillContexts {
            frames: None,
            next: Frame::default(),
            has_next: false,
            seen: VecDeque::new(),
            spare: Frame::default(),
            back: AIR_TIME_LIMIT,
            spawns: Some(Spawns::default()),
            deaths: HashMap::new(),
        }
    }

    impl KillContexts {
        /// A frame with two players, the second of whom may be out of sight.
        fn add(&mut self, number: u32, yaw: f32, victim: Option<(bool, bool)>) {
            let mut frame = Frame::default();
            (frame.number, frame.message, frame.time) = (number, number + 10, Milliseconds(i64::from(number) * 50));
            let attacker = frame.add_player(0);
            (attacker.origin, attacker.angles) = (Some([0.0; 3]), Some([0.0, yaw, 0.0]));
            if let Some((alive, on_ground)) = victim {
                let player = frame.add_player(1);
                (player.alive, player.origin, player.on_ground) = (Some(alive), Some([30.0, 40.0, 0.0]), Some(on_ground));
            }
            self.spawns.as_mut().unwrap().add(&frame);
            self.seen.push_back(frame);
        }
    }

    fn kill() -> Kill {
        let player = |slot: u16| Player { slot: Some(slot), name: fragreel_model::Text::plain(slot.to_string()), team: None };
        Kill::new(Some(player(0)), player(1), "MOD_RAILGUN")
    }

    #[test]
    fn figures_are_those_of_the_frame_before_and_turns_those_of_the_shot() {
        let mut contexts = frames();
        contexts.add(0, 0.0, Some((false, true)));
        contexts.add(1, 170.0, Some((true, true)));
        contexts.add(2, 170.0, Some((true, false)));
        contexts.add(3, 170.0, Some((true, false)));
        contexts.add(4, -170.0, Some((true, false)));
        contexts.add(5, -160.0, Some((false, true)));
        let context = contexts.context(&kill(), Milliseconds(250)).unwrap();
        assert_eq!((context.frame, context.frame_message, context.frame_time), (Some(4), Some(14), Some(Milliseconds(200))));
        assert_eq!((context.distance, context.victim_in_air, context.victim_air_time), (Some(50.0), Some(true), Some(Milliseconds(100))));
        assert_eq!(context.attacker_turn.map(f32::round), Some(30.0), "over the seam, from 200 ms before, not from 250");
        assert_eq!(context.since_spawn, Some(Milliseconds(200)));
        // The same life ended already.
        assert_eq!(contexts.context(&kill(), Milliseconds(250)).unwrap().since_spawn, None);
    }

    #[test]
    fn what_happened_out_of_sight_is_not_known() {
        let mut contexts = frames();
        contexts.add(0, 0.0, Some((false, false)));
        contexts.add(1, 0.0, Some((true, false)));
        contexts.add(2, 0.0, None);
        contexts.add(3, 0.0, Some((true, false)));
        contexts.add(4, 0.0, Some((true, false)));
        contexts.add(5, 0.0, Some((false, false)));
        contexts.add(6, 0.0, None);
        contexts.add(7, 0.0, Some((true, false)));
        let context = contexts.context(&kill(), Milliseconds(250)).unwrap();
        assert_eq!(context.victim_air_time, Some(Milliseconds(50)));
        let mut contexts = frames();
        contexts.add(0, 0.0, Some((false, false)));
        contexts.add(1, 0.0, None);
        contexts.add(2, 0.0, Some((true, true)));
        let context = contexts.context(&kill(), Milliseconds(150)).unwrap();
        assert_eq!((context.since_spawn, context.victim_air_time, context.attacker_turn), (None, None, Some(0.0)));
    }

    /// The same answers as from all frames, also where snapshots were lost and over changes of level.
    #[test]
    fn frames_that_are_passed_over_change_no_answer() {
        let (mut known, mut kills) = (0, 0);
        for sample in ["quake3", "quake2", "quake1", "goldsrc"].into_iter().flat_map(fragreel_testkit::samples) {
            let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
            let needs = Needs { fields: Fields::ORIGIN | Fields::ANGLES | Fields::VIEW, air_time: true, spawns: false };
            let (mut some, mut all) = (KillContexts::of(&recording, needs), KillContexts::of(&recording, Needs { spawns: true, ..needs }));
            for event in recording.events(Kind::Kill) {
                let EventKind::Kill(kill) = &event.kind else { continue };
                let [one, mut other] = [&mut some, &mut all].map(|contexts| {
                    contexts.go_to(event.time);
                    (contexts.view(event.time), contexts.context(kill, event.time))
                });
                if let Some(context) = &mut other.1 {
                    context.since_spawn = None;
                    known += usize::from(context.distance.is_some());
                }
                kills += 1;
                assert_eq!(one, other, "{} at {}", sample.name, event.time);
            }
        }
        assert!(kills > 100 && known > 50, "{kills} {known}");
    }
}
