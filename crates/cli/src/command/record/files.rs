//! The files of a live recording: each is there as soon as it has a frame in it, and never replaces one for nothing.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::atomic_file::{Draft, Inputs, Target};
use crate::failure::Failure;
use crate::interrupt::Unfinished;
use crate::output::size;

/// What a recording's name has to end with, and what it is.
pub type Kind = (&'static str, &'static str);

/// What a QuakeWorld client records.
pub const CLIENT: Kind = ("qwd", "What a QuakeWorld client records");

/// What is written, and where.
pub struct Files {
    /// As the user named it.
    name: PathBuf,
    force: bool,
    /// How many are complete, and the number of the one that is next.
    done: u32,
    next: u32,
    open: Option<Open>,
    bytes: u64,
    /// When the disk was looked at last, and what was found.
    looked: Cell<Option<(Instant, u64)>>,
}

/// A file that is being written.
struct Open {
    draft: Draft,
    since: Instant,
    bytes: u64,
    /// Where the last writes began: there, a message begins.
    marks: VecDeque<u64>,
    /// Once there is a frame in it: it is in place then, and stays.
    frames: Option<Unfinished>,
}

/// As many of the last writes are known.
const MOST_MARKS: usize = 256;

/// A file that is complete.
pub struct Done {
    /// Where it is.
    pub path: PathBuf,
    /// Seconds in it.
    pub seconds: f64,
    /// Its length, for people.
    pub size: String,
}

impl Files {
    /// Refuses at once what could not be written later.
    pub fn new(name: &Path, force: bool, kind: Kind) -> Result<Self, Failure> {
        let (wanted, what) = kind;
        if !name.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted)) {
            return Err(Failure::new(format!("`{}` is not a name for such a recording", name.display()))
                .help(format!("{what} is a .{wanted} file. Use that extension, or no game finds it.")));
        }
        Target::of(&numbered(name, 1), &Inputs::none(), force)?;
        Ok(Files { name: name.to_owned(), force, done: 0, next: 1, open: None, bytes: 0, looked: Cell::new(None) })
    }

    /// How many there are with frames in them, the one that is being written included.
    pub fn count(&self) -> u32 {
        self.done + u32::from(self.open.as_ref().is_some_and(|open| open.frames.is_some()))
    }

    /// Bytes written to all of them.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file that is being written, if there is a frame in it.
    pub fn path(&self) -> Option<&Path> {
        self.open.as_ref().filter(|open| open.frames.is_some()).map(|open| open.draft.target().real())
    }

    /// Whether less than this number of bytes is free where the files are, as far as that can be known.
    pub fn is_disk_full(&self, keep_free: u64) -> bool {
        const FRESH: std::time::Duration = std::time::Duration::from_secs(1);
        let known = self.looked.get().filter(|(at, _)| at.elapsed() < FRESH);
        let free = known.map_or_else(|| free(self.name.parent().unwrap_or(Path::new("."))), |(_, free)| free);
        if known.is_none() {
            self.looked.set(Some((Instant::now(), free)));
        }
        free < keep_free
    }

    /// Adds to the file. `frames`: whether there is a frame in it by now; from then on it stays.
    pub fn write(&mut self, bytes: &[u8], frames: bool) -> Result<(), Failure> {
        if bytes.is_empty() {
            return Ok(());
        }
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                let target = self.target()?;
                self.open.insert(Open { draft: Draft::new(target)?, since: Instant::now(), bytes: 0, marks: VecDeque::new(), frames: None })
            }
        };
        open.draft.file().write_all(bytes).map_err(|error| {
            Failure::new(format!("cannot write `{}`", self.name.display())).because(error).help("The data written so far is a recording. Check free space.")
        })?;
        open.marks.push_back(open.bytes);
        if open.marks.len() > MOST_MARKS {
            open.marks.pop_front();
        }
        open.bytes += bytes.len() as u64;
        self.bytes += bytes.len() as u64;
        if frames && open.frames.is_none() {
            open.draft.place()?;
            open.frames = Some(Unfinished::new());
        }
        Ok(())
    }

    /// Ends the file on a disk that is full: what was written in part is cut off, and `end`, which marks a recording's end, takes the room of the
    /// last messages.
    pub fn cut(&mut self, end: &[u8]) {
        let Some(mut open) = self.open.take().filter(|open| open.frames.is_some()) else { return };
        let mut marks = open.marks.iter().rev().copied();
        let from = if end.is_empty() { Some(open.bytes) } else { marks.find(|mark| mark + end.len() as u64 <= open.bytes) };
        let file = open.draft.file();
        // what cannot be written stays as it is: there is nothing else to try
        let _ = file
            .set_len(from.unwrap_or(open.bytes))
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .and_then(|_| file.write_all(end))
            .and_then(|()| file.sync_all());
        self.done += 1;
    }

    /// Where the next one goes. Only the first may replace a file, which was named; later ones take the next number that is free.
    fn target(&mut self) -> Result<Target, Failure> {
        loop {
            let path = numbered(&self.name, self.next);
            match Target::of(&path, &Inputs::none(), self.force && self.next == 1) {
                Err(_) if self.next > 1 && path.exists() && self.next < u32::MAX => self.next += 1,
                result => return result,
            }
        }
    }

    /// Completes the file. Without a frame in it nothing stays.
    pub fn close(&mut self) -> Result<Option<Done>, Failure> {
        let Some(mut open) = self.open.take() else { return Ok(None) };
        if open.frames.is_none() {
            self.bytes -= open.bytes;
            return Ok(None);
        }
        open.draft.file().sync_all().map_err(|error| Failure::new(format!("cannot write `{}`", self.name.display())).because(error))?;
        self.done += 1;
        self.next += 1;
        let path = open.draft.target().shown().to_owned();
        Ok(Some(Done { path, seconds: open.since.elapsed().as_secs_f64(), size: size(open.bytes) }))
    }
}

/// Bytes that are free in a folder; as many as there can be where it does not say.
fn free(folder: &Path) -> u64 {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    #[cfg(unix)]
    {
        rustix::fs::statvfs(folder).map_or(u64::MAX, |found| found.f_bavail.saturating_mul(found.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        u64::MAX
    }
}

/// `live.qwd`, `live-2.qwd`, `live-3.qwd`; or where the name says `{n}`, there.
fn numbered(name: &Path, number: u32) -> PathBuf {
    let file = name.file_name().unwrap_or_default();
    match file.to_str() {
        Some(text) if text.contains("{n}") => name.with_file_name(text.replace("{n}", &number.to_string())),
        _ if number == 1 => name.to_owned(),
        _ => {
            let mut changed = name.file_stem().unwrap_or_default().to_owned();
            changed.push(format!("-{number}."));
            changed.push(name.extension().unwrap_or_default());
            name.with_file_name(changed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that is full ends the file at a message, and the mark of the end takes the room of the last ones.
    #[test]
    fn a_file_on_a_full_disk_is_cut_at_a_message() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.qwd");
        for (end, expected) in [(&b"END"[..], &b"onetwoEND"[..]), (b"", b"onetwothree"), (b"a long end of it", b"onetwothree")] {
            let mut files = Files::new(&path, true, CLIENT).unwrap();
            for message in [&b"one"[..], b"two", b"three"] {
                files.write(message, true).unwrap();
            }
            files.open.as_mut().unwrap().draft.file().write_all(b"half").unwrap();
            files.cut(end);
            let found = std::fs::read(&path).unwrap();
            assert!(found == expected || (end.len() > 11 && found.starts_with(expected)), "{found:?}");
        }
    }

    #[test]
    fn later_files_are_numbered() {
        for (name, number, expected) in
            [("a/live.qwd", 1, "a/live.qwd"), ("a/live.qwd", 2, "a/live-2.qwd"), ("x_{n}.qwd", 1, "x_1.qwd"), ("x_{n}.qwd", 12, "x_12.qwd")]
        {
            assert_eq!(numbered(Path::new(name), number), Path::new(expected));
        }
        for wrong in ["live.mvd", "live", "live.dem", "-"] {
            assert!(Files::new(Path::new(wrong), true, CLIENT).is_err(), "{wrong}");
        }
    }
}
