//! How long a walk and seeks take, and a clip before and after them: `cargo run --release -p fragreel --example seek -- FILE...`.

use std::time::{Duration, Instant};

use fragreel::Recording;
use fragreel::edit::{Clock, Range, Same};
use fragreel::model::{Frame, FrameOptions, Milliseconds, When};

/// Seeks to places all over the recording, in no order.
const SEEKS: i64 = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names = ["walk", "first", "median", "worst", "state", "clip", "again"].map(|name| format!("{name:>8}"));
    println!("{:>9} {}  file", "bytes", names.join(" "));
    for path in std::env::args().skip(1) {
        let recording = Recording::open(std::fs::read(&path)?, &path)?;
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
        let clip = clip(&recording, length)?;
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
        let again = self::clip(&recording, length)?;
        let milliseconds = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1000.0);
        let figures = [walk, first, times[times.len() / 2], times[times.len() - 1], state, clip, again].map(|time| format!("{:>8}", milliseconds(time)));
        println!("{:>9} {}  {path}", recording.bytes().len(), figures.join(" "));
    }
    Ok(())
}

/// A twentieth of the recording near its end, cut and checked.
fn clip(recording: &Recording, length: i64) -> Result<Duration, fragreel::Error> {
    let begin = Instant::now();
    let range = Range { clock: Clock::Demo, from: Milliseconds(length * 17 / 20), to: Milliseconds(length * 18 / 20) };
    assert!(recording.check_edited(&recording.cut(range)?, Same::Strings)?.is_sound());
    Ok(begin.elapsed())
}
