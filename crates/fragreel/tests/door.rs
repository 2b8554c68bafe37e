//! The ways in and out: threads, and recordings that grow.

use fragreel::Recording;
use fragreel::model::{Fields, Frame, FrameOptions, Info, Kinds};

use super::{FAMILIES, opened};

fn samples() -> impl Iterator<Item = (String, Vec<u8>)> {
    let all = FAMILIES.into_iter().flat_map(fragreel_testkit::samples).map(|sample| (sample.name.clone(), sample.raw()));
    all.filter(|(name, bytes)| !opened(bytes, name).starts_with("nothing"))
}

#[test]
fn threads_get_the_same_answers() {
    for (name, bytes) in samples() {
        let recording = Recording::open(bytes, &name).unwrap();
        let here: Vec<_> = recording.frames(FrameOptions::default().hz(5.0)).unwrap().collect();
        let (events, info) = (recording.events(Kinds::ALL).count(), recording.info());
        let frames = recording.frames(FrameOptions::default().hz(5.0)).unwrap();
        let there = std::thread::spawn(move || (recording.events(Kinds::ALL).count(), recording.info())).join().unwrap();
        assert_eq!(there, (events, info), "{name}");
        // the walk keeps the recording that is closed here
        let walked = std::thread::spawn(move || frames.collect::<Vec<_>>()).join().unwrap();
        assert!(walked == here, "{name}");
    }
}

#[test]
fn a_walk_that_grows_with_its_recording_is_one_walk() {
    for (name, bytes) in samples().filter(|(_, bytes)| bytes.len() > 10_000) {
        let bytes = fragreel::Bytes::from(bytes);
        let whole = Recording::open(bytes.clone(), &name).unwrap();
        let third = bytes.len() / 3;
        let Ok(recording) = Recording::open(bytes.slice(..third), &name) else { continue };
        // what is packed does not grow, and Half-Life's directory is at the end
        if whole.is_compressed() || whole.family() == fragreel::model::Family::GoldSrc {
            continue;
        }
        let (mut walk, mut found) = (recording.frames(FrameOptions::default()).unwrap().pause(), Vec::new());
        for (end, last) in [(third, false), (2 * third, false), (bytes.len(), true)] {
            let mut frames = walk.resume(bytes.slice(..end), last);
            found.extend(frames.by_ref());
            walk = frames.pause();
        }
        assert!(whole.frames(FrameOptions::default()).unwrap().eq(found), "{name}");
    }
}

/// What `info` says of length and rate is what the walk over the frames shows, in all families.
#[test]
fn length_and_rate_are_those_of_the_frames() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for sample in FAMILIES.into_iter().flat_map(super::small) {
        let (name, bytes) = (&sample.name, sample.raw());
        let Ok(recording) = Recording::open(bytes.clone(), name) else { continue };
        let (Ok(mut frames), true) = (recording.frames(FrameOptions::default().fields(Fields::NONE)), recording.verify().is_whole()) else { continue };
        let (mut frame, mut last, mut count) = (Frame::default(), None, 0);
        while frames.next_into(&mut frame) {
            (last, count) = (Some(frame.time), count + 1);
        }
        let info = recording.info();
        // one frame has no length, old recordings of Half-Life have one although nobody can read their frames, and frames of one moment are one in the walk
        compared += u32::from(count > 1);
        let rates = [count, info.snapshots].map(|frames| Info::rate(frames, last));
        if count > 1 && (info.duration != last || !rates.contains(&info.snapshot_rate)) {
            wrong.push(format!("{name}: {:?} and {:?}, {last:?} of {count} frames", info.duration, info.snapshot_rate));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 20, "{compared}");
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[length_and_rate_are_those_of_the_frames]);
}
