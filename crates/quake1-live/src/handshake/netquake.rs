//! NetQuake's handshake: a control packet opens a channel, then the server asks with `cmd protocols` and `cmd pext` what
//! the client can do. Document: *NetQuake's handshake*.

use crate::handshake::{Extensions, number, words};
use crate::netchan::netquake::CONTROL;

const CONNECT: u8 = 0x01;
const ACCEPT: u8 = 0x81;
const REJECT: u8 = 0x82;
const GAME: &[u8] = b"QUAKE\0";
const CONTROL_VERSION: u8 = 3;

/// The control packet that asks for a connection.
pub fn connect() -> Vec<u8> {
    control(&[&[CONNECT], GAME, &[CONTROL_VERSION]].concat())
}

/// A server's control packet that accepts: the port to go on with, 0 for the same.
pub fn accept(port: u32) -> Vec<u8> {
    control(&[&[ACCEPT][..], &port.to_le_bytes()].concat())
}

/// A server's control packet that refuses.
pub fn reject(reason: &str) -> Vec<u8> {
    control(&[&[REJECT], reason.as_bytes(), &[0]].concat())
}

pub(crate) fn control(body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32 + 4;
    [&(CONTROL | length).to_be_bytes()[..], body].concat()
}

/// What a control packet says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// A client asks.
    Connect,
    /// The server accepts.
    Accept {
        /// Where to go on; 0 for the same port.
        port: u32,
    },
    /// The server refuses.
    Reject(String),
    /// A client of another game or version.
    Foreign,
    /// Something else.
    Other,
}

/// Reads a control packet. `None` for anything that belongs to a channel.
pub fn read(datagram: &[u8]) -> Option<Control> {
    let (&word, body) = datagram.split_first_chunk::<4>()?;
    let word = u32::from_be_bytes(word);
    if word & CONTROL == 0 || word & 0xffff != datagram.len() as u32 {
        return None;
    }
    let (&kind, rest) = body.split_first()?;
    Some(match kind {
        CONNECT => match rest.strip_prefix(GAME) {
            Some([CONTROL_VERSION, ..]) => Control::Connect,
            _ => Control::Foreign,
        },
        ACCEPT => rest.first_chunk::<4>().map_or(Control::Other, |&port| Control::Accept { port: u32::from_le_bytes(port) }),
        REJECT => {
            let reason = rest.split(|&byte| byte == 0).next().unwrap_or_default();
            Control::Reject(String::from_utf8_lossy(reason).into_owned())
        }
        _ => Control::Other,
    })
}

/// The client's part inside the channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Protocols that it speaks, best first.
    pub protocols: Vec<u32>,
    /// What it has.
    pub wants: Extensions,
}

impl Client {
    /// The reply to a command that the server stuffed, without its end. `None` when it is none of the two questions.
    pub fn answer(&self, command: &[u8]) -> Option<String> {
        match words(command).iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
            [b"cmd", b"protocols"] => {
                let mut text = String::from("protocols");
                for protocol in &self.protocols {
                    text.push_str(&format!(" {protocol}"));
                }
                Some(text)
            }
            [b"cmd", b"pext"] => Some(self.wants.pext()),
            _ => None,
        }
    }
}

/// The server's part inside the channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Server {
    /// Protocols that it speaks, best first.
    pub protocols: Vec<u32>,
    /// What it has.
    pub offers: Extensions,
    /// Without which nobody may play.
    pub requires: Extensions,
    agreed: Option<u32>,
    extensions: Option<Extensions>,
}

impl Server {
    /// A server that has not asked yet.
    pub fn new(protocols: Vec<u32>, offers: Extensions, requires: Extensions) -> Self {
        Self { protocols, offers, requires, agreed: None, extensions: None }
    }

    /// What to stuff into the client when it has connected.
    pub fn questions(&self) -> [&'static str; 2] {
        ["cmd protocols\n", "cmd pext\n"]
    }

    /// Takes a string command of the client. Says whether it was an answer. The questions go out together, so either may
    /// be missing; a client that knows neither sends something else.
    pub fn receive(&mut self, command: &[u8]) -> bool {
        let words = words(command);
        match words.first().map(Vec::as_slice) {
            Some(b"protocols") => {
                let speaks: Vec<u32> = words[1..].iter().filter_map(|word| number(word)).collect();
                self.agreed = self.protocols.iter().copied().find(|protocol| speaks.contains(protocol));
                true
            }
            Some(b"pext") => {
                self.extensions = Some(Extensions::parse(&words[1..]).intersect(&self.offers));
                true
            }
            _ => false,
        }
    }

    /// The extensions that both have; none before the client's answer.
    pub fn extensions(&self) -> Extensions {
        self.extensions.unwrap_or_default()
    }

    /// The protocol and the masks to be stated in the server info, or why the client cannot play. Without an answer about
    /// protocols the last of the server's counts, which is the plainest.
    pub fn result(&self) -> Result<(u32, Extensions), &'static str> {
        let extensions = self.extensions();
        if !extensions.includes(&self.requires) {
            return Err("this server needs an extension that the client does not have");
        }
        let protocol = self.agreed.or_else(|| self.protocols.last().copied()).ok_or("this server speaks no protocol")?;
        Ok((protocol, extensions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_packets() {
        assert_eq!(connect(), b"\x80\x00\x00\x0c\x01QUAKE\0\x03");
        assert_eq!(read(&connect()), Some(Control::Connect));
        assert_eq!(read(&accept(27610)), Some(Control::Accept { port: 27610 }));
        assert_eq!(read(&reject("full")), Some(Control::Reject("full".into())));
        assert_eq!(read(b"\x80\x00\x00\x0c\x01DOOM_\0\x03"), Some(Control::Foreign));
        assert_eq!(read(b"\x00\x10\x00\x09\x00\x00\x00\x00\x01"), None);
    }

    #[test]
    fn both_questions_are_answered() {
        let client = Client { protocols: vec![999, 666, 15], wants: Extensions { fte1: 0x8000, fte2: 0x28, mvd1: 0 } };
        let mut server = Server::new(vec![666, 15], Extensions { fte2: 0x7f, ..Extensions::NONE }, Extensions { fte2: 8, ..Extensions::NONE });
        assert!(server.result().is_err());
        for question in server.questions() {
            let answer = client.answer(question.trim_end().as_bytes()).unwrap();
            assert!(server.receive(answer.as_bytes()));
        }
        assert_eq!(server.result(), Ok((666, Extensions { fte2: 0x28, ..Extensions::NONE })));
        assert_eq!(client.answer(b"cmd spawn"), None);
        assert!(!server.receive(b"spawn"));
    }
}
