//! What all commands that edit have in common.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::{Ran, folder, fragreel, run, sample};

const SOURCE: &str = "samples/quake1/match_e1m1.mvd";
const PART: [&str; 6] = ["cut", SOURCE, "--from", "20", "--to", "30"];

fn with<'a>(command: &[&'a str], more: &[&'a str]) -> Ran {
    run(&[command, more].concat())
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_result_is_checked_told_of_and_put_in_place_whole() {
    let target = folder("cut").join("part.mvd");
    let before = sample("quake1/match_e1m1.mvd");
    let ran = with(&PART, &["-o", text(&target)]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.contains("none differs") && ran.out.ends_with("the result is whole\n"), "{}", ran.out);
    assert_eq!(run(&["verify", text(&target)]).code, 0);
    assert_eq!(files(target.parent().unwrap()), ["part.mvd"], "no draft is left behind");
    assert_eq!(sample("quake1/match_e1m1.mvd"), before);
}

#[test]
fn nothing_is_written_by_a_dry_run_or_over_anything() {
    let folder = folder("cut-nothing");
    let ran = with(&PART, &["--dry-run", "-o", text(&folder.join("part.mvd"))]);
    assert_eq!((ran.code, files(&folder).len()), (0, 0), "{}", ran.err);
    let other = folder.join("other.mvd");
    std::fs::write(&other, "precious").unwrap();
    assert_eq!(with(&PART, &["-o", text(&other)]).code, 2);
    assert_eq!(std::fs::read(&other).unwrap(), b"precious");
    assert_eq!(with(&PART, &["-o", text(&other), "--force"]).code, 0);
    assert_ne!(std::fs::read(&other).unwrap(), b"precious");
    // Not even when forced, or under another name, is the input written to.
    let link = folder.join("link.mvd");
    std::os::unix::fs::symlink(fragreel_testkit::checkout().canonicalize().unwrap().join(SOURCE), &link).unwrap();
    for target in [PathBuf::from(SOURCE), link, PathBuf::from("samples/quake1/../quake1/match_e1m1.mvd")] {
        assert_eq!(with(&PART, &["-o", text(&target), "--force"]).code, 2, "{target:?}");
    }
    for target in [folder.clone(), folder.join("no/such/folder/part.mvd")] {
        let ran = with(&PART, &["-o", text(&target)]);
        assert_eq!(ran.code, 2, "{target:?}");
        assert!(ran.err.contains("help:"), "{}", ran.err);
    }
}

/// Whatever stands under the name, the old content or the new is there, and what is no file stays what it is.
#[test]
#[cfg(unix)]
fn only_files_are_written_and_links_are_followed() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let folder = folder("cut-places");
    // the path of a socket has some hundred bytes at most
    let short = tempfile::tempdir().unwrap();
    let (pipe, socket, link) = (folder.join("pipe"), short.path().join("socket"), folder.join("link"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    symlink(&pipe, &link).unwrap();
    let decompile = ["decompile", "samples/goldsrc/net-48.dem"];
    for (target, word) in [(&pipe, "a pipe"), (&socket, "a socket"), (&link, "a pipe"), (&folder, "a folder")] {
        for command in [&PART[..], &decompile] {
            let ran = with(command, &["-o", text(target), "--force"]);
            // where a line is broken depends on how long the folder's path is
            let said = ran.said();
            assert!(ran.code == 2 && said.contains(word), "{}", ran.err);
        }
    }
    assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo() && socket.symlink_metadata().unwrap().file_type().is_socket());
    assert_eq!(std::fs::read_link(&link).unwrap(), pipe);

    // A link stays a link, and --force speaks of what it leads to.
    let (deep, through, dangling) = (folder.join("deep"), folder.join("through.mvd"), folder.join("dangling.mvd"));
    std::fs::create_dir(&deep).unwrap();
    std::fs::write(deep.join("old.mvd"), "precious").unwrap();
    std::fs::set_permissions(deep.join("old.mvd"), std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink("deep/old.mvd", &through).unwrap();
    symlink("deep/new.mvd", &dangling).unwrap();
    assert_eq!((with(&PART, &["-o", text(&through)]).code, std::fs::read(deep.join("old.mvd")).unwrap()), (2, b"precious".to_vec()));
    assert_eq!((with(&PART, &["-o", text(&dangling)]).code, with(&PART, &["-o", text(&dangling)]).code), (0, 2));
    assert_eq!(with(&PART, &["-o", text(&through), "--force"]).code, 0);
    assert_eq!((std::fs::read_link(&through).unwrap(), std::fs::read_link(&dangling).unwrap()), ("deep/old.mvd".into(), "deep/new.mvd".into()));
    assert_eq!(std::fs::read(deep.join("old.mvd")).unwrap(), std::fs::read(deep.join("new.mvd")).unwrap());
    assert_eq!(deep.join("old.mvd").metadata().unwrap().permissions().mode() & 0o777, 0o600, "who might read the old one may read the new");
    assert_eq!(files(&deep), ["new.mvd", "old.mvd"]);
}

#[test]
fn drafts_of_runs_that_are_no_more_are_cleared_and_others_stay() {
    let folder = folder("cut-drafts");
    let (dead, held, other) = (folder.join("x.mvd.fragreel-1.part"), folder.join("x.mvd.fragreel-2.part"), folder.join("x.part"));
    for file in [&dead, &held, &other] {
        std::fs::write(file, "half").unwrap();
    }
    let owner = std::fs::File::open(&held).unwrap();
    owner.lock().unwrap();
    assert_eq!(with(&PART, &["-o", text(&folder.join("part.mvd"))]).code, 0);
    assert_eq!(files(&folder), ["part.mvd", "x.mvd.fragreel-2.part", "x.part"]);
    // The longest name that there can be has a draft, too.
    let long = folder.join(format!("{}.mvd", "n".repeat(251)));
    assert_eq!(with(&PART, &["-o", text(&long)]).code, 0);
}

#[test]
fn pipes_and_packed_files_hold_the_same_bytes() {
    let folder = folder("cut-pipes");
    let (plain, packed) = (folder.join("part.mvd"), folder.join("part.mvd.gz"));
    assert_eq!(with(&PART, &["-o", text(&plain)]).code, 0);
    assert_eq!(with(&PART, &["-o", text(&packed)]).code, 0);
    let plain = std::fs::read(plain).unwrap();
    let mut child =
        fragreel(&["cut", "-", "--from", "20", "--to", "30", "-o", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&sample("quake1/match_e1m1.mvd")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout == plain, "what goes through pipes is the same");
    assert!(String::from_utf8(output.stderr).unwrap().contains("the result is whole"), "what is told goes elsewhere");
    let packed_bytes = std::fs::read(&packed).unwrap();
    assert!(packed_bytes.len() < plain.len() && packed_bytes.starts_with(&[0x1f, 0x8b]));
    let again = folder.join("again.mvd");
    let ran = run(&["cut", text(&packed), "--from", "0", "-o", text(&again)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn json_has_a_line_for_each_result() {
    let folder = folder("cut-json");
    let target = folder.join("part.mvd");
    let ran = with(&PART, &["--json", "-o", text(&target)]);
    let line: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON object");
    assert_eq!((ran.code, &line["path"], &line["output"]), (0, &SOURCE.into(), &text(&target).into()));
    assert_eq!((&line["format"], &line["whole"], &line["frames_differing"]), (&"mvd".into(), &true.into(), &0.into()));
    assert_eq!(line["bytes"], std::fs::metadata(&target).unwrap().len());
    assert!(line["frames_compared"].as_u64().unwrap() > 100 && line["actions"].is_array() && line["losses"].is_array());
    let ran = with(&PART, &["--json", "-n"]);
    let line: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON object");
    assert!(line["output"].is_null());
}

#[test]
fn several_results_get_names_and_all_or_none_are_refused() {
    let folder = folder("split");
    let pattern = folder.join("parts/{stem}-{n}-{map}.{ext}");
    let split = ["split", "samples/quake2/synth_fixmulti_lmpc.dm2", "--by", "level", "-o", text(&pattern)];
    let ran = run(&split);
    assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
    let names = files(&folder.join("parts"));
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names[0].starts_with("synth_fixmulti_lmpc-1-") && names[2].ends_with(".dm2"), "{names:?}");
    std::fs::remove_file(folder.join("parts").join(&names[0])).unwrap();
    assert_eq!(run(&split).code, 2, "one of the names is taken");
    assert_eq!(files(&folder.join("parts")).len(), 2, "and so nothing was written");
    assert_eq!(run(&["split", SOURCE, "--by", "level", "-o", "{stum}.mvd"]).code, 2);
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_read() {
    for arguments in [
        &["cut", "no/such", "-o", "x"][..],
        &["cut", "no/such", "--from", "9", "--to", "3", "-o", "x"],
        &["cut", SOURCE, "--from", "1"],
        &["cut", SOURCE, "--clock", "server", "--from", "1", "-o", "x"],
        &["cut", SOURCE, "--around", "kill", "-o", "x"],
        &["cut", SOURCE, "--around", "kill:9999", "-n"],
        &["cut", SOURCE, "--around", "kill:1", "--from", "3", "-n"],
        &["cut", SOURCE, "--pad", "3", "--from", "3", "-n"],
        &["split", SOURCE, "--by", "size:none", "-n"],
        &["join", SOURCE, "-n"],
        &["merge", SOURCE, SOURCE, "-n"],
        &["join", SOURCE, "samples/quake3/dm_bots.dm_71", "-n"],
        &["scrub", SOURCE, "--chat", "loud", "-n"],
        &["scrub", SOURCE, "--name", "Sarge", "-n"],
        &["scrub", SOURCE, "--name", "nobody at all=x", "-n"],
        &["strip", SOURCE, "-n"],
        &["strip", SOURCE, "--kind", "svc_nothing", "-n"],
        &["convert", SOURCE, "--to", "dm_68", "-n"],
        &["highlights", SOURCE, "--kills", "0"],
    ] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.contains("internal error"), "{arguments:?}: {}", ran.err);
    }
}

/// Every recording of a tree into another tree, as one by one; what is done is passed over.
#[test]
fn folders_are_edited_into_the_same_tree() {
    let folder = folder("each");
    let (from, to) = (folder.join("from"), folder.join("to"));
    std::fs::create_dir_all(from.join("deep/er")).unwrap();
    std::fs::write(from.join("a.dm_71"), sample("quake3/dm_bots.dm_71")).unwrap();
    std::fs::write(from.join("deep/er/b.dm_71"), sample("quake3/ctf_bots.dm_71")).unwrap();
    std::fs::write(from.join("deep/c.mvd"), sample("quake1/match_e1m1.mvd")).unwrap();
    std::fs::write(from.join("deep/notes.txt"), "notes").unwrap();
    let scrub = ["scrub", text(&from), "--rename", "Gargoyle=Anna", "-o", text(&to)];
    let ran = run(&scrub);
    assert!(ran.code == 2 && ran.err.contains("c.mvd") && ran.err.contains("no player is called"), "one has no such player: {}{}", ran.out, ran.err);
    assert_eq!(
        (files(&to), files(&to.join("deep")), files(&to.join("deep/er"))),
        (vec!["a.dm_71".into(), "deep".into()], vec!["er".into()], vec!["b.dm_71".into()])
    );
    let alone = folder.join("alone.dm_71");
    assert_eq!(run(&["scrub", text(&from.join("a.dm_71")), "--rename", "Gargoyle=Anna", "-o", text(&alone)]).code, 0);
    assert_eq!(std::fs::read(to.join("a.dm_71")).unwrap(), std::fs::read(&alone).unwrap());
    // Nothing is replaced unasked, and the tree is not left.
    assert_eq!(run(&scrub).code, 2);
    assert_eq!(run(&["cut", text(&from), "--to", "5", "-o", text(&alone)]).code, 2, "a file is no folder");
    let journal = folder.join("done.jsonl");
    let cuts = folder.join("cut");
    let cut = ["cut", text(&from), "--to", "5", "-o", text(&cuts), "--json", "--resume", text(&journal)];
    let ran = run(&cut);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let journal_text = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(journal_text.lines().count(), 3, "{journal_text}");
    std::fs::write(&journal, journal_text.lines().take(2).map(|line| format!("{line}\n")).collect::<String>() + "{\"pa").unwrap();
    std::fs::remove_file(folder.join("cut/deep/er/b.dm_71")).unwrap();
    let ran = run(&cut);
    assert!(ran.code == 0 && ran.err.contains("skipped 2 already done"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), journal_text);
}

/// What goes to standard output is not renamed away from under it.
#[test]
#[cfg(unix)]
fn standard_output_under_a_name_is_refused() {
    let folder = folder("cut-stdout");
    let file = folder.join("part.mvd");
    for target in ["/dev/stdout", text(&file)] {
        let output = std::fs::File::create(&file).unwrap();
        let ran = fragreel(&[&PART[..], &["-o", target, "--force"]].concat()).stdout(output).output().unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.code() == Some(2) && said.contains("-o -"), "{target}: {said}");
        assert_eq!((files(&folder), std::fs::read(&file).unwrap().len()), (vec![String::from("part.mvd")], 0));
    }
    let output = std::fs::File::create(&file).unwrap();
    assert!(fragreel(&[&PART[..], &["-o", "-"]].concat()).stdout(output).status().unwrap().success());
    assert_eq!(run(&["verify", text(&file)]).code, 0);
}

#[test]
fn text_that_stands_for_more_than_is_read_is_not_compiled() {
    let folder = folder("compile-size");
    let (file, out) = (folder.join("match.jsonl"), folder.join("match.mvd"));
    assert_eq!(run(&["decompile", SOURCE, "-o", text(&file)]).code, 0);
    let length = sample("quake1/match_e1m1.mvd").len();
    let compile = |most: usize| run(&["compile", text(&file), "-o", text(&out), "--max-size", &most.to_string()]);
    let ran = compile(length - 1);
    assert!(ran.code == 2 && ran.err.contains("--max-size"), "{}", ran.err);
    assert_eq!(files(&folder), ["match.jsonl"]);
    let ran = compile(length);
    assert_eq!((ran.code, std::fs::read(&out).unwrap().len()), (0, length), "{}", ran.err);
}

/// A pattern in quotes means files that are read: none of them is overwritten, even when it is named.
#[test]
fn what_a_pattern_finds_is_never_overwritten() {
    let folder = folder("edit-pattern");
    let (first, second) = (folder.join("a1.dm_71"), folder.join("a2.dm_71"));
    std::fs::copy(fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71"), &first).expect("a copy");
    std::fs::copy(fragreel_testkit::checkout().join("samples/quake3/ctf_bots.dm_71"), &second).expect("a copy");
    let kept = [&first, &second].map(|path| std::fs::read(path).expect("it is there"));
    let at = |name: &str| folder.join(name).to_str().expect("a path in UTF-8").to_owned();
    let (pattern, onto, list) = (at("a?.dm_71"), at("a2.{ext}"), at("a1.dm_71"));
    let commands: [&[&str]; 4] = [
        &["scrub", &pattern, "-o", &onto, "--force"],
        &["cut", "--from", "1", "--to", "2", &pattern, "-o", &onto, "--force"],
        &["highlights", "--kills", "1", &pattern, "-o", &onto, "--force"],
        &["sql", "SELECT 1", &pattern, "-o", &list, "--force"],
    ];
    for command in commands.into_iter().filter(|command| command[0] != "sql" || cfg!(feature = "catalogue")) {
        let ran = run(command);
        // Where the message is wrapped depends on the folder.
        let words = ran.said();
        assert!(ran.code == 2 && words.contains("never overwritten"), "{command:?}: {}{}", ran.out, ran.err);
        assert!([&first, &second].map(|path| std::fs::read(path).expect("it is there")) == kept, "{command:?}");
    }
}

#[test]
fn negative_times_count_from_the_end() {
    let target = folder("cut-from-the-end").join("end.dm_71");
    let ran = run(&["cut", "samples/quake3/dm_bots.dm_71", "--from=-5", "-o", target.to_str().expect("a path in UTF-8")]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let info: serde_json::Value = serde_json::from_str(&run(&["info", "--json", target.to_str().expect("a path in UTF-8")]).out).expect("JSON");
    let duration = info["duration"].as_i64().expect("a duration");
    assert!((4_900..=5_100).contains(&duration), "{duration}");
    let last = run(&["state", "samples/quake3/dm_bots.dm_71", "--at=-1s"]).out;
    let end = run(&["state", "samples/quake3/dm_bots.dm_71", "--at", "9:00:00"]).out;
    assert!(!last.is_empty() && last.lines().next() != end.lines().next(), "{last}");
    assert_eq!(run(&["cut", "samples/quake3/dm_bots.dm_71", "--from=-1", "--to=-5", "-n"]).code, 2);
}
