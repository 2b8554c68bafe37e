//! `cargo xtask bench`: the figures of docs/performance.md.

use crate::step::{Failed, cargo, step};

/// The package with the benchmarks.
pub const PACKAGE: &str = "fragreel-benches";

/// Its benchmarks that take time. `cargo xtask counts` counts instructions.
const BENCHMARKS: &[&str] = &["quake3", "quake2", "goldsrc", "quake1", "protocol"];

pub fn run(benchmarks: &[String]) -> Result<(), Failed> {
    let wanted: Vec<&str> = if benchmarks.is_empty() { BENCHMARKS.to_vec() } else { benchmarks.iter().map(String::as_str).collect() };
    for benchmark in wanted {
        step(benchmark, &mut cargo(&["bench", "--package", PACKAGE, "--bench", benchmark]))?;
    }
    Ok(())
}

/// Runs each benchmark once, and the tests against other parsers.
pub fn check() -> Result<(), Failed> {
    for benchmark in BENCHMARKS {
        step(benchmark, &mut cargo(&["bench", "--package", PACKAGE, "--bench", benchmark, "--", "--test"]))?;
    }
    step("other parsers", &mut cargo(&["test", "--package", PACKAGE, "--test", "goldsrc_peers"]))
}
