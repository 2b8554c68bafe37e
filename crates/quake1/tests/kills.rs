//! Kills from all that a moment says: pieces of lines, scores, health.

use fragreel_base::wire::Limits;
use fragreel_model::{EventKind, Kind, Kinds, Unknown};
use fragreel_quake1::{PhraseFile, Recording};

use super::made::{client_data, netquake, time};

/// `svc_print` of each piece.
fn print(pieces: &[&str]) -> Vec<u8> {
    pieces.iter().flat_map(|piece| [&[8][..], piece.as_bytes(), &[0]].concat()).collect()
}

/// `svc_updatename`, and a score of nothing.
fn player(slot: u8, name: &str) -> Vec<u8> {
    [&[13, slot][..], name.as_bytes(), &[0, 14, slot, 0, 0]].concat()
}

/// `svc_updatefrags`.
fn frags(slot: u8, score: i16) -> Vec<u8> {
    [&[14, slot][..], &score.to_le_bytes()].concat()
}

/// A game between these players. Each moment is half a second after the one before.
fn game(players: &[&str], moments: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let start: Vec<u8> = (0u8..).zip(players).flat_map(|(slot, name)| player(slot, name)).chain(time(1.0)).collect();
    let messages: Vec<Vec<u8>> = (0u8..).zip(moments).map(|(at, parts)| [time(1.5 + f32::from(at) / 2.0), parts.concat()].concat()).collect();
    let all: Vec<&[u8]> = std::iter::once(&start[..]).chain(messages.iter().map(Vec::as_slice)).collect();
    netquake(8, &all)
}

/// A kill as `KILLER:SLOT MEANS VICTIM:SLOT`, with what is unknown of it.
fn kills(file: &[u8], wanted: Kinds, phrases: Option<&PhraseFile>) -> Vec<String> {
    let mut recording = Recording::open(file, Some("dem"), Limits::default()).unwrap();
    if let Some(phrases) = phrases {
        recording = recording.with_phrases(std::sync::Arc::new(phrases.clone()));
    }
    let mut kills = Vec::new();
    let mut walk = recording.events(wanted);
    walk.by_ref().for_each(|event| {
        let EventKind::Kill(kill) = event.kind else { return };
        let who = |player: &fragreel_model::Player| {
            format!("{}:{}", player.name.clean.escape_default(), player.slot.map_or_else(|| String::from("-"), |slot| slot.to_string()))
        };
        let unknown = match kill.unknown {
            Some(Unknown::Attacker) => " by somebody",
            Some(Unknown::Victim) => " of somebody",
            Some(Unknown::Both) => " both",
            None => "",
        };
        let killer = kill.attacker.as_ref().map_or_else(|| String::from("world"), who);
        kills.push(format!("{killer} {} {}{unknown}", kill.means, who(&kill.victim)));
    });
    let damage = walk.damage();
    assert!(damage.is_empty(), "{damage:?}");
    kills
}

#[track_caller]
fn check(file: &[u8], expected: &[&str]) {
    assert_eq!(kills(file, Kinds::ALL, None), expected);
    assert_eq!(kills(file, Kind::Kill.into(), None), expected, "whatever else is wanted");
}

#[test]
fn bots_that_stand_on_no_scoreboard_kill_and_die() {
    let file = game(
        &["human"],
        &[
            vec![print(&["Reaper", "1", " rides ", "", "human", "'s rocket\n"]), frags(0, 1)],
            vec![print(&["Reaper2 rides human's rocket\n"]), frags(0, 2)],
            vec![print(&["human chewed on Reaper1's boomstick\n"])],
            vec![print(&["Reaper1 was telefragged by Reaper2\n"])],
            vec![print(&["Reaper", "3", " chewed on ", "Reaper", "4", "'s boomstick\n"])],
            vec![print(&["Reaper4 burst into flames\n"])],
            vec![print(&["Nobody rides human's rocket\n"])],
            vec![print(&["The wall burst into flames\n"])],
        ],
    );
    check(
        &file,
        &["human:0 rl Reaper1:-", "human:0 rl Reaper2:-", "Reaper1:- sg human:0", "Reaper2:- tele Reaper1:-", "Reaper4:- sg Reaper3:-", "world lava Reaper4:-"],
    );
}

#[test]
fn a_name_may_hold_a_line_end() {
    let file = game(
        &["alpha", "bo\n"],
        &[
            vec![print(&["alpha", " rides ", "bo\n", "'s rocket\n"]), frags(1, 1)],
            vec![print(&["alpha", " was punctured by ", "bo\n", "\n"]), frags(1, 2)],
            vec![print(&["bo\n rides alpha's rocket\n"]), frags(0, 1)],
            vec![print(&["bo\n", " got the BLUE flag!\n"])],
        ],
    );
    check(&file, &["bo:1 rl alpha:0", "bo:1 sng alpha:0", "alpha:0 rl bo:1"]);
    let mut flags = 0;
    Recording::open(&file, Some("dem"), Limits::default()).unwrap().events(Kind::Flag.into()).for_each(|_| flags += 1);
    assert_eq!(flags, 1);
}

#[test]
fn the_first_line_of_a_level_does_not_begin_with_the_servers_version() {
    let mut start = print(&["\x02\nVERSION 1.09 SERVER (5927 CRC)"]);
    start.extend(super::made::server_info(15, 8));
    let messages = [start, [player(0, "alpha"), player(1, "beta"), time(1.0)].concat(), [time(2.0), print(&["\x01beta: hello there\n"])].concat()];
    let file = super::made::blocks(&messages);
    let mut said = Vec::new();
    Recording::open(&file, Some("dem"), Limits::default()).unwrap().events([Kind::Chat, Kind::Print].into()).for_each(|event| match event.kind {
        EventKind::Chat { from, text, .. } => said.push(format!("{} says {}", from.unwrap().name, text.clean)),
        EventKind::Print { text } => said.push(text.clean),
        _ => {}
    });
    assert_eq!(said, [".", "VERSION 1.09 SERVER (5927 CRC)", "beta says hello there"]);
}

#[test]
fn scores_say_what_unknown_phrases_mean() {
    let file = game(
        &["alpha", "beta", "by"],
        &[
            vec![print(&["alpha", " was toasted by ", "beta", "'s lamp\n"]), frags(1, 1)],
            vec![print(&["by gets a faceful of beta's lamp\n"]), frags(1, 2)],
            // the same words again, while the killer loses his point at once
            vec![print(&["by", " was toasted by ", "beta", "'s lamp\n"]), print(&["beta", " becomes bored with life\n"])],
            // nobody scores
            vec![print(&["alpha admires beta's hat\n"])],
            // another line has the point
            vec![print(&["alpha admires beta's hat\n", "by rides beta's rocket\n"]), frags(1, 3)],
            // he who scores is named first
            vec![print(&["beta defends alpha's flag carrier\n"]), frags(1, 4)],
            // two points, two kills
            vec![print(&["alpha was roasted by beta\n", "by was roasted by beta\n"]), frags(1, 6)],
            vec![print(&["alpha was roasted by by\n"])],
        ],
    );
    check(
        &file,
        &[
            "beta:1 unknown alpha:0",
            "beta:1 unknown by:2",
            "beta:1 unknown by:2",
            "beta:1 rl beta:1",
            "beta:1 rl by:2",
            "beta:1 unknown alpha:0",
            "beta:1 unknown by:2",
            "by:2 unknown alpha:0",
        ],
    );
}

#[test]
fn a_name_is_no_identity() {
    let rides = |victim: &str, killer: &str| print(&[victim, " rides ", killer, "'s rocket\n"]);
    let file = game(
        &["player", "player", "gamma", "player"],
        &[
            vec![rides("gamma", "player"), frags(1, 1)],
            vec![client_data(100), rides("player", "gamma"), frags(2, 1)],
            vec![client_data(0), rides("player", "gamma"), frags(2, 2)],
            vec![client_data(100), rides("gamma", "player"), print(&["player becomes bored with life\n"])],
            vec![print(&["player becomes bored with life\n"]), frags(3, -1)],
            vec![rides("player", "player"), frags(3, 0)],
        ],
    );
    check(
        &file,
        &[
            "player:1 rl gamma:2",
            "gamma:2 rl player:- of somebody",
            "gamma:2 rl player:0",
            "player:- rl gamma:2 by somebody",
            "player:- rl player:- of somebody",
            "player:3 rl player:3",
            "player:3 rl player:1",
        ],
    );
}

#[test]
fn phrases_of_mission_packs_are_known() {
    let lines = [
        ("alpha shares beta's pain\n", "empathy"),
        ("alpha got too friendly with beta's bomb\n", "proximity grenade"),
        ("alpha was toasted by beta's laser\n", "laser"),
        ("alpha was slammed by beta's hammer\n", "hammer"),
        ("alpha was grappled by beta\n", "grapple"),
        ("alpha was fused by beta\n", "lava nailgun"),
        ("alpha was blasted to bits by beta\n", "plasma gun"),
    ];
    let moments: Vec<_> = lines.iter().map(|(line, _)| vec![print(&[line])]).chain([vec![print(&["alpha was purged by the Vengeance Sphere\n"])]]).collect();
    let expected: Vec<String> = lines.iter().map(|(_, means)| format!("beta:1 {means} alpha:0")).chain([String::from("world vengeance alpha:0")]).collect();
    assert_eq!(kills(&game(&["alpha", "beta"], &moments), Kinds::ALL, None), expected);
}

#[test]
fn phrases_of_a_file_come_first() {
    let file = b"#FRAGFILE VERSION ezquake-1.00\n#DEFINE WEAPON_CLASS LAMP \"Lamp of Doom\" \"lamp\"\n\
        #DEFINE OBITUARY X_FRAGGED_BY_Y LAMP \" was toasted by \" \"'s lamp\"\n#DEFINE OBITUARY X_FRAGS_Y LAMP \" toasts \"\n\
        #DEFINE OBITUARY PLAYER_DEATH NONE \" is toast\"\n#DEFINE OBITUARY X_FRAGS_UNKNOWN LAMP \" toasts somebody\"\n\
        #DEFINE OBITUARY PLAYER_SUICIDE LAMP \" rides \"\n";
    let lines = ["alpha was toasted by beta's lamp\n", "beta toasts alpha\n", "alpha is toast\n", "beta toasts somebody\n", "alpha rides beta's rocket\n"];
    let moments: Vec<_> = lines.iter().map(|line| vec![print(&[line])]).collect();
    let phrases = PhraseFile::parse(file).unwrap();
    assert_eq!(
        kills(&game(&["alpha", "beta"], &moments), Kinds::ALL, Some(&phrases)),
        ["beta:1 lamp alpha:0", "beta:1 lamp alpha:0", "world none alpha:0", "beta:1 lamp :- of somebody", "beta:1 rl alpha:0"]
    );
}

#[test]
fn a_recording_that_goes_on_with_another_says_so() {
    let stuff = |text: &str| [&[9][..], text.as_bytes(), &[0]].concat();
    let file = game(&["alpha"], &[vec![stuff("bf\n"), stuff("playdemo "), stuff("cuts/cut1.dem"), stuff("\n")], vec![stuff("playdemo a\n")]]);
    let mut commands = Vec::new();
    Recording::open(&file, Some("dem"), Limits::default()).unwrap().events(Kind::Command.into()).for_each(|event| {
        let EventKind::Command { text } = event.kind else { panic!() };
        commands.push(text.clean);
    });
    assert_eq!(commands, ["playdemo cuts/cut1.dem", "playdemo a"]);
}

/// ThreeWave's flags make a NetQuake deathmatch Capture the Flag, between those with red and with blue trousers.
#[test]
fn threewave_plays_capture_the_flag_in_teams() {
    let level = [&[11, 15, 0, 0, 0, 8, 1][..], b"Strongbox\0maps/ctf8.bsp\0progs/flag.mdl\0\0\0", &[5, 1, 0]].concat();
    let colors = |slot, trousers| vec![17, slot, trousers];
    let start = [player(0, "alpha"), colors(0, 4), player(1, "beta"), colors(1, 13), player(2, "gamma"), colors(2, 4), time(1.0)].concat();
    let flag = [time(2.0), print(&["beta", " got the RED flag!\n"])].concat();
    let kills = [time(3.0), print(&["beta rides alpha's rocket\n", "gamma rides alpha's rocket\n"]), frags(0, 0)].concat();
    let file = super::made::blocks(&[level, start, flag, kills]);
    let mut told = Vec::new();
    Recording::open(&file, Some("dem"), Limits::default()).unwrap().events([Kind::Level, Kind::Flag, Kind::Kill].into()).for_each(|event| match event.kind {
        EventKind::Level { game_type, .. } => told.push(game_type.unwrap_or_default().into_owned()),
        EventKind::Flag { team, player, .. } => told.push(format!("{team} {:?}", player.unwrap().team)),
        EventKind::Kill(kill) => told.push(format!("{} {}", kill.victim.name, kill.team_kill)),
        _ => {}
    });
    assert_eq!(told, ["Capture the Flag", "red Some(\"blue\")", "beta false", "gamma true"]);
}

/// A recording that shows one fault of others, from a folder beside the corpus. Nothing where that is absent.
fn case(name: &str) -> Option<Vec<u8>> {
    let path = fragreel_testkit::checkout().join("../shared/review/cases/2026-11").join(name);
    let bytes = std::fs::read(path).ok();
    if bytes.is_none() {
        fragreel_testkit::skipped(&format!("the test on {name}, which is not beside the corpus"));
    }
    bytes
}

#[test]
fn kills_of_recordings_by_bots_and_mods_are_counted() {
    let killed_by = |name: &str, killer: &str| -> Option<usize> {
        let bytes = case(name)?;
        Some(kills(&bytes, Kind::Kill.into(), None).iter().filter(|kill| kill.starts_with(killer)).count())
    };
    for (name, killer, count) in [
        ("nq-bot-not-on-board.dem", "human:0 ", 5),
        ("nq-bot-not-on-board.dem", "Reaper2:- tele Reaper1:-", 1),
        ("nq-name-with-newline.dem", "bo:1 ", 4),
        ("nq-mod-phrases-with-score.dem", "beta:1 ", 5),
        ("nq-mission-pack-obituaries.dem", "beta:1 ", 12),
        ("nq-mission-pack-obituaries.dem", "world vengeance alpha:0", 1),
        ("nq-two-of-one-name.dem", "player:1 rl gamma:2", 4),
    ] {
        assert!(killed_by(name, killer).is_none_or(|found| found == count), "{name}: {killer} has {:?}", killed_by(name, killer));
    }
}

#[test]
fn tables_and_results_of_mods_are_statements() {
    let statements = |name: &str| -> Option<Vec<fragreel_model::Statement>> {
        let bytes = case(name)?;
        let mut found = Vec::new();
        let recording = Recording::open(&bytes, name.rsplit('.').next(), Limits::default()).unwrap();
        recording.events(Kind::Statistics.into()).for_each(|event| {
            let EventKind::Statistics(statement) = event.kind else { return };
            found.push(*statement);
        });
        Some(found)
    };
    let of = |found: &[fragreel_model::Statement], source: &str| {
        let fitting: Vec<_> = found.iter().filter(|statement| statement.source == source).collect();
        let team = |team: &fragreel_model::TeamStats| (team.name.to_string(), team.stats.get(fragreel_model::Stat::Score).stated);
        let teams: Vec<_> = fitting.iter().flat_map(|statement| statement.teams.iter().map(team)).collect();
        (fitting.iter().map(|statement| statement.players.len()).sum::<usize>(), teams)
    };
    let side = |name: &str, score| (name.to_owned(), Some(score));
    if let Some(found) = statements("ktx-vote-stop-and-glued-heading.mvd") {
        assert_eq!(of(&found, "printed statistics").0, 4, "{found:?}");
    }
    if let Some(found) = statements("ktx-wipeout-series-end.mvd") {
        assert_eq!(of(&found, "printed series statistics").0, 5, "{found:?}");
        assert_eq!(of(&found, "finalscores"), (0, vec![side("red", 0), side("blue", 5)]), "{found:?}");
    }
    if let Some(found) = statements("qw-dropped-frags-count-for-the-team.qwd") {
        assert_eq!(of(&found, "printed statistics").1, [side("icem", 194), side("-ff-", 415)], "{found:?}");
    }
}
