//! `cargo xtask semver [REVISION]`: whether the public crate still offers what it offered at a revision, by `cargo-semver-checks`.

use std::process::Command;

use crate::step::{Failed, cargo, said, step};

/// Compares with a revision, or with the last release.
pub fn run(arguments: &[String]) -> Result<(), Failed> {
    let last = || said(Command::new("git").args(["describe", "--tags", "--abbrev=0", "--match", "v*"]));
    let Some(revision) = arguments.first().cloned().or_else(last) else {
        return Err(Failed(String::from("there is no release tag to compare with; `cargo xtask semver REVISION` names a revision")));
    };
    if said(&mut cargo(&["semver-checks", "--version"])).is_none() {
        return Err(Failed(String::from("cargo-semver-checks is not installed; `cargo install cargo-semver-checks` adds it")));
    }
    step("public interface", &mut cargo(&["semver-checks", "--package", "fragreel", "--baseline-rev", &revision]))
}
