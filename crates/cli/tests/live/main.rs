//! The games themselves watch what `fragreel serve` shows and record it, and `fragreel record` joins stock servers. Everything is on this machine, and
//! what is not installed is skipped. `docs/live.md` has what was tried besides.
#![cfg(unix)]

mod quake;
mod servers;
mod stand_ins;

use std::collections::HashSet;
use std::fs;
use std::net::UdpSocket;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fragreel_testkit::checkout;

/// Seconds that a game gets for loading its level, on a machine without a graphics card.
const LOADING: u64 = 60;
/// Seconds of the show.
const SHOW: u64 = 75;
/// Pictures a second: what runs beside needs the processor, too.
const RATE: &str = "30";
/// How long a game may take to write what it has.
const ENDING: Duration = Duration::from_secs(3);
/// Frames that a game has to have seen.
const ENOUGH: usize = 50;
const SAMPLE: &str = "samples/quake3/dm_bots.dm_71";

/// Why something did not go as it must.
struct Failed(String);

/// Skips what is not installed, and says so.
fn skipped(what: &str, missing: &[String]) {
    if !missing.is_empty() {
        fragreel_testkit::skipped(&format!("{what}, as they are not installed: {}; docs/live.md says where they come from", missing.join(", ")));
    }
}

#[test]
fn recorders_join_stock_servers() {
    servers::check().unwrap_or_else(|Failed(why)| panic!("{why}"));
}

/// The games watch, all at the same time: a show takes as long as it is.
#[test]
fn games_watch_what_is_served() {
    const WHAT: &str = "these have not watched `fragreel serve`";
    if !has("xvfb-run") {
        return skipped(WHAT, &["xvfb-run, openarena, ezquake and darkplaces".to_owned()]);
    }
    let (quake, openarena) = thread::scope(|scope| {
        let quake = scope.spawn(quake::check);
        let openarena = has("openarena").then(openarena);
        (quake.join().expect("no panic"), openarena)
    });
    let mut missing = quake.unwrap_or_else(|Failed(why)| panic!("{why}"));
    match openarena {
        Some(watched) => watched.unwrap_or_else(|Failed(why)| panic!("{why}")),
        None => missing.push("openarena".to_owned()),
    }
    skipped(WHAT, &missing);
}

fn has(program: &str) -> bool {
    find_program(program).is_some()
}

/// A program that is installed.
fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/games", "/usr/bin"].map(PathBuf::from);
    std::env::split_paths(&path).chain(usual).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The command.
fn fragreel(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fragreel"));
    command.args(arguments).current_dir(checkout()).stdin(Stdio::null());
    command
}

/// A process, with those that it starts, that ends when this does.
struct Running(Child);

impl Running {
    /// Starts it in a group of its own.
    fn start(command: &mut Command) -> std::io::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().map(Running)
    }

    /// Likewise; what it prints goes to a file. Its standard input stays open and empty: at an end of file, Yamagi's server runs at a tenth of
    /// its speed.
    fn start_into(command: &mut Command, log: &Path) -> std::io::Result<Self> {
        let log = fs::File::create(log)?;
        command.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log).process_group(0).spawn().map(Running)
    }

    /// Sends a signal to the group. Returns whether there is one.
    fn signal(&self, name: &str) -> bool {
        let status = Command::new("kill").args([name, "--", &format!("-{}", self.0.id())]).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.signal("-TERM");
        let since = Instant::now();
        // a process that ended belongs to its group until it was waited for
        while since.elapsed() < ENDING && (matches!(self.0.try_wait(), Ok(None)) || self.signal("-0")) {
            thread::sleep(Duration::from_millis(50));
        }
        self.signal("-KILL");
        let _ = self.0.wait();
    }
}

/// A folder that is gone when this is.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// OpenArena joins, records what it sees, and has seen what the recording has.
fn openarena() -> Result<(), Failed> {
    println!("\n=== OpenArena watches {SAMPLE}");
    let failed = |what: &str| Failed(format!("OpenArena: {what}"));
    let home = Folder(std::env::temp_dir().join(format!("fragreel-live-{}", std::process::id())));
    fs::create_dir_all(&home.0).map_err(|error| failed(&error.to_string()))?;
    let port = free_port().map_err(|error| failed(&error.to_string()))?;
    let show = Running::start(&mut fragreel(&["serve", SAMPLE, "--port", &port, "--for", &SHOW.to_string()]));
    let mut show = show.map_err(|error| failed(&error.to_string()))?;
    let address = format!("127.0.0.1:{port}");
    let mut game = Command::new("xvfb-run");
    game.args(["-a", "-s", "-screen 0 320x240x24", "timeout", "-k", "5", &(LOADING + SHOW).to_string(), "/usr/games/openarena"]);
    for (name, value) in [
        ("r_fullscreen", "0"),
        ("r_mode", "-1"),
        ("r_customwidth", "160"),
        ("r_customheight", "120"),
        ("r_picmip", "8"),
        ("s_initsound", "0"),
        ("com_introplayed", "1"),
        ("com_hunkmegs", "256"),
        ("com_maxfps", RATE),
        ("activeAction", "record seen"),
    ] {
        game.args(["+set", name, value]);
    }
    game.args(["+connect", &address]).env("HOME", &home.0).env("LIBGL_ALWAYS_SOFTWARE", "1").env("SDL_AUDIODRIVER", "dummy");
    let game = Running::start(&mut game).map_err(|error| failed(&error.to_string()))?;
    let started = Instant::now();
    while show.0.try_wait().map_err(|error| failed(&error.to_string()))?.is_none() {
        if started.elapsed() > Duration::from_secs(SHOW + LOADING) {
            return Err(failed("the show does not end"));
        }
        thread::sleep(Duration::from_millis(200));
    }
    // the server's goodbye, or at the latest this, ends the recording
    thread::sleep(ENDING);
    drop(game);
    let seen = find(&home.0, "seen.dm_71").ok_or_else(|| failed("it recorded nothing"))?;
    let truth = frames(Path::new(SAMPLE))?;
    let known: HashSet<&String> = truth.iter().collect();
    // at its end the show stands still, and time goes on
    let last = truth.iter().map(|frame| time(frame)).max().unwrap_or(0);
    let seen: Vec<String> = frames(&seen)?.into_iter().filter(|frame| time(frame) <= last).collect();
    let other = seen.iter().filter(|frame| !known.contains(frame)).count();
    println!("=== OpenArena saw {} frames' players, {other} of them otherwise than the recording has them", seen.len());
    if seen.len() < ENOUGH || other > 0 {
        return Err(failed("it did not see what was recorded"));
    }
    Ok(())
}

/// A port that was free just now.
fn free_port() -> std::io::Result<String> {
    Ok(UdpSocket::bind("127.0.0.1:0")?.local_addr()?.port().to_string())
}

fn find_ending(folder: &Path, end: &str) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path()).find_map(|path| {
        let is_it = path.to_string_lossy().ends_with(end);
        if path.is_dir() { find_ending(&path, end) } else { is_it.then_some(path) }
    })
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path()).find_map(|path| {
        let is_it = path.file_name().is_some_and(|file| file == name);
        if path.is_dir() { find(&path, name) } else { is_it.then_some(path) }
    })
}

/// The server's time of a line of [`frames`].
fn time(frame: &str) -> i64 {
    frame.split(' ').nth(1).and_then(|time| time.parse().ok()).unwrap_or(0)
}

/// Where players are, to an eighth of a unit, which is what Quake's clients get; without their times.
fn positions(recording: &Path) -> Result<Vec<String>, Failed> {
    let eighth = |number: &str| number.parse::<f64>().map_or_else(|_| number.to_owned(), |number| format!("{:.0}", number * 8.0));
    let place = |frame: String| frame.split(' ').skip(2).map(eighth).collect::<Vec<_>>().join(" ");
    Ok(frames(recording)?.into_iter().map(place).filter(|place| !place.trim().is_empty()).collect())
}

/// Where players are, by the server's clock.
fn frames(recording: &Path) -> Result<Vec<String>, Failed> {
    let path = recording.to_string_lossy();
    let output = fragreel(&["frames", &path, "--csv"]).output().map_err(|error| Failed(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let wanted = ["kind", "server_time", "number", "x", "y", "z"].map(|name| names.iter().position(|known| *known == name));
    // a game that was ended in the middle of a message has written all before it
    if !matches!(output.status.code(), Some(0 | 1)) || wanted.iter().any(Option::is_none) {
        return Err(Failed(format!("`fragreel frames {path} --csv` says: {}", String::from_utf8_lossy(&output.stderr))));
    }
    let name = names.iter().position(|known| *known == "name").unwrap_or(0);
    // names with commas in them shift cells alike on both sides; the game that watches has none, and a place of its own
    Ok(lines
        .filter(|line| line.contains(",player,"))
        .map(|line| line.split(',').collect::<Vec<&str>>())
        .filter(|cells| cells.get(name).is_some_and(|name| !name.is_empty()))
        .map(|cells| wanted.iter().flatten().map(|at| cells.get(*at).copied().unwrap_or_default()).collect::<Vec<_>>().join(" "))
        .collect())
}
