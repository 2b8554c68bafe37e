//! `fragreel highlights`

mod criteria;
mod found;
mod level_clock;
mod list;
mod moment;
mod tools;

use std::io::Write;
use std::path::{Path, PathBuf};

use fragreel::edit::{Edited, Highlight, Wanted};
use fragreel::{Error, Recording};

use super::Paths;
use crate::atomic_file::{Draft, Inputs, Target};
use crate::edit::{self, Against, Doing, Label, Made, ManyOptions};
use crate::failure::{Failure, Stop};
use crate::input;
use crate::output::{self, printable};
use crate::resume::{Format, is_headed};
use crate::shell::{Outcome, Shell};
use criteria::Criteria;
use found::Fate;
use list::{List, Shape};
use moment::Found;
use tools::Tool;

/// Find moments worth watching, and cut them out
///
/// Lists moments; -o cuts each one out into its own recording. Without criteria, it finds three
/// kills by one player within five seconds, and flag captures. --best adds several kills by one
/// rail shot, air shots, and flick kills. docs/moments.md defines each kind and its points.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel highlights final.dm_68                               the list
  fragreel highlights demos/ --best 10
      the ten best moments of all recordings below a folder
  fragreel highlights final.dm_68 --kills 2 --within 3
      two kills within three seconds
  fragreel highlights final.dm_68 --chat lol,wtf --player Sarge
  fragreel highlights demos/ --flicks 90 --weapon railgun --own
  fragreel highlights final.dm_68 -o moments
      cut out: moments/final_1.dm_68 and so on
  fragreel highlights demos/ --best 20 -o 'm/{#}_{player}_{weapon}_{map}.{ext}'
  fragreel highlights demos/ --best 100 --csv > moments.csv
  fragreel highlights demos/ --best 20 --list wolfcam > recorddemos.txt

In a pattern {#} is the number, {player}, {weapon}, {reason}, {points} and {from}
belong to the moment, {map}, {date}, {server}, {game}, {mod} and {mode} to
the recording, {stem} and {ext} are its name and extension. Names are made safe, a
second result with the same name gets _2, and nothing is replaced without --force.

Distances need both players in view. Only Quake III states who is in the air for
every player; Quake II does for the viewed player; other games never do.

Exit codes: 0 success, 1 damage found, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    criteria: Criteria,

    /// Only the best N moments of all recordings, best first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    best: Option<u32>,

    /// Write the list for a movie-making program; with -o, write all files that the program needs
    /// into FOLDER
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["json", "resume", "dry_run"])]
    list: Option<Tool>,

    /// Comma-separated values with a header line, one line for each reason of a moment, as
    /// docs/json.md describes
    #[arg(long, conflicts_with_all = ["json", "list", "output"])]
    csv: bool,

    /// CSV that is safe to open in a spreadsheet: formulas are escaped
    #[arg(long, conflicts_with_all = ["json", "csv", "list", "output"])]
    spreadsheet: bool,

    #[command(flatten)]
    options: ManyOptions,
}

const DOING: Doing = Doing {
    name: "highlights",
    now: "cutting the moments out",
    done: "cut like that",
    help: "Without -o the moments are only listed.",
    of_damaged: false,
    result: Against::Source,
};

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let Arguments { paths, criteria, best, list, csv, spreadsheet, options } = self;
        let format = Format::of(options.json(), csv || spreadsheet);
        let shape = |headed| match format {
            Format::Json => Shape::Json,
            Format::Csv => Shape::Csv { formulas: !spreadsheet, headed },
            Format::Table => Shape::Table,
        };
        let best = best.map(|best| best as usize);
        let wanted = criteria.settle(best.is_some());
        if let Some(tool) = list {
            let (outcome, found) = found::look(shell, &paths, None, &criteria, &wanted, Some(tool), Fate::Kept(best, Vec::new()))?;
            return write_list(shell, tool, &found, &paths, &options).map(|()| outcome);
        }
        match (best, options.write()) {
            (None, true) => cut(shell, &paths, &wanted, options),
            (Some(best), true) => cut_best(shell, &paths, &criteria, &wanted, best, options),
            (Some(_), false) if options.is_resumed() => {
                Err(Failure::new("--best cannot be resumed").help("Use --resume with --best only together with -o.").into())
            }
            (Some(best), false) => {
                let (outcome, found) = found::look(shell, &paths, None, &criteria, &wanted, None, Fate::Kept(Some(best), Vec::new()))?;
                let mut list = List::new(shell, shape(false), paths.one().is_none());
                let mut output = output::stdout();
                found.iter().try_for_each(|found| list.add(&mut output, found))?;
                list.finish(&mut output)?;
                output::finish(output)?;
                Ok(outcome)
            }
            (None, false) => {
                let resume = options.resume_for(format, &list::shape_of_answers(), paths.all())?;
                let headed = is_headed(resume.as_ref());
                let mut list = List::new(shell, shape(headed), paths.one().is_none());
                found::look(shell, &paths, resume, &criteria, &wanted, None, Fate::Listed(&mut list)).map(|(outcome, _)| outcome)
            }
        }
    }
}

fn cut(shell: &Shell, paths: &Paths, wanted: &Wanted, options: ManyOptions) -> Result<Outcome, Stop> {
    let alone = paths.one().is_some();
    edit::each_into_several(shell, paths, options, &DOING, |recording, path| {
        let found = recording.highlights(wanted).value;
        if found.moments.is_empty() && alone {
            return Err(Failure::new("no moment meets the criteria").help("Try other criteria, or smaller numbers."));
        }
        made(recording, path, &found.moments.iter().map(|moment| (moment, None)).collect::<Vec<_>>())
    })
}

fn cut_best(shell: &Shell, paths: &Paths, criteria: &Criteria, wanted: &Wanted, best: usize, options: ManyOptions) -> Result<Outcome, Stop> {
    if paths.all().iter().any(|path| path.as_os_str() == input::STDIN) {
        return Err(Failure::new("standard input can be read only once").help("Name a file to cut out its best moments.").into());
    }
    let resume = options.resume(&DOING, paths.all())?;
    let settled = options.settle()?;
    let (outcome, found) = found::look(shell, paths, None, criteria, wanted, None, Fate::Kept(Some(best), Vec::new()))?;
    if found.is_empty() {
        return Err(Failure::new("no moment meets the criteria").help("Try other criteria, or smaller numbers.").into());
    }
    let mut meant: Vec<PathBuf> = Vec::new();
    for found in &found {
        if !meant.contains(&found.path) {
            meant.push(found.path.clone());
        }
    }
    let files = edit::Files { named: paths.all(), meant: &meant };
    let cut = edit::many(shell, files, resume, &settled, &DOING, |recording, path| {
        let mut here: Vec<Numbered<'_>> = found.iter().filter(|one| one.path == path).map(|one| (&one.moment, Some((one.number, found.len())))).collect();
        here.sort_by_key(|(moment, _)| moment.from);
        made(recording, path, &here)
    })?;
    Ok(outcome.max(cut))
}

/// A moment, with its number in a ranking and how many are in it, where there is one.
type Numbered<'m> = (&'m Highlight, Option<(usize, usize)>);

/// Cuts moments out. Some have a number in a ranking.
fn made(recording: &Recording, path: &Path, moments: &[Numbered<'_>]) -> Result<Vec<Made>, Failure> {
    let ranges: Vec<_> = moments.iter().map(|(moment, _)| moment.range()).collect();
    let label = |moment: &Highlight, number: Option<(usize, usize)>| Label {
        player: moment.players.first().map(|name| name.clean.clone()),
        weapon: moment.weapon().or(moment.means()).map(str::to_owned),
        reason: moment.reasons.first().map(|reason| reason.what.name().to_owned()),
        from: Some(moment.from),
        points: Some(moment.points),
        number,
    };
    let cut = |(edited, (moment, number)): (Result<Edited, Error>, &Numbered<'_>)| {
        let edited = edited.map_err(|error| edit::failed(&DOING, path, error))?;
        Ok(Made { edited, label: label(moment, *number) })
    };
    recording.cuts(&ranges).into_iter().zip(moments).map(cut).collect()
}

/// Writes a list for a program: into a folder with all files, or the list alone to standard output.
fn write_list(shell: &Shell, tool: Tool, found: &[Found], paths: &Paths, options: &ManyOptions) -> Result<(), Stop> {
    let list = tool.list(found, options.output().is_some());
    for (reason, count) in &list.left_out {
        let moments = if *count == 1 { "1 moment is" } else { &format!("{count} moments are") };
        eprintln!("{moments} not in the list: {reason}");
    }
    let Some(folder) = options.output() else {
        let mut output = output::stdout();
        output.write_all(list.files[0].1.as_bytes())?;
        output::finish(output)?;
        if list.files.len() > 1 {
            eprintln!("the program needs {} more files: name a folder for them with -o", list.files.len() - 1);
        }
        return Ok(());
    };
    let (mut targets, inputs) = (Vec::new(), Inputs::of(paths.all()));
    for (name, text) in &list.files {
        let path = folder.join(name);
        edit::make_folder(&path)?;
        targets.push((Target::of(&path, &inputs, options.force())?, text));
    }
    let mut output = output::stdout();
    for (source, name) in &list.copies {
        let target = Target::of(&folder.join(name), &inputs, options.force())?;
        let shown = target.shown().to_owned();
        Draft::put(target, input::load(shell, source, false)?.bytes())?;
        writeln!(output, "wrote {}, a copy of {}", printable(&shown.to_string_lossy()), printable(&source.to_string_lossy()))?;
    }
    for (target, text) in targets {
        let shown = target.shown().to_owned();
        Draft::put(target, text.as_bytes())?;
        writeln!(output, "wrote {}", printable(&shown.to_string_lossy()))?;
    }
    Ok(output::finish(output)?)
}
