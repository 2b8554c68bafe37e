//! TypeScript of what the page reads, made of [`layout`](crate::layout) and of the JSON Schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use fragreel::Recording;
use fragreel::model::{EntityKind, HappeningKind, Kind};
use serde_json::{Map, Value, json};

use crate::layout::{CONSTANTS, FRAMES, Holds, KEYS, NONE, STEPS, TABLES, camel, entity_kind, happening_kind};
use crate::pack::UNITS;
use crate::tracks::Tracks;

/// Schemas below `crates/`, and of each the definitions that the page reads, with their names in TypeScript.
const SCHEMAS: &[(&str, &[(&str, &str)])] = &[
    ("cli/schema/common.json", &[("text", "Text"), ("player", "Person"), ("term", "Term"), ("damage", "Damage")]),
    ("cli/schema/info.json", &[("answer", "Info")]),
    ("cli/schema/events.json", &[("answer", "Event")]),
    ("cli/schema/scores.json", &[("figure", "Figure"), ("figures", "Figures"), ("teams", "Teams"), ("players", "Players"), ("match", "Match")]),
    ("cli/schema/jumps.json", &[("strafe", "Strafe"), ("answer", "Jump")]),
    ("cli/schema/audit.json", &[("finding", "Finding"), ("answer", "Audit")]),
    ("cli/schema/state.json", &[("section", "Section"), ("answer", "State")]),
    ("cli/schema/explain.json", &[("part", "Part"), ("answer", "Explained")]),
    (
        "wasm/schema.json",
        &[
            ("motion", "Motion"),
            ("lasting_sound", "LastingSound"),
            ("shown", "Shown"),
            ("scores", "Scores"),
            ("side", "Side"),
            ("run", "Run"),
            ("played", "Played"),
            ("clip_wishes", "ClipWishes"),
            ("moment", "BestMoment"),
            ("held", "Held"),
            ("clip_report", "ClipReport"),
            ("format", "Format"),
        ],
    ),
];

/// `web/src/data/layout.ts`
fn layout() -> String {
    let mut text = String::from("// Written by `cargo xtask tables` from crates/wasm/src/layout.rs; a test of crates/wasm fails where the two differ.\n\n");
    text.push_str("import type { LastingSound, Motion, Term, Text } from '../../answers';\n\n");
    for (name, value, about) in CONSTANTS {
        let _ = writeln!(text, "/**{about} */\nexport const {name} = {value};");
    }
    let units: Vec<_> = UNITS.iter().map(f64::to_string).collect();
    let _ = writeln!(text, "/** The units that the numbers of a block may have. */\nexport const UNITS = [{}] as const;", units.join(", "));
    let kinds: Vec<_> = EntityKind::ALL.into_iter().map(|kind| (kind.name(), entity_kind(kind))).collect();
    list(&mut text, "ENTITY_KINDS", "EntityKind", &kinds);
    let kinds: Vec<_> = HappeningKind::ALL.iter().map(|&kind| (kind.name(), happening_kind(kind))).collect();
    list(&mut text, "HAPPENING_KINDS", "HappeningKind", &kinds);
    text.push_str("\n/** Numbers of words of a type, or `NONE`. */\nexport type Words<T> = Int32Array & { readonly of?: T };\n");
    let keys: Vec<_> = KEYS.iter().zip(0..).map(|((name, _), place)| (*name, place)).collect();
    list(&mut text, "KEYS", "Key", &keys);
    for (name, each) in [("Frame", &FRAMES), ("Step", &STEPS)] {
        let _ = writeln!(text, "\n/**{} */\nexport interface {name}Columns {{", each.about);
        for (columns, array) in each.columns.iter().zip(["Float64Array", "Uint32Array"]) {
            for (name, about) in *columns {
                let _ = writeln!(text, "  /** {about} */\n  {}: {array};", camel(name));
            }
        }
        text.push_str("}\n");
    }
    text.push_str("\n/** The rows of a table, subject after subject. */\nexport interface Rows {\n  /** The subjects. */\n  keys: Uint32Array;\n");
    text.push_str(
        "  /** Where the rows of each subject begin, and the end. */\n  starts: Uint32Array;\n  /** The frame of each row. */\n  frames: Uint32Array;\n}\n",
    );
    for table in TABLES {
        let _ = writeln!(text, "\n/**{} */\nexport interface {} extends Rows {{", table.about, shape(table.shape));
        let floats = table.floats.iter().map(|(name, unit, about)| (name, "Float32Array".to_owned(), unit, about));
        let ints = table.ints.iter().map(|(name, holds, unit, about)| match holds {
            Holds::Word(of) => (name, format!("Words<{of}>"), unit, about),
            Holds::Number | Holds::Bits => (name, "Int32Array".to_owned(), unit, about),
        });
        for (name, array, unit, about) in floats.chain(ints) {
            let unit = if unit.is_empty() { String::new() } else { format!(" In {unit}.") };
            let _ = writeln!(text, "  /** {about}{unit} */\n  {}: {array};", camel(name));
        }
        text.push_str("}\n");
    }
    text.push_str("\nexport interface Tables {\n");
    for (table, shape) in tables() {
        let _ = writeln!(text, "  {}: {shape};", camel(table));
    }
    text.push_str("}\n\nexport type TableName = keyof Tables;\n");
    let names = |names: &mut dyn Iterator<Item = &str>| names.map(|name| format!("'{}'", camel(name))).collect::<Vec<_>>().join(", ");
    for (name, of, each) in [("OF_FRAMES", "frames", &FRAMES), ("OF_STEPS", "steps", &STEPS)] {
        let [doubles, counts] = each.columns.map(|columns| names(&mut columns.iter().map(|(name, _)| *name)));
        let _ = writeln!(
            text,
            "\n/** The columns of the {of} by the kind of their numbers. */\nexport const {name} = {{ doubles: [{doubles}], counts: [{counts}] }} as const;"
        );
    }
    text.push_str("\n/** The columns of each table by the kind of their numbers. */\nexport const COLUMNS = {\n");
    for table in TABLES {
        let floats = names(&mut table.floats.iter().map(|(name, ..)| *name));
        let ints = names(&mut table.ints.iter().map(|(name, ..)| *name));
        for name in table.tables {
            let _ = writeln!(text, "  {}: {{ floats: [{floats}], ints: [{ints}] }},", camel(name));
        }
    }
    text.push_str("} as const;\n");
    text
}

/// The tables, each with the name of its columns' type.
fn tables() -> impl Iterator<Item = (&'static str, String)> {
    TABLES.iter().flat_map(|declared| declared.tables.iter().map(move |table| (*table, shape(declared.shape))))
}

fn shape(name: &str) -> String {
    format!("{}Columns", pascal(name))
}

fn pascal(name: &str) -> String {
    name.split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect()
}

/// Names in the order of their numbers, which count from 0.
fn list(text: &mut String, name: &str, kind: &str, numbered: &[(&str, i32)]) {
    assert!(numbered.iter().map(|(_, number)| *number).eq(0..numbered.len() as i32), "{name} is not in the order of its numbers");
    let names: Vec<String> = numbered.iter().map(|(name, _)| format!("'{name}'")).collect();
    let _ = writeln!(text, "\nexport const {name} = [{}] as const;\nexport type {kind} = (typeof {name})[number];", names.join(", "));
}

/// `web/answers.d.ts`
fn answers() -> String {
    let mut text = String::from(
        "// JSON answers of the library. Written by `cargo xtask tables` from the schemas in crates/cli/schema and crates/wasm/schema.json; a test of\n\
         // crates/wasm fails where they differ. Lines of the command have a `path`, too.\n",
    );
    let names = SCHEMAS.iter().flat_map(|(_, definitions)| *definitions).filter(|(name, _)| *name != "answer").copied().collect();
    for (file, definitions) in SCHEMAS {
        let schema = read(file);
        for (definition, name) in *definitions {
            let schema = &schema["$defs"][*definition];
            // a line of the command names its file, which the page knows
            let schema = if matches!(*definition, "answer" | "match") { &without(schema, "path") } else { schema };
            declared(&mut text, name, schema, &names);
        }
    }
    text
}

/// A schema, by its place below `crates/`.
fn read(file: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap()).unwrap()
}

type Names = BTreeMap<&'static str, &'static str>;

/// Declares a type. That of events becomes a union of those of their kinds.
fn declared(text: &mut String, name: &str, schema: &Value, names: &Names) {
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else {
        let _ = writeln!(text, "\nexport type {name} = {};", type_of(schema, names));
        return;
    };
    let Some(of_kinds) = schema["allOf"].as_array().filter(|_| fields.contains_key("kind")) else {
        let lines = members(schema, names).into_iter().map(|line| line.replacen("*/ ", "*/\n  ", usize::from(line.starts_with("/**"))));
        let _ = writeln!(text, "\nexport interface {name} {{\n  {}\n}}", lines.collect::<Vec<_>>().join("\n  "));
        return;
    };
    let _ = writeln!(text, "\n/** The keys of all events. */\nexport interface AnyEvent {{\n  {}\n}}", members(&without(schema, "kind"), names).join("\n  "));
    let mut union = Vec::new();
    for kind in Kind::ALL.iter().map(|kind| kind.name()) {
        let of_kind = of_kinds.iter().find(|part| part["if"]["properties"]["kind"]["const"] == kind).unwrap_or(&Value::Null);
        let name = format!("{}{name}", pascal(kind));
        let lines = [format!("kind: '{kind}';")].into_iter().chain(members(&of_kind["then"], names)).collect::<Vec<_>>();
        let _ = writeln!(text, "\nexport interface {name} extends AnyEvent {{\n  {}\n}}", lines.join("\n  "));
        union.push(name);
    }
    let _ = writeln!(text, "\nexport type {name} = {};", union.join(" | "));
}

/// A schema without a property.
fn without(schema: &Value, property: &str) -> Value {
    let mut schema = schema.clone();
    schema["properties"].as_object_mut().unwrap().remove(property);
    schema["required"].as_array_mut().unwrap().retain(|name| name != property);
    schema
}

/// The properties of an object.
fn members(schema: &Value, names: &Names) -> Vec<String> {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|required| required.iter().any(|one| one == name));
    let unknown = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).filter(|name| !properties.contains_key(*name));
    assert_eq!(unknown.collect::<Vec<_>>(), [""; 0], "the schema has no type for them: {schema}");
    let mut lines: Vec<String> = Vec::new();
    let mut named: Vec<_> = properties.iter().collect();
    named.sort_by_key(|(name, _)| (!is_required(name), name.as_str()));
    for (name, property) in named {
        let about = property["description"].as_str().map_or(String::new(), |about| format!("/** {about} */ "));
        lines.push(format!("{about}{name}{}: {};", if is_required(name) { "" } else { "?" }, type_of(property, names)));
    }
    lines
}

fn type_of(schema: &Value, names: &Names) -> String {
    let union = |parts: &[Value]| parts.iter().map(|part| type_of(part, names)).collect::<Vec<_>>().join(" | ");
    let literal = |value: &Value| value.to_string().replace('"', "'");
    if let Some(name) = schema["$ref"].as_str() {
        return names[name.rsplit('/').next().unwrap()].to_owned();
    } else if let Some(value) = schema.get("const") {
        return literal(value);
    } else if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(literal).collect::<Vec<_>>().join(" | ");
    } else if let Some(parts) = schema["anyOf"].as_array() {
        return union(parts);
    } else if let Some(kinds) = schema["type"].as_array() {
        return union(&kinds.iter().map(|kind| json!({ "type": kind })).collect::<Vec<_>>());
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => "number".to_owned(),
        Some("array") => match (schema["prefixItems"].as_array(), schema["maxItems"].as_u64()) {
            (Some(items), _) => format!("[{}]", items.iter().map(|item| type_of(item, names)).collect::<Vec<_>>().join(", ")),
            (None, Some(count @ 2..=3)) => format!("[{}]", vec![type_of(&schema["items"], names); count as usize].join(", ")),
            _ => {
                let item = type_of(&schema["items"], names);
                if item.contains(" | ") && !item.starts_with(['{', '[']) { format!("({item})[]") } else { format!("{item}[]") }
            }
        },
        Some("object") if schema.get("properties").is_some() => format!("{{ {} }}", members(schema, names).join(" ").trim_end_matches(';')),
        Some("object") => match schema.get("additionalProperties") {
            Some(value) => format!("Record<string, {}>", type_of(value, names)),
            None => "Record<string, unknown>".to_owned(),
        },
        Some(name) => name.to_owned(),
        None => "unknown".to_owned(),
    }
}

#[test]
fn the_types_of_the_page_are_those_of_the_library() {
    for (file, made) in [("web/src/data/layout.ts", layout()), ("web/answers.d.ts", answers())] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        if std::env::var_os("FRAGREEL_BLESS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == made, "{file} is not what the library declares: run `cargo xtask tables`, then `npm run build` in web/");
    }
}

#[test]
fn rows_begin_with_their_bits() {
    // a table of subjects knows by them who is there
    for table in TABLES.iter().filter(|table| table.shape != "happening") {
        assert_eq!(table.ints[0].0, "bits", "{}", table.shape);
    }
}

/// What makes a value one of a TypeScript type.
fn validator(of: &str) -> jsonschema::Validator {
    let mut definitions = Map::new();
    for (file, _) in SCHEMAS {
        definitions.extend(read(file)["$defs"].as_object().unwrap().clone());
    }
    definitions.remove("answer");
    let named = |name: &str| match SCHEMAS.iter().flat_map(|(_, definitions)| *definitions).find(|(_, other)| *other == name) {
        Some((definition, _)) => json!({ "$ref": format!("#/$defs/{definition}") }),
        None => json!({ "type": name }),
    };
    let mut schema = of.strip_suffix("[]").map_or_else(|| named(of), |item| json!({ "type": "array", "items": named(item) }));
    schema["$defs"] = definitions.into();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn words_are_of_the_types_of_their_columns() {
    let mut seen = BTreeMap::new();
    for sample in ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "goldsrc/net-48.dem", "quake1/match_e1m1.mvd"] {
        let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample)).unwrap();
        let mut tracks = Tracks::of(&Recording::open(bytes, sample).unwrap(), |_| ()).unwrap();
        let words: Vec<Value> = serde_json::from_str(&tracks.words()).unwrap();
        for (declared, table) in TABLES.iter().flat_map(|declared| declared.tables.iter().map(move |table| (declared, table))) {
            let (columns, _) = tracks.tables.get(&camel(table)).unwrap();
            let blocks = columns.blocks();
            let ints: Vec<_> = columns.ints.iter().map(|column| column.unpacked(&blocks)).collect();
            // rows of absence are zeros
            let is_there = |row: &usize| declared.ints[0].0 != "bits" || ints[0][*row] != 0;
            for ((name, holds, ..), column) in declared.ints.iter().zip(&ints) {
                let Holds::Word(of) = holds else { continue };
                let is_valid = validator(of);
                for number in (0..column.len()).filter(is_there).map(|row| column[row]).filter(|number| *number > NONE).collect::<BTreeSet<_>>() {
                    let word = &words[number as usize];
                    assert!(is_valid.is_valid(word), "{sample}: {table}.{name} is {word}, not {of}");
                    *seen.entry(*of).or_insert(0) += 1;
                }
            }
        }
    }
    assert_eq!(seen.into_keys().collect::<Vec<_>>(), ["LastingSound", "Motion", "Term", "Term[]", "Text", "string"]);
}

/// Matches as lines of the command, whose schema they have.
fn with_paths(mut scores: Value) -> Value {
    for one in scores["matches"].as_array_mut().unwrap() {
        one["path"] = "".into();
    }
    scores
}

#[test]
fn answers_are_what_their_schemas_say() {
    let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
    let Ok(opened) = crate::Recording::new(bytes.to_vec(), "dm_bots.dm_71") else { panic!("no recording") };
    let (Ok(events), Ok(scores)) = (opened.events(), opened.scores()) else { panic!("no answer") };
    let (events, scores): (Vec<Value>, Value) = (serde_json::from_str(&events).unwrap(), serde_json::from_str(&scores).unwrap());
    let shown = validator("Shown");
    assert!(events.len() > 40 && events.iter().all(|event| shown.is_valid(event)));
    assert!(validator("Scores").is_valid(&with_paths(scores.clone())), "{scores}");
    let recording = Recording::open(&bytes[..], "dm_bots.dm_71").unwrap();
    let wishes = json!({ "from": 1000, "to": 3000, "scrub": true, "chat": true });
    assert!(validator("ClipWishes").is_valid(&wishes));
    let Ok(clip) = crate::edit::clip(&recording, &wishes.to_string()) else { panic!("no clip") };
    let report: Value = serde_json::from_str(&clip.report()).unwrap();
    assert!(validator("ClipReport").is_valid(&report) && report["whole"] == true, "{report}");
    let Ok(formats) = crate::edit::formats(&recording, None) else { panic!("no formats") };
    let formats: Vec<Value> = serde_json::from_str(&formats).unwrap();
    assert!(!formats.is_empty() && formats.iter().all(|format| validator("Format").is_valid(format)), "{formats:?}");
}
