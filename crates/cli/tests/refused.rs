//! What a disk or a database refuses: one sentence, code 2, and nothing half-written.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Ran, folder, run};

const SAMPLE: &str = "samples/quake3/ctf_bots.dm_71";

/// Runs the command where no file may be longer than `blocks` of 512 bytes, as on a disk that is full.
fn run_on_full_disk(blocks: u32, arguments: &[&str]) -> Ran {
    // Without the trap the system kills a process that writes too much, which no full disk does.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_fragreel")]).args(arguments);
    Ran::of(command.current_dir(fragreel_testkit::checkout()).stdin(Stdio::null()).output().expect("there is a shell"))
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// One sentence with what to do.
fn must_refuse(ran: &Ran, what: &str) {
    assert_eq!(ran.code, 2, "{what}: {}{}", ran.out, ran.err);
    assert_eq!(ran.err.matches("×").count() + ran.err.matches("Error:").count(), 1, "{what}: {}", ran.err);
    assert!(ran.err.contains("cannot ") && ran.err.contains("help:"), "{what}: {}", ran.err);
    assert!(!ran.err.contains("panicked") && !ran.err.contains("internal error"), "{what}: {}", ran.err);
}

/// Commands that write below a folder: their names there, and the rest.
const WRITERS: [&[&str]; 8] = [
    &["sql", "SELECT * FROM positions", SAMPLE, "--format", "csv", "-o", "answer.csv"],
    &["sql", "SELECT * FROM positions", SAMPLE, "--format", "csv", "--db", "tables.sqlite"],
    &["export", "--tables", "positions", "--format", "csv", SAMPLE, "-o", "csv"],
    &["export", "--tables", "positions", "--format", "jsonl", SAMPLE, "-o", "jsonl"],
    &["cut", "--from", "0:10", SAMPLE, "-o", "cut.dm_71"],
    &["decompile", SAMPLE, "-o", "text.jsonl"],
    &["scrub", SAMPLE, "-o", "scrubbed.dm_71"],
    #[cfg(feature = "parquet")]
    &["export", "--tables", "positions", "--format", "parquet", SAMPLE, "-o", "parquet"],
    #[cfg(not(feature = "parquet"))]
    &["split", "--by", "size:50kB", SAMPLE, "-o", "parts"],
];

fn below(folder: &Path, writer: &[&str]) -> Vec<String> {
    let (last, rest) = writer.split_last().unwrap();
    rest.iter().map(|one| (*one).to_owned()).chain([folder.join(last).to_str().unwrap().to_owned()]).collect()
}

#[test]
fn a_full_disk_is_one_sentence_and_leaves_nothing() {
    let folder = folder("full-disk");
    for writer in WRITERS {
        let arguments = below(&folder, writer);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = run_on_full_disk(16, &arguments);
        must_refuse(&ran, &arguments.join(" "));
        // An export keeps the list of what it holds, which is nothing.
        let left: Vec<PathBuf> = files(&folder).into_iter().filter(|file| !file.ends_with("manifest.jsonl")).collect();
        assert!(left.is_empty(), "{arguments:?}: {left:?}");
    }
}

#[test]
fn a_catalogue_on_a_full_disk_stays_what_it_was() {
    let folder = folder("full-disk-catalogue");
    let (new, db) = (folder.join("new.sqlite"), folder.join("demos.sqlite"));
    must_refuse(&run_on_full_disk(16, &["index", "samples/quake3", "--db", new.to_str().unwrap()]), "a new catalogue");
    assert_eq!(run(&["index", SAMPLE, "--db", db.to_str().unwrap()]).code, 0);
    let find = || run(&["find", "--player", "Captain", "--db", db.to_str().unwrap()]);
    let before = find().out;
    assert!(before.contains("ctf_bots"), "{before}");
    must_refuse(&run_on_full_disk(16, &["index", "samples/quake1", "--db", db.to_str().unwrap()]), "a catalogue that is there");
    assert_eq!(find().out, before);
    for db in [&new, &db] {
        let ran = run(&["index", "samples/quake3", "--db", db.to_str().unwrap()]);
        assert!(ran.code == 0 && ran.out.contains("7 recordings"), "{}{}", ran.out, ran.err);
    }
}

#[test]
fn a_folder_that_may_not_be_written_is_one_sentence() {
    let folder = folder("unwritable");
    let closed = folder.join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write there as well. Where the kernel shows its processes, nobody may.
    let may_all = fs::write(closed.join("x"), "").is_ok();
    let closed = if may_all { PathBuf::from("/proc/self") } else { closed };
    if may_all && !closed.is_dir() {
        return fragreel_testkit::skipped("unwritable folders: this user may write everywhere");
    }
    for writer in WRITERS.iter().copied().chain([&["index", SAMPLE, "--db", "demos.sqlite"][..]]) {
        let arguments = below(&closed, writer);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        must_refuse(&run(&arguments), &arguments.join(" "));
    }
    if !may_all {
        assert!(files(&closed).is_empty());
    }
}

#[test]
fn a_target_that_is_there_stays() {
    let folder = folder("target-there");
    let there = folder.join("there");
    for format in ["csv", "json", "parquet"] {
        if format == "parquet" && cfg!(not(feature = "parquet")) {
            continue;
        }
        fs::write(&there, "precious").unwrap();
        let ran = run(&["sql", "SELECT * FROM kills", SAMPLE, "--format", format, "-o", there.to_str().unwrap()]);
        assert!(ran.code == 2 && ran.err.contains("already exists"), "{format}: {}", ran.err);
        assert_eq!(fs::read_to_string(&there).unwrap(), "precious");
    }
    for format in ["csv", "jsonl", "parquet"] {
        if format == "parquet" && cfg!(not(feature = "parquet")) {
            continue;
        }
        let out = folder.join(format);
        let export = || run(&["export", "--tables", "kills", "--format", format, SAMPLE, "-o", out.to_str().unwrap()]);
        assert_eq!(export().code, 0);
        let before: Vec<_> = files(&out).iter().map(|file| fs::read(file).unwrap()).collect();
        let ran = export();
        assert!(ran.code == 2 && ran.err.contains("already contains an export"), "{}", ran.err);
        assert_eq!(files(&out).iter().map(|file| fs::read(file).unwrap()).collect::<Vec<_>>(), before);
    }
}

#[test]
fn a_database_in_use_is_said_to_be_by_whoever_asks() {
    let folder = folder("locked");
    let db = folder.join("demos.sqlite");
    assert_eq!(run(&["index", SAMPLE, "--db", db.to_str().unwrap()]).code, 0);
    let connection = rusqlite::Connection::open(&db).unwrap();
    // Readers do not wait for writers while the journal is a log, so a lock against them has to leave that mode.
    connection.pragma_update(None, "journal_mode", "delete").unwrap();
    connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
    for arguments in [&["find", "--player", "x", "--db"][..], &["sql", "SELECT count(*) FROM recordings", "--db"], &["index", "samples/quake1", "--db"]] {
        let ran = run(&[arguments, &[db.to_str().unwrap()]].concat());
        assert!(ran.code == 2 && ran.err.contains("another program is using it"), "{arguments:?}: {}", ran.err);
    }
    connection.execute_batch("COMMIT").unwrap();
    assert_eq!(run(&["find", "--player", "Captain", "--db", db.to_str().unwrap()]).code, 0);
}

/// `fragreel … 2>&1 | head` closes what messages go to: the exit code stays what it is.
#[test]
fn a_closed_standard_error_changes_nothing() {
    for arguments in [&["export", "--tables", "frags", "-o", "nowhere", SAMPLE][..], &["info", "samples/nothing"], &["info", "--nonsense"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_fragreel"));
        let ran = command.args(arguments).current_dir(fragreel_testkit::checkout()).stdin(Stdio::null()).stderr(writer).output().unwrap();
        assert_eq!(ran.status.code(), Some(2), "{arguments:?}");
    }
}
