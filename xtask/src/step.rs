//! Running a command as a step that says what it does, how long it took, and why it failed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Why a chore failed.
pub struct Failed(pub String);

/// The root of the checkout.
pub fn checkout() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Cargo with these arguments, at the root, without standard input.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(checkout()).stdin(Stdio::null());
    command
}

/// Runs a step to its end.
pub fn step(name: &str, command: &mut Command) -> Result<(), Failed> {
    let line = std::iter::once(command.get_program()).chain(command.get_args()).map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    let line = line.rsplit_once("bin/").map_or(line.as_str(), |(_, rest)| rest);
    println!("\n=== {name}: {line}");
    let start = Instant::now();
    let status = command.status().map_err(|error| Failed(format!("{name}: cannot start `{line}`: {error}")))?;
    if !status.success() {
        return Err(Failed(format!("{name}; to see it again: {line}")));
    }
    println!("=== {name}: fine after {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
