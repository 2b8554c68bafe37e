//! Every number and bit of a field whose values have names comes back from its text, in every dialect.

use std::collections::{BTreeMap, BTreeSet};

use fragreel::text_form::{compile, decompile};
use serde_json::Value;

/// How the values of a field are named.
#[derive(Clone, Copy)]
enum Form {
    /// A name for each of this number of values.
    Codes(u64),
    /// A name for each of this number of bits.
    Flags(u32),
}
use Form::{Codes, Flags};

/// The fields, and how many names each has at least in all dialects together.
const FIELDS: &[(&str, &str, Form, usize)] = &[
    ("quake3", "/eType", Codes(256), 40),
    ("quake3", "/pos.trType", Codes(256), 6),
    ("quake3", "/weapon", Codes(256), 9),
    ("quake3", "/event", Codes(1024), 50),
    ("quake3", "/eFlags", Flags(32), 15),
    ("quake3", "/snapFlags", Flags(8), 3),
    ("quake2", "/effects", Flags(32), 31),
    ("quake2", "/renderfx", Flags(32), 17),
    ("quake2", "/pm_flags", Flags(16), 7),
    ("quake2", "/muzzleflash/weapon", Codes(256), 20),
    ("quake2", "/print/level", Codes(256), 4),
    ("quake1", "/effects", Flags(32), 8),
    ("quake1", "/updatestat/stat", Codes(256), 16),
    ("quake1", "/print/level", Codes(256), 4),
    ("goldsrc", "/user_message/place", Codes(256), 5),
];

/// Recordings of each dialect that are looked through for a field.
const TRIES: usize = 6;

/// Lines of a recording that are looked through.
const LINES: usize = 300;

/// Where a value stands first whose path ends with `key`: the pointer to it.
fn place(value: &Value, path: &str, key: &str) -> Option<String> {
    let step = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(members) => members.iter().find_map(|(name, value)| place(value, &format!("{path}/{}", step(name)), key)),
        Value::Array(items) if !path.ends_with(key) => items.iter().enumerate().find_map(|(at, value)| place(value, &format!("{path}/{at}"), key)),
        _ => path.ends_with(key).then(|| path.to_owned()),
    }
}

fn text(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn lines(text: &[u8]) -> Vec<Value> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The names of a field's values, as far as its dialect has them.
fn names(name: &str, opening: &[Value], line: &Value, pointer: &str, form: Form) -> BTreeSet<String> {
    let mut values: Vec<u64> = match form {
        Codes(count) => (0..count).collect(),
        Flags(bits) => (0..bits).map(|bit| 1 << bit).collect(),
    };
    loop {
        let with = |value: &u64| {
            let mut line = line.clone();
            *line.pointer_mut(pointer).expect("the field") = (*value).into();
            line
        };
        let whole: Vec<Value> = opening.iter().cloned().chain(values.iter().map(with)).collect();
        let bytes = match compile(&text(&whole)) {
            Ok(bytes) => bytes,
            // the field has fewer bits
            Err(error) => {
                let refused = (error.line as usize).saturating_sub(opening.len() + 1);
                assert!(refused < values.len() && refused > 0, "{name} {pointer}: {error}");
                values.truncate(refused);
                continue;
            }
        };
        let back = decompile(&bytes, name).unwrap_or_else(|error| panic!("{name} {pointer}: {error}"));
        assert!(compile(&back).is_ok_and(|again| again == bytes), "{name} {pointer}: names are not what the numbers are");
        let again = lines(&back);
        let shown = again.iter().filter_map(|line| line.pointer(pointer)).flat_map(|value| match value {
            Value::String(name) => vec![name.clone()],
            Value::Array(items) => items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
            _ => Vec::new(),
        });
        return shown.collect();
    }
}

#[test]
fn named_values_come_back_in_every_dialect() {
    let mut found: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for family in super::FAMILIES {
        let mut samples = super::small(family);
        samples.sort_by_key(super::size);
        let mut tried: BTreeMap<String, usize> = BTreeMap::new();
        let mut done: BTreeSet<(String, &str)> = BTreeSet::new();
        for sample in samples.into_iter().filter(|sample| !sample.damaged) {
            let bytes = sample.bytes();
            let Ok(text) = decompile(&bytes[..bytes.len().min(80_000)], &sample.name) else { continue };
            let mut all = lines(&text);
            all.truncate(LINES);
            let dialect = format!("{} {}", sample.extension(), all.first().map_or(&Value::Null, |first| &first["recording"]));
            let tries = tried.entry(dialect.clone()).or_default();
            *tries += 1;
            if *tries > TRIES {
                continue;
            }
            for &(_, key, form, _) in FIELDS.iter().filter(|(of, ..)| *of == family) {
                if done.contains(&(dialect.clone(), key)) {
                    continue;
                }
                let Some((at, pointer)) = all.iter().enumerate().skip(1).find_map(|(at, line)| Some((at, place(line, "", key)?))) else { continue };
                found.entry((family, key)).or_default().extend(names(&sample.name, &all[..at], &all[at], &pointer, form));
                done.insert((dialect.clone(), key));
            }
        }
    }
    for (family, key, _, least) in FIELDS {
        let names = found.get(&(*family, *key)).map_or(0, BTreeSet::len);
        assert!(names >= *least, "{family} {key}: {names} of {least} names: {:?}", found.get(&(*family, *key)));
    }
}
