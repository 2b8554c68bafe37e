//! One request and its answer over one connection.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::site::{Answer, Content, Request, Site};

/// A longer head is no browser's.
const LONGEST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 96;

/// How long somebody may take to ask, and to take the next piece of an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every answer says: nothing of it may be taken by other pages, framed by them or kept.
const HEADERS: &str = "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\nX-Frame-Options: DENY\r\nCache-Control: no-store\r\nConnection: close\r\n";

/// Reads a request and answers it.
pub fn answer(mut stream: &TcpStream, site: &Site) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(stream)?;
    let answer = request(&head).map_or(Answer::refused(400), |request| site.answer(&request));
    let (length, mut file) = match &answer.content {
        Content::Bytes(bytes) => (bytes.len() as u64, None),
        Content::File(path) => match std::fs::File::open(path).and_then(|file| Ok((file.metadata()?.len(), file))) {
            Ok((length, file)) => (length, Some(file)),
            Err(_) => {
                return write!(stream, "HTTP/1.1 404 Not Found\r\n{HEADERS}Content-Length: 0\r\n\r\n");
            }
        },
    };
    write!(stream, "HTTP/1.1 {}\r\n{HEADERS}Content-Type: {}\r\nContent-Length: {length}\r\n\r\n", answer.status(), answer.kind)?;
    if answer.head_only {
        return Ok(());
    }
    match (&answer.content, &mut file) {
        (_, Some(file)) => drop(io::copy(&mut file.take(length), &mut stream)?),
        (Content::Bytes(bytes), _) => stream.write_all(bytes)?,
        (Content::File(_), None) => {}
    }
    stream.flush()
}

/// Everything up to the empty line.
fn head(mut stream: &TcpStream) -> io::Result<Vec<u8>> {
    let (mut head, mut piece) = (Vec::new(), [0; 2048]);
    while !head.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        let count = stream.read(&mut piece)?;
        if count == 0 || head.len() + count > LONGEST_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        head.extend_from_slice(&piece[..count]);
    }
    Ok(head)
}

/// What is asked, where it is a request at all.
fn request(head: &[u8]) -> Option<Request<'_>> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(head).ok().filter(httparse::Status::is_complete)?;
    let (method, path) = (parsed.method?, parsed.path?);
    let all = |name: &str| -> Vec<&[u8]> { parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value).collect() };
    Some(Request { method, path, host: all("host"), origin: all("origin"), site: all("sec-fetch-site") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read() {
        let found = request(b"GET /a HTTP/1.1\r\nHost: x\r\nORIGIN: y\r\nHost: z\r\n\r\n").unwrap();
        assert_eq!((found.method, found.path, found.host, found.origin), ("GET", "/a", vec![&b"x"[..], b"z"], vec![&b"y"[..]]));
        assert!(request(b"GET\r\n\r\n").is_none() && request(b"GET / HTTP/1.1\r\n").is_none() && request(b"\xff\x00").is_none());
    }
}
