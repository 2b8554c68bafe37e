//! `fragreel unpack`

use std::io::Write;
use std::path::Path;

use fragreel::packing;

use super::Paths;
use super::pack::{Options, last_name};
use crate::atomic_file::{Draft, Inputs};
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, FailureKind, Stop};
use crate::output::{Output, printable, size};
use crate::shell::{Outcome, Shell};
use crate::{inside, json};

/// Unpack recordings that `fragreel pack` packed
///
/// Restores every byte, and checks the SHA-256 of the original before it writes the file. A damaged
/// packed file is an error; with --partial, the part before the damage is written.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel unpack final.dm_68.frp
      writes final.dm_68
  fragreel unpack packed/ -o demos/
      every packed recording below a folder, into the same tree
  fragreel unpack demos.frpa -o demos/
      every recording of an archive

Exit codes: 0 all were unpacked, 1 some only in part (--partial), 2 some were not.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    options: Options,

    /// Write the part of a damaged file that precedes the damage
    #[arg(long)]
    partial: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let inputs = Inputs::of(self.paths.all());
        let ask = |source: &Source<'_>| unpack(source, &self, &inputs);
        batch::run(shell, self.paths.all(), None, ask, &mut Report { json: self.options.json })
    }
}

/// What became of a packed recording.
#[derive(serde::Serialize)]
struct Unpacked {
    /// Where it is.
    output: String,
    /// Bytes of the recording.
    bytes: u64,
    /// Why there may be more; null if that is all.
    damage: Option<String>,
}

/// Reading has unpacked and checked the recording. Only its name is still missing.
fn unpack(source: &Source<'_>, arguments: &Arguments, inputs: &Inputs) -> Result<Unpacked, Failure> {
    let name = last_name(source.path);
    let plain = original_name(source.path, &name)?;
    let first = source.recording.packing_damage().first();
    if let Some(damage) = first.filter(|damage| damage.offset == 0) {
        return Err(Failure::new(format!("cannot unpack `{}`: {}", source.path.display(), damage.detail))
            .kind(FailureKind::Malformed)
            .help("Nothing was written: any byte of it may be another. Use another copy."));
    }
    let damage = first.map(|damage| damage.detail.clone());
    if let Some(damage) = damage.as_ref().filter(|_| !arguments.partial) {
        return Err(Failure::new(format!("cannot unpack `{}`: {damage}", source.path.display()))
            .kind(FailureKind::Malformed)
            .help("Nothing was written. --partial writes the part before the damage."));
    }
    let target = arguments.options.target(source.path, arguments.paths.all(), inputs, &plain, false)?;
    let output = crate::input::name(target.shown());
    Draft::put(target, source.bytes)?;
    Ok(Unpacked { output, bytes: source.bytes.len() as u64, damage })
}

/// The name without what says that it is packed, or else the one that the packed file keeps.
fn original_name(path: &Path, name: &str) -> Result<String, Failure> {
    if let Some(plain) = name.len().checked_sub(4).filter(|&at| name.is_char_boundary(at) && name[at..].eq_ignore_ascii_case(".frp")) {
        return Ok(name[..plain].to_owned());
    }
    let archive = inside::split(path).map(|(archive, _)| archive);
    if archive.as_deref().is_some_and(|archive| inside::kind(archive) == Some(fragreel_archive::Kind::Packed)) {
        return Ok(name.to_owned());
    }
    let head = if archive.is_none() { kept_head(path) } else { None };
    let kept = head.map(|head| fragreel::model::game_text(&head.name)).filter(|kept| !kept.is_empty());
    kept.filter(|kept| !kept.contains(['/', '\\', '\0']) && kept != ".." && kept != ".").ok_or_else(|| {
        Failure::new(format!("`{}` is not packed", path.display()))
            .kind(FailureKind::Unsupported)
            .help("`fragreel unpack` reads the output of `fragreel pack`: files that end in .frp or .frpa.")
    })
}

fn kept_head(path: &Path) -> Option<packing::Head> {
    use std::io::Read;
    let mut start = Vec::new();
    std::fs::File::open(path).ok()?.take(1024).read_to_end(&mut start).ok()?;
    packing::head(&start).ok()
}

struct Report {
    json: bool,
}

impl Renderer<Unpacked> for Report {
    fn answer(&mut self, output: &mut Output, path: &str, unpacked: Unpacked) -> Result<Outcome, Stop> {
        if self.json {
            json::line(output, &json::About { path, answer: &unpacked })?;
        } else {
            let damage = unpacked.damage.as_ref().map(|damage| format!("; {damage}")).unwrap_or_default();
            writeln!(output, "{}  {}{damage}", size(unpacked.bytes), printable(&unpacked.output))?;
        }
        Ok(Outcome::damaged(unpacked.damage.is_some()))
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}
