//! QTV: the multi-view stream of a server or proxy. Document: *QTV*.
//!
//! ```
//! use fragreel_live::Stream;
//! use fragreel_quake1_live::qtv::{Client, Settings};
//!
//! let mut client = Client::new(Settings { source: Some("2".into()), ..Settings::default() });
//! assert!(client.next_request().unwrap().starts_with(b"QTV\nVERSION: 1\nSOURCE: 2\n"));
//! client.receive(b"QTVSV 1\nBEGIN\n\n");
//! client.receive(b"\x05\x06\x01\0\0\0\x01");
//! let mut recording = Vec::new();
//! client.take_recording(&mut recording);
//! assert_eq!(recording, b"\x05\x06\x01\0\0\0\x01");
//! client.receive(b"\x05\x06\x02\0\0\0\x01"); // the rest of this block never comes
//! client.leave();
//! client.take_recording(&mut recording);
//! assert!(recording.ends_with(b"\x02EndOfDemo\0"));
//! assert!(fragreel_quake1::Recording::open(&recording, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap().verify().is_whole());
//! ```

pub mod server;

use fragreel_live::{RecordingOutput, Stream};

use fragreel_quake1::unstable::container::{Container, Framing, Stamp, Target, kind, write_block};

/// The request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The number of a proxy's stream. `None` for the only one.
    pub source: Option<String>,
    /// The name to join with. Servers refuse a name that is already in use.
    pub name: String,
    /// The password, if one is needed.
    pub password: Option<String>,
}

/// The client's side.
#[derive(Debug, Clone)]
pub struct Client {
    settings: Settings,
    stage: Stage,
    request: Option<Vec<u8>>,
    /// Received bytes of an incomplete block.
    rest: Vec<u8>,
    /// Complete blocks that were not taken yet.
    written: RecordingOutput,
    any: bool,
    frames: bool,
    /// True if the last block ended the recording.
    said_end: bool,
    now: f64,
    heard: f64,
    ended: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Header,
    /// True once the password was sent.
    Password,
    Stream,
}

/// The longest header, in bytes.
const LONGEST_HEADER: usize = 16_384;
/// The longest block, in bytes. Servers send 8 KiB.
const LONGEST_BLOCK: usize = 1 << 16;
/// Seconds of silence after which the stream is over, as in proxies.
const SILENCE: f64 = 60.0;
const LENGTH: usize = 4;
const DISCONNECT: u8 = 2;
/// The text at the end of recordings.
const END: &[u8] = b"\x02EndOfDemo\0";

impl Client {
    /// A client that requests the stream as it is.
    pub fn new(settings: Settings) -> Self {
        let mut client = Client {
            settings,
            stage: Stage::Header,
            request: None,
            rest: Vec::new(),
            written: RecordingOutput::default(),
            any: false,
            frames: false,
            said_end: false,
            now: 0.0,
            heard: 0.0,
            ended: None,
        };
        client.request = Some(client.ask(None));
        client
    }

    fn ask(&self, answer: Option<(&str, String)>) -> Vec<u8> {
        let mut text = String::from("QTV\nVERSION: 1\n");
        match &self.settings.source {
            Some(source) => text.push_str(&format!("SOURCE: {}\n", plain(source))),
            None => text.push_str("RECEIVE\n"),
        }
        text.push_str(&format!("USERINFO: \"\\name\\{}\"\n", plain(&self.settings.name)));
        match answer {
            Some((method, password)) => text.push_str(&format!("AUTH: {method}\nPASSWORD: \"{password}\"\n")),
            None if self.settings.password.is_some() => text.push_str("AUTH: CCITT\nAUTH: PLAIN\nAUTH: NONE\n"),
            None => text.push_str("AUTH: NONE\n"),
        }
        text.push('\n');
        text.into_bytes()
    }

    fn end(&mut self, reason: impl Into<String>) {
        self.ended.get_or_insert(reason.into());
    }

    /// Reads the header once it is complete.
    fn header(&mut self) {
        let Some(end) = self.rest.windows(2).position(|pair| pair == b"\n\n") else {
            if self.rest.len() > LONGEST_HEADER {
                self.end("the server is not a QTV server");
            }
            return;
        };
        let header = String::from_utf8_lossy(&self.rest[..end]).into_owned();
        self.rest.drain(..end + 2);
        let mut lines = header.lines();
        if !lines.next().is_some_and(|line| line.starts_with("QTVSV 1")) {
            self.end("the server is not a QTV server");
            return;
        }
        let (mut method, mut challenge) = (None, String::new());
        for line in lines {
            let (key, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.trim_start();
            match key {
                "BEGIN" => {
                    self.stage = Stage::Stream;
                    return;
                }
                "PERROR" | "TERROR" | "ERROR" => {
                    self.end(value.trim());
                    return;
                }
                "AUTH" => method = Some(value.trim().to_owned()),
                "CHALLENGE" => challenge = value.to_owned(),
                _ => {}
            }
        }
        match (method, &self.settings.password, self.stage) {
            (Some(method), Some(password), Stage::Header) => {
                let Some(answer) = answer(&method, &challenge, password) else {
                    self.end(format!("it requires the password as {method}, which Fragreel does not support"));
                    return;
                };
                self.request = Some(self.ask(Some((&method, answer))));
                self.stage = Stage::Password;
            }
            (Some(_), None, _) => self.end("it requires a password"),
            (Some(_), Some(_), _) => self.end("the password is wrong"),
            (None, ..) => self.end("it has no such stream"),
        }
    }

    /// Takes the complete blocks.
    fn blocks(&mut self) {
        let mut at = 0;
        while self.ended.is_none() {
            match length(&self.rest[at..]) {
                Ok(Some(length)) if self.rest.len() - at >= length => {
                    let block = &self.rest[at..at + length];
                    self.frames |= block[1] & 7 != 1 && block.len() > 6;
                    self.said_end = block.ends_with(END) && block.len() >= END.len() && block[block.len() - END.len()] == DISCONNECT;
                    at += length;
                    self.any = true;
                }
                Ok(_) => break,
                Err(()) => self.end("the stream cannot be read any further"),
            }
        }
        self.written.bytes.extend(self.rest.drain(..at));
    }
}

/// The length of the block at the start of `bytes`; `None` if too few bytes are there.
fn length(bytes: &[u8]) -> Result<Option<usize>, ()> {
    const SET: usize = 10;
    let Some(&second) = bytes.get(1) else { return Ok(None) };
    let head = match second & 7 {
        2 => return Ok(Some(SET)),
        3 => 6,
        1 | 4..=6 => 2,
        _ => return Err(()),
    };
    let Some(words) = bytes.get(head..head + LENGTH) else { return Ok(None) };
    let data = u32::from_le_bytes([words[0], words[1], words[2], words[3]]) as usize;
    if data > LONGEST_BLOCK { Err(()) } else { Ok(Some(head + LENGTH + data)) }
}

/// A password as the server expects it.
fn answer(method: &str, challenge: &str, password: &str) -> Option<String> {
    match method {
        "PLAIN" => Some(plain(password)),
        "NONE" => Some(String::new()),
        "CCITT" => {
            let crc = challenge.bytes().chain(password.bytes()).fold(0xffff, crate::command::crc16);
            Some(format!("0x{crc:X}"))
        }
        _ => None,
    }
}

/// A text without characters that would end a line or a string.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !"\\\"".contains(*c)).collect()
}

impl Stream for Client {
    fn next_request(&mut self) -> Option<Vec<u8>> {
        self.request.take()
    }

    fn receive(&mut self, bytes: &[u8]) {
        if self.ended.is_some() {
            return;
        }
        self.heard = self.now;
        self.rest.extend_from_slice(bytes);
        if self.stage != Stage::Stream {
            self.header();
        }
        if self.stage == Stage::Stream {
            self.blocks();
        }
    }

    fn tick(&mut self, now: f64) {
        self.now = self.now.max(now);
        if self.now - self.heard > SILENCE {
            self.end("the server fell silent");
        }
    }

    fn written(&mut self) -> &mut RecordingOutput {
        &mut self.written
    }

    fn has_frames(&self) -> bool {
        self.frames
    }

    fn leave(&mut self) {
        if self.any && !self.said_end {
            let framing = Framing::Packet { time: Stamp::After(0), target: Target { kind: kind::ALL, ..Target::default() } };
            write_block(&mut self.written.bytes, Container::MultiView, &framing, END);
            self.said_end = true;
        }
        self.end("left the stream");
    }

    fn closed(&mut self) {
        self.end(if self.stage == Stage::Stream { "the stream is over" } else { "the server closed the connection" });
    }

    fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(password: Option<&str>) -> Client {
        Client::new(Settings { name: String::from("a\"b"), password: password.map(String::from), ..Settings::default() })
    }

    #[test]
    fn refusals_and_passwords() {
        let mut one = client(None);
        assert!(one.next_request().unwrap().windows(10).any(|part| part == b"\\name\\ab\"\n"));
        one.receive(b"QTVSV 1\nPERROR: Incompatible version\n\n");
        assert_eq!(one.ended(), Some("Incompatible version"));
        for foreign in [&b"HTTP/1.0 200 OK\n\n"[..], &[b'x'; 20_000]] {
            let mut one = client(None);
            one.receive(foreign);
            assert_eq!(one.ended(), Some("the server is not a QTV server"));
        }
        let mut one = client(Some("secret"));
        one.next_request();
        one.receive(b"QTVSV 1\nAUTH: CCITT\nCHALLENGE: 12345\n\n");
        let request = String::from_utf8(one.next_request().unwrap()).unwrap();
        // CRC-16/CCITT-FALSE of "12345secret"
        assert!(request.contains("AUTH: CCITT\nPASSWORD: \"0x"), "{request}");
        one.receive(b"QTVSV 1\nAUTH: CCITT\nCHALLENGE: 1\n\n");
        assert_eq!(one.ended(), Some("the password is wrong"));
        assert_eq!(answer("CCITT", "1234", "56789").as_deref(), Some("0x29B1"));
    }

    #[test]
    fn only_whole_blocks_are_taken_however_they_come() {
        let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake1/match_e1m1.mvd")).unwrap();
        for step in [1, 7, 1000, 100_000] {
            let mut one = client(None);
            one.receive(b"QTVSV 1\nBEGIN: x\n\n");
            let mut recording = Vec::new();
            for part in bytes[..60_000].chunks(step) {
                one.receive(part);
                one.take_recording(&mut recording);
                assert_eq!(one.ended(), None);
            }
            assert!(one.has_frames() && bytes.starts_with(&recording) && recording.len() > 59_000);
            one.closed();
            one.leave();
            one.take_recording(&mut recording);
            let opened = fragreel_quake1::Recording::open(&recording, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap();
            assert!(opened.verify().is_whole());
        }
    }

    #[test]
    fn a_hostile_stream_ends_and_keeps_nothing() {
        let mut dice = fragreel_live::network::Dice::new(3);
        for _ in 0..2000 {
            let mut one = client(None);
            one.receive(b"QTVSV 1\nBEGIN\n\n");
            for _ in 0..20 {
                let bytes: Vec<u8> = (0..dice.below(400)).map(|_| dice.roll() as u8).collect();
                one.receive(&bytes);
                assert!(one.rest.len() <= LONGEST_BLOCK + 400);
            }
            one.tick(100.0);
            assert!(one.ended().is_some());
        }
    }
}
