//! Recordings changed on their way through.

use fragreel_base::wire::Limits;
use fragreel_model::{EntityKinds, Fate, Frame, FrameOptions, Place, Rewrite, Role, Subject, Value};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::message::Message;
use fragreel_testkit::{Random, Sample};

use super::{agrees, editable, opened};

fn open<'a>(sample: &Sample, bytes: &'a [u8]) -> Recording<'a> {
    Recording::open(bytes, Some(&sample.extension()), Limits::default()).unwrap()
}

struct Nothing;
impl Rewrite for Nothing {}

#[test]
fn untouched_recordings_keep_their_bytes() {
    for sample in editable(600_000) {
        let bytes = sample.bytes();
        let same = open(&sample, &bytes).rewrite(&mut Nothing).unwrap();
        assert!(same.bytes == bytes && same.actions.is_empty(), "{}: {:?}", sample.name, same.actions);
    }
}

/// Everybody gets another name and no chat is left; frames stay as they are.
struct Scrub {
    seen: std::collections::BTreeSet<String>,
}

impl Rewrite for Scrub {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        self.seen.insert(format!("{role:?}"));
        match role {
            Role::Name if !text.is_empty() => *text = b"somebody".to_vec(),
            Role::Chat => return Fate::Drop,
            _ => {}
        }
        Fate::Keep
    }
}

#[test]
fn names_and_chat_can_be_taken_out() {
    let mut seen = std::collections::BTreeSet::new();
    for sample in editable(600_000) {
        let bytes = sample.bytes();
        let source = open(&sample, &bytes);
        let mut scrub = Scrub { seen: std::mem::take(&mut seen) };
        let edited = source.rewrite(&mut scrub).unwrap();
        seen = scrub.seen;
        let scrubbed = opened(&edited, &sample.name);
        for player in scrubbed.info().players {
            assert_eq!(player.name.clean, "somebody", "{}", sample.name);
        }
        let mut chats = 0;
        scrubbed.events(fragreel_model::Kinds::ALL).for_each(|event| chats += u32::from(matches!(event.kind, fragreel_model::EventKind::Chat { .. })));
        assert_eq!(chats, 0, "{}", sample.name);
        assert_eq!(scrubbed.info().snapshots, source.info().snapshots, "{}", sample.name);
    }
    for role in ["Chat", "Print", "Name", "Command", "String"] {
        assert!(seen.contains(role), "no {role} among {seen:?}");
    }
}

struct WithoutKinds(Vec<&'static str>);
impl Rewrite for WithoutKinds {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        if self.0.contains(&kind) { Fate::Drop } else { Fate::Keep }
    }
}

/// What the game cannot do without stays, whatever is asked.
#[test]
fn frames_stay() {
    for sample in editable(100_000) {
        let bytes = sample.bytes();
        let source = open(&sample, &bytes);
        let all = fragreel_quake1::unstable::message::MessageKind::ALL.iter().map(|kind| kind.name()).collect();
        let edited = source.rewrite(&mut WithoutKinds(all)).unwrap();
        let bare = opened(&edited, &sample.name);
        assert_eq!(bare.info().snapshots, source.info().snapshots, "{}", sample.name);
        assert!(edited.bytes.len() < bytes.len(), "{}", sample.name);
    }
}

/// Random edits: the result is whole, and blocks without a touched message are the same, byte for byte.
#[test]
fn random_edits_leave_the_rest_alone() {
    let mut random = Random::new(0x1357_9bdf);
    for sample in editable(200_000) {
        let bytes = sample.bytes();
        let source = open(&sample, &bytes);
        let seed = random.number();
        let mut dice = Random::new(seed);
        let mut touched = std::collections::BTreeSet::new();
        let edited = source.map_messages(&mut |place, message| {
            if dice.below(40) != 0 {
                return Fate::Keep;
            }
            match message {
                Message::QwPrint(_) | Message::NqPrint(_) | Message::TempEntity(_) | Message::QwSound(_) | Message::NqSound(_) | Message::Particle(_) => {
                    touched.insert(place.message);
                    Fate::Drop
                }
                Message::UpdateUserInfo(m) => {
                    touched.insert(place.message);
                    m.userinfo.0 = b"\\name\\another".to_vec();
                    Fate::Keep
                }
                Message::StatByte(m) => {
                    touched.insert(place.message);
                    m.value ^= 1;
                    Fate::Keep
                }
                _ => Fate::Keep,
            }
        });
        let after = opened(&edited, &sample.name);
        let blocks = |recording: &Recording<'_>| -> Vec<Vec<u8>> {
            let block = |block: fragreel_quake1::unstable::container::Block<'_>| {
                let mut out = Vec::new();
                fragreel_quake1::unstable::container::write_block(&mut out, recording.container(), &block.framing, block.data);
                out
            };
            recording.blocks().map(|found| block(found.unwrap())).collect()
        };
        let (old, new) = (blocks(&source), blocks(&after));
        let mut rest = new.into_iter();
        for (number, block) in old.into_iter().enumerate() {
            let untouched = !touched.contains(&(number as u32));
            assert!(!untouched || rest.any(|other| other == block), "{} block {number}", sample.name);
        }
        // and a part of the result says what it says
        if let Some(length) = after.info().duration.filter(|length| length.0 > 10) {
            let from = random.below(length.0 as usize) as i64;
            let range = fragreel_model::Range { clock: fragreel_model::Clock::Demo, from: fragreel_model::Milliseconds(from), to: length };
            let part = after.cut(range).unwrap();
            agrees(&after, &opened(&part, &sample.name), &sample.name);
        }
    }
}

/// Identifiers and addresses within info strings are distinguished from names.
#[test]
fn info_strings_are_taken_apart() {
    struct Roles(Vec<(Role, String)>);
    impl Rewrite for Roles {
        fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
            self.0.push((role, String::from_utf8_lossy(text).into_owned()));
            if matches!(role, Role::Address | Role::Identifier) { Fate::Drop } else { Fate::Keep }
        }
    }
    let bytes = fragreel_testkit::samples("quake1").iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap().bytes();
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    let edited = source.map_messages(&mut |_, message| {
        if let Message::UpdateUserInfo(m) = message {
            m.userinfo.0 = b"\\name\\me\\ip\\10.0.0.1\\*auth\\abc\\team\\red".to_vec();
        }
        Fate::Keep
    });
    let source = opened(&edited, "infos");
    let mut roles = Roles(Vec::new());
    let edited = source.rewrite(&mut roles).unwrap();
    for (role, text) in [(Role::Name, "me"), (Role::Address, "10.0.0.1"), (Role::Identifier, "abc"), (Role::Team, "red")] {
        assert!(roles.0.contains(&(role, text.to_owned())), "{role:?} {text}");
    }
    let find = |needle: &[u8]| edited.bytes.windows(needle.len()).any(|window| window == needle);
    assert!(find(b"\\name\\me\\team\\red") && !find(b"10.0.0.1") && !find(b"abc\\"));
}

/// Lifts everybody and everything, and makes the player healthier.
#[derive(Default)]
struct Lifted {
    lifted: u32,
    healed: u32,
}

impl Rewrite for Lifted {
    fn fields(&self) -> &[&str] {
        &["origin_z", "health", "stat_0"]
    }

    fn field(&mut self, _: Place, of: Subject, name: &str, value: &mut Value) {
        match (name, &*value) {
            ("origin_z", Value::Float(units)) => *value = Value::Float(units + 1.0),
            ("origin_z", Value::Int(number)) => *value = Value::Int(number + 8),
            (_, Value::Int(number)) if *number > 0 && *number < 250 => *value = Value::Int(number + 1),
            _ => return,
        }
        match name {
            "origin_z" => self.lifted += u32::from(of != Subject::View),
            _ => self.healed += u32::from(!matches!(of, Subject::Entity(_))),
        }
    }
}

/// In all containers and dialects: entities, players, baselines and stats, and nothing else.
#[test]
fn fields_are_changed_by_name_and_nothing_else_is() {
    let (mut places, mut healthier) = (0, 0);
    for sample in fragreel_testkit::samples("quake1").into_iter().filter(|sample| !sample.damaged) {
        let (bytes, name) = (sample.bytes(), &sample.name);
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let mut lift = Lifted::default();
        let edited = source.rewrite(&mut lift).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(lift.lifted > 10, "{name}: {} {}", lift.lifted, lift.healed);
        let again = Recording::open(&edited.bytes, Some(&edited.extension), Limits::default()).unwrap();
        assert_eq!(again.verify().damage, source.verify().damage, "{name}");
        let options = FrameOptions::default().entities(EntityKinds::ALL);
        let (mut before, mut after) = (source.frames(options), again.frames(options));
        let (mut one, mut other) = (Frame::default(), Frame::default());
        // what a step of the number is worth: an eighth or a sixteenth of a unit, or a unit
        let lifted = |from: [f32; 3], to: [f32; 3]| {
            let by = to[2] - from[2];
            let steps = [0.5, 1.0, 8.0].iter().any(|step| (by - step).abs() < 0.01);
            // one whose height was never said is at 0
            from[..2] == to[..2] && (steps || from[2] == 0.0 && to[2] == 0.0)
        };
        while before.next_into(&mut one) {
            assert!(after.next_into(&mut other), "{name}");
            for entity in &one.entities {
                let there = other.entity(entity.number).unwrap_or_else(|| panic!("{name}: {}", entity.number));
                let (from, to) = (entity.origin.unwrap(), there.origin.unwrap());
                assert!(lifted(from, to), "{name}: entity {} {from:?} {to:?}", entity.number);
                assert_eq!((entity.angles, &entity.model), (there.angles, &there.model), "{name}");
                places += 1;
            }
            for (player, there) in one.players.iter().zip(&other.players) {
                assert_eq!((player.slot, player.armor, player.angles), (there.slot, there.armor, there.angles), "{name}");
                if let (Some(from), Some(to)) = (player.origin, there.origin) {
                    assert!(lifted(from, to), "{name}: player {} {from:?} {to:?}", player.slot);
                }
                let (Some(from), Some(to)) = (player.health, there.health) else { continue };
                assert!(to == from + 1 || !(1..250).contains(&from) && to == from, "{name}: {from} {to}");
                healthier += u32::from(to > from);
            }
        }
        assert!(!after.next_into(&mut other));
    }
    assert!(places > 1000 && healthier > 100, "{places} {healthier}");
}

/// Wants what no field can hold.
struct TooMuch(&'static str);

impl Rewrite for TooMuch {
    fn fields(&self) -> &[&str] {
        std::slice::from_ref(&self.0)
    }

    fn field(&mut self, _: Place, _: Subject, _: &str, value: &mut Value) {
        *value = Value::Int(1 << 40);
    }
}

#[test]
fn a_value_that_a_field_cannot_hold_is_refused() {
    for sample in fragreel_testkit::samples("quake1").into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let source = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        for name in ["frame", "model"] {
            assert_eq!(source.rewrite(&mut TooMuch(name)).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Misuse, "{}: {name}", sample.name);
        }
    }
}
