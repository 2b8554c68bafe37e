//! `cargo xtask python`: tests the Python package, in a virtual environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ci::workspace;
use crate::step::{Failed, checkout, leave_out, step, target};

/// The oldest Python that the package supports, asked of the interpreter itself.
const IS_NEW_ENOUGH: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

pub fn run(_: &[String]) -> Result<(), Failed> {
    step("command", &mut workspace(&["build", "--bin", "fragreel"]))?;
    check()
}

/// Tests the package with its module and the command that was built.
pub fn check() -> Result<(), Failed> {
    let Some(python) = with_module()? else { return Ok(()) };
    python.step("stubs of the Python package", "mypy.stubtest", &["fragreel._native", "--ignore-missing-stub", "--mypy-config-file", "pyproject.toml"])?;
    python.step("tests of the Python package", "pytest", &["-q", "-rs", "tests"])
}

/// Its types, and its long tests: mypy reads all of pandas, Arrow and Spark, and Spark starts three Java processes.
pub fn check_nightly() -> Result<(), Failed> {
    let Some(python) = with_module()? else { return Ok(()) };
    if !Command::new("java").arg("-version").output().is_ok_and(|output| output.status.success()) {
        leave_out("tables in Spark: there is no Java; on Debian, `apt install default-jre-headless`");
    }
    python.step("types of the Python package", "mypy", &["--strict", "fragreel"])?;
    python.step("long tests of the Python package", "pytest", &["-q", "-rs", "-m", "nightly", "tests"])
}

/// Makes the environment of the tests, where that is possible.
pub fn prepare() -> Result<(), Failed> {
    environment().map(drop)
}

/// A Python that the package supports.
pub fn interpreter() -> Option<&'static str> {
    let fits = |python: &&str| Command::new(python).args(["-c", IS_NEW_ENOUGH]).output().is_ok_and(|output| output.status.success());
    ["python3", "python3.13", "python3.12", "python3.11", "python3.10"].into_iter().find(fits)
}

/// A virtual environment with what `python/requirements.txt` pins.
struct Environment {
    bin: PathBuf,
}

impl Environment {
    /// Runs a module of it as a step, in the package's folder.
    fn step(&self, name: &str, module: &str, arguments: &[&str]) -> Result<(), Failed> {
        step(name, Command::new(self.bin.join("python")).arg("-m").arg(module).args(arguments).current_dir(folder()))
    }
}

/// The environment, with the module that was built with the tests in its place.
fn with_module() -> Result<Option<Environment>, Failed> {
    let Some(python) = environment()? else { return Ok(None) };
    step("module of the Python package", &mut workspace(&["build", "--example", "native"]))?;
    let module = target().join("debug/examples").join(if cfg!(target_os = "macos") { "libnative.dylib" } else { "libnative.so" });
    let placed = folder().join("fragreel/_native.abi3.so");
    fs::copy(&module, &placed).map_err(|error| Failed(format!("{} to {}: {error}", module.display(), placed.display())))?;
    Ok(Some(python))
}

/// Makes the environment once, and again when the list changes.
fn environment() -> Result<Option<Environment>, Failed> {
    let Some(python) = interpreter() else {
        leave_out("the Python package: there is no Python 3.10 or later with venv and pip; on Debian, `apt install python3-venv`");
        return Ok(None);
    };
    let (place, list) = (target().join("python-venv"), folder().join("requirements.txt"));
    let (made, stamp) = (Environment { bin: place.join("bin") }, place.join("installed"));
    let wanted = fs::read_to_string(&list).map_err(|error| Failed(format!("{}: {error}", list.display())))?;
    if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        step("virtual environment", Command::new(python).args(["-m", "venv", "--clear"]).arg(&place))?;
        made.step("Python packages", "pip", &["install", "--quiet", "--disable-pip-version-check", "--no-compile", "-r", "requirements.txt"])?;
        fs::write(&stamp, wanted).map_err(|error| Failed(format!("{}: {error}", stamp.display())))?;
    }
    Ok(Some(made))
}

/// Where the package is.
fn folder() -> PathBuf {
    Path::join(checkout(), "python")
}
