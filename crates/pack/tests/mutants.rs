//! Mutants of recordings and of their packed files.

use fragreel_pack::{Limits, Method, Preset, head, pack_with, unpack};
use fragreel_testkit::{Random, samples};
use sha2::{Digest, Sha256};

use crate::file::{Beginning, block_of, write_head};
use crate::known::How;

/// How many mutants each recording has.
const MUTANTS: usize = 256;
/// Bytes of a recording that are taken: signon, frames, and a cut.
const TAKEN: usize = 9000;

const RECORDINGS: [&str; 10] = [
    "quake2/aq2_match.mvd2",
    "quake2/mvd_base_ext2013.mvd2",
    "quake2/q2p_mvd_multi.mvd2",
    "quake2/synth_relay_lmpc.rla",
    "quake2/q2pmulti_Alice.dm2",
    "quake3/dm_bots.dm_71",
    "quake1/match_e1m1.mvd",
    "quake1/netquake15_deltas_dm3.dem",
    "quake1/quakeworld_deltas_e1m1.qwd",
    "goldsrc/net-45.dem",
];

fn recording(name: &str) -> Vec<u8> {
    let family = name.split('/').next().unwrap_or_default();
    samples(family).into_iter().find(|sample| sample.name == name).unwrap_or_else(|| panic!("there is no sample {name}")).bytes()
}

/// A few other bytes, some missing, some twice.
fn mutant(of: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = of.to_vec();
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len());
        let to = (at + 1 + random.below(40)).min(bytes.len());
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.number() as u8,
            2 if bytes.len() > 100 => drop(bytes.drain(at..to)),
            _ => {
                let again = bytes[at..to].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
    bytes
}

#[test]
fn mutants_of_recordings_come_back() {
    for name in RECORDINGS {
        let bytes = recording(name);
        let (mut random, mut by_fields) = (Random::new(29), 0);
        for _ in 0..MUTANTS {
            let mutant = mutant(&bytes[..bytes.len().min(TAKEN)], &mut random);
            let packed = pack_with(&mutant, name, Preset::Quick);
            by_fields += usize::from(head(&packed).unwrap().method.family().is_some());
            assert!(unpack(&packed, &Limits::default()).is_ok_and(|unpacked| unpacked.bytes == mutant), "a mutant of {name} did not come back");
        }
        assert!(by_fields > MUTANTS / 2, "{name}: only {by_fields} mutants have the model of fields");
    }
}

/// A block whose check is right and whose bytes are others is another recording, or damaged.
#[test]
fn mutants_of_packed_files_end() {
    for (name, preset, mutants) in RECORDINGS.into_iter().flat_map(|name| [(name, Preset::Quick, MUTANTS), (name, Preset::Small, MUTANTS / 4)]) {
        let bytes = recording(name);
        let bytes = &bytes[..bytes.len().min(TAKEN)];
        let packed = pack_with(bytes, name, preset);
        let unpacked = unpack(&packed, &Limits::default()).unwrap();
        let before = write_head(unpacked.head.method, unpacked.head.preset, bytes, name);
        let block = block_in(&packed[before.len()..]);
        let mut whole = before.clone();
        block_of(bytes.len(), block, &mut whole);
        assert!(whole == packed, "{name}: the file has one block");
        let mut random = Random::new(31);
        for _ in 0..mutants {
            let mut packed = before.clone();
            let mutant = mutant(block, &mut random);
            block_of(bytes.len(), &mutant, &mut packed);
            let mut given = 0;
            let read = fragreel_pack::unpack_to(&packed, &Limits::default(), &mut |block| {
                given += block.len();
                true
            });
            assert!(given <= bytes.len() && (read.is_ok() || mutant != block), "{name}: {given} bytes came out");
        }
    }
}

/// The packed bytes of the only block of a file.
fn block_in(mut rest: &[u8]) -> &[u8] {
    for _ in 0..2 {
        let length = rest.iter().take_while(|&&byte| byte >= 0x80).count() + 1;
        rest = &rest[length..];
    }
    &rest[4..]
}

/// Files that the first rules packed are read as ever, and have the bytes that they had.
#[test]
fn the_first_rules_stay() {
    let name = "q2pmulti_Alice.dm2";
    let bytes = recording("quake2/q2pmulti_Alice.dm2");
    let method = Method::Quake2(Beginning { protocol: 34, kind: 1, variant: 0 });
    let pack = |method| crate::quake2::pack_blocks(&bytes, method, name, How { preset: Preset::FormerSmall, known: None }).unwrap().bytes;
    let packed = pack(method);
    assert_eq!(Sha256::digest(&packed)[..4], [0x91, 0xc3, 0xd9, 0xad]);
    assert!(unpack(&packed, &Limits::default()).unwrap().bytes == bytes);
    assert!(head(&packed).unwrap().method == method);
}
