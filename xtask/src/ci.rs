//! `cargo xtask ci`: the commands that must pass before a change goes in. Each is an ordinary one, and printed as it runs.

use std::process::Command;

use crate::step::{Failed, cargo, has_target, leave_out, step, together};

/// What every command of the whole workspace names, so that cargo compiles everything once.
const WORKSPACE: [&str; 2] = ["--workspace", "--all-features"];

/// Another word size, for which the library must compile.
const NARROW: &str = "i686-unknown-linux-gnu";

/// Selections of the library's features that must compile.
const FEATURES: [&str; 8] = ["quake3", "quake3,text", "quake3,edit", "quake3,gzip", "quake3,pack", "quake2", "goldsrc", "quake1"];

/// Everything that finds a mistake in half an hour.
pub fn run(_: &[String]) -> Result<(), Failed> {
    step("formatting", &mut cargo(&["fmt", "--all", "--check"]))?;
    crate::words::check(&[])?;
    crate::absences::check(&[])?;
    crate::fuzz::check(&[])?;
    // the page and the packages of Python do not wait for cargo's lock, and the command that is tested has the page inside
    together(
        || {
            step("lints", workspace(&["clippy", "--all-targets"]).args(["--", "-D", "warnings"]))?;
            // private items are documented for those who change them, and public ones may refer to them
            let mut doc = workspace(&["doc", "--no-deps", "--document-private-items"]);
            step("documentation", doc.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links"))
        },
        || {
            crate::python::prepare()?;
            crate::web::build()
        },
    )?;
    // without nextest, documentation examples are among them
    let has_nextest = has_nextest();
    step("tests", &mut workspace(if has_nextest { &["nextest", "run"] } else { &["test"] }))?;
    together(
        || {
            if has_nextest {
                step("documentation examples", &mut workspace(&["test", "--doc"]))?;
            }
            step("the command without a catalogue", &mut lint("fragreel-cli", &[]))?;
            compiles_for(NARROW)?;
            // otherwise the page has it
            if crate::web::missing().is_some() {
                compiles_for(crate::web::TARGET)?;
            }
            crate::python::check()
        },
        crate::web::check,
    )
}

/// What takes too long for every change. The workflow `nightly` runs it.
pub fn nightly(_: &[String]) -> Result<(), Failed> {
    crate::web::build()?;
    if has_nextest() {
        step("long tests", &mut workspace(&["nextest", "run", "--profile", "nightly", "--run-ignored", "only"]))?;
    } else {
        step("long tests", workspace(&["test"]).args(["--", "--ignored"]))?;
    }
    crate::python::check_nightly()?;
    // what it says where features are missing
    step("the command with its default features", &mut cargo(&["test", "--package", "fragreel-cli"]))?;
    for features in FEATURES {
        step(&format!("the library with {features} alone"), &mut lint("fragreel", &["--features", features]))?;
    }
    crate::bench::check()?;
    crate::counts::check()?;
    crate::machines::run(&[])?;
    crate::torture::run(&["--cases", "2000"].map(String::from))?;
    crate::sessions(&[])
}

/// Cargo with these arguments for the whole workspace. Without Python, its package compiles all the same, and is not tested.
pub fn workspace(arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.args(WORKSPACE);
    if crate::python::interpreter().is_none() {
        command.env("PYO3_NO_PYTHON", "1");
    }
    command
}

fn has_nextest() -> bool {
    cargo(&["nextest", "--version"]).output().is_ok_and(|output| output.status.success())
}

/// Lints a package with these features alone.
fn lint(package: &str, features: &[&str]) -> Command {
    let mut lint = cargo(&["clippy", "--package", package, "--no-default-features"]);
    lint.args(features).args(["--", "-D", "warnings"]);
    lint
}

/// Checks the library for another target.
fn compiles_for(target: &str) -> Result<(), Failed> {
    if has_target(target) {
        return step(target, &mut cargo(&["check", "--package", "fragreel", "--target", target]));
    }
    leave_out(format!("the library for {target}, whose standard library is not installed: `rustup target add {target}` adds it"));
    Ok(())
}
