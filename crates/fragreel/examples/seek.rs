//! How long a walk and seeks take: `cargo run --release -p fragreel --example seek -- FILE...`.

use std::time::{Duration, Instant};

use fragreel::Demo;
use fragreel::model::{Frame, FrameOptions, Milliseconds, When};

/// Seeks to places all over the recording, in no order.
const SEEKS: i64 = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:>9} {:>8} {:>8} {:>8} {:>8} {:>8}  file", "bytes", "walk", "first", "median", "worst", "state");
    for path in std::env::args().skip(1) {
        let demo = Demo::new(std::fs::read(&path)?, &path)?;
        let recording = demo.open()?;
        let mut frames = recording.frames(FrameOptions::default())?;
        let mut frame = Frame::default();
        let begin = Instant::now();
        let mut count = 0;
        while frames.next_into(&mut frame) {
            count += 1;
        }
        if count == 0 {
            println!("no frames in {path}");
            continue;
        }
        let (walk, length) = (begin.elapsed(), frame.time.0);
        let mut times: Vec<Duration> = (0..SEEKS)
            .map(|at| {
                let when = When::Demo(Milliseconds(length * (at * 77 % SEEKS) / SEEKS));
                let begin = Instant::now();
                assert!(frames.seek(when) && frames.next_into(&mut frame));
                begin.elapsed()
            })
            .collect();
        let first = times.remove(0);
        times.sort();
        let begin = Instant::now();
        for part in 1..=10 {
            recording.state_at(When::Demo(Milliseconds(length * part / 10)))?;
        }
        let state = begin.elapsed() / 10;
        let milliseconds = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1000.0);
        let [walk, first, median, worst, state] = [walk, first, times[times.len() / 2], times[times.len() - 1], state].map(milliseconds);
        println!("{:>9} {walk:>8} {first:>8} {median:>8} {worst:>8} {state:>8}  {path}", demo.bytes().len());
    }
    Ok(())
}
