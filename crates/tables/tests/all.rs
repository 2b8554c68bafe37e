//! Tables of whole recordings.

mod document;
mod equal;
#[cfg(feature = "files")]
mod files;
mod ranges;
mod routes;
mod text;

use std::ops::ControlFlow;

use fragreel::Recording;
use fragreel::model::Player;
use fragreel_tables::{Batch, Query, Source, Value, read};

/// The rows of a query, each with its values as text; nothing is `-`.
fn rows(bytes: &[u8], name: &str, query: &Query) -> Vec<Vec<String>> {
    let recording = Recording::open(bytes.to_vec(), name).unwrap();
    let mut rows = Vec::new();
    read(&Source::new(&recording, name), std::slice::from_ref(query), &mut |_, batch| {
        rows.extend((0..batch.rows).map(|row| line(&batch, row)));
        ControlFlow::Continue(())
    });
    rows
}

/// A sample of each family.
fn one_of_each_family() -> Vec<fragreel_testkit::Sample> {
    let names = ["quake3/ctf_bots.dm_71", "quake2/yq2dm_Alice.dm2", "goldsrc/net-48.dem", "quake1/match_e1m1.mvd"];
    let found: Vec<_> = samples().into_iter().filter(|sample| names.contains(&&*sample.name)).collect();
    assert_eq!(found.len(), names.len());
    found
}

fn line(batch: &Batch, row: usize) -> Vec<String> {
    batch.columns.iter().map(|values| shown(values.get(row))).collect()
}

fn shown(value: Value<'_>) -> String {
    match value {
        Value::Null => String::from("-"),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Text(text) => text.to_owned(),
    }
}

/// Every sample of every family.
fn samples() -> Vec<fragreel_testkit::Sample> {
    ["quake3", "quake2", "goldsrc", "quake1"].iter().flat_map(|family| fragreel_testkit::samples(family)).collect()
}

/// The samples and every `count`th recording of the corpus.
fn one_in(count: usize) -> Vec<fragreel_testkit::Sample> {
    let is_recording = |sample: &fragreel_testkit::Sample| !matches!(sample.extension().as_str(), "pcap" | "tsv");
    let corpus = ["quake3", "quake2", "goldsrc", "quake1"]
        .into_iter()
        .flat_map(|family| fragreel_testkit::corpus(family).into_iter().filter(is_recording).step_by(count));
    samples().into_iter().filter(is_recording).chain(corpus).collect()
}

/// The samples and every fourth recording of the corpus.
fn some_recordings() -> Vec<fragreel_testkit::Sample> {
    one_in(4)
}

/// The samples and the whole corpus.
fn recordings() -> Vec<fragreel_testkit::Sample> {
    one_in(1)
}

fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(|| String::from("-"), |value| value.to_string())
}

fn name(player: Option<&Player>) -> String {
    text(player.filter(|player| !player.name.raw.is_empty()).map(|player| &player.name.clean))
}
