//! Kills of team mates whose line names one side only: who the other was, from what else the recording says of that
//! moment (`docs/formats/quake1.md`, "Kills of team mates").

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use model::{Kill, Milliseconds, Player, Unknown};

use crate::message::hidden::HiddenBody;
use crate::state::{Game, player, slot_of_entity, stat, team};

/// Evidence follows a line at the latest after this many milliseconds.
const WINDOW: i64 = 100;

/// A kill of which a line names one side.
#[derive(Debug, Clone)]
pub struct OneSided {
    /// The slot of the side that is named.
    pub named: u8,
    /// The side that is not.
    pub missing: Unknown,
    /// The others of his team at that moment.
    mates: Vec<(u8, Player)>,
}

impl OneSided {
    /// A kill within the team of the named player.
    pub fn new(game: &Game, named: u8, missing: Unknown) -> Self {
        let own = game.roster.get(named).and_then(team);
        let mates = game.roster.iter().filter(|(slot, person)| *slot != named && own.is_some() && team(person) == own);
        OneSided { named, missing, mates: mates.map(|(slot, person)| (slot, player(slot, person))).collect() }
    }
}

/// What a recording says of deaths besides its lines, as long as it may matter. However much a moment says, it is as much as there are players.
#[derive(Debug, Clone, Default)]
pub struct Deaths {
    /// Whose health fell to nothing.
    falls: BTreeSet<(u8, Milliseconds)>,
    /// Whose score fell by one, and how often.
    losses: BTreeMap<(u8, Milliseconds), u32>,
    /// Who hurt whom, from hidden blocks.
    hits: BTreeSet<(u8, u8, Milliseconds)>,
    /// Who died by a line of his own.
    lines: BTreeSet<(u8, Milliseconds)>,
    /// When old signs were dropped last.
    swept: Milliseconds,
}

impl Deaths {
    /// A player's health is stated.
    pub fn health(&mut self, now: Milliseconds, game: &Game, slot: u8, health: i32) {
        if health <= 0 && game.stats_of(slot).is_some_and(|stats| stats[stat::HEALTH] > 0) {
            self.falls.insert((slot, now));
        }
    }

    /// A player's score is stated.
    pub fn score(&mut self, now: Milliseconds, game: &Game, slot: u8, frags: i16) {
        if game.roster.get(slot).is_some_and(|person| person.frags == frags.wrapping_add(1)) {
            *self.losses.entry((slot, now)).or_default() += 1;
        }
    }

    /// A hidden block may state damage.
    pub fn hidden(&mut self, now: Milliseconds, body: &HiddenBody) {
        if let HiddenBody::DamageDone { attacker, victim, .. } = body
            && let (Some(attacker), Some(victim)) = (slot_of_entity(u32::from(*attacker)), slot_of_entity(u32::from(*victim)))
        {
            self.hits.insert((attacker, victim, now));
        }
    }

    /// A line names who died.
    pub fn line(&mut self, now: Milliseconds, victim: Option<u16>) {
        if let Some(slot) = victim {
            self.lines.insert((slot as u8, now));
        }
    }

    /// Whether later messages may still name the missing side.
    pub fn may_learn(&self, time: Milliseconds, kill: &OneSided, now: Milliseconds) -> bool {
        (now - time).0 <= WINDOW && self.candidates(time, kill).next().is_none()
    }

    /// Drops what is too old to matter. A kill that waits was at most a window ago.
    pub fn forget(&mut self, now: Milliseconds) {
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

    /// Fills the missing side in where only one player comes into question; otherwise the kill says that it is not known.
    pub fn settle(&mut self, time: Milliseconds, one_sided: &OneSided, kill: &mut Kill) {
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
            kill.unknown = Some(one_sided.missing);
            return;
        };
        match one_sided.missing {
            Unknown::Victim => {
                kill.victim = other.clone();
                // one fall is one death
                self.lines.insert((*slot, time));
            }
            Unknown::Attacker => {
                kill.attacker = Some(other.clone());
                let mut near = self.losses.range_mut(around(time, |when| (*slot, when)));
                if let Some((_, times)) = near.find(|(_, times)| **times > 0) {
                    *times -= 1;
                }
            }
        }
    }

    /// Mates who may be the missing side: who died then without a line, or who lost a point.
    fn candidates(&self, time: Milliseconds, kill: &OneSided) -> impl Iterator<Item = u8> {
        let near = move |slot: u8| around(time, |when| (slot, when));
        let showed = move |slot: u8| match kill.missing {
            // one death is one line
            Unknown::Victim => self.falls.range(near(slot)).next().is_some() && self.lines.range(near(slot)).next().is_none(),
            Unknown::Attacker => self.losses.range(near(slot)).any(|(_, times)| *times > 0),
        };
        kill.mates.iter().map(|(slot, _)| *slot).filter(move |&slot| showed(slot))
    }

    fn hit(&self, time: Milliseconds, kill: &OneSided, other: u8) -> bool {
        let (attacker, victim) = match kill.missing {
            Unknown::Victim => (kill.named, other),
            Unknown::Attacker => (other, kill.named),
        };
        self.hits.range(around(time, |when| (attacker, victim, when))).next().is_some()
    }
}

/// The signs that belong to a moment.
fn around<Sign>(time: Milliseconds, sign: impl Fn(Milliseconds) -> Sign) -> RangeInclusive<Sign> {
    sign(time - Milliseconds(WINDOW))..=sign(time + Milliseconds(WINDOW))
}
