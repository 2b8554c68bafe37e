//! Shots and kills, in the order of the frames that show them.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

use fragreel_model::{Event, EventKind, Family, Frame, Happening, HappeningKind, Kill, Kind, Kinds, Milliseconds, Player, Subject, common};

use super::row::AimKind;
use crate::means::{self, hits_at_once};
use crate::{Events, Frames, Recording};

/// A kill has a shot of its own if its killer fired in this time before it.
const SHOT_BEFORE: Milliseconds = Milliseconds(1000);

/// A shot, or a kill without one.
pub(super) struct Fired {
    pub(super) kind: AimKind,
    pub(super) slot: u16,
    /// The shooter, where an event names him.
    pub(super) player: Option<Player>,
    pub(super) victim: Option<Player>,
    pub(super) weapon: Option<&'static str>,
    pub(super) weapon_own: Option<Arc<str>>,
    pub(super) at: At,
    /// When the recording player pressed the attack key last.
    pub(super) pressed: Option<Milliseconds>,
}

/// Where and when it was.
pub(super) struct At {
    pub(super) message: u32,
    pub(super) time: Milliseconds,
    pub(super) server_time: Milliseconds,
    pub(super) match_time: Option<Milliseconds>,
    pub(super) uncertain: bool,
}

impl At {
    fn event(event: &Event) -> Self {
        let Event { message, time, server_time, match_time, uncertain, .. } = *event;
        At { message, time, server_time, match_time, uncertain }
    }
}

/// The shots and kills of a recording.
pub(super) struct Shots<'r> {
    events: Peekable<Events<'r>>,
    are_happenings: bool,
    happenings: Vec<Happening>,
    has_teams: Option<bool>,
    pressed: Option<Milliseconds>,
    /// Each slot's last shot.
    last: BTreeMap<u16, Milliseconds>,
}

impl<'r> Shots<'r> {
    /// Whether a family's shots are muzzle flashes among the happenings. Elsewhere they are events.
    pub(super) fn are_happenings(family: Family) -> bool {
        matches!(family, Family::Quake1 | Family::Quake3)
    }

    pub(super) fn of(recording: &'r Recording) -> Self {
        let are_happenings = Shots::are_happenings(recording.family());
        let mut wanted = Kinds::from([Kind::Kill, Kind::Level]);
        if !are_happenings {
            wanted = wanted | Kinds::from(Kind::Shot);
        }
        if recording.family() == Family::GoldSrc {
            wanted = wanted | Kinds::from(Kind::Command);
        }
        Shots { events: recording.events(wanted).peekable(), are_happenings, happenings: Vec::new(), has_teams: None, pressed: None, last: BTreeMap::new() }
    }

    /// Whether the level is played in teams, if that is known.
    pub(super) fn has_teams(&self) -> Option<bool> {
        self.has_teams
    }

    /// What was fired up to a frame.
    pub(super) fn until(&mut self, frames: &mut Frames, frame: &Frame) -> Vec<Fired> {
        let mut found = Vec::new();
        if self.are_happenings {
            frames.happenings(&mut self.happenings);
            for flash in self.happenings.iter().filter(|one| one.kind == HappeningKind::Flash) {
                let Some(Subject::Player(slot)) = flash.subject else { continue };
                self.last.insert(slot, frame.time);
                let at =
                    At { message: frame.message, time: frame.time, server_time: frame.server_time, match_time: frame.match_time, uncertain: frame.uncertain };
                found.push(Fired { kind: AimKind::Shot, slot, player: None, victim: None, weapon: None, weapon_own: None, at, pressed: None });
            }
        }
        while let Some(event) = self.events.next_if(|event| event.message <= frame.message) {
            self.event(&event, &mut found);
        }
        found
    }

    fn event(&mut self, event: &Event, found: &mut Vec<Fired>) {
        match &event.kind {
            EventKind::Level { teams, .. } => {
                self.has_teams = *teams;
                self.last.clear();
            }
            EventKind::Command { text } if is_attack(&text.clean) => self.pressed = Some(event.time),
            EventKind::Shot { player, weapon } => {
                let Some(slot) = player.slot else { return };
                self.last.insert(slot, event.time);
                found.push(Fired {
                    kind: AimKind::Shot,
                    slot,
                    player: Some(player.clone()),
                    victim: None,
                    weapon: common::name_of_weapon(weapon),
                    weapon_own: Some(Arc::from(&**weapon)),
                    at: At::event(event),
                    pressed: self.pressed,
                });
            }
            EventKind::Kill(kill) => found.extend(self.kill(kill, event)),
            _ => {}
        }
    }

    /// A kill by a weapon that hits at once, without a recorded shot.
    fn kill(&self, kill: &Kill, event: &Event) -> Option<Fired> {
        let attacker = kill.attacker.as_ref().filter(|_| !kill.is_suicide() && kill.knows_attacker() && hits_at_once(&kill.means))?;
        let slot = attacker.slot?;
        if self.last.get(&slot).is_some_and(|last| event.time - *last <= SHOT_BEFORE) {
            return None;
        }
        Some(Fired {
            kind: AimKind::Kill,
            slot,
            player: Some(attacker.clone()),
            victim: Some(kill.victim.clone()),
            weapon: means::weapon(&kill.means),
            weapon_own: Some(Arc::from(&*kill.means)),
            at: At::event(event),
            pressed: None,
        })
    }
}

/// Whether a console command presses the attack key. The number of the key may follow.
fn is_attack(command: &str) -> bool {
    command.split_ascii_whitespace().next() == Some("+attack")
}
