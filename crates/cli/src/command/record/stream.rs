//! Recording what arrives as a recording: QTV's and GTV's streams, and servers that are joined by datagrams.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use fragreel_live::Stream;

use super::files::{Done, Files};
use super::session::{Heard, Left, Limits};
use crate::failure::{Failure, Stop};
use crate::interrupt;
use crate::output::printable;

/// Longest wait for bytes, and for a connection.
const PATIENCE: Duration = Duration::from_millis(20);
/// Longest wait for a datagram.
const PROMPT: Duration = Duration::from_millis(5);
const CONNECTING: Duration = Duration::from_secs(20);

/// What came of a connection.
pub struct Ended {
    /// Why we left, if we did.
    pub left: Option<Left>,
    /// Why it is over, in words.
    pub reason: String,
    /// Whether there was anything to see.
    pub frames: bool,
    /// The file, if there is anything in it.
    pub file: Option<Done>,
}

/// How bytes come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// One connection (TCP).
    Connection,
    /// Datagrams (UDP).
    Datagrams,
}

enum Socket {
    Connection(TcpStream),
    Datagrams(UdpSocket),
}

impl Socket {
    fn open(by: By, address: SocketAddr) -> std::io::Result<Self> {
        match by {
            By::Connection => {
                let socket = TcpStream::connect_timeout(&address, CONNECTING)?;
                socket.set_read_timeout(Some(PATIENCE))?;
                socket.set_write_timeout(Some(CONNECTING))?;
                Ok(Socket::Connection(socket))
            }
            By::Datagrams => {
                let socket = UdpSocket::bind(if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" })?;
                // Only datagrams from there are received.
                socket.connect(address)?;
                socket.set_read_timeout(Some(PROMPT))?;
                Ok(Socket::Datagrams(socket))
            }
        }
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Socket::Connection(socket) => socket.write_all(bytes),
            Socket::Datagrams(socket) => socket.send(bytes).map(|_| ()),
        }
    }

    /// `None`: the other side hung up.
    fn receive(&mut self, buffer: &mut [u8]) -> std::io::Result<Option<usize>> {
        match self {
            Socket::Connection(socket) => socket.read(buffer).map(|length| Some(length).filter(|length| *length > 0)),
            Socket::Datagrams(socket) => socket.recv(buffer).map(Some),
        }
    }
}

/// Who gets what arrives besides the file.
pub trait Extra {
    /// Bytes of the recording that are new; `frames`: whether it has a frame by now. What marks its end is not among them.
    fn heard(&mut self, bytes: &[u8], frames: bool);
    /// Time passes.
    fn poll(&mut self);
}

impl Extra for () {
    fn heard(&mut self, _: &[u8], _: bool) {}
    fn poll(&mut self) {}
}

/// Runs until something ends it. Fails only when a file cannot be written. `done` gets the files that are complete although the connection goes on.
pub fn run(
    stream: &mut dyn Stream,
    by: By,
    address: SocketAddr,
    files: &mut Option<Files>,
    mut limits: Limits<'_>,
    extra: &mut impl Extra,
    mut done: impl FnMut(Done) -> Result<(), Stop>,
) -> Result<Ended, Stop> {
    let mut socket = match Socket::open(by, address) {
        Ok(socket) => socket,
        Err(error) => return Ok(Ended { left: None, reason: format!("the server does not answer: {error}"), frames: false, file: None }),
    };
    let (started, mut buffer, mut left, mut heard) = (Instant::now(), vec![0; 1 << 16], None, Heard::default());
    while stream.ended().is_none() {
        left = super::session::reason_to_leave(files.as_ref(), &mut limits);
        if left.is_some() {
            break;
        }
        stream.tick(started.elapsed().as_secs_f64());
        while let Some(request) = stream.next_request() {
            if socket.send(&request).is_err() {
                stream.closed();
            }
        }
        match socket.receive(&mut buffer) {
            Ok(None) => stream.closed(),
            Ok(Some(length)) => {
                heard.take(&buffer[..length]);
                stream.receive(&buffer[..length]);
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
            Err(_) => stream.closed(),
        }
        if let (Socket::Datagrams(socket), Some(port)) = (&socket, stream.port()) {
            let to = SocketAddr::new(address.ip(), port);
            if socket.peer_addr().is_ok_and(|peer| peer != to) && socket.connect(to).is_err() {
                stream.closed();
            }
        }
        if let Some(notice) = stream.notice() {
            eprintln!("{}", printable(&notice));
        }
        split(stream, files, &mut limits, &mut done)?;
        let fresh = match keep(stream, files) {
            Ok(fresh) => fresh,
            Err(failure) => {
                stream.leave();
                let mut end = Vec::new();
                stream.take_recording(&mut end);
                files.iter_mut().for_each(|files| files.cut(&end));
                while let Some(request) = stream.next_request() {
                    if socket.send(&request).is_err() {
                        break;
                    }
                }
                return Err(failure.into());
            }
        };
        if stream.ended().is_none() {
            extra.heard(&fresh, stream.has_frames());
        }
        extra.poll();
        if stream.has_frames() {
            limits.began.get_or_insert_with(Instant::now);
        }
    }
    stream.leave();
    let reason = match left.and_then(Left::words).or(stream.ended()).unwrap_or_default() {
        _ if left.is_none() && stream.is_unanswered() && heard.any() => heard.words(),
        reason => reason.to_owned(),
    };
    split(stream, files, &mut limits, &mut done)?;
    keep(stream, files)?;
    let closed = files.as_mut().map_or(Ok(None), Files::close);
    // the file is complete, and nobody waits for the goodbye
    while let Some(request) = stream.next_request().filter(|_| !interrupt::in_haste()) {
        if socket.send(&request).is_err() {
            break;
        }
    }
    Ok(Ended { left, reason, frames: stream.has_frames(), file: limits.completed(closed?) })
}

/// Completes the files of levels that are over.
fn split(stream: &mut dyn Stream, files: &mut Option<Files>, limits: &mut Limits<'_>, done: &mut impl FnMut(Done) -> Result<(), Stop>) -> Result<(), Stop> {
    let mut rest = Vec::new();
    while stream.take_ended(&mut rest) {
        if let Some(files) = files {
            files.write(&rest, true)?;
            if let Some(file) = limits.completed(files.close()?) {
                done(file)?;
            }
        }
        rest.clear();
    }
    Ok(())
}

fn keep(stream: &mut dyn Stream, files: &mut Option<Files>) -> Result<Vec<u8>, Failure> {
    let mut fresh = Vec::new();
    stream.take_recording(&mut fresh);
    if let Some(files) = files {
        files.write(&fresh, stream.has_frames())?;
    }
    Ok(fresh)
}

#[cfg(test)]
mod tests {
    use fragreel_live::RecordingOutput;

    use super::*;

    /// One that ends with its first datagram.
    #[derive(Default)]
    struct Waiting {
        written: RecordingOutput,
        asked: bool,
        unanswered: bool,
        ended: bool,
    }

    impl Stream for Waiting {
        fn next_request(&mut self) -> Option<Vec<u8>> {
            (!std::mem::replace(&mut self.asked, true)).then(|| b"anybody?".to_vec())
        }
        fn receive(&mut self, _: &[u8]) {
            self.ended = true;
        }
        fn tick(&mut self, _: f64) {}
        fn written(&mut self) -> &mut RecordingOutput {
            &mut self.written
        }
        fn has_frames(&self) -> bool {
            false
        }
        fn leave(&mut self) {}
        fn closed(&mut self) {}
        fn ended(&self) -> Option<&str> {
            self.ended.then_some("over")
        }
        fn is_unanswered(&self) -> bool {
            self.unanswered
        }
    }

    /// What the server sent is said of one that let nobody in, whatever words its end has, and of no other.
    #[test]
    fn what_a_server_did_is_said_where_it_let_nobody_in() {
        for (unanswered, wanted) in [(true, "the server sent only challenges, and did not accept the client"), (false, "over")] {
            let server = UdpSocket::bind("127.0.0.1:0").unwrap();
            let address = server.local_addr().unwrap();
            let answering = std::thread::spawn(move || {
                let (_, from) = server.recv_from(&mut [0; 64]).unwrap();
                server.send_to(b"\xff\xff\xff\xffchallenge 1", from).unwrap();
            });
            let limits = Limits { began: &mut None, seconds: None, bytes: u64::MAX, keep_free: 0, watch: None };
            let mut stream = Waiting { unanswered, ..Waiting::default() };
            let Ok(ended) = run(&mut stream, By::Datagrams, address, &mut None, limits, &mut (), |_| Ok(())) else { panic!("no file fails") };
            assert_eq!(ended.reason, wanted);
            answering.join().unwrap();
        }
    }
}
