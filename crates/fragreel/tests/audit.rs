//! `audit` finds what was taken out, doubled, reordered or swapped, and calls nothing edited that was not.

use fragreel::Recording;
use fragreel::edit::{Clock, Range};
use fragreel::model::{Audit, FindingKind, Grade, Milliseconds};
use fragreel::text_form::{compile, decompile};
use fragreel_testkit::{Random, Sample};

use super::{FAMILIES, recordings, run_seeds};

fn audit(bytes: &[u8], name: &str) -> Audit {
    Recording::open(bytes.to_vec(), name).map(|recording| recording.audit()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What speaks for an edit.
fn serious(audit: &Audit) -> usize {
    audit.findings.iter().filter(|finding| finding.grade > Grade::Normal).count()
}

/// Samples whose frames state nothing that moves on: NetQuake's clock stands still in them.
const STANDING: [&str; 2] = ["netquake666_deltas_e1m1", "netquake666_deltas_sp"];

/// Words that stand in the lines of frames, and in no others.
const FRAMES: [&str; 8] =
    ["\"snapshot\"", "{\"frame\":", "\"updateentities\"", "\"deltapacketentities\"", "\"packetentities\"", "\"clientdata\"", "\"updates\"", "\"time\":{"];

/// Fewest frames that are taken out, doubled, reordered or swapped.
const SOME: usize = 20;

/// Lines without a stretch of frames, with one twice, with two in the other order, or with two that changed places.
fn tampered(lines: &[&str], how: usize, random: &mut Random) -> Option<String> {
    let frames: Vec<usize> = (0..lines.len()).filter(|&at| FRAMES.iter().any(|word| lines[at].contains(word))).collect();
    let long = SOME + random.below(SOME);
    // The opening stays, and something follows.
    let room = frames.len().checked_sub(2 + 3 * long + 2)?;
    let at = 2 + random.below(room + 1);
    let place = |frame: usize| frames[frame];
    let (a, b, c, d) = (place(at), place(at + long), place(at + 2 * long), place(at + 3 * long));
    let (front, one, two, three, rest) = (&lines[..a], &lines[a..b], &lines[b..c], &lines[c..d], &lines[d..]);
    let parts = match how {
        0 => [front, two, three, rest, &[]].concat(),
        1 => [front, one, one, two, &lines[c..]].concat(),
        2 => [front, two, one, three, rest].concat(),
        _ => [front, three, two, one, rest].concat(),
    };
    Some(parts.join("\n"))
}

/// Tries on a family's recordings; at `most` this number of a hundred may be missed.
fn tries(family: &str, recordings: &[(String, Vec<u8>)], most: usize) {
    let mut random = Random::named(family);
    let (mut done, mut missed) = (0, Vec::new());
    let texts: Vec<(String, usize)> = recordings
        .iter()
        .map(|(name, bytes)| (String::from_utf8(decompile(bytes, name).expect("its text")).expect("text"), serious(&audit(bytes, name))))
        .collect();
    let tries = 25;
    for number in 0..4 * tries {
        let (at, how) = (number % recordings.len(), number / recordings.len() % 4);
        let (name, (text, before)) = (&recordings[at].0, &texts[at]);
        let Some(changed) = tampered(&text.lines().collect::<Vec<_>>(), how, &mut random) else { continue };
        let changed = compile(changed.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        done += 1;
        if serious(&audit(&changed, name)) <= *before {
            missed.push(format!("{name}: {}", ["taken out", "doubled", "reordered", "swapped"][how]));
        }
        if done == tries {
            break;
        }
    }
    assert!(done == tries, "{family}: only {done} tries");
    assert!(missed.len() * 100 <= most * done, "{family}: {} of {done} not found: {missed:?}", missed.len());
}

fn unpacked(family: &str) -> Vec<(String, Vec<u8>)> {
    let samples = fragreel_testkit::samples(family).into_iter().filter(|sample| !STANDING.iter().any(|standing| sample.name.contains(standing)));
    samples.map(|sample| (sample.name.clone(), sample.bytes())).collect()
}

#[test]
fn what_is_taken_out_doubled_reordered_or_swapped_is_found_in_quake3() {
    tries("quake3", &unpacked("quake3"), 1);
}

#[test]
fn what_is_taken_out_doubled_reordered_or_swapped_is_found_in_quake2() {
    let numbered: Vec<_> = unpacked("quake2").into_iter().filter(|(name, _)| !name.ends_with("mvd2")).collect();
    tries("quake2", &numbered, 1);
}

/// The frames of an MVD2 have no numbers and no clock: where nothing moves, nothing shows (`docs/audit.md`).
#[test]
fn what_does_not_continue_is_found_in_most_mvd2() {
    let mvds: Vec<_> = unpacked("quake2").into_iter().filter(|(name, _)| name.ends_with("mvd2")).collect();
    tries("mvd2", &mvds, 35);
}

#[test]
fn what_is_taken_out_doubled_reordered_or_swapped_is_found_in_quake1() {
    tries("quake1", &unpacked("quake1"), 1);
}

#[test]
fn what_is_taken_out_doubled_reordered_or_swapped_is_found_in_goldsrc() {
    tries("goldsrc", &[(String::from("goldsrc/long.dem"), long_half_life())], 1);
}

/// Recordings of every dialect that the corpus has, the smallest that are long enough, each with a few tries. MVD2 and NetQuake, which
/// number nothing, are counted and not judged.
#[test]
fn what_was_tampered_with_is_found_in_every_dialect() {
    let tries = 2;
    let mut rates = std::collections::BTreeMap::<String, (usize, Vec<&str>)>::new();
    for family in FAMILIES {
        let mut random = Random::named(family);
        let mut all: Vec<(Sample, usize)> = recordings(family).filter(|sample| !sample.damaged).map(|sample| (sample.clone(), sample.bytes().len())).collect();
        all.sort_by_key(|(_, size)| *size);
        for (sample, _) in all.iter().filter(|(_, size)| *size < 400_000) {
            let bytes = sample.bytes();
            let name = sample.name.strip_suffix(".gz").unwrap_or(&sample.name);
            let Ok(recording) = Recording::open(bytes.clone(), name) else { continue };
            let info = recording.info();
            let dialect = format!("{} {} {}", info.family, info.dialect, info.recording);
            // What is damaged, or was cut, has findings of its own behind which others hide.
            let found = recording.audit();
            if rates.contains_key(&dialect) || found.grade >= Grade::Damaged {
                continue;
            }
            let text = String::from_utf8(decompile(&bytes, name).expect("its text")).expect("text");
            let lines: Vec<&str> = text.lines().collect();
            if tampered(&lines, 0, &mut random).is_none() {
                continue;
            }
            // a dialect begins with the change after the last one of the dialect before
            let first = rates.len() * tries;
            let missed: Vec<&str> = (first..first + tries)
                .filter_map(|number| {
                    let changed = tampered(&lines, number % 4, &mut random)?;
                    let changed = compile(changed.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error:?}"));
                    let is_found = serious(&audit(&changed, name)) > serious(&found);
                    (!is_found).then_some(["taken out", "doubled", "reordered", "swapped"][number % 4])
                })
                .collect();
            println!("{dialect}: {} of {tries} found in {name} {missed:?}", tries - missed.len());
            rates.insert(dialect, (tries, missed));
        }
    }
    for family in FAMILIES {
        let numbered = |dialect: &str| dialect.starts_with(family) && !dialect.contains("mvd2") && !dialect.contains("netquake");
        let judged: Vec<_> = rates.iter().filter(|(dialect, _)| numbered(dialect)).collect();
        let (tries, missed) = judged.iter().fold((0, 0), |(tries, missed), (_, (some, those))| (tries + some, missed + those.len()));
        assert!(missed * 100 <= tries, "{family}: {missed} of {tries} not found: {judged:?}");
    }
}

/// Our sample of two frames, with many behind them that each go on from the one before.
fn long_half_life() -> Vec<u8> {
    let sample = fragreel_testkit::samples("goldsrc").into_iter().find(|sample| sample.name == "goldsrc/net-48.dem").expect("a sample");
    let text = String::from_utf8(decompile(&sample.bytes(), &sample.name).expect("its text")).expect("text");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let end = lines.iter().rposition(|line| line.starts_with("{\"end\"")).expect("an end");
    let frame = |number: i32| {
        let (sequence, time) = (13 + number, 0.125 + f64::from(number) * 0.05);
        serde_json::json!({"data": {
            "time": time, "frame": sequence, "sequence": [sequence, sequence - 1, 0, 0, sequence + 1, 0, 0],
            "messages": [
                {"time": {"time": 100.0 + time}},
                {"deltapacketentities": {"delta_sequence": (sequence - 1) & 255, "entities": {"1": {"origin[0]": 50.5 + f64::from(number)}}}},
            ],
        }})
        .to_string()
    };
    lines.splice(end..end, (1..400).map(frame));
    compile(lines.join("\n").as_bytes()).unwrap_or_else(|error| panic!("{error:?}"))
}

/// A clock that jumps by less than is remarked by itself still leaves the user commands behind.
#[test]
fn user_commands_are_held_against_the_clock_in_half_life() {
    let text = String::from_utf8(decompile(&long_half_life(), "long.dem").expect("its text")).expect("text");
    let later = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).expect("a line");
        match value["data"]["time"].as_f64().filter(|time| *time > 10.0) {
            Some(time) => {
                value["data"]["time"] = (time + 0.3).into();
                value.to_string()
            }
            None => line.to_owned(),
        }
    };
    let lines: Vec<String> = text.lines().map(later).collect();
    let shorter = compile(lines.join("\n").as_bytes()).unwrap_or_else(|error| panic!("{error:?}"));
    let kinds = |bytes: &[u8]| audit(bytes, "long.dem").findings.iter().filter(|finding| finding.kind == FindingKind::UserCommandClock).count();
    assert_eq!((kinds(&long_half_life()), kinds(&shorter)), (0, 1));
}

#[test]
fn what_the_server_says_of_cheats_is_a_finding() {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name == "quake1/match_e1m1.qwd").expect("a sample");
    let text = String::from_utf8(decompile(&sample.bytes(), &sample.name).expect("its text")).expect("text");
    let cheating =
        compile(text.replacen("fullserverinfo \\\"", "fullserverinfo \\\"\\\\*cheats\\\\ON", 1).as_bytes()).unwrap_or_else(|error| panic!("{error:?}"));
    let said = |bytes: &[u8]| -> Vec<String> {
        audit(bytes, "x.qwd").findings.into_iter().filter(|finding| finding.kind == FindingKind::Settings).map(|finding| finding.evidence).collect()
    };
    assert_eq!((said(&sample.bytes()), said(&cheating)), (vec![], vec![String::from("*cheats ON")]));
}

/// What the answer has of a kind.
fn evidence(bytes: &[u8], name: &str, kind: FindingKind) -> Vec<String> {
    audit(bytes, name).findings.into_iter().filter(|finding| finding.kind == kind).map(|finding| finding.evidence).collect()
}

/// A sample's text with words of it replaced, as a recording.
fn changed(name: &str, from: &str, to: &str) -> Vec<u8> {
    let sample = fragreel_testkit::samples(name.split('/').next().unwrap_or_default()).into_iter().find(|sample| sample.name == name).expect("a sample");
    let text = String::from_utf8(decompile(&sample.bytes(), &sample.name).expect("its text")).expect("text");
    assert!(text.contains(from), "{name}: {from}");
    compile(text.replacen(from, to, 1).as_bytes()).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

#[test]
fn what_games_answer_to_cheats_is_a_finding() {
    let medium = r#"{"print":{"level":"medium""#;
    let time = r#"{"time":{"time":100.125}}"#;
    for (name, before, put, found) in [
        ("quake2/yq2dm_Alice.dm2", medium, r#"{"print":{"level":"high","text":"godmode ON\n"}}"#, "godmode ON"),
        ("quake1/match_e1m1.qwd", medium, r#"{"print":{"level":"high","text":"noclip ON\n"}}"#, "noclip ON"),
        ("goldsrc/net-48.dem", time, r#"{"print":{"text":"\"sv_cheats\" changed to \"1\"\n"}}"#, "sv_cheats 1"),
        ("goldsrc/net-48.dem", time, r#"{"timescale":{"scale":0.5}}"#, "timescale 0.5"),
    ] {
        let said = evidence(&changed(name, before, &format!("{put},{before}")), name, FindingKind::Settings);
        assert!(said.iter().any(|said| said == found), "{name}: {said:?}");
    }
}

#[test]
fn strings_that_are_stated_twice_must_agree() {
    let sample = fragreel_testkit::samples("goldsrc").into_iter().find(|sample| sample.name == "goldsrc/net-48.dem").expect("a sample");
    assert_eq!(evidence(&sample.bytes(), &sample.name, FindingKind::Strings), [""; 0]);
    let mut bytes = sample.bytes();
    // the map's name in the header
    bytes[16..20].copy_from_slice(b"else");
    let found = evidence(&bytes, &sample.name, FindingKind::Strings);
    assert!(matches!(&found[..], [one] if one.contains("states the map `else")), "{found:?}");
}

/// The control group: samples, which stock clients and our own recorder made, and the recordings of the corpus. Those of Qizmo are looked at whatever
/// their size: they are of 1998 to 2005, on bad networks.
#[test]
fn nothing_is_called_edited_that_was_not() {
    let edited = |sample: &Sample| {
        // What is no recording at all is another test's business.
        let found = Recording::open(sample.bytes(), sample.name.strip_suffix(".gz").unwrap_or(&sample.name)).ok()?.audit();
        let evidence = found.findings.into_iter().find(|finding| finding.grade == Grade::Edited)?;
        Some(format!("{}: {} at message {}: {}", sample.name, evidence.kind.name(), evidence.message, evidence.evidence))
    };
    let wrong = std::sync::Mutex::new(Vec::new());
    for family in FAMILIES {
        let all: Vec<Sample> = recordings(family).collect();
        fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
            if bytes.len() < LARGE || sample.origin == "sample" || sample.name.contains("qizmo") {
                wrong.lock().expect("no panic").extend(edited(sample));
            }
        });
    }
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Larger recordings take long, and are looked at by hand.
const LARGE: usize = 1_600_000;

#[test]
fn our_own_cuts_and_joins_are_no_tampering() {
    for name in ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "quake2/q2p_mvd_multi.mvd2", "quake1/match_e1m1.qwd", "quake1/match_e1m1.mvd"] {
        let sample = fragreel_testkit::samples(name.split('/').next().unwrap_or_default()).into_iter().find(|sample| sample.name == name).expect("a sample");
        let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
        let length = recording.info().duration.expect("a length").0;
        let known = recording.audit().findings;
        let is_normal = |found: &Audit| {
            found
                .findings
                .iter()
                .all(|finding| finding.grade == Grade::Normal || known.iter().any(|known| (known.grade, known.kind) == (finding.grade, finding.kind)))
        };
        let part = |from, to| {
            let range = Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) };
            recording.cut(range).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let parts = [(length / 3, length / 2), (length / 2, length)].map(|(from, to)| {
            let part = part(from, to);
            Recording::open(part.bytes, &part.extension).expect("a recording")
        });
        for part in &parts {
            let found = part.audit();
            assert!(is_normal(&found), "{name}, cut: {:?}", found.findings);
            let has = |kind| found.findings.iter().any(|finding| finding.kind == kind);
            // MVD2 states no clock.
            assert!(has(FindingKind::Opening) || has(FindingKind::Cut) || name.ends_with("mvd2"), "{name}: a cut begins during the game");
            assert_eq!(has(FindingKind::Cut), name.starts_with("quake3"), "{name}: where the format shows a cut, it is called one");
        }
        let joined = Recording::join(&parts).unwrap_or_else(|error| panic!("{name}, joined: {error}"));
        let found = audit(&joined.bytes, &format!("joined.{}", joined.extension));
        assert!(is_normal(&found), "{name}, joined: {:?}", found.findings);
    }
}

#[test]
fn seeds_of_audits_hold() {
    run_seeds("fragreel_audit", fragreel::properties::audit);
}
