//! All edits of our samples, judged by a reader that shares no code with the library.

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, Edited, Milliseconds, Range, Rewrite, Split, Target};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::message::Message;

use crate::strict::{self, Played};

struct Nothing;
impl Rewrite for Nothing {}

fn play(edited: &Edited, what: &str) -> Played {
    strict::play(&edited.bytes, &edited.extension).unwrap_or_else(|why| panic!("{what}: {why}"))
}

/// How far places may be apart after a conversion: a sixteenth on each side, and a little for floats.
const ROUNDING: f32 = 0.126;

fn conversions(recording: &Recording<'_>) -> Vec<&'static str> {
    match recording.container().extension() {
        "dem" => vec!["dem 15", "dem 666", "dem 999"],
        "qwd" => vec!["qwd 28", "mvd"],
        _ => vec!["mvd 28", "qwd"],
    }
}

/// Cuts, parts, joins, repairs, rewrites and conversions play, and their frames are the source's.
#[test]
fn a_strict_reader_finds_no_fault_with_any_edit() {
    let (mut compared, mut judged, mut refused) = (0, 0, Vec::new());
    for sample in fragreel_testkit::samples("quake1") {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        if source.info().snapshots == 0 {
            continue;
        }
        let ended = source.repair().unwrap();
        let played = play(&ended, &sample.name);
        assert!(played.shots.len() > 100, "{}: {} frames", sample.name, played.shots.len());
        let length = source.info().duration.unwrap().0.max(1);
        let mut edits = vec![("repaired", source.repair().unwrap()), ("unchanged", opened(&ended).rewrite(&mut Nothing).unwrap())];
        for (from, to) in [(0, length / 2), (length / 3, length * 2 / 3), (length / 2, length)] {
            edits.push(("cut", source.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }).unwrap()));
        }
        let parts = source.split(Split::Size(bytes.len() as u64 * 2 / 3)).unwrap();
        assert!(parts.len() > 1, "{}", sample.name);
        let recordings: Vec<Recording<'_>> = parts.iter().map(opened).collect();
        edits.push(("joined", Recording::join(&recordings.iter().collect::<Vec<_>>()).unwrap()));
        edits.extend(parts.iter().cloned().map(|part| ("part", part)));
        edits.extend(source.split(Split::Gamestate).unwrap().into_iter().map(|part| ("level", part)));
        for (name, edited) in &edits {
            let what = format!("{}, {name}", sample.name);
            let edited = play(edited, &what);
            assert!(edited.skipped <= played.skipped, "{what}: {} frames are skipped", edited.skipped);
            compared += strict::same(&played, &edited, 0.0, &what);
            judged += 1;
        }
        for format in conversions(&source) {
            let what = format!("{} as {format}", sample.name);
            let pov = (format == "qwd").then(|| String::from("0"));
            let converted = match source.convert(&Target { format: Some(format.to_owned()), pov }) {
                Ok(converted) => converted,
                Err(error) => {
                    refused.push(format!("{what}: {error}"));
                    continue;
                }
            };
            let edited = play(&converted, &what);
            assert!(edited.shots.len() * 10 >= played.shots.len() * 9, "{what}: {} of {} frames", edited.shots.len(), played.shots.len());
            if format.starts_with(source.container().extension()) && !source.dialect().replacement() {
                compared += strict::same(&played, &edited, ROUNDING, &what);
            }
            judged += 1;
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(judged > 100 && compared > 20_000, "{judged} edits, {compared} frames");
}

fn opened(edited: &Edited) -> Recording<'_> {
    Recording::open(&edited.bytes, Some(&edited.extension), Limits::default()).unwrap()
}

/// The judge does see what is wrong.
#[test]
fn the_judge_is_strict() {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap().bytes();
    let played = strict::play(&sample, "qwd").unwrap();
    assert!(strict::play(&sample[..sample.len() - 40], "qwd").is_err(), "the end is missing");
    let recording = Recording::open(&sample, Some("qwd"), Limits::default()).unwrap();
    let change = |f: &mut dyn FnMut(&mut Message)| {
        recording.map_messages(&mut |_, message| {
            f(message);
            fragreel_model::Fate::Keep
        })
    };

    let slot = change(&mut |message| {
        if let Message::PlayerInfo(m) = message {
            m.slot = 110;
        }
    });
    assert!(strict::play(&slot.bytes, "qwd").unwrap_err().contains("slot 110"));
    let moved = change(&mut |message| {
        if let Message::PlayerInfo(m) = message {
            m.origin[0].0 = m.origin[0].0.wrapping_add(8);
        }
    });
    let moved = strict::play(&moved.bytes, "qwd").unwrap();
    assert!(std::panic::catch_unwind(|| strict::same(&played, &moved, 0.0, "moved")).is_err(), "a player is a unit away");
    let lost = recording.map_messages(&mut |place, message| match message {
        Message::ModelList(_) if place.message > 0 => {
            if let Message::ModelList(list) = message {
                list.names.0.truncate(3);
            }
            fragreel_model::Fate::Keep
        }
        _ => fragreel_model::Fate::Keep,
    });
    assert!(strict::play(&lost.bytes, "qwd").is_err(), "models are missing");
}
