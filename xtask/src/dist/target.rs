//! The machines that the command is built for, and how.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::tools::{self, Tools};
use super::{FEATURES, PROFILE, Release, at, said};
use crate::step::{Failed, cargo, checkout, has_target, step, target as build_folder};

/// The oldest library of C that Rust's standard library runs with on Linux.
const GLIBC: (u32, u32) = (2, 17);

/// Who links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Linker {
    /// Zig, which has the symbols of every library of C.
    Zig,
    /// Debian's compiler for Windows.
    Mingw,
    /// Zig, with a library of C in the program.
    Static,
    /// This machine's own.
    Native,
}

#[derive(Debug)]
pub struct Target {
    pub triple: String,
    linker: Linker,
}

/// All targets, and this machine's, if it is none of them.
pub fn all() -> Result<Vec<Target>, Failed> {
    let known = [("x86_64-unknown-linux-gnu", Linker::Zig), ("aarch64-unknown-linux-gnu", Linker::Zig), ("x86_64-pc-windows-gnu", Linker::Mingw)];
    let mut all: Vec<Target> = known.into_iter().map(|(triple, linker)| Target { triple: triple.to_owned(), linker }).collect();
    let host = host()?;
    if all.iter().all(|target| target.triple != host) {
        all.push(Target { triple: host, linker: Linker::Native });
    }
    Ok(all)
}

/// This machine's target.
pub fn host() -> Result<String, Failed> {
    let version = said(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failed(String::from("rustc does not say what this machine is")))
}

impl Target {
    /// The target of the image, whose program needs nothing beside it.
    pub fn without_libraries() -> Self {
        Target { triple: String::from("x86_64-unknown-linux-musl"), linker: Linker::Static }
    }

    pub fn is_windows(&self) -> bool {
        self.triple.contains("windows")
    }

    /// The program's name in its archive.
    pub fn program(&self) -> &'static str {
        if self.is_windows() { "fragreel.exe" } else { "fragreel" }
    }

    /// What this machine lacks for it.
    pub fn missing(&self, tools: Option<&Tools>) -> Option<String> {
        if !has_target(&self.triple) {
            return Some(format!("its standard library is not installed; `rustup target add {}` adds it", self.triple));
        }
        let has = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
        match self.linker {
            Linker::Zig | Linker::Static if tools.is_none() => Some(tools::MISSING.to_owned()),
            Linker::Mingw if !has("x86_64-w64-mingw32-gcc") => {
                Some(String::from("there is no compiler for Windows; on Debian, `apt install gcc-mingw-w64-x86-64`"))
            }
            _ => None,
        }
    }

    /// Builds the command. Returns where it is.
    pub fn build(&self, release: &Release) -> Result<PathBuf, Failed> {
        let (mut command, triple) = match (self.linker, &release.tools) {
            (Linker::Zig | Linker::Static, Some(tools)) => {
                let mut command = tools.command("cargo-zigbuild");
                command.arg("zigbuild").current_dir(checkout());
                let triple = if self.linker == Linker::Zig { format!("{}.{}.{}", self.triple, GLIBC.0, GLIBC.1) } else { self.triple.clone() };
                (command, triple)
            }
            _ => (cargo(&["build"]), self.triple.clone()),
        };
        command.args(["--profile", PROFILE, "--locked", "--package", "fragreel-cli", "--bin", "fragreel", "--features", FEATURES, "--target", &triple]);
        reproducible(&mut command, &self.triple, release.epoch)?;
        step(&format!("command for {}", self.triple), &mut command)?;
        let program = build_folder().join(&self.triple).join(PROFILE).join(self.program());
        if self.linker == Linker::Zig {
            let bytes = fs::read(&program).map_err(|error| at(&program, error))?;
            let newest = newest_glibc(&bytes);
            if newest.is_none_or(|newest| newest > GLIBC) {
                return Err(Failed(format!("{} needs glibc {newest:?}", program.display())));
            }
        }
        Ok(program)
    }
}

/// Lets a build depend on neither its folder nor its time.
pub fn reproducible(command: &mut Command, triple: &str, epoch: u64) -> Result<(), Failed> {
    let sysroot = said(Command::new("rustc").args(["--print", "sysroot"]))?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?).join(".cargo")));
    let home = home.ok_or_else(|| Failed(String::from("neither CARGO_HOME nor HOME is set")))?;
    let root = fs::canonicalize(checkout()).map_err(|error| at(checkout(), error))?;
    // the last that fits counts
    let folders = [(root, "fragreel"), (build_folder(), "target"), (home, "cargo"), (PathBuf::from(sysroot), "rust")];
    let mut flags: Vec<String> = folders.iter().map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display())).collect();
    let maps: Vec<String> = folders.iter().map(|(folder, name)| format!("-ffile-prefix-map={}={name}", folder.display())).collect();
    flags.push(String::from("-Cstrip=symbols"));
    if triple.ends_with("windows-gnu") {
        flags.push(String::from("-Clink-arg=-Wl,--no-insert-timestamp"));
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")).env_remove("RUSTFLAGS").env_remove("RUSTC_WRAPPER");
    command.env(format!("CFLAGS_{}", triple.replace('-', "_")), maps.join(" "));
    command.env("SOURCE_DATE_EPOCH", epoch.to_string()).env("CARGO_INCREMENTAL", "0");
    Ok(())
}

/// The newest version of glibc whose symbols a program names.
fn newest_glibc(program: &[u8]) -> Option<(u32, u32)> {
    const NAME: &[u8] = b"GLIBC_";
    let starts = program.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME).map(|(start, _)| start + NAME.len());
    let versions = starts.filter_map(|start| {
        let text: Vec<u8> = program[start..].iter().copied().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').take(16).collect();
        let mut numbers = std::str::from_utf8(&text).ok()?.split('.').map(|number| number.parse::<u32>().ok());
        Some((numbers.next()??, numbers.next()??))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_symbol_counts() {
        assert_eq!(newest_glibc(b"\0GLIBC_2.2.5\0GLIBC_2.17\0GLIBC_PRIVATE\0GLIBC_2.3"), Some((2, 17)));
        assert_eq!(newest_glibc(b"GLIBC_"), None);
    }
}
