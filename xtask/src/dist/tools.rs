//! Programs that builds for other machines need, in a virtual environment of their own.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::at;
use crate::step::{Failed, step, target as build_folder};

/// Each with its version: another linker makes other bytes.
const PACKAGES: [&str; 3] = ["cargo-zigbuild==0.24.1", "ziglang==0.17.1", "maturin==1.16.0"];

/// Why there are none.
pub const MISSING: &str = "there is no Python with venv and pip for the linker; on Debian, `apt install python3-venv`";

pub struct Tools {
    bin: PathBuf,
}

impl Tools {
    /// Makes the environment once, and again when the list changes.
    pub fn get() -> Result<Option<Self>, Failed> {
        let Some(python) = crate::python::interpreter() else { return Ok(None) };
        let folder = build_folder().join("dist-tools");
        let bin = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
        let (stamp, wanted) = (folder.join("installed"), PACKAGES.join("\n"));
        if fs::read_to_string(&stamp).ok().as_ref() != Some(&wanted) {
            step("virtual environment", Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
            let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
            step("linker and builder of wheels", Command::new(bin.join("python")).args(install).args(PACKAGES))?;
            fs::write(&stamp, wanted).map_err(|error| at(&stamp, error))?;
        }
        Ok(Some(Tools { bin }))
    }

    /// A program of the environment, which finds the others.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        let mut path = OsString::from(&self.bin);
        if let Some(rest) = std::env::var_os("PATH") {
            path.push(if cfg!(windows) { ";" } else { ":" });
            path.push(rest);
        }
        command.env("PATH", path).stdin(std::process::Stdio::null());
        command
    }
}
