//! `rename` and `sort`: files by what is in them, and back.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{folder, run, sample};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// All files below a folder, with what is in them.
fn all(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(all(&path)) } else { found.push((path.clone(), fs::read(&path).unwrap())) }
    }
    found.sort();
    found
}

#[test]
fn files_are_named_by_their_matches_and_named_back() {
    let folder = folder("rename");
    let (demos, list) = (folder.join("demos"), folder.join("moves.jsonl"));
    fs::create_dir(&demos).unwrap();
    for (name, of) in [("a.dm_71", "quake3/dm_bots.dm_71"), ("b.dm_71", "quake3/dm_bots.dm_71"), ("c.dm_71", "quake3/ctf_bots.dm_71")] {
        fs::write(demos.join(name), sample(of)).unwrap();
    }
    // somebody has the name already
    let wanted = demos.join("2026-11-21_11-06_oa_minia_Gargoyle_vs_Grism_5-3_Gargoyle.dm_71");
    fs::write(&wanted, "not a recording").unwrap();
    let before = all(&demos);
    let pattern = "{date}_{time}_{map}_{team1}_vs_{team2}_{score}_{winner}.{ext}";
    let rename =
        |more: &[&str]| run(&[&["rename", text(&demos.join("a.dm_71")), text(&demos.join("b.dm_71")), "--to", pattern, "--moves", text(&list)], more].concat());
    let ran = rename(&["--dry-run"]);
    assert!(ran.code == 0 && ran.out.contains("Gargoyle_vs_Grism_5-3_Gargoyle_2.dm_71"), "{}{}", ran.out, ran.err);
    assert!(all(&demos) == before && !list.exists());
    let ran = rename(&["--json"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 2), "{}", ran.err);
    let names: Vec<String> = all(&demos).iter().map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let stem = "2026-11-21_11-06_oa_minia_Gargoyle_vs_Grism_5-3_Gargoyle";
    assert_eq!(names, [format!("{stem}.dm_71"), format!("{stem}_2.dm_71"), format!("{stem}_3.dm_71"), String::from("c.dm_71")]);
    assert_eq!(fs::read(&wanted).unwrap(), b"not a recording");
    let ran = run(&["rename", "--undo", text(&list)]);
    assert!(ran.code == 0 && ran.err.contains("moved 2 back"), "{}", ran.err);
    assert!(all(&demos) == before);
    let ran = run(&["rename", text(&demos), "--to", "x.dm_71"]);
    assert!(ran.code == 2 && ran.err.contains("is one name for all files"), "{}", ran.err);
}

#[test]
fn files_are_sorted_into_folders_and_back() {
    let folder = folder("sort");
    let (demos, list) = (folder.join("in"), folder.join("moves.jsonl"));
    fs::create_dir(&demos).unwrap();
    fs::write(demos.join("a.dm_71"), sample("quake3/dm_bots.dm_71")).unwrap();
    fs::write(demos.join("b.mvd"), sample("quake1/match_e1m1.mvd")).unwrap();
    let mut packed = fragreel::packing::pack(&sample("quake3/ctf_bots.dm_71"), "c.dm_71");
    fs::write(demos.join("c.dm_71.frp"), &packed).unwrap();
    packed.clear();
    let before = all(&demos);
    // into a folder that is searched as well
    let ran = run(&["sort", text(&demos), "-o", text(&demos.join("sorted")), "--by", "{map}/{stem}.{ext}", "--moves", text(&list)]);
    assert!(ran.code == 0 && ran.err.contains("moved 3"), "{}{}", ran.out, ran.err);
    for path in ["oa_minia/a.dm_71", "e1m1/b.mvd"] {
        assert!(demos.join("sorted").join(path).is_file(), "{path}: {}", ran.out);
    }
    assert!(all(&demos).iter().any(|(path, _)| path.ends_with("c.dm_71.frp")), "{}", ran.out);
    let ran = run(&["rename", "--undo", text(&list), "--json"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 3), "{}", ran.err);
    let after: Vec<_> = all(&demos);
    assert!(after == before, "{:?}", after.iter().map(|(path, _)| path).collect::<Vec<_>>());
}
