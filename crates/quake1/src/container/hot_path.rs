//! Reads whole framing at once.
//!
//! `code_framing` reads it a field at a time, checks the length before each, and says where it breaks off. This reads what is complete and
//! valid, and leaves everything else to it. A test compares the two.

use super::framing::{Container, Framing, Stamp, Target, UserCommand, kind};
use crate::message::Float;

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[inline(always)]
fn floats(bytes: &[u8], at: usize) -> [Float; 3] {
    [Float(word(bytes, at)), Float(word(bytes, at + 4)), Float(word(bytes, at + 8))]
}

#[inline(always)]
fn short(bytes: &[u8], at: usize) -> i16 {
    i16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// The framing at the start of `bytes`, its length, and that of the data. `None` leaves it to `code_framing`.
#[inline(always)]
pub(super) fn framing(bytes: &[u8], container: Container) -> Option<(Framing, usize, u32)> {
    match container {
        Container::NetQuake => {
            let head = bytes.first_chunk::<16>()?;
            Some((Framing::NetQuake { angles: floats(head, 4) }, head.len(), word(head, 0)))
        }
        Container::QuakeWorld => {
            let head = bytes.first_chunk::<5>()?;
            let (framing, length, data) = behind(Stamp::At(Float(word(head, 0))), head[4], 0, &bytes[head.len()..])?;
            Some((framing, head.len() + length, data))
        }
        Container::MultiView => {
            let head = bytes.first_chunk::<2>()?;
            let (kind, slot) = (head[1] & 7, head[1] >> 3);
            if kind == kind::COMMAND || kind == kind::SET {
                return None;
            }
            let (framing, length, data) = behind(Stamp::After(head[0]), kind, slot, &bytes[head.len()..])?;
            Some((framing, head.len() + length, data))
        }
    }
}

/// The longest framing of a packet of a multi-view recording.
pub(super) const PACKET_HEAD: usize = 10;

/// The same of a packet of a multi-view recording: its delay, its target, the framing's length, and that of the data.
#[inline(always)]
pub(super) fn packet(head: &[u8; PACKET_HEAD]) -> Option<(u8, Target, usize, usize)> {
    let (kind, slot) = (head[1] & 7, head[1] >> 3);
    let (players, length, data) = match kind {
        kind::MULTIPLE => (word(head, 2), word(head, 6), 10),
        kind::READ | kind::SINGLE..=kind::ALL => (0, word(head, 2), 6),
        _ => return None,
    };
    Some((head[0], Target { kind, slot, players }, data, length as usize))
}

/// What stands behind the time and the type.
#[inline(always)]
fn behind(time: Stamp, kind: u8, slot: u8, rest: &[u8]) -> Option<(Framing, usize, u32)> {
    let packet = |players| Framing::Packet { time, target: Target { kind, slot, players } };
    match (kind, time) {
        (kind::COMMAND, _) => {
            let body = rest.first_chunk::<36>()?;
            let command = UserCommand {
                msec: body[0],
                padding: [body[1], body[2], body[3]],
                angles: floats(body, 4),
                movement: [short(body, 16), short(body, 18), short(body, 20)],
                buttons: body[22],
                impulse: body[23],
            };
            Some((Framing::Command { time, command, angles: floats(body, 24) }, body.len(), 0))
        }
        (kind::SET, _) => {
            let body = rest.first_chunk::<8>()?;
            Some((Framing::Sequences { time, outgoing: word(body, 0), incoming: word(body, 4) }, body.len(), 0))
        }
        (kind::MULTIPLE, Stamp::After(_)) => {
            let body = rest.first_chunk::<8>()?;
            Some((packet(word(body, 0)), body.len(), word(body, 4)))
        }
        (kind::READ, _) | (kind::SINGLE..=kind::ALL, Stamp::After(_)) => {
            let body = rest.first_chunk::<4>()?;
            Some((packet(0), body.len(), word(body, 0)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::read::framing_read;

    /// What is read at once is what the coder reads, and it is read at once if it is whole.
    #[test]
    fn framing_read_at_once_is_what_the_coder_reads() {
        let mut random = fragreel_testkit::Random::new(11);
        for container in [Container::NetQuake, Container::QuakeWorld, Container::MultiView] {
            let mut whole = 0;
            for _ in 0..100_000 {
                let mut bytes: Vec<u8> = (0..random.number() as usize % 48).map(|_| random.number() as u8).collect();
                let at = if container == Container::QuakeWorld { 4 } else { 1 };
                if let Some(kind) = bytes.get_mut(at) {
                    *kind = if random.once_in(3) { *kind } else { *kind & 7 };
                }
                let (read, at_once) = (framing_read(&bytes, container).ok(), framing(&bytes, container));
                if let (Container::MultiView, Some(head)) = (container, bytes.first_chunk()) {
                    let expected = read.and_then(|(framing, at, length)| match framing {
                        Framing::Packet { time: Stamp::After(delay), target } => Some((delay, target, at, length as usize)),
                        _ => None,
                    });
                    assert_eq!(packet(head), expected, "{bytes:?}");
                }
                let rare = container == Container::MultiView && matches!(read, Some((Framing::Command { .. } | Framing::Sequences { .. }, ..)));
                assert_eq!(at_once, read.filter(|_| !rare), "{container:?} {bytes:?}");
                whole += u32::from(at_once.is_some());
            }
            assert!(whole > 1000, "{container:?}: {whole}");
        }
    }
}
