//! `cargo xtask ci`: what continuous integration runs, and nothing that it alone knows.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::step::{Failed, cargo, step};

/// Targets that the libraries must compile for, besides this machine's: another word size, and the browser.
const OTHER_TARGETS: &[&str] = &["i686-unknown-linux-gnu", "wasm32-unknown-unknown"];

/// The library crate, which depends on every other library.
const LIBRARY: &str = "fragreel";

pub fn run(_: &[String]) -> Result<(), Failed> {
    step("formatting", &mut cargo(&["fmt", "--all", "--check"]))?;
    crate::fuzz::check(&[])?;
    crate::words::check(&[])?;
    crate::absences::check(&[])?;
    step("lints", &mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    for features in ["quake3", "quake2", "goldsrc", "quake1", "quake3,text", "quake3,edit", "quake3,gzip"] {
        let name = format!("features {features} alone");
        step(&name, &mut cargo(&["clippy", "--package", LIBRARY, "--no-default-features", "--features", features, "--", "-D", "warnings"]))?;
    }
    step("Arrow and Parquet", &mut cargo(&["test", "--package", "fragreel-tables", "--features", "files"]))?;
    step("the command with Parquet", &mut cargo(&["test", "--package", "fragreel-cli", "--features", "parquet", "--test", "all", "export"]))?;
    step("RAR archives", &mut cargo(&["test", "--package", "fragreel-archive", "--features", "rar"]))?;
    step("the command without a catalogue", &mut cargo(&["check", "--package", "fragreel-cli", "--no-default-features"]))?;
    // Private items are documented for those who change them, so public ones may refer to them.
    let strict = "-D warnings -A rustdoc::private_intra_doc_links";
    // The command's has the library's name and folder: before it, so that what stays is the library's.
    let command = ["rustdoc", "--package", "fragreel-cli", "--bin", "fragreel", "--", "--document-private-items"];
    step("documentation of the command", cargo(&command).env("RUSTDOCFLAGS", strict))?;
    step("documentation", cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]).env("RUSTDOCFLAGS", strict))?;
    let skipped = other_targets()?;
    crate::counts::run(&[])?;
    crate::semver::run(&[])?;
    let summary = Summary::new();
    let unwatched = crate::web::check(&summary.0)?.into_iter().chain(crate::live::check()?).chain(crate::python::check()?);
    // Last, so that its closing lines are the last thing seen. Documentation examples are part of it.
    step("tests", cargo(&["test", "--workspace"]).env(SKIPPED, &summary.0))?;
    for target in &skipped {
        println!("*** SKIPPED: {target} is not installed; `rustup target add {target}` adds it ***");
    }
    let mut untested: BTreeSet<String> = summary.lines().into_iter().chain(unwatched).collect();
    untested.extend(crate::counts::missing());
    untested.extend(crate::semver::missing(&[]));
    for what in &untested {
        println!("*** SKIPPED: {what} ***");
    }
    match skipped.len() + untested.len() {
        0 => println!("\nall checks passed"),
        some => println!("\nall checks that ran passed; {some} were skipped, as said above"),
    }
    Ok(())
}

/// The environment variable by which tests are told where to note what they skip (`testkit::SKIPPED`).
pub const SKIPPED: &str = "FRAGREEL_SKIPPED";

/// The file in which tests note what they skip.
struct Summary(PathBuf);

impl Summary {
    /// An empty one of this run's own.
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("fragreel-skipped-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        Summary(path)
    }

    /// What was noted, each line once however many test programs noted it.
    fn lines(&self) -> BTreeSet<String> {
        fs::read_to_string(&self.0).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

impl Drop for Summary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Checks the libraries for the other targets that the toolchain has, and returns those that it has not.
fn other_targets() -> Result<Vec<&'static str>, Failed> {
    let mut skipped = Vec::new();
    for target in OTHER_TARGETS {
        if has(target) {
            step(target, &mut cargo(&["check", "--package", LIBRARY, "--target", target]))?;
        } else {
            skipped.push(*target);
        }
    }
    Ok(skipped)
}

/// Whether the toolchain has the target's standard library.
fn has(target: &str) -> bool {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| output.status.success() && std::path::Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}
