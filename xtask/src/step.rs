//! Runs a command as a step: prints it as it can be typed, how long it took, and why it failed. Remembers every step, and everything that was left out,
//! for the end.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Why a chore failed.
pub struct Failed(pub String);

/// Name and seconds of every step that ran to its end, in order.
static FINISHED: Mutex<Vec<(String, f64)>> = Mutex::new(Vec::new());

/// What was left out, and why.
static LEFT_OUT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The environment variable that names the file in which tests write what they skip (`fragreel_testkit::SKIPPED`).
const SKIPPED: &str = "FRAGREEL_SKIPPED";

/// The root of the checkout.
pub fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the checkout")
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
    let line = typed(command);
    println!("\n=== {name}\n$ {line}");
    timed(name, || {
        let status = command.env(SKIPPED, skipped()).status().map_err(|error| Failed(format!("{name}: cannot start `{line}`: {error}")))?;
        if status.success() { Ok(()) } else { Err(Failed(format!("{name}; to see it again: {line}"))) }
    })
}

/// Runs `work` as a step.
pub fn timed<T>(name: &str, work: impl FnOnce() -> Result<T, Failed>) -> Result<T, Failed> {
    let start = Instant::now();
    let done = work()?;
    let seconds = start.elapsed().as_secs_f64();
    println!("=== {name}: passed after {seconds:.1} s");
    FINISHED.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), seconds));
    Ok(done)
}

/// A command as it can be typed at the root of the checkout.
fn typed(command: &Command) -> String {
    let inside = |text: &str| text.replace(&format!("{}/", checkout().display()), "");
    let quoted = |text: &str| if text.contains(' ') { format!("'{text}'") } else { text.to_owned() };
    let folder = command.get_current_dir().and_then(|folder| folder.strip_prefix(checkout()).ok()).filter(|folder| !folder.as_os_str().is_empty());
    let variables = command.get_envs().filter_map(|(name, value)| Some(format!("{}={}", name.display(), quoted(&value?.to_string_lossy()))));
    let program = command.get_program().to_string_lossy();
    let program = if std::env::var("CARGO").is_ok_and(|cargo| cargo == program) { String::from("cargo") } else { inside(&program) };
    let words = command.get_args().map(|word| quoted(&inside(&word.to_string_lossy())));
    let line = variables.chain([program]).chain(words).collect::<Vec<_>>().join(" ");
    folder.map_or(line.clone(), |folder| format!("(cd {} && {line})", folder.display()))
}

/// Remembers that something was not checked.
pub fn leave_out(what: impl Into<String>) {
    LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner).insert(what.into());
}

/// Prints the seconds of every step, and what was left out. Returns how much that is.
pub fn report() -> usize {
    let finished = FINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    if finished.len() > 1 {
        println!();
        finished.iter().for_each(|(name, seconds)| println!("{seconds:>8.1} s  {name}"));
    }
    let mut left_out = LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    left_out.extend(fs::read_to_string(skipped()).unwrap_or_default().lines().map(str::to_owned));
    let _ = fs::remove_file(skipped());
    left_out.iter().for_each(|what| println!("*** LEFT OUT: {what} ***"));
    left_out.len()
}

/// The file in which tests of this run write what they skip.
fn skipped() -> PathBuf {
    std::env::temp_dir().join(format!("fragreel-skipped-{}", std::process::id()))
}

/// Runs both at the same time.
pub fn together(one: impl FnOnce() -> Result<(), Failed>, other: impl FnOnce() -> Result<(), Failed> + Send) -> Result<(), Failed> {
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        let other = other.join().unwrap_or_else(|_| Err(Failed(String::from("a thread panicked"))));
        one.and(other)
    })
}

/// Whether the toolchain has a target's standard library. Adds it where rustup is.
pub fn has_target(triple: &str) -> bool {
    let has = || {
        said(Command::new("rustc").args(["--print", "target-libdir", "--target", triple]).current_dir(checkout()))
            .is_some_and(|folder| Path::new(&folder).is_dir())
    };
    let rustup = |arguments: &[&str]| {
        let mut command = Command::new("rustup");
        command.args(arguments).current_dir(checkout());
        command
    };
    // without a network it may fail, which leaves out what needs it
    has() || (said(&mut rustup(&["--version"])).is_some() && step(triple, &mut rustup(&["target", "add", triple])).is_ok() && has())
}
