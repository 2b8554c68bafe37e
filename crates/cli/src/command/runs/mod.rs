//! `fragreel runs`

mod compare;
mod pair;
mod parts;
mod picture;
mod side;

use std::path::PathBuf;

use fragreel::model::{Grade, Milliseconds, Run, Share};

use parts::{Part, Parts};

use super::Paths;
use super::listing::{Columns, Listing};
use crate::batch::{self, Source};
use crate::failure::Stop;
use crate::output::printable;
use crate::resume::{Format, Shape};
use crate::row_output::RowOutput;
use crate::shell::{Outcome, Shell};
use crate::table;

/// Show runs: DeFRaG courses, levels of single player, races, climbs
///
/// Times are those that the game states. Other times are counted on the recording's clock and
/// marked with ~. If both are known and differ, the counted time is in brackets. The last column
/// lists reasons not to compare a run with others, and the grade of `audit` if it is not `normal`.
///
/// --compare compares two runs on one course, place by place: A is the first path, B the second. A
/// folder or a pattern is a run in several segments, in order of names.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel runs e1m1_000.dem             times, kills, and secrets
  fragreel runs 'defrag/**/*.dm_68'      times, physics, and whether the seal on the time holds
  fragreel runs --csv demos/ > runs.csv  for spreadsheets: a line for each run
  fragreel runs --json demos/            for machines: one JSON object per run, with everything
  fragreel runs --compare mine.dm_68 best.dm_68
      where time is lost
  fragreel runs --compare mine/ best/ --svg lost.svg
      several segments as one run, with a picture")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Compare two runs on one course
    #[arg(long, conflicts_with_all = ["csv", "spreadsheet", "resume"])]
    compare: bool,

    /// The numbers of the runs in A and in B, from 1 [default: the fastest; of single player, all
    /// levels]
    #[arg(long, value_name = "A,B", requires = "compare", value_parser = compare::numbers)]
    run: Option<compare::Numbers>,

    /// Compare at the ends of N equal parts of A's route, if there are no checkpoints
    #[arg(long, value_name = "N", requires = "compare", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    parts: u32,

    /// Draw the difference and the speeds over the distance
    #[arg(long, value_name = "FILE", requires = "compare")]
    svg: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long, requires = "svg")]
    force: bool,

    #[command(flatten)]
    rows: RowOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let format = self.rows.format();
        if self.compare {
            let wanted = compare::Wanted { runs: self.run, parts: self.parts, svg: self.svg.as_deref(), force: self.force };
            return compare::run(shell, self.paths.all(), &wanted, format == Format::Json);
        }
        let keys = &["course", "map", "run_time", "to"];
        let shape = Shape { keys, instead: &[], edit: None, headings: COLUMNS.join(","), several: true };
        let (resume, headed) = self.rows.open(&shape, &self.paths.paths)?;
        let rows = table::Rows::new(&HEADINGS).sparing(&["CHECKS", "MODE", "PHYSICS", "SECRETS", "KILLS"]);
        let columns = Columns { names: &COLUMNS, values, row, none: NONE };
        let mut listing = Listing::new(shell, format, self.rows.formulas(), headed, columns, rows);
        if resume.is_some() {
            // a part of a marathon may be among what is done
            return batch::run(shell, &self.paths.paths, resume, |source: &Source<'_>| Ok(source.recording.runs()), &mut listing);
        }
        let ask = |source: &Source<'_>| Ok(Part::of(source.recording, source.path));
        batch::run(shell, &self.paths.paths, None, ask, &mut Parts::of(listing))
    }
}

const NONE: &str = "no runs found: there is no DeFRaG course, level of single player, race, or climb that ends; `fragreel scores` lists matches";

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
