//! User commands and their summary.

use super::{folder, run, sample};

#[test]
fn commands_of_both_families_have_rows() {
    let ran = run(&["usercmds", "--csv", "samples/quake1/match_e1m1.qwd"]);
    let mut lines = ran.out.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| head.iter().position(|heading| *heading == name).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(ran.code == 0 && rows.len() > 1000 && rows.iter().all(|row| row.len() == head.len()));
    assert!(rows.iter().any(|row| row[at("buttons")].contains("attack")) && rows.iter().all(|row| row[at("slot")].is_empty()));

    // The summary counts what the rows say.
    let summary = run(&["usercmds", "--summary", "--json", "samples/quake1/match_e1m1.qwd"]).out;
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("one object");
    let sum: u64 = rows.iter().map(|row| row[at("msec")].parse::<u64>().unwrap()).sum();
    let impulses = rows.iter().filter(|row| row[at("impulse")] != "0").count() as u64;
    assert_eq!((summary["commands"].as_u64(), summary["msec"].as_u64()), (Some(rows.len() as u64), Some(sum)));
    assert_eq!(summary["impulses"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum::<u64>(), impulses);
    let presses = |name: &str| {
        let held: Vec<bool> = rows.iter().map(|row| row[at("buttons")].split('+').any(|button| button == name)).collect();
        held.iter()
            .enumerate()
            .filter(|(at, held)| **held && (*at == 0 || !rows[at - 1][self::at(&head, "buttons")].split('+').any(|button| button == name)))
            .count() as u64
    };
    assert_eq!(summary["buttons"]["attack"]["presses"].as_u64(), Some(presses("attack")));
    assert!(presses("attack") > 0);
}

/// The summary has the same presses as CSV and as JSON, those of one command among them.
#[test]
fn presses_are_the_same_in_csv_and_json() {
    let of = |format: &str| run(&["usercmds", "--summary", format, "samples/quake1/match_e1m1.qwd"]).out;
    let (csv, json) = (of("--csv"), of("--json"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("one object");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().expect("headings").clone();
    let row = reader.records().next().expect("a row").expect("a row");
    let of = |name: &str| row[head.iter().position(|heading| heading == name).expect("a heading")].parse::<u64>().ok();
    for (column, button, count) in [
        ("attacks", "attack", "presses"),
        ("attack_single", "attack", "single"),
        ("jumps", "jump", "presses"),
        ("jump_commands", "jump", "commands"),
        ("jump_single", "jump", "single"),
    ] {
        assert_eq!(of(column), json["buttons"][button][count].as_u64(), "{column}");
    }
    assert!(of("attacks") > Some(0) && of("jumps") > Some(0), "{row:?}");
}

fn at(head: &[&str], name: &str) -> usize {
    head.iter().position(|heading| *heading == name).unwrap()
}

#[test]
fn folders_are_summed_up_and_what_holds_none_is_counted() {
    let folder = folder("hands");
    std::fs::write(folder.join("a.qwd"), sample("quake1/match_e1m1.qwd")).unwrap();
    std::fs::write(folder.join("b.dm_71"), sample("quake3/dm_bots.dm_71")).unwrap();
    let ran = run(&["usercmds", "--summary", folder.to_str().unwrap()]);
    assert!(ran.code == 0 && ran.out.contains("commands") && ran.err.contains("1 recording holds no user commands"), "{}{}", ran.out, ran.err);
    let ran = run(&["usercmds", "samples/quake3/dm_bots.dm_71"]);
    assert!(ran.code == 2 && ran.err.contains("hold no user commands"), "{}", ran.err);
}

/// A recording alone is what `info` is asked about, and one behind an option without a value is a recording.
#[test]
fn recordings_are_no_commands_and_no_values() {
    let sample = "samples/quake3/dm_bots.dm_71";
    assert_eq!(run(&[sample, "--json"]).out, run(&["info", sample, "--json"]).out);
    let ran = run(&["highlights", "--captures", sample]);
    assert_ne!(ran.code, 2, "{}", ran.err);
    let ran = run(&["view", "/nonexistent.dm_68", "--no-browser", "--for", "1"]);
    assert!(ran.code == 2 && ran.err.contains("does not exist"), "{}", ran.err);
    let ran = run(&["explain", "--entity", "9999", sample]);
    assert!(ran.code == 0 && ran.err.contains("matches --entity"), "{}", ran.err);
    let ran = run(&["highlights", "--kills", "1", "--player", "nobody at all", sample]);
    assert!(ran.err.contains("no player is called"), "{}", ran.err);
    let ran = run(&["highlights", "--kills", "1", "--weapon", "rial", sample]);
    assert!(ran.err.contains("no kill with `rial`"), "{}", ran.err);
}
