//! Rows of the strings that the server keeps.

use fragreel::model::{Damage, Milliseconds, Value, When};

use super::{Sink, Work};
use crate::declared::strings as at;
use crate::source::Source;

/// A table of strings in `state`, with the columns of key and text.
const SECTIONS: &[(&str, &str, &str)] = &[("configstrings", "index", "value"), ("players", "slot", "info")];

pub(super) fn make(source: &Source<'_>, work: &mut Work, sink: &mut Sink<'_>) -> Vec<Damage> {
    for (key, value) in &source.info().server_settings {
        for (_, rows) in work.tables() {
            rows.text(at::evidence, Some("stated"));
            rows.text(at::section, Some("server_settings"));
            rows.text(at::name, Some(key));
            rows.text(at::value, Some(value));
            rows.end();
        }
    }
    let Ok(moment) = source.recording().state_at(When::Demo(Milliseconds::END)) else { return Vec::new() };
    for (section, key, text) in SECTIONS {
        let records = moment.section(section).into_iter().flat_map(|section| &section.records);
        for (name, value) in records.filter_map(|record| Some((record.find(key)?, record.find(text)?))) {
            for (_, rows) in work.tables() {
                rows.int(at::time, Some(moment.time.0));
                rows.int(at::server_time, Some(moment.server_time.0));
                rows.int(at::message, Some(moment.message));
                rows.text(at::evidence, Some("stated"));
                rows.text(at::section, Some(section));
                rows.text(at::name, Some(&name.to_string()));
                rows.text(at::value, Some(&value.to_string()));
                if let Value::Game(text) = value {
                    rows.text(at::value_raw, Some(&text.raw));
                }
                rows.end();
            }
        }
        let _ = work.hand_on(sink);
    }
    Vec::new()
}
