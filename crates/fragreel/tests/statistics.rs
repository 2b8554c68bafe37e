//! What is counted of matches against what servers state of them.

use fragreel::Recording;
use fragreel::model::{self, EventKind, Family, Figure, Kind, MatchState, MatchStats, Outcome, Stat};

/// The matches of every recording of a family.
fn matches(family: &str) -> Vec<(String, MatchStats)> {
    let mut all = Vec::new();
    for sample in super::recordings(family) {
        let bytes = sample.bytes();
        let Ok(recording) = Recording::open(bytes.clone(), &sample.name) else { continue };
        let found = recording.scores().value;
        all.extend(found.into_iter().map(|one| (sample.name.clone(), one)));
    }
    all
}

/// Figures that differ though both sides saw the whole match.
fn differences(matches: &[(String, MatchStats)], stats: &[Stat], checked: &mut usize) -> Vec<String> {
    let mut found = Vec::new();
    for (name, one) in matches.iter().filter(|(_, one)| one.has_start && one.outcome != Outcome::Unfinished && !one.sources.is_empty()) {
        for line in &one.players {
            for &stat in stats {
                let figure: Figure = line.stats.get(stat);
                if let (Some(stated), Some(counted)) = (figure.stated, figure.counted) {
                    *checked += 1;
                    if stated != counted {
                        found.push(format!(
                            "{name}: match {} ({:?}, {}): {} {}: {stated} stated, {counted} counted",
                            one.number,
                            one.outcome,
                            one.sources.join(" "),
                            line.player.name,
                            stat.name()
                        ));
                    }
                }
            }
        }
    }
    found
}

/// KTX, its forerunners' printed tables, and the obituaries agree exactly.
#[test]
fn quakeworld_states_what_is_counted() {
    let matches = matches("quake1");
    let stats = [Stat::Kills, Stat::Deaths, Stat::Suicides, Stat::TeamKills];
    let mut checked = 0;
    let found = differences(&matches, &stats, &mut checked);
    assert!(found.is_empty(), "{}", found.join("\n"));
    // of sprees, one of fifteen: KTX states 4 where the lines have a death after 3
    let sprees = differences(&matches, &[Stat::BestSpree], &mut 0);
    assert!(sprees.len() <= 1, "{}", sprees.join("\n"));
    let damage = [Stat::DamageGiven, Stat::DamageTaken, Stat::DamageTeam, Stat::DamageSelf];
    let mut hurt = 0;
    let unequal = differences(&matches, &damage, &mut hurt);
    assert!(unequal.len() <= 6 && (hurt >= 30 || matches.len() < 10), "{} of {hurt}:\n{}", unequal.len(), unequal.join("\n"));
    for (name, one) in &matches {
        for (line, stat) in one.players.iter().flat_map(|line| damage.map(|stat| (line, stat))) {
            if let Figure { stated: Some(stated), counted: Some(counted), .. } = line.stats.get(stat) {
                assert!((stated - counted).abs() * 250 <= stated, "{name}: {} {}: {stated} stated, {counted} counted", line.player.name, stat.name());
            }
        }
    }
    assert!(checked >= 40 || matches.len() < 10, "{checked}");
    let finished = matches.iter().filter(|(_, one)| one.outcome == Outcome::Won).count();
    assert!(finished >= 5 || matches.len() < 10, "{finished}");
}

/// The boards of Quake Live, CPMA and OSP; what differs is in `docs/statistics.md`, "Where stated and counted differ".
#[test]
fn quake3_states_what_is_counted() {
    let matches = matches("quake3");
    let mut checked = 0;
    let found = differences(&matches, &[Stat::Kills, Stat::Deaths, Stat::Suicides, Stat::TeamKills], &mut checked);
    println!("{} of {checked} figures differ\n{}", found.len(), found.join("\n"));
    assert!(found.len() * 100 <= checked * 8, "{} of {checked}:\n{}", found.len(), found.join("\n"));
    assert!(checked >= 100 || matches.len() < 20, "{checked}");
}

/// What the command prints has the shape that `fragreel schema` says.
#[test]
fn answers_satisfy_their_schemas() {
    let common: serde_json::Value = serde_json::from_str(include_str!("../../cli/schema/common.json")).unwrap();
    let schema = |text: &str| {
        let mut schema: serde_json::Value = serde_json::from_str(text).unwrap();
        schema["$defs"].as_object_mut().unwrap().extend(common["$defs"].as_object().unwrap().clone());
        jsonschema::validator_for(&schema).unwrap()
    };
    let (scores, runs) = (schema(include_str!("../../cli/schema/scores.json")), schema(include_str!("../../cli/schema/runs.json")));
    let line = |answer: serde_json::Value| {
        let serde_json::Value::Object(mut line) = answer else { panic!() };
        line.insert(String::from("path"), "a".into());
        serde_json::Value::Object(line)
    };
    let (mut boards, mut finished) = (0, 0);
    for family in super::FAMILIES {
        for sample in super::small(family) {
            let bytes = sample.bytes();
            let Ok(recording) = Recording::open(bytes.clone(), &sample.name) else { continue };
            for one in recording.scores().value {
                let line = line(serde_json::to_value(&one).unwrap());
                assert!(scores.is_valid(&line), "{}: {:?}", sample.name, scores.validate(&line).err().map(|error| error.to_string()));
                boards += 1;
            }
            for one in recording.runs().value {
                let line = line(serde_json::to_value(&one).unwrap());
                assert!(runs.is_valid(&line), "{}: {:?}", sample.name, runs.validate(&line).err().map(|error| error.to_string()));
                finished += 1;
            }
        }
    }
    assert!(!scores.is_valid(&serde_json::json!({"path": "a"})) && boards > 10, "{boards} {finished}");
}

/// DeFRaG's files are called after the times of their runs.
#[test]
fn runs_have_the_times_of_their_names() {
    let (mut named, mut equal, mut sealed) = (0, 0, 0);
    for sample in super::recordings("quake3").chain(super::recordings("quake1")) {
        let bytes = sample.bytes();
        let Ok(recording) = Recording::open(bytes.clone(), &sample.name) else { continue };
        let runs = recording.runs().value;
        for run in &runs {
            println!("{}: {} {:?} {:?} {:?} {:?} {:?}", sample.name, run.course.name(), run.time, run.physics, run.kills, run.seal, run.remarks);
            if let Figure { stated: Some(stated), counted: Some(counted), .. } = run.time {
                assert!((stated - counted).abs() <= 60, "{}: {stated} stated, {counted} on the recording's clock", sample.name);
            }
            if let Some(seal) = &run.seal {
                assert_eq!(seal.broken, 0, "{}", sample.name);
                sealed += 1;
            }
        }
        // `map[df.cpm]00.25.488(name)` and `map_00.11.304_name`
        let digits: Vec<&str> = sample.name.split(|c: char| !c.is_ascii_digit() && c != '.').collect();
        let Some(time) = digits.iter().find_map(|word| {
            let groups: Vec<i64> = word.trim_matches('.').split('.').map_while(|group| group.parse().ok()).collect();
            match groups[..] {
                [minutes, seconds, milliseconds] if word.trim_matches('.').len() == 9 => Some((minutes * 60 + seconds) * 1000 + milliseconds),
                _ => None,
            }
        }) else {
            continue;
        };
        named += 1;
        equal += usize::from(runs.iter().any(|run| run.time.stated == Some(time)));
    }
    assert_eq!(equal, named, "of the files with a time in their name");
    assert!(named == 0 || sealed >= 2, "{sealed}");
}

/// OpenTDM's last board has the deaths that the lines say since the start of the match, which a time out does not end. (Once it was taken for the end, and four
/// deaths of 21 were missing.) A recording that begins in the middle has those before it on its board, too.
#[test]
fn opentdm_states_what_is_counted() {
    let mut checked = 0;
    for (name, one) in matches("quake2").iter().filter(|(_, one)| one.sources.iter().any(|source| source == "opentdm scoreboard")) {
        for line in &one.players {
            if let Figure { stated: Some(stated), counted: Some(counted), .. } = line.stats.get(Stat::Deaths) {
                checked += 1;
                assert!(counted == stated || !one.has_start && counted < stated, "{name}: {}: {stated} stated, {counted} counted", line.player.name);
            }
        }
    }
    assert!(fragreel_testkit::corpus("quake2").is_empty() || checked >= 5, "{checked}");
}

/// Action Quake II's last boards have the kills and deaths of the lines, but that a kill in the frame of the end is behind them and that its kills are less
/// those of mates, whom the lines do not name as such.
#[test]
fn action_quake_states_what_is_counted() {
    let (mut checked, mut equal) = (0, 0);
    for (name, one) in matches("quake2").iter().filter(|(_, one)| one.sources.iter().any(|source| source == "scoreboard")) {
        assert!(one.teams.len() > 1 && one.winner == one.teams.first().map(|team| team.name.clone()), "{name}: {:?}", one.teams);
        for line in &one.players {
            for stat in [Stat::Kills, Stat::Deaths] {
                let Figure { stated: Some(stated), counted: Some(counted), .. } = line.stats.get(stat) else { continue };
                checked += 1;
                equal += u32::from(stated == counted);
                let most = if stat == Stat::Deaths { 1 } else { 3 };
                assert!((0..=most).contains(&(counted - stated)), "{name}: {}: {stated} {} stated, {counted} counted", line.player.name, stat.name());
            }
        }
    }
    assert!(fragreel_testkit::corpus("quake2").is_empty() || checked >= 20 && equal * 2 >= checked, "{equal} of {checked}");
}

/// Deaths that `ScoreInfo` adds while the recording runs are those of the lines.
#[test]
fn counter_strike_states_what_is_counted() {
    let (mut checked, mut unequal) = (0, Vec::new());
    for (name, one) in matches("goldsrc").iter().filter(|(_, one)| one.sources.iter().any(|source| source == "ScoreInfo")) {
        for line in &one.players {
            let figure = line.stats.get(Stat::Deaths);
            let before: i64 = line.other.get("deaths at the start").map_or(0, |text| text.parse().unwrap());
            if let Figure { stated: Some(stated), counted: Some(counted), .. } = figure {
                checked += 1;
                if stated - before != counted {
                    unequal.push(format!("{name}: {}: {stated} less {before} stated, {counted} counted", line.player.name));
                }
            }
        }
    }
    println!("{} of {checked} differ\n{}", unequal.len(), unequal.join("\n"));
    assert!(unequal.len() * 4 <= checked, "{}", unequal.join("\n"));
}

/// What frames show against what KTX states: armors and power-ups worn, speed, shots.
#[test]
fn frames_count_what_ktx_states() {
    let (mut checked, mut near, mut far, mut speeds, mut off) = (0, 0, Vec::new(), 0, Vec::new());
    for sample in super::recordings("quake1") {
        let bytes = sample.bytes();
        let Ok(recording) = Recording::open(bytes.clone(), &sample.name) else { continue };
        let plain = recording.scores().value;
        let boards = recording.scores_with_frames().value;
        // a level in which nothing happened has a board when frames show who was there
        assert!(plain.len() <= boards.len(), "{}", sample.name);
        for one in boards.iter().filter(|one| one.has_start && one.sources.iter().any(|source| source == "ktxstats")) {
            for line in &one.players {
                let mut compare = |what: String, figure: Figure| {
                    if let Figure { stated: Some(stated), counted: Some(counted), .. } = figure {
                        checked += 1;
                        let close = (stated - counted).abs() * 20 <= stated || (stated - counted).abs() <= 1500;
                        near += usize::from(close);
                        if !close {
                            far.push(format!("{}: {} {what}: {stated} stated, {counted} counted", sample.name, line.player.name));
                        }
                    }
                };
                line.items.iter().for_each(|(item, figures)| compare(format!("{item} held"), figures.get(model::ItemStat::TimeHeld)));
                for (weapon, figures) in &line.weapons {
                    // of shotguns, KTX states pellets
                    for (stat, fired) in [(model::WeaponStat::Shots, "shots"), (model::WeaponStat::Pellets, "pellets")] {
                        let figure = figures.get(stat);
                        // a few shots are no twentieth of anything
                        if figure.stated.is_some_and(|stated| stated >= 40) {
                            compare(format!("{weapon} {fired}"), figure);
                        }
                    }
                }
                for (stat, most) in [(Stat::AverageSpeed, 2.0), (Stat::TopSpeed, 6.0)] {
                    let Figure { stated: Some(stated), counted: Some(counted), .. } = line.stats.get(stat) else { continue };
                    let percent = (counted as f64 / stated as f64 - 1.0) * 100.0;
                    // bots of our sample stand around: a whole unit is more than 2 % of their average
                    let is_off = percent.abs() > most && (stated - counted).abs() > 1;
                    let description = || format!("{}: {} {stat:?}: {stated} stated, {counted} counted, {percent:+.1} %", sample.name, line.player.name);
                    speeds += 1;
                    off.extend(is_off.then(description));
                }
            }
        }
    }
    println!("{near} of {checked} near\n{}", far.join("\n"));
    assert!(fragreel_testkit::corpus("quake1").is_empty() || checked > 20, "{checked}");
    // KTX samples at each command: one who is killed as he is thrown, or sends no commands for a while, has another speed
    assert!(off.len() * 10 <= speeds, "{} of {speeds} speeds are off:\n{}", off.len(), off.join("\n"));
    assert!(near * 10 >= checked * 8, "{near} of {checked}:\n{}", far.join("\n"));
}

/// Events, recordings of other formats and cuts have the number, the result and the marks of the same match.
#[test]
fn match_events_say_what_boards_say() {
    let mut results = 0;
    for family in super::FAMILIES {
        for sample in super::small(family) {
            let bytes = sample.bytes();
            let Ok(recording) = Recording::open(bytes.clone(), &sample.name) else { continue };
            let boards = recording.scores().value;
            let mut ends = Vec::new();
            let (mut all, mut times) = (Vec::new(), Vec::new());
            for event in recording.events([Kind::Match, Kind::Chat]) {
                times.push(event.message);
                if let EventKind::Match { state, number, result, .. } = event.kind {
                    if let (MatchState::Intermission, Some(number)) = (state, number) {
                        ends.push((number, result));
                    }
                    all.push(state);
                }
            }
            for event in recording.events(Kind::Chat) {
                let at = times.iter().position(|time| *time == event.message);
                if let Some(at) = at {
                    times.remove(at);
                }
            }
            assert_eq!(times.len(), all.len(), "{}: nothing is lost, nothing is added", sample.name);
            for (number, result) in ends {
                let Some(board) = boards.iter().find(|board| board.number == number) else { continue };
                let result = result.unwrap_or_else(|| panic!("{}: match {number} has no result", sample.name));
                assert_eq!((result.outcome, &result.winner), (board.outcome, &board.winner), "{}: match {number}", sample.name);
                assert!(result.identity.is_same(&board.identity) || board.identity == model::Identity::default(), "{}", sample.name);
                results += 1;
            }
        }
    }
    assert!(results >= 1, "{results}");
}

/// The marks of matches are equal where two recordings are of one, and only there.
#[test]
fn matches_are_known_again() {
    let mut all: Vec<(String, MatchStats)> = Vec::new();
    for family in super::FAMILIES {
        all.extend(matches(family));
    }
    let mut pairs = Vec::new();
    for (at, (name, one)) in all.iter().enumerate() {
        for (other, two) in &all[at + 1..] {
            if name != other && one.identity.is_same(&two.identity) {
                assert_eq!(one.map.to_lowercase(), two.map.to_lowercase(), "{name} and {other}");
                pairs.push(format!("{name} = {other}"));
            }
        }
    }
    println!("{}", pairs.join("\n"));
    let has = |a: &str, b: &str| pairs.iter().any(|pair| pair.contains(a) && pair.contains(b));
    assert!(has("match_e1m1.mvd", "match_e1m1.qwd"), "the server's view and a client's: {pairs:?}");
}

/// A player who takes another name has one row, and no more time than the match has.
#[test]
fn renamed_players_have_one_row() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.contains("dm_bots")).expect("it is ours");
    let recording = Recording::open(sample.bytes(), &sample.name).unwrap();
    let mut renames = 0;
    renames += recording.events(Kind::Rename).count();
    assert!(renames > 0, "somebody takes another name");
    let (plain, framed) = (recording.scores().value, recording.scores_with_frames().value);
    let names = |one: &MatchStats| one.players.iter().map(|line| (line.player.slot, line.player.name.clean.clone())).collect::<Vec<_>>();
    assert_eq!(plain.iter().map(names).collect::<Vec<_>>(), framed.iter().map(names).collect::<Vec<_>>());
    for one in &framed {
        for line in &one.players {
            let on_team = line.stats.get(Stat::TimeOnTeam).counted.unwrap_or(0);
            assert!(on_team <= (one.to - one.from).0, "{}: {on_team} of {}", line.player.name.clean, one.to - one.from);
        }
        assert!(one.players.iter().any(|line| line.stats.get(Stat::TimeOnTeam).counted.is_some()));
    }
}

/// Kills have places, from the frame before; where both sides are in sight, the distance is between them.
#[test]
fn kills_have_contexts() {
    let mut all = 0;
    for family in super::FAMILIES {
        let (mut kills, mut placed, mut dead) = (0, 0, 0);
        for sample in super::small(family) {
            let bytes = sample.bytes();
            let Ok(recording) = Recording::open(bytes.clone(), &sample.name) else { continue };
            let (mut plain, mut with) = (Vec::new(), Vec::new());
            plain.extend(recording.events(Kind::Kill));
            for mut event in recording.events_with_kill_context(Kind::Kill) {
                if let EventKind::Kill(kill) = &mut event.kind {
                    kills += 1;
                    if let Some(context) = kill.context.take() {
                        placed += usize::from(context.victim_origin.is_some());
                        dead += usize::from(context.victim_health.is_some_and(|health| health <= 0));
                    }
                }
                with.push(event);
            }
            assert_eq!(plain, with, "{}", sample.name);
        }
        println!("{family}: {kills} kills, {placed} with the victim's place, {dead} of somebody dead");
        assert!(placed * 4 >= kills || kills < 100, "{family}: {placed} of {kills}");
        assert!(dead * 10 <= placed, "{family}: the frame before shows him alive: {dead} of {placed}");
        all += placed;
    }
    assert!(all > 20, "{all} kills with a place");
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[answers_satisfy_their_schemas, match_events_say_what_boards_say, kills_have_contexts]);
}

/// The samples' servers logged every kill: boards count the same, without the corpus.
#[test]
fn samples_have_boards() {
    let (mut boards, mut kills) = (0, 0);
    for family in super::FAMILIES {
        for sample in fragreel_testkit::samples(family).into_iter().filter(|sample| fragreel::is_recording_name(&sample.name)) {
            let bytes = sample.bytes();
            let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
            let told = recording.events(Kind::Kill).count() as i64;
            let found = recording.scores().value;
            boards += found.len();
            let deaths: i64 = found.iter().flat_map(|one| &one.players).filter_map(|line| line.stats.get(Stat::Deaths).counted).sum();
            kills += deaths;
            // who dies in a warm-up dies for nothing
            assert!(deaths <= told, "{}: {deaths} of {told}", sample.name);
            assert!(found.iter().all(|one| one.to >= one.from && one.number > 0), "{}", sample.name);
            if recording.family() == Family::Quake3 {
                assert!(found.iter().all(|one| one.date.is_some()), "{}", sample.name);
            }
        }
    }
    assert!(boards >= 10 && kills >= 30, "{boards} boards, {kills} kills");
}

/// What is read where it stands is what a walk over everything finds.
#[test]
fn final_statements_are_those_of_a_whole_walk() {
    let mut sources = std::collections::BTreeMap::<String, usize>::new();
    for sample in super::FAMILIES.iter().flat_map(|family| super::recordings(family)) {
        let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
        let (stated, walked) = (recording.final_statement().value, recording.final_statement_walked());
        assert_eq!(stated, walked, "{}", sample.name);
        let Some(stated) = stated else { continue };
        *sources.entry(stated.source.to_string()).or_default() += 1;
        if !["ktxstats", "finalscores", "xstats2", "xstats2a"].contains(&&*stated.source) {
            continue;
        }
        // the scoreboard of the match has the same figures
        let Some(last) = recording.scores().value.pop().filter(|last| last.sources.contains(&stated.source)) else { continue };
        let weight = |figure: &Figure| figure.source == Some(model::Source::End);
        for line in &stated.players {
            let Some(known) = last.players.iter().find(|known| known.player.name == line.player.name) else { continue };
            for (stat, figure) in line.stats.iter().filter(|(stat, _)| weight(&known.stats.get(*stat))) {
                assert_eq!(figure.stated, known.stats.get(stat).stated, "{}: {} {}", sample.name, line.player.name, stat.name());
            }
        }
    }
    println!("{sources:?}");
    assert!(!sources.is_empty());
    assert!(sources.get("ktxstats").is_some_and(|count| *count >= 3) || super::recordings("quake1").count() < 60, "{sources:?}");
}
