//! `cargo xtask counts`: instructions that each question takes over samples of each family, counted by valgrind through gungraun, against those of
//! `xtask/counts.tsv`. They do not depend on what else the machine does, so a slow change shows at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::step::{Failed, cargo, checkout, leave_out, said, step, target, timed};

/// More than is written down by this share is a failure; less by as much asks for a new figure.
const TOLERANCE: f64 = 0.03;

/// What each line of the table says.
const HEADING: &str = "question\tsample\tinstructions";

/// The runner has to be of the version that the library is.
const MANIFEST: &str = include_str!("../../Cargo.toml");

/// Counts and compares. With `--bless` the figures are written down instead.
pub fn run(arguments: &[String]) -> Result<(), Failed> {
    if !arguments.iter().any(|argument| argument == "--bless") {
        return check();
    }
    let (runner, folder) = build()?;
    let counted = count(&runner, &folder)?;
    let lines = counted.iter().map(|((question, sample), count)| format!("{question}\t{sample}\t{count}\n"));
    fs::write(path(), format!("{HEADING}\t{}\n{}", compiler(), lines.collect::<String>())).map_err(|error| Failed(error.to_string()))
}

/// Counts and compares, where that is possible.
pub fn check() -> Result<(), Failed> {
    if let Some(what) = missing() {
        leave_out(what);
        return Ok(());
    }
    let written = written()?;
    let (runner, folder) = build()?;
    compare(&count(&runner, &folder)?, &written)
}

type Counts = BTreeMap<(String, String), u64>;

fn compare(counted: &Counts, written: &Counts) -> Result<(), Failed> {
    let mut slower = Vec::new();
    for ((question, sample), now) in counted {
        let Some(before) = written.get(&(question.clone(), sample.clone())) else {
            slower.push(format!("{question} of {sample} is not written down: `cargo xtask counts --bless` does it"));
            continue;
        };
        let ratio = *now as f64 / *before as f64;
        println!("{question:<22} {sample:<34} {:>8.2} M, {:+.1} %", *now as f64 / 1e6, (ratio - 1.0) * 100.0);
        if ratio > 1.0 + TOLERANCE {
            slower.push(format!("{question} of {sample}: {now} instructions where it was {before}"));
        } else if ratio < 1.0 - TOLERANCE {
            println!("*** faster than written down: `cargo xtask counts --bless` keeps it so ***");
        }
    }
    slower.extend(written.keys().filter(|key| !counted.contains_key(*key)).map(|(question, sample)| format!("{question} of {sample} was not counted")));
    if slower.is_empty() { Ok(()) } else { Err(Failed(slower.join("; "))) }
}

fn path() -> PathBuf {
    checkout().join("xtask/counts.tsv")
}

fn written() -> Result<Counts, Failed> {
    let table = fs::read_to_string(path()).map_err(|error| Failed(format!("{}: {error}", path().display())))?;
    table
        .lines()
        .skip(1)
        .map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [question, sample, count] => Ok(((question.to_owned(), sample.to_owned()), count.parse().map_err(|_| Failed(format!("no number: {line}")))?)),
            _ => Err(Failed(format!("no line of counts: {line}"))),
        })
        .collect()
}

/// Why nothing can be counted and compared, if so.
fn missing() -> Option<String> {
    if said(Command::new("valgrind").arg("--version")).is_none() {
        return Some(String::from("instruction counts: valgrind is not installed"));
    }
    let written = fs::read_to_string(path()).unwrap_or_default();
    let by = written.lines().next().and_then(|heading| heading.split('\t').nth(3)).unwrap_or_default();
    (by != compiler())
        .then(|| format!("instruction counts: they were written down with {by}, and this is {}; `cargo xtask counts --bless` writes its own", compiler()))
}

/// The compiler and the processor, whose counts are its own.
fn compiler() -> String {
    let version = said(Command::new("rustc").arg("--version")).unwrap_or_default();
    format!("{version}, {}", std::env::consts::ARCH)
}

/// Builds in a folder of its own, so that other builds can go on meanwhile. Returns the runner and that folder.
fn build() -> Result<(PathBuf, PathBuf), Failed> {
    let folder = target().join("counts");
    let runner = runner(&target().join("tools"))?;
    step("building what is counted", bench(&folder).arg("--no-run"))?;
    Ok((runner, folder))
}

fn bench(folder: &Path) -> Command {
    let mut bench = cargo(&["bench", "--quiet", "--profile", "counts", "--package", crate::bench::PACKAGE, "--bench", "counts", "--target-dir"]);
    bench.arg(folder);
    bench
}

fn count(runner: &Path, folder: &Path) -> Result<Counts, Failed> {
    // with counts of before it would say both
    let _ = fs::remove_dir_all(folder.join("gungraun"));
    timed("instruction counts", || counts(bench(folder).args(["--", "--output-format=json"]), runner))
}

fn counts(bench: &mut Command, runner: &Path) -> Result<Counts, Failed> {
    let output = bench.env("GUNGRAUN_RUNNER", runner).stderr(Stdio::inherit()).output().map_err(|error| Failed(format!("counting: {error}")))?;
    if !output.status.success() {
        return Err(Failed(String::from("counting; to see it again: cargo xtask counts")));
    }
    String::from_utf8_lossy(&output.stdout).lines().map(counted).collect()
}

/// What a line says that gungraun prints of a function and a sample.
fn counted(line: &str) -> Result<((String, String), u64), Failed> {
    let read = || {
        let run: Value = serde_json::from_str(line).ok()?;
        // `(load("quake3/dm_bots.dm_71"))`
        let sample = run["description"].as_str()?.split('"').nth(1)?;
        let count = run["profiles"][0]["data"]["total"]["metrics"]["Ir"]["values"]["new"].as_u64()?;
        Some(((run["function_name"].as_str()?.to_owned(), sample.to_owned()), count))
    };
    read().ok_or_else(|| Failed(format!("no count in what gungraun says: {line}")))
}

/// The runner: the installed one if it has the version, else one that is built here once.
fn runner(tools: &Path) -> Result<PathBuf, Failed> {
    let version = MANIFEST.lines().find_map(|line| line.strip_prefix("gungraun = \"=")?.strip_suffix('"')).expect("the version is pinned");
    let own = tools.join("bin/gungraun-runner");
    let has_version = |runner: &PathBuf| {
        let output = Command::new(runner).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim().ends_with(version))
    };
    if let Some(runner) = [PathBuf::from("gungraun-runner"), own.clone()].into_iter().find(has_version) {
        return Ok(runner);
    }
    let root = tools.to_string_lossy();
    let install = ["install", "--quiet", "--debug", "--locked", "--version", version, "--root", &root, "gungraun-runner"];
    step("the runner of counts", cargo(&install).env("CARGO_PROFILE_DEV_DEBUG", "false"))?;
    Ok(own)
}
