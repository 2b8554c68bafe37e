//! Finds personal data in downloads, searched as whole files (`docs/formats/quake2.md`, "Rewriting").
//!
//! Plain files are changed in place. Compressed pieces must keep their length, so a compressed file that holds personal data, or cannot
//! be inflated, is dropped. Engines ignore all downloads in recordings.

use std::collections::VecDeque;

use fragreel_model::replay::undecoded;
use fragreel_model::{Fate, Role};

use crate::detect::Framing;
use crate::dialect::{Dialect, Numbering};
use crate::message::{Body, Download, Inflated, Message, MessageKind, inflate};
use crate::state::{Detail, Effect, State};
use crate::walk::Input;
use crate::walk::{At, Visitor, WalkOptions};

/// What to do with a piece.
pub(super) enum PieceFate {
    /// Keep it. Personal bytes were replaced.
    Piece,
    /// Drop it, for this reason.
    Nothing(&'static str),
}

/// Called for each piece of personal data.
type TextHook<'s> = dyn FnMut(Role, &mut Vec<u8>) -> Fate + 's;

/// The downloads of a recording.
pub(super) struct Downloads<'r> {
    input: &'r Input<'r>,
    /// The files not reached yet. Built on first use.
    files: Option<VecDeque<File>>,
    /// The remaining pieces of the current file.
    open: VecDeque<SearchedPiece>,
}

/// A piece before and after the search.
struct SearchedPiece {
    offset: u64,
    before: Vec<u8>,
    /// The new content, or the reason to drop it.
    after: Result<Vec<u8>, &'static str>,
}

impl<'r> Downloads<'r> {
    pub(super) fn of(input: &'r Input<'r>) -> Self {
        Downloads { input, files: None, open: VecDeque::new() }
    }

    /// Searches the file that a piece belongs to, and changes the piece. Pieces must come in order.
    pub(super) fn piece(&mut self, offset: u64, op: MessageKind, download: &mut Download, dialect: &Dialect, hook: &mut TextHook<'_>) -> PieceFate {
        let files = self.files.get_or_insert_with(|| files(self.input));
        if self.open.is_empty() {
            let begins = files.front().and_then(|file| file.pieces.front()).is_some_and(|(at, data)| *at == offset && *data == download.data);
            let file = if begins { files.pop_front() } else { None };
            let file = file.unwrap_or_else(|| File { op, dialect: *dialect, pieces: VecDeque::from([(offset, download.data.clone())]) });
            self.open = file.search(hook);
        }
        match self.open.pop_front() {
            Some(SearchedPiece { after: Err(why), .. }) => PieceFate::Nothing(why),
            Some(SearchedPiece { offset: at, before, after: Ok(after) }) if at == offset && before == download.data => {
                download.data = after;
                PieceFate::Piece
            }
            _ => PieceFate::Nothing("a piece of a download that belongs to no file"),
        }
    }
}

/// A file, or as much of it as the recording has.
struct File {
    op: MessageKind,
    dialect: Dialect,
    /// Its pieces with their offsets.
    pieces: VecDeque<(u64, Vec<u8>)>,
}

impl File {
    fn search(self, hook: &mut TextHook<'_>) -> VecDeque<SearchedPiece> {
        let (mut rest, mut why) = (Vec::new(), None);
        if self.op == MessageKind::Download {
            rest = self.pieces.iter().flat_map(|(_, data)| data.iter().copied()).collect();
            undecoded::in_place(&mut rest, hook);
        } else {
            why = self.search_compressed(hook).err();
        }
        let mut from = 0;
        let each = self.pieces.into_iter().map(|(offset, before)| {
            let part = from..from + before.len();
            from = part.end;
            let after = match why {
                Some(why) => Err(why),
                None => Ok(rest.get(part).map_or_else(|| before.clone(), <[u8]>::to_vec)),
            };
            SearchedPiece { offset, before, after }
        });
        each.collect()
    }

    fn search_compressed(&self, hook: &mut TextHook<'_>) -> Result<(), &'static str> {
        let packed: Vec<u8> = self.pieces.iter().flat_map(|(_, data)| data.iter().copied()).collect();
        let mut search = Search { left: packed.len().saturating_mul(MOST).saturating_add(WINDOW), window: Vec::new(), found: false };
        let searched = if self.dialect.numbering == Numbering::R1q2 {
            self.pieces.iter().filter(|(_, data)| !data.is_empty()).all(|(_, data)| {
                let Inflated { bytes, used, ended } = Inflated::of(data, false);
                ended && used == data.len() && search.add(&bytes, hook)
            })
        } else {
            inflate(&packed, &mut |bytes| search.add(bytes, hook))
        };
        if search.ends(hook) {
            return Err("a piece of a compressed download with personal data");
        }
        if !searched && undecoded::goes(&packed, hook) {
            return Err("a piece of a compressed download that does not inflate, so personal data in it cannot be found");
        }
        Ok(())
    }
}

/// The maximum compression ratio of a real game file.
const MOST: usize = 32;
/// The number of bytes to search at once.
const WINDOW: usize = 0x1_0000;
/// The maximum length of personal data.
const LONGEST: usize = 0x1000;

/// An incremental search.
struct Search {
    /// The number of bytes that may still come.
    left: usize,
    window: Vec<u8>,
    found: bool,
}

impl Search {
    /// Searches more bytes. Returns false if there are too many.
    fn add(&mut self, bytes: &[u8], hook: &mut TextHook<'_>) -> bool {
        let Some(left) = self.left.checked_sub(bytes.len()) else { return false };
        self.left = left;
        self.window.extend_from_slice(bytes);
        if self.window.len() >= WINDOW {
            let tail = self.window[self.window.len() - LONGEST..].to_vec();
            self.found |= undecoded::in_place(&mut self.window, hook);
            self.window = tail;
        }
        true
    }

    /// Ends the search. Returns whether it found something.
    fn ends(mut self, hook: &mut TextHook<'_>) -> bool {
        self.found | undecoded::in_place(&mut self.window, hook)
    }
}

/// The downloads in a recording of blocks, in order. Those in MVD2 parcels are handled one by one.
fn files(input: &Input<'_>) -> VecDeque<File> {
    let mut found = DownloadCollector::default();
    if input.container == Framing::Dm2 {
        input.walk(WalkOptions { detail: Detail::Strings, ..input.walk_options() }, &mut found);
    }
    found.files
}

#[derive(Default)]
struct DownloadCollector {
    files: VecDeque<File>,
    /// Whether the next piece belongs to the last file.
    continues: bool,
}

impl Visitor for DownloadCollector {
    fn message(&mut self, at: At, message: &mut Message, _: &[u8], _: Effect, state: &State) {
        let op = message.body.kind();
        let (Body::Download(download) | Body::ZDownload(download)) = &message.body else { return };
        let piece = (at.offset, download.data.clone());
        match self.files.back_mut().filter(|file| self.continues && file.op == op) {
            Some(file) => file.pieces.push_back(piece),
            None => self.files.push_back(File { op, dialect: state.dialect, pieces: VecDeque::from([piece]) }),
        }
        self.continues = download.size >= 0 && download.percent < 100;
    }
}
