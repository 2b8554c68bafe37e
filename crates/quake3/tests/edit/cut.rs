//! Cuts.

use fragreel_model::{Clock, Milliseconds, Range};
use fragreel_quake3::container::{END_MARK, Frames, Piece};

use super::engine::play;
use super::{Random, agree, each, whole};

fn demo(from: i64, to: i64) -> Range {
    Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }
}

#[test]
fn every_frame_of_a_cut_has_the_state_that_it_had() {
    each(|sample, recording| {
        let mut random = Random::named(&sample.name);
        let Some(duration) = recording.info().duration else { return };
        // long ones once
        for round in if recording.bytes().len() > 1_000_000 { 1..2 } else { 0..3 } {
            let from = random.below(duration.0 as usize) as i64;
            let to = from + random.below([2_000, 20_000, 200_000][round]) as i64;
            let name = format!("{} {from}-{to}", sample.name);
            let cut = match recording.cut(demo(from, to)) {
                Ok(cut) => cut,
                Err(error) if sample.damaged => {
                    eprintln!("{name}: {error}");
                    continue;
                }
                Err(error) => panic!("{name}: {error}"),
            };
            let edited = whole(&name, &cut);
            let frames = agree(&name, &recording.compare_with_strings(&edited));
            let played = play(&edited).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(frames, played.frames.len() as u64, "{name}");
            assert!(frames > 0, "{name}");
        }
    });
}

#[test]
fn a_cut_of_everything_changes_nothing() {
    each(|sample, recording| {
        if !recording.verify().damage.is_empty() {
            return;
        }
        let cut = recording.cut(demo(0, i64::MAX)).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        // but for what stands behind the last frame
        let kept = cut.bytes.len() - END_MARK.len();
        assert!(recording.bytes().starts_with(&cut.bytes[..kept]), "{}", sample.name);
        let frames = Frames::new(&recording.bytes()[kept..]).filter(|piece| matches!(piece, Piece::Message(_))).count();
        assert!(frames <= 5 && (cut.actions.is_empty() || cut.bytes != recording.bytes()), "{}: {frames} more", sample.name);
    });
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[every_frame_of_a_cut_has_the_state_that_it_had, a_cut_of_everything_changes_nothing]);
}
