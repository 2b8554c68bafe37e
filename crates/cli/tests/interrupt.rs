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
