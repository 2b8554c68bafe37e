//! Output for machines is what `fragreel schema` says.

use jsonschema::Validator;
use serde_json::Value;

use super::run;

fn schema(name: &str) -> Validator {
    let ran = run(&["schema", name]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
    jsonschema::validator_for(&serde_json::from_str(&ran.out).expect("it is JSON")).expect("it is a schema")
}

/// The lines of a command's output, each checked.
pub fn checked(name: &str, arguments: &[&str]) -> Vec<Value> {
    valid(name, &run(arguments).out)
}

/// The lines of a text that a command printed, each checked.
pub fn valid(name: &str, text: &str) -> Vec<Value> {
    let schema = schema(name);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for line in &lines {
        let errors: Vec<String> = schema.iter_errors(line).map(|error| format!("{} at {}", error, error.instance_path)).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}\n{line}");
    }
    lines
}

#[test]
fn highlights_are_what_their_schema_says() {
    let wishes = ["--kills", "2", "--chat", "a,e", "--marks", "--captures", "--distance", "100", "--mid-air", "0.1", "--air-shots", "0.1", "--flicks", "10"];
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
    assert!(checked("usercmds", &["usercmds", "--json", "samples/quake1/match_e1m1.qwd", "--to", "0:05"]).len() > 100);
    assert!(checked("usercmds", &["usercmds", "--json", "samples"]).len() > 1000);
    assert!(checked("usercmds", &["usercmds", "--json", "--summary", "samples"]).len() > 2);
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

/// What each question answers on every sample, a damaged recording and what is none.
#[test]
fn answers_are_what_their_schemas_say() {
    let folder = tempfile::tempdir().expect("there is room");
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71")).expect("the sample is there");
    let damaged = folder.path().join("damaged.dm_71");
    std::fs::write(&damaged, &bytes[..bytes.len() - 1000]).expect("there is room");
    let damaged = damaged.to_str().expect("it is text");
    for name in ["info", "verify", "audit", "events", "scores", "runs", "jumps", "aim"] {
        let lines = checked(name, &[name, "--json", "samples", damaged, "README.md", "no/such"]);
        assert_eq!(lines.iter().filter(|line| line["kind"] == "unsupported" && line["error"].is_string()).count(), 1, "{name}");
        assert_eq!(lines.iter().filter(|line| line["kind"] == "not_found" && line["error"].is_string()).count(), 1, "{name}");
        assert!(!schema(name).is_valid(&serde_json::json!({"path": "a"})), "the schema of {name} refuses something");
    }
    assert!(checked("frames", &["frames", "--json", "--hz", "0.5", "--entities", "item,missile,player", "samples", "README.md"]).len() > 100);
    for sample in ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "goldsrc/net-48.dem", "quake1/match_e1m1.mvd"] {
        let sample = format!("samples/{sample}");
        assert_eq!(checked("state", &["state", "--json", "--at", "2", &sample]).len(), 1);
        assert_eq!(checked("cut", &["cut", "--json", "--from", "1", "--to", "3", "--dry-run", &sample]).len(), 1);
        assert_eq!(checked("scrub", &["scrub", "--json", "--dry-run", &sample]).len(), 1);
        assert_eq!(checked("repair", &["repair", "--json", "--dry-run", &sample]).len(), 1);
    }
}

/// The other commands, and the lines that options exchange for others.
#[test]
fn further_lines_are_what_their_schemas_say() {
    let stated = checked("scores", &["scores", "--json", "--stated", "samples"]);
    assert!(stated.iter().any(|line| line["source"] == "scoreboard") && stated.iter().any(|line| line["no_statement"].is_string()), "{stated:?}");
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path().to_str().expect("it is text");
    let sample = "samples/quake3/dm_bots.dm_71";
    assert_eq!(checked("explain", &["explain", "--json", "--messages", "0..20", sample]).len(), 21);
    assert_eq!(checked("explain", &["explain", "--json", "--message", "99999", sample])[0]["kind"], "misuse");
    assert!(checked("convert", &["convert", "--list", "--json", sample]).len() > 1);
    assert_eq!(checked("strip", &["strip", "--list", "--json", sample]).len(), 1);
    let written = checked("cut", &["cut", "--json", "--from", "1", "--to", "3", "-o", &format!("{folder}/cut.dm_71"), sample]);
    assert_eq!(written[0]["output"], format!("{folder}/cut.dm_71"));
    assert!(!checked("highlights", &["highlights", "--json", "-o", &format!("{folder}/best"), sample]).is_empty());
    let packed = checked("pack", &["pack", "--json", "-o", folder, sample, "no/such"]);
    assert!(packed[0]["sha256"].is_string() && packed[1]["kind"] == "not_found", "{packed:?}");
    assert!(checked("extract", &["extract", "--json", "--dry-run", "samples", "no/such"]).len() > 20);
    assert_eq!(checked("unpack", &["unpack", "--json", "-o", folder, &format!("{folder}/dm_bots.dm_71.frp"), sample]).len(), 2);
}

#[cfg(feature = "catalogue")]
#[test]
fn what_is_found_is_what_its_schema_says() {
    let folder = tempfile::tempdir().expect("there is room");
    let db = folder.path().join("demos.sqlite");
    let db = db.to_str().expect("it is text");
    assert_eq!(checked("find", &["find", "--json", "--db", db])[0]["kind"], "not_found");
    let indexed = checked("index", &["index", "samples/quake3", "samples/goldsrc", "README.md", "--db", db, "--json"]);
    assert!(indexed[0]["kind"] == "unsupported" && indexed[1]["unreadable"] == 1 && indexed[1]["read"].as_u64() > Some(5), "{indexed:?}");
    assert!(checked("find", &["find", "--json", "--db", db]).len() > 5);
    let same = checked("find", &["find", "--json", "--db", db, "--same-as", "samples/quake3/dm_bots.dm_71"]);
    assert_eq!(same[0]["same"], "copy");
}

/// Whatever the documents show.
#[test]
fn documents_show_what_the_schemas_say() {
    let root = fragreel_testkit::checkout();
    let files = ["docs", "tests/cli"].into_iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("it is there"));
    let mut checked = 0;
    for path in files.map(|entry| entry.expect("it is there").path()).filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(&path).expect("it is text");
        for part in text.split("\n$ fragreel ").skip(1) {
            let (line, rest) = part.split_once('\n').expect("a line ends");
            let name = line.split(' ').next().expect("a command has a name");
            if line.split(' ').any(|word| word == "--json") {
                let lines = rest.lines().take_while(|line| !line.starts_with("```"));
                let shown: Vec<&str> = lines.filter(|line| line.starts_with('{') && !line.contains("[..]")).collect();
                checked += valid(name, &shown.join("\n")).len();
            }
        }
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
#[ignore = "nightly"]
fn every_schema_is_one() {
    for name in run(&["schema"]).out.lines() {
        schema(name);
    }
}

#[test]
fn every_command_with_json_has_a_schema() {
    let names = run(&["schema"]).out;
    let names: Vec<&str> = names.lines().collect();
    assert_eq!(run(&["schema", "nothing"]).code, 2);
    let help = run(&["--help"]).out;
    let commands = help.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("  ")).map(|(name, _)| name).filter(|name| !name.contains(' '));
    let with_json: Vec<&str> = commands.filter(|name| run(&[name, "--help"]).out.contains("\n      --json\n")).collect();
    assert!(with_json.len() > 20, "{with_json:?}");
    for name in with_json {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn a_hash_is_of_the_content() {
    let folder = tempfile::tempdir().expect("there is room");
    let sample = fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71");
    let bytes = std::fs::read(&sample).expect("the sample is there");
    let packed = folder.path().join("packed.dm_71.gz");
    let mut gzip = flate2::write::GzEncoder::new(std::fs::File::create(&packed).expect("there is room"), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &bytes).and_then(|()| gzip.finish().map(drop)).expect("there is room");
    let lines = checked("info", &["info", "--json", "--hash", "samples/quake3/dm_bots.dm_71", packed.to_str().expect("it is text")]);
    let wanted: String =
        sha2::Digest::finalize(sha2::Digest::chain_update(<sha2::Sha256 as sha2::Digest>::new(), &bytes)).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(lines.iter().map(|line| line["sha256"].as_str().expect("it is asked for")).collect::<Vec<_>>(), [&wanted, &wanted]);
}
