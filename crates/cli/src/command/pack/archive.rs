//! `fragreel pack -o NAME.frpa`: one archive of many recordings, in which those of the same game and map share what is learned.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

use fragreel::packing::archive::{Archive, Entry, Error, Group, Member, Writer, pack_group_with};
use fragreel::packing::{Method, any_amount};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::{Arguments, Form, Packed, Report, original};
use crate::atomic_file::{Draft, Inputs, Target, unwritable};
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, FailureKind, Stop};
use crate::interrupt::{self, SignalGuard};
use crate::output::{self, Output, hex};
use crate::shell::{Outcome, Shell};
use crate::{input, search};

/// Bytes of recordings in a group: as many are unpacked to read its last one.
const GROUP: u64 = 8 << 20;
/// Recordings in a group.
const MEMBERS: usize = 16;

/// A recording that is to be packed.
struct Planned {
    path: PathBuf,
    /// Its name in the archive.
    name: String,
    form: Form,
    bytes: u64,
    sha256: [u8; 32],
}

/// What recordings have in common that share what is learned: family, dialect, map.
type Alike = (String, String, Option<String>);

/// Packs everything into the archive.
pub fn run(arguments: &Arguments, shell: &Shell, path: &Path) -> Result<Outcome, Stop> {
    let named = arguments.paths.all();
    let inputs = Inputs::of(named);
    let target = Target::of(path, &inputs, arguments.options.force || arguments.resume)?;
    let kept = if arguments.resume && path.exists() { Some(open(path)?) } else { None };
    let mut plan = Plan {
        json: arguments.options.json,
        alike: BTreeMap::new(),
        names: kept.as_ref().map(names).unwrap_or_default(),
        skipped: Vec::new(),
        refused: Vec::new(),
    };
    let mut outcome = batch::run(shell, named, None, |source| Ok(planned(source, named)), &mut plan)?;
    for failure in plan.refused {
        shell.report(failure);
        outcome = Outcome::Misuse;
    }
    let mut done = plan.skipped;
    if !done.is_empty() {
        eprintln!("skipped {} already packed", done.len());
    }
    if plan.alike.is_empty() {
        if arguments.delete_originals && !done.is_empty() {
            delete_originals(shell, path, &done)?;
        }
        return Ok(outcome);
    }
    let mut report = Report::new(arguments.options.json);
    let shown = input::name(target.shown());
    let mut work = Work::begin(target, kept)?;
    let mut output = output::stdout();
    let guard = SignalGuard::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(shell.jobs).build();
    let pool = pool.map_err(|error| Failure::new("cannot start that many threads").because(error).help("Use a smaller number with `--jobs`."))?;
    let groups: Vec<Vec<Planned>> = plan.alike.into_values().flat_map(grouped).collect();
    let mut groups = groups.into_iter().peekable();
    while groups.peek().is_some() && !interrupt::asked() {
        let batch: Vec<Vec<Planned>> = groups.by_ref().take(shell.jobs).collect();
        let packed: Vec<_> = pool.install(|| batch.into_par_iter().map(|group| pack(shell, arguments.preset, group)).collect());
        for (members, failures) in packed {
            for (path, failure) in failures {
                report.failure(&mut output, &path, &failure)?;
                shell.report(failure);
                outcome = Outcome::Misuse;
            }
            let Some((planned, group)) = members else { continue };
            for (planned, entry) in planned.into_iter().zip(group.entries()) {
                let answer = Packed {
                    output: format!("{shown}!{}", planned.name),
                    bytes: entry.length,
                    packed_bytes: entry.packed,
                    family: group.method(entry).and_then(Method::family),
                    sha256: hex(&entry.sha256),
                    was_compressed: planned.form == Form::Gzip,
                    form: planned.form,
                };
                report.packed(&mut output, &input::name(&planned.path), &answer)?;
                done.push(planned);
            }
            work.write(group)?;
        }
    }
    // what was packed until the wish to end is put in place: `--resume` goes on behind it
    work.finish()?;
    report.finish(&mut output)?;
    output.flush()?;
    if interrupt::asked() {
        interrupt::exit();
    }
    drop(guard);
    if arguments.delete_originals {
        delete_originals(shell, path, &done)?;
    }
    Ok(outcome)
}

/// What the first look finds out about a recording.
fn planned(source: &Source<'_>, named: &[PathBuf]) -> (Alike, Planned) {
    let info = source.recording.info();
    let map = info.maps.first().cloned();
    let (plain, form) = original(source.path);
    let folder = search::below(source.path, named);
    let folders = folder.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let name = folders.chain([plain]).collect::<Vec<_>>().join("/");
    let sha256 = Sha256::digest(source.bytes).into();
    ((info.family.to_string(), info.dialect, map), Planned { path: source.path.to_owned(), name, form, bytes: source.bytes.len() as u64, sha256 })
}

/// Collects what is to be packed.
struct Plan {
    json: bool,
    alike: BTreeMap<Alike, Vec<Planned>>,
    /// What has a name already.
    names: BTreeMap<String, [u8; 32]>,
    /// What is in the archive.
    skipped: Vec<Planned>,
    refused: Vec<Failure>,
}

impl Renderer<(Alike, Planned)> for Plan {
    fn answer(&mut self, output: &mut Output, path: &str, (alike, planned): (Alike, Planned)) -> Result<Outcome, Stop> {
        match self.names.insert(planned.name.clone(), planned.sha256) {
            None => self.alike.entry(alike).or_default().push(planned),
            Some(there) if there == planned.sha256 => self.skipped.push(planned),
            Some(there) => {
                let failure = Failure::new(format!("the archive has another recording under the name `{}` already", planned.name))
                    .about(path.to_owned())
                    .help("Pack it into another archive.");
                self.names.insert(planned.name, there);
                self.failure(output, path, &failure)?;
                self.refused.push(failure);
            }
        }
        Ok(Outcome::Fine)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.json { crate::json::failure(output, path, failure).map_err(Stop::from) } else { Ok(()) }
    }
}

/// Cuts recordings that are alike into groups.
fn grouped(alike: Vec<Planned>) -> Vec<Vec<Planned>> {
    let mut groups: Vec<Vec<Planned>> = Vec::new();
    let mut bytes = 0;
    for planned in alike {
        match groups.last_mut().filter(|group| group.len() < MEMBERS && bytes + planned.bytes <= GROUP) {
            Some(group) => {
                bytes += planned.bytes;
                group.push(planned);
            }
            None => {
                bytes = planned.bytes;
                groups.push(vec![planned]);
            }
        }
    }
    groups
}

/// A group that was packed, and what failed.
type Done = (Option<(Vec<Planned>, Group)>, Vec<(String, Failure)>);

/// Packs a group, unpacks it and compares.
fn pack(shell: &Shell, preset: super::Preset, group: Vec<Planned>) -> Done {
    let (mut failures, mut there) = (Vec::new(), Vec::new());
    for planned in group {
        match input::load(shell, &planned.path, true) {
            Ok(loaded) if <[u8; 32]>::from(Sha256::digest(loaded.bytes())) == planned.sha256 => there.push((planned, loaded.bytes().to_vec())),
            Ok(_) => {
                let failure = Failure::new(format!("`{}` changed while it was packed", planned.path.display())).help("Pack it again with --resume.");
                failures.push((input::name(&planned.path), failure));
            }
            Err(failure) => failures.push((input::name(&planned.path), failure)),
        }
    }
    if there.is_empty() {
        return (None, failures);
    }
    let members: Vec<Member<'_>> = there.iter().map(|(planned, bytes)| Member { name: &planned.name, bytes }).collect();
    let group = pack_group_with(&members, preset.into());
    if !comes_back(&group, &there) {
        let failure = || {
            Failure::new("a group of recordings would not come back from its packed form, so it was not written")
                .kind(FailureKind::Fault)
                .help("This is a bug in Fragreel: please report it with the recordings.")
        };
        failures.extend(there.iter().map(|(planned, _)| (input::name(&planned.path), failure())));
        return (None, failures);
    }
    (Some((there.into_iter().map(|(planned, _)| planned).collect(), group)), failures)
}

fn comes_back(group: &Group, originals: &[(Planned, Vec<u8>)]) -> bool {
    let (mut writer, mut file) = (Writer::default(), Writer::beginning());
    file.extend(writer.group(group.clone()));
    file.extend(writer.end());
    let Ok(mut archive) = Archive::open(Cursor::new(file)) else { return false };
    archive.entries().len() == originals.len()
        && originals.iter().enumerate().all(|(at, (_, bytes))| archive.read(at, &any_amount()).is_ok_and(|read| read == *bytes))
}

/// The archive that is being written.
struct Work {
    draft: Draft,
    writer: Writer,
}

impl Work {
    /// Begins it, with the members of the one that was there.
    fn begin(target: Target, kept: Option<(File, Vec<Entry>)>) -> Result<Self, Failure> {
        let mut draft = Draft::new(target)?;
        let mut writer = Writer::default();
        let written = match kept {
            Some((mut file, entries)) => {
                writer = Writer::after(entries);
                let length = writer.next_offset();
                file.rewind().and_then(|()| std::io::copy(&mut file.take(length), draft.file())).map(drop)
            }
            None => draft.file().write_all(&Writer::beginning()),
        };
        written.map_err(|error| unwritable(draft.target(), error))?;
        Ok(Work { draft, writer })
    }

    fn write(&mut self, group: Group) -> Result<(), Failure> {
        let bytes = self.writer.group(group);
        self.draft.file().write_all(&bytes).map_err(|error| unwritable(self.draft.target(), error))
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let end = self.writer.end();
        self.draft.file().write_all(&end).map_err(|error| unwritable(self.draft.target(), error))?;
        self.draft.place()
    }
}

/// The archive that is there, and its members.
fn open(path: &Path) -> Result<(File, Vec<Entry>), Failure> {
    let opened = File::open(path).map_err(Error::Io).and_then(|file| Ok((Archive::open(&file)?.entries().to_vec(), file)));
    let (entries, file) = opened.map_err(|error| unread(path, error))?;
    Ok((file, entries))
}

fn unread(path: &Path, error: Error) -> Failure {
    Failure::new(format!("cannot continue the archive `{}`", path.display())).because(error).help("Name another file with -o.")
}

fn names((_, entries): &(File, Vec<Entry>)) -> BTreeMap<String, [u8; 32]> {
    entries.iter().map(|entry| (entry.name.clone(), entry.sha256)).collect()
}

/// Removes each original once the file that was written gave it back.
fn delete_originals(shell: &Shell, path: &Path, done: &[Planned]) -> Result<(), Failure> {
    let file = File::open(path).map_err(|error| unread(path, Error::Io(error)))?;
    let mut archive = Archive::open(file).map_err(|error| unread(path, error))?;
    for planned in done {
        let back = archive.find(&planned.name).and_then(|at| archive.read(at, &any_amount()).ok());
        super::delete_original(shell, &planned.path, planned.form, back.as_deref());
    }
    Ok(())
}
