//! `--encoding`: names and chat of code pages.

use serde_json::Value;

use super::{folder, run};

/// A recording in which `from` is replaced by bytes of windows-1251 for "Мир".
fn renamed(sample: &str, from: &str) -> String {
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples").join(sample)).unwrap();
    let text = String::from_utf8(fragreel::text_form::decompile(&bytes, sample).unwrap()).unwrap();
    assert!(text.contains(from), "{sample}");
    let bytes = fragreel::text_form::compile(text.replace(from, "\u{e0cc}\u{e0e8}\u{e0f0}").as_bytes()).unwrap();
    let path = folder("encoding").join(sample.rsplit('/').next().unwrap());
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The names of the players, raw and clean.
fn names(arguments: &[&str]) -> Vec<(String, String)> {
    let info: Value = serde_json::from_str(&run(&[&["info", "--json"], arguments].concat()).out).unwrap();
    let text = |name: &Value, key: &str| name[key].as_str().unwrap().to_owned();
    info["players"].as_array().unwrap().iter().map(|player| (text(&player["name"], "raw"), text(&player["name"], "clean"))).collect()
}

#[test]
fn names_of_a_code_page_are_readable_in_all_families() {
    for (sample, from) in [
        ("quake3/dm_bots.dm_71", "^5Blue^3Wolf"),
        ("quake2/yq2dm_Alice.dm2", "Alice"),
        ("quake1/match_e1m1.qwd", "bot alpha"),
        ("goldsrc/two-recordings.dem", "Gordon"),
    ] {
        let path = renamed(sample, from);
        let named = |names: Vec<(String, String)>| names.into_iter().find(|(raw, _)| raw == "\u{e0cc}\u{e0e8}\u{e0f0}").map(|(_, clean)| clean);
        let without = named(names(&[&path]));
        assert!(without.is_some() && without.as_deref() != Some("Мир"), "{sample}: {without:?}");
        assert_eq!(named(names(&["--encoding", "cp1251", &path])).as_deref(), Some("Мир"), "{sample}");
    }
}

#[test]
fn an_unknown_code_page_is_refused_with_the_names_of_all() {
    let ran = run(&["info", "--encoding", "utf-16", "samples/quake3/dm_bots.dm_71"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("windows-1251") && ran.err.contains("koi8-r"), "{}", ran.err);
}
