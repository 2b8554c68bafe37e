//! Kills from scores and health, in recordings made message by message.

use fragreel_base::wire::Limits;
use fragreel_model::{EventKind, Kind, Kinds, Unknown};
use fragreel_quake2::Recording;

use super::made::{block, client, header, print, skin};

/// A player state with these stats, then no entities.
fn stats(stats: &[(u32, i16)]) -> Vec<u8> {
    let mask = stats.iter().fold(0u32, |mask, (stat, _)| mask | 1 << stat);
    let mut sorted = stats.to_vec();
    sorted.sort_unstable();
    let mut out = vec![17, 0, 0];
    out.extend(mask.to_le_bytes());
    sorted.iter().for_each(|(_, value)| out.extend(value.to_le_bytes()));
    out.extend([18, 0, 0]);
    out
}

/// A game of Alice, who records, and others. Each moment is lines, then her frags and health in the frame after them.
fn game(others: &[&str], moments: &[(&[&str], i16, i16)]) -> Vec<u8> {
    let skins: Vec<Vec<u8>> = others.iter().zip(1..).map(|(name, slot)| skin(slot, name)).collect();
    let first = [header(1, -1), stats(&[(1, 100), (14, 0)])].concat();
    let mut blocks = vec![block(&[skins, vec![first]].concat())];
    for (at, (lines, frags, health)) in moments.iter().enumerate() {
        let frame = [header(10 * (at as i32 + 1), -1), stats(&[(1, *health), (14, *frags)])].concat();
        let lines: Vec<Vec<u8>> = lines.iter().map(|line| print(line)).collect();
        blocks.push(block(&[lines, vec![frame]].concat()));
    }
    client(&blocks)
}

fn kills(file: &[u8], wanted: Kinds) -> Vec<String> {
    let mut found = Vec::new();
    let recording = Recording::open(file, Some("dm2"), Limits::default()).unwrap();
    for event in recording.events(wanted) {
        if let EventKind::Kill(kill) = event.kind {
            let player = |player: &fragreel_model::Player| format!("{}:{}", player.name, player.slot.map_or_else(|| "-".into(), |slot| slot.to_string()));
            let unknown = match kill.unknown {
                None => "",
                Some(Unknown::Attacker) => " by somebody",
                Some(Unknown::Victim) => " of somebody",
                Some(Unknown::Both) => " both",
            };
            let attacker = kill.attacker.as_ref().map_or_else(|| "world".into(), player);
            found.push(format!("{attacker} {} {}{unknown}", kill.means, player(&kill.victim)));
        }
    }
    found
}

fn check(file: &[u8], expected: &[&str]) {
    for wanted in [Kinds::ALL, Kind::Kill.into(), [Kind::Kill, Kind::Score].into(), [Kind::Kill, Kind::Chat].into()] {
        assert_eq!(kills(file, wanted), expected, "{wanted:?}");
    }
}

#[test]
fn scores_say_what_unknown_phrases_mean() {
    let file = game(
        &["Bob", "Eve", "by"],
        &[
            (&["Bob was toasted by Alice's lamp\n"], 1, 100),
            // the same words, of others
            (&["Eve was toasted by Bob's lamp\n"], 1, 100),
            // nobody scores
            (&["Bob admires Alice's hat\n"], 1, 100),
            // another line has the point
            (&["Bob admires Alice's hat\n", "Eve was railed by Alice\n"], 2, 100),
            // who dies is killed by the other
            (&["Alice met Eve's teeth\n"], 2, -5),
            (&["Bob met Eve's teeth\n"], 2, 100),
            // she who scores is named first
            (&["Alice defends Bob's flag carrier\n"], 3, 100),
            // another line states the death
            (&["Alice cratered.\n", "Alice admires Bob's hat\n"], 2, 0),
        ],
    );
    let expected = [
        "Alice:0 unknown Bob:1",
        "Bob:1 unknown Eve:2",
        "Alice:0 MOD_RAILGUN Eve:2",
        "Eve:2 unknown Alice:0",
        "Eve:2 unknown Bob:1",
        "world MOD_FALLING Alice:0",
    ];
    check(&file, &expected);
    let mut prints = Vec::new();
    for event in Recording::open(&file, Some("dm2"), Limits::default()).unwrap().events([Kind::Print, Kind::Kill].into()) {
        if let EventKind::Print { text } = event.kind {
            prints.push(text.clean);
        }
    }
    assert_eq!(prints, ["Bob admires Alice's hat", "Bob admires Alice's hat", "Alice defends Bob's flag carrier", "Alice admires Bob's hat"]);
}

#[test]
fn a_name_is_not_an_identity() {
    let file = game(
        &["Alice", "Bob", "Eve"],
        &[
            (&["Bob was railed by Alice\n"], 1, 100),
            (&["Bob was railed by Alice\n"], 1, 100),
            (&["Alice was railed by Bob\n"], 1, 0),
            (&["Alice was railed by Bob\n"], 1, 100),
            (&["Alice was railed by Alice\n"], 2, 100),
            (&["Alice cratered.\n"], 1, 0),
        ],
    );
    let expected = [
        "Alice:0 MOD_RAILGUN Bob:2",
        "Alice:- MOD_RAILGUN Bob:2 by somebody",
        "Bob:2 MOD_RAILGUN Alice:0",
        "Bob:2 MOD_RAILGUN Alice:1",
        "Alice:0 MOD_RAILGUN Alice:1",
        "world MOD_FALLING Alice:0",
    ];
    check(&file, &expected);
    let two = game(&["Bob", "Bob", "Eve", "Eve"], &[(&["Bob was railed by Eve\n"], 0, 100)]);
    check(&two, &["Eve:- MOD_RAILGUN Bob:- both"]);
}

#[test]
fn boards_say_what_unknown_phrases_mean() {
    let board = |bob: i32| [&[4][..], format!("client 0 32 0 0 1 1 client 0 64 1 {bob} 1 1").as_bytes(), b"\0"].concat();
    let frame = |number: i32| [header(number, -1), stats(&[(1, 100)])].concat();
    let line = || print("Eve was toasted by Bob\n");
    let of = |risen: i32| {
        client(&[
            block(&[skin(1, "Bob"), skin(2, "Eve"), frame(1), board(0)]),
            block(&[line(), frame(20)]),
            block(&[line(), print("Eve was railed by Bob\n"), frame(40)]),
            block(&[board(risen), frame(60)]),
            block(&[line(), frame(80)]),
        ])
    };
    check(&of(3), &["Bob:1 MOD_RAILGUN Eve:2", "Bob:1 unknown Eve:2"]);
    check(&of(2), &["Bob:1 MOD_RAILGUN Eve:2"]);
}

#[test]
fn action_quake_pauses_and_switches_teams() {
    let center = |text: &str| [&[15][..], text.as_bytes(), b"\0"].concat();
    let frame = |number: i32| [header(number, -1), stats(&[(1, 100)])].concat();
    let file = client(&[
        block(&[frame(1)]),
        block(&[center("Game paused by Alice\nTeam 1 has 0 pauses left"), frame(20)]),
        block(&[center("Game will unpause in 2 seconds!"), frame(30)]),
        block(&[center("Game will unpause in 1 seconds!"), frame(40)]),
        block(&[frame(45)]),
        block(&[frame(51)]),
        block(&[center("The teams have been switched!"), frame(60)]),
        block(&[center("ACTION!"), frame(70)]),
    ]);
    let mut found = Vec::new();
    for event in Recording::open(&file, Some("dm2"), Limits::default()).unwrap().events([Kind::Match, Kind::Round].into()) {
        found.push((event.time.0, event.kind.to_string()));
    }
    let times: Vec<i64> = found.iter().map(|(time, _)| *time).collect();
    assert_eq!(times, [0, 3900, 5000, 5900], "{found:?}");
    let words: Vec<&str> = found.iter().map(|(_, words)| &words[..]).collect();
    assert!(words[0].contains("paused") && words[1].contains("resumed"), "{words:?}");
}
