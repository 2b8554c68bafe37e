//! `fragreel pack -o NAME.frpa`: one archive of many recordings, in which those of the same game and map share what is learned.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use fragreel::packing::archive::{Archive, Entry, Error, Group, Member, Writer, pack_group_with};
use fragreel::packing::{Method, any_amount};
use sha2::{Digest, Sha256};

use super::{Arguments, Form, Packed, Report, original};
use crate::atomic_file::{Draft, Inputs, Target, unwritable};
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, FailureKind, Stop};
use crate::interrupt::{self, SignalGuard, Unfinished};
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
        contents: kept.iter().flat_map(|(_, entries)| entries).map(|entry| entry.sha256).collect(),
        copies: Vec::new(),
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
    if plan.alike.is_empty() && plan.copies.is_empty() {
        if arguments.delete_originals && !done.is_empty() {
            outcome = outcome.max(delete_originals(shell, path, &done)?);
        }
        return Ok(outcome);
    }
    let mut report = Report::new(arguments.options.json);
    let shown = input::name(target.shown());
    interrupt::keeps(format!("`{shown}` is unchanged"));
    let mut work = Work::begin(target, kept)?;
    let mut output = output::stdout();
    let guard = SignalGuard::new();
    let pool = shell.pool()?;
    let copies = plan.copies;
    let groups: Vec<Vec<Planned>> = plan.alike.into_values().flat_map(grouped).collect();
    let mut groups = groups.into_iter();
    pool.in_place_scope(|scope| {
        let mut window: VecDeque<Receiver<Done>> = VecDeque::new();
        loop {
            while window.len() < shell.jobs
                && let Some(group) = groups.next()
            {
                let (sender, receiver) = sync_channel(1);
                scope.spawn(move |_| drop(sender.send(pack(shell, arguments.preset, group))));
                window.push_back(receiver);
            }
            let Some(next) = window.pop_front() else { return Ok::<(), Stop>(()) };
            let Some((members, failures)) = wait(&next) else {
                // what was packed until the wish to end is put in place, and what is under way is not waited for
                let unfinished = Unfinished::new();
                work.finish()?;
                interrupt::keeps(format!("`{shown}` now holds {} of the recordings; run the command again with --resume to continue", done.len()));
                drop(unfinished);
                report.finish(&mut output)?;
                output.flush()?;
                interrupt::exit();
            };
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
    })?;
    for planned in copies {
        // where its original could not be packed, or was not come to, it is left for the next run
        let Some(packed) = work.copy(&planned)? else { continue };
        let answer = Packed {
            output: format!("{shown}!{}", planned.name),
            bytes: planned.bytes,
            packed_bytes: packed,
            family: None,
            sha256: hex(&planned.sha256),
            was_compressed: planned.form == Form::Gzip,
            form: planned.form,
        };
        report.packed(&mut output, &input::name(&planned.path), &answer)?;
        done.push(planned);
    }
    let unfinished = Unfinished::new();
    work.finish()?;
    interrupt::keeps(None);
    drop(unfinished);
    report.finish(&mut output)?;
    output.flush()?;
    drop(guard);
    if arguments.delete_originals {
        outcome = outcome.max(delete_originals(shell, path, &done)?);
    }
    Ok(outcome)
}

/// What the first look finds out about a recording.
fn planned(source: &Source<'_>, named: &[PathBuf]) -> (Alike, Planned) {
    let info = source.recording.info();
    let map = info.maps.first().cloned();
    let (plain, form) = original(source.path);
    let folder = search::below(source.path, named);
    let folders = folder.components().map(|part| input::name(Path::new(part.as_os_str())));
    let name = folders.chain([plain]).collect::<Vec<_>>().join("/");
    let sha256 = Sha256::digest(source.bytes).into();
    ((info.family.to_string(), info.dialect, map), Planned { path: source.path.to_owned(), name, form, bytes: source.bytes.len() as u64, sha256 })
}

/// Collects what is to be packed.
struct Plan {
    json: bool,
    alike: BTreeMap<Alike, Vec<Planned>>,
    /// What is in the archive or is going to be, and what has the same bytes.
    contents: HashSet<[u8; 32]>,
    copies: Vec<Planned>,
    /// What has a name already.
    names: BTreeMap<String, [u8; 32]>,
    /// What is in the archive.
    skipped: Vec<Planned>,
    refused: Vec<Failure>,
}

impl Renderer<(Alike, Planned)> for Plan {
    fn answer(&mut self, output: &mut Output, path: &str, (alike, planned): (Alike, Planned)) -> Result<Outcome, Stop> {
        match self.names.insert(planned.name.clone(), planned.sha256) {
            None if !self.contents.insert(planned.sha256) => self.copies.push(planned),
            None => self.alike.entry(alike).or_default().push(planned),
            Some(there) if there == planned.sha256 => self.skipped.push(planned),
            Some(there) => {
                let failure = Failure::new(format!("the archive already has another recording with the name `{}`", planned.name))
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

/// How often it is looked whether the command is to end.
const GLANCE: Duration = Duration::from_millis(50);

/// A group that was packed; `None` when the command is to end before it is.
fn wait(receiver: &Receiver<Done>) -> Option<Done> {
    loop {
        match receiver.recv_timeout(GLANCE) {
            Ok(done) => return Some(done),
            Err(RecvTimeoutError::Timeout) if interrupt::asked() => return None,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let failure = Failure::new("internal error while packing a group of recordings").kind(FailureKind::Fault);
                return Some((None, vec![(String::new(), failure.help("This is a bug in Fragreel: please report it with the recordings."))]));
            }
        }
    }
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
            Failure::new("a group of packed recordings did not unpack to the originals, so it was not written")
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

    /// Writes a copy of what is in the archive. Returns its size, if there is what it is a copy of.
    fn copy(&mut self, planned: &Planned) -> Result<Option<u64>, Failure> {
        let Some(bytes) = self.writer.copy(&planned.name, &planned.sha256, planned.bytes) else { return Ok(None) };
        self.draft.file().write_all(&bytes).map_err(|error| unwritable(self.draft.target(), error))?;
        Ok(Some(bytes.len() as u64))
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let end = self.writer.end();
        self.draft.file().write_all(&end).map_err(|error| unwritable(self.draft.target(), error))?;
        self.draft.place()
    }
}

/// The archive that is there, and its members.
fn open(path: &Path) -> Result<(File, Vec<Entry>), Failure> {
    let wrong = |error| unread(path, error);
    let file = File::open(path).map_err(|error| wrong(Error::Io(error)))?;
    let mut archive = Archive::open(&file).map_err(wrong)?;
    let entries = archive.entries().to_vec();
    for (at, entry) in entries.iter().enumerate() {
        if !archive.is_intact(at).map_err(wrong)? {
            return Err(Failure::new(format!("cannot continue the archive `{}`: `{}` in it is damaged", path.display(), entry.name))
                .kind(FailureKind::Malformed)
                .help("Pack into a new archive; `fragreel unpack` takes the other recordings out of this one."));
        }
    }
    Ok((file, entries))
}

fn unread(path: &Path, error: Error) -> Failure {
    Failure::new(format!("cannot continue the archive `{}`", path.display())).because(error).help("Name another file with -o.")
}

fn names((_, entries): &(File, Vec<Entry>)) -> BTreeMap<String, [u8; 32]> {
    entries.iter().map(|entry| (entry.name.clone(), entry.sha256)).collect()
}

/// Removes each original once the file that was written gave it back.
fn delete_originals(shell: &Shell, path: &Path, done: &[Planned]) -> Result<Outcome, Failure> {
    let file = File::open(path).map_err(|error| unread(path, Error::Io(error)))?;
    let mut archive = Archive::open(file).map_err(|error| unread(path, error))?;
    let mut outcome = Outcome::Fine;
    for planned in done {
        let back = archive.find(&planned.name).and_then(|at| archive.read(at, &any_amount()).ok());
        if let Err(failure) = super::delete_original(shell, &planned.path, planned.form, back.as_deref()) {
            shell.report(failure);
            outcome = Outcome::Misuse;
        }
    }
    Ok(outcome)
}
