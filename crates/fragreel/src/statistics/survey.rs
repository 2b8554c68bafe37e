//! What only frames show: who lives and for how long, who runs how fast and how far, what is worn, what is fired (`docs/statistics.md`,
//! "Counted from frames").

use std::collections::{BTreeMap, HashMap};

use fragreel_model::{Family, Frame, ItemStat, Milliseconds, Player, PlayerFrame, Stat, Text, WeaponStat, common};

use super::pace::Pace;
use super::players::Players;

/// A step longer than this is a teleporter or a new life.
const LONGEST_STEP: f32 = 150.0;
/// So is a faster one, in units a second: servers allow 2000 on each axis (`sv_maxvelocity`).
const FASTEST: f32 = 3500.0;
/// Frames that follow each other faster, in milliseconds, show moves of that time all the same.
const SHORTEST_FRAME: i64 = 13;
/// A gap between frames longer than this is no time played: packets were lost, or the recording was cut.
const LONGEST_GAP: i64 = 2000;

/// What is counted of one player.
#[derive(Debug, Clone)]
struct Body {
    player: Player,
    /// The same as he was in the last frame.
    last: Option<Last>,
    /// Milliseconds on a side that plays, in sight, alive.
    playing: i64,
    seen: i64,
    alive: i64,
    distance: f64,
    top: f32,
    /// Where only places are known, those since the last jump to another one.
    pace: Pace,
    /// Speed by time, and the time of it.
    speed: f64,
    moving: i64,
    lost: Option<i64>,
    held: BTreeMap<&'static str, i64>,
    shots: BTreeMap<&'static str, i64>,
}

#[derive(Debug, Clone)]
struct Last {
    frame: u32,
    time: Milliseconds,
    origin: Option<[f32; 3]>,
    alive: bool,
    health: Option<i32>,
    armor: Option<i32>,
    weapon: Option<&'static str>,
    ammo: Vec<(&'static str, i32)>,
}

/// Looks at the frames of a match.
#[derive(Debug, Clone, Default)]
pub(super) struct Survey {
    bodies: Vec<Body>,
    /// The place of each among them, by slot and name.
    places: HashMap<(u16, String), usize>,
    /// Whether any frame was looked at.
    has_frames: bool,
    family: Option<Family>,
}

impl Survey {
    /// A frame of the match.
    pub(super) fn frame(&mut self, family: Family, frame: &Frame) {
        (self.has_frames, self.family) = (true, Some(family));
        for shown in frame.players.iter().filter(|player| plays(player)) {
            let Some(name) = &shown.name else { continue };
            let at = *self.places.entry((shown.slot, name.raw.clone())).or_insert(self.bodies.len());
            if at == self.bodies.len() {
                let team = shown.team.as_ref().map(|team| team.to_string().into());
                self.bodies.push(Body::new(Player { slot: Some(shown.slot), name: (**name).clone(), team }));
            }
            self.bodies[at].look(family, frame, shown);
        }
    }

    /// A player has another name: the figures so far go with it.
    pub(super) fn rename(&mut self, player: &Player, from: &Text) {
        let Some(slot) = player.slot else { return };
        let Some(at) = self.places.remove(&(slot, from.raw.clone())) else { return };
        self.bodies[at].player.name = player.name.clone();
        if let Some(already) = self.places.insert((slot, player.name.raw.clone()), at) {
            // A frame had the new name before the event.
            let later = std::mem::replace(&mut self.bodies[already], Body::new(player.clone()));
            self.bodies[at].add(later);
        }
    }

    /// The match is over: the figures go to their players.
    pub(super) fn end(&mut self, players: &mut Players) {
        self.places.clear();
        for body in self.bodies.drain(..).filter(|body| body.playing > 0) {
            let line = players.find(&body.player);
            let stats = &mut line.stats;
            stats.count(Stat::TimeOnTeam, body.playing);
            // of somebody who was out of sight for a while, nobody knows
            if body.seen * 100 < body.playing * 95 {
                continue;
            }
            stats.count(Stat::TimeAlive, body.alive);
            stats.count(Stat::Distance, body.distance.round() as i64);
            if body.moving > 0 {
                let top = stats.get(Stat::TopSpeed).counted.unwrap_or(0);
                stats.set_counted(Stat::TopSpeed, top.max(body.top.max(body.pace.last_steps()).round() as i64));
                stats.set_counted(Stat::AverageSpeed, (body.speed / body.moving as f64).round() as i64);
            }
            if let Some(lost) = body.lost {
                stats.count(Stat::Lost, lost);
            }
            for (item, time) in body.held {
                line.item(item).count(ItemStat::TimeHeld, time);
            }
            for (weapon, shots) in body.shots {
                line.weapon(weapon).count(WeaponStat::Shots, shots);
                if let Some(pellets) = self.family.and_then(|family| pellets(family, weapon)) {
                    line.weapon(weapon).count(WeaponStat::Pellets, shots.saturating_mul(pellets));
                }
            }
        }
    }
}

/// Whether somebody plays, and does not watch.
fn plays(player: &PlayerFrame) -> bool {
    player.spectator != Some(true)
        && player.team.as_deref().is_none_or(|team| !team.eq_ignore_ascii_case("spectator") && !team.eq_ignore_ascii_case("spectators"))
}

impl Body {
    fn new(player: Player) -> Self {
        Body {
            player,
            last: None,
            playing: 0,
            seen: 0,
            alive: 0,
            distance: 0.0,
            top: 0.0,
            pace: Pace::default(),
            speed: 0.0,
            moving: 0,
            lost: None,
            held: BTreeMap::new(),
            shots: BTreeMap::new(),
        }
    }

    /// Adds what was counted of the same player later.
    fn add(&mut self, later: Body) {
        self.last = later.last;
        self.top = self.top.max(self.pace.end());
        self.pace = later.pace;
        self.playing += later.playing;
        self.seen += later.seen;
        self.alive += later.alive;
        self.distance += later.distance;
        self.top = self.top.max(later.top);
        self.speed += later.speed;
        self.moving += later.moving;
        self.lost = self.lost.map_or(later.lost, |lost| Some(lost + later.lost.unwrap_or(0)));
        for (counts, more) in [(&mut self.held, later.held), (&mut self.shots, later.shots)] {
            more.into_iter().for_each(|(what, count)| *counts.entry(what).or_default() += count);
        }
    }

    fn look(&mut self, family: Family, frame: &Frame, now: &PlayerFrame) {
        // a body that is shown without any other statement is alive
        let alive = now.alive.unwrap_or(true);
        if let Some(last) = self.last.take() {
            let passed = (frame.time - last.time).0;
            if (1..=LONGEST_GAP).contains(&passed) {
                self.passed(family, &last, now, alive, passed, last.frame + 1 == frame.number);
            }
        }
        self.last = Some(Last {
            frame: frame.number,
            time: frame.time,
            origin: now.origin,
            alive,
            health: now.health,
            armor: now.armor,
            weapon: now.weapon.as_ref().and_then(|weapon| weapon.common),
            ammo: now.ammo.iter().filter_map(|held| Some((held.what.common?, held.amount?))).collect(),
        });
    }

    /// Time has passed from one frame with him to the next.
    fn passed(&mut self, family: Family, last: &Last, now: &PlayerFrame, alive: bool, passed: i64, next: bool) {
        self.playing += passed;
        let (Some(from), Some(to)) = (last.origin, now.origin) else { return };
        self.seen += passed;
        if !(last.alive && alive) {
            self.harm(last, now);
            return;
        }
        self.alive += passed;
        let step = (0..3).map(|axis| (to[axis] - from[axis]).powi(2)).sum::<f32>().sqrt();
        if now.teleported || step >= LONGEST_STEP || step * 1000.0 > FASTEST * passed.max(SHORTEST_FRAME) as f32 {
            self.top = self.top.max(self.pace.end());
        } else {
            self.distance += f64::from(step);
            let over_ground = |vector: [f32; 3]| vector[0].hypot(vector[1]);
            let speed = now.velocity.map_or_else(|| over_ground([to[0] - from[0], to[1] - from[1], 0.0]) * 1000.0 / passed as f32, over_ground);
            let top = if now.velocity.is_some() { speed } else { self.pace.go((last.time, from), (last.time + Milliseconds(passed), to)) };
            self.top = self.top.max(top);
            self.speed += f64::from(speed) * passed as f64;
            self.moving += passed;
        }
        for item in now.powerups.iter().chain(&now.items).filter_map(|held| held.what.common).filter(|item| WORN.contains(item)) {
            *self.held.entry(item).or_default() += passed;
        }
        self.harm(last, now);
        if let Some(weapon) = last.weapon.filter(|weapon| next && now.weapon.as_ref().and_then(|weapon| weapon.common) == Some(weapon)) {
            let left = |ammo: &str| now.ammo.iter().find(|held| held.what.common == Some(ammo)).and_then(|held| held.amount);
            let used = last
                .ammo
                .iter()
                .filter(|(ammo, _)| AMMO_OF.contains(&(weapon, ammo)))
                .find_map(|(ammo, had)| Some(had.saturating_sub(left(ammo)?)))
                .unwrap_or(0);
            if used > 0 {
                *self.shots.entry(weapon).or_default() += shots(family, weapon, used.into());
            }
        }
    }

    /// Health and armor that went.
    fn harm(&mut self, last: &Last, now: &PlayerFrame) {
        let (Some(before), Some(after)) = (last.health, now.health) else { return };
        let lost = self.lost.get_or_insert(0);
        if before <= 0 {
            return;
        }
        let health = (before - after.max(0)).max(0);
        let armor = last.armor.zip(now.armor).map_or(0, |(before, after)| before.saturating_sub(after).max(0));
        // what is beyond a hundred rots a point at a time
        let rots = (before > 100 && health == 1 && armor == 0) || (health == 0 && armor == 1 && last.armor.is_some_and(|armor| armor > 100));
        if !rots {
            *lost += i64::from(health) + i64::from(armor);
        }
    }
}

/// What is worn for a time.
const WORN: [&str; 16] = [
    common::QUAD,
    common::INVULNERABILITY,
    common::BATTLE_SUIT,
    common::INVISIBILITY,
    common::REGENERATION,
    common::HASTE,
    common::FLIGHT,
    common::STRENGTH,
    common::RESISTANCE,
    common::SCOUT,
    common::SUPPLY,
    common::RED_ARMOR,
    common::YELLOW_ARMOR,
    common::GREEN_ARMOR,
    common::RED_FLAG,
    common::BLUE_FLAG,
];

/// What weapons use.
const AMMO_OF: [(&str, &str); 18] = [
    (common::SHOTGUN, common::SHELLS),
    (common::SUPER_SHOTGUN, common::SHELLS),
    (common::NAILGUN, common::NAILS),
    (common::SUPER_NAILGUN, common::NAILS),
    (common::GRENADE_LAUNCHER, common::ROCKETS),
    (common::GRENADE_LAUNCHER, common::GRENADES),
    (common::ROCKET_LAUNCHER, common::ROCKETS),
    (common::LIGHTNING_GUN, common::CELLS),
    (common::LIGHTNING_GUN, common::LIGHTNING),
    (common::MACHINE_GUN, common::BULLETS),
    (common::CHAINGUN, common::BULLETS),
    (common::CHAINGUN, common::BELTS),
    (common::RAILGUN, common::SLUGS),
    (common::PLASMA_GUN, common::CELLS),
    (common::BFG, common::BFG_AMMO),
    (common::BFG, common::CELLS),
    (common::HAND_GRENADE, common::GRENADES),
    (common::HEAVY_MACHINE_GUN, common::BULLETS),
];

/// The pellets of a shot, where the server counts pellets: QuakeWorld's shotguns.
fn pellets(family: Family, weapon: &str) -> Option<i64> {
    match (family, weapon) {
        (Family::Quake1, common::SHOTGUN) => Some(6),
        (Family::Quake1, common::SUPER_SHOTGUN) => Some(14),
        _ => None,
    }
}

/// The shots that so much ammunition makes.
fn shots(family: Family, weapon: &str, used: i64) -> i64 {
    match (family, weapon) {
        (Family::Quake1, common::SUPER_SHOTGUN | common::SUPER_NAILGUN) | (Family::Quake2, common::SUPER_SHOTGUN) => (used + 1) / 2,
        (Family::Quake2, common::BFG) => (used + 49) / 50,
        _ => used,
    }
}

#[cfg(test)]
mod tests {
    use super::super::of_frames::shows_all;
    use super::*;
    use fragreel_model::{Held, Term};
    use std::sync::Arc;

    #[test]
    fn time_distance_and_harm_are_those_between_frames() {
        let mut survey = Survey::default();
        let mut at = |number: u32, x: f32, health: i32, armor: i32, rockets: i32, quad: bool| {
            let mut frame = Frame::default();
            (frame.number, frame.time) = (number, Milliseconds(i64::from(number) * 100));
            let player = frame.add_player(2);
            player.name = Some(Arc::new(Text::plain("a")));
            (player.origin, player.health, player.armor, player.alive) = (Some([x, 0.0, 0.0]), Some(health), Some(armor), Some(health > 0));
            player.weapon = Some(Term::new("rl", Some(common::ROCKET_LAUNCHER)));
            player.ammo.push(Held { what: Term::new("rockets", Some(common::ROCKETS)), amount: Some(rockets), until: None });
            if quad {
                player.powerups.push(Held { what: Term::new("quad", Some(common::QUAD)), amount: None, until: None });
            }
            survey.frame(Family::Quake1, &frame);
        };
        at(0, 0.0, 100, 50, 9, false);
        at(1, 32.0, 90, 40, 8, true);
        at(2, 64.0, -20, 0, 8, true);
        at(3, 64.0, -20, 0, 8, false);
        at(4, 900.0, 100, 0, 5, false);
        at(5, 932.0, 101, 0, 5, false);
        at(6, 932.0, 100, 0, 4, false);
        let mut players = Players::default();
        survey.end(&mut players);
        let line = players.iter_mut().next().unwrap();
        let of = |stat| line.stats.get(stat).counted;
        assert_eq!((of(Stat::TimeOnTeam), of(Stat::TimeAlive), of(Stat::Distance)), (Some(600), Some(300), Some(64)));
        assert_eq!((of(Stat::TopSpeed), of(Stat::AverageSpeed)), (Some(320), Some(213)));
        assert_eq!(of(Stat::Lost), Some(10 + 10 + 90 + 40), "what rots is not lost to anybody");
        assert_eq!(line.items[common::QUAD].get(ItemStat::TimeHeld).counted, Some(100));
        assert_eq!(line.weapons[common::ROCKET_LAUNCHER].get(WeaponStat::Shots).counted, Some(2), "a new life's ammunition is none fired");
        assert!(shows_all(line), "without frames, nobody would know of him");
        line.stats.count(Stat::Kills, 0);
        assert!(!shows_all(line));
    }

    #[test]
    fn places_that_jump_are_no_speed() {
        let top = |places: &[(i64, f32)]| {
            let mut survey = Survey::default();
            for (number, (time, x)) in places.iter().enumerate() {
                let mut frame = Frame::default();
                (frame.number, frame.time) = (number as u32, Milliseconds(*time));
                let player = frame.add_player(2);
                player.name = Some(Arc::new(Text::plain("a")));
                (player.origin, player.alive) = (Some([*x, 0.0, 0.0]), Some(true));
                survey.frame(Family::Quake1, &frame);
            }
            let mut players = Players::default();
            survey.end(&mut players);
            players.iter_mut().next().unwrap().stats.get(Stat::TopSpeed).counted
        };
        // 400 units a second. Every other frame shows two moves.
        let run: Vec<(i64, f32)> = (0..40).map(|at| (at * 13, (at - at % 2) as f32 * 5.2)).collect();
        assert!(top(&run).is_some_and(|top| (380..=460).contains(&top)), "{:?}", top(&run));
        // A teleporter over 140 units, in the middle.
        let jump: Vec<(i64, f32)> = run.iter().map(|&(time, x)| (time, if time > 260 { x + 140.0 } else { x })).collect();
        assert!(top(&jump).is_some_and(|top| (380..=460).contains(&top)), "{:?}", top(&jump));
    }
}
