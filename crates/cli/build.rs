//! Puts the viewer's page into the command where `cargo xtask web` built it (`web/dist`); otherwise there is none.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
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
            // a copy: the page may be built again while this is compiled
            let copy = out.join(format!("page-{number}"));
            fs::copy(file, &copy).expect("the page can be read");
            write!(list, "({name:?}, include_bytes!({:?}) as &[u8]),", copy.display().to_string()).expect("text grows");
        }
    }
    list.push(']');
    fs::write(out.join("page.rs"), list).expect("the folder is writable");
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
