//! The channel: a sequence number before every message, fragments for long ones, and the scrambling that clients of protocol 68 and of OpenArena
//! expect (`docs/formats/quake3.md`, "Channel").
//!
//! ```
//! use fragreel_quake3_live::netchan::{Channel, Side};
//!
//! let (mut client, mut server) = (Channel::new(Side::Client { qport: 7 }), Channel::new(Side::Server { qport: 7 }));
//! let datagrams = server.transmit(&[5; 3000]);
//! assert_eq!(datagrams.len(), 3);
//! let message = datagrams.iter().find_map(|datagram| client.receive(datagram)).unwrap();
//! assert_eq!((message.sequence, message.payload.len()), (1, 3000));
//! ```

use std::collections::BTreeMap;

pub use fragreel_live::Side;

/// Longest piece of a message in one datagram; one of just this length is followed by another, empty if need be.
pub const FRAGMENT: usize = 1300;
/// Longest message.
const LONGEST: usize = fragreel_quake3::dialect::LONGEST_MESSAGE;
const FRAGMENTED: u32 = 1 << 31;

/// A whole message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its sequence number.
    pub sequence: u32,
    /// The payload, still scrambled.
    pub payload: Vec<u8>,
}

/// One end of a connection.
#[derive(Debug, Clone)]
pub struct Channel {
    side: Side,
    outgoing: u32,
    incoming: u32,
    /// The sequence of the incomplete message, and its fragments by start: some may have overtaken others.
    parts: (u32, BTreeMap<usize, Vec<u8>>),
}

impl Channel {
    /// A new connection.
    pub fn new(side: Side) -> Self {
        Channel { side, outgoing: 1, incoming: 0, parts: (0, BTreeMap::new()) }
    }

    /// Sequence number of the next message.
    pub fn outgoing_sequence(&self) -> u32 {
        self.outgoing
    }

    /// Sequence number of the newest message received.
    pub fn incoming_sequence(&self) -> u32 {
        self.incoming
    }

    /// The datagrams of a message.
    pub fn transmit(&mut self, payload: &[u8]) -> Vec<Vec<u8>> {
        let sequence = self.outgoing;
        self.outgoing += 1;
        let head = |word: u32| {
            let mut datagram = word.to_le_bytes().to_vec();
            if let Side::Client { qport } = self.side {
                datagram.extend_from_slice(&qport.to_le_bytes());
            }
            datagram
        };
        if payload.len() < FRAGMENT {
            return vec![[head(sequence), payload.to_vec()].concat()];
        }
        (0..=payload.len() / FRAGMENT)
            .map(|at| {
                let part = &payload[at * FRAGMENT..payload.len().min((at + 1) * FRAGMENT)];
                let place = [((at * FRAGMENT) as u16).to_le_bytes(), (part.len() as u16).to_le_bytes()].concat();
                [head(sequence | FRAGMENTED), place, part.to_vec()].concat()
            })
            .collect()
    }

    /// Takes a datagram. Returns the message that it completes.
    pub fn receive(&mut self, datagram: &[u8]) -> Option<Received> {
        let (&word, mut rest) = datagram.split_first_chunk::<4>()?;
        let word = u32::from_le_bytes(word);
        if word == u32::MAX {
            return None;
        }
        if let Side::Server { qport } = self.side {
            let (&sent, behind) = rest.split_first_chunk::<2>()?;
            if u16::from_le_bytes(sent) != qport {
                return None;
            }
            rest = behind;
        }
        let sequence = word & !FRAGMENTED;
        if sequence <= self.incoming {
            return None;
        }
        if word & FRAGMENTED == 0 {
            self.incoming = sequence;
            return Some(Received { sequence, payload: rest.to_vec() });
        }
        let (&start, behind) = rest.split_first_chunk::<2>()?;
        let (&length, part) = behind.split_first_chunk::<2>()?;
        let (start, length) = (usize::from(u16::from_le_bytes(start)), usize::from(u16::from_le_bytes(length)));
        if length != part.len() || length > FRAGMENT || start % FRAGMENT != 0 || start + length > LONGEST || sequence < self.parts.0 {
            return None;
        }
        if self.parts.0 != sequence {
            self.parts = (sequence, BTreeMap::new());
        }
        self.parts.1.insert(start, part.to_vec());
        // The last one is shorter than all others.
        let (&last, end) = self.parts.1.last_key_value()?;
        if end.len() == FRAGMENT || self.parts.1.len() != last / FRAGMENT + 1 {
            return None;
        }
        self.incoming = sequence;
        Some(Received { sequence, payload: std::mem::take(&mut self.parts).1.into_values().flatten().collect() })
    }
}

/// Scrambles or unscrambles a payload from byte `start` on: 4 from servers, 12 from clients. `text` is the other side's last command.
pub fn scramble(payload: &mut [u8], start: usize, key: u32, text: &[u8]) {
    let (mut key, mut at) = (key as u8, 0);
    for (index, byte) in payload.iter_mut().enumerate().skip(start) {
        let letter = match text.get(at) {
            Some(0) | None => {
                at = 0;
                text.first().copied().unwrap_or(0)
            }
            Some(&letter) => letter,
        };
        let letter = if letter > 127 || letter == b'%' { b'.' } else { letter };
        key ^= letter << (index & 1);
        at += 1;
        *byte ^= key;
    }
}

/// The first scrambled byte of server messages.
pub const FROM_SERVER: usize = 4;
/// The first scrambled byte of client messages.
pub const FROM_CLIENT: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_lengths_arrive_and_lost_pieces_cost_one_message() {
        let (mut client, mut server) = (Channel::new(Side::Client { qport: 7 }), Channel::new(Side::Server { qport: 7 }));
        for length in [0, 1, 1299, 1300, 1301, 2600, 16384] {
            let payload: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let datagrams = client.transmit(&payload);
            assert_eq!(datagrams.len(), if length < 1300 { 1 } else { length / 1300 + 1 });
            let got: Vec<_> = datagrams.iter().filter_map(|datagram| server.receive(datagram)).collect();
            assert_eq!(got.len(), 1);
            assert_eq!(got[0].payload, payload);
            assert_eq!(server.receive(&datagrams[0]), None, "it is old by now");
        }
        let datagrams = client.transmit(&[7; 4000]);
        assert!(datagrams[..1].iter().chain(&datagrams[2..]).all(|datagram| server.receive(datagram).is_none()));
        assert!(client.transmit(b"x").iter().any(|datagram| server.receive(datagram).is_some()));
        assert_eq!(server.receive(&[9, 0, 0, 0, 8, 0, 1]), None, "another client's");
    }

    #[test]
    fn scrambling_undoes_itself_with_percent_signs_and_high_bytes() {
        for text in [&b""[..], b"a", b"say 100% \xe4", b"userinfo \"x\""] {
            let plain: Vec<u8> = (0..100).collect();
            let mut payload = plain.clone();
            scramble(&mut payload, FROM_SERVER, 0x1234_5678, text);
            assert_eq!(payload[..4], plain[..4]);
            assert_ne!(payload[4..], plain[4..]);
            scramble(&mut payload, FROM_SERVER, 0x1234_5678, text);
            assert_eq!(payload, plain);
        }
        // By hand: key 0, letters a and b in turns, shifted at odd places.
        let mut payload = [0; 8];
        scramble(&mut payload, 4, 0, b"ab");
        assert_eq!(payload, [0, 0, 0, 0, 0x61, 0x61 ^ 0xc4, 0xa5 ^ 0x61, 0xc4 ^ 0xc4]);
    }
}
