//! `include/fragreel.h` against the functions: C would not notice a wrong type before it is too late.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A type of Rust's as C has it.
fn in_c(rust: &str) -> String {
    let known = [
        ("*const c_char", "const char *"),
        ("*mut c_char", "char *"),
        ("*mut *mut c_char", "char **"),
        ("*const u8", "const uint8_t *"),
        ("*mut u8", "uint8_t *"),
        ("*mut usize", "size_t *"),
        ("usize", "size_t "),
        ("i64", "int64_t "),
        ("f64", "double "),
        ("*const Recording", "const fragreel_recording *"),
        ("*mut Recording", "fragreel_recording *"),
        ("*mut Frames", "fragreel_frames_walk *"),
    ];
    let found = known.iter().find(|(name, _)| *name == rust);
    found.unwrap_or_else(|| panic!("the test does not know the type {rust}")).1.to_owned()
}

/// The prototype of a function, from `fragreel_open(bytes: *const u8, …) -> *mut Recording`.
fn prototype(signature: &str) -> String {
    let (name, rest) = signature.split_once('(').expect("a function has parameters");
    let (parameters, result) = rest.rsplit_once(')').expect("they end");
    let result = result.trim().strip_prefix("->").map_or(String::from("void "), |result| in_c(result.trim()));
    let parameters: Vec<String> = parameters
        .split(',')
        .map(str::trim)
        .filter(|parameter| !parameter.is_empty())
        .map(|parameter| {
            let (name, of) = parameter.split_once(':').expect("a parameter has a type");
            format!("{}{}", in_c(of.trim()), name.trim())
        })
        .collect();
    let parameters = if parameters.is_empty() { String::from("void") } else { parameters.join(", ") };
    format!("{result}{name}({parameters});")
}

#[test]
fn the_header_has_every_function_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut functions = BTreeSet::new();
    for entry in fs::read_dir(root.join("src")).expect("the crate has sources") {
        let text = fs::read_to_string(entry.expect("it can be read").path()).expect("it is text");
        for part in text.split("#[unsafe(no_mangle)]").skip(1) {
            let signature = part.split_once("extern \"C\" fn ").expect("an exported function is one of C's").1;
            let signature = signature.split_once('{').expect("it has a body").0;
            functions.insert(prototype(&signature.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
    let header = fs::read_to_string(root.join("include/fragreel.h")).expect("there is a header");
    let declared: BTreeSet<String> = header.lines().filter(|line| line.ends_with(");") && !line.starts_with(' ')).map(str::to_owned).collect();
    assert!(functions.len() > 10, "{functions:?}");
    assert_eq!(declared, functions);
}
