//! `fragreel serve` on loopback.

use std::net::UdpSocket;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Ran, fragreel, run};

#[test]
fn a_recording_is_a_server_that_can_be_asked() {
    // A port that was free just now.
    let port = UdpSocket::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port().to_string();
    let started = Instant::now();
    let child = fragreel(&["serve", "samples/quake3/dm_bots.dm_71", "--port", &port, "--for", "4"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    thread::sleep(Duration::from_millis(500));
    let asked = run(&["servers", "--json", &format!("q3://127.0.0.1:{port}")]);
    assert_eq!(asked.code, 0, "{}", asked.err);
    let told: serde_json::Value = serde_json::from_str(&asked.out).expect("JSON");
    assert_eq!((&told["map"]["clean"], &told["name"]["clean"]), (&"oa_minia".into(), &"dm_bots.dm_71".into()));
    let ran = Ran::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("/connect") && started.elapsed() < Duration::from_secs(60), "{}", ran.out);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let ran = run(&["serve", "samples/quake2/yq2dm_Alice.dm2", "--for", "1"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("Quake III"), "{}", ran.err);
}
