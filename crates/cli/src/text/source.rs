//! A file or standard input, unpacked on the way.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use indicatif::ProgressBar;

use crate::failure::Failure;
use crate::input::STDIN;
use crate::shell::Shell;

/// What is read, and how much of it was.
pub struct Source {
    reader: Box<dyn BufRead>,
    bar: ProgressBar,
}

const BUFFER: usize = 1 << 18;

impl Source {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path, shell: &Shell) -> Result<Self, Failure> {
        let (raw, length): (Box<dyn Read>, u64) = if path == Path::new(STDIN) {
            (Box::new(io::stdin().lock()), 0)
        } else {
            let file = File::open(path).map_err(|error| unreadable(path, error))?;
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            (Box::new(file), length)
        };
        let bar = if shell.errors_are_terminal && length > 0 { ProgressBar::new(length) } else { ProgressBar::hidden() };
        let mut plain = BufReader::with_capacity(BUFFER, bar.wrap_read(raw));
        let packed = plain.fill_buf().map_err(|error| unreadable(path, error))?.starts_with(&[0x1f, 0x8b, 8]);
        let reader: Box<dyn BufRead> = if packed { Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(plain))) } else { Box::new(plain) };
        Ok(Source { reader, bar })
    }

    /// Adds up to `most` bytes to `window`; none at the end.
    pub fn read(&mut self, window: &mut Vec<u8>, most: usize) -> io::Result<usize> {
        (&mut self.reader).take(most as u64).read_to_end(window)
    }

    /// Puts the next line with its end into `line`; nothing at the end of the text.
    pub fn line(&mut self, line: &mut Vec<u8>) -> io::Result<usize> {
        line.clear();
        self.reader.read_until(b'\n', line)
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The failure for what cannot be read.
pub fn unreadable(path: &Path, error: io::Error) -> Failure {
    Failure::new(format!("cannot read `{}`", path.display())).because(error).help("Check the name, and that you may read it; a packed file may be cut off.")
}
