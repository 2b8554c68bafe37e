//! `fragreel scores --stated`

use std::io::Write;
use std::path::PathBuf;

use fragreel::Answer;
use fragreel::model::{Stat, Statement};

use super::{SHOWN, SPARE, cell, is_time, show};
use crate::batch::{self, Renderer, Source};
use crate::command::damage_met;
use crate::failure::{Failure, Stop};
use crate::output::{Output, printable};
use crate::resume::{Format, Shape};
use crate::row_output::RowOutput;
use crate::shell::{Ink, Outcome, Shell};
use crate::{json, table};

/// Why there is nothing, in words.
const NOTHING: &str = "the server states nothing of the last match as a whole";

/// Asks, and shows the answers.
pub fn run(shell: &Shell, paths: &[PathBuf], rows: &RowOutput) -> Result<Outcome, Stop> {
    let shape = Shape { keys: &["source", "players"], instead: &["no_statement"], ..Shape::default() };
    let (resume, _) = rows.open(&shape, paths)?;
    let ask = |source: &Source<'_>| Ok(source.recording.final_statement());
    match rows.format() {
        Format::Json => batch::run(shell, paths, resume, ask, &mut Lines),
        _ => batch::run(shell, paths, resume, ask, &mut Boards { shell, first: true }),
    }
}

/// What stands in place of a statement.
#[derive(serde::Serialize)]
struct Without {
    no_statement: &'static str,
}

struct Lines;

impl Renderer<Answer<Option<Statement>>> for Lines {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer<Option<Statement>>) -> Result<Outcome, Stop> {
        match &answer.value {
            Some(stated) => json::line(output, &json::About { path, answer: stated })?,
            None => json::line(output, &json::About { path, answer: &Without { no_statement: NOTHING } })?,
        }
        damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        Ok(json::failure(output, path, failure)?)
    }
}

/// Tables for people.
struct Boards<'a> {
    shell: &'a Shell,
    first: bool,
}

impl Renderer<Answer<Option<Statement>>> for Boards<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer<Option<Statement>>) -> Result<Outcome, Stop> {
        if let Some(stated) = &answer.value {
            let gap = if std::mem::replace(&mut self.first, false) { "" } else { "\n" };
            writeln!(output, "{gap}{}", self.shell.paint(Ink::Strong, printable(path)))?;
            writeln!(output, "{}", printable(&heading(stated)))?;
            rows(stated).flush(self.shell, output)?;
        } else {
            output.flush()?;
            eprintln!("{}: {NOTHING}", printable(path));
        }
        damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, _: &mut Output, _: &str, _: &Failure) -> Result<(), Stop> {
        Ok(())
    }
}

/// The statement in a line.
fn heading(stated: &Statement) -> String {
    let mut parts = vec![stated.source.to_string()];
    parts.extend(stated.other.get("map").cloned());
    parts.extend(stated.mode.clone());
    parts.extend(stated.date.clone());
    parts.extend(stated.duration.map(|length| show(true)(length.0)));
    parts.extend(stated.teams.iter().filter_map(|team| Some(format!("{} {}", team.name, team.stats.get(Stat::Score).stated?))));
    parts.extend(stated.winner.as_ref().filter(|winner| !winner.is_empty()).map(|winner| format!("won by {winner}")));
    parts.join(", ")
}

fn rows(stated: &Statement) -> table::Rows {
    let with_teams = stated.players.iter().any(|line| line.player.team.is_some());
    let columns: Vec<Stat> = SHOWN.iter().copied().filter(|stat| stated.players.iter().any(|line| line.stats.get(*stat).stated.is_some())).collect();
    let mut headings = vec![String::from("PLAYER")];
    headings.extend(with_teams.then(|| String::from("TEAM")));
    headings.extend(columns.iter().map(|stat| stat.name().replace('_', " ").to_uppercase()));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut rows = table::Rows::new(&headings).sparing(SPARE);
    for line in &stated.players {
        let mut row = vec![line.player.name.to_string()];
        row.extend(with_teams.then(|| line.player.team.as_deref().unwrap_or("-").to_owned()));
        row.extend(columns.iter().map(|stat| cell(line.stats.get(*stat), show(is_time(*stat)))));
        rows.hold(row);
    }
    rows
}
