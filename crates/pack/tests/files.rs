//! Packed files: what comes back, and what is refused.

use fragreel_pack::{Error, Limits, Preset, beginning, head, pack, pack_with, unpack, unpack_to};
use fragreel_testkit::{Random, Sample, corpus, samples, two_at_a_time};

use crate::arithmetic::{Packing, Unpacking};
use crate::known::{How, Known};

const FAMILIES: [&str; 4] = ["quake3", "quake2", "quake1", "goldsrc"];

/// What no head needs: 64 bytes and the name.
const MOST_HEAD: usize = 64;

fn comes_back(name: &str, bytes: &[u8]) -> Vec<u8> {
    let packed = pack(bytes, name);
    let unpacked = unpack(&packed, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(unpacked.bytes == bytes, "{name} did not come back");
    assert!(packed.len() <= bytes.len() + MOST_HEAD + name.len(), "{name}: {} bytes became {}", bytes.len(), packed.len());
    assert!(bytes.starts_with(&beginning(&packed[..packed.len().min(5000)], 4096)), "{name}: the beginning is another");
    packed
}

fn small(family: &str) -> impl Iterator<Item = Sample> {
    samples(family).into_iter().filter(|sample| sample.raw().len() < 200_000)
}

/// Files of former presets are read as ever, also in archives.
#[test]
fn former_presets_come_back() {
    for (family, preset) in FAMILIES.into_iter().flat_map(|family| [(family, Preset::FormerQuick), (family, Preset::FormerSmall)]) {
        let Some(sample) = small(family).min_by_key(|sample| sample.raw().len()) else { continue };
        let bytes = sample.bytes();
        let packed = pack_with(&bytes, &sample.name, preset);
        assert!(matches!(head(&packed).unwrap().preset, found if found == preset || preset == Preset::FormerSmall && found == Preset::Deep));
        assert!(unpack(&packed, &Limits::default()).unwrap().bytes == bytes, "{}", sample.name);
    }
}

#[test]
fn quick_is_named_in_the_file_and_comes_back() {
    for family in FAMILIES {
        let Some(sample) = small(family).min_by_key(|sample| sample.raw().len()) else { continue };
        let bytes = sample.bytes();
        let packed = pack_with(&bytes, &sample.name, Preset::Quick);
        let small = pack(&bytes, &sample.name);
        assert!(head(&packed).unwrap().preset == Preset::Quick && head(&small).unwrap().preset != Preset::Quick);
        assert!(unpack(&packed, &Limits::default()).unwrap().bytes == bytes, "{}", sample.name);
        assert!(packed.len() > small.len() && packed.len() < small.len() * 2, "{}: {} and {} bytes", sample.name, small.len(), packed.len());
        let mut other = packed.clone();
        other[5] ^= 0x80;
        assert!(unpack(&other, &Limits::default()).is_err());
    }
}

/// Recordings of Half-Life whose messages nobody knows have the larger model of bytes, alone and after others.
#[test]
fn unknown_messages_have_the_larger_model_of_bytes() {
    let sample = |name: &str| samples("goldsrc").into_iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
    let (unknown, known) = (sample("protocol-4-net-40.dem"), sample("net-45.dem"));
    let mut taught = Known::<Packing>::new(Preset::Small, 18);
    let alone = |bytes: &[u8]| crate::families::pack(bytes, "x.dem", How { preset: Preset::Small, known: None }).unwrap().bytes;
    let mut after = || crate::families::pack(&unknown, "x.dem", How { preset: Preset::Small, known: Some(&mut taught) }).unwrap().bytes;
    let packed = [alone(&unknown), alone(&known), after(), after()];
    let presets = packed.each_ref().map(|packed| head(packed).unwrap().preset);
    assert_eq!(presets, [Preset::Deep, Preset::Small, Preset::Deep, Preset::Deep]);
    assert!(packed[3].len() * 2 < packed[2].len(), "{} and {} bytes", packed[2].len(), packed[3].len());
    let mut learned = Known::<Unpacking>::new(Preset::Deep, 18);
    for packed in &packed[2..] {
        let mut out = Vec::new();
        crate::unpack_after(packed, &Limits::default(), Some(&mut learned), &mut |block| {
            out.extend_from_slice(block);
            true
        })
        .unwrap();
        assert!(out == unknown);
    }
    assert!(unpack(&packed[0], &Limits::default()).unwrap().bytes == unknown);
}

#[test]
fn the_smallest_samples_come_back() {
    samples_come_back(40_000);
}

#[test]
#[ignore = "nightly"]
fn all_samples_come_back() {
    samples_come_back(usize::MAX);
}

fn samples_come_back(most: usize) {
    for family in FAMILIES {
        two_at_a_time(&samples(family).into_iter().filter(|sample| sample.raw().len() < most).collect::<Vec<_>>(), |sample, bytes| {
            let packed = comes_back(&sample.name, bytes);
            assert_eq!(head(&packed).unwrap().length, bytes.len() as u64);
        });
    }
}

/// Packs the recordings of the corpus that are smaller than this.
fn corpus_comes_back(most: usize) {
    for family in FAMILIES {
        let files: Vec<Sample> = corpus(family).into_iter().filter(|sample| sample.raw().len() < most).collect();
        two_at_a_time(&files, |sample, bytes| {
            comes_back(&sample.name, bytes);
        });
    }
}

#[test]
fn the_smallest_of_the_corpus_come_back() {
    corpus_comes_back(12_000);
}

/// The whole corpus takes an hour of a slow build.
#[test]
#[ignore = "nightly"]
fn more_of_the_corpus_comes_back() {
    corpus_comes_back(100_000);
}

#[test]
fn damaged_recordings_come_back() {
    let mut random = Random::new(11);
    for family in FAMILIES {
        let Some(sample) = small(family).min_by_key(|sample| sample.raw().len()) else { continue };
        let bytes = sample.bytes();
        for _ in 0..2 {
            let mut broken = bytes.clone();
            for _ in 0..1 + random.below(20) {
                let at = random.below(broken.len());
                broken[at] = random.number() as u8;
            }
            broken.truncate(1 + random.below(broken.len()));
            comes_back(&sample.name, &broken);
        }
    }
}

#[test]
fn what_is_no_recording_is_hardly_larger() {
    let mut random = Random::new(5);
    let noise: Vec<u8> = std::iter::repeat_with(|| random.number() as u8).take(3000).collect();
    let packed = comes_back("noise", &noise);
    assert!(packed.len() > 3000);
    comes_back("", &[]);
    comes_back("one", b"x");
    assert!(comes_back("zeros", &[0; 100_000]).len() < 200);
}

#[test]
fn a_flipped_bit_is_noticed() {
    for family in FAMILIES {
        let Some(sample) = small(family).min_by_key(|sample| sample.raw().len()) else { continue };
        let packed = pack(&sample.bytes(), "x");
        let original = unpack(&packed, &Limits::default()).unwrap();
        let mut random = Random::new(7);
        for _ in 0..5 {
            let bit = random.below(packed.len() * 8);
            let mut broken = packed.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            match unpack(&broken, &Limits::default()) {
                Err(_) => {}
                // the name, or a protocol that is read alike: nothing depends on it
                Ok(unpacked) => assert!(unpacked.head != original.head && unpacked.bytes == original.bytes, "{}: bit {bit}", sample.name),
            }
        }
    }
}

#[test]
fn truncated_files_end_in_an_error() {
    for family in FAMILIES {
        let Some(sample) = small(family).min_by_key(|sample| sample.raw().len()) else { continue };
        let packed = pack(&sample.bytes(), &sample.name);
        let mut random = Random::new(9);
        let cuts = (0..packed.len().min(120)).chain((0..8).map(|_| random.below(packed.len())));
        for cut in cuts {
            let error = unpack(&packed[..cut], &Limits::default()).unwrap_err();
            assert!(matches!(error, Error::Truncated | Error::NotPacked), "{}: cut at {cut}: {error}", sample.name);
        }
        let more = [&packed[..], b"x"].concat();
        assert!(unpack(&more, &Limits::default()).is_err(), "what follows the last block is noticed");
    }
}

#[test]
fn blocks_before_damage_are_given() {
    let mut random = Random::new(13);
    let bytes: Vec<u8> = std::iter::repeat_with(|| b'a' + random.below(4) as u8).take(1_100_000).collect();
    let packed = pack_with(&bytes, "long", Preset::Quick);
    let mut out = Vec::new();
    let result = unpack_to(&packed[..packed.len() - 1], &Limits::default(), &mut |block| {
        out.extend_from_slice(block);
        true
    });
    assert_eq!(result, Err(Error::Truncated));
    assert!(out.len() >= 1 << 20 && bytes.starts_with(&out), "{} bytes came before the damage", out.len());
}

#[test]
fn an_original_that_is_too_large_is_refused_before_anything_is_unpacked() {
    let packed = pack(&[0; 100_000], "zeros");
    let limits = Limits { bytes: 99_999, ..Limits::default() };
    assert_eq!(unpack(&packed, &limits), Err(Error::TooLarge(100_000)));
    let limits = Limits { free: 1000, ratio: 2, ..Limits::default() };
    assert_eq!(unpack(&packed, &limits), Err(Error::TooLarge(100_000)));
}

/// Every cut leaves a beginning of the original, and nearly all that the bytes before the cut say.
#[test]
fn a_truncated_file_gives_what_comes_before() {
    for family in FAMILIES {
        let Some(sample) = small(family).min_by_key(|sample| sample.raw().len()) else { continue };
        let bytes = sample.bytes();
        for name in [&sample.name[..], "x"] {
            let bytes = if name == "x" { &bytes[..bytes.len().min(6000)] } else { &bytes[..] };
            let packed = pack(bytes, name);
            let mut random = Random::new(15);
            for cut in (0..4).map(|_| random.below(packed.len())).chain([packed.len() - 1]) {
                let mut out = Vec::new();
                let result = unpack_to(&packed[..cut], &Limits::default(), &mut |block| {
                    out.extend_from_slice(block);
                    true
                });
                assert!(result.is_err() && bytes.starts_with(&out), "{}: cut at {cut}", sample.name);
                assert!(cut < packed.len() - 1 || out.len() * 4 > bytes.len() * 3, "{}: {} of {} bytes", sample.name, out.len(), bytes.len());
            }
        }
    }
}

include!("known.rs");

/// Another version of the model needs another number, so that packed files stay readable.
#[test]
fn the_model_is_the_one_that_its_version_names() {
    model_is_known([Preset::Small, Preset::FormerSmall].into_iter());
}

#[test]
#[ignore = "nightly"]
fn every_preset_has_the_model_that_its_version_names() {
    model_is_known(PRESETS.into_iter());
}

fn model_is_known(presets: impl Iterator<Item = Preset> + Clone) {
    use sha2::{Digest, Sha256};
    let sum = |packed: &[u8]| <[u8; 4]>::try_from(&Sha256::digest(packed)[..4]).unwrap();
    let samples = KNOWN.map(|(family, name, _)| {
        let Some(sample) = samples(family).into_iter().find(|sample| sample.name == format!("{family}/{name}")) else { panic!("there is no sample {name}") };
        sample.bytes()
    });
    let mut changed = Vec::new();
    for ((family, name, known), bytes) in KNOWN.into_iter().zip(&samples) {
        for (preset, known) in presets.clone().zip(known) {
            let found = sum(&pack_with(bytes, name, preset));
            if found != known {
                changed.push(format!("{family}/{name}, {preset:?}: {found:02x?}"));
            }
        }
    }
    let samples = samples.each_ref().map(Vec::as_slice);
    let archives = [PRESETS[0], PRESETS[1]].map(|preset| sum(&archive_of(&samples, preset)));
    assert!(
        changed.is_empty() && archives == KNOWN_ARCHIVES,
        "the model changed: give it another version, and keep the one before: {changed:#?}, {archives:02x?}"
    );
}
