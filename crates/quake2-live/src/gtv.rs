//! GTV: streams the multi-view recording of a Q2PRO server. Document: *GTV*.
//!
//! ```
//! use fragreel_live::Stream;
//! use fragreel_quake2_live::gtv::{Client, Settings};
//!
//! let mut client = Client::new(Settings::default());
//! assert_eq!(client.next_request().unwrap(), b"MVD2");
//! client.receive(b"MVD2");
//! assert!(client.next_request().unwrap().starts_with(&[0x16, 0, 0, 4, 0xed]), "a greeting without wishes");
//! client.receive(&[5, 0, 0, 0, 0, 0, 0]); // granted: nothing
//! assert_eq!(client.next_request().unwrap(), [3, 0, 2, 10, 0]);
//! client.receive(&[1, 0, 2, 4, 0, 4, 6, 6, 6]);
//! let mut recording = Vec::new();
//! client.take_recording(&mut recording);
//! assert_eq!(recording, b"MVD2\x03\x00\x06\x06\x06");
//! ```

pub mod server;

use fragreel_live::{RecordingOutput, Stream};

/// How to join.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The name to join with.
    pub name: String,
    /// The password; empty where there is none.
    pub password: String,
}

/// The client side of GTV.
#[derive(Debug, Clone)]
pub struct Client {
    settings: Settings,
    greeted: bool,
    requests: std::collections::VecDeque<Vec<u8>>,
    rest: Vec<u8>,
    written: RecordingOutput,
    any: bool,
    frames: u64,
    now: f64,
    heard: f64,
    /// The time of the last packet sent.
    sent: f64,
    ended: Option<String>,
}

const MAGIC: &[u8] = b"MVD2";
const VERSION: u16 = 0xed04;
/// The fewest frames that the server may gather before it sends them.
const GATHERED: u16 = 10;
/// Seconds of own silence before a ping, and seconds of server silence before the connection counts as lost.
const PING: f64 = 30.0;
const SILENCE: f64 = 90.0;

/// Messages of a server.
mod from_server {
    pub(super) const HELLO: u8 = 0;
    pub(super) const PONG: u8 = 1;
    pub(super) const START: u8 = 2;
    pub(super) const STOP: u8 = 3;
    pub(super) const DATA: u8 = 4;
    pub(super) const ERROR: u8 = 5;
    pub(super) const BAD_REQUEST: u8 = 6;
    pub(super) const NO_ACCESS: u8 = 7;
    pub(super) const DISCONNECT: u8 = 8;
    pub(super) const RECONNECT: u8 = 9;
}

/// Messages of a client.
mod from_client {
    pub(super) const HELLO: u8 = 0;
    pub(super) const PING: u8 = 1;
    pub(super) const START: u8 = 2;
    pub(super) const STOP: u8 = 3;
    pub(super) const COMMAND: u8 = 4;
}

impl Client {
    /// A client that asks for the stream without compression.
    pub fn new(settings: Settings) -> Self {
        Client {
            settings,
            greeted: false,
            requests: [MAGIC.to_vec()].into(),
            rest: Vec::new(),
            written: RecordingOutput::default(),
            any: false,
            frames: 0,
            now: 0.0,
            heard: 0.0,
            sent: 0.0,
            ended: None,
        }
    }

    fn say(&mut self, op: u8, data: &[u8]) {
        let length = data.len() as u16 + 1;
        self.requests.push_back([&length.to_le_bytes()[..], &[op], data].concat());
    }

    fn greet(&mut self) {
        let text = |text: &str| text.bytes().filter(|byte| *byte >= b' ').take(63).chain([0]).collect::<Vec<u8>>();
        // No flags, and a reserved word.
        let mut data = [&VERSION.to_le_bytes()[..], &[0; 8]].concat();
        data.extend([text(&self.settings.name), text(&self.settings.password), text("fragreel")].concat());
        self.say(from_client::HELLO, &data);
    }

    fn end(&mut self, reason: &str) {
        self.ended.get_or_insert(reason.to_owned());
    }

    fn message(&mut self, op: u8, data: &[u8]) {
        match op {
            from_server::HELLO if data.first_chunk::<4>().is_some_and(|flags| u32::from_le_bytes(*flags) & 1 != 0) => {
                self.end("the server compresses the stream without a request");
            }
            from_server::HELLO => self.say(from_client::START, &GATHERED.to_le_bytes()),
            // No game is on.
            from_server::DATA if data.is_empty() => {}
            from_server::DATA => {
                if !std::mem::replace(&mut self.any, true) {
                    self.written.bytes.extend_from_slice(MAGIC);
                }
                self.written.bytes.extend_from_slice(&(data.len() as u16).to_le_bytes());
                self.written.bytes.extend_from_slice(data);
                self.frames += 1;
            }
            from_server::START => {}
            from_server::STOP => self.end("the server stopped the stream"),
            from_server::ERROR => self.end("the server reports an error"),
            from_server::BAD_REQUEST => self.end("the server does not understand the request"),
            from_server::NO_ACCESS => self.end("the server refuses: a password, or an address that it does not know"),
            from_server::DISCONNECT => self.end("the server closed the stream"),
            from_server::RECONNECT => self.end("the server restarts"),
            _ => {}
        }
    }
}

impl Stream for Client {
    fn next_request(&mut self) -> Option<Vec<u8>> {
        let request = self.requests.pop_front()?;
        self.sent = self.now;
        Some(request)
    }

    fn receive(&mut self, bytes: &[u8]) {
        if self.ended.is_some() {
            return;
        }
        self.heard = self.now;
        self.rest.extend_from_slice(bytes);
        if !self.greeted {
            let Some(magic) = self.rest.get(..MAGIC.len()) else { return };
            if magic != MAGIC {
                self.end("the server is not a GTV server");
                return;
            }
            self.rest.drain(..MAGIC.len());
            self.greeted = true;
            self.greet();
        }
        let rest = std::mem::take(&mut self.rest);
        let mut at = 0;
        while let (None, Some(head)) = (&self.ended, rest.get(at..at + 2)) {
            let length = usize::from(u16::from_le_bytes([head[0], head[1]]));
            if length == 0 {
                self.end("the stream is over");
                break;
            }
            let Some(message) = rest.get(at + 2..at + 2 + length) else { break };
            self.message(message[0], &message[1..]);
            at += 2 + length;
        }
        self.rest = rest[at..].to_vec();
    }

    fn tick(&mut self, now: f64) {
        self.now = self.now.max(now);
        if self.now - self.heard > SILENCE {
            self.end("the server fell silent");
        } else if self.greeted && self.now - self.sent > PING {
            self.say(from_client::PING, &[]);
            self.sent = self.now;
        }
    }

    fn written(&mut self) -> &mut RecordingOutput {
        &mut self.written
    }

    fn has_frames(&self) -> bool {
        self.frames > 1
    }

    fn leave(&mut self) {
        if self.any {
            self.any = false;
            // The end mark of these files.
            self.written.bytes.extend_from_slice(&[0, 0]);
            self.say(from_client::STOP, &[]);
        }
        self.end("left the stream");
    }

    fn closed(&mut self) {
        self.end(if self.any { "the stream is over" } else { "the server closed the connection" });
    }

    fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that streams blocks.
    fn stream() -> (Vec<u8>, Vec<u8>) {
        let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake2/q2p_mvd_multi.mvd2")).unwrap();
        let mut stream = [MAGIC, &[5, 0, 0, 0, 0, 0, 0], &[1, 0, 2]].concat();
        let mut at = MAGIC.len();
        loop {
            let length = usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
            if length == 0 {
                break;
            }
            stream.extend([&(length as u16 + 1).to_le_bytes()[..], &[from_server::DATA], &bytes[at + 2..at + 2 + length]].concat());
            // Sometimes no game is on.
            stream.extend([1, 0, from_server::DATA]);
            at += 2 + length;
        }
        (bytes, stream)
    }

    #[test]
    fn a_streamed_recording_is_the_recording() {
        let (bytes, stream) = stream();
        for step in [1, 3, 500, 100_000] {
            let mut client = Client::new(Settings { name: String::from("me"), password: String::new() });
            let mut recording = Vec::new();
            for part in stream.chunks(step) {
                client.receive(part);
                client.take_recording(&mut recording);
            }
            assert_eq!(client.ended(), None);
            client.leave();
            client.take_recording(&mut recording);
            assert_eq!(recording, bytes);
        }
    }

    #[test]
    fn silence_hostility_and_refusals_end_it() {
        let mut client = Client::new(Settings::default());
        client.receive(b"HTTP");
        assert_eq!(client.ended(), Some("the server is not a GTV server"));
        let mut client = Client::new(Settings::default());
        client.receive(b"MVD2\x01\0\x07");
        assert!(client.ended().unwrap().contains("refuses"));
        let mut client = Client::new(Settings::default());
        client.receive(MAGIC);
        while client.next_request().is_some() {}
        client.tick(31.0);
        assert_eq!(client.next_request().unwrap(), [1, 0, 1]);
        client.tick(91.0);
        assert_eq!(client.ended(), Some("the server fell silent"));
        let mut dice = fragreel_live::network::Dice::new(5);
        for _ in 0..2000 {
            let mut client = Client::new(Settings::default());
            client.receive(MAGIC);
            for _ in 0..10 {
                let bytes: Vec<u8> = (0..dice.below(300)).map(|_| dice.roll() as u8).collect();
                client.receive(&bytes);
            }
            assert!(client.rest.len() <= 1 << 17 && client.requests.len() < 200);
        }
    }
}
