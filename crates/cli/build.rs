//! Puts the documents of `fragreel help TOPIC` into the command, and the viewer's page if `cargo xtask web` built it (`web/dist`).

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let page = beside("page", "web/dist");
    println!("cargo::rerun-if-changed=build.rs");
    if page.is_dir() {
        println!("cargo::rerun-if-changed={}", page.display());
    }
    let mut files = Vec::new();
    below(&page, &mut files);
    files.sort();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut list = String::from("[");
    // half of a page is none
    if files.iter().any(|file| file.ends_with("index.html")) {
        for (number, file) in files.iter().enumerate() {
            let name = file.strip_prefix(&page).expect("it is below the folder").to_string_lossy().replace('\\', "/");
            // a copy: the page may be built again while this is compiled, and then this runs again
            let copy = out.join(format!("page-{number}"));
            if fs::copy(file, &copy).is_err() {
                continue;
            }
            write!(list, "({name:?}, include_bytes!({:?}) as &[u8]),", copy.display().to_string()).expect("text grows");
        }
    }
    list.push(']');
    fs::write(out.join("page.rs"), list).expect("the folder is writable");
    fs::write(out.join("topics.rs"), topics(&out)).expect("the folder is writable");
}

/// Documents that answer questions about the command and its output.
const TOPICS: [&str; 17] = [
    "guide",
    "glossary",
    "json",
    "tables",
    "statistics",
    "moments",
    "text-form",
    "audit",
    "catalogue",
    "site",
    "live",
    "python",
    "scale",
    "formats/quake1",
    "formats/quake2",
    "formats/quake3",
    "formats/goldsrc",
];

/// The folder that a published crate has as `packed`, and a checkout as `shared`.
fn beside(packed: &str, shared: &str) -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packed = manifest.join(packed);
    if packed.is_dir() { packed } else { manifest.join("../..").join(shared) }
}

/// Names and texts of the documents, as a list in Rust.
fn topics(out: &Path) -> String {
    let docs = beside("docs", "docs");
    let mut list = String::from("[");
    for topic in TOPICS {
        let file = docs.join(topic).with_extension("md");
        if let Ok(text) = fs::read(&file) {
            println!("cargo::rerun-if-changed={}", file.display());
            let copy = out.join(topic.replace('/', "-"));
            fs::write(&copy, text).expect("the folder is writable");
            write!(list, "({topic:?}, include_str!({:?})),", copy.display().to_string()).expect("text grows");
        }
    }
    list + "]"
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            below(&path, files);
        } else if path.extension().is_some_and(|kind| ["html", "js", "css", "wasm", "json"].iter().any(|known| kind == *known)) {
            files.push(path);
        }
    }
}
