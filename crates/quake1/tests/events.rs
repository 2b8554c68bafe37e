//! Events held against what else the same recording says.

use std::collections::BTreeMap;

use fragreel_base::wire::Limits;
use fragreel_model::{Channel, Course, Event, EventKind, Evidence, Kind, Kinds, MatchState};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::characters;
use fragreel_quake1::unstable::container::Framing;
use fragreel_testkit::Sample;

use super::made::netquake;

fn all(sample: &Sample, wanted: Kinds) -> Vec<Event> {
    let bytes = sample.bytes();
    let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).expect("a recording");
    let mut events = Vec::new();
    let mut walk = recording.events(wanted);
    events.extend(walk.by_ref());
    let damage = walk.damage();
    assert!(damage.is_empty(), "{}: {damage:?}", sample.name);
    events
}

/// Multi-view recordings of matches between people.
fn matches() -> Vec<Sample> {
    super::corpus::recordings().into_iter().filter(|sample| sample.extension() == "mvd" && sample.notes.contains("single/stats/all")).collect()
}

/// Every kill that is read out of a line is followed by the score that the server states: the killer's rises by one,
/// or, by his own hand or team, falls.
#[test]
fn kills_agree_with_scores() {
    let mut seen = 0;
    for sample in matches() {
        let events = all(&sample, [Kind::Kill, Kind::Score].into_iter().collect());
        let mut expected: BTreeMap<u16, i32> = BTreeMap::new();
        let mut stated: BTreeMap<u16, i32> = BTreeMap::new();
        let mut last: BTreeMap<u16, i32> = BTreeMap::new();
        for event in &events {
            match &event.kind {
                EventKind::Kill(kill) => {
                    let blamed = kill.attacker.as_ref().unwrap_or(&kill.victim);
                    let Some(slot) = blamed.slot else { panic!("{}: {} is not on the score board", sample.name, blamed.name) };
                    let own_fault = kill.attacker.as_ref().is_none_or(|attacker| attacker == &kill.victim) || kill.team_kill;
                    *expected.entry(slot).or_default() += if own_fault { -1 } else { 1 };
                }
                EventKind::Score { player: Some(player), score, .. } => {
                    let slot = player.slot.expect("a slot");
                    // the first score sent may hold frags from before the recording: one of them is new
                    match last.insert(slot, *score) {
                        // a slot that is given to somebody else starts at zero
                        Some(before) if (score - before).abs() > 2 => {}
                        Some(before) => *stated.entry(slot).or_default() += score - before,
                        None => *stated.entry(slot).or_default() += expected.get(&slot).map_or(0, |_| if *score > 0 { 1 } else { -1 }),
                    }
                }
                _ => {}
            }
        }
        // a frag or two may fall before the start or after the end of what was recorded, and `/kill` costs two
        let off: i32 = expected.iter().map(|(slot, sum)| (sum - stated.get(slot).unwrap_or(&0)).abs()).sum();
        let total: i32 = expected.values().map(|sum| sum.abs()).sum();
        assert!(off <= 2 + total / 20, "{}: kills say {expected:?}, the server {stated:?}", sample.name);
        seen += total;
    }
    assert!(seen > 300 || matches().is_empty());
}

/// Kills, deaths, suicides and team kills, as KTX and the lines have them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Tally {
    kills: i64,
    deaths: i64,
    suicides: i64,
    team_kills: i64,
    world: i64,
}

/// What the kills of a match come to, by name.
fn count(events: &[Event]) -> BTreeMap<String, Tally> {
    let start = events.iter().find(|event| matches!(event.kind, EventKind::Match { state: MatchState::Started, .. })).map(|event| event.time);
    let end =
        events.iter().find(|event| matches!(&event.kind, EventKind::Print { text } if text.clean.starts_with("The match is over"))).map(|event| event.time);
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for event in events.iter().filter(|event| Some(event.time) >= start && end.is_none_or(|end| event.time <= end)) {
        let EventKind::Kill(kill) = &event.kind else { continue };
        assert_eq!(kill.unknown, None, "{event:?}");
        let victim = tallies.entry(kill.victim.name.clean.clone()).or_default();
        victim.deaths += 1;
        match &kill.attacker {
            None => victim.world += 1,
            Some(_) if kill.is_suicide() => victim.suicides += 1,
            Some(attacker) => {
                let attacker = tallies.entry(attacker.name.clean.clone()).or_default();
                if kill.team_kill { attacker.team_kills += 1 } else { attacker.kills += 1 }
            }
        }
    }
    tallies
}

/// KTX states kills, deaths, suicides and team kills of every player; the lines give the same, exactly.
#[test]
fn demo_info_agrees_with_lines() {
    let mut seen = 0;
    for sample in matches() {
        let bytes = sample.bytes();
        let texts = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap().demo_info();
        let Some(text) = texts.first() else { continue };
        let stated: serde_json::Value = serde_json::from_str(text).unwrap();
        let counted = count(&all(&sample, Kinds::ALL));
        for player in stated["players"].as_array().unwrap() {
            let name: Vec<u8> = player["name"].as_str().unwrap().chars().map(|c| c as u32 as u8).collect();
            let name = characters::clean(&name);
            let number = |key: &str| player["stats"][key].as_i64().unwrap();
            let own = counted.get(&name).cloned().unwrap_or_default();
            let told = Tally { kills: number("kills"), deaths: number("deaths"), suicides: number("suicides"), team_kills: number("tk"), ..own };
            assert_eq!(own, told, "{}: {name}", sample.name);
            assert_eq!(own.kills - own.team_kills - own.suicides - own.world, number("frags"), "{}: {name}", sample.name);
            seen += 1;
        }
    }
    assert!(seen >= 9 || matches().is_empty(), "{seen}");
}

/// Before demo info, KTX and its forerunners printed the statistics: `frags (rank) friendkills efficiency`, where the
/// efficiency is that of frags and deaths.
#[test]
fn printed_statistics_agree_with_lines() {
    let mut seen = 0;
    for sample in matches() {
        let events = all(&sample, Kinds::ALL);
        let counted = count(&events);
        let prints: Vec<&str> = events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Print { text } => Some(text.clean.trim()),
                _ => None,
            })
            .skip_while(|line| !line.starts_with("Frags (rank)"))
            .collect();
        let friend_kills = prints.first().is_some_and(|head| head.contains("friendkills"));
        for pair in prints.windows(2) {
            let Some(row) = pair[1].split_once(" (").filter(|(frags, _)| frags.parse::<i64>().is_ok()) else { continue };
            let Some(name) = pair[0].strip_suffix(':').and_then(|name| name.get(2..)) else { continue };
            let Some(own) = counted.get(name) else { continue };
            let words: Vec<&str> = row.1.split_whitespace().collect();
            let frags: i64 = row.0.parse().unwrap();
            assert_eq!(own.kills - own.team_kills - own.suicides - own.world, frags, "{}: {name} {own:?}", sample.name);
            if friend_kills {
                assert_eq!(own.team_kills, words[1].parse::<i64>().unwrap(), "{}: {name}", sample.name);
            }
            let efficiency = if frags < 1 { 0.0 } else { frags as f64 * 100.0 / (frags + own.deaths) as f64 };
            assert_eq!(format!("{efficiency:.1}%"), *words.last().unwrap(), "{}: {name} {own:?}", sample.name);
            seen += 1;
        }
    }
    assert!(seen >= 8 || matches().is_empty(), "{seen}");
}

/// Most often that anybody got a player's line around a block.
fn times_said(recording: &Recording, block: u32, name: &str, text: &str) -> usize {
    const AROUND: u32 = 32;
    let near = recording.blocks().map(|block| block.expect("a block")).skip(block.saturating_sub(AROUND) as usize).take(2 * AROUND as usize);
    let mut times = BTreeMap::new();
    for block in near {
        let Framing::Packet { target, .. } = block.framing else { continue };
        let data = characters::clean(block.data);
        let said = data.split(['\n', '\0']).filter(|line| line.contains(name) && line.ends_with(text)).count();
        *times.entry((target.kind, target.slot, target.players)).or_default() += said;
    }
    times.into_values().max().unwrap_or(0)
}

/// What several readers get is an event once; again only where one of them got it again.
#[test]
fn nothing_is_told_twice() {
    for sample in matches() {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).expect("a recording");
        let events = all(&sample, [Kind::Chat, Kind::Kill, Kind::Match].into_iter().collect());
        for pair in events.windows(2) {
            if let (EventKind::Chat { text: a, from: who, .. }, EventKind::Chat { text: b, from: other, .. }) = (&pair[0].kind, &pair[1].kind) {
                let again = pair[0].time == pair[1].time && a == b && who == other;
                let name = other.as_ref().map_or("", |from| &from.name.clean);
                assert!(!again || times_said(&recording, pair[1].message, name, &b.clean) > 1, "{}: {:?}", sample.name, pair[1]);
            }
        }
        let starts = events.iter().filter(|event| matches!(event.kind, EventKind::Match { state: MatchState::Started, .. })).count();
        assert!(starts <= 1, "{}", sample.name);
    }
}

/// Fewer wanted kinds give the same events, only fewer.
#[test]
fn kinds_only_select() {
    for sample in fragreel_testkit::samples("quake1").iter().chain(matches().iter().take(4)) {
        let everything = all(sample, Kinds::ALL);
        for &kind in Kind::ALL {
            let some = all(sample, [kind].into_iter().collect());
            let expected: Vec<_> = everything.iter().filter(|event| event.kind.kind() == kind).cloned().collect();
            assert_eq!(some, expected, "{} {}", sample.name, kind.name());
        }
    }
}

#[test]
fn evidence_is_honest() {
    for sample in matches() {
        for event in all(&sample, Kinds::ALL) {
            match &event.kind {
                EventKind::Kill(_) | EventKind::Chat { .. } | EventKind::Flag { .. } => assert_eq!(event.evidence, Evidence::Inferred),
                EventKind::Damage { .. } | EventKind::Score { .. } | EventKind::Join { .. } | EventKind::Level { .. } => {
                    assert_eq!(event.evidence, Evidence::Stated);
                }
                _ => {}
            }
        }
    }
}

fn events_of(file: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    let recording = Recording::open(file, Some("dem"), Limits::default()).unwrap();
    let mut walk = recording.events(Kinds::ALL);
    events.extend(walk.by_ref());
    let damage = walk.damage();
    assert!(damage.is_empty(), "{damage:?}");
    events
}

/// A line that names the killer alone is a kill of somebody; with one mate only, it is him, and where the score falls,
/// whose it is.
#[test]
fn the_side_that_no_line_names_is_said_to_be_unknown() {
    let start = b"\x09//fullserverinfo \"\\teamplay\\2\"\n//fui 0 \"\\name\\alice\\team\\red\"\n\0\x09//fui 1 \"\\name\\bob\\team\\red\"\n\0\x07\0\0\x80\x3f";
    let with_third = b"\x09//fui 2 \"\\name\\carol\\team\\red\"\n//fui 3 \"\\name\\dave\\team\\blue\"\n\0\x07\0\0\0\x40";
    let line = b"\x07\0\0\x10\x40\x08alice loses another friend\n\0";
    let later = b"\x07\0\0\x80\x40";
    let tele = b"\x07\0\0\x20\x40\x08bob was telefragged by his teammate\n\0\x0e\x02\xff\xff";
    let kills = |messages: &[&[u8]]| -> Vec<(String, String, Option<fragreel_model::Unknown>, bool)> {
        let kills = events_of(&netquake(8, messages)).into_iter().filter_map(|event| match event.kind {
            EventKind::Kill(kill) => Some((kill.attacker.unwrap().name.clean, kill.victim.name.clean, kill.unknown, kill.team_kill)),
            _ => None,
        });
        kills.collect()
    };
    let kill = |attacker: &str, victim: &str, unknown| (attacker.to_owned(), victim.to_owned(), unknown, true);
    assert_eq!(kills(&[start, line, later]), [kill("alice", "bob", None)]);
    assert_eq!(kills(&[start, with_third, line, later]), [kill("alice", "", Some(fragreel_model::Unknown::Victim))]);
    assert_eq!(kills(&[start, with_third, tele, later]), [kill("carol", "bob", None)]);
}

/// FTE and its kin name players and server in text commands.
#[test]
fn names_in_text_commands_are_read() {
    let file = netquake(
        4,
        &[
            b"\x09//fullserverinfo \"\\hostname\\home\\coop\\0\\deathmatch\\0\"\n\0\x09//fui 0 \"\\name\\alice\"\n\0\x07\0\0\x80\x3f",
            b"\x07\0\0\0\x40\x09//fui 1 \"\\name\\bob\"\n\0\x09//ui 1 \"name\" \"rob\"\n\0\x09//fui 1 \"\"\n\0",
        ],
    );
    let told: Vec<_> = events_of(&file).iter().map(|event| event.kind.kind().name()).collect();
    assert_eq!(told, ["level", "join", "rename", "leave"]);
    let info = Recording::open(&file, Some("dem"), Limits::default()).unwrap().info();
    assert_eq!(info.players.iter().map(|player| player.name.clean.as_str()).collect::<Vec<_>>(), ["alice", "rob"]);
    assert_eq!(info.recorder.unwrap().name.clean, "alice");
    assert_eq!((info.server.unwrap().clean.as_str(), info.game_type.as_deref()), ("home", Some("single player")));
}

/// A cut scene is not the end of a match, and one player alone plays no cooperative game.
#[test]
fn cut_scenes_end_nothing() {
    let file = netquake(1, &[b"\x0d\0alice\0\x07\0\0\x80\x3f", b"\x07\0\0\0\x40\x22Once\0", b"\x07\0\0\x40\x40\x1e"]);
    let told: Vec<_> = events_of(&file).into_iter().map(|event| (event.time.0, event.kind)).collect();
    let [
        (0, EventKind::Level { game_type: Some(game_type), .. }),
        (2000, EventKind::Finish(run)),
        (2000, EventKind::Match { state: MatchState::Intermission, .. }),
        (2000, EventKind::Scores { .. }),
    ] = &told[..]
    else {
        panic!("{told:?}")
    };
    assert_eq!(game_type, "single player");
    let who = run.player.as_ref().map(|player| player.name.clean.as_str());
    assert_eq!((run.course, run.time.counted, who), (Course::Level, Some(3000), Some("alice")), "the level's clock, not the recording's");
}

/// A small NetQuake game: who is there, what they say, and a death in three pieces.
#[test]
fn netquake_lines_are_put_together() {
    let mut file = b"-1\n".to_vec();
    let mut block = |data: &[u8]| {
        file.extend((data.len() as u32).to_le_bytes());
        file.extend([0; 12]);
        file.extend(data);
    };
    block(b"\x0b\x0f\0\0\0\x04\x01Level\0maps/dm3.bsp\0\0\0\x0d\0alice\0\x0d\x01bob\0\x05\x01\0");
    block(b"\x07\0\0\x80\x3f");
    block(b"\x07\0\0\0\x40\x08alice\0\x08 rides \0\x08bob's rocket\n\0\x08\x01bob: ha\n\0\x08You got the \0\x08nailgun\n\0");
    block(b"\x0d\x01robert\0\x0d\0\0\x02");
    let recording = Recording::open(&file, Some("dem"), Limits::default()).unwrap();
    let mut events = Vec::new();
    let mut walk = recording.events(Kinds::ALL);
    events.extend(walk.by_ref());
    assert!(walk.damage().is_empty());
    let told: Vec<_> = events.iter().map(|event| event.kind.kind().name()).collect();
    assert_eq!(told, ["level", "kill", "chat", "item", "rename", "leave"]);
    let EventKind::Kill(kill) = &events[1].kind else { panic!() };
    assert_eq!((kill.attacker.as_ref().unwrap().name.clean.as_str(), kill.victim.name.clean.as_str(), kill.means.as_ref()), ("bob", "alice", "rl"));
    assert_eq!((events[1].time.0, events[1].server_time.0, events[1].message), (1000, 2000, 2));
    let EventKind::Chat { channel, text, .. } = &events[2].kind else { panic!() };
    assert_eq!((*channel, text.clean.as_str()), (Channel::Public, "ha"));
}
