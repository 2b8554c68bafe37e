//! Where the match stands: warmup, countdown, running, paused, over (`docs/formats/quake3-events.md`, "The match").

use model::{EventKind, Evidence, Kind, MatchState};

use super::outlet::{MatchClock, Outlet};
use crate::game::Game;
use crate::game::strings::SERVERINFO;
use crate::state::State;
use crate::text::{clean, info, number};

/// The stages that a match passes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Warmup,
    Countdown,
    Running,
    Over,
}

/// What the strings say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    stage: Stage,
    paused: bool,
    clock: MatchClock,
}

/// Follows the match through the strings.
#[derive(Debug, Default)]
pub(super) struct MatchWatch {
    last: Option<Reading>,
    restarted: bool,
    /// CPMA: a print said that the match is over.
    said_over: bool,
}

impl MatchWatch {
    /// A level begins.
    pub(super) fn level_begins(&mut self) {
        *self = MatchWatch::default();
    }

    /// `map_restart` came.
    pub(super) fn restarted(&mut self) {
        self.restarted = true;
    }

    /// Whether the match runs; between two rounds it does.
    pub(super) fn is_running(&self) -> bool {
        self.last.is_some_and(|last| last.stage == Stage::Running)
    }

    /// A line that the server shows to everybody.
    pub(super) fn printed(&mut self, line: &[u8], game: &Game, out: &mut Outlet<'_>) {
        let says = |words: &str| line.len() >= words.len() && line.windows(words.len()).any(|found| found.eq_ignore_ascii_case(words.as_bytes()));
        if game.strings.cpma.is_some() && self.is_running() && OVER.iter().any(|words| says(words)) {
            self.said_over = true;
        }
        let overtime = (says("overtime") || says("sudden death")) && !says("overtime mode") && !says("overtime:");
        if overtime && self.is_running() && !clean(line).contains(": ") {
            out.tell(Evidence::Inferred, Kind::Match, || EventKind::match_state(MatchState::Overtime));
        }
    }

    /// Whether the match runs as the strings are now.
    pub(super) fn runs_on(&self, state: &State, game: &Game) -> bool {
        self.stage(read(state, game, self.said_over).stage, state, game) == Stage::Running
    }

    /// The stage that the strings say, except that CPMA's countdown to a round is no stage of the match.
    fn stage(&self, said: Stage, state: &State, game: &Game) -> Stage {
        if said == Stage::Countdown && self.is_running() && game.counts_down_to_rounds(state) { Stage::Running } else { said }
    }

    /// All commands of a message are known. Returns whether the level was restarted.
    pub(super) fn settle(&mut self, state: &State, game: &Game, out: &mut Outlet<'_>) -> bool {
        let restarted = std::mem::take(&mut self.restarted);
        let mut new = read(state, game, self.said_over);
        let before = self.last;
        new.stage = self.stage(new.stage, state, game);
        if new.stage != Stage::Running && new.stage != Stage::Over {
            self.said_over = false;
        }
        self.last = Some(new);
        out.match_clock = new.clock;
        let mut tell = |evidence, state| out.tell(evidence, Kind::Match, || EventKind::match_state(state));
        let evidence = if game.strings.cpma.is_some() || new.stage == Stage::Running { Evidence::Inferred } else { Evidence::Stated };
        let same = before.is_some_and(|before| before.stage == new.stage);
        match (new.stage, before) {
            _ if same => {
                if restarted {
                    tell(Evidence::Stated, MatchState::Restarted);
                }
            }
            (Stage::Warmup, _) => tell(Evidence::Stated, MatchState::Warmup),
            (Stage::Countdown, _) => tell(Evidence::Stated, MatchState::Countdown),
            (Stage::Over, _) => tell(evidence, MatchState::Intermission),
            (Stage::Running, Some(_)) => tell(evidence, MatchState::Started),
            // it may run for long
            (Stage::Running, None) => {}
        }
        if before.map_or(new.paused, |before| before.paused != new.paused) {
            tell(Evidence::Stated, if new.paused { MatchState::Paused } else { MatchState::Resumed });
        }
        restarted
    }
}

/// What CPMA prints when a match is over; it has no string for it.
const OVER: &[&str] = &["limit hit", "match over", "match complete", "has won the match"];

impl MatchClock {
    /// The clock as the strings of `state` set it.
    pub(crate) fn of(state: &State, game: &Game) -> Self {
        read(state, game, false).clock
    }
}

fn read(state: &State, game: &Game, said_over: bool) -> Reading {
    if let Some((own, _)) = game.strings.cpma {
        return read_cpma(state.string(own), said_over);
    }
    let places = &game.strings;
    let stage = match info(state.string(SERVERINFO), "g_gameState") {
        _ if is_on(state.string(places.intermission)) => Stage::Over,
        b"PRE_GAME" => Stage::Warmup,
        b"COUNT_DOWN" => Stage::Countdown,
        b"IN_PROGRESS" => Stage::Running,
        _ => match number(timed(state.string(places.warmup))) {
            0 => Stage::Running,
            until if until < 0 => Stage::Warmup,
            _ => Stage::Countdown,
        },
    };
    let paused = places.pause.is_some_and(|pause| number(state.string(pause)) > 0 && stage == Stage::Running);
    let start = state.string(places.level_start);
    let clock = match stage {
        Stage::Running | Stage::Over if !start.is_empty() => match places.pause {
            Some(pause) if paused => MatchClock::Held(i64::from(number(state.string(pause))) - i64::from(number(start))),
            _ => MatchClock::Since(i64::from(number(start))),
        },
        _ => MatchClock::Stopped,
    };
    Reading { stage, paused, clock }
}

fn read_cpma(own: &[u8], said_over: bool) -> Reading {
    let of = |key| i64::from(number(info(own, key)));
    let stage = match of("tw") {
        0 if said_over => Stage::Over,
        0 => Stage::Running,
        until if until < 0 => Stage::Warmup,
        _ => Stage::Countdown,
    };
    let (start, shift, held) = (of("ts"), of("td"), of("te"));
    let clock = match stage {
        Stage::Running | Stage::Over if held != 0 => MatchClock::Held(held),
        Stage::Running | Stage::Over => MatchClock::Since(start + shift),
        _ => MatchClock::Stopped,
    };
    Reading { stage, paused: held != 0 && stage == Stage::Running, clock }
}

/// Quake Live writes `\time\N`, the others N.
fn timed(string: &[u8]) -> &[u8] {
    if string.starts_with(b"\\") { info(string, "time") } else { string }
}

fn is_on(string: &[u8]) -> bool {
    !matches!(string, b"" | b"0" | b"qfalse")
}

/// Whether CPMA counts down, be it to the match or to the next round.
pub(super) fn is_between_rounds(state: &State, game: &Game) -> bool {
    game.strings.cpma.is_some_and(|(own, _)| number(info(state.string(own), "tw")) != 0)
}

impl Game {
    /// Whether a countdown in a match is one to the next round: CPMA's clan arena, freeze tag and capture strike.
    pub(super) fn counts_down_to_rounds(&self, state: &State) -> bool {
        self.strings.cpma.is_some_and(|(own, _)| matches!(number(info(state.string(own), "t")), 5..=7))
    }

    /// Whether a countdown runs that may be one to a round.
    pub(crate) fn counts_down_to_round(&self, state: &State) -> bool {
        self.counts_down_to_rounds(state) && read(state, self, false).stage == Stage::Countdown
    }
}
