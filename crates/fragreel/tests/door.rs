//! The ways in and out: recordings that own their bytes, sinks that break off.

use std::ops::ControlFlow;

use fragreel::model::{Fields, Frame, FrameOptions, Info, Kinds, Selection};
use fragreel::{Demo, OwnedRecording};

use super::{FAMILIES, opened};

fn samples() -> impl Iterator<Item = (String, Vec<u8>)> {
    let all = FAMILIES.into_iter().flat_map(fragreel_testkit::samples).map(|sample| (sample.name.clone(), sample.raw()));
    all.filter(|(name, bytes)| !opened(bytes, name).starts_with("nothing"))
}

#[test]
fn a_sink_that_breaks_off_is_given_no_more() {
    let mut families = std::collections::BTreeSet::new();
    for (name, bytes) in samples() {
        let demo = Demo::new(&bytes[..], &name).unwrap();
        let recording = demo.open().unwrap();
        let mut all = Vec::new();
        recording.events(Kinds::ALL, &mut |event| all.push(event));
        for enough in [1, 3] {
            let mut some = Vec::new();
            recording.events(Kinds::ALL, &mut |event| {
                some.push(event);
                if some.len() == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!(some, all[..all.len().min(enough)], "{name}");
        }
        let mut explained = 0;
        recording.explain(Selection::All, &mut |_| {
            explained += 1;
            if explained == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(explained <= 2, "{name}");
        if all.len() > 3 {
            families.insert(recording.family().to_string());
        }
    }
    assert_eq!(families.len(), FAMILIES.len(), "{families:?}");
}

#[test]
fn what_owns_its_bytes_answers_as_what_borrows_them() {
    for (name, bytes) in samples() {
        let demo = Demo::new(&bytes[..], &name).unwrap();
        let borrowed: Vec<_> = demo.open().unwrap().frames(FrameOptions::default().hz(5.0)).unwrap().collect();
        let owned = OwnedRecording::open(bytes.clone(), &name).unwrap();
        assert_eq!(owned.recording().info(), demo.open().unwrap().info(), "{name}");
        let frames = owned.frames(FrameOptions::default().hz(5.0)).unwrap();
        drop(owned);
        let walked = std::thread::spawn(move || frames.collect::<Vec<_>>()).join().unwrap();
        assert_eq!(walked.len(), borrowed.len(), "{name}");
        assert!(walked == borrowed, "{name}");
    }
}

#[test]
fn an_owned_walk_seeks_as_a_borrowed_one() {
    use fragreel::model::{Frame, Milliseconds, When};
    for (name, bytes) in samples() {
        let owned = OwnedRecording::open(bytes, &name).unwrap();
        let mut frames = owned.frames(FrameOptions::default()).unwrap();
        let mut borrowed = owned.recording().frames(FrameOptions::default()).unwrap();
        for time in [3000, 500, 9000] {
            let (mut here, mut there) = (Frame::default(), Frame::default());
            let when = When::Demo(Milliseconds(time));
            assert_eq!(frames.seek(when), borrowed.seek(when), "{name}");
            assert_eq!(frames.next_into(&mut here), borrowed.next_into(&mut there), "{name}");
            assert!(here == there, "{name} at {time}");
        }
        assert_eq!(frames.recording().demo().bytes(), owned.demo().bytes());
    }
}

/// What `info` says of length and rate is what the walk over the frames shows, in all families.
#[test]
fn length_and_rate_are_those_of_the_frames() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for sample in FAMILIES.into_iter().flat_map(super::small) {
        let (name, bytes) = (&sample.name, sample.raw());
        let Ok(demo) = Demo::new(&bytes[..], name) else { continue };
        let Ok(recording) = demo.open() else { continue };
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
