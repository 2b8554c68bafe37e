//! What is asked to end twice: nothing is half-written.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::running::{Running, interrupt, length, wait_for_growth, wait_until};
use crate::{Ran, folder, fragreel, run, sample};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// Two signals at once: the command goes on only when both are there.
fn interrupt_twice(child: &Child) {
    let all = format!("kill -STOP {0} && sleep 0.1 && kill -INT {0} && kill -TERM {0} && kill -CONT {0}", child.id());
    assert!(Command::new("sh").args(["-c", &all]).status().expect("a shell").success());
}

/// No file in a folder, or below it, is a draft.
fn has_no_drafts(folder: &Path) -> bool {
    walk(folder).iter().all(|path| !path.to_string_lossy().ends_with(".part"))
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// A recording gets its end mark although the command was asked twice, at the same moment, to end.
#[test]
fn a_recording_ends_with_its_mark_when_asked_twice() {
    let shows = [
        ("quake1/match_e1m1.mvd", "--port", "qw", "seen.qwd", &b"EndOfDemo\0"[..]),
        ("quake1/netquake666_deltas_dm6.dem", "--port", "nq", "seen.dem", &[2]),
        ("quake2/yq2dm_Alice.dm2", "--port", "q2", "seen.dm2", &[0xff; 4]),
        ("quake3/dm_bots.dm_71", "--port", "q3", "seen.dm_71", &[0xff; 8]),
        ("quake1/match_e1m1.mvd", "--qtv", "qtv", "seen.mvd", b"EndOfDemo\0"),
        ("quake2/q2p_mvd_multi.mvd2", "--gtv", "mvd2", "seen.mvd2", &[0, 0]),
    ];
    for (sample, flag, scheme, name, mark) in shows {
        let show = Running::start(&["serve", &format!("samples/{sample}"), flag, "0", "--own-clock"]);
        let folder = folder(&format!("interrupt-{scheme}"));
        let (file, tables) = (folder.join(name), folder.join("tables"));
        let url = format!("{scheme}://127.0.0.1:{}", show.port());
        let mut child = fragreel(&["record", &url, "-o", text(&file), "--tables", text(&tables), "--format", "csv"]);
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        wait_for_growth(&file);
        interrupt_twice(&child);
        // the show goes on until then
        let ran = Ran::of(child.wait_with_output().expect("it ends"));
        assert!(matches!(ran.code, 0 | 130), "{scheme}: {} {}{}", ran.code, ran.out, ran.err);
        let bytes = std::fs::read(&file).expect("it is there");
        assert!(bytes.ends_with(mark), "{scheme}: {:?}", &bytes[bytes.len().saturating_sub(20)..]);
        let verified = run(&["verify", text(&file)]);
        assert_eq!(verified.code, 0, "{scheme}: {}{}", verified.out, verified.err);
        assert!(has_no_drafts(&folder), "{scheme}: {:?}", walk(&folder));
    }
}

/// What batches have written by then are whole results.
#[test]
fn results_are_whole_or_absent_when_asked_twice() {
    let folder = folder("interrupt-edits");
    let commands: [&[&str]; 3] = [&["cut", "--from", "1", "--to", "8"], &["scrub"], &["export", "--tables", "positions,kills", "--format", "csv"]];
    for (at, command) in commands.into_iter().enumerate() {
        let paths = ["samples/quake3", "samples/quake2"];
        let into = |name: &str| folder.join(format!("{at}-{name}"));
        let ran = run(&[command, &paths, &["-o", text(&into("whole"))]].concat());
        assert!(ran.code < 3, "{command:?}: {}", ran.err);
        let out = into("part");
        let child =
            fragreel(&[command, &paths, &["-o", text(&out), "--jobs", "2"]].concat()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        wait_until("a first file", || out.is_dir() && !walk(&out).is_empty());
        interrupt_twice(&child);
        child.wait_with_output().expect("it ends");
        // an export's parts are numbered as they come
        for path in walk(&out).into_iter().filter(|_| command[0] != "export") {
            let other = into("whole").join(path.strip_prefix(&out).expect("it is below"));
            assert!(
                path.to_string_lossy().ends_with(".part") || std::fs::read(&path).expect("it is there") == std::fs::read(other).expect("it is there"),
                "{path:?}"
            );
        }
        // and the next run clears what is left of drafts
        let more: &[&str] = if command[0] == "export" { &["--resume"] } else { &["--force"] };
        let ran = run(&[command, &paths, &["-o", text(&out)], more].concat());
        assert!(ran.code < 3 && has_no_drafts(&out), "{command:?}: {}", ran.err);
    }
}

/// An archive is what it was until the one in its place is whole, and the next run goes on with it.
#[test]
fn an_archive_stays_whole_when_writing_it_breaks_off() {
    let folder = folder("interrupt-archive");
    let (from, back, archive) = (folder.join("from"), folder.join("back"), folder.join("all.frpa"));
    std::fs::create_dir(&from).expect("a folder");
    let add = |name: &str| std::fs::write(from.join(name.rsplit('/').next().expect("a name")), sample(name)).expect("a file");
    add("goldsrc/net-48.dem");
    let ran = run(&["pack", text(&from), "-o", text(&archive)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let first = std::fs::read(&archive).expect("the archive");
    // those of Quake III come last and take longest
    for name in ["quake1/quakeworld_plain_dm3.qwd", "quake2/q2pmulti_Alice.dm2", "quake3/dm_bots.dm_71", "quake3/ctf_bots.dm_71"] {
        add(name);
    }
    let more = ["pack", text(&from), "-o", text(&archive), "--resume", "--jobs", "1"];
    let begin = || {
        let child = fragreel(&more).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let draft = format!("all.frpa.fragreel-{}.part", child.id());
        wait_until("a member", || length(&folder.join(&draft)) > first.len() as u64);
        child
    };

    let mut child = begin();
    child.kill().expect("it runs");
    assert!(!child.wait().expect("it ends").success(), "it was killed before its end");
    assert!(std::fs::read(&archive).expect("the archive") == first && !has_no_drafts(&folder));

    // no file may be longer than 20 blocks, whether of 512 or of 1024 bytes: as on a full disk
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 20; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_fragreel")]).args(more);
    let ran = Ran::of(limited.current_dir(fragreel_testkit::checkout()).stdin(Stdio::null()).output().expect("a shell"));
    assert!(ran.code == 2 && ran.err.contains("cannot write"), "{} {}{}", ran.code, ran.out, ran.err);
    assert!(std::fs::read(&archive).expect("the archive") == first && has_no_drafts(&folder), "{:?}", walk(&folder));

    // asked to end, it keeps what is packed
    let child = begin();
    interrupt(&child);
    let ran = Ran::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, 130);
    let members = run(&["info", "--json", text(&archive)]);
    assert!(members.code == 0 && (2..5).contains(&members.out.lines().count()), "{}{}", members.out, members.err);

    let ran = run(&more);
    assert!(ran.code == 0 && ran.err.contains("already packed") && has_no_drafts(&folder), "{}{}", ran.out, ran.err);
    let ran = run(&["unpack", text(&archive), "-o", text(&back)]);
    assert_eq!((ran.code, walk(&back).len()), (0, 5), "{}{}", ran.out, ran.err);
    for path in walk(&from) {
        let other = back.join(path.file_name().expect("a name"));
        assert!(std::fs::read(&path).expect("it is there") == std::fs::read(other).expect("it came back"), "{path:?}");
    }
}

/// What was answered before the time is up is there, and the rest is not waited for.
#[test]
fn a_command_ends_when_its_time_is_up() {
    let folder = folder("timeout");
    let pipe = folder.join("never.dm_71");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("a shell's tool").success());
    for arguments in [&["info", "--json", "samples/quake3/dm_bots.dm_71", text(&pipe)][..], &["cut", "--from", "1", "--dry-run", text(&pipe)]] {
        // nobody ever writes to the pipe
        let ran = run(&[arguments, &["--timeout", "10"]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (124, "--timeout expired\n"), "{arguments:?}");
        assert_eq!(ran.out.lines().count(), usize::from(arguments[0] == "info"), "{}", ran.out);
    }
    let ran = run(&["info", "--json", "samples/quake3/dm_bots.dm_71", "--timeout", "1:00"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "time that is left is no matter");
}

/// A recorder whose time is up writes its file to the end.
#[test]
fn a_recording_ends_with_its_mark_when_its_time_is_up() {
    let show = Running::start(&["serve", "samples/quake3/dm_bots.dm_71", "--port", "0", "--own-clock"]);
    let file = folder("timeout-record").join("seen.dm_71");
    let ran = run(&["record", &format!("q3://127.0.0.1:{}", show.port()), "-o", text(&file), "--timeout", "10"]);
    assert_eq!(ran.code, 124, "{}{}", ran.out, ran.err);
    assert!(std::fs::read(&file).expect("it is there").ends_with(&[0xff; 8]));
    assert_eq!(run(&["verify", text(&file)]).code, 0);
}

/// Runs a command that reads a pipe into which nobody writes, and interrupts it once it is `ready`.
fn stuck(arguments: &[&str], pipe: &Path, ready: impl Fn() -> bool) -> Ran {
    let child = fragreel(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    // returns once the command reads
    let _writer = std::fs::File::options().write(true).open(pipe).expect("the pipe");
    wait_until("the results before", ready);
    interrupt(&child);
    Ran::of(child.wait_with_output().expect("it ends"))
}

/// Every kind of command ends when it is interrupted, also where it is stuck, and says what is kept.
#[test]
fn every_kind_of_command_ends_and_says_what_is_kept() {
    let folder = folder("interrupt-kinds");
    let pipe = folder.join("never.qwd");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("a shell's tool").success());
    let (sample, never) = ("samples/quake1/quakeworld_plain_dm3.qwd", text(&pipe));
    let at = |name: &str| folder.join(name);
    let is_there = |path: std::path::PathBuf| move || path.exists();

    // one result of one recording, or of several
    for (at, arguments) in
        [&["convert", never, "--to", "mvd"][..], &["repair", never], &["cut", never, "--from", "1"], &["merge", sample, never]].into_iter().enumerate()
    {
        let result = folder.join(format!("one-{at}.mvd"));
        let ran = stuck(&[arguments, &["-o", text(&result)]].concat(), &pipe, || true);
        assert_eq!((ran.code, ran.err.as_str()), (130, "interrupted: nothing was written\n"), "{arguments:?}");
        assert!(!result.exists() && has_no_drafts(&folder), "{arguments:?}");
    }
    // a result of each
    let results = at("results");
    let ran = stuck(&["scrub", sample, never, "--jobs", "2", "-o", text(&results)], &pipe, is_there(results.join("quakeworld_plain_dm3.qwd")));
    assert_eq!(ran.code, 130, "{}", ran.err);
    assert!(ran.err.contains("interrupted: 1 recording done; finished results are written\n"), "{}", ran.err);
    // an answer about each
    let ran = stuck(&["verify", sample, never, "--jobs", "1"], &pipe, || true);
    assert_eq!((ran.code, ran.err.as_str()), (130, "interrupted: 1 recording done\n"));
    assert!(ran.out.starts_with("whole"), "{}", ran.out);
    // tables
    let ran = stuck(&["export", sample, never, "--jobs", "1", "--tables", "kills", "--format", "csv", "-o", text(&at("tables"))], &pipe, || true);
    assert_eq!(ran.code, 130, "{}", ran.err);
    let kept = "interrupted: 1 recording done; with --resume, the next run continues after the last recording whose tables were written\n";
    assert!(ran.err.starts_with(kept), "{}", ran.err);
    assert!(has_no_drafts(&at("tables")));
    const KEPT: &str = "interrupted: 1 recording done; everything read so far is kept; run the command again to continue\n";
    // a catalogue
    let ran = stuck(&["index", sample, never, "--jobs", "1", "--db", text(&at("all.db"))], &pipe, || true);
    assert_eq!(ran.code, 130, "{}", ran.err);
    assert!(ran.err.contains(KEPT), "{}", ran.err);
    assert_eq!(run(&["find", "--db", text(&at("all.db")), "--json"]).out.lines().count(), 1);
    // an archive
    let archive = at("all.frpa");
    let ran = stuck(&["pack", sample, never, "--jobs", "1", "-o", text(&archive)], &pipe, || true);
    assert_eq!((ran.code, ran.err.as_str()), (130, "interrupted: 1 recording done\n"));
    assert!(!archive.exists() && has_no_drafts(&folder), "{:?}", walk(&folder));
    // a website
    let ran = stuck(&["site", sample, never, "--jobs", "1", "-o", text(&at("site"))], &pipe, || true);
    assert_eq!(ran.code, 130, "{}", ran.err);
    assert!(ran.err.ends_with(KEPT), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(at("site.state/files")).expect("the list").lines().count(), 1);
    assert!(has_no_drafts(&folder), "{:?}", walk(&folder));
}

/// The viewer's page ends although a browser is connected, and says that nothing was written.
#[test]
fn a_view_ends_and_says_that_nothing_was_written() {
    if !crate::view::has_page() {
        return;
    }
    let folder = folder("interrupt-view");
    let file = folder.join("seen.dm_71");
    std::fs::copy(fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71"), &file).expect("a copy");
    let view = Running::start(&["view", text(&file), "--no-browser"]);
    // a browser that never finishes its question
    let mut browser = std::net::TcpStream::connect(format!("127.0.0.1:{}", view.port())).expect("it listens");
    std::io::Write::write_all(&mut browser, b"GET / HTTP/1.1\r\n").expect("it reads");
    let ran = view.end();
    assert_eq!((ran.code, ran.err.as_str()), (0, "interrupted: nothing was written\n"));
    assert_eq!(walk(&folder), [file]);
}
