//! `fragreel find`

use std::io::Write;
use std::path::PathBuf;

use fragreel::model::Milliseconds;
use fragreel_tables::catalogue::{Catalogue, Duplicates, Found, Hits, Marks, Search};
use serde::Serialize;

use super::index::{failed, must_be_there};
use crate::failure::{Failure, Stop};
use crate::output::printable;
use crate::shell::{Outcome, Shell};
use crate::{input, json, output, place, table};

/// Search a catalogue made by `index`
///
/// Finds recordings that meet all conditions. Names are without colors, in any case, with `*` and
/// `?` as wildcards; a player is found under each of their names. --same-as compares events, not
/// file names: it finds copies, the same view in another container or cut, and other views of the
/// same match.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel find --db demos.sqlite --player sarge --map q3dm17
      one player on one map
  fragreel find --db demos.sqlite --with milton --against 'reppie*'
      two players against each other
  fragreel find --db demos.sqlite --date 2004-03..2005 --mod cpma
      from March 2004 to the end of 2005
  fragreel find --db demos.sqlite --text teamplay
      chat that contains a word
  fragreel find --db demos.sqlite --same-as final.dm_68
      the same recording or match under other names
  fragreel find --db demos.sqlite --duplicates
      files that hold the same recording")]
pub struct Arguments {
    /// The catalogue
    #[arg(long, value_name = "FILE")]
    db: PathBuf,

    /// A player who took part. May be repeated
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    /// A player on one team. With --against, a player on the opposing team
    #[arg(long, value_name = "NAME")]
    with: Vec<String>,

    /// A player on the opposing team
    #[arg(long, value_name = "NAME")]
    against: Vec<String>,

    /// The map
    #[arg(long, value_name = "MAP")]
    map: Option<String>,

    /// A year, month, or day, or a range: 2004, 2004-03..2005-01, 2004..
    #[arg(long, value_name = "DATE")]
    date: Option<String>,

    /// The mod or game directory
    #[arg(long = "mod", value_name = "MOD")]
    game_mod: Option<String>,

    /// Words in chat: all of them, or a "phrase", OR, NOT
    #[arg(long, value_name = "WORDS")]
    text: Option<String>,

    /// Only recordings that are damaged, cut, or edited
    #[arg(long)]
    damaged: bool,

    /// Recordings that match FILE: copies first, then the same view, then other views of the same
    /// match
    #[arg(long, value_name = "FILE", conflicts_with_all = ["player", "with", "against", "map", "date", "game_mod", "text", "damaged"])]
    same_as: Option<PathBuf>,

    /// Recordings that several files hold, byte for byte once unpacked: the largest first
    #[arg(long, conflicts_with_all = ["player", "with", "against", "map", "date", "game_mod", "text", "damaged", "same_as"])]
    duplicates: bool,

    /// At most this number of results; standard error reports how many more there are
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// One JSON object per recording, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

const HEADINGS: &[&str] = &["FILE", "DATE", "MAP", "MOD", "TYPE", "LENGTH", "RESULT", "PLAYERS", "FINDINGS"];

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let wrong = |error: fragreel_tables::catalogue::Error| match (&self.text, error) {
            (Some(text), error @ fragreel_tables::catalogue::Error::Sql(_)) => Failure::new(format!("`{}` is not a valid search in chat", printable(text)))
                .because(error)
                .help("Write words, or a phrase in \"double quotes\", with AND, OR or NOT between them. Put other characters in quotes."),
            (_, error) => failed(&self.db, error),
        };
        if let Some(date) = self.date.as_deref().filter(|date| !is_date(date)) {
            let wrong = Failure::new(format!("`{}` is not a date", printable(date)));
            return Err(wrong.help("Write a year, month or day, or two separated by `..`: 2004, 2004-03, 2004-03-15, 2004-03..2005-01.").into());
        }
        must_be_there(&self.db)?;
        let catalogue = Catalogue::read(&self.db).map_err(wrong)?;
        if self.duplicates {
            return self.list_duplicates(catalogue.duplicates().map_err(wrong)?);
        }
        let Hits { recordings: found, total } = match &self.same_as {
            Some(path) => {
                let recording = input::load(shell, path, true)?;
                let id = fragreel_tables::recording_id(recording.bytes());
                let marks = || Marks::of(&fragreel_tables::Source::named(&recording, &*id, input::name(path)));
                let mut recordings = catalogue.same_as(&id, marks).map_err(wrong)?;
                let total = recordings.len() as u64;
                recordings.truncate(self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
                Hits { recordings, total }
            }
            None => {
                let search = Search {
                    players: self.player.clone(),
                    with: self.with.clone(),
                    against: self.against.clone(),
                    map: self.map.clone(),
                    date: self.date.clone(),
                    game_mod: self.game_mod.clone(),
                    text: self.text.clone(),
                    damaged: self.damaged,
                    limit: self.limit,
                };
                catalogue.find(&search).map_err(wrong)?
            }
        };
        let mut output = output::stdout();
        if self.json {
            for one in &found {
                json::line(&mut output, &Line::of(one))?;
            }
        } else {
            let mut headings = HEADINGS.to_vec();
            if self.same_as.is_some() {
                headings.push("SAME");
            }
            let mut rows = table::Rows::new(&headings);
            for one in &found {
                rows.push(shell, &mut output, row(one))?;
            }
            rows.flush(shell, &mut output)?;
        }
        output::finish(output)?;
        if total == 0 && !self.json {
            eprintln!("nothing found");
            self.suggest_names(&catalogue).map_err(wrong)?;
        }
        let more = total - found.len() as u64;
        if more > 0 {
            eprintln!("{more} more {} found; use a larger --limit to see them", if more == 1 { "recording is" } else { "recordings are" });
        }
        Ok(Outcome::Fine)
    }
}

impl Arguments {
    fn list_duplicates(&self, mut found: Vec<Duplicates>) -> Result<Outcome, Stop> {
        let total = found.len();
        found.truncate(self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
        let mut output = output::stdout();
        for Duplicates { recording, paths, size } in &found {
            if self.json {
                json::line(&mut output, &Copies { path: &paths[0], recording, size: *size, paths })?;
                continue;
            }
            writeln!(output, "{} files of {}", paths.len(), output::size(*size))?;
            for path in paths {
                writeln!(output, "  {}", printable(&place::shown(path)))?;
            }
        }
        output::finish(output)?;
        if total == 0 && !self.json {
            eprintln!("no two files hold the same recording");
        }
        if total > found.len() {
            eprintln!("{} more recordings have copies: a larger --limit shows them", total - found.len());
        }
        Ok(Outcome::Fine)
    }

    /// Names that contain a name which nobody has.
    fn suggest_names(&self, catalogue: &Catalogue) -> Result<(), fragreel_tables::catalogue::Error> {
        for name in self.player.iter().chain(&self.with).chain(&self.against) {
            let similar = catalogue.names_with(name, SUGGESTED)?;
            if !similar.is_empty() {
                let similar: Vec<String> = similar.iter().map(|name| format!("`{}`", printable(name))).collect();
                eprintln!("no player is called `{}`; similar names: {}. Wildcards match parts: '*{}*'", printable(name), similar.join(", "), printable(name));
            }
        }
        Ok(())
    }
}

/// At most this number of similar names is shown.
const SUGGESTED: u32 = 5;

/// A year, month or day as recordings have them, or two of them.
fn is_date(text: &str) -> bool {
    let is_one = |date: &str| {
        let shaped = |shape: &str| {
            date.len() == shape.len() && date.bytes().zip(shape.bytes()).all(|(byte, like)| if like == b'0' { byte.is_ascii_digit() } else { byte == like })
        };
        ["0000", "0000-00", "0000-00-00"].into_iter().any(shaped)
    };
    match text.split_once("..") {
        None => is_one(text),
        // Either end may be open.
        Some((from, to)) => {
            let (from, to) = (from.trim(), to.trim());
            (is_one(from) || from.is_empty()) && (is_one(to) || to.is_empty()) && text.trim() != ".."
        }
    }
}

fn row(found: &Found) -> Vec<String> {
    let text = |value: &Option<String>| value.as_deref().map_or_else(|| String::from("-"), |value| printable(value).into_owned());
    let players = if found.players.len() > 4 { format!("{} players", found.players.len()) } else { printable(&found.players.join(", ")).into_owned() };
    let mut row = vec![
        printable(&place::shown(&found.path)).into_owned(),
        text(&found.date),
        text(&found.map),
        text(&found.game_mod),
        text(&found.game_type),
        found.duration.map_or_else(|| String::from("-"), |time| Milliseconds(time).to_string()),
        text(&found.result),
        players,
        text(&found.grade),
    ];
    if let Some(same) = found.same {
        row.push(format!("{} ({} moments)", same.relation.name(), same.marks));
    }
    row
}

/// What `--duplicates --json` says.
#[derive(Serialize)]
struct Copies<'a> {
    path: &'a str,
    recording: &'a str,
    size: u64,
    paths: &'a [String],
}

/// What `--json` says.
#[derive(Serialize)]
struct Line<'a> {
    path: &'a str,
    recording: &'a str,
    family: &'a str,
    date: Option<&'a str>,
    map: Option<&'a str>,
    #[serde(rename = "mod")]
    game_mod: Option<&'a str>,
    game_type: Option<&'a str>,
    duration: Option<i64>,
    result: Option<&'a str>,
    players: &'a [String],
    grade: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    same: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moments: Option<u64>,
}

impl<'a> Line<'a> {
    fn of(found: &'a Found) -> Self {
        Line {
            path: &found.path,
            recording: &found.recording,
            family: &found.family,
            date: found.date.as_deref(),
            map: found.map.as_deref(),
            game_mod: found.game_mod.as_deref(),
            game_type: found.game_type.as_deref(),
            duration: found.duration,
            result: found.result.as_deref(),
            players: &found.players,
            grade: found.grade.as_deref(),
            same: found.same.map(|same| same.relation.name()),
            moments: found.same.map(|same| same.marks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_years_months_and_days() {
        assert!(["2004", "2004-03", "2004-03-15", "2004..2005-01", "2004 .. 2005", "2004..", "..2005"].into_iter().all(is_date));
        assert!(["", "04", "yesterday", "2004-3", "15.03.2004", "..", "2004..soon"].into_iter().all(|date| !is_date(date)));
    }
}
