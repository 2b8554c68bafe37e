//! Things as lists of named fields, and what differs between two lists.

use std::collections::{HashMap, HashSet};

use fragreel_model::{Explained, Frame, Moment, Record};
use serde::Serialize;
use serde_json::Value;

use super::difference::{At, Difference};

/// What holds a field, and its name.
type Key = (String, String);

/// Fields in their order.
#[derive(Debug, Default)]
pub(super) struct Fields {
    list: Vec<(Key, Value)>,
}

/// Fields that say which record of a table it is.
const NUMBERS: [&str; 4] = ["number", "slot", "clientNum", "index"];

/// Fields of frames that say where the frame stands in its recording.
const OF_RECORDING: [&str; 6] = ["number", "message", "level", "time", "server_time", "uncertain"];

impl Fields {
    fn push(&mut self, place: &str, field: &str, value: Value) {
        // A text is what people read; colors are a difference, too.
        let value = match value {
            Value::Object(mut text) if text.len() == 2 && text.contains_key("raw") && text.contains_key("clean") => text.remove("raw").unwrap_or_default(),
            value => value,
        };
        self.list.push(((place.to_owned(), field.to_owned()), value));
    }

    /// The fields of an object, below a place.
    fn object(&mut self, place: &str, object: Value) {
        let Value::Object(fields) = object else { return };
        // Whether somebody jumped there since the frame before is a matter of the frame before.
        for (field, value) in fields.into_iter().filter(|(field, _)| field != "teleported") {
            self.push(place, &field, value);
        }
    }

    /// What a frame shows.
    pub(super) fn of_frame(frame: &Frame) -> Self {
        let mut fields = Fields::default();
        let Value::Object(frame) = value(frame) else { return fields };
        for (name, value) in frame {
            match (name.as_str(), value) {
                (name, _) if OF_RECORDING.contains(&name) => {}
                ("players", Value::Array(players)) => players.into_iter().for_each(|player| fields.numbered("player", "slot", player)),
                ("entities", Value::Array(entities)) => entities.into_iter().for_each(|entity| fields.numbered("entity", "number", entity)),
                ("view", view) => fields.object("view", view),
                (name, value) => fields.push("frame", name, value),
            }
        }
        fields
    }

    fn numbered(&mut self, what: &str, number: &str, mut object: Value) {
        let number = object.as_object_mut().and_then(|fields| fields.remove(number)).unwrap_or_default();
        let place = format!("{what} {number}");
        self.push(&place, "", Value::Bool(true));
        self.object(&place, object);
    }

    /// All tables of a moment.
    pub(super) fn of_moment(moment: &Moment) -> Self {
        let mut fields = Fields::default();
        for section in &moment.sections {
            for (at, record) in section.records.iter().enumerate() {
                let place = match (number(record), section.records.len()) {
                    (Some(number), _) => format!("{} {number}", section.name),
                    (None, 1) => section.name.to_string(),
                    (None, _) => format!("{} {at}", section.name),
                };
                fields.push(&place, "", Value::Bool(true));
                for (name, value) in &record.0 {
                    fields.push(&place, name, self::value(value));
                }
            }
        }
        fields
    }

    /// The fields of a message as they were sent.
    pub(super) fn of_message(message: &Explained) -> Self {
        let mut fields = Fields::default();
        let mut seen: HashMap<(&str, &str), u32> = HashMap::new();
        for part in &message.parts {
            let count = seen.entry((&part.path, part.field)).and_modify(|count| *count += 1).or_insert(1);
            let field = if *count > 1 { format!("{} ({count})", part.field) } else { part.field.to_owned() };
            fields.push(&part.path, &field, Value::String(part.meaning.clone()));
        }
        if let Some(error) = &message.error {
            fields.push("", "error", Value::String(error.clone()));
        }
        fields
    }
}

/// The same as JSON, by way of its text: numbers stay as short as they are there.
pub(super) fn value(of: &impl Serialize) -> Value {
    // What derives its serialization and has text keys alone can always be serialized.
    serde_json::to_string(of).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn number(record: &Record) -> Option<String> {
    NUMBERS.iter().find_map(|name| record.find(name)).map(ToString::to_string)
}

/// What differs: in the order of the first, then what only the second has.
pub(super) fn compare(a: &Fields, b: &Fields, at: At) -> Vec<Difference> {
    let in_b: HashMap<&Key, &Value> = b.list.iter().map(|(key, value)| (key, value)).collect();
    let in_a: HashSet<&Key> = a.list.iter().map(|(key, _)| key).collect();
    let mut found = Vec::new();
    let mut show = |(place, field): &Key, a: Option<&Value>, b: Option<&Value>| {
        let At { server_time, messages: [message_a, message_b] } = at;
        let (place, field) = (place.clone(), field.clone());
        found.push(Difference { server_time, message_a, message_b, place, field, a: a.cloned(), b: b.cloned(), event: None });
    };
    // A thing that one lacks is one difference, and not each of its fields.
    let mut lacking: Option<&str> = None;
    for (key, value) in a.list.iter().filter(|(key, value)| in_b.get(key) != Some(&value)) {
        if lacking == Some(key.0.as_str()) {
            continue;
        }
        let other = in_b.get(key).copied();
        show(key, Some(value), other);
        if key.1.is_empty() {
            lacking = Some(&key.0);
        }
    }
    lacking = None;
    for (key, value) in b.list.iter().filter(|(key, _)| !in_a.contains(key)) {
        if lacking == Some(key.0.as_str()) {
            continue;
        }
        show(key, None, Some(value));
        if key.1.is_empty() {
            lacking = Some(&key.0);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_lacks_is_one_difference() {
        let fields = |list: &[(&str, &str, i32)]| {
            let mut fields = Fields::default();
            list.iter().for_each(|(place, field, value)| fields.push(place, field, Value::from(*value)));
            fields
        };
        let a = fields(&[("p 1", "", 1), ("p 1", "x", 5), ("p 1", "y", 6), ("p 2", "", 1), ("p 2", "x", 7)]);
        let b = fields(&[("p 2", "", 1), ("p 2", "x", 8), ("p 2", "z", 9), ("p 3", "", 1), ("p 3", "x", 1)]);
        let found: Vec<String> = compare(&a, &b, At::default())
            .iter()
            .map(|d| format!("{} {} {:?} {:?}", d.place, d.field, d.a.as_ref().map(Value::to_string), d.b.as_ref().map(Value::to_string)))
            .collect();
        assert_eq!(found, ["p 1  Some(\"1\") None", "p 2 x Some(\"7\") Some(\"8\")", "p 2 z None Some(\"9\")", "p 3  None Some(\"1\")"]);
        assert_eq!(compare(&a, &a, At::default()), []);
    }
}
