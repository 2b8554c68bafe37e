//! Recording what arrives as a recording: QTV's and GTV's streams.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use live::Stream;

use super::files::{Done, Files};
use super::session::{Left, Limits};
use crate::failure::Failure;

/// Longest wait for bytes, and for a connection.
const PATIENCE: Duration = Duration::from_millis(20);
const CONNECTING: Duration = Duration::from_secs(20);

/// What came of a connection.
pub struct Ended {
    /// Why we left, if we did.
    pub left: Option<Left>,
    /// Why it is over, in words.
    pub reason: String,
    /// The file, if there is anything in it.
    pub file: Option<Done>,
}

/// Runs until something ends it. Fails only when a file cannot be written.
pub fn run(mut stream: impl Stream, address: SocketAddr, files: &mut Files, limits: Limits<'_>) -> Result<Ended, Failure> {
    let socket = TcpStream::connect_timeout(&address, CONNECTING).and_then(|socket| {
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(CONNECTING))?;
        Ok(socket)
    });
    let mut socket = match socket {
        Ok(socket) => socket,
        Err(error) => return Ok(Ended { left: None, reason: format!("nobody answers there: {error}"), file: None }),
    };
    let (started, mut buffer, mut left) = (Instant::now(), vec![0; 1 << 16], None);
    while stream.ended().is_none() {
        left = super::session::reason_to_leave(files, &limits);
        if left.is_some() {
            stream.leave();
        }
        stream.tick(started.elapsed().as_secs_f64());
        while let Some(request) = stream.next_request() {
            if socket.write_all(&request).is_err() {
                stream.closed();
            }
        }
        if left.is_none() {
            match socket.read(&mut buffer) {
                Ok(0) => stream.closed(),
                Ok(length) => stream.receive(&buffer[..length]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                Err(_) => stream.closed(),
            }
        }
        keep(&mut stream, files)?;
        if files.count() > 0 {
            limits.began.get_or_insert_with(Instant::now);
        }
    }
    let reason = stream.ended().unwrap_or_default().to_owned();
    stream.leave();
    keep(&mut stream, files)?;
    Ok(Ended { left, reason, file: files.close()? })
}

fn keep(stream: &mut impl Stream, files: &mut Files) -> Result<(), Failure> {
    let mut fresh = Vec::new();
    stream.take_recording(&mut fresh);
    files.write(&fresh, stream.has_frames())
}
