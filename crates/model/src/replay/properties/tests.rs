//! Every seed of the fuzz target through its property, and mutations of them.

use fragreel_testkit::Random;

use super::personal;

fn seeds() -> Vec<Vec<u8>> {
    let folder = fragreel_testkit::checkout().join("fuzz/seeds/replay_personal");
    let seeds: Vec<Vec<u8>> = std::fs::read_dir(&folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(!seeds.is_empty(), "replay_personal has no seeds");
    seeds
}

#[test]
fn seeds_hold_the_property() {
    seeds().iter().for_each(|seed| personal(seed));
}

#[test]
fn mutations_hold_the_property() {
    let (seeds, mut random) = (seeds(), Random::new(0x7e57_0a5e));
    for round in 0..20_000 {
        let mut text = seeds[round % seeds.len()].clone();
        for _ in 0..=random.below(4) {
            if text.is_empty() {
                break;
            }
            let at = random.below(text.len());
            match random.below(4) {
                0 => text[at] = b"\\\";\n ^.:@*"[random.below(10)],
                1 => drop(text.remove(at)),
                2 => text.insert(at, b"\\\";\n ^.:@*"[random.below(10)]),
                _ => text[at] = random.number() as u8,
            }
        }
        personal(&text);
    }
}
