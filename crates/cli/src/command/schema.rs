//! `fragreel schema`

use std::io::Write;

use fragreel::model::Kind;
use fragreel::text_form;
use serde_json::{Value, json};

use crate::failure::{Failure, Stop};
use crate::output;
use crate::shell::{Outcome, Shell};

/// Print the JSON Schema of a command's output
///
/// Every line of the command's --json output is valid under it, errors included. The name of a
/// family gives the schema of `fragreel decompile` for that family. Without a name, all names are
/// listed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel schema info > info.schema.json        of `fragreel info --json`
  fragreel schema quake3 > quake3.schema.json    of the text of Quake III")]
pub struct Arguments {
    /// A command with --json, or quake3, quake2, goldsrc, or quake1
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// The commands whose output has a schema, each with its own part of it. Edits have one in common.
const OUTPUTS: &[(&[&str], &str)] = &[
    (&["info"], include_str!("../../schema/info.json")),
    (&["verify"], include_str!("../../schema/verify.json")),
    (&["audit"], include_str!("../../schema/audit.json")),
    (&["events"], include_str!("../../schema/events.json")),
    (&["scores"], include_str!("../../schema/scores.json")),
    (&["runs"], include_str!("../../schema/runs.json")),
    (&["jumps"], include_str!("../../schema/jumps.json")),
    (&["aim"], include_str!("../../schema/aim.json")),
    (&["frames"], include_str!("../../schema/frames.json")),
    (&["explain"], include_str!("../../schema/explain.json")),
    (&["state"], include_str!("../../schema/state.json")),
    (&["highlights"], include_str!("../../schema/highlights.json")),
    (&["usercmds"], include_str!("../../schema/usercmds.json")),
    (&["diff"], include_str!("../../schema/diff.json")),
    (&["cut", "split", "join", "merge", "repair", "convert", "scrub", "strip"], include_str!("../../schema/edits.json")),
    (&["export"], include_str!("../../schema/export.json")),
    (&["index"], include_str!("../../schema/index.json")),
    (&["find"], include_str!("../../schema/find.json")),
    (&["pack"], include_str!("../../schema/pack.json")),
    (&["unpack"], include_str!("../../schema/unpack.json")),
    (&["extract"], include_str!("../../schema/extract.json")),
    (&["rename", "sort"], include_str!("../../schema/moves.json")),
    (&["servers"], include_str!("../../schema/servers.json")),
];

/// Definitions that several of them refer to.
const COMMON: &str = include_str!("../../schema/common.json");

impl Arguments {
    pub fn run(self, _: &Shell) -> Result<Outcome, Stop> {
        let families = text_form::families().map(fragreel::model::Family::name);
        let names: Vec<&str> = OUTPUTS.iter().flat_map(|(names, _)| names.iter().copied()).chain(families).collect();
        let mut output = output::stdout();
        match &self.name {
            None => writeln!(output, "{}", names.join("\n"))?,
            Some(name) => {
                let of_text = || text_form::families().find(|family| family.name() == name).and_then(text_form::schema);
                let unknown = || Failure::new(format!("there is no schema `{name}`")).help(format!("There are {}.", names.join(", ")));
                writeln!(output, "{}", of_output(name).or_else(of_text).ok_or_else(unknown)?)?;
            }
        }
        output::finish(output)?;
        Ok(Outcome::Fine)
    }
}

/// The schema of a command's output, with all that it refers to.
fn of_output(name: &str) -> Option<Value> {
    let (_, text) = OUTPUTS.iter().find(|(names, _)| names.contains(&name))?;
    let mut schema: Value = serde_json::from_str(text).ok()?;
    let mut common: Value = serde_json::from_str(COMMON).ok()?;
    common["$defs"]["event_kind"] = json!({ "enum": Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>() });
    let mut missing = Vec::new();
    loop {
        references(&schema, &mut missing);
        missing.retain(|name| schema["$defs"].get(name).is_none());
        let Some(name) = missing.pop() else { return Some(schema) };
        schema["$defs"][&name] = common["$defs"][&name].clone();
    }
}

/// The names of the definitions that a schema refers to.
fn references(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let name = reference.trim_start_matches("#/$defs/");
                names.push(name.split('/').next().unwrap_or(name).to_owned());
            }
            members.values().for_each(|member| references(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        _ => {}
    }
}
