//! Where one match ends and the next begins, and what belongs to which.

use std::collections::HashMap;

use fragreel_model::{
    Event, EventKind, Family, Figure, Figures, Frame, IdentityMaker, ItemStat, MatchResult, MatchState, MatchStats, Milliseconds, NoMatch, Outcome, Player,
    Score, Stat, Statement, TeamStats, WeaponStat,
};

use super::players::{Players, watches};
use super::survey::Survey;
use super::tally::Tally;
use super::terms;

/// Where the present match stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing is played, or nothing that counts.
    #[default]
    Warmup,
    /// A level runs, and nobody has spoken of a match yet.
    Level,
    /// The match runs.
    Running,
    /// The match is over: statements about it may still come.
    Over,
}

/// The matches of a recording as they pass by.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    done: Vec<MatchStats>,
    /// How many stretches have begun, matches or not.
    begun: u32,
    phase: Phase,
    now: Milliseconds,
    current: MatchStats,
    /// The places of its teams.
    teams: HashMap<String, usize>,
    players: Players,
    tally: Tally,
    identity: IdentityMaker,
    survey: Survey,
    map: String,
    mode: Option<String>,
    /// When the level was.
    date: Option<String>,
    /// Scores that fell to nothing at the present time, and what they were.
    cleared: HashMap<Option<u16>, i64>,
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
            self.cleared.clear();
            self.telefrags.clear();
        }
        self.now = event.time;
        if let EventKind::Kill(kill) = &event.kind
            && self.phase != Phase::Running
            && terms::is_telefrag(&kill.means)
        {
            self.telefrags.push(event.clone());
        }
        self.current.uncertain |= event.uncertain && self.counts();
        match &event.kind {
            EventKind::Level { map, game_type, date, .. } => {
                self.has_level = true;
                self.close(false);
                self.map.clone_from(map);
                self.date.clone_from(date);
                self.mode = game_type.as_deref().map(str::to_owned);
                self.begin(Phase::Level);
            }
            EventKind::Match { state, .. } => self.state(*state),
            EventKind::Join { player } | EventKind::Team { player, .. } => drop(self.players.find(player)),
            EventKind::Rename { player, from } => {
                self.players.rename(player);
                self.survey.rename(player, from);
            }
            EventKind::Leave { player, .. } => {
                self.restore(player);
                self.players.leave(player);
                self.tally.leave(player);
            }
            EventKind::Scores { teams, players } => self.board(teams.iter().map(|(name, score)| (&**name, *score)), players),
            EventKind::Score { player, team, score } if self.counts() => self.score(player.as_ref(), team.as_deref(), *score),
            EventKind::Statistics(statement) => self.statement(statement),
            EventKind::Kill(kill) if terms::is_no_death(kill, self.mode.as_deref()) => {}
            _ if self.counts() || self.ends_with(event) => {
                if let EventKind::Kill(kill) = &event.kind {
                    self.identity.kill(event.time, kill);
                }
                self.tally.take(&mut self.players, event);
            }
            _ => {}
        }
    }

    /// A frame passes by, behind the events before it.
    pub(crate) fn frame(&mut self, family: Family, frame: &Frame) {
        if self.counts() {
            self.survey.frame(family, frame);
        }
    }

    /// The recording ends with a frame of this time.
    pub(crate) fn finish(mut self, end: Milliseconds) -> Vec<MatchStats> {
        self.now = self.now.max(end);
        self.close(false);
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
        (self.phase != Phase::Warmup).then(|| self.done.len() as u32 + 1)
    }

    /// When the match ended that is over now.
    pub(super) fn over_since(&self) -> Option<Milliseconds> {
        (self.phase == Phase::Over).then_some(self.current.to)
    }

    /// How the match of a number ended: one that is over by now.
    pub(super) fn result(&self, number: u32) -> Option<MatchResult> {
        let is_over = self.phase == Phase::Over && self.number() == Some(number);
        let over = is_over.then(|| self.closed(self.current.clone(), self.players.clone()));
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
        &self.players
    }

    /// A figure of the player at a place, as the scoreboard has it if the match ends now.
    pub(super) fn figure(&self, place: usize, stat: Stat) -> Figure {
        let mut figure = self.players.figure(place, stat, self.current.has_start);
        if self.phase != Phase::Over && Tally::counts(stat) && self.players.is_known(place) {
            figure.counted.get_or_insert(0);
        }
        figure
    }

    /// The score that is stated of a team.
    pub(super) fn team_score(&self, name: &str) -> Option<i64> {
        self.current.teams[*self.teams.get(name)?].stats.get(Stat::Score).stated
    }

    fn counts(&self) -> bool {
        matches!(self.phase, Phase::Level | Phase::Running)
    }

    /// Whether it is the kill that ended the match: its obituary may stand behind the end, in the same frame.
    fn ends_with(&self, event: &Event) -> bool {
        self.phase == Phase::Over && event.time == self.current.to && matches!(event.kind, EventKind::Kill(_))
    }

    fn begin(&mut self, phase: Phase) {
        self.begun += 1;
        self.current = MatchStats::default();
        self.teams.clear();
        (self.current.from, self.current.to) = (self.now, self.now);
        self.current.has_start = phase == Phase::Running;
        self.players.begin();
        self.tally = Tally::default();
        self.identity = IdentityMaker::default();
        self.survey = Survey::default();
        self.phase = phase;
    }

    fn state(&mut self, state: MatchState) {
        match state {
            MatchState::Started | MatchState::Restarted => self.waits = false,
            MatchState::Warmup | MatchState::Countdown => self.waits = true,
            _ => {}
        }
        match state {
            MatchState::Started | MatchState::Restarted => {
                if self.phase == Phase::Running {
                    self.close(false);
                }
                self.begin(Phase::Running);
                // players are put to their places before the server says that the match has begun, and kill who stands there
                std::mem::take(&mut self.telefrags).iter().for_each(|event| self.take(event));
            }
            // what was played in the level so far was no match, or the match was called off
            MatchState::Warmup | MatchState::Countdown if self.phase == Phase::Running => self.over(false),
            MatchState::Warmup | MatchState::Countdown if self.phase == Phase::Level => self.begin(Phase::Warmup),
            MatchState::Intermission if self.counts() => self.over(true),
            _ => {}
        }
    }

    /// The match ends, by its rules or not. What is stated from now on until something else begins is about it.
    fn over(&mut self, finished: bool) {
        self.tally.end(&mut self.players, self.now);
        self.survey.end(&mut self.players);
        self.current.to = self.now;
        self.current.outcome = if finished { Outcome::Draw } else { Outcome::Unfinished };
        self.phase = Phase::Over;
    }

    fn close(&mut self, finished: bool) {
        if self.counts() {
            self.over(finished);
        }
        if self.phase != Phase::Over {
            return;
        }
        let (current, players) = (std::mem::take(&mut self.current), self.players.clone());
        self.teams.clear();
        let one = self.closed(current, players);
        self.players.clear();
        if !one.players.is_empty() {
            self.done.push(one);
            self.phase = Phase::Warmup;
        }
    }

    /// A match that is over, with everything that is known of it.
    fn closed(&self, mut one: MatchStats, players: Players) -> MatchStats {
        one.players = players.results(one.has_start);
        one.players.iter_mut().flat_map(|line| line.weapons.values_mut()).for_each(accuracy);
        one.map.clone_from(&self.map);
        one.mode = one.mode.take().or_else(|| self.mode.clone());
        one.date = one.date.take().map(|text| fragreel_model::replay::date::normal(&text).unwrap_or(text)).or_else(|| self.date.clone());
        one.number = self.done.len() as u32 + 1;
        rank(&mut one);
        one.identity = if one.outcome == Outcome::Unfinished {
            self.identity.identity()
        } else {
            let scores = one.players.iter().filter_map(|line| Some((line.player.name.clean.as_str(), line.stats.get(Stat::Score).value()?)));
            self.identity.finished(&one.map, scores)
        };
        one
    }

    fn team(&mut self, name: &str) -> &mut TeamStats {
        let teams = &mut self.current.teams;
        let at = *self.teams.entry(name.to_owned()).or_insert(teams.len());
        if at == teams.len() {
            teams.push(TeamStats::new(name.to_owned()));
        }
        &mut teams[at]
    }

    fn board<'t>(&mut self, teams: impl Iterator<Item = (&'t str, i32)>, players: &[Score]) {
        if self.phase == Phase::Warmup {
            return;
        }
        let goes_on = self.counts();
        for (name, score) in teams {
            self.team(name).stats.state(Stat::Score, i64::from(score));
        }
        for line in players.iter().filter(|line| !watches(&line.player)) {
            let player = self.players.find(&line.player);
            let figures = [
                (Stat::Score, Some(line.score)),
                (Stat::Deaths, line.deaths),
                // -1 stands for a player who connects
                (Stat::Ping, line.ping.filter(|ping| *ping >= 0)),
                (Stat::MinutesConnected, line.minutes),
            ];
            for (stat, value) in figures {
                if let Some(value) = value {
                    player.stats.state(stat, i64::from(value));
                }
            }
            self.players.stated(&line.player, goes_on, figures.into_iter().filter_map(|(stat, value)| value.map(|_| stat)));
        }
    }

    fn score(&mut self, player: Option<&Player>, team: Option<&str>, score: i32) {
        match (player, team) {
            (Some(player), _) => {
                let stats = &mut self.players.find(player).stats;
                let before = stats.get(Stat::Score).stated.filter(|before| score == 0 && *before != 0);
                stats.state(Stat::Score, i64::from(score));
                if let Some(before) = before {
                    self.cleared.entry(player.slot).or_insert(before);
                }
            }
            (None, Some(team)) => self.team(team).stats.state(Stat::Score, i64::from(score)),
            (None, None) => {}
        }
    }

    /// Quake's servers clear the score of a place as its player leaves: what he had is his.
    fn restore(&mut self, player: &Player) {
        if let Some(score) = self.cleared.get(&player.slot) {
            self.players.find(player).stats.state(Stat::Score, *score);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        if self.phase == Phase::Warmup {
            return;
        }
        let goes_on = self.counts() && !FINAL.contains(&&*statement.source);
        for team in &statement.teams {
            let known = self.team(&team.name);
            known.stats.take_stated(&team.stats);
            for (item, figures) in &team.items {
                known.items.entry(item.clone()).or_default().take_stated(figures);
            }
        }
        for line in statement.players.iter().filter(|line| !watches(&line.player)) {
            let known = self.players.find(&line.player);
            known.stats.take_stated(&line.stats);
            for (weapon, figures) in &line.weapons {
                known.weapon(weapon.clone()).take_stated(figures);
            }
            for (item, figures) in &line.items {
                known.item(item.clone()).take_stated(figures);
            }
            known.other.extend(line.other.iter().map(|(key, value)| (key.clone(), value.clone())));
            self.players.stated(&line.player, goes_on, line.stats.iter().map(|(stat, _)| stat));
        }
        let current = &mut self.current;
        current.date = statement.date.clone().or_else(|| current.date.take());
        current.mode = statement.mode.clone().or_else(|| current.mode.take());
        current.other.extend(statement.other.iter().map(|(key, value)| (key.clone(), value.clone())));
        // these come once, when a match is over, whatever else says so
        if FINAL.contains(&&*statement.source) && self.phase == Phase::Over && current.outcome == Outcome::Unfinished {
            current.outcome = Outcome::Draw;
        }
        if !current.sources.contains(&statement.source) {
            current.sources.push(statement.source.clone());
        }
    }
}

/// Statements that mods make at a match's end alone.
const FINAL: &[&str] = &["ktxstats", "printed statistics", "xstats2"];

/// Teams and players, best first, and who won.
fn rank(one: &mut MatchStats) {
    let of_team = |players: &[fragreel_model::PlayerStats], name: &str, stat| -> Option<i64> {
        players.iter().filter(|line| line.player.team.as_deref() == Some(name)).map(|line| line.stats.get(stat).value()).sum()
    };
    for team in &mut one.teams {
        if team.stats.get(Stat::Score).value().is_none()
            && let Some(sum) = of_team(&one.players, &team.name, Stat::Score)
        {
            team.stats.set_counted(Stat::Score, sum);
        }
    }
    // what the players of a team took, the team had
    for team in &mut one.teams {
        for line in one.players.iter().filter(|line| line.player.team.as_deref() == Some(&team.name)) {
            for (item, figures) in &line.items {
                for stat in [ItemStat::Pickups, ItemStat::TimeHeld] {
                    if let Some(counted) = figures.get(stat).counted {
                        team.items.entry(item.clone()).or_default().count(stat, counted);
                    }
                }
            }
        }
    }
    // races are won by the least time, and who has none did not finish
    let is_race = one.is_race();
    let score = |figures: &Figures<Stat>| {
        let score = figures.get(Stat::Score).value().or(figures.get(Stat::Kills).value());
        match score.unwrap_or(0) {
            time if !is_race => time,
            time if MatchStats::is_run(time) => -time,
            _ => i64::MIN,
        }
    };
    one.teams.sort_by_key(|team| std::cmp::Reverse(score(&team.stats)));
    one.players.sort_by_key(|line| std::cmp::Reverse((score(&line.stats), line.stats.get(Stat::Kills).value())));
    if one.outcome == Outcome::Unfinished {
        return;
    }
    let best: Vec<(std::borrow::Cow<'static, str>, i64)> = if one.teams.len() > 1 {
        one.teams.iter().map(|team| (team.name.clone(), score(&team.stats))).collect()
    } else {
        one.players.iter().map(|line| (line.player.name.clean.clone().into(), score(&line.stats))).collect()
    };
    match &best[..] {
        [(name, first), (_, second), ..] if first > second => (one.outcome, one.winner) = (Outcome::Won, Some(name.clone())),
        [] | [_] => one.outcome = Outcome::Over,
        _ => {}
    }
}

/// Hits in whole per cent of shots, where both are known and nobody states it.
fn accuracy(weapon: &mut Figures<WeaponStat>) {
    if let (None, Some(shots @ 1..), Some(hits)) =
        (weapon.get(WeaponStat::Accuracy).value(), weapon.get(WeaponStat::Shots).value(), weapon.get(WeaponStat::Hits).value())
    {
        weapon.set_counted(WeaponStat::Accuracy, hits.saturating_mul(100) / shots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::Text;

    #[test]
    fn accuracy_is_hits_of_shots() {
        use WeaponStat::{Accuracy, Hits, Shots};
        let of = |figures: &[(WeaponStat, i64)]| {
            let mut weapon = Figures::default();
            figures.iter().for_each(|(stat, value)| weapon.state(*stat, *value));
            accuracy(&mut weapon);
            weapon.get(Accuracy)
        };
        assert_eq!(of(&[(Shots, 30), (Hits, 11)]).counted, Some(36), "rounded down, as id's games do");
        assert_eq!((of(&[(Shots, 0), (Hits, 0)]).value(), of(&[(Shots, 9)]).value()), (None, None));
        assert_eq!(of(&[(Shots, 30), (Hits, 11), (Accuracy, 37)]).counted, None);
    }

    #[test]
    fn races_are_won_by_the_least_time() {
        let mut one = MatchStats::default();
        for (slot, time) in [(0, 61_234), (1, 60_000), (2, -1), (3, i64::from(i32::MAX))] {
            let mut line = fragreel_model::PlayerStats::new(Player { slot: Some(slot), name: Text::plain(format!("p{slot}")), team: None });
            line.stats.state(Stat::Score, time);
            one.players.push(line);
        }
        one.outcome = Outcome::Draw;
        for (mode, winner) in [("Race", "p1"), ("DeFRaG online run", "p1"), ("Free For All", "p3")] {
            one.mode = Some(mode.into());
            rank(&mut one);
            assert_eq!(one.winner.as_deref(), Some(winner), "{mode}");
        }
    }

    #[test]
    fn whoever_is_alone_plays_no_draw() {
        let mut one = MatchStats::default();
        one.outcome = Outcome::Draw;
        one.players.push(fragreel_model::PlayerStats::new(Player { slot: Some(0), name: Text::plain("player"), team: None }));
        rank(&mut one);
        assert_eq!((one.outcome, one.winner), (Outcome::Over, None));
    }

    #[test]
    fn what_has_no_match_says_why() {
        let level = || EventKind::Level { map: "dm3".into(), game: "qw".into(), game_type: None, title: None, date: None };
        let why = |kinds: Vec<EventKind>| {
            let mut matches = Matches::default();
            for kind in kinds {
                let (time, evidence) = (Milliseconds(0), fragreel_model::Evidence::Stated);
                matches.take(&Event { time, server_time: time, match_time: None, message: 0, evidence, uncertain: false, kind });
            }
            let why = matches.none();
            (matches.finish(Milliseconds(0)).len(), why)
        };
        assert_eq!(why(vec![]), (0, NoMatch::NoLevel));
        assert_eq!(why(vec![level()]), (0, NoMatch::NoPlayers));
        assert_eq!(why(vec![level(), EventKind::match_state(MatchState::Countdown)]), (0, NoMatch::NoStart));
    }

    #[test]
    fn a_match_without_an_end_lasts_until_the_last_frame() {
        let mut matches = Matches::default();
        let level = EventKind::Level { map: "dm3".into(), game: "qw".into(), game_type: None, title: None, date: None };
        let score = EventKind::Score { player: Some(Player { slot: Some(0), name: Text::plain("a"), team: None }), team: None, score: 1 };
        for (time, kind) in [(0, level), (10, score)] {
            let time = Milliseconds(time);
            matches.take(&Event { time, server_time: time, match_time: None, message: 0, evidence: fragreel_model::Evidence::Stated, uncertain: false, kind });
        }
        let found = matches.finish(Milliseconds(5000));
        assert_eq!((found[0].to, found[0].outcome), (Milliseconds(5000), Outcome::Unfinished));
    }

    #[test]
    fn telefrags_of_the_frame_in_which_a_match_starts_are_of_it() {
        let player = |slot| Player { slot: Some(slot), name: Text::plain(format!("p{slot}")), team: None };
        let kill = |slot, means: &'static str| EventKind::Kill(fragreel_model::Kill::new(Some(player(slot)), player(1), means));
        let mut matches = Matches::default();
        let all = [
            (0, EventKind::match_state(MatchState::Countdown)),
            (10, kill(0, "tele")),
            (20, kill(0, "rl")),
            (20, kill(0, "tele")),
            (20, EventKind::match_state(MatchState::Started)),
            (20, kill(2, "tele")),
            (30, EventKind::match_state(MatchState::Intermission)),
        ];
        for (time, kind) in all {
            let time = Milliseconds(time);
            matches.take(&Event { time, server_time: time, match_time: None, message: 0, evidence: fragreel_model::Evidence::Stated, uncertain: false, kind });
        }
        let found = matches.finish(Milliseconds(30));
        let kills: Vec<_> = found[0].players.iter().map(|line| (line.player.slot, line.stats.get(Stat::Kills).counted.unwrap_or(0))).collect();
        assert_eq!((found.len(), kills.iter().map(|(_, kills)| kills).sum::<i64>()), (1, 2), "{kills:?}");
    }

    #[test]
    fn who_leaves_keeps_his_score() {
        let player = |slot| Player { slot: Some(slot), name: Text::plain(format!("p{slot}")), team: None };
        let score = |slot, score| EventKind::Score { player: Some(player(slot)), team: None, score };
        let level = EventKind::Level { map: "dm3".into(), game: "qw".into(), game_type: None, title: None, date: None };
        let mut matches = Matches::default();
        let all = [
            (0, level),
            (10, score(0, 7)),
            (10, score(1, 4)),
            (20, score(1, 0)),
            (30, score(0, 0)),
            (30, EventKind::Leave { player: player(0), reason: None }),
        ];
        for (time, kind) in all {
            let time = Milliseconds(time);
            matches.take(&Event { time, server_time: time, match_time: None, message: 0, evidence: fragreel_model::Evidence::Stated, uncertain: false, kind });
        }
        let scores: Vec<_> = matches.finish(Milliseconds(30))[0].players.iter().map(|line| line.stats.get(Stat::Score).stated).collect();
        assert_eq!(scores, [Some(7), Some(0)], "a score that falls to nothing without a leave is one");
    }
}
