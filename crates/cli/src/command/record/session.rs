//! One connection: the recorder's state machine with a socket, a clock and files.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use fragreel_quake1_live::recorder::{End, Recorder, Settings, Status};

use super::files::{Done, Files};
use super::watch::Watch;
use crate::failure::Failure;

/// When to leave.
pub struct Limits<'a> {
    /// When the whole recording began, once it did.
    pub began: &'a mut Option<Instant>,
    /// Seconds from then on.
    pub seconds: Option<f64>,
    /// Bytes in all files.
    pub bytes: u64,
    /// Bytes that stay free on the disk.
    pub keep_free: u64,
    /// Who looks at what is recorded.
    pub watch: Option<&'a mut Watch>,
}

impl Limits<'_> {
    /// Shows a file that is complete to who looks at what is recorded.
    pub fn completed(&mut self, file: Option<Done>) -> Option<Done> {
        if let (Some(watch), Some(file)) = (&mut self.watch, &file) {
            watch.complete(&file.path);
        }
        file
    }
}

/// Why we left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Somebody pressed Ctrl-C.
    Asked,
    /// The time was over.
    Time,
    /// There was no more room allowed.
    Size,
    /// The disk is nearly full.
    Disk,
    /// What was waited for has happened.
    Happened,
}

impl Left {
    /// Why, where it is not plain.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Left::Asked | Left::Time => None,
            Left::Size => Some("left the server: the recording reached --size"),
            Left::Disk => Some("left the server: the disk is nearly full (--keep-free)"),
            Left::Happened => Some("left the server: the match is over (--until)"),
        }
    }
}

/// What came of a server that let nobody in.
#[derive(Default)]
pub struct Heard {
    answers: u64,
    challenges: u64,
}

impl Heard {
    /// Takes a datagram in.
    pub fn take(&mut self, datagram: &[u8]) {
        self.answers += 1;
        let said = datagram.strip_prefix(&[0xff; 4]).unwrap_or_default();
        // QuakeWorld's is `c` and a number
        let is_challenge = said.starts_with(b"challenge") || matches!(said, [b'c', digit, ..] if digit.is_ascii_digit() || *digit == b'-');
        self.challenges += u64::from(is_challenge);
    }

    /// Whether there was anything.
    pub fn any(&self) -> bool {
        self.answers > 0
    }

    /// What the server did, in words.
    pub fn words(&self) -> String {
        if self.challenges == self.answers {
            String::from("the server sent only challenges, and did not accept the client")
        } else {
            format!("the server sent {} datagrams, {} of them challenges, and did not accept the client", self.answers, self.challenges)
        }
    }
}

/// One connection.
pub struct Session {
    /// The state machine.
    pub recorder: Recorder,
    /// Why we left, if we did.
    pub left: Option<Left>,
    socket: UdpSocket,
    started: Instant,
    /// Frames when the file that is being written began.
    before: u64,
    heard: Heard,
}

/// Longest wait for a datagram: how late a packet of ours may be.
const PATIENCE: Duration = Duration::from_millis(5);

impl Session {
    /// A socket to the server.
    pub fn new(settings: Settings, address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" })?;
        // Only datagrams from there are received.
        socket.connect(address)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Session { recorder: Recorder::new(settings), left: None, socket, started: Instant::now(), before: 0, heard: Heard::default() })
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Runs until something ends it. Fails only when a file cannot be written, and leaves the server then, too.
    pub fn run(&mut self, files: &mut Files, mut limits: Limits<'_>, mut said: impl FnMut(&Status), mut done: impl FnMut(Done, &Self)) -> Result<(), Failure> {
        let mut datagram = vec![0; 1 << 16];
        let mut last = Status::Connecting;
        loop {
            self.left = self.left.or_else(|| reason_to_leave(Some(files), &mut limits));
            let now = self.now();
            if self.left.is_some() {
                self.recorder.leave(now);
            }
            self.recorder.tick(now);
            // the goodbye waits until the file is complete
            if self.left.is_none() {
                self.send();
                self.receive(&mut datagram);
            }
            if let Err(failure) = self.keep(files, &mut limits, &mut done) {
                self.recorder.leave(self.now());
                let mut end = Vec::new();
                while self.recorder.take_recording(&mut end) {}
                files.cut(&end);
                self.send();
                return Err(failure);
            }
            if files.count() > 0 {
                limits.began.get_or_insert_with(Instant::now);
            }
            if *self.recorder.status() != last {
                last = self.recorder.status().clone();
                said(&last);
            }
            if matches!(last, Status::Ended(_)) {
                let closed = files.close();
                self.send();
                if let Some(file) = limits.completed(closed?) {
                    done(file, self);
                }
                return Ok(());
            }
        }
    }

    fn receive(&mut self, datagram: &mut [u8]) {
        match self.socket.recv(datagram) {
            Ok(length) => {
                self.heard.take(&datagram[..length]);
                self.recorder.receive(self.now(), &datagram[..length]);
            }
            Err(error) => self.failed(&error),
        }
    }

    /// Nothing came, or the network says that nobody is there.
    fn failed(&mut self, error: &io::Error) {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {}
            ErrorKind::ConnectionRefused => self.recorder.unreachable(self.now()),
            _ => std::thread::sleep(PATIENCE),
        }
    }

    fn send(&mut self) {
        while let Some(datagram) = self.recorder.next_datagram() {
            // What is lost is lost, as on any network.
            if let Err(error) = self.socket.send(&datagram)
                && error.kind() == ErrorKind::ConnectionRefused
            {
                self.recorder.unreachable(self.now());
            }
        }
    }

    fn keep(&mut self, files: &mut Files, limits: &mut Limits<'_>, done: &mut impl FnMut(Done, &Self)) -> Result<(), Failure> {
        let mut fresh = Vec::new();
        while self.recorder.take_recording(&mut fresh) {
            files.write(&fresh, true)?;
            fresh.clear();
            self.before = self.recorder.frames();
            if let Some(file) = limits.completed(files.close()?) {
                done(file, self);
            }
        }
        files.write(&fresh, self.recorder.frames() > self.before)
    }

    /// Why it is over, in words.
    pub fn reason(&self) -> String {
        match (self.left, self.recorder.status()) {
            (Some(left), _) if left.words().is_some() => left.words().unwrap_or_default().to_owned(),
            (_, Status::Ended(End::Silent)) if self.recorder.packets() == 0 && self.heard.any() => self.heard.words(),
            (_, Status::Ended(end)) => end.words(self.recorder.packets()),
            _ => String::from("left the server"),
        }
    }
}

/// Whether it is time to leave.
pub fn reason_to_leave(files: Option<&Files>, limits: &mut Limits<'_>) -> Option<Left> {
    let over = |seconds: f64| limits.began.is_some_and(|began| began.elapsed().as_secs_f64() >= seconds);
    if crate::interrupt::asked() {
        Some(Left::Asked)
    } else if limits.seconds.is_some_and(over) {
        Some(Left::Time)
    } else {
        let files = files?;
        let (file, keep_free) = (files.path(), limits.keep_free);
        if files.bytes() >= limits.bytes {
            Some(Left::Size)
        } else if files.is_disk_full(keep_free) {
            Some(Left::Disk)
        } else {
            let over = limits.watch.as_mut().zip(file).is_some_and(|(watch, file)| watch.is_over(file));
            over.then_some(Left::Happened)
        }
    }
}
