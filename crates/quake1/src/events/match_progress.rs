//! Follows levels and matches: starts, pauses and ends.

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind, MatchState, Score};

use crate::events::sink::EventSink;
use crate::state::{Game, player};

/// The progress of the level and the match.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MatchProgress {
    /// True once the level runs. Players before that did not join.
    pub ready: bool,
    level_emitted: bool,
    scores_emitted: bool,
    intermission: bool,
    paused: bool,
}

impl MatchProgress {
    /// Starts a level.
    pub(super) fn new_level(&mut self, out: &mut EventSink) {
        *self = MatchProgress::default();
        out.match_clock.start_level();
    }

    /// Emits the level once its map is known.
    pub(super) fn level(&mut self, out: &mut EventSink, game: &Game) {
        if self.level_emitted {
            return;
        }
        let Some(map) = game.level.map() else { return };
        self.level_emitted = true;
        let title = (!game.level.title.bytes().is_empty()).then(|| game.level.title.game());
        let game_type = game.level.game_type().map(Cow::Owned);
        let date = fragreel_model::replay::date::of(|key| game.level.setting(key));
        out.emit(Evidence::Stated, EventKind::Level { map, game: game.level.game_directory(), game_type, title, date });
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
    pub(super) fn state(&self, out: &mut EventSink, evidence: Evidence, state: MatchState) {
        let now = out.now();
        if out.match_clock.enter(state, now) {
            out.emit(evidence, EventKind::match_state(state));
        }
    }

    /// Emits the final scores, once per level.
    pub(super) fn scores(&mut self, out: &mut EventSink, scores: EventKind) {
        if out.wants(Kind::Scores) && !std::mem::replace(&mut self.scores_emitted, true) {
            out.emit(Evidence::Stated, scores);
        }
    }

    fn board(&mut self, out: &mut EventSink, game: &Game) {
        if !out.wants(Kind::Scores) {
            return;
        }
        let playing = game.roster.iter().filter(|(_, person)| !person.spectator);
        let mut players: Vec<Score> = playing
            .map(|(slot, person)| Score { player: player(slot, person), score: i32::from(person.frags), deaths: None, ping: person.ping, minutes: None })
            .collect();
        if players.is_empty() {
            return;
        }
        players.sort_by_key(|line| std::cmp::Reverse(line.score));
        let mut teams: Vec<(Cow<'static, str>, i32)> = Vec::new();
        for line in players.iter().filter(|_| game.level.has_teams()) {
            let Some(team) = &line.player.team else { continue };
            match teams.iter_mut().find(|(name, _)| name == team) {
                Some((_, sum)) => *sum += line.score,
                None => teams.push((team.clone(), line.score)),
            }
        }
        self.scores(out, EventKind::Scores { teams, players });
    }
}
