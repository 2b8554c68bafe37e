//! `fragreel pack`

mod archive;

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fragreel::packing;

use super::Paths;
use crate::atomic_file::{Draft, Inputs, Target};
use crate::batch::{self, Renderer, Source};
use crate::edit::permitted;
use crate::failure::{Failure, FailureKind, Stop};
use crate::output::{Output, hex, printable, size};
use crate::shell::{Outcome, Shell};
use crate::{inside, json, search};

/// Pack recordings losslessly into a fraction of their size
///
/// Writes one packed file per recording, which every command reads directly, or one archive. Each
/// packed file is unpacked and compared with the original before it is written.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel pack final.dm_68
      writes final.dm_68.frp
  fragreel pack demos/ -o packed/
      every recording below a folder, into the same tree
  fragreel info packed/final.dm_68.frp
      packed recordings are read in place
  fragreel pack demos/ -o demos.frpa
      one archive: recordings of the same game and map share statistics
  fragreel pack demos/ -o demos.frpa --resume
      add recordings that are not in it yet
  fragreel scores demos.frpa
      like any archive; one recording is demos.frpa!2004/final.dm_68
  fragreel pack --json demos/ -o packed/
      for machines: one JSON object per line

Packing takes about a second of processor time for half a megabyte, unpacking
for one megabyte, and both about 64 MB of memory besides the recording. To
read one recording of an archive, up to 8 MB of others are unpacked before it.

A recording in gzip or another archive is unpacked first. The gzip file or
archive cannot be restored, so --delete-originals keeps it.
Copies of a recording are packed once, and an archive stores them once.

Exit codes: 0 all were packed, 2 some were not.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    options: Options,

    /// Size or speed
    #[arg(long, value_enum, value_name = "PRESET", default_value = "small")]
    preset: Preset,

    /// Skip recordings that are packed already and have not changed, and pack again what is damaged;
    /// add to an existing archive
    #[arg(long, conflicts_with = "force")]
    resume: bool,

    /// Delete each original after its packed file was read back, unpacked, and compared with it
    #[arg(long)]
    delete_originals: bool,
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Preset {
    /// The smallest files
    Small,
    /// Faster both ways, and larger files
    Quick,
}

impl From<Preset> for packing::Preset {
    fn from(preset: Preset) -> Self {
        match preset {
            Preset::Small => packing::Preset::Small,
            Preset::Quick => packing::Preset::Quick,
        }
    }
}

/// Where packed or unpacked recordings go.
#[derive(clap::Args)]
pub struct Options {
    /// Output folder, which mirrors the source tree [default: beside each file]. A name that ends
    /// in .frpa makes `pack` write one archive
    #[arg(long, short, value_name = "DIR|ARCHIVE")]
    pub output: Option<PathBuf>,

    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,

    /// One JSON object per recording, as docs/json.md describes
    #[arg(long)]
    pub json: bool,
}

impl Options {
    /// Where the result of `source` goes, under this name.
    pub fn target(&self, source: &Path, named: &[PathBuf], inputs: &Inputs, name: &str, may_be_there: bool) -> Result<Target, Failure> {
        let folder = match &self.output {
            Some(folder) => folder.join(permitted(&below(source, named), cfg!(windows))),
            None if inside::split(source).is_some() || source == Path::new(crate::input::STDIN) => {
                return Err(Failure::new(format!("`{}` has no folder to write into", source.display())).help("Name a folder with -o."));
            }
            None => source.parent().map(Path::to_owned).unwrap_or_default(),
        };
        if self.output.is_some() {
            fs::create_dir_all(&folder)
                .map_err(|error| Failure::new(format!("cannot create the folder `{}`", folder.display())).because(error).help("Name another file with -o."))?;
        }
        Target::of(&folder.join(permitted(&crate::input::path_of(name), cfg!(windows))), inputs, self.force || may_be_there)
    }
}

/// Where a file is below what was named; of an archive of ours, with the folders in it.
fn below(source: &Path, named: &[PathBuf]) -> PathBuf {
    use std::path::Component;
    match inside::split(source).filter(|(archive, _)| inside::kind(archive) == Some(fragreel_archive::Kind::Packed)) {
        Some((archive, member)) => {
            let member = crate::input::path_of(&member);
            let folders = member.parent().unwrap_or(Path::new("")).components().filter(|part| matches!(part, Component::Normal(_)));
            search::below(&archive, named).join(folders.collect::<PathBuf>())
        }
        None => search::below(source, named),
    }
}

/// The last part of a path, as [`crate::input::name`] has it; of a member, that of its name in the archive.
pub fn last_name(path: &Path) -> String {
    let name = inside::split(path).map_or_else(|| crate::input::name(path), |(_, member)| member);
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.is_empty() || name == crate::input::STDIN { String::from("recording") } else { name.to_owned() }
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let is_file_of = |path: &Path, wanted: &str| path.extension().is_some_and(|end| end.eq_ignore_ascii_case(wanted)) && !path.is_dir();
        if let Some(path) = &self.options.output {
            if is_file_of(path, packing::ARCHIVE_EXTENSION) {
                return archive::run(&self, shell, path);
            }
            // it would become a folder that looks like a packed recording
            if is_file_of(path, packing::EXTENSION) {
                let failure = Failure::new(format!("`{}` is not the name of a folder or an archive", path.display()));
                return Err(failure.help("Name an archive with a name that ends in .frpa, or a folder for the FILE.frp files.").into());
            }
        }
        let inputs = Inputs::of(self.paths.all());
        let mut report = Report::new(self.options.json);
        let packed = PackedOnce::default();
        let ask = |source: &Source<'_>| pack(source, &self, shell, &inputs, &packed);
        let outcome = batch::run(shell, self.paths.all(), None, ask, &mut report)?;
        if report.skipped > 0 {
            eprintln!("skipped {} already packed", report.skipped);
        }
        if report.packed_files > 0 {
            eprintln!("{} not packed again: packed files stay as they are; `fragreel unpack` undoes them", counted(report.packed_files));
        }
        Ok(outcome)
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
    #[serde(skip)]
    form: Form,
}

/// What was around a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Gzip,
    Archive,
    Pipe,
}

/// The name that a recording has without what is around it.
fn original(path: &Path) -> (String, Form) {
    let name = last_name(path);
    let form = match name.strip_suffix(".gz") {
        _ if path == Path::new(crate::input::STDIN) => Form::Pipe,
        _ if inside::split(path).is_some() => Form::Archive,
        Some(_) => Form::Gzip,
        None => Form::Plain,
    };
    (name.strip_suffix(".gz").map_or(name.clone(), str::to_owned), form)
}

/// Removes an original if `back`, which its packed file gave, is what it holds now.
///
/// # Errors
/// When the packed file does not give it back.
fn delete_original(shell: &Shell, path: &Path, form: Form, back: Option<&[u8]>) -> Result<(), Failure> {
    let shown = path.display().to_string();
    let shown = printable(&shown);
    let reason = match form {
        Form::Gzip => "its gzip file cannot be restored",
        Form::Archive => "it is in an archive",
        Form::Pipe => return Ok(()),
        Form::Plain if back.is_none() => {
            return Err(Failure::new(format!("`{shown}` was not removed: its packed file is damaged"))
                .kind(FailureKind::Malformed)
                .help("Pack it again, into another file or with --force, and check the disk."));
        }
        Form::Plain => match fs::read(path) {
            Ok(now) if back == Some(&now) => match fs::remove_file(path) {
                Ok(()) => return Ok(()),
                Err(_) => "it cannot be removed",
            },
            Ok(_) => return Err(Failure::new(format!("`{shown}` was not removed: it changed while it was packed")).help("Pack it again.")),
            Err(_) => "it cannot be read again",
        },
    };
    shell.report(Failure::new(format!("`{shown}` was not removed: {reason}")).help("Its packed file was read back, and is whole."));
    Ok(())
}

/// What was done with a recording.
enum Step {
    /// Whether a damaged packed file was replaced by it.
    Packed(Packed, bool),
    /// It is a packed file.
    Nothing,
    /// An earlier run packed it.
    Skipped,
}

/// Packs a recording; one that is packed already stays as it is.
fn pack(source: &Source<'_>, arguments: &Arguments, shell: &Shell, inputs: &Inputs, once: &PackedOnce) -> Result<Step, Failure> {
    let (plain, form) = original(source.path);
    if plain.to_ascii_lowercase().ends_with(".frp") {
        return Ok(Step::Nothing);
    }
    let name = format!("{plain}.{}", packing::EXTENSION);
    let target = arguments.options.target(source.path, arguments.paths.all(), inputs, &name, arguments.resume)?;
    let place = target.shown().to_owned();
    let remove = || {
        if !arguments.delete_originals {
            return Ok(());
        }
        let back = fs::read(&place).ok().and_then(|packed| packing::unpack(&packed, &packing::any_amount()).ok());
        delete_original(shell, source.path, form, back.as_ref().map(|unpacked| &unpacked.bytes[..]))
    };
    let there = if arguments.resume { earlier(&place, source.bytes, arguments.delete_originals)? } else { Earlier::Nothing };
    if there == Earlier::Whole {
        remove()?;
        return Ok(Step::Skipped);
    }
    let packed = once.pack(source.bytes, &plain, &place, arguments.preset.into());
    let unpacked = packing::unpack(&packed, &packing::any_amount()).ok().filter(|unpacked| unpacked.bytes == source.bytes);
    let Some(unpacked) = unpacked else {
        return Err(Failure::new(format!("packed `{}` did not unpack to the original, so nothing was written", source.path.display()))
            .kind(FailureKind::Fault)
            .help("This is a bug in Fragreel: please report it with the recording."));
    };
    let output = crate::input::name(target.shown());
    Draft::put(target, &packed)?;
    remove()?;
    let is_again = there == Earlier::Damaged;
    let packed = Packed {
        output,
        bytes: source.bytes.len() as u64,
        packed_bytes: packed.len() as u64,
        family: unpacked.head.method.family(),
        sha256: hex(&unpacked.head.sha256),
        was_compressed: form == Form::Gzip,
        form,
    };
    Ok(Step::Packed(packed, is_again))
}

/// What an earlier run left in a packed file's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Earlier {
    Nothing,
    /// These bytes, packed.
    Whole,
    /// The same, and the packed file was damaged since.
    Damaged,
}

/// Whether an earlier run packed these bytes there. What is there and holds others is not touched. `fully`: it is unpacked to see that it is whole,
/// otherwise its checks suffice.
fn earlier(place: &Path, bytes: &[u8], fully: bool) -> Result<Earlier, Failure> {
    use sha2::{Digest, Sha256};
    let Ok(packed) = fs::read(place) else { return Ok(Earlier::Nothing) };
    let is_same = packing::head(&packed).is_ok_and(|head| head.length == bytes.len() as u64 && Sha256::digest(bytes)[..] == head.sha256);
    if !is_same {
        return Err(Failure::new(format!("`{}` exists and contains something else", place.display())).help("Replace it with --force."));
    }
    let comes_back = || !fully || packing::unpack(&packed, &packing::any_amount()).is_ok_and(|unpacked| unpacked.bytes == bytes);
    Ok(if packing::is_intact(&packed) && comes_back() { Earlier::Whole } else { Earlier::Damaged })
}

/// The packed file of each content, so that its copies are not packed again.
#[derive(Default)]
struct PackedOnce(Mutex<HashMap<String, Arc<Mutex<Option<PathBuf>>>>>);

impl PackedOnce {
    /// Packs bytes for this place, or takes what a copy of them was packed into.
    fn pack(&self, bytes: &[u8], name: &str, place: &Path, preset: packing::Preset) -> Vec<u8> {
        let id = fragreel_tables::recording_id(bytes);
        let known = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(id).or_default());
        // a copy that is met meanwhile waits
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let packed = known.as_ref().and_then(|place| packing::renamed(&fs::read(place).ok()?, name).ok());
        let packed = packed.unwrap_or_else(|| packing::pack_with(bytes, name, preset));
        *known = Some(place.to_owned());
        packed
    }
}

/// Files, as a person counts them.
fn counted(files: u64) -> String {
    if files == 1 { String::from("1 file was") } else { format!("{files} files were") }
}

struct Report {
    json: bool,
    from: u64,
    to: u64,
    count: u64,
    skipped: u64,
    packed_files: u64,
}

impl Report {
    fn new(json: bool) -> Self {
        Report { json, from: 0, to: 0, count: 0, skipped: 0, packed_files: 0 }
    }
}

impl Renderer<Step> for Report {
    fn answer(&mut self, output: &mut Output, path: &str, step: Step) -> Result<Outcome, Stop> {
        match step {
            Step::Packed(packed, is_again) => {
                if is_again {
                    eprintln!("{}: the packed file was damaged, and was made again", printable(&packed.output));
                }
                self.packed(output, path, &packed)?;
            }
            Step::Nothing => self.packed_files += 1,
            Step::Skipped => self.skipped += 1,
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

impl Report {
    fn packed(&mut self, output: &mut Output, path: &str, packed: &Packed) -> Result<(), Stop> {
        self.from += packed.bytes;
        self.to += packed.packed_bytes;
        self.count += 1;
        if self.json {
            json::line(output, &json::About { path, answer: packed })?;
            return Ok(());
        }
        let kept = match packed.form {
            Form::Gzip => "; the gzip around it is not kept",
            Form::Archive => "; the archive around it is not kept",
            Form::Plain | Form::Pipe => "",
        };
        writeln!(output, "{}  {}{kept}", share(packed.bytes, packed.packed_bytes), printable(&packed.output))?;
        Ok(())
    }
}

/// Two sizes, and one as a part of the other.
fn share(from: u64, to: u64) -> String {
    format!("{} to {} ({:.1} %)", size(from), size(to), to as f64 * 100.0 / from.max(1) as f64)
}
