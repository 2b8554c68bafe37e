//! `fragreel record` against a server on loopback.

use std::net::UdpSocket;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fragreel_quake1::unstable::replacement::EntityState;
use fragreel_quake1_live::server::{Level, Server};

use crate::running::{interrupt, wait_for_growth, wait_until};
use crate::{Ran, folder, fragreel, run};

/// A server in a thread of its own.
struct Live {
    url: String,
    playing: Arc<AtomicUsize>,
    close: Arc<AtomicBool>,
    /// Whether it sends away whom it has just let in.
    refuses: Arc<AtomicBool>,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_read_timeout(Some(Duration::from_millis(2))).expect("a timeout");
        let url = format!("qw://{}", socket.local_addr().expect("an address"));
        let (playing, close, refuses, end) = (Arc::default(), Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let thread = thread::spawn({
            let (playing, close, refuses, end) = (Arc::clone(&playing), Arc::clone(&close), Arc::clone(&refuses), Arc::clone(&end));
            move || serve(&socket, &playing, &close, &refuses, &end)
        });
        Live { url, playing, close, refuses, end, thread: Some(thread) }
    }

    fn wait_for_players(&self, count: usize) {
        wait_until(&format!("{count} players"), || self.playing.load(Ordering::Relaxed) == count);
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

fn serve(socket: &UdpSocket, playing: &AtomicUsize, close: &AtomicBool, refuses: &AtomicBool, end: &AtomicBool) {
    let (mut server, started, mut datagram) = (Server::new(Level::default()), Instant::now(), [0; 2048]);
    while !end.load(Ordering::Relaxed) {
        if let Ok((length, from)) = socket.recv_from(&mut datagram) {
            server.receive(from, &datagram[..length]);
        }
        let time = started.elapsed().as_secs_f32();
        let state = EntityState { model: 2, frame: (time * 10.0) as u32 % 20, ..EntityState::default() };
        server.frame(time, &[(40, state)]);
        if refuses.load(Ordering::Relaxed) {
            for address in server.addresses().collect::<Vec<_>>() {
                server.kick(address, "your map is another one");
            }
        }
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

/// A network between a client and the server at `url` that loses every fifth datagram each way, and lets through only the
/// first `connect` of each client, as FTE's servers ignore the others.
struct Lossy {
    url: String,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Lossy {
    fn start(url: &str, seed: u64) -> Self {
        let (client_side, server_side) = (UdpSocket::bind("127.0.0.1:0").expect("a port"), UdpSocket::bind("127.0.0.1:0").expect("a port"));
        server_side.connect(url.trim_start_matches("qw://")).expect("the server's address");
        for socket in [&client_side, &server_side] {
            socket.set_read_timeout(Some(Duration::from_millis(2))).expect("a timeout");
        }
        let url = format!("qw://{}", client_side.local_addr().expect("an address"));
        let end = Arc::<AtomicBool>::default();
        let thread = thread::spawn({
            let end = Arc::clone(&end);
            move || relay(&client_side, &server_side, seed, &end)
        });
        Lossy { url, end, thread: Some(thread) }
    }
}

impl Drop for Lossy {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn relay(client_side: &UdpSocket, server_side: &UdpSocket, seed: u64, end: &AtomicBool) {
    let (mut dice, mut client, mut connected, mut datagram) = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, None, false, [0; 2048]);
    let mut lost = || {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice >> 33) % 5 == 0
    };
    while !end.load(Ordering::Relaxed) {
        if let Ok((length, from)) = client_side.recv_from(&mut datagram) {
            client = Some(from);
            let connects = datagram[..length].starts_with(b"\xff\xff\xff\xffconnect");
            let ignored = connects && connected;
            if !lost() && !ignored {
                connected |= connects;
                drop(server_side.send(&datagram[..length]));
            }
        }
        if let (Ok(length), Some(client)) = (server_side.recv(&mut datagram), client)
            && !lost()
        {
            drop(client_side.send_to(&datagram[..length], client));
        }
    }
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
    assert!(ran.out.contains("live.qwd: 0:0") && ran.out.contains("left the server"), "{}", ran.out);
    live.wait_for_players(0);
    check(&file);

    // Nothing is overwritten unasked.
    let again = run(&["record", &live.url, "-o", text(&file), "--for", "1"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("--force"), "{}", again.err);
    let again = run(&["record", &live.url, "-o", text(&file), "--size", "3000", "--force"]);
    assert_eq!(again.code, 0, "{}", again.err);
    check(&file);

    // The server has no split screens.
    let short = run(&["record", &live.url, "-o", text(&file), "--for", "1", "--seats", "2", "--force"]);
    assert!(short.code == 0 && short.out.contains("1 of 2 seats"), "{}{}", short.out, short.err);
    check(&file);
    for (url, more) in [(&live.url[..], "--plain"), ("q2://127.0.0.1:1", "--force")] {
        let refused = run(&["record", url, "-o", "x.dm2", "--seats", "2", more]);
        assert!(refused.code == 2 && refused.err.contains("--seats"), "{}", refused.err);
    }
}

#[test]
fn a_server_that_closes_ends_the_recording() {
    let (live, file) = (Live::start(), folder("record-close").join("live.qwd"));
    let child = fragreel(&["record", &live.url, "-o", text(&file)]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_for_growth(&file);
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
    wait_for_growth(&file);
    interrupt(&child);
    let ran = Ran::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    live.wait_for_players(0);
    check(&file);
}

/// Every entry of a folder.
fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_only_replaced_when_there_is_something_to_replace_it_with() {
    let folder = folder("record-force");
    let file = folder.join("live.qwd");
    std::fs::write(&file, b"somebody's only copy").expect("it is written");
    // A port that was free just now: nobody listens there, and the network says so at once.
    let closed = UdpSocket::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let ran = run(&["record", &format!("qw://{closed}"), "-o", text(&file), "--force"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("no server listens there"), "{}", ran.err);
    assert_eq!((std::fs::read(&file).expect("it is there"), entries(&folder)), (b"somebody's only copy".to_vec(), vec!["live.qwd".into()]));
    // A server that lets us in, says what it thinks of us, and closes.
    let live = Live::start();
    live.refuses.store(true, Ordering::Relaxed);
    let ran = run(&["record", &live.url, "-o", text(&file), "--force", "--for", "5"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    let words = ran.said();
    assert!(words.contains("your map is another one") && words.contains("--map"), "{}", ran.err);
    live.refuses.store(false, Ordering::Relaxed);
    assert_eq!((std::fs::read(&file).expect("it is there"), entries(&folder)), (b"somebody's only copy".to_vec(), vec!["live.qwd".into()]));
    // And one that shows something.
    let ran = run(&["record", &live.url, "-o", text(&file), "--force", "--for", "0.3"]);
    assert_eq!((ran.code, entries(&folder)), (0, vec!["live.qwd".into()]), "{}", ran.err);
    check(&file);
}

#[test]
fn a_disk_that_is_nearly_full_ends_the_recording() {
    let folder = folder("record-full");
    let (file, live) = (folder.join("live.qwd"), Live::start());
    let ran = run(&["record", &live.url, "-o", text(&file), "--for", "20", "--keep-free", &u64::MAX.to_string()]);
    assert!(ran.code == 2 && ran.said().contains("the disk is nearly full (--keep-free)"), "{} {}", ran.code, ran.err);
    assert_eq!(entries(&folder), Vec::<String>::new());
    let ran = run(&["relay", &live.url, "qw://127.0.0.1:0", "-o", text(&file), "--for", "20", "--keep-free", &u64::MAX.to_string()]);
    assert!(ran.said().contains("the disk is nearly full (--keep-free)"), "{} {}", ran.code, ran.err);
}

#[test]
fn a_name_that_no_game_would_find_is_refused() {
    let ran = run(&["record", "qw://127.0.0.1:9", "-o", "live.mvd"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains(".qwd"), "{}", ran.err);
}

#[test]
fn a_server_is_reached_at_twenty_per_cent_loss_in_twenty_of_twenty_starts() {
    let (live, folder) = (Live::start(), folder("record-loss"));
    // a few at a time: what is tested is a bad network, and not a busy machine
    for seeds in (1..=20).collect::<Vec<u64>>().chunks(4) {
        all_are_reached(&live, &folder, seeds);
    }
}

fn all_are_reached(live: &Live, folder: &Path, seeds: &[u64]) {
    let starts: Vec<_> = seeds
        .iter()
        .map(|&seed| {
            let (lossy, file) = (Lossy::start(&live.url, seed), folder.join(format!("{seed}.qwd")));
            let child = fragreel(&["record", &lossy.url, "-o", text(&file), "--for", "0.5"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            (lossy, file, child.expect("it starts"))
        })
        .collect();
    for (_lossy, file, child) in starts {
        let ran = Ran::of(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.code, 0, "{}: {}", file.display(), ran.err);
        check(&file);
    }
}

/// Records a server that restarts meanwhile, into one file and then into the next.
fn over_a_restart(live: &Live, file: &Path, next: &Path, options: &[&str]) -> Ran {
    let arguments = ["record", &live.url, "-o", text(file), "--reconnect"];
    let child = fragreel(&[&arguments, options].concat()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    live.wait_for_players(1);
    wait_for_growth(file);
    live.close.store(true, Ordering::Relaxed);
    wait_for_growth(next);
    interrupt(&child);
    Ran::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn after_a_restart_somebody_joins_again() {
    let (live, folder) = (Live::start(), folder("record-again"));
    let file = folder.join("live.qwd");
    let ran = over_a_restart(&live, &file, &folder.join("live-2.qwd"), &[]);
    assert_eq!((ran.code, entries(&folder)), (0, vec!["live-2.qwd".into(), "live.qwd".into()]), "{}", ran.err);
    assert!(ran.err.contains("joining again"), "{}", ran.err);
    check(&file);
    check(&folder.join("live-2.qwd"));
}

/// A server that streams `bytes` once, whatever it is asked, behind `header`.
fn streams(header: &'static [u8], bytes: Vec<u8>) -> (u16, JoinHandle<()>) {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let thread = thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a client");
        let mut request = [0; 4];
        socket.read_exact(&mut request).expect("a request");
        drop(socket.write_all(header));
        for part in bytes.chunks(5000) {
            drop(socket.write_all(part));
            thread::sleep(Duration::from_millis(10));
        }
        // a socket that is dropped before all requests are read resets the connection, and what was sent is lost
        drop(socket.shutdown(std::net::Shutdown::Write));
        drop(socket.read_to_end(&mut Vec::new()));
    });
    (port, thread)
}

#[test]
fn streams_are_recorded_as_they_come() {
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake1/match_e1m1.mvd")).expect("a sample");
    let file = folder("record-qtv").join("live.mvd");
    let (port, thread) = streams(b"QTVSV 1\nBEGIN\n\n", bytes.clone());
    let ran = run(&["record", &format!("qtv://7@127.0.0.1:{port}"), "-o", text(&file)]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("the stream is over"), "{}", ran.out);
    assert!(std::fs::read(&file).expect("a recording").starts_with(&bytes));
    assert_eq!(run(&["verify", text(&file)]).code, 0);
    thread.join().expect("it ends");

    let (port, thread) = streams(b"QTVSV 1\nPERROR: nothing is on\n\n", Vec::new());
    let ran = run(&["record", &format!("qtv://127.0.0.1:{port}"), "-o", text(&folder("record-qtv-none").join("live.mvd"))]);
    assert!(ran.code == 2 && ran.err.contains("nothing is on"), "{}", ran.err);
    thread.join().expect("it ends");
}

/// Only what was named is replaced: what comes later finds other names.
#[test]
fn later_files_replace_nothing() {
    let (live, folder) = (Live::start(), folder("record-later"));
    let file = folder.join("r.qwd");
    for name in ["r.qwd", "r-2.qwd"] {
        std::fs::write(folder.join(name), name).expect("it is written");
    }
    let ran = over_a_restart(&live, &file, &folder.join("r-3.qwd"), &["--force"]);
    assert_eq!((ran.code, entries(&folder)), (0, vec!["r-2.qwd".into(), "r-3.qwd".into(), "r.qwd".into()]), "{}", ran.err);
    assert_eq!(std::fs::read(folder.join("r-2.qwd")).expect("it is there"), b"r-2.qwd");
    check(&file);
    check(&folder.join("r-3.qwd"));
}

#[test]
fn sizes_have_units() {
    let (live, folder) = (Live::start(), folder("record-size"));
    let file = folder.join("live.qwd");
    let ran = run(&["record", &live.url, "-o", text(&file), "--for", "20", "--size", "3kB", "--keep-free", "0"]);
    assert!(ran.code == 0 && ran.out.contains("--size"), "{}{}", ran.out, ran.err);
    let ran = run(&["record", &live.url, "-o", text(&file), "--force", "--for", "20", "--keep-free", "10000000GB"]);
    assert!(ran.code == 2 && ran.said().contains("--keep-free"), "{}{}", ran.out, ran.err);
    let ran = run(&["record", &live.url, "-o", text(&file), "--size", "many"]);
    assert!(ran.code == 2 && ran.err.contains("such as"), "{}", ran.err);
}

/// A server that answers, if only with challenges, is not said to be silent.
#[test]
fn a_server_that_only_sends_challenges_is_said_to() {
    let folder = folder("record-challenges");
    let ask = |scheme: &str, name: &str, challenge: &'static [u8]| {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
        let (end, url) = (Arc::<AtomicBool>::default(), format!("{scheme}://{}", socket.local_addr().expect("an address")));
        let over = Arc::clone(&end);
        let file = folder.join(name);
        let thread = thread::spawn(move || {
            let mut datagram = [0; 2048];
            while !over.load(Ordering::Relaxed) {
                if let Ok((_, from)) = socket.recv_from(&mut datagram) {
                    drop(socket.send_to(challenge, from));
                }
            }
        });
        let child = fragreel(&["record", &url, "-o", text(&file)]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        (child, end, thread, url)
    };
    let asked = [
        ask("qw", "a.qwd", b"\xff\xff\xff\xffc12345\0"),
        ask("q2", "a.dm2", b"\xff\xff\xff\xffchallenge 12345 p=34,35,36"),
        ask("q3", "a.dm_68", b"\xff\xff\xff\xffchallengeResponse 12345"),
    ];
    for (child, end, thread, url) in asked {
        let ran = Ran::of(child.wait_with_output().expect("it ends"));
        end.store(true, Ordering::Relaxed);
        thread.join().expect("it ends");
        assert!(ran.code == 2 && ran.said().contains("the server sent only challenges, and did not accept the client"), "{url}: {}", ran.err);
    }
    assert_eq!(entries(&folder), Vec::<String>::new());
}
