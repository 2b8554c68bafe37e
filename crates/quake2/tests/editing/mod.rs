//! Editing: what comes out is whole, and says what went in.

mod convert;
mod cut;
mod cut_chunks;
mod fields;
mod packed;
mod repair;
mod rewrite;

use fragreel_base::wire::Limits;
use fragreel_model::{Comparison, Edited, Rewrite};
use fragreel_quake2::Recording;
use fragreel_quake2::container::dm2::Blocks;
use fragreel_testkit::Sample;

/// Every recording that can be edited, ours and the corpus', each once.
pub(super) fn recordings() -> Vec<(Sample, Vec<u8>)> {
    let mut seen = std::collections::HashSet::new();
    let all = fragreel_testkit::corpus("quake2").into_iter().chain(fragreel_testkit::samples("quake2"));
    let distinct = all.map(|sample| (sample.clone(), sample.bytes())).filter(|(_, bytes)| seen.insert(bytes.clone()) && !bytes[4..].starts_with(&[7, 25]));
    // the manifest marks what is damaged; of our own nobody does
    let judged = distinct.map(|(sample, bytes)| {
        let damaged = sample.damaged || sample.origin == "sample" && !open(&bytes, &sample.extension()).verify().is_whole();
        (Sample { damaged, ..sample }, bytes)
    });
    judged.collect()
}

pub(super) fn open<'a>(bytes: &'a [u8], extension: &str) -> Recording<'a> {
    Recording::open(bytes, Some(extension), Limits::default()).unwrap()
}

/// Verifies what an edit made, and compares it with its source.
pub(super) fn check(name: &str, source: &Recording, edited: &Edited) -> Comparison {
    let again = open(&edited.bytes, &edited.extension);
    let report = again.verify();
    assert!(report.is_whole(), "{name}: {:?} {:?}", report.damage.first(), report.first_difference);
    let comparison = source.compare(&again);
    assert!(comparison.differing == 0, "{name}: of {} frames: {:?}\n{:?}", comparison.frames, comparison.differences, edited.actions);
    assert!(comparison.frames > 0, "{name}");
    comparison
}

/// Leaves everything as it is.
pub(super) struct Identity;

impl Rewrite for Identity {}

pub(super) fn blocks_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    Blocks::new(bytes).map(|block| block.data.to_vec()).collect()
}

pub(super) fn file_of(blocks: &[Vec<u8>], mark: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    blocks.iter().for_each(|block| fragreel_quake2::container::dm2::write_block(&mut bytes, block));
    if mark {
        bytes.extend_from_slice(&[0xff; 4]);
    }
    bytes
}
