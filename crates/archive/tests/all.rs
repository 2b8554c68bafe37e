//! Archives that other programs packed (tar, bzip2, xz, zstd, gzip, Info-ZIP, Dzip), and what is wrong with some.

use std::io::{Cursor, Write};
use std::ops::ControlFlow;

use fragreel_archive::{Error, Kind, Limits, extract, extract_all, kind, list};

const FILES: &[(&str, &[u8], Kind)] = &[
    ("two.tar.bz2", include_bytes!("files/two.tar.bz2"), Kind::Bzip2),
    ("two.tar.xz", include_bytes!("files/two.tar.xz"), Kind::Xz),
    ("two.tar.zst", include_bytes!("files/two.tar.zst"), Kind::Zstd),
    ("two.tar.gz", include_bytes!("files/two.tar.gz"), Kind::TarGz),
    ("two.zip", include_bytes!("files/two.zip"), Kind::Zip),
    ("two.dz", include_bytes!("files/two.dz"), Kind::Dzip),
];

/// An archive's name and bytes, and the members that hold the same demo.
type Packed = (&'static str, &'static [u8], &'static [(&'static str, &'static str)]);

/// What Dzip 2.9 and 3.2 packed of our samples. Each demo is in it twice: as Dzip rewrites demos, and packed as any file. The entities and the
/// client's data in `version1.dz` are random, for no program of version 1 is at hand; `x.txt` is what Dzip 2.9 makes of `x.dem`.
const DZIP: &[Packed] = &[
    ("version1.dz", include_bytes!("files/version1.dz"), &[("x.dem", "x.txt")]),
    ("version2.dz", include_bytes!("files/version2.dz"), &[("dm3.dem", "dm3.txt")]),
    ("version3.dz", include_bytes!("files/version3.dz"), &[("dm6.dem", "dm6.txt")]),
];

/// Some recordings that are packed together, and one of another kind.
fn packed() -> (Vec<u8>, Vec<(&'static str, Vec<u8>)>) {
    use fragreel_pack::archive::{Member, Writer, pack_group};
    let members = vec![("d/a.dem", vec![1; 3000]), ("d/b.dem", vec![1; 2000]), ("c", b"other".to_vec())];
    let mut writer = Writer::default();
    let mut file = Writer::beginning();
    for (at, group) in members.chunks(2).enumerate() {
        let group: Vec<Member<'_>> = group.iter().map(|(name, bytes)| Member { name, bytes }).collect();
        file.extend(writer.group(pack_group(&group)));
        assert!(at > 0 || writer.has("d/b.dem"));
    }
    file.extend(writer.end());
    (file, members)
}

#[test]
fn our_own_are_read_by_groups() {
    let (file, all) = packed();
    let limits = Limits::default();
    assert_eq!(kind("whatever", &file), Some(Kind::Packed));
    let open = || Cursor::new(&file[..]);
    assert_eq!(list(Kind::Packed, "x", open(), &limits, &mut |_| true).unwrap().names, ["d/a.dem", "d/b.dem", "c"]);
    assert_eq!(members(Kind::Packed, "x", &file, &limits).unwrap().len(), 3);
    for (name, bytes) in &all {
        assert_eq!(extract(Kind::Packed, "x", open(), name, &limits).unwrap(), *bytes);
    }
    assert!(matches!(extract(Kind::Packed, "x", open(), "e", &limits), Err(Error::Missing(_))));
    assert_eq!(fragreel_archive::packed::group(open(), "d/a.dem").unwrap().1, ["d/a.dem", "d/b.dem"]);
    assert!(matches!(extract(Kind::Packed, "x", open(), "c", &Limits { member: 4, ..limits }), Err(Error::Bomb(4))));
}

#[test]
fn our_own_give_up_what_damage_leaves() {
    let (file, all) = packed();
    let limits = Limits::default();
    // the last member is cut off, with the index
    let listed = list(Kind::Packed, "x", Cursor::new(&file[..file.len() - 150]), &limits, &mut |_| true).unwrap();
    assert!(listed.names == ["d/a.dem", "d/b.dem"] && listed.damage.is_some(), "{:?}", listed.names);
    // a bit of the first member: its group is lost, the other is not
    let mut broken = file.clone();
    broken[70] ^= 1;
    let mut given = Vec::new();
    extract_all(Kind::Packed, "x", Cursor::new(&broken), &limits, &mut |_| true, &mut |name, bytes| {
        given.push((name.to_owned(), bytes.ok()));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(given, [("d/a.dem".into(), None), ("d/b.dem".into(), None), ("c".into(), Some(all[2].1.clone()))]);
}

/// All members that fit.
fn members(kind: Kind, name: &str, packed: &[u8], limits: &Limits) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut all = Vec::new();
    extract_all(kind, name, Cursor::new(packed), limits, &mut |_| true, &mut |member, bytes| {
        all.extend(bytes.ok().map(|bytes| (member.to_owned(), bytes)));
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

fn member(name: &str, packed: &[u8], member: &str) -> Vec<u8> {
    extract(Kind::Dzip, name, Cursor::new(packed), member, &Limits::default()).unwrap_or_else(|error| panic!("{name}!{member}: {error}"))
}

#[test]
fn demos_in_dzip_come_out_as_they_were() {
    for (name, packed, pairs) in DZIP {
        assert_eq!(kind(name, packed), Some(Kind::Dzip), "{name}");
        for (demo, plain) in *pairs {
            let demo = member(name, packed, demo);
            assert!(demo.len() > 2000 && demo == member(name, packed, plain), "{name}");
        }
        let all = members(Kind::Dzip, name, packed, &Limits::default()).unwrap();
        assert!(all.len() >= 2);
        let limits = Limits { base: 1000, ratio: 1, ..Limits::default() };
        let bomb = extract(Kind::Dzip, name, Cursor::new(packed), pairs[0].0, &limits);
        assert!(matches!(bomb, Err(Error::Bomb(_))), "{bomb:?}");
    }
    // What is stored, and what is in a PAK.
    let (name, packed, _) = DZIP[2];
    assert_eq!(member(name, packed, "tiny.bin"), b"q\x01z\x02");
    assert_eq!(member(name, packed, "demos.pak/readme.txt"), b"read me\n");
    assert_eq!(member(name, packed, "demos.pak/demos/dm3.dem"), member(DZIP[1].0, DZIP[1].1, "dm3.txt"));
}

/// However a Dzip archive is cut or changed: what comes out is what was packed, or an error that says where.
#[test]
fn damaged_dzip_is_never_taken_for_a_demo() {
    for (name, packed, pairs) in DZIP {
        let whole = member(name, packed, pairs[0].1);
        let (mut errors, mut places) = (0, 0);
        let mut tried = |bytes: &[u8]| match extract(Kind::Dzip, name, Cursor::new(bytes), pairs[0].0, &Limits::default()) {
            Ok(bytes) => assert!(bytes == whole, "{name}: something else came out"),
            Err(error) => {
                errors += 1;
                places += usize::from(error.to_string().contains("before offset"));
            }
        };
        (0..packed.len()).step_by(11).for_each(|cut| tried(&packed[..cut]));
        for at in (12..packed.len()).step_by(15) {
            let mut changed = packed.to_vec();
            changed[at] ^= 1 << (at % 8);
            tried(&changed);
        }
        assert!(errors > packed.len() / 11 && places > 10, "{name}: {errors} errors, {places} with their place");
    }
}

#[test]
fn every_kind_gives_its_members() {
    for (name, packed, expected) in FILES {
        let kind = kind(name, packed).expect(name);
        assert_eq!(kind, *expected, "{name}");
        let listed = list(kind, name, Cursor::new(packed), &Limits::default(), &mut |member| member.ends_with(".txt")).expect(name);
        assert_eq!((listed.names.as_slice(), listed.passed_over), (&[String::from("d/one.txt")][..], 1), "{name}");
        for (member, content) in [("d/one.txt", "one\n"), ("d/two.dat", "two\n")] {
            let bytes = extract(kind, name, Cursor::new(packed), member, &Limits::default()).expect(name);
            assert_eq!(bytes, content.as_bytes(), "{name}");
        }
        let all = members(kind, name, packed, &Limits::default()).expect(name);
        assert_eq!(all, [("d/one.txt".into(), b"one\n".to_vec()), ("d/two.dat".into(), b"two\n".to_vec())], "{name}");
        let mut first = Vec::new();
        let stopped = extract_all(kind, name, Cursor::new(packed), &Limits::default(), &mut |_| true, &mut |member, _| {
            first.push(member.to_owned());
            ControlFlow::Break(())
        });
        assert!(stopped.is_ok() && first == ["d/one.txt"], "{name}: {stopped:?}");
        let missing = extract(kind, name, Cursor::new(packed), "d/three", &Limits::default());
        assert!(matches!(missing, Err(Error::Missing(_))), "{name}: {missing:?}");
    }
}

#[test]
fn one_file_alone_is_called_by_its_archive() {
    let packed = include_bytes!("files/one.txt.xz");
    let listed = list(Kind::Xz, "x/one.txt.xz", Cursor::new(packed), &Limits::default(), &mut |_| true).unwrap();
    assert_eq!(listed.names, ["one.txt"]);
    assert_eq!(extract(Kind::Xz, "x/one.txt.xz", Cursor::new(packed), "one.txt", &Limits::default()).unwrap(), b"one\n");
}

/// However an archive is cut or changed, it gives its members, or an error.
#[test]
fn damage_is_an_error_and_never_a_panic() {
    for (name, packed, kind) in FILES {
        let try_all = |bytes: &[u8]| {
            let _ = list(*kind, name, Cursor::new(bytes), &Limits::default(), &mut |_| true);
            let _ = extract(*kind, name, Cursor::new(bytes), "d/two.dat", &Limits::default());
        };
        for cut in 0..packed.len() {
            try_all(&packed[..cut]);
        }
        for at in 0..packed.len() {
            for change in [1, 0x80, 0xff] {
                let mut changed = packed.to_vec();
                changed[at] ^= change;
                try_all(&changed);
            }
        }
    }
}

/// What stands before the damage is given; what is packed comes out unpacked, and one member that is too large hides no other.
#[test]
fn members_before_damage_and_beside_large_ones_are_given() {
    let contents: Vec<(String, Vec<u8>)> = (0..20u8).map(|at| (format!("{at}.dem"), vec![at; if at == 3 { 5000 } else { 600 }])).collect();
    let (mut tarball, mut zip) = (tar::Builder::new(Vec::new()), zip::ZipWriter::new(Cursor::new(Vec::new())));
    for (name, bytes) in &contents {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        tarball.append_data(&mut header, name, &bytes[..]).unwrap();
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    let (tarball, zip) = (tarball.into_inner().unwrap(), zip.finish().unwrap().into_inner());
    let limits = Limits { member: 1000, ..Limits::default() };
    let small: Vec<_> = contents.iter().filter(|(_, bytes)| bytes.len() < 1000).cloned().collect();
    assert_eq!(members(Kind::Tar, "a.tar", &tarball, &limits).unwrap(), small);
    assert!(zip.len() < 5000 && members(Kind::Zip, "a.zip", &zip, &limits).unwrap() == small);
    let cut = &tarball[..tarball.len() / 2 + 700];
    let listed = list(Kind::Tar, "a.tar", Cursor::new(cut), &Limits::default(), &mut |_| true).unwrap();
    assert!((8..12).contains(&listed.names.len()) && matches!(listed.damage, Some(Error::Damaged(_))), "{listed:?}");
    let last = listed.names.len() - 1;
    for (name, bytes) in &contents[..last] {
        assert_eq!(&extract(Kind::Tar, "a.tar", Cursor::new(cut), name, &Limits::default()).unwrap(), bytes);
    }
    let half = extract(Kind::Tar, "a.tar", Cursor::new(cut), &contents[last].0, &Limits::default());
    assert!(matches!(half, Err(Error::Damaged(_))), "{half:?}");
}

#[test]
fn what_unpacks_to_far_more_is_refused() {
    let limits = Limits { member: 1 << 30, base: 1 << 20, ratio: 10, members: 10 };
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    Write::write_all(&mut encoder, &vec![0; 64 << 20]).unwrap();
    let packed = encoder.finish().unwrap();
    let bomb = list(Kind::TarGz, "x.tar.gz", Cursor::new(&packed), &limits, &mut |_| true);
    // Zeros are an end of a tar: it is read no further.
    assert!(bomb.is_ok() || matches!(bomb, Err(Error::Bomb(_))), "{bomb:?}");
    let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    Write::write_all(&mut bz, &vec![0; 64 << 20]).unwrap();
    let packed = bz.finish().unwrap();
    let bomb = extract(Kind::Bzip2, "x.dm_68.bz2", Cursor::new(&packed), "x.dm_68", &limits);
    assert!(matches!(bomb, Err(Error::Bomb(_))), "{bomb:?}");
}

/// `two.rar`, `solid.rar` (RAR 5) and `version4.rar` were packed by rars 0.12.
#[cfg(feature = "rar")]
#[test]
fn rar_is_read() {
    let files: [(&str, &[u8]); 3] = [
        ("two.rar", include_bytes!("files/two.rar")),
        ("solid.rar", include_bytes!("files/solid.rar")),
        ("version4.rar", include_bytes!("files/version4.rar")),
    ];
    let limits = Limits::default();
    for (name, packed) in files {
        let rar = kind(name, packed).unwrap();
        assert!(rar == Kind::Rar && rar.is_read());
        let listed = list(rar, name, Cursor::new(packed), &limits, &mut |member| member.ends_with(".txt")).unwrap();
        assert_eq!((listed.names.as_slice(), listed.passed_over), (&[String::from("d/one.txt")][..], 1));
        assert_eq!(extract(rar, name, Cursor::new(packed), "d/two.dat", &limits).unwrap(), b"two\n", "{name}");
        let missing = extract(rar, name, Cursor::new(packed), "d/three.dat", &limits);
        assert!(matches!(missing, Err(Error::Missing(_))), "{missing:?}");
        let all = members(rar, name, packed, &limits).unwrap();
        assert_eq!(all, [(String::from("d/one.txt"), b"one\n".to_vec()), (String::from("d/two.dat"), b"two\n".to_vec())]);
        let small = Limits { member: 3, ..limits };
        assert!(extract(rar, name, Cursor::new(packed), "d/two.dat", &small).is_err());
        let bomb = members(rar, name, packed, &Limits { base: 1, ratio: 0, ..limits });
        assert!(matches!(bomb, Err(Error::Bomb(_))), "{bomb:?}");
        // whatever is cut or changed: what was packed comes out, or an error
        for at in 0..packed.len() {
            let mut broken = packed.to_vec();
            broken[at] ^= 0x40;
            for bytes in [&broken[..], &packed[..at]] {
                if let Ok(two) = extract(rar, name, Cursor::new(bytes), "d/two.dat", &limits) {
                    assert_eq!(two, b"two\n", "{name} at {at}");
                }
            }
        }
    }
}

#[test]
fn what_is_not_read_says_so() {
    let head = b"Rar!\x1a\x07\x01\x00";
    let rar = kind("x.rar", head).unwrap();
    assert_eq!(rar.is_read(), cfg!(feature = "rar"));
    let error = list(rar, "x.rar", Cursor::new(head), &Limits::default(), &mut |_| true).unwrap_err().to_string();
    assert!(rar.is_read() || error.contains("RAR archives are not read by this build"), "{error}");
    assert_eq!(kind("x.gz", &[0x1f, 0x8b, 8, 0]), None, "gzip alone is a recording's packing");
}
#[cfg(feature = "qwz")]
#[path = "qizmo.rs"]
mod qizmo;
