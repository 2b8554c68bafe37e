//! `fragreel record` joins stock servers: through a network that loses a fifth of the datagrams, and ten times at once from one address.

mod engines;
mod lossy;

use std::fs;
use std::net::UdpSocket;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use self::engines::{ENGINES, Engine, Setting};
use self::lossy::Lossy;
use super::{Failed, Folder, Running, fragreel, skipped};

/// Starts through the lossy network.
const STARTS: u64 = 20;
/// How many of them run at a time: KTX's configuration lets four spectators in.
const TOGETHER: usize = 3;
/// How long servers keep the places of those who left.
const LEAVING: Duration = Duration::from_secs(3);
/// Datagrams of a hundred that the network loses, each way.
const LOSS: u64 = 20;
/// Starts at once without loss.
const CROWD: u64 = 10;
/// Seconds of every recording.
const SECONDS: u64 = 3;
/// Frames that have to be in every recording. The slowest server, Quake II's, sends thirty, and the network loses a fifth.
const ENOUGH: u64 = 12;
/// How long a start may take; the recorder itself gives up earlier.
const PATIENCE: Duration = Duration::from_secs(150);
/// How long a server may take to run its level.
const LOADING: Duration = Duration::from_secs(60);

/// The variable that names the only servers to join, by their programs with spaces between.
const ONLY: &str = "FRAGREEL_SERVERS";

/// Runs all servers that are installed, or those that [`ONLY`] names.
pub fn check() -> Result<(), Failed> {
    let only = std::env::var(ONLY).unwrap_or_default();
    let only: Vec<&str> = only.split_whitespace().collect();
    if let Some(unknown) = only.iter().find(|name| ENGINES.iter().all(|engine| engine.program != **name)) {
        return Err(Failed(format!("{unknown} is none of the servers: {}", ENGINES.map(|engine| engine.program).join(", "))));
    }
    let ktx = engines::ktx();
    let (mut missing, mut there) = (Vec::new(), Vec::new());
    for engine in ENGINES.iter().filter(|engine| only.is_empty() || only.contains(&engine.program)) {
        match (engine.find(), &ktx) {
            (None, _) => missing.push(format!("{} ({}, or its path in {})", engine.name, engine.program, engine.variable)),
            (_, None) if engine.ktx => missing.push(format!("{} (KTX's folder in {})", engine.name, engines::KTX)),
            (Some(program), _) => there.push((engine, program)),
        }
    }
    skipped("`fragreel record` has not joined these", &missing);
    let ktx = ktx.unwrap_or_default();
    // recorders wait most of the time, so that all servers can be joined side by side
    let results: Vec<Result<(), Failed>> = thread::scope(|scope| {
        let threads: Vec<_> = there.iter().map(|(engine, program)| scope.spawn(|| join(engine, program, &ktx))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let failed: Vec<String> = results.into_iter().filter_map(|result| result.err().map(|failed| failed.0)).collect();
    if failed.is_empty() { Ok(()) } else { Err(Failed(failed.join("; "))) }
}

/// Both parts, each with a server that has just started.
fn join(engine: &Engine, program: &Path, ktx: &Path) -> Result<(), Failed> {
    let parts = [(false, STARTS, TOGETHER, LOSS), (true, CROWD, CROWD as usize, 0)];
    let failed: Vec<String> = parts
        .into_iter()
        .filter_map(|(crowded, starts, together, loss)| {
            let started = part(engine, program, ktx, crowded, (starts, together, loss));
            started.err().map(|error| format!("{}: {error}", engine.name))
        })
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(Failed(failed.join("; "))) }
}

fn part(engine: &Engine, program: &Path, ktx: &Path, crowded: bool, (starts, together, loss): (u64, usize, u64)) -> Result<(), String> {
    let folder = Folder(std::env::temp_dir().join(format!("fragreel-live-{}-{together}-{}", engine.program, std::process::id())));
    let text = |error: std::io::Error| error.to_string();
    fs::create_dir_all(&folder.0).map_err(text)?;
    let port = super::free_port().map_err(text)?.parse().unwrap_or_default();
    let mut command = engine.command(&Setting { folder: &folder.0, program, ktx, port, crowded }).map_err(text)?;
    let log = folder.0.join("server.log");
    let mut server = Running::start_into(&mut command, &log).map_err(text)?;
    let joined = wait_for(engine, port, &mut server).and_then(|()| {
        let numbers: Vec<u64> = (0..starts).collect();
        let batches = numbers.chunks(together).enumerate().map(|(batch_number, batch)| {
            if batch_number > 0 {
                thread::sleep(LEAVING);
            }
            thread::scope(|scope| {
                let threads: Vec<_> = batch.iter().map(|number| scope.spawn(|| record(engine, &folder.0, port, *number, loss))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(String::from("a thread panicked")))).collect::<Vec<_>>()
            })
        });
        report(engine, &batches.flatten().collect::<Vec<_>>(), together, loss)
    });
    joined.and_then(|()| unseen(&log)).map_err(|error| format!("{error}; the server's last line: {}", last_line(&log)))
}

/// Whether the server's own log says that nobody saw a recorder play: none died, by whomever.
fn unseen(log: &Path) -> Result<(), String> {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let death = text.lines().find(|line| line.contains("fragreel") && (line.contains("MOD_") || line.contains("suicide") || line.contains("killed")));
    death.map_or(Ok(()), |line| Err(format!("the server's log says that a recorder played: {}", line.trim())))
}

/// Waits until the server runs its level.
fn wait_for(engine: &Engine, port: u16, server: &mut Running) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let socket = UdpSocket::bind("127.0.0.1:0").map_err(text)?;
    socket.connect(("127.0.0.1", port)).map_err(text)?;
    socket.set_read_timeout(Some(Duration::from_millis(500))).map_err(text)?;
    let begun = Instant::now();
    loop {
        // before the server listens, the machine itself refuses the datagram
        let _ = socket.send(engine.question);
        if socket.recv(&mut [0; 1 << 16]).is_ok() {
            return Ok(());
        }
        if server.0.try_wait().map_err(text)?.is_some() || begun.elapsed() > LOADING {
            return Err(String::from("the server does not run"));
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// Prints what came of the starts.
fn report(engine: &Engine, results: &[Result<Recorded, String>], together: usize, loss: u64) -> Result<(), String> {
    let good: Vec<&Recorded> = results.iter().flatten().collect();
    let mut lines = format!("=== {}: {} of {} starts, {together} at a time, {loss} % loss", engine.name, good.len(), results.len());
    if let (Some(fewest), Some(most)) = (good.iter().map(|one| one.frames).min(), good.iter().map(|one| one.frames).max()) {
        let mut joined: Vec<f64> = good.iter().map(|one| one.joined).collect();
        joined.sort_by(f64::total_cmp);
        lines += &format!(", {fewest} to {most} frames");
        lines += &format!(", joined after {:.1} s (median) to {:.1} s", joined[joined.len() / 2], joined[joined.len() - 1]);
    }
    let failures: Vec<String> =
        results.iter().enumerate().filter_map(|(number, result)| result.as_ref().err().map(|error| format!("start {number}: {error}"))).collect();
    failures.iter().for_each(|failure| lines += &format!("\n      {failure}"));
    println!("{lines}");
    match failures.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} of {} starts failed at {loss} % loss, the first as {first}", failures.len(), results.len())),
    }
}

/// A whole recording.
struct Recorded {
    frames: u64,
    /// Seconds until the first frame.
    joined: f64,
}

/// Joins the server once, and verifies what was recorded.
fn record(engine: &Engine, folder: &Path, port: u16, number: u64, loss: u64) -> Result<Recorded, String> {
    let text = |error: std::io::Error| error.to_string();
    let network = if loss == 0 { None } else { Some(Lossy::start(port, number, loss).map_err(text)?) };
    let port = network.as_ref().map_or(port, |network| network.port);
    let (file, log) = (folder.join(format!("{number}.{}", engine.extension)), folder.join(format!("{number}.log")));
    let mut command = fragreel(&["record", &format!("{}://127.0.0.1:{port}", engine.scheme), "-o"]);
    command.arg(&file).args(["--for", &SECONDS.to_string()]);
    if engine.scheme == "q3"
        && let Some(paks) = engines::paks()
    {
        command.arg("--pk3").arg(paks);
    }
    // the server says what it wants of those who name no map
    if engine.ktx && number.is_multiple_of(2) {
        command.arg("--map").arg(engines::map(folder));
    }
    let begun = Instant::now();
    let mut recorder = Running::start_into(&mut command, &log).map_err(text)?;
    let code = loop {
        match recorder.0.try_wait().map_err(text)? {
            Some(status) => break status.code(),
            None if begun.elapsed() > PATIENCE => return Err(String::from("it does not end")),
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    let joined = begun.elapsed().as_secs_f64() - SECONDS as f64;
    if code != Some(0) {
        return Err(format!("exit code {}: {}", code.map_or_else(|| String::from("none"), |code| code.to_string()), text_of(&log)));
    }
    let output = fragreel(&["verify", "--json", &file.to_string_lossy()]).output().map_err(text)?;
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("`fragreel verify`: {error}"))?;
    let frames = found["snapshots"].as_u64().ok_or("`fragreel verify` does not count the frames")?;
    if !output.status.success() {
        return Err(format!("not whole: {}", found["damage"]));
    }
    if frames < ENOUGH {
        return Err(format!("{frames} frames"));
    }
    Ok(Recorded { frames, joined })
}

/// What a recorder said, in one line.
fn text_of(log: &Path) -> String {
    const LONGEST: usize = 400;
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect()
}

/// What a program wrote last.
fn last_line(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing").trim().to_owned()
}
