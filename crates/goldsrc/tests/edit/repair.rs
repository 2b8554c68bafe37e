//! What repair makes of damage in the middle.

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::container::{MacroKind, Step};
use fragreel_goldsrc::properties::assemble::{Plan, long};
use fragreel_model::{Action, Clock, DamageKind, DeltaBase, FrameOptions, Loss, Range};

use super::{assert_same, assert_sound, frames, open, sound};

/// The data blocks of what is played: first byte and the one after the last.
fn blocks(bytes: &[u8]) -> Vec<(usize, usize)> {
    let recording = open(bytes);
    let container = recording.container();
    let all = container.macros().filter_map(|step| match step {
        Step::Macro { segment, window, .. } if container.segments[segment].is_playback() => Some(window),
        _ => None,
    });
    all.filter(|window| window.kind == MacroKind::Data).map(|window| (window.offset, window.end())).collect()
}

/// A recording whose middle is a whole frame, as the seam of two parts is.
fn with_a_whole_frame_in_the_middle(source: &Recording) -> Vec<u8> {
    let all = frames(source);
    let cut = |from: usize, to: usize| source.cut(Range { clock: Clock::Demo, from: all[from].0, to: all[to].0 }).unwrap();
    let parts = [cut(0, all.len() / 2), cut(all.len() / 2, all.len() - 1)];
    Recording::join(&[&open(&parts[0].bytes), &open(&parts[1].bytes)]).unwrap().bytes
}

/// Bytes in the first half that are not macros. The frames behind them are decoded against the last known state, until the whole frame.
#[test]
fn behind_a_hole_frames_rest_on_the_last_known_state() {
    let mut files = 0;
    for (name, bytes) in sound().filter(|(_, bytes)| (200_000..1_000_000).contains(&bytes.len())) {
        let bytes = with_a_whole_frame_in_the_middle(&open(&bytes));
        let all = blocks(&bytes);
        let (from, to) = (all.len() / 3, all.len() / 3 + 20);
        let mut damaged = bytes.clone();
        damaged[all[from].0 + 3..all[to].1 - 40].fill(0xee);
        let report = open(&damaged).verify();
        let [hole] = &report.damage[..] else { panic!("{name}: one hole is {} findings: {:?}", report.damage.len(), report.damage) };
        assert!(hole.kind == DamageKind::Framing && hole.detail.contains("are decoded against the last known state"), "{name}: {hole:?}");
        let repaired = open(&damaged).repair().unwrap();
        assert_sound(&name, &repaired);
        assert!(
            repaired.actions.iter().any(|action| matches!(action, Action::FramesReencoded { base: DeltaBase::Dropped, .. })),
            "{name}: {:?}",
            repaired.actions
        );
        let [Loss::ChangesInMissingFrames { frames: uncertain }] = repaired.losses[..] else { panic!("{name}: {:?}", repaired.losses) };
        let (damaged, recording, source) = (open(&damaged), open(&repaired.bytes), open(&bytes));
        // the result shows what the damaged recording shows, marks aside
        assert_same(&name, &damaged, &recording, recording.info().snapshots);
        let shown: Vec<_> = damaged.frames(FrameOptions::default()).collect();
        assert_eq!(recording.frames(FrameOptions::default()).count(), shown.len(), "{name}");
        assert_eq!(shown.iter().filter(|frame| frame.uncertain).count() as u64, uncertain, "{name}");
        assert!(!shown[shown.len() * 3 / 4].uncertain, "{name}: the whole frame in the middle states everything");
        let lost = source.frames(FrameOptions::default()).count() - shown.len();
        assert!(lost <= to - from + 1, "{name}: {lost} of {}", to - from + 1);
        files += 1;
    }
    assert!(files > 3 || fragreel_testkit::corpus("goldsrc").is_empty(), "{files}");
}

/// A part that begins behind a hole begins with the last known state, in full.
#[test]
fn a_part_begins_behind_a_hole() {
    let bytes = long(Plan::default(), 200).finish();
    let all = blocks(&bytes);
    let mut damaged = bytes.clone();
    damaged[all[50].0 + 3..all[60].1 - 40].fill(0xee);
    let source = open(&damaged);
    let shown: Vec<_> = source.frames(FrameOptions::default()).collect();
    let first = shown.iter().find(|frame| frame.uncertain).unwrap();
    let part = source.cut(Range { clock: Clock::Demo, from: first.time, to: shown.last().unwrap().time }).unwrap();
    assert_sound("a part", &part);
    let part = open(&part.bytes);
    assert_same("a part", &source, &part, part.info().snapshots);
    assert!(part.frames(FrameOptions::default()).all(|frame| !frame.uncertain));
}

#[test]
fn what_is_there_twice_goes() {
    for (name, bytes) in sound().filter(|(_, bytes)| bytes.len() < 400_000) {
        let all = blocks(&bytes);
        let (from, to) = all[all.len() / 2];
        let mut twice = bytes[..to].to_vec();
        twice.extend_from_slice(&bytes[from..]);
        let repaired = open(&twice).repair().unwrap();
        assert!(repaired.actions.iter().any(|action| matches!(action, Action::RepeatedMacroLeftOut { .. })), "{name}: {:?}", repaired.actions);
        assert_sound(&name, &repaired);
        let (source, recording) = (open(&bytes), open(&repaired.bytes));
        assert_same(&name, &source, &recording, source.info().snapshots);
        assert_eq!(blocks(&repaired.bytes).len(), all.len(), "{name}");
    }
}

/// Where a stretch is there twice, frames are numbered back: of a part that begins inside of it, those of before are later frames and no delta bases.
#[test]
fn a_part_begins_inside_of_what_is_there_twice() {
    let mut parts = 0;
    for (name, bytes) in sound().filter(|(_, bytes)| (40_000..400_000).contains(&bytes.len())) {
        let (all, middle) = (blocks(&bytes), frames(&open(&bytes)).len() / 2);
        if all.len().min(middle) < 16 {
            continue;
        }
        let (from, to) = (all.len() / 2 - 8, all.len() / 2 + 8);
        let mut twice = bytes[..all[to].1].to_vec();
        twice.extend_from_slice(&bytes[all[from].0..]);
        let twice = open(&twice).repair().unwrap();
        let source = open(&twice.bytes);
        let times = frames(&source);
        for first in middle - 4..middle + 4 {
            let part = source.cut(Range { clock: Clock::Demo, from: times[first].0, to: times.last().unwrap().0 }).unwrap();
            assert_sound(&name, &part);
            let part = open(&part.bytes);
            assert_same(&name, &source, &part, part.info().snapshots);
            parts += 1;
        }
    }
    assert!(parts > 0 || fragreel_testkit::corpus("goldsrc").is_empty(), "{parts}");
}

/// Client data whose base is nowhere, in a block with a whole frame of entities: games store these under the number of the client data, so it is
/// encoded in full.
#[test]
fn client_data_without_its_base_is_encoded_in_full() {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let recording = open(&bytes);
    let mut decoder = fragreel_goldsrc::Decoder::new(fragreel_goldsrc::Context::new(recording.dialect().messages.unwrap()));
    let mut broken = bytes.clone();
    for window in recording.container().macros().filter_map(Step::found) {
        let Some((offset, data)) = fragreel_goldsrc::messages(&window, recording.dialect()) else { continue };
        let mut at = None;
        let client = |message: &fragreel_goldsrc::message::Message| matches!(message, fragreel_goldsrc::message::Message::ClientData(data) if data.body.as_ref().is_some_and(|body| body.delta_sequence.is_some()));
        decoder.block(data, offset, |_, message, range| at = at.or(client(message).then_some(range.start))).unwrap();
        // the base's number is the eight bits behind the flag
        if let Some(at) = at {
            broken[offset + at + 1] ^= 0b100;
        }
    }
    assert_ne!(broken, bytes);
    let repaired = open(&broken).repair().unwrap();
    assert_sound("client data", &repaired);
    assert_eq!(open(&repaired.bytes).info().snapshots, recording.info().snapshots);
    assert!(repaired.actions.contains(&Action::FramesReencoded { frames: 1, base: DeltaBase::Dropped }), "{:?}", repaired.actions);
}

#[test]
fn a_count_that_repair_corrects_is_among_the_remarks() {
    const ENTRY: usize = 92;
    const FRAMES: usize = 80;
    let mut bytes = fragreel_goldsrc::properties::tiny_recording();
    let count = open(&bytes).container().header.directory_offset as usize + 4 + ENTRY + FRAMES;
    bytes[count] += 1;
    let report = open(&bytes).verify();
    assert!(report.is_whole() && report.notes.iter().any(|note| note.detail.contains("`repair` corrects it")), "{:?}", report.notes);
    let repaired = open(&bytes).repair().unwrap();
    bytes[count] -= 1;
    assert!(repaired.bytes == bytes && repaired.actions.len() == 1, "{:?}", repaired.actions);
    assert_sound("the repaired one", &repaired);
}

#[test]
fn whole_recordings_come_back_unless_a_remark_names_what_changes() {
    for (name, bytes) in sound() {
        let (recording, repaired) = (open(&bytes), open(&bytes).repair().unwrap());
        let mentioned = recording.verify().notes.iter().any(|note| note.detail.contains("`repair`"));
        assert!(mentioned || repaired.bytes == bytes, "{name}: {:?}", repaired.actions);
    }
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[
        behind_a_hole_frames_rest_on_the_last_known_state,
        what_is_there_twice_goes,
        a_part_begins_inside_of_what_is_there_twice,
        whole_recordings_come_back_unless_a_remark_names_what_changes,
    ]);
}

/// Whose server's statement is damaged, no game plays: repair says so, and is done after one time.
#[test]
fn a_loading_part_without_its_server_is_named() {
    let clean = fragreel_goldsrc::properties::tiny_recording();
    let signon = open(&clean).container().macros().filter_map(Step::found).find(|window| window.id.0 == 0).unwrap().body_offset() + 468;
    let mut bytes = clean.clone();
    bytes[signon] = 0;
    let repaired = open(&bytes).repair().unwrap();
    assert!(repaired.actions.contains(&Action::LoadingNotFound), "{:?}", repaired.actions);
    assert_sound("without a server", &repaired);
    // what is damaged elsewhere keeps it
    let mut bytes = clean;
    let end = bytes.len();
    bytes[end - 1] ^= 0xff;
    bytes.truncate(end - 40);
    let repaired = open(&bytes).repair().unwrap();
    assert!(!repaired.actions.is_empty() && !repaired.actions.contains(&Action::LoadingNotFound), "{:?}", repaired.actions);
}

/// A hole of zeros begins inside a macro, which reads as one of the time 0. What is behind the hole contradicts that.
#[test]
fn a_macro_whose_time_a_hole_took_gets_another() {
    let name = "hole512-hl-repair-not-whole.dem";
    let Ok(bytes) = std::fs::read(fragreel_testkit::checkout().join("../shared/review/cases/2026-11").join(name)) else {
        fragreel_testkit::skipped(&format!("the test on {name}: ../shared/review/cases/2026-11 is not there"));
        return;
    };
    assert_sound(name, &open(&bytes).repair().unwrap());
}

/// Engines have a number of slots and light styles, and stop at more.
#[test]
fn numbers_beyond_the_limits_are_damage_and_left_out() {
    use fragreel_goldsrc::Str;
    use fragreel_goldsrc::message::{LightStyle, Message, UpdateUserInfo};
    let bytes = long(Plan::default(), 50).finish();
    let recording = open(&bytes);
    assert!(recording.verify().is_whole());
    for slot in [31, 32] {
        let mut changed = 0;
        let edited = recording.map_messages(&mut |_, message| {
            match message {
                Message::UpdateUserInfo(UpdateUserInfo { slot: number, .. }) => (*number, changed) = (slot, changed + 1),
                Message::LightStyle(LightStyle { style, pattern: Str(_) }) => (*style, changed) = (slot * 2, changed + 1),
                _ => {}
            }
            fragreel_model::Fate::Keep
        });
        let edited = edited.unwrap();
        assert!(changed > 0);
        let report = open(&edited.bytes).verify();
        assert_eq!(report.is_whole(), slot == 31, "{:?}", report.damage);
        let repaired = open(&edited.bytes).repair().unwrap();
        let left_out = repaired.actions.iter().filter(|action| action.kind() == "message_left_out").count();
        assert_eq!(left_out, if slot == 31 { 0 } else { changed }, "{:?}", repaired.actions);
        assert!(open(&repaired.bytes).verify().is_whole());
    }
}
