//! `fragreel record` against a server on loopback.

use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quake1::protocol::server::{Level, Server};
use quake1::replacement::EntityState;

use crate::{Ran, folder, fragreel, run};

/// A server in a thread of its own.
struct Live {
    url: String,
    playing: Arc<AtomicUsize>,
    close: Arc<AtomicBool>,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_read_timeout(Some(Duration::from_millis(2))).expect("a timeout");
        let url = format!("qw://{}", socket.local_addr().expect("an address"));
        let (playing, close, end) = (Arc::default(), Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let thread = thread::spawn({
            let (playing, close, end) = (Arc::clone(&playing), Arc::clone(&close), Arc::clone(&end));
            move || serve(&socket, &playing, &close, &end)
        });
        Live { url, playing, close, end, thread: Some(thread) }
    }

    fn wait_for_players(&self, count: usize) {
        let started = Instant::now();
        while self.playing.load(Ordering::Relaxed) != count {
            assert!(started.elapsed() < Duration::from_secs(20), "never {count} players");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn serve(socket: &UdpSocket, playing: &AtomicUsize, close: &AtomicBool, end: &AtomicBool) {
    let (mut server, started, mut datagram) = (Server::new(Level::default()), Instant::now(), [0; 2048]);
    while !end.load(Ordering::Relaxed) {
        if let Ok((length, from)) = socket.recv_from(&mut datagram) {
            server.receive(from, &datagram[..length]);
        }
        let time = started.elapsed().as_secs_f32();
        let state = EntityState { model: 2, frame: (time * 10.0) as u32 % 20, ..EntityState::default() };
        server.frame(time, &[(40, state)]);
        if close.swap(false, Ordering::Relaxed) {
            server.close();
        }
        playing.store(server.playing(), Ordering::Relaxed);
        while let Some((to, datagram)) = server.next_datagram() {
            drop(socket.send_to(&datagram, to));
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// What was recorded is a recording: whole, with the level's title, closed.
fn check(file: &Path) {
    let bytes = std::fs::read(file).expect("the recording is there");
    assert!(bytes.ends_with(b"EndOfDemo\0") || bytes.ends_with(&[2]) || bytes.ends_with(&[2, 0]), "{:?}", &bytes[bytes.len().saturating_sub(20)..]);
    let verified = run(&["verify", text(file)]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    let info = run(&["info", "--json", text(file)]);
    assert!(info.out.contains("small"), "{}", info.out);
}

#[test]
fn records_for_a_time_and_leaves() {
    let (live, file) = (Live::start(), folder("record-time").join("live.qwd"));
    let ran = run(&["record", &live.url, "-o", text(&file), "--for", "1.5", "--name", "tester"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("packets") && ran.out.contains("left the server"), "{}", ran.out);
    live.wait_for_players(0);
    check(&file);

    // Nothing is overwritten unasked.
    let again = run(&["record", &live.url, "-o", text(&file), "--for", "1"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("--force"), "{}", again.err);
    let again = run(&["record", &live.url, "-o", text(&file), "--size", "3000", "--force"]);
    assert_eq!(again.code, 0, "{}", again.err);
    check(&file);
}

#[test]
fn a_server_that_closes_ends_the_recording() {
    let (live, file) = (Live::start(), folder("record-close").join("live.qwd"));
    let child = fragreel(&["record", &live.url, "-o", text(&file)]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    live.wait_for_players(1);
    thread::sleep(Duration::from_millis(200));
    live.close.store(true, Ordering::Relaxed);
    let ran = Ran::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("the server closed the connection"), "{}", ran.out);
    check(&file);
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_recording() {
    let (live, file) = (Live::start(), folder("record-interrupt").join("live.qwd"));
    let child = fragreel(&["record", &live.url, "-o", text(&file)]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    live.wait_for_players(1);
    thread::sleep(Duration::from_millis(200));
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().expect("a shell");
    assert!(sent.success());
    let ran = Ran::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    live.wait_for_players(0);
    check(&file);
}
