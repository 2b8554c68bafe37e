//! `fragreel servers` against servers on loopback.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::run;
use crate::schemas::checked;

/// A port that answers as the servers of all four games, every other question not at all.
struct Answering {
    address: String,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Answering {
    fn start() -> Self {
        Answering::with(answer)
    }

    fn with(answer: fn(&[u8]) -> Option<Vec<u8>>) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_read_timeout(Some(Duration::from_millis(5))).expect("a timeout");
        let address = socket.local_addr().expect("an address").to_string();
        let end = Arc::<AtomicBool>::default();
        let thread = thread::spawn({
            let end = Arc::clone(&end);
            move || {
                let (mut datagram, mut asked) = ([0; 2048], 0);
                while !end.load(Ordering::Relaxed) {
                    let Ok((length, from)) = socket.recv_from(&mut datagram) else { continue };
                    asked += 1;
                    if asked % 2 == 0
                        && let Some(answer) = answer(&datagram[..length])
                    {
                        // Somebody else's word comes first.
                        drop(socket.send_to(b"\xff\xff\xff\xffnonsense", from));
                        drop(socket.send_to(&answer, from));
                    }
                }
            }
        });
        Answering { address, end, thread: Some(thread) }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn answer(question: &[u8]) -> Option<Vec<u8>> {
    let outside = |text: &str| Some([&[0xff; 4][..], text.as_bytes()].concat());
    if let Some(challenge) = question.strip_prefix(b"\xff\xff\xff\xffgetstatus ") {
        let challenge = std::str::from_utf8(challenge).ok()?;
        return outside(&format!("statusResponse\n\\sv_hostname\\^1red\\mapname\\q3dm6\\sv_maxclients\\8\\challenge\\{challenge}\n3 40 \"^2green\"\n"));
    }
    match question {
        // padded, as servers answer strangers with no more than was asked
        question if question.starts_with(b"\xff\xff\xff\xffstatus\n") => {
            outside("n\\hostname\\here\\map\\dm3\\maxclients\\8\n5 12 3 40 \"some\x1b[2Jbody\" \"base\" 4 4\n\0")
        }
        b"\x80\x00\x00\x0c\x02QUAKE\0\x03" => Some(b"\x80\x00\x00\x1a\x8310.0.0.1\0here\0dm4\0\x01\x08\x03".to_vec()),
        b"\x80\x00\x00\x06\x03\x00" => Some(b"\x80\x00\x00\x17\x84\x00who\0\x44\0\0\0\x02\0\0\0\x05\0\0\0\0".to_vec()),
        _ => None,
    }
}

#[test]
fn servers_say_what_they_play_and_who() {
    let server = Answering::start();
    let url = |scheme: &str| format!("{scheme}://{}", server.address);
    let ran = run(&["servers", "--json", &url("qw")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((&told["game"], &told["map"]["clean"], &told["most_players"]), (&"quakeworld".into(), &"dm3".into(), &8.into()));
    assert_eq!((&told["players"][0]["score"], &told["info"]["hostname"]), (&12.into(), &"here".into()));
    let ran = run(&["servers", &url("q3"), &url("nq")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("red") && ran.out.contains("q3dm6") && ran.out.contains("1/8") && ran.out.contains("dm4"), "{}", ran.out);
    let ran = run(&["servers", "--players", &url("nq"), &url("qw")]);
    assert_eq!(checked("servers", &["servers", "--json", &url("qw"), &url("nq"), &url("q2"), &url("q3")]).len(), 4);
    assert!(ran.out.contains("who") && ran.out.contains("some") && !ran.out.contains('\x1b'), "{}", ran.out);
}

/// DarkPlaces with its own protocol (DP7) does not answer NetQuake's query. It answers Quake III's.
#[test]
fn darkplaces_answers_with_its_own_protocol() {
    let server = Answering::with(|question| question.starts_with(b"\xff\xff\xff\xff").then(|| answer(question))?);
    let ran = run(&["servers", "--json", &format!("nq://{}", server.address)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let status: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((&status["map"]["clean"], &status["player_count"], &status["most_players"]), (&"q3dm6".into(), &1.into(), &8.into()), "{status}");
}

#[test]
fn who_does_not_answer_is_named() {
    let closed = UdpSocket::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let silent = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let silent = silent.local_addr().map(|address| (address, silent)).expect("an address");
    let lines = checked("servers", &["servers", "--json", &format!("q2://{closed}"), &format!("q2://{}", silent.0)]);
    assert_eq!(lines.iter().filter(|line| line["kind"] == "io" && line["error"].is_string()).count(), 2, "{lines:?}");
}
