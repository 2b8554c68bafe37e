//! Packing, unpacking, and what is packed read in place.

use std::fs;

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
