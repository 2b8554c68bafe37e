//! What the viewer asks of the library, timed without a browser: `npm run figures` in `web/` compares with it.
//!
//! `cargo run --release -p fragreel-wasm --example native -- FILE...` prints one JSON object a file, in milliseconds, the best of five.

use std::time::Instant;

use fragreel_wasm::{Recording, Tracks};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let bytes = std::fs::read(&file)?;
        let opened = fragreel::Recording::open(bytes.clone(), &file)?;
        let tracks = best(|| Tracks::of(&opened, |_| ()).map(drop))?;
        let recording = Recording::new(bytes, &file).map_err(|_| "no recording")?;
        let events = best(|| recording.events().map(drop).map_err(|_| "no events"))?;
        println!("{}", serde_json::json!({ "file": file, "tracks": tracks, "events": events }));
    }
    Ok(())
}

/// Milliseconds of the quickest of five.
fn best<E>(mut run: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(best)
}
