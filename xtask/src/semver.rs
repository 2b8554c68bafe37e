//! `cargo xtask semver [REVISION]`: whether the public crate still offers what it offered at a revision, by `cargo-semver-checks`.

use std::process::Command;

use crate::step::{Failed, cargo, step};

/// The crate that people depend on.
const LIBRARY: &str = "fragreel";

pub fn run(arguments: &[String]) -> Result<(), Failed> {
    check(arguments).map(|missing| missing.iter().for_each(|what| println!("*** SKIPPED: {what} ***")))
}

/// Compares with a revision, or with the last release. Returns why not, where that is not possible.
pub fn check(arguments: &[String]) -> Result<Option<String>, Failed> {
    if let Some(what) = missing(arguments) {
        return Ok(Some(what));
    }
    let revision = revision(arguments).unwrap_or_default();
    step("public interface", &mut cargo(&["semver-checks", "--package", LIBRARY, "--baseline-rev", &revision]))?;
    Ok(None)
}

/// Why nothing can be checked, if so.
fn missing(arguments: &[String]) -> Option<String> {
    let there = cargo(&["semver-checks", "--version"]).output().is_ok_and(|output| output.status.success());
    if !there {
        return Some(String::from("public interface: cargo-semver-checks is not installed; `cargo install cargo-semver-checks` adds it"));
    }
    revision(arguments).is_none().then(|| String::from("public interface: there is no release tag to compare with; `cargo xtask semver REVISION` names one"))
}

/// The revision that was asked for, or the last release.
fn revision(arguments: &[String]) -> Option<String> {
    let tag = || {
        let output = Command::new("git").args(["describe", "--tags", "--abbrev=0", "--match", "v*"]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    arguments.first().cloned().or_else(tag)
}
