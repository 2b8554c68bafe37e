//! Recordings of any size, piece by piece.

use crate::textform::Error;

/// Takes a recording apart into lines. Keeps no more of it than the game's own state.
pub trait Decompile {
    /// Appends a line for every piece that `window`, the part of the recording not used yet, holds wholly, and returns how
    /// many bytes those are. With `last` nothing follows the window, and all of it is used. When nothing can be used and it is
    /// not the last, a longer window is needed.
    fn step(&mut self, window: &[u8], last: bool, out: &mut Vec<u8>) -> usize;
}

/// Puts a recording together from lines.
pub trait Compile {
    /// Takes the next line, the `number`th of the text from 1, and appends what it stands for.
    fn line(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Another compiler, which knows what this one knows, for lines further on ([`compile_in_shares`](crate::textform::compile_in_shares)).
    /// `None`: lines must be taken in turn.
    fn fork(&self) -> Option<Box<dyn Compile + Send>> {
        None
    }

    /// Whether a line has changed the meaning of later ones since this compiler was forked.
    fn learned(&self) -> bool {
        false
    }

    /// Says that no line follows; appends what closes the recording. Returns what must be put over bytes given before.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Vec<Patch>, Error>;
}

impl<T: Decompile + ?Sized> Decompile for Box<T> {
    fn step(&mut self, window: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        (**self).step(window, last, out)
    }
}

impl<T: Compile + ?Sized> Compile for Box<T> {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        (**self).line(line, number, out)
    }

    fn fork(&self) -> Option<Box<dyn Compile + Send>> {
        (**self).fork()
    }

    fn learned(&self) -> bool {
        (**self).learned()
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Vec<Patch>, Error> {
        (**self).finish(out)
    }
}

/// Bytes to put over earlier ones, such as the place of a directory that comes last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// Where in the recording.
    pub offset: u64,
    /// What to put there.
    pub bytes: Vec<u8>,
}

/// A whole recording as text.
pub fn decompile(decompiler: impl Decompile, recording: &[u8]) -> Vec<u8> {
    decompile_in_windows(decompiler, recording, std::iter::empty())
}

/// The same when the recording comes bit by bit: the window's end moves on by each of `sizes`, then to the recording's end. The
/// text must not depend on them.
pub fn decompile_in_windows(mut decompiler: impl Decompile, recording: &[u8], sizes: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let mut sizes = sizes.into_iter();
    let (mut out, mut from, mut to) = (Vec::new(), 0, 0);
    loop {
        to = sizes.next().map_or(recording.len(), |size| recording.len().min(to + size));
        let last = to == recording.len();
        let used = decompiler.step(&recording[from..to], last, &mut out);
        from += used;
        if last && (used == 0 || from == to) {
            return out;
        }
    }
}

/// A whole text as a recording.
pub fn compile(mut compiler: impl Compile, text: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let mut from = 0;
    for (number, to) in (1..).zip(memchr::memchr_iter(b'\n', text).chain([text.len()])) {
        let line = &text[from..to];
        from = to + 1;
        if !line.trim_ascii().is_empty() {
            compiler.line(line, number, &mut out)?;
        }
    }
    for patch in compiler.finish(&mut out)? {
        let from = patch.offset as usize;
        if let Some(place) = out.get_mut(from..from + patch.bytes.len()) {
            place.copy_from_slice(&patch.bytes);
        }
    }
    Ok(out)
}
