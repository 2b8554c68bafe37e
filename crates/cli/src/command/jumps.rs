//! `fragreel jumps`

use std::ops::ControlFlow;

use fragreel::Answer;
use fragreel::movement::{Jump, JumpKind, Moved, Strafe};

use super::gathered::Gathered;
use super::listing::{Columns, Listing};
use super::{Clock, Named, Paths, Times};
use crate::batch::{self, Source};
use crate::failure::{Failure, Stop};
use crate::output::printable;
use crate::resume::Shape;
use crate::row_output::RowOutput;
use crate::shell::{Outcome, Shell};
use crate::table;

/// Show jumps: distance, speed, strafes, sync, efficiency
///
/// Speeds are horizontal. BEFORE is the speed of the last state on the ground, and MAX the highest
/// in the air. EFF. is the gain in percent of the greatest gain that the game's physics allows, and
/// HOP the number of states on the ground before: 1 is the fastest hop. A kind marked with ~ was
/// inferred from places or sounds. docs/movement.md defines the figures and their errors, and which
/// recordings have them. Figures are no verdict.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel jumps kz_run.dem
      every jump with its distance, pre-strafe, strafes, and sync
  fragreel jumps --player 'des*' --min-distance 240 demos/
      one player's long jumps
  fragreel jumps --kinds bhop,multi_bhop --csv run.dem > hops.csv
      hops for spreadsheets
  fragreel jumps --json run.qwd
      for machines: one JSON object per jump, with its strafes")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    times: Times,

    /// Only jumps of this player: the name without colors, in any case, with `*` and `?` as
    /// wildcards. May be repeated
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    /// Only these kinds, separated by commas
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = clap::builder::PossibleValuesParser::new(JumpKind::NAMES))]
    kinds: Vec<String>,

    /// Only jumps at least this far, in units; in Half-Life with the 32 units of the hull
    #[arg(long, value_name = "UNITS")]
    min_distance: Option<f32>,

    /// Falls and duck taps, too
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    rows: RowOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        self.times.must_make_sense()?;
        let format = self.rows.format();
        let keys = &["kind", "time", "distance", "speed_before", "air_time"];
        let shape = Shape { keys, instead: &[], edit: None, headings: COLUMNS.join(","), several: true };
        let (resume, headed) = self.rows.open(&shape, self.paths.all())?;
        let named = Named::new(&self.player);
        let ask = |source: &Source<'_>| self.answer(shell, source, &named);
        let rows = table::Rows::new(&HEADINGS).sparing(&["LOSS", "HEIGHT", "TAKE-OFF", "AIR MS", "GAIN"]);
        let columns = Columns { names: &COLUMNS, values, row, none: NONE };
        let mut listing = Listing::new(shell, format, self.rows.formulas(), headed, columns, rows);
        let outcome = batch::run(shell, self.paths.all(), resume, ask, &mut listing)?;
        named.remark();
        Ok(outcome)
    }

    fn answer(&self, shell: &Shell, source: &Source<'_>, named: &Named) -> Result<Answer<Vec<Jump>>, Failure> {
        let times = self.times.of(source.recording, Clock::Demo)?;
        let mut jumps = Gathered::new(shell);
        let walked = source.recording.movement(&mut |moved| {
            if let Moved::Jump(jump) = moved
                && times.hold(jump.time)
                && self.is_meant(jump, named)
            {
                return jumps.push(jump.clone(), size_of::<Jump>() + jump.strafes.len() * size_of::<Strafe>());
            }
            ControlFlow::Continue(())
        });
        jumps.answer("jumps", source, walked)
    }

    fn is_meant(&self, jump: &Jump, named: &Named) -> bool {
        named.hold(&jump.player.name.clean)
            && (self.all || jump.jumped || !self.kinds.is_empty())
            && (self.kinds.is_empty() || self.kinds.iter().any(|kind| kind == jump.kind.name()))
            && self.min_distance.is_none_or(|least| jump.distance_kz.unwrap_or(jump.distance) >= least)
    }
}

const NONE: &str = "no jumps found: docs/movement.md lists what each kind of recording shows";

const HEADINGS: [&str; 16] =
    ["FILE", "TIME", "PLAYER", "KIND", "DISTANCE", "BEFORE", "TAKE-OFF", "MAX", "GAIN", "LOSS", "STRAFES", "SYNC", "EFF.", "HEIGHT", "AIR MS", "HOP"];

/// The columns of `--csv`, in order; docs/json.md says what is in them.
const COLUMNS: [&str; 45] = [
    "path",
    "player",
    "slot",
    "team",
    "number",
    "chain",
    "time",
    "time_to",
    "evidence",
    "source",
    "step",
    "kind",
    "standup",
    "jumped",
    "end",
    "air_time",
    "air_steps",
    "ground_steps",
    "ground_time",
    "distance",
    "distance_kz",
    "offset",
    "height",
    "speed_landed",
    "speed_earlier",
    "speed_before",
    "speed_takeoff",
    "speed_max",
    "speed_to",
    "capped",
    "vz",
    "gain",
    "loss",
    "strafes",
    "sync",
    "sync_keys",
    "sync_turn",
    "efficiency",
    "angle_error",
    "explained",
    "overlap_steps",
    "idle_steps",
    "jump_presses",
    "stamina",
    "kick",
];

fn row(path: &str, jump: &Jump) -> Vec<String> {
    let figure = |value: f32| format!("{value:.1}");
    let whole = |value: Option<f32>| value.map_or_else(|| String::from("-"), |value| format!("{value:.0} %"));
    let count = |value: Option<u32>| value.map_or_else(|| String::from("-"), |value| value.to_string());
    let mark = if jump.evidence == fragreel::model::Evidence::Stated { "" } else { "~" };
    let is_known = jump.strafe_count.is_some();
    vec![
        printable(path).to_string(),
        jump.time.to_string(),
        jump.player.name.to_string(),
        format!("{}{mark}", jump.kind.name()),
        jump.distance_kz.map_or_else(|| figure(jump.distance), |distance| format!("{distance:.2}")),
        figure(jump.speed_before),
        figure(jump.speed_takeoff),
        figure(jump.speed_max),
        figure(jump.gain),
        figure(jump.loss),
        count(jump.strafe_count),
        whole(is_known.then_some(jump.sync)),
        whole(jump.efficiency),
        figure(jump.height),
        format!("{:.0}", jump.air_time),
        count(jump.ground_steps),
    ]
}

fn values(path: &str, jump: &Jump) -> [String; COLUMNS.len()] {
    fn or<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    [
        path.to_owned(),
        jump.player.name.clean.clone(),
        or(jump.player.slot),
        jump.player.team.as_deref().unwrap_or_default().to_owned(),
        jump.number.to_string(),
        jump.chain.to_string(),
        jump.time.0.to_string(),
        jump.time_to.0.to_string(),
        String::from(if jump.evidence == fragreel::model::Evidence::Stated { "stated" } else { "inferred" }),
        jump.source.name().to_owned(),
        jump.step.to_string(),
        jump.kind.name().to_owned(),
        or(jump.standup),
        jump.jumped.to_string(),
        jump.end.name().to_owned(),
        jump.air_time.to_string(),
        jump.air_steps.to_string(),
        or(jump.ground_steps),
        or(jump.ground_time),
        jump.distance.to_string(),
        or(jump.distance_kz),
        jump.offset.to_string(),
        jump.height.to_string(),
        or(jump.speed_landed),
        jump.speed_earlier.to_string(),
        jump.speed_before.to_string(),
        jump.speed_takeoff.to_string(),
        jump.speed_max.to_string(),
        jump.speed_to.to_string(),
        or(jump.capped),
        jump.vz.to_string(),
        jump.gain.to_string(),
        jump.loss.to_string(),
        or(jump.strafe_count),
        jump.sync.to_string(),
        or(jump.sync_keys),
        or(jump.sync_turn),
        or(jump.efficiency),
        or(jump.angle_error),
        or(jump.explained),
        or(jump.overlap_steps),
        or(jump.idle_steps),
        or(jump.jump_presses),
        or(jump.stamina),
        or(jump.kick),
    ]
}
