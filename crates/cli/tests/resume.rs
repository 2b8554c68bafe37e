//! Batches that are interrupted, and those that go on.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{folder, fragreel, run, sample};

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn paths(out: &str) -> Vec<String> {
    out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a whole object")["path"].as_str().expect("a path").to_owned()).collect()
}

/// As after `kill -9`: the file ends anywhere. Going on gives what one run gives.
#[test]
fn a_batch_goes_on_wherever_it_was_cut() {
    let folder = folder("resume");
    let file = folder.join("answers");
    for command in [&["info", "--json"][..], &["verify", "--json"], &["events", "--kinds", "kill,chat", "--json"], &["events", "--kinds", "kill,chat", "--csv"]]
    {
        let plain = run(&[command, &["samples/quake3"]].concat());
        let resumed = [command, &["samples/quake3", "--resume", text(&file)]].concat();
        for cut in [0, 1, 5, 40, plain.out.len() / 2, plain.out.len() - 1, plain.out.len()] {
            fs::write(&file, &plain.out.as_bytes()[..cut]).unwrap();
            let ran = run(&resumed);
            assert_eq!((ran.code, ran.out.as_str()), (plain.code, ""), "{command:?} {cut}: {}", ran.err);
            assert!(fs::read_to_string(&file).unwrap() == plain.out, "{command:?} cut at {cut}");
        }
        fs::remove_file(&file).unwrap();
        assert_eq!(run(&resumed).code, plain.code);
        assert!(fs::read_to_string(&file).unwrap() == plain.out, "a new file holds all");
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn only_our_own_files_are_gone_on_with() {
    let folder = folder("resume-foreign");
    let file = folder.join("notes.txt");
    for content in ["precious notes", "precious\nnotes\n", "{\"name\":1}\n", "path of the just"] {
        fs::write(&file, content).unwrap();
        for format in ["--json", "--csv"] {
            let ran = run(&["events", "samples/quake3", format, "--resume", text(&file)]);
            assert_eq!((ran.code, fs::read_to_string(&file).unwrap().as_str()), (2, content), "{}", ran.err);
        }
    }
    let ran = run(&["events", "samples/quake3", "--resume", text(&file)]);
    assert!(ran.code == 2 && ran.err.contains("--json"), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_on_a_whole_line() {
    for signal in ["INT", "TERM"] {
        let arguments = [&["verify", "--json", "--jobs", "1"][..], &["samples/quake3"; 60]].concat();
        let mut child = fragreel(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut first = [0; 1];
        out.read_exact(&mut first).unwrap();
        assert!(Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap().success());
        let asked = Instant::now();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        let code = child.wait().unwrap().code();
        let lines = paths(&format!("{}{rest}", first[0] as char)).len();
        assert!(code == Some(130) && lines < 360, "{code:?} after {lines} lines");
        assert!(asked.elapsed() < Duration::from_secs(20));
    }
}

/// What is done is out, though what comes next takes for ever.
#[test]
#[cfg(unix)]
fn every_answer_is_out_as_soon_as_it_is_there() {
    let folder = folder("flush");
    fs::write(folder.join("a.dm_71"), sample("quake3/dm_bots.dm_71")).unwrap();
    let pipe = folder.join("z.dm_71");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = fragreel(&["info", "--json", text(&folder.join("a.dm_71")), text(&pipe)]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
    assert_eq!(paths(&line).len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
}
