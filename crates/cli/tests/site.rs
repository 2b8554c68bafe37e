//! A website of an archive: the same bytes in any order, every link leads somewhere, and figures are those of `scores`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{folder, fragreel, run, sample};

/// Samples of all games. Two are views of one match.
const SAMPLES: [&str; 6] =
    ["quake3/dm_bots.dm_71", "quake3/ctf_bots.dm_71", "quake1/match_e1m1.mvd", "quake1/match_e1m1.qwd", "quake2/q2pkill_Alice.dm2", "goldsrc/net-48.dem"];

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// An archive of copies of samples.
fn archive(folder: &Path) -> PathBuf {
    let archive = folder.join("demos");
    fs::create_dir(&archive).unwrap();
    for name in SAMPLES {
        fs::write(archive.join(name.replace('/', "_")), sample(name)).unwrap();
    }
    archive
}

fn site(arguments: &[&str]) -> String {
    let ran = run(&[&["site"], arguments].concat());
    // the samples have damage of their own
    assert!(ran.code < 2, "{}", ran.err);
    ran.out
}

/// Every file below a folder, by its path.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"), fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// The times at which files changed.
fn times(root: &Path) -> BTreeMap<String, SystemTime> {
    tree(root).into_keys().map(|path| (path.clone(), fs::metadata(root.join(path)).unwrap().modified().unwrap())).collect()
}

#[test]
fn the_same_archive_gives_the_same_bytes() {
    let folder = folder("site-same");
    let archive = archive(&folder);
    let (one, other) = (folder.join("one"), folder.join("other"));
    site(&[text(&archive), "-o", text(&one), "--base", "https://example.org/demos"]);
    // one file after the other, in the other order
    for name in SAMPLES.iter().rev() {
        let file = archive.join(name.replace('/', "_"));
        site(&[text(&file), "-o", text(&other), "--base", "https://example.org/demos", "--jobs", "1"]);
    }
    site(&[text(&archive), "-o", text(&other), "--base", "https://example.org/demos"]);
    assert!(tree(&one) == tree(&other), "the trees differ");
    // a further run touches nothing
    let before = times(&one);
    let out = site(&[text(&archive), "-o", text(&one), "--base", "https://example.org/demos"]);
    assert!(out.contains(" 0 written, 0 deleted"), "{out}");
    assert_eq!(before, times(&one));
    // what goes leaves nothing behind
    fs::remove_file(archive.join("quake3_dm_bots.dm_71")).unwrap();
    site(&[text(&archive), "-o", text(&one), "--base", "https://example.org/demos"]);
    assert!(!tree(&one).keys().any(|path| path.contains("oa_minia")));
    let fresh = folder.join("fresh");
    site(&[text(&archive), "-o", text(&fresh), "--base", "https://example.org/demos"]);
    assert!(tree(&one) == tree(&fresh), "the trees differ");
    fs::remove_dir_all(folder).unwrap();
}

/// The values of an attribute in a page.
fn attributes<'t>(page: &'t str, name: &str) -> Vec<&'t str> {
    let start = format!(" {name}=\"");
    page.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_link_leads_to_a_file() {
    let folder = folder("site-links");
    let archive = archive(&folder);
    let root = folder.join("site");
    site(&[text(&archive), "-o", text(&root)]);
    let files = tree(&root);
    let mut links = 0;
    // what is in `a/` is the viewer's own, which has tests of its own
    for (path, bytes) in files.iter().filter(|(path, _)| path.ends_with(".html") && *path != "404.html" && !path.starts_with("a/")) {
        let page = std::str::from_utf8(bytes).unwrap();
        assert!(page.starts_with("<!doctype html>") && page.contains("<main id=\"main\">"), "{path}");
        assert!(!page.contains("<script>") && !page.contains(" style=") && !page.contains(" onclick"), "{path}");
        for link in ["href", "src", "data-viewer", "data-recording"].into_iter().flat_map(|name| attributes(page, name)) {
            let target = link.split(['?', '#']).next().unwrap_or_default();
            if target.is_empty() || target.starts_with("https://") {
                continue;
            }
            let mut at: Vec<&str> = path.split('/').collect();
            at.pop();
            for part in target.split('/') {
                if part == ".." {
                    assert!(at.pop().is_some(), "{path}: {link} leaves the site");
                } else {
                    at.push(part);
                }
            }
            assert!(files.contains_key(&at.join("/")), "{path}: {link}");
            links += 1;
        }
        let ids = attributes(page, "id");
        assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{path}: an id is there twice");
    }
    assert!(links > 200, "{links}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn figures_are_those_of_scores() {
    let folder = folder("site-figures");
    let archive = archive(&folder);
    let root = folder.join("site");
    site(&[text(&archive), "-o", text(&root)]);
    let mut compared = 0;
    for (path, bytes) in tree(&root).iter().filter(|(path, _)| path.ends_with("/m.json")) {
        let facts: Value = serde_json::from_slice(bytes).unwrap();
        let file = archive.join(facts["file"].as_str().unwrap());
        let ran = run(&["scores", "--json", text(&file)]);
        let boards: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).filter(|board: &Value| board["number"].is_u64()).collect();
        let shown = facts["matches"].as_array().unwrap();
        assert_eq!(boards.len(), shown.len(), "{path}");
        for (board, shown) in boards.iter().zip(shown) {
            for (line, shown) in board["players"].as_array().unwrap().iter().zip(shown["players"].as_array().unwrap()) {
                assert_eq!(line["player"]["name"]["clean"], shown["player"]["name"]["clean"]);
                for (key, figure) in line["stats"].as_object().unwrap() {
                    assert_eq!((&figure["stated"], &figure["counted"]), (&shown["stats"][key]["stated"], &shown["stats"][key]["counted"]), "{path}: {key}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn hostile_names_are_only_text() {
    let folder = folder("site-hostile");
    let archive = folder.join("demos");
    fs::create_dir(&archive).unwrap();
    let hostile = "<img src=x onerror=1>";
    let made = archive.join("made.dm_71");
    let ran = run(&["scrub", "samples/quake3/dm_bots.dm_71", "--rename", &format!("Gargoyle={hostile}"), "-o", text(&made)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let config = folder.join("site.toml");
    fs::write(&config, "title = '</title><script>1</script>'\nabout = '\"><b>'\n").unwrap();
    let root = folder.join("site");
    site(&[text(&archive), "-o", text(&root), "--config", text(&config)]);
    let files = tree(&root);
    let named = files.values().filter(|bytes| String::from_utf8_lossy(bytes).contains("onerror")).count();
    assert!(named > 3, "the name is on {named} pages");
    for (path, bytes) in files.iter().filter(|(path, _)| [".html", ".atom", ".xml", ".svg"].iter().any(|end| path.ends_with(end))) {
        let page = std::str::from_utf8(bytes).unwrap();
        for markup in ["<img src=x", "<script>1", "<b>"] {
            assert!(!page.contains(&format!("{markup}</title>")) && (markup == "<b>" || !page.contains(markup)), "{path}: {markup}");
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn who_is_removed_is_nowhere() {
    let folder = folder("site-removed");
    let archive = archive(&folder);
    let config = folder.join("site.toml");
    fs::write(&config, "[removed]\nplayers = ['gargoyle']\n").unwrap();
    let root = folder.join("site");
    site(&[text(&archive), "-o", text(&root)]);
    let names = |files: &BTreeMap<String, Vec<u8>>| {
        let mut found = Vec::new();
        for (path, bytes) in files {
            let mut plain = Vec::new();
            if path.ends_with(".gz") {
                flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
            } else {
                plain.clone_from(bytes);
            }
            if String::from_utf8_lossy(&plain).to_lowercase().contains("gargoyle") || path.contains("gargoyle") {
                found.push(path.clone());
            }
        }
        found
    };
    assert!(names(&tree(&root)).len() > 5);
    site(&[text(&archive), "-o", text(&root), "--config", text(&config)]);
    assert_eq!(names(&tree(&root)), Vec::<String>::new());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_killed_run_is_continued() {
    let folder = folder("site-killed");
    let archive = archive(&folder);
    let (root, fresh) = (folder.join("site"), folder.join("fresh"));
    for wait in [50, 200, 400, 800] {
        let mut child = fragreel(&["site", text(&archive), "-o", text(&root)]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        // it may be done
        drop(child.kill());
        child.wait().unwrap();
    }
    site(&[text(&archive), "-o", text(&root)]);
    site(&[text(&archive), "-o", text(&fresh)]);
    assert!(tree(&root) == tree(&fresh), "the trees differ");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn mistakes_are_said_and_nothing_is_overwritten() {
    let folder = folder("site-mistakes");
    let foreign = folder.join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("index.html"), "mine").unwrap();
    let ran = run(&["site", "samples/quake3", "-o", text(&foreign)]);
    assert_eq!((ran.code, ran.err.contains("has files that no earlier run made")), (2, true), "{}", ran.err);
    assert_eq!(fs::read(foreign.join("index.html")).unwrap(), b"mine");
    let config = folder.join("site.toml");
    fs::write(&config, "tittle = 'x'\n").unwrap();
    let ran = run(&["site", "samples/quake3", "-o", text(&folder.join("new")), "--config", text(&config)]);
    assert_eq!((ran.code, ran.err.contains("tittle")), (2, true), "{}", ran.err);
    let ran = run(&["site", "samples/quake3", "-o", text(&folder.join("new")), "--base", "example.org"]);
    assert_eq!((ran.code, ran.err.contains("https://")), (2, true), "{}", ran.err);
    fs::remove_dir_all(folder).unwrap();
}
