//! The same edit of every recording in folders: each result into a file of its own, in the same tree.

use std::io::Write;
use std::path::{Path, PathBuf};

use fragreel::Recording;
use fragreel::edit::Edited;

use super::destination::Names;
use super::report::Report;
use super::{Doing, EachOptions, NOT_WRITTEN, Written, check, put};
use crate::batch::{self, Show, Source};
use crate::command::Paths;
use crate::failure::{Failure, Stop, guarded};
use crate::output::{Output, printable};
use crate::shell::{Ink, Outcome, Shell};
use crate::{json, search};

/// Edits what `paths` mean: one recording as [`run`](super::run) does, or every one of several.
pub fn each(
    shell: &Shell,
    paths: &Paths,
    options: EachOptions,
    doing: &Doing,
    edit: impl Fn(&Recording<'_>, &Path) -> Result<Edited, Failure> + Sync,
) -> Result<Outcome, Stop> {
    if let Some(path) = paths.one() {
        let options = options.settle()?;
        return super::run(shell, std::slice::from_ref(path), &options, doing, |sources| Ok(vec![edit(sources[0], path)?]));
    }
    let resume = options.resume()?;
    let options = options.settle_folder()?;
    let paths = paths.all();
    let ask = |source: &Source<'_>| {
        let edited = edit(source.recording, source.path)?;
        let findings = guarded(source.name, NOT_WRITTEN, || check(&[source.recording], source.bytes, doing, &options, vec![edited]))?;
        let names = Names::of(source.path).below(search::below(source.path, paths));
        let targets = options.destination.targets(&names, &findings)?;
        match put(&[source.path.to_owned()], &options, findings, targets) {
            Ok(written) => Ok((source.path.to_owned(), written)),
            Err(Stop::Failed(failure)) => Err(*failure),
            Err(Stop::PipeClosed) => Err(Failure::new("the output was closed")),
        }
    };
    batch::run(shell, paths, resume, ask, &mut Each { report: Report::new(shell, &options), shell, json: options.json, headed: false })
}

/// Shows what became of each.
struct Each<'a> {
    report: Report<'a>,
    shell: &'a Shell,
    json: bool,
    headed: bool,
}

impl Show<(PathBuf, Vec<Written>)> for Each<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, (source, written): (PathBuf, Vec<Written>)) -> Result<Outcome, Stop> {
        if !self.json {
            let gap = if self.headed { "\n" } else { "" };
            writeln!(output, "{gap}{}", self.shell.paint(Ink::Strong, printable(path)))?;
            self.headed = true;
        }
        super::report(&self.report, output, &[source], &written)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}
