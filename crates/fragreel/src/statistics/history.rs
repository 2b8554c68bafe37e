//! Kills, deaths and scores at any time, from the same walk over the matches that makes the scoreboards.

use std::collections::HashMap;

use fragreel_model::{Event, EventKind, MatchStats, Milliseconds, Player, Stat, TeamStats};
use serde::Serialize;

use super::matches::Matches;
use super::{result, segments};

/// The matches of a recording, and kills, deaths and scores at any time of them, from [`Recording::score_history`](crate::Recording::score_history).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ScoreHistory {
    /// The scoreboards, as [`Recording::scores`](crate::Recording::scores) gives them.
    pub matches: Vec<MatchStats>,
    /// What was played, and what turned out to be no match, in order.
    parts: Vec<Part>,
}

/// A stretch of the recording: a match, or something that is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
struct Part {
    from: Milliseconds,
    /// The match that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u32>,
    teams: Vec<TeamLine>,
    players: Vec<PlayerLine>,
}

impl Part {
    /// Sides have the names of the scoreboard: boards cut them, printed results do not.
    fn join_cut_names(&mut self, teams: &[TeamStats]) {
        let is_whole = |line: &TeamLine| teams.iter().any(|team| *team.name == *line.name);
        let (mut lines, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.teams).into_iter().partition(is_whole);
        for mut line in others {
            if let Some(name) = result::whole_name(&line.name, teams) {
                line.name = name.into_owned();
            }
            match lines.iter_mut().find(|known| known.name == line.name) {
                Some(known) => {
                    // from then on, what is stated under the whole name stands
                    let first = known.changes.first().map_or(Milliseconds::END, |change| change.0);
                    line.changes.retain(|change| change.0 < first);
                    known.changes.splice(0..0, line.changes);
                }
                None => lines.push(line),
            }
        }
        self.teams = lines;
    }

    /// The scores that nobody states of sides, by the rules that make them in the end: rounds, or the sum of the players.
    fn count_scores(&mut self, one: &MatchStats) {
        self.teams.retain(|line| one.teams.iter().any(|team| *team.name == *line.name));
        let by_rounds = segments::decide(one);
        for team in &one.teams {
            let score = team.stats.get(Stat::Score);
            if score.stated.is_some() || self.teams.iter().any(|line| *line.name == *team.name) {
                continue;
            }
            let changes = if by_rounds { segments::won_by(one, &team.name).map(|(time, won)| (time, Some(won))).collect() } else { self.sums(&team.name) };
            if changes.iter().any(|(_, score)| score.is_some()) {
                self.teams.push(TeamLine { name: team.name.to_string(), changes });
            }
        }
    }

    /// The sum of the players of a side at each time.
    fn sums(&self, team: &str) -> Vec<(Milliseconds, Option<i64>)> {
        let of_team = self.players.iter().filter(|line| line.player.team.as_deref() == Some(team));
        let scores = of_team.enumerate().flat_map(|(place, line)| line.changes.iter().map(move |change| (change.0, place, change.2[2])));
        let mut scores: Vec<_> = scores.collect();
        scores.sort_by_key(|(time, ..)| *time);
        let mut known: HashMap<usize, Option<i64>> = HashMap::new();
        let mut changes: Vec<(Milliseconds, Option<i64>)> = Vec::new();
        for (time, place, score) in scores {
            known.insert(place, score);
            let sum = result::sum_of_scores(known.values().copied());
            match changes.last_mut() {
                Some(last) if last.0 == time => last.1 = sum,
                Some(last) if last.1 == sum => {}
                _ => changes.push((time, sum)),
            }
        }
        changes
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct TeamLine {
    name: String,
    /// Since when the score is this; `None` if it is unknown.
    changes: Vec<(Milliseconds, Option<i64>)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct PlayerLine {
    player: Player,
    changes: Vec<Change>,
}

/// Since when figures are these: the time, the player's slot while he is in it, kills, deaths, score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Change(Milliseconds, Option<u16>, [Option<i64>; 3]);

/// How a match stands at a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Standing<'h> {
    /// The number of the match.
    pub number: u32,
    /// The scores of teams, as far as they are known.
    pub teams: Vec<(&'h str, i64)>,
    /// Everybody of whom something is known by then.
    pub players: Vec<PlayerStanding<'h>>,
}

/// How a player stands at a time. A figure is the server's own where it states one that is not outdated, otherwise the count.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlayerStanding<'h> {
    /// The player, by the name that he has in the end.
    pub player: &'h Player,
    /// The slot that he is in; absent when he has left.
    pub slot: Option<u16>,
    /// Enemies killed.
    pub kills: Option<i64>,
    /// Deaths of all causes.
    pub deaths: Option<i64>,
    /// What the game ranks by.
    pub score: Option<i64>,
}

impl ScoreHistory {
    /// How the match stands at a time; nothing where none is played. After its end it stands until something else begins.
    pub fn at(&self, time: Milliseconds) -> Option<Standing<'_>> {
        let part = self.parts[..self.parts.partition_point(|part| part.from <= time)].last()?;
        let teams = part.teams.iter().filter_map(|team| Some((&*team.name, last(&team.changes, time, |change| change.0)?.1?)));
        let players = part.players.iter().filter_map(|line| {
            let &Change(_, slot, [kills, deaths, score]) = last(&line.changes, time, |change| change.0)?;
            Some(PlayerStanding { player: &line.player, slot, kills, deaths, score })
        });
        Some(Standing { number: part.number?, teams: teams.collect(), players: players.collect() })
    }
}

/// The last change until a time.
fn last<T>(changes: &[T], time: Milliseconds, of: impl Fn(&T) -> Milliseconds) -> Option<&T> {
    changes[..changes.partition_point(|change| of(change) <= time)].last()
}

/// Notes what changes while [`Matches`] takes events.
#[derive(Debug, Default)]
pub(crate) struct Historian {
    parts: Vec<Part>,
    /// How many parts have begun, and matches have ended.
    begun: u32,
    done: usize,
    /// The lines of the present part, by team and by the player's place.
    teams: HashMap<String, usize>,
    players: HashMap<usize, usize>,
    /// Whose line has a slot, by place.
    seats: HashMap<u16, usize>,
}

impl Historian {
    /// The event was just taken.
    pub(crate) fn took(&mut self, matches: &Matches, event: &Event) {
        self.ended(matches.done());
        if matches.begun() != self.begun {
            self.begun = matches.begun();
            self.parts.push(Part { from: event.time, ..Part::default() });
            (self.teams, self.players, self.seats) = Default::default();
            (0..matches.players().len()).for_each(|place| self.player(matches, place, event.time));
        }
        for player in event.kind.players() {
            if let Some(place) = player.slot.and_then(|slot| self.seats.get(&slot)) {
                self.player(matches, *place, event.time);
            }
            if let Some(place) = matches.players().known_place(player) {
                self.player(matches, place, event.time);
            }
        }
        match &event.kind {
            EventKind::Scores { teams, .. } => teams.iter().for_each(|(name, _)| self.team(matches, name, event.time)),
            EventKind::Score { team: Some(name), .. } => self.team(matches, name, event.time),
            EventKind::Statistics(statement) => statement.teams.iter().for_each(|team| self.team(matches, &team.name, event.time)),
            _ => {}
        }
    }

    /// The recording is over.
    pub(crate) fn finish(mut self, matches: Vec<MatchStats>) -> ScoreHistory {
        self.ended(matches.len());
        for part in &mut self.parts {
            let Some(one) = part.number.and_then(|number| matches.get(number as usize - 1)) else {
                (part.teams, part.players) = Default::default();
                continue;
            };
            let played: HashMap<_, _> = one.players.iter().map(|line| ((line.player.slot, &line.player.name.raw), &line.player)).collect();
            part.players.retain_mut(|line| {
                let Some(player) = played.get(&(line.player.slot, &line.player.name.raw)) else { return false };
                // the scoreboard may have a side by its whole name
                line.player.clone_from(player);
                true
            });
            part.join_cut_names(&one.teams);
            part.count_scores(one);
        }
        ScoreHistory { matches, parts: self.parts }
    }

    /// The present part was a match if there is one more that is over.
    fn ended(&mut self, done: usize) {
        if done > self.done
            && let Some(part) = self.parts.last_mut()
        {
            part.number = Some(done as u32);
        }
        self.done = done;
    }

    fn player(&mut self, matches: &Matches, place: usize, time: Milliseconds) {
        let Some(part) = self.parts.last_mut() else { return };
        let Some((player, is_here)) = matches.players().get(place) else { return };
        let figures = [Stat::Kills, Stat::Deaths, Stat::Score].map(|stat| matches.figure(place, stat).value());
        let slot = player.slot.filter(|_| is_here);
        let known = self.players.get(&place).copied();
        if known.is_none() && figures.iter().all(Option::is_none) {
            return;
        }
        let at = known.unwrap_or_else(|| {
            self.players.insert(place, part.players.len());
            part.players.push(PlayerLine { player: player.clone(), changes: Vec::new() });
            part.players.len() - 1
        });
        if let Some(slot) = slot {
            self.seats.insert(slot, place);
        }
        let line = &mut part.players[at];
        if line.player != *player {
            line.player.clone_from(player);
        }
        let change = Change(time, slot, figures);
        match line.changes.last_mut() {
            Some(last) if (last.1, last.2) == (slot, figures) => {}
            Some(last) if last.0 == time => *last = change,
            _ => line.changes.push(change),
        }
    }

    fn team(&mut self, matches: &Matches, name: &str, time: Milliseconds) {
        let Some(part) = self.parts.last_mut() else { return };
        let Some(score) = matches.team_score(name) else { return };
        let at = *self.teams.entry(name.to_owned()).or_insert(part.teams.len());
        if at == part.teams.len() {
            part.teams.push(TeamLine { name: name.to_owned(), changes: Vec::new() });
        }
        let changes = &mut part.teams[at].changes;
        match changes.last_mut() {
            Some(last) if last.1 == Some(score) => {}
            Some(last) if last.0 == time => last.1 = Some(score),
            _ => changes.push((time, Some(score))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::Text;

    #[test]
    fn a_side_has_what_its_players_have() {
        let line = |slot, team: &'static str, changes: &[(i64, i64)]| PlayerLine {
            player: Player { slot: Some(slot), name: Text::plain(format!("p{slot}")), team: Some(team.into()) },
            changes: changes.iter().map(|(time, score)| Change(Milliseconds(*time), Some(slot), [None, None, Some(*score)])).collect(),
        };
        let side = |name: &'static str, stated: bool| {
            let mut team = TeamStats::new(name);
            if stated {
                team.stats.state(Stat::Score, 9);
            } else {
                team.stats.set_counted(Stat::Score, 4);
            }
            team
        };
        let players = vec![line(0, "red", &[(0, 0), (100, 1), (300, 3)]), line(1, "blue", &[(200, 7)]), line(2, "red", &[(100, 1), (400, 0)])];
        let mut part = Part { players, ..Part::default() };
        let mut one = MatchStats::default();
        one.teams = vec![side("red", false), side("blue", true)];
        part.count_scores(&one);
        let red = |changes: &[(i64, Option<i64>)]| TeamLine {
            name: "red".into(),
            changes: changes.iter().map(|(time, score)| (Milliseconds(*time), *score)).collect(),
        };
        let all = [(0, 0), (100, 2), (300, 4), (400, 3)].map(|(time, score)| (time, Some(score)));
        assert_eq!(part.teams, [red(&all)], "what a server states is not summed");
        // a sum with an unknown part is unknown
        let mut unknown = line(3, "red", &[]);
        unknown.changes.push(Change(Milliseconds(200), Some(3), [Some(1), None, None]));
        (part.teams, part.players) = (Vec::new(), [part.players, vec![unknown]].concat());
        part.count_scores(&one);
        assert_eq!(part.teams, [red(&[all[0], all[1], (200, None)])]);
        // rounds decide
        let mut round = fragreel_model::Segment::default();
        (round.to, round.winner) = (Some(Milliseconds(250)), Some("red".into()));
        (part.teams, one.segments) = (Vec::new(), vec![round]);
        part.count_scores(&one);
        assert_eq!(part.teams, [red(&[(0, Some(0)), (250, Some(1))])]);
    }
}
