//! Pipes on either side.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use super::{Ran, fragreel, run, sample};

#[test]
fn a_recording_may_come_from_a_pipe() {
    let mut child = fragreel(&["info", "--json", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let bytes = sample("quake3/dm_bots.dm_71");
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    let info: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((ran.code, &info["path"], &info["bytes"]), (0, &"-".into(), &bytes.len().into()));
}

#[cfg(unix)]
#[test]
fn a_recording_may_come_from_a_named_pipe() {
    let (bytes, pipe) = (sample("quake3/dm_bots.dm_71"), super::folder("named").join("pipe.dm_71"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for question in ["info", "verify", "events"] {
        let (name, own) = (pipe.to_str().unwrap(), (pipe.clone(), bytes.clone()));
        let writer = std::thread::spawn(move || std::fs::write(own.0, own.1));
        let ran = run(&[question, name]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{question}");
        writer.join().unwrap().unwrap();
    }
}

/// A recording of more than 16 MB: a sample that is repeated many times.
fn long() -> Vec<u8> {
    let bytes = sample("quake3/dm_bots.dm_71");
    let (messages, end) = bytes.split_at(bytes.len() - 8);
    [&messages.repeat((17 << 20) / messages.len() + 1), end].concat()
}

/// Runs the command with these bytes on standard input, and this folder for temporary files.
fn piped(arguments: &[&str], bytes: &[u8], folder: &Path) -> Ran {
    let mut command = fragreel(arguments);
    command.envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, folder)));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // a command that refuses a recording does not read all of it
    let _ = child.stdin.take().unwrap().write_all(bytes);
    Ran::of(child.wait_with_output().unwrap())
}

#[test]
fn a_long_recording_from_a_pipe_is_not_kept_in_memory() {
    let (bytes, folder) = (long(), super::folder("spooled"));
    let nowhere = folder.join("nowhere");
    for question in ["info", "verify", "audit"] {
        let in_memory = piped(&[question, "--json", "-"], &bytes, &nowhere);
        let spooled = piped(&[question, "--json", "--max-memory", "8MB", "-"], &bytes, &folder);
        assert!(!spooled.out.is_empty(), "{}", spooled.err);
        assert_eq!((spooled.code, &spooled.out), (in_memory.code, &in_memory.out), "{question}");
        assert_eq!(piped(&[question, "--json", "--max-memory", "8MB", "-"], &bytes, &nowhere).code, 2, "{question} without a temporary file");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "a temporary file is left");
}

#[test]
fn a_part_of_a_long_recording_is_cut_without_the_rest_in_memory() {
    let (bytes, folder) = (long(), super::folder("cut_in_chunks"));
    let (target, file) = (folder.join("part.dm_71"), folder.join("long.dm_71"));
    std::fs::write(&file, &bytes).unwrap();
    let target = target.to_str().unwrap();
    for part in
        [&["--from", "1:40", "--to", "1:45"][..], &["--from", "-5s"], &["--around", "kill:30", "--json"], &["--to", "0", "--clock", "match", "--from", "-1"]]
    {
        let arguments = |more| [&["cut", "-", "-o", target, "--force"], part, more].concat();
        let written = |ran: Ran| (ran.code, ran.out, ran.err, std::fs::read(target).ok());
        let in_memory = written(piped(&arguments(&[]), &bytes, &folder.join("nowhere")));
        assert_eq!(in_memory.0, if part.contains(&"match") { 2 } else { 0 }, "{}", in_memory.2);
        assert!(written(piped(&arguments(&["--max-memory", "8MB"]), &bytes, &folder)) == in_memory, "{part:?}");
    }
    // one of several files
    let parts = folder.join("parts");
    let short = folder.join("short.dm_71");
    std::fs::write(&short, sample("quake3/dm_bots.dm_71")).unwrap();
    let named = [&file, &short, &parts].map(|path| path.to_str().unwrap());
    let ran = run(&["cut", named[0], named[1], "--to", "5", "-o", named[2], "--max-memory", "8MB"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let made: Vec<Vec<u8>> = ["long.dm_71", "short.dm_71"].map(|name| std::fs::read(parts.join(name)).unwrap()).into();
    assert!(made[0] == made[1], "both begin alike");
}

#[test]
fn a_pipe_that_cannot_be_read_in_chunks_is_read_as_a_whole() {
    let folder = super::folder("spooled_whole");
    // the directory at the end of a Half-Life recording is lost
    let bytes = sample("goldsrc/net-48.dem");
    let start = bytes.len() * 3 / 4;
    let cut = [&bytes[..start], &bytes[start / 2..start].repeat((17 << 20) / (start / 2) + 1)].concat();
    let (spooled, in_memory) = (piped(&["verify", "--json", "-"], &cut, &folder), piped(&["verify", "--json", "-"], &cut, &folder.join("nowhere")));
    assert_eq!((spooled.code, &spooled.out), (in_memory.code, &in_memory.out));
    let too_long = piped(&["info", "--max-size", "17MB", "-"], &long(), &folder);
    assert_eq!(too_long.code, 2);
    assert!(too_long.err.contains("more than 17"), "{}", too_long.err);
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error_and_no_success() {
    // far more than a pipe holds
    for arguments in [&["explain", "samples/quake3/dm_bots.dm_71"][..], &["events", "--json", "samples/quake3"]] {
        let mut child = fragreel(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (141, ""), "{arguments:?} after {line:?}");
    }
}

#[test]
fn nothing_colors_a_pipe_and_nothing_chats_on_it() {
    for arguments in [&["verify", "samples/quake3"][..], &["info", "samples/quake3"], &["events", "samples/quake3/dm_bots.dm_71"], &["--help"]] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
        assert!(!ran.out.contains('\x1b'), "{arguments:?}");
    }
}

#[test]
fn manual_and_completions_know_every_subcommand() {
    let help = run(&["--help"]).out;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Usage:"))
        .skip(1)
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    assert!(commands.len() > 5, "{help}");
    let pages = super::folder("man");
    assert_eq!(run(&["man", "--folder", pages.to_str().unwrap()]).code, 0);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]).out;
        for command in &commands {
            assert!(script.contains(command), "{command} in {shell}");
        }
    }
    for command in commands.iter().filter(|command| **command != "help") {
        assert!(pages.join(format!("fragreel-{command}.1")).is_file(), "no page for {command}");
    }
}
