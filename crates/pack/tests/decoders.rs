//! The other decoder: Python, written from `docs/formats/pack.md`.

use std::path::Path;
use std::process::Command;

use fragreel_pack::archive::{Member, Writer, pack_group};
use fragreel_pack::{Method, head, pack};
use fragreel_testkit::{Random, skipped};

fn decode(python: &str, file: &Path, member: Option<&str>) -> Vec<u8> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/decoder.py");
    let ran = Command::new(python).arg(script).arg(file).args(member).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    ran.stdout
}

/// Text, what repeats, and noise.
fn bytes() -> Vec<u8> {
    let mut random = Random::new(29);
    let noise = std::iter::repeat_with(|| random.number() as u8).take(200);
    let text = include_bytes!("../README.md");
    text.iter().chain(&[7; 3000]).copied().chain(noise).chain(text.iter().copied()).collect()
}

#[test]
fn a_second_decoder_gives_the_same_bytes() {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|ran| ran.status.success());
    let Some(python) = ["python3", "python"].into_iter().find(is_there) else {
        skipped("the second decoder of packed recordings needs Python");
        return;
    };
    let path = std::env::temp_dir().join(format!("fragreel-decoders-{}", std::process::id()));
    let bytes = bytes();
    let packed = pack(&bytes, "x");
    assert_eq!(head(&packed).unwrap().method, Method::Bytes);
    let stored = pack(b"\x01\x93\xf0", "x");
    assert_eq!(head(&stored).unwrap().method, Method::Stored);
    let mut writer = Writer::default();
    let mut archive = Writer::beginning();
    archive.extend(writer.group(pack_group(&[Member { name: "d/one", bytes: &bytes[..2000] }, Member { name: "d/two", bytes: &bytes[1000..2500] }])));
    archive.extend(writer.end());
    for (file, member, original) in [
        (&packed, None, &bytes[..]),
        (&stored, None, b"\x01\x93\xf0"),
        (&archive, Some("d/one"), &bytes[..2000]),
        (&archive, Some("d/two"), &bytes[1000..2500]),
    ] {
        std::fs::write(&path, file).unwrap();
        assert!(decode(python, &path, member) == original, "{member:?}");
    }
    let _ = std::fs::remove_file(&path);
}
