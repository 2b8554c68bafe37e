//! Lines that may be kills, or that do not say whose. Scores and health of the same moment answer that
//! (`docs/formats/quake1.md`, "Kills from scores").

use std::borrow::Cow;

use fragreel_model::replay::suspects::{self, Suspect, namesake};
use fragreel_model::replay::wording::Wording;
use fragreel_model::{Kill, Milliseconds, Player, Unknown};

use crate::events::deaths::Deaths;
use crate::phrase_file::Shape;
use crate::state::Game;

/// The means of a kill by a phrase that nobody knows.
const UNKNOWN: &str = "unknown";

/// What a line says, as far as it says it.
#[derive(Debug, Clone)]
pub(super) struct Doubt {
    /// Killers that are possible; nobody if the world or the victim did it.
    pub suspects: Vec<Suspect>,
    /// Victims that are possible: players of one name.
    pub victims: Vec<Player>,
    pub shape: Shape,
    pub means: Cow<'static, str>,
    /// The victim's name, if it may be that of somebody who is not on the scoreboard.
    pub stranger: Option<Vec<u8>>,
    /// True if it is a kill, whatever scores say.
    pub is_kill: bool,
    /// True if the server plays with teams.
    pub has_teams: bool,
    /// The slots of players whose health the recording states.
    pub watched: Vec<u16>,
}

impl Doubt {
    /// A line that is a kill of one of the victims if the score of one of the suspects rises.
    pub(super) fn new(game: &Game, suspects: Vec<Suspect>, victims: Vec<Player>) -> Self {
        let watched = victims.iter().filter_map(|player| player.slot).filter(|slot| game.stats_of(*slot as u8).is_some()).collect();
        let (shape, means, has_teams) = (Shape::ByKiller, Cow::Borrowed(UNKNOWN), game.level.has_teams());
        Doubt { suspects, victims, shape, means, stranger: None, is_kill: false, has_teams, watched }
    }

    /// The kill, as far as the moment shows it, and the words that state it.
    pub(super) fn settle(&self, time: Milliseconds, deaths: &Deaths) -> Option<(Kill, Option<Wording>)> {
        let is_own_fault = matches!(self.shape, Shape::Suicide | Shape::Death);
        if is_own_fault {
            let victim = self.victim(time, deaths, |player| deaths.scores.of(player) < 0);
            let known = victim.clone().unwrap_or_else(|| namesake(&self.victims[0]));
            let attacker = (self.shape == Shape::Suicide).then(|| known.clone());
            return Some((self.kill(attacker, known, victim.is_none().then_some(Unknown::Victim)), None));
        }
        let did = |suspect: &&Suspect| if self.by_mate() { deaths.scores.of(&suspect.player) < 0 } else { deaths.scores.of(&suspect.player) > 0 };
        let mut scored = self.suspects.iter().filter(did);
        let suspect = match (&self.suspects[..], scored.next(), scored.next()) {
            ([only], ..) if self.is_kill => Some(only),
            (_, Some(one), None) => Some(one),
            _ if self.is_kill => None,
            _ => return None,
        };
        let killer = suspect.map(|suspect| &suspect.player);
        // nobody kills himself with such words
        let victim = self.victim(time, deaths, |player| killer.is_none_or(|killer| killer != player));
        let (attacker, victim, unknown) = suspects::sides(killer, &self.suspects, victim, &self.victims);
        Some((self.kill(Some(attacker), victim, unknown), suspect.and_then(|suspect| suspect.wording.clone())))
    }

    fn by_mate(&self) -> bool {
        matches!(self.shape, Shape::OfTeamMate | Shape::ByTeamMate)
    }

    fn kill(&self, attacker: Option<Player>, victim: Player, unknown: Option<Unknown>) -> Kill {
        let mates = attacker.as_ref().is_some_and(|killer| killer.team.is_some() && killer.team == victim.team && *killer != victim);
        let mut kill = Kill::new(attacker, victim, self.means.clone());
        (kill.unknown, kill.team_kill) = (unknown, self.by_mate() || mates && self.has_teams);
        kill
    }

    fn victim(&self, time: Milliseconds, deaths: &Deaths, may: impl Fn(&Player) -> bool) -> Option<Player> {
        let fell = |player: &Player| player.slot.is_some_and(|slot| deaths.fell(time, slot as u8));
        let is_watched = |player: &Player| player.slot.is_some_and(|slot| self.watched.contains(&slot));
        suspects::victim(&self.victims, fell, is_watched, may)
    }
}
