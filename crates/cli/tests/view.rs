//! `fragreel view` on loopback. Where the command was built without the page, it says so; `web/tests` look at the page itself.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::run;
use crate::running::Running;

pub fn has_page() -> bool {
    let has_page = fragreel_testkit::checkout().join("web/dist/index.html").is_file();
    if !has_page {
        fragreel_testkit::skipped("the viewer's page in the command: `cargo xtask web` makes it");
    }
    has_page
}

/// The status line and what comes behind the head.
fn ask(port: &str, head: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
    write!(stream, "{head}\r\n\r\n").expect("it reads");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("it answers");
    let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n").map_or(all.len(), |at| at + 4);
    let body = all.split_off(end);
    (String::from_utf8_lossy(&all).lines().next().unwrap_or_default().to_owned(), body)
}

#[test]
fn the_page_and_the_named_recordings_are_served_and_nothing_else() {
    if !has_page() {
        let ran = run(&["view", "samples/quake3/dm_bots.dm_71", "--no-browser", "--for", "1"]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("cargo xtask web"), "{}", ran.err);
        return;
    }
    let view = Running::start(&["view", "samples/quake3/dm_bots.dm_71", "--no-browser"]);
    let rest = view.line.trim().strip_prefix("http://127.0.0.1:").expect("an address of this machine");
    let (port, path) = rest.split_once('/').expect("a path");
    let (token, wishes) = path.split_once("/#").expect("a token");
    assert_eq!((token.len(), wishes), (32, "src=recording%2F0%2Fdm_bots.dm_71"));
    let host = format!("Host: 127.0.0.1:{port}");
    let (status, page) = ask(port, &format!("GET /{token}/ HTTP/1.1\r\n{host}"));
    assert!(status.contains("200") && String::from_utf8_lossy(&page).contains("fragreel-viewer"), "{status}");
    let (status, bytes) = ask(port, &format!("GET /{token}/recording/0/dm_bots.dm_71 HTTP/1.1\r\n{host}"));
    assert!(status.contains("200") && bytes == std::fs::read(fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71")).expect("a sample"));
    for (head, code) in [
        (format!("GET /{token}/recording/0/x HTTP/1.1\r\n{host}\r\nRange: bytes=999999999-"), "416"),
        (format!("GET /{token}/recording/1/x HTTP/1.1\r\n{host}"), "404"),
        (format!("GET /{token}/live HTTP/1.1\r\n{host}"), "404"),
        (format!("GET /{token}/../../etc/passwd HTTP/1.1\r\n{host}"), "404"),
        (format!("GET / HTTP/1.1\r\n{host}"), "404"),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: evil.example:{port}"), "403"),
        (format!("GET /{token}/ HTTP/1.1\r\n{host}\r\nOrigin: http://evil.example"), "403"),
        (format!("POST /{token}/ HTTP/1.1\r\n{host}"), "405"),
        (String::from("rubbish"), "400"),
    ] {
        let (status, body) = ask(port, &head);
        assert!(status.contains(code) && body.is_empty(), "{head}: {status}");
    }
    let ran = view.end();
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn the_list_says_what_the_catalogue_knows_and_members_of_archives_are_unpacked() {
    if !has_page() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let sample = fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71");
    let file = std::fs::File::create(folder.path().join("a.zip")).expect("a file");
    let mut archive = zip::ZipWriter::new(file);
    archive.start_file("2026/inner.dm_71", zip::write::SimpleFileOptions::default()).expect("a member");
    archive.write_all(&std::fs::read(&sample).expect("a sample")).expect("space");
    archive.finish().expect("space");
    let (db, demos) = (folder.path().join("c.sqlite"), folder.path().join("a.zip"));
    let (db, demos, sample) = (db.to_str().expect("text"), demos.to_str().expect("text"), sample.to_str().expect("text"));
    assert_eq!(run(&["index", "--db", db, sample]).code, 0);
    for (arguments, count) in [(&["--db", db, demos, sample][..], 2), (&["--db", db], 1)] {
        let view = Running::start(&[&["view", "--no-browser"], arguments].concat());
        let (port, path) = view.line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once('/')).expect("an address");
        let token = path.split_once("/#").expect("a token").0;
        let get = |what: &str| ask(port, &format!("GET /{token}/{what} HTTP/1.1\r\nHost: 127.0.0.1:{port}"));
        let list: Vec<serde_json::Value> = serde_json::from_slice(&get("recordings.json").1).expect("a list");
        assert_eq!(list.len(), count);
        let known = list.iter().filter_map(|one| one["about"].as_str()).collect::<Vec<_>>();
        assert!(matches!(known[..], [about] if about.starts_with("oa_minia · 2026-11-21") && about.contains("Grism")), "{known:?}");
        if count == 2 {
            assert_eq!(list[0]["name"], "inner.dm_71");
            assert_eq!(get(list[0]["src"].as_str().expect("an address")).1, std::fs::read(sample).expect("a sample"));
        }
    }
}

/// `record --view`: the page gets what was written, and what is written since, and nothing else.
#[test]
fn what_is_recorded_is_served_as_it_grows() {
    if !has_page() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("live.qwd");
    let show = Running::start(&["serve", "samples/quake1/match_e1m1.mvd", "--port", "0"]);
    let url = format!("qw://127.0.0.1:{}", show.port());
    let recorder = Running::start(&["record", &url, "-o", file.to_str().expect("text"), "--for", "4", "--view", "--no-browser"]);
    let rest = recorder.line.trim().strip_prefix("http://127.0.0.1:").expect("an address of this machine");
    let (port, path) = rest.split_once('/').expect("a path");
    let (token, wishes) = path.split_once("/#").expect("a token");
    assert_eq!((token.len(), wishes), (32, "live=live"));
    let host = format!("Host: 127.0.0.1:{port}");
    let (mut bytes, mut steps) = (Vec::new(), 0);
    loop {
        let (status, body) = ask(port, &format!("GET /{token}/live HTTP/1.1\r\n{host}"));
        assert!(status.contains("200"), "{status}");
        let state: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
        if let Some(shown) = state["files"].get(0) {
            assert_eq!((&shown["name"], &shown["src"]), (&"live.qwd".into(), &"recording/0/live.qwd".into()));
            if shown["bytes"].as_u64().expect("a number") > bytes.len() as u64 {
                let (status, more) = ask(port, &format!("GET /{token}/recording/0/live.qwd HTTP/1.1\r\n{host}\r\nRange: bytes={}-", bytes.len()));
                assert!(status.contains("206") && !more.is_empty(), "{status}");
                bytes.extend(more);
                steps += 1;
            }
        }
        if state["over"] == true {
            break;
        }
        let (status, _) = ask(port, &format!("GET /{token}/live HTTP/1.1\r\n{host}\r\nOrigin: http://evil.example"));
        assert!(status.contains("403"), "{status}");
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    let ran = recorder.wait();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(steps > 1 && bytes == std::fs::read(&file).expect("a recording"), "{steps} steps, {} bytes", bytes.len());
}
