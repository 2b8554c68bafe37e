//! Text and back.

use std::fmt::Write;

use fragreel_base::textform::{Decompile, compile, decompile};
use fragreel_base::wire::Limits;
use fragreel_quake2::text::{Compiler, Decompiler, schema};
use fragreel_testkit::Sample;
use serde_json::{Value, json};

fn all() -> Vec<Sample> {
    fragreel_testkit::samples("quake2").into_iter().chain(fragreel_testkit::corpus("quake2")).collect()
}

/// Runs `check` on every sample that opens. It gets the name, a decompiler, and the bytes.
fn each(check: impl Fn(&str, &dyn Fn() -> Decompiler, &[u8]) + Sync) {
    fragreel_testkit::two_at_a_time(&all(), |sample, bytes| {
        let open = || Decompiler::new(bytes, Some(&sample.extension()), Limits::default());
        if open().is_ok() {
            check(&sample.name, &|| open().unwrap(), bytes);
        }
    });
}

fn count(text: &[u8], part: &str) -> usize {
    std::str::from_utf8(text).unwrap().matches(part).count()
}

#[test]
fn every_recording_comes_back_from_its_text() {
    each(|name, decompiler, bytes| {
        let text = decompile(decompiler(), bytes);
        let back = compile(Compiler::default(), &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == bytes, "{name} differs from byte {:?} on", back.iter().zip(bytes).position(|(a, b)| a != b));
        let ratio = text.len() as f64 / bytes.len() as f64;
        assert!(ratio <= 8.0 || bytes.len() < 4096, "{name}: the text is {ratio:.1} times the recording");
        let spelled = count(&text, "\"spelling\"");
        let lines = text.iter().filter(|&&byte| byte == b'\n').count();
        assert!(spelled * 10 <= lines, "{name}: {spelled} spellings on {lines} lines, though engines wrote them");
    });
}

/// The text when the recording comes in windows of these sizes, each made longer until something fits.
fn in_windows(mut decompiler: Decompiler, bytes: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut used = 0;
    let mut sizes = sizes.iter().cycle();
    while used < bytes.len() {
        let mut length = 0;
        loop {
            length += sizes.next().unwrap();
            let end = (used + length).min(bytes.len());
            let step = decompiler.step(&bytes[used..end], end == bytes.len(), &mut out);
            used += step;
            if step > 0 {
                break;
            }
            assert!(end < bytes.len(), "nothing is used of the last window");
        }
    }
    out
}

#[test]
fn windows_of_any_size_give_the_same_text() {
    each(|name, decompiler, bytes| {
        let mut bytes = bytes[..bytes.len().min(150_000)].to_vec();
        let whole = decompile(decompiler(), &bytes);
        for sizes in [&[1, 7, 300, 2][..], &[5000], &[70_001, 3]] {
            assert!(in_windows(decompiler(), &bytes, sizes) == whole, "{name} {sizes:?}");
        }
        // a wild length: the search for the next block must not depend on windows either
        if bytes.len() > 3000 && !bytes.starts_with(b"MVD2") {
            let first = 4 + u32::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
            bytes.splice(first..first, *b"\xf0\xff\xff\x7fjunk");
            let whole = decompile(decompiler(), &bytes);
            assert!(in_windows(decompiler(), &bytes, &[11, 900, 1]) == whole, "{name} with junk");
            assert_eq!(compile(Compiler::default(), &whole).unwrap(), bytes, "{name} with junk");
            assert!(count(&whole, "{\"block\"") > 2, "{name}: blocks behind the junk are found again");
        }
    });
}

/// As tools write JSON: members in another order, with spaces.
fn shuffled(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            out.push_str("{ ");
            for (at, (key, value)) in members.iter().rev().enumerate() {
                let comma = if at == 0 { "" } else { ", " };
                write!(out, "{comma}{}: ", Value::from(key.as_str())).unwrap();
                shuffled(value, out);
            }
            out.push_str(" }");
        }
        Value::Array(elements) => {
            out.push('[');
            for (at, value) in elements.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                shuffled(value, out);
            }
            out.push(']');
        }
        other => write!(out, "{other}").unwrap(),
    }
}

#[test]
fn the_order_of_members_does_not_matter_and_lines_satisfy_the_schema() {
    let schema = jsonschema::validator_for(&schema()).unwrap();
    each(|name, decompiler, bytes| {
        let bytes = &bytes[..bytes.len().min(20_000)];
        let text = decompile(decompiler(), bytes);
        let mut again = String::new();
        for (number, line) in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
            let value: Value = serde_json::from_slice(line).unwrap();
            if number < 20 || number % 16 == 0 {
                assert!(schema.is_valid(&value), "{name}, line {}: {value}", number + 1);
            }
            shuffled(&value, &mut again);
            again.push('\n');
        }
        assert!(compile(Compiler::default(), again.as_bytes()).unwrap() == bytes, "{name}");
    });
    for line in [json!({"block": {"messages": [{"print": {"level": 3}}]}}), json!({"recording": {"form": 1}}), json!({"block": {}, "end": {}})] {
        assert!(!schema.is_valid(&line), "{line}");
    }
}

const HEAD: &str = r#"{"recording":{"form":1,"family":"quake2","container":"dm2","protocol":34,"kind":"client"}}"#;

/// The data of a block with these messages.
fn block(messages: &str) -> Result<Vec<u8>, String> {
    let text = format!("{HEAD}\n{{\"block\":{{\"messages\":[{messages}]}}}}\n");
    let bytes = compile(Compiler::default(), text.as_bytes()).map_err(|error| error.to_string())?;
    assert_eq!(u32::from_le_bytes(*bytes.first_chunk().unwrap()) as usize, bytes.len() - 4);
    Ok(bytes[4..].to_vec())
}

fn entity(entity: &str) -> Result<Vec<u8>, String> {
    block(&format!(r#"{{"packetentities":{{"entities":{{{entity}}}}}}}"#))
}

#[test]
fn which_keys_are_there_is_what_is_sent() {
    let sent = |text: &str| entity(text).unwrap();
    assert_eq!(sent(r#""12":{"origin_x":512.125,"frame":7}"#), b"\x12\x11\x0c\x07\x01\x10\0\0");
    assert_eq!(sent(r#""12":{"event":"EV_FOOTSTEP","origin_x":512.125,"frame":7}"#), b"\x12\x31\x0c\x07\x01\x10\x02\0\0");
    // wider as far as values ask for it: a frame of 16 bits, the mask bytes up to its bit
    assert_eq!(sent(r#""12":{"origin_x":512.125,"frame":300}"#), b"\x12\x81\x80\x02\x0c\x2c\x01\x01\x10\0\0");
    assert_eq!(sent(r#""300":{"remove":true}"#), b"\x12\xc0\x01\x2c\x01\0\0");
    // and in the order of their numbers
    assert_eq!(sent(r#""13":{"frame":1},"2":{"angles_y":-90}"#), b"\x12\x04\x02\xc0\x10\x0d\x01\0\0");
    // a spelling: the skin in 16 bits, though it has 8
    let skin16 = 1u64 << 16 | 1 << 25 | 1 << 23;
    assert_eq!(sent(&format!(r#""1":{{"skinnum":5,"spelling":{skin16}}}"#)), b"\x12\x80\x80\x80\x02\x01\x05\x00\0\0");
    let player = |text: &str| block(&format!(r#"{{"playerinfo":{text}}}"#)).unwrap();
    assert_eq!(player(r#"{"fov":90,"stats":{"health":100,"17":-2}}"#), b"\x11\x00\x08\x5a\x02\x00\x02\x00\x64\x00\xfe\xff");
    assert_eq!(player(r#"{"gunframe":4,"gunangles":[0,0.5]}"#), b"\x11\x00\x20\x04\0\0\0\0\x02\0\0\0\0\0");
    assert_eq!(block(r#"{"sound":{"index":9,"volume":0.5,"entity":3,"channel":"item"}}"#).unwrap(), b"\x09\x09\x09\x80\x1b\x00");
    assert_eq!(block(r#"{"temp_entity":{"kind":"TE_EXPLOSION1","position1":[1,-2,0.5]}}"#).unwrap(), b"\x03\x05\x08\0\xf0\xff\x04\0");
}

/// Every bit of every field of flags, by its name where it has one.
#[test]
fn flags_come_back_from_their_names() {
    let sample = std::fs::read(fragreel_testkit::checkout().join("samples/quake2/yq2dm_Alice.dm2")).unwrap();
    let text = decompile(Decompiler::new(&sample, Some("dm2"), Limits::default()).unwrap(), &sample[..20_000]);
    // the head, and the block that states the dialect
    let opening: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').take(2).collect();
    let blocks = |field: &str, holder: fn(String) -> String, bits: u32| -> Vec<u8> {
        let values = (0..bits).map(|bit| holder(format!("{{\"{field}\":{}}}", 1u32 << bit)));
        values.flat_map(|message| format!("{{\"block\":{{\"messages\":[{message}]}}}}\n").into_bytes()).collect()
    };
    let entity = |fields: String| format!("{{\"packetentities\":{{\"entities\":{{\"1\":{fields}}}}}}}");
    let player = |fields: String| format!("{{\"playerinfo\":{fields}}}");
    let all = [
        ("effects", blocks("effects", entity, 32), 31),
        ("renderfx", blocks("renderfx", entity, 32), 17),
        ("pm_flags", blocks("pm_flags", player, 8), 7),
        ("rdflags", blocks("rdflags", player, 8), 4),
    ];
    for (field, lines, named) in all {
        let bytes = compile(Compiler::default(), &[opening.concat(), lines].concat()).unwrap();
        let text = decompile(Decompiler::new(&bytes, Some("dm2"), Limits::default()).unwrap(), &bytes);
        assert!(compile(Compiler::default(), &text).unwrap() == bytes, "{field}");
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.matches(&format!("\"{field}\":[\"")).count(), named, "{field}");
    }
    let player = |text: &str| block(&format!(r#"{{"playerinfo":{text}}}"#)).unwrap();
    assert_eq!(player(r#"{"pm_flags":["PMF_DUCKED","PMF_ON_GROUND",128]}"#), player(r#"{"pm_flags":133}"#));
    assert_eq!(player(r#"{"rdflags":"RDF_UVGOGGLES","stats":{"1":100}}"#), player(r#"{"rdflags":8,"stats":{"health":100}}"#));
}

#[test]
fn what_cannot_be_sent_is_refused_where_it_stands() {
    let refused = |messages: &str| block(messages).unwrap_err();
    let ends = |messages: &str, end: &str| {
        let error = refused(messages);
        assert!(error.ends_with(end), "{error}");
    };
    assert_eq!(
        refused(r#"{"print":{"level":300,"text":"x"}}"#),
        "line 2, column 41 (block › messages › element 0 › print › level): expected a whole number from 0 to 255"
    );
    ends(r#"{"print":{"level":"high"}}"#, "the field `text` is missing");
    ends(r#"{"print":{"level":"shout","text":""}}"#, "not \"shout\"");
    ends(r#"{"print":{"level":1,"text":"","color":1}}"#, "there is no field `color` here");
    ends(r#"{"print":{"level":1,"text":"a\u0000b"}}"#, "a text cannot hold the character NUL, which ends it");
    ends(r#"{"zpacket":{"messages":[]}}"#, "`zpacket` is not possible here");
    ends(r#"{"temp_entity":{"kind":200}}"#, "there is no temporary entity of this kind");
    ends(r#"{"frame":{"number":1,"areas":"abc"}}"#, "pairs of hexadecimal digits in quotes");
    let refused = |text: &str, end: &str| {
        let error = entity(text).unwrap_err();
        assert!(error.ends_with(end), "{error}");
    };
    refused(r#""1":{"origin_x":5000}"#, "messages › element 0 › packetentities › entities › entity 1): expected a number from -4096 to 4095.875");
    refused(r#""1":{"origin_x":"here"}"#, "expected a number from -4096 to 4095.875");
    refused(r#""0":{"frame":1}"#, "the entity 0 ends the list");
    refused(r#""1":{"frame":1,"remove":true}"#, "nothing else can be said of an entity that is removed");
    refused(r#""1":{"frame":1,"spelling":16}"#, "leave it out");
    refused(r#""1":{"alpha":1}"#, "there is no field `alpha` here");
    refused(r#""70000":{"frame":1}"#, "there is no field `70000` here");
    let areas = "00".repeat(256);
    ends(&format!(r#"{{"frame":{{"number":1,"areas":"{areas}"}}}}"#), "at most 255 bytes can be sent here");
    let long = "x".repeat(0x1_0000 - 1);
    ends(&format!(r#"{{"stufftext":{{"text":"{long}"}}}},{{"nop":{{}}}}"#), "and no engine reads more than 65536");
}

/// What a change of one line of a real text changes.
#[test]
fn an_edit_changes_what_it_says_and_nothing_else() {
    let sample = all().into_iter().find(|sample| sample.name.ends_with(".mvd2") || sample.name.ends_with(".dm2")).unwrap();
    let bytes = sample.bytes();
    let open = |bytes: &[u8]| Decompiler::new(bytes, Some(&sample.extension()), Limits::default()).unwrap();
    let text = String::from_utf8(decompile(open(&bytes), &bytes)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (at, mut line) = lines
        .iter()
        .enumerate()
        .find_map(|(at, line)| (line.contains("\"configstring\"") || line.contains("\"strings\"")).then(|| (at, serde_json::from_str::<Value>(line).unwrap())))
        .unwrap();
    let edited = first_text(&mut line).expect("a text in a line that has texts");
    *edited = Value::from("ünlikely \u{e0ff}");
    let line = line.to_string();
    let changed: Vec<&str> = lines.iter().enumerate().map(|(other, old)| if other == at { line.as_str() } else { old }).collect();
    let compiled = compile(Compiler::default(), changed.join("\n").as_bytes()).unwrap();
    let again = String::from_utf8(decompile(open(&compiled), &compiled)).unwrap();
    for (number, (new, old)) in again.lines().zip(&changed).enumerate() {
        let value = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        assert_eq!(value(new), value(old), "line {}", number + 1);
    }
    assert_eq!(again.lines().count(), lines.len());
}

/// The text of the first configstring.
fn first_text(value: &mut Value) -> Option<&mut Value> {
    match value {
        Value::Object(members) => match members.contains_key("index") {
            true => members.get_mut("text"),
            false => members.values_mut().find_map(first_text),
        },
        Value::Array(elements) => elements.iter_mut().find_map(first_text),
        _ => None,
    }
}
