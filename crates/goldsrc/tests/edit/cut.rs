//! Cuts show the source's states at every frame inside.

use goldsrc::Recording;
use model::{Clock, Range};

use super::{Random, assert_same, assert_whole, frames, open, sound, span};

/// How many ranges are cut from each recording: `FRAGREEL_RANGES` says otherwise.
fn ranges() -> usize {
    std::env::var("FRAGREEL_RANGES").ok().and_then(|count| count.parse().ok()).unwrap_or(2)
}

#[test]
fn any_range_shows_what_its_source_shows() {
    let (mut cuts, mut random) = (0, Random(0x1234_5678_9abc_def1));
    for (name, bytes) in sound() {
        let source = open(&bytes);
        let all = frames(&source);
        let loading = loading_frames(&source);
        for round in 0..ranges() {
            let (from, to) = span(&mut random, all.len());
            let (clock, from, to) = if round % 2 == 0 { (Clock::Demo, all[from].0, all[to].0) } else { (Clock::Server, all[from].1, all[to].1) };
            let range = Range { clock, from, to };
            let edited = source.cut(range).unwrap_or_else(|error| panic!("{name} {range:?}: {error}"));
            let what = format!("{name} {range:?}");
            assert_whole(&what, &edited);
            let cut = open(&edited.bytes);
            let times = frames(&cut);
            let on = |&(demo, server): &(_, _)| if clock == Clock::Demo { demo } else { server };
            let wanted = all.iter().filter(|frame| (from..=to).contains(&on(frame))).count();
            // several frames may share a time; the last of them starts the cut
            assert!((1..=wanted).contains(&times.len()), "{what}: {} of {wanted}", times.len());
            assert_same(&what, &source, &cut, (times.len() + loading) as u64);
            assert_eq!(times[0].0.0, 0, "{what}");
            cuts += 1;
        }
    }
    assert!(cuts >= 10, "{cuts}");
}

fn loading_frames(recording: &Recording) -> usize {
    recording.info().snapshots as usize - frames(recording).len()
}
