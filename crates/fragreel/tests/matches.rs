//! What was played, and who won: recordings in which this is hard to see.
//!
//! These recordings are not ours. They lie beside the corpus, in `../review/cases`, and a checkout without them skips the test.

use std::path::PathBuf;

use fragreel::Recording;
use fragreel::edit::{Wanted, What};
use fragreel::model::{EndCause, EventKind, Frame, FrameOptions, Kind, MatchStats, NoMatch, Outcome, Stat};

/// A case; `None` if the recordings are not there.
fn bytes(name: &str) -> Option<Vec<u8>> {
    let corpus = std::env::var_os("FRAGREEL_CORPUS").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from);
    let path = corpus.join("../review/cases").join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        fragreel_testkit::skipped("the tests of matches: the recordings of ../review/cases, beside the corpus, are not there");
        return None;
    };
    Some(bytes)
}

/// A case that is open.
fn recording(name: &str) -> Option<Recording> {
    Some(Recording::open(bytes(name)?, name).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// The scoreboards of a case; `None` if the recordings are not there.
fn scores(name: &str) -> Option<Vec<MatchStats>> {
    Some(recording(name)?.scores().value)
}

/// A match: outcome, winner, scores of the sides.
type Seen = (Outcome, Option<String>, Vec<(String, i64)>);

fn seen(one: &MatchStats) -> Seen {
    let score = |stats: &fragreel::model::Figures<Stat>| stats.get(Stat::Score).value();
    let sides = if one.teams.len() > 1 {
        one.teams.iter().filter_map(|team| Some((team.name.to_string(), score(&team.stats)?))).collect()
    } else {
        one.players.iter().filter_map(|line| Some((line.player.name.clean.clone(), score(&line.stats)?))).collect()
    };
    (one.outcome, one.winner.as_ref().map(ToString::to_string), sides)
}

fn sides(all: &[(&str, i64)]) -> Vec<(String, i64)> {
    all.iter().map(|(name, score)| ((*name).to_owned(), *score)).collect()
}

/// A figure of a player, stated and counted.
fn figure(one: &MatchStats, name: &str, stat: Stat) -> (Option<i64>, Option<i64>) {
    let line = one.players.iter().find(|line| line.player.name.clean == name).unwrap_or_else(|| panic!("{name} is not there"));
    let figure = line.stats.get(stat);
    (figure.stated, figure.counted)
}

/// A case: the recording, and for each match its outcome, its winner and the scores of its sides.
type Case = (&'static str, &'static [(Outcome, Option<&'static str>, &'static [(&'static str, i64)])]);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // id's game leaves the intermission's string on
    ("2026-11/baseq3-intermission-string-stays-1.dm_68", &[(Outcome::Won, Some("player 1"), &[("player 1", 2), ("player 2", 0)]), (Outcome::Unfinished, None, &[])]),
    // a board and an intermission in the next warm-up
    ("2026-11/osp-board-after-match-overwrites.dm_67", &[(Outcome::Won, Some("red"), &[("red", 233), ("blue", 225)])]),
    ("2026-11/q3-result-overwritten-by-second-intermission.dm_67", &[(Outcome::Won, Some("red"), &[("red", 233), ("blue", 225)])]),
    // the recording ends before the match, and its opening has the scores
    ("2026-11/cpma-ctfs-end-is-warmup-first.dm_68", &[(Outcome::Unfinished, None, &[("red", 15), ("blue", 10)])]),
    // the leader leaves
    ("2026-11/cpma-forfeit-zeroes-leaver-whole.dm_68", &[(Outcome::Forfeited, Some("player 2"), &[("player 1", 6), ("player 2", 5)])]),
    ("2026-11/forfeit-cpma.dm_68", &[(Outcome::Forfeited, Some("player 2"), &[("player 2", 0), ("player 1", -3)])]),
    // two matches on a level
    ("2026-11/cpma-second-match-on-level-loses-first.dm_68", &[(Outcome::Forfeited, Some("player 1"), &[("player 1", 15), ("player 2", 0)]), (Outcome::Unfinished, None, &[("player 2", 1), ("player 1", 1)])]),
    // a side gives up; the board of its last player is that of the player whom the recorder watches
    ("2026-11/ql-forfeit-leaver-score-0.dm_73", &[(Outcome::Forfeited, Some("red"), &[("red", 21), ("blue", 20)])]),
    // OSP's time-out
    ("2026-11/osp-timein-is-no-new-match.dm_67", &[(Outcome::Unfinished, None, &[("red", 23), ("blue", 17)])]),
    // Red Rover is won by a player
    ("2026-11/ql-red-rover-winner-is-a-player.dm_90", &[(Outcome::Won, Some("player 1"), &[("player 1", 6), ("player 4", 3), ("player 2", 0), ("player 3", 0)])]),
    // the second place stands in a string
    ("2026-11/q3-second-place-score-stale.dm_68", &[(Outcome::Won, Some("player 3"), &[("player 3", 18), ("player 2", 10)])]),
    // results that are printed
    ("2026-11/opentdm-printed-result-after-end.dm2", &[(Outcome::Won, Some("player 2"), &[("player 2", 4), ("player 1", 2)])]),
    ("2026-11/aq2-printed-score-after-board.mvd2", &[(Outcome::Won, Some("The Po-leese"), &[("The Po-leese", 6), ("Nuts", 3), ("Crazies", 3)])]),
    ("2026-11/qw-dropped-frags-count-for-the-team.qwd", &[(Outcome::Won, Some("-ff-"), &[("-ff-", 415), ("icem", 194)])]),
    ("2026-11/ktx-wipeout-series-end.mvd", &[(Outcome::Won, Some("blue"), &[("blue", 5), ("red", 0)])]),
    ("2026-11/ktx-vote-stop-and-glued-heading.mvd", &[(Outcome::Stopped, None, &[("red", 20), ("=SF=", -5)])]),
    // each point of a duel of points is announced like a match
    ("2026-11/hoonymode-only-last-point.mvd", &[(Outcome::Won, Some("player 2"), &[("player 2", 8), ("player 1", 2)])]),
    // sides of a game with teams
    ("2026-11/teamplay-result-names-players.mvd", &[(Outcome::Unfinished, None, &[("pol", 72), ("-s-", 70)])]),
];

/// Figures of players, as the server states them or as they were counted where it states none.
type Figures = (&'static str, &'static str, &'static [(Stat, i64)]);

#[rustfmt::skip]
const FIGURES: &[Figures] = &[
    // ten points; the recording has four of them; the server's statistics have all
    ("2026-11/hoonymode-only-last-point.mvd", "player 2", &[(Stat::Kills, 8), (Stat::Deaths, 2), (Stat::DamageGiven, 2324), (Stat::DamageTaken, 1903)]),
    ("2026-11/hoonymode-only-last-point.mvd", "player 1", &[(Stat::Kills, 1), (Stat::Deaths, 8)]),
    // a table under a heading that is glued to a rule
    ("2026-11/ktx-vote-stop-and-glued-heading.mvd", "player 2", &[(Stat::Score, 13), (Stat::Deaths, 3), (Stat::DamageGiven, 2249)]),
    ("2026-11/ktx-vote-stop-and-glued-heading.mvd", "player 5", &[(Stat::Score, 7), (Stat::Deaths, 2)]),
    ("2026-11/ktx-vote-stop-and-glued-heading.mvd", "player 1", &[(Stat::Score, 1), (Stat::Deaths, 11)]),
    ("2026-11/ktx-vote-stop-and-glued-heading.mvd", "player 4", &[(Stat::Score, -6), (Stat::Deaths, 19), (Stat::TeamKills, 5)]),
    // the table of all rounds
    ("2026-11/ktx-wipeout-series-end.mvd", "player 4", &[(Stat::Score, 37), (Stat::DamageGiven, 3010), (Stat::DamageTaken, 2700), (Stat::Kills, 7), (Stat::Deaths, 9)]),
    ("2026-11/ktx-wipeout-series-end.mvd", "player 2", &[(Stat::Score, 12), (Stat::DamageGiven, 843), (Stat::DamageTaken, 1336), (Stat::Kills, 4), (Stat::Deaths, 3)]),
    ("2026-11/opentdm-printed-result-after-end.dm2", "player 2", &[(Stat::Score, 4), (Stat::Kills, 4), (Stat::Deaths, 2), (Stat::DamageGiven, 1294)]),
    ("2026-11/osp-statsinfo-team-as-suicides.dm_67", "player 10", &[(Stat::OwnDeaths, 3), (Stat::TeamKills, 1), (Stat::DamageTeam, 116)]),
    ("2026-11/cpma-second-match-on-level-loses-first.dm_68", "player 1", &[(Stat::Score, 15), (Stat::DamageGiven, 716)]),
    ("2026-11/cpma-forfeit-zeroes-leaver-whole.dm_68", "player 1", &[(Stat::Score, 6), (Stat::Kills, 7), (Stat::Deaths, 6), (Stat::Suicides, 1), (Stat::DamageGiven, 866), (Stat::DamageTaken, 1296)]),
    ("2026-11/q3-second-place-score-stale.dm_68", "player 2", &[(Stat::Score, 10)]),
    ("2026-11/ql-red-rover-winner-is-a-player.dm_90", "player 1", &[(Stat::Score, 6)]),
    // who plays for nobody on the board
    ("2026-11/nq-bot-not-on-board.dem", "human", &[(Stat::Score, 5), (Stat::Kills, 5), (Stat::Deaths, 1)]),
    ("2026-11/nq-mission-pack-obituaries.dem", "beta", &[(Stat::Score, 12), (Stat::Kills, 12)]),
    ("2026-11/nq-mission-pack-obituaries.dem", "alpha", &[(Stat::Deaths, 13), (Stat::WorldDeaths, 1)]),
    ("2026-11/nq-mod-phrases-with-score.dem", "beta", &[(Stat::Score, 5), (Stat::Kills, 5)]),
    ("2026-11/nq-name-with-newline.dem", "bo", &[(Stat::Score, 4), (Stat::Kills, 4), (Stat::Deaths, 1), (Stat::FlagsTaken, 1)]),
    ("2026-11/nq-two-of-one-name.dem", "player", &[(Stat::Score, 4), (Stat::Kills, 4), (Stat::Deaths, 1)]),
];

#[test]
fn figures_are_those_of_the_recordings() {
    for (name, player, wanted) in FIGURES {
        let Some(found) = scores(name) else { return };
        for (stat, value) in *wanted {
            let (stated, counted) = figure(&found[0], player, *stat);
            assert_eq!(stated.or(counted), Some(*value), "{name}: {player}: {}", stat.name());
        }
    }
}

/// The events of a recording, as sentences.
fn events(name: &str, kind: Kind) -> Option<Vec<String>> {
    Some(recording(name)?.events(kind).map(|event| event.kind.to_string()).collect())
}

/// Kills, chat and commands that lines of old servers hide.
#[test]
fn lines_are_read_by_their_pieces() {
    let Some(kills) = events("2026-11/nq-bot-not-on-board.dem", Kind::Kill) else { return };
    assert_eq!(kills.iter().filter(|line| *line == "human killed Reaper1: rl").count(), 5);
    assert_eq!(events("2026-11/nq-mission-pack-obituaries.dem", Kind::Kill).unwrap().len(), 13);
    assert_eq!(events("2026-11/nq-mod-phrases-with-score.dem", Kind::Kill).unwrap().len(), 5);
    assert_eq!(events("2026-11/nq-first-line-after-version.dem", Kind::Chat).unwrap(), ["beta: hello there"]);
    assert_eq!(events("2026-11/nq-name-with-newline.dem", Kind::Flag).unwrap(), ["bo took the blue flag"]);
    assert_eq!(events("2026-11/nq-demo-chain.dem", Kind::Command).unwrap(), ["playdemo cuts/cut1.dem"]);
}

/// OpenArena's rounds, against the server's log: they begin at 0:11 and 0:26 on the server's clock, blue wins both, at 0:22 and 0:46.
#[test]
fn rounds_of_openarena_are_those_of_the_log() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.contains("elimination")).expect("it is ours");
    let found = Recording::open(sample.bytes(), &sample.name).unwrap().scores().value;
    let [one] = &found[..] else { panic!("{} matches", found.len()) };
    assert_eq!((seen(one), one.cause, one.has_start), ((Outcome::Won, Some("blue".into()), sides(&[("blue", 2), ("red", 0)])), Some(EndCause::Captures), true));
    // the first snapshot has the server's time 7100
    let second = |time: Option<fragreel::model::Milliseconds>| time.map(|time| (time.0 + 7100) / 1000);
    let rounds: Vec<_> = one.segments.iter().map(|round| (second(round.from), second(round.to), round.winner.as_deref())).collect();
    assert_eq!(rounds, [(Some(11), Some(22), Some("blue")), (Some(26), Some(46), Some("blue"))]);
    assert!(one.findings.is_empty(), "{:?}", one.findings);
}

/// Players who do nothing play no match, and the reason does not deny that they are there.
#[test]
fn refusals_say_who_is_there() {
    for name in ["2026-11/nq-first-line-after-version.dem", "2026-11/nq-demo-chain.dem"] {
        let Some(recording) = recording(name) else { return };
        assert_eq!(recording.no_match(), NoMatch::NothingHappens, "{name}");
    }
}

/// The player whose score rises wins the point, and marks are moments.
#[test]
fn points_of_a_duel_have_winners() {
    let name = "2026-11/hoonymode-only-last-point.mvd";
    let Some(found) = scores(name) else { return };
    let winners: Vec<_> = found[0].segments.iter().map(|point| (point.to.is_some(), point.winner.as_deref())).collect();
    assert_eq!(winners, [(true, Some("player 2")); 4]);
    let mut wanted = Wanted::default();
    wanted.marks = true;
    let marks = recording(name).unwrap().highlights(&wanted).value.moments;
    let text = |moment: &fragreel::edit::Highlight| match &moment.reasons[0].what {
        What::Mark { text } => text.clean.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(marks.iter().map(text).collect::<Vec<_>>(), ["0 round- 7", "0 round- 8", "0 round- 9"]);
}

#[test]
fn matches_are_what_the_recordings_say() {
    for (name, wanted) in CASES {
        let Some(found) = scores(name) else { return };
        let found: Vec<Seen> = found.iter().map(seen).collect();
        let wanted: Vec<Seen> = wanted.iter().map(|(outcome, winner, scores)| (*outcome, winner.map(str::to_owned), sides(scores))).collect();
        assert_eq!(found, wanted, "{name}");
    }
}

/// Who gave up, at what score, and what ended the others.
#[test]
fn ends_have_causes() {
    for (name, cause, by) in [
        ("2026-11/cpma-forfeit-zeroes-leaver-whole.dm_68", EndCause::Forfeit, Some("player 1")),
        ("2026-11/cpma-second-match-on-level-loses-first.dm_68", EndCause::Forfeit, Some("player 2")),
        ("2026-11/ql-forfeit-leaver-score-0.dm_73", EndCause::Forfeit, Some("blue")),
        ("forfeit-disconnect.dm_91", EndCause::Forfeit, Some("BRONSON")),
        ("2026-11/ktx-vote-stop-and-glued-heading.mvd", EndCause::Vote, None),
        ("2026-11/osp-board-after-match-overwrites.dm_67", EndCause::Time, None),
    ] {
        let Some(found) = scores(name) else { return };
        assert_eq!((found[0].cause, found[0].forfeited_by.as_deref()), (Some(cause), by), "{name}");
    }
}

/// A pause is one of the match, and a leaver keeps what he did.
#[test]
fn pauses_and_leavers_are_of_the_match() {
    let Some(found) = scores("2026-11/osp-timein-is-no-new-match.dm_67") else { return };
    assert_eq!((found.len(), found[0].has_start, found[0].pauses.len()), (1, false, 1));
    let Some(found) = scores("2026-11/cpma-forfeit-zeroes-leaver-whole.dm_68") else { return };
    let of = |stat| figure(&found[0], "player 1", stat).0;
    assert_eq!([Stat::Score, Stat::Kills, Stat::DamageGiven, Stat::DamageTaken].map(of), [Some(6), Some(7), Some(866), Some(1296)]);
}

/// OSP's printed table: 24 kills, 30 deaths by enemies, 3 of his own, 1 team kill, damage 5890, 6500 and 116.
#[test]
fn printed_tables_have_everybody() {
    let Some(found) = scores("2026-11/osp-statsinfo-team-as-suicides.dm_67") else { return };
    let of = |stat| figure(&found[0], "player 10", stat).0;
    let figures = [Stat::Kills, Stat::DeathsByEnemies, Stat::OwnDeaths, Stat::TeamKills, Stat::DamageGiven, Stat::DamageTaken, Stat::DamageTeam];
    assert_eq!(figures.map(of), [24, 30, 3, 1, 5890, 6500, 116].map(Some));
    assert_eq!(found[0].players.iter().filter(|line| line.stats.get(Stat::DamageGiven).stated.is_some()).count(), 8);
}

/// Damage at random is not called an edit.
#[test]
fn damage_is_not_called_an_edit() {
    for name in ["2026-11/audit-edited-one-byte.qwd", "2026-11/audit-edited-zero-sector.dm2", "2026-11/audit-edited-zero-sector.qwd"] {
        let Some(recording) = recording(name) else { return };
        let worst = recording.audit().findings.iter().map(|one| one.grade).max();
        assert_eq!(worst.map(fragreel::model::Grade::name), Some("damaged"), "{name}");
    }
}

/// Demos of QuakeWorld's spectators have pitches beyond half a turn.
#[test]
fn pitches_are_those_of_a_view() {
    let Some(recording) = recording("2026-11/spectator-pitch-290.qwd") else { return };
    let (mut walk, mut frame, mut seen) = (recording.frames(FrameOptions::default()).unwrap(), Frame::default(), 0);
    while walk.next_into(&mut frame) {
        let players = frame.players.iter().filter_map(|player| player.angles);
        for pitch in players.chain(frame.view.as_ref().and_then(|view| view.angles)).map(|angles| angles[0]) {
            assert!((-90.0..=90.0).contains(&pitch), "{pitch} at {}", frame.time);
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

/// Who gives up by becoming a spectator keeps the score of the board, not the mark in the string.
#[test]
fn a_spectator_who_gave_up_has_a_score() {
    let sample = fragreel_testkit::corpus("quake3").into_iter().find(|sample| sample.name.contains("duel_forfeit_spectator"));
    let Some(sample) = sample else { return };
    let found = Recording::open(sample.bytes(), &sample.name).unwrap().scores().value;
    assert_eq!(seen(&found[0]), (Outcome::Forfeited, Some("Grunt".into()), sides(&[("mejtisson", 3), ("Grunt", 1)])));
    assert_eq!(figure(&found[0], "mejtisson", Stat::Kills).0, Some(4));
}

/// Action Quake II's printed boards are columns of text: `scrub` must not change their widths.
#[test]
fn scrub_keeps_the_players_of_printed_boards() {
    let name = "2026-11/aq2-printed-score-after-board.mvd2";
    let Some(recording) = recording(name) else { return };
    let boards = |recording: &Recording| -> Vec<usize> {
        let events = recording.events(Kind::Statistics);
        events.filter_map(|event| if let EventKind::Statistics(said) = event.kind { Some(said.players.len()) } else { None }).collect()
    };
    let scrubbed = Recording::open(recording.scrub(&fragreel::edit::Scrub::default()).unwrap().bytes, name).unwrap();
    assert_eq!(boards(&recording), [7, 7, 7, 6, 6, 0, 2]);
    assert_eq!(boards(&scrubbed), boards(&recording));
}

/// The line with the score comes after the board that misses the last round.
#[test]
fn a_score_that_is_printed_after_the_board_counts() {
    let sample = fragreel_testkit::corpus("quake2").into_iter().find(|sample| sample.name.contains("20220317-002321-asylum"));
    let Some(sample) = sample else { return };
    let found = Recording::open(sample.bytes(), &sample.name).unwrap().scores().value;
    assert!(found.iter().any(|one| seen(one).2.contains(&("Crazies".into(), 3))), "{:?}", found.iter().map(seen).collect::<Vec<_>>());
}

/// Rocket Arena prints no obituaries: each fight is a round.
#[test]
fn fights_of_an_arena_are_rounds() {
    let sample = fragreel_testkit::corpus("quake1").into_iter().find(|sample| sample.name.contains("qizmo_demo20"));
    let Some(sample) = sample else { return };
    let recording = Recording::open(sample.bytes(), &sample.name).unwrap();
    let winners: Vec<Option<String>> = recording
        .events(Kind::Round)
        .filter_map(|event| if let EventKind::Round { started: false, winner, .. } = event.kind { Some(winner.map(String::from)) } else { None })
        .collect();
    let won = ["slebe", ". Goljat", ". Goljat", ". Goljat", "slebe", ". Goljat", "slebe", ". Goljat"];
    assert_eq!(winners, won.map(|name| Some(name.to_owned())));
}
