//! Our own recordings against the logs that the server wrote at the same time.

use std::collections::BTreeMap;
use std::fs;

use fragreel_model::{Channel, EventKind, FlagAction, Kinds};
use fragreel_testkit::Sample;

use super::events;

/// The world's number in a log.
const WORLD: u16 = 1022;

fn with_logs() -> Vec<(Sample, String)> {
    let with_log = |sample: Sample| Some((fs::read_to_string(sample.path.with_extension("log")).ok()?, sample)).map(|(log, sample)| (sample, log));
    let found: Vec<_> = fragreel_testkit::samples("quake3").into_iter().filter_map(with_log).collect();
    assert!(found.len() >= 5, "the samples have logs");
    found
}

/// What stands behind `word: ` in the lines of a log that have it.
fn lines<'a>(log: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    log.lines().filter_map(move |line| line.trim_start().split_once(' ')?.1.strip_prefix(word)?.strip_prefix(": "))
}

fn numbers(line: &str) -> Vec<u16> {
    line.split([' ', ':']).map_while(|word| word.parse().ok()).collect()
}

#[test]
fn kills_are_those_of_the_log() {
    let mut count = 0;
    for (sample, log) in with_logs() {
        let stated: Vec<(u16, u16, String)> = lines(&log, "Kill")
            .map(|line| {
                let numbers = numbers(line);
                (numbers[0], numbers[1], line.rsplit(' ').next().unwrap_or_default().to_owned())
            })
            .collect();
        let kills = events(&sample, Kinds::ALL).into_iter().filter_map(|event| match event.kind {
            EventKind::Kill(kill) => Some((kill.attacker.map_or(WORLD, |attacker| attacker.slot.unwrap()), kill.victim.slot.unwrap(), kill.means.into_owned())),
            _ => None,
        });
        assert_eq!(kills.collect::<Vec<_>>(), stated, "{}", sample.name);
        count += stated.len();
    }
    println!("{count} kills as the server logged them");
}

/// A recording shows the pick-ups of players in sight, each once and in order; of whom it follows throughout, all.
#[test]
fn pick_ups_are_some_of_the_log() {
    let (mut count, mut own) = (0, 0);
    for (sample, log) in with_logs() {
        let mut stated: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
        for line in lines(&log, "Item") {
            stated.entry(numbers(line)[0]).or_default().push(line.rsplit(' ').next().unwrap_or_default());
        }
        let mut shown: BTreeMap<u16, Vec<String>> = BTreeMap::new();
        for event in events(&sample, Kinds::ALL) {
            // the first snapshot may show what happened before it
            if let (EventKind::Item { player, item, .. }, true) = (event.kind, event.time.0 > 0) {
                shown.entry(player.slot.unwrap()).or_default().push(item.into_owned());
            }
        }
        for (player, items) in &shown {
            let mut logged = stated.get(player).into_iter().flatten();
            let all = items.iter().all(|item| logged.any(|logged| logged == item));
            assert!(all, "{}: player {player} shown with {items:?}, logged with {:?}", sample.name, stated.get(player));
            count += items.len();
        }
        let recorder = recorder(&sample);
        let follows = sample.name.contains("spectator");
        if !follows {
            let taken = shown.get(&recorder).map_or(0, Vec::len);
            let logged = stated.get(&recorder).map_or(0, Vec::len);
            // the last moment of the log may be behind the recording
            assert!((taken..=taken + 1).contains(&logged), "{}: the recorder took {taken}, the log says {logged}", sample.name);
            own += taken;
        }
    }
    println!("{count} pick-ups that the server logged, {own} of them by the recorder");
}

fn recorder(sample: &Sample) -> u16 {
    let bytes = sample.bytes();
    let dialect = fragreel_quake3::detect::dialect(&bytes, Some(&sample.extension())).unwrap();
    struct Nothing;
    impl fragreel_quake3::walk::Visitor for Nothing {}
    fragreel_quake3::walk::visit(&bytes, dialect, &mut Nothing).client().unwrap() as u16
}

#[test]
fn chat_is_that_of_the_log() {
    let mut count = 0;
    for (sample, log) in with_logs() {
        let clean = |text: &str| fragreel_quake3::strings::clean(text.as_bytes()).replace('%', ".");
        let stated: Vec<(String, String)> =
            lines(&log, "say").filter_map(|line| line.split_once(": ")).map(|(name, said)| (clean(name), clean(said))).collect();
        let heard = events(&sample, Kinds::ALL).into_iter().filter_map(|event| match event.kind {
            EventKind::Chat { from: Some(from), channel: Channel::Public, text } => {
                assert!(from.slot.is_some(), "{}: {from:?} is a player", sample.name);
                Some((from.name.clean, text.clean))
            }
            _ => None,
        });
        let heard: Vec<_> = heard.collect();
        assert_eq!(heard, stated, "{}", sample.name);
        count += heard.len();
    }
    println!("{count} lines of chat as the server logged them");
}

/// The scores that a log ends with are those of the last board.
#[test]
fn last_scores_are_those_of_the_log() {
    let mut count = 0;
    for (sample, log) in with_logs() {
        // 20  ping: 5  client: 3 name
        let mut stated: Vec<(u16, i32)> = lines(&log, "score")
            .filter_map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                Some((words.get(4)?.parse().ok()?, words.first()?.parse().ok()?))
            })
            .collect();
        if stated.is_empty() {
            continue;
        }
        stated.sort_unstable();
        let last = events(&sample, Kinds::ALL).into_iter().rev().find_map(|event| match event.kind {
            EventKind::Scores { players, .. } => Some(players),
            _ => None,
        });
        // a log has no spectators
        let plays = |score: &&fragreel_model::Score| score.player.team.as_deref() != Some("spectator");
        let mut shown: Vec<(u16, i32)> = last.unwrap_or_default().iter().filter(plays).map(|score| (score.player.slot.unwrap(), score.score)).collect();
        shown.sort_unstable();
        assert_eq!(shown, stated, "{}", sample.name);
        count += stated.len();
    }
    assert!(count > 0, "a log has final scores");
}

/// What was done to flags, by whom: all of it, in order.
#[test]
fn flags_are_those_of_the_log() {
    let mut count = 0;
    for (sample, log) in with_logs() {
        // client, the flag's team, what: 0 got, 1 captured, 2 returned
        let stated: Vec<(u16, &str, FlagAction)> = lines(&log, "CTF")
            .filter_map(|line| {
                let numbers = numbers(line);
                let action = [FlagAction::Taken, FlagAction::Captured, FlagAction::Returned];
                Some((numbers[0], ["free", "red", "blue"][usize::from(numbers[1])], *action.get(usize::from(numbers[2]))?))
            })
            .collect();
        let all = events(&sample, Kinds::ALL);
        let told = all.iter().filter_map(|event| match &event.kind {
            // nobody returned a flag that went home by itself, and the log has no line for one that fell
            EventKind::Flag { team, action, player: Some(player) } if *action != FlagAction::Dropped => Some((player.slot?, team.as_ref(), *action)),
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), stated, "{}", sample.name);
        count += stated.len();
    }
    assert!(count > 0, "a log has flags");
    println!("{count} flags as the server logged them");
}

/// Rewards over the heads of players in sight, each once and in order.
#[test]
fn rewards_are_some_of_the_log() {
    let names = BTreeMap::from([
        ("EXCELLENT", "excellent"),
        ("DEFENCE", "defend"),
        ("CAPTURE", "capture"),
        ("IMPRESSIVE", "impressive"),
        ("GAUNTLET", "gauntlet"),
        ("ASSIST", "assist"),
    ]);
    let (mut shown, mut logged) = (0, 0);
    for (sample, log) in with_logs() {
        let stated: Vec<(u16, &str)> = lines(&log, "Award").map(|line| (numbers(line)[0], names[line.split(' ').nth_back(1).unwrap()])).collect();
        let all = events(&sample, Kinds::ALL);
        let mut awards: Vec<(u16, &str)> = all
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Award { player, award } => Some((player.slot?, award.as_ref())),
                _ => None,
            })
            .collect();
        shown += awards.len();
        logged += stated.len();
        for award in stated {
            if let Some(at) = awards.iter().position(|shown| *shown == award) {
                awards.remove(at);
            }
        }
        assert_eq!(awards, [], "{}: shown but not logged", sample.name);
    }
    println!("{shown} of {logged} rewards that the server logged were seen");
}

/// Names and teams change as the log says.
#[test]
fn names_and_teams_are_those_of_the_log() {
    let mut count = 0;
    for (sample, log) in with_logs() {
        let mut known: BTreeMap<u16, (String, String)> = BTreeMap::new();
        let mut stated = Vec::new();
        for line in lines(&log, "ClientUserinfoChanged") {
            let Some((client, string)) = line.split_once(' ') else { continue };
            let value = |key| String::from_utf8_lossy(fragreel_quake3::strings::info(string.as_bytes(), key)).into_owned();
            let now = (value("n"), value("t"));
            let client: u16 = client.parse().unwrap();
            if let Some(before) = known.insert(client, now.clone()) {
                if before.0 != now.0 {
                    stated.push((client, now.0));
                }
                if before.1 != now.1 {
                    stated.push((client, String::from(["free", "red", "blue", "spectator"][now.1.parse::<usize>().unwrap()])));
                }
            }
        }
        let all = events(&sample, Kinds::ALL);
        let told: Vec<(u16, String)> = all
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Rename { player, .. } => Some((player.slot?, player.name.raw.clone())),
                EventKind::Team { player, .. } => Some((player.slot?, player.team.clone()?.into_owned())),
                _ => None,
            })
            .collect();
        // the first line of the log for a client may be a change already
        assert!(stated.iter().all(|change| told.contains(change)), "{}: {stated:?} {told:?}", sample.name);
        let logged = |change: &(u16, String)| known.contains_key(&change.0);
        assert!(told.iter().all(logged), "{}: {stated:?} {told:?}", sample.name);
        count += told.len();
    }
    println!("{count} names and teams as the server logged them");
}
