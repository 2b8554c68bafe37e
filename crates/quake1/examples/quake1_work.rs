//! Does one piece of work over one recording, for counting its instructions:
//! `valgrind --tool=callgrind target/release/examples/quake1_work info FILE`.

use fragreel_base::wire::Limits;
use fragreel_model::{FrameOptions, Kind, Kinds};
use fragreel_quake1::Recording;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, work, path] = &arguments[..] else { panic!("work open|blocks|info|state|kills|events|statements|verify|frames|places FILE") };
    let bytes = std::fs::read(path).expect("a file");
    let recording = Recording::open(&bytes, path.rsplit('.').next(), Limits::default()).expect("a recording");
    let mut count = 0;
    match work.as_str() {
        "open" => {}
        "blocks" => count = recording.blocks().count(),
        "info" => count = recording.info().players.len(),
        "state" => recording.replay(|_, _, _| count += 1),
        "kills" => count = recording.events(Kind::Kill.into()).count(),
        "events" => count = recording.events(Kinds::ALL).count(),
        "statements" => count = recording.events([Kind::Level, Kind::Match, Kind::Statistics, Kind::Scores].into_iter().collect()).count(),
        "verify" => count = recording.verify().snapshots as usize,
        "frames" => count = recording.frames(FrameOptions::default()).count(),
        "places" => count = recording.frames(FrameOptions::default().hz(10.0).players_only()).count(),
        other => panic!("no work is called {other}"),
    }
    println!("{count}");
}
