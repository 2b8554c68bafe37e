//! The stage of a match and its clock, from the configstrings (`docs/formats/quake3-events.md`, "The match").

use fragreel_model::Milliseconds;

use crate::game::Game;
use crate::game::strings::SERVERINFO;
use crate::state::State;
use crate::strings::{info, number};

/// The clock of the match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum MatchClock {
    /// No match runs.
    #[default]
    Stopped,
    /// It counts from this server time.
    Since(i64),
    /// It is paused at this time.
    Held(i64),
}

impl MatchClock {
    /// The clock as the strings of `state` set it.
    pub(crate) fn of(state: &State, game: &Game) -> Self {
        read(state, game).clock
    }

    /// The match time at this server time; `None` outside of a match.
    pub(crate) fn at(self, server_time: i32) -> Option<Milliseconds> {
        match self {
            MatchClock::Stopped => None,
            // a time before its start belongs to no match
            MatchClock::Since(start) => Some(Milliseconds(i64::from(server_time) - start)).filter(|time| time.0 >= 0),
            MatchClock::Held(time) => Some(Milliseconds(time)),
        }
    }
}

/// The stages of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchStage {
    Warmup,
    Countdown,
    Running,
    Over,
}

/// What the strings state of the match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatchReading {
    pub stage: MatchStage,
    pub paused: bool,
    pub clock: MatchClock,
}

/// Reads the match from the strings. CPMA states nowhere that a match is over, and id's own game never takes the intermission's string back.
pub(crate) fn read(state: &State, game: &Game) -> MatchReading {
    if let Some((own, _)) = game.strings.cpma {
        return read_cpma(state.string(own));
    }
    let places = &game.strings;
    let stage = match info(state.string(SERVERINFO), "g_gameState") {
        _ if game.clears_intermission && is_on(state.string(places.intermission)) => MatchStage::Over,
        b"PRE_GAME" => MatchStage::Warmup,
        b"COUNT_DOWN" => MatchStage::Countdown,
        b"IN_PROGRESS" => MatchStage::Running,
        _ => match number(timed(state.string(places.warmup))) {
            0 => MatchStage::Running,
            until if until < 0 => MatchStage::Warmup,
            _ => MatchStage::Countdown,
        },
    };
    let paused = places.pause.is_some_and(|pause| number(state.string(pause)) > 0 && stage == MatchStage::Running);
    let start = state.string(places.level_start);
    let clock = match stage {
        MatchStage::Running | MatchStage::Over if !start.is_empty() => match places.pause {
            Some(pause) if paused => MatchClock::Held(i64::from(number(state.string(pause))) - i64::from(number(start))),
            _ => MatchClock::Since(i64::from(number(start))),
        },
        _ => MatchClock::Stopped,
    };
    MatchReading { stage, paused, clock }
}

/// Whether the intermission's string is on.
pub(crate) fn shows_intermission(state: &State, game: &Game) -> bool {
    is_on(state.string(game.strings.intermission))
}

fn read_cpma(own: &[u8]) -> MatchReading {
    let of = |key| i64::from(number(info(own, key)));
    let stage = match of("tw") {
        0 => MatchStage::Running,
        until if until < 0 => MatchStage::Warmup,
        _ => MatchStage::Countdown,
    };
    let (start, shift, held) = (of("ts"), of("td"), of("te"));
    let clock = match stage {
        MatchStage::Running if held != 0 => MatchClock::Held(held),
        MatchStage::Running => MatchClock::Since(start + shift),
        _ => MatchClock::Stopped,
    };
    MatchReading { stage, paused: held != 0 && stage == MatchStage::Running, clock }
}

/// Quake Live writes `\time\N`, the others N.
fn timed(string: &[u8]) -> &[u8] {
    if string.starts_with(b"\\") { info(string, "time") } else { string }
}

fn is_on(string: &[u8]) -> bool {
    !matches!(string, b"" | b"0" | b"qfalse")
}

/// Whether CPMA counts down to the match or to the next round.
pub(crate) fn is_between_rounds(state: &State, game: &Game) -> bool {
    game.strings.cpma.is_some_and(|(own, _)| number(info(state.string(own), "tw")) != 0)
}

/// Whether the game type counts down to each round: CPMA's clan arena, freeze tag, and capture strike.
pub(crate) fn counts_down_to_rounds(state: &State, game: &Game) -> bool {
    game.strings.cpma.is_some_and(|(own, _)| matches!(number(info(state.string(own), "t")), 5..=7))
}

/// Whether a countdown runs that may be one to a round.
pub(crate) fn is_before_round(state: &State, game: &Game) -> bool {
    counts_down_to_rounds(state, game) && read(state, game).stage == MatchStage::Countdown
}
