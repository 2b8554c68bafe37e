//! Where results go.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::report::Finding;
use crate::draft::Target;
use crate::failure::Failure;
use crate::input::STDIN;
use crate::resume::{self, Format, Resume};

/// Options of every command that writes one recording.
#[derive(clap::Args)]
pub struct OneOptions {
    /// Where to write the result: a file, compressed when its name ends in .gz, or `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    manner: Manner,
}

/// Options of every command that writes several recordings.
#[derive(clap::Args)]
pub struct ManyOptions {
    /// Where to write the results: a folder, or a pattern such as
    /// parts/{stem}_{#}.{ext}.gz
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,

    #[command(flatten)]
    manner: Manner,
}

/// Options of every command that writes one recording for each that it is given.
#[derive(clap::Args)]
pub struct EachOptions {
    /// Where to write the result: a file, compressed when its name ends in .gz,
    /// or `-` for standard output; for several recordings a folder, which gets
    /// the same tree
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    manner: Manner,

    #[command(flatten)]
    resume: resume::Options,
}

/// How any result is written.
#[derive(clap::Args)]
struct Manner {
    /// Replace what is there already
    #[arg(long)]
    force: bool,

    /// Write the result even when its check finds fault with it
    #[arg(long)]
    unsound: bool,

    /// Only say what would be done
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
    /// Several results, into files of this pattern.
    Pattern(String),
    /// A result for each source, into a folder with the same tree.
    Tree(PathBuf),
}

impl OneOptions {
    /// The options, with their sense checked.
    pub fn settle(self) -> Result<Options, Failure> {
        let destination = match self.output {
            _ if self.manner.dry_run => Destination::Nowhere,
            None => return Err(nowhere()),
            Some(path) if path == Path::new(STDIN) => Destination::Stdout,
            Some(path) => Destination::File(path),
        };
        Ok(self.manner.with(destination))
    }
}

impl EachOptions {
    /// The options for one recording, with their sense checked.
    pub fn settle(self) -> Result<Options, Failure> {
        if self.resume.is_wanted() {
            return Err(Failure::new("one recording is done or not").help("--resume is for several recordings."));
        }
        OneOptions { output: self.output, manner: self.manner }.settle()
    }

    /// The options for several.
    pub fn settle_folder(self) -> Result<Options, Failure> {
        let destination = match self.output {
            _ if self.manner.dry_run => Destination::Nowhere,
            None => return Err(nowhere()),
            Some(path) if path == Path::new(STDIN) || path.is_file() => {
                let failure = Failure::new(format!("`{}` is no folder, and several recordings are given", path.display()));
                return Err(failure.help("Name a folder with -o: it gets a file for each, in the same tree."));
            }
            Some(path) if path.to_string_lossy().contains('{') => Destination::Pattern(checked(&path)?),
            Some(path) => Destination::Tree(path),
        };
        Ok(self.manner.with(destination))
    }

    /// Where an earlier run stopped.
    pub fn resume(&self) -> Result<Option<Resume>, Failure> {
        self.resume.open_for(if self.manner.json { Format::Json } else { Format::Table }, false)
    }

    /// Whether machines are to read the report.
    pub fn json(&self) -> bool {
        self.manner.json
    }
}

impl ManyOptions {
    /// The options, with their sense checked.
    pub fn settle(self) -> Result<Options, Failure> {
        let destination = match self.output {
            _ if self.manner.dry_run => Destination::Nowhere,
            None => return Err(nowhere()),
            Some(path) => Destination::Pattern(pattern(&path)?),
        };
        Ok(self.manner.with(destination))
    }

    /// Whether anything is to be written.
    pub fn write(&self) -> bool {
        self.output.is_some()
    }

    /// Whether the report is for machines.
    pub fn json(&self) -> bool {
        self.manner.json
    }
}

impl Manner {
    fn with(self, destination: Destination) -> Options {
        Options { destination, force: self.force, unsound: self.unsound, json: self.json }
    }
}

fn nowhere() -> Failure {
    Failure::new("it is not said where to write the result").help("Say it with -o, or ask with --dry-run what would be done.")
}

/// What stands for what in patterns.
const PLACEHOLDERS: [&str; 4] = ["{stem}", "{n}", "{map}", "{ext}"];

fn pattern(path: &Path) -> Result<String, Failure> {
    let Some(text) = path.to_str() else {
        return Err(Failure::new(format!("`{}` is no pattern", path.display())).help("Name a folder whose name is UTF-8."));
    };
    if !text.contains('{') {
        return Ok(format!("{}/{{stem}}_{{n}}.{{ext}}", text.trim_end_matches('/')));
    }
    checked(path).and_then(|text| if text.contains("{n}") { Ok(text) } else { Err(no_pattern(&text)) })
}

/// A pattern whose placeholders are known.
fn checked(path: &Path) -> Result<String, Failure> {
    let Some(text) = path.to_str() else { return Err(no_pattern(&path.to_string_lossy())) };
    let unknown = PLACEHOLDERS.iter().fold(text.to_owned(), |text, known| text.replace(known, ""));
    if unknown.contains(['{', '}']) { Err(no_pattern(text)) } else { Ok(text.to_owned()) }
}

fn no_pattern(text: &str) -> Failure {
    let failure = Failure::new(format!("`{text}` is no pattern for names"));
    failure.help(format!("There are {}; where a recording has several results, it needs {{n}} for the number.", PLACEHOLDERS.join(", ")))
}

/// What names of results are made of.
pub struct Names {
    stem: String,
    /// Folders between the one that was named and the source.
    below: PathBuf,
    packed: bool,
}

impl Names {
    /// From the name of the source.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().into_owned();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
        let packed = plain.len() < name.len();
        Names { below: PathBuf::new(), packed, stem: if stem.is_empty() || name == STDIN { String::from("recording") } else { stem.to_owned() } }
    }

    /// The same in a tree.
    pub fn below(self, below: PathBuf) -> Self {
        Names { below, ..self }
    }
}

impl Destination {
    /// Refuses what can be known to be refused before any work is done.
    pub fn refuse_early(&self, inputs: &[PathBuf], options: &Options) -> Result<(), Failure> {
        match self {
            Destination::File(path) => Target::of(path, inputs, options.force).map(drop),
            _ => Ok(()),
        }
    }

    /// Whether the report has to make room on standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self, Destination::Stdout)
    }

    /// Where each result goes; nothing when it goes nowhere.
    pub fn targets(&self, names: &Names, findings: &[Finding]) -> Result<Vec<Option<PathBuf>>, Failure> {
        match self {
            Destination::Nowhere => Ok(vec![None; findings.len()]),
            Destination::Stdout => Ok(vec![Some(PathBuf::from(STDIN)); findings.len()]),
            Destination::File(path) => Ok(vec![Some(path.clone()); findings.len()]),
            Destination::Tree(folder) => {
                let name = |finding: &Finding| {
                    let packed = if names.packed { ".gz" } else { "" };
                    Some(folder.join(&names.below).join(format!("{}.{}{packed}", names.stem, finding.edited.extension)))
                };
                let targets: Vec<_> = findings.iter().map(name).collect();
                make_folders(&targets)?;
                Ok(targets)
            }
            Destination::Pattern(pattern) => {
                let digits = findings.len().to_string().len();
                let name = |(at, finding): (usize, &Finding)| Some(PathBuf::from(fill(pattern, names, at + 1, digits, finding)));
                let targets: Vec<_> = findings.iter().enumerate().map(name).collect();
                make_folders(&targets)?;
                Ok(targets)
            }
        }
    }
}

fn fill(pattern: &str, names: &Names, number: usize, digits: usize, finding: &Finding) -> String {
    let map = if pattern.contains("{map}") { finding.map() } else { String::new() };
    pattern.replace("{n}", &format!("{number:0digits$}")).replace("{ext}", &finding.edited.extension).replace("{map}", &map).replace("{stem}", &names.stem)
}

fn make_folders(targets: &[Option<PathBuf>]) -> Result<(), Failure> {
    for folder in targets.iter().flatten().filter_map(|target| target.parent()).filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::new(format!("cannot make the folder `{}`", folder.display())).because(error).help("Name one that you may write to."))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_pattern_and_a_pattern_has_a_number() {
        for (given, expected) in [("parts", Some("parts/{stem}_{n}.{ext}")), ("a/", Some("a/{stem}_{n}.{ext}")), ("x/{n}.{ext}", Some("x/{n}.{ext}"))] {
            assert_eq!(pattern(Path::new(given)).ok().as_deref(), expected);
        }
        for wrong in ["x/{stem}.{ext}", "x/{n}_{player}", "{n"] {
            assert!(pattern(Path::new(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn stems_are_names_without_what_says_the_format() {
        for (path, stem) in [("a/Final.dm_68", "Final"), ("x.y.dm2.gz", "x.y"), ("-", "recording"), (".dm2", "recording"), ("plain", "plain")] {
            assert_eq!(Names::of(Path::new(path)).stem, stem, "{path}");
        }
    }
}
