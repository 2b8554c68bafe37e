//! What is remembered of a match, and what a message says of it.

use std::borrow::Cow;

use fragreel_model::{EndCause, Evidence, MatchState, Milliseconds, Player};

use crate::walk::match_clock::MatchStage;

/// What came in a message.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) restarted: bool,
    /// The strings that changed.
    pub(super) start: bool,
    pub(super) intermission: bool,
    pub(super) settings: bool,
    pub(super) cpma: bool,
    /// Why the match ends, by a line.
    pub(super) end: Option<EndCause>,
    /// CPMA: the match is over.
    pub(super) over: bool,
    pub(super) overtime: bool,
    /// CPMA: the arena was restarted.
    pub(super) arena: bool,
    /// Who stopped playing: left, or went to the spectators.
    pub(super) gone: Vec<Player>,
    /// CPMA: the loser by forfeit.
    pub(super) loser: Option<Cow<'static, str>>,
}

/// Follows the match.
#[derive(Debug, Default)]
pub(in crate::events) struct MatchTracker {
    /// Where the match stands; `None` until the strings were read once.
    pub(super) stage: Option<MatchStage>,
    pub(super) paused: bool,
    pub(super) said: Said,
    pub(super) cpma: Cpma,
}

/// Something that the match did.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fact {
    pub(super) evidence: Evidence,
    pub(super) state: MatchState,
    pub(super) cause: Option<EndCause>,
    pub(super) by: Option<Cow<'static, str>>,
}

impl Said {
    /// The side that stopped playing first: the team, or without teams the player.
    pub(super) fn first_gone(&self, in_teams: bool) -> Option<Cow<'static, str>> {
        let player = self.gone.first()?;
        if in_teams { player.team.clone() } else { Some(player.name.clean.clone().into()) }
    }
}

impl Fact {
    pub(super) fn stated(state: MatchState) -> Self {
        Fact { evidence: Evidence::Stated, state, cause: None, by: None }
    }

    pub(super) fn inferred(state: MatchState) -> Self {
        Fact { evidence: Evidence::Inferred, ..Fact::stated(state) }
    }

    pub(super) fn end(self, cause: Option<EndCause>, by: Option<Cow<'static, str>>) -> Self {
        Fact { cause, by, ..self }
    }
}

/// What is remembered of CPMA's strings.
#[derive(Debug, Clone, Default)]
pub(super) struct Cpma {
    /// When the warm-up began behind a match that nobody had called over.
    pub(super) left: Option<Milliseconds>,
    /// Whether both duellists had scores.
    pub(super) both: bool,
    /// Who gave the duel up.
    pub(super) forfeit: bool,
}

impl MatchTracker {
    /// Reports the begin or the end of a pause.
    pub(super) fn pause(&mut self, paused: bool, facts: &mut Vec<Fact>) {
        if std::mem::replace(&mut self.paused, paused) != paused {
            facts.push(Fact::stated(if paused { MatchState::Paused } else { MatchState::Resumed }));
        }
    }
}
