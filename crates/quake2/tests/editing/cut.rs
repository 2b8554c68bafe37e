//! Cuts and parts.

use fragreel_model::{Clock, Edited, EventKind, Kinds, Milliseconds, Range, Split, When};
use fragreel_quake2::Recording;
use fragreel_testkit::Random;

use super::{check, open, recordings};

#[test]
fn a_cut_says_what_its_source_says() {
    let mut random = Random::new(0x5eed_0001);
    let (mut cuts, mut frames) = (0, 0);
    for (sample, bytes) in recordings() {
        let source = open(&bytes, &sample.extension());
        let length = source.info().duration.unwrap().0;
        for round in 0..3 {
            let from = random.below(length as usize) as i64;
            let to = from + random.below((length - from) as usize / (1 + round) + 100) as i64;
            let range = Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) };
            let name = format!("{} {from}..{to}", sample.name);
            let edited = source.cut(range).unwrap_or_else(|error| panic!("{name}: {error}"));
            frames += check(&name, &source, &edited).frames;
            strings_agree(&name, &source, &edited, from);
            cuts += 1;
        }
    }
    assert!(cuts > 20 && frames > 1000, "{cuts} cuts, {frames} frames");
}

/// The strings at the cut's first frame are the source's at that time.
fn strings_agree(name: &str, source: &Recording, edited: &Edited, from: i64) {
    let strings = |recording: &Recording, time: i64| {
        let moment = recording.state_at(When::Demo(Milliseconds(time))).unwrap();
        moment.sections.into_iter().find(|section| section.name == "configstrings").unwrap().records
    };
    let again = open(&edited.bytes, &edited.extension);
    let (old, new) = (strings(source, from), strings(&again, 0));
    let differing = new.iter().filter(|record| !old.contains(record)).count();
    assert!(differing == 0 && new.len() == old.len(), "{name}: {differing} strings of {} and {}", old.len(), new.len());
}

/// Everything written on the screen.
fn lines(recording: &Recording) -> Vec<String> {
    let mut lines = Vec::new();
    recording.events(Kinds::ALL).for_each(|event| match &event.kind {
        // A join where the name is known already, which it is when the strings of that frame stand before it.
        EventKind::Print { text } if text.raw.ends_with(" entered the game") => {}
        EventKind::Chat { text, .. } | EventKind::Print { text } | EventKind::CenterPrint { text } => lines.push(text.raw.clone()),
        EventKind::Shot { .. } => lines.push(String::from("shot")),
        _ => {}
    });
    lines
}

#[test]
fn parts_are_whole_and_cover_their_source() {
    parts_cover(150_000);
}

#[test]
#[ignore = "nightly"]
fn parts_of_larger_recordings_are_whole_and_cover_their_source() {
    parts_cover(usize::MAX);
}

fn parts_cover(most: usize) {
    for (sample, bytes) in recordings().into_iter().filter(|(sample, bytes)| !sample.damaged && bytes.len() < most) {
        let source = open(&bytes, &sample.extension());
        let frames = source.info().snapshots;
        for by in [Split::Level, Split::Gamestate, Split::Size(200_000), Split::Size(60_000)] {
            // Longer ones take long.
            if bytes.len() > 400_000 && by != Split::Size(200_000) && source.info().maps.len() < 2 {
                continue;
            }
            let parts = match source.split(by) {
                Ok(parts) => parts,
                Err(error) if by == Split::Size(60_000) => {
                    assert!(error.to_string().contains("too small"), "{error}");
                    continue;
                }
                Err(error) => panic!("{}: {error}", sample.name),
            };
            let mut compared = 0;
            for (at, part) in parts.iter().enumerate() {
                if let Split::Size(most) = by {
                    assert!(part.bytes.len() as u64 <= most, "{}", sample.name);
                }
                compared += check(&format!("{} {by:?} {at}", sample.name), &source, part).frames;
            }
            assert_eq!(compared, frames, "{} {by:?}: {} parts", sample.name, parts.len());
            let opened: Vec<Recording> = parts.iter().map(|part| open(&part.bytes, &part.extension)).collect();
            let joined = Recording::join(&opened.iter().collect::<Vec<_>>()).unwrap_or_else(|error| panic!("{} {by:?}: {error}", sample.name));
            let comparison = check(&format!("{} {by:?} joined", sample.name), &source, &joined);
            assert_eq!(comparison.frames, frames, "{} {by:?}", sample.name);
            let lines: Vec<String> = opened.iter().flat_map(lines).collect();
            let joined_lines = self::lines(&open(&joined.bytes, &joined.extension));
            assert_eq!(lines, self::lines(&source), "{} {by:?}", sample.name);
            assert_eq!(joined_lines, lines, "{} {by:?} joined", sample.name);
            if by == Split::Size(60_000) && parts.len() > 1 {
                let grown = joined.bytes.len() as f64 / bytes.len() as f64;
                assert!((0.98..1.05).contains(&grown), "{}: {} parts: {grown}", sample.name, parts.len());
            }
        }
    }
}
