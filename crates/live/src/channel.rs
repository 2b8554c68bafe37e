//! The channel that QuakeWorld and Quake II share: every datagram carries a sequence number and acknowledges the newest one received. One
//! reliable block at a time is in flight; one bit each names it and acknowledges it.

use std::collections::VecDeque;

use crate::Side;

const RELIABLE: u32 = 1 << 31;

/// A datagram that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelPacket<'a> {
    /// Its sequence number.
    pub sequence: u32,
    /// The newest of our datagrams that the other side had received.
    pub acknowledged: u32,
    /// The number of datagrams lost before it.
    pub dropped: u32,
    /// Whether it begins with a reliable block. Nothing separates that from what follows.
    pub reliable: bool,
    /// Its contents.
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

/// One end of a connection. A datagram has at most `DATAGRAM` bytes after its header. Messages are joined to reliable blocks of at most
/// `BLOCK` bytes, and at most `QUEUE` bytes may wait.
///
/// ```
/// use fragreel_live::{Channel, Side};
///
/// let mut client = Channel::<1450, 1450, 65536>::new(Side::Client { qport: 7 });
/// let mut server = Channel::<1450, 1450, 65536>::new(Side::Server { qport: 7 });
/// server.queue(b"reliable");
/// server.transmit(b"this datagram gets lost");
/// let datagram = server.transmit(b"unreliable");
/// let packet = client.receive(&datagram).unwrap();
/// assert_eq!((packet.dropped, packet.payload), (1, &b"unreliable"[..]));
/// // the acknowledgement says that the reliable block is missing: it is sent again
/// server.receive(&client.transmit(b"")).unwrap();
/// assert_eq!(client.receive(&server.transmit(b"")).unwrap().payload, b"reliable");
/// ```
#[derive(Debug, Clone)]
pub struct Channel<const DATAGRAM: usize, const BLOCK: usize, const QUEUE: usize> {
    side: Side,
    outgoing: u32,
    incoming: u32,
    acknowledged: u32,
    /// Changes with each reliable block of ours, of theirs, and with what they acknowledged of ours.
    outgoing_parity: bool,
    incoming_parity: bool,
    acknowledged_parity: bool,
    /// The datagram that last carried the block in flight.
    last_reliable: u32,
    in_flight: Vec<u8>,
    /// The blocks behind it, and their bytes.
    queue: VecDeque<Vec<u8>>,
    queued: usize,
    overflowed: bool,
}

impl<const DATAGRAM: usize, const BLOCK: usize, const QUEUE: usize> Channel<DATAGRAM, BLOCK, QUEUE> {
    /// A new connection.
    pub fn new(side: Side) -> Self {
        Channel {
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
            overflowed: false,
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

    /// Queues a reliable message, which is never split. One that is too long for a datagram, or finds the queue full because the other side
    /// acknowledges nothing, is lost: [`has_overflowed`](Self::has_overflowed).
    pub fn queue(&mut self, message: &[u8]) {
        if message.len() > DATAGRAM || message.len() > QUEUE - self.queued {
            self.overflowed = true;
            return;
        }
        self.queued += message.len();
        match self.queue.back_mut() {
            Some(last) if last.len() + message.len() <= BLOCK => last.extend_from_slice(message),
            _ if message.is_empty() => {}
            _ => self.queue.push_back(message.to_vec()),
        }
    }

    /// Whether a reliable message was lost. Such a connection is to be closed.
    pub fn has_overflowed(&self) -> bool {
        self.overflowed
    }

    /// The number of reliable bytes that are not yet acknowledged.
    pub fn waiting(&self) -> usize {
        self.in_flight.len() + self.queued
    }

    /// Whether the next datagram has a reliable block.
    pub fn has_reliable(&self) -> bool {
        if self.in_flight.is_empty() { !self.queue.is_empty() } else { self.resends() }
    }

    /// A QuakeWorld server answers each datagram with one of the same number. Returns whether there is one to answer.
    pub fn align(&mut self) -> bool {
        let answers = self.incoming >= self.outgoing;
        if answers {
            self.outgoing = self.incoming;
        }
        answers
    }

    /// How much room the next datagram has for an unreliable part.
    pub fn room(&self) -> usize {
        let next = if self.in_flight.is_empty() { self.queue.front() } else { Some(&self.in_flight) };
        DATAGRAM - next.map_or(0, Vec::len)
    }

    /// Whether the block in flight was lost: a later acknowledgement does not include it.
    fn resends(&self) -> bool {
        !self.in_flight.is_empty() && self.acknowledged > self.last_reliable && self.acknowledged_parity != self.outgoing_parity
    }

    /// Makes the next datagram: a reliable block if one is due, then `unreliable` if it fits.
    pub fn transmit(&mut self, unreliable: &[u8]) -> Vec<u8> {
        let mut reliable = self.resends();
        if self.in_flight.is_empty()
            && let Some(block) = self.queue.pop_front()
        {
            self.queued -= block.len();
            self.in_flight = block;
            self.outgoing_parity = !self.outgoing_parity;
            reliable = true;
        }
        let word = |number: u32, bit: bool| (number | if bit { RELIABLE } else { 0 }).to_le_bytes();
        let mut datagram = [word(self.outgoing, reliable), word(self.incoming, self.incoming_parity)].concat();
        if let Side::Client { qport } = self.side {
            datagram.extend_from_slice(&qport.to_le_bytes());
        }
        let header = datagram.len();
        if reliable {
            datagram.extend_from_slice(&self.in_flight);
            self.last_reliable = self.outgoing;
        }
        if datagram.len() - header + unreliable.len() <= DATAGRAM {
            datagram.extend_from_slice(unreliable);
        }
        self.outgoing = (self.outgoing + 1) & !RELIABLE;
        datagram
    }

    /// Takes a datagram.
    pub fn receive<'a>(&mut self, datagram: &'a [u8]) -> Result<ChannelPacket<'a>, Refused> {
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
        Ok(ChannelPacket { sequence, acknowledged, dropped, reliable, payload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;

    type QuakeWorld = Channel<1450, 1450, 65536>;
    type Quake2 = Channel<1390, 1200, { usize::MAX }>;

    fn both<const D: usize, const B: usize, const Q: usize>() -> [Channel<D, B, Q>; 2] {
        [Channel::new(Side::Client { qport: 9 }), Channel::new(Side::Server { qport: 9 })]
    }

    #[test]
    fn reliable_messages_arrive_once_and_in_order_over_a_bad_network() {
        fn arrive<const D: usize, const B: usize, const Q: usize>(loss: u8) {
            let [mut client, mut server] = both::<D, B, Q>();
            let (mut to, mut from) = (Network::new(loss.into()), Network::new(77));
            for network in [&mut to, &mut from] {
                (network.loss, network.duplication, network.delay, network.jitter) = (loss.into(), 10, 0.02, 0.05);
            }
            let (mut heard, mut said) = (Vec::<u8>::new(), Vec::new());
            for step in 0..20_000u32 {
                let now = f64::from(step) * 0.02;
                if step < 4000 && step % 10 == 0 {
                    server.queue(&(step / 10).to_le_bytes());
                    said.extend((step / 10).to_le_bytes());
                }
                from.send(now, server.transmit(b""));
                to.send(now, client.transmit(b""));
                from.arrive(now).iter().for_each(|datagram| heard.extend(client.receive(datagram).map_or(&[][..], |packet| packet.payload)));
                to.arrive(now).iter().for_each(|datagram| _ = server.receive(datagram));
            }
            assert!(heard == said, "{loss} %");
            assert_eq!((server.waiting(), server.has_overflowed()), (0, false));
        }
        for loss in [0, 20, 60] {
            arrive::<1450, 1450, 65536>(loss);
            arrive::<1390, 1200, { usize::MAX }>(loss);
        }
    }

    #[test]
    fn blocks_join_messages_up_to_their_limit_and_split_none() {
        let [_, mut server] = both::<1390, 1200, { usize::MAX }>();
        let [mut client, _] = both::<1390, 1200, { usize::MAX }>();
        let sizes = [1000, 200, 1, 1300, 700, 600];
        sizes.iter().for_each(|&size| server.queue(&vec![1; size]));
        let mut blocks = Vec::new();
        while server.waiting() > 0 {
            assert!(server.has_reliable());
            let room = server.room();
            let datagram = server.transmit(b"");
            blocks.push(client.receive(&datagram).unwrap().payload.len());
            assert_eq!(room, 1390 - blocks.last().unwrap());
            server.receive(&client.transmit(b"")).unwrap();
        }
        assert_eq!(blocks, [1200, 1, 1300, 700, 600]);
    }

    #[test]
    fn foreign_old_and_impossible_datagrams_are_refused() {
        let [_, mut server] = both::<1450, 1450, 65536>();
        assert_eq!(server.receive(&[1, 0, 0]), Err(Refused::Short));
        assert_eq!(server.receive(b"\xff\xff\xff\xffping"), Err(Refused::Connectionless));
        assert_eq!(server.receive(&[1, 0, 0, 0, 0, 0, 0, 0, 8, 0]), Err(Refused::Qport));
        assert_eq!(server.receive(&[1, 0, 0, 0, 1, 0, 0, 0, 9, 0]), Err(Refused::Future));
        assert!(server.receive(&[1, 0, 0, 0, 0, 0, 0, 0, 9, 0]).is_ok());
        assert_eq!(server.receive(&[1, 0, 0, 0, 0, 0, 0, 0, 9, 0]), Err(Refused::Old));
        assert_eq!(server.receive(&[4, 0, 0, 0, 0, 0, 0, 0, 9, 0]).map(|packet| packet.dropped), Ok(2));
        server.queue(&[0; 1451]);
        assert!(server.has_overflowed() && server.waiting() == 0);
    }

    #[test]
    fn an_acknowledgement_of_what_was_never_sent_acknowledges_nothing() {
        let mut server = Quake2::new(Side::Server { qport: 9 });
        server.queue(b"x");
        server.transmit(b"");
        assert_eq!(server.receive(&[1, 0, 0, 0, 99, 0, 0, 0x80, 9, 0]), Err(Refused::Future));
        assert_eq!(server.waiting(), 1);
    }

    #[test]
    fn what_waits_is_bounded_when_nothing_is_acknowledged() {
        let mut client = QuakeWorld::new(Side::Client { qport: 9 });
        (0..65536 / 100).for_each(|_| client.queue(&[1; 100]));
        assert!(!client.has_overflowed());
        client.queue(&[1; 100]);
        assert!(client.has_overflowed() && client.waiting() <= 65536);
        // what was sent and acknowledged makes room
        let mut server = QuakeWorld::new(Side::Server { qport: 9 });
        while client.waiting() > 0 {
            server.receive(&client.transmit(b"")).unwrap();
            assert!(server.align());
            client.receive(&server.transmit(b"")).unwrap();
        }
    }
}
