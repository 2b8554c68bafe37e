//! Tables in files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{folder, fragreel, run};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The rows that the manifest lists, by table; each file is what the manifest says.
fn listed(folder: &Path) -> BTreeMap<String, u64> {
    let manifest = fs::read_to_string(folder.join("manifest.jsonl")).unwrap();
    let (mut rows, mut by_recording) = (BTreeMap::new(), BTreeMap::new());
    for line in manifest.lines().skip(1) {
        let commit: Value = serde_json::from_str(line).unwrap();
        for file in commit["files"].as_array().unwrap() {
            let bytes = fs::read(folder.join(file["file"].as_str().unwrap())).unwrap();
            let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((file["bytes"].as_u64(), file["sha256"].as_str()), (Some(bytes.len() as u64), Some(&*hash)));
            *rows.entry(file["table"].as_str().unwrap().to_owned()).or_default() += file["rows"].as_u64().unwrap();
        }
        for recording in commit["recordings"].as_array().unwrap() {
            for (table, count) in recording["rows"].as_object().unwrap() {
                *by_recording.entry(table.clone()).or_default() += count.as_u64().unwrap();
            }
        }
    }
    by_recording.retain(|_, count: &mut u64| *count > 0);
    assert_eq!(rows, by_recording, "the rows of files are the rows of recordings");
    rows
}

/// Every file but the manifest.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    entries.filter(|entry| entry.file_type().is_file() && entry.file_name() != "manifest.jsonl").map(walkdir::DirEntry::into_path).collect()
}

#[test]
fn rows_are_those_of_events() {
    let out = folder("export").join("out");
    let ran = run(&["export", "--tables", "kills,chat,recordings", "--format", "csv", "-o", text(&out), "samples/quake3"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let kills = run(&["events", "--kinds", "kill", "--json", "samples/quake3"]).out.lines().count() as u64;
    let rows = listed(&out);
    assert_eq!((rows["kills"], rows["recordings"]), (kills, 7));
    let all: String = files(&out.join("kills")).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    // Those who killed and those who were killed.
    let query = "SELECT 1 FROM kills WHERE attacker = 'Gargoyle' AND attacker_team = 'free' \
                 UNION ALL SELECT 1 FROM kills WHERE victim = 'Gargoyle' AND victim_team = 'free'";
    let answered = run(&["sql", query, "--format", "csv", "samples/quake3"]).out.lines().count() - 1;
    assert_eq!(all.matches("Gargoyle,Gargoyle,free").count(), answered);
    assert!(all.lines().next().unwrap().starts_with("recording,family,level,time,"));
    // What was asked for twice is refused, and nothing changes.
    let before = files(&out);
    let ran = run(&["export", "--tables", "kills", "--format", "csv", "-o", text(&out), "samples/quake3"]);
    assert!(ran.code == 2 && ran.err.contains("already contains an export"), "{}", ran.err);
    let ran = run(&["export", "--tables", "kills", "--format", "csv", "-o", text(&out), "--resume", "samples/quake3"]);
    assert!(ran.code == 2 && ran.err.contains("other options"), "{}", ran.err);
    assert_eq!(files(&out), before);
}

#[test]
fn mistakes_are_one_sentence_and_leave_nothing() {
    let folder = folder("export-mistakes");
    let out = folder.join("out");
    for (arguments, word) in [
        (&["--tables", "frags"][..], "there is no table `frags`"),
        (&["--tables", "kills", "--columns", "killer"], "has no column `killer`"),
        (&["--tables", "kills", "--where", "time"], "is not a condition"),
        (&["--tables", "kills", "--where", "time > soon"], "is not of type int64"),
    ] {
        let ran = run(&[&["export"], arguments, &["--format", "csv", "-o", text(&out), "samples/quake3"]].concat());
        assert!(ran.code == 2 && ran.err.contains(word), "{}", ran.err);
        assert!(!out.exists());
    }
    fs::create_dir(&out).unwrap();
    fs::write(out.join("precious"), "x").unwrap();
    let ran = run(&["export", "--tables", "kills", "--format", "csv", "-o", text(&out), "samples/quake3"]);
    assert!(ran.code == 2 && ran.err.contains("is not empty"), "{}", ran.err);
    let ran = run(&["export", "--tables", "kills", "--format", "csv", "-o", text(&out.join("precious/x")), "samples/quake3"]);
    assert!(ran.code == 2 && ran.err.contains("is a file"), "{}", ran.err);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
}

/// Killed at any time, an export is what its manifest says, and a later run makes it whole.
#[test]
fn a_killed_export_goes_on() {
    let folder = folder("export-killed");
    let demos = folder.join("demos");
    fs::create_dir(&demos).unwrap();
    for number in 0..30 {
        fs::copy(fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71"), demos.join(format!("{number}.dm_71"))).unwrap();
    }
    let arguments = |out: &Path| {
        ["export", "--tables", "kills,positions", "--columns", "time", "--format", "jsonl", "--resume", "--jobs", "2", "-o", text(out), text(&demos)]
            .map(str::to_owned)
    };
    let whole = folder.join("whole");
    assert_eq!(run(&arguments(&whole).each_ref().map(String::as_str)).code, 0);
    let wanted = listed(&whole);
    for wait in [30, 120, 400] {
        let out = folder.join(format!("killed-{wait}"));
        let arguments = arguments(&out);
        let arguments = arguments.each_ref().map(String::as_str);
        let mut child = fragreel(&arguments).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        if out.join("manifest.jsonl").exists() {
            listed(&out);
        }
        let ran = run(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(listed(&out), wanted);
        let left: Vec<_> = files(&out).into_iter().filter(|file| text(file).ends_with(".part")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// An export that is gone on with holds the rows of the files that are there, whatever they were when it began.
#[test]
fn replaced_recordings_are_exported_again() {
    let folder = folder("export-replaced");
    let demos = folder.join("demos");
    fs::create_dir(&demos).unwrap();
    let [a, b] = ["a.dm_71", "b.dm_71"].map(|name| demos.join(name));
    let begin = |out: &Path| {
        for path in [&a, &b] {
            fs::write(path, super::sample("quake3/dm_bots.dm_71")).unwrap();
        }
        let ran = run(&["export", "--jobs", "1", "--tables", "kills", "--format", "csv", "-o", text(out), text(&demos)]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    let resume = |out: &Path, from: &Path| run(&["export", "--tables", "kills", "--format", "csv", "--resume", "-o", text(out), text(from)]);
    let rows = |out: &Path| {
        listed(out);
        let mut rows: Vec<String> = files(&out.join("kills"))
            .iter()
            .flat_map(|file| fs::read_to_string(file).unwrap().lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
            .collect();
        rows.sort();
        rows
    };
    let out = folder.join("out");
    begin(&out);
    let before = rows(&out);
    fs::write(&b, super::sample("quake3/ctf_bots.dm_71")).unwrap();
    // The rows of both stand in one file, so one alone cannot be exported again.
    let ran = resume(&out, &b);
    let words = ran.said();
    assert!(ran.code == 2 && words.contains("changed since the export"), "{}", ran.err);
    assert_eq!(rows(&out), before);
    let ran = resume(&out, &demos);
    assert!(ran.code == 0 && ran.err.contains("b.dm_71 changed since the export"), "{}", ran.err);
    let whole = folder.join("whole");
    assert_eq!(run(&["export", "--tables", "kills", "--format", "csv", "-o", text(&whole), text(&demos)]).code, 0);
    assert!(rows(&out) == rows(&whole) && rows(&out) != before);
    // A file that was only touched is the same.
    fs::write(&a, super::sample("quake3/dm_bots.dm_71")).unwrap();
    let ran = resume(&out, &demos);
    assert!(ran.code == 0 && !ran.err.contains("replaced") && rows(&out) == rows(&whole), "{}", ran.err);
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_has_the_rows() {
    let out = folder("export-parquet").join("out");
    let ran = run(&["export", "--tables", "positions,kills", "-o", text(&out), "samples/quake3", "samples/quake1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let rows = listed(&out);
    let counted = run(&["sql", "SELECT count(*) FROM positions", "--format", "csv", "samples/quake3", "samples/quake1"]);
    assert_eq!(counted.out.lines().nth(1), Some(rows["positions"].to_string().as_str()), "{}", counted.err);
    assert!(files(&out).iter().all(|file| fs::read(file).unwrap().starts_with(b"PAR1")));
}

/// The rows that a table has, as SQL counts them.
#[cfg(feature = "parquet")]
fn counted(table: &str, paths: &[&str]) -> u64 {
    let question = format!("SELECT count(*) FROM {table}");
    let ran = run(&[&["sql", &question, "--format", "csv"], paths].concat());
    ran.out.lines().nth(1).unwrap().parse().unwrap()
}

#[test]
#[cfg(feature = "parquet")]
fn all_games_are_one_small_file_a_table() {
    let folder = folder("export-single");
    let (out, many) = (folder.join("out"), folder.join("many"));
    let paths = ["samples/quake3", "samples/quake1", "samples/quake2", "samples/goldsrc"];
    let tables = ["--tables", "kills,chat,players"];
    let small = [&["export"], &tables[..], &["--codec", "zstd", "--single-file", "-o", text(&out)], &paths].concat();
    // some samples are damaged
    let ran = run(&small);
    assert!(ran.code < 2, "{}", ran.err);
    let rows = listed(&out);
    let mut names: Vec<_> = files(&out).iter().map(|file| file.strip_prefix(&out).unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["chat.parquet", "kills.parquet", "players.parquet"].map(std::path::PathBuf::from));
    for table in ["kills", "chat", "players"] {
        assert_eq!(rows[table], counted(table, &paths), "{table}");
    }
    assert_eq!(run(&[&small[..], &["--check"]].concat()).code, 0);
    let ran = run(&small);
    assert!(ran.code == 2 && ran.err.contains("already contains an export"), "{}", ran.err);
    // the same rows as many files
    assert!(run(&[&["export"], &tables[..], &["-o", text(&many)], &paths].concat()).code < 2);
    assert_eq!(listed(&many), rows);
    let size = |folder: &Path| files(folder).iter().map(|file| fs::metadata(file).unwrap().len()).sum::<u64>();
    assert!(size(&out) * 2 < size(&many), "{} and {}", size(&out), size(&many));
    // a run that ended before its first commit is begun again
    let header = fs::read_to_string(out.join("manifest.jsonl")).unwrap().lines().next().unwrap().to_owned() + "\n";
    fs::write(out.join("manifest.jsonl"), header).unwrap();
    assert!(run(&small).code < 2);
    assert_eq!(listed(&out), rows);
    let ran = run(&["export", "--tables", "kills", "--codec", "zstd", "--format", "csv", "-o", text(&many), "samples/quake3"]);
    assert!(ran.code == 2 && ran.err.contains("--codec is for Parquet files"), "{}", ran.err);
}

/// A recording in which somebody's name is a formula.
fn with_formula(folder: &Path) -> std::path::PathBuf {
    let text = run(&["decompile", "samples/quake3/dm_bots.dm_71"]).out;
    let (changed, out) = (folder.join("formula.jsonl"), folder.join("formula.dm_71"));
    fs::write(&changed, text.replace("n\\\\Gargoyle\\\\", "n\\\\=1+2\\\\")).unwrap();
    let ran = run(&["compile", self::text(&changed), "-o", self::text(&out)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    out
}

/// What is for spreadsheets has no formulas in it; what is for programs says what is there.
#[test]
fn spreadsheets_get_no_formulas() {
    let folder = folder("formulas");
    let recording = with_formula(&folder);
    let export = |name: &str, option: &[&str]| {
        let out = folder.join(name);
        let ran = run(&[&["export", "--tables", "players,kills", "-o", text(&out)], option, &[text(&recording)]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        listed(&out);
        let files = files(&out);
        assert!(files.iter().all(|file| file.extension().is_some_and(|extension| extension == "csv")));
        files.iter().map(|file| fs::read_to_string(file).unwrap()).collect::<String>()
    };
    let (plain, harmless) = (export("plain", &["--format", "csv"]), export("harmless", &["--spreadsheet"]));
    assert!(plain.contains(",=1+2") && !harmless.contains(",=1+2") && harmless.contains(",'=1+2"), "{harmless}");
    let cells = |text: &str| {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        reader.records().map(|row| row.unwrap().iter().map(|cell| cell.trim_start_matches('\'').to_owned()).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    assert_eq!(cells(&plain), cells(&harmless), "all else is the same");
    // what was begun one way is not gone on with the other
    let ran = run(&["export", "--tables", "players,kills", "-o", text(&folder.join("plain")), "--spreadsheet", "--resume", text(&recording)]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    let both = run(&["export", "--tables", "kills", "-o", "x", "--spreadsheet", "--format", "jsonl", text(&recording)]);
    assert_eq!(both.code, 2, "{}", both.out);
    #[cfg(feature = "catalogue")]
    {
        let ask = |option: &[&str]| run(&[&["sql", "SELECT DISTINCT victim, -5 FROM kills WHERE victim LIKE '=%'", text(&recording)], option].concat()).out;
        let (plain, harmless) = (ask(&["--format", "csv"]), ask(&["--spreadsheet"]));
        assert!(plain.contains("\n=1+2,-5\n") && harmless.contains("\n'=1+2,-5\n"), "{plain}{harmless}");
    }
}

/// With `--json`, an object says why there is no answer, from `sql` too.
#[test]
#[cfg(feature = "catalogue")]
fn sql_says_in_json_what_went_wrong() {
    let error = |arguments: &[&str]| {
        let ran = run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.out);
        let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
        assert_eq!(lines.iter().filter(|line| line["error"].is_string()).count(), 1, "{arguments:?}: {}", ran.out);
        lines
    };
    let sample = "samples/quake3/dm_bots.dm_71";
    error(&["sql", "SELECT nonsense FROM kills", sample, "--format", "json"]);
    error(&["sql", "SELECT nonsense FROM kills", sample, "--format=json"]);
    error(&["sql", "SELECT 1", "--db", "nothing.sqlite", "--format", "json"]);
    error(&["sql", "SELECT 1", "--nonsense", "--format", "json"]);
    let lines = error(&["sql", "SELECT count(*) AS n FROM recordings", "samples/nothing.dm_71", sample, "--format", "json"]);
    assert!(lines.iter().any(|line| line["path"] == "samples/nothing.dm_71") && lines.iter().any(|line| line["n"] == 1), "{lines:?}");
    let ran = run(&["sql", "SELECT nonsense FROM kills", sample, "--format", "csv"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
}

/// The objects that a command prints, and its exit code.
fn objects(arguments: &[&str]) -> (i32, Vec<Value>) {
    let ran = run(arguments);
    (ran.code, super::schemas::valid("export", &ran.out))
}

#[test]
fn a_check_names_every_difference() {
    let folder = folder("export-check");
    let (demos, out) = (folder.join("demos"), folder.join("out"));
    fs::create_dir(&demos).unwrap();
    for name in ["a.dm_71", "b.dm_71", "c.dm_71"] {
        fs::write(demos.join(name), super::sample("quake3/dm_bots.dm_71")).unwrap();
    }
    fs::write(demos.join("words.dm_71"), "no recording at all, only words with a name").unwrap();
    let export = ["export", "--jobs", "1", "--tables", "kills,chat", "--format", "csv", "--json", "-o", text(&out), text(&demos)];
    let (code, lines) = objects(&export);
    assert_eq!((code, lines.len()), (2, 2));
    assert_eq!((&lines[0]["kind"], &lines[1]["recordings"]), (&"malformed".into(), &3.into()));
    assert_eq!(lines[1]["tables"]["kills"]["rows"], 33);
    let check = [&export[..], &["--check"]].concat();
    let (code, lines) = objects(&check);
    assert_eq!((code, lines.len(), &lines[0]["differences"]), (0, 1, &0.into()), "{lines:?}");
    // the file that was not read is in a table of its own, and nothing that is listed
    let failures = fs::read_to_string(out.join("failures/part-00000.csv")).unwrap();
    assert!(failures.starts_with("path,kind,error\n") && failures.contains("words.dm_71") && failures.contains(",malformed,"), "{failures}");
    fs::write(demos.join("b.dm_71"), super::sample("quake3/ctf_bots.dm_71")).unwrap();
    fs::remove_file(demos.join("c.dm_71")).unwrap();
    fs::write(demos.join("d.dm_71"), super::sample("quake3/ctf_bots.dm_71")).unwrap();
    let kills = out.join("kills/family=quake3");
    fs::write(kills.join("part-00000.csv"), "changed").unwrap();
    fs::write(kills.join("part-00001.csv"), "mine").unwrap();
    fs::remove_file(out.join("chat/family=quake3/part-00000.csv")).unwrap();
    let (code, lines) = objects(&check);
    let mut found: Vec<String> = lines[..lines.len() - 1]
        .iter()
        .map(|line| format!("{} {}", line["path"].as_str().unwrap().rsplit('/').next().unwrap(), line["difference"].as_str().unwrap()))
        .collect();
    found.sort();
    let expected = ["b.dm_71 replaced", "c.dm_71 gone", "d.dm_71 new", "part-00000.csv changed", "part-00000.csv missing", "part-00001.csv unlisted"];
    assert_eq!((code, found), (1, expected.map(str::to_owned).to_vec()));
    assert_eq!(lines.last().unwrap()["differences"], 6);
    assert_eq!(fs::read_to_string(kills.join("part-00000.csv")).unwrap(), "changed", "a check writes nothing");
    let (code, lines) = objects(&[&check[..7], &["--columns", "time", "-o", text(&out), "--check", "--json", text(&demos)]].concat());
    assert!(code == 2 && lines[0]["error"].as_str().unwrap().contains("other options"), "{lines:?}");
    let (code, lines) = objects(&["export", "--tables", "kills", "--format", "csv", "--json", "--check", "-o", text(&demos), text(&demos)]);
    assert_eq!((code, &lines[0]["kind"]), (2, &"not_found".into()));
}

#[test]
fn failures_of_the_last_run_are_the_table() {
    let folder = folder("export-failures");
    let (demos, out) = (folder.join("demos"), folder.join("out"));
    fs::create_dir(&demos).unwrap();
    fs::write(demos.join("a.dm_71"), "no recording at all, only words with a name").unwrap();
    let arguments = ["export", "--tables", "kills", "--format", "jsonl", "--resume", "-o", text(&out), text(&demos)];
    assert_eq!(run(&arguments).code, 2);
    let line: Value = serde_json::from_str(&fs::read_to_string(out.join("failures/part-00000.jsonl")).unwrap()).unwrap();
    assert_eq!(line["kind"], "malformed");
    fs::write(demos.join("a.dm_71"), super::sample("quake3/dm_bots.dm_71")).unwrap();
    assert_eq!(run(&arguments).code, 0);
    assert!(!out.join("failures").exists());
    assert_eq!(listed(&out)["kills"], 11);
}

#[test]
fn paths_come_from_a_file_or_from_standard_input() {
    let folder = folder("export-list");
    let list = folder.join("list");
    fs::write(&list, "samples/quake3/dm_bots.dm_71\r\n\nsamples/quake3/ctf_bots.dm_71").unwrap();
    let rows = |out: &Path, more: &[&str]| {
        let ran = run(&[&["export", "--tables", "recordings", "--format", "csv", "-o", text(out)], more].concat());
        // a damaged sample is exported, too
        assert!(ran.code < 2, "{}", ran.err);
        listed(out)["recordings"]
    };
    assert_eq!(rows(&folder.join("a"), &["--files-from", text(&list)]), 2);
    assert_eq!(rows(&folder.join("b"), &["--files-from", text(&list), "samples/goldsrc"]), 2 + rows(&folder.join("c"), &["samples/goldsrc"]));
    let ran = run(&["export", "--tables", "recordings", "--format", "csv", "-o", text(&folder.join("d")), "--files-from", "no/such"]);
    assert!(ran.code == 2 && ran.err.contains("no/such"), "{}", ran.err);
}
