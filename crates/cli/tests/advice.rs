//! What goes wrong is said with the name of what it is about, and with what to do next.

use std::fs;
use std::path::Path;

use crate::{folder, run};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn errors_say_what_to_do_next() {
    let folder = folder("advice");
    let (demo, file, empty) = (folder.join("a.dm_71"), folder.join("file"), folder.join("empty.dem"));
    fs::copy(fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71"), &demo).expect("a copy");
    fs::write(&file, b"text").and_then(|()| fs::write(&empty, b"")).expect("they are written");
    let (pattern, absent, below) = (folder.join("*.dm_71"), folder.join("absent.sqlite"), file.join("below"));
    let (demo, file, empty, pattern, absent, below) = (text(&demo), text(&file), text(&empty), text(&pattern), text(&absent), text(&below));
    let cases: [(&[&str], [&str; 2]); 14] = [
        (&["scrub", demo, "-o", demo], ["a.dm_71` is an input", "Name another file"]),
        (&["explain", "--message", "0", pattern], ["cannot read", "this command takes one. Name it"]),
        (&["verify", empty], ["empty.dem` is empty", "another copy"]),
        (&["info", "-"], ["standard input is empty", "name a file"]),
        (&["export", "--tables", "kills", "-o", file, demo], ["file` is a file", "Name a new or an existing folder"]),
        (&["export", "--tables", "kills", "-o", below, demo], ["file` is a file", "Name a new or an existing folder"]),
        (&["highlights", demo, "--list", "wolfcam", "-o", file], ["file` is a file", "Name a new or an existing folder"]),
        (&["record", "qw://127.0.0.1:99999", "-o", "x.qwd"], ["invalid port in `qw://127.0.0.1:99999`", "numbers from 1 to 65535"]),
        (&["record", "qw://", "-o", "x.qwd"], ["does not name a server", "qw://HOST:PORT"]),
        (&["record", "qw://127.0.0.1:1", "-o", "x.qwd"], ["no server listens there", "fragreel servers"]),
        (&["relay", "q3://127.0.0.1:1", "q3://:0"], ["no server listens there", "fragreel servers"]),
        (&["record", "qtv://127.0.0.1:1", "-o", "x.mvd"], ["the server does not answer", "offers a stream"]),
        (&["find", "--db", absent, "--player", "x"], ["there is no catalogue", "`fragreel index"]),
        (&["sql", "SELECT 1", "--db", absent], ["there is no catalogue", "`fragreel index"]),
    ];
    for (arguments, wanted) in cases.into_iter().filter(|(arguments, _)| cfg!(feature = "catalogue") || !["find", "sql"].contains(&arguments[0])) {
        let ran = run(arguments);
        let said = ran.said();
        let has_help = said.split_once("help: ").is_some_and(|(what, help)| what.contains(wanted[0]) && help.contains(wanted[1]));
        assert!(ran.code == 2 && has_help, "{arguments:?}: {}", ran.err);
    }
    assert!(!Path::new(absent).exists());
}

/// A folder that may not be looked into is named, and the rest is looked at.
#[test]
#[cfg(unix)]
fn folders_that_are_closed_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("advice-closed");
    let closed = folder.join("closed");
    fs::create_dir(&closed).expect("a folder");
    fs::copy(fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71"), folder.join("a.dm_71")).expect("a copy");
    let allow = |mode| fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).expect("they can be set");
    allow(0);
    let is_closed = fs::read_dir(&closed).is_err();
    let ran = run(&["verify", text(&folder)]);
    allow(0o700);
    // for root nothing is closed
    if !is_closed {
        fragreel_testkit::skipped("folders that may not be read: the user who runs the tests may read everything");
        return;
    }
    assert!(ran.code == 2 && ran.out.contains("a.dm_71") && ran.err.contains("closed`") && ran.err.contains("help: "), "{}{}", ran.out, ran.err);
}

#[test]
fn a_name_that_nobody_has_is_reported() {
    for command in ["events", "frames"] {
        let asked = |name: &str, more: &[&str]| run(&[&[command, "--player", name], more, &["samples/quake3/dm_bots.dm_71"]].concat());
        let (nobody, somebody) = (asked("n?body", &["--json"]), asked("*wolf", &["--json"]));
        assert!(nobody.code == 0 && nobody.err.contains("no player is called `n?body`"), "{command}: {}", nobody.err);
        assert!(somebody.code == 0 && somebody.err.is_empty(), "{command}: {}", somebody.err);
    }
}

/// Commands that find nothing say so, and suggest what nearly matches.
#[test]
fn what_finds_nothing_says_so() {
    let none = run(&["runs", "samples/quake3/dm_bots.dm_71"]);
    assert!(none.code == 0 && none.err.contains("no runs found") && none.err.contains("fragreel scores"), "{}{}", none.out, none.err);
    let columns = run(&["sql", ".columns kills"]);
    assert!(columns.code == 0 && columns.out.contains("attacker") && columns.out.contains("ms"), "{}{}", columns.out, columns.err);
    let unknown = run(&["sql", ".columns kill"]);
    assert!(unknown.code == 2 && unknown.err.contains("fragreel sql .tables"), "{}{}", unknown.out, unknown.err);

    let database = folder("similar").join("index.db");
    let indexed = run(&["index", "--db", text(&database), "samples/quake3/dm_bots.dm_71"]);
    assert_eq!(indexed.code, 0, "{}", indexed.err);
    let found = run(&["find", "--db", text(&database), "--player", "wolf"]);
    assert!(found.err.contains("similar names: `BlueWolf`") && found.err.contains("'*wolf*'"), "{}{}", found.out, found.err);

    // several recordings need a folder, and no name of one recording
    let one = run(&["cut", "--from", "1", "--to", "2", "samples/quake3", "-o", text(&database.with_file_name("clip.dm_71"))]);
    assert!(one.code == 2 && one.err.contains("is the name of one recording") && !database.with_file_name("clip.dm_71").exists(), "{}", one.err);
}
