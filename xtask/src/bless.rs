//! `cargo xtask bless`: what the tests find different is what is wanted.

use crate::step::{Failed, cargo, step};

pub fn run(_: &[String]) -> Result<(), Failed> {
    let help = ["test", "--package", "fragreel-cli", "--test", "all", "help"];
    step("help texts", cargo(&help).env("TRYCMD", "overwrite"))?;
    step("transcripts", cargo(&["test", "--package", "fragreel-cli", "--test", "all", "transcripts"]).env("TRYCMD", "overwrite"))?;
    println!("\nnow read what changed: git diff");
    Ok(())
}
