//! Follows levels and matches: starts, pauses and ends.

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind, MatchState, Milliseconds, Score, Stat, Statement, TeamStats};

use crate::characters;
use crate::events::sink::EventSink;
use crate::state::{Game, player};
use crate::walk::match_clock::Announced;
use crate::walk::rounds::{self, RoundLine};

/// The progress of the level and the match.
#[derive(Debug, Clone, Default)]
pub(super) struct MatchProgress {
    /// True once the level runs. Players before that did not join.
    pub ready: bool,
    level_emitted: bool,
    scores_emitted: bool,
    /// Whether the scores of the recording's start were looked at.
    opened: bool,
    intermission: bool,
    paused: bool,
    /// The table of rounds that is printed, so far.
    standings: Option<Statement>,
}

impl MatchProgress {
    /// Starts a level.
    pub(super) fn new_level(&mut self, out: &mut EventSink) {
        *self = MatchProgress::default();
        out.match_clock.start_level();
    }

    /// True if frames give no more events until the next level.
    pub(super) fn is_settled(&self) -> bool {
        self.ready && self.level_emitted && self.opened
    }

    /// Emits the level once its map is known.
    #[inline]
    pub(super) fn level(&mut self, out: &mut EventSink, game: &Game) {
        if !self.level_emitted {
            self.emit_level(out, game);
        }
    }

    #[cold]
    fn emit_level(&mut self, out: &mut EventSink, game: &Game) {
        let Some(map) = game.level.map() else { return };
        self.level_emitted = true;
        let title = (!game.level.title.bytes().is_empty()).then(|| game.level.title.game());
        let game_type = game.level.game_type().map(Cow::Owned);
        let date = fragreel_model::replay::date::of(|key| game.level.setting(key));
        let teams = game.level.setting("teamplay").map(|_| game.level.has_teams());
        let time_limit = game.level.setting("timelimit").and_then(|limit| Milliseconds::of_minutes(limit.as_bytes()));
        out.emit(Evidence::Stated, EventKind::Level { map, game: game.level.game_directory(), game_type, title, date, teams, time_limit });
    }

    /// The level ends: the game shows the scoreboard.
    pub(super) fn ends(&mut self, out: &mut EventSink, game: &Game) {
        let now = out.now();
        let is_news = !out.match_clock.is_over();
        out.match_clock.end(now);
        if std::mem::replace(&mut self.intermission, true) {
            return;
        }
        if is_news {
            out.emit(Evidence::Stated, EventKind::match_state(MatchState::Intermission));
        }
        self.board(out, game);
    }

    /// Emits a pause or its end.
    pub(super) fn pause(&mut self, out: &mut EventSink, game: &Game) {
        if std::mem::replace(&mut self.paused, game.paused) != game.paused {
            let state = if game.paused { MatchState::Paused } else { MatchState::Resumed };
            out.emit(Evidence::Stated, EventKind::match_state(state));
        }
    }

    /// Puts the match into a state, and emits a change.
    pub(super) fn state(&mut self, out: &mut EventSink, evidence: Evidence, state: MatchState) {
        let now = out.now();
        if out.match_clock.enter(state, now) {
            self.entered(out, evidence, Announced { state, cause: None });
        } else if state == MatchState::Started && out.match_clock.next_point() {
            out.emit(evidence, EventKind::Round { number: None, started: true, winner: None });
        }
    }

    /// The match is in another state now.
    pub(super) fn entered(&mut self, out: &mut EventSink, evidence: Evidence, said: Announced) {
        match said.state {
            MatchState::Started => self.intermission = false,
            // the pause itself may be stated, too
            MatchState::Paused if std::mem::replace(&mut self.paused, true) => return,
            MatchState::Resumed => self.paused = false,
            _ => {}
        }
        out.emit(evidence, EventKind::match_end(said.state, said.cause, None));
    }

    /// A line that may be a row of the table of rounds that teams have won.
    pub(super) fn standing(&mut self, out: &mut EventSink, line: &[u8]) {
        let Some(standings) = &mut self.standings else { return };
        let text = characters::clean(line);
        if let Some((name, wins)) = rounds::standing(&text) {
            let mut team = TeamStats::new(name);
            team.stats.state(Stat::Score, wins);
            standings.teams.push(team);
        } else if !text.trim().trim_matches(['-', ' ']).is_empty() || standings.teams.len() > 1 {
            self.standings = None;
            return;
        }
        if standings.teams.len() > 1 {
            let said = standings.clone();
            out.emit(Evidence::Stated, EventKind::Statistics(Box::new(said)));
        }
    }

    /// A line says something of a round.
    pub(super) fn round(&mut self, out: &mut EventSink, game: &Game, said: RoundLine) {
        match said {
            RoundLine::PointOver if out.match_clock.point_over() => {
                out.point(sides(game), EventKind::Round { number: None, started: false, winner: None });
            }
            RoundLine::PointOver => {}
            RoundLine::Standings => self.standings = Some(Statement::new("printed scores")),
        }
    }

    /// Emits the final scores, once per level.
    pub(super) fn scores(&mut self, out: &mut EventSink, scores: EventKind) {
        if out.wants(Kind::Scores) && !std::mem::replace(&mut self.scores_emitted, true) {
            out.emit(Evidence::Stated, scores);
        }
    }

    /// Emits the scores of the recording's start, if anybody has one: a recording may begin in the middle of a match.
    pub(super) fn opening(&mut self, out: &mut EventSink, game: &Game) {
        if std::mem::replace(&mut self.opened, true) || !out.wants(Kind::Scores) {
            return;
        }
        let players = lines(game);
        if players.iter().any(|line| line.score != 0) {
            out.emit(Evidence::Stated, EventKind::Scores { teams: Vec::new(), players });
        }
    }

    fn board(&mut self, out: &mut EventSink, game: &Game) {
        if !out.wants(Kind::Scores) {
            return;
        }
        let players = lines(game);
        if players.is_empty() {
            return;
        }
        let mut teams: Vec<(Cow<'static, str>, i32)> = Vec::new();
        // two players play a duel, whatever their tags
        for line in players.iter().filter(|_| game.level.has_teams() && players.len() > 2) {
            let Some(team) = &line.player.team else { continue };
            match teams.iter_mut().find(|(name, _)| name == team) {
                Some((_, sum)) => *sum += line.score,
                None => teams.push((team.clone(), line.score)),
            }
        }
        self.scores(out, EventKind::Scores { teams, players });
    }
}

/// The sides of a duel of points, by the slots of their players: teams of more than two players, otherwise players.
fn sides(game: &Game) -> Vec<(u16, String)> {
    let playing: Vec<_> = game.roster.iter().filter(|(_, person)| !person.spectator).map(|(slot, person)| player(slot, person)).collect();
    let in_teams = game.level.has_teams() && playing.len() > 2;
    let name = |player: fragreel_model::Player| player.team.filter(|_| in_teams).map_or(player.name.clean, Cow::into_owned);
    playing.into_iter().filter_map(|player| Some((player.slot?, name(player)))).collect()
}

/// The lines of players, best first.
fn lines(game: &Game) -> Vec<Score> {
    let playing = game.roster.iter().filter(|(_, person)| !person.spectator);
    let mut players: Vec<Score> = playing
        .map(|(slot, person)| Score { player: player(slot, person), score: i32::from(person.frags), deaths: None, ping: person.ping, minutes: None })
        .collect();
    players.sort_by_key(|line| std::cmp::Reverse(line.score));
    players
}
