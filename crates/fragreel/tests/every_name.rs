//! Every name of a number or bit that the text form declares stands in a text, and its text means the same bytes.
//!
//! The schema of a family has all names of all dialects, and the places where they may stand. Here each place is looked for in a few lines of a
//! recording of each dialect, and takes each of its names, and each bit by its number.

use std::collections::{BTreeMap, BTreeSet};

use fragreel::text_form::{compile, compiler, decompile, families, schema};
use serde_json::{Value, json};

mod openings;

use openings::{Opening, openings};

/// Where names may stand: the keys on the way, `#` for a number, `*` for an element of a list.
type Path = Vec<String>;

/// The names of a place, and whether they are those of bits.
#[derive(Debug, Default)]
struct Place {
    names: BTreeSet<String>,
    flags: bool,
}

/// Messages of a line that a place is tried in.
const TRIES: usize = 8;

/// Messages that take no further value, behind which a place is left.
const IDLE: usize = 6;

fn text(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn lines(text: &[u8]) -> Vec<Value> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The places of a schema.
fn places(schema: &Value, path: &Path, found: &mut BTreeMap<Path, Place>) {
    let below = |step: &str| [path.as_slice(), &[step.to_owned()]].concat();
    let choices = schema["anyOf"].as_array().map_or_else(|| vec![schema], |choices| choices.iter().collect());
    let words =
        |schema: &Value| -> Vec<String> { schema["enum"].as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect() };
    let named = choices.iter().any(|choice| choice["enum"].is_array());
    for choice in choices {
        if path.first().is_some_and(|first| first == "recording") {
            return;
        }
        if choice.get("anyOf").is_some() {
            places(choice, path, found);
        }
        if path.last().is_some_and(|last| last != "*" && last != "#") {
            let names = words(choice);
            if !names.is_empty() {
                found.entry(path.clone()).or_default().names.extend(names);
            }
        }
        for (name, schema) in choice["properties"].as_object().into_iter().flatten() {
            places(schema, &below(name), found);
        }
        for schema in choice["patternProperties"].as_object().into_iter().flat_map(|object| object.values()) {
            places(schema, &below("#"), found);
        }
        if choice["items"].is_object() {
            // A list of names beside the names themselves: bits.
            if named && let Some(place) = found.get_mut(path) {
                place.flags = true;
            }
            places(&choice["items"], &below("*"), found);
        }
    }
}

/// The line without what stands beside the way to the last key of a path, for each way, and a pointer to what holds the key.
fn holders(value: &Value, path: &[String], most: usize) -> Vec<(Value, String)> {
    let [step, rest @ ..] = path else { return Vec::new() };
    if rest.is_empty() {
        return if value.is_object() { vec![(value.clone(), String::new())] } else { Vec::new() };
    }
    let below = |value: &Value, key: &str, around: &dyn Fn(Value) -> Value| -> Vec<(Value, String)> {
        let key = key.replace('~', "~0").replace('/', "~1");
        holders(value, rest, most).into_iter().map(|(inner, pointer)| (around(inner), format!("/{key}{pointer}"))).collect()
    };
    match (step.as_str(), value) {
        ("#", Value::Object(members)) => {
            let numbered = members.iter().filter(|(name, _)| name.bytes().all(|byte| byte.is_ascii_digit()));
            numbered.flat_map(|(name, value)| below(value, name, &|inner| json!({name: inner}))).take(most).collect()
        }
        ("*", Value::Array(items)) => items.iter().flat_map(|value| below(value, "0", &|inner| json!([inner]))).take(most).collect(),
        (name, Value::Object(members)) => members.get(name).map_or_else(Vec::new, |value| {
            below(value, name, &|inner| {
                let mut members = members.clone();
                members.insert(name.to_owned(), inner);
                Value::Object(members)
            })
        }),
        _ => Vec::new(),
    }
}

/// A line with a value in a place.
struct Tried {
    line: String,
    path: Path,
    /// What holds the place.
    holder: String,
    value: Value,
}

impl Opening {
    /// All values of all places that the dialect takes.
    fn tried(&self, places: &BTreeMap<Path, Place>) -> Vec<Tried> {
        const HERE: &str = "@here@";
        let mut compiler = compiler(self.lines[0].to_string().as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let mut number = 0;
        let mut takes = |line: &str| {
            number += 1;
            compiler.line(line.as_bytes(), number, &mut Vec::new()).is_ok()
        };
        for line in &self.lines {
            assert!(takes(&line.to_string()), "{}: {line}", self.name);
        }
        let mut all = Vec::new();
        for (path, place) in places {
            let key = &path[path.len() - 1];
            // Lines with a mark in the place, the shortest first.
            let found = self.lines.iter().skip(1).flat_map(|line| holders(line, path, TRIES)).map(|(mut line, holder)| {
                line.pointer_mut(&holder).expect("what holds the place")[key] = json!(HERE);
                (line.to_string(), holder)
            });
            let here: BTreeSet<(usize, String, String)> = found.map(|(line, holder)| (line.len(), line, holder)).collect();
            let numbers = (0..if place.flags { 32 } else { 0 }).map(|bit| json!(1u32 << bit));
            let mut left: Vec<Value> = place.names.iter().map(|name| json!(name)).chain(numbers).collect();
            // Kinds of messages need different lines; other values are taken by the first line, or by none.
            let mut idle = 0;
            for (_, line, holder) in here {
                let before = left.len();
                left.retain(|value| {
                    let line = line.replace(&json!(HERE).to_string(), &value.to_string());
                    let taken = takes(&line);
                    if taken {
                        all.push(Tried { line, path: path.clone(), holder: holder.clone(), value: value.clone() });
                    }
                    !taken
                });
                idle = if left.len() < before { 0 } else { idle + 1 };
                if idle == IDLE || left.is_empty() {
                    break;
                }
            }
        }
        all
    }
}

/// What stands in a text for a value: the name itself, or for the number of one bit its name, or the number.
fn check(tried: &Tried, line: &Value, place: &Place, name: &str) -> Option<String> {
    let key = &tried.path[tried.path.len() - 1];
    let shown = line.pointer(&tried.holder).and_then(|holder| match holder.get(key) {
        Some(shown) => Some(shown),
        // A component of a vector.
        None => key.strip_suffix(']').and_then(|key| key.rsplit_once('[')).and_then(|(key, at)| holder.get(key)?.get(at.parse::<usize>().ok()?)),
    });
    let alone = match shown {
        Some(Value::Array(items)) if items.len() == 1 => &items[0],
        Some(shown) => shown,
        None => {
            // The value that is meant where none stands.
            let mut without: Value = serde_json::from_str(&tried.line).expect("JSON");
            without.pointer_mut(&tried.holder).and_then(Value::as_object_mut).expect("what holds the place").remove(key);
            assert_eq!(*line, without, "{name}: {:?}: {}", tried.path, tried.value);
            return tried.value.as_str().map(str::to_owned);
        }
    };
    match alone {
        Value::String(shown) if place.names.contains(shown) && (tried.value.is_number() || tried.value == *shown.as_str()) => Some(shown.clone()),
        shown if *shown == tried.value && shown.is_number() => None,
        _ => panic!("{name}: {:?}: {} is shown as {shown:?}: {line}", tried.path, tried.value),
    }
}

#[test]
fn every_declared_name_stands_in_a_text_and_means_its_bits() {
    let mut missing = Vec::new();
    for family in super::FAMILIES {
        let mut places_of = BTreeMap::new();
        let declared = families().find(|known| known.name() == family).and_then(schema).expect("a schema");
        places(&declared, &Path::new(), &mut places_of);
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        let mut walked = 0;
        for opening in openings(family, &places_of) {
            let tried = opening.tried(&places_of);
            let whole = [text(&opening.lines), tried.iter().flat_map(|tried| format!("{}\n", tried.line).into_bytes()).collect()].concat();
            let bytes = compile(&whole).unwrap_or_else(|error| panic!("{}: {error}", opening.name));
            // A file that is made in another protocol may not show which.
            let Ok(back) = decompile(&bytes, &opening.name) else { continue };
            if lines(&back)[0] != opening.lines[0] {
                continue;
            }
            walked += 1;
            assert!(compile(&back).is_ok_and(|again| again == bytes), "{}: names are not what the numbers are", opening.name);
            let again = lines(&back);
            for (tried, line) in tried.iter().zip(&again[opening.lines.len()..]) {
                if let Some(name) = check(tried, line, &places_of[&tried.path], &opening.name) {
                    seen.insert((tried.path[tried.path.len() - 1].clone(), name));
                }
            }
        }
        println!("{family}: {walked} dialects");
        assert!(walked > 3, "{family}: {walked}");
        // Some games have no recordings but those of the corpus.
        if fragreel_testkit::corpus(family).is_empty() {
            continue;
        }
        // What a key may say is the same wherever it stands.
        let mut declared: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
        for (path, place) in &places_of {
            declared.entry(&path[path.len() - 1]).or_default().extend(&place.names);
        }
        for (key, names) in declared {
            let unseen: Vec<_> = names.into_iter().filter(|name| !seen.contains(&(key.clone(), (*name).clone()))).collect();
            missing.extend((!unseen.is_empty()).then(|| format!("{family} {key}: {unseen:?}")));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
