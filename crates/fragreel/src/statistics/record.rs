//! What is known of one match: written while it runs, frozen at its end, then completed by statements about the end alone.

use std::borrow::Cow;
use std::collections::HashMap;

use fragreel_model::{
    Check, Contradiction, Event, EventKind, IdentityMaker, MatchStats, Milliseconds, Outcome, Pause, Player, Score, Source, Stat, Statement, TeamStats,
};

use super::players::Players;
use super::survey::Survey;
use super::tally::Tally;
use super::{result, segments};

/// A score that stands for somebody who gave up, or for nobody.
pub(super) const NO_SCORE: [i64; 2] = [-999, -9999];

/// What a line of a board states.
pub(super) fn figures(line: &Score) -> [(Stat, Option<i32>); 4] {
    [
        (Stat::Score, Some(line.score).filter(|score| !NO_SCORE.contains(&i64::from(*score)))),
        (Stat::Deaths, line.deaths),
        // -1 stands for a player who connects
        (Stat::Ping, line.ping.filter(|ping| *ping >= 0)),
        (Stat::MinutesConnected, line.minutes),
    ]
}

/// The record of a match.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    pub(super) stats: MatchStats,
    pub(super) players: Players,
    /// The present time.
    pub(super) now: Milliseconds,
    /// The places of its teams, and when a score of each was stated last.
    teams: HashMap<String, usize>,
    stated: HashMap<String, Milliseconds>,
    pub(super) tally: Tally,
    pub(super) identity: IdentityMaker,
    pub(super) survey: Survey,
    /// Scores that fell to nothing at the present time, and what they were.
    cleared: HashMap<Option<u16>, i64>,
    cleared_at: Milliseconds,
}

impl Record {
    /// A match begins. `players` are those who are there.
    pub(super) fn begin(now: Milliseconds, has_start: bool, mut players: Players) -> Self {
        players.begin();
        let mut record = Record { players, ..Record::default() };
        (record.stats.from, record.stats.to, record.stats.has_start) = (now, now, has_start);
        record
    }

    /// Something that counts happens.
    pub(super) fn event(&mut self, event: &Event) {
        if event.time != self.cleared_at {
            self.cleared.clear();
            self.cleared_at = event.time;
        }
        match &event.kind {
            EventKind::Score { player, team, score } => self.score(player.as_ref(), team.as_deref(), i64::from(*score)),
            EventKind::Kill(kill) => {
                self.identity.kill(event.time, kill);
                self.tally.take(&mut self.players, event);
            }
            EventKind::Round { number, started, winner } => {
                let is_first = self.stats.segments.is_empty() && self.stats.has_start;
                segments::take(&mut self.stats.segments, event.time, *number, *started, winner.as_ref());
                // the first round may begin with the match
                if is_first && let Some(first) = self.stats.segments.first_mut() {
                    first.from.get_or_insert(self.stats.from);
                }
            }
            _ => self.tally.take(&mut self.players, event),
        }
    }

    /// A pause begins.
    pub(super) fn pause(&mut self, now: Milliseconds) {
        if self.stats.pauses.last().is_none_or(|last| last.to.is_some()) {
            self.stats.pauses.push(Pause { from: now, to: None });
        }
    }

    /// A pause ends.
    pub(super) fn resume(&mut self, now: Milliseconds) {
        if let Some(last) = self.stats.pauses.last_mut() {
            last.to.get_or_insert(now);
        }
    }

    /// The match ends. Nobody's figures change from now on, except by statements about the end.
    pub(super) fn freeze(&mut self, now: Milliseconds, outcome: Outcome) {
        self.tally.end(&mut self.players, now);
        self.survey.end(&mut self.players);
        (self.stats.to, self.stats.outcome) = (now, outcome);
    }

    /// The score that is stated of a team.
    pub(super) fn team_score(&self, name: &str) -> Option<i64> {
        self.stats.teams[*self.teams.get(name)?].stats.get(Stat::Score).stated
    }

    fn team(&mut self, name: &str) -> &mut TeamStats {
        let teams = &mut self.stats.teams;
        let at = *self.teams.entry(name.to_owned()).or_insert(teams.len());
        if at == teams.len() {
            teams.push(TeamStats::new(name.to_owned()));
        }
        &mut teams[at]
    }

    /// A board is shown. `plays` says whose lines are their own.
    pub(super) fn board(&mut self, teams: &[(Cow<'static, str>, i32)], players: &[Score], goes_on: bool, plays: impl Fn(&Player) -> bool) {
        for (name, score) in teams.iter().filter(|(_, score)| !NO_SCORE.contains(&i64::from(*score))) {
            self.team_scores(name, i64::from(*score));
        }
        for line in players.iter().filter(|line| plays(&line.player)) {
            let player = self.players.find(&line.player);
            let figures = figures(line);
            for (stat, value) in figures {
                if let Some(value) = value {
                    player.stats.state_as(stat, i64::from(value), Source::Board);
                }
            }
            self.players.stated(&line.player, goes_on, figures.into_iter().filter_map(|(stat, value)| value.map(|_| stat)));
        }
    }

    fn score(&mut self, player: Option<&Player>, team: Option<&str>, score: i64) {
        match (player, team) {
            _ if NO_SCORE.contains(&score) => {}
            (Some(player), _) => {
                let stats = &mut self.players.find(player).stats;
                let before = stats.get(Stat::Score).stated.filter(|before| score == 0 && *before != 0);
                stats.state_as(Stat::Score, score, Source::Board);
                if let Some(before) = before {
                    self.cleared.entry(player.slot).or_insert(before);
                }
            }
            (None, Some(team)) => self.team_scores(team, score),
            (None, None) => {}
        }
    }

    /// A score of a team is stated on the way.
    fn team_scores(&mut self, name: &str, score: i64) {
        self.team(name).stats.state_as(Stat::Score, score, Source::Board);
        self.stated.insert(name.to_owned(), self.now);
    }

    /// A player leaves. Quake's servers clear the score of a place as its player leaves: what he had is his.
    pub(super) fn leave(&mut self, player: &Player, now: Milliseconds) {
        if let Some(score) = self.cleared.get(&player.slot).filter(|_| self.cleared_at == now) {
            self.players.find(player).stats.state_as(Stat::Score, *score, Source::Board);
        }
        self.players.leave(player);
        self.tally.leave(player);
    }

    /// The server states statistics.
    pub(super) fn statement(&mut self, statement: &Statement, standing: Source, goes_on: bool, plays: impl Fn(&Player) -> bool) {
        for team in &statement.teams {
            let known = self.team(&team.name).stats.get(Stat::Score);
            if !goes_on
                && let (Some(before), Some(now)) = (known.stated.filter(|_| standing == Source::Printed), team.stats.get(Stat::Score).stated)
                && before != now
            {
                let figures = [("printed".into(), now), ("stated before".into(), before)];
                let mut found = Contradiction::new(Check::Result, Some(team.name.clone()), figures);
                let age = self.stated.get(&*team.name).map_or(Milliseconds(0), |stated| self.now - *stated);
                found.reason = if team.score_of_leavers == Some(now - before) {
                    Some("players who left scored the difference".into())
                } else {
                    (age.0 > 0).then(|| format!("that was {:.1} s before", age.seconds()).into())
                };
                self.stats.findings.push(found);
            }
            let known = self.team(&team.name);
            known.stats.take_stated(&team.stats, standing);
            known.score_of_leavers = team.score_of_leavers.or(known.score_of_leavers);
            for (item, figures) in &team.items {
                known.items.entry(item.clone()).or_default().take_stated(figures, standing);
            }
        }
        for line in statement.players.iter().filter(|line| plays(&line.player)) {
            let known = self.players.find(&line.player);
            let findings = &mut self.stats.findings;
            for (stat, figure) in line.stats.iter() {
                let before = known.stats.get(stat);
                if let (Some(now), Some(then), Some(known_as)) = (figure.stated, before.stated, before.source)
                    && ![known_as, standing].contains(&Source::Board)
                    && known_as != standing
                    && now != then
                {
                    let name = |standing: Source| Cow::Owned(format!("{} {}", stat.name().replace('_', " "), standing.name()));
                    let about = Some(line.player.name.clean.clone().into());
                    findings.push(Contradiction::new(Check::Table, about, [(name(known_as), then), (name(standing), now)]));
                }
            }
            let given_up = line.stats.get(Stat::Score).stated.is_some_and(|score| NO_SCORE.contains(&score));
            let score = known.stats.get(Stat::Score);
            known.stats.take_stated(&line.stats, standing);
            if given_up {
                known.stats.restore(Stat::Score, score);
            }
            for (weapon, figures) in &line.weapons {
                known.weapon(weapon.clone()).take_stated(figures, standing);
            }
            for (item, figures) in &line.items {
                known.item(item.clone()).take_stated(figures, standing);
            }
            known.other.extend(line.other.iter().map(|(key, value)| (key.clone(), value.clone())));
            self.players.stated(&line.player, goes_on, line.stats.iter().map(|(stat, _)| stat));
        }
        let stats = &mut self.stats;
        stats.date = statement.date.clone().or_else(|| stats.date.take());
        stats.mode = statement.mode.clone().or_else(|| stats.mode.take());
        stats.cause = statement.cause.or(stats.cause);
        if let Some(winner) = statement.winner.clone() {
            stats.winner = Some(winner);
        }
        stats.other.extend(statement.other.iter().map(|(key, value)| (key.clone(), value.clone())));
        if !stats.sources.contains(&statement.source) {
            stats.sources.push(statement.source.clone());
        }
    }

    /// The match with everything that is known of it, its number and its identity aside.
    pub(super) fn closed(self, in_teams: Option<bool>) -> MatchStats {
        let Record { mut stats, players, identity, .. } = self;
        stats.players = players.results();
        result::complete(&mut stats, in_teams);
        stats.identity = if stats.outcome.is_final() {
            let scores = stats.players.iter().filter_map(|line| Some((line.player.name.clean.as_str(), line.stats.get(Stat::Score).value()?)));
            identity.finished(&stats.map, scores)
        } else {
            identity.identity()
        };
        stats
    }
}
