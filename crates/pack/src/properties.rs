//! What holds for any bytes. Fuzz targets and tests call these.

use std::io::Cursor;

use crate::archive::{Archive, Member, Writer, pack_group};
use crate::file::{block_of, write_head};
use crate::{Limits, Method, Preset, pack, pack_with, unpack};

/// Names whose extensions lead to different families.
const NAMES: [&str; 7] = ["", "x.dm_68", "x.dm2", "x.dem", "x.mvd", "x.qwd", "x.mvd2"];

/// Any bytes come back, and are hardly larger when packed. The first byte chooses a name.
///
/// # Panics
/// When they do not.
pub fn round_trip(bytes: &[u8]) {
    let Some((&name, bytes)) = bytes.split_first() else { return };
    let name = NAMES[usize::from(name) % NAMES.len()];
    let packed = pack(bytes, name);
    assert!(packed.len() <= bytes.len() + 64 + name.len(), "{} bytes became {}", bytes.len(), packed.len());
    for packed in [packed, pack_with(bytes, name, Preset::Quick)] {
        let unpacked = unpack(&packed, &Limits::default());
        assert!(unpacked.is_ok_and(|unpacked| unpacked.bytes == bytes), "what was packed came back");
    }
}

/// Whatever a packed file holds, unpacking ends, and gives no more than it states. The first byte chooses the method, and the next the protocol;
/// the rest is a block whose check is right.
///
/// # Panics
/// When it gives more.
pub fn hostile(bytes: &[u8]) {
    const LENGTH: usize = 1 << 14;
    // whatever stands there, head and all
    let _ = unpack(bytes, &Limits { bytes: LENGTH as u64, ..Limits::default() });
    let [method, protocol, rest @ ..] = bytes else { return };
    let method = match method % 7 {
        0 => Method::Bytes,
        1 => Method::Quake3([43, 46, 48, 66, 68, 71, 73, 90, 91][usize::from(*protocol) % 9]),
        2 => Method::Quake1(protocol % 3),
        3 | 6 => {
            let (protocol, kind) = [(34, 1), (0, 2), (0, 1), (26, 1), (3434, 1), (35, 1), (36, 1), (2023, 1), (34, 0x80)][usize::from(*protocol) % 9];
            let beginning = crate::Beginning { protocol, kind, variant: 0 };
            if method % 7 == 3 { Method::Quake2(beginning) } else { Method::Quake2Second(beginning) }
        }
        5 => Method::Mvd2(1),
        _ => Method::GoldSrc(5, 42 + protocol % 7),
    };
    let preset = [Preset::Small, Preset::FormerQuick, Preset::Deep, Preset::Quick, Preset::FormerSmall][usize::from(*protocol >> 5) % 5];
    let mut packed = write_head(method, preset, &[0; LENGTH], "");
    block_of(LENGTH, rest, &mut packed);
    let mut given = 0;
    let _ = crate::unpack_to(&packed, &Limits::default(), &mut |block| {
        given += block.len();
        true
    });
    assert!(given <= LENGTH, "{given} bytes came out");
    assert!(crate::beginning(&packed, 1000).len() <= LENGTH + (1 << 21));
}

/// Whatever an archive holds, reading it ends; and parts of the bytes come back from an archive, and those before a cut from what is left of it.
/// The first byte says where the cut is.
///
/// # Panics
/// When they do not.
pub fn archived(bytes: &[u8]) {
    let Some((&cut, bytes)) = bytes.split_first() else { return };
    let limits = Limits { bytes: 1 << 14, ..Limits::default() };
    if let Ok(mut archive) = Archive::open(Cursor::new([&Writer::beginning()[..], bytes].concat())) {
        for at in 0..archive.entries().len().min(4) {
            assert!(archive.read(at, &limits).map_or(0, |bytes| bytes.len()) <= 1 << 14, "a member is longer than it may be");
        }
    }
    let parts = [bytes, &bytes[..bytes.len() / 2]];
    let members = [Member { name: "a.dem", bytes: parts[0] }, Member { name: "b.dem", bytes: parts[1] }];
    let mut writer = Writer::default();
    let mut file = Writer::beginning();
    file.extend(writer.group(pack_group(&members)));
    file.extend(writer.end());
    file.truncate(5 + (file.len() - 5) * usize::from(cut) / 255);
    let Ok(mut archive) = Archive::open(Cursor::new(&file)) else { panic!("the archive opens") };
    assert!(cut < 255 || archive.entries().len() == 2, "all members are there");
    for (at, part) in parts.iter().enumerate().take(archive.entries().len()) {
        let read = archive.read(at, &Limits::default());
        assert!(read.is_ok_and(|read| read == *part), "member {at} came back");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_testkit::Random;

    #[test]
    fn hostile_blocks_end() {
        let mut random = Random::new(17);
        for method in 0..7 {
            for protocol in [0, 64, 128, 192].into_iter().flat_map(|preset| preset..preset + 9) {
                for length in [0, 3, 200] {
                    let rest = (0..length).map(|_| random.number() as u8);
                    let bytes: Vec<u8> = [method, protocol].into_iter().chain(rest).collect();
                    hostile(&bytes);
                }
            }
        }
    }

    #[test]
    fn archives_end_and_come_back() {
        let mut random = Random::new(23);
        for length in [0, 1, 9, 100, 1000] {
            for cut in [0, 100, 254, 255] {
                let bytes = (0..length).map(|_| random.below(3) as u8);
                archived(&std::iter::once(cut).chain(bytes).collect::<Vec<u8>>());
            }
        }
    }

    #[test]
    fn any_bytes_come_back() {
        let mut random = Random::new(19);
        for length in [0, 1, 2, 7, 8, 9, 100, 1000] {
            for few in [2, 256] {
                round_trip(&(0..length).map(|_| random.below(few) as u8).collect::<Vec<u8>>());
            }
        }
    }
}
