//! `cargo xtask bless`: what the tests find different is what is wanted.

use crate::ci::workspace;
use crate::step::{Failed, step};

pub fn run(_: &[String]) -> Result<(), Failed> {
    for (name, tests) in [("help texts", "help"), ("transcripts", "transcripts")] {
        step(name, workspace(&["test"]).args(["--test", "all", tests]).env("TRYCMD", "overwrite"))?;
    }
    println!("\nnow read what changed: git diff");
    Ok(())
}
