//! `cargo xtask python`: tests the Python package, in a virtual environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ci::{REPEATED, command, repeated};
use crate::compiler::selected;
use crate::step::{Failed, checkout, step, target};

/// The oldest Python that the package supports, asked of the interpreter itself.
const IS_NEW_ENOUGH: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

pub fn run(_: &[String]) -> Result<(), Failed> {
    step("command", &mut selected(&["build", "--quiet", "--bin", "fragreel"])?)?;
    check(true).map(|skipped| skipped.iter().for_each(|what| println!("*** SKIPPED: {what} ***")))
}

/// Tests the package with its module and the command that was built. Returns what could not be done for want of something on this machine.
/// Only a long run asks Spark, and checks types, for which mypy reads all of pandas, Arrow and Spark.
pub fn check(long: bool) -> Result<Vec<String>, Failed> {
    let Some(python) = interpreter() else {
        return Ok(vec![String::from("the Python package: there is no Python 3.10 or later with venv and pip; on Debian, `apt install python3-venv`")]);
    };
    let bin = environment(python)?;
    let folder = checkout().join("python");
    if long {
        step("types of the Python package", tool(&bin, "mypy", &["--strict", "fragreel"]).current_dir(&folder))?;
    }
    // it was built with the tests
    step("module of the Python package", &mut selected(&["build", "--quiet", "--example", "native"])?)?;
    let module = target().join("debug/examples").join(if cfg!(target_os = "macos") { "libnative.dylib" } else { "libnative.so" });
    let placed = folder.join("fragreel/_native.abi3.so");
    fs::copy(&module, &placed).map_err(|error| Failed(format!("{} to {}: {error}", module.display(), placed.display())))?;
    step(
        "stubs of the Python package",
        tool(&bin, "mypy.stubtest", &["fragreel._native", "--ignore-missing-stub", "--mypy-config-file", "pyproject.toml"]).current_dir(&folder),
    )?;
    step(
        "tests of the Python package",
        tool(&bin, "pytest", &["-q", "-rs", "tests"])
            .env("FRAGREEL_COMMAND", command())
            .env("PYTHONPATH", &folder)
            .env(REPEATED, repeated(long))
            .current_dir(&folder),
    )?;
    let java = Command::new("java").arg("-version").output().is_ok_and(|output| output.status.success());
    Ok(if java || !long { Vec::new() } else { vec![String::from("tables in Spark: there is no Java; on Debian, `apt install default-jre-headless`")] })
}

/// Makes the environment of the tests, where that is possible, so that they need not wait for it.
pub fn prepare() -> Result<(), Failed> {
    interpreter().map_or(Ok(()), |python| environment(python).map(drop))
}

/// A Python that the package supports.
pub fn interpreter() -> Option<&'static str> {
    let fits = |python: &&str| Command::new(python).args(["-c", IS_NEW_ENOUGH]).output().is_ok_and(|output| output.status.success());
    ["python3", "python3.13", "python3.12", "python3.11", "python3.10"].into_iter().find(fits)
}

/// The virtual environment with what `python/requirements.txt` pins; made once, and again when the list changes.
fn environment(python: &str) -> Result<PathBuf, Failed> {
    let (folder, list) = (target().join("python-venv"), checkout().join("python/requirements.txt"));
    let (bin, stamp) = (folder.join("bin"), folder.join("installed"));
    let wanted = fs::read_to_string(&list).map_err(|error| Failed(format!("{}: {error}", list.display())))?;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(bin);
    }
    step("virtual environment", Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
    step("Python packages", tool(&bin, "pip", &["install", "--quiet", "--disable-pip-version-check", "--no-compile", "-r"]).arg(&list))?;
    fs::write(&stamp, wanted).map_err(|error| Failed(format!("{}: {error}", stamp.display())))?;
    Ok(bin)
}

/// A Python program of the environment.
fn tool(bin: &Path, module: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(bin.join("python"));
    command.arg("-m").arg(module).args(arguments);
    command
}
