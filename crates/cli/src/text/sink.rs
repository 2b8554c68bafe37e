//! What `decompile` and `compile` write: there whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use fragreel::text_form::Patch;

use crate::atomic_file::{self, Draft, Inputs, Target};
use crate::failure::{Failure, Stop};
use crate::input::STDIN;

/// Where a result is written until it is complete.
pub struct Sink {
    /// The file that it becomes; none for standard output.
    draft: Option<Draft>,
    /// Where the bytes go: the draft itself, or a file without a name where they are still to be packed or sent on.
    file: BufWriter<File>,
    packed: bool,
}

impl Sink {
    /// A draft for `target`, or for standard output. `input` is never overwritten, and no other file without `force`.
    pub fn new(target: Option<&Path>, input: &Path, force: bool) -> Result<Self, Stop> {
        let Some(target) = target.filter(|target| *target != Path::new(STDIN)) else {
            return Ok(Sink { draft: None, file: BufWriter::with_capacity(BUFFER, tempfile::tempfile()?), packed: false });
        };
        let packed = target.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let target = Target::of(target, &Inputs::of(&[input.to_owned()]), force)?;
        let unwritable = |error| atomic_file::unwritable(&target, error);
        let plain = if packed { Some(tempfile::tempfile_in(target.folder()).map_err(unwritable)?) } else { None };
        let mut draft = Draft::new(target.clone())?;
        let file = plain.map_or_else(|| draft.file().try_clone().map_err(unwritable), Ok)?;
        Ok(Sink { draft: Some(draft), file: BufWriter::with_capacity(BUFFER, file), packed })
    }

    /// Whether the result would go to a terminal.
    pub fn is_for_terminal(&self) -> bool {
        self.draft.is_none() && io::stdout().is_terminal()
    }

    /// Adds to the draft.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.file.write_all(bytes).map_err(|error| self.failure(error).into())
    }

    /// Puts bytes over earlier ones, and the whole in place, packed when the name ends in `.gz`.
    pub fn put(mut self, patches: &[Patch]) -> Result<(), Stop> {
        let written = self.patch(patches).and_then(|()| if self.packed { self.pack() } else { Ok(()) });
        written.map_err(|error| self.failure(error))?;
        match &mut self.draft {
            Some(draft) => Ok(draft.place()?),
            None => {
                let file = self.file.get_mut();
                file.seek(SeekFrom::Start(0))?;
                Ok(io::copy(file, &mut io::stdout().lock()).map(drop)?)
            }
        }
    }

    fn patch(&mut self, patches: &[Patch]) -> io::Result<()> {
        for patch in patches {
            self.file.seek(SeekFrom::Start(patch.offset))?;
            self.file.write_all(&patch.bytes)?;
        }
        self.file.flush()
    }

    /// The same content packed, in the draft.
    fn pack(&mut self) -> io::Result<()> {
        let Some(draft) = &mut self.draft else { return Ok(()) };
        let plain = self.file.get_mut();
        plain.seek(SeekFrom::Start(0))?;
        let mut encoder = GzEncoder::new(draft.file(), Compression::best());
        io::copy(plain, &mut encoder)?;
        encoder.finish().map(drop)
    }

    fn failure(&self, error: io::Error) -> Failure {
        match &self.draft {
            Some(draft) => atomic_file::unwritable(draft.target(), error),
            None => Failure::new("cannot write a temporary file").because(error).help("Check free space for temporary files."),
        }
    }
}

const BUFFER: usize = 1 << 18;
