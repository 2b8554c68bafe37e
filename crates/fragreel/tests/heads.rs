//! A recording whose first bytes are damaged is its own family's, or nobody's.

use std::sync::Mutex;

use fragreel_testkit::{Random, Sample};

use super::FAMILIES;

/// What happens to the first bytes.
#[derive(Debug, Clone, Copy)]
enum Harm {
    Zeros,
    Noise,
    /// They are missing.
    Cut,
}
use Harm::{Cut, Noise, Zeros};

/// How many bytes are damaged.
const COUNTS: [usize; 9] = [1, 3, 4, 8, 12, 64, 512, 4096, 16384];

/// Bytes of each recording that are looked at.
const MOST: usize = 1 << 18;

impl Harm {
    fn of(self, bytes: &[u8], count: usize, random: &mut Random) -> Vec<u8> {
        let (front, rest) = bytes.split_at(count);
        let front: Vec<u8> = match self {
            Zeros => vec![0; count],
            Noise => front.iter().map(|_| random.below(256) as u8).collect(),
            Cut => Vec::new(),
        };
        [front.as_slice(), rest].concat()
    }
}

/// The other families that a recording of `family` is taken for, by the damage to its first bytes.
fn mistaken(sample: &Sample, bytes: &[u8], family: &str) -> (usize, usize, Vec<String>) {
    let bytes = &bytes[..bytes.len().min(MOST)];
    let mut random = Random::named(&sample.name);
    let (mut tried, mut known, mut wrong) = (0, 0, Vec::new());
    for count in COUNTS.into_iter().filter(|count| 2 * count < bytes.len()) {
        for harm in [Zeros, Noise, Cut] {
            let harmed = harm.of(bytes, count, &mut random);
            let own = sample.name.strip_suffix(".gz").unwrap_or(&sample.name);
            for name in [own, ""] {
                tried += 1;
                match fragreel::detect(&harmed, name) {
                    Some((found, _)) if found.name() == family => known += 1,
                    Some((found, how)) => wrong.push(format!("{}: {harm:?} of {count}, as `{name}`: {found}, {how:?}", sample.name)),
                    None => {}
                }
            }
        }
    }
    (tried, known, wrong)
}

fn nobody_else_takes(samples_of: impl Fn(&str) -> Vec<Sample>) {
    for family in FAMILIES {
        let found = Mutex::new((0, 0, Vec::new()));
        fragreel_testkit::two_at_a_time(&samples_of(family), |sample, bytes| {
            let (tried, known, wrong) = mistaken(sample, bytes, family);
            let mut found = found.lock().expect("no panic");
            *found = (found.0 + tried, found.1 + known, [std::mem::take(&mut found.2), wrong].concat());
        });
        let (tried, known, wrong) = found.into_inner().expect("no panic");
        println!("{family}: {tried} damaged heads, {known} known, {} taken for another family's", wrong.len());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // With its name, a recording is known in spite of most damage.
        assert!(tried > 50 && known * 4 > tried, "{family}: {known} of {tried}");
    }
}

#[test]
fn a_damaged_head_is_not_that_of_another_family() {
    nobody_else_takes(fragreel_testkit::samples);
}

#[test]
#[ignore = "nightly"]
fn a_damaged_head_of_any_recording_is_not_that_of_another_family() {
    nobody_else_takes(|family| super::recordings(family).filter(|sample| !sample.damaged).collect());
}
