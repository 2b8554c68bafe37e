//! `state` has every field of an entity that `explain` shows.

use std::collections::{BTreeMap, BTreeSet};

use fragreel::Recording;
use fragreel::model::{Explained, Milliseconds, Moment, Selection, Value, When};

/// Moments of each recording that are looked at.
const MOMENTS: i64 = 6;

/// Fields that say which others follow, or how they are sent, and are no fields of the game.
const FRAMING: &[&str] = &[
    "bits",
    "more_bits",
    "even_more",
    "yet_more",
    "mask",
    "mask bytes",
    "known mask",
    "number",
    "entity",
    "entity number",
    "remove",
    "delta",
    "field count",
    "unchanged fields",
    "custom",
    "earlier entity",
    "instanced baseline",
    "entity type",
    "predinfo bits",
    "solid form",
    "extend1",
    "extend2",
    "extend3",
    "flag",
    "padding",
];

/// Fields that `state` gives another name: parts of a vector, and numbers whose names it has.
const NAMES: &[(&str, &[&str])] = &[
    ("origin", &["origin x", "origin y", "origin z", "origin_x", "origin_y", "origin_z"]),
    ("old_origin", &["old_origin_x", "old_origin_y", "old_origin_z"]),
    ("angles", &["pitch", "yaw", "roll", "angles_x", "angles_y", "angles_z"]),
    ("velocity", &["velocity x", "velocity y", "velocity z", "velocity_x", "velocity_y", "velocity_z"]),
    ("movement", &["forward", "side", "up"]),
    ("view_angles", &["view pitch", "view yaw", "view roll"]),
    ("light", &["light red", "light green", "light blue", "light radius"]),
    ("light_style", &["light style"]),
    ("light_flags", &["light flags"]),
    ("color_mod", &["colormod red", "colormod green", "colormod blue"]),
    ("glow_mod", &["glowmod red", "glowmod green", "glowmod blue"]),
    ("glow_size", &["glow size"]),
    ("glow_color", &["glow color"]),
    ("gravity_dir", &["gravity pitch", "gravity yaw"]),
    ("draw_flags", &["drawflags"]),
    ("abs_light", &["abslight"]),
    ("tag_entity", &["tag entity"]),
    ("tag_index", &["tag index"]),
    ("model2", &["model 2"]),
    ("weapon_frame", &["weaponframe"]),
];

/// What `state` calls a field.
fn key(field: &str) -> String {
    if let Some((key, _)) = NAMES.iter().find(|(_, fields)| fields.contains(&field)) {
        return (*key).to_owned();
    }
    match field.rsplit_once('[') {
        Some((name, rest)) if rest.ends_with(']') => name.to_owned(),
        _ => field.to_owned(),
    }
}

/// Whether a value is nothing, which tables of entities leave out.
fn is_zero(meaning: &str) -> bool {
    let number = meaning.split_whitespace().next().unwrap_or_default().trim_end_matches('°');
    number.parse::<f64>().is_ok_and(|number| number == 0.0) || matches!(meaning, "" | "none" | "no" | "EV_NONE" | "normal" | "not" | "general" | "stationary")
}

/// The fields of each entity that a message updates, by what `state` calls them.
fn updated(message: &Explained) -> BTreeMap<u64, BTreeSet<String>> {
    let mut entities: BTreeMap<u64, BTreeMap<String, bool>> = BTreeMap::new();
    for part in &message.parts {
        let Some(number) = part.path.split(" › ").find_map(|part| part.strip_prefix("entity ")?.parse().ok()) else { continue };
        if FRAMING.contains(&part.field) {
            continue;
        }
        let zero = is_zero(&part.meaning);
        let all_zero = entities.entry(number).or_default().entry(key(part.field)).or_insert(true);
        *all_zero &= zero;
    }
    entities.into_iter().map(|(number, fields)| (number, fields.into_iter().filter(|(_, zero)| !zero).map(|(key, _)| key).collect())).collect()
}

/// The keys of each entity's record.
fn shown(moment: &Moment) -> BTreeMap<u64, BTreeSet<String>> {
    let records = moment.section("entities").map_or(&[][..], |section| &section.records);
    let keys = |record: &fragreel::model::Record| {
        let number = match record.find("number").or_else(|| record.find("entity")) {
            Some(Value::Int(number)) => *number as u64,
            _ => return None,
        };
        Some((number, record.0.iter().map(|(key, _)| key.clone().into_owned()).collect()))
    };
    records.iter().filter_map(keys).collect()
}

#[test]
fn state_has_the_fields_that_explain_shows() {
    let mut missing: BTreeMap<(&str, String), String> = BTreeMap::new();
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    for family in super::FAMILIES {
        for sample in super::one_of_each_dialect(family) {
            let Ok(recording) = Recording::open(sample.raw(), &sample.name) else { continue };
            let Some(length) = recording.info().duration else { continue };
            for at in 0..MOMENTS {
                let Ok(moment) = recording.state_at(When::Demo(Milliseconds(length.0 * at / MOMENTS))) else { continue };
                let entities = shown(&moment);
                for message in recording.explain(Selection::Message(moment.message)) {
                    for (number, fields) in updated(&message) {
                        let Some(keys) = entities.get(&number) else { continue };
                        *compared.entry(family).or_default() += fields.len();
                        for field in fields.into_iter().filter(|field| !keys.contains(field)) {
                            missing.entry((family, field)).or_insert_with(|| format!("{} message {} entity {number}: {keys:?}", sample.name, message.message));
                        }
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    for family in super::FAMILIES {
        assert!(compared.get(family).is_some_and(|fields| *fields > 50), "{compared:?}");
    }
}

/// A sample as lines of text, changed, and the recording of them.
fn changed(name: &str, change: impl FnOnce(&mut Vec<serde_json::Value>)) -> Recording {
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples").join(name)).expect("a sample");
    let text = fragreel::text_form::decompile(&bytes, name).expect("text");
    let mut lines: Vec<serde_json::Value> = text.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    change(&mut lines);
    let text: Vec<u8> = lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
    Recording::open(fragreel::text_form::compile(&text).expect("bytes"), name).expect("a recording")
}

fn records<'m>(moment: &'m Moment, section: &str) -> &'m [fragreel::model::Record] {
    moment.section(section).map_or(&[], |section| &section.records)
}

/// A level's light styles and static entities in Quake, inventory and layout in Quake II.
#[test]
fn lists_of_a_level_and_of_a_player_are_shown() {
    let end = When::Demo(Milliseconds(i64::MAX));
    let quake = changed("quake1/netquake666_deltas_dm6.dem", |_| {}).state_at(end).expect("a frame");
    assert_eq!((records(&quake, "light_styles").len(), records(&quake, "statics").len()), (64, 15));
    let quake2 = changed("quake2/yq2dm_Alice.dm2", |lines| {
        let block = r#"{"block":{"messages":[{"inventory":{"items":{"3":7}}},{"layout":{"text":"xv 0"}}]}}"#;
        lines.insert(lines.len() - 20, serde_json::from_str(block).expect("JSON"));
    });
    let quake2 = quake2.state_at(end).expect("a frame");
    assert_eq!(records(&quake2, "inventory").len(), 1, "{:?}", quake2.section("inventory"));
    let level = &records(&quake2, "level")[0];
    assert!(level.find("layout").is_some_and(|layout| format!("{layout:?}").contains("xv 0")), "{level:?}");
}

/// FTE sets the highest of sixteen bits of a model's number for ragdolls.
#[test]
fn a_ragdoll_is_a_model_and_a_fact() {
    const MODEL: u16 = 5;
    let recording = changed("quake1/netquake666_deltas_dm6.dem", |lines| {
        let entities = lines.iter_mut().find_map(|line| {
            let messages = line.pointer_mut("/block/messages")?.as_array_mut()?;
            messages.iter_mut().find_map(|message| message.pointer_mut("/updateentities/entities"))
        });
        let entities = entities.and_then(serde_json::Value::as_object_mut).expect("replacement deltas");
        let number = entities.iter().find(|(_, entity)| entity["reset"] == true).expect("an entity").0.clone();
        entities[&number]["model"] = (MODEL | 1 << 15).into();
    });
    let ragdoll = |text: String| text.contains("ragdoll");
    let said: Vec<_> = recording.explain(Selection::All).flat_map(|message| message.parts).filter(|part| ragdoll(part.meaning.clone())).collect();
    assert_eq!((said.len(), &*said[0].raw), (1, "8005"), "{said:?}");
    let moment = recording.state_at(When::Demo(Milliseconds(0))).expect("a frame");
    let entities: Vec<_> = records(&moment, "entities").iter().filter(|entity| entity.find("ragdoll").is_some()).collect();
    assert!(entities.len() == 1 && matches!(entities[0].find("model"), Some(Value::Int(5))), "{entities:?}");
}
