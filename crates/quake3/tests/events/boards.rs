//! Kills and pick-ups against what servers state of them elsewhere in the same recording.

use std::collections::{BTreeMap, BTreeSet};

use fragreel_model::{EventKind, Kind, Kinds, MatchState};

use super::events;

/// Game types whose score is frags and nothing else.
const FRAGS: &[&str] = &["Free For All", "Duel", "Team Deathmatch", "2on2"];

/// From a match's start (or the first scoreboard) to its last scoreboard, each player's score is what the kills say: one
/// for each, one less for a suicide, for a death by the world (not in Quake Live from protocol 90 on), for a team mate; OpenArena takes nothing from those
/// who have nothing, for dying of themselves. The few exceptions are
/// in `docs/errata/quake3.md`.
#[test]
fn scoreboards_agree_with_kills() {
    let (mut agree, mut checked, mut recordings) = (0, 0, 0);
    for sample in fragreel_testkit::corpus("quake3").into_iter().chain(fragreel_testkit::samples("quake3")) {
        let mut all = events(&sample, Kinds::ALL);
        // a server sends the board after it has counted a kill, and both come in one message, the kill behind
        all.sort_by_key(|event| (event.message, event.kind.kind() == Kind::Scores));
        let forgiving = ["dm_90", "dm_91"].contains(&sample.extension().as_str());
        let openarena = ["dm_70", "dm_71"].contains(&sample.extension().as_str());
        let defrag = all.iter().any(|event| matches!(&event.kind, EventKind::Level { game, .. } if game.starts_with("defrag")));
        let game_types: Vec<Option<&str>> =
            all.iter().filter_map(|event| if let EventKind::Level { game_type, .. } = &event.kind { Some(game_type.as_deref()) } else { None }).collect();
        if defrag || !matches!(game_types[..], [Some(game_type)] if FRAGS.contains(&game_type)) {
            continue;
        }
        let mut tally: BTreeMap<u16, i32> = BTreeMap::new();
        // scores begin at zero for those who come, and those who watch show the score of whom they watch
        let mut strangers: BTreeSet<u16> = BTreeSet::new();
        let mut first: Option<BTreeMap<u16, i32>> = None;
        let mut last: Option<BTreeMap<u16, (i32, i32)>> = None;
        for event in &all {
            match &event.kind {
                EventKind::Match { state: MatchState::Started | MatchState::Restarted, .. } => {
                    tally.clear();
                    strangers.clear();
                    first = Some(BTreeMap::new());
                    last = None;
                }
                EventKind::Kill(kill) => {
                    let victim = kill.victim.slot.unwrap();
                    let attacker = kill.attacker.as_ref().map(|attacker| attacker.slot.unwrap());
                    let score_of = |slot: u16, tally: &BTreeMap<u16, i32>| {
                        let before = first.as_ref().and_then(|first| first.get(&slot)).copied().unwrap_or(0);
                        before + tally.get(&slot).copied().unwrap_or(0)
                    };
                    match attacker {
                        None if forgiving => {}
                        None if openarena && score_of(victim, &tally) <= 0 => {}
                        None => *tally.entry(victim).or_default() -= 1,
                        Some(attacker) if attacker == victim && openarena && score_of(victim, &tally) <= 0 => {}
                        Some(attacker) if attacker == victim || kill.team_kill => *tally.entry(attacker).or_default() -= 1,
                        Some(attacker) => *tally.entry(attacker).or_default() += 1,
                    }
                    if kill.means == "MOD_SWITCH_TEAMS" {
                        strangers.insert(victim);
                    }
                }
                EventKind::Join { player } | EventKind::Leave { player, .. } | EventKind::Team { player, .. } => {
                    strangers.insert(player.slot.unwrap());
                }
                EventKind::Scores { players, .. } if !players.is_empty() => {
                    let of = |score: &fragreel_model::Score| (score.player.slot.unwrap(), score.score);
                    if first.is_none() {
                        first = Some(players.iter().map(of).collect());
                        tally.clear();
                        strangers.clear();
                    }
                    let playing = players.iter().filter(|score| score.player.team.as_deref() != Some("spectator"));
                    last = Some(playing.map(of).map(|(slot, score)| (slot, (score, tally.get(&slot).copied().unwrap_or(0)))).collect());
                }
                _ => {}
            }
        }
        let (Some(first), Some(last)) = (first, last) else { continue };
        recordings += 1;
        for (slot, (score, kills)) in last.into_iter().filter(|(slot, _)| !strangers.contains(slot)) {
            let stated = score - first.get(&slot).copied().unwrap_or(0);
            checked += 1;
            agree += usize::from(stated == kills);
            if stated != kills {
                println!("{}: player {slot} scored {stated}, kills say {kills}", sample.name);
            }
        }
    }
    println!("{agree} of {checked} scores in {recordings} recordings agree with the kills");
    assert!(agree * 100 >= checked * 97, "{agree} of {checked}");
}

/// Quake Live's duels print who takes the great items, to those who may know: each line has its event at the same time.
#[test]
fn printed_pick_ups_are_told() {
    let mut count = 0;
    for sample in fragreel_testkit::corpus("quake3") {
        let all = events(&sample, Kinds::ALL);
        let printed: Vec<(i64, String, &str)> = all
            .iter()
            .filter_map(|event| {
                let EventKind::Print { text } = &event.kind else { return None };
                let (name, item) = text.clean.split_once(" got the ")?;
                let item = match item.trim_end() {
                    "Red Armor." => "item_armor_body",
                    "Mega Health." => "item_health_mega",
                    _ => return None,
                };
                Some((event.server_time.0, name.to_owned(), item))
            })
            .collect();
        if printed.is_empty() {
            continue;
        }
        let told: Vec<(i64, String, &str)> = all
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Item { player, item, .. } if matches!(&**item, "item_armor_body" | "item_health_mega") => {
                    Some((event.server_time.0, player.name.clean.clone(), &**item))
                }
                _ => None,
            })
            .filter(|told| told.0 >= printed[0].0)
            .collect();
        assert_eq!(told, printed, "{}", sample.name);
        count += told.len();
    }
    println!("{count} pick-ups told as the server printed them");
}

/// Where a server prints who got, returned or captured a flag, the flag's event names the same player.
#[test]
fn printed_flags_are_told() {
    let mut count = 0;
    for sample in fragreel_testkit::corpus("quake3").into_iter().chain(fragreel_testkit::samples("quake3")) {
        let all = events(&sample, Kinds::ALL);
        for event in &all {
            let EventKind::Print { text } = &event.kind else { continue };
            let line = text.clean.to_ascii_lowercase();
            let Some((name, rest)) = [" got the ", " returned the "].iter().find_map(|verb| line.split_once(verb)).filter(|(_, rest)| rest.contains(" flag!"))
            else {
                continue;
            };
            let mut flags = all.iter().filter(|flag| flag.message == event.message).filter_map(|flag| match &flag.kind {
                EventKind::Flag { team, player: Some(player), .. } => Some((team.as_ref(), player.name.clean.to_ascii_lowercase())),
                _ => None,
            });
            assert!(flags.any(|(team, player)| rest.starts_with(team) && name.ends_with(&player)), "{}: {}", sample.name, text.clean);
            count += 1;
        }
    }
    println!("{count} flags told as the server printed them");
}
