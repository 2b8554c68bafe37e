//! The course of matches, by small inputs.

use super::*;
use fragreel_model::Text;

fn at(time: i64, kind: EventKind) -> Event {
    let time = Milliseconds(time);
    Event { time, server_time: time, match_time: None, message: 0, evidence: fragreel_model::Evidence::Stated, uncertain: false, kind }
}

fn level(mode: &'static str) -> EventKind {
    EventKind::Level { map: "dm3".into(), game: "qw".into(), game_type: Some(mode.into()), title: None, date: None, teams: None, time_limit: None }
}

fn player(slot: u16) -> Player {
    Player { slot: Some(slot), name: Text::plain(format!("p{slot}")), team: None }
}

fn of_team(slot: u16, team: &'static str) -> Player {
    Player { team: Some(team.into()), ..player(slot) }
}

fn score(slot: u16, score: i32) -> EventKind {
    EventKind::Score { player: Some(player(slot)), team: None, score }
}

fn side(team: &'static str, score: i32) -> EventKind {
    EventKind::Score { player: None, team: Some(team.into()), score }
}

fn fact(state: MatchState) -> EventKind {
    EventKind::match_state(state)
}

fn played(end: i64, all: Vec<(i64, EventKind)>) -> Vec<MatchStats> {
    let mut matches = Matches::default();
    all.into_iter().for_each(|(time, kind)| matches.take(&at(time, kind)));
    matches.finish(Milliseconds(end))
}

fn stated(one: &MatchStats) -> Vec<Option<i64>> {
    one.players.iter().map(|line| line.stats.get(Stat::Score).stated).collect()
}

/// A begin closes what is open first: the match before is not lost.
#[test]
fn several_matches_on_one_level_are_several() {
    use MatchState::{Intermission, Started, Warmup};
    let found = played(
        90,
        vec![
            (0, level("Duel")),
            (0, fact(Warmup)),
            (10, fact(Started)),
            (20, score(0, 15)),
            (30, fact(Intermission)),
            (50, fact(Started)),
            (60, score(0, 2)),
            (70, fact(Started)),
            (80, score(1, 1)),
        ],
    );
    let seen: Vec<_> = found.iter().map(|one| (one.from.0, one.to.0, one.outcome, stated(one))).collect();
    assert_eq!(seen, [(10, 30, Outcome::Over, vec![Some(15)]), (50, 70, Outcome::Aborted, vec![Some(2)]), (70, 90, Outcome::Unfinished, vec![Some(1)])]);
    assert_eq!(found[1].cause, Some(EndCause::Restart));
}

/// CPMA's round modes go back to the warm-up 0.9 s before they say that the match is over, and who won. The sides have names of their players.
#[test]
fn a_warmup_may_come_before_the_end() {
    use MatchState::{Intermission, Started, Warmup};
    let mut result = Statement::new("printed result");
    result.winner = Some("red".into());
    let mut names = Statement::new("team names");
    let mut red = fragreel_model::TeamStats::new("red");
    red.title = Some("the reds".into());
    names.teams.push(red);
    for (team, score) in [("red", 15), ("blue", 10)] {
        let mut side = fragreel_model::TeamStats::new(team);
        side.stats.state(Stat::Score, score);
        result.teams.push(side);
    }
    let found = played(
        20_000,
        vec![
            (0, level("Capture Strike")),
            (0, EventKind::Statistics(Box::new(names))),
            (10, fact(Started)),
            (20, score(0, 4)),
            (30, side("red", 14)),
            (40, side("blue", 10)),
            (9100, side("red", 15)),
            (9100, fact(Warmup)),
            (10_000, fact(Intermission)),
            (10_000, EventKind::Statistics(Box::new(result))),
        ],
    );
    let teams: Vec<_> = found[0].teams.iter().map(|team| (&*team.name, team.title.as_deref(), team.stats.get(Stat::Score).stated)).collect();
    assert_eq!((found.len(), found[0].outcome, found[0].winner.as_deref()), (1, Outcome::Won, Some("red")));
    assert_eq!(teams, [("red", Some("the reds"), Some(15)), ("blue", None, Some(10))]);
    assert!(found[0].findings.is_empty() && found[0].sources == ["printed result"], "{:?}", found[0].findings);
}

/// What comes after the end does not overwrite it: neither the next warm-up's empty board, nor a second end in it.
#[test]
fn a_match_is_frozen_at_its_end() {
    use MatchState::{Intermission, Started, Warmup};
    let board = |red, blue| EventKind::Scores { teams: vec![("red".into(), red), ("blue".into(), blue)], players: Vec::new() };
    let found = played(
        90_000,
        vec![
            (0, level("Team Deathmatch")),
            (10, fact(Started)),
            (20, score(0, 4)),
            (30, side("red", 232)),
            (40, fact(Intermission)),
            (1040, board(233, 225)),
            (60_000, board(1, 1)),
            (60_000, fact(Warmup)),
            (61_000, board(0, 0)),
            (61_000, side("red", 0)),
            (61_000, score(0, 0)),
            (61_000, fact(Intermission)),
        ],
    );
    let teams: Vec<_> = found[0].teams.iter().map(|team| (&*team.name, team.stats.get(Stat::Score).stated)).collect();
    assert_eq!((found.len(), teams, stated(&found[0])), (1, vec![("red", Some(233)), ("blue", Some(225))], vec![Some(4)]));
    assert_eq!((found[0].outcome, found[0].winner.as_deref()), (Outcome::Won, Some("red")));
}

/// CPMA's round modes go to the warm-up 0.9 seconds before they say that the match is over.
#[test]
fn an_end_may_follow_the_warm_up() {
    use MatchState::{Intermission, Started, Warmup};
    let course = |late: i64| {
        let all = vec![
            (0, level("Capture Strike")),
            (10, fact(Started)),
            (20, side("red", 15)),
            (20, side("blue", 10)),
            (20, score(0, 1)),
            (30, fact(Warmup)),
            (late, fact(Intermission)),
        ];
        let found = played(9000, all);
        (found.len(), found[0].outcome, found[0].to.0)
    };
    assert_eq!(course(930), (1, Outcome::Won, 30));
    assert_eq!(course(2931), (1, Outcome::Aborted, 30));
}

/// A forfeit keeps the scores from before, and who left is in it.
#[test]
fn the_score_before_a_forfeit_is_the_score() {
    use MatchState::{Forfeited, Started, Warmup};
    let forfeit = EventKind::match_end(Forfeited, None, Some("p1".into()));
    let all = vec![
        (0, level("Duel")),
        (10, fact(Started)),
        (20, score(0, 5)),
        (20, score(1, 6)),
        (30, EventKind::Team { player: of_team(1, "spectator"), from: "free".into() }),
        (30, score(1, -999)),
        (30, forfeit),
        (31, EventKind::Leave { player: player(1), reason: None }),
        (40, fact(Warmup)),
        (50, score(1, 0)),
    ];
    let found = played(60, all);
    assert_eq!((found[0].outcome, found[0].forfeited_by.as_deref(), found[0].winner.as_deref()), (Outcome::Forfeited, Some("p1"), Some("p0")));
    assert_eq!(stated(&found[0]), [Some(6), Some(5)]);
}

/// A match that a vote ends is not won; its final figures count.
#[test]
fn a_vote_stops_a_match() {
    use MatchState::{Intermission, Started, Stopped};
    let stop = EventKind::match_end(Stopped, EndCause::Vote, None);
    let found = played(60, vec![(0, level("Duel")), (10, fact(Started)), (20, score(0, 5)), (20, score(1, 6)), (30, stop), (30, fact(Intermission))]);
    assert_eq!((found[0].outcome, found[0].cause, &found[0].winner), (Outcome::Stopped, Some(EndCause::Vote), &None));
}

/// A time-out and its countdown are no start.
#[test]
fn a_pause_is_of_the_match() {
    use MatchState::{Intermission, Paused, Resumed, Started};
    let all =
        vec![(0, level("Duel")), (10, fact(Started)), (20, score(0, 5)), (30, fact(Paused)), (40, fact(Resumed)), (50, score(1, 1)), (60, fact(Intermission))];
    let found = played(60, all);
    assert_eq!((found.len(), found[0].pauses.as_slice()), (1, &[fragreel_model::Pause { from: Milliseconds(30), to: Some(Milliseconds(40)) }][..]));
}

/// Rounds decide, frags do not.
#[test]
fn rounds_decide_matches_of_rounds() {
    use MatchState::{Intermission, Started};
    let round = |started, winner: Option<&'static str>| EventKind::Round { number: None, started, winner: winner.map(Into::into) };
    let of = |slot, team, score| EventKind::Score { player: Some(of_team(slot, team)), team: None, score };
    let all = vec![
        (0, level("wipeout")),
        (10, fact(Started)),
        (10, round(true, None)),
        (20, of(0, "red", 69)),
        (20, of(1, "blue", 63)),
        (30, round(false, Some("blue"))),
        (40, round(true, None)),
        (50, round(false, Some("blue"))),
        (60, fact(Intermission)),
    ];
    let found = played(60, all);
    let teams: Vec<_> = found[0].teams.iter().map(|team| (&*team.name, team.stats.get(Stat::Score).value())).collect();
    assert_eq!((teams, found[0].winner.as_deref()), (vec![("blue", Some(2)), ("red", Some(0))], Some("blue")));
    assert_eq!(found[0].segments.len(), 2);
}

#[test]
fn what_has_no_match_says_why() {
    let level = || level("");
    let why = |kinds: Vec<EventKind>| {
        let mut matches = Matches::default();
        kinds.into_iter().for_each(|kind| matches.take(&at(0, kind)));
        let why = matches.none();
        (matches.finish(Milliseconds(0)).len(), why)
    };
    assert_eq!(why(vec![]), (0, NoMatch::NoLevel));
    assert_eq!(why(vec![level()]), (0, NoMatch::NoPlayers));
    assert_eq!(why(vec![level(), EventKind::match_state(MatchState::Countdown)]), (0, NoMatch::NoStart));
}

#[test]
fn a_match_without_an_end_lasts_until_the_last_frame() {
    let found = played(5000, vec![(0, level("")), (10, score(0, 1))]);
    assert_eq!((found[0].to, found[0].outcome), (Milliseconds(5000), Outcome::Unfinished));
}

#[test]
fn telefrags_of_the_frame_in_which_a_match_starts_are_of_it() {
    let kill = |slot, means: &'static str| EventKind::Kill(fragreel_model::Kill::new(Some(player(slot)), player(1), means));
    let all = vec![
        (0, EventKind::match_state(MatchState::Countdown)),
        (10, kill(0, "tele")),
        (20, kill(0, "rl")),
        (20, kill(0, "tele")),
        (20, EventKind::match_state(MatchState::Started)),
        (20, kill(2, "tele")),
        (30, EventKind::match_state(MatchState::Intermission)),
    ];
    let found = played(30, all);
    let kills: Vec<_> = found[0].players.iter().map(|line| (line.player.slot, line.stats.get(Stat::Kills).counted.unwrap_or(0))).collect();
    assert_eq!((found.len(), kills.iter().map(|(_, kills)| kills).sum::<i64>()), (1, 2), "{kills:?}");
}

#[test]
fn who_leaves_keeps_his_score() {
    let all = vec![
        (0, level("")),
        (10, score(0, 7)),
        (10, score(1, 4)),
        (20, score(1, 0)),
        (30, score(0, 0)),
        (30, EventKind::Leave { player: player(0), reason: None }),
    ];
    let scores: Vec<_> = played(30, all)[0].players.iter().map(|line| line.stats.get(Stat::Score).stated).collect();
    assert_eq!(scores, [Some(7), Some(0)], "a score that falls to nothing without a leave is one");
}
