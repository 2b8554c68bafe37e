//! Undecodable parts of a rewritten recording: searched, or dropped (`docs/formats/quake2.md`, "Rewriting").

use std::ops::Range;

use fragreel_model::replay::undecoded;
use fragreel_model::{Action, Edited, Fate, Milliseconds, Place};

use super::downloads::PieceFate;
use super::part_writer::Location;
use super::text_rewriter::TextRewriter;
use crate::container::Window;
use crate::container::dm2::Blocks;
use crate::container::mvd2::Records;
use crate::detect::Framing;
use crate::dialect::Dialect;
use crate::message::{Download, Inflated, MessageKind, Packed};

impl TextRewriter<'_> {
    /// Handles undecodable bytes. If they may contain compressed messages, they cannot be searched and are dropped. Others are searched at
    /// the end, together with their neighbors.
    pub(super) fn rewrite_undecoded(&mut self, at: Location, bytes: &mut Vec<u8>, dialect: &Dialect) {
        let rewrite = &mut *self.rewrite;
        let mut hook = |role, text: &mut Vec<u8>| rewrite.text(at.place, role, text);
        if dialect.compresses() && undecoded::goes(bytes, &mut hook) {
            self.leave_out(at, bytes.len(), "they cannot be read, so personal data in compressed messages among them cannot be found");
            bytes.clear();
        } else {
            self.damaged = true;
        }
    }

    fn leave_out(&mut self, at: Location, bytes: usize, why: &str) {
        self.left_out.push(Action::BytesLeftOut { bytes: Some(bytes as u64), offset: at.offset, why: why.to_owned() });
    }

    /// Handles a compressed message. An undecodable one is kept if it inflates to its end and contains no personal data. A packet may
    /// contain another packet, so it is never searched to its end.
    pub(super) fn rewrite_compressed(&mut self, at: Location, op: MessageKind, packed: &mut Packed) -> Fate {
        let rewrite = &mut *self.rewrite;
        let mut hook = |role, text: &mut Vec<u8>| rewrite.text(at.place, role, text);
        let Inflated { mut bytes, used, ended } = Inflated::of(&packed.compressed, op != MessageKind::ZPacket);
        if let Some(failure) = &packed.failure {
            let goes =
                if ended && op != MessageKind::ZPacket { undecoded::in_place(&mut bytes, &mut hook) } else { undecoded::goes(&packed.compressed, &mut hook) };
            if goes {
                let why = format!("{failure}, so personal data in it cannot be removed");
                self.leave_out(at, packed.compressed.len(), &why);
                return Fate::Drop;
            }
        }
        if ended && used < packed.compressed.len() && undecoded::goes(&packed.compressed[used..], &mut hook) {
            self.leave_out(at, packed.compressed.len() - used, "they follow the end of the compressed data, and are not decoded");
            packed.compressed.truncate(used);
        }
        Fate::Keep
    }

    /// Handles a piece of a download.
    pub(super) fn rewrite_download(&mut self, at: Location, op: MessageKind, download: &mut Download, dialect: &Dialect) -> Fate {
        let rewrite = &mut *self.rewrite;
        let mut hook = |role, text: &mut Vec<u8>| rewrite.text(at.place, role, text);
        match self.downloads.piece(at.offset, op, download, dialect, &mut hook) {
            PieceFate::Piece => Fate::Keep,
            PieceFate::Nothing(why) => {
                self.leave_out(at, download.data.len(), why);
                Fate::Drop
            }
        }
    }

    /// Searches the whole output once more. In a broken file, text may have been decoded as numbers and lengths. Block lengths are kept.
    pub(super) fn sweep(&mut self, edited: &mut Edited) {
        let input = self.input;
        let before = edited.bytes.clone();
        let lengths: Vec<Range<usize>> = match input.container {
            Framing::Dm2 => Blocks::recovering(&before, input.dialect).map(Window::length).collect(),
            Framing::Mvd2 => Records::readable(&before, input.dialect).into_iter().map(Window::length).collect(),
        };
        let (rewrite, place) = (&mut *self.rewrite, Place { message: 0, time: Milliseconds(0) });
        if !undecoded::in_place(&mut edited.bytes, &mut |role, text| rewrite.text(place, role, text)) {
            return;
        }
        for length in lengths {
            edited.bytes[length.clone()].copy_from_slice(&before[length]);
        }
        let changed: Vec<usize> = (0..before.len()).filter(|&at| edited.bytes[at] != before[at]).collect();
        let places = changed.chunk_by(|one, next| one + 1 == *next).count() as u64;
        if places > 0 {
            edited.actions.push(Action::TextChanged { places });
        }
    }
}
