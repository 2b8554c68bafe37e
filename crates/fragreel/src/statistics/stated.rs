//! What the server states of the last match as a whole, merged from its statements (`docs/statistics.md`, "Stated").

use fragreel_model::{Event, EventKind, Kind, MatchState, PlayerStats, Source, Stat, Statement, TeamStats};

use super::record::{NO_SCORE, figures};
use super::sources;

/// The kinds of events that are needed: those that servers state in words.
pub(crate) const STATEMENTS: &[Kind] = &[Kind::Level, Kind::Match, Kind::Statistics, Kind::Scores];

/// Statements about the player whose view is recorded, which are no part of a statement about the match.
const OF_THE_VIEW: &[&str] = &["acc", "accs", "statsinfo", "StatsPlayer", "StatsInfo"];

/// Collects the statements since the last start of a match or level.
#[derive(Debug, Default)]
pub(crate) struct LastStatement {
    said: Vec<(Source, Statement)>,
    is_over: bool,
}

impl LastStatement {
    pub(crate) fn take(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Level { .. } | EventKind::Match { state: MatchState::Started | MatchState::Restarted, .. } => *self = LastStatement::default(),
            EventKind::Match { state: MatchState::Intermission, .. } => self.is_over = true,
            EventKind::Statistics(said) if !OF_THE_VIEW.contains(&&*said.source) => self.add(said),
            EventKind::Scores { teams, players } => {
                let mut said = Statement::new("scoreboard");
                for (name, score) in teams.iter().filter(|(_, score)| !NO_SCORE.contains(&i64::from(*score))) {
                    let mut team = TeamStats::new(name.clone());
                    team.stats.state(Stat::Score, i64::from(*score));
                    said.teams.push(team);
                }
                for line in players {
                    let mut player = PlayerStats::new(line.player.clone());
                    for (stat, value) in figures(line).into_iter().filter_map(|(stat, value)| Some((stat, value?))) {
                        player.stats.state(stat, i64::from(value));
                    }
                    said.players.push(player);
                }
                self.add(&said);
            }
            _ => {}
        }
    }

    /// Adds a statement to the others of its source. A later line about a player or team replaces the earlier one.
    fn add(&mut self, more: &Statement) {
        let weight = sources::of(&more.source, self.is_over);
        let Some((_, said)) = self.said.iter_mut().find(|(known, said)| *known == weight && said.source == more.source) else {
            self.said.push((weight, more.clone()));
            return;
        };
        for line in &more.players {
            match said.players.iter_mut().find(|known| known.player.name.raw == line.player.name.raw) {
                Some(known) => *known = line.clone(),
                None => said.players.push(line.clone()),
            }
        }
        for team in &more.teams {
            match said.teams.iter_mut().find(|known| known.name == team.name) {
                Some(known) => *known = team.clone(),
                None => said.teams.push(team.clone()),
            }
        }
        said.date = more.date.clone().or(said.date.take());
        said.mode = more.mode.clone().or(said.mode.take());
        said.duration = more.duration.or(said.duration);
        said.winner = more.winner.clone().or(said.winner.take());
        said.cause = more.cause.or(said.cause);
        said.other.extend(more.other.clone());
    }

    /// The weightiest statement; of several, the one with the most figures. The best players come first, and are named without slots.
    pub(crate) fn finish(self) -> Option<Statement> {
        let figures = |said: &Statement| said.players.iter().map(|line| line.stats.iter().count()).sum::<usize>();
        let best = self.said.into_iter().min_by_key(|(weight, said)| (*weight, std::cmp::Reverse(figures(said))));
        Some(tidy(best?.1))
    }
}

/// The statement with the best players first, and without slots, which not every reader of statements knows.
pub(crate) fn tidy(mut said: Statement) -> Statement {
    said.players.iter_mut().for_each(|line| line.player.slot = None);
    said.players.sort_by_key(|line| std::cmp::Reverse(line.stats.get(Stat::Score).stated));
    said
}
