//! Going on where an interrupted batch stopped: the file with its answers says which recordings it came to.

mod sources;

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::atomic_file::{Draft, Inputs, Target};
use crate::failure::Failure;
use crate::output::{self, Output, printable};
use crate::search::{self, PassedOver};
use crate::stamp::Stamp;
use crate::{input, json, table};
use sources::Sources;

/// The option of commands that may work for a long time.
#[derive(clap::Args)]
pub struct Options {
    /// Append to FILE, skipping recordings that it already has
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

/// What answers are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people. Nothing can go on from that.
    Table,
    /// JSON Lines.
    Json,
    /// Comma-separated values.
    Csv,
}

impl Format {
    /// What the options `--json` and `--csv` (or `--spreadsheet`) mean.
    pub fn of(json: bool, csv: bool) -> Self {
        match (json, csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => Format::Table,
        }
    }
}

/// What a command writes, by which its own files are known from all others.
#[derive(Default)]
pub struct Shape {
    /// The keys behind `path` that every object has; those that end in `?` may be absent, and one up to the first that may not stands right behind `path`.
    /// No other command's objects are such.
    pub keys: &'static [&'static str],
    /// The keys behind `path` of an object that says why there is nothing.
    pub instead: &'static [&'static str],
    /// What stands under the key `edit`.
    pub edit: Option<&'static str>,
    /// The line of headings, with the options given.
    pub headings: String,
    /// Whether one recording may have several answers, so that the last one may lack some.
    pub several: bool,
}

/// Whether the headings are written: an earlier run did it.
pub fn is_headed(resume: Option<&Resume>) -> bool {
    resume.is_some_and(|resume| !resume.is_new)
}

/// A file with the answers of an earlier run.
pub struct Resume {
    done: HashSet<String>,
    output: Output,
    sources: Sources,
    /// The files that it wrote for the recordings that are done.
    pub outputs: HashSet<String>,
    /// Whether nothing is in it yet.
    pub is_new: bool,
}

impl Options {
    /// Whether a file was named.
    pub fn is_wanted(&self) -> bool {
        self.resume.is_some()
    }

    /// Opens the file, where one was named, to go on with what `paths` mean. Refuses what is not of this shape. Drops what is not whole at
    /// its end.
    pub fn open(&self, format: Format, shape: &Shape, paths: &[PathBuf]) -> Result<Option<Resume>, Failure> {
        let Some(path) = &self.resume else { return Ok(None) };
        if format == Format::Table {
            return Err(Failure::new("--resume needs --json or --csv").help("Text tables cannot be resumed."));
        }
        let target = Target::of(path, &Inputs::none(), true)?;
        let failed =
            |error: std::io::Error| Failure::new(format!("cannot continue `{}`", path.display())).because(error).help("Name a file that you can write to.");
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(target.real()).map_err(failed)?;
        if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return Err(Failure::new(format!("another run is writing into `{}`", path.display())).help("Wait for it, or name another file."));
        }
        let said = match format {
            Format::Csv => of_csv(&file, shape),
            _ => of_json(&file, shape),
        };
        let said = said.map_err(failed)?.map_err(|foreign| foreign.failure(path))?;
        let listed = Sources::beside(path);
        let mut sources = Sources::open(&listed).map_err(|error| {
            Failure::new(format!("cannot continue `{}`", listed.display()))
                .because(error)
                .help("It lists what the answers were made from. Remove both files to begin again.")
        })?;
        let Said { mut parts, to, .. } = said;
        let mut end = to;
        // Of the last recording all may be there, or only a part: it is looked at again, if it is meant at all.
        if let Some(last) = parts.last().filter(|last| shape.several && !last.path.is_empty()) {
            if is_meant(&last.path, paths) {
                end = last.from;
                parts.pop();
            } else {
                eprintln!("{}: its last recording was not named, so its lines stay unchanged", printable(&path.to_string_lossy()));
            }
        }
        let stale = stale(&parts, &sources, paths);
        if stale.is_empty() {
            file.set_len(end).map_err(failed)?;
            file.seek(SeekFrom::Start(end)).map_err(failed)?;
        } else {
            (file, end) = without(file, target, &parts, end, &stale).map_err(|failure| failure.help("Nothing was changed in it."))?;
            parts.retain(|part| !stale.contains(&part.path));
        }
        if end == 0 {
            sources.clear().map_err(failed)?;
        }
        let outputs = parts.iter_mut().flat_map(|part| std::mem::take(&mut part.outputs)).collect();
        let done = parts.into_iter().map(|part| part.path).collect();
        Ok(Some(Resume { done, output: output::to(Box::new(file)), sources, outputs, is_new: end == 0 }))
    }
}

/// The recordings that were replaced since their answers were written, of those that are meant. Reports them.
fn stale(parts: &[Part], sources: &Sources, paths: &[PathBuf]) -> HashSet<String> {
    if parts.is_empty() {
        return HashSet::new();
    }
    let answered: HashSet<&str> = parts.iter().map(|part| &*part.path).collect();
    let mut stale = HashSet::new();
    for path in search::files(paths, &PassedOver::default()).flatten() {
        let name = input::name(&path);
        if !answered.contains(&*name) {
            continue;
        }
        match sources.stamp(&name) {
            // Without a stamp only a file that is still missing is the same: standard input and pipes never are.
            Some(noted) if noted == Stamp::of(&path) && (noted.is_some() || !(path.exists() || path.as_os_str() == input::STDIN)) => {}
            noted => {
                let why = if noted.is_some() { "changed" } else { "is not in the list of sources" };
                eprintln!("{} {why} and is read again", printable(&name));
                stale.insert(name);
            }
        }
    }
    stale
}

/// Writes the answers again up to `end`, but for those of some recordings. Gives the new file, at its end, and its length.
fn without(mut file: File, target: Target, parts: &[Part], end: u64, stale: &HashSet<String>) -> Result<(File, u64), Failure> {
    let name = target.shown().to_owned();
    let failed = |error: std::io::Error| Failure::new(format!("cannot write `{}`", name.display())).because(error);
    let mut draft = Draft::new(target)?;
    // The headings stand before the first part.
    let mut kept = vec![(0, parts.first().map_or(end, |part| part.from))];
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| !stale.contains(&part.path)) {
        kept.push((part.from, parts.get(at + 1).map_or(end, |next| next.from)));
    }
    for (from, to) in kept {
        file.seek(SeekFrom::Start(from)).map_err(failed)?;
        std::io::copy(&mut (&mut file).take(to - from), draft.file()).map_err(failed)?;
    }
    let length = draft.file().stream_position().map_err(failed)?;
    // The draft's lock goes on to guard the file.
    let copy = draft.file().try_clone().map_err(failed)?;
    draft.place()?;
    Ok((copy, length))
}

impl Resume {
    /// Whether a recording is done.
    pub fn is_done(&self, name: &str) -> bool {
        self.done.contains(name)
    }

    /// Where the answers go.
    pub fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    /// Notes which file the next answers are made from.
    pub fn note(&mut self, name: &str, stamp: Option<Stamp>) -> Result<(), Failure> {
        self.sources.add(name, stamp).map_err(|error| Failure::new("cannot write the list of sources").because(error).help("Check free space and permissions."))
    }
}

/// Whether `paths` mean a recording.
fn is_meant(name: &str, paths: &[PathBuf]) -> bool {
    search::files(paths, &PassedOver::default()).flatten().any(|path| input::name(&path) == name)
}

/// Why a file is none of ours.
struct Foreign(String);

impl Foreign {
    fn new(number: u64, what: &str) -> Self {
        Foreign(format!("its line {number} {what}"))
    }

    fn failure(self, path: &Path) -> Failure {
        Failure::new(format!("`{}` is not what this command writes: {}", path.display(), self.0))
            .help("Nothing was changed in it. Name a new file, or one that the same command began.")
    }
}

/// As much of a text as fits into a message.
fn front(text: &str) -> String {
    const MOST: usize = 120;
    table::front(text.trim_end(), MOST)
}

/// Answers in a row for one recording.
struct Part {
    path: String,
    /// Where they begin.
    from: u64,
    /// The files that were written for it.
    outputs: Vec<String>,
}

/// What a file with answers says.
#[derive(Default)]
struct Said {
    parts: Vec<Part>,
    /// The end of the last whole line, and its number.
    to: u64,
    number: u64,
}

impl Said {
    fn line(&mut self, path: &str, output: Option<String>, from: u64, to: u64) {
        if self.parts.last().is_none_or(|part| part.path != path) {
            self.parts.push(Part { path: path.to_owned(), from, outputs: Vec::new() });
        }
        if let Some(part) = self.parts.last_mut() {
            part.outputs.extend(output);
        }
        self.to = to;
    }
}

type Found = std::io::Result<Result<Said, Foreign>>;

/// How every line of ours begins.
const BEGIN: &[u8] = b"{\"path\":\"";

fn of_json(file: &File, shape: &Shape) -> Found {
    let (mut said, mut reader, mut line) = (Said::default(), BufReader::new(file), Vec::new());
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            return Ok(Ok(said));
        }
        said.number += 1;
        let foreign = |what: &str| Ok(Err(Foreign::new(said.number, what)));
        let mut object = Object::default();
        let mut read = serde_json::Deserializer::from_slice(&line);
        let is_whole = match object.deserialize(&mut read).and_then(|()| read.end()) {
            Ok(()) => true,
            Err(error) if error.is_eof() && !line.ends_with(b"\n") => false,
            Err(_) => return foreign("is not a JSON object"),
        };
        if !line.starts_with(&BEGIN[..line.len().min(BEGIN.len())]) {
            return foreign("does not begin with a `path`");
        }
        if let Err(what) = object.must_be_ours(shape, is_whole) {
            return foreign(&what);
        }
        if !line.ends_with(b"\n") {
            return Ok(Ok(said));
        }
        let from = said.to;
        said.line(object.path.as_deref().unwrap_or_default(), object.output, from, from + length);
    }
}

/// What is looked at of an object; of one that is cut off, what stands before its end.
#[derive(Default)]
struct Object {
    path: Option<String>,
    output: Option<String>,
    edit: Option<String>,
    command: Option<String>,
    keys: Vec<String>,
}

impl Object {
    /// Refuses an object of another command, and says what it is instead. One that is cut off may end before it says whose it is.
    fn must_be_ours(&self, shape: &Shape, is_whole: bool) -> Result<(), String> {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        let found = || format!("has the keys {}", front(&keys.join(", ")));
        let Some((_, rest)) = keys.split_first() else { return if is_whole { Err(String::from("is an empty object")) } else { Ok(()) } };
        if self.path.is_none() && (is_whole || !rest.is_empty()) {
            return Err(String::from("has no text as its `path`"));
        }
        if let (Some(wanted), Some(edit)) = (shape.edit, &self.edit)
            && wanted != edit
        {
            return Err(format!("is of `{}`", front(edit)));
        }
        match (rest, &self.command) {
            ([] | ["command"], None) if !is_whole => return Ok(()),
            (rest, _) if !shape.instead.is_empty() && *rest == *shape.instead => return Ok(()),
            (rest, _) if !is_whole && shape.instead.starts_with(rest) => return Ok(()),
            (["command"] | ["command", "error"] | ["command", "error", "kind"], Some(command)) if rest.len() == 3 || !is_whole => {
                let is_ours = json::COMMAND.get().is_some_and(|ours| ours == command);
                return if is_ours { Ok(()) } else { Err(format!("is of `{}`", front(command))) };
            }
            _ => {}
        }
        let must = |key: &&&str| !key.ends_with('?');
        // events that are runs have all keys of runs, behind their own
        let last = shape.keys.iter().position(|key| must(&key)).unwrap_or_default();
        let begins = rest.first().is_none_or(|second| shape.keys.iter().take(last + 1).any(|key| key.trim_end_matches('?') == *second));
        // several commands' lines may begin alike
        if begins && (!is_whole || shape.keys.iter().filter(must).all(|key| rest.contains(key))) { Ok(()) } else { Err(found()) }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Object {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Object {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let text = |value: serde_json::Value| value.as_str().map(str::to_owned);
            self.keys.push(key);
            match self.keys.last().map(String::as_str) {
                Some("path") => self.path = text(map.next_value()?),
                Some("output") => self.output = text(map.next_value()?),
                Some("edit") => self.edit = text(map.next_value()?),
                Some("command") => self.command = text(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The columns of a row; `None` where it is no row.
fn columns_of(row: &[u8]) -> Option<usize> {
    let mut records = csv::ReaderBuilder::new().has_headers(false).from_reader(row).into_records();
    records.next()?.ok().map(|record| record.len())
}

fn of_csv(file: &File, shape: &Shape) -> Found {
    let (mut said, mut reader, mut row) = (Said::default(), BufReader::new(file), Vec::new());
    let columns = shape.headings.split(',').count();
    loop {
        let Row { length, lines, is_whole } = Row::read(&mut reader, &mut row)?;
        let number = said.number + 1;
        said.number += lines;
        if said.to == 0 {
            let text = row.strip_suffix(b"\n").unwrap_or(&row);
            let ours = if is_whole { text == shape.headings.as_bytes() } else { shape.headings.as_bytes().starts_with(text) };
            if !ours {
                return Ok(Err(Foreign::new(number, &format!("is `{}`, not the headings of this command", front(&String::from_utf8_lossy(text))))));
            }
        }
        if !is_whole {
            // a quote that is never closed may have rows behind it
            let is_row = |line: &&[u8]| columns_of(line) == Some(columns);
            return Ok(match row.split_inclusive(|byte| *byte == b'\n').skip(1).filter(|line| line.ends_with(b"\n")).find(is_row) {
                Some(_) => Err(Foreign::new(number, "has a quote that is not closed, and rows follow")),
                None => Ok(said),
            });
        }
        let from = said.to;
        if from == 0 {
            said.to = length;
            continue;
        }
        let mut record = csv::ReaderBuilder::new().has_headers(false).from_reader(&row[..]).into_records();
        match record.next() {
            Some(Ok(record)) if record.len() == columns => said.line(record.get(0).unwrap_or_default(), None, from, from + length),
            _ => return Ok(Err(Foreign::new(number, &format!("does not have the {columns} columns of the headings")))),
        }
    }
}

/// A row of comma-separated values, which may have line breaks in its cells.
#[derive(Default)]
struct Row {
    length: u64,
    lines: u64,
    is_whole: bool,
}

impl Row {
    fn read(reader: &mut impl BufRead, row: &mut Vec<u8>) -> std::io::Result<Row> {
        row.clear();
        let (mut found, mut quotes) = (Row::default(), 0);
        loop {
            let from = row.len();
            // nobody's row is as long as that, and what it is of must not fill the memory
            let read = reader.by_ref().take(LONGEST_ROW).read_until(b'\n', row)?;
            if row.len() as u64 >= LONGEST_ROW {
                return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, format!("a row is longer than {LONGEST_ROW} bytes")));
            }
            quotes += row[from..].iter().filter(|byte| **byte == b'"').count();
            found.length += read as u64;
            found.lines += 1;
            if read == 0 || !row.ends_with(b"\n") {
                return Ok(found);
            }
            if quotes % 2 == 0 {
                return Ok(Row { is_whole: true, ..found });
            }
        }
    }
}

const LONGEST_ROW: u64 = 1 << 30;
