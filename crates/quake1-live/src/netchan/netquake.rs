//! NetQuake's channel: reliable messages in parts that are each acknowledged, and unreliable datagrams with a count of
//! their own. Document: *NetQuake's channel*.

use std::collections::VecDeque;

/// Most bytes of a reliable part.
pub(crate) const LARGEST_PART: usize = 1024;
/// Longest reliable message that is put together.
const LARGEST_MESSAGE: usize = 65_536;

const DATA: u32 = 0x0001_0000;
const ACKNOWLEDGE: u32 = 0x0002_0000;
const LAST_PART: u32 = 0x0008_0000;
const UNRELIABLE: u32 = 0x0010_0000;
/// Outside of any connection.
pub(crate) const CONTROL: u32 = 0x8000_0000;
const LENGTH: u32 = 0x0000_ffff;

/// What a datagram turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// A reliable message is complete.
    Reliable(Vec<u8>),
    /// A part of one; more follow. Or a repeated part.
    Part,
    /// An unreliable message with its sequence number.
    Unreliable {
        /// Its number, which replacement deltas are acknowledged by.
        sequence: u32,
        /// What it carries.
        payload: Vec<u8>,
    },
    /// One of our parts was acknowledged.
    Acknowledged,
    /// Nothing usable: too short, a wrong length, a duplicate, or outside of the connection.
    Nothing,
}

/// When to send a part again.
#[derive(Debug, Clone)]
pub(crate) struct Resend {
    /// When a part was last sent.
    sent: f64,
    /// Whether the part under way was sent only once, so that its acknowledgement measures the round trip.
    once: bool,
    /// Seconds until the part under way is sent again.
    after: f64,
}

impl Resend {
    /// Seconds until engines send a part again.
    const SLOWEST: f64 = 1.0;
    /// The fewest seconds: a client acknowledges once a frame.
    const FASTEST: f64 = 0.25;
    /// Round trips after which a part or its acknowledgement is lost.
    const ROUND_TRIPS: f64 = 4.0;

    /// Of a connection whose round trip is unknown.
    pub(crate) fn new() -> Self {
        Resend { sent: f64::NEG_INFINITY, once: false, after: Self::SLOWEST }
    }

    /// The part to be sent now, if it has at most `most` bytes.
    pub(crate) fn due(&mut self, channel: &mut Channel, now: f64, most: usize) -> Option<Vec<u8>> {
        let again = channel.waiting;
        if again && now - self.sent < self.after {
            return None;
        }
        let part = if again { channel.repeat_part() } else { channel.next_part() }.filter(|part| part.len() <= most)?;
        (self.sent, self.once) = (now, !again);
        Some(part)
    }

    /// The part under way was acknowledged.
    pub(crate) fn acknowledged(&mut self, now: f64) {
        if self.once {
            self.after = (Self::ROUND_TRIPS * (now - self.sent)).clamp(Self::FASTEST, Self::SLOWEST);
        }
    }
}

/// One end of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Channel {
    /// Number of the part under way, and of the next one expected.
    send_sequence: u32,
    receive_sequence: u32,
    unreliable_sent: u32,
    unreliable_received: u32,
    queue: VecDeque<Vec<u8>>,
    /// How far the message at the front of the queue has been acknowledged.
    at: usize,
    waiting: bool,
    partial: Vec<u8>,
}

impl Channel {
    /// A new connection.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Queues a reliable message.
    pub(crate) fn queue(&mut self, message: &[u8]) {
        if !message.is_empty() {
            self.queue.push_back(message.to_vec());
        }
    }

    /// Bytes of reliable messages that are not acknowledged.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.iter().map(Vec::len).sum()
    }

    /// The next reliable part, unless one is under way.
    pub(crate) fn next_part(&mut self) -> Option<Vec<u8>> {
        if self.waiting {
            return None;
        }
        self.repeat_part()
    }

    /// The part under way once more: for when its acknowledgement is overdue.
    pub(crate) fn repeat_part(&mut self) -> Option<Vec<u8>> {
        let rest = &self.queue.front()?[self.at..];
        let part = &rest[..rest.len().min(LARGEST_PART)];
        let flags = if part.len() == rest.len() { DATA | LAST_PART } else { DATA };
        self.waiting = true;
        Some(datagram(flags, self.send_sequence, part))
    }

    /// The sequence number of the next unreliable message.
    pub(crate) fn next_unreliable(&self) -> u32 {
        self.unreliable_sent
    }

    /// An unreliable message.
    pub(crate) fn unreliable(&mut self, payload: &[u8]) -> Vec<u8> {
        let sequence = self.unreliable_sent;
        self.unreliable_sent += 1;
        datagram(UNRELIABLE, sequence, payload)
    }

    /// Takes a datagram. `answer` receives the acknowledgement to be sent, if one is due.
    pub(crate) fn receive(&mut self, bytes: &[u8], answer: &mut Option<Vec<u8>>) -> Arrived {
        *answer = None;
        let Some((&word, rest)) = bytes.split_first_chunk::<4>() else { return Arrived::Nothing };
        let Some((&sequence, payload)) = rest.split_first_chunk::<4>() else { return Arrived::Nothing };
        let (word, sequence) = (u32::from_be_bytes(word), u32::from_be_bytes(sequence));
        if word & CONTROL != 0 || (word & LENGTH) as usize != bytes.len() {
            return Arrived::Nothing;
        }
        match word & !LENGTH {
            UNRELIABLE if sequence >= self.unreliable_received => {
                self.unreliable_received = sequence.saturating_add(1);
                Arrived::Unreliable { sequence, payload: payload.to_vec() }
            }
            ACKNOWLEDGE if self.waiting && sequence == self.send_sequence => {
                self.waiting = false;
                self.send_sequence += 1;
                self.at += LARGEST_PART;
                if self.queue.front().is_some_and(|message| self.at >= message.len()) {
                    self.queue.pop_front();
                    self.at = 0;
                }
                Arrived::Acknowledged
            }
            flags if flags & DATA != 0 => {
                *answer = Some(datagram(ACKNOWLEDGE, sequence, &[]));
                if sequence != self.receive_sequence {
                    return Arrived::Part;
                }
                self.receive_sequence += 1;
                if self.partial.len() + payload.len() <= LARGEST_MESSAGE {
                    self.partial.extend_from_slice(payload);
                }
                if flags & LAST_PART == 0 { Arrived::Part } else { Arrived::Reliable(std::mem::take(&mut self.partial)) }
            }
            _ => Arrived::Nothing,
        }
    }
}

fn datagram(flags: u32, sequence: u32, payload: &[u8]) -> Vec<u8> {
    let length = payload.len() + 8;
    let mut out = Vec::with_capacity(length);
    out.extend_from_slice(&(flags | length as u32 & LENGTH).to_be_bytes());
    out.extend_from_slice(&sequence.to_be_bytes());
    out.extend_from_slice(payload);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_come_in_acknowledged_parts() {
        let (mut from, mut to) = (Channel::new(), Channel::new());
        let message: Vec<u8> = (0..3000u32).map(|at| at as u8).collect();
        from.queue(&message);
        let (mut parts, mut answer, mut got) = (0, None, Vec::new());
        while let Some(part) = from.next_part() {
            assert!(from.next_part().is_none());
            parts += 1;
            // Each part arrives twice, and both are acknowledged.
            if let Arrived::Reliable(whole) = to.receive(&part, &mut answer) {
                got.push(whole);
            }
            assert_eq!(to.receive(&part, &mut answer), Arrived::Part);
            assert_eq!(from.receive(&answer.take().unwrap(), &mut None), Arrived::Acknowledged);
        }
        assert_eq!((parts, got), (3, vec![message]));
        assert_eq!(from.waiting(), 0);
        assert_eq!(to.receive(&to.clone().unreliable(b"x"), &mut answer), Arrived::Unreliable { sequence: 0, payload: b"x".to_vec() });
    }

    #[test]
    fn wrong_lengths_and_duplicates_are_nothing() {
        let mut channel = Channel::new();
        let mut answer = None;
        assert_eq!(channel.receive(&[0, 0x10, 0, 9, 0, 0, 0, 0], &mut answer), Arrived::Nothing);
        assert_eq!(channel.receive(&[0, 0x10, 0, 9, 0, 0, 0, 3, 1], &mut answer), Arrived::Unreliable { sequence: 3, payload: vec![1] });
        assert_eq!(channel.receive(&[0, 0x10, 0, 9, 0, 0, 0, 3, 1], &mut answer), Arrived::Nothing);
        assert_eq!(channel.receive(&[0, 0x02, 0, 8, 0, 0, 0, 0], &mut answer), Arrived::Nothing);
        assert_eq!(answer, None);
    }

    /// Engines wait a second. What is known of the round trip makes that shorter, and a part that was sent twice says nothing of it.
    #[test]
    fn a_part_is_sent_again_when_its_acknowledgement_is_overdue() {
        let (mut from, mut to, mut resend) = (Channel::new(), Channel::new(), Resend::new());
        let acknowledge = |from: &mut Channel, to: &mut Channel, part: &[u8]| {
            let (mut answer, mut nothing) = (None, None);
            to.receive(part, &mut answer);
            assert_eq!(from.receive(&answer.unwrap(), &mut nothing), Arrived::Acknowledged);
        };
        (0..3).for_each(|number| from.queue(&[number]));
        assert_eq!(resend.due(&mut from, 0.0, 8), None, "too long");
        let first = resend.due(&mut from, 0.0, 9).unwrap();
        assert_eq!(resend.due(&mut from, 0.9, 9), None);
        assert_eq!(resend.due(&mut from, 1.0, 9).as_ref(), Some(&first));
        acknowledge(&mut from, &mut to, &first);
        resend.acknowledged(1.01);
        let second = resend.due(&mut from, 1.1, 9).unwrap();
        assert_eq!(resend.due(&mut from, 2.0, 9), None, "the round trip is unknown");
        acknowledge(&mut from, &mut to, &second);
        resend.acknowledged(1.2);
        let third = resend.due(&mut from, 2.0, 9).unwrap();
        assert_eq!(resend.due(&mut from, 2.3, 9), None);
        assert_eq!(resend.due(&mut from, 2.5, 9), Some(third));
    }
}
