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
fn all_that_was_written_is_listed_for_upload() {
    let folder = folder("site-put");
    let archive = archive(&folder);
    // its copy cannot be made, so the files are planned twice
    fs::write(archive.join("old.dem"), sample("goldsrc/protocol-4-net-35.dem")).unwrap();
    let (root, state) = (folder.join("site"), folder.join("site.state"));
    let all_are_listed = || {
        let out = site(&[text(&archive), "-o", text(&root)]);
        let (list, files) = (fs::read_to_string(state.join("put")).unwrap(), tree(&root));
        assert_eq!(list.lines().collect::<BTreeSet<_>>(), files.keys().map(String::as_str).collect());
        assert!(out.contains(&format!(" {} written, 0 deleted", files.len())), "{out}");
    };
    all_are_listed();
    // as a run leaves it that is killed at its end
    fs::rename(state.join("manifest"), state.join("journal")).unwrap();
    all_are_listed();
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn parts_make_the_same_site() {
    let folder = folder("site-parts");
    let archive = archive(&folder);
    let (whole, site_folder) = (folder.join("whole"), folder.join("site"));
    let base = ["--base", "https://example.org/demos"];
    site(&[&[text(&archive), "-o", text(&whole)], &base[..]].concat());
    let parts = [folder.join("part-1"), folder.join("part-2")];
    let lists = [&SAMPLES[..3], &SAMPLES[3..]];
    let workers: Vec<_> = std::iter::zip(&parts, lists)
        .map(|(part, list)| {
            let files: Vec<PathBuf> = list.iter().map(|name| archive.join(name.replace('/', "_"))).collect();
            let files: Vec<&str> = files.iter().map(|file| text(file)).collect();
            fragreel(&[&["site", "--no-pages", "-o", text(part)], &files[..], &base[..]].concat()).spawn().unwrap()
        })
        .collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().code().is_some_and(|code| code < 2));
    }
    // the copies are elsewhere by then
    let copies: BTreeMap<String, Vec<u8>> = parts.iter().flat_map(|part| tree(part)).collect();
    parts.iter().for_each(|part| fs::remove_dir_all(part).unwrap());
    assert!(copies.keys().all(|path| path.starts_with("d/") || path.starts_with("clip/")), "{:?}", copies.keys());
    let states = [folder.join("part-1.state"), folder.join("part-2.state")];
    let merge = [&["--parts", text(&states[0]), text(&states[1]), "-o", text(&site_folder)], &base[..]].concat();
    let out = site(&merge);
    assert!(!out.contains(" 0 written"), "{out}");
    let mut all = tree(&site_folder);
    assert!(copies.keys().all(|path| !all.contains_key(path)));
    all.extend(copies);
    assert!(all == tree(&whole), "the trees differ");
    let again = site(&merge);
    assert!(again.contains(" 0 written, 0 deleted"), "{again}");
    let ran = run(&["site", "--parts", text(&folder.join("nothing")), "-o", text(&folder.join("new"))]);
    assert_eq!((ran.code, ran.err.contains("is no state of a part of a site")), (2, true), "{}", ran.err);
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

/// Adds, removes, renames and repairs files, changes removals, and kills runs. After every few steps, the site is that of a fresh build.
fn steps_end_at_a_fresh_build(count: usize, seed: u64) {
    let folder = folder(&format!("site-steps-{seed}"));
    let (archive, root, config) = (folder.join("demos"), folder.join("site"), folder.join("site.toml"));
    fs::create_dir(&archive).unwrap();
    fs::write(&config, "").unwrap();
    let mut state = seed;
    let mut dice = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let arguments = [text(&archive), "-o", text(&root), "--config", text(&config), "--jobs", "2"];
    let mut compared = 0;
    for step in 0..count {
        let files: Vec<PathBuf> = fs::read_dir(&archive).unwrap().map(|entry| entry.unwrap().path()).collect();
        let name = SAMPLES[dice(SAMPLES.len())];
        match (dice(6), files.is_empty()) {
            (0 | 1, _) | (_, true) => fs::write(archive.join(format!("{}_{}", dice(3), name.replace('/', "_"))), sample(name)).unwrap(),
            // an archive without recordings is refused
            (2, _) if files.len() > 1 => fs::remove_file(&files[dice(files.len())]).unwrap(),
            (3, _) => {
                let from = &files[dice(files.len())];
                fs::rename(from, archive.join(format!("renamed_{step}_{}", from.file_name().unwrap().to_str().unwrap()))).unwrap();
            }
            (4, _) => fs::write(&config, ["", "[removed]\nplayers = ['gargoyle']\n", "names = 'none'\n"][dice(3)]).unwrap(),
            _ => {
                let mut child = fragreel(&[&["site"], &arguments[..]].concat()).spawn().unwrap();
                std::thread::sleep(Duration::from_millis(dice(900) as u64));
                // it may be done
                drop(child.kill());
                child.wait().unwrap();
            }
        }
        if step % 4 == 3 || step + 1 == count {
            site(&arguments);
            let fresh = folder.join("fresh");
            site(&[text(&archive), "-o", text(&fresh), "--config", text(&config)]);
            assert!(tree(&root) == tree(&fresh), "step {step}: the trees differ");
            fs::remove_dir_all(&fresh).unwrap();
            fs::remove_dir_all(folder.join("fresh.state")).unwrap();
            compared += 1;
        }
    }
    assert!(compared > 0);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_few_random_steps_end_at_a_fresh_build() {
    steps_end_at_a_fresh_build(8, 1);
}

#[test]
#[ignore = "nightly"]
fn a_thousand_random_steps_end_at_a_fresh_build() {
    steps_end_at_a_fresh_build(1000, 2);
}

#[test]
fn boards_alone_are_those_of_the_site() {
    let folder = folder("site-alone");
    let archive = archive(&folder);
    let root = folder.join("site");
    site(&[text(&archive), "-o", text(&root)]);
    let ran = run(&["scores", "--html", text(&archive.join("quake3_ctf_bots.dm_71"))]);
    assert!(ran.out.starts_with("<!doctype html>") && ran.out.ends_with("</html>\n") && !ran.out.contains("<script"), "{}", ran.out);
    let rows = |page: &str| {
        let board = page.split("<tbody>").skip(1).map(|rest| rest.split("</tbody>").next().unwrap()).collect::<String>();
        board.split("<td class=\"n").skip(1).map(|cell| cell.split("</td>").next().unwrap().to_owned()).take(40).collect::<Vec<_>>()
    };
    let pages = tree(&root);
    let of_site = pages
        .iter()
        .find(|(path, bytes)| path.starts_with("m/") && path.ends_with("m.json") && String::from_utf8_lossy(bytes).contains("quake3_ctf_bots"))
        .unwrap()
        .0;
    let page = String::from_utf8(pages[&of_site.replace("m.json", "index.html")].clone()).unwrap();
    assert!(rows(&ran.out).len() > 20);
    assert_eq!(rows(&ran.out)[..20], rows(&page)[..20]);
    let ran = run(&["scores", "--markdown", text(&archive.join("quake3_ctf_bots.dm_71"))]);
    assert_eq!(ran.out.as_bytes(), pages[&of_site.replace("m.json", "m.md")]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_dry_run_counts_what_a_run_writes() {
    let folder = folder("site-dry");
    let archive = archive(&folder);
    let root = folder.join("site");
    let out = site(&[text(&archive), "-o", text(&root), "--no-files", "-n"]);
    assert!(!root.exists(), "nothing is written");
    let line = |kind: &str| out.lines().find(|line| line.starts_with(kind)).unwrap_or_else(|| panic!("{kind}: {out}")).to_owned();
    assert!(out.contains("fits: GitHub Pages, Cloudflare Pages (free)"), "{out}");
    site(&[text(&archive), "-o", text(&root), "--no-files"]);
    let files = tree(&root);
    let count: usize = out.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(count, files.len(), "{out}");
    let matches = files.keys().filter(|path| path.starts_with("m/")).count();
    assert_eq!(line("matches").split_whitespace().nth(1).unwrap(), matches.to_string());
    fs::remove_dir_all(folder).unwrap();
}

/// Few files: figures in JSON Lines, the same as beside the pages.
#[test]
fn the_compact_layout_has_the_same_figures() {
    let folder = folder("site-compact");
    let archive = archive(&folder);
    let (full, compact) = (folder.join("full"), folder.join("compact"));
    site(&[text(&archive), "-o", text(&full)]);
    site(&[text(&archive), "-o", text(&compact), "--layout", "compact"]);
    let values = |bytes: &[u8]| -> BTreeSet<String> { String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect() };
    let (full, compact) = (tree(&full), tree(&compact));
    let one: BTreeSet<String> = full.iter().filter(|(path, _)| path.ends_with("/m.json")).flat_map(|(_, bytes)| values(bytes)).collect();
    let other: BTreeSet<String> = compact.iter().filter(|(path, _)| path.starts_with("j/")).flat_map(|(_, bytes)| values(bytes)).collect();
    assert_eq!(one, other);
    assert!(one.len() == SAMPLES.len() && compact.len() < full.len() && !compact.keys().any(|path| path.ends_with("m.md")));
    fs::remove_dir_all(folder).unwrap();
}

/// A moment of a site with a viewer has a clip that holds it.
#[test]
fn moments_have_clips() {
    let folder = folder("site-clips");
    let archive = archive(&folder);
    let (viewer, root) = (folder.join("viewer"), folder.join("site"));
    fs::create_dir(&viewer).unwrap();
    fs::write(viewer.join("fragreel-viewer.js"), "export {}").unwrap();
    site(&[text(&archive), "-o", text(&root), "--viewer", text(&viewer)]);
    let files = tree(&root);
    let clips: Vec<&String> = files.keys().filter(|path| path.starts_with("clip/")).collect();
    let shown: BTreeSet<String> = files
        .iter()
        .filter(|(path, _)| path.starts_with("m/") && path.ends_with(".html"))
        .flat_map(|(_, bytes)| {
            attributes(std::str::from_utf8(bytes).unwrap(), "data-clip").into_iter().map(|link| link.replace("../../", "")).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(clips.iter().map(ToString::to_string).collect::<BTreeSet<_>>(), shown);
    assert!(clips.len() > 3, "{clips:?}");
    for clip in clips {
        let ran = run(&["info", "--json", text(&root.join(clip))]);
        let info: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
        let length = info["duration"].as_i64().unwrap_or_else(|| panic!("{clip}: {}", ran.out));
        assert!((1000..60_000).contains(&length), "{clip}: {length}");
        assert!(files[clip].len() < 100_000, "{clip}: {}", files[clip].len());
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Cards need the full address of the site.
#[cfg(feature = "cards")]
#[test]
fn cards_are_named_where_they_are() {
    let folder = folder("site-cards");
    let archive = archive(&folder);
    let (root, without) = (folder.join("site"), folder.join("without"));
    site(&[text(&archive), "-o", text(&root), "--base", "https://example.org/demos"]);
    site(&[text(&archive), "-o", text(&without)]);
    let (files, without) = (tree(&root), tree(&without));
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with("m/") && path.ends_with("index.html")) {
        let page = std::str::from_utf8(bytes).unwrap();
        let card = path.replace("index.html", "card.png");
        assert!(page.contains(&format!("<meta property=\"og:image\" content=\"https://example.org/demos/{card}\">")), "{path}");
        assert!(files[&card].starts_with(b"\x89PNG"), "{card}");
    }
    assert!(!without.keys().any(|path| path.ends_with(".png")));
    assert!(!without.values().any(|bytes| String::from_utf8_lossy(bytes).contains("og:image")));
    fs::remove_dir_all(folder).unwrap();
}

/// Tables of the data hold the figures of the boards, and nobody who was removed.
#[cfg(feature = "parquet")]
#[test]
fn tables_are_parquet() {
    let folder = folder("site-data");
    let archive = archive(&folder);
    let config = folder.join("site.toml");
    fs::write(&config, "[removed]\nplayers = ['gargoyle']\n").unwrap();
    let root = folder.join("site");
    site(&[text(&archive), "-o", text(&root), "--config", text(&config)]);
    let files = tree(&root);
    for table in ["recordings", "matches", "scores", "kills", "moments", "runs"] {
        let bytes = &files[&format!("data/{table}.parquet")];
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
        assert!(!String::from_utf8_lossy(bytes).to_lowercase().contains("gargoyle"), "{table}");
    }
    fs::remove_dir_all(folder).unwrap();
}
