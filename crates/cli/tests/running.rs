//! Programs that run beside a test, and end with it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Ran, fragreel};

/// How long an event may take: only a failure takes that long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server or relay of the command in a process of its own.
pub struct Running {
    child: Option<Child>,
    /// What it says first: where it is.
    pub line: String,
}

impl Running {
    /// Starts the command, and waits until it says where it is.
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = fragreel(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let (mut line, mut output) = (String::new(), BufReader::new(child.stdout.take().expect("its output")));
        output.read_line(&mut line).expect("a line");
        // who prints to a closed pipe ends with another code
        thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        Running { child: Some(child), line }
    }

    /// Where it listens, on this machine.
    pub fn port(&self) -> &str {
        let digits = |text: &'_ str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let rest = ["at port ", "127.0.0.1:"].iter().find_map(|before| self.line.split_once(before)).unwrap_or_else(|| panic!("no port: {}", self.line)).1;
        &rest[..digits(rest)]
    }

    /// Asks it to end, as Ctrl-C does.
    pub fn end(mut self) -> Ran {
        let child = self.child.take().expect("it runs");
        interrupt(&child);
        Ran::of(child.wait_with_output().expect("it ends"))
    }

    /// Waits until it ends by itself.
    pub fn wait(mut self) -> Ran {
        Ran::of(self.child.take().expect("it runs").wait_with_output().expect("it ends"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Asks a process to end, as Ctrl-C does.
pub fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a shell's tool").success());
}

pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} never came");
        thread::sleep(Duration::from_millis(5));
    }
}

pub fn length(file: &Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

/// Waits until a file is there, and grows.
pub fn wait_for_growth(file: &Path) {
    let name = file.to_string_lossy();
    wait_until(&name, || length(file) > 0);
    let began = length(file);
    wait_until(&name, || length(file) > began);
}
