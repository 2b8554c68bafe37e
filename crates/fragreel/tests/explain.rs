//! `raw` of every field that `explain` shows holds the bits of the file.

use fragreel::Recording;
use fragreel::model::{Explained, Selection};
use fragreel_base::wire::{ReadHuffman, Wire as _};

/// The digits of the number whose lowest bit is bit `from` of `data`.
fn digits(data: &[u8], from: u64, to: u64) -> String {
    let bit = |at: u64| u32::from(data[(at / 8) as usize] >> (at % 8) & 1);
    let digit = |nibble: u64| (0..4).filter(|at| from + 4 * nibble + at < to).fold(0, |digit, at| digit | bit(from + 4 * nibble + at) << at);
    (0..(to - from).div_ceil(4)).rev().map(|nibble| char::from_digit(digit(nibble), 16).unwrap()).collect()
}

/// The same of a field that is coded, at which `reader` stands: from protocol 66 on, a value of Quake III has the bits beyond whole bytes first, and then
/// a code for each byte. The digits do not show how wide its values are, so all widths are tried that fields have.
fn decoded(reader: &ReadHuffman, to: u64, raw: &str) -> bool {
    let pieces = |widths: &[u32]| {
        let mut reader = reader.clone();
        let mut bits = Vec::new();
        for &width in widths {
            let Ok(value) = reader.bits(0, width) else { return false };
            bits.extend((0..width).map(|at| value >> at & 1));
        }
        let digit = |nibble: &[u32]| char::from_digit(nibble.iter().rev().fold(0, |digit, bit| digit << 1 | bit), 16);
        reader.position() == to && bits.chunks(4).rev().filter_map(digit).collect::<String>() == raw
    };
    let most = raw.len() as u32 * 4;
    (most.saturating_sub(3)..=most).rev().filter(|count| *count > 0).any(|count| {
        let flags = |flags: u32| count.checked_sub(flags).filter(|rest| *rest <= 32);
        let bytes = count % 8 == 0 && pieces(&vec![8; count as usize / 8]);
        bytes || (0..=2).filter_map(flags).any(|rest| pieces(&[vec![1; (count - rest) as usize], vec![rest]].concat())) || pieces(&vec![1; count as usize])
    })
}

fn check(message: &Explained, data: &[u8], coded: bool, name: &str) {
    let mut reader = ReadHuffman::new(data);
    for part in &message.parts {
        let (from, to) = (part.from_bit, part.to_bit);
        // What follows a message is not coded.
        let same = if coded && part.field != "behind the end" {
            // Codes begin at any bit, and single bits have none.
            (reader.position()..from).for_each(|_| drop(reader.bits(0, 1)));
            decoded(&reader, to, &part.raw)
        } else {
            part.raw == digits(data, from, to)
        };
        assert!(same, "{name}: message {}: {part:?}", message.message);
    }
}

#[test]
fn raw_has_the_bits_of_the_file() {
    const MOST: usize = 300_000;
    let mut fields = 0;
    for family in super::FAMILIES {
        for sample in super::small(family) {
            let mut bytes = sample.bytes();
            bytes.truncate(MOST);
            let Ok(recording) = Recording::open(bytes, &sample.name) else { continue };
            let coded = family == "quake3" && recording.info().dialect.parse::<u32>().is_ok_and(|protocol| protocol >= 66);
            for message in recording.explain(Selection::All) {
                let data = &recording.bytes()[message.data_offset as usize..][..message.length as usize];
                check(&message, data, coded, &sample.name);
                fields += message.parts.len();
            }
        }
    }
    assert!(fields > 100_000, "{fields}");
}
