//! One request and its answer over one connection.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use super::show::LONGEST_ORDER;
use super::site::{Answer, Content, Request, Site};
use crate::inside;

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
    let (head, mut body) = head(stream)?;
    let answer = match request(&head) {
        Some((request, length)) if length <= LONGEST_ORDER => {
            while body.len() < length {
                let mut piece = [0; LONGEST_ORDER];
                let count = stream.read(&mut piece)?;
                body.extend_from_slice(&piece[..count]);
                if count == 0 {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
            }
            site.answer(&Request { body: &body[..length], ..request })
        }
        _ => Answer::refused(400),
    };
    if let (Content::File(path), Some(from)) = (&answer.content, from(&head))
        && inside::split(path).is_none()
    {
        return rest(stream, path, from, answer.head_only);
    }
    let Some((length, content)) = content(&answer.content, site.largest) else {
        return write!(stream, "HTTP/1.1 404 Not Found\r\n{HEADERS}Content-Length: 0\r\n\r\n");
    };
    write!(stream, "HTTP/1.1 {}\r\n{HEADERS}Content-Type: {}\r\nContent-Length: {length}\r\n\r\n", answer.status(), answer.kind)?;
    if answer.head_only {
        return Ok(());
    }
    io::copy(&mut content.take(length), &mut stream)?;
    stream.flush()
}

/// Sends what is in a file from a place on.
fn rest(mut stream: &TcpStream, path: &Path, from: u64, head_only: bool) -> io::Result<()> {
    let opened = File::open(path).and_then(|file| file.metadata().map(|found| (found.len(), file)));
    let Ok((length, mut file)) = opened else {
        return write!(stream, "HTTP/1.1 404 Not Found\r\n{HEADERS}Content-Length: 0\r\n\r\n");
    };
    if from >= length {
        return write!(stream, "HTTP/1.1 416 Range Not Satisfiable\r\n{HEADERS}Content-Range: bytes */{length}\r\nContent-Length: 0\r\n\r\n");
    }
    let (last, count) = (length - 1, length - from);
    let kind = "Content-Type: application/octet-stream";
    write!(stream, "HTTP/1.1 206 Partial Content\r\n{HEADERS}{kind}\r\nContent-Range: bytes {from}-{last}/{length}\r\nContent-Length: {count}\r\n\r\n")?;
    if !head_only {
        file.seek(SeekFrom::Start(from))?;
        io::copy(&mut file.take(count), &mut stream)?;
    }
    stream.flush()
}

/// What an answer consists of and how long it is; nothing where it cannot be read.
fn content(content: &Content, largest: u64) -> Option<(u64, Box<dyn Read + '_>)> {
    match content {
        Content::Bytes(bytes) => Some((bytes.len() as u64, Box::new(&bytes[..]))),
        Content::File(path) => match inside::split(path) {
            Some((archive, member)) => {
                let (bytes, ()) = inside::extract(&archive, &member, largest, |_| Ok(())).ok()?;
                Some((bytes.len() as u64, Box::new(io::Cursor::new(bytes))))
            }
            None => {
                let file = File::open(path).ok()?;
                Some((file.metadata().ok()?.len(), Box::new(file)))
            }
        },
    }
}

/// Everything up to the empty line, and what came behind it.
fn head(mut stream: &TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let (mut head, mut piece) = (Vec::new(), [0; 2048]);
    loop {
        if let Some(end) = head.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let body = head.split_off(end + 4);
            return Ok((head, body));
        }
        let count = stream.read(&mut piece)?;
        if count == 0 || head.len() + count > LONGEST_HEAD {
            return Err(ErrorKind::InvalidData.into());
        }
        head.extend_from_slice(&piece[..count]);
    }
}

/// What is asked, where it is a request at all, and how much is sent along.
fn request(head: &[u8]) -> Option<(Request<'_>, usize)> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(head).ok().filter(httparse::Status::is_complete)?;
    let (method, path) = (parsed.method?, parsed.path?);
    let all = |name: &str| -> Vec<&[u8]> { parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value).collect() };
    let length = match all("content-length")[..] {
        [] => 0,
        [length] => std::str::from_utf8(length).ok()?.parse().ok()?,
        _ => return None,
    };
    Some((Request { method, path, host: all("host"), origin: all("origin"), site: all("sec-fetch-site"), body: &[] }, length))
}

/// From where on a file is wanted: `Range: bytes=100-`. Other ranges get the whole, as HTTP allows.
fn from(head: &[u8]) -> Option<u64> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(head).ok()?;
    let range = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case("range"))?;
    let digits = std::str::from_utf8(range.value).ok()?.trim().strip_prefix("bytes=")?.strip_suffix('-')?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_say_from_where() {
        let asked = |range: &str| from(format!("GET /a HTTP/1.1\r\nHost: x\r\nrange: {range}\r\n\r\n").as_bytes());
        assert_eq!((asked("bytes=0-"), asked("bytes=12345-")), (Some(0), Some(12_345)));
        for other in ["bytes=1-2", "bytes=-5", "bytes=1-,3-", "bytes=-", "bytes=+1-", "lines=1-", "bytes=99999999999999999999-", ""] {
            assert_eq!(asked(other), None, "{other}");
        }
    }

    #[test]
    fn heads_are_read() {
        let (found, length) = request(b"GET /a HTTP/1.1\r\nHost: x\r\nORIGIN: y\r\nHost: z\r\nContent-Length: 7\r\n\r\n").unwrap();
        assert_eq!(length, 7);
        assert_eq!((found.method, found.path, found.host, found.origin), ("GET", "/a", vec![&b"x"[..], b"z"], vec![&b"y"[..]]));
        assert!(request(b"GET\r\n\r\n").is_none() && request(b"GET / HTTP/1.1\r\n").is_none() && request(b"\xff\x00").is_none());
    }
}
