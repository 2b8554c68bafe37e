//! The network channel: packets carry a sequence number and an acknowledgement, and one bit each that acknowledges a single reliable part
//! at a time (`docs/formats/quake2.md`, *Live*).
//!
//! ```
//! use fragreel_quake2::live::netchan::{Channel, Side};
//!
//! let (mut client, mut server) = (Channel::new(Side::Client { qport: 7 }), Channel::new(Side::Server { qport: 7 }));
//! server.queue(b"reliable");
//! let lost = server.transmit(b"");
//! let received = client.receive(&server.transmit(b"lost before")).unwrap();
//! assert_eq!((received.dropped, &received.payload[..]), (1, &b"lost before"[..]));
//! // the acknowledgement says that the reliable part is missing: it is sent again
//! server.receive(&client.transmit(b""));
//! let again = server.transmit(b"");
//! assert_eq!(client.receive(&again).unwrap().payload, b"reliable");
//! # let _ = lost;
//! ```

use std::collections::VecDeque;

pub use fragreel_live::Side;

/// The maximum packet size after the header, in engines of protocol 34.
pub const LONGEST: usize = 1390;
/// The maximum size of a reliable part. The queue is sent in parts of at most this.
pub const LONGEST_RELIABLE: usize = 1200;
const BIT: u32 = 1 << 31;

/// A packet that is newer than all packets before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Its sequence number.
    pub sequence: u32,
    /// The number of packets lost before it.
    pub dropped: u32,
    /// Whether it begins with a reliable part, which must be acknowledged soon.
    pub reliable: bool,
    /// Its contents.
    pub payload: Vec<u8>,
}

/// One end of a connection.
#[derive(Debug, Clone)]
pub struct Channel {
    side: Side,
    outgoing: u32,
    incoming: u32,
    acknowledged: u32,
    /// The bit of the last reliable part sent, the bit that the peer has acknowledged, and the bit of the peer's last part.
    bit: bool,
    acknowledged_bit: bool,
    incoming_bit: bool,
    /// The sequence number of the packet that last carried the reliable part.
    reliable_sent: u32,
    /// The unacknowledged part, and the queue behind it.
    part: Vec<u8>,
    waiting: VecDeque<Vec<u8>>,
    waiting_bytes: usize,
}

impl Channel {
    /// A new connection.
    pub fn new(side: Side) -> Self {
        Channel {
            side,
            outgoing: 1,
            incoming: 0,
            acknowledged: 0,
            bit: false,
            acknowledged_bit: false,
            incoming_bit: false,
            reliable_sent: 0,
            part: Vec::new(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
        }
    }

    /// The sequence number of the next packet.
    pub fn outgoing_sequence(&self) -> u32 {
        self.outgoing
    }

    /// The sequence number of the newest packet received.
    pub fn incoming_sequence(&self) -> u32 {
        self.incoming
    }

    /// Queues a reliable message. It is never split between packets.
    pub fn queue(&mut self, message: &[u8]) {
        if message.len() > LONGEST {
            return;
        }
        self.waiting_bytes += message.len();
        match self.waiting.back_mut() {
            Some(last) if last.len() + message.len() <= LONGEST_RELIABLE => last.extend_from_slice(message),
            _ => self.waiting.push_back(message.to_vec()),
        }
    }

    /// The number of reliable bytes that are not yet acknowledged.
    pub fn waiting(&self) -> usize {
        self.part.len() + self.waiting_bytes
    }

    /// Whether the next packet has a reliable part.
    pub fn has_reliable(&self) -> bool {
        if self.part.is_empty() { !self.waiting.is_empty() } else { self.is_lost() }
    }

    /// Whether the last part was lost: a later acknowledgement does not include it.
    fn is_lost(&self) -> bool {
        self.acknowledged > self.reliable_sent && self.acknowledged_bit != self.bit
    }

    /// Builds the next packet: a reliable part if one is due, then as much of `unreliable` as fits.
    pub fn transmit(&mut self, unreliable: &[u8]) -> Vec<u8> {
        let mut send = !self.part.is_empty() && self.is_lost();
        if self.part.is_empty()
            && let Some(part) = self.waiting.pop_front()
        {
            self.waiting_bytes -= part.len();
            self.part = part;
            self.bit = !self.bit;
            send = true;
        }
        let word = |number: u32, bit: bool| (number & !BIT | if bit { BIT } else { 0 }).to_le_bytes();
        let mut datagram = [word(self.outgoing, send), word(self.incoming, self.incoming_bit)].concat();
        if let Side::Client { qport } = self.side {
            datagram.extend_from_slice(&qport.to_le_bytes());
        }
        let head = datagram.len();
        if send {
            datagram.extend_from_slice(&self.part);
            self.reliable_sent = self.outgoing;
        }
        self.outgoing += 1;
        if datagram.len() - head + unreliable.len() <= LONGEST {
            datagram.extend_from_slice(unreliable);
        }
        datagram
    }

    /// Reads a datagram. `None` if it is old, a duplicate, or of another connection.
    pub fn receive(&mut self, datagram: &[u8]) -> Option<Received> {
        let (&sequence, rest) = datagram.split_first_chunk::<4>()?;
        let (&acknowledged, mut rest) = rest.split_first_chunk::<4>()?;
        let (sequence, acknowledged) = (u32::from_le_bytes(sequence), u32::from_le_bytes(acknowledged));
        if sequence == u32::MAX {
            return None;
        }
        if let Side::Server { qport } = self.side {
            let (&sent, behind) = rest.split_first_chunk::<2>()?;
            if u16::from_le_bytes(sent) != qport {
                return None;
            }
            rest = behind;
        }
        let (reliable, seen) = (sequence & BIT != 0, acknowledged & BIT != 0);
        let (sequence, acknowledged) = (sequence & !BIT, acknowledged & !BIT);
        // The peer cannot acknowledge what was never sent.
        if sequence <= self.incoming || acknowledged >= self.outgoing {
            return None;
        }
        if seen == self.bit {
            self.part.clear();
        }
        let dropped = sequence - self.incoming - 1;
        (self.incoming, self.acknowledged, self.acknowledged_bit) = (sequence, acknowledged, seen);
        self.incoming_bit ^= reliable;
        Some(Received { sequence, dropped, reliable, payload: rest.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use fragreel_live::network::Network;

    use super::*;

    #[test]
    fn reliable_messages_arrive_once_and_in_order_over_a_bad_network() {
        for loss in [0, 20, 60] {
            let (mut client, mut server) = (Channel::new(Side::Client { qport: 9 }), Channel::new(Side::Server { qport: 9 }));
            let (mut to, mut from) = (Network::new(loss.into()), Network::new(77));
            for network in [&mut to, &mut from] {
                (network.loss, network.duplication, network.delay, network.jitter) = (loss, 10, 0.02, 0.05);
            }
            let (mut heard, mut said) = (Vec::new(), Vec::new());
            for step in 0..20_000u32 {
                let now = f64::from(step) * 0.02;
                if step < 4000 && step % 10 == 0 {
                    server.queue(&(step / 10).to_le_bytes());
                    said.extend((step / 10).to_le_bytes());
                }
                from.send(now, server.transmit(b""));
                to.send(now, client.transmit(b""));
                from.arrive(now).iter().filter_map(|datagram| client.receive(datagram)).for_each(|received| heard.extend(received.payload));
                to.arrive(now).iter().for_each(|datagram| drop(server.receive(datagram)));
            }
            assert!(heard == said, "{loss} %");
            assert_eq!(server.waiting(), 0);
        }
    }

    #[test]
    fn strangers_old_packets_and_impossible_acknowledgements_change_nothing() {
        let mut server = Channel::new(Side::Server { qport: 9 });
        server.queue(b"x");
        server.transmit(b"");
        let mut other = Channel::new(Side::Client { qport: 8 });
        assert_eq!(server.receive(&other.transmit(b"")), None);
        assert_eq!(server.receive(&[1, 0, 0, 0, 99, 0, 0, 0x80, 9, 0]), None, "acknowledges what was never sent");
        assert_eq!(server.receive(&[0xff; 20]), None);
        assert_eq!(server.receive(&[1, 2, 3]), None);
        assert_eq!(server.waiting(), 1);
        let mut client = Channel::new(Side::Client { qport: 9 });
        let packet = client.transmit(b"y");
        assert!(server.receive(&packet).is_some());
        assert_eq!(server.receive(&packet), None);
    }
}
