//! What a cut's opening brings along.

use fragreel_goldsrc::container::{MacroKind, Step};
use fragreel_goldsrc::message::Message;
use fragreel_goldsrc::{Context, Decoder, Recording, State};
use fragreel_model::{Clock, Kinds, Milliseconds, Range, When};
use fragreel_testkit::Random;

use super::{frames, open, sound, span};

/// What is known of everybody and everything behind the first frame that is played at or after a server time.
fn known(recording: &Recording, at: Milliseconds) -> State {
    let mut decoder = Decoder::new(Context::new(recording.dialect().messages.unwrap()));
    let mut state = State::default();
    for step in recording.container().macros() {
        let Step::Macro { segment, window, .. } = step else { continue };
        let Some((offset, data)) = fragreel_goldsrc::messages(&window, recording.dialect()) else { continue };
        state.begin(fragreel_goldsrc::frame_sequence(&window, recording.dialect()).unwrap());
        let mut frame = false;
        let _ = decoder.block(data, offset, |context, message, _| {
            let _ = state.apply(context, message);
            frame |= matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_));
        });
        let playing = recording.container().segments[segment].is_playback();
        if playing && frame && Milliseconds::from_seconds(f64::from(decoder.context.time)) >= at {
            break;
        }
    }
    state
}

/// Players, light styles, files, the view: all as of then.
#[test]
fn what_was_told_before_is_told_again() {
    let mut random = Random::new(4711);
    for (name, bytes) in sound().filter(|(_, bytes)| bytes.len() > 100_000) {
        let source = open(&bytes);
        let all = frames(&source);
        let (from, to) = span(&mut random, all.len());
        let range = Range { clock: Clock::Server, from: all[from].1, to: all[to].1 };
        let cut = source.cut(range).unwrap();
        let cut = open(&cut.bytes);
        let start = frames(&cut)[0].1;
        let (before, after) = (known(&source, start), known(&cut, start));
        assert_eq!(before.slots, after.slots, "{name}");
        assert_eq!(before.light_styles, after.light_styles, "{name}");
        assert_eq!((before.view_entity, before.paused), (after.view_entity, after.paused), "{name}");
        assert!(before.resources == after.resources && before.server == after.server, "{name}");
        // names, teams, scores, money: whatever `state` shows of players
        let moment = |recording: &Recording, time: Milliseconds| recording.state_at(When::Server(time)).unwrap();
        let (old, new) = (moment(&source, all[to].1), moment(&cut, all[to].1));
        for (old, new) in old.sections.iter().zip(&new.sections) {
            assert_eq!(old.records.len(), new.records.len(), "{name}: {}", old.name);
            for (old, new) in old.records.iter().zip(&new.records) {
                assert_eq!(old, new, "{name}");
            }
        }
    }
}

/// What happens in the range happens in the cut, and at the same server times.
#[test]
fn events_are_those_of_the_range() {
    let mut compared = 0;
    for (name, bytes) in sound().filter(|(_, bytes)| (100_000..3_000_000).contains(&bytes.len())) {
        let source = open(&bytes);
        let all = frames(&source);
        let (from, to) = (all[all.len() / 4].1, all[all.len() * 3 / 4].1);
        let cut = source.cut(Range { clock: Clock::Server, from, to }).unwrap();
        let events = |recording: &Recording| {
            let mut found = Vec::new();
            let kinds = [
                fragreel_model::Kind::Kill,
                fragreel_model::Kind::Chat,
                fragreel_model::Kind::Damage,
                fragreel_model::Kind::Rename,
                fragreel_model::Kind::Leave,
            ];
            recording.events(Kinds::from_iter(kinds)).for_each(|event| found.push((event.server_time, event.kind)));
            // strictly inside: at its ends, a moment may be cut in two
            found.retain(|(time, _)| (from + Milliseconds(1)..to).contains(time));
            found
        };
        let (before, after) = (events(&source), events(&open(&cut.bytes)));
        assert_eq!(before, after, "{name}");
        compared += before.len();
    }
    assert!(compared > 10 || fragreel_testkit::corpus("goldsrc").is_empty(), "{compared}");
}

/// Entities stand still for longer than their time windows reach: a whole frame has them all the same, for it is sent
/// under a wider description, and the old one comes back.
#[test]
fn times_long_ago_are_told() {
    let mut wide = 0;
    for (name, bytes) in sound().filter(|(_, bytes)| bytes.len() > 40_000 && bytes.len() < 500_000) {
        let source = open(&bytes);
        let all = frames(&source);
        let last = all[all.len() - 1].1;
        let edited = source.cut(Range { clock: Clock::Server, from: last, to: last }).unwrap();
        let cut = open(&edited.bytes);
        let mut decoder = Decoder::new(Context::new(cut.dialect().messages.unwrap()));
        let mut descriptions = 0;
        for step in cut.container().macros() {
            let Step::Macro { segment, window, .. } = step else { continue };
            if let (MacroKind::Data, Some((offset, data))) = (window.kind, fragreel_goldsrc::messages(&window, cut.dialect())) {
                let playing = cut.container().segments[segment].is_playback();
                decoder.block(data, offset, |_, message, _| descriptions += u32::from(playing && matches!(message, Message::DeltaDescription(_)))).unwrap();
            }
        }
        assert_eq!(descriptions % 2, 0, "{name}");
        wide += descriptions / 2;
    }
    assert!(wide > 0 || fragreel_testkit::corpus("goldsrc").is_empty());
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[what_was_told_before_is_told_again, events_are_those_of_the_range, times_long_ago_are_told]);
}
