//! The same edit of every recording in folders: results into files of their own, in the same tree or by a pattern.

use std::io::Write;
use std::path::{Path, PathBuf};

use fragreel::Recording;

use super::names::{Made, Names, TakenNames};
use super::report::Report;
use super::{Doing, EachOptions, InChunks, ManyOptions, NOT_WRITTEN, Options, Ready, put, ready, ready_in_chunks};
use crate::asked::{Asked, Held};
use crate::atomic_file::Inputs;
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, Stop, guarded};
use crate::output::{Output, printable};
use crate::paths::Paths;
use crate::resume::Resume;
use crate::shell::{Ink, Outcome, Shell};
use crate::{input, json, search};

/// Edits what `paths` mean, each recording into one: one recording as [`run`](super::run) does, or every one of several.
pub fn each<M: Into<Made>>(
    shell: &Shell,
    paths: &Paths,
    options: EachOptions,
    doing: &Doing,
    edit: impl Fn(&Recording, &Path) -> Result<M, Failure> + Sync,
) -> Result<Outcome, Stop> {
    if let Some(path) = paths.one() {
        let options = options.settle()?;
        return super::run(shell, std::slice::from_ref(path), &options, doing, |sources| Ok([edit(&sources[0], path)?]));
    }
    let resume = options.resume(doing, paths.all())?;
    let options = options.settle_folder()?;
    many(shell, Files { named: paths.all(), meant: paths.all() }, resume, &options, doing, |recording, path| Ok(vec![edit(recording, path)?.into()]))
}

/// The same for an edit of long recordings that are read in chunks.
pub fn each_in_chunks<M: Into<Made>>(
    shell: &Shell,
    paths: &Paths,
    options: EachOptions,
    doing: &Doing,
    edit: impl Fn(&Recording, &Path) -> Result<M, Failure> + Sync,
    in_chunks: InChunks<'_>,
) -> Result<Outcome, Stop> {
    if let Some(path) = paths.one() {
        return match input::open_long(shell, path)? {
            Some(recording) => super::run_in_chunks(shell, path, &recording, &options.settle()?, doing, in_chunks),
            None => each(shell, paths, options, doing, edit),
        };
    }
    let resume = options.resume(doing, paths.all())?;
    let options = options.settle_folder()?;
    let files = Files { named: paths.all(), meant: paths.all() };
    let ask = |asked: &Asked<'_>| {
        let names = names_of(asked.path, &files);
        let result = match asked.recording {
            Held::Long(recording) => vec![ready_in_chunks(recording, asked.path, doing, &options, &names, in_chunks)?],
            Held::Whole(recording) => {
                let made = vec![edit(recording, asked.path)?.into()];
                guarded(asked.name, NOT_WRITTEN, || ready(std::slice::from_ref(recording), doing, &options, &names, made))?
            }
        };
        Ok((asked.path.to_owned(), result))
    };
    let mut each = Each::new(shell, &files, resume.as_ref(), &options, doing);
    batch::run_in_chunks(shell, files.meant, resume, true, ask, &mut each)
}

/// Edits what `paths` mean, each recording into as many as there are: one recording as [`run`](super::run) does, or every one of
/// several; some may come to nothing.
pub fn each_into_several<M: Into<Made>>(
    shell: &Shell,
    paths: &Paths,
    options: ManyOptions,
    doing: &Doing,
    edit: impl Fn(&Recording, &Path) -> Result<Vec<M>, Failure> + Sync,
) -> Result<Outcome, Stop> {
    if let Some(path) = paths.one() {
        if options.is_resumed() {
            return Err(Failure::new("--resume needs several recordings").help("Leave it out, or name several recordings.").into());
        }
        let options = options.settle()?;
        return super::run(shell, std::slice::from_ref(path), &options, doing, |sources| edit(&sources[0], path));
    }
    let resume = options.resume(doing, paths.all())?;
    let options = options.settle()?;
    many(shell, Files { named: paths.all(), meant: paths.all() }, resume, &options, doing, |recording, path| {
        Ok(edit(recording, path)?.into_iter().map(Into::into).collect())
    })
}

/// Which files are edited.
pub struct Files<'a> {
    /// What was named on the command line: their tree begins there.
    pub named: &'a [PathBuf],
    /// What is edited of it.
    pub meant: &'a [PathBuf],
}

/// Edits many recordings.
pub fn many(
    shell: &Shell,
    files: Files<'_>,
    resume: Option<Resume>,
    options: &Options,
    doing: &Doing,
    edit: impl Fn(&Recording, &Path) -> Result<Vec<Made>, Failure> + Sync,
) -> Result<Outcome, Stop> {
    let ask = |source: &Source<'_>| {
        let made = edit(source.recording, source.path)?;
        let names = names_of(source.path, &files);
        let results = guarded(source.name, NOT_WRITTEN, || ready(std::slice::from_ref(source.recording), doing, options, &names, made))?;
        Ok((source.path.to_owned(), results))
    };
    let mut each = Each::new(shell, &files, resume.as_ref(), options, doing);
    batch::run(shell, files.meant, resume, ask, &mut each)
}

/// The names for the results of a file.
fn names_of(path: &Path, files: &Files<'_>) -> Names {
    Names::of(path).below(search::below(path, files.named))
}

/// Puts results in place and shows what became of each. That is done in the order of the input, so that names are the same in
/// every run.
struct Each<'a> {
    report: Report<'a>,
    shell: &'a Shell,
    options: &'a Options,
    headed: bool,
    taken: TakenNames,
    resumed: bool,
    /// What is still to be edited is not overwritten either.
    inputs: Inputs,
}

impl<'a> Each<'a> {
    fn new(shell: &'a Shell, files: &Files<'_>, resume: Option<&Resume>, options: &'a Options, doing: &Doing) -> Self {
        Each {
            report: Report::new(shell, options.json, doing),
            shell,
            options,
            headed: false,
            taken: TakenNames::of(resume.map(|resume| resume.outputs.clone()).unwrap_or_default()),
            resumed: resume.is_some(),
            inputs: Inputs::of(files.named.iter().chain(files.meant)),
        }
    }
}

impl Renderer<(PathBuf, Vec<Ready>)> for Each<'_> {
    fn kept(&self) -> &'static str {
        "; finished results are written"
    }

    fn answer(&mut self, output: &mut Output, path: &str, (source, results): (PathBuf, Vec<Ready>)) -> Result<Outcome, Stop> {
        if results.is_empty() {
            return Ok(Outcome::Fine);
        }
        let source = [source];
        let written = match put(&self.inputs, self.options, &mut self.taken, self.resumed, results) {
            Ok(written) => written,
            Err(Stop::Failed(failure)) => {
                self.failure(output, path, &failure)?;
                self.shell.report(*failure);
                return Ok(Outcome::Misuse);
            }
            Err(stop) => return Err(stop),
        };
        if !self.options.json {
            let gap = if self.headed { "\n" } else { "" };
            writeln!(output, "{gap}{}", self.shell.paint(Ink::Strong, printable(path)))?;
            self.headed = true;
        }
        super::report(&self.report, output, &source, &written)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.options.json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}
