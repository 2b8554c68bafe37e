//! `fragreel pack`

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use fragreel::packing;

use super::Paths;
use crate::atomic_file::{Draft, Inputs, Target};
use crate::batch::{self, Renderer, Source};
use crate::edit::permitted;
use crate::failure::{Failure, FailureKind, Stop};
use crate::output::{Output, hex, printable, size};
use crate::shell::{Outcome, Shell};
use crate::{inside, json, search};

/// Pack recordings, byte for byte, into a fraction of their size
///
/// Each becomes a file of its own that every command reads as it reads gzip. The packed bytes are unpacked and compared
/// before they are put in place.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel pack final.dm_68
      writes final.dm_68.frp
  fragreel pack demos/ -o packed/
      every recording below a folder, into the same tree
  fragreel info packed/final.dm_68.frp
      packed recordings are read in place
  fragreel pack --json demos/ -o packed/
      for machines: one JSON object per line

Packing takes about a second of processor time for half a megabyte, unpacking
for one megabyte, and either about 64 MB of memory beside the recording.

Exit codes: 0 all are packed, 2 some are not.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    options: Options,
}

/// Where packed or unpacked recordings go.
#[derive(clap::Args)]
pub struct Options {
    /// Write into this folder, with the same tree; by default beside each file
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Replace what is there already
    #[arg(long)]
    pub force: bool,

    /// One JSON object per recording, as docs/json.md describes
    #[arg(long)]
    pub json: bool,
}

impl Options {
    /// Where the result of `source` goes, under this name.
    pub fn target(&self, source: &Path, named: &[PathBuf], inputs: &Inputs, name: &str) -> Result<Target, Failure> {
        let folder = match &self.output {
            Some(folder) => folder.join(permitted(&search::below(source, named), cfg!(windows))),
            None if inside::split(source).is_some() || source == Path::new(crate::input::STDIN) => {
                return Err(Failure::new(format!("`{}` has no folder to write into", source.display())).help("Name a folder with -o."));
            }
            None => source.parent().map(Path::to_owned).unwrap_or_default(),
        };
        if self.output.is_some() {
            fs::create_dir_all(&folder)
                .map_err(|error| Failure::new(format!("cannot make the folder `{}`", folder.display())).because(error).help("Name another with -o."))?;
        }
        Target::of(&folder.join(permitted(Path::new(name), cfg!(windows))), inputs, self.force)
    }
}

/// The last part of a path; of a member, that of its name in the archive.
pub fn last_name(path: &Path) -> String {
    let name = inside::split(path).map_or_else(|| path.to_string_lossy().into_owned(), |(_, member)| member);
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.is_empty() || name == crate::input::STDIN { String::from("recording") } else { name.to_owned() }
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let inputs = Inputs::of(self.paths.all());
        let mut report = Report { json: self.options.json, from: 0, to: 0, count: 0 };
        let ask = |source: &Source<'_>| pack(source, &self.options, self.paths.all(), &inputs);
        batch::run(shell, self.paths.all(), None, ask, &mut report)
    }
}

/// What became of a recording.
#[derive(serde::Serialize)]
struct Packed {
    /// Where it is.
    output: String,
    /// Bytes of the recording.
    bytes: u64,
    /// Bytes of the packed file.
    packed_bytes: u64,
    /// The family whose fields were modeled; null when none was.
    family: Option<&'static str>,
    /// SHA-256 of the recording.
    sha256: String,
    /// Whether the recording came compressed. That compression is not kept.
    was_compressed: bool,
}

/// Packs a recording; one that is packed already stays as it is.
fn pack(source: &Source<'_>, options: &Options, named: &[PathBuf], inputs: &Inputs) -> Result<Option<Packed>, Failure> {
    let name = last_name(source.path);
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    if plain.to_ascii_lowercase().ends_with(".frp") {
        return Ok(None);
    }
    let target = options.target(source.path, named, inputs, &format!("{plain}.{}", packing::EXTENSION))?;
    let packed = packing::pack(source.bytes, plain);
    let unpacked = packing::unpack(&packed, &packing::any_amount()).ok().filter(|unpacked| unpacked.bytes == source.bytes);
    let Some(unpacked) = unpacked else {
        return Err(Failure::new(format!("`{}` would not come back from its packed form, so nothing was written", source.path.display()))
            .kind(FailureKind::Fault)
            .help("This is a bug in Fragreel: please report it with the recording."));
    };
    let output = crate::input::name(target.shown());
    Draft::put(target, &packed)?;
    Ok(Some(Packed {
        output,
        bytes: source.bytes.len() as u64,
        packed_bytes: packed.len() as u64,
        family: unpacked.head.method.family(),
        sha256: hex(&unpacked.head.sha256),
        was_compressed: plain.len() < name.len(),
    }))
}

struct Report {
    json: bool,
    from: u64,
    to: u64,
    count: u64,
}

impl Renderer<Option<Packed>> for Report {
    fn answer(&mut self, output: &mut Output, path: &str, packed: Option<Packed>) -> Result<Outcome, Stop> {
        let Some(packed) = packed else { return Ok(Outcome::Fine) };
        self.from += packed.bytes;
        self.to += packed.packed_bytes;
        self.count += 1;
        if self.json {
            json::line(output, &json::About { path, answer: &packed })?;
        } else {
            let kept = if packed.was_compressed { "; the gzip around it is not kept" } else { "" };
            writeln!(output, "{}  {}{kept}", share(packed.bytes, packed.packed_bytes), printable(&packed.output))?;
        }
        Ok(Outcome::Fine)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        if self.count > 1 && !self.json {
            writeln!(output, "{}  {} recordings", share(self.from, self.to), self.count)?;
        }
        Ok(())
    }
}

/// Two sizes, and one as a part of the other.
fn share(from: u64, to: u64) -> String {
    format!("{} to {} ({:.1} %)", size(from), size(to), to as f64 * 100.0 / from.max(1) as f64)
}
