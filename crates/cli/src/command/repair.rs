//! `fragreel repair`

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fragreel::Demo;

use super::OnePath;
use crate::failure::{Failure, Stop};
use crate::input;
use crate::output::{self, printable};
use crate::shell::{Ink, Outcome, Shell};

/// Make a file that plays of a damaged one
///
/// Says what was done, and checks the result before it is put in place. The damaged file is never touched. Half-Life
/// recordings can be repaired: their directory is rebuilt, what is no recording is left out, cut ends are closed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel repair --dry-run broken.dem              what would be done
  fragreel repair broken.dem -o whole.dem           do it, into another file

Exit codes: 0 the result is whole, 1 it is not quite, 2 it could not be done.")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// Where to write the result
    #[arg(long, short, value_name = "FILE", required_unless_present = "dry_run")]
    output: Option<PathBuf>,

    /// Replace the output when it is there already
    #[arg(long)]
    force: bool,

    /// Only say what would be done
    #[arg(long, short = 'n')]
    dry_run: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &self.file.path;
        let target = self.output.as_deref().filter(|_| !self.dry_run);
        if let Some(target) = target {
            may_write(path, target, self.force)?;
        }
        let demo = input::load(path)?;
        let recording = demo.open().map_err(|error| input::not_opened(path, error))?;
        let name = path.to_string_lossy();
        let repaired = recording.repair().map_err(|error| {
            Failure::new(format!("`{name}` cannot be repaired")).because(error).help("`fragreel verify --details` says what is whole in it.")
        })?;
        let whole = is_whole(&repaired.bytes, &name);
        let mut output = output::stdout();
        if repaired.actions.is_empty() {
            writeln!(output, "nothing had to be done to {}", printable(&name))?;
        }
        for action in &repaired.actions {
            writeln!(output, "{}", printable(action))?;
        }
        if let Some(target) = target {
            replace(target, &repaired.bytes).map_err(|error| {
                Failure::new(format!("cannot write `{}`", target.display()))
                    .because(error)
                    .help("Nothing was changed there. Is there room, and may you write to that folder?")
            })?;
            writeln!(output, "wrote {}, {} bytes", printable(&target.to_string_lossy()), repaired.bytes.len())?;
        }
        let verdict =
            if whole { shell.paint(Ink::Good, "the result is whole") } else { shell.paint(Ink::Bad, "the result is not whole; `fragreel verify` says why") };
        writeln!(output, "{verdict}")?;
        output::finish(output)?;
        Ok(Outcome::damaged(!whole))
    }
}

/// Whether the bytes are a whole recording.
fn is_whole(bytes: &[u8], name: &str) -> bool {
    // A packed file's repaired content is not packed.
    let name = name.strip_suffix(".gz").unwrap_or(name);
    Demo::new(bytes, name).is_ok_and(|demo| demo.open().is_ok_and(|recording| recording.verify().is_whole()))
}

/// Refuses to touch the input, or anything else that is there already.
fn may_write(input: &Path, target: &Path, force: bool) -> Result<(), Failure> {
    let same = matches!((fs::canonicalize(input), fs::canonicalize(target)), (Ok(input), Ok(target)) if input == target);
    if same {
        return Err(
            Failure::new("the damaged file is never overwritten").help("Name another file with -o; delete the damaged one yourself once you are content.")
        );
    }
    if target.exists() && !force {
        return Err(Failure::new(format!("`{}` is there already", target.display())).help("Name another file, or allow it with --force."));
    }
    Ok(())
}

/// Writes a file so that under its name there is either nothing new or all of it.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft_name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "that is no file name"))?.to_owned();
    draft_name.push(format!(".{}.part", std::process::id()));
    let draft = target.with_file_name(draft_name);
    let written = File::create_new(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&draft, target)).inspect_err(|_| drop(fs::remove_file(&draft)))
}
