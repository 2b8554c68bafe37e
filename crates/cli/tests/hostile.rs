//! What servers say, and recordings stuff into consoles, on its way to the terminal: nothing in it commands one, or hides the rest.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::process::Stdio;
use std::thread;

use crate::{folder, fragreel, run};

/// Turns the reading round; the same for the terminal as `ESC [`; clears the screen.
const HOSTILE: &str = "full\u{202e}\u{9b}2J\u{1b}[2J now";

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// What was said has the words, and dots for all that a terminal would obey.
fn is_harmless(said: &str) -> bool {
    let misleads = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    said.contains("full·") && !said.contains(misleads)
}

/// A server that sends everybody away.
fn refuses(answer: &'static [u8]) -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = socket.local_addr().expect("an address").port();
    thread::spawn(move || {
        let mut datagram = [0; 2048];
        while let Ok((length, from)) = socket.recv_from(&mut datagram) {
            let asks = datagram[..length].starts_with(b"\xff\xff\xff\xffgetchallenge");
            let refusal = [b"\xff\xff\xff\xffprint\n", answer].concat();
            drop(socket.send_to(if asks { b"\xff\xff\xff\xffchallengeResponse 1" } else { &refusal }, from));
        }
    });
    format!("q3://127.0.0.1:{port}")
}

#[test]
fn what_servers_say_is_harmless_when_shown() {
    let folder = folder("hostile-servers");
    let (url, file) = (refuses(HOSTILE.as_bytes()), folder.join("live.dm_68"));
    let ran = run(&["record", &url, "-o", text(&file)]);
    assert!(ran.code == 2 && is_harmless(&ran.err), "{:?}", ran.err);
    let ran = run(&["relay", &url, "q3://:0", "--for", "5"]);
    assert!(ran.code == 2 && is_harmless(&ran.err), "{:?}", ran.err);
    for arguments in [&["record", &url, "-o", text(&file), "--reconnect"][..], &["relay", &url, "q3://:0", "--reconnect"]] {
        let mut child = fragreel(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stderr.take().expect("its errors")).read_line(&mut line).expect("a line");
        child.kill().and_then(|()| child.wait()).expect("it ends");
        assert!(line.contains("joining again") && is_harmless(&line), "{line:?}");
    }
}

/// What a stream's server says of its end stands beside the file's name.
#[test]
fn why_a_stream_is_refused_is_harmless_when_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("qtv://127.0.0.1:{}", listener.local_addr().expect("an address").port());
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a client");
        socket.write_all(format!("QTVSV 1\nPERROR: {HOSTILE}\n\n").as_bytes()).expect("it is read");
    });
    let ran = run(&["record", &url, "-o", text(&folder("hostile-stream").join("live.mvd"))]);
    assert!(ran.code == 2 && is_harmless(&ran.err), "{:?}", ran.err);
}

/// The names of commands that are held back come from the recording.
#[test]
fn what_is_held_back_from_consoles_is_harmless_when_shown() {
    let folder = folder("hostile-console");
    let (source, demo) = (folder.join("text.jsonl"), folder.join("stuffs.dem"));
    let plain = run(&["decompile", "samples/quake1/netquake666_deltas_dm6.dem"]).out;
    let stuffs = plain.replace("\"bf\\n\"", "\"full\\u202e\\u009b2J 1\\n\"");
    assert!(stuffs != plain);
    std::fs::write(&source, stuffs).expect("it is written");
    let compiled = run(&["compile", text(&source), "-o", text(&demo)]);
    assert_eq!(compiled.code, 0, "{}", compiled.err);
    let ran = run(&["serve", text(&demo), "--port", "0", "--for", "8"]);
    assert!(ran.code == 0 && ran.err.contains("console commands not sent to viewers") && is_harmless(&ran.err), "{:?}", ran.err);
}
