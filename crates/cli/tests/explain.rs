//! What is chosen of messages is what they hold, and nothing is missing.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{folder, run};

const SAMPLES: [&str; 4] =
    ["samples/quake3/dm_bots.dm_71", "samples/quake2/q2pkill_Alice.dm2", "samples/quake1/netquake666_deltas_dm6.dem", "samples/goldsrc/net-48.dem"];

fn explained(sample: &str, more: &[&str]) -> Vec<Value> {
    let ran = run(&[&["explain", "--json", sample], more].concat());
    assert_ne!(ran.code, 2, "{}", ran.err);
    ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The fields of one entity, by message.
fn of_entity(messages: &[Value], entity: &str) -> BTreeMap<u64, Vec<Value>> {
    let mut found = BTreeMap::new();
    for message in messages {
        let parts = message["parts"].as_array().unwrap().iter();
        let parts: Vec<Value> = parts.filter(|part| part["path"].as_str().unwrap().split(" › ").any(|step| step == entity)).cloned().collect();
        if !parts.is_empty() {
            found.insert(message["message"].as_u64().unwrap(), parts);
        }
    }
    found
}

#[test]
fn one_entity_has_the_fields_that_all_messages_show_of_it() {
    for sample in SAMPLES {
        let all = explained(sample, &[]);
        let steps = all.iter().flat_map(|message| message["parts"].as_array().unwrap()).flat_map(|part| part["path"].as_str().unwrap().split(" › "));
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        steps.filter(|step| step.starts_with("entity ")).for_each(|step| *counts.entry(step).or_default() += 1);
        let Some((entity, _)) = counts.into_iter().max_by_key(|(_, count)| *count) else { panic!("{sample} has no entity") };
        let number = entity.trim_start_matches("entity ");
        let chosen = explained(sample, &["--entity", number]);
        assert_eq!(of_entity(&chosen, entity), of_entity(&all, entity), "{sample} {entity}");
        assert!(chosen.len() <= all.len() && !chosen.is_empty());
    }
}

#[test]
fn messages_are_chosen_by_number_and_time() {
    let numbers = |more: &[&str]| explained(SAMPLES[0], more).iter().map(|message| message["message"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(numbers(&["--messages", "100..103"]), [100, 101, 102, 103]);
    assert_eq!(numbers(&["--messages", "1117.."]), [1117, 1118, 1119]);
    // Frames come with messages one later: the first message is the gamestate.
    assert_eq!(numbers(&["--from", "5", "--to", "5.1"]), [100, 101, 102]);
    assert_eq!(numbers(&["--from", "5", "--to", "5.1", "--messages", "101..200"]), [101, 102]);
    let fields = explained(SAMPLES[0], &["--messages", "100..110", "--fields", "serverTime"]);
    assert!(fields.len() == 11 && fields.iter().all(|message| message["parts"].as_array().unwrap().len() == 1), "{fields:?}");
    assert_eq!(run(&["explain", SAMPLES[0], "--from", "5:00"]).code, 2);
}

#[test]
fn text_with_places_is_compiled_to_the_same_bytes() {
    let folder = folder("places");
    for (at, sample) in SAMPLES.iter().enumerate() {
        let (text, again) = (folder.join(format!("{at}.jsonl")), folder.join(format!("{at}.again")));
        let (text, again) = (text.to_str().unwrap(), again.to_str().unwrap());
        assert_eq!(run(&["decompile", "--places", sample, "-o", text]).code, 0);
        let placed = std::fs::read_to_string(text).unwrap();
        assert!(placed.contains(",\"at\":{\"message\":1,\"time\":"), "{sample}");
        assert_eq!(run(&["compile", text, "-o", again]).code, 0);
        assert!(std::fs::read(again).unwrap() == std::fs::read(fragreel_testkit::checkout().join(sample)).unwrap(), "{sample}");
    }
    let part = run(&["decompile", "--messages", "100..102", SAMPLES[0]]).out;
    assert!(part.lines().count() == 4 && part.starts_with("{\"recording\""), "{part}");
    assert_eq!(run(&["decompile", SAMPLES[0], "--max-output", "10kB"]).code, 2);
}

/// The lines of the text are those of the messages in which `explain` shows what is asked for.
#[test]
fn text_is_chosen_as_fields_are() {
    for sample in &SAMPLES[..3] {
        for choice in [&["--fields", "origin*"][..], &["--entity", "2", "--changed"], &["--messages", "20..60", "--entity", "1"]] {
            let shown: Vec<u64> = explained(sample, choice).iter().map(|message| message["message"].as_u64().unwrap()).collect();
            let ran = run(&[&["decompile", "--places", sample], choice].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            let lines: Vec<Value> = ran.out.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
            let lines: Vec<u64> = lines.iter().map(|line| line["at"]["message"].as_u64().unwrap()).collect();
            assert_eq!(lines, shown, "{sample} {choice:?}");
        }
    }
}
