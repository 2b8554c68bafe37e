//! A client's signon: from server data through lists and baselines to `begin`. Document: *Signing on*.

use crate::handshake::{Extensions, commands, words};
use fragreel_quake1::unstable::message::{Message, PacketHeader};

/// The next thing to get before play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// Server data.
    ServerData,
    /// Sounds from this index on.
    Sounds(u32),
    /// Models from this index on.
    Models(u32),
    /// Baselines and the rest, which the server leads through.
    Server,
    /// Nothing.
    Nothing,
}

/// A step of the signon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignonStep {
    /// Server data came: a new level.
    Level,
    /// Play begins with the packet that answers this one.
    Begin,
    /// The server asks us to leave.
    Leave,
}

/// Answers the server's questions.
#[derive(Debug, Clone)]
pub(super) struct Signon {
    extensions: Extensions,
    map_checksum: u32,
    missing: Missing,
    asked: Missing,
    server_count: i32,
    /// Stuffed text whose line has not ended.
    text: Vec<u8>,
    answers: Vec<Vec<u8>>,
    /// Datagrams to send to the server outside of the connection.
    outside: Vec<Vec<u8>>,
}

/// The limit on datagrams outside of the connection that a packet may ask for.
const MOST_OUTSIDE: usize = 4;

/// The longest stuffed line that is kept, in bytes.
const LONGEST_LINE: usize = 1 << 16;

impl Signon {
    pub(super) fn new(extensions: Extensions, map_checksum: u32) -> Self {
        Self {
            extensions,
            map_checksum,
            missing: Missing::ServerData,
            asked: Missing::ServerData,
            server_count: 0,
            text: Vec::new(),
            answers: Vec::new(),
            outside: Vec::new(),
        }
    }

    pub(super) fn is_playing(&self) -> bool {
        self.missing == Missing::Nothing
    }

    /// Follows a message.
    pub(super) fn receive(&mut self, message: &Message) -> Option<SignonStep> {
        match message {
            Message::ServerData(data) => {
                self.server_count = data.server_count;
                (self.missing, self.asked) = (Missing::Sounds(0), Missing::ServerData);
                Some(SignonStep::Level)
            }
            Message::SoundList(list) => self.list(true, u32::from(list.first), list.names.0.len(), list.next),
            Message::ModelList(list) => self.list(false, u32::from(list.first), list.names.0.len(), list.next),
            Message::SoundListShort(list) => self.list(true, u32::from(list.first), list.names.0.len(), list.next),
            Message::ModelListShort(list) => self.list(false, u32::from(list.first), list.names.0.len(), list.next),
            Message::StuffText(stuffed) => self.stuffed(&stuffed.text.0),
            _ => None,
        }
    }

    /// A page of a list. Only the next one wanted counts; a server that sends ahead may send pages before they are asked
    /// for. `next` holds but the lower bits of an index in long lists, so that it only says whether there is more.
    fn list(&mut self, sounds: bool, first: u32, count: usize, next: u8) -> Option<SignonStep> {
        let wanted = if sounds { Missing::Sounds(first) } else { Missing::Models(first) };
        let end = first + count as u32;
        // A page that holds nothing, yet promises more, would be asked for again and again.
        let more = next != 0 && count > 0;
        if self.missing == wanted {
            self.missing = match (sounds, more) {
                (true, true) => Missing::Sounds(end),
                (true, false) => Missing::Models(0),
                (false, true) => Missing::Models(end),
                (false, false) => Missing::Server,
            };
        }
        None
    }

    fn stuffed(&mut self, text: &[u8]) -> Option<SignonStep> {
        self.text.extend_from_slice(text);
        let end = self.text.iter().rposition(|&byte| byte == b'\n').map(|at| at + 1);
        let Some(end) = end else {
            if self.text.len() > LONGEST_LINE {
                self.text.clear();
            }
            return None;
        };
        let rest = self.text.split_off(end);
        let lines = std::mem::replace(&mut self.text, rest);
        let mut turn = None;
        for command in commands(&lines) {
            turn = self.command(command).or(turn);
        }
        turn
    }

    fn command(&mut self, command: &[u8]) -> Option<SignonStep> {
        let words = words(command);
        match words.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
            [b"cmd", b"pext"] => self.answers.push(self.extensions.pext().into_bytes()),
            // the server checks our address (`sv_getrealip`). It names its own, so that the reply goes to the server in any case
            [b"packet", _, text] if is_address_check(text) && self.outside.len() < MOST_OUTSIDE => {
                self.outside.push([&PacketHeader::CONNECTIONLESS.to_le_bytes()[..], text].concat());
            }
            [b"cmd", _, ..] => self.answers.push(command[3..].trim_ascii().to_vec()),
            [b"skins"] => {
                self.answers.push(format!("begin {}", self.server_count).into_bytes());
                self.missing = Missing::Nothing;
                return Some(SignonStep::Begin);
            }
            [b"changing", ..] => self.missing = Missing::ServerData,
            [b"reconnect", ..] => {
                (self.missing, self.asked) = (Missing::ServerData, Missing::ServerData);
                self.answers.push(b"new".to_vec());
            }
            [b"disconnect", ..] => return Some(SignonStep::Leave),
            _ => {}
        }
        None
    }

    /// The commands to send reliably after a packet.
    pub(super) fn answers(&mut self) -> Vec<Vec<u8>> {
        if self.missing != self.asked {
            self.asked = self.missing;
            let count = self.server_count;
            match self.missing {
                Missing::Sounds(at) => self.answers.push(format!("soundlist {count} {at}").into_bytes()),
                Missing::Models(at) => self.answers.push(format!("modellist {count} {at}").into_bytes()),
                Missing::Server => self.answers.push(format!("prespawn {count} 0 {}", self.map_checksum as i32).into_bytes()),
                Missing::ServerData | Missing::Nothing => {}
            }
        }
        std::mem::take(&mut self.answers)
    }

    /// The datagrams to send outside of the connection after a packet.
    pub(super) fn outside(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.outside)
    }
}

/// True for `ip SLOT NUMBER`, with which a server checks a client's address.
fn is_address_check(text: &[u8]) -> bool {
    let words = words(text);
    words.len() == 3
        && words[0] == b"ip"
        && words[1..].iter().all(|word| !word.is_empty() && word.len() <= 11 && word.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_quake1::unstable::message::{StuffText, Text};

    /// mvdsv with `sv_getrealip` wants a datagram from the client's address. It gets nothing else.
    #[test]
    fn a_server_may_check_the_address() {
        let mut signon = Signon::new(Extensions::NONE, 0);
        let mut stuffed = |text: &[u8]| {
            signon.receive(&Message::StuffText(StuffText { text: Text(text.to_vec()) }));
            (signon.outside(), signon.answers())
        };
        let (outside, answers) = stuffed(b"packet 10.0.0.1:27500 \"ip 3 -1234567\"\ncmd new\n");
        assert_eq!((outside, answers), (vec![b"\xff\xff\xff\xffip 3 -1234567".to_vec()], vec![b"new".to_vec()]));
        for other in [&b"packet 10.0.0.1:27500 \"rcon x y\"\n"[..], b"packet 10.0.0.1:27500 \"ip 3 4 5\"\n", b"packet 10.0.0.1:27500 \"ip x y\"\n", b"packet\n"]
        {
            assert_eq!(stuffed(other).0, Vec::<Vec<u8>>::new());
        }
        assert_eq!(stuffed(&b"packet a \"ip 1 2\"\n".repeat(50)).0.len(), MOST_OUTSIDE);
    }
}
