//! Recordings in archives, read in place.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use super::{folder, run, sample};

const PLAIN: &str = "quake3/dm_bots.dm_71";

fn zipped(path: &Path, members: &[(&str, &[u8])]) {
    let mut writer = zip::ZipWriter::new(File::create(path).unwrap());
    for (name, bytes) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

fn taped(path: &Path, members: &[(&str, &[u8])]) {
    let mut writer = tar::Builder::new(File::create(path).unwrap());
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        writer.append_data(&mut header, name, *bytes).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn every_command_reads_in_archives_what_it_reads_beside_them() {
    let folder = folder("archives");
    let (recording, other) = (sample(PLAIN), sample("quake2/q2pmulti_Alice.dm2"));
    let members: &[(&str, &[u8])] = &[("2004/final.dm_71", &recording), ("2004/readme.txt", b"x"), ("a.dm2", &other)];
    for (archive, pack) in [("a.zip", zipped as fn(&Path, &[(&str, &[u8])])), ("b.pk3", zipped), ("c.tar", taped)] {
        pack(&folder.join(archive), members);
    }
    let root = folder.to_str().unwrap();
    let ran = run(&["verify", root]);
    let found: Vec<&str> = ran.out.lines().filter_map(|line| line.split("  ").nth(2)?.strip_prefix(root)).collect();
    let wanted = ["/a.zip!2004/final.dm_71", "/a.zip!a.dm2", "/b.pk3!2004/final.dm_71", "/b.pk3!a.dm2", "/c.tar!2004/final.dm_71", "/c.tar!a.dm2"];
    assert_eq!((ran.code, found), (0, wanted.to_vec()), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("passed over 3 files in archives"), "{}", ran.err);
    // One member by its name is one recording.
    let path = format!("{root}/a.zip!2004/final.dm_71");
    for command in [&["info", "--json"][..], &["events", "--json"], &["state", "--at", "5", "--json"], &["frames", "--hz", "1", "--json"]] {
        let answer = |path: &str| run(&[command, &[path]].concat()).out.replace(&format!("{path:?}"), "PATH");
        assert_eq!(answer(&path), answer(&format!("samples/{PLAIN}")), "{command:?}");
    }
    let ran = run(&["cut", &path, "--from", "0:10", "--to", "0:20", "-o", folder.join("cut.dm_71").to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// What Dzip packed is read in place as anything else is; what only RAR reads is counted.
#[test]
fn dzip_is_read_and_rar_is_passed_over() {
    let folder = folder("dzip");
    let root = folder.to_str().unwrap();
    let packed = fs::read(testkit::checkout().join("crates/archive/tests/files/version3.dz")).unwrap();
    fs::write(folder.join("runs.dz"), &packed).unwrap();
    fs::write(folder.join("old.rar"), b"Rar!\x1a\x07\x01\x00").unwrap();
    let ran = run(&["verify", root]);
    for member in ["/runs.dz!dm6.dem  quake1 netquake 666", "/runs.dz!demos.pak/demos/dm3.dem  quake1 netquake 15"] {
        assert!(ran.code == 0 && ran.out.contains(&format!("{root}{member}")), "{}{}", ran.out, ran.err);
    }
    assert!(ran.err.contains("passed over 1 archive: ") && ran.err.contains("old.rar"), "{}", ran.err);
    let ran = run(&["info", "--json", &format!("{root}/runs.dz!demos.pak/demos/dm3.dem")]);
    assert!(ran.code == 0 && ran.out.contains("\"maps\":[\"dm3\"]"), "{}{}", ran.out, ran.err);
    fs::write(folder.join("cut.dz"), &packed[..packed.len() - 60]).unwrap();
    let mut changed = packed.clone();
    changed[300] ^= 4;
    fs::write(folder.join("changed.dz"), changed).unwrap();
    for (name, why) in
        [("cut.dz", "it is cut off or damaged"), ("changed.dz!dm6.dem", "Dzip is damaged before offset"), ("old.rar", "RAR archives are not read")]
    {
        let ran = run(&["info", &format!("{root}/{name}")]);
        assert!(ran.code == 2 && ran.err.contains("cannot read the archive"), "{name}: {}", ran.err);
        let words: Vec<&str> = ran.err.split_whitespace().filter(|word| !["│", "×", "╰─▶"].contains(word)).collect();
        assert!(words.join(" ").contains(why), "{name}: {}", ran.err);
    }
}

#[test]
fn what_is_wrong_with_an_archive_is_said() {
    let folder = folder("bad-archives");
    let root = folder.to_str().unwrap();
    zipped(&folder.join("none.zip"), &[("readme.txt", b"x")]);
    let ran = run(&["info", &format!("{root}/none.zip")]);
    assert!(ran.code == 2 && ran.err.contains("no recordings are in the archive"), "{}", ran.err);
    zipped(&folder.join("good.zip"), &[("a.dm_71", &sample(PLAIN))]);
    let ran = run(&["info", &format!("{root}/good.zip!b.dm_71")]);
    assert!(ran.code == 2 && ran.err.contains("there is no `b.dm_71` in it"), "{}", ran.err);
    let whole = fs::read(folder.join("good.zip")).unwrap();
    fs::write(folder.join("cut.zip"), &whole[..whole.len() / 2]).unwrap();
    let ran = run(&["info", &format!("{root}/cut.zip")]);
    assert!(ran.code == 2 && ran.err.contains("cannot read the archive"), "{}", ran.err);
    // 64 MB of nothing in 64 kB, called a recording.
    zipped(&folder.join("bomb.zip"), &[("a.dm_71", &vec![0; 200 << 20])]);
    let ran = run(&["info", &format!("{root}/bomb.zip")]);
    assert!(ran.code == 2 && (ran.err.contains("unpacks to more than") || ran.err.contains("not a recognised")), "{}", ran.err);
}
