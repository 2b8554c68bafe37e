//! `cargo xtask absences`: what ARCHITECTURE.md says is nowhere, is nowhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::step::Failed;

/// The libraries: everything below the command.
const LIBRARIES: &[&str] = &["wire", "delta", "model", "replay", "textform", "live", "quake3", "quake2", "goldsrc", "quake1", "fragreel"];

const FAMILIES: &[&str] = &["quake3", "quake2", "goldsrc", "quake1"];

/// What stands in no library outside of its tests, and the rule that it would break.
const ABSENT: &[(&str, &str)] = &[
    ("std::fs", "no crate below `cli` opens a file"),
    ("File::open", "no crate below `cli` opens a file"),
    ("UdpSocket", "no crate below `cli` opens a socket"),
    ("TcpStream", "no crate below `cli` opens a socket"),
    ("Instant::now", "no crate below `cli` reads a clock"),
    ("SystemTime", "no crate below `cli` reads a clock"),
    ("std::env", "no crate below `cli` reads the environment"),
    ("unsafe ", "no `unsafe` anywhere"),
];

pub fn check(_: &[String]) -> Result<(), Failed> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut found = Vec::new();
    for library in LIBRARIES {
        let (mut files, mut tests) = (Vec::new(), BTreeSet::new());
        sources(&root.join(library).join("src"), &mut files, &mut tests)?;
        if files.is_empty() {
            return Err(Failed(format!("the crate {library} has no sources: xtask/src/absences.rs names another than there is")));
        }
        for file in files.iter().filter(|file| !tests.iter().any(|test| is_under(file, test))) {
            let text = fs::read_to_string(file).map_err(|error| Failed(format!("{}: {error}", file.display())))?;
            found.extend(broken_rules(&text).map(|(line, rule)| format!("{}:{line}: {rule}", file.display())));
        }
        if FAMILIES.contains(library) {
            let manifest = root.join(library).join("Cargo.toml");
            let text = fs::read_to_string(&manifest).map_err(|error| Failed(format!("{}: {error}", manifest.display())))?;
            let needs = |other: &str| text.lines().any(|line| line.starts_with(&format!("{other}.")) || line.starts_with(&format!("{other} ")));
            let others = FAMILIES.iter().filter(|other| *other != library && needs(other));
            found.extend(others.map(|other| format!("{}: families do not import each other, and this one imports {other}", manifest.display())));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(Failed(format!("what should be absent is there:\n{}", found.join("\n")))) }
}

/// The lines outside of tests that break a rule.
fn broken_rules(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    let lines: Vec<&str> = text.lines().collect();
    let inline = lines.windows(2).position(|pair| pair[0].trim() == "#[cfg(test)]" && pair[1].contains("mod tests {"));
    let code: Vec<String> = lines[..inline.unwrap_or(lines.len())].iter().map(|line| line.split("//").next().unwrap_or_default().to_owned()).collect();
    code.into_iter().enumerate().filter_map(|(at, line)| ABSENT.iter().find(|(what, _)| line.contains(what)).map(|(_, rule)| (at + 1, *rule)))
}

/// All source files of a folder, and the paths of modules that are only for tests.
fn sources(folder: &Path, files: &mut Vec<PathBuf>, tests: &mut BTreeSet<PathBuf>) -> Result<(), Failed> {
    let entries = fs::read_dir(folder).map_err(|error| Failed(format!("{}: {error}", folder.display())))?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            sources(&path, files, tests)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            for pair in lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]") {
                let name = pair[1].split("mod ").nth(1).and_then(|rest| rest.strip_suffix(';'));
                let own = path.with_extension("");
                let inside = if path.file_name().is_some_and(|name| name == "mod.rs" || name == "lib.rs") { folder.to_owned() } else { own };
                tests.extend(name.map(|name| inside.join(name)));
            }
            files.push(path);
        }
    }
    Ok(())
}

fn is_under(file: &Path, module: &Path) -> bool {
    file.with_extension("") == module || file.starts_with(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_rule_is_found_outside_of_tests_and_comments() {
        let found = |text| broken_rules(text).collect::<Vec<_>>();
        assert_eq!(found("fn a() {}\nfn b() { std::fs::read(x); }\n")[..], [(2, "no crate below `cli` opens a file")]);
        assert!(found("// std::fs\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n").is_empty());
    }

    #[test]
    fn the_architecture_keeps_its_word() {
        assert!(check(&[]).is_ok(), "{:?}", check(&[]).err().map(|failed| failed.0));
    }
}
