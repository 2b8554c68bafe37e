//! What a recording holds beside the game: files, layouts, configstrings.

use std::collections::HashSet;

use fragreel_model::{ExtractKind, Extracted, configstring_lines};

use super::meaning::string_name;
use crate::dialect::Numbering;
use crate::message::{Body, Download, Inflated, Message, MvdBody, MvdMessage, Parcel, inflate};
use crate::state::{Detail, Effect, State};
use crate::walk::{At, Input, Visitor, WalkOptions};

/// How often longer than its pieces a real file is.
const MOST: usize = 32;

/// Everything, in the order in which it begins.
pub(crate) fn extract(input: &Input<'_>) -> Vec<Extracted> {
    let mut found = Collector::default();
    let (_, state) = input.walk(WalkOptions { detail: Detail::Strings, ..input.walk_options() }, &mut found);
    found.level(&state);
    found.close();
    found.found
}

#[derive(Default)]
struct Collector {
    found: Vec<Extracted>,
    layouts: HashSet<Vec<u8>>,
    /// The message that began a level whose strings are still sent.
    begun: Option<u32>,
    levels: u32,
    download: Option<OpenDownload>,
    downloads: u32,
}

/// A file whose pieces come.
struct OpenDownload {
    first: u32,
    last: u32,
    compressed: bool,
    in_parts: bool,
    pieces: Vec<u8>,
    whole: bool,
}

impl Collector {
    fn body(&mut self, block: u32, body: &Body, state: &State) {
        match body {
            Body::ServerData(_) => {
                self.level(state);
                self.begun = Some(block);
            }
            Body::Frame(_) => self.level(state),
            Body::Layout(text) if !text.0.is_empty() && self.layouts.insert(text.0.clone()) => {
                let name = format!("layout_{}.txt", self.layouts.len());
                self.found.push(Extracted::new(ExtractKind::Layout, name, block, text.0.clone()));
            }
            Body::Download(download) => self.piece(block, download, false, state),
            Body::ZDownload(download) => self.piece(block, download, true, state),
            _ => {}
        }
    }

    /// Adds the configstrings of the level that has begun.
    fn level(&mut self, state: &State) {
        let Some(block) = self.begun.take() else { return };
        let strings: Vec<_> = state.strings.iter().map(|(index, text)| (usize::from(index), string_name(state.dialect.strings, index), text)).collect();
        if strings.is_empty() {
            return;
        }
        self.levels += 1;
        let name = format!("configstrings_{}.tsv", self.levels);
        self.found.push(Extracted::new(ExtractKind::Configstrings, name, block, configstring_lines(strings)));
    }

    fn piece(&mut self, block: u32, download: &Download, compressed: bool, state: &State) {
        if download.size < 0 {
            self.close();
            return;
        }
        let in_parts = compressed && state.dialect.numbering == Numbering::R1q2;
        let fits = self.download.as_ref().is_some_and(|open| (open.compressed, open.in_parts) == (compressed, in_parts));
        if !fits {
            self.close();
        }
        let open = self.download.get_or_insert_with(|| OpenDownload { first: block, last: block, compressed, in_parts, pieces: Vec::new(), whole: false });
        open.last = block;
        if in_parts {
            open.pieces.extend_from_slice(&Inflated::of(&download.data, false).bytes);
        } else {
            open.pieces.extend_from_slice(&download.data);
        }
        if download.percent >= 100 {
            open.whole = true;
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(open) = self.download.take() else { return };
        let mut whole = open.whole;
        let bytes = if open.compressed && !open.in_parts {
            let most = open.pieces.len().saturating_mul(MOST);
            let mut bytes = Vec::new();
            whole &= inflate(&open.pieces, &mut |part| {
                bytes.extend_from_slice(part);
                bytes.len() <= most
            });
            bytes
        } else {
            open.pieces
        };
        // before protocol 32 pieces have no data
        if bytes.is_empty() {
            return;
        }
        self.downloads += 1;
        let bare = Extracted::new(ExtractKind::Download, format!("download_{}.bin", self.downloads), open.first, bytes);
        self.found.push(Extracted { last_message: open.last, complete: Some(whole), ..bare });
    }
}

impl Visitor for Collector {
    fn message(&mut self, at: At, message: &mut Message, _: &[u8], _: Effect, state: &State) {
        self.body(at.block, &message.body, state);
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            MvdBody::ServerData(_) => {
                self.level(state);
                self.begun = Some(at.block);
                self.level(state);
            }
            MvdBody::Frame(_) => self.level(state),
            _ => {}
        }
    }

    fn parcel(&mut self, at: At, _: &Parcel, message: &mut Message, _: &[u8], state: &State) {
        self.body(at.block, &message.body, state);
    }
}
