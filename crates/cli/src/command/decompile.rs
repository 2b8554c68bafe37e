//! `fragreel decompile`

use std::io::Write;
use std::path::PathBuf;

use fragreel::Limits;
use fragreel::text_form::{Decompile, HEAD, decompiler};

use super::OnePath;
use crate::failure::{Failure, Stop};
use crate::shell::{Outcome, Shell};
use crate::text::{self, Source};
use crate::{input, output};

/// Take a recording apart into text
///
/// The text is JSON Lines, a line for each message, and holds everything: `fragreel compile` makes the identical recording
/// of it, damaged and unknown parts included. What stands in the lines, docs/text-form.md says.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel decompile final.dm_68 -o final.jsonl               into a file
  fragreel decompile final.dm_68 | grep serverCommand         to look for something
  fragreel decompile final.mvd | jq -c '...' | fragreel compile - -o edited.mvd
                                                              change it on its way")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// Where to write the text [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the output when it is there already
    #[arg(long)]
    force: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &self.file.path;
        let mut source = Source::open(path, shell)?;
        let mut window = Vec::new();
        let mut broken = source.read(&mut window, HEAD).err();
        let mut decompiler = decompiler(&window, &path.to_string_lossy(), Limits::default()).map_err(|error| input::not_opened(path, error))?;
        let mut sink: Box<dyn Sink> = match &self.output {
            Some(target) => Box::new(text::Sink::new(Some(target), path, self.force)?),
            None => Box::new(output::stdout()),
        };
        let mut text = Vec::new();
        loop {
            let before = window.len();
            if broken.is_none() {
                broken = source.read(&mut window, HEAD).err();
            }
            let last = window.len() == before;
            let used = decompiler.step(&window, last, &mut text);
            window.drain(..used);
            sink.take(&text)?;
            text.clear();
            if last {
                break;
            }
        }
        sink.done()?;
        if let Some(error) = broken {
            let failure = Failure::new(format!("`{}` is packed, and the packing is broken", path.display())).because(error);
            shell.report(failure.help("The text holds what could be unpacked."));
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

impl Sink for output::Output {
    fn take(&mut self, text: &[u8]) -> Result<(), Stop> {
        Ok(self.write_all(text)?)
    }

    fn done(mut self: Box<Self>) -> Result<(), Stop> {
        Ok(self.flush()?)
    }
}
