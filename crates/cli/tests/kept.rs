//! A catalogue is right whatever happens to the files while it is made and afterwards.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

use crate::running::{interrupt, wait_until};
use crate::{Ran, folder, fragreel, run, sample};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// All that a catalogue says, but for its own numbers.
fn all(db: &Path) -> Vec<String> {
    let connection = Connection::open(db).unwrap();
    let mut rows = Vec::new();
    for table in ["recordings", "levels", "matches", "players", "scores", "chat", "findings", "summaries", "files"] {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns: Vec<String> = statement.column_names().iter().map(|name| (*name).to_owned()).collect();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let values = columns.iter().enumerate().filter(|(_, name)| *name != "id").map(|(at, _)| format!("{:?}", row.get_ref(at).unwrap()));
            rows.push(format!("{table} {}", values.collect::<Vec<_>>().join("|")));
        }
    }
    rows.sort_unstable();
    rows
}

fn index(paths: &[&str], db: &Path) -> Ran {
    run(&[&["index"], paths, &["--db", text(db)]].concat())
}

/// Twelve files come in slowly under `--watch`, which is killed twice. The catalogue is as one that is made afterwards.
#[test]
fn slow_uploads_are_read_whole_however_often_the_watch_is_killed() {
    let folder = folder("kept-uploads");
    let (uploads, db) = (folder.join("uploads"), folder.join("watched.sqlite"));
    fs::create_dir(&uploads).unwrap();
    let names =
        ["quake3/dm_bots.dm_71", "quake3/ctf_bots.dm_71", "quake2/yq2dm_Alice.dm2", "quake1/match_e1m1.mvd", "goldsrc/net-48.dem", "quake1/match_e1m1.qwd"];
    let upload = |number: usize| {
        let name = names[number % names.len()];
        let (path, bytes) = (uploads.join(format!("{number}_{}", name.rsplit('/').next().unwrap())), sample(name));
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(number as u64 * 130));
            let mut file = File::create(path).unwrap();
            for part in bytes.chunks(bytes.len().div_ceil(12)) {
                file.write_all(part).unwrap();
                thread::sleep(Duration::from_millis(250));
            }
        })
    };
    let watch = || -> Child { fragreel(&["index", text(&uploads), "--db", text(&db), "--watch"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap() };
    let uploading: Vec<_> = (0..12).map(upload).collect();
    for life in [900, 1700] {
        let mut child = watch();
        thread::sleep(Duration::from_millis(life));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let child = watch();
    uploading.into_iter().for_each(|upload| upload.join().unwrap());
    let fresh = folder.join("fresh.sqlite");
    index(&[text(&uploads)], &fresh);
    let wanted = all(&fresh);
    assert_eq!(wanted.iter().filter(|row| row.starts_with("files ")).count(), 12);
    assert_eq!(wanted.iter().filter(|row| row.starts_with("recordings ")).count(), 6);
    wait_until("the same catalogue", || all(&db) == wanted);
    interrupt(&child);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130);
    let ran = index(&[text(&uploads)], &db);
    assert!(ran.out.contains("; 0 read, 12 unchanged, 0 removed"), "{}", ran.out);
    assert!(all(&db) == wanted);
}

/// A file that grows at any time while it is read is read to its end, at the latest by the next run.
#[test]
fn what_grows_while_it_is_read_is_read_again() {
    let folder = folder("kept-growing");
    let (file, db) = (folder.join("in/a.mvd"), folder.join("db.sqlite"));
    fs::create_dir(folder.join("in")).unwrap();
    let bytes = sample("quake1/match_e1m1.mvd");
    let wanted = fragreel_tables::recording_id(&bytes);
    for wait in (0..16).map(|step| 2 + step * 9) {
        let _ = fs::remove_file(&db);
        fs::write(&file, &bytes[..bytes.len() * 3 / 4]).unwrap();
        let mut child = fragreel(&["index", text(&folder.join("in")), "--db", text(&db)]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(wait));
        File::options().append(true).open(&file).unwrap().write_all(&bytes[bytes.len() * 3 / 4..]).unwrap();
        child.wait().unwrap();
        index(&[text(&folder.join("in"))], &db);
        let found: String = Connection::open(&db).unwrap().query_row("SELECT recording FROM files", [], |row| row.get(0)).unwrap();
        assert_eq!(found, wanted, "after {wait} ms");
    }
}

/// One file is one row, from wherever it is named; moved and vanished files are found out.
#[test]
fn one_file_is_one_row_and_moves() {
    let folder = folder("kept-names");
    let (demos, db) = (folder.join("a/b"), folder.join("db.sqlite"));
    fs::create_dir_all(&demos).unwrap();
    fs::write(demos.join("x.dm_71"), sample("quake3/dm_bots.dm_71")).unwrap();
    std::os::unix::fs::symlink(folder.join("a"), folder.join("link")).unwrap();
    let within = |folder: PathBuf, path: &str| {
        let ran = Ran::of(fragreel(&["index", path, "--db", text(&db)]).current_dir(folder).output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    within(folder.clone(), "a");
    for (at, path) in
        [(folder.clone(), "./a"), (folder.clone(), text(&folder.join("a"))), (folder.join("a"), "b"), (folder.clone(), "link"), (folder.clone(), "a/b/x.dm_71")]
    {
        let said = within(at, path);
        assert!(said.contains(": 1 files, 1 recordings; 0 read, 1 unchanged, 0 removed"), "{path}: {said}");
    }
    fs::rename(folder.join("a/b"), folder.join("a/c")).unwrap();
    let said = within(folder.clone(), "a");
    assert!(said.contains(": 1 files, 1 recordings; 1 read, 0 unchanged, 1 removed"), "{said}");
    let ran = Ran::of(fragreel(&["find", "--player", "gargoyle", "--db", text(&db)]).current_dir(&folder).output().unwrap());
    assert!(ran.out.contains("\na/c/x.dm_71 "), "{}", ran.out);
    // what is named and not there any more goes, and a folder that is not there now may come back
    fs::rename(folder.join("a"), folder.join("away")).unwrap();
    assert_eq!(index(&[text(&folder.join("a"))], &db).code, 2);
    assert_eq!(all(&db).iter().filter(|row| row.starts_with("files ")).count(), 1);
    index(&[text(&folder.join("a/c/x.dm_71"))], &db);
    assert!(all(&db).is_empty());
}

/// What an archive does not have any more is not in the catalogue any more.
#[test]
fn members_go_with_their_archive() {
    let folder = folder("kept-members");
    let (archive, db, fresh) = (folder.join("in/x.tar"), folder.join("db.sqlite"), folder.join("fresh.sqlite"));
    fs::create_dir(folder.join("in")).unwrap();
    let put = |members: &[(&str, &str)]| {
        let mut writer = tar::Builder::new(File::create(&archive).unwrap());
        for (name, of) in members {
            let bytes = sample(of);
            let mut header = tar::Header::new_ustar();
            header.set_size(bytes.len() as u64);
            writer.append_data(&mut header, name, &bytes[..]).unwrap();
        }
        writer.finish().unwrap();
    };
    put(&[("a.dm_71", "quake3/dm_bots.dm_71"), ("b.dem", "goldsrc/net-48.dem")]);
    assert!(index(&[text(&archive)], &db).out.contains(": 2 files, 2 recordings"));
    put(&[("b.dem", "goldsrc/net-45.dem"), ("c.dm_71", "quake3/dm_bots.dm_71")]);
    let ran = index(&[text(&folder.join("in"))], &db);
    assert!(ran.out.contains(": 2 files, 2 recordings; 2 read, 0 unchanged, 1 removed"), "{}", ran.out);
    index(&[text(&folder)], &fresh);
    assert!(all(&db) == all(&fresh));
}

/// Copies are one recording; the files that hold it are listed, and a file that was changed without a trace is found.
#[test]
fn copies_are_listed_and_bytes_compared() {
    let folder = folder("kept-copies");
    let (demos, db) = (folder.join("demos"), folder.join("db.sqlite"));
    fs::create_dir(&demos).unwrap();
    for name in ["a.dm_71", "b.dm_71", "c.dm_71"] {
        fs::write(demos.join(name), sample("quake3/dm_bots.dm_71")).unwrap();
    }
    fs::write(demos.join("one.dem"), sample("goldsrc/net-48.dem")).unwrap();
    fs::write(demos.join("notes.txt"), "x").unwrap();
    fs::write(demos.join("more.TXT"), "x").unwrap();
    fs::write(demos.join("README"), "x").unwrap();
    let ran = index(&[text(&demos)], &db);
    assert!(ran.out.contains(": 4 files, 2 recordings; 4 read"), "{}", ran.out);
    assert!(ran.err.contains("passed over 3 files that are not recordings: 2 .txt, 1 without extension"), "{}", ran.err);
    let ran = run(&["find", "--duplicates", "--json", "--db", text(&db)]);
    let line: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let paths: Vec<&str> = line["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap().rsplit('/').next().unwrap()).collect();
    assert_eq!((paths, ran.out.lines().count()), (vec!["a.dm_71", "b.dm_71", "c.dm_71"], 1));
    assert!(run(&["find", "--duplicates", "--db", text(&db)]).out.starts_with("3 files of "));
    // elsewhere copies are looked at, unless they are not wanted
    for (more, count) in [(&[][..], 4), (&["--distinct", "-j", "4"], 2)] {
        let ran = run(&[&["info", "--json", text(&demos)], more].concat());
        assert_eq!((ran.code, ran.out.lines().count(), ran.err.contains("passed over 2 copies")), (0, count, count == 2), "{}", ran.err);
        assert!(ran.out.contains("/a.dm_71\""), "the first of them: {}", ran.out);
    }
    let verify = |more: &[&str]| run(&[&["verify", text(&demos), "--db", text(&db)], more].concat());
    let ran = verify(&[]);
    assert_eq!((ran.code, ran.out.matches("; as indexed\n").count()), (0, 4), "{}{}", ran.out, ran.err);
    // the last byte of a message, under the same time
    let (path, time) = (demos.join("b.dm_71"), fs::metadata(demos.join("b.dm_71")).unwrap().modified().unwrap());
    let mut bytes = sample("quake3/dm_bots.dm_71");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    fs::write(demos.join("one.dem"), sample("goldsrc/net-45.dem")).unwrap();
    fs::remove_file(demos.join("c.dm_71")).unwrap();
    fs::write(demos.join("new.dem"), sample("goldsrc/net-48.dem")).unwrap();
    assert!(index(&[text(&folder.join("demos/b.dm_71"))], &db).out.contains("1 unchanged"));
    let ran = verify(&["--json"]);
    let fixity: Vec<(String, String)> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| (line["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(), line["fixity"].as_str().unwrap_or("missing").to_owned()))
        .collect();
    let wanted = [("a.dm_71", "same"), ("b.dm_71", "changed"), ("new.dem", "unknown"), ("one.dem", "replaced"), ("c.dm_71", "missing")];
    assert_eq!((ran.code, fixity), (1, wanted.map(|(name, held)| (name.to_owned(), held.to_owned())).to_vec()), "{}", ran.err);
    assert!(verify(&["--quiet"]).out.contains("restore it from a copy"));
}
