//! Fuzz targets: run them all, and keep the list of them honest.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::step::{Failed, cargo, checkout, step};

/// Runs every target (or the named ones) from its seeds, for this number of seconds each. Needs `cargo install cargo-fuzz`;
/// works on the stable compiler, without its sanitizers, because nothing here is unsafe.
pub fn run(arguments: &[String]) -> Result<(), Failed> {
    let seconds: u32 = match arguments.first() {
        None => 60,
        Some(text) => text.parse().map_err(|_| Failed(format!("`{text}` is no number of seconds")))?,
    };
    check(&[])?;
    let named: Vec<&String> = arguments.iter().skip(1).collect();
    for target in targets()?.iter().filter(|target| named.is_empty() || named.contains(target)) {
        let (corpus, seeds) = (format!("fuzz/corpus/{target}"), format!("fuzz/seeds/{target}"));
        for folder in [&corpus, &seeds] {
            fs::create_dir_all(checkout().join(folder)).map_err(|error| Failed(format!("{folder}: {error}")))?;
        }
        let limit = format!("-max_total_time={seconds}");
        let arguments =
            ["fuzz", "run", "--sanitizer", "none", target.as_str(), &corpus, &seeds, "--", &limit, "-rss_limit_mb=2048", "-timeout=20", "-print_final_stats=1"];
        step(target, cargo(&arguments).env("RUSTC_BOOTSTRAP", "1"))?;
    }
    Ok(())
}

/// Fails when a target's file is not declared in `fuzz/Cargo.toml`, a declared one has no file, or seeds belong to
/// no target.
pub fn check(_: &[String]) -> Result<(), Failed> {
    let manifest = fs::read_to_string(checkout().join("fuzz/Cargo.toml")).map_err(|error| Failed(format!("fuzz/Cargo.toml: {error}")))?;
    let declared = declared(&manifest);
    let targets = targets()?;
    let seeds = names(&checkout().join("fuzz/seeds"))?;
    let complaints: Vec<String> =
        (targets.difference(&declared).map(|name| format!("fuzz/fuzz_targets/{name}.rs is not declared in fuzz/Cargo.toml: run `cargo xtask fuzz-declare`")))
            .chain(declared.difference(&targets).map(|name| format!("fuzz/Cargo.toml declares {name}, which has no file in fuzz/fuzz_targets")))
            .chain(seeds.difference(&targets).map(|name| format!("fuzz/seeds/{name} belongs to no target")))
            .collect();
    if complaints.is_empty() {
        println!("{} fuzz targets, all declared", targets.len());
        Ok(())
    } else {
        Err(Failed(complaints.join("\n        ")))
    }
}

/// Declares in `fuzz/Cargo.toml` every target that has a file, and no other.
pub fn declare(_: &[String]) -> Result<(), Failed> {
    let path = checkout().join("fuzz/Cargo.toml");
    let failed = |error| Failed(format!("fuzz/Cargo.toml: {error}"));
    let manifest = fs::read_to_string(&path).map_err(failed)?;
    let front = manifest.split("\n[[bin]]").next().unwrap_or_default().trim_end();
    let tables = targets()?
        .into_iter()
        .map(|name| format!("\n[[bin]]\nname = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\ntest = false\ndoc = false\nbench = false\n"));
    fs::write(&path, format!("{front}\n{}", tables.collect::<String>())).map_err(failed)?;
    check(&[])
}

fn targets() -> Result<BTreeSet<String>, Failed> {
    Ok(names(&checkout().join("fuzz/fuzz_targets"))?.into_iter().filter_map(|name| name.strip_suffix(".rs").map(str::to_owned)).collect())
}

/// The names in `[[bin]]` tables.
fn declared(manifest: &str) -> BTreeSet<String> {
    let tables = manifest.split("[[bin]]").skip(1);
    tables.filter_map(|table| table.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).map(str::to_owned)).collect()
}

/// What a folder holds; nothing when there is no folder.
fn names(folder: &Path) -> Result<BTreeSet<String>, Failed> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(BTreeSet::new()) };
    entries
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()).map_err(|error| Failed(format!("{}: {error}", folder.display()))))
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn bins_are_found_in_a_manifest() {
        let manifest = "[package]\nname = \"fuzz\"\n\n[[bin]]\nname = \"a_message\"\npath = \"x\"\n\n[[bin]]\nname = \"b\"\n";
        assert_eq!(super::declared(manifest).into_iter().collect::<Vec<_>>(), ["a_message", "b"]);
    }

    #[test]
    fn every_target_is_declared() {
        assert!(super::check(&[]).is_ok(), "run `cargo xtask fuzz-check`");
    }
}
