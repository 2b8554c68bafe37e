//! `cargo xtask bench`: the figures of docs/performance.md.

use crate::step::{Failed, cargo, step};

/// The packages with benchmarks.
const PACKAGES: &[&str] = &["fragreel-quake3", "fragreel-quake2", "fragreel-goldsrc", "fragreel-quake1"];

pub fn run(packages: &[String]) -> Result<(), Failed> {
    let wanted: Vec<&str> = if packages.is_empty() { PACKAGES.to_vec() } else { packages.iter().map(String::as_str).collect() };
    for package in wanted {
        step(package, &mut cargo(&["bench", "--package", package]))?;
    }
    Ok(())
}
