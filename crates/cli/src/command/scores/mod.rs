//! `fragreel scores`

mod board;
mod stated;

use std::io::Write;

use fragreel::model::{Damage, Figure, Figures, ItemStat, MatchStats, Milliseconds, NoMatch, Outcome as Ended, PlayerStats, Stat, TeamStats, WeaponStat};

use crate::asked::Asked;
use crate::batch::{self, Renderer};
use crate::command::Paths;
use crate::failure::{Failure, Stop};
use crate::output::{Output, printable};
use crate::resume::{Format, Shape};
use crate::row_output::RowOutput;
use crate::shell::{Ink, Outcome, Shell};
use crate::{cells, json, table};

/// Show who won: a scoreboard for each match
///
/// Figures that the server states come first. Other figures are counted from events and marked with
/// ~. If both are known and differ, the counted figure is in brackets. Warm-ups are not matches.
/// docs/statistics.md defines every figure.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel scores final.mvd                     result, teams and players
  fragreel scores --weapons final.mvd           shots, hits, kills and damage by weapon
  fragreel scores --items demos/                armors and power-ups of each player
  fragreel scores --pairs final.mvd             kills and damage between players
  fragreel scores --frames final.mvd            with time alive, speed, health lost
  fragreel scores --stated demos/               only what servers state, many times as fast
  fragreel scores --csv demos/ > players.csv    for spreadsheets: a line for each player of each match
  fragreel scores --html final.mvd > final.html one web page without script
  fragreel scores --markdown final.mvd          to paste into a chat program
  fragreel scores --json demos/                 for machines: one JSON object per match, with everything")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Each player's weapons instead of the scoreboard
    #[arg(long)]
    weapons: bool,

    /// Each player's items instead of the scoreboard
    #[arg(long, conflicts_with = "weapons")]
    items: bool,

    /// Kills between each two players instead of the scoreboard, and damage if the recording states
    /// it
    #[arg(long, conflicts_with_all = ["weapons", "items"])]
    pairs: bool,

    /// Also count figures that only frames show: time alive, distance, speed, health lost, power-ups, and shots. Takes about twice as long. Implied by --weapons and --items
    #[arg(long)]
    frames: bool,

    /// Only what the server states of the last match as a whole. Nothing is counted or checked, and
    /// no more is read than that takes
    #[arg(long, conflicts_with_all = ["weapons", "items", "pairs", "frames", "csv", "spreadsheet"])]
    stated: bool,

    /// A web page in one file without script, with the board of `fragreel site`, weapons, and pairs
    #[arg(long, conflicts_with_all = ["json", "csv", "spreadsheet", "weapons", "items", "pairs", "stated", "resume"])]
    html: bool,

    /// Text for chat programs, at most 2,000 characters a match
    #[arg(long, conflicts_with_all = ["html", "json", "csv", "spreadsheet", "weapons", "items", "pairs", "stated", "resume"])]
    markdown: bool,

    #[command(flatten)]
    rows: RowOutput,
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Players,
    Weapons,
    Items,
    Pairs,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        if self.stated {
            return stated::run(shell, &self.paths.paths, &self.rows);
        }
        let subject = match (self.weapons, self.items, self.pairs) {
            (true, ..) => Subject::Weapons,
            (_, true, _) => Subject::Items,
            (_, _, true) => Subject::Pairs,
            _ => Subject::Players,
        };
        let ask = |asked: &Asked<'_>| {
            let with_frames = self.frames || matches!(subject, Subject::Weapons | Subject::Items);
            let fragreel::Answer { value: matches, damage } = asked.scores(with_frames)?;
            let none = if matches.is_empty() { Some(asked.no_match()?) } else { None };
            Ok(Answer { matches, none, damage })
        };
        let paths = &self.paths.paths;
        if self.html {
            return batch::run_in_chunks(shell, paths, None, true, ask, &mut board::Page::default());
        }
        if self.markdown {
            return batch::run_in_chunks(shell, paths, None, true, ask, &mut board::Text);
        }
        let keys = &["number", "map", "from", "to", "has_start", "outcome", "players", "identity"];
        let shape = Shape { keys, instead: &["no_match", "reason"], headings: head(subject).join(","), several: true, ..Shape::default() };
        let (resume, headed) = self.rows.open(&shape, paths)?;
        match self.rows.format() {
            Format::Json => batch::run_in_chunks(shell, paths, resume, true, ask, &mut Lines),
            Format::Csv => batch::run_in_chunks(shell, paths, resume, true, ask, &mut Sheet { subject, formulas: self.rows.formulas(), headed }),
            Format::Table => batch::run_in_chunks(shell, paths, None, true, ask, &mut Boards { shell, subject, first: true }),
        }
    }
}

struct Answer {
    matches: Vec<MatchStats>,
    /// Why there is no match.
    none: Option<NoMatch>,
    damage: Vec<Damage>,
}

/// What stands in place of matches where there are none.
#[derive(serde::Serialize)]
struct Without {
    no_match: NoMatch,
    reason: &'static str,
}

/// Says why there is no match.
fn remark(output: &mut Output, path: &str, none: NoMatch) -> Result<(), Stop> {
    output.flush()?;
    eprintln!("{}: no match: {}", printable(path), none.sentence());
    Ok(())
}

struct Lines;

impl Renderer<Answer> for Lines {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        for one in &answer.matches {
            json::line(output, &json::About { path, answer: one })?;
        }
        if let Some(none) = answer.none {
            json::line(output, &json::About { path, answer: &Without { no_match: none, reason: none.sentence() } })?;
        }
        crate::command::damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        Ok(json::failure(output, path, failure)?)
    }
}

/// Scoreboards for people.
struct Boards<'a> {
    shell: &'a Shell,
    subject: Subject,
    first: bool,
}

impl Renderer<Answer> for Boards<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        for one in &answer.matches {
            let gap = if std::mem::replace(&mut self.first, false) { "" } else { "\n" };
            writeln!(output, "{gap}{}", self.shell.paint(Ink::Strong, printable(path)))?;
            writeln!(output, "{}", printable(&heading(one)))?;
            self.rows(output, one)?;
            for found in &one.findings {
                writeln!(output, "{}", printable(&format!("! {}: {}", found.check.name().replace('_', " "), found.sentence())))?;
            }
        }
        if let Some(none) = answer.none {
            remark(output, path, none)?;
        }
        crate::command::damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, _: &mut Output, _: &str, _: &Failure) -> Result<(), Stop> {
        Ok(())
    }
}

impl Boards<'_> {
    fn rows(&self, output: &mut Output, one: &MatchStats) -> std::io::Result<()> {
        let with_teams = one.players.iter().any(|line| line.player.team.as_deref().is_some_and(|team| team != "free"));
        let columns: Vec<&'static str> = match self.subject {
            Subject::Players => {
                SHOWN.iter().filter(|stat| one.players.iter().any(|line| line.stats.get(**stat).value().is_some())).map(|stat| stat.name()).collect()
            }
            Subject::Weapons => used(one.players.iter().flat_map(|line| line.weapons.values()), WeaponStat::ALL).map(WeaponStat::name).collect(),
            Subject::Items => used(one.players.iter().flat_map(|line| line.items.values()), ItemStat::ALL).map(ItemStat::name).collect(),
            Subject::Pairs => PAIR[1..].to_vec(),
        };
        let mut headings = vec![String::from("PLAYER")];
        if with_teams {
            headings.push(String::from("TEAM"));
        }
        match self.subject {
            Subject::Players => {}
            Subject::Weapons => headings.push(String::from("WEAPON")),
            Subject::Items => headings.push(String::from("ITEM")),
            Subject::Pairs => headings.push(String::from("VICTIM")),
        }
        headings.extend(columns.iter().map(|name| name.replace('_', " ").to_uppercase()));
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let mut rows = table::Rows::new(&headings).sparing(SPARE);
        let front = |line: &PlayerStats| {
            let mut row = vec![line.player.name.to_string()];
            row.extend(with_teams.then(|| line.player.team.as_deref().unwrap_or("-").to_owned()));
            row
        };
        let show_score = if one.is_race() { time_of_run } else { show(false) };
        for line in &one.players {
            match self.subject {
                Subject::Players => {
                    let mut row = front(line);
                    row.extend(
                        SHOWN
                            .iter()
                            .filter(|stat| columns.contains(&stat.name()))
                            .map(|stat| cell(line.stats.get(*stat), if *stat == Stat::Score { show_score } else { show(is_time(*stat)) })),
                    );
                    rows.hold(row);
                }
                Subject::Weapons => {
                    line.weapons.iter().for_each(|(name, figures)| rows.hold(named(front(line), name, figures, WeaponStat::ALL, &columns, WeaponStat::name)));
                }
                Subject::Items => line.items.iter().for_each(|(name, figures)| {
                    let mut row = front(line);
                    row.push(name.clone().into_owned());
                    let shown = ItemStat::ALL.iter().filter(|stat| columns.contains(&stat.name()));
                    row.extend(shown.map(|stat| cell(figures.get(*stat), shown_of_item(*stat))));
                    rows.hold(row);
                }),
                Subject::Pairs => line.against.iter().for_each(|one| {
                    let damage = one.damage.map_or_else(|| String::from("-"), |damage| damage.to_string());
                    rows.hold([front(line), vec![one.player.name.to_string(), one.kills.to_string(), damage]].concat());
                }),
            }
        }
        rows.flush(self.shell, output)
    }
}

fn named<K: Ord + Copy>(mut row: Vec<String>, name: &str, figures: &Figures<K>, all: &[K], columns: &[&str], of: impl Fn(K) -> &'static str) -> Vec<String> {
    row.push(name.to_owned());
    row.extend(all.iter().filter(|stat| columns.contains(&of(**stat))).map(|stat| cell(figures.get(*stat), show(false))));
    row
}

/// The figures that somebody has.
fn used<'f, K: Ord + Copy + 'static>(figures: impl Iterator<Item = &'f Figures<K>> + Clone, all: &'static [K]) -> impl Iterator<Item = K> {
    let has = move |stat: &K| figures.clone().any(|one| one.get(*stat).value().is_some());
    let found: Vec<K> = all.iter().copied().filter(has).collect();
    found.into_iter()
}

/// What the table shows of players; `--json` and `--csv` have everything.
const SHOWN: &[Stat] = &[
    Stat::Score,
    Stat::Kills,
    Stat::Deaths,
    Stat::Suicides,
    Stat::TeamKills,
    Stat::BestSpree,
    Stat::DamageGiven,
    Stat::DamageTaken,
    Stat::Lost,
    Stat::Accuracy,
    Stat::Captures,
    Stat::Thaws,
    Stat::AverageSpeed,
    Stat::TimeAlive,
    Stat::Ping,
    Stat::MinutesConnected,
];

/// What is said of two players.
const PAIR: [&str; 3] = ["victim", "kills", "damage"];

/// What a narrow terminal can do without.
const SPARE: &[&str] = &[
    "PING",
    "MINUTES CONNECTED",
    "AVERAGE SPEED",
    "LOST",
    "TIME ALIVE",
    "BEST SPREE",
    "ACCURACY",
    "DAMAGE TAKEN",
    "TEAM KILLS",
    "SUICIDES",
    "DAMAGE GIVEN",
    "TEAM",
];

fn is_time(stat: Stat) -> bool {
    matches!(stat, Stat::TimeAlive | Stat::TimeOnTeam | Stat::FlagTime | Stat::BestCaptureTime | Stat::ControlTime)
}

/// A figure: stated, counted (`~`), or both where they differ.
fn cell(figure: Figure, show: Shown) -> String {
    match (figure.stated, figure.counted) {
        (Some(stated), Some(counted)) if show(stated) != show(counted) => format!("{} ({})", show(stated), show(counted)),
        (Some(stated), _) => show(stated),
        (None, Some(counted)) => format!("{}~", show(counted)),
        (None, None) => String::from("-"),
    }
}

/// How a figure is shown.
type Shown = fn(i64) -> String;

fn show(is_time: bool) -> Shown {
    if is_time { clock } else { |value| value.to_string() }
}

/// Items are taken within seconds of when they come back: tenths matter.
fn shown_of_item(stat: ItemStat) -> Shown {
    match stat {
        ItemStat::Pickups => show(false),
        ItemStat::AverageDelay => |milliseconds| format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100),
        _ => show(true),
    }
}

/// The best time of a race, to the millisecond.
fn time_of_run(milliseconds: i64) -> String {
    if MatchStats::is_run(milliseconds) { Milliseconds(milliseconds).to_string() } else { String::from("-") }
}

fn clock(milliseconds: i64) -> String {
    format!("{}:{:02}", milliseconds / 60_000, milliseconds / 1000 % 60)
}

/// The match in a line.
fn heading(one: &MatchStats) -> String {
    let mut parts = vec![format!("match {}: {}", one.number, one.map)];
    parts.extend(one.mode.clone());
    parts.extend(one.date.clone());
    parts.push(clock(one.length().0));
    let side = |team: &TeamStats| {
        let title = team.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
        Some(format!("{}{title} {}", team.name, team.stats.get(Stat::Score).value()?))
    };
    let scores: Vec<String> = one.teams.iter().filter_map(side).collect();
    if scores.len() > 1 {
        parts.push(scores.join(", "));
    }
    parts.push(ending(one));
    if !one.has_start {
        parts.push(String::from("its start is not in the recording"));
    }
    parts.join(", ")
}

/// How it ended, in words.
fn ending(one: &MatchStats) -> String {
    let won = one.winner.as_ref().map_or_else(String::new, |winner| format!(", won by {winner}"));
    let cause = one.cause.map(|cause| cause.name().replace('_', " "));
    match (one.outcome, &one.winner) {
        (Ended::Won, Some(winner)) => format!("won by {winner}"),
        (Ended::Draw, _) => String::from("a draw"),
        (Ended::Over, _) => String::from("over"),
        (Ended::Forfeited, _) => {
            // the scores of two players are nowhere else in the line
            let scores: Vec<String> = one.players.iter().filter_map(|line| line.stats.get(Stat::Score).value()).map(|score| score.to_string()).collect();
            let at = if one.teams.len() < 2 && scores.len() == 2 { format!(" at {}", scores.join(":")) } else { String::new() };
            match &one.forfeited_by {
                Some(side) => format!("forfeited by {side}{at}{won}"),
                None => format!("forfeited{at}{won}"),
            }
        }
        (Ended::Stopped, _) => cause.map_or_else(|| String::from("stopped"), |cause| format!("stopped by {cause}")),
        (Ended::Aborted, _) => cause.map_or_else(|| String::from("called off"), |cause| format!("called off ({cause})")),
        _ => String::from("its end is not in the recording"),
    }
}

/// Comma-separated values.
struct Sheet {
    subject: Subject,
    formulas: bool,
    headed: bool,
}

/// Columns that every line begins with; docs/json.md says what is in them.
const COLUMNS: [&str; 12] = ["path", "match", "map", "mode", "date", "from", "to", "outcome", "winner", "player", "slot", "team"];

impl Renderer<Answer> for Sheet {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        let mut text = Vec::new();
        {
            let mut write = |row: Vec<String>| cells::write(&mut text, &row.iter().map(String::as_str).collect::<Vec<_>>(), self.formulas);
            if !std::mem::replace(&mut self.headed, true) {
                write(head(self.subject));
            }
            for one in &answer.matches {
                for line in &one.players {
                    let front = front(path, one, line);
                    match self.subject {
                        Subject::Players => write([front, values(&line.stats, Stat::ALL)].concat()),
                        Subject::Weapons => line.weapons.iter().for_each(|(name, figures)| {
                            write([front.clone(), vec![name.clone().into_owned()], values(figures, WeaponStat::ALL)].concat());
                        }),
                        Subject::Items => line.items.iter().for_each(|(name, figures)| {
                            write([front.clone(), vec![name.clone().into_owned()], values(figures, ItemStat::ALL)].concat());
                        }),
                        Subject::Pairs => line.against.iter().for_each(|one| {
                            let damage = one.damage.map(|damage| damage.to_string()).unwrap_or_default();
                            write([front.clone(), vec![one.player.name.clean.clone(), one.kills.to_string(), damage]].concat());
                        }),
                    }
                }
            }
        }
        output.write_all(&text)?;
        if let Some(none) = answer.none {
            remark(output, path, none)?;
        }
        crate::command::damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, _: &mut Output, _: &str, _: &Failure) -> Result<(), Stop> {
        Ok(())
    }
}

fn head(subject: Subject) -> Vec<String> {
    let mut head: Vec<&str> = COLUMNS.to_vec();
    match subject {
        Subject::Players => head.extend(Stat::ALL.iter().map(|stat| stat.name())),
        Subject::Weapons => head.extend(std::iter::once("weapon").chain(WeaponStat::ALL.iter().map(|stat| stat.name()))),
        Subject::Items => head.extend(std::iter::once("item").chain(ItemStat::ALL.iter().map(|stat| stat.name()))),
        Subject::Pairs => head.extend(PAIR),
    }
    head.into_iter().map(str::to_owned).collect()
}

fn front(path: &str, one: &MatchStats, line: &PlayerStats) -> Vec<String> {
    vec![
        path.to_owned(),
        one.number.to_string(),
        one.map.clone(),
        one.mode.clone().unwrap_or_default(),
        one.date.clone().unwrap_or_default(),
        one.from.0.to_string(),
        one.to.0.to_string(),
        one.outcome.name().to_owned(),
        one.winner.as_deref().unwrap_or_default().to_owned(),
        line.player.name.clean.clone(),
        line.player.slot.map(|slot| slot.to_string()).unwrap_or_default(),
        line.player.team.as_deref().unwrap_or_default().to_owned(),
    ]
}

fn values<K: Ord + Copy>(figures: &Figures<K>, all: &[K]) -> Vec<String> {
    all.iter().map(|stat| figures.get(*stat).value().map(|value| value.to_string()).unwrap_or_default()).collect()
}
