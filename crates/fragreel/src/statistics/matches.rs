//! Where one match ends and the next begins, and what belongs to which.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use fragreel_model::{
    EndCause, Event, EventKind, Family, Figure, Figures, Frame, MatchResult, MatchState, MatchStats, Milliseconds, NoMatch, Outcome, Player, Source, Stat,
    Statement,
};

use super::phase::{Act, Phase};
use super::players::{Players, watches};
use super::record::Record;
use super::tally::Tally;
use super::{checks, sources, terms};

/// For how long after an announced end a board is still about it: games show it within a second, and it comes within two more.
const BOARDS: Milliseconds = Milliseconds(3000);
/// For how long after the beginning of a warm-up the end of the match before may still be announced.
const LATE_END: Milliseconds = Milliseconds(2000);

/// The matches of a recording as they pass by.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    done: Vec<MatchStats>,
    /// How many stretches have begun, matches or not.
    begun: u32,
    phase: Phase,
    now: Milliseconds,
    /// The match that is played, or the last one while statements about its end may come.
    record: Record,
    /// When its end was announced.
    announced: Milliseconds,
    /// Everybody who is there while no match counts.
    roster: Players,
    /// The names that players gave the sides of the level.
    titles: BTreeMap<Cow<'static, str>, Cow<'static, str>>,
    /// When players last changed to the spectators.
    stepped_back: HashMap<Option<u16>, Milliseconds>,
    map: String,
    mode: Option<String>,
    /// When the level was.
    date: Option<String>,
    /// Whether the level is played in teams, and how long a match of it lasts at most, where stated.
    teams: Option<bool>,
    time_limit: Option<Milliseconds>,
    /// Whether the level has rounds.
    has_rounds: bool,
    /// When the level began.
    entered: Milliseconds,
    /// Telefrags of the present time, while no match runs.
    telefrags: Vec<Event>,
    /// Whether a level was entered, and whether a match was waited for in vain.
    has_level: bool,
    waits: bool,
}

impl Matches {
    /// An event happens.
    pub(crate) fn take(&mut self, event: &Event) {
        if event.time != self.now {
            self.telefrags.clear();
        }
        (self.now, self.record.now) = (event.time, event.time);
        if self.phase == Phase::Doubtful && self.now - self.record.stats.to > LATE_END {
            self.close(Phase::Warmup);
        }
        if let EventKind::Kill(kill) = &event.kind
            && !matches!(self.phase, Phase::Running | Phase::Paused)
            && terms::is_telefrag(&kill.means)
        {
            self.telefrags.push(event.clone());
        }
        self.has_rounds |= matches!(event.kind, EventKind::Round { .. });
        self.record.stats.uncertain |= event.uncertain && self.phase.counts();
        match &event.kind {
            EventKind::Level { map, game_type, date, teams, time_limit, .. } => {
                self.has_level = true;
                self.finish_record(EndCause::LevelChange);
                self.close(Phase::Warmup);
                self.roster.clear();
                self.map.clone_from(map);
                self.date.clone_from(date);
                self.mode = game_type.as_deref().map(str::to_owned);
                (self.entered, self.teams, self.time_limit) = (self.now, *teams, *time_limit);
                self.has_rounds = false;
                self.titles.clear();
                self.begin(Phase::Level);
            }
            EventKind::Match { state, cause, by, .. } => self.fact(*state, *cause, by.as_deref()),
            EventKind::Join { player } => drop(self.people().find(player)),
            EventKind::Team { player, .. } => {
                if watches(player) {
                    self.stepped_back.insert(player.slot, self.now);
                }
                self.people().find(player);
            }
            EventKind::Rename { player, from } => {
                self.people().rename(player);
                self.record.survey.rename(player, from);
            }
            EventKind::Leave { player, .. } => {
                if self.phase.counts() {
                    self.record.leave(player, self.now);
                } else {
                    self.roster.leave(player);
                }
            }
            EventKind::Scores { teams, players } if self.phase.counts() || self.shows_boards() => {
                let (goes_on, plays) = (self.phase.counts(), self.players_then());
                self.record.board(teams, players, goes_on, plays);
            }
            EventKind::Statistics(statement) if names_sides(statement) => {
                self.titles.extend(statement.teams.iter().filter_map(|team| Some((team.name.clone(), team.title.clone()?))));
            }
            EventKind::Statistics(statement) if self.phase.counts() || self.phase.is_frozen() => {
                let standing = sources::of(&statement.source, !self.phase.counts());
                if standing == Source::Board && !self.phase.counts() && !self.shows_boards() {
                    return;
                }
                let (goes_on, plays) = (self.phase.counts() && standing != Source::End, self.players_then());
                self.record.statement(statement, standing, goes_on, plays);
                // it comes when a match is over, whatever else says so
                if standing != Source::Board && self.phase.is_frozen() && self.record.stats.outcome == Outcome::Unfinished {
                    self.record.stats.outcome = Outcome::Draw;
                }
            }
            EventKind::Kill(kill) if terms::is_no_death(kill, self.mode.as_deref()) => {}
            _ if self.phase.counts() || self.ends_with(event) => self.record.event(event),
            _ => {}
        }
    }

    /// A frame passes by, behind the events before it.
    pub(crate) fn frame(&mut self, family: Family, frame: &Frame) {
        if self.phase.counts() {
            self.record.survey.frame(family, frame);
        }
    }

    /// The recording ends with a frame of this time.
    pub(crate) fn finish(mut self, end: Milliseconds) -> Vec<MatchStats> {
        self.now = self.now.max(end);
        self.finish_record(None);
        if self.phase == Phase::Doubtful && self.now - self.record.stats.to <= LATE_END {
            // the end may have been announced behind the last frame
            self.phase = Phase::Shown;
        }
        self.close(Phase::Warmup);
        self.done
    }

    /// Why there is no match.
    pub(crate) fn none(&self) -> NoMatch {
        match (self.has_level, self.waits) {
            (_, true) => NoMatch::NoStart,
            (false, false) => NoMatch::NoLevel,
            (true, false) => NoMatch::NoPlayers,
        }
    }

    /// The number of the match that is played, or that was the last.
    pub(super) fn number(&self) -> Option<u32> {
        (self.phase.counts() || self.phase.is_frozen()).then(|| self.done.len() as u32 + 1)
    }

    /// When the match ended that is over now.
    pub(super) fn over_since(&self) -> Option<Milliseconds> {
        self.phase.is_frozen().then_some(self.record.stats.to)
    }

    /// How the match of a number ended: one that is over by now.
    pub(super) fn result(&self, number: u32) -> Option<MatchResult> {
        let over = (self.phase.is_frozen() && self.number() == Some(number)).then(|| self.closed(self.record.clone()));
        let one = over.as_ref().or_else(|| self.done.get(number as usize - 1))?;
        let score = |stats: &Figures<Stat>| stats.get(Stat::Score).value();
        let mut result = MatchResult::default();
        (result.outcome, result.winner, result.identity) = (one.outcome, one.winner.clone(), one.identity.clone());
        result.scores = if one.teams.len() > 1 {
            one.teams.iter().filter_map(|team| Some((team.name.to_string(), score(&team.stats)?))).collect()
        } else {
            one.players.iter().filter_map(|line| Some((line.player.name.clean.clone(), score(&line.stats)?))).collect()
        };
        Some(result)
    }

    /// How many stretches have begun: each is a match, or turns out to be none.
    pub(super) fn begun(&self) -> u32 {
        self.begun
    }

    /// How many matches are complete.
    pub(super) fn done(&self) -> usize {
        self.done.len()
    }

    /// The players of the present stretch.
    pub(super) fn players(&self) -> &Players {
        &self.record.players
    }

    /// A figure of the player at a place, as the scoreboard has it if the match ends now.
    pub(super) fn figure(&self, place: usize, stat: Stat) -> Figure {
        let mut figure = self.record.players.figure(place, stat);
        if !self.phase.is_frozen() && Tally::counts(stat) && self.record.players.is_known(place) {
            figure.counted.get_or_insert(0);
        }
        if figure.counted.is_some() && self.record.players.get(place).is_some_and(|(player, _)| self.record.tally.is_unsure(player, stat)) {
            figure.counted = None;
        }
        figure
    }

    /// The score that is stated of a team.
    pub(super) fn team_score(&self, name: &str) -> Option<i64> {
        self.record.team_score(name)
    }

    /// The players whom joins and leaves are about now. Those of a frozen record stay as they are.
    fn people(&mut self) -> &mut Players {
        if self.phase.counts() { &mut self.record.players } else { &mut self.roster }
    }

    /// Whether a board shown now is about the match.
    fn shows_boards(&self) -> bool {
        matches!(self.phase, Phase::Deciding | Phase::Shown) && self.now - self.announced <= BOARDS
    }

    /// Whether a line is of somebody who plays, or who played until the end that was just announced.
    fn players_then(&self) -> impl Fn(&Player) -> bool + use<> {
        let (is_over, end) = (self.phase.is_frozen(), self.record.stats.to);
        let gave_up: Vec<Option<u16>> = self.stepped_back.iter().filter(|(_, since)| is_over && **since >= end).map(|(slot, _)| *slot).collect();
        move |player| !watches(player) || gave_up.contains(&player.slot)
    }

    /// Whether it is what ended the match: an obituary, a capture or a score may stand behind the end, in the same frame.
    fn ends_with(&self, event: &Event) -> bool {
        // a player who gave up has another score already
        let has_scores = self.record.stats.outcome != Outcome::Forfeited;
        let is_last = match event.kind {
            EventKind::Kill(_) | EventKind::Flag { .. } | EventKind::Round { .. } => true,
            EventKind::Score { .. } => has_scores,
            _ => false,
        };
        is_last && self.phase == Phase::Deciding && event.time == self.record.stats.to
    }

    fn fact(&mut self, fact: MatchState, cause: Option<EndCause>, by: Option<&str>) {
        match fact {
            MatchState::Started | MatchState::Restarted => self.waits = false,
            MatchState::Warmup | MatchState::Countdown => self.waits = true,
            _ => {}
        }
        let (phase, act) = self.phase.step(fact, self.now == self.entered);
        match act {
            Act::Keep => self.phase = phase,
            Act::Drop => {
                self.roster = std::mem::take(&mut self.record).players;
                self.phase = phase;
            }
            Act::Begin => {
                // a restart before the first round is over is none of a match: servers go live with three of them
                let is_idle = fact == MatchState::Restarted && self.has_rounds && !self.record.stats.segments.iter().any(|round| round.to.is_some());
                // an announced start says that what was played on the level before was no match
                let was_none = fact == MatchState::Started && self.phase == Phase::Level;
                if (is_idle || was_none) && self.phase.counts() {
                    self.freeze(Outcome::Unfinished);
                    self.phase = Phase::Warmup;
                }
                let was_played = self.phase.counts();
                self.finish_record(EndCause::Restart);
                if was_played {
                    (self.record.stats.outcome, self.record.stats.cause) = (Outcome::Aborted, Some(EndCause::Restart));
                }
                self.close(Phase::Warmup);
                self.begin(phase);
                // players are put to their places before the server says that the match has begun, and kill who stands there
                std::mem::take(&mut self.telefrags).iter().for_each(|event| self.take(event));
            }
            Act::Pause => {
                self.record.pause(self.now);
                self.phase = phase;
            }
            Act::Resume => {
                self.record.resume(self.now);
                self.phase = phase;
            }
            Act::Prolong => self.record.stats.overtimes.push(self.now),
            Act::End => {
                self.freeze(Outcome::Draw);
                self.decide(fact, cause, by);
                self.phase = phase;
            }
            Act::Doubt => {
                self.freeze(Outcome::Unfinished);
                self.record.stats.cause = cause;
                self.phase = phase;
            }
            Act::Confirm => {
                self.decide(fact, cause, by);
                self.phase = phase;
            }
            Act::Close => self.close(phase),
        }
    }

    /// Says how the frozen match ended.
    fn decide(&mut self, fact: MatchState, cause: Option<EndCause>, by: Option<&str>) {
        let stats = &mut self.record.stats;
        stats.outcome = match fact {
            MatchState::Stopped => Outcome::Stopped,
            MatchState::Forfeited => Outcome::Forfeited,
            _ if stats.outcome == Outcome::Unfinished => Outcome::Draw,
            _ => stats.outcome,
        };
        if fact == MatchState::Forfeited {
            stats.forfeited_by = by.map(|by| by.to_owned().into()).or_else(|| stats.forfeited_by.take());
            stats.cause = Some(EndCause::Forfeit);
        }
        stats.cause = stats.cause.or(cause);
        self.announced = self.now;
    }

    fn begin(&mut self, phase: Phase) {
        self.begun += 1;
        self.record = Record::begin(self.now, phase == Phase::Running, std::mem::take(&mut self.roster));
        self.record.now = self.now;
        self.phase = phase;
    }

    fn freeze(&mut self, outcome: Outcome) {
        self.record.freeze(self.now, outcome);
        self.roster = self.record.players.clone();
    }

    /// An open match is cut off by something that is no end of it.
    fn finish_record(&mut self, cause: impl Into<Option<EndCause>>) {
        let was_match = matches!(self.phase, Phase::Running | Phase::Paused);
        if self.phase.counts() {
            self.freeze(Outcome::Unfinished);
            self.phase = Phase::Shown;
            if let Some(cause) = cause.into().filter(|_| was_match) {
                (self.record.stats.outcome, self.record.stats.cause) = (Outcome::Aborted, Some(cause));
            }
        }
    }

    /// Closes a frozen match.
    fn close(&mut self, next: Phase) {
        if self.phase.is_frozen() {
            let mut record = std::mem::take(&mut self.record);
            if self.phase == Phase::Doubtful && record.stats.outcome == Outcome::Unfinished {
                record.stats.outcome = Outcome::Aborted;
                record.stats.cause.get_or_insert(EndCause::Warmup);
            }
            let one = self.closed(record);
            if !one.players.is_empty() {
                self.done.push(one);
            }
        }
        self.phase = next;
    }

    /// A match that is over, with everything that is known of it.
    fn closed(&self, mut record: Record) -> MatchStats {
        let stats = &mut record.stats;
        stats.map.clone_from(&self.map);
        // KTX calls everything between teams "team"
        let stated = stats.mode.take().filter(|mode| mode != "team" || self.mode.is_none());
        stats.mode = stated.or_else(|| self.mode.clone());
        stats.date = stats.date.take().map(|text| fragreel_model::replay::date::normal(&text).unwrap_or(text)).or_else(|| self.date.clone());
        stats.number = self.done.len() as u32 + 1;
        let left = record.players.left();
        let mut one = record.closed(self.teams);
        for team in &mut one.teams {
            team.title = self.titles.get(&team.name).cloned();
        }
        one.findings = checks::run(&one, left, self.time_limit);
        one
    }
}

/// Whether a statement says nothing but the names that players gave the sides.
fn names_sides(statement: &Statement) -> bool {
    statement.players.is_empty() && statement.teams.iter().any(|team| team.title.is_some()) && statement.teams.iter().all(|team| team.stats.is_empty())
}

#[cfg(test)]
mod tests;
