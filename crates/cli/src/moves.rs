//! Files that get other names by what is in them: `rename` and `sort`. Every move is noted in a list first, by which it can be undone.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::batch::{self, Renderer, Source};
use crate::edit::{self, Label, Names, Pattern, TakenNames, permitted};
use crate::failure::{Failure, FailureKind, Stop};
use crate::output::{self, Output, printable};
use crate::paths::Paths;
use crate::shell::{Outcome, Shell};
use crate::{input, inside, interrupt, json};

/// What both commands take.
#[derive(clap::Args)]
pub struct Options {
    /// Show the new names, and move nothing
    #[arg(long, short = 'n')]
    dry_run: bool,

    /// List of all moves, to which these are appended; `--undo` takes it
    #[arg(long, value_name = "FILE", default_value = "fragreel-moves.jsonl")]
    moves: PathBuf,

    /// One JSON object per move, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

/// A move, as the list has it.
#[derive(Debug, Serialize, Deserialize)]
struct Moved {
    path: String,
    to: String,
}

/// A recording and its new place.
struct Planned {
    from: PathBuf,
    to: PathBuf,
}

/// Moves the files that `paths` mean to where the pattern says, below `folder` or else beside each.
pub fn by_content(shell: &Shell, paths: &Paths, pattern: &Pattern, folder: Option<&Path>, options: &Options) -> Result<Outcome, Stop> {
    let ask = |source: &Source<'_>| planned(source, pattern, folder);
    let mut plan = Plan { options, planned: Vec::new(), done: 0, unchanged: 0 };
    let outcome = batch::run(shell, paths.all(), None, ask, &mut plan)?;
    let Plan { done, unchanged, .. } = plan;
    if !options.json {
        let kept = if unchanged > 0 { format!(", {unchanged} have their names already") } else { String::new() };
        if options.dry_run {
            eprintln!("{done} would be moved{kept}");
        } else if done > 0 {
            eprintln!("moved {done}{kept}; `fragreel rename --undo {}` moves them back", options.moves.display());
        } else {
            eprintln!("moved nothing{kept}");
        }
    }
    Ok(outcome)
}

fn planned(source: &Source<'_>, pattern: &Pattern, folder: Option<&Path>) -> Result<Planned, Failure> {
    let path = source.path;
    if path == Path::new(input::STDIN) || inside::split(path).is_some() {
        return Err(Failure::new(format!("`{}` is not a file of its own, and cannot be moved", path.display())).help("Unpack the archive first."));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let around = [".gz", ".frp"].into_iter().find(|end| name.to_ascii_lowercase().ends_with(end)).map_or("", |end| &name[name.len() - end.len()..]);
    let plain = &name[..name.len() - around.len()];
    let extension = plain.rsplit_once('.').map_or("", |(_, extension)| extension);
    let names = Names::of(path);
    let to = pattern.name(names.stem(), extension, "", &Label::default(), || pattern.played(source.recording));
    let mut to = permitted(&to, cfg!(windows));
    if !around.is_empty() && !to.to_string_lossy().ends_with(around) {
        let mut packed = to.into_os_string();
        packed.push(around);
        to = packed.into();
    }
    let base = folder.or(path.parent()).unwrap_or(Path::new(""));
    Ok(Planned { from: path.to_owned(), to: base.join(to) })
}

/// Collects all moves before the first is made: what is moved must not be found again.
struct Plan<'a> {
    options: &'a Options,
    planned: Vec<Planned>,
    done: usize,
    unchanged: usize,
}

impl Renderer<Planned> for Plan<'_> {
    fn answer(&mut self, _: &mut Output, _: &str, planned: Planned) -> Result<Outcome, Stop> {
        self.planned.push(planned);
        Ok(Outcome::Fine)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.options.json { json::failure(output, path, failure).map_err(Stop::from) } else { Ok(()) }
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        interrupt::keeps(String::from("nothing was moved"));
        if interrupt::asked() {
            output.flush()?;
            interrupt::exit();
        }
        let mut list = List { path: &self.options.moves, file: None };
        let mut taken = TakenNames::of(HashSet::new());
        for Planned { from, to } in std::mem::take(&mut self.planned) {
            let to = free(&mut taken, &from, to);
            if to == from {
                self.unchanged += 1;
                continue;
            }
            let moved = Moved { path: input::name(&from), to: input::name(&to) };
            if !self.options.dry_run {
                list.add(&moved)?;
                edit::make_folder(&to)?;
                rename(&from, &to).map_err(|error| unmoved(&from, &to, error))?;
            }
            self.done += 1;
            interrupt::keeps(format!("moved {}; run the command again to continue, or `fragreel rename --undo {}`", self.done, self.options.moves.display()));
            tell(output, &moved, self.options.json)?;
            if interrupt::asked() {
                output.flush()?;
                interrupt::exit();
            }
        }
        Ok(())
    }
}

fn tell(output: &mut Output, moved: &Moved, as_json: bool) -> io::Result<()> {
    if as_json { json::line(output, moved) } else { writeln!(output, "{} -> {}", printable(&moved.path), printable(&moved.to)) }
}

/// A name that no other file has, and that none of the others gets.
fn free(taken: &mut TakenNames, from: &Path, wanted: PathBuf) -> PathBuf {
    loop {
        let to = taken.free(wanted.clone());
        if to == from || fs::symlink_metadata(&to).is_err() {
            return to;
        }
    }
}

/// Gives a file another name, and never takes the place of another file.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    // a link is made only where nothing is
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        Err(_) if fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
        // some file systems have no such links
        Err(_) => fs::rename(from, to),
    }
}

fn unmoved(from: &Path, to: &Path, error: io::Error) -> Failure {
    let advice = match error.kind() {
        ErrorKind::CrossesDevices => "Files are moved within one disk: name a folder on the same one.",
        ErrorKind::AlreadyExists => "Another file came there meanwhile. Run the command again.",
        _ => "Check permissions. What was moved before stays moved.",
    };
    Failure::new(format!("cannot move `{}` to `{}`", from.display(), to.display())).because(error).help(advice)
}

/// The list of moves.
struct List<'a> {
    path: &'a Path,
    file: Option<File>,
}

impl List<'_> {
    /// Notes a move that is about to be made.
    fn add(&mut self, moved: &Moved) -> Result<(), Failure> {
        let whole = |name: &str| std::path::absolute(input::path_of(name)).map(|path| input::name(&path));
        let mut write = || {
            let file = match &mut self.file {
                Some(file) => file,
                None => self.file.insert(File::options().append(true).create(true).open(self.path)?),
            };
            json::line(file, &Moved { path: whole(&moved.path)?, to: whole(&moved.to)? })
        };
        write().map_err(|error| {
            Failure::new(format!("cannot write the list of moves `{}`", self.path.display())).because(error).help("Name another with --moves.")
        })
    }
}

/// Moves back what a list says, the last first. What is not where the list says stays.
pub fn undo(shell: &Shell, list: &Path, options: &Options) -> Result<Outcome, Stop> {
    let wrong = |error: io::Error| {
        Failure::new(format!("cannot read the list of moves `{}`", list.display())).because(error).help("Name the list that was given after --moves.")
    };
    let file = File::open(list).map_err(wrong)?;
    let mut moves: Vec<Moved> = Vec::new();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(wrong)?;
        let moved = serde_json::from_str(&line).map_err(|_| {
            Failure::new(format!("`{}` is not a list of moves", list.display()))
                .kind(FailureKind::Malformed)
                .help("Name the list that was given after --moves.")
        })?;
        moves.push(moved);
    }
    let (mut output, mut outcome, mut done) = (output::stdout(), Outcome::Fine, 0);
    for Moved { path, to } in moves.into_iter().rev() {
        let (before, now) = (input::path_of(&path), input::path_of(&to));
        // noted, and not moved, or moved back before
        if fs::symlink_metadata(&now).is_err() {
            continue;
        }
        if !options.dry_run {
            let back = edit::make_folder(&before).and_then(|()| rename(&now, &before).map_err(|error| unmoved(&now, &before, error)));
            if let Err(failure) = back {
                shell.report(failure);
                outcome = Outcome::Misuse;
                continue;
            }
        }
        done += 1;
        tell(&mut output, &Moved { path: to, to: path }, options.json)?;
    }
    output::finish(output)?;
    if !options.json {
        eprintln!("{} {done} back", if options.dry_run { "would move" } else { "moved" });
    }
    Ok(outcome)
}
