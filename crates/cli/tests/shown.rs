//! What is shown, and what machines get: nothing commands a terminal, every failure is an object, every path leads back.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use super::{Ran, folder, fragreel, run, sample};

const PLAIN: &str = "quake3/dm_bots.dm_71";

/// Characters that nothing shown may hold.
fn is_safe(text: &str) -> bool {
    !text.contains(|c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    })
}

const UGLY: &str = "a\u{1b}[2J\u{7}\u{9b}\u{202e}\u{2028}\u{200b}\rz";

#[test]
fn names_of_files_and_players_and_texts_are_safe_to_show() {
    let folder = folder("ugly");
    let recording = folder.join(format!("{UGLY}.dm_71"));
    fs::write(&recording, sample(PLAIN)).unwrap();
    let junk = folder.join(format!("{UGLY}.jsonl"));
    fs::write(&junk, format!("{{\"recording\":{{\"family\":\"{UGLY}\"}}}}\n")).unwrap();
    fs::write(folder.join("text.jsonl"), format!("{{\"recording\":{{\"form\":1,\"family\":\"quake3\",\"protocol\":68,\"game\":\"{UGLY}\",\"{UGLY}\":1}}}}\n"))
        .unwrap();
    let path = recording.to_str().unwrap();
    let (junk, text, root) = (junk.to_str().unwrap(), folder.join("text.jsonl"), folder.to_str().unwrap());
    let renamed = format!("nobody{UGLY}=x");
    let option = format!("--{UGLY}");
    for arguments in [
        &["info", path][..],
        &["info", root],
        &["verify", root],
        &["events", root],
        &["events", "--player", UGLY, path],
        &["state", "--at", "1", "--section", UGLY, path],
        &["explain", "--message", "99999", path],
        &["usercmds", path],
        &["scrub", "--rename", &renamed, "-n", path],
        &["strip", "--kinds", UGLY, "-n", path],
        &["convert", "--to", UGLY, "-n", path],
        &["compile", junk, "-o", "/dev/null"],
        &["compile", text.to_str().unwrap(), "-o", "x"],
        &["decompile", junk],
        &["schema", UGLY],
        &["cut", path, UGLY, &option],
        &["info", &option],
        &["repair", path, "-n"],
        &["highlights", path],
    ] {
        let ran = run(arguments);
        assert!(is_safe(&ran.out) && is_safe(&ran.err), "{arguments:?}: {:?} {:?}", ran.out, ran.err);
    }
}

#[test]
fn spreadsheets_get_no_formulas() {
    let folder = folder("formulas-shown");
    let path = folder.join("x.dm_71");
    let ran = run(&["scrub", "samples/quake3/dm_bots.dm_71", "--rename", "Gargoyle==1+2", "-o", path.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let csv = |option| run(&["events", "--kinds", "kill", option, path.to_str().unwrap()]).out;
    assert!(csv("--csv").contains(",=1+2,"));
    let safe = csv("--spreadsheet");
    let mut reader = csv::Reader::from_reader(safe.as_bytes());
    let cells: Vec<String> = reader.records().flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()).collect();
    assert!(cells.iter().any(|cell| cell == "'=1+2") && cells.iter().all(|cell| !cell.starts_with(['=', '+', '@', '\t'])), "{safe}");
}

#[test]
fn every_command_answers_machines_with_an_object_when_it_fails() {
    let missing = "no/such.dm_68";
    for arguments in [
        &["info", missing][..],
        &["verify", missing],
        &["events", missing],
        &["explain", missing],
        &["state", "--at", "1", missing],
        &["usercmds", missing],
        &["highlights", missing],
        &["cut", "--from", "1", "-n", missing],
        &["split", "--by", "level", "-n", missing],
        &["repair", "-n", missing],
        &["convert", "-n", missing],
        &["convert", "--list", missing],
        &["scrub", "-n", missing],
        &["strip", "--list", missing],
        &["strip", "--kinds", "x", "-n", missing],
        // of several the one that is at fault
        &["join", "samples/quake3/dm_bots.dm_71", missing, "-n"],
        &["diff", "samples/quake3/dm_bots.dm_71", missing],
    ] {
        let ran = run(&[arguments, &["--json"]].concat());
        let line: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", ran.out));
        assert_eq!((ran.code, &line["path"]), (2, &missing.into()), "{arguments:?}");
        assert!(line["error"].as_str().is_some_and(|error| error.contains("cannot read")), "{line}");
    }
    for arguments in [&["info", "--nonsense", "--json"][..], &["state", "--json", "x"]] {
        let ran = run(arguments);
        let line: serde_json::Value = serde_json::from_str(&ran.out).expect("an object");
        assert!(ran.code == 2 && line["path"].is_null() && line["error"].is_string(), "{line}");
    }
    let ran = run(&["cut", missing, "--from", "1", "-o", "-", "--json"]);
    assert!(ran.out.is_empty() && ran.err.starts_with("{\"path\""), "a recording was asked for there: {}", ran.out);
}

#[test]
#[cfg(unix)]
fn a_path_that_is_no_utf8_can_be_found_again() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder("bytes");
    let name = b"final\xff\xe4.dm_71";
    fs::write(folder.join(std::ffi::OsStr::from_bytes(name)), sample(PLAIN)).unwrap();
    let ran = run(&["info", "--json", folder.to_str().unwrap()]);
    let line: serde_json::Value = serde_json::from_str(&ran.out).expect("an object");
    let path = fragreel::model::game_bytes(line["path"].as_str().unwrap());
    assert!(path.ends_with(name), "{line}");
    assert!(fs::metadata(std::ffi::OsStr::from_bytes(&path)).is_ok());
}

#[test]
#[cfg(unix)]
fn links_are_followed_each_folder_once_and_archives_are_counted() {
    use std::os::unix::fs::symlink;
    let folder = folder("links");
    let (tree, store) = (folder.join("tree"), folder.join("store"));
    fs::create_dir_all(tree.join("deep")).unwrap();
    fs::create_dir_all(tree.join(".git/annex")).unwrap();
    fs::create_dir_all(&store).unwrap();
    fs::write(store.join("object"), sample(PLAIN)).unwrap();
    fs::write(tree.join(".git/annex/copy.dm_71"), sample(PLAIN)).unwrap();
    symlink("../../store/object", tree.join("deep/annexed.dm_71")).unwrap();
    symlink("../store", tree.join("linked")).unwrap();
    symlink("..", tree.join("deep/up")).unwrap();
    symlink(&folder, tree.join("all")).unwrap();
    for name in ["one.zip", "two.PK3", "three.tar.gz", "four.txt"] {
        fs::write(tree.join(name), "x").unwrap();
    }
    let ran = run(&["verify", tree.to_str().unwrap()]);
    let found: Vec<&str> = ran.out.lines().filter_map(|line| line.split("  ").nth(2)?.strip_prefix(tree.to_str()?)).collect();
    assert_eq!((ran.code, found), (0, vec!["/deep/annexed.dm_71", "/linked/object"]), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("skipped 3 archives") && ran.err.contains("skipped 2 links"), "{}", ran.err);
    // A link to nothing is said to be one.
    symlink("nothing", tree.join("gone.dm_71")).unwrap();
    let ran = run(&["verify", tree.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.err.contains("the target of the link"), "{}", ran.err);
    let ran = run(&["info", folder.join("empty").to_str().unwrap()]);
    assert_eq!(ran.code, 2);
}

#[test]
fn memory_is_bounded_whatever_is_packed() {
    let folder = folder("bomb");
    let path = folder.join("bomb.dm_71.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&sample(PLAIN)).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..300 {
        encoder.write_all(&zeros).unwrap();
    }
    fs::write(&path, encoder.finish().unwrap()).unwrap();
    let path = path.to_str().unwrap();
    for command in ["info", "verify", "decompile"] {
        let ran = run(&[command, path]);
        assert!(ran.code != 0 && ran.err.contains("times its size"), "{command}: {} {}", ran.code, ran.err);
    }
    let large = format!("samples/{PLAIN}");
    for (option, size) in [("--max-size", "50kB"), ("--max-memory", "50kB")] {
        let ran = run(&["info", option, size, &large]);
        assert!(ran.code == 2 && ran.err.contains(option), "{}", ran.err);
    }
    assert_eq!(run(&["decompile", "--max-size", "50kB", &large]).code, 2);
    assert_eq!(run(&["verify", "--max-memory", "200kB", "-j", "8", "samples/quake3/dm_bots.dm_71", "samples/quake3/dm_bots.dm_71", &large]).code, 0);
    // What is no recording is not unpacked, and a sparse file not read.
    let sparse = folder.join("sparse.bin");
    fs::write(&sparse, "no recording begins like that").unwrap();
    fs::File::options().write(true).open(&sparse).unwrap().set_len(900 << 20).unwrap();
    let ran = run(&["info", sparse.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.err.contains("not a recognized"), "{}", ran.err);
}

#[test]
fn padding_behind_what_is_packed_is_the_same_to_all() {
    let folder = folder("padding");
    let path = folder.join("x.dm_71.gz");
    let packed = |tail: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&sample(PLAIN)).unwrap();
        fs::write(&path, [&encoder.finish().unwrap()[..], tail].concat()).unwrap();
    };
    let codes = || ["verify", "decompile"].map(|command| run(&[command, path.to_str().unwrap()]).code);
    packed(&[0; 700]);
    assert_eq!(codes(), [0, 0]);
    packed(b"tail");
    assert_eq!(codes(), [1, 1]);
}

#[test]
fn a_text_that_was_cut_off_does_not_compile_without_a_word() {
    let folder = folder("cut-text");
    let text = run(&["decompile", "samples/quake3/dm_bots.dm_71"]).out;
    let cut: String = text.lines().take(500).map(|line| format!("{line}\n")).collect();
    let (source, target) = (folder.join("cut.jsonl"), folder.join("cut.dm_71"));
    fs::write(&source, cut).unwrap();
    let ran = run(&["compile", source.to_str().unwrap(), "-o", target.to_str().unwrap()]);
    assert!(ran.code == 1 && ran.err.contains("lacks its last line") && target.exists(), "{}", ran.err);
    fs::write(&source, &text).unwrap();
    let ran = run(&["compile", source.to_str().unwrap(), "-o", target.to_str().unwrap(), "--force"]);
    assert_eq!((ran.code, fs::read(&target).unwrap()), (0, sample(PLAIN)), "{}", ran.err);
}

#[test]
fn words_mean_the_same_everywhere() {
    let source = "samples/quake3/dm_bots.dm_71";
    for arguments in [
        &["cut", source, "--from", "20s", "--to", "0m30s", "-n"][..],
        &["events", source, "--from", "0:20", "--to", "1m"],
        &["convert", source, "--to", "DM_68", "-n"],
        &["strip", source, "--kind", "snapshot", "--list"],
        &["events", source, "--kind", "kill"],
        &["highlights", source, "--player", "garg*", "--player", "grism"],
    ][..3]
        .iter()
        .chain(&[&["events", source, "--kind", "kill"][..], &["highlights", source, "--player", "garg*", "--player", "grism"]])
    {
        let ran = run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
    }
    for wrong in ["1:75", "5x", "1:2:99"] {
        assert_eq!(run(&["cut", source, "--from", wrong, "-n"]).code, 2, "{wrong}");
    }
    let open = run(&["cut", source, "--from", "0:40", "-n"]);
    assert!(!open.out.contains("305419"), "{}", open.out);
    let past = run(&["cut", source, "--from", "9:00", "-n"]);
    assert!(past.code == 2 && past.err.replace("\n      ", " ").contains("the end"), "{}", past.err);
    let on_server = run(&["events", source, "--kinds", "kill", "--clock", "server"]).out;
    assert!(on_server.starts_with("   0:08.750"), "the clock asked for is the one shown: {on_server}");
    let folder_given = run(&["state", "samples/quake3", "--at", "1"]);
    assert!(folder_given.code == 2 && folder_given.err.contains("is a folder"), "{}", folder_given.err);
    let nobody = run(&["events", "--player", "nobody", "samples/quake3"]);
    assert_eq!((nobody.code, nobody.out.as_str()), (0, ""), "no headings for files without a hit");
}

/// Whatever kinds are asked for, an event is there or it is not.
#[test]
fn a_filter_changes_no_answer() {
    for family in ["quake3", "quake2", "goldsrc", "quake1"] {
        let path = format!("samples/{family}");
        let all = run(&["events", "--json", &path]).out;
        for kinds in ["print", "kill", "chat", "score", "join,leave,rename,team", "center_print,match"] {
            let wanted: Vec<&str> = kinds.split(',').collect();
            let expected =
                all.lines().filter(|line| wanted.contains(&serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].as_str().unwrap_or_default()));
            let expected: Vec<&str> = expected.collect();
            let some = run(&["events", "--json", "--kinds", kinds, &path]).out;
            assert!(some.lines().eq(expected.iter().copied()), "{family} {kinds}: {} and {}", some.lines().count(), expected.len());
        }
    }
}

#[test]
fn machines_get_the_sentences_that_people_read() {
    let mut compared = 0;
    for family in ["quake3", "quake2", "goldsrc", "quake1"] {
        let path = format!("samples/{family}");
        let said = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["sentence"].as_str().map(str::to_owned);
        let sentences: Vec<String> = run(&["events", "--json", &path]).out.lines().filter_map(said).collect();
        let table = run(&["events", &path]).out;
        // the time, the kind, and the sentence, in columns
        let shown: Vec<&str> = table.lines().filter(|line| line.starts_with(' ')).map(|line| &line[28..]).collect();
        assert_eq!(shown.len(), sentences.len(), "{family}");
        for (shown, sentence) in shown.into_iter().zip(sentences).filter(|(shown, _)| !shown.contains('·')) {
            assert_eq!(shown, sentence, "{family}");
            compared += 1;
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn completions_offer_files_only_where_files_are_meant() {
    let script = run(&["completions", "fish"]).out;
    let line =
        |option: &str| script.lines().find(|line| line.contains("subcommand events") && line.contains(&format!("-l {option} "))).unwrap_or_default().to_owned();
    assert!(line("kinds").contains("center_print"), "{}", line("kinds"));
    let zsh = run(&["completions", "zsh"]).out;
    let player = zsh.lines().find(|line| line.contains("--player=")).unwrap_or_default();
    assert!(!player.contains("_files") && !player.contains("_default"), "{player}");
}

/// A reader of standard error that is no terminal gets no bar and no colors.
#[test]
fn nothing_moves_in_a_pipe() {
    let child = fragreel(&["verify", "samples"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert!(!ran.err.contains(['\r', '\u{1b}']), "{}", ran.err);
    let _ = Command::new("true");
}

#[test]
fn frames_are_rows_values_and_objects() {
    let source = "samples/quake3/dm_bots.dm_71";
    let range = ["frames", source, "--hz", "5", "--from", "10", "--to", "14"];
    let with = |more: &[&str]| run(&[&range, more].concat());
    let json = with(&["--json"]);
    let frames: Vec<serde_json::Value> = json.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert!(json.code == 0 && (20..=21).contains(&frames.len()), "{}", frames.len());
    let players: usize = frames.iter().map(|frame| frame["players"].as_array().expect("players").len()).sum();
    let csv = with(&["--csv"]);
    let rows: Vec<csv::StringRecord> = csv::Reader::from_reader(csv.out.as_bytes()).into_records().map(|row| row.expect("as long as the others")).collect();
    assert_eq!((rows.len(), with(&[]).out.lines().count()), (players, players + 1));
    // The place is that of `state`.
    let state = run(&["state", source, "--at", "10", "--section", "player", "--json"]);
    let state: serde_json::Value = serde_json::from_str(&state.out).unwrap();
    let origin = state["sections"][0]["records"][0]["origin"].as_array().expect("a place").clone();
    let own = frames[0]["players"].as_array().unwrap().iter().find(|player| player["slot"] == frames[0]["view"]["slot"]).expect("the player whose view it is");
    let same = own["origin"].as_array().unwrap().iter().zip(&origin).all(|(a, b)| (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 0.001);
    assert!(frames[0]["time"] != state["time"] || same, "{own} {origin:?}");
    let one = with(&["--player", "grism", "--json"]);
    assert!(one.out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["players"].as_array().unwrap().len() <= 1));
    for wrong in [
        &["frames", source, "--hz", "0"][..],
        &["frames", source, "--fields", "mood"],
        &["frames", source, "--entities", "ghost"],
        &["frames", source, "--from", "9", "--to", "3"],
    ] {
        assert_eq!(run(wrong).code, 2, "{wrong:?}");
    }
}

/// The check after scrubbing is one: states stay, and what does not is not written.
#[test]
fn scrubbing_changes_no_state_in_any_family() {
    for family in ["quake3", "quake2", "goldsrc", "quake1"] {
        for sample in fragreel_testkit::samples(family) {
            let path = format!("samples/{}", sample.name);
            if run(&["verify", &path]).code != 0 {
                continue;
            }
            let ran = run(&["scrub", &path, "-n", "--json"]);
            if ran.out.contains("protocol 4") {
                continue;
            }
            let line: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{path}: {}{}", ran.out, ran.err));
            assert!(line["frames_differing"] == 0 && line["frames_compared"].as_u64() > Some(0), "{path}: {line}");
        }
    }
}
