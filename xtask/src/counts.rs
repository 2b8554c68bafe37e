//! `cargo xtask counts`: instructions that work over a sample takes, counted by valgrind, against those of `xtask/counts.tsv`.
//! They do not depend on what else the machine does, so a slow change shows at once.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::step::{Failed, cargo, step};

/// More than is written down by this share is a failure; less by as much asks for a new figure.
const TOLERANCE: f64 = 0.03;

/// What each line of the table says: the work, the sample, the instructions.
const HEADING: &str = "work\tsample\tinstructions";

/// Counts and compares. With `--bless` the figures are written down instead.
pub fn run(arguments: &[String]) -> Result<(), Failed> {
    let bless = arguments.iter().any(|argument| argument == "--bless");
    if let Some(what) = missing().filter(|_| !bless) {
        println!("*** SKIPPED: {what} ***");
        return Ok(());
    }
    step("building what is counted", &mut cargo(&["build", "--quiet", "--release", "--package", "fragreel-quake3", "--example", "work"]))?;
    let table = fs::read_to_string(path()).map_err(|error| Failed(format!("{}: {error}", path().display())))?;
    let (mut lines, mut slower) = (vec![format!("{HEADING}\t{}", compiler())], Vec::new());
    for line in table.lines().skip(1) {
        let [work, sample, before] = line.split('\t').collect::<Vec<_>>()[..] else { return Err(Failed(format!("no line of counts: {line}"))) };
        let before: u64 = before.parse().map_err(|_| Failed(format!("no number of instructions: {line}")))?;
        let now = count(work, sample)?;
        let ratio = now as f64 / before as f64;
        println!("{work:<8} {sample:<40} {:>8.2} M, {:+.1} %", now as f64 / 1e6, (ratio - 1.0) * 100.0);
        if ratio > 1.0 + TOLERANCE {
            slower.push(format!("{work} of {sample}: {now} instructions where it was {before}"));
        } else if ratio < 1.0 - TOLERANCE && !bless {
            println!("*** faster than written down: `cargo xtask counts --bless` keeps it so ***");
        }
        lines.push(format!("{work}\t{sample}\t{now}"));
    }
    if bless {
        return fs::write(path(), lines.join("\n") + "\n").map_err(|error| Failed(error.to_string()));
    }
    if slower.is_empty() { Ok(()) } else { Err(Failed(slower.join("; "))) }
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("counts.tsv")
}

/// Why nothing can be counted and compared, if so.
pub fn missing() -> Option<String> {
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Some(String::from("instruction counts: valgrind is not installed"));
    }
    let written = fs::read_to_string(path()).unwrap_or_default();
    let by = written.lines().next().and_then(|heading| heading.split('\t').nth(3)).unwrap_or_default();
    (by != compiler())
        .then(|| format!("instruction counts: they were written down with {by}, and this is {}; `cargo xtask counts --bless` writes its own", compiler()))
}

/// The compiler and the processor, whose counts are its own.
fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!("{version}, {}", std::env::consts::ARCH)
}

fn count(work: &str, sample: &str) -> Result<u64, Failed> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(target.join("release/examples/work"))
        .arg(work)
        .arg(root.join("samples").join(sample))
        .output()
        .map_err(|error| Failed(format!("valgrind: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let counted = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    counted.filter(|_| output.status.success()).ok_or_else(|| Failed(format!("counting {work} of {sample}:\n{said}")))
}
