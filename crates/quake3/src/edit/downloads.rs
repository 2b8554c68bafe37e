//! Files that a client downloaded in pieces, searched as wholes: personal text may span two pieces.

use std::collections::{BTreeMap, HashMap};

use fragreel_model::replay::undecoded;
use fragreel_model::{Fate, Role};

use crate::Recording;
use crate::container::{self, Frames, Piece};
use crate::message::{Message, Operation};

/// The pieces of a recording's files, made when the first is asked for.
pub(super) struct Downloads<'r> {
    recording: &'r Recording<'r>,
    files: Option<Vec<File>>,
    /// The file of each piece, by message and block.
    pieces: HashMap<(u32, u16), usize>,
}

/// A file, as far as the recording has it.
#[derive(Default)]
struct File {
    pieces: BTreeMap<u16, Vec<u8>>,
    searched: bool,
}

impl<'r> Downloads<'r> {
    pub(super) fn of(recording: &'r Recording<'r>) -> Self {
        Downloads { recording, files: None, pieces: HashMap::new() }
    }

    /// Passes the personal text of the file that this piece belongs to to `hook`, and replaces the piece by its changed bytes. Returns whether it
    /// changed.
    pub(super) fn piece(&mut self, message: u32, block: u16, data: &mut [u8], hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> bool {
        if self.files.is_none() {
            self.files = Some(self.find());
        }
        let file = self.pieces.get(&(message, block)).copied();
        let file = self.files.as_mut().zip(file).and_then(|(files, at)| files.get_mut(at));
        let Some(file) = file.filter(|file| file.pieces.get(&block).is_some_and(|piece| piece.len() == data.len())) else {
            return undecoded::in_place(data, hook);
        };
        if !std::mem::replace(&mut file.searched, true) {
            file.search(hook);
        }
        let new = &file.pieces[&block];
        let changed = *new != data;
        data.copy_from_slice(new);
        changed
    }

    /// The files in their order. Servers send a piece again until it arrives.
    fn find(&mut self) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        let mut message = Message::default();
        for piece in Frames::new(self.recording.bytes()) {
            let Piece::Message(frame) = piece else { continue };
            if message.read(container::data(self.recording.bytes(), &frame), self.recording.dialect()).is_err() {
                continue;
            }
            for operation in &message.operations {
                let Operation::Download(download) = operation else { continue };
                let same = |file: &&mut File| match file.pieces.get(&download.block) {
                    Some(known) => *known == download.data,
                    None => download.block > 0,
                };
                match files.last_mut().filter(same) {
                    Some(file) => drop(file.pieces.insert(download.block, download.data.clone())),
                    None => files.push(File { pieces: BTreeMap::from([(download.block, download.data.clone())]), searched: false }),
                }
                self.pieces.insert((frame.number, download.block), files.len() - 1);
            }
        }
        files
    }
}

impl File {
    /// Only pieces that follow each other are one text.
    fn search(&mut self, hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) {
        let blocks: Vec<u16> = self.pieces.keys().copied().collect();
        for row in blocks.chunk_by(|one, next| one + 1 == *next) {
            let mut whole: Vec<u8> = row.iter().flat_map(|block| self.pieces[block].iter().copied()).collect();
            if !undecoded::in_place(&mut whole, hook) {
                continue;
            }
            let mut rest = &whole[..];
            for block in row {
                let Some(piece) = self.pieces.get_mut(block) else { continue };
                let (part, behind) = rest.split_at(piece.len());
                piece.copy_from_slice(part);
                rest = behind;
            }
        }
    }
}
