//! QuakeWorld's handshake: a challenge, which carries the server's masks, and a connect line, which carries the client's.
//! Document: *QuakeWorld's handshake*.
//!
//! ```
//! use fragreel_quake1_live::handshake::{Extensions, quakeworld::{Answer, Client, Server, Step}};
//!
//! let deltas = Extensions { fte2: 0x8, ..Extensions::NONE };
//! let mut client = Client::new(4711, b"\\name\\me".to_vec(), deltas);
//! let server = Server { offers: Extensions { fte2: 0x7f, ..Extensions::NONE }, requires: Extensions::NONE };
//!
//! let Answer::Reply(challenge) = server.receive(&client.start(), |number| number == 99, || 99) else { panic!("the challenge is not answered") };
//! let Step::Send(connect) = client.receive(&challenge) else { panic!("the challenge is not answered") };
//! let Answer::Accept { connect, reply } = server.receive(&connect, |number| number == 99, || 99) else { panic!("the challenge is not answered") };
//! assert_eq!((connect.qport, connect.extensions), (4711, deltas));
//! assert_eq!(client.receive(&reply), Step::Connected);
//! ```

use crate::handshake::{Extensions, number, words};
use fragreel_quake1::unstable::message::PacketHeader;

/// What stands in front of every datagram outside of a connection.
const OUTSIDE: [u8; 4] = PacketHeader::CONNECTIONLESS.to_le_bytes();
const PROTOCOL: u32 = 28;

/// What the client is to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Send this. If nothing comes back, send it again.
    Send(Vec<u8>),
    /// The channel is open.
    Connected,
    /// The server does not want us, and says why.
    Refused(String),
    /// It was nothing for us.
    Ignored,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Asking,
    Connecting(i32),
    Connected,
    Refused,
}

/// The client's side.
#[derive(Debug, Clone)]
pub struct Client {
    qport: u16,
    user_info: Vec<u8>,
    wants: Extensions,
    offered: Extensions,
    stage: Stage,
}

impl Client {
    /// A client that offers `wants`. `user_info` is backslash-separated keys and values; engines let players with
    /// `\*z_ext\` keep their extensions behind proxies.
    pub fn new(qport: u16, user_info: Vec<u8>, wants: Extensions) -> Self {
        Self { qport, user_info, wants, offered: Extensions::NONE, stage: Stage::Asking }
    }

    /// The first datagram, and again whatever is due when nothing came back.
    pub fn start(&self) -> Vec<u8> {
        match self.stage {
            Stage::Connecting(challenge) => self.connect(challenge),
            _ => [&OUTSIDE[..], b"getchallenge\n"].concat(),
        }
    }

    /// Whether the server gave a challenge, which [`start`](Self::start) answers again.
    pub fn is_connecting(&self) -> bool {
        matches!(self.stage, Stage::Connecting(_))
    }

    /// What both sides have, once the server's challenge came. What counts is what its server data echo.
    pub fn extensions(&self) -> Extensions {
        self.wants.intersect(&self.offered)
    }

    fn connect(&self, challenge: i32) -> Vec<u8> {
        let mut out = OUTSIDE.to_vec();
        out.extend_from_slice(format!("connect {PROTOCOL} {} {challenge} \"", self.qport).as_bytes());
        out.extend_from_slice(&self.user_info);
        out.extend_from_slice(b"\"\n");
        for (key, mask) in self.extensions().pairs() {
            out.extend_from_slice(format!("{key:#x} {mask:#x}\n").as_bytes());
        }
        out
    }

    /// Takes a datagram from the server.
    pub fn receive(&mut self, datagram: &[u8]) -> Step {
        let Some(text) = datagram.strip_prefix(&OUTSIDE) else { return Step::Ignored };
        match (text.first(), self.stage) {
            (Some(b'c'), Stage::Asking | Stage::Connecting(_)) => {
                let end = text.iter().position(|&byte| byte == 0 || byte == b'\n').unwrap_or(text.len());
                let Some(challenge) = number(text[1..end].trim_ascii()) else { return Step::Ignored };
                self.offered = Extensions::NONE;
                for pair in text.get(end + 1..).unwrap_or_default().chunks_exact(8) {
                    let word = |at: usize| u32::from_le_bytes([pair[at], pair[at + 1], pair[at + 2], pair[at + 3]]);
                    self.offered.set(word(0), word(4));
                }
                self.stage = Stage::Connecting(challenge as i32);
                Step::Send(self.connect(challenge as i32))
            }
            (Some(b'j'), Stage::Connecting(_)) => {
                self.stage = Stage::Connected;
                Step::Connected
            }
            (Some(b'n'), Stage::Asking | Stage::Connecting(_)) => {
                self.stage = Stage::Refused;
                let reason = text[1..].split(|&byte| byte == 0).next().unwrap_or_default();
                Step::Refused(String::from_utf8_lossy(reason.trim_ascii()).into_owned())
            }
            _ => Step::Ignored,
        }
    }
}

/// What a client asked for when it connected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connect {
    /// The port that it writes into each datagram.
    pub qport: u16,
    /// Its keys and values.
    pub user_info: Vec<u8>,
    /// What both sides have; to be echoed in the server data.
    pub extensions: Extensions,
}

/// What the server is to do with a datagram outside of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Send this back.
    Reply(Vec<u8>),
    /// Open a channel, then send this back. A client whose answer was lost asks again.
    Accept {
        /// Who.
        connect: Connect,
        /// What to send back.
        reply: Vec<u8>,
    },
    /// Send this back; the reason is in it.
    Refuse(Vec<u8>),
    /// No handshake.
    Ignored,
}

/// The server's part. It has no state: the caller makes challenges from addresses, or remembers them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Server {
    /// What it has.
    pub offers: Extensions,
    /// Without which nobody may play.
    pub requires: Extensions,
}

impl Server {
    /// Takes a datagram from an address. `accepts` says whether a number is a challenge of that address, `challenge` gives one
    /// (see `fragreel_live::Challenges`).
    pub fn receive(&self, datagram: &[u8], accepts: impl FnOnce(i32) -> bool, challenge: impl FnOnce() -> i32) -> Answer {
        let Some(text) = datagram.strip_prefix(&OUTSIDE) else { return Answer::Ignored };
        let mut lines = text.split(|&byte| byte == b'\n');
        let first = words(lines.next().unwrap_or_default());
        match first.first().map(Vec::as_slice) {
            Some(b"getchallenge") => {
                let mut reply = OUTSIDE.to_vec();
                reply.extend_from_slice(format!("c{}\0", challenge()).as_bytes());
                for (key, mask) in self.offers.pairs() {
                    reply.extend_from_slice(&key.to_le_bytes());
                    reply.extend_from_slice(&mask.to_le_bytes());
                }
                Answer::Reply(reply)
            }
            Some(b"connect") => self.connect(&first, lines, accepts),
            _ => Answer::Ignored,
        }
    }

    fn connect<'a>(&self, first: &[Vec<u8>], lines: impl Iterator<Item = &'a [u8]>, accepts: impl FnOnce(i32) -> bool) -> Answer {
        let [_, version, qport, echoed, user_info, ..] = first else { return refuse("a connect line that is not whole") };
        if number(version) != Some(PROTOCOL) {
            return refuse("this server speaks protocol 28");
        }
        if !number(echoed).is_some_and(|number| accepts(number as i32)) {
            return refuse("wrong challenge");
        }
        let Some(qport) = number(qport) else { return refuse("a connect line without a port") };
        let mut asked = Extensions::NONE;
        for pair in lines.map(words) {
            if let [key, mask, ..] = &pair[..]
                && let (Some(key), Some(mask)) = (number(key), number(mask))
            {
                asked.set(key, mask);
            }
        }
        let extensions = asked.intersect(&self.offers);
        if !extensions.includes(&self.requires) {
            return refuse("this server needs an extension that the client does not have");
        }
        let connect = Connect { qport: qport as u16, user_info: user_info.clone(), extensions };
        Answer::Accept { connect, reply: [&OUTSIDE[..], b"j\n"].concat() }
    }
}

fn refuse(reason: &str) -> Answer {
    Answer::Refuse(refusal(reason))
}

/// A refusal as engines send it: a line for the console.
pub fn refusal(reason: &str) -> Vec<u8> {
    [&OUTSIDE[..], b"n\n", reason.as_bytes(), b"\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outside(text: &[u8]) -> Vec<u8> {
        [&OUTSIDE[..], text].concat()
    }

    #[test]
    fn keys_come_in_any_order_and_unknown_ones_are_ignored() {
        let server = Server { offers: Extensions { fte1: 0x8001, fte2: 0x28, mvd1: 1 }, requires: Extensions::NONE };
        let line = b"connect 28 17 -5 \"\\name\\a b\"\n0x47415246 0x5a0\n0x32455446 0xff\ngarbage\n0x58455446 0x8000\n";
        let Answer::Accept { connect, reply } = server.receive(&outside(line), |number| number == -5, || -5) else { panic!("the challenge is not answered") };
        assert_eq!(connect, Connect { qport: 17, user_info: b"\\name\\a b".to_vec(), extensions: Extensions { fte1: 0x8000, fte2: 0x28, mvd1: 0 } });
        assert_eq!(reply, outside(b"j\n"));
    }

    #[test]
    fn refusals_say_why() {
        let server = Server { offers: Extensions { fte2: 8, ..Extensions::NONE }, requires: Extensions { fte2: 8, ..Extensions::NONE } };
        for (line, why) in [
            (&b"connect 28 17 5 \"\\name\\a\"\n"[..], "this server needs an extension that the client does not have"),
            (b"connect 28 17 6 \"\\name\\a\"\n", "wrong challenge"),
            (b"connect 27 17 5 \"\\name\\a\"\n", "this server speaks protocol 28"),
            (b"connect 28\n", "a connect line that is not whole"),
        ] {
            let Answer::Refuse(reply) = server.receive(&outside(line), |number| number == 5, || 5) else { panic!("{why}") };
            let mut client = Client::new(17, b"\\name\\a".to_vec(), Extensions::NONE);
            assert_eq!(client.receive(&reply), Step::Refused(why.to_owned()));
            assert_eq!(client.receive(&outside(b"j\n")), Step::Ignored);
        }
    }

    #[test]
    fn a_client_repeats_what_is_due() {
        let mut client = Client::new(17, b"\\name\\a".to_vec(), Extensions::QUAKEWORLD);
        assert_eq!(client.start(), outside(b"getchallenge\n"));
        let Step::Send(connect) = client.receive(&outside(b"c-12\0FTE2\x08\0\0\0XXXX\x01\0\0\0")) else { panic!("the challenge is not answered") };
        assert_eq!(connect, outside(b"connect 28 17 -12 \"\\name\\a\"\n0x32455446 0x8\n"));
        assert_eq!(client.start(), connect);
    }
}
