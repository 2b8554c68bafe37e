//! Editing: every output is whole, and says what its source says.

mod cases;
mod chunked;
mod convert;
mod cut;
mod judged;
mod odd;
mod parts;
mod personal;
mod rewrite;
mod standing;
mod views;

use fragreel_base::wire::Limits;
use fragreel_model::{Edited, Fate};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Block, Framing, Stamp};
use fragreel_quake1::unstable::message::Message;
use fragreel_testkit::{Random, Sample};

/// Samples and recordings of the corpus whose messages are taken apart, none longer than `most` bytes.
pub(super) fn editable(most: usize) -> Vec<Sample> {
    let all = fragreel_testkit::samples("quake1").into_iter().chain(super::corpus::recordings());
    all.filter(|sample| {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        bytes.len() <= most && recording.dialect().supported()
    })
    .collect()
}

/// Opens what was made, which must be whole.
pub(super) fn opened<'a>(edited: &'a Edited, what: &str) -> Recording<'a> {
    let recording = Recording::open(&edited.bytes, Some(&edited.extension), Limits::default()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let report = recording.verify();
    assert!(report.is_whole() && report.damage.is_empty(), "{what}: {:?}", report.damage.first());
    recording
}

/// Nothing in it is known to stop engines, and it ends as they end recordings.
pub(super) fn plays(recording: &Recording<'_>, what: &str) {
    let stops = |block: Block<'_>| matches!(block.framing, Framing::NetQuake { .. }) && block.data.is_empty();
    assert!(!recording.blocks().any(|block| stops(block.unwrap())), "{what}: engines stop at a block without a byte");
    let notes = recording.verify().notes;
    let stops = notes.iter().find(|note| matches!(note.kind, fragreel_model::DamageKind::NoEndMarker | fragreel_model::DamageKind::Compatibility));
    assert!(stops.is_none(), "{what}: {stops:?}");
}

/// How many entity deltas each moment of a multi-view recording has: blocks without delay between them.
pub(super) fn deltas_by_moment(recording: &Recording<'_>) -> Vec<u32> {
    let mut moments = vec![0];
    let of_block: Vec<usize> = recording
        .blocks()
        .scan(0, |moment, block| {
            if matches!(block.unwrap().framing, Framing::Packet { time: Stamp::After(1..), .. }) {
                *moment += 1;
            }
            Some(*moment)
        })
        .collect();
    moments.resize(of_block.last().map_or(0, |last| last + 1), 0);
    recording.map_messages(&mut |place, message| {
        moments[of_block[place.message as usize]] += u32::from(matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_)));
        Fate::Keep
    });
    moments
}

/// What was made says what its source says.
pub(super) fn agrees(source: &Recording<'_>, edited: &Recording<'_>, what: &str) -> u64 {
    let comparison = source.compare_with_strings(edited);
    assert!(comparison.differing == 0, "{what}: {} of {} frames differ: {:#?}", comparison.differing, comparison.frames, comparison.differences);
    comparison.frames
}

/// Whatever was done to a recording: what is made of it is whole.
#[test]
fn edits_of_spoilt_recordings_hold() {
    use super::properties::{beginnings, spoil};
    let rounds = std::env::var("FRAGREEL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(4);
    let beginnings = beginnings();
    let mut random = Random::new(0x6c62_272e_07bb_0142);
    for at in 0..beginnings.len() * rounds {
        let mut bytes = beginnings[at % beginnings.len()].clone();
        let other = &beginnings[random.below(beginnings.len())];
        for _ in 0..random.below(6) {
            spoil(&mut bytes, other, &mut random);
        }
        fragreel_quake1::unstable::properties::edit(&bytes);
    }
}
