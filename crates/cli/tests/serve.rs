//! `fragreel serve` on loopback.

use std::thread;

use crate::running::{Running, interrupt, wait_for_growth};
use crate::{folder, fragreel, run};

#[test]
fn a_recording_is_a_server_that_can_be_asked() {
    let show = Running::start(&["serve", "samples/quake3/dm_bots.dm_71", "--port", "0"]);
    assert!(show.line.contains("/connect"), "{}", show.line);
    let asked = run(&["servers", "--json", &format!("q3://127.0.0.1:{}", show.port())]);
    assert_eq!(asked.code, 0, "{}", asked.err);
    let told: serde_json::Value = serde_json::from_str(&asked.out).expect("JSON");
    assert_eq!((&told["map"]["clean"], &told["name"]["clean"]), (&"oa_minia".into(), &"dm_bots.dm_71".into()));
    let ran = show.end();
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn a_show_ends_when_its_time_is_up() {
    let ran = Running::start(&["serve", "samples/quake3/dm_bots.dm_71", "--port", "0", "--for", "0.2"]).wait();
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn what_is_shown_can_be_recorded() {
    let file = folder("serve-record").join("seen.qwd");
    let show = Running::start(&["serve", "samples/quake1/match_e1m1.mvd", "--port", "0", "--from", "10"]);
    let url = format!("qw://127.0.0.1:{}", show.port());
    let asked = run(&["servers", "--json", &url]);
    assert!(asked.code == 0 && asked.out.contains("match_e1m1.mvd"), "{}{}", asked.out, asked.err);
    // those of the recording, as QTV proxies say it
    assert!(asked.out.contains("\"player_count\":3,\"most_players\":8,"), "{}", asked.out);
    for extensions in [&["--plain"][..], &[], &["--seats", "2"]] {
        let mut arguments = vec!["record", &url, "-o", file.to_str().expect("a path in UTF-8"), "--for", "1.5", "--force"];
        arguments.extend(extensions);
        let recorded = run(&arguments);
        assert_eq!(recorded.code, 0, "{}{}", recorded.out, recorded.err);
        let verified = run(&["verify", file.to_str().expect("a path in UTF-8")]);
        assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
        let info = run(&["info", "--json", file.to_str().expect("a path in UTF-8")]);
        assert!(info.out.contains("bot bravo") && info.out.contains("e1m1"), "{}", info.out);
        let text = run(&["decompile", file.to_str().expect("a path in UTF-8")]);
        assert_eq!((text.code, text.out.contains("choosesplitclient")), (0, extensions.contains(&"2")), "{}", text.err);
        assert!(!recorded.out.contains("seats"), "{}", recorded.out);
    }
    assert_eq!(show.end().code, 0);
}

#[test]
fn netquake_is_converted_and_answers() {
    let show = Running::start(&["serve", "samples/quake1/netquake666_deltas_dm6.dem", "--port", "0", "--protocol", "666"]);
    let asked = run(&["servers", "--json", &format!("nq://127.0.0.1:{}", show.port())]);
    assert!(asked.code == 0 && asked.out.contains("dm6"), "{}{}", asked.out, asked.err);
    assert_eq!(show.end().code, 0);
}

#[test]
fn a_protocol_that_darkplaces_does_not_read_is_named() {
    let made = folder("serve-999").join("made.dem");
    let made = made.to_str().expect("a path in UTF-8");
    let converted = run(&["convert", "samples/quake1/netquake666_deltas_dm6.dem", "--to", "dem 999", "-o", made]);
    assert_eq!(converted.code, 0, "{}", converted.err);
    for (asked, hint) in [(&[][..], true), (&["--protocol", "666"], false)] {
        let ran = run(&[&["serve", made, "--port", "0", "--for", "0.2"], asked].concat());
        assert_eq!((ran.code, ran.err.contains("DarkPlaces cannot join")), (0, hint), "{}", ran.err);
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let ran = run(&["serve", "samples/goldsrc/net-48.dem", "--for", "1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("Quake III"), "{}", ran.err);
}

#[test]
fn all_players_are_shown_without_pov() {
    let show = ["serve", "samples/quake2/q2p_mvd_multi.mvd2", "--port", "0", "--for", "0.2"];
    let ran = run(&show);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = run(&[&show[..], &["--pov", "nobody"]].concat());
    assert_eq!((ran.code, ran.err.contains("`nobody`")), (2, true), "{}", ran.err);
}

#[test]
fn other_games_shows_can_be_recorded_together_or_apart() {
    for (sample, options, scheme, name) in [
        ("quake2/yq2dm_Alice.dm2", &[][..], "q2", "seen.dm2"),
        ("quake2/q2p_mvd_multi.mvd2", &["--pov", "Alice", "--own-clock"], "q2", "seen.dm2"),
        ("quake3/dm_bots.dm_71", &["--own-clock"], "q3", "seen.dm_71"),
        ("quake1/netquake666_deltas_dm6.dem", &["--own-clock"], "nq", "seen.dem"),
    ] {
        let sample = format!("samples/{sample}");
        let show = Running::start(&[&["serve", &sample, "--port", "0"], options].concat());
        let folder = folder(&format!("serve-record-{scheme}"));
        let (file, tables) = (folder.join(name), folder.join("tables"));
        let (file, into) = (file.to_str().expect("a path in UTF-8"), tables.to_str().expect("a path in UTF-8"));
        let url = format!("{scheme}://127.0.0.1:{}", show.port());
        let recorded = run(&["record", &url, "-o", file, "--for", "3", "--force", "--tables", into, "--format", "csv"]);
        assert_eq!(recorded.code, 0, "{sample}: {}{}", recorded.out, recorded.err);
        let verified = run(&["verify", file]);
        assert_eq!(verified.code, 0, "{sample}: {}{}", verified.out, verified.err);
        // a row for each of the recording's frames, below the headings
        let frames = std::fs::read_to_string(tables.join("seen.frames.csv")).expect("a table");
        let verified: serde_json::Value = serde_json::from_str(&run(&["verify", "--json", file]).out).expect("JSON");
        assert_eq!(verified["snapshots"], frames.lines().count() - 1, "{sample}");
    }
}

/// `servers` counts the viewers of a show, although the list of players does not name them.
#[test]
fn viewers_of_a_show_are_counted() {
    for (sample, scheme, name) in
        [("quake2/yq2dm_Alice.dm2", "q2", "dm2"), ("quake3/dm_bots.dm_71", "q3", "dm_71"), ("quake1/netquake666_deltas_dm6.dem", "nq", "dem")]
    {
        let show = Running::start(&["serve", &format!("samples/{sample}"), "--port", "0"]);
        let url = format!("{scheme}://127.0.0.1:{}", show.port());
        let folder = folder(&format!("serve-viewers-{scheme}"));
        let files: Vec<_> = (0..3).map(|n| folder.join(format!("{n}.{name}"))).collect();
        let recorders: Vec<_> = files
            .iter()
            .map(|file| fragreel(&["record", &url, "-o", file.to_str().expect("a path in UTF-8"), "--for", "60"]).spawn().expect("it starts"))
            .collect();
        files.iter().for_each(|file| wait_for_growth(file));
        let status: serde_json::Value = serde_json::from_str(&run(&["servers", "--json", &url]).out).expect("JSON");
        assert!(status["player_count"].as_u64().is_some_and(|count| count >= 3), "{scheme}: {status}");
        assert_eq!(status["most_players"], 64, "{scheme}: {status}");
        for mut recorder in recorders {
            interrupt(&recorder);
            assert!(recorder.wait().expect("it ends").success(), "{scheme}");
        }
        assert_eq!(show.end().code, 0, "{scheme}");
    }
}

/// Tables that cannot be written end the tables, and not the recording.
#[test]
fn a_recording_outlives_its_tables() {
    let show = Running::start(&["serve", "samples/quake3/dm_bots.dm_71", "--port", "0"]);
    let folder = folder("serve-record-tables");
    let (file, tables) = (folder.join("seen.dm_71"), folder.join("tables"));
    let (file, into) = (file.to_str().expect("a path in UTF-8"), tables.to_str().expect("a path in UTF-8"));
    let url = format!("q3://127.0.0.1:{}", show.port());
    // a folder is where a table belongs
    std::fs::create_dir_all(tables.join("seen.kills.csv")).expect("a folder");
    let recorded = run(&["record", &url, "-o", file, "--for", "4", "--force", "--tables", into, "--format", "csv"]);
    assert_eq!(recorded.code, 2, "{}{}", recorded.out, recorded.err);
    assert!(recorded.err.matches("stopped writing tables").count() == 1 && recorded.err.contains("seen.kills.csv"), "{}", recorded.err);
    assert!(recorded.out.contains("seen.dm_71"), "{}", recorded.out);
    let verified: serde_json::Value = serde_json::from_str(&run(&["verify", "--json", file]).out).expect("JSON");
    assert!(verified["snapshots"].as_u64().is_some_and(|count| count > 60) && verified["damage"].as_array().is_some_and(Vec::is_empty), "{verified}");
    // what cannot be begun is not recorded at all
    let blocked = folder.join("blocked");
    std::fs::write(&blocked, b"").expect("a file");
    let (other, blocked) = (folder.join("other.dm_71"), blocked.join("tables"));
    let (other, blocked) = (other.to_str().expect("a path in UTF-8"), blocked.to_str().expect("a path in UTF-8"));
    let refused = run(&["record", &url, "-o", other, "--for", "1", "--tables", blocked]);
    assert!(refused.code == 2 && refused.err.contains("is a file") && !std::path::Path::new(other).exists(), "{}", refused.err);
    assert_eq!(show.end().code, 0);
}

/// Runs `record` and gives what it wrote.
fn recorded(url: &str, file: &std::path::Path, more: &[&str]) -> Vec<u8> {
    let mut arguments = vec!["record", url, "-o", file.to_str().expect("a path in UTF-8"), "--force"];
    arguments.extend(more);
    let ran = run(&arguments);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    std::fs::read(file).expect("a recording")
}

/// What a stream's client gets that is there from the start is the recording.
#[test]
fn streams_give_the_recording_back() {
    for (sample, flag, scheme, name) in
        [("samples/quake1/match_e1m1.mvd", "--qtv", "qtv", "seen.mvd"), ("samples/quake2/q2p_mvd_multi.mvd2", "--gtv", "mvd2", "seen.mvd2")]
    {
        let show = Running::start(&["serve", sample, flag, "0", "--own-clock"]);
        let file = folder("serve-streams").join(name);
        let source = std::fs::read(fragreel_testkit::checkout().join(sample)).expect("a sample");
        let seen = recorded(&format!("{scheme}://127.0.0.1:{}", show.port()), &file, &["--for", "4"]);
        let same = seen.iter().zip(&source).take_while(|(one, other)| one == other).count();
        // but for the end mark, which came early
        assert!(same > source.len() / 40 && same + 32 > seen.len(), "{sample}: {same} of {} and {}", seen.len(), source.len());
    }
}

/// A server, a relay of it, two who record from the relay, and the relay's own recording.
#[test]
fn a_relay_shows_what_it_gets() {
    let games = [
        ("samples/quake1/match_e1m1.mvd", "qw", "seen.qwd", &[][..]),
        ("samples/quake2/yq2dm_Alice.dm2", "q2", "seen.dm2", &["--delay", "1"]),
        ("samples/quake3/dm_bots.dm_71", "q3", "seen.dm_71", &["--protocol", "71"]),
        ("samples/quake1/netquake666_deltas_dm6.dem", "nq", "seen.dem", &[]),
    ];
    // they mostly wait
    thread::scope(|scope| {
        for (sample, scheme, name, options) in games {
            scope.spawn(move || relay_and_record(sample, scheme, name, options));
        }
    });
}

fn relay_and_record(sample: &str, scheme: &str, name: &str, options: &[&str]) {
    let show = Running::start(&["serve", sample, "--port", "0"]);
    let (from, to) = (format!("{scheme}://127.0.0.1:{}", show.port()), format!("{scheme}://127.0.0.1:0"));
    let folder = folder(&format!("relay-{scheme}"));
    let beside = folder.join(format!("beside-{name}"));
    let relay = Running::start(&[&["relay", &from, &to, "-o", beside.to_str().expect("a path in UTF-8"), "--force"], options].concat());
    let url = format!("{scheme}://127.0.0.1:{}", relay.port());
    // then it has something to show
    wait_for_growth(&beside);
    let files = [folder.join(format!("one-{name}")), folder.join(format!("two-{name}"))];
    let watching: Vec<_> = files
        .clone()
        .map(|file| {
            let url = url.clone();
            thread::spawn(move || recorded(&url, &file, &["--for", "5"]))
        })
        .into();
    for seen in watching {
        assert!(!seen.join().expect("it was recorded").is_empty(), "{sample}");
    }
    let ran = relay.end();
    assert_eq!(ran.code, 0, "{sample}: {}{}", ran.out, ran.err);
    for file in [&files[0], &files[1], &beside] {
        let verified = run(&["verify", file.to_str().expect("a path in UTF-8")]);
        assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    }
    assert_eq!(show.end().code, 0);
}

#[test]
fn what_cannot_be_relayed_is_said() {
    for (arguments, wanted) in [
        (&["relay", "qw://127.0.0.1:9", "q2://:9"][..], "cannot serve this source"),
        (&["relay", "qw://127.0.0.1:9", "http://:9"], "cannot serve at"),
        (&["relay", "qw://127.0.0.1:9", "qw://:0", "--delay=-1"], "delay"),
        (&["relay", "qtv://127.0.0.1:9", "qtv://:0"], "sent nothing"),
        (&["record", "nq://127.0.0.1:9", "-o", "x.dem", "--follow", "me"], "no spectators"),
        (&["record", "mvd2://127.0.0.1:9", "-o", "x.mvd2", "--each", "level"], "split"),
        (&["serve", "samples/quake1/netquake666_deltas_dm6.dem", "--qtv"], "multi-view"),
    ] {
        let ran = run(arguments);
        assert!(ran.code == 2 && ran.err.contains(wanted), "{arguments:?}: {}{}", ran.out, ran.err);
    }
}
