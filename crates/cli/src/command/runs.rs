//! `fragreel runs`

use std::io::Write;

use fragreel::model::{Damage, Grade, Milliseconds, Run, Share};

use super::Paths;
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, Stop};
use crate::output::{Output, printable};
use crate::resume::{Format, Shape};
use crate::row_output::RowOutput;
use crate::shell::{Outcome, Shell};
use crate::{cells, json, table};

/// Show runs: DeFRaG courses, levels of single player, races, climbs
///
/// Times are those that the game states. Other times are counted on the recording's clock and
/// marked with ~. If both are known and differ, the counted time is in brackets. The last column
/// lists reasons not to compare a run with others, and the grade of `audit` if it is not `normal`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel runs e1m1_000.dem             times, kills, and secrets
  fragreel runs 'defrag/**/*.dm_68'      times, physics, and whether the seal on the time holds
  fragreel runs --csv demos/ > runs.csv  for spreadsheets: a line for each run
  fragreel runs --json demos/            for machines: one JSON object per run, with everything")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    rows: RowOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let format = self.rows.format();
        let keys = &["course", "map", "run_time", "to"];
        let shape = Shape { keys, instead: &[], edit: None, headings: COLUMNS.join(","), several: true };
        let (resume, headed) = self.rows.open(&shape, &self.paths.paths)?;
        let ask = |source: &Source<'_>| {
            let fragreel::Answer { value: runs, damage } = source.recording.runs();
            Ok(Answer { runs, damage })
        };
        let rows = table::Rows::new(&HEADINGS).sparing(&["CHECKS", "MODE", "PHYSICS", "SECRETS", "KILLS"]);
        batch::run(shell, &self.paths.paths, resume, ask, &mut Report { shell, format, formulas: self.rows.formulas(), headed, rows, is_empty: true })
    }
}

struct Answer {
    runs: Vec<Run>,
    damage: Vec<Damage>,
}

struct Report<'a> {
    shell: &'a Shell,
    format: Format,
    formulas: bool,
    headed: bool,
    rows: table::Rows,
    is_empty: bool,
}

const HEADINGS: [&str; 10] = ["FILE", "MAP", "COURSE", "PLAYER", "TIME", "PHYSICS", "MODE", "KILLS", "SECRETS", "CHECKS"];

/// The columns of `--csv`, in order; docs/json.md says what is in them.
const COLUMNS: [&str; 21] = [
    "path",
    "course",
    "map",
    "player",
    "slot",
    "time",
    "stated",
    "counted",
    "from",
    "to",
    "physics",
    "mode",
    "kills",
    "kills_total",
    "secrets",
    "secrets_total",
    "skill",
    "seal_holds",
    "seal_broken",
    "remarks",
    "grade",
];

impl Renderer<Answer> for Report<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        self.is_empty &= answer.runs.is_empty();
        match self.format {
            Format::Json => {
                for run in &answer.runs {
                    json::line(output, &json::About { path, answer: run })?;
                }
            }
            Format::Csv => {
                if !std::mem::replace(&mut self.headed, true) {
                    writeln!(output, "{}", COLUMNS.join(","))?;
                }
                let mut text = Vec::new();
                for run in &answer.runs {
                    let row = values(path, run);
                    cells::write(&mut text, &row.iter().map(String::as_str).collect::<Vec<_>>(), self.formulas);
                }
                output.write_all(&text)?;
            }
            Format::Table => {
                for run in &answer.runs {
                    self.rows.push(self.shell, output, row(path, run))?;
                }
            }
        }
        super::damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.format == Format::Json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        if self.is_empty && self.format == Format::Table {
            eprintln!("no runs found: there is no DeFRaG course, level of single player, race, or climb that ends; `fragreel scores` lists matches");
        }
        Ok(self.rows.flush(self.shell, output)?)
    }
}

fn row(path: &str, run: &Run) -> Vec<String> {
    let share = |share: Option<Share>| share.map_or_else(|| String::from("-"), |share| format!("{}/{}", share.found, share.total));
    let clock = |time: i64| Milliseconds(time).to_string();
    let time = match (run.time.stated, run.time.counted) {
        (Some(stated), Some(counted)) if stated != counted => format!("{} ({})", clock(stated), clock(counted)),
        (Some(stated), _) => clock(stated),
        (None, Some(counted)) => format!("{}~", clock(counted)),
        (None, None) => String::from("-"),
    };
    let seal = run.seal.as_ref().map(|seal| {
        if seal.broken == 0 {
            format!("seal holds in {} frames", seal.holds)
        } else {
            format!("seal broken in {} of {} frames", seal.broken, seal.holds + seal.broken)
        }
    });
    let grade = run.grade.filter(|grade| *grade > Grade::Normal).map(|grade| format!("audit: {}", grade.name()));
    let checks: Vec<String> = grade.into_iter().chain(seal).chain(run.remarks.iter().cloned()).collect();
    let or = |text: Option<&str>| text.filter(|text| !text.is_empty()).unwrap_or("-").to_owned();
    vec![
        printable(path).to_string(),
        printable(&run.map).to_string(),
        run.course.name().to_owned(),
        run.player.as_ref().map_or_else(|| String::from("-"), |player| player.name.to_string()),
        time,
        or(run.physics.as_deref()),
        or(run.mode.as_deref()),
        share(run.kills),
        share(run.secrets),
        or(Some(&checks.join("; "))),
    ]
}

fn values(path: &str, run: &Run) -> [String; COLUMNS.len()] {
    let number = |value: Option<i64>| value.map(|value| value.to_string()).unwrap_or_default();
    let seal = run.seal.as_ref();
    [
        path.to_owned(),
        run.course.name().to_owned(),
        run.map.clone(),
        run.player.as_ref().map(|player| player.name.clean.clone()).unwrap_or_default(),
        number(run.player.as_ref().and_then(|player| player.slot).map(i64::from)),
        number(run.time.value()),
        number(run.time.stated),
        number(run.time.counted),
        number(run.from.map(|time| time.0)),
        run.to.0.to_string(),
        run.physics.as_deref().unwrap_or_default().to_owned(),
        run.mode.as_deref().unwrap_or_default().to_owned(),
        number(run.kills.map(|share| share.found)),
        number(run.kills.map(|share| share.total)),
        number(run.secrets.map(|share| share.found)),
        number(run.secrets.map(|share| share.total)),
        number(run.skill.map(i64::from)),
        number(seal.map(|seal| seal.holds as i64)),
        number(seal.map(|seal| seal.broken as i64)),
        run.remarks.join("; "),
        run.grade.map(Grade::name).unwrap_or_default().to_owned(),
    ]
}
