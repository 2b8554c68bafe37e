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

/// A file that another command wrote, or somebody else, is refused as it is, whatever it has in common with ours.
#[test]
fn files_of_others_are_refused_and_stay() {
    let folder = folder("resume-others");
    let file = folder.join("answers");
    let (one, other) = ("samples/quake3/dm_bots.dm_71", "samples/quake3/ctf_bots.dm_71");
    let json: [&[&str]; 10] = [
        &["info", "--json"],
        &["verify", "--json"],
        &["audit", "--json"],
        &["events", "--json", "--kinds", "kill,chat"],
        &["scores", "--json"],
        &["runs", "--json"],
        &["frames", "--json", "--hz", "1"],
        &["usercmds", "--json"],
        &["usercmds", "--json", "--summary"],
        &["highlights", "--json", "--kills", "1"],
    ];
    let refused = |command: &[&str], content: &str, said: &str| {
        fs::write(&file, content).unwrap();
        let ran = run(&[command, &["--resume", text(&file), other]].concat());
        let words = ran.said();
        assert_eq!((ran.code, ran.out.is_empty()), (2, command.contains(&"--csv")), "{command:?}: {}", ran.err);
        assert!(fs::read_to_string(&file).unwrap() == content, "{command:?} changed {content:.60}");
        assert!(words.contains("is not what this command writes") && words.contains("Name a new file") && words.contains(said), "{command:?}: {words}");
    };
    let note = "{\"path\":\"a.dm_71\",\"text\":\"precious\"}\n";
    let notes = [note.repeat(2), note.trim_end().to_owned(), note[..30].to_owned(), note[..note.len() - 4].to_owned()];
    let source = |command: &[&str]| if command[0] == "usercmds" { "samples/quake1/match_e1m1.qwd" } else { one };
    let written = json.map(|command| run(&[command, &[source(command)]].concat()).out);
    assert!(written.iter().zip(json).all(|(out, command)| out.is_empty() == (command[0] == "runs")));
    // an event that is a run, as `events` has it
    let finish = "{\"path\":\"a.dm_71\",\"time\":1,\"server_time\":1,\"message\":1,\"evidence\":\"stated\",\"kind\":\"finish\",\"course\":\"defrag\",\"map\":\"m\",\"run_time\":{},\"to\":1}\n";
    refused(&["runs", "--json"], finish, "has the keys path, time");
    for (at, command) in json.iter().enumerate() {
        notes.iter().for_each(|note| refused(command, note, "path, text"));
        // ours at first, and then not
        if !written[at].is_empty() {
            refused(command, &format!("{}{note}", written[at]), "path, text");
        }
        for (_, out) in written.iter().enumerate().filter(|(from, out)| *from != at && !out.is_empty()) {
            refused(command, out, "has the keys path");
        }
    }
    let csv: [&[&str]; 9] = [
        &["events", "--csv"],
        &["scores", "--csv"],
        &["scores", "--csv", "--weapons"],
        &["scores", "--csv", "--pairs"],
        &["runs", "--csv"],
        &["frames", "--csv", "--hz", "1"],
        &["usercmds", "--csv"],
        &["usercmds", "--csv", "--summary"],
        &["highlights", "--csv", "--kills", "1"],
    ];
    for command in csv {
        for content in ["path,mine\na,1\nb,2\n", "path,mine", "path\n"] {
            refused(command, content, "not the headings of this command");
        }
        let out = run(&[command, &[source(command)]].concat()).out;
        if !out.is_empty() {
            refused(command, &format!("{out}a.dm_71,precious\n"), "does not have the");
        }
    }
    let (plain, weapons) = (run(&["scores", "--csv", one]).out, run(&["scores", "--csv", "--weapons", one]).out);
    refused(&["scores", "--csv", "--weapons"], &plain, "not the headings of this command");
    refused(&["scores", "--csv"], &weapons, "not the headings of this command");
}

/// Resumes tables of runs; a recording has several or none. No sample has any: a level that ends is added to one, twice.
#[test]
fn runs_are_gone_on_with() {
    let folder = folder("resume-runs");
    let demos = folder.join("demos");
    fs::create_dir_all(&demos).unwrap();
    let text_form = run(&["decompile", "samples/quake1/netquake666_deltas_e1m1.dem"]).out;
    let (head, end) = text_form.split_at(text_form.rfind("{\"end_of_text\"").expect("a last line"));
    let level = head.lines().find(|line| line.contains("\"serverinfo\"")).expect("a level");
    let over = "{\"block\":{\"view_angles\":[0,0,0],\"messages\":[{\"intermission\":{}}]}}\n";
    for (name, more) in [("a.dem", over.to_owned()), ("b.dem", String::new()), ("c.dem", format!("{over}{level}\n{over}"))] {
        let source = folder.join("text.jsonl");
        fs::write(&source, format!("{head}{more}{end}")).unwrap();
        assert_eq!(run(&["compile", text(&source), "-o", text(&demos.join(name))]).code, 0, "{name}");
    }
    let file = folder.join("runs");
    for format in ["--json", "--csv"] {
        let plain = run(&["runs", format, text(&demos)]);
        // a level; and two with the marathon that they are
        assert!(
            plain.code == 0 && plain.out.lines().count() == 4 + usize::from(format == "--csv") && plain.out.contains("marathon"),
            "{}{}",
            plain.out,
            plain.err
        );
        for cut in (0..plain.out.len()).step_by(17).chain([plain.out.len() - 1, plain.out.len()]) {
            fs::write(&file, &plain.out.as_bytes()[..cut]).unwrap();
            let ran = run(&["runs", format, text(&demos), "--resume", text(&file)]);
            assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{format} {cut}: {}", ran.err);
            assert!(fs::read_to_string(&file).unwrap() == plain.out, "{format} cut at {cut}");
        }
    }
}

/// Of a file with nothing but errors is known whose they are, or it is refused.
#[test]
fn errors_say_which_command_had_them() {
    let folder = folder("resume-errors");
    let (file, broken) = (folder.join("answers"), folder.join("broken.dm_71"));
    fs::write(&broken, b"no recording").unwrap();
    let goes_on = |command: &[&str], content: &str| {
        fs::write(&file, content).unwrap();
        let ran = run(&[command, &["--json", "--resume", text(&file), text(&broken)]].concat());
        let words = ran.said();
        (words, fs::read_to_string(&file).unwrap())
    };
    for (at, command) in COMMANDS.iter().enumerate() {
        let errors = run(&[&[*command], &["--json", text(&broken)][..]].concat()).out;
        let said: serde_json::Value = serde_json::from_str(&errors).expect("an object");
        assert!(said["command"] == *command && said["error"].is_string(), "{errors}");
        let other = COMMANDS[(at + 1) % COMMANDS.len()];
        let (words, content) = goes_on(&[other], &errors);
        assert!(content == errors && words.contains(&format!("its line 1 is of `{command}`")) && words.contains("Name a new file"), "{other}: {words}");
        // its own, whole or cut off
        for cut in (0..errors.len()).step_by(42).chain([errors.len()]) {
            let (words, content) = goes_on(&[command], &errors[..cut]);
            assert!(content == errors, "{command} cut at {cut}: {words}\n{content}");
        }
        // an error that names no command is nobody's
        let nameless = errors.replace(&format!("\"command\":\"{command}\","), "");
        let (words, kept) = goes_on(&[command], &nameless);
        assert!(kept == nameless && words.contains("its line 1 has the keys path, error, kind"), "{command}: {words}");
    }
}

const COMMANDS: [&str; 9] = ["info", "verify", "audit", "events", "scores", "runs", "frames", "usercmds", "highlights"];

/// What an edit says of its results is gone on with by the same edit only.
#[test]
fn reports_of_other_edits_are_refused() {
    let folder = folder("resume-edits");
    let (file, out) = (folder.join("report.jsonl"), folder.join("out"));
    let ran = run(&["cut", "--from", "1", "--to", "2", "samples/quake3", "-o", text(&out), "--json", "--resume", text(&file)]);
    assert!(ran.code < 2, "{}", ran.err);
    let content = fs::read_to_string(&file).unwrap();
    for command in [&["scrub"][..], &["repair"], &["highlights"], &["split", "--by", "level"], &["info"]] {
        let more = ["samples/quake3", "--json", "--resume", text(&file), "-o", text(&out)];
        let more = if command == ["info"] { &more[..4] } else { &more[..] };
        let ran = run(&[command, more].concat());
        let words = ran.said();
        assert!(ran.code == 2 && words.contains("is not what this command writes"), "{command:?}: {}", ran.err);
        assert!(fs::read_to_string(&file).unwrap() == content, "{command:?}");
    }
}

/// What is there of a recording that is not named this time stays: nobody would look at it again.
#[test]
fn other_recordings_keep_their_lines() {
    let folder = folder("resume-kept");
    let file = folder.join("events");
    let (one, other) = ("samples/quake3/dm_bots.dm_71", "samples/quake3/ctf_bots.dm_71");
    for format in ["--json", "--csv"] {
        let [first, second] = [one, other].map(|path| run(&["events", format, path]).out);
        let both = if format == "--csv" { format!("{first}{}", second.split_once('\n').unwrap().1) } else { format!("{first}{second}") };
        fs::write(&file, &first).unwrap();
        let ran = run(&["events", format, "--resume", text(&file), other]);
        assert!(ran.code == 0 && ran.err.contains("so its lines stay unchanged"), "{}", ran.err);
        assert!(fs::read_to_string(&file).unwrap() == both, "{format}");
    }
    // of one that has one answer, what is whole is all
    let [first, second] = [one, other].map(|path| run(&["info", "--json", path]).out);
    fs::write(&file, &first).unwrap();
    assert_eq!(run(&["info", "--json", "--resume", text(&file), other]).code, 0);
    assert!(fs::read_to_string(&file).unwrap() == format!("{first}{second}"));
}

/// A file that was replaced under its name is looked at again, and its old answers go.
#[test]
fn replaced_recordings_are_looked_at_again() {
    let folder = folder("resume-replaced");
    let demos = folder.join("demos");
    fs::create_dir(&demos).unwrap();
    let [a, b, c] = ["a.dm_71", "b.dm_71", "c.dm_71"].map(|name| demos.join(name));
    for command in [&["info", "--json"][..], &["events", "--kinds", "kill", "--json"], &["events", "--kinds", "kill", "--csv"]] {
        let file = folder.join(format!("answers{}", command.len()) + command.last().unwrap());
        for path in [&a, &b, &c] {
            fs::write(path, sample("quake3/dm_bots.dm_71")).unwrap();
        }
        let resumed = [command, &["--resume", text(&file), text(&demos)]].concat();
        assert_eq!(run(&resumed).code, 0);
        let before = fs::read_to_string(&file).unwrap();
        let ran = run(&resumed);
        assert!(ran.code == 0 && !ran.err.contains("changed"), "{}", ran.err);
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "nothing changed");
        fs::write(&a, sample("quake3/ctf_bots.dm_71")).unwrap();
        let ran = run(&resumed);
        assert!(ran.code == 0 && ran.err.contains("a.dm_71 changed and is read again"), "{}", ran.err);
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let plain = run(&[command, &[text(&demos)]].concat()).out;
        let after = fs::read_to_string(&file).unwrap();
        assert!(sorted(&after) == sorted(&plain) && after != before, "{command:?}: {}", ran.err);
        // without the list, nothing says which files the answers are from
        fs::remove_file(folder.join(format!("{}.sources", file.file_name().unwrap().to_str().unwrap()))).unwrap();
        let ran = run(&resumed);
        assert!(ran.code == 0 && ran.err.contains("a.dm_71 is not in the list of sources and is read again"), "{}", ran.err);
        assert_eq!(sorted(&fs::read_to_string(&file).unwrap()), sorted(&plain));
    }
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
