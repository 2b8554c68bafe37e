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

/// Whether rounds decide where the server states no score of a team: each winner is a side.
pub(super) fn decide(one: &MatchStats) -> bool {
    let is_side = |name: &str| one.teams.iter().any(|team| team.name == name) || one.players.iter().any(|line| line.player.team.as_deref() == Some(name));
    let mut winners = one.segments.iter().filter_map(|segment| segment.winner.as_deref()).peekable();
    winners.peek().is_some() && winners.all(is_side)
}

/// How many rounds a side has won, from each time on.
pub(super) fn won_by<'s>(one: &'s MatchStats, side: &'s str) -> impl Iterator<Item = (Milliseconds, i64)> + use<'s> {
    let won = one.segments.iter().filter(move |segment| segment.winner.as_deref() == Some(side));
    let ends = won.map(|segment| segment.to.or(segment.from).unwrap_or(one.to));
    std::iter::once((one.from, 0)).chain(ends.zip(1..))
}

/// The scores of sides by the rounds that they won.
pub(super) fn count_scores(one: &mut MatchStats) {
    if !decide(one) {
        return;
    }
    let winners: Vec<_> = one.segments.iter().filter_map(|segment| segment.winner.clone()).collect();
    let playing = one.players.iter().filter_map(|line| line.player.team.clone()).filter(|team| team != "spectator" && team != "free");
    for name in winners.into_iter().chain(playing.collect::<Vec<_>>()) {
        if !one.teams.iter().any(|team| team.name == name) {
            one.teams.push(TeamStats::new(name));
        }
    }
    for at in 0..one.teams.len() {
        if one.teams[at].stats.get(Stat::Score).stated.is_none() {
            let won = won_by(one, &one.teams[at].name).last().map_or(0, |(_, won)| won);
            one.teams[at].stats.set_counted(Stat::Score, won);
        }
    }
}
