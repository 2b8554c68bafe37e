//! Cuts show the source's states at every frame inside.

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::container::Step;
use fragreel_model::{Clock, Range};
use fragreel_testkit::Random;

use super::{assert_same, assert_whole, frames, open, sound, span};

/// How many ranges are cut from each recording: `FRAGREEL_RANGES` says otherwise.
fn ranges() -> usize {
    std::env::var("FRAGREEL_RANGES").ok().and_then(|count| count.parse().ok()).unwrap_or(2)
}

#[test]
fn any_range_shows_what_its_source_shows() {
    let (mut cuts, mut random) = (0, Random::new(0x1234_5678_9abc_def1));
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

/// The messages of all data blocks that are played.
fn blocks<'a>(recording: &Recording<'a>) -> Vec<&'a [u8]> {
    let container = recording.container();
    let macros = container.macros().filter_map(|step| match step {
        Step::Macro { segment, window, .. } if container.segments[segment].is_playback() => Some(window),
        _ => None,
    });
    macros.filter_map(|window| fragreel_goldsrc::messages(&window, recording.dialect())).map(|(_, data)| data).collect()
}

/// Only frames whose base was cut off are re-encoded; that is over after a few, for clients acknowledge frames at once.
#[test]
fn untouched_frames_keep_their_bytes() {
    let mut random = Random::new(31);
    for (name, bytes) in sound().filter(|(_, bytes)| bytes.len() > 40_000) {
        let source = open(&bytes);
        let (all, old) = (frames(&source), blocks(&source));
        let (from, to) = span(&mut random, all.len());
        let edited = source.cut(Range { clock: Clock::Demo, from: all[from].0, to: all[to].0 }).unwrap();
        let new = blocks(&open(&edited.bytes)).into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
        // where the cut's last block is in the source, and how many go before it that are the source's, too
        let end = old.iter().rposition(|block| Some(*block) == new.last().map(Vec::as_slice)).map_or(0, |at| at + 1);
        let same = old[..end].iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
        let told = new.len() - same;
        assert!(told < 64.min(new.len() + 1), "{name}: {told} of {} blocks", new.len());
        // all of it: nothing is cut off, so that nothing is re-encoded
        let whole = source.cut(Range { clock: Clock::Server, from: all[0].1, to: all[all.len() - 1].1 }).unwrap();
        let kept = blocks(&open(&whole.bytes)).into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
        assert!(old.ends_with(&kept.iter().map(Vec::as_slice).collect::<Vec<_>>()) || whole.actions.len() > 1, "{name}: {:?}", whole.actions);
    }
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[any_range_shows_what_its_source_shows, untouched_frames_keep_their_bytes]);
}
