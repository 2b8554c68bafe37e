//! `fragreel decompile`

mod lines;

use std::io::Write;
use std::path::PathBuf;

use fragreel::text_form::{Decompile, HEAD, decompiler};

use super::OnePath;
use super::explain::Length;
use crate::failure::{Failure, FailureKind, Stop};
use crate::output::size;
use crate::shell::{Outcome, Shell, size as parse_size};
use crate::text::{self, Source};
use crate::{input, inside, output};

/// Convert a recording to text
///
/// The text is JSON Lines, one line per message, and contains everything: `fragreel compile` makes
/// the identical file from it, including damaged and unknown parts. docs/text-form.md describes the
/// lines.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel decompile final.dm_68 -o final.jsonl               into a file
  fragreel decompile final.dm_68 | grep serverCommand
      search the text
  fragreel decompile final.mvd | jq -c '...' | fragreel compile - -o edited.mvd
      change it in a pipe
  fragreel decompile final.dm_68 --entity 43 --changed
      the messages in which an entity changed
  fragreel decompile final.dm_68 --places --from 1:30 --to 1:31
      the messages of one second, with numbers and times")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,

    /// Largest text to write
    #[arg(long, value_name = "SIZE", default_value = "20GB", value_parser = parse_size, hide_short_help = true)]
    max_output: u64,

    #[command(flatten)]
    lines: lines::Options,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        if self.lines.change_nothing() { self.stream(shell) } else { self.choose(shell) }
    }

    /// Some lines of it, or with more in them: what they are chosen by takes the whole recording.
    fn choose(&self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &inside::only(&self.file.path)?;
        let recording = input::load(shell, path, false)?;
        let mut lines = self.lines.lines(&recording)?;
        let bytes = recording.bytes();
        let head = &bytes[..bytes.len().min(HEAD)];
        let mut decompiler = decompiler(head, &path.to_string_lossy(), shell.limits).map_err(|error| input::not_opened(path, error))?;
        let mut sink = self.sink(shell)?;
        let (mut used, mut to, mut text, mut chosen, mut written) = (0, head.len(), Vec::new(), Vec::new(), 0);
        loop {
            let last = to == bytes.len();
            used += decompiler.step(&bytes[used..to], last, &mut text);
            // A step gives whole lines.
            text.split_inclusive(|&byte| byte == b'\n').for_each(|line| lines.take(line, &mut chosen));
            sink.take(&chosen)?;
            written += chosen.len() as u64;
            self.must_fit(written)?;
            text.clear();
            chosen.clear();
            if last {
                break;
            }
            to = bytes.len().min(to + HEAD);
        }
        sink.done()?;
        Ok(Outcome::Fine)
    }

    fn sink(&self, shell: &Shell) -> Result<Box<dyn Sink>, Stop> {
        Ok(match &self.output {
            Some(target) => Box::new(text::Sink::new(Some(target), &self.file.path, self.force)?),
            None => Box::new(Shown { output: output::stdout(), length: shell.output_is_terminal.then(Length::default) }),
        })
    }

    fn must_fit(&self, written: u64) -> Result<(), Failure> {
        if written <= self.max_output {
            return Ok(());
        }
        let failure = Failure::new(format!("the text of `{}` is longer than {}", self.file.path.display(), size(self.max_output))).kind(FailureKind::Limit);
        Err(failure.help("If you trust the recording, raise the limit with --max-output."))
    }

    /// All of it, a window at a time.
    fn stream(&self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &inside::only(&self.file.path)?;
        let mut source = Source::open(path, shell, Some(&shell.limits))?;
        let mut window = Vec::new();
        let mut broken = source.read(&mut window, HEAD).err();
        let mut decompiler = decompiler(&window, &path.to_string_lossy(), shell.limits).map_err(|error| input::not_opened(path, error))?;
        let mut sink = self.sink(shell)?;
        let (mut text, mut read, mut written) = (Vec::new(), 0, 0);
        loop {
            let before = window.len();
            if broken.is_none() {
                broken = source.read(&mut window, HEAD).err();
            }
            let last = window.len() == before;
            let used = decompiler.step(&window, last, &mut text);
            window.drain(..used);
            sink.take(&text)?;
            written += text.len() as u64;
            self.must_fit(written)?;
            text.clear();
            read += used as u64;
            if read > shell.limits.recording_bytes {
                return Err(Failure::new(format!("`{}` is longer than {}", path.display(), size(shell.limits.recording_bytes)))
                    .help("If it is a recording, raise the limit with --max-size.")
                    .into());
            }
            if last {
                break;
            }
        }
        sink.done()?;
        if let Some(length) = source.trailing() {
            let failure = Failure::new(format!("{length} bytes that are not gzip follow the packed recording in `{}`", path.display()));
            shell.report(failure.help("They are not in the text."));
            return Ok(Outcome::Damage);
        }
        if let Some(error) = broken {
            let failure = Failure::new(format!("`{}` is packed, and the packed data is damaged", path.display())).because(error);
            shell.report(failure.help("The text has the part that could be unpacked."));
            return Ok(Outcome::Damage);
        }
        Ok(Outcome::Fine)
    }
}

/// Where text goes.
trait Sink {
    fn take(&mut self, text: &[u8]) -> Result<(), Stop>;
    fn done(self: Box<Self>) -> Result<(), Stop>;
}

impl Sink for text::Sink {
    fn take(&mut self, text: &[u8]) -> Result<(), Stop> {
        self.write(text)
    }

    fn done(self: Box<Self>) -> Result<(), Stop> {
        self.put(&[])
    }
}

/// Standard output.
struct Shown {
    output: output::Output,
    /// On a terminal.
    length: Option<Length>,
}

impl Sink for Shown {
    fn take(&mut self, text: &[u8]) -> Result<(), Stop> {
        self.length.iter_mut().for_each(|length| length.add_text(text));
        Ok(self.output.write_all(text)?)
    }

    fn done(mut self: Box<Self>) -> Result<(), Stop> {
        self.output.flush()?;
        if let Some(advice) = self.length.and_then(|length| length.advice()) {
            eprintln!("{advice}");
        }
        Ok(())
    }
}
