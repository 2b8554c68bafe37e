//! `cargo xtask torture`: mutated recordings, put to every question and every edit.

use crate::step::{Failed, cargo, step};

pub fn run(arguments: &[String]) -> Result<(), Failed> {
    let mut words = vec!["run", "--quiet", "--profile", "torture", "--package", "fragreel-torture", "--"];
    words.extend(arguments.iter().map(String::as_str));
    step("torture", &mut cargo(&words))
}
