//! Output for machines is what `docs/schema` says.

use jsonschema::Validator;
use serde_json::Value;

use super::run;

fn schema(name: &str) -> Validator {
    let text = std::fs::read_to_string(fragreel_testkit::checkout().join("docs/schema").join(format!("{name}.json"))).expect("the schema is there");
    jsonschema::validator_for(&serde_json::from_str(&text).expect("it is JSON")).expect("it is a schema")
}

/// The lines of a command's output, each checked.
fn checked(name: &str, arguments: &[&str]) -> Vec<Value> {
    let schema = schema(name);
    let ran = run(arguments);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for line in &lines {
        let errors: Vec<String> = schema.iter_errors(line).map(|error| format!("{} at {}", error, error.instance_path)).collect();
        assert!(errors.is_empty(), "{arguments:?}: {errors:?}\n{line}");
    }
    lines
}

#[test]
fn highlights_are_what_their_schema_says() {
    let wishes = ["--kills", "2", "--chat", "a,e", "--captures", "--distance", "100", "--mid-air", "0.1", "--air-shots", "0.1", "--flicks", "10"];
    let mut reasons = std::collections::BTreeSet::new();
    for more in [&["samples"][..], &["samples/quake3", "--merge", "--best", "9"], &["samples/quake3/README.md", "no/such"]] {
        let lines = checked("highlights", &[&["highlights", "--json"], &wishes[..], more].concat());
        assert!(!lines.is_empty());
        let found = lines.iter().filter_map(|line| line["reasons"].as_array()).flatten();
        reasons.extend(found.map(|reason| reason["reason"].as_str().expect("a word").to_owned()));
    }
    assert_eq!(reasons.into_iter().collect::<Vec<_>>(), ["air_shot", "capture", "chat", "distance", "flick", "kills", "mid_air"]);
    assert!(!schema("highlights").is_valid(&serde_json::json!({"path": "x", "number": 1})), "the schema refuses something");
}

#[test]
fn commands_are_what_their_schema_says() {
    assert!(checked("commands", &["usercmds", "--json", "samples/quake1/match_e1m1.qwd", "--to", "0:05"]).len() > 100);
    assert!(checked("commands", &["usercmds", "--json", "samples"]).len() > 1000);
    assert!(checked("commands", &["usercmds", "--json", "--summary", "samples"]).len() > 2);
}

#[test]
fn differences_are_what_their_schema_says() {
    let (a, b) = ("samples/quake3/dm_bots.dm_71", "samples/quake3/ctf_bots.dm_71");
    for arguments in [&[a, b][..], &[a, a], &[a, "--at", "10", "--at", "20"], &[a, "--message", "10", "--message", "11"], &[a, "no/such"]] {
        let lines = checked("diff", &[&["diff", "--json"], arguments].concat());
        let last = lines.last().expect("a sum");
        assert!(last.get("error").is_some() || last["equal"] == (arguments == [a, a]), "{last}");
    }
}
