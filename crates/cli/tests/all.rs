//! The command as people use it: its transcripts in `tests/cli` and in the documents, and what no transcript shows.

mod advice;
mod archives;
#[cfg(feature = "catalogue")]
mod catalogue;
mod compare;
mod diff;
mod edit;
mod encoding;
mod explain;
mod export;
mod extract;
mod figures;
mod files;
mod help;
mod hostile;
mod interrupt;
#[cfg(feature = "catalogue")]
mod kept;
mod moments;
mod moves;
mod pack;
mod phrases;
mod pipes;
mod record;
#[cfg(feature = "catalogue")]
mod refused;
mod repair;
mod resume;
mod running;
mod schemas;
mod serve;
mod servers;
mod shown;
mod site;
mod terminal;
mod transcripts;
mod usercmds;
mod view;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The command, in the checkout's root, as in a pipe and without colors.
fn fragreel(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fragreel"));
    command.args(arguments).current_dir(fragreel_testkit::checkout()).stdin(Stdio::null()).env_remove("RUST_BACKTRACE");
    // The tests record on any disk, also a nearly full one.
    command.env("FRAGREEL_KEEP_FREE", "0");
    // Where messages are wrapped depends on how long paths are.
    command.env("COLUMNS", "4000");
    command
}

/// Runs it to its end.
fn run(arguments: &[&str]) -> Ran {
    Ran::of(fragreel(arguments).output().expect("the command starts"))
}

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Ran { code: output.status.code().expect("the command ends by itself"), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Its messages on one line: where they are wrapped depends on how long paths are.
    fn said(&self) -> String {
        self.err.split_whitespace().filter(|word| !["│", "×", "╰─▶"].contains(word)).collect::<Vec<_>>().join(" ")
    }
}

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of the last run goes away");
    }
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// A sample of ours.
fn sample(name: &str) -> Vec<u8> {
    std::fs::read(fragreel_testkit::checkout().join("samples").join(name)).expect("the sample is there")
}
