//! A catalogue, and SQL.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::{folder, fragreel, run, sample};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn found(arguments: &[&str]) -> Vec<String> {
    let ran = run(&[&["find", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.out.lines().map(|line| below(serde_json::from_str::<Value>(line).unwrap()["path"].as_str().unwrap())).collect()
}

/// A path as the checkout sees it, where the tests run.
fn below(path: &str) -> String {
    let root = fs::canonicalize(fragreel_testkit::checkout()).unwrap();
    Path::new(path).strip_prefix(root).ok().filter(|path| path.starts_with("samples")).map_or_else(|| path.to_owned(), |path| text(path).to_owned())
}

#[test]
fn samples_are_found_by_what_is_in_them() {
    let folder = folder("catalogue");
    let db = folder.join("demos.sqlite");
    let db = text(&db);
    let ran = run(&["index", "samples", "--db", db]);
    assert!(ran.out.contains(" 0 unchanged, 0 removed, 0 unreadable"), "{}{}", ran.out, ran.err);
    let bots = ["samples/quake3/dm_bots.dm_71"];
    let both = ["samples/quake3/dm_bots.dm_71", "samples/quake3/elimination.dm_71"];
    assert_eq!(found(&["--db", db, "--player", "gargoyle", "--map", "oa_minia"]), both);
    assert_eq!(found(&["--db", db, "--player", "gargo*", "--map", "OA_MIN??"]), both);
    assert_eq!(found(&["--db", db, "--text", "hello \"ot you\" OR \"all of you\""]), bots);
    let ctf = ["samples/quake3/ctf_bots.dm_71"];
    assert_eq!(found(&["--db", db, "--with", "Gargoyle", "--against", "Grism", "--map", "am_*"]), ctf);
    assert!(found(&["--db", db, "--with", "Gargoyle", "--against", "Kyonshi", "--map", "am_*"]).is_empty(), "they are mates");
    assert!(found(&["--db", db, "--date", "2026-11", "--mod", "baseoa"]).contains(&bots[0].to_owned()));
    assert!(found(&["--db", db, "--date", "2004..2005"]).is_empty());
    assert!(found(&["--db", db, "--damaged"]).contains(&String::from("samples/quake2/q2pkill_Alice.dm2")));
    let ran = run(&["find", "--db", db, "--map", "oa_*", "--limit", "1", "--json"]);
    assert_eq!((ran.out.lines().count(), ran.err.contains("more recordings are found; use a larger --limit")), (1, true), "{}", ran.err);
    for (wrong, said) in [(["--text", "\"open"], "Write words, or a phrase"), (["--date", "yesterday"], "Write a year")] {
        let ran = run(&[&["find", "--db", db], &wrong[..]].concat());
        assert_eq!((ran.code, ran.err.contains(said)), (2, true), "{}", ran.err);
    }
    // Nobody plays against himself, however the patterns overlap.
    assert!(found(&["--db", db, "--with", "garg*", "--against", "*goyle", "--map", "oa_minia"]).is_empty());
    // Nothing is looked at twice.
    let ran = run(&["index", "samples", "--db", db]);
    assert!(ran.out.contains("; 0 read"), "{}", ran.out);
    let ran = run(&["sql", "SELECT map FROM recordings WHERE path LIKE '%dm_bots%'", "--format", "csv", "--db", db]);
    assert_eq!(ran.out, "map\noa_minia\n", "{}", ran.err);
}

/// Copies, cuts, conversions, repairs and other views of each sample are found by content.
#[test]
fn the_same_is_found_whatever_it_is_called() {
    let folder = folder("same");
    let made = folder.join("made");
    fs::create_dir(&made).unwrap();
    let mut pairs = Vec::new();
    for name in [
        "quake3/dm_bots.dm_71",
        "quake3/ctf_bots.dm_71",
        "quake3/spectator.dm_71",
        "quake3/packet_loss.dm_71",
        "quake3/crowd_latency.dm_71",
        "quake2/yq2dm_Alice.dm2",
        "quake2/synth_p26_lmpc.dm2",
        "quake1/match_e1m1.qwd",
        "quake1/match_e1m1.mvd",
        "quake1/netquake15_deltas_dm3.dem",
    ] {
        let source = format!("samples/{name}");
        let extension = name.rsplit('.').next().unwrap();
        let stem = name.replace(['/', '.'], "_");
        let copy = made.join(format!("{stem}_copy.{extension}"));
        fs::write(&copy, sample(name)).unwrap();
        pairs.push((source.clone(), copy, "copy"));
        let mut edits = vec![
            ("cut", extension, vec!["cut", "--from", "0:08", "--to", "0:24"], "view"),
            ("repair", extension, vec!["repair"], "view"),
            ("scrub", extension, vec!["scrub"], "view"),
        ];
        // Plain QuakeWorld states no clock: what is converted to it is known by what happened.
        edits.extend(match (extension, name) {
            ("dm_71", _) => vec![("dm_68", "dm_68", vec!["convert", "--to", "dm_68"], "view"), ("dm_66", "dm_66", vec!["convert", "--to", "dm_66"], "view")],
            (_, "quake2/synth_p26_lmpc.dm2") => vec![("dm2", "dm2", vec!["convert", "--to", "dm2"], "view")],
            ("qwd", _) => vec![("mvd", "mvd", vec!["convert", "--to", "mvd"], "match"), ("qwd", "qwd", vec!["convert", "--to", "qwd"], "match")],
            ("dem", _) => vec![("666", "dem", vec!["convert", "--to", "dem 666"], "view"), ("999", "dem", vec!["convert", "--to", "dem 999"], "view")],
            _ => Vec::new(),
        });
        for (what, extension, arguments, relation) in edits {
            let path = made.join(format!("{stem}_{what}.{extension}"));
            let ran = run(&[&arguments[..], &[&source, "-o", text(&path)]].concat());
            if path.exists() && fs::read(&path).unwrap() != sample(name) {
                pairs.push((source.clone(), path, relation));
            } else {
                assert!(matches!(what, "repair" | "scrub"), "{source}: {}", ran.err);
            }
        }
    }
    let db = folder.join("demos.sqlite");
    let ran = run(&["index", "samples", text(&made), "--db", text(&db)]);
    assert!(db.exists(), "{}", ran.err);
    let mut missing = Vec::new();
    for (source, path, relation) in &pairs {
        let ran = run(&["find", "--json", "--db", text(&db), "--same-as", source]);
        let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        match lines.iter().find(|line| line["path"].as_str() == Some(text(path))) {
            Some(line) if line["same"].as_str() == Some(relation) || *relation == "match" && line["same"] == "view" => {}
            other => missing.push(format!("{} of {source}: {other:?}", path.display())),
        }
    }
    assert!(missing.is_empty(), "{} of {}: {missing:#?}", missing.len(), pairs.len());
    // The other view of a match, recorded by another program in another format.
    let ran = run(&["find", "--json", "--db", text(&db), "--same-as", "samples/quake1/match_e1m1.qwd"]);
    assert!(ran.out.contains("match_e1m1.mvd"), "{}", ran.out);
    assert!(!ran.out.contains("samples/quake3"), "{}", ran.out);
}

/// Recordings of one match by several, in several formats, are found from each other, and nothing else is.
#[test]
fn twins_of_the_corpus_are_found() {
    let families: [(&str, &[&[&str]]); 4] = [
        ("quake1", &[&["match_e1m1.qwd", "match_e1m1.mvd"]]),
        ("quake2", &[&["yq2dm_Alice", "yq2dm_Bob", "yq2dm_Carol", "yq2_srv_dm"]]),
        ("quake3", &[&["ojfc-09-2014_11_25-22_19_39.dm_68", "ojfc-09-2014_11_25-22_19_39_CUT_1335_1355_chat.dm_68"]]),
        ("goldsrc", &[&["New_Patriots_1", "hltv-made__firefield"], &["superimpose-goldsrc__hldm", "hltv-made__hldm"]]),
    ];
    let folder = folder("twins");
    let mut groups: Vec<Vec<std::path::PathBuf>> = Vec::new();
    for (family, names) in families {
        let files: Vec<fragreel_testkit::Sample> = fragreel_testkit::corpus(family).into_iter().chain(fragreel_testkit::samples(family)).collect();
        for group in names {
            let copy = |part: &&str| {
                let sample = files.iter().find(|sample| sample.name.contains(*part))?;
                let path = folder.join(format!("{family}_{}", sample.name.replace('/', "_").trim_end_matches(".gz")));
                fs::write(&path, sample.bytes()).unwrap();
                Some(path)
            };
            groups.push(group.iter().filter_map(copy).collect());
        }
    }
    let db = folder.join("twins.sqlite");
    let ran = run(&["index", text(&folder), "--db", text(&db)]);
    assert!(db.exists(), "{}", ran.err);
    let (mut pairs, mut missing) = (0, Vec::new());
    for group in &groups {
        for one in group {
            let related = found(&["--db", text(&db), "--same-as", text(one)]);
            for other in group.iter().filter(|other| *other != one) {
                pairs += 1;
                if !related.contains(&text(other).to_owned()) {
                    missing.push(format!("{} of {}", other.display(), one.display()));
                }
            }
            let strange: Vec<&String> = related.iter().filter(|path| !group.iter().any(|member| text(member) == *path)).collect();
            assert!(strange.is_empty(), "{}: {strange:?}", one.display());
        }
    }
    assert!(missing.is_empty(), "{} of {pairs}: {missing:#?}", missing.len());
}

/// Numbers by which tables hang together survive that SQLite rewrites the file.
#[test]
fn a_catalogue_survives_a_vacuum() {
    let folder = folder("vacuum");
    let demos = folder.join("demos");
    fs::create_dir(&demos).unwrap();
    for name in ["dm_bots.dm_71", "ctf_bots.dm_71", "spectator.dm_71"] {
        fs::copy(fragreel_testkit::checkout().join("samples/quake3").join(name), demos.join(name)).unwrap();
    }
    let db = folder.join("demos.sqlite");
    let index = || assert_eq!(run(&["index", text(&demos), "--db", text(&db)]).code, 0);
    index();
    fs::remove_file(demos.join("ctf_bots.dm_71")).unwrap();
    index();
    rusqlite::Connection::open(&db).unwrap().execute_batch("VACUUM").unwrap();
    let bots = demos.join("dm_bots.dm_71");
    assert_eq!(found(&["--db", text(&db), "--text", "\"all of you\""]), [text(&bots)]);
    assert_eq!(found(&["--db", text(&db), "--same-as", text(&bots)]), [text(&bots)]);
    fs::rename(&bots, demos.join("moved.dm_71")).unwrap();
    index();
    assert_eq!(found(&["--db", text(&db), "--text", "\"all of you\""]), [text(&demos.join("moved.dm_71"))]);
    // What an earlier version made is refused, and left alone.
    rusqlite::Connection::open(&db).unwrap().execute_batch("PRAGMA user_version = 1").unwrap();
    let ran = run(&["find", "--player", "x", "--db", text(&db)]);
    assert!(ran.code == 2 && ran.err.contains("version 1 of the schema"), "{}", ran.err);
}

/// Killed at any time, a catalogue is sound, and the next run goes on.
#[test]
fn a_killed_index_goes_on() {
    let folder = folder("index-killed");
    let demos = folder.join("demos");
    fs::create_dir(&demos).unwrap();
    for number in 0..40 {
        let name = ["dm_bots.dm_71", "packet_loss.dm_71", "spectator.dm_71"][number % 3];
        fs::copy(fragreel_testkit::checkout().join("samples/quake3").join(name), demos.join(format!("{number}.dm_71"))).unwrap();
    }
    let db = folder.join("demos.sqlite");
    let arguments = ["index", text(&demos), "--db", text(&db)];
    for wait in [20, 60, 150, 400, 900] {
        let mut child = fragreel(&arguments).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let ran = run(&["sql", "PRAGMA integrity_check", "--db", text(&db)]);
        assert!(ran.code == 2, "only reading is allowed: {}", ran.out);
    }
    let ran = run(&arguments);
    assert!(ran.code == 0 && ran.out.contains("40 files, 3 recordings"), "{}{}", ran.out, ran.err);
    let ran = run(&["sql", "SELECT count(*), count(DISTINCT recording) FROM files", "--format", "csv", "--db", text(&db)]);
    assert_eq!(ran.out.lines().nth(1), Some("40,3"), "{}", ran.err);
    // What is gone is taken out.
    fs::remove_file(demos.join("0.dm_71")).unwrap();
    let ran = run(&arguments);
    assert!(ran.out.contains("39 files, 3 recordings; 0 read, 39 unchanged, 1 removed"), "{}", ran.out);
}

#[test]
fn databases_that_cannot_be_used_are_left_alone() {
    let folder = folder("bad-catalogues");
    let notes = folder.join("notes.txt");
    fs::write(&notes, "precious notes, and not few of them at that: more than a page has, and none of it is a database").unwrap();
    for arguments in [&["index", "samples/quake3", "--db"][..], &["find", "--player", "x", "--db"], &["sql", "SELECT 1", "--db"]] {
        let ran = run(&[arguments, &[text(&notes)]].concat());
        assert!(ran.code == 2 && ran.err.contains("cannot use the catalogue"), "{arguments:?}: {}", ran.err);
        let ran = run(&[arguments, &[text(&folder.join("no/such.sqlite"))]].concat());
        assert!(ran.code == 2 && ran.err.contains("catalogue `"), "{arguments:?}: {}", ran.err);
    }
    assert!(fs::read_to_string(&notes).unwrap().starts_with("precious"));
    for (query, word) in [
        ("SELECT * FROM frags", "no such table: frags"),
        ("SELECT killer FROM kills", "no such column: killer"),
        ("SELEKT", "syntax error"),
        ("DROP TABLE kills", "only a single SELECT is allowed"),
    ] {
        let ran = run(&["sql", query, "samples/quake3"]);
        assert!(ran.code == 2 && ran.err.contains(word), "{query}: {}", ran.err);
    }
    // A query that fails leaves no database behind, and one that is answered leaves one that can be asked again.
    let new = folder.join("new.sqlite");
    for (query, left) in [("SELECT killer FROM kills", false), ("SELECT abs(-9223372036854775808) FROM kills", false), ("SELECT count(*) FROM kills", true)] {
        let ran = run(&["sql", query, "samples/quake3/dm_bots.dm_71", "--db", text(&new)]);
        assert_eq!((ran.code == 0, new.exists(), fs::read_dir(&folder).unwrap().count()), (left, left, 1 + usize::from(left)), "{query}: {}", ran.err);
    }
    assert_eq!(run(&["sql", "SELECT count(*) FROM kills", "--format", "csv", "--db", text(&new)]).out, "count(*)\n11\n");
    let ran = run(&["sql", "SELECT count(*) FROM chat", "--format", "csv", "samples/quake3/dm_bots.dm_71", "-o", text(&notes)]);
    assert!(ran.code == 2 && ran.err.contains("already exists"), "{}", ran.err);
}

#[test]
fn a_locked_database_is_said_to_be() {
    let folder = folder("locked-catalogue");
    let db = folder.join("demos.sqlite");
    assert_eq!(run(&["index", "samples/quake3", "--db", text(&db)]).code, 0);
    let connection = rusqlite::Connection::open(&db).unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let ran = run(&["index", "samples/quake1", "--db", text(&db)]);
    assert!(ran.code == 2 && ran.err.contains("another program is using it"), "{}", ran.err);
}

/// After a run the catalogue is one file, and SQL has what people ask for.
#[test]
fn a_catalogue_is_one_file_and_sql_has_functions() {
    let folder = folder("one-file");
    let db = folder.join("demos.sqlite");
    assert_eq!(run(&["index", "samples/quake3", "--db", text(&db)]).code, 0);
    let names: Vec<String> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(names, ["demos.sqlite"]);
    assert_eq!(found(&["--db", text(&db), "--player", "gargoyle", "--map", "oa_minia"]), ["samples/quake3/dm_bots.dm_71", "samples/quake3/elimination.dm_71"]);
    let one = |sql: &str, more: &[&str]| {
        let ran = run(&[&["sql", sql, "--format", "csv"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.lines().nth(1).map(str::to_owned)
    };
    assert_eq!(one("SELECT count(*) FROM players WHERE name REGEXP '^Gar'", &["--db", text(&db)]).as_deref().map(|count| count != "0"), Some(true));
    assert_eq!(one("SELECT median(time) = percentile(time, 50), sqrt(16) FROM kills", &["samples/quake3/dm_bots.dm_71"]).as_deref(), Some("1,4"));
    // Figures of frames are filled where they are asked for.
    assert_ne!(one("SELECT max(distance) FROM scores", &["samples/quake3/dm_bots.dm_71"]).as_deref(), Some(""));
}
