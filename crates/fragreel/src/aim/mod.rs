//! Aim: how players turned before shots, and how far their view rays were from enemies. `docs/statistics.md` defines all figures.

mod hands;
mod hull;
mod row;
mod shots;
mod sight;
mod trail;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use fragreel_base::wire::Error;
use fragreel_model::{Damage, Evidence, Family, Fields, Frame, FrameOptions, Milliseconds, Player, Text};

use crate::{Frames, Recording, geometry};
use hands::Hands;
use hull::Hull;
use shots::{Fired, Shots};
use sight::{Seen, Sight};
use trail::{Trail, View};

pub use row::{Aim, AimKind, ViewSource};

/// Rows wait this long for the views after them, in milliseconds.
const LONGEST_WAIT: i64 = 1000;
/// And no more rows than this wait.
const MOST_WAITING: usize = 4096;
/// Half of the grain of a pitch that an entity states in 8 bits and as a third, in degrees.
const COARSE: f32 = 2.1;

impl Recording {
    /// How players aimed: shows a row for each recorded shot, and for each kill by a weapon that hits at once if the killer's shots are not recorded. `show`
    /// may end the walk. Returns the damage that was met.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let mut hits = 0;
    /// recording.aim(&mut |aim| {
    ///     hits += u32::from(aim.angle_error == Some(0.0));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(hits > 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for recordings whose frames are not understood.
    pub fn aim(&self, show: &mut dyn FnMut(&Aim) -> ControlFlow<()>) -> Result<Vec<Damage>, Error> {
        let fields = Fields::VIEW | Fields::ORIGIN | Fields::VELOCITY | Fields::ANGLES | Fields::HEALTH | Fields::STANCE | Fields::WEAPON;
        let mut options = FrameOptions::default().fields(fields);
        options.happenings = Shots::are_happenings(self.family());
        let mut frames = self.frames(options)?;
        let mut shots = Shots::of(self);
        let mut players = Players::of(self);
        let mut frame = Frame::default();
        while frames.next_into(&mut frame) {
            players.frame(&frames, &frame);
            for fired in shots.until(&mut frames, &frame) {
                players.fired(&frame, &fired, shots.has_teams());
            }
            if players.emit(Some(frame.time), show).is_break() {
                return Ok(frames.damage());
            }
        }
        let _ = players.emit(None, show);
        Ok(frames.damage())
    }
}

/// What is known of the players in the last frames.
struct Players<'r> {
    family: Family,
    hands: Hands<'r>,
    trails: BTreeMap<u16, Trail>,
    /// The slots whose views come from user commands.
    commanded: BTreeSet<u16>,
    /// Whether each player was alive in the last frame.
    alive: BTreeMap<u16, bool>,
    level: u32,
    sight: Sight,
    /// The last command that the server has run.
    acknowledged: Option<u32>,
    /// Aims in this frame that were worked out already.
    known: BTreeMap<(u16, Option<u16>, Option<u64>), Figures>,
    waiting: VecDeque<Waiting>,
}

/// A row that waits for the views after it.
struct Waiting {
    row: Aim,
    /// The number of its view, if later views count.
    view: Option<u64>,
}

/// The figures of a player's view at a shot.
#[derive(Debug, Clone, Default)]
struct Figures {
    source: Option<ViewSource>,
    number: Option<u64>,
    turns: trail::Turns,
    view: Option<View>,
    target: Option<Target>,
}

/// A target, and how far it is from a view ray.
#[derive(Debug, Clone)]
struct Target {
    player: Player,
    error: Option<f32>,
    within: Option<f32>,
    distance: Option<f32>,
    since: Option<Milliseconds>,
}

impl<'r> Players<'r> {
    fn of(recording: &'r Recording) -> Self {
        Players {
            family: recording.family(),
            hands: Hands::of(recording),
            trails: BTreeMap::new(),
            commanded: BTreeSet::new(),
            alive: BTreeMap::new(),
            level: 0,
            sight: Sight::default(),
            acknowledged: None,
            known: BTreeMap::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Takes the views and places of a frame in.
    fn frame(&mut self, frames: &Frames, frame: &Frame) {
        self.known.clear();
        if frame.level != self.level {
            self.level = frame.level;
            self.trails.values_mut().for_each(Trail::cut);
        }
        let family = self.family;
        self.sight.frame(frame, |player| Hull::of(family, frames, player));
        for player in &frame.players {
            let is_alive = player.alive != Some(false);
            let was_alive = self.alive.insert(player.slot, is_alive);
            if player.teleported || was_alive.is_some_and(|was| was != is_alive) {
                // A spawn or a teleporter turns the view.
                self.trails.entry(player.slot).or_default().cut();
            }
        }
        let view = frame.view.as_ref().and_then(|view| view.slot);
        // Half-Life's recorder may look through another's eyes. Velocity is stated of the recording player alone.
        let own = view.filter(|slot| family != Family::GoldSrc || frame.player(*slot).is_some_and(|player| player.velocity.is_some()));
        for (slot, view) in self.hands.until(frame, own) {
            if self.commanded.insert(slot) {
                self.trails.entry(slot).or_default().cut();
            }
            self.trails.entry(slot).or_default().push(view);
        }
        let acknowledged = if family == Family::Quake1 { frames.raw(fragreel_model::Subject::View, "acknowledged") } else { None };
        self.acknowledged = acknowledged.and_then(|value| u32::try_from(value.as_int()?).ok());
        for player in frame.players.iter().filter(|player| !self.commanded.contains(&player.slot)) {
            if let Some(angles) = player.angles.filter(|angles| angles.iter().all(|angle| angle.is_finite())) {
                self.trails.entry(player.slot).or_default().push(View::new(frame.time.0 as f64, angles));
            }
        }
    }

    /// Makes a row.
    fn fired(&mut self, frame: &Frame, fired: &Fired, has_teams: Option<bool>) {
        let victim = fired.victim.as_ref().and_then(|victim| victim.slot);
        let number = self.number(frame, fired.slot, fired.at.message);
        let key = (fired.slot, victim, number);
        let figures = match self.known.get(&key) {
            Some(figures) => figures.clone(),
            None => {
                let figures = self.figures(frame, fired.slot, victim, number, has_teams);
                self.known.insert(key, figures.clone());
                figures
            }
        };
        let shooter = frame.player(fired.slot);
        let is_exact = matches!(figures.source, Some(ViewSource::Command | ViewSource::View));
        let time = fired.at.time;
        // A kill's victim is known even if it is out of sight.
        let target = figures.target.or_else(|| {
            let player = fired.victim.clone()?;
            Some(Target { player, error: None, within: None, distance: None, since: None })
        });
        let [pitch, yaw] = [0, 1].map(|axis| figures.view.map(|view| view.angles[axis]));
        let weapon = shooter.and_then(|shooter| shooter.weapon.as_ref()).filter(|_| fired.weapon_own.is_none());
        let mut row = Aim {
            player: fired
                .player
                .clone()
                .or_else(|| shooter.map(|shooter| named(shooter.slot, shooter.name.as_deref(), shooter.team.as_deref())))
                .unwrap_or_else(|| Player { slot: Some(fired.slot), ..Player::unknown(None) }),
            level: frame.level,
            message: fired.at.message,
            time,
            server_time: fired.at.server_time,
            match_time: fired.at.match_time,
            uncertain: fired.at.uncertain || frame.uncertain,
            evidence: if is_exact && fired.kind == AimKind::Shot { Evidence::Stated } else { Evidence::Inferred },
            kind: fired.kind,
            source: figures.source,
            step: figures.turns.msec,
            weapon: fired.weapon.or_else(|| weapon.and_then(|weapon| weapon.common)),
            weapon_own: fired.weapon_own.clone().or_else(|| weapon.map(|weapon| weapon.own.clone())),
            target: None,
            pitch,
            yaw,
            turn_50: figures.turns.within[0],
            turn_100: figures.turns.within[1],
            turn_200: figures.turns.within[2],
            turn_step: figures.turns.step,
            still_before: figures.turns.still.filter(|_| is_exact),
            still_after: None,
            angle_error: None,
            angle_error_within: None,
            distance: None,
            since_sight: None,
            view_offset: figures.view.and_then(|view| view.offset),
            since_press: fired.pressed.map(|pressed| time - pressed).filter(|_| figures.source == Some(ViewSource::Command)),
        };
        if let Some(target) = target {
            (row.angle_error, row.angle_error_within, row.distance, row.since_sight) = (target.error, target.within, target.distance, target.since);
            row.target = Some(target.player);
        }
        self.waiting.push_back(Waiting { row, view: figures.number.filter(|_| is_exact) });
    }

    /// The number of the view with which a player fired.
    fn number(&self, frame: &Frame, slot: u16, message: u32) -> Option<u64> {
        let trail = self.trails.get(&slot)?;
        if !self.commanded.contains(&slot) {
            return trail.last();
        }
        match self.acknowledged.filter(|_| is_view(frame, slot)) {
            // The server fired with the command that it acknowledges.
            Some(packet) => trail.of_packet(packet),
            None => trail.until(message),
        }
    }

    fn figures(&self, frame: &Frame, slot: u16, victim: Option<u16>, number: Option<u64>, has_teams: Option<bool>) -> Figures {
        let Some(trail) = self.trails.get(&slot) else { return Figures::default() };
        let (is_commanded, is_view) = (self.commanded.contains(&slot), is_view(frame, slot));
        let Some((number, view)) = number.and_then(|number| Some((number, *trail.get(number)?))) else { return Figures::default() };
        let is_shown = is_commanded || frame.player(slot).is_some_and(|player| player.angles.is_some());
        if !is_shown {
            return Figures::default();
        }
        let source = match (is_commanded, is_view) {
            (true, _) => ViewSource::Command,
            (false, true) => ViewSource::View,
            (false, false) => ViewSource::Entity,
        };
        let turns = trail.turns(number);
        let target = self.target(frame, slot, victim, has_teams, &view, source, turns.step);
        Figures { source: Some(source), number: Some(number), turns, view: Some(view), target }
    }

    #[expect(clippy::too_many_arguments, reason = "a view and all that it is measured by")]
    fn target(
        &self,
        frame: &Frame,
        slot: u16,
        victim: Option<u16>,
        has_teams: Option<bool>,
        view: &View,
        source: ViewSource,
        turn: Option<f32>,
    ) -> Option<Target> {
        let shooter = self.sight.of(slot)?;
        let origin = shooter.origin()?;
        let own_view = frame.view.as_ref().filter(|view| view.slot == Some(slot));
        let eyes = own_view.map_or([origin[0], origin[1], origin[2] + shooter.hull.eyes], |view| view.origin);
        // Half-Life's client shows others as they were, and its server hits them there.
        let shown = view.lerp.filter(|_| source == ViewSource::Command).map(|lerp| frame.time.0 as f64 - lerp);
        let is_mate = |other: &Seen| has_teams != Some(false) && shooter.team.is_some() && shooter.team == other.team;
        let is_meant = |other: &&Seen| match victim {
            Some(victim) => other.slot == victim,
            None => other.slot != slot && other.lived(frame.number) && !is_mate(other),
        };
        let measured = self.sight.recent().filter(is_meant).filter_map(|other| {
            let place = shown.and_then(|shown| other.at(shown)).or_else(|| other.origin())?;
            Some((other, place, geometry::angle_to_box(eyes, view.angles, other.hull.around(place)), geometry::distance(origin, place)))
        });
        let (other, _, error, distance) = measured.min_by(|one, two| one.2.total_cmp(&two.2).then(one.3.total_cmp(&two.3)))?;
        let went = other.step().map(|step| step.atan2(distance.max(1.0)).to_degrees());
        let turned = if source == ViewSource::Command { Some(0.0) } else { turn };
        let is_netquake = self.family == Family::Quake1 && frame.view.is_some() && !self.hands.has_any();
        let grain = if source == ViewSource::Entity && (is_netquake || self.family == Family::Quake2) { COARSE } else { 0.0 };
        Some(Target {
            player: named(other.slot, other.name.as_deref(), other.team.as_deref()),
            error: Some(error),
            within: went.zip(turned).map(|(went, turned)| (went + turned + grain).min(180.0)),
            distance: Some(distance),
            since: self.sight.since(other.slot, frame.time).filter(|_| own_view.is_some()),
        })
    }

    /// Shows the rows whose later views are known.
    fn emit(&mut self, now: Option<Milliseconds>, show: &mut dyn FnMut(&Aim) -> ControlFlow<()>) -> ControlFlow<()> {
        while let Some(Waiting { row, view }) = self.waiting.front_mut() {
            let after = view.and_then(|view| self.trails.get(&row.player.slot?)?.still_after(view));
            let waits = now.is_some_and(|now| (0..LONGEST_WAIT).contains(&(now - row.time).0));
            match after {
                Some((count, true)) => row.still_after = Some(count),
                Some((_, false)) if waits && self.waiting.len() < MOST_WAITING => return ControlFlow::Continue(()),
                _ => {}
            }
            if let Some(Waiting { row, .. }) = self.waiting.pop_front() {
                show(&row)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether a frame shows what a player sees.
fn is_view(frame: &Frame, slot: u16) -> bool {
    frame.view.as_ref().is_some_and(|view| view.slot == Some(slot))
}

/// A player as a frame names one.
fn named(slot: u16, name: Option<&Text>, team: Option<&str>) -> Player {
    Player { slot: Some(slot), name: name.cloned().unwrap_or_else(|| Text::plain("")), team: team.map(|team| team.to_owned().into()) }
}
