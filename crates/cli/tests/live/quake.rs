//! Quake's engines watch what `fragreel serve` shows and record it.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use fragreel_testkit::checkout;

use super::{ENDING, Failed, Folder, RATE, Running, find_ending, fragreel, free_port, positions, stand_ins};

/// An engine, and how it is made to record what it sees.
struct Engine {
    /// Its program, as distributions install it.
    program: &'static str,
    /// What it watches.
    sample: &'static str,
    /// What its recording is called, or ends with.
    recording: &'static str,
    /// How it is started, but for the address and the folder.
    arguments: &'static [&'static str],
    /// Whether it wants its files packed.
    packed: bool,
    /// The number from which a free one is looked for: games that start at the same time would find the same.
    display: &'static str,
}

const ENGINES: [Engine; 2] = [
    Engine {
        program: "/usr/lib/games/ezquake/ezquake",
        sample: "samples/quake1/match_e1m1.mvd",
        recording: "seen.qwd",
        arguments: &["-nosound", "-width", "320", "-height", "200", "-window", "+vid_fullscreen", "0", "+cl_maxfps", RATE, "+record", "seen"],
        packed: true,
        display: "110",
    },
    Engine {
        program: "/usr/games/darkplaces",
        sample: "samples/quake1/netquake666_deltas_dm6.dem",
        recording: ".dem",
        arguments: &["-nosound", "+vid_fullscreen", "0", "+vid_width", "320", "+vid_height", "240", "+cl_maxfps", RATE, "+cl_autodemo", "1"],
        packed: false,
        display: "120",
    },
];

/// Seconds of each show; the game is ended with it.
const SHOW: u64 = 40;
/// Places of players that an engine has to have seen.
const ENOUGH: usize = 40;

/// Runs all that are installed. Gives those that are not.
pub fn check() -> Result<Vec<String>, Failed> {
    let (there, missing): (Vec<&Engine>, Vec<&Engine>) = ENGINES.iter().partition(|engine| Path::new(engine.program).is_file());
    let watched: Vec<Result<(), Failed>> = thread::scope(|scope| {
        let threads: Vec<_> = there.into_iter().map(|engine| scope.spawn(|| watch(engine))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    watched.into_iter().collect::<Result<(), Failed>>()?;
    Ok(missing.into_iter().map(|engine| engine.program.to_owned()).collect())
}

fn watch(engine: &Engine) -> Result<(), Failed> {
    let name = engine.program.rsplit('/').next().unwrap_or_default();
    println!("\n=== {name} watches {}", engine.sample);
    let failed = |what: &str| Failed(format!("{name}: {what}"));
    let folder = Folder(std::env::temp_dir().join(format!("fragreel-live-{name}-{}", std::process::id())));
    let write = |error: std::io::Error| failed(&error.to_string());
    let sample = fs::read(checkout().join(engine.sample)).map_err(write)?;
    fs::create_dir_all(folder.0.join("qw")).map_err(write)?;
    stand_ins::write(&folder.0, &sample).map_err(write)?;
    if engine.packed {
        stand_ins::pack(&folder.0).map_err(write)?;
    }
    let port = free_port().map_err(write)?;
    let show = Running::start(&mut fragreel(&["serve", engine.sample, "--port", &port, "--for", &SHOW.to_string()]));
    let mut show = show.map_err(write)?;
    let mut game = Command::new("xvfb-run");
    game.args(["-n", engine.display, "-a", "-s", "-screen 0 320x240x24", "timeout", "-k", "5", &(SHOW + 5).to_string(), engine.program, "-basedir"])
        .arg(&folder.0);
    game.args(engine.arguments).args(["+connect", &format!("127.0.0.1:{port}")]);
    game.env("HOME", &folder.0).env("LIBGL_ALWAYS_SOFTWARE", "1").env("SDL_AUDIODRIVER", "dummy").current_dir(&folder.0);
    let game = Running::start(&mut game).map_err(write)?;
    let started = Instant::now();
    while show.0.try_wait().map_err(write)?.is_none() {
        if started.elapsed() > Duration::from_secs(SHOW + 30) {
            return Err(failed("the show does not end"));
        }
        thread::sleep(Duration::from_millis(200));
    }
    // the server's goodbye, or at the latest this, ends the recording
    thread::sleep(ENDING);
    drop(game);
    let seen: PathBuf = find_ending(&folder.0, engine.recording).ok_or_else(|| failed("it recorded nothing"))?;
    let truth: HashSet<String> = positions(&checkout().join(engine.sample))?.into_iter().collect();
    let seen = positions(&seen)?;
    let other = seen.iter().filter(|place| !truth.contains(*place)).count();
    println!("=== {name} saw {} places of players, {other} of them otherwise than the recording has them", seen.len());
    // one who has just joined has his own place, which no recording has
    if seen.len() < ENOUGH || other * 50 > seen.len() {
        return Err(failed("it did not see what was recorded"));
    }
    Ok(())
}
