//! Which files are looked at, and what they lead to.

use std::io::Write;

use super::{folder, run, sample};

const PLAIN: &str = "quake3/dm_bots.dm_71";

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[test]
fn folders_give_their_recordings_and_nothing_else_in_order_of_names() {
    let folder = folder("recursion");
    std::fs::create_dir_all(folder.join("b/deep")).unwrap();
    let recording = sample(PLAIN);
    std::fs::write(folder.join("c.dm_71"), &recording).unwrap();
    std::fs::write(folder.join("b/deep/no-extension"), &recording).unwrap();
    std::fs::write(folder.join("b/packed.DM_71.GZ"), pack(&recording)).unwrap();
    std::fs::write(folder.join("a.txt"), "notes on the match").unwrap();
    std::fs::write(folder.join("empty"), "").unwrap();
    let root = folder.to_str().unwrap();
    let ran = run(&["verify", root]);
    let found: Vec<&str> = ran.out.lines().filter_map(|line| line.strip_prefix("whole    ")?.split("  ").next()?.strip_prefix(root)).collect();
    assert_eq!(found, ["/b/deep/no-extension", "/b/packed.DM_71.GZ", "/c.dm_71"], "{}", ran.out);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));

    let pattern = format!("{root}/**/*.[dD][mM]_*");
    let globbed = run(&["verify", &pattern]);
    assert_eq!(globbed.out.lines().count(), 2, "{}", globbed.out);
    let one_level = run(&["verify", &format!("{root}/*.dm_71")]);
    assert_eq!(one_level.out.lines().count(), 1, "{}", one_level.out);
}

#[test]
fn packed_and_plain_give_the_same_answers() {
    let folder = folder("gzip");
    let path = folder.join("x.dm_71.gz");
    std::fs::write(&path, pack(&sample(PLAIN))).unwrap();
    for command in
        [&["info", "--json"][..], &["verify", "--json"], &["events", "--json"], &["explain", "--message", "3", "--json"], &["state", "--at", "5", "--json"]]
    {
        let answer = |path: &str| {
            let ran = run(&[command, &[path]].concat());
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{command:?} {path}");
            ran.out.replace(&format!("{path:?}"), "PATH")
        };
        let plain = answer(&format!("samples/{PLAIN}"));
        assert!(plain.contains("PATH"), "{plain}");
        assert_eq!(answer(path.to_str().unwrap()), plain, "{command:?}");
    }
}

#[test]
fn a_cut_gzip_gives_what_is_there_and_says_so() {
    let folder = folder("cut-gzip");
    let packed = pack(&sample(PLAIN));
    let path = folder.join("cut.dm_71.gz");
    std::fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    let ran = run(&["verify", "--json", path.to_str().unwrap()]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON object");
    assert_eq!(ran.code, 1);
    assert!(report["messages"].as_u64().unwrap() > 100, "{report}");
    assert!(report["damage"].as_array().unwrap().iter().any(|damage| damage["path"] == "gzip" && damage["kind"] == "truncated"), "{report}");
}

#[test]
fn damage_is_code_one_and_names_its_place() {
    let folder = folder("damaged");
    let whole = sample(PLAIN);
    let path = folder.join("cut.dm_71");
    std::fs::write(&path, &whole[..whole.len() * 2 / 3]).unwrap();
    for command in ["verify", "info", "events"] {
        let ran = run(&[command, path.to_str().unwrap()]);
        assert_eq!(ran.code, 1, "{command}: {}", ran.err);
    }
    let ran = run(&["verify", "--details", path.to_str().unwrap()]);
    assert!(ran.out.starts_with("damaged") && ran.out.contains(" at offset "), "{}", ran.out);
    let quiet = run(&["verify", "--quiet", path.to_str().unwrap(), "samples/quake3"]);
    assert_eq!((quiet.code, quiet.out.lines().count()), (1, 1), "{}", quiet.out);
}

#[test]
fn what_cannot_be_read_is_code_two_and_stops_nothing() {
    let folder = folder("unreadable");
    let junk = folder.join("junk");
    std::fs::write(&junk, "not at all what a game would write").unwrap();
    let junk = junk.to_str().unwrap();
    let good = format!("samples/{PLAIN}");
    let ran = run(&["verify", "--json", "no/such/file", junk, &good, "no*thing"]);
    assert_eq!(ran.code, 2);
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let failed: Vec<bool> = lines.iter().map(|line| line.get("error").is_some()).collect();
    assert_eq!(failed, [true, true, false, true], "{}", ran.out);
    assert!(ran.err.matches("help:").count() == 3, "every error says what to do next: {}", ran.err);
    for arguments in [
        &["events", "--kinds", "frag", &good][..],
        &["state", &good],
        &["verify"],
        &["nonsense"],
        &["explain", &good, "--message", "999999"],
        &["state", "--at", "noon", &good],
    ] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn results_come_in_the_order_of_the_input_whatever_the_threads() {
    // What is named twice is looked at once.
    let folder = folder("order");
    let copy = |(number, sample): (usize, &fragreel_testkit::Sample)| {
        let path = folder.join(format!("{}_{}", 40 - number, sample.name.replace('/', "_")));
        std::fs::write(&path, sample.bytes()).expect("a copy");
        path.to_str().expect("UTF-8").to_owned()
    };
    let paths: Vec<String> = fragreel_testkit::samples("quake3").iter().cycle().take(40).enumerate().map(copy).collect();
    let mut arguments = vec!["info", "--json"];
    arguments.extend(paths.iter().map(String::as_str));
    let one = run(&[&["--jobs", "1"], &arguments[..]].concat());
    let seven = run(&[&["--jobs", "7"], &arguments[..]].concat());
    assert_eq!((one.code, one.out.lines().count()), (0, 40));
    assert_eq!(one.out, seven.out);
}

#[test]
fn csv_has_as_many_columns_in_every_row() {
    let ran = run(&["events", "--csv", "samples/quake3"]);
    let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
    let columns = reader.headers().expect("headings").len();
    let rows = reader.records().map(|row| row.expect("every row is as long as the headings")).inspect(|row| assert_eq!(row.len(), columns)).count();
    let json = run(&["events", "--json", "samples/quake3"]);
    assert_eq!(rows, json.out.lines().count());
}

#[test]
fn scripts_may_still_be_lenient() {
    let ran = run(&["info", "--lenient", "samples/quake2/yq2dm_Alice.dm2"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("not needed anymore"), "{}", ran.err);
}
