//! A file or standard input, unpacked on the way.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use fragreel::{Limits, Unpacked, packing};
use indicatif::{ProgressBar, ProgressBarIter};

use crate::budget::Held;
use crate::failure::Failure;
use crate::input::{self, STDIN};
use crate::inside;
use crate::shell::Shell;

/// What is read, and how much of it was.
pub struct Source<'s> {
    reader: Reader,
    bar: ProgressBar,
    /// Of a member of an archive, which is in memory.
    _held: Option<Held<'s>>,
}

const BUFFER: usize = 1 << 18;

impl<'s> Source<'s> {
    /// Opens a file, or standard input for `-`, or a member of an archive. What is unpacked has to stay within `limits`, where there are any.
    pub fn open(path: &Path, shell: &'s Shell, limits: Option<&Limits>) -> Result<Self, Failure> {
        let mut held = None;
        let (raw, length): (Box<dyn Read>, u64) = if let Some((archive, member)) = inside::split(path) {
            let (bytes, taken) = input::extract(shell, path, &archive, &member, true)?;
            held = Some(taken);
            let length = bytes.len() as u64;
            (Box::new(io::Cursor::new(bytes)), length)
        } else if path == Path::new(STDIN) {
            let (ahead, rest) = inside::standard_input();
            (Box::new(io::Cursor::new(ahead).chain(rest)), 0)
        } else {
            let file = File::open(path).map_err(|error| unreadable(path, error))?;
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            (Box::new(file), length)
        };
        let bar = if shell.errors_are_terminal && length > 0 { ProgressBar::new(length) } else { ProgressBar::hidden() };
        let mut plain = BufReader::with_capacity(BUFFER, bar.wrap_read(raw));
        let head = plain.fill_buf().map_err(|error| unreadable(path, error))?;
        if let Some(limits) = limits.filter(|_| packing::is_packed(head)) {
            let unpacked = unpacked(plain, limits).map_err(|error| unreadable(path, error))?;
            let plain = BufReader::new(ProgressBar::hidden().wrap_read(unpacked));
            return Ok(Source { reader: Reader::Plain(plain), bar, _held: held });
        }
        let packed = plain.fill_buf().map_err(|error| unreadable(path, error))?.starts_with(&[0x1f, 0x8b, 8]);
        let reader = if packed {
            let unpacked = Unpacked::new(plain, limits.unwrap_or(&shell.limits));
            Reader::Packed(Box::new(BufReader::with_capacity(BUFFER, if limits.is_some() { unpacked } else { unpacked.unlimited() })))
        } else {
            Reader::Plain(plain)
        };
        Ok(Source { reader, bar, _held: held })
    }

    /// Adds up to `most` bytes to `window`; none at the end.
    pub fn read(&mut self, window: &mut Vec<u8>, most: usize) -> io::Result<usize> {
        self.reader.buffered().take(most as u64).read_to_end(window)
    }

    /// Puts the next line with its end into `line`; nothing at the end of the text.
    pub fn line(&mut self, line: &mut Vec<u8>) -> io::Result<usize> {
        line.clear();
        let length = self.reader.buffered().take(LONGEST_LINE).read_until(b'\n', line)?;
        if length as u64 == LONGEST_LINE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a line is longer than {LONGEST_LINE} bytes")));
        }
        Ok(length)
    }

    /// How many bytes behind the packed ones are no gzip; known at the end.
    pub fn trailing(&self) -> Option<u64> {
        match &self.reader {
            Reader::Packed(packed) => packed.get_ref().trailing().map(|(_, length)| length),
            Reader::Plain(_) => None,
        }
    }
}

/// What Fragreel packed: as much as comes before damage, then an error.
fn unpacked(mut packed: impl Read, limits: &Limits) -> io::Result<Box<dyn Read>> {
    let mut all = Vec::new();
    packed.by_ref().take(limits.recording_bytes).read_to_end(&mut all)?;
    let limits = packing::PackLimits { bytes: limits.recording_bytes, ..packing::PackLimits::default() };
    let mut bytes = Vec::new();
    let ended = packing::unpack_to(&all, &limits, &mut |block| {
        bytes.extend_from_slice(block);
        true
    });
    Ok(match ended {
        Ok(_) => Box::new(io::Cursor::new(bytes)),
        Err(error) if bytes.is_empty() => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        Err(error) => Box::new(io::Cursor::new(bytes).chain(Broken(Some(error)))),
    })
}

/// Fails once.
struct Broken(Option<packing::PackError>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), |error| Err(io::Error::new(io::ErrorKind::InvalidData, error)))
    }
}

type Plain = BufReader<ProgressBarIter<Box<dyn Read>>>;

enum Reader {
    Plain(Plain),
    Packed(Box<BufReader<Unpacked<Plain>>>),
}

impl Reader {
    fn buffered(&mut self) -> &mut dyn BufRead {
        match self {
            Reader::Plain(plain) => plain,
            Reader::Packed(packed) => packed,
        }
    }
}

/// No message makes a line as long as that.
const LONGEST_LINE: u64 = 256 << 20;

impl Drop for Source<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The failure for what cannot be read.
pub fn unreadable(path: &Path, error: io::Error) -> Failure {
    Failure::new(format!("cannot read `{}`", path.display())).because(error).help("Check the name and permissions. A compressed file may be truncated.")
}
