//! Text and back.

use fragreel_base::textform::{compile, decompile};
use fragreel_base::wire::Limits;
use fragreel_quake3::container::{self, Frames, Piece};
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3::fields;
use fragreel_quake3::message::{Message, Operation};
use fragreel_quake3::text::{Compiler, Decompiler};
use fragreel_testkit::Sample;
use serde_json::Value;

fn all() -> Vec<Sample> {
    fragreel_testkit::samples("quake3").into_iter().chain(fragreel_testkit::small(fragreel_testkit::corpus("quake3"))).collect()
}

fn decompiler(bytes: &[u8], name: &str) -> Option<Decompiler> {
    Decompiler::new(bytes, name.rsplit('.').next(), Limits::default()).ok()
}

/// Runs `check` on every sample.
fn each(check: impl Fn(&str, &[u8]) + Sync) {
    fragreel_testkit::two_at_a_time(&all(), |sample, bytes| check(&sample.name, bytes));
}

#[test]
fn every_recording_comes_back_from_its_text() {
    each(|name, bytes| {
        let Some(decompiler) = decompiler(bytes, name) else { return };
        let text = decompile(decompiler, bytes);
        let back = compile(Compiler::default(), &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == bytes, "{name} differs from byte {:?} on", back.iter().zip(bytes).position(|(a, b)| a != b));
        let ratio = text.len() as f64 / bytes.len() as f64;
        assert!(ratio <= 8.5 || bytes.len() < 4096, "{name}: the text is {ratio:.1} times the recording");
    });
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[every_recording_comes_back_from_its_text]);
}

fn sample() -> (Vec<u8>, Vec<Value>) {
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake3/dm_bots.dm_71")).expect("the sample");
    let text = decompile(decompiler(&bytes, "a.dm_71").expect("a recording"), &bytes);
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let lines = lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect();
    (bytes, lines)
}

fn text(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// The message of a line, read from the recording that the lines make.
fn message(lines: &[Value], line: usize) -> Message {
    let bytes = compile(Compiler::default(), &text(lines)).unwrap_or_else(|error| panic!("{error}"));
    let Some(Piece::Message(frame)) = Frames::new(&bytes).nth(line - 1) else { panic!("line {line} is no message") };
    let mut message = Message::default();
    message.read(container::data(&bytes, &frame), Dialect::of(71).expect("71")).expect("a sound message");
    message
}

fn snapshot(message: &Message) -> &fragreel_quake3::message::Snapshot {
    message.operations.iter().find_map(|operation| if let Operation::Snapshot(snapshot) = operation { Some(&**snapshot) } else { None }).expect("a snapshot")
}

/// The first line whose snapshot has at least this of some entity, and the entity's number.
fn entity_with(lines: &[Value], field: &str) -> (usize, String) {
    let found = lines.iter().enumerate().find_map(|(at, line)| {
        let entities = line.pointer("/message/operations")?.as_array()?.iter().find_map(|operation| operation.pointer("/snapshot/entities"))?;
        entities.as_object()?.iter().find(|(_, entity)| entity.get(field).is_some()).map(|(number, _)| (at, number.clone()))
    });
    found.unwrap_or_else(|| panic!("no entity has {field}"))
}

fn entity<'l>(lines: &'l mut [Value], line: usize, number: &str) -> &'l mut serde_json::Map<String, Value> {
    let operations = lines[line].pointer_mut("/message/operations").and_then(Value::as_array_mut).expect("operations");
    let entity = operations.iter_mut().find_map(|operation| operation.pointer_mut(&format!("/snapshot/entities/{number}")));
    entity.and_then(Value::as_object_mut).expect("the entity")
}

#[test]
fn lines_may_be_written_by_other_tools() {
    let (bytes, lines) = sample();
    // serde_json sorts the members and writes floats in its own way
    assert!(compile(Compiler::default(), &text(&lines)).unwrap() == bytes);
    let spaced: String = lines.iter().map(|line| line.to_string().replace("\":", "\" : ") + "\r\n\n").collect();
    // a colon in a game's text has now a space too
    assert!(compile(Compiler::default(), spaced.as_bytes()).is_ok());
}

#[test]
fn a_field_is_changed_added_and_taken_away_without_a_word_on_spelling() {
    let (_, mut lines) = sample();
    let (line, number) = entity_with(&lines, "pos.trBase");
    let before = message(&lines, line);
    let of = |message: &Message| snapshot(message).entities.iter().find(|entity| entity.number.to_string() == number).cloned().expect("the entity");
    let entity = entity(&mut lines, line, &number);
    entity.insert("pos.trBase".into(), serde_json::json!([-0.25, null, 100]));
    entity.insert("frame".into(), 9.into());
    let after = message(&lines, line);
    let (old, new) = (of(&before), of(&after));
    let at = |name| fields::find(&fields::q3::ENTITY, name);
    assert_eq!(f32::from_bits(new.row[at("pos.trBase[0]")]), -0.25);
    assert_eq!(new.row[at("frame")], 9);
    assert!(new.spelling.sent.has(at("frame")) && !new.spelling.sent.has(at("pos.trBase[1]")));
    for field in old.spelling.sent {
        let touched = ["pos.trBase[0]", "pos.trBase[1]", "pos.trBase[2]"].map(at).contains(&field);
        assert!(touched || (new.spelling.sent.has(field) && new.row[field] == old.row[field]), "{}", fields::q3::ENTITY[field].name);
    }
    // all else in the message is as it was
    let others = |message: &Message| snapshot(message).entities.iter().filter(|entity| entity.number.to_string() != number).cloned().collect::<Vec<_>>();
    assert_eq!(others(&before), others(&after));
    assert_eq!(snapshot(&before).player, snapshot(&after).player);
}

#[test]
fn values_that_have_names_take_both() {
    let (bytes, mut lines) = sample();
    let (line, number) = entity_with(&lines, "weapon");
    let before = message(&lines, line);
    let weapon = entity(&mut lines, line, &number).get_mut("weapon").expect("a weapon");
    assert!(weapon.is_string(), "{weapon}");
    let known = ["gauntlet", "machinegun", "shotgun", "grenadelauncher", "rocketlauncher", "lightning", "railgun", "plasmagun"];
    let place = known.iter().position(|name| *weapon == *name).expect("a usual weapon");
    *weapon = (place + 1).into();
    assert_eq!(message(&lines, line), before);
    assert!(compile(Compiler::default(), &text(&lines)).unwrap() == bytes);
}

#[test]
fn chat_is_taken_away_and_names_are_changed() {
    let (_, mut lines) = sample();
    let mut chats = 0;
    for line in &mut lines {
        let Some(operations) = line.pointer_mut("/message/operations").and_then(Value::as_array_mut) else { continue };
        operations.retain(|operation| {
            let chat = operation.pointer("/serverCommand/command").and_then(Value::as_str).is_some_and(|command| command.starts_with("chat "));
            chats += usize::from(chat);
            !chat
        });
    }
    let renamed = String::from_utf8(text(&lines)).unwrap().replace("Gargoyle", "Nobody in particular");
    let bytes = compile(Compiler::default(), renamed.as_bytes()).unwrap();
    let recording = fragreel_quake3::Recording::open(&bytes, Some("dm_71"), Limits::default()).unwrap();
    assert!(chats > 0 && recording.verify().is_whole());
    let mut said = 0;
    recording.events([fragreel_model::Kind::Chat].into_iter().collect()).for_each(|_| said += 1);
    let info = recording.info();
    assert_eq!(said, 0);
    assert!(info.players.iter().any(|player| player.name.clean == "Nobody in particular"));
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let (_, mut lines) = sample();
    let (line, number) = entity_with(&lines, "weapon");
    let mut refusal = |name: &str, value: Value| {
        let entity = entity(&mut lines, line, &number);
        let old = entity.insert(name.into(), value);
        let error = compile(Compiler::default(), &text(&lines)).unwrap_err();
        match old {
            Some(old) => self::entity(&mut lines, line, &number).insert(name.into(), old),
            None => self::entity(&mut lines, line, &number).remove(name),
        };
        assert_eq!(error.line, line as u64 + 1);
        assert!(error.field.contains("operations › element 0 › "), "{error}");
        error.expected
    };
    assert_eq!(refusal("weapon", 256.into()), "expected a whole number from 0 to 255");
    assert_eq!(refusal("weapon", "banana".into()), "expected one of the names of this field, or a number, not \"banana\"");
    assert_eq!(refusal("color", 1.into()), "there is no field `color` here");
    assert_eq!(refusal("pos.trBase", serde_json::json!([1, 2, 3, 4])), "the vector has fewer components");
    assert_eq!(refusal("remove", true.into()), "an entity that is removed has no fields");
    assert!(refusal("spelling", serde_json::json!({"end": 200})).ends_with(" to 51"));
}

#[test]
fn the_schema_holds_for_every_dialect_s_text() {
    const EACH: usize = 40;
    let validator = jsonschema::validator_for(&fragreel_quake3::text::schema()).expect("a schema");
    each(|name, bytes| {
        let Some(decompiler) = decompiler(bytes, name) else { return };
        let text = decompile(decompiler, bytes);
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
        let step = (lines.len() / EACH).max(1);
        for line in lines.iter().take(4).chain(lines.iter().step_by(step)).chain(lines.last()) {
            let value = serde_json::from_slice(line).expect("JSON");
            if let Err(error) = validator.validate(&value) {
                panic!("{name}: {error} at {}", error.instance_path);
            }
        }
    });
    for wrong in [r#"{"message":{"sequence":"one"}}"#, r#"{"recording":{}}"#, r#"{"massage":{}}"#, "[]"] {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}
