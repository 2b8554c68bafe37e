//! Rewriting changes what it is asked to change, and nothing else.

use fragreel_goldsrc::message::{Message, UserMessage};
use fragreel_model::{EntityKinds, EventKind, Fate, Frame, FrameOptions, Kind, Kinds, Place, Rewrite, Role, Subject, Value};

use super::{assert_same, assert_sound, assert_whole, open, sound};

struct Nothing;

impl Rewrite for Nothing {}

#[test]
fn nothing_asked_nothing_changed() {
    let all = fragreel_testkit::corpus("goldsrc").into_iter().chain(fragreel_testkit::samples("goldsrc"));
    let mut files = 0;
    for sample in all {
        let bytes = sample.bytes();
        let Ok(recording) = fragreel_goldsrc::Recording::open(&bytes, None, fragreel_base::wire::Limits::default()) else { continue };
        if recording.dialect().messages.is_none() {
            let error = recording.rewrite(&mut Nothing).unwrap_err();
            assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Unsupported, "{}", sample.name);
            continue;
        }
        let edited = recording.rewrite(&mut Nothing).unwrap();
        assert!(edited.bytes == bytes && edited.actions.is_empty() && edited.losses.is_empty(), "{}: {:?}", sample.name, edited.actions);
        files += 1;
    }
    assert!(files >= 9, "{files}");
}

/// Everything that the hooks are shown.
#[derive(Default)]
struct Seen(Vec<(Role, String)>, Vec<String>);

impl Rewrite for Seen {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        self.1.push(kind.to_owned());
        Fate::Keep
    }

    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        self.0.push((role, String::from_utf8_lossy(text).into_owned()));
        Fate::Keep
    }
}

#[test]
fn texts_have_their_roles() {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let mut seen = Seen::default();
    open(&bytes).rewrite(&mut seen).unwrap();
    for (role, text) in [
        (Role::Print, "\u{2}\nBUILD 6153 SERVER (0 CRC)\n"),
        (Role::String, "a made-up server"),
        (Role::Name, "Gordon"),
        (Role::Name, "Barney"),
        (Role::Look, "gordon"),
        (Role::Identifier, "07070707070707070707070707070707"),
        // what somebody typed, as a line of nobody's and as a command
        (Role::Chat, ": hi"),
        (Role::Command, "say hi"),
        // by the sender's number: slot 1
        (Role::Chat, "Barney: hello"),
    ] {
        assert!(seen.0.contains(&(role, text.to_owned())), "{role:?} {text:?} is not among {:?}", seen.0);
    }
    for kind in ["svc_serverinfo", "svc_deltapacketentities", "DeathMsg", "SayText", "Money"] {
        assert!(seen.1.iter().any(|seen| seen == kind), "{kind}");
    }
}

/// Says something else in each role.
struct Otherwise;

impl Rewrite for Otherwise {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        // frames stay, whatever is said
        if matches!(kind, "svc_sound" | "svc_deltapacketentities" | "svc_deltadescription" | "svc_time") { Fate::Drop } else { Fate::Keep }
    }

    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Name => *text = b"a name that is longer\\ than the old one\"".to_vec(),
            Role::Identifier => return Fate::Drop,
            Role::Chat => *text = [b"Barney: ".to_vec(), vec![b'x'; 300]].concat(),
            Role::Command => *text = vec![b'c'; 100],
            Role::Print => *text = b"print\0ed".to_vec(),
            _ => {}
        }
        Fate::Keep
    }
}

#[test]
fn texts_that_do_not_fit_are_made_to_fit() {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let source = open(&bytes);
    let edited = source.rewrite(&mut Otherwise).unwrap();
    assert_whole("otherwise", &edited);
    let recording = open(&edited.bytes);
    assert_same("otherwise", &source, &recording, 2);
    let info = recording.info();
    assert_eq!(info.players[0].name.clean, "a name that is longer/ than the old one'");
    let (mut events, mut seen) = (Vec::new(), Seen::default());
    recording.events(Kinds::ALL).for_each(|event| events.push(event.kind));
    let said: Vec<_> = events.iter().filter_map(|kind| if let EventKind::Chat { text, .. } = kind { Some(&text.clean) } else { None }).collect();
    // 192 bytes: number, key and its NUL, an empty name and its NUL, words, NUL
    assert_eq!(said, [&"x".repeat(192 - 1 - 18 - 1 - 1)]);
    assert!(events.iter().any(|kind| matches!(kind, EventKind::Command { text } if text.clean == "c".repeat(63))));
    recording.rewrite(&mut seen).unwrap();
    assert!(seen.0.contains(&(Role::Print, String::from("printed"))));
    assert!(!seen.0.iter().any(|(role, text)| *role == Role::Identifier && !text.is_empty()));
    assert!(!seen.1.iter().any(|kind| kind == "svc_sound") && seen.1.iter().any(|kind| kind == "svc_time"));
}

/// Removes chat and voices, and gives everybody another name.
struct Anonymous;

impl Rewrite for Anonymous {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Chat => return Fate::Drop,
            Role::Name => {
                text.insert(0, b'~');
            }
            _ => {}
        }
        Fate::Keep
    }

    fn voice(&mut self, _: Place) -> Fate {
        Fate::Drop
    }
}

#[test]
fn states_stay_when_texts_go() {
    let mut chats = 0;
    for (name, bytes) in sound() {
        let source = open(&bytes);
        let edited = source.rewrite(&mut Anonymous).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_sound(&name, &edited);
        let recording = open(&edited.bytes);
        let (before, after) = (source.info(), recording.info());
        assert_same(&name, &source, &recording, before.snapshots);
        for (old, new) in before.players.iter().zip(&after.players) {
            assert_eq!(format!("~{}", old.name.raw), new.name.raw, "{name}");
        }
        let count = |recording: &fragreel_goldsrc::Recording, chat: bool| {
            let mut kinds = Vec::new();
            recording.events(Kinds::ALL).for_each(|event| kinds.push(event.kind.kind()));
            // what was typed is chat, too
            kinds.retain(|kind| (*kind == Kind::Chat) == chat && *kind != Kind::Command);
            kinds
        };
        assert_eq!(count(&source, false), count(&recording, false), "{name}");
        chats += count(&source, true).len();
        let mut spoken = Seen::default();
        recording.rewrite(&mut spoken).unwrap();
        assert!(!spoken.1.iter().any(|kind| kind == "svc_voicedata" || kind == "SayText"), "{name}");
    }
    assert!(chats >= 5, "{chats}");
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[states_stay_when_texts_go]);
}

#[test]
fn trees_that_cannot_be_read_back_are_refused() {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let recording = open(&bytes);
    let refused = |change: &mut dyn FnMut(&mut Message)| {
        let error = recording.map_messages(&mut |_, message| {
            change(message);
            Fate::Keep
        });
        error.unwrap_err()
    };
    let nul = refused(&mut |message| {
        if let Message::Print(print) = message {
            print.text.0.push(0);
        }
    });
    assert_eq!((nul.kind(), nul.detail()), (fragreel_base::wire::ErrorKind::Misuse, "the changed svc_print cannot be read back"));
    let length = refused(&mut |message| {
        if let Message::User(UserMessage { id: 66, data }) = message {
            data.pop();
        }
    });
    assert!(length.detail().contains("cannot be read back"), "{length}");
    let announced = refused(&mut |message| {
        if let Message::NewUserMessage(new) = message {
            new.number += 10;
        }
    });
    assert!(announced.detail().contains("later messages unreadable"), "{announced}");
}

/// Lifts all entities, makes the player healthier, and writes another key into his physics.
#[derive(Default)]
struct Lifted {
    lifted: u32,
    healed: u32,
    physics: u32,
}

impl Rewrite for Lifted {
    fn fields(&self) -> &[&str] {
        &["origin[2]", "health", "physinfo"]
    }

    fn field(&mut self, _: Place, of: Subject, name: &str, value: &mut Value) {
        match (of, name, &*value) {
            // the recording player's own entity is sent without a place: his client data have it
            (_, "origin[2]", Value::Float(units)) => {
                *value = Value::Float(units + 1.0);
                self.lifted += 1;
            }
            // the field has nine bits
            (Subject::View, "health", health) if health.as_float().unwrap() < 500.0 => {
                *value = Value::Float(health.as_float().unwrap() + 1.0);
                self.healed += 1;
            }
            (Subject::View, "physinfo", Value::Game(text)) => {
                *value = Value::from(format!("{}\\x\\1", text.raw));
                self.physics += 1;
            }
            _ => {}
        }
    }
}

#[test]
fn fields_are_changed_by_name_and_nothing_else_is() {
    let (mut lift, mut places, mut healthier, mut physics) = (Lifted::default(), 0, 0, 0);
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().chain(fragreel_testkit::samples("goldsrc")).filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let Ok(source) = fragreel_goldsrc::Recording::open(&bytes, None, fragreel_base::wire::Limits::default()) else { continue };
        if source.dialect().messages.is_none() || bytes.len() > 1_000_000 {
            continue;
        }
        let edited = source.rewrite(&mut lift).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let again = open(&edited.bytes);
        assert_eq!(again.verify().damage.len(), source.verify().damage.len(), "{}", sample.name);
        let options = FrameOptions::default().entities(EntityKinds::ALL);
        let (mut before, mut after) = (source.frames(options), again.frames(options));
        let (mut one, mut other) = (Frame::default(), Frame::default());
        while before.next_into(&mut one) {
            assert!(after.next_into(&mut other), "{}", sample.name);
            for entity in &one.entities {
                let there = other.entity(entity.number).unwrap();
                let (Some(from), Some(to)) = (entity.origin, there.origin) else { continue };
                // one whose height was never said is at 0
                let lifted = (to[2] - from[2] - 1.0).abs() < 0.2 || from[2] == 0.0 && to[2] == 0.0;
                assert!(from[..2] == to[..2] && lifted, "{}: entity {} {from:?} {to:?}", sample.name, entity.number);
                assert_eq!((entity.angles, &entity.model), (there.angles, &there.model), "{}", sample.name);
                places += u32::from(to[2] != from[2]);
            }
            let field = |frames: &fragreel_goldsrc::Frames<'_>, name: &str| frames.raw(Subject::View, name);
            if let (Some(from), Some(to)) = (field(&before, "health"), field(&after, "health")) {
                let (from, to) = (from.as_float().unwrap(), to.as_float().unwrap());
                assert!(to == from + 1.0 || from == 0.0 || from > 500.0, "{}: {from} {to}", sample.name);
                healthier += u32::from(to > from);
            }
            if let (Some(from), Some(to)) = (field(&before, "physinfo"), field(&after, "physinfo")) {
                let (from, to) = (from.as_str().unwrap().to_owned(), to.as_str().unwrap().to_owned());
                assert!(to == format!("{from}\\x\\1") || from == to, "{}: {from} {to}", sample.name);
                physics += u32::from(from != to);
            }
            assert_eq!(field(&before, "velocity[0]"), field(&after, "velocity[0]"));
        }
        assert!(!after.next_into(&mut other));
    }
    assert!(healthier > 2 && physics > 2, "{places} {healthier} {physics}, {} {} {}", lift.lifted, lift.healed, lift.physics);
    if fragreel_testkit::corpus("goldsrc").len() > 1 {
        assert!(places > 1000 && healthier > 100 && physics > 10, "{places} {healthier} {physics}");
    }
}

/// Wants what no field can hold.
struct TooMuch(&'static str, Value);

impl Rewrite for TooMuch {
    fn fields(&self) -> &[&str] {
        std::slice::from_ref(&self.0)
    }

    fn field(&mut self, _: Place, _: Subject, _: &str, value: &mut Value) {
        value.clone_from(&self.1);
    }
}

#[test]
fn a_value_that_a_field_cannot_hold_is_refused() {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    for (name, value) in [
        ("origin[0]", Value::Float(1e9)),
        ("origin[0]", Value::from("far")),
        ("health", Value::Float(f32::NAN)),
        ("health", Value::Int(512)),
        ("modelindex", Value::Int(-1)),
    ] {
        let error = open(&bytes).rewrite(&mut TooMuch(name, value)).unwrap_err();
        assert!(error.kind() == fragreel_base::wire::ErrorKind::Misuse && error.to_string().contains(name), "{error}");
    }
}
