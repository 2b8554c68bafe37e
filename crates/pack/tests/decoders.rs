//! The other decoder: Python, written from `docs/formats/pack.md`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use fragreel_base::wire::{ReadBytes, Wire};
use fragreel_pack::archive::{Member, Writer, pack_group_with};
use fragreel_pack::{Method, Preset, head, pack};
use fragreel_quake1::unstable::dialect::{Dialect, Stream};
use fragreel_quake1::unstable::message::{MessageKind, code};
use fragreel_testkit::{Random, samples, skipped};

use crate::general::General;
use crate::known::How;

const NETQUAKE: Method = Method::Quake1(0);

/// The decoder with its own folder, whose files it is given.
struct Decoder {
    python: &'static str,
    folder: PathBuf,
}

impl Decoder {
    /// `None` where Python is missing.
    fn new(name: &str) -> Option<Self> {
        let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|ran| ran.status.success());
        let Some(python) = ["python3", "python"].into_iter().find(is_there) else {
            skipped("the second decoder of packed recordings needs Python");
            return None;
        };
        let folder = std::env::temp_dir().join(format!("fragreel-decoder-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Some(Decoder { python, folder })
    }

    /// Checks that each file gives its original, two at a time.
    fn gives(&self, files: &[(&[u8], Option<&str>, &[u8])]) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/decoder");
        for files in files.chunks(2) {
            let started = files.iter().enumerate().map(|(at, (file, member, _))| {
                let path = self.folder.join(at.to_string());
                std::fs::write(&path, file).unwrap();
                Command::new(self.python).arg("-B").arg(script).arg(path).args(*member).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            });
            for (child, (_, member, original)) in started.collect::<Vec<_>>().into_iter().zip(files) {
                let ran = child.wait_with_output().unwrap();
                assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
                assert!(ran.stdout == *original, "{member:?}");
            }
        }
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Text, what repeats, and noise.
fn bytes() -> Vec<u8> {
    let mut random = Random::new(29);
    let noise = std::iter::repeat_with(|| random.number() as u8).take(200);
    let text = include_bytes!("../README.md");
    text.iter().chain(&[7; 1200]).copied().chain(noise).chain(text.iter().copied()).collect()
}

fn archive(members: &[Member<'_>], preset: Preset) -> Vec<u8> {
    let group = pack_group_with(members, preset);
    assert_eq!(group.entries().iter().filter(|entry| entry.begins_group).count(), 1, "they share what is learned");
    let mut writer = Writer::default();
    let mut archive = Writer::beginning();
    archive.extend(writer.group(group));
    archive.extend(writer.end());
    archive
}

#[test]
fn a_second_decoder_gives_the_same_bytes() {
    let Some(decoder) = Decoder::new("bytes") else { return };
    let bytes = bytes();
    let by = |preset, bytes: &[u8]| {
        let packed = crate::pack_as(Method::Bytes, &mut General { bytes }, bytes, "x", How { preset, known: None }).unwrap().bytes;
        assert_eq!((head(&packed).unwrap().method, head(&packed).unwrap().preset), (Method::Bytes, preset));
        packed
    };
    let (small, former, deep) = (by(Preset::Small, &bytes), by(Preset::FormerQuick, &bytes[..1000]), by(Preset::Deep, &bytes));
    let (quick, former_small) = (by(Preset::Quick, &bytes), by(Preset::FormerSmall, &bytes));
    assert!(pack(&bytes, "x") == deep);
    let stored = pack(b"\x01\x93\xf0", "x");
    assert_eq!(head(&stored).unwrap().method, Method::Stored);
    let members = [Member { name: "d/one", bytes: &bytes[..1200] }, Member { name: "d/two", bytes: &bytes[600..2000] }];
    let [archive, quick_archive, former_archive] = [Preset::Small, Preset::Quick, Preset::FormerSmall].map(|preset| archive(&members, preset));
    decoder.gives(&[
        (&small, None, &bytes),
        (&former_small, None, &bytes),
        (&former_archive, Some("d/two"), &bytes[600..2000]),
        (&former, None, &bytes[..1000]),
        (&quick, None, &bytes),
        (&deep, None, &bytes),
        (&stored, None, b"\x01\x93\xf0"),
        (&archive, Some("d/one"), &bytes[..1200]),
        (&archive, Some("d/two"), &bytes[600..2000]),
        (&quick_archive, Some("d/two"), &bytes[600..2000]),
    ]);
}

#[test]
fn a_second_decoder_gives_recordings_of_netquake() {
    let Some(decoder) = Decoder::new("recordings") else { return };
    let sample = |name: &str| samples("quake1").into_iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
    let (first, second) = (sample("netquake666_deltas_e1m1.dem"), sample("netquake15_deltas_dm3.dem"));
    let (first, one, two) = (&first[..first.len() / 4], &second[..750], &second[..2000]);
    let [packed, former] = [Preset::Small, Preset::FormerSmall].map(|preset| {
        let packed = crate::families::pack(first, "x.dem", How { preset, known: None }).unwrap().bytes;
        assert_eq!((head(&packed).unwrap().method, head(&packed).unwrap().preset), (NETQUAKE, preset));
        packed
    });
    // a recording that breaks off, and then more of it, with what that taught
    let members = [Member { name: "one.dem", bytes: one }, Member { name: "two.dem", bytes: two }];
    let [archive, quick_archive] = [Preset::Small, Preset::Quick].map(|preset| archive(&members, preset));
    decoder.gives(&[(&packed, None, first), (&former, None, first), (&archive, Some("two.dem"), two), (&quick_archive, Some("two.dem"), two)]);
}

/// A recording of one message of each number, in several dialects, whose fields have any values.
fn every_message() -> Vec<u8> {
    type Extensions = &'static [(&'static [u8; 4], u32)];
    const STATED: [(u32, Extensions, Option<u32>); 6] = [
        (15, &[], None),
        (666, &[(b"FTE2", 0x28)], None),
        (666, &[(b"FTEX", 0x8028_110a), (b"FTE2", 0x4e8), (b"MVD1", 3)], None),
        (999, &[], Some(0x12)),
        (10_001, &[], None),
        (250, &[], None),
    ];
    let mut random = Random::new(31);
    let mut file = b"-1\n".to_vec();
    let mut block = |data: &[u8]| {
        file.extend((data.len() as u32).to_le_bytes());
        file.extend([0; 12]);
        file.extend_from_slice(data);
    };
    let mut d = Dialect::new(Stream::NetQuake);
    for (protocol, extensions, flags) in STATED {
        let pairs = extensions.iter().flat_map(|(key, value)| [u32::from_le_bytes(**key), *value]);
        let version: Vec<u8> = pairs.chain([protocol]).chain(flags).flat_map(u32::to_le_bytes).collect();
        let version = [&[4], &version[..]].concat();
        let mut message = MessageKind::Nop.empty();
        code(&mut ReadBytes::new(&version), &d, &mut message).unwrap();
        message.apply_to_dialect(&mut d);
        block(&version);
        // 4 and 11 state another dialect, 46 to 49 and 51 the re-release's
        for number in (0..128).chain((128..=255).step_by(14)).filter(|number| !matches!(number, 4 | 11)) {
            if d.message(number) == MessageKind::Unknown {
                continue;
            }
            let read = (0..1000).find_map(|_| {
                let data = std::iter::repeat_with(|| if random.below(4) == 0 { 0 } else { random.number() as u8 });
                let data: Vec<u8> = std::iter::once(number).chain(data.take(60)).collect();
                let mut reader = ReadBytes::new(&data);
                code(&mut reader, &d, &mut message).ok().map(|()| data[..reader.position() as usize / 8].to_vec())
            });
            block(&read.unwrap_or_else(|| panic!("no message {number} of protocol {protocol} was found")));
            message.apply_to_dialect(&mut d);
        }
    }
    file
}

#[test]
fn a_second_decoder_knows_every_field_of_netquake() {
    let Some(decoder) = Decoder::new("messages") else { return };
    let bytes = every_message();
    let [packed, former, small] = [Preset::Quick, Preset::FormerQuick, Preset::Small].map(|preset| {
        let packed = crate::families::pack(&bytes, "x.dem", How { preset, known: None }).unwrap().bytes;
        assert_eq!(head(&packed).unwrap().method, NETQUAKE);
        packed
    });
    decoder.gives(&[(&packed, None, &bytes), (&former, None, &bytes), (&small, None, &bytes)]);
}
