//! What compiles the workspace for `cargo xtask ci`, and for chores that take what it built: cargo calls this program in the place of `rustc`.
//!
//! It compiles a crate, lints it, and makes its documentation with the same dependencies. `cargo clippy` and `cargo doc` check all dependencies once more,
//! third-party ones, too.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

use crate::ci::SELECTION;
use crate::step::{Failed, cargo, target};

/// Cargo with these arguments for the packages and features of [`SELECTION`], with this program as the compiler.
pub fn selected(arguments: &[&str]) -> Result<Command, Failed> {
    let mut command = compiling(arguments)?;
    command.args(SELECTION);
    Ok(command)
}

/// Cargo with these arguments, with this program as the compiler.
pub fn compiling(arguments: &[&str]) -> Result<Command, Failed> {
    /// Copied before anything is compiled: later, this program's own file may be another one.
    static PLACE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let place = PLACE.get_or_init(|| placed().map_err(|error| format!("a copy of this program in {}: {error}", target().display())));
    let mut command = cargo(arguments);
    command.env("RUSTC_WORKSPACE_WRAPPER", place.as_ref().map_err(|error| Failed(error.clone()))?);
    Ok(command)
}

/// A copy of this program, which cargo does not replace while it compiles this program.
fn placed() -> io::Result<PathBuf> {
    let folder = target().join("compiler");
    let place = folder.join(format!("xtask{}", std::env::consts::EXE_SUFFIX));
    let this = fs::read(std::env::current_exe()?)?;
    // cargo asks a compiler for its version again if the file is newer
    if !fs::read(&place).is_ok_and(|there| there == this) {
        fs::create_dir_all(&folder)?;
        let new = place.with_extension("new");
        fs::copy(std::env::current_exe()?, &new)?;
        fs::rename(new, &place)?;
    }
    Ok(place)
}

/// Whether cargo called this program as the compiler: with the path of `rustc` before the arguments.
pub fn is_called_by_cargo(first: &str) -> bool {
    Path::new(first).file_stem() == Some(OsStr::new("rustc"))
}

/// Compiles, lints and documents a crate.
pub fn run(rustc: &str) -> ExitCode {
    let task = Task { arguments: std::env::args_os().skip(2).collect() };
    let tools = [Some(task.compilation(rustc)), task.lint(rustc), task.documentation(rustc)];
    let passed = tools.into_iter().flatten().all(|mut tool| match tool.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("{}: {error}; `rustup component add clippy` adds what checks lints", tool.get_program().display());
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

    /// The file where the crate begins.
    fn source(&self) -> Option<&Path> {
        self.arguments.iter().map(Path::new).find(|path| path.extension() == Some(OsStr::new("rs")))
    }

    fn is_test(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--test")
    }

    fn is_example(&self) -> bool {
        self.source().is_some_and(|path| path.iter().any(|part| part == "examples"))
    }

    fn is_program(&self) -> bool {
        self.arguments.windows(2).any(|pair| pair[0] == "--crate-type" && pair[1] == "bin")
    }

    /// Makes what cargo wants. Tests and examples have no other check of their warnings in a short run, and few examples are ever run.
    fn compilation(&self, rustc: &str) -> Command {
        let mut compiler = Command::new(rustc);
        compiler.args(&self.arguments);
        if self.is_only_compiled() {
            compiler.arg("-Dwarnings");
        }
        if self.is_example() {
            compiler.arg("-Copt-level=0");
        }
        compiler
    }

    /// Tests and examples are linted by `cargo xtask ci --long`.
    fn is_only_compiled(&self) -> bool {
        self.is_test() || self.is_example()
    }

    fn lint(&self, rustc: &str) -> Option<Command> {
        self.name().filter(|_| !self.is_only_compiled())?;
        let mut clippy = tool(rustc, "clippy-driver");
        clippy.arg(rustc).args(self.reading(&target().join("compiler/lints"))).args(["--emit=metadata", "-Dwarnings"]);
        Some(clippy)
    }

    /// Makes the documentation of libraries and programs.
    fn documentation(&self, rustc: &str) -> Option<Command> {
        self.name().filter(|&name| name != "build_script_build" && !self.is_only_compiled())?;
        // the command has the library's name, and what stays is the library's
        let folder = target().join(if self.is_program() { "compiler/doc" } else { "doc" });
        let mut rustdoc = tool(rustc, "rustdoc");
        // Private items are documented for those who change them, so public ones may refer to them.
        rustdoc.args(self.reading(&folder)).args(["--document-private-items", "-Dwarnings", "-Arustdoc::private_intra_doc_links"]);
        Some(rustdoc)
    }

    /// The arguments for a tool that reads the same crate, and writes into a folder of its own.
    fn reading(&self, folder: &Path) -> Vec<OsString> {
        let mut given = self.arguments.iter();
        let mut arguments: Vec<OsString> = Vec::new();
        while let Some(argument) = given.next() {
            let text = argument.to_string_lossy();
            if text == "--out-dir" {
                given.next();
                arguments.extend([argument.clone(), folder.into()]);
            } else if let Some(kinds) = text.strip_prefix("--json=") {
                // cargo would take what the tool writes for the library
                let kinds: Vec<_> = kinds.split(',').filter(|&kind| kind != "artifacts").collect();
                arguments.push(format!("--json={}", kinds.join(",")).into());
            } else if text.starts_with("incremental=") {
                // with the `-C` before it
                arguments.pop();
            } else if !text.starts_with("--emit=") {
                arguments.push(argument.clone());
            }
        }
        arguments
    }
}

/// A tool that lies beside the compiler, or is found as programs are.
fn tool(rustc: &str, name: &str) -> Command {
    let beside = Path::new(rustc).with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    Command::new(if beside.is_file() { beside } else { name.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(arguments: &str) -> Task {
        Task { arguments: arguments.split(' ').map(OsString::from).collect() }
    }

    fn asked(command: Option<Command>) -> String {
        let command = command.expect("a tool");
        command.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_library_is_linted_and_documented_as_it_is_compiled() {
        let library = task(
            "--crate-name x --edition=2024 crates/x/src/lib.rs --json=diagnostic-rendered-ansi,artifacts --crate-type lib --emit=dep-info,link -C incremental=/i \
             --out-dir /deps --extern y=/y.rlib",
        );
        let read = |folder: &str| {
            let folder = target().join(folder);
            format!(
                "--crate-name x --edition=2024 crates/x/src/lib.rs --json=diagnostic-rendered-ansi --crate-type lib --out-dir {} --extern y=/y.rlib",
                folder.display()
            )
        };
        assert_eq!(asked(library.lint("/bin/rustc")), format!("/bin/rustc {} --emit=metadata -Dwarnings", read("compiler/lints")));
        assert!(asked(library.documentation("/bin/rustc")).starts_with(&format!("{} --document-private-items -Dwarnings", read("doc"))));
    }

    #[test]
    fn tests_and_questions_are_compiled_alone() {
        let (test, example) = ("--crate-name x crates/x/src/lib.rs --test", "--crate-name x crates/x/examples/x.rs --crate-type bin");
        for alone in [test, example, "-vV", "- --crate-name ___ --print=file-names"] {
            assert!(task(alone).lint("rustc").is_none() && task(alone).documentation("rustc").is_none(), "{alone}");
        }
        for only_compiled in [test, example] {
            assert!(task(only_compiled).compilation("rustc").get_args().any(|argument| argument == "-Dwarnings"), "{only_compiled}");
        }
    }
}
