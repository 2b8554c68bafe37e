//! `fragreel aim`

use std::ops::ControlFlow;

use fragreel::model::Evidence;
use fragreel::{Aim, AimKind, Answer};

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

/// Show aim: turns before each shot, and the angle to the nearest enemy
///
/// Each row is a recorded shot. If the killer's shots are not recorded, a kill by a hitscan weapon
/// has a row, too. ERROR is the angle in degrees between the view and the target's box, and is 0 if
/// the view is on the box. ± is the possible error of that angle. 50, 100 and 200 are the widest
/// turns of the view in the last 50, 100 and 200 ms. SIGHT is how long the recording had shown the
/// target. A kind marked with ~ is a kill, or has rounded views. docs/statistics.md defines the
/// figures and their errors. The figures are not a verdict.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel aim match.dem
      every shot with its turns, target and error
  fragreel aim --player 'des*' --weapons railgun,awp demos/
      one player's shots with two weapons
  fragreel aim --on-target 1 --csv match.dem > aim.csv
      shots within a degree of an enemy, for spreadsheets
  fragreel aim --json match.qwd
      for machines: one JSON object per shot")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    times: Times,

    /// Only shots of this player: the name without colors, in any case, with `*` and `?` as
    /// wildcards. May be repeated
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    /// Only these weapons: common names or the game's own names, separated by commas
    #[arg(long, value_name = "WEAPON", value_delimiter = ',')]
    weapons: Vec<String>,

    /// Only shots whose ERROR is at most this many degrees
    #[arg(long, value_name = "DEGREES")]
    on_target: Option<f32>,

    /// Only kills without a recorded shot
    #[arg(long)]
    kills: bool,

    #[command(flatten)]
    rows: RowOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        self.times.must_make_sense()?;
        let format = self.rows.format();
        let keys = &["kind", "time", "evidence", "server_time"];
        let shape = Shape { keys, instead: &[], edit: None, headings: COLUMNS.join(","), several: true };
        let (resume, headed) = self.rows.open(&shape, self.paths.all())?;
        let named = Named::new(&self.player);
        let ask = |source: &Source<'_>| self.answer(shell, source, &named);
        let rows = table::Rows::new(&HEADINGS).sparing(&["SIGHT", "50", "200", "DISTANCE", "±"]);
        let columns = Columns { names: &COLUMNS, values, row, none: NONE };
        let mut listing = Listing::new(shell, format, self.rows.formulas(), headed, columns, rows);
        let outcome = batch::run(shell, self.paths.all(), resume, ask, &mut listing)?;
        named.remark();
        Ok(outcome)
    }

    fn answer(&self, shell: &Shell, source: &Source<'_>, named: &Named) -> Result<Answer<Vec<Aim>>, Failure> {
        let times = self.times.of(source.recording, Clock::Demo)?;
        let mut aims = Gathered::new(shell);
        let walked = source.recording.aim(&mut |aim| {
            if times.hold(aim.time) && self.is_meant(aim, named) { aims.push(aim.clone(), size_of::<Aim>()) } else { ControlFlow::Continue(()) }
        });
        aims.answer("shots", source, walked)
    }

    fn is_meant(&self, aim: &Aim, named: &Named) -> bool {
        let is_weapon =
            |name: &String| aim.weapon.is_some_and(|weapon| weapon == name) || aim.weapon_own.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name));
        named.hold(&aim.player.name.clean)
            && (!self.kills || aim.kind == AimKind::Kill)
            && (self.weapons.is_empty() || self.weapons.iter().any(is_weapon))
            && self.on_target.is_none_or(|most| aim.angle_error.is_some_and(|error| error <= most))
    }
}

const NONE: &str = "no shots found: docs/statistics.md lists what each kind of recording shows";

const HEADINGS: [&str; 13] = ["FILE", "TIME", "PLAYER", "KIND", "WEAPON", "TARGET", "ERROR", "±", "DISTANCE", "50", "100", "200", "SIGHT"];

/// The columns of `--csv`, in order; docs/json.md describes them.
const COLUMNS: [&str; 31] = [
    "path",
    "player",
    "slot",
    "team",
    "time",
    "server_time",
    "match_time",
    "evidence",
    "kind",
    "source",
    "step",
    "weapon",
    "weapon_own",
    "target",
    "target_slot",
    "target_team",
    "pitch",
    "yaw",
    "turn_50",
    "turn_100",
    "turn_200",
    "turn_step",
    "still_before",
    "still_after",
    "angle_error",
    "angle_error_within",
    "distance",
    "since_sight",
    "view_offset",
    "since_press",
    "message",
];

fn row(path: &str, aim: &Aim) -> Vec<String> {
    let figure = |value: Option<f32>| value.map_or_else(|| String::from("-"), |value| format!("{value:.1}"));
    let mark = if aim.evidence == Evidence::Stated { "" } else { "~" };
    vec![
        printable(path).to_string(),
        aim.time.to_string(),
        aim.player.name.to_string(),
        format!("{}{mark}", aim.kind.name()),
        aim.weapon.or(aim.weapon_own.as_deref()).unwrap_or("-").to_owned(),
        aim.target.as_ref().map_or_else(|| String::from("-"), |target| target.name.to_string()),
        figure(aim.angle_error),
        figure(aim.angle_error_within),
        aim.distance.map_or_else(|| String::from("-"), |distance| format!("{distance:.0}")),
        figure(aim.turn_50),
        figure(aim.turn_100),
        figure(aim.turn_200),
        aim.since_sight.map_or_else(|| String::from("-"), |time| time.to_string()),
    ]
}

fn values(path: &str, aim: &Aim) -> [String; COLUMNS.len()] {
    fn or<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let target = aim.target.as_ref();
    [
        path.to_owned(),
        aim.player.name.clean.clone(),
        or(aim.player.slot),
        aim.player.team.as_deref().unwrap_or_default().to_owned(),
        aim.time.0.to_string(),
        aim.server_time.0.to_string(),
        or(aim.match_time.map(|time| time.0)),
        String::from(if aim.evidence == Evidence::Stated { "stated" } else { "inferred" }),
        aim.kind.name().to_owned(),
        or(aim.source.map(fragreel::ViewSource::name)),
        or(aim.step),
        or(aim.weapon),
        or(aim.weapon_own.as_deref()),
        or(target.map(|target| &target.name.clean)),
        or(target.and_then(|target| target.slot)),
        or(target.and_then(|target| target.team.as_deref())),
        or(aim.pitch),
        or(aim.yaw),
        or(aim.turn_50),
        or(aim.turn_100),
        or(aim.turn_200),
        or(aim.turn_step),
        or(aim.still_before),
        or(aim.still_after),
        or(aim.angle_error),
        or(aim.angle_error_within),
        or(aim.distance),
        or(aim.since_sight.map(|time| time.0)),
        or(aim.view_offset),
        or(aim.since_press.map(|time| time.0)),
        aim.message.to_string(),
    ]
}
