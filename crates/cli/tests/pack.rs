//! Packing, unpacking, and what is packed read in place.

use std::fs;
use std::io::Write;

use super::{folder, run, sample};

const RECORDINGS: [&str; 4] = ["quake3/dm_bots.dm_71", "quake2/q2pmulti_Alice.dm2", "quake1/quakeworld_plain_dm3.qwd", "goldsrc/net-48.dem"];

#[test]
fn recordings_are_packed_read_in_place_and_unpacked() {
    let folder = folder("pack");
    let (from, packed, back) = (folder.join("from"), folder.join("packed"), folder.join("back"));
    fs::create_dir_all(from.join("deep")).unwrap();
    for name in RECORDINGS {
        fs::write(from.join("deep").join(name.rsplit('/').next().unwrap()), sample(name)).unwrap();
    }
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let ran = run(&["pack", &text(&from), "-o", &text(&packed), "--json"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 4), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("\"family\":\"quake3\"") && ran.out.contains("\"was_compressed\":false"), "{}", ran.out);
    for name in RECORDINGS {
        let short = name.rsplit('/').next().unwrap();
        let path = text(&packed.join("deep").join(format!("{short}.frp")));
        let plain = format!("samples/{name}");
        for command in [&["info", "--json"][..], &["events", "--json"], &["verify", "--json"]] {
            let answer = |path: &str| run(&[command, &[path]].concat()).out.replace(&format!("{path:?}"), "PATH");
            assert_eq!(answer(&path).replace("\"compressed\":true", "\"compressed\":false"), answer(&plain), "{command:?} {name}");
        }
    }
    let ran = run(&["unpack", &text(&packed), "-o", &text(&back)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for name in RECORDINGS {
        let short = name.rsplit('/').next().unwrap();
        assert_eq!(fs::read(back.join("deep").join(short)).unwrap(), sample(name), "{name}");
    }
    // what is there already stays
    let ran = run(&["unpack", &text(&packed), "-o", &text(&back)]);
    assert_eq!(ran.code, 2, "{}", ran.out);
}

#[test]
fn a_packed_file_cannot_be_named() {
    let folder = folder("pack_named");
    let path = folder.join("a.dm_71");
    fs::write(&path, sample(RECORDINGS[0])).unwrap();
    let named = folder.join("other.FRP");
    let ran = run(&["pack", path.to_str().unwrap(), "-o", named.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.err.contains(".frpa") && ran.err.contains("a folder for the FILE.frp files"), "{}", ran.err);
    assert!(!named.exists());
    // a folder that is there may have any name
    fs::create_dir(&named).unwrap();
    let ran = run(&["pack", path.to_str().unwrap(), "-o", named.to_str().unwrap()]);
    assert!(ran.code == 0 && named.join("a.dm_71.frp").exists(), "{}", ran.err);
}

#[test]
fn a_damaged_packed_file_leaves_nothing() {
    let folder = folder("pack_damage");
    let path = folder.join("a.dm_71");
    fs::write(&path, sample(RECORDINGS[0])).unwrap();
    let ran = run(&["pack", path.to_str().unwrap()]);
    let packed = folder.join("a.dm_71.frp");
    assert!(ran.code == 0 && ran.out.contains("a.dm_71.frp"), "{}{}", ran.out, ran.err);
    let mut bytes = fs::read(&packed).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&packed, &bytes).unwrap();
    fs::remove_file(&path).unwrap();
    let ran = run(&["unpack", packed.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.err.contains("damaged"), "{}", ran.err);
    assert!(!path.exists());
    assert_eq!(run(&["info", packed.to_str().unwrap()]).code, 2);
}

#[test]
fn a_truncated_packed_file_gives_what_comes_before() {
    let folder = folder("pack_truncated");
    let path = folder.join("a.dm_71");
    fs::write(&path, sample(RECORDINGS[0])).unwrap();
    assert_eq!(run(&["pack", path.to_str().unwrap()]).code, 0);
    let packed = folder.join("a.dm_71.frp").to_str().unwrap().to_owned();
    let bytes = fs::read(&packed).unwrap();
    fs::write(&packed, &bytes[..bytes.len() * 3 / 4]).unwrap();
    fs::remove_file(&path).unwrap();
    let ran = run(&["verify", "--details", &packed]);
    assert!(ran.code == 1 && ran.out.contains("the packed file is truncated"), "{}{}", ran.out, ran.err);
    let ran = run(&["unpack", &packed]);
    assert!(ran.code == 2 && ran.err.contains("--partial") && !path.exists(), "{}{}", ran.out, ran.err);
    let ran = run(&["unpack", &packed, "--partial", "--json"]);
    assert!(ran.code == 1 && ran.out.contains("\"damage\":\"the packed file is truncated\""), "{}{}", ran.out, ran.err);
    let (back, whole) = (fs::read(&path).unwrap(), sample(RECORDINGS[0]));
    assert!(whole.starts_with(&back) && back.len() * 2 > whole.len(), "{} of {} bytes", back.len(), whole.len());
}

/// Two recordings of one map, and one of another game, in folders.
fn three(folder: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let whole = sample(RECORDINGS[0]);
    let files = [("a/one.dm_71", whole.clone()), ("b/one.dm_71", whole[..40_000].to_vec()), ("net-48.dem", sample(RECORDINGS[3]))];
    for (name, bytes) in &files {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
    }
    files.map(|(name, bytes)| (name.to_owned(), bytes)).to_vec()
}

#[test]
fn an_archive_is_read_in_place_added_to_and_unpacked() {
    let folder = folder("pack_archive");
    let (from, back) = (folder.join("from"), folder.join("back"));
    let archive = folder.join("all.frpa").to_str().unwrap().to_owned();
    let files = three(&from);
    let from = from.to_str().unwrap();
    let ran = run(&["pack", from, "-o", &archive, "--json"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 3), "{}{}", ran.out, ran.err);
    let packed = |name: &str| -> u64 {
        let line = ran.out.lines().find(|line| line.contains(&format!("all.frpa!{name}\""))).unwrap_or_else(|| panic!("{name}: {}", ran.out));
        serde_json::from_str::<serde_json::Value>(line).unwrap()["packed_bytes"].as_u64().unwrap()
    };
    let alone = fragreel::packing::pack(&files[1].1, "one.dm_71").len() as u64;
    assert!(packed("b/one.dm_71") * 5 < alone * 4, "the second knows what the first taught");
    // an archive that is there stays, unless it is to be gone on with
    assert_eq!(run(&["pack", from, "-o", &archive]).code, 2);

    for (name, _) in &files {
        let (inside, plain) = (format!("{archive}!{name}"), format!("{from}/{name}"));
        for command in [&["info", "--json"][..], &["events", "--json"]] {
            let answer = |path: &str| run(&[command, &[path]].concat()).out.replace(&format!("{path:?}"), "PATH");
            assert_eq!(answer(&inside), answer(&plain), "{command:?} {name}");
        }
    }
    assert_eq!(run(&["info", "--json", &archive]).out.lines().count(), 3);

    let before = fs::read(&archive).unwrap();
    let ran = run(&["pack", from, "-o", &archive, "--resume"]);
    assert!(ran.code == 0 && ran.err.contains("skipped 3 already packed"), "{}{}", ran.out, ran.err);
    assert_eq!(fs::read(&archive).unwrap(), before);
    fs::write(format!("{from}/c.dm_71"), &sample(RECORDINGS[0])[..60_000]).unwrap();
    fs::write(format!("{from}/net-48.dem"), sample("goldsrc/net-45.dem")).unwrap();
    let ran = run(&["pack", from, "-o", &archive, "--resume"]);
    assert!(ran.code == 2 && ran.err.contains("another recording with the name"), "{}{}", ran.out, ran.err);

    let ran = run(&["unpack", &archive, "-o", back.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (name, bytes) in &files {
        assert!(fs::read(back.join(name)).unwrap() == *bytes, "{name}");
    }
    assert!(fs::read(back.join("c.dm_71")).unwrap() == sample(RECORDINGS[0])[..60_000]);

    // without its end, the archive still gives the members before the cut, and says that there may be more
    let whole = fs::read(&archive).unwrap();
    fs::write(&archive, &whole[..whole.len() - 300]).unwrap();
    let ran = run(&["info", "--json", &archive]);
    assert!(ran.code == 2 && ran.out.lines().count() >= 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.lines().filter(|line| !line.contains("\"error\"")).count() == 3 && ran.err.contains("all.frpa"), "{}{}", ran.out, ran.err);
}

#[test]
fn originals_are_deleted_when_they_came_back() {
    let folder = folder("pack_delete");
    let files = three(&folder.join("from"));
    let from = folder.join("from").to_str().unwrap().to_owned();
    let archive = folder.join("all.frpa").to_str().unwrap().to_owned();
    let gzipped = format!("{from}/g.dm_71.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&sample(RECORDINGS[0])).unwrap();
    fs::write(&gzipped, encoder.finish().unwrap()).unwrap();
    assert_eq!(run(&["pack", &from, "-o", &archive]).code, 0);
    assert!(files.iter().all(|(name, _)| folder.join("from").join(name).exists()));
    let ran = run(&["pack", &from, "-o", &archive, "--resume", "--delete-originals"]);
    assert!(ran.code == 0 && ran.said().contains("g.dm_71.gz` was not removed: its gzip"), "{}{}", ran.out, ran.err);
    assert!(files.iter().all(|(name, _)| !folder.join("from").join(name).exists()) && fs::metadata(&gzipped).is_ok());

    // one file each: what is packed already is skipped, another content is not replaced
    let path = folder.join("x.dm_71");
    fs::write(&path, sample(RECORDINGS[0])).unwrap();
    let text = path.to_str().unwrap();
    assert_eq!(run(&["pack", text]).code, 0);
    let ran = run(&["pack", text, "--resume"]);
    assert!(ran.code == 0 && ran.out.is_empty() && ran.err.contains("skipped 1 already packed"), "{}{}", ran.out, ran.err);
    fs::write(&path, &sample(RECORDINGS[0])[..40_000]).unwrap();
    let ran = run(&["pack", text, "--resume", "--delete-originals"]);
    assert!(ran.code == 2 && path.exists() && ran.said().contains("contains something else"), "{}{}", ran.out, ran.err);
    let ran = run(&["pack", text, "--force", "--delete-originals"]);
    assert!(ran.code == 0 && !path.exists(), "{}{}", ran.out, ran.err);
    assert_eq!(run(&["verify", &format!("{text}.frp")]).code, 1, "a truncated recording");
}

/// A packed file that was damaged is packed again before its original is deleted; what a killed run left is removed.
#[test]
fn damaged_packed_files_are_packed_again() {
    let folder = folder("pack_again");
    let path = folder.join("a.dm_71");
    let text = path.to_str().unwrap();
    fs::write(&path, sample(RECORDINGS[0])).unwrap();
    assert_eq!(run(&["pack", text]).code, 0);
    let packed = folder.join("a.dm_71.frp");
    let whole = fs::read(&packed).unwrap();
    let left = folder.join("b.dm_71.frp.fragreel-999999.part");
    for more in [&["--resume"][..], &["--resume", "--delete-originals"]] {
        let mut bytes = whole.clone();
        let at = bytes.len() - 1000;
        bytes[at] ^= 1;
        fs::write(&packed, &bytes).unwrap();
        fs::write(&left, "x").unwrap();
        let ran = run(&[&["pack", text], more].concat());
        assert!(ran.code == 0 && ran.err.contains("the packed file was damaged, and was made again"), "{}{}", ran.out, ran.err);
        assert!(fs::read(&packed).unwrap() == whole && !left.exists());
    }
    assert!(!path.exists());
    // a packed file is not packed, and that is said
    let ran = run(&["pack", packed.to_str().unwrap()]);
    assert!(ran.code == 0 && ran.err.contains("1 file was not packed again"), "{}{}", ran.out, ran.err);
    // of a file that is not the original, no byte is certain
    let mut forged = whole;
    forged[10] ^= 1;
    fs::write(&packed, &forged).unwrap();
    let ran = run(&["unpack", "--partial", packed.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.said().contains("any byte of it may be another") && !path.exists(), "{}{}", ran.out, ran.err);
    // an archive whose members are damaged is not gone on with
    fs::write(&path, sample(RECORDINGS[0])).unwrap();
    let archive = folder.join("all.frpa");
    let archive_text = archive.to_str().unwrap();
    assert_eq!(run(&["pack", text, "-o", archive_text]).code, 0);
    let mut bytes = fs::read(&archive).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(&archive, &bytes).unwrap();
    let ran = run(&["pack", text, "-o", archive_text, "--resume", "--delete-originals"]);
    assert!(ran.code == 2 && path.exists() && ran.said().contains("`a.dm_71` in it is damaged"), "{}{}", ran.out, ran.err);
}

/// Copies are packed and stored once, and come back under their names, whatever bytes those have.
#[cfg(unix)]
#[test]
fn copies_are_stored_once_and_names_come_back() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder("pack_copies");
    let (from, back) = (folder.join("from"), folder.join("back"));
    fs::create_dir_all(from.join("d")).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"Gr\xfc\xdfe.dm_71");
    let files = [from.join("a.dm_71"), from.join("b.dm_71"), from.join("d").join(odd)];
    files.iter().for_each(|path| fs::write(path, sample(RECORDINGS[0])).unwrap());
    fs::write(from.join("net.dem"), sample(RECORDINGS[3])).unwrap();
    let (from, back_text) = (from.to_str().unwrap(), back.to_str().unwrap());
    let archive = folder.join("all.frpa");
    let ran = run(&["pack", from, "-o", archive.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let alone = fragreel::packing::pack(&sample(RECORDINGS[0]), "a.dm_71").len() + fragreel::packing::pack(&sample(RECORDINGS[3]), "net.dem").len();
    let packed = fs::read(&archive).unwrap();
    assert!(packed.len() < alone + alone / 8, "{} for {alone}", packed.len());
    let come_back = |packed: &str| {
        let ran = run(&["unpack", packed, "-o", back_text]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        for path in ["a.dm_71", "b.dm_71"].map(|name| back.join(name)).iter().chain([&back.join("d").join(odd)]) {
            assert!(fs::read(path).unwrap() == sample(RECORDINGS[0]), "{}", path.display());
        }
        fs::remove_dir_all(&back).unwrap();
    };
    come_back(archive.to_str().unwrap());
    // without the index as well
    fs::write(&archive, &packed[..packed.len() - 20]).unwrap();
    let ran = run(&["info", "--json", archive.to_str().unwrap()]);
    assert_eq!(ran.out.lines().filter(|line| !line.contains("\"error\"")).count(), 4, "{}{}", ran.out, ran.err);
    // and in files of their own
    let each = folder.join("each");
    assert_eq!(run(&["pack", from, "-o", each.to_str().unwrap()]).code, 0);
    come_back(each.to_str().unwrap());
}

/// What works on recordings works on packed ones, and names what comes out as if they were not packed.
#[test]
fn packed_files_are_read_by_every_command() {
    let folder = folder("pack_read");
    let (plain, packed) = (folder.join("x.dm_71"), folder.join("x.dm_71.frp"));
    fs::write(&plain, sample(RECORDINGS[0])).unwrap();
    assert_eq!(run(&["pack", plain.to_str().unwrap()]).code, 0);
    let of = |path: &std::path::Path| run(&["decompile", path.to_str().unwrap()]);
    let (one, other) = (of(&plain), of(&packed));
    assert!(one.code == 0 && other.code == 0 && one.out == other.out, "{}", other.err);
    let bytes = fs::read(&packed).unwrap();
    fs::write(folder.join("cut.dm_71.frp"), &bytes[..bytes.len() * 3 / 4]).unwrap();
    let cut = of(&folder.join("cut.dm_71.frp"));
    let lines = cut.out.lines().count();
    assert!(cut.code == 1 && lines > 100 && lines < one.out.lines().count() && cut.err.contains("truncated"), "{lines}: {}", cut.err);
    let parts = folder.join("parts");
    let ran = run(&["split", packed.to_str().unwrap(), "--by", "size:30kB", "-o", parts.to_str().unwrap()]);
    assert!(ran.code == 0 && parts.join("x_1.dm_71").exists(), "{}{}", ran.out, ran.err);
    let ran = run(&["split", packed.to_str().unwrap(), "--by", "size:30kB", "-o", folder.join("y.dm_71").to_str().unwrap()]);
    assert!(ran.code == 2 && ran.said().contains("is the name of one recording"), "{}{}", ran.out, ran.err);
}
