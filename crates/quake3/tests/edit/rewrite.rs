//! Rewriting: texts change and nothing else does.

use fragreel_model::{EventKind, Fate, Kinds, Place, Rewrite, Role};
use fragreel_quake3::Recording;
use fragreel_quake3::container::{self, Frames, Piece};
use fragreel_quake3::message::{Message, Operation};

use super::engine::play;
use super::{agree, each, each_kind, open, whole};

/// Touches nothing.
struct Idle;
impl Rewrite for Idle {}

/// Removes chat and prints, replaces names, drops voice.
#[derive(Default)]
struct Quiet {
    names: u32,
    lines: u32,
}

impl Rewrite for Quiet {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Name => {
                self.names += 1;
                *text = b"somebody".to_vec();
                Fate::Keep
            }
            Role::Chat | Role::Print => {
                self.lines += 1;
                Fate::Drop
            }
            _ => Fate::Keep,
        }
    }
    fn voice(&mut self, _: Place) -> Fate {
        Fate::Drop
    }
}

fn frames<'a>(recording: &Recording<'a>) -> Vec<(i32, &'a [u8])> {
    let bytes = recording.bytes();
    Frames::new(bytes)
        .filter_map(|piece| if let Piece::Message(frame) = piece { Some((frame.sequence, container::data(bytes, &frame))) } else { None })
        .collect()
}

#[test]
fn what_nothing_touches_stays_byte_for_byte() {
    each(|sample, recording| {
        let same = recording.rewrite(&mut Idle).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert!(same.bytes == recording.bytes() && same.actions.is_empty(), "{}", sample.name);
    });
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[what_nothing_touches_stays_byte_for_byte]);
}

#[test]
fn names_and_lines_go_and_every_frame_stays() {
    each_kind(|sample, recording| {
        let mut quiet = Quiet::default();
        let edited = recording.rewrite(&mut quiet).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        if sample.damaged {
            return;
        }
        let quieter = whole(&sample.name, &edited);
        let count = agree(&sample.name, &recording.compare(&quieter));
        if count == 0 {
            return;
        }
        assert!(quiet.names > 0, "{}", sample.name);
        quieter
            .events(Kinds::ALL)
            .for_each(|event| assert!(!matches!(event.kind, EventKind::Chat { .. } | EventKind::Print { .. }), "{}: {event:?}", sample.name));
        let named: Vec<_> = quieter.info().players.into_iter().filter(|player| player.name.clean != "somebody").collect();
        assert!(named.is_empty(), "{}: {named:?}", sample.name);
        // messages without commands and gamestates keep their bytes
        let (before, after) = (frames(&recording), frames(&quieter));
        let mut message = Message::default();
        let silent = before.iter().filter(|(_, data)| {
            message.read(data, recording.dialect()).is_ok()
                && !message.operations.iter().any(|operation| {
                    matches!(operation, Operation::Gamestate(_) | Operation::ServerCommand(_) | Operation::VoiceSpeex(_) | Operation::VoiceOpus(_))
                })
                && message.late_voice.is_empty()
        });
        let kept: std::collections::HashSet<_> = after.into_iter().collect();
        assert!(silent.into_iter().all(|frame| kept.contains(frame)), "{}", sample.name);
        play(&quieter).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
    });
}

/// Drops a kind of message.
struct Without(&'static str);
impl Rewrite for Without {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        if kind == self.0 { Fate::Drop } else { Fate::Keep }
    }
}

#[test]
fn whole_kinds_go_and_what_games_need_stays() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("ctf_bots.dm_71")).expect("our sample");
    let bytes = sample.bytes();
    let recording = open(&sample.name, &bytes, "dm_71");
    for kind in ["serverCommand", "snapshot", "gamestate"] {
        let edited = recording.rewrite(&mut Without(kind)).unwrap();
        let without = whole(kind, &edited);
        agree(kind, &recording.compare(&without));
        let played = play(&without).unwrap();
        let commands = played.frames.iter().map(|(_, commands)| commands.len()).sum::<usize>();
        assert_eq!(commands == 0, kind == "serverCommand", "{kind}");
    }
}

/// A command that goes must not make an engine execute an older one again.
#[test]
fn numbers_of_removed_commands_are_filled() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("our sample");
    let bytes = sample.bytes();
    let recording = open(&sample.name, &bytes, "dm_71");
    let mut removed = 0;
    let edited = recording
        .map_messages(&mut |_, message| {
            let before = message.operations.len();
            message.operations.retain(|operation| !matches!(operation, Operation::ServerCommand(command) if command.sequence % 3 == 0));
            removed += before - message.operations.len();
            Fate::Keep
        })
        .unwrap();
    assert!(removed > 10);
    let without = whole("a third", &edited);
    agree("a third", &recording.compare(&without));
    let (before, after) = (play(&recording).unwrap(), play(&without).unwrap());
    let all = |played: super::engine::Played| played.frames.into_iter().flat_map(|(_, commands)| commands).collect::<Vec<_>>();
    let (before, after) = (all(before), all(after));
    assert!(after.len() < before.len());
    // those left are executed once each, in order
    let mut left = before.iter();
    assert!(after.iter().all(|command| left.any(|other| other == command)));
}

#[test]
fn removed_frames_do_not_take_others_with_them() {
    each_kind(|sample, recording| {
        if sample.damaged {
            return;
        }
        let mut random = super::Random::named(&sample.name);
        let mut dropped = 0u64;
        let edited = recording
            .map_messages(&mut |_, message| {
                let begins = message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)));
                let framed = message.operations.iter().any(|operation| matches!(operation, Operation::Snapshot(_)));
                if !begins && framed && random.once_in(3) {
                    dropped += 1;
                    return Fate::Drop;
                }
                Fate::Keep
            })
            .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let thinned = whole(&sample.name, &edited);
        let before = play(&recording).unwrap_or_else(|error| panic!("{}: {error}", sample.name)).frames.len() as u64;
        assert_eq!(agree(&sample.name, &recording.compare(&thinned)), before - dropped, "{}", sample.name);
        play(&thinned).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
    });
}

/// Gives everybody's entity another number of frames ahead of it, and moves the gravity.
struct Heavier;

impl Rewrite for Heavier {
    fn fields(&self) -> &[&str] {
        &["gravity", "pos.trBase[2]"]
    }

    fn field(&mut self, _: Place, _: fragreel_model::Subject, name: &str, value: &mut fragreel_model::Value) {
        match (name, value.as_int(), value.as_float()) {
            ("gravity", Some(gravity), _) => *value = fragreel_model::Value::Int(gravity / 2),
            (_, _, Some(height)) => *value = fragreel_model::Value::Float(height + 0.5),
            _ => {}
        }
    }
}

#[test]
fn fields_are_changed_by_name_and_nothing_else_is() {
    use fragreel_model::{EntityKinds, Frame, FrameOptions, Subject};
    let bytes = include_bytes!("../../../../samples/quake3/dm_bots.dm_71");
    let source = open("dm_bots", bytes, "dm_71");
    let edited = source.rewrite(&mut Heavier).unwrap();
    assert!(!edited.actions.is_empty());
    let changed = open("edited", &edited.bytes, "dm_71");
    assert!(changed.verify().is_whole());
    let options = FrameOptions::default().entities(EntityKinds::ALL);
    let (mut before, mut after) = (source.frames(options), changed.frames(options));
    let (mut one, mut other) = (Frame::default(), Frame::default());
    let (mut compared, mut heavy) = (0, 0);
    while before.next_into(&mut one) {
        assert!(after.next_into(&mut other));
        let gravity = before.raw(Subject::View, "gravity").unwrap().as_int().unwrap();
        assert_eq!(after.raw(Subject::View, "gravity").unwrap().as_int(), Some(gravity / 2));
        heavy += usize::from(gravity == 800);
        assert_eq!(before.raw(Subject::View, "origin"), after.raw(Subject::View, "origin"));
        for entity in &one.entities {
            let of = Subject::Entity(entity.number);
            let height = |frames: &fragreel_quake3::Frames<'_>| frames.raw(of, "pos.trBase[2]").unwrap().as_float().unwrap();
            // a baseline that never says a height is at 0
            let (here, there) = (height(&before), height(&after));
            assert!(there == here + 0.5 || here == 0.0 && there == 0.0, "{here} {there}");
            assert_eq!(before.raw(of, "pos.trBase[0]"), after.raw(of, "pos.trBase[0]"));
            compared += 1;
        }
    }
    assert!(compared > 10_000 && heavy > 500, "{compared} {heavy}");
}

/// Wants what no field can hold.
struct TooMuch;

impl Rewrite for TooMuch {
    fn fields(&self) -> &[&str] {
        &["weapon"]
    }

    fn field(&mut self, _: Place, _: fragreel_model::Subject, _: &str, value: &mut fragreel_model::Value) {
        *value = fragreel_model::Value::Int(100_000);
    }
}

#[test]
fn a_value_that_a_field_cannot_hold_is_refused() {
    let bytes = include_bytes!("../../../../samples/quake3/dm_bots.dm_71");
    let error = open("dm_bots", bytes, "dm_71").rewrite(&mut TooMuch).unwrap_err();
    assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Misuse);
}
