//! Finds the other side of team kills whose line names one player, from other evidence of that
//! moment (`docs/formats/quake1.md`, "Kills of team mates").

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use fragreel_model::replay::wording::Wording;
use fragreel_model::{Kill, Milliseconds, Player, Unknown};

use crate::events::scores::Scores;
use crate::message::hidden::HiddenBody;
use crate::state::{Game, player, slot_of_entity, stat, team};

/// Evidence comes within this many milliseconds of the line.
const WINDOW: i64 = 100;

/// The side of a kill that a line does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Attacker,
    Victim,
}

impl From<Missing> for Unknown {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Attacker => Unknown::Attacker,
            Missing::Victim => Unknown::Victim,
        }
    }
}

/// A kill whose line names one side.
#[derive(Debug, Clone)]
pub(super) struct OneSided {
    /// The slot of the named side.
    pub named: u8,
    /// The side that is not named.
    pub missing: Missing,
    /// Team mates of the named player at that moment.
    mates: Vec<(u8, Player)>,
}

impl OneSided {
    /// A kill within the named player's team.
    pub(super) fn new(game: &Game, named: u8, missing: Missing) -> Self {
        let own = game.roster.get(named).and_then(team);
        let mates = game.roster.iter().filter(|(slot, person)| *slot != named && own.is_some() && team(person) == own);
        OneSided { named, missing, mates: mates.map(|(slot, person)| (slot, player(slot, person))).collect() }
    }
}

/// Recent evidence of deaths other than lines. Bounded by the number of players per moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Deaths {
    /// Players whose health fell to zero.
    falls: BTreeSet<(u8, Milliseconds)>,
    /// Players whose score fell by one, and how often.
    losses: BTreeMap<(u8, Milliseconds), u32>,
    /// Attackers and victims of damage, from hidden blocks.
    hits: BTreeSet<(u8, u8, Milliseconds)>,
    /// Players whose death has a line.
    lines: BTreeSet<(u8, Milliseconds)>,
    /// What scores did in this moment.
    pub scores: Scores,
    /// Words that scores have shown to be about kills.
    pub learned: Vec<Wording>,
    /// Names of victims that scores have shown to be victims.
    pub met: Vec<Vec<u8>>,
    /// When old evidence was dropped last.
    swept: Milliseconds,
}

impl Deaths {
    /// Follows a player's health.
    pub(super) fn health(&mut self, now: Milliseconds, game: &Game, slot: u8, health: i32) {
        if health <= 0 && game.stats_of(slot).is_some_and(|stats| stats[stat::HEALTH] > 0) {
            self.falls.insert((slot, now));
        }
    }

    /// Follows a player's score.
    pub(super) fn score(&mut self, now: Milliseconds, game: &Game, slot: u8, frags: i16) {
        let Some(person) = game.roster.get(slot).filter(|person| person.frags != frags) else { return };
        self.scores.change(slot.into(), i32::from(frags) - i32::from(person.frags));
        if person.frags == frags.wrapping_add(1) {
            *self.losses.entry((slot, now)).or_default() += 1;
        }
    }

    /// True if a player's health fell to zero at about this time.
    pub(super) fn fell(&self, time: Milliseconds, slot: u8) -> bool {
        self.falls.range(around(time, |when| (slot, when))).next().is_some()
    }

    /// Follows a hidden block, which may state damage.
    pub(super) fn hidden(&mut self, now: Milliseconds, body: &HiddenBody) {
        if let HiddenBody::DamageDone { attacker, victim, .. } = body
            && let (Some(attacker), Some(victim)) = (slot_of_entity(u32::from(*attacker)), slot_of_entity(u32::from(*victim)))
        {
            self.hits.insert((attacker, victim, now));
        }
    }

    /// Notes a victim named by a line.
    pub(super) fn line(&mut self, now: Milliseconds, victim: Option<u16>) {
        if let Some(slot) = victim {
            self.lines.insert((slot as u8, now));
        }
    }

    /// True if later messages may still reveal the missing side.
    pub(super) fn may_learn(&self, time: Milliseconds, kill: &OneSided, now: Milliseconds) -> bool {
        (now - time).0 <= WINDOW && self.candidates(time, kill).next().is_none()
    }

    /// Drops old evidence. A waiting kill is at most one window old.
    pub(super) fn forget(&mut self, now: Milliseconds) {
        if (now - self.swept).0 <= WINDOW {
            return;
        }
        self.swept = now;
        let matters = |time: Milliseconds| (now - time).0 <= 2 * WINDOW;
        self.falls.retain(|(_, time)| matters(*time));
        self.losses.retain(|(_, time), _| matters(*time));
        self.hits.retain(|(.., time)| matters(*time));
        self.lines.retain(|(_, time)| matters(*time));
    }

    /// Fills in the missing side if there is one candidate. Otherwise marks it as unknown.
    pub(super) fn settle(&mut self, time: Milliseconds, one_sided: &OneSided, kill: &mut Kill) {
        let candidates: Vec<u8> = self.candidates(time, one_sided).collect();
        let hurt: Vec<u8> = candidates.iter().copied().filter(|&slot| self.hit(time, one_sided, slot)).collect();
        let found = match (&candidates[..], &hurt[..]) {
            (_, [slot, ..]) | ([slot], []) => Some(*slot),
            ([], []) => {
                let hit: Vec<_> = one_sided.mates.iter().filter(|(slot, _)| self.hit(time, one_sided, *slot)).collect();
                match (&hit[..], &one_sided.mates[..]) {
                    ([(slot, _)], _) | (_, [(slot, _)]) => Some(*slot),
                    _ => None,
                }
            }
            _ => None,
        };
        let Some((slot, other)) = found.and_then(|found| one_sided.mates.iter().find(|(slot, _)| *slot == found)) else {
            kill.unknown = Some(one_sided.missing.into());
            return;
        };
        match one_sided.missing {
            Missing::Victim => {
                kill.victim = other.clone();
                // each death counts once
                self.lines.insert((*slot, time));
            }
            Missing::Attacker => {
                kill.attacker = Some(other.clone());
                let mut near = self.losses.range_mut(around(time, |when| (*slot, when)));
                if let Some((_, times)) = near.find(|(_, times)| **times > 0) {
                    *times -= 1;
                }
            }
        }
    }

    /// Team mates who may be the missing side: they died then without a line, or lost a point.
    fn candidates(&self, time: Milliseconds, kill: &OneSided) -> impl Iterator<Item = u8> {
        let near = move |slot: u8| around(time, |when| (slot, when));
        let showed = move |slot: u8| match kill.missing {
            // each death has one line
            Missing::Victim => self.fell(time, slot) && self.lines.range(near(slot)).next().is_none(),
            Missing::Attacker => self.losses.range(near(slot)).any(|(_, times)| *times > 0),
        };
        kill.mates.iter().map(|(slot, _)| *slot).filter(move |&slot| showed(slot))
    }

    fn hit(&self, time: Milliseconds, kill: &OneSided, other: u8) -> bool {
        let (attacker, victim) = match kill.missing {
            Missing::Victim => (kill.named, other),
            Missing::Attacker => (other, kill.named),
        };
        self.hits.range(around(time, |when| (attacker, victim, when))).next().is_some()
    }
}

/// The range of evidence around a time.
fn around<Sign>(time: Milliseconds, sign: impl Fn(Milliseconds) -> Sign) -> RangeInclusive<Sign> {
    sign(time - Milliseconds(WINDOW))..=sign(time + Milliseconds(WINDOW))
}
