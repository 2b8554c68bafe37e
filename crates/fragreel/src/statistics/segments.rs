//! Rounds and points of a match.

use fragreel_model::{MatchStats, Milliseconds, Segment, Stat, TeamStats};

/// A round begins or ends.
pub(super) fn take(segments: &mut Vec<Segment>, now: Milliseconds, number: Option<i32>, started: bool, winner: Option<&std::borrow::Cow<'static, str>>) {
    // a round that begins twice is two: the end of the first was lost
    if started || segments.last().is_none_or(|last| last.to.is_some()) {
        segments.push(Segment::default());
    }
    let Some(one) = segments.last_mut() else { return };
    if started {
        (one.number, one.from) = (number, Some(now));
        return;
    }
    one.number = number.or(one.number);
    one.to = Some(now);
    one.winner = winner.cloned();
}

/// Rounds decide where the server states no score of a team.
pub(super) fn decide(one: &mut MatchStats) {
    let sides = |name: &str| one.players.iter().any(|line| line.player.team.as_deref() == Some(name));
    let winners: Vec<_> = one.segments.iter().filter_map(|segment| segment.winner.clone()).collect();
    if winners.is_empty() || !winners.iter().all(|name| sides(name) || one.teams.iter().any(|team| team.name == *name)) {
        return;
    }
    let playing = one.players.iter().filter_map(|line| line.player.team.clone()).filter(|team| team != "spectator" && team != "free");
    for name in winners.iter().cloned().chain(playing.collect::<Vec<_>>()) {
        if !one.teams.iter().any(|team| team.name == name) {
            one.teams.push(TeamStats::new(name));
        }
    }
    for team in &mut one.teams {
        if team.stats.get(Stat::Score).stated.is_none() {
            let won = winners.iter().filter(|name| **name == team.name).count();
            team.stats.set_counted(Stat::Score, i64::try_from(won).unwrap_or(i64::MAX));
        }
    }
}
