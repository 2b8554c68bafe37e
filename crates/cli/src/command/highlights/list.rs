//! Moments as a table, as JSON Lines or as comma-separated values.

use std::io::Write;

use fragreel::edit::{Highlight, Reason};
use serde::Serialize;

use super::moment::{Found, sentence};
use crate::failure::{Failure, Stop};
use crate::output::Output;
use crate::shell::Shell;
use crate::{cells, json, table};

/// How moments are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Table,
    Json,
    /// Whether cells may look like formulas, and whether the headings are there already.
    Csv {
        formulas: bool,
        headed: bool,
    },
}

/// The columns of `--csv`, in order; docs/json.md says what is in them.
const COLUMNS: [&str; 16] = [
    "path",
    "number",
    "points",
    "from",
    "to",
    "time",
    "until",
    "server_time",
    "match_time",
    "reason",
    "player",
    "player_slot",
    "player_team",
    "weapon",
    "means",
    "text",
];

/// What `--json` and `--csv` write.
pub fn shape_of_answers() -> crate::resume::Shape {
    crate::resume::Shape {
        keys: &["number", "from", "to", "points", "reasons", "players"],
        instead: &[],
        edit: None,
        headings: COLUMNS.join(","),
        several: true,
    }
}

/// What lists moments.
pub struct List<'a> {
    shell: &'a Shell,
    shape: Shape,
    rows: table::Rows,
    /// Whether each row says which recording it is about.
    several: bool,
    is_empty: bool,
}

#[derive(Serialize)]
struct Numbered<'a> {
    number: usize,
    #[serde(flatten)]
    moment: &'a Highlight,
}

impl<'a> List<'a> {
    pub fn new(shell: &'a Shell, shape: Shape, several: bool) -> Self {
        let headings = ["N", "POINTS", "FILE", "FROM", "TO", "SERVER", "MATCH", "WHAT"];
        let headings: Vec<&str> = headings.into_iter().filter(|heading| several || *heading != "FILE").collect();
        let rows = table::Rows::new(&headings).sparing(&["POINTS", "TO", "SERVER"]);
        List { shell, shape, rows, several, is_empty: true }
    }

    /// Lists one moment.
    pub fn add(&mut self, output: &mut Output, found: &Found) -> Result<(), Stop> {
        self.is_empty = false;
        let Found { name, number, moment, .. } = found;
        match &mut self.shape {
            Shape::Json => return Ok(json::line(output, &json::About { path: name, answer: &Numbered { number: *number, moment } })?),
            Shape::Csv { formulas, headed } => {
                if !std::mem::replace(headed, true) {
                    writeln!(output, "{}", COLUMNS.join(","))?;
                }
                let mut text = Vec::new();
                moment.reasons.iter().for_each(|reason| cells::write(&mut text, &values(found, reason).each_ref().map(String::as_str), *formulas));
                return Ok(output.write_all(&text)?);
            }
            Shape::Table => {}
        }
        let mut head = vec![number.to_string(), moment.points.to_string()];
        if self.several {
            head.push(name.clone());
        }
        head.extend([moment.from.to_string(), moment.to.to_string()]);
        for reason in &moment.reasons {
            let match_time = reason.match_time.map_or_else(|| String::from("-"), |time| time.to_string());
            let mut row = head.clone();
            row.extend([reason.server_time.to_string(), match_time, sentence(reason)]);
            self.rows.push(self.shell, output, row)?;
            head.iter_mut().for_each(String::clear);
        }
        Ok(())
    }

    /// Lists that a recording gave no answer.
    pub fn failure(&mut self, output: &mut Output, name: &str, failure: &Failure) -> Result<(), Stop> {
        if self.shape == Shape::Json {
            json::failure(output, name, failure)?;
        }
        Ok(())
    }

    /// Lists what is held back.
    pub fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        if self.is_empty && self.shape == Shape::Table {
            eprintln!("no moments found; --best 10 searches for more kinds, --kills and --within for other series of kills");
        }
        Ok(self.rows.flush(self.shell, output)?)
    }
}

/// A reason as a row of `--csv`.
fn values(Found { name, number, moment, .. }: &Found, reason: &Reason) -> [String; COLUMNS.len()] {
    let player = reason.player.as_ref();
    let [weapon, means] = [reason.what.weapon(), reason.what.means()].map(|name| name.unwrap_or_default().to_owned());
    [
        name.clone(),
        number.to_string(),
        moment.points.to_string(),
        moment.from.0.to_string(),
        moment.to.0.to_string(),
        reason.time.0.to_string(),
        reason.until.0.to_string(),
        reason.server_time.0.to_string(),
        reason.match_time.map(|time| time.0.to_string()).unwrap_or_default(),
        reason.what.name().to_owned(),
        player.map(|player| player.name.clean.clone()).unwrap_or_default(),
        player.and_then(|player| player.slot).map(|slot| slot.to_string()).unwrap_or_default(),
        player.and_then(|player| player.team.as_deref().map(str::to_owned)).unwrap_or_default(),
        weapon,
        means,
        sentence(reason),
    ]
}
