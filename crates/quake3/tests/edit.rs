//! Editing: results decode without damage, hold the states that they should, and play by the rules of engines.

mod chunked_cut;
mod convert;
mod cut;
pub(super) mod engine;
mod fit;
mod merge;
mod other_tools;
mod parts;
mod random;
mod repair;
mod rewrite;
mod strict;

use fragreel_base::wire::Limits;
use fragreel_model::{Comparison, DamageKind, Edited, RoundTrip, Verification};
use fragreel_quake3::Recording;
use fragreel_testkit::{Random, Sample};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Our own recordings and the small ones of the corpus.
fn everything() -> Vec<Sample> {
    let mut samples = fragreel_testkit::samples("quake3");
    samples.extend(fragreel_testkit::small(fragreel_testkit::corpus("quake3")));
    samples
}

/// Runs `check` on every recording, several at a time.
fn each(check: impl Fn(&Sample, Recording<'_>) + Sync + Send) {
    everything().into_par_iter().for_each(|sample| {
        let bytes = sample.bytes();
        check(&sample, open(&sample.name, &bytes, &sample.extension()));
    });
}

/// As [`each`], with the shortest recording of each protocol.
fn each_kind(check: impl Fn(&Sample, Recording<'_>) + Sync + Send) {
    let mut samples: Vec<(usize, Sample)> = everything().into_iter().map(|sample| (sample.bytes().len(), sample)).collect();
    samples.sort_by_key(|(bytes, _)| *bytes);
    let mut protocols = std::collections::HashSet::new();
    samples.retain(|(_, sample)| {
        let bytes = sample.bytes();
        protocols.insert(open(&sample.name, &bytes, &sample.extension()).dialect().protocol)
    });
    samples.into_par_iter().for_each(|(_, sample)| {
        let bytes = sample.bytes();
        check(&sample, open(&sample.name, &bytes, &sample.extension()));
    });
}

fn open<'a>(name: &str, bytes: &'a [u8], extension: &str) -> Recording<'a> {
    Recording::open(bytes, Some(extension), Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The edited recording, which must be whole.
fn whole<'a>(name: &str, edited: &'a Edited) -> Recording<'a> {
    let recording = open(name, &edited.bytes, &edited.extension);
    let report: Verification = recording.verify();
    // what stands behind the end is no business of players
    let damage: Vec<_> = report.damage.iter().filter(|damage| damage.kind != DamageKind::TrailingData).collect();
    assert!(damage.is_empty() && report.round_trip == RoundTrip::Identical, "{name}: {damage:?} {:?}", report.first_difference);
    recording
}

fn agree(name: &str, comparison: &Comparison) -> u64 {
    assert_eq!(comparison.differing, 0, "{name}: {:?}", comparison.differences);
    comparison.frames
}
