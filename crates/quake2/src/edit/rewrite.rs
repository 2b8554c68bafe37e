//! `rewrite`: passes every message to a hook and copies everything else byte for byte.

use model::{Edited, Fate, Place, Rewrite};
use wire::Error;

use super::EditSource;
use super::copy::{CopyOptions, Hook, Location, PartWriter};
use super::copy_mvd::{MvdHook, MvdPartWriter};
use super::text_rewriter::TextRewriter;
use crate::detect::Framing;
use crate::message::{Message, MvdBody, MvdMessage, Op};
use crate::state::State;
use crate::walk::WalkOptions;
use crate::walk::timeline::Run;

pub(crate) fn rewrite(source: &EditSource<'_>, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
    source.check_editable("rewritten")?;
    let mut rewriter = TextRewriter::of(&source.input, rewrite);
    let edited = match source.input.container {
        Framing::Dm2 => through(source, &mut rewriter),
        Framing::Mvd2 => through_mvd(source, &mut rewriter),
    };
    rewriter.finish(edited)
}

pub(crate) fn map_messages(source: &EditSource<'_>, f: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
    source.check_editable("rewritten")?;
    match source.input.container {
        Framing::Dm2 => Ok(through(source, &mut Mapped(f))),
        Framing::Mvd2 => Err(Error::misuse("an MVD2 has messages of its own: use map_mvd_messages")),
    }
}

pub(crate) fn map_mvd_messages(source: &EditSource<'_>, f: &mut dyn FnMut(Place, &mut MvdMessage) -> Fate) -> Result<Edited, Error> {
    match source.input.container {
        Framing::Mvd2 => Ok(through_mvd(source, &mut Mapped(f))),
        Framing::Dm2 => Err(Error::misuse("only an MVD2 has such messages: use map_messages")),
    }
}

fn through(source: &EditSource<'_>, hook: &mut dyn Hook) -> Edited {
    let options = whole_recording(source);
    let mut writer = PartWriter::new(source.input.dialect, source.input.bytes, options, Some(hook));
    let (walked, _) = source.input.walk(source.input.walk_options(), &mut writer);
    writer.finish(walked.end);
    writer.done.pop().unwrap_or_default()
}

fn through_mvd(source: &EditSource<'_>, hook: &mut dyn MvdHook) -> Edited {
    let options = whole_recording(source);
    let mut writer = MvdPartWriter::new(source.input.dialect, options, Some(hook));
    let (walked, _) = source.input.walk(WalkOptions { parcels: false, ..source.input.walk_options() }, &mut writer);
    writer.finish(walked.end, source.input.bytes);
    writer.done.pop().unwrap_or_default()
}

fn whole_recording(source: &EditSource<'_>) -> CopyOptions {
    let frames = source.timeline().count();
    CopyOptions { runs: vec![Run { first: 1, last: frames.max(1) }], frames, sizing: None, repair: false }
}

/// Adapts a closure to [`Hook`] and [`MvdHook`].
struct Mapped<F>(F);

impl<F: FnMut(Place, &mut Message) -> Fate> Hook for Mapped<F> {
    fn message(&mut self, at: Location, message: &mut Message, _: &State) -> Fate {
        let fate = (self.0)(at.place, message);
        let stays = matches!(message.body.op(), Op::ServerData | Op::SpawnBaseline | Op::PlayerInfo | Op::PacketEntities);
        if stays { Fate::Keep } else { fate }
    }
}

impl<F: FnMut(Place, &mut MvdMessage) -> Fate> MvdHook for Mapped<F> {
    fn message(&mut self, at: Location, message: &mut MvdMessage, _: &State, _: &mut Vec<MvdMessage>) -> Fate {
        let fate = (self.0)(at.place, message);
        if matches!(message.body, MvdBody::ServerData(_) | MvdBody::Frame(_)) { Fate::Keep } else { fate }
    }
}
