//! Runs a command as a step: says what it does, how long it took, and why it failed. Remembers every step for the table at the end.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread::ScopedJoinHandle;
use std::time::Instant;

/// Why a chore failed.
pub struct Failed(pub String);

/// Name and seconds of every step that ran to its end, in order.
static FINISHED: Mutex<Vec<(String, f64)>> = Mutex::new(Vec::new());

/// The root of the checkout.
pub fn checkout() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from)
}

/// Cargo with these arguments, at the root, without standard input.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(checkout()).stdin(Stdio::null());
    command
}

/// What a command prints, where it succeeds.
pub fn said(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a command to its end as a step.
pub fn step(name: &str, command: &mut Command) -> Result<(), Failed> {
    let line = std::iter::once(command.get_program()).chain(command.get_args()).map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    let line = line.rsplit_once("bin/").map_or(line.as_str(), |(_, rest)| rest);
    println!("\n=== {name}: {line}");
    timed(name, || {
        let status = command.status().map_err(|error| Failed(format!("{name}: cannot start `{line}`: {error}")))?;
        if status.success() { Ok(()) } else { Err(Failed(format!("{name}; to see it again: {line}"))) }
    })
}

/// Runs `work` as a step.
pub fn timed<T>(name: &str, work: impl FnOnce() -> Result<T, Failed>) -> Result<T, Failed> {
    let start = Instant::now();
    let done = work()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("=== {name}: fine after {seconds:.1} s");
    FINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((name.to_owned(), seconds));
    Ok(done)
}

/// What a thread gave; a failure if it panicked.
pub fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, Failed>>, what: &str) -> Result<T, Failed> {
    thread.join().unwrap_or_else(|_| Err(Failed(format!("{what}: its thread panicked"))))
}

/// Every step that finished with its seconds, one a line.
pub fn times() -> String {
    let finished = FINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    finished.iter().fold(String::new(), |mut table, (name, seconds)| {
        let _ = writeln!(table, "{seconds:>8.1} s  {name}");
        table
    })
}
