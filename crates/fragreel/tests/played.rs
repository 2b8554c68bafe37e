//! Matches that we played with scripted clients (`samples/record`), against the logs of the servers.

use fragreel::Recording;
use fragreel::model::{EndCause, Event, EventKind, Kill, Kind, MatchState, MatchStats, Outcome, Player, Stat};

fn read(name: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn open(name: &str) -> Recording {
    Recording::open(read(name), name).unwrap()
}

fn log(name: &str) -> String {
    String::from_utf8_lossy(&read(name)).into_owned()
}

fn one(recording: &Recording) -> MatchStats {
    let mut matches = recording.scores().value;
    assert_eq!(matches.len(), 1);
    matches.remove(0)
}

fn kills(recording: &Recording, one: &MatchStats) -> Vec<Kill> {
    let mut kills = Vec::new();
    for event in recording.events(Kind::Kill).filter(|event| event.time >= one.from && event.time <= one.to) {
        if let EventKind::Kill(kill) = event.kind {
            kills.push(kill);
        }
    }
    kills
}

fn states(recording: &Recording) -> Vec<MatchState> {
    let of = |event: Event| match event.kind {
        EventKind::Match { state, .. } => Some(state),
        _ => None,
    };
    recording.events(Kind::Match).filter_map(of).collect()
}

fn name(player: &Player) -> String {
    player.name.clean.clone()
}

fn scores(one: &MatchStats) -> Vec<(String, Option<i64>)> {
    one.teams.iter().map(|team| (team.name.to_string(), team.stats.get(Stat::Score).value())).collect()
}

fn figure(one: &MatchStats, name: &str, stat: Stat) -> Option<i64> {
    one.players.iter().find(|line| line.player.name.clean == name)?.stats.get(stat).value()
}

/// mvdsv's log of frags, `\killer\victim\`. KTX logs a team kill as the killer's own.
fn check_frag_log(recording: &Recording, one: &MatchStats, log: &str) {
    let logged: Vec<(String, String)> = log
        .lines()
        .map(|line| {
            let mut names = line.split('\\').skip(1).map(str::to_owned);
            (names.next().unwrap(), names.next().unwrap())
        })
        .collect();
    let of = |kill: &Kill| {
        let killer = name(kill.attacker.as_ref().unwrap());
        let victim = if kill.team_kill { killer.clone() } else { name(&kill.victim) };
        (killer, victim)
    };
    let found: Vec<(String, String)> = kills(recording, one).iter().map(of).collect();
    assert_eq!(found, logged);
}

#[test]
fn a_duel_with_a_pause_and_an_overtime() {
    use MatchState::{Countdown, Intermission, Overtime, Paused, Resumed, Started};

    let recording = open("quake1/ktx_duel.mvd");
    let one = one(&recording);
    check_frag_log(&recording, &one, &log("quake1/ktx_duel.log"));
    assert_eq!((one.mode.as_deref(), one.outcome, one.winner.as_deref()), (Some("Duel"), Outcome::Won, Some("Ada")));
    assert_eq!(["Ada", "Bo"].map(|name| figure(&one, name, Stat::Score)), [Some(2), Some(1)]);
    assert_eq!((one.pauses.len(), one.overtimes.len(), one.length().0 / 1000), (1, 1, 119));
    assert!(one.pauses[0].to.is_some() && one.has_start);
    assert!(one.findings.is_empty(), "{:?}", one.findings);
    assert_eq!(states(&recording), [Countdown, Started, Paused, Resumed, Overtime, Intermission]);
}

#[test]
fn a_countdown_that_a_player_stops() {
    let recording = open("quake1/ktx_countdown.qwd");
    assert_eq!(states(&recording), [MatchState::Countdown, MatchState::Warmup]);
    assert!(recording.scores().value.is_empty(), "the warm-up is not a match");
}

#[test]
fn a_team_match_that_a_vote_stops() {
    let recording = open("quake1/ktx_teams.mvd");
    let one = one(&recording);
    check_frag_log(&recording, &one, &log("quake1/ktx_teams.log"));
    assert_eq!((one.mode.as_deref(), one.outcome, one.cause), (Some("2on2"), Outcome::Stopped, Some(EndCause::Vote)));
    assert_eq!(scores(&one), [(String::from("blue"), Some(3)), (String::from("red"), Some(-1))]);
    let of = |stat| ["Ada", "Bo", "Cy", "Di"].map(|name| figure(&one, name, stat));
    assert_eq!(of(Stat::Score), [-1, 0, 2, 1].map(Some));
    assert_eq!(of(Stat::TeamKills), [1, 2, 1, 1].map(Some));
    assert_eq!(of(Stat::Deaths), [4, 5, 3, 3].map(Some));
    // two points for the command `kill`
    assert!(one.findings.iter().all(|finding| finding.reason.is_some()), "{:?}", one.findings);
}

#[test]
fn rounds_of_action_quake_with_a_pause() {
    let recording = open("quake2/aq2_match.mvd2");
    let log = log("quake2/aq2_match.log");
    let one = one(&recording);
    assert_eq!((one.outcome, one.winner.as_deref()), (Outcome::Won, Some("RED")));
    assert_eq!(scores(&one), [(String::from("RED"), Some(3)), (String::from("BLUE"), Some(0))]);
    let rounds: Vec<_> = one.segments.iter().map(|round| round.winner.as_deref()).collect();
    let logged = log.lines().filter_map(|line| line.strip_suffix(" won!")).map(Some).collect::<Vec<_>>();
    assert_eq!(rounds, logged);
    let brains = |line: &str| {
        let (victim, rest) = line.split_once("'s brains are on the wall thanks to ")?;
        Some((rest.split_once('\'')?.0.to_owned(), victim.to_owned()))
    };
    let found: Vec<_> = kills(&recording, &one).iter().map(|kill| (name(kill.attacker.as_ref().unwrap()), name(&kill.victim))).collect();
    assert_eq!(found, log.lines().filter_map(brains).collect::<Vec<_>>());
    let [pause] = &one.pauses[..] else { panic!("{:?}", one.pauses) };
    // three seconds, then ten until it ends
    let paused = (pause.to.unwrap() - pause.from).0;
    assert!((12_000..=15_000).contains(&paused), "{paused}");
}

#[test]
fn a_match_of_opentdm_and_one_that_a_side_gives_up() {
    use MatchState::{Forfeited, Intermission, Paused, Resumed, Started};

    let recording = open("quake2/opentdm.mvd2");
    let log = log("quake2/opentdm.log");
    let matches = recording.scores().value;
    let [first, second] = &matches[..] else { panic!("{}", matches.len()) };
    assert_eq!((first.outcome, first.winner.as_deref(), first.cause), (Outcome::Won, Some("Visitors"), Some(EndCause::Time)));
    assert_eq!(scores(first), [(String::from("Visitors"), Some(0)), (String::from("Hometeam"), Some(-2))]);
    assert!(log.contains("Visitors wins, 0 to -2."));
    assert_eq!((second.outcome, second.winner.as_deref(), second.forfeited_by.as_deref()), (Outcome::Forfeited, Some("Hometeam"), Some("Visitors")));
    assert!(log.contains("Hometeam wins by forfeit!"));
    let [pause] = &first.pauses[..] else { panic!("{:?}", first.pauses) };
    assert!(pause.to.is_some());
    // the server prints each player's figures to that player only, and the recording lacks them
    let tables = log.split("Stats for ").skip(1);
    let mut checked = 0;
    for (table, of) in tables.zip([first, first, first, first, second, second]) {
        let player = table.split_once(':').unwrap().0;
        let row = table.lines().find_map(|line| line.strip_prefix("Player |")).unwrap();
        let stated: Vec<i64> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let counted = [Stat::Kills, Stat::Deaths, Stat::Suicides, Stat::TeamKills].map(|stat| figure(of, player, stat));
        assert_eq!(counted, [stated[0], stated[1], stated[2], stated[3]].map(Some), "{player}");
        checked += 1;
    }
    assert_eq!(checked, 6);
    assert_eq!(states(&recording), [Started, Paused, Resumed, Intermission, Started, Intermission, Forfeited]);
}

#[test]
fn a_match_of_plain_quakeworld() {
    let recording = open("quake1/qw_match.mvd");
    let one = one(&recording);
    check_frag_log(&recording, &one, &log("quake1/qw_match.log"));
    assert_eq!((one.outcome, one.cause, one.winner.as_deref()), (Outcome::Won, None, Some("Ada")));
    let of = |stat| ["Ada", "Bo", "Cy"].map(|name| figure(&one, name, stat));
    assert_eq!(of(Stat::Score), [4, 2, -2].map(Some));
    assert_eq!(of(Stat::Kills), [4, 2, 0].map(Some));
    assert_eq!(of(Stat::Deaths), [1, 3, 3].map(Some));
    // the command `kill` takes two points
    assert_eq!(of(Stat::Suicides), [0, 0, 1].map(Some));
    assert!(one.findings.iter().all(|finding| finding.reason.is_some()), "{:?}", one.findings);
    assert_eq!(states(&recording), [MatchState::Intermission]);
}

/// A death in the console of a server of NetQuake: who killed whom.
fn death(line: &str) -> Option<(String, String)> {
    if let Some(name) = line.strip_suffix(" suicides") {
        return Some((name.to_owned(), name.to_owned()));
    }
    let by_shotgun = line.strip_suffix("'s boomstick").and_then(|rest| rest.split_once(" chewed on "));
    let (victim, killer) = by_shotgun.or_else(|| line.split_once(" was telefragged by "))?;
    Some((killer.to_owned(), victim.to_owned()))
}

#[test]
fn a_match_of_plain_netquake() {
    let recording = open("quake1/nq_match.dem");
    let one = one(&recording);
    let logged: Vec<_> = log("quake1/nq_match.log").lines().filter_map(death).collect();
    let found: Vec<_> = kills(&recording, &one).iter().map(|kill| (name(kill.attacker.as_ref().unwrap()), name(&kill.victim))).collect();
    assert_eq!((found.len(), found), (8, logged));
    assert_eq!((one.outcome, one.cause, one.winner.as_deref()), (Outcome::Won, None, Some("Bo")));
    // the recorder stands in the game
    let of = |stat| ["Bo", "Ada", "fragreel", "Cy"].map(|name| figure(&one, name, stat));
    assert_eq!(of(Stat::Score), [4, 3, 0, -2].map(Some));
    assert_eq!(of(Stat::Kills), [4, 3, 0, 0].map(Some));
    assert_eq!(of(Stat::Deaths), [3, 2, 1, 2].map(Some));
    assert_eq!(of(Stat::Suicides), [0, 0, 0, 1].map(Some));
    assert!(one.findings.iter().all(|finding| finding.reason.is_some()), "{:?}", one.findings);
    assert_eq!(states(&recording), [MatchState::Intermission]);
}

/// What stands between back quotes in a cell of a table.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The samples that `docs/statistics.md` names for an event have it.
#[test]
fn the_documented_samples_have_the_events() {
    let text = std::fs::read_to_string(fragreel_testkit::checkout().join("docs/statistics.md")).unwrap();
    let section = text.split_once("### Events of a match").unwrap().1.split_once("\n## ").unwrap().0;
    let rows: Vec<Vec<&str>> = section.lines().filter(|line| line.starts_with('|')).skip(2).map(|line| line.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows.len(), 16);
    for row in rows {
        let (what, words, samples) = (row[1], quoted(row[2]), quoted(row[4]));
        assert!(!samples.is_empty(), "{what}");
        for name in samples {
            let recording = open(name);
            let has = recording.events(fragreel::model::Kinds::ALL).any(|event| {
                let json = serde_json::to_value(&event).unwrap();
                let is_named = |key: &str| json[key].as_str().is_some_and(|value| words.contains(&value));
                let is_right = match event.kind.kind() {
                    Kind::Match => is_named("state"),
                    Kind::Round => json["started"] == words.contains(&"started"),
                    _ => true,
                };
                is_named("kind") && is_right
            });
            assert!(has, "{what}: {name}");
        }
    }
}
