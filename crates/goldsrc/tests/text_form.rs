//! Text and back.

use fragreel_base::textform::{compile, decompile};
use fragreel_base::wire::Limits;
use fragreel_goldsrc::container::{Container, Step};
use fragreel_goldsrc::message::{Message, TempEntity};
use fragreel_goldsrc::properties::{self, assemble};
use fragreel_goldsrc::text::{Compiler, Decompiler};
use fragreel_goldsrc::{Context, Decoder};
use fragreel_testkit::Sample;
use serde_json::{Value, json};

fn all() -> Vec<Sample> {
    fragreel_testkit::samples("goldsrc").into_iter().chain(fragreel_testkit::small(fragreel_testkit::corpus("goldsrc"))).collect()
}

fn decompiler(bytes: &[u8]) -> Option<Decompiler> {
    let decompiler = Decompiler::new(bytes, Some("dem"), Limits::default()).ok();
    // only what is no recording has no text
    assert_eq!(decompiler.is_some(), fragreel_goldsrc::Recording::open(bytes, Some("dem"), Limits::default()).is_ok());
    decompiler
}

/// Runs `check` on every sample.
fn each(check: impl Fn(&str, &[u8]) + Sync) {
    fragreel_testkit::two_at_a_time(&all(), |sample, bytes| check(&sample.name, bytes));
}

#[test]
fn every_recording_comes_back_from_its_text() {
    each(|name, bytes| {
        let Some(decompiler) = decompiler(bytes) else { return };
        let text = decompile(decompiler, bytes);
        let back = compile(Compiler::default(), &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == bytes, "{name} differs from byte {:?} on", back.iter().zip(bytes).position(|(a, b)| a != b));
        let ratio = text.len() as f64 / bytes.len() as f64;
        assert!(ratio <= 8.0 || bytes.len() < 4096, "{name}: the text is {ratio:.1} times the recording");
    });
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[every_recording_comes_back_from_its_text]);
}

#[test]
fn windows_of_any_size_give_the_same_text() {
    for (name, bytes) in all().iter().map(|sample| (&sample.name, sample.bytes())).filter(|(_, bytes)| bytes.len() < 300_000) {
        let Some(decompiler) = decompiler(&bytes) else { continue };
        let text = decompile(decompiler, &bytes);
        for size in [1 << 20, 400_001, 8191] {
            assert!(properties::in_windows(&bytes, size) == text, "{name} in windows of {size}");
        }
    }
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = decompile(decompiler(bytes).expect("a recording"), bytes);
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect()
}

fn text(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn compiled(lines: &[Value]) -> Vec<u8> {
    compile(Compiler::default(), &text(lines)).unwrap_or_else(|error| panic!("{error}"))
}

/// All messages of a recording, with the words of their rows.
fn messages(bytes: &[u8]) -> Vec<Message> {
    let container = Container::open(bytes, &Limits::default()).expect("a recording");
    let mut decoder = Decoder::new(Context::new(container.dialect.messages.expect("known messages")));
    let mut all = Vec::new();
    for window in container.macros().filter_map(Step::found) {
        let Some((offset, data)) = fragreel_goldsrc::messages(&window, &container.dialect) else { continue };
        decoder.block(data, offset, |_, message, _| all.push(message.clone())).unwrap_or_else(|error| panic!("{error}"));
    }
    all
}

/// A sample whose game goes on for a while.
fn game() -> Vec<u8> {
    assemble::recording(assemble::Plan::default())
}

/// The first message of this name for which `wanted` holds.
fn find<'l>(lines: &'l mut [Value], name: &str, wanted: impl Fn(&Value) -> bool) -> &'l mut Value {
    let lists = lines.iter_mut().filter_map(|line| line.pointer_mut("/data/messages")?.as_array_mut());
    let mut found = lists.flatten().filter_map(|message| message.get_mut(name));
    found.find(|message| wanted(message)).unwrap_or_else(|| panic!("no {name}"))
}

/// What differs between the messages of two recordings.
fn differences(before: &[u8], after: &[u8]) -> Vec<(Message, Message)> {
    let (before, after) = (messages(before), messages(after));
    assert_eq!(before.len(), after.len());
    before.into_iter().zip(after).filter(|(one, other)| one != other).collect()
}

#[test]
fn lines_may_be_written_by_other_tools() {
    for bytes in [game(), fragreel_testkit::corpus("goldsrc").iter().find(|sample| sample.name.contains("aim3")).map_or_else(game, Sample::bytes)] {
        // serde_json sorts the members and writes floats in its own way
        let lines = lines(&bytes);
        assert!(compiled(&lines) == bytes);
        let spaced: String = lines.iter().map(|line| serde_json::to_string_pretty(line).expect("JSON").replace('\n', " ") + "\r\n\n").collect();
        assert!(compile(Compiler::default(), spaced.as_bytes()).unwrap() == bytes);
    }
}

#[test]
fn names_and_texts_are_changed_and_the_directory_follows() {
    let before = game();
    let mut lines = lines(&before);
    let info = find(&mut lines, "updateuserinfo", |info| info["info"] != "");
    let longer = info["info"].as_str().expect("text").replace("\\name\\", "\\name\\the artist formerly known as ");
    info["info"] = longer.clone().into();
    let after = compiled(&lines);
    let changed = differences(&before, &after);
    let [(Message::UpdateUserInfo(_), Message::UpdateUserInfo(info))] = &changed[..] else { panic!("{changed:?}") };
    assert_eq!(fragreel_model::game_text(&info.info.0), longer);
    // offsets and lengths are computed
    let recording = fragreel_goldsrc::Recording::open(&after, None, Limits::default()).unwrap();
    assert!(recording.verify().is_whole());
    assert!(after.len() > before.len());
}

#[test]
fn a_field_is_changed_added_and_taken_away_without_a_word_on_spelling() {
    let before = game();
    let entity = |lines: &mut Vec<Value>| -> (String, Value) {
        let entities = find(lines, "deltapacketentities", |update| update["entities"].as_object().is_some_and(|entities| !entities.is_empty()));
        let entities = entities["entities"].as_object_mut().expect("entities");
        let (number, row) = entities.iter().next().expect("an entity");
        (number.clone(), row.clone())
    };
    let origin = lines(&before);
    let (number, row) = entity(&mut origin.clone());
    let field = row.as_object().expect("a row").keys().find(|key| key.starts_with("origin")).expect("an origin").clone();
    for (name, value) in [(&*field, Some(json!(-12.5))), (&*field, None), ("frame", Some(json!(7)))] {
        let mut lines = origin.clone();
        let update = find(&mut lines, "deltapacketentities", |update| update["entities"].get(&number).is_some());
        let row = update["entities"][&number].as_object_mut().expect("a row");
        match &value {
            Some(value) => drop(row.insert(name.to_owned(), value.clone())),
            None => drop(row.remove(name)),
        }
        let after = compiled(&lines);
        assert_eq!(differences(&before, &after).len(), 1, "{name} {value:?}");
        assert!(fragreel_goldsrc::Recording::open(&after, None, Limits::default()).unwrap().verify().is_whole());
        let again = self::lines(&after);
        let told = again.iter().zip(&lines).filter(|(one, other)| one != other).count();
        assert_eq!(told, 0, "an edited line is told as it was edited");
    }
}

/// Every bit of a field of flags, and every value of a field of words, by its name where it has one.
#[test]
fn flags_and_words_come_back() {
    let origin = lines(&game());
    let with = |field: &str, bits: u32, value: &Value| {
        let mut lines = origin.clone();
        let fields = find(&mut lines, "deltadescription", |description| description["name"] == "clientdata_t");
        let fov = fields["fields"].as_array_mut().expect("fields").iter_mut().find(|listed| listed["name"] == "fov").expect("a field");
        (fov["name"], fov["type"], fov["bits"]) = (field.into(), "integer".into(), bits.into());
        let data = find(&mut lines, "clientdata", |data| data.to_string().contains("\"fov\""));
        *data = serde_json::from_str(&data.to_string().replace("\"fov\":90", &format!("\"{field}\":{value}"))).expect("JSON");
        lines
    };
    let shown = |field: &str, lines: &[Value]| {
        let mut again = self::lines(&compiled(lines));
        let data = find(&mut again, "clientdata", |data| data.to_string().contains(&format!("\"{field}\""))).clone();
        let holders: Vec<&Value> = [&data].into_iter().chain(data.as_object().expect("members").values()).collect();
        holders.into_iter().find_map(|holder| holder.get(field)).expect("the field").clone()
    };
    let named = |field: &str, bits: u32, numbers: &[u32]| {
        let mut named = 0;
        for number in numbers {
            let lines = with(field, bits, &json!(number));
            let value = shown(field, &lines);
            named += usize::from(!value.is_number());
            assert_eq!(compiled(&with(field, bits, &value)), compiled(&lines), "{field} {value}");
        }
        named
    };
    for (field, bits, count) in [("buttons", 16, 16), ("oldbuttons", 16, 16), ("effects", 32, 8), ("flags", 32, 30)] {
        assert_eq!(named(field, bits, &(0..bits).map(|bit| 1 << bit).collect::<Vec<_>>()), count, "{field}");
    }
    for (field, count) in [("waterlevel", 4), ("deadflag", 5), ("usehull", 3)] {
        assert_eq!(named(field, 3, &(0..8).collect::<Vec<_>>()), count, "{field}");
    }
}

#[test]
fn messages_are_dropped_and_inserted() {
    let before = game();
    let mut lines = lines(&before);
    let list = lines.iter_mut().rev().find_map(|line| line.pointer_mut("/data/messages")?.as_array_mut()).expect("messages");
    list.push(json!({"temp_entity": {"TE_GUNSHOT": {"z": 64.125, "y": -8, "x": 1}}}));
    list.push(json!({"print": {"text": "hello"}}));
    let after = messages(&compiled(&lines));
    let shot = TempEntity { kind: 2, values: vec![8, u32::from(-64i16 as u16), 513], ..TempEntity::default() };
    assert!(after.contains(&Message::TempEntity(shot)));
    assert_eq!(after.len(), messages(&before).len() + 2);
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let bytes = game();
    let refusal = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut lines = lines(&bytes);
        change(find(&mut lines, name, |_| true));
        let error = compile(Compiler::default(), &text(&lines)).expect_err("a refusal");
        assert!(error.line > 1 && error.field.contains("messages › element "), "{error}");
        error.expected
    };
    assert_eq!(refusal("time", &|time| time["time"] = "now".into()), "expected a number, or the bits of one such as \"0x7fc00000\"");
    assert_eq!(refusal("serverinfo", &|info| info["max_clients"] = 256.into()), "expected a whole number from 0 to 255");
    assert_eq!(refusal("serverinfo", &|info| info["map"] = "a\0b".into()), "a text cannot hold the character NUL, which ends it");
    assert_eq!(refusal("serverinfo", &|info| drop(info.as_object_mut().map(|info| info.remove("map")))), "the field `map` is missing");
    assert_eq!(refusal("serverinfo", &|info| info["color"] = 1.into()), "there is no field `color` here");
    assert!(refusal("deltapacketentities", &|update| update["entities"] = json!({"2048": {}})).contains("there is no field `2048` here"));
    let mut lines = lines(&bytes);
    let list = lines.iter_mut().rev().find_map(|line| line.pointer_mut("/data/messages")?.as_array_mut()).expect("messages");
    list.push(json!({"user_message": {"name": "NobodyAnnounced", "data": ""}}));
    assert!(compile(Compiler::default(), &text(&lines)).unwrap_err().expected.contains("has not announced"));
    assert!(compile(Compiler::default(), b"{\"macro\":{}}").is_err());
}

#[test]
fn the_schema_holds_for_every_dialect_s_text() {
    const EACH: usize = 40;
    let validator = jsonschema::validator_for(&fragreel_goldsrc::text::schema()).expect("a schema");
    each(|name, bytes| {
        let Some(decompiler) = decompiler(bytes) else { return };
        let text = decompile(decompiler, bytes);
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
        let step = (lines.len() / EACH).max(1);
        for line in lines.iter().take(6).chain(lines.iter().step_by(step)).chain(lines.last()) {
            let value = serde_json::from_slice(line).expect("JSON");
            if let Err(error) = validator.validate(&value) {
                // where it cannot stand says more than that no alternative fits
                let line: String = String::from_utf8_lossy(line).chars().take(2000).collect();
                panic!("{name}: {} {line}", error.to_string().chars().rev().take(300).collect::<String>().chars().rev().collect::<String>());
            }
        }
    });
    for wrong in [r#"{"data":{"time":"one"}}"#, r#"{"recording":{}}"#, r#"{"date":{}}"#, "[]"] {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn damage_comes_back_as_it_is() {
    let whole = game();
    let mut garbage = whole.clone();
    garbage.splice(700..700, [0xee; 333]);
    let mut elsewhere = whole.clone();
    elsewhere[540..544].copy_from_slice(&600i32.to_le_bytes());
    let mut trailing = whole.clone();
    trailing.extend_from_slice(&whole);
    for bytes in [garbage, elsewhere, trailing].iter().map(Vec::as_slice).chain((544..whole.len()).step_by(97).map(|end| &whole[..end])) {
        properties::text_form(bytes);
    }
}

/// The directory says what the header does not.
#[test]
fn a_damaged_header_comes_back_as_it_is() {
    let whole = game();
    for damaged in [0..32, 0..6, 8..12, 12..16, 0..540] {
        let mut bytes = whole.clone();
        bytes[damaged.clone()].fill(0xab);
        if fragreel_goldsrc::Recording::open(&bytes, None, Limits::default()).is_ok_and(|recording| recording.dialect().messages.is_some()) {
            let lines = lines(&bytes);
            assert_eq!(lines[0]["recording"]["read_as"].is_object(), damaged.end > 8, "{damaged:?}");
            assert!(lines.iter().any(|line| line["data"]["messages"].is_array()), "{damaged:?}");
            assert!(compiled(&lines) == bytes, "{damaged:?}");
        }
        properties::text_form(&bytes);
    }
    assert_eq!(lines(&whole)[0]["recording"].get("read_as"), None);
}

/// Mutated recordings, whose mutations are the same each time.
#[test]
fn mutations_come_back_as_they_are() {
    let mut random = fragreel_testkit::Random::new(0x1234_5678_9abc_def1);
    let plans = [(48, false), (48, true), (43, true), (45, false), (46, false), (47, true)];
    let mut bases: Vec<Vec<u8>> =
        plans.map(|(network, instanced)| assemble::recording(assemble::Plan { network, instanced, ..assemble::Plan::default() })).to_vec();
    bases.extend(fragreel_testkit::corpus("goldsrc").iter().take(4).map(|sample| sample.bytes().into_iter().take(40_000).collect()));
    for round in 0..400 {
        let mut bytes = bases[round % bases.len()].clone();
        for _ in 0..=random.below(5) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                2 => drop(bytes.splice(at..at, [0xff; 3])),
                _ => drop(bytes.drain(at..(at + random.below(9)).min(bytes.len()))),
            }
        }
        properties::text_form(&bytes);
    }
}

#[test]
fn seeds_come_back_as_they_are() {
    let folder = fragreel_testkit::checkout().join("fuzz/seeds/goldsrc_text_form");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        properties::text_form(&std::fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0 && fragreel_testkit::checkout().join("fuzz/fuzz_targets/goldsrc_text_form.rs").exists());
}
