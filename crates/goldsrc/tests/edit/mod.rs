//! Editing: what comes out is whole, shows what its source shows, and is read by others.

mod chunks;
mod convert;
mod cut;
mod engine;
mod marks;
mod opening;
mod parts;
mod repair;
mod rewrite;
mod secrets;
mod strict;

use fragreel_goldsrc::Recording;
use fragreel_model::{Edited, Milliseconds, RoundTrip};
use fragreel_testkit::Random;

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap()
}

/// Sound recordings whose messages are known, of the samples and the small ones of the corpus.
fn sound() -> impl Iterator<Item = (String, Vec<u8>)> {
    let all =
        fragreel_testkit::small(fragreel_testkit::corpus("goldsrc")).into_iter().filter(|sample| !sample.damaged).chain(fragreel_testkit::samples("goldsrc"));
    all.map(|sample| (sample.name.clone(), sample.bytes())).filter(|(_, bytes)| {
        let recording = open(bytes);
        recording.dialect().messages.is_some() && recording.verify().is_whole()
    })
}

/// Nothing in it is wrong or odd: the container, the messages, what they are deltas against, the directory.
#[track_caller]
fn assert_whole(name: &str, edited: &Edited) {
    assert_sound(name, edited);
    let notes = open(&edited.bytes).verify().notes;
    let notes: Vec<_> =
        notes.iter().filter(|note| !["no real recording", "which is not read", "data of BunnymodXT"].iter().any(|known| note.detail.contains(known))).collect();
    assert!(notes.is_empty(), "{name}: {notes:?}");
}

/// Nothing in it is wrong.
#[track_caller]
fn assert_sound(name: &str, edited: &Edited) {
    let recording = open(&edited.bytes);
    let report = recording.verify();
    assert_eq!(report.damage, [], "{name}: {:?}", edited.actions);
    assert_eq!(report.round_trip, RoundTrip::Identical, "{name}");
    assert_eq!(recording.container().source, fragreel_goldsrc::container::Source::Directory, "{name}");
    assert_eq!(edited.extension, "dem");
    let again = recording.repair().unwrap();
    assert!(again.actions.is_empty(), "{name}: {:?}", again.actions);
}

/// Every frame of `edited` is in the source, and the same.
#[track_caller]
fn assert_same(name: &str, source: &Recording, edited: &Recording, frames: u64) {
    let comparison = source.compare(edited);
    assert!(comparison.differences.is_empty(), "{name}: {:#?}", comparison.differences);
    assert_eq!((comparison.frames, comparison.differing), (frames, 0), "{name}");
}

/// Demo and server times of all frames while playing.
fn frames(recording: &Recording) -> Vec<(Milliseconds, Milliseconds)> {
    use fragreel_goldsrc::container::Step;
    use fragreel_goldsrc::message::Message;
    let mut decoder = fragreel_goldsrc::Decoder::new(fragreel_goldsrc::Context::new(recording.dialect().messages.unwrap()));
    let mut frames = Vec::new();
    // played segments follow one another
    let (mut played, mut begun, mut last) = (None, 0.0, 0.0);
    for step in recording.container().macros() {
        let Step::Macro { segment, window, .. } = step else { continue };
        if recording.container().segments[segment].is_playback() {
            if played.replace(segment) != Some(segment) {
                begun = last;
            }
            last = begun + f64::from(window.time).max(0.0);
        }
        let Some((offset, data)) = fragreel_goldsrc::messages(&window, recording.dialect()) else { continue };
        let mut frame = false;
        let _ = decoder.block(data, offset, |_, message, _| frame |= matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_)));
        if frame && recording.container().segments[segment].is_playback() {
            frames.push((Milliseconds::from_seconds(last), Milliseconds::from_seconds(f64::from(decoder.context.time))));
        }
    }
    frames
}

/// Two places in order, both below `limit`.
fn span(random: &mut Random, limit: usize) -> (usize, usize) {
    let (a, b) = (random.below(limit), random.below(limit));
    (a.min(b), a.max(b))
}
