//! Ways of spoiling a recording.

use std::cell::OnceCell;

use fragreel_testkit::{Random, Sample};

use crate::case::Case;
use crate::clean::Clean;

/// Numbers that lengths and counts are overwritten with.
const EXTREMES: [u32; 8] = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff, 0x0100_0000, 0x7f7f_7f7f];

/// A recording that was mutated once to three times.
pub fn mutated_case(number: u64, source: &Sample, other: &Sample, clean: &mut Clean, random: &mut Random) -> Case {
    let mut bytes = clean.bytes.clone();
    let times = 1 + usize::from(random.once_in(3)) + usize::from(random.once_in(6));
    let spliced = std::cell::Cell::new(false);
    let second = || {
        spliced.set(true);
        other.bytes()
    };
    let mutations = (0..times).map(|_| mutate(&mut bytes, second, |at| clean.message_at(at).map(|message| message.offset), random)).collect();
    let first = bytes.iter().zip(&clean.bytes).position(|(a, b)| a != b);
    let first = first.or((bytes.len() != clean.bytes.len()).then_some(bytes.len().min(clean.bytes.len())));
    let other = spliced.get().then(|| (other.name.clone(), other.bytes()));
    Case { number, name: source.name.clone(), mutations, bytes, first, other, whole: OnceCell::new() }
}

/// Does one thing to `bytes` and says what. `other`: a recording to splice with; `message_start`: where the message that holds a
/// byte has its framing.
pub fn mutate(bytes: &mut Vec<u8>, other: impl FnOnce() -> Vec<u8>, message_start: impl FnOnce(usize) -> Option<usize>, random: &mut Random) -> String {
    if bytes.is_empty() {
        bytes.push(random.number() as u8);
        return String::from("a byte in an empty file");
    }
    let at = random.below(bytes.len());
    match random.below(11) {
        0 => {
            let bit = random.below(8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at} flipped")
        }
        1 => {
            bytes[at] = random.number() as u8;
            format!("byte {at} overwritten")
        }
        2 => {
            let end = stretch(bytes, at, random);
            bytes.drain(at..end);
            format!("bytes {at}..{end} deleted")
        }
        3 => {
            let some: Vec<u8> = (0..1 + random.below(64)).map(|_| random.number() as u8).collect();
            let many = some.len();
            bytes.splice(at..at, some);
            format!("{many} bytes inserted at {at}")
        }
        4 => {
            let end = stretch(bytes, at, random);
            let doubled = bytes[at..end].to_vec();
            bytes.splice(end..end, doubled);
            format!("bytes {at}..{end} doubled")
        }
        5 => {
            let end = stretch(bytes, at, random);
            bytes[at..end].fill(0);
            format!("bytes {at}..{end} zeroed")
        }
        6 => {
            let other = other();
            let from = random.below(other.len().max(1));
            bytes.truncate(at);
            bytes.extend_from_slice(other.get(from..).unwrap_or_default());
            format!("bytes from {at} on replaced with those of another recording from {from} on")
        }
        7 => {
            let at = message_start(at).filter(|start| start + 16 <= bytes.len()).unwrap_or(at);
            extreme(bytes, at + random.below(9), random)
        }
        8 => extreme(bytes, at, random),
        9 => {
            bytes.truncate(at);
            format!("cut off at {at}")
        }
        _ => {
            let end = stretch(bytes, at, random);
            for byte in &mut bytes[at..end] {
                *byte = random.number() as u8;
            }
            format!("bytes {at}..{end} overwritten")
        }
    }
}

/// Where a stretch from `at` ends: mostly short, sometimes a good part of the file.
fn stretch(bytes: &[u8], at: usize, random: &mut Random) -> usize {
    let most = *random.choose(&[1, 4, 64, 2048, bytes.len() / 8]).unwrap_or(&1);
    (at + 1 + random.below(most.max(1))).min(bytes.len())
}

/// Overwrites one, two or four bytes with a number that lengths seldom are, in either order of bytes.
fn extreme(bytes: &mut [u8], at: usize, random: &mut Random) -> String {
    let width = *random.choose(&[1, 2, 4]).unwrap_or(&4);
    let number = *random.choose(&EXTREMES).unwrap_or(&0);
    let encoded = if random.once_in(4) { number.to_be_bytes() } else { number.to_le_bytes() };
    let end = (at + width).min(bytes.len());
    bytes[at.min(end)..end].copy_from_slice(&encoded[..end - at.min(end)]);
    format!("bytes {at}..{end} made part of {number:#x}")
}
