//! Moments over folders: which are found, what they are called when they are cut out, and lists for other programs.

use std::path::Path;

use serde_json::Value;

use super::{folder, run, sample};

fn text(path: &Path) -> &str {
    path.to_str().expect("test folders have plain names")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Every file below a folder, sorted.
fn tree(folder: &Path) -> Vec<String> {
    fn below(folder: &Path, base: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { below(&path, base, found) } else { found.push(path.strip_prefix(base).unwrap().to_string_lossy().into_owned()) }
        }
    }
    let mut found = Vec::new();
    below(folder, folder, &mut found);
    found.sort();
    found
}

#[test]
fn the_best_of_a_folder_are_the_best_of_its_recordings() {
    let all = lines(&run(&["highlights", "samples/quake3", "--kills", "2", "--json"]).out);
    let mut points: Vec<u64> = all.iter().map(|line| line["points"].as_u64().unwrap()).collect();
    points.sort_unstable_by(|a, b| b.cmp(a));
    let best = lines(&run(&["highlights", "samples/quake3", "--kills", "2", "--json", "--best", "5"]).out);
    let of = |lines: &[Value], key: &str| lines.iter().map(|line| line[key].as_u64().unwrap()).collect::<Vec<_>>();
    assert!(all.len() > 10, "{}", all.len());
    assert_eq!((of(&best, "points"), of(&best, "number")), (points[..5].to_vec(), vec![1, 2, 3, 4, 5]));
    let one_by_one = run(&["highlights", "-j", "1", "samples/quake3", "--kills", "2", "--json", "--best", "5"]).out;
    assert_eq!(lines(&one_by_one), best, "the number of threads changes nothing");
}

/// A line of `--csv` for every reason of `--json`, with the same in it.
#[test]
fn moments_as_values_are_those_of_the_json() {
    let question = ["highlights", "samples/quake3", "--kills", "2", "--captures"];
    let all = lines(&run(&[&question[..], &["--json"]].concat()).out);
    let expected: Vec<[String; 4]> = all
        .iter()
        .flat_map(|moment| {
            let of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            moment["reasons"]
                .as_array()
                .unwrap()
                .iter()
                .map(move |reason| [of(&moment["path"]), of(&moment["number"]), of(&reason["server_time"]), of(&reason["player"]["name"]["clean"])])
        })
        .collect();
    let ran = run(&[&question[..], &["--csv"]].concat());
    let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
    let headings = reader.headers().unwrap().clone();
    let place = |name: &str| headings.iter().position(|heading| heading == name).unwrap();
    let places = ["path", "number", "server_time", "player"].map(place);
    let found: Vec<[String; 4]> = reader.records().map(|row| places.map(|at| row.as_ref().unwrap()[at].to_owned())).collect();
    assert!(found.len() > 10 && found == expected, "{} {}", found.len(), expected.len());
    assert_eq!(run(&[&question[..], &["--csv", "-o", "x"]].concat()).code, 2);
}

#[test]
fn wishes_leave_out_what_they_should() {
    let kills = |more: &[&str]| {
        let found = lines(&run(&[&["highlights", "samples/quake3/crowd_latency.dm_71", "--kills", "1", "--json"], more].concat()).out);
        found.iter().flat_map(|line| line["reasons"].as_array().unwrap().clone()).collect::<Vec<_>>()
    };
    let all = kills(&[]);
    let rockets = kills(&["--weapon", "rocket_launcher"]);
    let means = |reason: &Value| reason["means"].as_array().unwrap().iter().map(|means| means.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert!(!rockets.is_empty() && rockets.len() < all.len() && rockets.iter().flat_map(means).all(|means| means.starts_with("MOD_ROCKET")), "{rockets:?}");
    assert_eq!(kills(&["--weapon", "mod_rocket*"]), rockets);
    // FarAway recorded it, and saw through no other eyes.
    let own = kills(&["--own"]);
    let by_name = kills(&["--player", "FarAway"]);
    assert_eq!(own, by_name);
    let late = kills(&["--no-spawn-kills", "1000"]);
    assert!(late.len() < all.len(), "most have died before");
}

#[test]
fn moments_of_a_folder_are_cut_into_names_of_a_pattern() {
    let folder = folder("moments");
    let (from, to) = (folder.join("from"), folder.join("to"));
    std::fs::create_dir_all(from.join("deep")).unwrap();
    std::fs::write(from.join("a.dm_71"), sample("quake3/dm_bots.dm_71")).unwrap();
    std::fs::write(from.join("deep/a.dm_71"), sample("quake3/ctf_bots.dm_71")).unwrap();
    std::fs::write(from.join("quiet.dm2"), sample("quake2/synth_fixmulti_lmpc.dm2")).unwrap();
    let wishes = ["highlights", text(&from), "--kills", "2", "--within", "3"];
    let listed = lines(&run(&[&wishes[..], &["--json"]].concat()).out).len();
    let ran = run(&[&wishes[..], &["-o", text(&to)]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let names = tree(&to);
    assert_eq!(names.len(), listed);
    assert!(names.contains(&"a_1.dm_71".into()) && names.contains(&"deep/a_1.dm_71".into()), "{names:?}");

    // Names that come twice are numbered, in the same way whatever the threads.
    let named = |name: &str, jobs: &str| {
        let to = folder.join(name);
        let pattern = to.join("{game}/{reason}.{ext}");
        let ran = run(&[&wishes[..], &["-j", jobs, "-o", text(&pattern)]].concat());
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        tree(&to).into_iter().map(|name| (std::fs::read(to.join(&name)).unwrap(), name)).collect::<Vec<_>>()
    };
    let one = named("one", "1");
    assert_eq!(one.len(), listed);
    assert!(
        one.iter().any(|(_, name)| name.starts_with("OpenArena/")) && one.iter().any(|(_, name)| name.ends_with("_2.dm_71")),
        "{:?}",
        one.iter().map(|(_, name)| name).collect::<Vec<_>>()
    );
    assert!(one == named("many", "4"));

    // The best are numbered by rank.
    let best = folder.join("best");
    let ran = run(&[&wishes[..], &["--best", "2", "-o", text(&best.join("{n}-{player}-{reason}-{points}.{ext}"))]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let names = tree(&best);
    assert!(names.len() == 2 && names[0].starts_with("1-") && names[1].starts_with("2-") && names[0].contains("-kills-"), "{names:?}");
    // All numbers are as wide as the last one, whichever recording a moment comes from.
    let ten = folder.join("ten");
    let ran = run(&["highlights", text(&from), "--kills", "1", "--best", "10", "-o", text(&ten.join("{n}.{ext}"))]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let names: Vec<String> = tree(&ten).iter().map(|name| name.split('.').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(names, ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10"]);
}

#[test]
fn an_interrupted_run_gives_the_same_names_when_it_is_gone_on_with() {
    let folder = folder("moments-resumed");
    let (to, journal) = (folder.join("to"), folder.join("done.jsonl"));
    let pattern = to.join("{weapon}.{ext}");
    let cut = ["highlights", "samples/quake3", "--kills", "2", "-o", text(&pattern), "--json", "--resume", text(&journal)];
    let ran = run(&cut);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let (names, whole) = (tree(&to), std::fs::read_to_string(&journal).unwrap());
    assert!(names.len() > 5 && names.len() == whole.lines().count(), "{names:?}");
    // It broke off within the line of a moment that is in place already.
    let half: String = whole.lines().take(4).map(|line| format!("{line}\n")).collect();
    std::fs::write(&journal, format!("{half}{{\"path\":\"sam")).unwrap();
    std::fs::remove_file(to.join(names.last().unwrap())).unwrap();
    let ran = run(&cut);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert_eq!((tree(&to), std::fs::read_to_string(&journal).unwrap()), (names, whole));
}

#[test]
fn a_result_is_named_by_what_is_in_it() {
    let folder = folder("named");
    let pattern = folder.join("{game}-{map}-{player}-{date}-{mode}-{n}.{ext}.gz");
    let ran = run(&["cut", "samples/quake3/dm_bots.dm_71", "--to", "5", "-o", text(&pattern)]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(tree(&folder), ["OpenArena-oa_minia-RedFox-2026-11-21-Free_For_All-1.dm_71.gz"]);
    for wrong in ["{nobody}.dm_71", "{n", "x/{n}/"] {
        assert_eq!(run(&["cut", "samples/quake3/dm_bots.dm_71", "--to", "5", "-o", wrong]).code, 2, "{wrong}");
    }
}

#[test]
fn lists_are_what_programs_read() {
    let list = |tool: &str, from: &str| {
        let ran = run(&["highlights", from, "--kills", "1", "--list", tool]);
        assert_ne!(ran.code, 2, "{}", ran.err);
        (ran.out, ran.err)
    };
    let (wolfcam, _) = list("wolfcam", "samples/quake3");
    let is_time = |word: &str| {
        word.split_once(':')
            .is_some_and(|(minutes, seconds)| minutes.parse::<u32>().is_ok() && seconds.len() == 2 && seconds.parse::<u32>().is_ok_and(|seconds| seconds < 60))
    };
    for line in wolfcam.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(words.len() == 3 && is_time(words[0]) && is_time(words[1]) && words[2].contains(".dm_"), "{line}");
    }
    assert!(wolfcam.lines().count() > 20);
    let (nothing, why) = list("q2pro", "samples/quake3/dm_bots.dm_71");
    assert!(nothing.lines().count() == 1 && why.contains("from a game that the program does not play"), "{nothing}{why}");
    for (tool, from) in [("q2pro", "samples/quake2"), ("ezquake", "samples/quake1"), ("hlae", "samples/goldsrc")] {
        let (config, _) = list(tool, from);
        let lines = config.lines().filter(|line| !line.starts_with("//"));
        for line in lines {
            // A name, and a command in quotes that has none inside.
            assert!(line.starts_with("alias ") && line.ends_with('"') && line.matches('"').count() == 2, "{line}");
        }
    }
    let folder = folder("q3mme");
    let ran = run(&["highlights", "samples/quake3/dm_bots.dm_71", "--kills", "1", "--list", "q3mme", "-o", text(&folder)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let list = std::fs::read_to_string(folder.join("moments.txt")).unwrap();
    for line in list.lines() {
        let words: Vec<&str> = line.split('"').collect();
        let project = std::fs::read_to_string(folder.join("project").join(words[1]).join(format!("{}.cfg", words[3]))).unwrap();
        assert!(project.starts_with("<capture>\n\t<start>") && project.ends_with("</end>\n</capture>\n"), "{project}");
    }
    assert!(list.lines().count() > 5);
    assert_eq!(run(&["highlights", "samples/quake3/dm_bots.dm_71", "--kills", "1", "--list", "q3mme", "-o", text(&folder)]).code, 2, "nothing is replaced");
}

/// Scripts pass these names to a shell. What a shell would act on is copied under another name, or left out and counted.
#[test]
#[cfg(unix)]
fn lists_for_scripts_have_no_names_that_a_shell_acts_on() {
    let folder = folder("shell-names");
    let names = ["a;b.dm_71", "$(id).dm_71", "`id`.dm_71", "a b.dm_71", "a'b.dm_71", "a&b.dm_71", "a|b.dm_71", "a>b.dm_71", "a*.dm_71", "-a.dm_71", "..dm_71"];
    for name in names.into_iter().chain(["fine-1_2+ü.dm_71"]) {
        std::fs::write(folder.join(name), sample("quake3/dm_bots.dm_71")).unwrap();
    }
    let moments = lines(&run(&["highlights", "samples/quake3/dm_bots.dm_71", "--kills", "1", "--json"]).out).len();
    for tool in ["wolfcam", "q3mme"] {
        let ran = run(&["highlights", text(&folder), "--kills", "1", "--list", tool]);
        let left_out = format!("{} moments are not in the list: in a recording whose name is not safe in a shell", moments * names.len());
        assert!(ran.err.contains(&left_out), "{tool}: {}", ran.err);
        assert!(ran.out.lines().count() == moments && ran.out.lines().all(|line| line.contains("fine-1_2+ü")), "{tool}: {}", ran.out);
        // beside the demos, a run would find the copies of the one before
        let elsewhere = crate::folder(&format!("shell-names-{tool}"));
        let out = elsewhere.join("list");
        let ran = run(&["highlights", text(&folder), "--kills", "1", "--list", tool, "-o", text(&out)]);
        assert_eq!((ran.code, ran.err.contains("not in the list")), (0, false), "{}", ran.err);
        let list = std::fs::read_to_string(out.join(if tool == "wolfcam" { "recorddemos.txt" } else { "moments.txt" })).unwrap();
        let safe = |c: char| c.is_alphanumeric() || " \"-_+.@:".contains(c);
        assert!(list.lines().count() == moments * (names.len() + 1) && list.lines().all(|line| line.chars().all(safe)), "{tool}: {list}");
        let copies: Vec<String> = tree(&out).into_iter().filter(|file| file.ends_with(".dm_71")).collect();
        assert_eq!(copies.len(), names.len(), "{copies:?}");
        for copy in copies {
            assert!(!copy.starts_with(['-', '.']) && list.contains(copy.strip_suffix(".dm_71").unwrap()), "{copy}: {list}");
            assert!(std::fs::read(out.join(&copy)).unwrap() == sample("quake3/dm_bots.dm_71"), "{copy}");
        }
    }
}
