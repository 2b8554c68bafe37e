//! Figures at any time against the scoreboards.

use fragreel::Recording;
use fragreel::model::{Milliseconds, PlayerStats, Stat};
use serde_json::{Value, json};

#[test]
fn the_last_figures_of_a_match_are_those_of_its_scoreboard() {
    let (mut lines, mut sides) = (0, 0);
    for sample in super::FAMILIES.into_iter().flat_map(super::recordings) {
        let bytes = sample.bytes();
        let Ok(recording) = Recording::open(bytes.clone(), &sample.name) else { continue };
        let (history, matches) = (recording.score_history().value, recording.scores().value);
        let name = &sample.name;
        assert_eq!(history.matches, matches, "{name}");
        let written = serde_json::to_value(&history).unwrap();
        for one in &matches {
            let part =
                written["parts"].as_array().unwrap().iter().find(|part| part["number"] == one.number).unwrap_or_else(|| panic!("{name}: {}", one.number));
            let players = part["players"].as_array().unwrap();
            let known = one.players.iter().filter(|line| figures(line).as_array().unwrap().iter().any(|figure| !figure.is_null()));
            assert_eq!(players.len(), known.count(), "{name}: {}", one.number);
            for line in &one.players {
                let found = players.iter().find(|found| found["player"] == serde_json::to_value(&line.player).unwrap());
                let last = found.map_or(json!([null, null, null]), |found| found["changes"].as_array().unwrap().last().unwrap()[2].clone());
                assert_eq!(last, figures(line), "{name}: {} {}", one.number, line.player.name);
                lines += 1;
            }
            for team in &one.teams {
                let found = part["teams"].as_array().unwrap().iter().find(|found| found["name"] == *team.name);
                let last = found.map(|found| found["changes"].as_array().unwrap().last().unwrap()[1].clone());
                assert_eq!(last.unwrap_or_default(), Value::from(team.stats.get(Stat::Score).value()), "{name}: {} {}", one.number, team.name);
                sides += 1;
            }
        }
    }
    assert!(lines > 50 && sides > 20, "{lines} {sides}");
}

fn figures(line: &PlayerStats) -> Value {
    json!([Stat::Kills, Stat::Deaths, Stat::Score].map(|stat| line.stats.get(stat).value()))
}

/// Kills and deaths by slot.
fn at(name: &str, seconds: f64) -> Vec<(u16, Option<i64>, Option<i64>)> {
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples").join(name)).unwrap();
    let history = Recording::open(bytes, name).unwrap().score_history().value;
    let standing = history.at(Milliseconds::from_seconds(seconds));
    standing.iter().flat_map(|standing| &standing.players).filter_map(|line| Some((line.slot?, line.kills, line.deaths))).collect()
}

#[test]
fn a_warm_up_has_no_figures() {
    let sample = "quake3/warmup_restart.dm_68";
    assert!(at(sample, 10.0).is_empty(), "players are killed, and no match is played");
    let last = at(sample, 1000.0);
    assert!(last.contains(&(4, Some(2), Some(0))) && last.contains(&(3, Some(0), Some(1))), "{last:?}");
}
