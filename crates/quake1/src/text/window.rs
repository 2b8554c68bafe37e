//! A window that slides over a recording, cut into blocks and what lies between them.

use crate::container::{Container, Framing, IN_A_ROW, LONGEST_LIKELY, frame, plausible};

/// A part of a recording.
#[derive(Debug)]
pub(super) enum Piece<'w> {
    /// A block and its data.
    Block(Framing, &'w [u8]),
    /// Bytes that are no block.
    Opaque(&'w [u8]),
}

/// Bytes of [`Piece::Opaque`] at most.
const MOST_OPAQUE: usize = 1 << 15;
/// No framing is longer.
const LONGEST_FRAMING: usize = 64;

/// Finds the pieces. Where framing breaks it looks for the next place from which several blocks in a row make sense, as
/// `Blocks::resume` does; where windows end makes no difference.
#[derive(Debug, Clone)]
pub(super) struct WindowSplitter {
    container: Container,
    /// Longest block.
    limit: usize,
    /// Where framing is broken: how many of the window's bytes were looked at, and whether the file may just have been cut.
    broken: Option<(usize, bool)>,
}

enum Found {
    Block(Framing, usize, usize),
    /// The data goes on after the window; its length, where known.
    Short(Option<usize>),
    Broken,
}

enum Sense {
    Yes,
    No,
    /// That depends on what follows the window.
    Unknown,
}

impl WindowSplitter {
    pub(super) fn new(container: Container, limit: usize) -> Self {
        WindowSplitter { container, limit, broken: None }
    }

    /// The first piece of a window, and how long it is. `None` when nothing is left, or a longer window is needed.
    pub(super) fn next<'w>(&mut self, window: &'w [u8], last: bool) -> Option<(Piece<'w>, usize)> {
        if window.is_empty() {
            return None;
        }
        if self.broken.is_none() {
            match self.look(window) {
                Found::Block(framing, data, length) => return Some((Piece::Block(framing, &window[data..data + length]), data + length)),
                Found::Short(_) if !last => return None,
                // whether the file was cut here is known only when its end, or enough, is in sight
                _ if !last && window.len() <= LONGEST_LIKELY => return None,
                _ => self.broken = Some((1, window.len() <= LONGEST_LIKELY)),
            }
        }
        self.resume(window, last)
    }

    fn resume<'w>(&mut self, window: &'w [u8], last: bool) -> Option<(Piece<'w>, usize)> {
        let (mut at, cut) = self.broken?;
        while at < window.len() {
            if at >= MOST_OPAQUE {
                self.broken = Some((at - MOST_OPAQUE, cut));
                return Some((Piece::Opaque(&window[..MOST_OPAQUE]), MOST_OPAQUE));
            }
            match self.makes_sense(&window[at..], last, cut) {
                Sense::Yes => {
                    self.broken = None;
                    return if at == 0 { self.next(window, last) } else { Some((Piece::Opaque(&window[..at]), at)) };
                }
                Sense::No => at += 1,
                Sense::Unknown => {
                    self.broken = Some((at, cut));
                    return None;
                }
            }
        }
        self.broken = Some((if last { 0 } else { at }, cut));
        last.then(|| {
            let length = window.len().min(MOST_OPAQUE);
            (Piece::Opaque(&window[..length]), length)
        })
    }

    fn look(&self, bytes: &[u8]) -> Found {
        match frame(bytes, self.container, self.limit) {
            Ok((framing, data, length)) if length <= bytes.len() - data => Found::Block(framing, data, length),
            Ok((_, _, length)) => Found::Short(Some(length)),
            Err(_) => {
                // zeros after it make the least that can follow: when even they do not help, nothing does
                let mut padded = [0; LONGEST_FRAMING];
                let known = bytes.len().min(LONGEST_FRAMING);
                padded[..known].copy_from_slice(&bytes[..known]);
                if known < LONGEST_FRAMING && frame(&padded, self.container, self.limit).is_ok() { Found::Short(None) } else { Found::Broken }
            }
        }
    }

    fn makes_sense(&self, bytes: &[u8], last: bool, cut: bool) -> Sense {
        let unknown = if last { Sense::No } else { Sense::Unknown };
        let mut rest = bytes;
        for _ in 0..IN_A_ROW {
            match self.look(rest) {
                Found::Block(framing, data, length) => {
                    if !plausible(&framing, &rest[data..data + length]) {
                        return Sense::No;
                    }
                    rest = &rest[data + length..];
                }
                Found::Short(length) => return if length.is_some_and(|length| length > LONGEST_LIKELY) { Sense::No } else { unknown },
                Found::Broken => return Sense::No,
            }
            if rest.is_empty() {
                // a few bytes that look like a block at the very end of a file that was cut prove nothing
                return if !last {
                    Sense::Unknown
                } else if cut {
                    Sense::No
                } else {
                    Sense::Yes
                };
            }
        }
        Sense::Yes
    }
}
