//! Kills of team mates whose line names one side only: who the other was, from what else the recording says of that
//! moment (`docs/formats/quake1.md`, "Kills of team mates").

use model::{Kill, Milliseconds, Player, Unknown};

use crate::message::hidden::HiddenBody;
use crate::state::{Game, player, stat, team};

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

/// What a recording says of deaths besides its lines, as long as it may matter.
#[derive(Debug, Clone, Default)]
pub struct Deaths {
    /// Whose health fell to nothing.
    falls: Vec<(Milliseconds, u8)>,
    /// Whose score fell by one.
    losses: Vec<(Milliseconds, u8)>,
    /// Who hurt whom, from hidden blocks.
    hits: Vec<(Milliseconds, u8, u8)>,
    /// Who died by a line of his own.
    lines: Vec<(Milliseconds, u8)>,
}

impl Deaths {
    /// A player's health is stated.
    pub fn health(&mut self, now: Milliseconds, game: &Game, slot: u8, health: i32) {
        if health <= 0 && game.stats_of(slot).is_some_and(|stats| stats[stat::HEALTH] > 0) {
            self.falls.push((now, slot));
        }
    }

    /// A player's score is stated.
    pub fn score(&mut self, now: Milliseconds, game: &Game, slot: u8, frags: i16) {
        if game.roster.get(slot).is_some_and(|person| person.frags == frags.wrapping_add(1)) {
            self.losses.push((now, slot));
        }
    }

    /// A hidden block may state damage.
    pub fn hidden(&mut self, now: Milliseconds, body: &HiddenBody) {
        if let HiddenBody::DamageDone { attacker, victim, .. } = body
            && let (Some(attacker), Some(victim)) = (super::slot_of_entity(u32::from(*attacker)), super::slot_of_entity(u32::from(*victim)))
        {
            self.hits.push((now, attacker, victim));
        }
    }

    /// A line names who died.
    pub fn line(&mut self, now: Milliseconds, victim: Option<u16>) {
        if let Some(slot) = victim {
            self.lines.push((now, slot as u8));
        }
    }

    /// Whether later messages may still name the missing side.
    pub fn may_learn(&self, time: Milliseconds, kill: &OneSided, now: Milliseconds) -> bool {
        (now - time).0 <= WINDOW && self.candidates(time, kill).next().is_none()
    }

    /// Drops what is too old to matter. A kill that waits was at most a window ago.
    pub fn forget(&mut self, now: Milliseconds) {
        let matters = |time: Milliseconds| (now - time).0 <= 2 * WINDOW;
        self.falls.retain(|(time, _)| matters(*time));
        self.losses.retain(|(time, _)| matters(*time));
        self.hits.retain(|(time, ..)| matters(*time));
        self.lines.retain(|(time, _)| matters(*time));
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
                self.lines.push((time, *slot));
            }
            Unknown::Attacker => {
                kill.attacker = Some(other.clone());
                if let Some(at) = self.losses.iter().position(|(when, loser)| loser == slot && near(*when, time)) {
                    self.losses.remove(at);
                }
            }
        }
    }

    /// Mates who may be the missing side: who died then without a line, or who lost a point.
    fn candidates(&self, time: Milliseconds, kill: &OneSided) -> impl Iterator<Item = u8> {
        let signs = match kill.missing {
            Unknown::Victim => &self.falls,
            Unknown::Attacker => &self.losses,
        };
        let explained = move |slot: u8| kill.missing == Unknown::Victim && self.lines.iter().any(|(when, dead)| *dead == slot && near(*when, time));
        let showed = move |slot: u8| signs.iter().any(|(when, who)| *who == slot && near(*when, time));
        kill.mates.iter().map(|(slot, _)| *slot).filter(move |&slot| showed(slot) && !explained(slot))
    }

    fn hit(&self, time: Milliseconds, kill: &OneSided, other: u8) -> bool {
        let pair = match kill.missing {
            Unknown::Victim => (kill.named, other),
            Unknown::Attacker => (other, kill.named),
        };
        self.hits.iter().any(|(when, attacker, victim)| (*attacker, *victim) == pair && near(*when, time))
    }
}

fn near(one: Milliseconds, other: Milliseconds) -> bool {
    (one - other).0.abs() <= WINDOW
}
