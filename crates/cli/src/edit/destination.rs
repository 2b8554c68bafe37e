//! Where results go.

use std::path::{Path, PathBuf};

use super::doing::{self, Doing};
use super::names::{Made, Names, Pattern};
use crate::atomic_file::{Inputs, Target};
use crate::failure::Failure;
use crate::input::STDIN;
use crate::resume::{self, Format, Resume, Shape};

/// Options of every command that writes one recording.
#[derive(clap::Args)]
pub struct OneOptions {
    /// Output file (compressed if its name ends in .gz), or `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    output_options: OutputOptions,
}

/// Options of every command that writes several recordings.
#[derive(clap::Args)]
pub struct ManyOptions {
    /// Output folder, or a pattern such as parts/{stem}_{#}.{ext}.gz. For several recordings, the
    /// folder mirrors the source tree
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,

    #[command(flatten)]
    output_options: OutputOptions,

    #[command(flatten)]
    resume: resume::Options,
}

/// Options of every command that writes one recording for each that it is given.
#[derive(clap::Args)]
pub struct EachOptions {
    /// Output file (compressed if its name ends in .gz), `-` for standard output, or a pattern such
    /// as out/{map}_{player}.{ext}. For several recordings: a folder, which mirrors the source tree
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    output_options: OutputOptions,

    #[command(flatten)]
    resume: resume::Options,
}

/// How any result is written.
#[derive(clap::Args)]
struct OutputOptions {
    /// Overwrite existing files
    #[arg(long)]
    force: bool,

    /// Write the result even if verification finds fault with it. A result that cannot be opened is
    /// never written
    #[arg(long)]
    unsound: bool,

    /// Show what would be done, and write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,

    /// One JSON object per result, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

/// How and where to write.
pub struct Options {
    /// Where to.
    pub destination: Destination,
    /// Replace what is there.
    pub force: bool,
    /// Write what is not sound.
    pub unsound: bool,
    /// Report to machines.
    pub json: bool,
}

/// Where results go.
pub enum Destination {
    /// Nowhere: only what would be done is reported.
    Nowhere,
    /// One result, to standard output.
    Stdout,
    /// One result, into a file.
    File(PathBuf),
    /// Into files of this pattern.
    Pattern(Pattern),
    /// Into a folder with the sources' tree, under their names; with a number each where a source has several results.
    Tree(PathBuf, Numbered),
}

/// Whether results are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbered {
    /// Each source has one.
    No,
    /// A source may have several.
    Yes,
}

impl OneOptions {
    /// The options, with their sense checked.
    pub fn settle(self) -> Result<Options, Failure> {
        let destination = match self.output {
            _ if self.output_options.dry_run => Destination::Nowhere,
            None => return Err(nowhere()),
            Some(path) if path == Path::new(STDIN) => Destination::Stdout,
            Some(path) if Pattern::is(&path) => Destination::Pattern(Pattern::new(&path)?),
            Some(path) => Destination::File(path),
        };
        Ok(self.output_options.with(destination))
    }
}

impl EachOptions {
    /// The options for one recording, with their sense checked.
    pub fn settle(self) -> Result<Options, Failure> {
        if self.resume.is_wanted() {
            return Err(Failure::new("--resume needs several recordings").help("Leave it out, or name several recordings."));
        }
        OneOptions { output: self.output, output_options: self.output_options }.settle()
    }

    /// The options for several.
    pub fn settle_folder(self) -> Result<Options, Failure> {
        let destination = match self.output {
            _ if self.output_options.dry_run => Destination::Nowhere,
            None => return Err(nowhere()),
            Some(path) if path == Path::new(STDIN) || path.is_file() => {
                let failure = Failure::new(format!("`{}` is not a folder, and several recordings are given", path.display()));
                return Err(failure.help("Name a folder with -o: it gets a file for each, in the same tree."));
            }
            Some(path) if Pattern::is(&path) => Destination::Pattern(Pattern::new(&path)?),
            Some(path) => Destination::Tree(folder(path)?, Numbered::No),
        };
        Ok(self.output_options.with(destination))
    }

    /// Where an earlier run stopped.
    pub fn resume(&self, doing: &Doing, paths: &[PathBuf]) -> Result<Option<Resume>, Failure> {
        self.resume.open(self.output_options.format(), &doing::shape(doing, false), paths)
    }

    /// Whether machines are to read the report.
    pub fn json(&self) -> bool {
        self.output_options.json
    }
}

impl ManyOptions {
    /// The options, with their sense checked.
    pub fn settle(self) -> Result<Options, Failure> {
        let destination = match self.output {
            _ if self.output_options.dry_run => Destination::Nowhere,
            None => return Err(nowhere()),
            Some(path) if Pattern::is(&path) => Destination::Pattern(Pattern::new(&path)?),
            Some(path) if path.is_file() => {
                return Err(
                    Failure::new(format!("`{}` is not a folder", path.display())).help("Name a folder with -o, or a pattern such as parts/{stem}_{n}.{ext}.")
                );
            }
            Some(path) => Destination::Tree(folder(path)?, Numbered::Yes),
        };
        Ok(self.output_options.with(destination))
    }

    /// Where an earlier run stopped.
    pub fn resume(&self, doing: &Doing, paths: &[PathBuf]) -> Result<Option<Resume>, Failure> {
        self.resume.open(self.output_options.format(), &doing::shape(doing, true), paths)
    }

    /// Whether an earlier run is gone on with.
    pub fn is_resumed(&self) -> bool {
        self.resume.is_wanted()
    }

    /// The same for a command that writes no recordings.
    pub fn resume_for(&self, format: Format, shape: &Shape, paths: &[PathBuf]) -> Result<Option<Resume>, Failure> {
        self.resume.open(format, shape, paths)
    }

    /// Whether anything is to be written.
    pub fn write(&self) -> bool {
        self.output.is_some() || self.output_options.dry_run
    }

    /// Whether files may be replaced.
    pub fn force(&self) -> bool {
        self.output_options.force
    }

    /// Where to, as it was said.
    pub fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Whether the report is for machines.
    pub fn json(&self) -> bool {
        self.output_options.json
    }
}

impl OutputOptions {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Table }
    }

    fn with(self, destination: Destination) -> Options {
        Options { destination, force: self.force, unsound: self.unsound, json: self.json }
    }
}

/// Refuses to make a folder with a recording's name: one result was expected.
fn folder(path: PathBuf) -> Result<PathBuf, Failure> {
    if path.is_dir() || !fragreel::is_recording_name(&path.to_string_lossy()) {
        return Ok(path);
    }
    Err(Failure::new(format!("`{}` is the name of one recording, and several may come out", path.display()))
        .help("Name a folder for them, or a pattern such as parts/{stem}_{n}.{ext}."))
}

fn nowhere() -> Failure {
    Failure::new("no output file was given").help("Name one with -o, or use --dry-run to see what would be done.")
}

impl Destination {
    /// Refuses what can be known to be refused before any work is done.
    pub fn refuse_early(&self, inputs: &Inputs, options: &Options) -> Result<(), Failure> {
        match self {
            Destination::File(path) => Target::of(path, inputs, options.force).map(drop),
            _ => Ok(()),
        }
    }

    /// Whether the report has to make room on standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self, Destination::Stdout)
    }

    /// Where each result may go, as far as no other has the name; nothing when it goes nowhere.
    pub fn targets(&self, names: &Names, made: &[Made]) -> Vec<Option<PathBuf>> {
        match self {
            Destination::Nowhere => vec![None; made.len()],
            Destination::Stdout => vec![Some(PathBuf::from(STDIN)); made.len()],
            Destination::File(path) => vec![Some(path.clone()); made.len()],
            Destination::Tree(folder, numbered) => names.within(folder, made, *numbered == Numbered::Yes).into_iter().map(Some).collect(),
            Destination::Pattern(pattern) => names.by(pattern, made).into_iter().map(Some).collect(),
        }
    }

    /// Whether names are made up, so that two results may come by the same one.
    pub fn makes_names(&self) -> bool {
        matches!(self, Destination::Tree(..) | Destination::Pattern(_))
    }
}
