//! Reads a recording in chunks.

use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use fragreel_base::wire::{Chunk, Error, ErrorKind};
use fragreel_model::replay::{Chunks, chunk_end};

/// Bytes of a chunk, where no damaged place needs more.
pub(crate) const CHUNK: usize = 1 << 20;

/// What can be read from at any offset.
trait Readable: Read + Seek + Send {}

impl<R: Read + Seek + Send> Readable for R {}

/// The bytes of a recording.
pub(crate) struct Source {
    reader: Mutex<Box<dyn Readable>>,
    length: usize,
    chunk_bytes: usize,
}

impl Source {
    /// A recording of this length, to be read in chunks of this size.
    pub(crate) fn new(reader: impl Read + Seek + Send + 'static, length: usize, chunk_bytes: usize) -> Self {
        Source { reader: Mutex::new(Box::new(reader)), length, chunk_bytes }
    }

    /// Bytes of the recording.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Puts the bytes from `from` up to `to` into `buffer`.
    fn read(&self, from: usize, to: usize, buffer: &mut Vec<u8>) -> Result<(), Error> {
        buffer.clear();
        buffer.reserve_exact(to - from);
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.seek(SeekFrom::Start(from as u64)).map_err(|error| failed(from, &error))?;
        let read = Read::take(&mut *reader, (to - from) as u64).read_to_end(buffer).map_err(|error| failed(from, &error))?;
        if read < to - from { Err(Error::new(ErrorKind::Io, "the file became shorter while it was read").at_offset((from + read) as u64)) } else { Ok(()) }
    }
}

#[cold]
pub(crate) fn failed(from: usize, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).at_offset(from as u64)
}

/// Gives the chunks of a recording to a walk.
pub(crate) struct Feeder {
    source: Arc<Source>,
    buffer: Vec<u8>,
    base: usize,
}

impl Feeder {
    /// A feeder that has read nothing yet.
    pub(crate) fn new(source: &Arc<Source>) -> Self {
        Feeder { source: source.clone(), buffer: Vec::new(), base: 0 }
    }

    fn end(&self, from: usize, beyond: usize) -> usize {
        chunk_end(from, beyond, self.source.chunk_bytes, self.source.length)
    }

    /// The bytes of the chunk that [`chunk`](Chunks::chunk) gives, where it starts, and whether it is the last.
    pub(crate) fn owned(&self, from: usize, beyond: usize) -> Result<(Vec<u8>, usize, bool), Error> {
        let (from, mut bytes) = (from.min(self.source.length), Vec::new());
        let end = self.end(from, beyond);
        self.source.read(from, end, &mut bytes)?;
        Ok((bytes, from, end == self.source.length))
    }
}

impl Chunks for Feeder {
    type Error = Error;

    fn length(&self) -> usize {
        self.source.length
    }

    fn chunk(&mut self, from: usize, beyond: usize) -> Result<Chunk<'_>, Error> {
        let (length, end) = (self.source.length, self.base + self.buffer.len());
        let from = from.min(length);
        let is_there = (self.base..=end).contains(&from) && (end > beyond.max(from) || end == length);
        if !is_there {
            let to = self.end(from, beyond);
            if self.buffer.capacity() / 4 > to - from {
                self.buffer = Vec::new();
            }
            self.source.read(from, to, &mut self.buffer)?;
            self.base = from;
        }
        let end = self.base + self.buffer.len();
        Ok(Chunk::part(from, &self.buffer[from - self.base..], end == length))
    }
}
