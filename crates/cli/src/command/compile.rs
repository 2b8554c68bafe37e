//! `fragreel compile`

use std::path::{Path, PathBuf};

use fragreel::text_form::{Compile, Error, Line, Share, compile_in_shares, compiler, is_end};
use rayon::prelude::*;

use crate::failure::{Failure, FailureKind, Stop};
use crate::output::size;
use crate::shell::{Outcome, Shell};
use crate::text::{Sink, Source};

/// Make a recording from text
///
/// Reads the output of `fragreel decompile`, edited or not. Masks, counts, and lengths are derived:
/// write a field to add it, delete it to remove it. Values that the format cannot store are errors
/// with line, column, and field.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel compile final.jsonl -o final.dm_68
      make the recording
  fragreel compile - -o final.dm2.gz < final.jsonl
      from standard input, packed

Exit codes: 0 success, 1 the last line of the text is missing, 2 invalid text.")]
pub struct Arguments {
    /// The text, or `-` for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,

    /// Output file, compressed if its name ends in .gz [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Lines that are compiled at the same time, and how many bytes of them at most.
const LINES: usize = 1024;
const BYTES: usize = 1 << 22;

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &self.path;
        let mut source = Source::open(path, shell, None)?;
        let mut sink = Sink::new(self.output.as_deref(), path, self.force)?;
        if sink.is_for_terminal() {
            return Err(Failure::new("refusing to write binary data to a terminal").help("Name a file with -o, or send the output elsewhere.").into());
        }
        let mut lines = Lines { path, number: 0, ended: false, spare: Vec::new() };
        let mut first = Vec::new();
        lines.fill(&mut source, &mut first, 1)?;
        let head = first.first().map_or(&[][..], |(_, line)| line);
        let mut compiler = compiler(head).map_err(|error| refused(path, &error))?;
        let (mut out, mut written) = (Vec::new(), 0);
        let mut batch = first;
        while !batch.is_empty() {
            let all = |shares: &mut [Share]| shares.par_iter_mut().for_each(Share::run);
            compile_in_shares(&mut compiler, &batch, shell.jobs, all, &mut out).map_err(|error| refused(path, &error))?;
            written = must_fit(path, written, &out, shell)?;
            sink.write(&out)?;
            out.clear();
            lines.fill(&mut source, &mut batch, LINES)?;
        }
        let patches = compiler.finish(&mut out).map_err(|error| refused(path, &error))?;
        must_fit(path, written, &out, shell)?;
        sink.write(&out)?;
        sink.put(&patches)?;
        if lines.ended {
            return Ok(Outcome::Fine);
        }
        let what = format!("`{}` lacks its last line, so it may be truncated", path.display());
        shell.report(Failure::new(what).help("The existing lines were compiled. If the text is complete, add the line {\"end_of_text\":true}."));
        Ok(Outcome::Damage)
    }
}

/// The lines of a text with their numbers; empty ones are passed over.
struct Lines<'p> {
    path: &'p Path,
    number: u64,
    /// Whether the line that ends a text was there.
    ended: bool,
    /// Buffers of lines that are done with.
    spare: Vec<Vec<u8>>,
}

impl Lines<'_> {
    /// Puts up to `most` lines in the place of those in `batch`; none at the end.
    fn fill(&mut self, source: &mut Source<'_>, batch: &mut Vec<Line>, most: usize) -> Result<(), Failure> {
        self.spare.extend(batch.drain(..).map(|(_, line)| line));
        let mut bytes = 0;
        while batch.len() < most && bytes < BYTES {
            let mut line = self.spare.pop().unwrap_or_default();
            let length = source.line(&mut line).map_err(|error| crate::text::unreadable(self.path, error))?;
            if length == 0 {
                break;
            }
            self.number += 1;
            bytes += length;
            self.ended |= is_end(&line);
            if line.trim_ascii().is_empty() {
                self.spare.push(line);
            } else {
                batch.push((self.number, line));
            }
        }
        Ok(())
    }
}

/// How much is written with what is new; no more than any command reads.
fn must_fit(path: &Path, written: u64, out: &[u8], shell: &Shell) -> Result<u64, Failure> {
    let (written, most) = (written + out.len() as u64, shell.limits.recording_bytes);
    if written <= most {
        return Ok(written);
    }
    Err(Failure::new(format!("the recording compiled from `{}` is longer than {}", path.display(), size(most)))
        .kind(FailureKind::Limit)
        .help("Nothing was written. If you trust the text, raise the limit with --max-size."))
}

fn refused(path: &Path, error: &Error) -> Failure {
    Failure::new(format!("cannot compile `{}`", path.display()))
        .because(error.clone())
        .help("`fragreel schema FAMILY` prints the schema; docs/text-form.md explains it.")
}
