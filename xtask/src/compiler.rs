//! What compiles the workspace for `cargo xtask ci`, and for chores that take what it built: cargo calls this program in the place of `rustc`.
//!
//! It compiles a crate, lints it, and makes its documentation with the same dependencies. `cargo clippy` and `cargo doc` check all dependencies once more,
//! third-party ones, too.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::ci::SELECTION;
use crate::step::{Failed, cargo, said, target};

/// Cargo with these arguments for the packages and features of [`SELECTION`], with this program as the compiler.
pub fn selected(arguments: &[&str]) -> Result<Command, Failed> {
    let mut command = compiling(arguments)?;
    command.args(SELECTION);
    Ok(command)
}

/// Cargo with these arguments, with this program as the compiler.
pub fn compiling(arguments: &[&str]) -> Result<Command, Failed> {
    let mut command = cargo(arguments);
    command.env("RUSTC_WORKSPACE_WRAPPER", placed()?);
    Ok(command)
}

/// A copy of this program, which cargo does not replace while it compiles this program.
fn placed() -> Result<PathBuf, Failed> {
    let (folder, name) = (target().join("compiler"), format!("xtask{}", std::env::consts::EXE_SUFFIX));
    let place = folder.join(name);
    let copy = || {
        let this = fs::read(std::env::current_exe()?)?;
        // cargo asks a compiler for its version again if the file is newer
        if fs::read(&place).is_ok_and(|there| there == this) {
            return Ok(());
        }
        fs::create_dir_all(&folder)?;
        let new = place.with_extension("new");
        fs::copy(std::env::current_exe()?, &new)?;
        fs::rename(new, &place)
    };
    copy().map_err(|error: std::io::Error| Failed(format!("{}: {error}", place.display())))?;
    Ok(place)
}

/// Whether cargo called this program as the compiler: with the path of `rustc` before the arguments.
pub fn is_called_by_cargo(first: &str) -> bool {
    Path::new(first).file_stem() == Some(OsStr::new("rustc"))
}

/// Compiles, lints and documents a crate.
pub fn run(rustc: &str) -> ExitCode {
    let task = Task { arguments: std::env::args_os().skip(2).collect() };
    let mut compiler = Command::new(rustc);
    compiler.args(&task.arguments);
    if task.is_test() {
        // which are not linted here
        compiler.arg("-Dwarnings");
    }
    if task.is_example() {
        // they are compiled so that they are known to compile, and mostly not run
        compiler.arg("-Copt-level=0");
    }
    let tools = [Some(compiler), task.lint(rustc), task.documentation(rustc)];
    let passed = tools.into_iter().flatten().all(|mut tool| match tool.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("{}: {error}", tool.get_program().display());
            false
        }
    });
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What cargo asks the compiler for.
struct Task {
    arguments: Vec<OsString>,
}

impl Task {
    /// The crate's name; `None` when cargo asks for what the compiler is.
    fn name(&self) -> Option<&OsStr> {
        let at = self.arguments.iter().position(|argument| argument == "--crate-name")?;
        self.arguments.get(at + 1).map(OsString::as_os_str).filter(|&name| name != "___")
    }

    fn is_test(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--test")
    }

    fn is_example(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| Path::new(argument).extension() == Some(OsStr::new("rs")) && Path::new(argument).iter().any(|part| part == "examples"))
    }

    /// Lints all but tests, which `cargo xtask ci --long` lints.
    fn lint(&self, rustc: &str) -> Option<Command> {
        self.name().filter(|_| !self.is_test())?;
        let mut clippy = tool(rustc, "clippy-driver");
        clippy.arg(rustc).args(self.reading(&target().join("compiler/lints"))).args(["--emit=metadata", "-Dwarnings"]);
        Some(clippy)
    }

    /// Makes the documentation of libraries and programs.
    fn documentation(&self, rustc: &str) -> Option<Command> {
        self.name().filter(|&name| name != "build_script_build" && !self.is_test() && !self.is_example())?;
        // the command has the library's name
        let is_program = self.arguments.windows(2).any(|pair| pair[0] == "--crate-type" && pair[1] == "bin");
        let folder = target().join(if is_program { "compiler/doc" } else { "doc" });
        let mut rustdoc = tool(rustc, "rustdoc");
        // Private items are documented for those who change them, so public ones may refer to them.
        rustdoc.args(self.reading(&folder)).args(["--document-private-items", "-Dwarnings", "-Arustdoc::private_intra_doc_links"]);
        Some(rustdoc)
    }

    /// The arguments for a tool that reads the same crate, and writes into a folder of its own.
    fn reading(&self, folder: &Path) -> Vec<OsString> {
        let mut given = self.arguments.iter();
        let mut arguments = Vec::new();
        while let Some(argument) = given.next() {
            let text = argument.to_string_lossy();
            if text == "--out-dir" {
                given.next();
                arguments.extend([argument.clone(), folder.into()]);
            } else if let Some(kinds) = text.strip_prefix("--json=") {
                // otherwise cargo takes what the tool writes for the library
                let kinds: Vec<_> = kinds.split(',').filter(|&kind| kind != "artifacts").collect();
                arguments.push(format!("--json={}", kinds.join(",")).into());
            } else if !text.starts_with("--emit=") && !text.starts_with("incremental=") {
                arguments.push(argument.clone());
            } else if text.starts_with("incremental=") {
                arguments.pop();
            }
        }
        arguments
    }
}

/// A tool that comes with the compiler.
fn tool(rustc: &str, name: &str) -> Command {
    let root = said(Command::new(rustc).args(["--print", "sysroot"])).unwrap_or_default();
    let path = Path::new(&root).join("bin").join(name);
    Command::new(if path.is_file() { path } else { name.into() })
}
