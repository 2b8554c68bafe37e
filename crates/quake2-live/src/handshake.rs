//! Connectionless packets: text after four bytes of ones (`docs/formats/quake2.md`, *Live*).
//!
//! ```
//! use fragreel_quake2_live::handshake::{Answer, Question, connect};
//!
//! let question = connect(4711, 99, "\\name\\me");
//! assert_eq!(Question::read(&question), Some(Question::Connect { protocol: 34, qport: 4711, challenge: 99, rate: None }));
//! assert_eq!(Answer::read(b"\xff\xff\xff\xffchallenge 99 p=34,35,36"), Some(Answer::Challenge(99)));
//! ```

use fragreel_live::status::{number, words};

/// The prefix of connectionless packets.
pub const OUTSIDE: &[u8] = b"\xff\xff\xff\xff";
/// The supported protocol.
pub const PROTOCOL: i32 = 34;

/// A request from a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Asks for a challenge, which proves the client's address.
    Challenge,
    /// Asks to join.
    Connect {
        /// The client's protocol.
        protocol: i32,
        /// The number that identifies the client's packets.
        qport: u16,
        /// The challenge from the server.
        challenge: i32,
        /// The client's rate in bytes per second, if it sets one.
        rate: Option<i32>,
    },
    /// Asks for a line about the server, with the client's protocol.
    Info(i32),
    /// Asks for the list of players.
    Status,
    /// Asks whether the server is up.
    Ping,
}

impl Question {
    /// Reads a packet.
    pub fn read(datagram: &[u8]) -> Option<Self> {
        let text = datagram.strip_prefix(OUTSIDE)?;
        let words = words(&text[..text.len().min(1024)]);
        let of = |at: usize| words.get(at).and_then(|word| number(word));
        Some(match words.first()?.as_slice() {
            b"getchallenge" => Question::Challenge,
            b"connect" => Question::Connect {
                protocol: of(1)?,
                qport: of(2)? as u16,
                challenge: of(3)?,
                rate: words.get(4).and_then(|info| fragreel_live::status::info_number(info, "rate")),
            },
            b"info" => Question::Info(of(1)?),
            b"status" => Question::Status,
            b"ping" => Question::Ping,
            _ => return None,
        })
    }
}

/// A server's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The challenge to connect with.
    Challenge(i32),
    /// The client may join.
    Accepted,
    /// A text for the user, such as a refusal.
    Print(Vec<u8>),
}

impl Answer {
    /// Reads a packet.
    pub fn read(datagram: &[u8]) -> Option<Self> {
        let text = datagram.strip_prefix(OUTSIDE)?;
        if let Some(text) = text.strip_prefix(b"print\n") {
            return Some(Answer::Print(text[..text.len().min(1024)].to_vec()));
        }
        let words = words(&text[..text.len().min(1024)]);
        match words.first()?.as_slice() {
            b"challenge" => Some(Answer::Challenge(number(words.get(1)?)?)),
            b"client_connect" => Some(Answer::Accepted),
            _ => None,
        }
    }
}

/// Encodes a request for a challenge.
pub fn get_challenge() -> Vec<u8> {
    [OUTSIDE, b"getchallenge\n"].concat()
}

/// Encodes a request to join.
pub fn connect(qport: u16, challenge: i32, user_info: &str) -> Vec<u8> {
    [OUTSIDE, format!("connect {PROTOCOL} {qport} {challenge} \"{user_info}\"\n").as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_question_is_none() {
        for text in [&b""[..], b"connect", b"connect 34 x 5", b"rcon quit", b"client_connect", b"print\nhello"] {
            assert_eq!(Question::read(&[OUTSIDE, text].concat()), None, "{text:?}");
        }
        assert_eq!(Question::read(b"getchallenge"), None);
        assert_eq!(Question::read(&[OUTSIDE, b"ping"].concat()), Some(Question::Ping));
        assert_eq!(Answer::read(&[OUTSIDE, b"client_connect nc=0 map=q2dm1"].concat()), Some(Answer::Accepted));
        assert_eq!(Answer::read(&[OUTSIDE, b"print\nno\n"].concat()), Some(Answer::Print(b"no\n".to_vec())));
        assert_eq!(Answer::read(&[OUTSIDE, b"challenge x"].concat()), None);
    }
}
