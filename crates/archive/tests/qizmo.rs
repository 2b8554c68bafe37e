//! Recordings that Qizmo packed, beside what they were.

use std::io::Cursor;
use std::path::PathBuf;

use fragreel_archive::{Error, Kind, Limits, extract, kind, list};

fn unpacked(bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, Error> {
    extract(Kind::Qizmo, "x.qwz", Cursor::new(bytes), "x.qwd", limits)
}

/// Files that people shared, each with the recording that another decoder made of it.
fn pairs() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let decoded = fragreel_testkit::corpus("quake1");
    let Some(folder) = decoded.first().and_then(|sample| Some(sample.path.ancestors().nth(3)?.join("recordings-2026-11/qizmo"))) else { return Vec::new() };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let pair = |path: PathBuf| {
        let stem = path.file_stem()?.to_str()?.to_owned();
        let other = decoded.iter().find(|sample| sample.name.contains(&format!("{stem}.")) && sample.name.contains(".qwd"))?;
        Some((stem, std::fs::read(path).ok()?, other.bytes()))
    };
    files.filter_map(pair).collect()
}

#[test]
fn shared_recordings_come_out_as_they_were() {
    let pairs = pairs();
    if pairs.is_empty() {
        fragreel_testkit::skipped("shared recordings that Qizmo packed: they are not there");
    }
    for (name, packed, wanted) in pairs {
        assert_eq!(kind(&format!("{name}.qwz"), &packed), Some(Kind::Qizmo));
        let listed = list(Kind::Qizmo, &format!("a/{name}.QWZ"), Cursor::new(&packed), &Limits::default(), &mut |_| true).unwrap();
        assert_eq!(listed.names, [format!("{name}.qwd")]);
        let bytes = unpacked(&packed, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let same = bytes.iter().zip(&wanted).take_while(|(one, other)| one == other).count();
        assert!(bytes == wanted, "{name}: the first {same} of {} bytes are equal, {} came", wanted.len(), bytes.len());
    }
}

/// Whatever is changed or cut off: an error or some recording, never more than is allowed.
#[test]
fn damaged_ones_end() {
    let limits = Limits { member: 4 << 20, base: 1 << 20, ratio: 20, members: 1 };
    let mut state = 7_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u8
    };
    let tried = |bytes: &[u8]| match unpacked(bytes, &limits) {
        Ok(bytes) => assert!(bytes.len() <= 4 << 20),
        Err(Error::Damaged(_) | Error::Bomb(_)) => {}
        Err(error) => panic!("{error}"),
    };
    for length in (0..60).chain([500, 5000]) {
        for _ in 0..8 {
            tried(&(0..length).map(|_| random()).collect::<Vec<_>>());
        }
        tried(&vec![0; length]);
        tried(&vec![0xff; length]);
    }
    if let Some((_, packed, _)) = pairs().into_iter().min_by_key(|(_, packed, _)| packed.len()) {
        (0..packed.len()).step_by(97).for_each(|cut| tried(&packed[..cut]));
        for at in (0..packed.len()).step_by(61) {
            let mut changed = packed.clone();
            changed[at] ^= 1 << (at % 8);
            tried(&changed);
        }
    }
}
