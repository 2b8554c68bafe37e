//! Random edits, one after the other.

use fragreel_quake3::properties;
use fragreel_testkit::Random;

#[test]
fn random_edits_decode_without_damage_and_leave_the_rest() {
    let mut samples = fragreel_testkit::samples("quake3");
    samples.extend(fragreel_testkit::corpus("quake3").into_iter().filter(|sample| !sample.damaged).step_by(5));
    for sample in samples {
        let mut random = Random::named(&sample.name);
        let mut bytes = vec![0; 8];
        bytes.iter_mut().for_each(|byte| *byte = random.below(256) as u8);
        bytes.extend(sample.bytes().into_iter().take(120_000));
        properties::edit(&bytes);
    }
}
