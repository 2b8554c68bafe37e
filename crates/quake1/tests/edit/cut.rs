//! Parts of recordings.

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, Milliseconds, Range};
use fragreel_quake1::Recording;
use fragreel_testkit::Random;

use super::{agrees, deltas_by_moment, editable, opened, plays};

/// The states of a part equal its source's at every frame inside.
#[test]
fn parts_say_what_their_source_says() {
    let mut wrong = Vec::new();
    let mut frames = 0;
    for sample in editable(250_000) {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let Some(length) = source.info().duration else { continue };
        let mut random = Random::new(bytes.len() as u64);
        for turn in 0..3 {
            let from = Milliseconds(random.below(length.0 as usize) as i64);
            let to = Milliseconds(from.0 + random.below((length.0 - from.0) as usize + 1) as i64);
            let (from, to) = if turn == 0 { (Milliseconds(0), length) } else { (from, to) };
            let what = format!("{} from {from} to {to}", sample.name);
            let cut = source.cut(Range { clock: Clock::Demo, from, to }).unwrap_or_else(|error| panic!("{what}: {error}"));
            let result = std::panic::catch_unwind(|| {
                let part = opened(&cut, &what);
                plays(&part, &what);
                agrees(&source, &part, &what)
            });
            match result {
                Ok(count) => frames += count,
                Err(error) => wrong.push(format!("{:.600}", error.downcast_ref::<String>().cloned().unwrap_or_default())),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(frames > 1000, "{frames} frames compared");
}

#[test]
fn a_cut_multi_view_recording_starts_after_its_opening() {
    for sample in editable(600_000).iter().filter(|sample| sample.extension() == "mvd") {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, None, Limits::default()).unwrap();
        let Some(length) = source.info().duration else { continue };
        let cut = source.cut(Range { clock: Clock::Demo, from: Milliseconds(length.0 / 2), to: Milliseconds(length.0 / 2 + 1000) }).unwrap();
        let moments = deltas_by_moment(&opened(&cut, &sample.name));
        assert_eq!(moments[0], 0, "{}", sample.name);
    }
}

/// What cannot be meant is misuse, whatever it is: behind the end, backwards, on a clock that never runs.
#[test]
fn ranges_without_a_frame_are_misuse() {
    for name in ["match_e1m1.mvd", "match_e1m1.qwd", "quakeworld_plain_dm3.qwd", "netquake666_deltas_e1m1.dem"] {
        let bytes = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
        let source = Recording::open(&bytes, None, Limits::default()).unwrap();
        let length = source.info().duration.unwrap().0;
        for (clock, from, to) in [
            (Clock::Demo, length * 4 + 60_000, i64::MAX),
            (Clock::Server, i64::MAX / 2, i64::MAX),
            (Clock::Match, 0, 1000),
            (Clock::Demo, 100, 99),
            (Clock::Demo, -20, -10),
        ] {
            let range = Range { clock, from: Milliseconds(from), to: Milliseconds(to) };
            let error = source.cut(range).map(|_| ()).unwrap_err();
            assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Misuse, "{name} {range:?}: {error}");
        }
    }
}
