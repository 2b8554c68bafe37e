//! Lines that may be kills, or that do not say whose. Scores and health of the same moment answer that
//! (`docs/formats/quake2.md`, "Kills from scores").

use std::borrow::Cow;
use std::collections::HashMap;

use fragreel_model::replay::suspects::{self, Suspect, namesake};
use fragreel_model::replay::wording::Wording;
use fragreel_model::{Kill, Milliseconds, Player, Unknown};

use crate::state::State;

/// `STAT_HEALTH`, `STAT_FRAGS` and `STAT_CHASE`.
const HEALTH: usize = 1;
const FRAGS: usize = 14;
const CHASE: usize = 16;
/// Scores and health change at most this long before their line: a server may have to send the line again.
const WINDOW: i64 = 300;
/// The most points and lines that are kept.
const MOST: usize = 256;
/// The means of a kill by a phrase that no list has.
pub(super) const UNKNOWN: &str = "unknown";

/// What a line says, as far as it says it.
#[derive(Debug, Clone)]
pub(super) struct Doubt {
    /// Killers that are possible. Nobody if the world or the victim did it.
    pub suspects: Vec<Suspect>,
    /// Victims that are possible: players of one name.
    pub victims: Vec<Player>,
    pub means: Cow<'static, str>,
    pub place: Option<&'static str>,
    /// True if the line says that both are in one team.
    pub team_kill: bool,
    /// True if it is a kill, whatever scores say.
    pub is_kill: bool,
    /// True if the victim did it.
    pub own: bool,
}

impl Doubt {
    /// The kill, as far as the moment shows it, and the words that state it.
    pub(super) fn settle(&self, moment: &Moment) -> Option<(Kill, Option<Wording>)> {
        if self.suspects.is_empty() {
            let victim = self.victim(moment, |player| moment.points(player) < 0);
            let known = victim.clone().unwrap_or_else(|| namesake(&self.victims[0]));
            let attacker = self.own.then(|| known.clone());
            return Some((self.kill(attacker, known, victim.is_none().then_some(Unknown::Victim)), None));
        }
        let mut scored = self.suspects.iter().filter(|suspect| moment.points(&suspect.player) > 0);
        let died = |player: &Player| moment.fell(player) && !moment.is_explained(player);
        let suspect = match (&self.suspects[..], scored.next(), scored.next()) {
            ([only], ..) if self.is_kill => Some(only),
            (_, Some(one), None) => Some(one),
            // who dies in the moment of such a line is killed by the player whom it names
            ([only], None, _) if self.victims.iter().filter(|player| died(player)).count() == 1 => Some(only),
            _ if self.is_kill => None,
            _ => return None,
        };
        let killer = suspect.map(|suspect| &suspect.player);
        let victim = self.victim(moment, |player| killer.is_none_or(|killer| killer != player));
        let (attacker, victim, unknown) = suspects::sides(killer, &self.suspects, victim, &self.victims);
        Some((self.kill(Some(attacker), victim, unknown), suspect.and_then(|suspect| suspect.wording.clone())))
    }

    fn kill(&self, attacker: Option<Player>, victim: Player, unknown: Option<Unknown>) -> Kill {
        let mates = attacker.as_ref().is_some_and(|killer| killer.team.is_some() && killer.team == victim.team && *killer != victim);
        let mut kill = Kill::new(attacker, victim, self.means.clone());
        (kill.unknown, kill.team_kill) = (unknown, self.team_kill || mates);
        (kill.headshot, kill.place) = (self.place == Some("head"), self.place.map(Cow::Borrowed));
        kill
    }

    fn victim(&self, moment: &Moment, may: impl Fn(&Player) -> bool) -> Option<Player> {
        suspects::victim(&self.victims, |player| moment.fell(player), |player| moment.is_watched(player), may)
    }
}

/// What scores and health did lately, as far as player states show it.
#[derive(Debug, Clone, Default)]
pub(super) struct Moment {
    /// Frags and health of each slot whose state the recording has.
    states: Vec<Option<(i16, i16)>>,
    /// Points that no line has explained yet.
    points: Vec<(u16, Milliseconds, i32)>,
    /// Killers of lines whose point has not been seen yet.
    owed: Vec<(u16, Milliseconds)>,
    /// Players whose health fell to nothing.
    falls: Vec<(u16, Milliseconds)>,
    /// Victims of lines.
    victims: Vec<(u16, Milliseconds)>,
}

impl Moment {
    /// Another level begins.
    pub(super) fn clear(&mut self) {
        *self = Moment::default();
    }

    /// A frame is complete. Lines since the frame before belong to it.
    pub(super) fn frame(&mut self, state: &State) {
        let now = state.clock.time();
        self.points.retain(|(_, time, points)| *points != 0 && (now - *time).0 <= WINDOW);
        self.falls.retain(|(_, time)| (now - *time).0 <= WINDOW);
        let strings = state.dialect.strings;
        for (number, player) in state.players() {
            // states are those of at most 256 slots
            let Ok(slot) = u8::try_from(number) else { continue };
            if self.states.len() <= usize::from(slot) {
                self.states.resize(usize::from(slot) + 1, None);
            }
            let state = &mut self.states[usize::from(slot)];
            // a spectator has the figures of the player whom he follows
            if u16::try_from(player.stats[CHASE]).is_ok_and(|index| (strings.playerskins..strings.general).contains(&index)) {
                *state = None;
                continue;
            }
            let figures = (player.stats[FRAGS], player.stats[HEALTH]);
            let Some(before) = state.replace(figures).filter(|before| *before != figures) else { continue };
            let slot = u16::from(slot);
            let mut points = i32::from(figures.0) - i32::from(before.0);
            while points > 0 {
                let Some(at) = self.owed.iter().position(|(owed, _)| *owed == slot) else { break };
                self.owed.remove(at);
                points -= 1;
            }
            if points != 0 && self.points.len() < MOST {
                self.points.push((slot, now, points));
            }
            if before.1 > 0 && figures.1 <= 0 && self.falls.len() < MOST {
                self.falls.push((slot, now));
            }
        }
    }

    /// A line states this kill: it explains a point.
    pub(super) fn explain(&mut self, kill: &Kill, now: Milliseconds) {
        if let Some(slot) = kill.victim.slot.filter(|_| self.victims.len() < MOST) {
            self.victims.push((slot, now));
        }
        let Some(slot) = kill.attacker.as_ref().filter(|_| !kill.is_suicide() && !kill.team_kill).and_then(|killer| killer.slot) else { return };
        if let Some((.., points)) = self.points.iter_mut().find(|(of, _, points)| *of == slot && *points > 0) {
            *points -= 1;
        } else if self.owed.len() < MOST {
            self.owed.push((slot, now));
        }
    }

    /// The points of a player that no line explains.
    fn points(&self, player: &Player) -> i32 {
        let of = |slot: u16| self.points.iter().filter(move |(of, ..)| *of == slot).map(|(.., points)| points).sum();
        player.slot.map_or(0, of)
    }

    fn fell(&self, player: &Player) -> bool {
        player.slot.is_some_and(|slot| self.falls.iter().any(|(of, _)| *of == slot))
    }

    /// Whether another line states the player's death.
    fn is_explained(&self, player: &Player) -> bool {
        player.slot.is_some_and(|slot| self.victims.iter().any(|(of, _)| *of == slot))
    }

    fn is_watched(&self, player: &Player) -> bool {
        player.slot.is_some_and(|slot| self.states.get(usize::from(slot)).is_some_and(Option::is_some))
    }

    /// Lines of the frame are settled.
    pub(super) fn settled(&mut self, now: Milliseconds) {
        self.owed.retain(|(_, time)| (now - *time).0 <= WINDOW);
        self.victims.retain(|(_, time)| (now - *time).0 <= WINDOW);
    }
}

/// What boards show of lines between them: the words of lines that named a player as often as the score rose are about kills.
#[derive(Debug, Clone, Default)]
pub(super) struct BoardScores {
    last: HashMap<u16, i32>,
    /// Points by kills of known phrases since then. Absent if they are not certain.
    known: HashMap<u16, Option<i32>>,
    /// The words of lines that may be kills.
    open: HashMap<u16, Vec<Wording>>,
}

impl BoardScores {
    /// Another level begins.
    pub(super) fn clear(&mut self) {
        *self = BoardScores::default();
    }

    /// A line states this kill.
    pub(super) fn kill(&mut self, kill: &Kill) {
        let by_player = kill.attacker.as_ref().filter(|_| !kill.is_suicide());
        let Some(slot) = by_player.map_or(kill.victim.slot, |killer| killer.slot) else { return };
        let known = self.known.entry(slot).or_insert(Some(0));
        let points = if by_player.is_some() { 1 } else { -1 };
        *known = known.filter(|_| !kill.team_kill && kill.unknown.is_none()).map(|known| known + points);
    }

    /// A line may be a kill of this player, by these words.
    pub(super) fn open(&mut self, slot: u16, wording: Wording) {
        let open = self.open.entry(slot).or_default();
        if open.len() < MOST {
            open.push(wording);
        }
    }

    /// A board is shown. Returns the words that it shows to be about kills.
    pub(super) fn board(&mut self, scores: impl Iterator<Item = (u16, i32)>) -> Vec<Wording> {
        let scores: HashMap<u16, i32> = scores.collect();
        let mut learned = Vec::new();
        for (slot, wordings) in self.open.drain() {
            let known = self.known.get(&slot).copied().unwrap_or(Some(0));
            if let (Some(known), Some(before), Some(now)) = (known, self.last.get(&slot), scores.get(&slot))
                && usize::try_from(now.saturating_sub(*before).saturating_sub(known)) == Ok(wordings.len())
            {
                learned.extend(wordings);
            }
        }
        self.known.clear();
        self.last = scores;
        learned
    }
}
