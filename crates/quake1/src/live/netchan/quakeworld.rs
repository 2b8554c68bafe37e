//! QuakeWorld's channel: every datagram carries a sequence number and acknowledges the newest one received; one reliable
//! block at a time rides along until it is acknowledged. Document: *QuakeWorld's channel*.
//!
//! ```
//! use fragreel_quake1::live::netchan::quakeworld::{Channel, Side};
//!
//! let (mut client, mut server) = (Channel::new(Side::Client { qport: 7 }), Channel::new(Side::Server { qport: 7 }));
//! assert!(client.queue(b"\x04new\0"));
//! let mut datagram = Vec::new();
//! client.transmit(b"", &mut datagram);
//! let packet = server.receive(&datagram).unwrap();
//! assert_eq!((packet.sequence, packet.payload), (1, &b"\x04new\0"[..]));
//! ```

use std::collections::VecDeque;

pub use fragreel_live::Side;

/// Most bytes of a datagram after its header, as in the original engine.
pub const LARGEST: usize = 1450;

/// Most bytes that wait to be sent reliably: a few dozen round trips of what a healthy connection carries.
pub const MOST_QUEUED: usize = 1 << 16;
/// Most messages that wait; empty ones cost memory, too.
const MOST_MESSAGES: usize = 4096;

const RELIABLE: u32 = 1 << 31;

/// One datagram that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Its sequence number.
    pub sequence: u32,
    /// The newest of our datagrams that the other side had received.
    pub acknowledged: u32,
    /// How many datagrams before it never arrived.
    pub dropped: u32,
    /// True if it begins with reliable data. The two parts are not distinguished.
    pub reliable: bool,
    /// What it carries.
    pub payload: &'a [u8],
}

/// Why a datagram was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Too short for its header.
    Short,
    /// Outside of any connection: four bytes of ones.
    Connectionless,
    /// Another client's.
    Qport,
    /// A duplicate, or overtaken by a newer one.
    Old,
    /// It acknowledges what was never sent.
    Future,
}

/// What [`Channel::transmit`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transmitted {
    /// The datagram's sequence number.
    pub sequence: u32,
    /// Whether a reliable block was on board.
    pub reliable: bool,
    /// Whether the unreliable part fitted.
    pub unreliable: bool,
}

/// One end of a connection.
#[derive(Debug, Clone)]
pub struct Channel {
    side: Side,
    outgoing: u32,
    incoming: u32,
    acknowledged: u32,
    /// Changes with each reliable block of ours, theirs, and what they acknowledged of ours.
    outgoing_parity: bool,
    incoming_parity: bool,
    acknowledged_parity: bool,
    last_reliable: u32,
    in_flight: Vec<u8>,
    queue: VecDeque<Vec<u8>>,
    queued: usize,
}

impl Channel {
    /// A new connection.
    pub fn new(side: Side) -> Self {
        Self {
            side,
            outgoing: 1,
            incoming: 0,
            acknowledged: 0,
            outgoing_parity: false,
            incoming_parity: false,
            acknowledged_parity: false,
            last_reliable: 0,
            in_flight: Vec::new(),
            queue: VecDeque::new(),
            queued: 0,
        }
    }

    /// Sequence number of the next datagram.
    pub fn outgoing_sequence(&self) -> u32 {
        self.outgoing
    }

    /// Sequence number of the newest datagram received.
    pub fn incoming_sequence(&self) -> u32 {
        self.incoming
    }

    /// Puts a message of at most [`LARGEST`] bytes into the reliable queue. Says whether it was taken: not when it is too
    /// long, and not when [`MOST_QUEUED`] bytes wait already because the other side acknowledges nothing. A connection that
    /// lost a reliable message is to be closed.
    #[must_use]
    pub fn queue(&mut self, message: &[u8]) -> bool {
        let fits = message.len() <= LARGEST && self.queued + message.len() <= MOST_QUEUED && self.queue.len() < MOST_MESSAGES;
        if fits && !message.is_empty() {
            self.queued += message.len();
            self.queue.push_back(message.to_vec());
        }
        fits
    }

    /// Whether nothing reliable waits or is under way.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.in_flight.is_empty()
    }

    /// A server answers each datagram with one of the same number. Says whether there is one to answer.
    pub fn align(&mut self) -> bool {
        let answers = self.incoming >= self.outgoing;
        if answers {
            self.outgoing = self.incoming;
        }
        answers
    }

    /// How much room the next datagram has for an unreliable part.
    pub fn room(&self) -> usize {
        let reliable = if self.resends() || !self.in_flight.is_empty() { self.in_flight.len() } else { self.next_block() };
        LARGEST - reliable
    }

    fn resends(&self) -> bool {
        !self.in_flight.is_empty() && self.acknowledged > self.last_reliable && self.acknowledged_parity != self.outgoing_parity
    }

    /// Length of the block that would be taken from the queue.
    fn next_block(&self) -> usize {
        let mut length = 0;
        for message in &self.queue {
            if length + message.len() > LARGEST {
                break;
            }
            length += message.len();
        }
        length
    }

    /// Writes a datagram into `out`, whose contents are dropped.
    pub fn transmit(&mut self, unreliable: &[u8], out: &mut Vec<u8>) -> Transmitted {
        let mut reliable = self.resends();
        if self.in_flight.is_empty() && !self.queue.is_empty() {
            let length = self.next_block();
            while self.in_flight.len() < length {
                self.in_flight.append(&mut self.queue.pop_front().unwrap_or_default());
            }
            self.queued -= length;
            self.outgoing_parity = !self.outgoing_parity;
            reliable = true;
        }
        let sequence = self.outgoing;
        out.clear();
        out.extend_from_slice(&(sequence | if reliable { RELIABLE } else { 0 }).to_le_bytes());
        out.extend_from_slice(&(self.incoming | if self.incoming_parity { RELIABLE } else { 0 }).to_le_bytes());
        if let Side::Client { qport } = self.side {
            out.extend_from_slice(&qport.to_le_bytes());
        }
        let header = out.len();
        if reliable {
            out.extend_from_slice(&self.in_flight);
            self.last_reliable = sequence;
        }
        let fits = out.len() - header + unreliable.len() <= LARGEST;
        if fits {
            out.extend_from_slice(unreliable);
        }
        self.outgoing = (self.outgoing + 1) & !RELIABLE;
        Transmitted { sequence, reliable, unreliable: fits }
    }

    /// Takes a datagram.
    pub fn receive<'a>(&mut self, datagram: &'a [u8]) -> Result<Packet<'a>, Refused> {
        let (&first, rest) = datagram.split_first_chunk::<4>().ok_or(Refused::Short)?;
        let first = u32::from_le_bytes(first);
        if first == u32::MAX {
            return Err(Refused::Connectionless);
        }
        let (&second, mut payload) = rest.split_first_chunk::<4>().ok_or(Refused::Short)?;
        let second = u32::from_le_bytes(second);
        if let Side::Server { qport } = self.side {
            let (&sent, rest) = payload.split_first_chunk::<2>().ok_or(Refused::Short)?;
            if u16::from_le_bytes(sent) != qport {
                return Err(Refused::Qport);
            }
            payload = rest;
        }
        let (sequence, acknowledged) = (first & !RELIABLE, second & !RELIABLE);
        if sequence <= self.incoming {
            return Err(Refused::Old);
        }
        if acknowledged >= self.outgoing {
            return Err(Refused::Future);
        }
        let dropped = sequence - self.incoming - 1;
        self.acknowledged_parity = second & RELIABLE != 0;
        if self.acknowledged_parity == self.outgoing_parity {
            self.in_flight.clear();
        }
        self.incoming = sequence;
        self.acknowledged = acknowledged;
        let reliable = first & RELIABLE != 0;
        self.incoming_parity ^= reliable;
        Ok(Packet { sequence, acknowledged, dropped, reliable, payload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(from: &mut Channel, to: &mut Channel, unreliable: &[u8], arrives: bool) -> Option<Vec<u8>> {
        let mut datagram = Vec::new();
        from.transmit(unreliable, &mut datagram);
        if !arrives {
            return None;
        }
        to.receive(&datagram).ok().map(|packet| packet.payload.to_vec())
    }

    #[test]
    fn reliable_blocks_arrive_once_and_in_order_whatever_is_lost() {
        for seed in 1..200u64 {
            let (mut client, mut server) = (Channel::new(Side::Client { qport: 9 }), Channel::new(Side::Server { qport: 9 }));
            let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut roll = || {
                dice ^= dice << 13;
                dice ^= dice >> 7;
                dice ^= dice << 17;
                dice >> 40
            };
            let (mut got, mut queued) = (Vec::new(), 0u8);
            for step in 0..600 {
                if queued < 100 && roll() % 3 == 0 {
                    assert!(client.queue(&[queued]));
                    queued += 1;
                }
                let arrives = step > 500 || roll() % 100 >= 40;
                got.extend(pass(&mut client, &mut server, b"", arrives).unwrap_or_default());
                if server.align() {
                    let arrives = step > 500 || roll() % 100 >= 40;
                    pass(&mut server, &mut client, b"", arrives);
                }
            }
            assert_eq!(got, (0..queued).collect::<Vec<u8>>(), "seed {seed}");
            assert!(client.is_idle());
        }
    }

    #[test]
    fn foreign_old_and_impossible_datagrams_are_refused() {
        let mut server = Channel::new(Side::Server { qport: 9 });
        assert_eq!(server.receive(&[1, 0, 0]), Err(Refused::Short));
        assert_eq!(server.receive(b"\xff\xff\xff\xffping"), Err(Refused::Connectionless));
        assert_eq!(server.receive(&[1, 0, 0, 0, 0, 0, 0, 0, 8, 0]), Err(Refused::Qport));
        assert_eq!(server.receive(&[1, 0, 0, 0, 1, 0, 0, 0, 9, 0]), Err(Refused::Future));
        assert!(server.receive(&[1, 0, 0, 0, 0, 0, 0, 0, 9, 0]).is_ok());
        assert_eq!(server.receive(&[1, 0, 0, 0, 0, 0, 0, 0, 9, 0]), Err(Refused::Old));
        assert_eq!(server.receive(&[4, 0, 0, 0, 0, 0, 0, 0, 9, 0]).map(|packet| packet.dropped), Ok(2));
        assert!(!server.queue(&[0; LARGEST + 1]));
    }

    #[test]
    fn what_waits_is_bounded_when_nothing_is_acknowledged() {
        let mut client = Channel::new(Side::Client { qport: 9 });
        let taken = (0..10_000).filter(|_| client.queue(&[1; 100])).count();
        assert_eq!(taken, MOST_QUEUED / 100);
        let mut client = Channel::new(Side::Client { qport: 9 });
        assert_eq!((0..10_000).filter(|_| client.queue(&[1])).count(), MOST_MESSAGES);
        // What was sent and acknowledged makes room.
        let mut server = Channel::new(Side::Server { qport: 9 });
        for _ in 0..8 {
            pass(&mut client, &mut server, b"", true);
            server.align();
            pass(&mut server, &mut client, b"", true);
        }
        assert!(client.is_idle() && client.queue(&[1; 100]));
    }
}
