//! The course of a match: which fact leads from where to where, and what it does to the record (`docs/statistics.md`, "Matches").

use fragreel_model::MatchState;

/// Where the present match stands. A closed match is a warm-up again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing is played, or nothing that counts.
    #[default]
    Warmup,
    /// A match is about to start.
    Countdown,
    /// A level runs, and no message has mentioned a match yet.
    Level,
    /// The match runs.
    Running,
    /// The match is paused.
    Paused,
    /// A warm-up came without an announced end. The announcement may follow: CPMA's round modes end so.
    Doubtful,
    /// The end is announced; the final board may follow.
    Deciding,
    /// The final board is shown.
    Shown,
}

/// What a fact does to the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Nothing.
    Keep,
    /// What was counted belongs to no match.
    Drop,
    /// The open match is closed, and another begins.
    Begin,
    /// A pause begins.
    Pause,
    /// A pause ends.
    Resume,
    /// The match is prolonged.
    Prolong,
    /// The record is frozen: the match came to its end.
    End,
    /// The record is frozen: nobody said why.
    Doubt,
    /// The end was announced after all.
    Confirm,
    /// The record is closed.
    Close,
}

impl Phase {
    /// Whether what happens counts.
    pub(super) fn counts(self) -> bool {
        matches!(self, Phase::Level | Phase::Running | Phase::Paused)
    }

    /// Whether the record is frozen: only statements about the end change it.
    pub(super) fn is_frozen(self) -> bool {
        matches!(self, Phase::Doubtful | Phase::Deciding | Phase::Shown)
    }

    /// The course. `at_once`: the fact stands at the beginning of the level.
    pub(super) fn step(self, fact: MatchState, at_once: bool) -> (Phase, Act) {
        use MatchState as Fact;
        match (fact, self) {
            (Fact::Started | Fact::Resumed, Phase::Paused) => (Phase::Running, Act::Resume),
            (Fact::Started | Fact::Restarted, _) => (Phase::Running, Act::Begin),
            (Fact::Paused, Phase::Running) => (Phase::Paused, Act::Pause),
            // a pause of a level is one, and the level goes on to be one
            (Fact::Paused, Phase::Level) => (Phase::Level, Act::Pause),
            (Fact::Resumed, Phase::Level) => (Phase::Level, Act::Resume),
            (Fact::Overtime, phase) if phase.counts() => (phase, Act::Prolong),
            (Fact::Warmup, Phase::Level) if at_once => (Phase::Warmup, Act::Drop),
            (Fact::Countdown, Phase::Level) => (Phase::Countdown, Act::Drop),
            (Fact::Warmup | Fact::Countdown, phase) if phase.counts() => (Phase::Doubtful, Act::Doubt),
            (Fact::Warmup, Phase::Deciding | Phase::Shown) => (Phase::Warmup, Act::Close),
            (Fact::Countdown, phase) if phase.is_frozen() => (Phase::Countdown, Act::Close),
            (Fact::Warmup, Phase::Countdown) => (Phase::Warmup, Act::Keep),
            (Fact::Countdown, Phase::Warmup) => (Phase::Countdown, Act::Keep),
            (Fact::Intermission | Fact::Stopped | Fact::Forfeited, phase) if phase.counts() => (Phase::Deciding, Act::End),
            (Fact::Intermission | Fact::Stopped | Fact::Forfeited, Phase::Doubtful) => (Phase::Shown, Act::Confirm),
            (Fact::Intermission, Phase::Deciding) => (Phase::Shown, Act::Confirm),
            (Fact::Stopped | Fact::Forfeited, Phase::Deciding | Phase::Shown) => (self, Act::Confirm),
            (Fact::Aborted, phase) if phase.counts() => (Phase::Doubtful, Act::Doubt),
            _ => (self, Act::Keep),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fact_takes_a_match_back() {
        use MatchState as Fact;
        let course = |facts: &[Fact]| {
            facts.iter().fold((Phase::Level, Vec::new()), |(phase, mut acts), fact| {
                let (phase, act) = phase.step(*fact, false);
                acts.push(act);
                (phase, acts)
            })
        };
        let (phase, acts) = course(&[Fact::Started, Fact::Paused, Fact::Started, Fact::Intermission, Fact::Intermission, Fact::Warmup, Fact::Intermission]);
        assert_eq!(acts, [Act::Begin, Act::Pause, Act::Resume, Act::End, Act::Confirm, Act::Close, Act::Keep], "an end in a warm-up is none");
        assert_eq!(phase, Phase::Warmup);
        assert_eq!(course(&[Fact::Started, Fact::Warmup, Fact::Intermission]).1, [Act::Begin, Act::Doubt, Act::Confirm]);
        assert_eq!(course(&[Fact::Started, Fact::Intermission, Fact::Started]).1, [Act::Begin, Act::End, Act::Begin]);
        assert_eq!(course(&[Fact::Countdown, Fact::Started]).1, [Act::Drop, Act::Begin]);
    }
}
