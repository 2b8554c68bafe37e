//! Every match of every recording, by its own checks (`docs/statistics.md`, "Checks"): what contradicts has a reason, in the finding or here.

use fragreel::Recording;
use fragreel_testkit::{Exceptions, Known};

/// Findings without a reason of their own.
const KNOWN: &[Known] = &[
    ("CTFS-myT-ojfc-09", "counted", "a kill in the frame of the capture that ends a round: CPMA does not count it"),
    ("CTFS-myT-q3wcp23", "counted", "CPMA counts a death by the map as a kill by the enemy who pushed the player"),
    ("2v2_xscores_1", "counted", "CPMA counts a team kill without an obituary"),
];

/// The nine checks find nothing that is not explained.
#[test]
fn findings_are_explained() {
    let exceptions = Exceptions::new(KNOWN);
    let (mut matches, mut finished) = (0, 0);
    for family in super::FAMILIES {
        for sample in super::recordings(family) {
            let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
            exceptions.seen(&sample.name);
            for one in recording.scores().value {
                (matches, finished) = (matches + 1, finished + usize::from(one.outcome.is_final()));
                for found in &one.findings {
                    println!("{}: match {}: {}: {}", sample.name, one.number, found.check.name(), found.sentence());
                    if found.reason.is_none() {
                        exceptions.fault(&sample.name, found.check.name(), &found.sentence());
                    }
                }
            }
        }
    }
    println!("{matches} matches, {finished} of them with an end");
    assert!(matches > 20, "{matches}");
    exceptions.end();
}
