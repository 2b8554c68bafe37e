//! Pipes on either side.

use std::io::{BufRead, BufReader, Write};
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
