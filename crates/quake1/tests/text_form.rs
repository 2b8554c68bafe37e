//! The text form of real recordings, and edits of it.

use fragreel_base::wire::Limits;
use fragreel_quake1::Recording;
use fragreel_quake1::text::{Compiler, Decompiler, schema};
use fragreel_quake1::unstable::container::{Block, Container, Framing};
use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::fields::netquake::{bits, slot};
use fragreel_quake1::unstable::message::{Message, Packet};
use fragreel_quake1::unstable::replacement::Change;
use fragreel_testkit::Sample;
use serde_json::{Value, json};

/// Over all recordings.
fn each(test: impl Fn(&Sample, &[u8]) + Sync) {
    let samples: Vec<Sample> = fragreel_testkit::small(super::corpus::recordings()).into_iter().chain(fragreel_testkit::samples("quake1")).collect();
    fragreel_testkit::two_at_a_time(&samples, test);
}

fn decompiler(bytes: &[u8], extension: &str) -> Decompiler {
    Decompiler::new(&bytes[..bytes.len().min(1 << 20)], Some(extension), Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn text_compiles_to_the_same_bytes() {
    const SMALL: usize = 4096;
    // NetQuake names all that a player has in each message, four bytes of bits
    const MOST: usize = 9;
    each(|sample, bytes| {
        let text = fragreel_base::textform::decompile(decompiler(bytes, &sample.extension()), bytes);
        let back = fragreel_base::textform::compile(Compiler::new(), &text).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let at = back.iter().zip(bytes).position(|(a, b)| a != b);
        assert!(back == bytes, "{}: {} of {} bytes, first difference at {at:?}", sample.name, back.len(), bytes.len());
        assert!(bytes.len() < SMALL || text.len() <= MOST * bytes.len(), "{}: {} bytes of text for {}", sample.name, text.len(), bytes.len());
        for line in text.split(|&byte| byte == b'\n') {
            assert!(!line.starts_with(b"{\"opaque\"") || sample.damaged, "{} has bytes that are no block", sample.name);
        }
    });
}

#[test]
fn windows_do_not_show() {
    each(|sample, bytes| {
        let bytes = &bytes[..bytes.len().min(300_000)];
        let whole = fragreel_base::textform::decompile(decompiler(bytes, &sample.extension()), bytes);
        let size = [1009, 4099, 70_001][bytes.len() % 3];
        let text = fragreel_base::textform::decompile_in_windows(decompiler(bytes, &sample.extension()), bytes, std::iter::repeat(size));
        assert!(text == whole, "{}", sample.name);
    });
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[text_compiles_to_the_same_bytes, windows_do_not_show]);
}

/// A recording of our own as lines.
fn lines(name: &str) -> (Vec<u8>, Vec<Value>) {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with(name)).expect("a sample");
    let bytes = sample.bytes();
    let text = fragreel_base::textform::decompile(decompiler(&bytes, &sample.extension()), &bytes);
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    (bytes.clone(), lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect())
}

fn text(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn compile(lines: &[Value]) -> Vec<u8> {
    fragreel_base::textform::compile(Compiler::new(), &text(lines)).unwrap_or_else(|error| panic!("{error}"))
}

/// All messages of a recording.
fn messages(bytes: &[u8]) -> Vec<Message> {
    let recording = Recording::open(bytes, None, Limits::default()).expect("a recording");
    assert!(recording.verify().is_whole());
    let mut dialect = Dialect::new(recording.container().stream());
    let packet = |block: Block<'_>| match block.framing {
        Framing::NetQuake { .. } | Framing::Packet { .. } => Some(block.data.to_vec()),
        _ => None,
    };
    let data: Vec<Vec<u8>> = recording.blocks().map_while(Result::ok).filter_map(packet).collect();
    let header = recording.container() == Container::QuakeWorld;
    data.iter().flat_map(|data| Packet::read(data, &mut dialect, header).expect("a sound packet").messages).collect()
}

/// The first message of a name for which `wanted` holds: its line, its place there, and what it says.
fn find(lines: &[Value], name: &str, wanted: impl Fn(&Value) -> bool) -> (usize, usize) {
    let found = lines.iter().enumerate().find_map(|(line, value)| {
        let messages = value.pointer("/block/messages")?.as_array()?;
        messages.iter().position(|message| message.get(name).is_some_and(&wanted)).map(|at| (line, at))
    });
    found.unwrap_or_else(|| panic!("no {name}"))
}

fn at<'l>(lines: &'l mut [Value], (line, at): (usize, usize), name: &str) -> &'l mut Value {
    &mut lines[line]["block"]["messages"][at][name]
}

/// Where two lists of messages differ.
fn differences(a: &[Message], b: &[Message]) -> Vec<usize> {
    assert_eq!(a.len(), b.len());
    (0..a.len()).filter(|&at| a[at] != b[at]).collect()
}

#[test]
fn other_tools_may_write_the_lines() {
    for name in ["match_e1m1.qwd", "netquake666_deltas_e1m1.dem", "fte1_e1m1.mvd", "rerelease_e1m1.dem", "quakeworld_deltas_e1m1.qwd"] {
        // members in the order of the alphabet, and floats in another tool's spelling
        let (bytes, lines) = lines(name);
        assert!(compile(&lines) == bytes, "{name}");
        let spaced: String = lines.iter().map(|line| serde_json::to_string_pretty(line).unwrap().replace('\n', " ") + "\r\n\n").collect();
        assert!(fragreel_base::textform::compile(Compiler::new(), spaced.as_bytes()).unwrap() == bytes, "{name}");
    }
}

#[test]
fn a_text_and_a_coordinate_are_changed_and_nothing_else() {
    let (bytes, mut lines) = lines("match_e1m1.qwd");
    let before = messages(&bytes);
    let print = find(&lines, "print", |print| print["level"] == "high");
    *at(&mut lines, print, "print") = json!({"level": "chat", "text": "nobody: \u{e0ff}hi\n"});
    let after = messages(&compile(&lines));
    let changed = differences(&before, &after);
    let [Message::QwPrint(print)] = &changed.iter().map(|&at| &after[at]).collect::<Vec<_>>()[..] else { panic!("{changed:?}") };
    assert_eq!((print.level, &print.text.0[..]), (3, &b"nobody: \xffhi\n"[..]));

    let sound = find(&lines, "sound", |sound| sound.get("origin").is_some());
    at(&mut lines, sound, "sound")["origin"][1] = json!(-12.625);
    let again = messages(&compile(&lines));
    let changed = differences(&after, &again);
    let [Message::QwSound(sound)] = &changed.iter().map(|&at| &again[at]).collect::<Vec<_>>()[..] else { panic!("{changed:?}") };
    assert_eq!(sound.origin[1].0 as i32, -101);
}

#[test]
fn fields_of_updates_come_and_go_without_a_word_on_masks() {
    let (bytes, mut lines) = lines("rerelease_e1m1.dem");
    let before = messages(&bytes);
    let group = find(&lines, "updates", |updates| updates.as_object().is_some_and(|updates| updates.len() > 1));
    let updates = at(&mut lines, group, "updates").as_object_mut().unwrap();
    let (number, update) = updates.iter_mut().next_back().unwrap();
    let (number, update) = (number.parse::<u32>().unwrap(), update.as_object_mut().unwrap());
    let had_alpha = update.insert("alpha".into(), json!(100)).is_some();
    update.remove("yaw");
    update.insert("z".into(), json!(8.5));
    updates.insert("40000".into(), json!({"model": 3}));
    let bytes = compile(&lines);
    let after = messages(&bytes);
    assert_eq!(after.len(), before.len() + 1);
    let news = after.iter().position(|message| matches!(message, Message::FastUpdate(update) if update.entity.number == 40000)).expect("the new entity");
    let mut others = after.clone();
    others.remove(news);
    let changed = differences(&before, &others);
    let [Message::FastUpdate(update)] = &changed.iter().map(|&at| &others[at]).collect::<Vec<_>>()[..] else { panic!("{changed:?}") };
    assert_eq!((update.entity.number, update.row[slot::ALPHA], had_alpha), (number, 100, false));
    assert!(u64::from(update.mask) & bits::ANGLE2 == 0 && u64::from(update.mask) & bits::EXTEND1 != 0);
    assert!([68, 8.5f32.to_bits()].contains(&update.row[slot::ORIGIN + 2]), "eighths or a float");
}

#[test]
fn replacement_deltas_and_packet_entities_are_edited_alike() {
    let (_, mut deltas) = lines("quakeworld_deltas_e1m1.qwd");
    let place =
        find(&deltas, "updateentities", |update| update["entities"].as_object().is_some_and(|entities| entities.values().any(|e| e.get("x").is_some())));
    let entities = at(&mut deltas, place, "updateentities")["entities"].as_object_mut().unwrap();
    let (number, entity) = entities.iter_mut().find(|(_, entity)| entity.get("x").is_some()).unwrap();
    let number: u32 = number.parse().unwrap();
    let entity = entity.as_object_mut().unwrap();
    entity.insert("frame".into(), json!(300));
    entity.insert("effects".into(), json!(70_000));
    entity.remove("yaw");
    entities.insert("77".into(), json!({"remove": true}));
    let expected = |m: &Message| {
        let Message::UpdateEntities(m) = m else { return false };
        let wide = |change: &Change| matches!(change, Change::Delta(delta) if delta.state.frame == 300 && delta.state.effects == 70_000 && delta.spelling.is_canonical());
        m.update.entities.iter().any(|e| e.number == number && wide(&e.change)) && m.update.entities.iter().any(|e| e.number == 77)
    };
    assert!(messages(&compile(&deltas)).iter().any(expected));

    let (_, mut classic) = lines("quakeworld_plain_dm3.qwd");
    let place = find(&classic, "deltapacketentities", |update| update["entities"].as_object().is_some_and(|entities| !entities.is_empty()));
    let entities = at(&mut classic, place, "deltapacketentities")["entities"].as_object_mut().unwrap();
    let (_, entity) = entities.iter_mut().next().unwrap();
    *entity = json!({"yaw": 90, "model": 9});
    let bytes = compile(&classic);
    let yaw = |m: &Message| matches!(m, Message::DeltaPacketEntities(m) if m.entities.iter().any(|e| e.row[0] == 9 && e.row[9] == 64));
    assert!(messages(&bytes).iter().any(yaw));
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let (_, lines) = lines("match_e1m1.qwd");
    let print = find(&lines, "print", |_| true);
    let refusal = |value: Value| {
        let mut lines = lines.clone();
        lines[print.0]["block"]["messages"][print.1] = value;
        let error = fragreel_base::textform::compile(Compiler::new(), &text(&lines)).unwrap_err();
        assert_eq!(error.line, print.0 as u64 + 1);
        format!("{}: {}", error.field.split(" › ").skip(2).collect::<Vec<_>>().join(" › "), error.expected)
    };
    assert_eq!(refusal(json!({"print": {"level": 300, "text": ""}})), "level: expected a whole number from 0 to 255");
    assert_eq!(refusal(json!({"print": {"level": "loud", "text": ""}})), "level: expected one of the names of this field, or a number, not \"loud\"");
    assert_eq!(refusal(json!({"print": {"level": 1}})), ": the field `text` is missing");
    assert_eq!(refusal(json!({"print": {"level": 1, "text": "", "color": 2}})), ": there is no field `color` here");
    assert_eq!(refusal(json!({"print": {"level": 1, "text": 7}})), "text: expected a text in quotes");
    assert_eq!(refusal(json!({"print": {"level": 1, "text": "a\u{0}b"}})), "text: a text cannot hold the character NUL, which ends it");
    assert_eq!(refusal(json!({"clientdata": {}})), ": `clientdata` is not possible here");
    assert_eq!(refusal(json!({"classicbaseline": {"number": 1}})), ": this dialect has no such message");
    assert!(refusal(json!({"packetentities": {"entities": {"9": {"x": 5000}}}})).ends_with("expected a number from -4096 to 4095.875"));
    assert!(refusal(json!({"packetentities": {"entities": {"9": {"spelling": 65535}}}})).contains("leave it out"));
    assert!(refusal(json!({"packetentities": {"entities": {"9000": {}}}})).contains("there is no field `9000` here"));
    let empty = fragreel_base::textform::compile(Compiler::new(), b"").unwrap_err();
    assert_eq!(empty.to_string(), "line 1, column 1: expected a line called `recording`");
    let first = fragreel_base::textform::compile(Compiler::new(), br#"{"opaque":"00"}"#).unwrap_err();
    assert!(first.expected.contains("the first line must be"), "{first}");
}

#[test]
fn damage_survives() {
    let (bytes, _) = lines("match_e1m1.mvd");
    for damage in 0..40usize {
        let mut bytes = bytes[..60_000].to_vec();
        let at = 7_919 * (damage + 1) % bytes.len();
        match damage % 4 {
            0 => bytes.truncate(at.max(2_000)),
            1 => bytes[at] ^= 0xff,
            2 => drop(bytes.drain(at..(at + 300).min(60_000))),
            _ => drop(bytes.splice(at..at, (0..5_000u32).map(|byte| ((byte * byte) >> 3) as u8))),
        }
        let text = fragreel_base::textform::decompile(decompiler(&bytes, "mvd"), &bytes);
        assert!(fragreel_base::textform::compile(Compiler::new(), &text).unwrap() == bytes);
        // what comes after damage in the middle is taken apart again
        let opaque = text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"{\"opaque\"")).map(<[u8]>::len).sum::<usize>();
        assert!(opaque < 2 * 40_000 + 100, "{damage}: {opaque}");
    }
}

#[test]
fn the_schema_holds_for_every_dialect_s_text() {
    const EACH: usize = 24;
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    each(|sample, bytes| {
        let bytes = &bytes[..bytes.len().min(600_000)];
        let text = fragreel_base::textform::decompile(decompiler(bytes, &sample.extension()), bytes);
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
        let step = (lines.len() / EACH).max(1);
        for line in lines.iter().take(6).chain(lines.iter().step_by(step)).chain(lines.last()) {
            let value = serde_json::from_slice(line).expect("JSON");
            if let Err(error) = validator.validate(&value) {
                panic!("{}: {error} at {}", sample.name, error.instance_path);
            }
        }
    });
    for wrong in [r#"{"block":{"messages":[{"print":{"text":7}}]}}"#, r#"{"recording":{}}"#, r#"{"blok":{}}"#, "[]"] {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

/// Every bit of every field of flags, by its name where it has one; and units next to the numbers of the wire.
#[test]
fn flags_and_units_come_back() {
    let (_, original) = lines("netquake666_deltas_e1m1.dem");
    let place = find(&original, "spawnbaseline2", |_| true);
    let with = |field: &str, value: Value| {
        let mut lines = original.clone();
        at(&mut lines, place, "spawnbaseline2")[field] = value;
        lines
    };
    let shown = |lines: &[Value], field: &str| {
        let bytes = compile(lines);
        let text = fragreel_base::textform::decompile(decompiler(&bytes, "dem"), &bytes);
        let mut lines: Vec<Value> =
            text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).unwrap()).collect();
        at(&mut lines, place, "spawnbaseline2")[field].clone()
    };
    for (field, bits, named) in [("flags", 8, 6), ("effects", 32, 8)] {
        let mut names = 0;
        for bit in 0..bits {
            let number = with(field, json!(1u64 << bit));
            let value = shown(&number, field);
            names += usize::from(value.is_array());
            assert_eq!(compile(&with(field, value.clone())), compile(&number), "{field} {value}");
        }
        assert_eq!(names, named, "{field}");
    }
    let units = [
        ("scale", json!("1.5"), json!(24)),
        ("alpha", json!("0.5"), json!(127)),
        ("fatness", json!("-0.25"), json!(-4)),
        ("color_mod", json!(["1", 16, "2.5"]), json!([32, 16, 80])),
        ("gravity_dir", json!(["-90", "180"]), json!([192, 128])),
    ];
    for (field, units, number) in units {
        assert_eq!(compile(&with(field, units)), compile(&with(field, number.clone())), "{field}");
        assert_eq!(shown(&with(field, number.clone()), field), number);
    }
    let refused = String::from_utf8(text(&with("scale", json!("many")))).unwrap();
    let error = fragreel_base::textform::compile(Compiler::new(), refused.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("expected a whole number from 0 to 255, or units such as \"0.0625\""), "{error}");
}
