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
    assert!(ran.err.contains("skipped 3 files in archives"), "{}", ran.err);
    // One member by its name is one recording.
    let path = format!("{root}/a.zip!2004/final.dm_71");
    for command in [&["info", "--json"][..], &["events", "--json"], &["state", "--at", "5", "--json"], &["frames", "--hz", "1", "--json"]] {
        let answer = |path: &str| run(&[command, &[path]].concat()).out.replace(&format!("{path:?}"), "PATH");
        assert_eq!(answer(&path), answer(&format!("samples/{PLAIN}")), "{command:?}");
    }
    let ran = run(&["cut", &path, "--from", "0:10", "--to", "0:20", "-o", folder.join("cut.dm_71").to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// A recording in an archive in an archive, and one in a PAK, is read in place.
#[test]
fn archives_in_archives_are_looked_into() {
    let folder = folder("inner");
    let root = folder.to_str().unwrap();
    let recording = sample(PLAIN);
    let (zip, tar) = (folder.join("x.zip"), folder.join("y.tar"));
    zipped(&zip, &[("deep/final.dm_71", &recording), ("notes.txt", b"x")]);
    taped(&tar, &[("a.dm_71", &recording)]);
    let mut pak = vec![0; 12];
    pak.extend(&recording);
    let mut entry = [0; 64];
    entry[..9].copy_from_slice(b"run.dm_71");
    entry[56..60].copy_from_slice(&12_u32.to_le_bytes());
    entry[60..].copy_from_slice(&(recording.len() as u32).to_le_bytes());
    let at = pak.len() as u32;
    pak.extend(entry);
    pak[..12].copy_from_slice(&[*b"PACK", at.to_le_bytes(), 64_u32.to_le_bytes()].concat());
    fs::write(folder.join("pak0.pak"), &pak).unwrap();
    let (zip_bytes, tar_bytes) = (fs::read(&zip).unwrap(), fs::read(&tar).unwrap());
    let members: &[(&str, &[u8])] = &[("2004/x.zip", &zip_bytes), ("y.tar", &tar_bytes), ("pak0.pak", &pak)];
    zipped(&folder.join("all.zip"), members);
    taped(&folder.join("all.tar"), members);
    fs::remove_file(zip).unwrap();
    fs::remove_file(tar).unwrap();
    let ran = run(&["verify", root]);
    let found: Vec<&str> = ran.out.lines().filter_map(|line| line.split("  ").nth(2)?.strip_prefix(root)).collect();
    let inner = ["2004/x.zip!deep/final.dm_71", "y.tar!a.dm_71", "pak0.pak!run.dm_71"];
    let wanted: Vec<String> =
        ["tar", "zip"].iter().flat_map(|outer| inner.map(|inner| format!("/all.{outer}!{inner}"))).chain([String::from("/pak0.pak!run.dm_71")]).collect();
    assert_eq!((ran.code, found), (0, wanted.iter().map(String::as_str).collect()), "{}{}", ran.out, ran.err);
    let ran = run(&["info", "--json", &format!("{root}/all.tar!2004/x.zip!deep/final.dm_71")]);
    assert!(ran.code == 0 && ran.out.contains("\"maps\":[\"oa_minia\"]"), "{}{}", ran.out, ran.err);
    let ran = run(&["info", &format!("{root}/all.zip!y.tar!b.dm_71")]);
    assert!(ran.code == 2 && ran.err.contains("there is no `b.dm_71` in it"), "{}{}", ran.out, ran.err);
}

/// What Dzip packed is read in place as anything else is; what only RAR reads is counted.
#[test]
fn dzip_is_read_and_rar_is_passed_over() {
    let folder = folder("dzip");
    let root = folder.to_str().unwrap();
    let packed = fs::read(fragreel_testkit::checkout().join("crates/archive/tests/files/version3.dz")).unwrap();
    fs::write(folder.join("runs.dz"), &packed).unwrap();
    fs::write(folder.join("old.rar"), b"Rar!\x1a\x07\x01\x00").unwrap();
    let ran = run(&["verify", root]);
    for member in ["/runs.dz!dm6.dem  quake1 netquake 666", "/runs.dz!demos.pak/demos/dm3.dem  quake1 netquake 15"] {
        assert!(ran.code == if cfg!(feature = "rar") { 2 } else { 0 } && ran.out.contains(&format!("{root}{member}")), "{}{}", ran.out, ran.err);
    }
    let (in_folder, by_name) =
        if cfg!(feature = "rar") { ("cannot read the archive", "input is too short") } else { ("passed over 1 archive: ", "RAR archives are not read") };
    assert!(ran.err.contains(in_folder) && ran.err.contains("old.rar"), "{}", ran.err);
    let ran = run(&["info", "--json", &format!("{root}/runs.dz!demos.pak/demos/dm3.dem")]);
    assert!(ran.code == 0 && ran.out.contains("\"maps\":[\"dm3\"]"), "{}{}", ran.out, ran.err);
    fs::write(folder.join("cut.dz"), &packed[..packed.len() - 60]).unwrap();
    let mut changed = packed.clone();
    changed[300] ^= 4;
    fs::write(folder.join("changed.dz"), changed).unwrap();
    for (name, why) in [("cut.dz", "it is truncated or damaged"), ("changed.dz!dm6.dem", "Dzip is damaged before offset"), ("old.rar", by_name)] {
        let ran = run(&["info", &format!("{root}/{name}")]);
        assert!(ran.code == 2 && ran.err.contains("cannot read the archive"), "{name}: {}", ran.err);
        assert!(ran.said().contains(why), "{name}: {}", ran.err);
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
    assert!(ran.code == 2 && (ran.err.contains("unpacks to more than") || ran.err.contains("not a recognized")), "{}", ran.err);
}

/// Each of many members takes its own time, and no more; what stands before damage is read.
#[test]
fn many_members_take_no_longer_each_than_few() {
    let folder = folder("many");
    let root = folder.to_str().unwrap();
    let recording = sample("goldsrc/protocol-4-net-35.dem");
    let names: Vec<String> = (0..6_000).map(|number| format!("{number}.dem")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &recording[..])).collect();
    let all = |archive: &str| {
        let ran = run(&["info", "--json", &format!("{root}/{archive}")]);
        (ran.code, ran.out.lines().filter(|line| line.contains("\"family\":\"goldsrc\"")).count(), ran.err)
    };
    zipped(&folder.join("many.zip"), &members);
    taped(&folder.join("many.tar"), &members);
    for archive in ["many.zip", "many.tar"] {
        let (code, found, said) = all(archive);
        assert!(code == 0 && found == members.len(), "{archive}: {code}, {found}: {said}");
    }
    let tarball = fs::read(folder.join("many.tar")).unwrap();
    fs::write(folder.join("cut.tar"), &tarball[..tarball.len() / 2 + 700]).unwrap();
    let (code, found, said) = all("cut.tar");
    assert!(code == 2 && found == 3_000 && said.matches("cannot read the archive").count() == 2, "{code}, {found}: {said}");
    // asked for one by one against their order, and twice
    for name in ["5999.dem", "0.dem", "1.dem", "0.dem"] {
        let ran = run(&["info", "--json", &format!("{root}/many.tar!{name}"), &format!("{root}/many.tar!5.dem"), &format!("{root}/many.tar!{name}")]);
        assert!(ran.code == 0 && ran.out.lines().count() >= 2, "{}{}", ran.out, ran.err);
    }
}

/// Members count against the one budget before they are unpacked, packed once more or not.
#[test]
fn members_take_their_part_of_the_memory_that_is_allowed() {
    let folder = folder("archive-memory");
    let root = folder.to_str().unwrap();
    let recording = sample(PLAIN);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&recording).unwrap();
    let packed = packed.finish().unwrap();
    let names: Vec<String> = (0..20).map(|number| format!("{number}.dm_71")).collect();
    let plain: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &recording[..])).collect();
    zipped(&folder.join("plain.zip"), &plain);
    taped(&folder.join("plain.tar"), &plain);
    let twice: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &packed[..])).collect();
    zipped(&folder.join("twice.zip"), &twice);
    for (archive, needed) in [("plain.zip", recording.len()), ("plain.tar", recording.len()), ("twice.zip", recording.len() + packed.len())] {
        let verify = |most: usize| run(&["verify", "-j", "4", "--max-memory", &most.to_string(), &format!("{root}/{archive}")]);
        let ran = verify(needed);
        assert!(ran.code == 0 && ran.out.lines().count() == names.len(), "{archive}: {}{}", ran.out, ran.err);
        let ran = verify(needed - 1);
        assert!(ran.code == 2 && ran.out.is_empty(), "{archive}: {}{}", ran.out, ran.err);
        let refused = ran.err.matches("and the limit for all recordings together is").count() + ran.err.matches("it unpacks to more than").count();
        assert!(refused == names.len() && ran.err.contains("--max-memory"), "{archive}: {}", ran.err);
    }
}

/// An archive that something is read from is no place for what comes out.
#[test]
fn the_archive_that_is_read_is_never_replaced() {
    let folder = folder("archive-target");
    let archive = folder.join("two.zip");
    zipped(&archive, &[("a.dm_71", &sample(PLAIN)), ("b.dm_71", &sample("quake3/ctf_bots.dm_71"))]);
    let (before, path) = (fs::read(&archive).unwrap(), archive.to_str().unwrap());
    let (one, other) = (format!("{path}!a.dm_71"), format!("{path}!b.dm_71"));
    let link = folder.join("link.zip");
    std::os::unix::fs::symlink(&archive, &link).unwrap();
    let link = link.to_str().unwrap();
    let pattern = format!("{}/{{stem}}.zip", folder.to_str().unwrap());
    let alone = folder.join("alone.zip");
    zipped(&alone, &[("a.dm_71", &sample(PLAIN))]);
    let alone = alone.to_str().unwrap();
    let kept = fs::read(alone).unwrap();
    let commands: [&[&str]; 12] = [
        &["cut", &one, "--from", "5", "--to", "8", "-o", path],
        &["cut", &one, "--from", "5", "--to", "8", "-o", link],
        &["scrub", &one, "-o", path],
        &["repair", &one, "-o", path],
        &["join", &one, &other, "-o", path],
        &["decompile", &one, "-o", path],
        &["decompile", &one, "--places", "-o", path],
        &["decompile", alone, "-o", alone],
        &["scrub", alone, "-o", alone],
        &["scrub", alone, "-o", &pattern],
        &["split", alone, "--by", "level", "-o", &pattern],
        &["highlights", alone, "--kills", "1", "-o", &pattern],
    ];
    for command in commands {
        let ran = run(&[command, &["--force"]].concat());
        assert!(ran.code == 2 && ran.err.contains("never overwritten"), "{command:?}: {}{}", ran.out, ran.err);
        assert!(fs::read(&archive).unwrap() == before && fs::read(alone).unwrap() == kept, "{command:?}");
    }
    // one of several that are named is not replaced by what comes of another either
    let (a, b) = (folder.join("a.dm_71"), folder.join("b.dm_71"));
    fs::write(&a, sample(PLAIN)).unwrap();
    fs::write(&b, sample("quake3/ctf_bots.dm_71")).unwrap();
    let ran = run(&["scrub", a.to_str().unwrap(), b.to_str().unwrap(), "-o", &format!("{}/b.{{ext}}", folder.to_str().unwrap()), "--force"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(fs::read(&b).unwrap() == sample("quake3/ctf_bots.dm_71"));
    let (inputs, into) = (folder.join("inputs"), folder.join("inputs/b.{ext}"));
    fs::create_dir(&inputs).unwrap();
    fs::copy(&a, inputs.join("a.dm_71")).unwrap();
    fs::copy(&b, inputs.join("b.dm_71")).unwrap();
    let ran = run(&["scrub", inputs.to_str().unwrap(), "-o", into.to_str().unwrap(), "--force"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(fs::read(inputs.join("b.dm_71")).unwrap() == sample("quake3/ctf_bots.dm_71"));
    #[cfg(feature = "catalogue")]
    for command in [
        &["sql", "SELECT * FROM kills", &one, "--format", "csv", "-o", path, "--force"][..],
        &["sql", "SELECT * FROM kills", a.to_str().unwrap(), "--format", "csv", "-o", a.to_str().unwrap(), "--force"],
        &["sql", "SELECT * FROM kills", folder.to_str().unwrap(), "--format", "csv", "-o", a.to_str().unwrap(), "--force"],
        &["sql", "SELECT * FROM kills", folder.to_str().unwrap(), "--format", "csv", "-o", path, "--force"],
        &["index", &one, "--db", path],
    ] {
        let ran = run(command);
        assert_eq!(ran.code, 2, "{command:?}: {}{}", ran.out, ran.err);
        assert!(fs::read(&archive).unwrap() == before && fs::read(&a).unwrap() == sample(PLAIN), "{command:?}");
    }
}

/// Commands for one recording take the only one in an archive, and name those that there are otherwise.
#[test]
fn an_archive_alone_stands_for_its_only_recording() {
    let folder = folder("archive-alone");
    let (one, two, none) = (folder.join("one.zip"), folder.join("two.zip"), folder.join("none.zip"));
    let recording = sample(PLAIN);
    zipped(&one, &[("readme.txt", b"x"), ("a.dm_71", &recording)]);
    zipped(&two, &[("a.dm_71", &recording), ("b.dm_71", &recording)]);
    zipped(&none, &[("readme.txt", b"x")]);
    let out = folder.join("out").to_str().unwrap().to_owned();
    let member = format!("{}!a.dm_71", one.to_str().unwrap());
    let commands: [(&[&str], &[&str]); 7] = [
        (&["scrub"], &["-o", &out, "--force"]),
        (&["cut", "--from", "5", "--to", "8"], &["-o", &out, "--force"]),
        (&["explain", "--message", "0"], &[]),
        (&["state", "--at", "5"], &[]),
        (&["decompile"], &["-o", &out, "--force"]),
        (&["decompile", "--places"], &["-o", &out, "--force"]),
        (&["diff", &member], &[]),
    ];
    for (front, back) in commands {
        let of = |path: &str| {
            drop(fs::remove_file(&out));
            let ran = run(&[front, &[path], back].concat());
            (ran.code, ran.err, fs::read(&out).ok())
        };
        let plain = of(&format!("samples/{PLAIN}"));
        assert_eq!(plain.0, 0, "{front:?}: {}", plain.1);
        assert!(of(&member) == plain, "{front:?}: {}", of(&member).1);
        assert!(of(one.to_str().unwrap()) == plain, "{front:?}: {}", of(one.to_str().unwrap()).1);
        let (code, said, _) = of(two.to_str().unwrap());
        let said = said.replace(['\n', '│', ' '], "");
        assert!(code == 2 && said.contains("2recordings") && said.contains("two.zip!a.dm_71"), "{front:?}: {said}");
        let (code, said, _) = of(none.to_str().unwrap());
        assert!(code == 2 && said.replace(['\n', '│', ' '], "").contains("withoutrecordings"), "{front:?}: {said}");
    }
    // and what was taken apart comes together again
    let text = run(&["decompile", &member]).out;
    fs::write(folder.join("a.jsonl"), text).unwrap();
    assert_eq!(run(&["compile", folder.join("a.jsonl").to_str().unwrap(), "-o", &out, "--force"]).code, 0);
    assert_eq!(fs::read(&out).unwrap(), recording);
}

/// What is in a packed file, its content says, where its name does not.
#[test]
fn packed_files_without_a_name_are_known_by_their_content() {
    let folder = folder("packed-without-name");
    let packed = folder.join("demo.bz2");
    let mut encoder = bzip2::write::BzEncoder::new(File::create(&packed).unwrap(), bzip2::Compression::fast());
    Write::write_all(&mut encoder, &sample("quake3/dm_bots.dm_71")).unwrap();
    encoder.finish().unwrap();
    let ran = run(&["info", "--json", packed.to_str().unwrap()]);
    assert!(ran.code == 0 && ran.out.contains("\"dialect\":\"71\""), "{}{}", ran.out, ran.err);
}

/// An archive is an archive, whatever is stored in it first, and also where it comes on standard input.
#[test]
fn stored_recordings_are_members_on_every_route() {
    let folder = folder("stored");
    let recording = sample(PLAIN);
    let path = folder.join("two.zip");
    let mut writer = zip::ZipWriter::new(File::create(&path).unwrap());
    for name in ["a.dm_71", "d/b.dm_71"] {
        writer.start_file(name, zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored)).unwrap();
        writer.write_all(&recording).unwrap();
    }
    writer.finish().unwrap();
    // even under a recording's name
    fs::copy(&path, folder.join("three.dm_71")).unwrap();
    let root = folder.to_str().unwrap();
    for (named, count) in [(root.to_owned(), 4), (format!("{root}/two.zip"), 2), (format!("{root}/*"), 4), (format!("{root}/three.dm_71"), 2)] {
        for command in ["info", "verify"] {
            let ran = run(&[command, "--json", &named]);
            assert_eq!((ran.code, ran.out.matches(".dm_71\"").count()), (0, count), "{command} {named}: {}{}", ran.out, ran.err);
        }
    }
    let piped = |arguments: &[&str], path: &Path| {
        let output = crate::fragreel(arguments).stdin(File::open(path).unwrap()).output().unwrap();
        crate::Ran::of(output)
    };
    let ran = piped(&["info", "--json", "-"], &path);
    let names: Vec<String> =
        ran.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!((ran.code, names), (0, vec![String::from("-!a.dm_71"), String::from("-!d/b.dm_71")]), "{}", ran.err);
    let ran = piped(&["state", "--at", "5", "-"], &path);
    assert!(ran.code == 2 && ran.said().contains("archive with 2 recordings"), "{}", ran.err);
    let tar = folder.join("one.tar");
    taped(&tar, &[("x.dm_71", &recording), ("readme.txt", b"x")]);
    let plain = run(&["events", "--json", &format!("samples/{PLAIN}")]).out;
    let ran = piped(&["events", "--json", "-"], &tar);
    assert_eq!((ran.code, ran.out.replace("-!x.dm_71", &format!("samples/{PLAIN}"))), (0, plain), "{}", ran.err);
    // and a recording comes there as before
    assert_eq!(piped(&["verify", "-"], &fragreel_testkit::checkout().join("samples").join(PLAIN)).code, 0);
}

/// What Qizmo packed is read as any archive of one recording.
#[cfg(feature = "qwz")]
#[test]
fn recordings_of_qizmo_are_read_in_place() {
    let shared =
        fragreel_testkit::corpus("quake1").first().and_then(|sample| Some(sample.path.ancestors().nth(3)?.join("recordings-2026-11/qizmo/demo01.qwz")));
    let Some(packed) = shared.filter(|path| path.exists()) else { return fragreel_testkit::skipped("shared recordings that Qizmo packed: they are not there") };
    let folder = folder("qizmo");
    fs::copy(packed, folder.join("demo01.qwz")).unwrap();
    let root = folder.to_str().unwrap();
    let ran = run(&["info", "--json", root]);
    assert!(ran.code == 0 && ran.out.contains("demo01.qwz!demo01.qwd\"") && ran.out.contains("\"dialect\":\"quakeworld 28\""), "{}{}", ran.out, ran.err);
    let ran = run(&["events", "--json", &format!("{root}/demo01.qwz")]);
    assert!(ran.code <= 1 && ran.out.contains("\"map\":\"dm2\""), "{}{}", ran.out, ran.err);
    fs::write(folder.join("broken.qwz"), [0xff; 300]).unwrap();
    assert_ne!(run(&["info", &format!("{root}/broken.qwz")]).code, 0);
}

/// A NetQuake recording whose level ends: a block before the last, with a command that plays the next recording, and the intermission.
fn finished(mut recording: Vec<u8>, next: Option<&str>) -> Vec<u8> {
    let mut at = recording.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let (mut last, length) = (at, recording.len());
    while at + 16 <= length {
        last = at;
        at += 16 + u32::from_le_bytes(recording[at..at + 4].try_into().unwrap()) as usize;
    }
    let mut data = Vec::new();
    if let Some(next) = next {
        data.extend_from_slice(&[&[9], format!("playdemo {next}\n").as_bytes(), &[0]].concat());
    }
    data.push(30);
    let block = [&(data.len() as u32).to_le_bytes()[..], &[0; 12], &data].concat();
    recording.splice(last..last, block);
    recording
}

/// A marathon comes as a recording for each level: those in one PAK are one run, in the order in which they play each other.
#[test]
fn levels_in_a_pak_are_one_run() {
    let folder = folder("levels-in-a-pak");
    let level = || sample("quake1/netquake666_deltas_e1m1.dem");
    let members = [("b.dem", finished(level(), None)), ("a.dem", finished(level(), Some("b")))];
    let (mut pak, mut list) = (vec![0; 12], Vec::new());
    for (name, bytes) in &members {
        let mut entry = [0; 64];
        entry[..name.len()].copy_from_slice(name.as_bytes());
        entry[56..60].copy_from_slice(&(pak.len() as u32).to_le_bytes());
        entry[60..].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        list.extend(entry);
        pak.extend(bytes);
    }
    let head = [*b"PACK", (pak.len() as u32).to_le_bytes(), (list.len() as u32).to_le_bytes()].concat();
    pak[..12].copy_from_slice(&head);
    pak.extend(list);
    let path = folder.join("run.pak");
    fs::write(&path, &pak).unwrap();
    let path = path.to_str().unwrap();
    let ran = run(&["runs", "--json", path]);
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let facts: Vec<_> =
        lines.iter().map(|line| (line["path"].as_str().unwrap(), line["course"].as_str().unwrap(), line["run_time"]["counted"].as_i64())).collect();
    let [(b, "level", Some(one)), (a, "level", Some(other)), (whole, "marathon", Some(both))] = facts[..] else { panic!("{}{}", ran.out, ran.err) };
    assert_eq!((a, b, whole, both), (&*format!("{path}!a.dem"), &*format!("{path}!b.dem"), path, one + other));
    assert!(one > 0 && lines[2]["from"].is_null() && ran.code == 0, "{}{}", ran.out, ran.err);
    let alone = run(&["runs", &format!("{path}!a.dem")]);
    assert!(alone.code == 0 && !alone.out.contains("marathon"), "{}", alone.out);
}
