//! Whether a place looks like the start of a block.

use super::framing::{Container, Framing, Stamp, kind};
use super::read::frame;
use crate::message::Float;

/// Blocks in a row that have to make sense where they are looked for.
pub(crate) const IN_A_ROW: usize = 6;
/// Engines write no longer messages.
pub(crate) const LONGEST_LIKELY: usize = 1 << 16;

/// The length of the [`plausible`] block that starts here, if there is one, from the few bytes that decide it.
/// Every place behind damage is looked at, and in foreign bytes many are zeros, which begin a command each: 0.9 MB of them take a
/// quarter of the time that reading takes.
pub(crate) fn plausible_length(bytes: &[u8], container: Container, limit: usize) -> Option<usize> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    let sane = |at: usize| (0..3).all(|axis| word(at + 4 * axis).is_some_and(|word| is_sane(Float(word))));
    let fixed = |length: usize| (bytes.len() >= length).then_some(length);
    let packet = |at: usize, head: usize| {
        let length = word(at)? as usize;
        fixed(head + length).filter(|_| (1..=LONGEST_LIKELY.min(limit)).contains(&length))
    };
    // where the fields behind time and type begin
    let (at, byte) = match container {
        Container::NetQuake => return packet(0, 4 + 12).filter(|_| sane(4)),
        Container::QuakeWorld => (5, *bytes.get(4)?),
        Container::MultiView => (2, *bytes.get(1)?),
    };
    if container == Container::QuakeWorld && !is_likely_time(Float(word(0)?)) {
        return None;
    }
    match (byte & 7, byte >> 3, container) {
        (kind::COMMAND, 0, _) => fixed(at + 36).filter(|_| sane(at + 4) && sane(at + 24)),
        (kind::SET, 0, _) => fixed(at + 8),
        (kind::READ, 0, _) | (kind::ALL, 0, Container::MultiView) | (kind::SINGLE | kind::STATS, _, Container::MultiView) => packet(at, at + 4),
        (kind::MULTIPLE, 0, Container::MultiView) => packet(at + 4, at + 8),
        _ => None,
    }
}

/// The same by reading, which [`plausible_length`] is held against.
pub(crate) fn plausible_length_read(bytes: &[u8], container: Container, limit: usize) -> Option<usize> {
    let (framing, head, length) = frame(bytes, container, limit).ok()?;
    bytes.get(head..head + length).filter(|data| plausible(&framing, data)).map(|_| head + length)
}

/// Whether framing looks like an engine's and not like chance.
pub(crate) fn plausible(framing: &Framing, data: &[u8]) -> bool {
    let sane = |floats: &[Float; 3]| floats.iter().all(|&float| is_sane(float));
    match framing {
        Framing::NetQuake { angles } => sane(angles) && !data.is_empty() && data.len() <= LONGEST_LIKELY,
        Framing::Command { time, command, angles } => sane_time(*time) && sane(angles) && sane(&command.angles),
        Framing::Packet { time, target } => {
            let slot = target.kind == kind::SINGLE || target.kind == kind::STATS || target.slot == 0;
            sane_time(*time) && slot && !data.is_empty() && data.len() <= LONGEST_LIKELY
        }
        Framing::Sequences { time, .. } => sane_time(*time),
    }
}

fn is_sane(float: Float) -> bool {
    float.value().is_finite() && float.value().abs() < 100_000.0
}

fn sane_time(time: Stamp) -> bool {
    match time {
        Stamp::At(seconds) => is_likely_time(seconds),
        Stamp::After(_) => true,
    }
}

/// Whether a recording may begin with a block of that time, so that it is recognized.
pub(crate) fn is_likely_time(seconds: Float) -> bool {
    (0.0..10_000_000.0).contains(&seconds.value()) && (seconds.0 == 0 || seconds.value() > 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where blocks are looked for, the short look says of every place what reading says.
    #[test]
    fn the_short_look_says_what_reading_says() {
        let mut random = fragreel_testkit::Random::new(7);
        for container in [Container::NetQuake, Container::QuakeWorld, Container::MultiView] {
            let mut sensible = 0;
            for _ in 0..200_000 {
                // mostly small numbers, as blocks have
                let bytes: Vec<u8> = (0..80).map(|_| if random.once_in(3) { random.number() as u8 & 7 } else { 0 }).collect();
                let read = plausible_length_read(&bytes, container, 1 << 20);
                sensible += u32::from(read.is_some());
                assert_eq!(plausible_length(&bytes, container, 1 << 20), read, "{container:?} {bytes:?}");
            }
            assert!(sensible > 100, "{container:?}: {sensible}");
        }
    }
}
