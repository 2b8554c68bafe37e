//! `fragreel info`

use std::io::Write;

use fragreel::model::{Info, Milliseconds, PlayerInfo, Timer, TimerSplit};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Paths;
use crate::asked::Asked;
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, Stop};
use crate::output::{Output, hex, printable, size};
use crate::resume::Shape;
use crate::row_output::JsonOutput;
use crate::shell::{Outcome, Shell};
use crate::{json, table};

/// Show what recordings are: game, map, players, length
///
/// Shows one recording in full, and several as a table with a line each.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel info final.dm_68                         one recording in full
  fragreel info demos/ '2004/**/*.dm_68'
      a table of many, folders and patterns
  fragreel info --json demos/ | jq -r .maps[]
      for machines: one JSON object per line
  zcat final.dm_68.gz | fragreel info -
      from a pipe; .gz files also work without zcat

`info` reads as little as possible. `verify` checks everything for damage.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// With --json: the SHA-256 of each recording's unpacked bytes
    #[arg(long, requires = "json")]
    hash: bool,

    #[command(flatten)]
    lines: JsonOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let paths = &self.paths.paths;
        if self.hash {
            let ask = |source: &Source<'_>| Ok(Answer { info: source.recording.info(), sha256: Some(hex(&Sha256::digest(source.bytes))) });
            return batch::run(shell, paths, self.lines.open(&SHAPE, paths)?, ask, &mut Lines);
        }
        let ask = |asked: &Asked<'_>| asked.info();
        if self.lines.json {
            let ask = |asked: &Asked<'_>| Ok(Answer { info: asked.info()?, sha256: None });
            return batch::run_in_chunks(shell, paths, self.lines.open(&SHAPE, paths)?, true, ask, &mut Lines);
        }
        let resume = self.lines.open(&SHAPE, paths)?;
        if self.paths.mean_one() {
            return batch::run_in_chunks(shell, paths, resume, true, ask, &mut Card { shell });
        }
        batch::run_in_chunks(shell, paths, resume, true, ask, &mut Overview { shell, rows: table::Rows::new(HEADINGS).sparing(SPARE) })
    }
}

/// What `--json` writes.
const SHAPE: Shape = Shape {
    keys: &["family", "dialect", "recording", "game", "maps", "players", "snapshots", "damage"],
    instead: &[],
    edit: None,
    headings: String::new(),
    several: false,
};

/// What `--json` writes of a recording.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    info: Info,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

struct Lines;

impl Renderer<Answer> for Lines {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        json::line(output, &json::About { path, answer: &answer })?;
        Ok(outcome(&answer.info))
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        Ok(json::failure(output, path, failure)?)
    }
}

/// Everything about one recording.
struct Card<'a> {
    shell: &'a Shell,
}

impl Renderer<Info> for Card<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, info: Info) -> Result<Outcome, Stop> {
        let mut pairs: Vec<(&str, String)> =
            vec![("file", path.to_owned()), ("game", info.game.clone()), ("format", format(&info)), ("recording", info.recording.clone())];
        let optional = [
            ("mod", info.game_mod.clone()),
            ("mod version", info.mod_version.clone()),
            ("engine", info.engine.clone()),
            ("date", info.date.clone()),
            ("map", (!info.maps.is_empty()).then(|| info.maps.join(", "))),
            ("game type", info.game_type.clone()),
            ("server", info.server.as_ref().map(ToString::to_string)),
            ("duration", info.duration.map(|time| duration(time, info.server_duration))),
            ("match clock", info.match_clock.map(|(from, to)| format!("{from} to {to}"))),
            ("timer", info.timer.as_ref().map(timer)),
            ("recorded by", info.recorder.as_ref().map(player)),
            ("players", (!info.players.is_empty()).then(|| info.players.iter().map(player).collect::<Vec<_>>().join(", "))),
        ];
        pairs.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
        let rate = info.snapshot_rate.map(|rate| format!(", {rate:.1} per second")).unwrap_or_default();
        pairs.push(("snapshots", format!("{}{rate}", info.snapshots)));
        pairs.push(("messages", info.messages.to_string()));
        pairs.push(("size", format!("{} ({} bytes)", size(info.bytes), info.bytes)));
        pairs.push(("damage", if info.damage.is_empty() { String::from("none seen") } else { info.damage.len().to_string() }));
        table::pairs(self.shell, output, pairs)?;
        for damage in &info.damage {
            writeln!(output, "  {}", printable(&crate::damage::describe(damage)))?;
        }
        Ok(outcome(&info))
    }

    fn failure(&mut self, _: &mut Output, _: &str, _: &Failure) -> Result<(), Stop> {
        Ok(())
    }
}

/// The timer of a speedrunner's tool: `BunnymodXT bb615f8: 12:34.567 at the end; splits: first 1:00.000, second`.
fn timer(timer: &Timer) -> String {
    let version = timer.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let time = timer.time.map_or_else(|| String::from("no time"), |time| time.to_string());
    let end = if timer.ended { " at the end of the game" } else { "" };
    let split = |split: &TimerSplit| split.time.map_or_else(|| split.name.clone(), |time| format!("{} {time}", split.name));
    let splits: Vec<String> = timer.splits.iter().map(split).collect();
    let splits = if splits.is_empty() { String::new() } else { format!("; splits: {}", splits.join(", ")) };
    format!("{}{version}: {time}{end}{splits}", timer.tool)
}

/// The duration, and that of the server's clock if one of them is more than a tenth longer.
fn duration(time: Milliseconds, server: Option<Milliseconds>) -> String {
    match server.filter(|server| (server.0 - time.0).abs() * 10 > time.0.max(server.0)) {
        Some(server) => format!("{time} on the recorder's clock, {server} on the server's"),
        None => time.to_string(),
    }
}

const HEADINGS: &[&str] = &["FILE", "GAME", "FORMAT", "MAP", "MOD", "TYPE", "SERVER", "LENGTH", "CLOCK", "RECORDED BY", "PLAYERS", "RATE", "SIZE", "DAMAGE"];

/// What a narrow terminal can do without; `--json` has it all.
const SPARE: &[&str] = &["CLOCK", "RATE", "TYPE", "MOD", "PLAYERS", "FORMAT", "RECORDED BY", "SERVER", "GAME"];

/// A line for each of many.
struct Overview<'a> {
    shell: &'a Shell,
    rows: table::Rows,
}

impl Renderer<Info> for Overview<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, info: Info) -> Result<Outcome, Stop> {
        // A terminal has little room, a pipe has plenty.
        let front = |text: String, most| if self.shell.output_is_terminal { table::front(&text, most) } else { text };
        let path = if self.shell.output_is_terminal { table::end(path, 48) } else { path.to_owned() };
        let or_dash = |value: Option<String>| value.filter(|value| !value.is_empty()).unwrap_or_else(|| String::from("-"));
        let row = vec![
            path,
            info.game.clone(),
            format(&info),
            or_dash(Some(front(info.maps.join(", "), 24))),
            or_dash(info.game_mod.clone()),
            or_dash(info.game_type.clone()),
            or_dash(info.server.as_ref().map(|server| front(server.to_string(), 24))),
            or_dash(info.duration.map(minutes)),
            or_dash(info.match_clock.map(|(from, to)| format!("{}-{}", minutes(from), minutes(to)))),
            or_dash(info.recorder.as_ref().map(|player| front(player.name.to_string(), 20))),
            or_dash(Some(front(some_names(&info.players), 40))),
            or_dash(info.snapshot_rate.map(|rate| format!("{rate:.0}/s"))),
            size(info.bytes),
            or_dash((!info.damage.is_empty()).then(|| info.damage.len().to_string())),
        ];
        self.rows.push(self.shell, output, row)?;
        Ok(outcome(&info))
    }

    fn failure(&mut self, output: &mut Output, _: &str, _: &Failure) -> Result<(), Stop> {
        Ok(self.rows.flush(self.shell, output)?)
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        Ok(self.rows.flush(self.shell, output)?)
    }
}

fn outcome(info: &Info) -> Outcome {
    Outcome::damaged(!info.damage.is_empty())
}

fn format(info: &Info) -> String {
    format!("{} {}", info.family, info.dialect)
}

fn player(player: &PlayerInfo) -> String {
    match &player.team {
        Some(team) => format!("{} ({team})", player.name),
        None => player.name.to_string(),
    }
}

/// Names as long as they are few.
fn some_names(players: &[PlayerInfo]) -> String {
    const FEW: usize = 4;
    if players.len() > FEW {
        return format!("{} players", players.len());
    }
    players.iter().map(|player| player.name.to_string()).collect::<Vec<_>>().join(", ")
}

/// A time without its fraction.
fn minutes(time: Milliseconds) -> String {
    let text = time.to_string();
    text.split_once('.').map_or(text.as_str(), |(whole, _)| whole).to_owned()
}
