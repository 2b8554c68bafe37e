//! `rewrite`: passes every message to a hook and copies everything else byte for byte.

use fragreel_base::wire::Error;
use fragreel_model::{Edited, Fate, Place, Rewrite};

use super::EditSource;
use super::copy::copy;
use super::part_writer::{CopyOptions, Hook, Location};
use super::text_rewriter::TextRewriter;
use crate::detect::Framing;
use crate::message::{Message, MvdBody, MvdMessage, Op};
use crate::state::State;

pub(crate) fn rewrite(source: &EditSource<'_>, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
    source.check_editable("rewritten")?;
    let mut rewriter = TextRewriter::of(&source.input, rewrite);
    let edited = through(source, &mut rewriter);
    rewriter.finish(edited)
}

pub(crate) fn map_messages(source: &EditSource<'_>, f: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
    source.check_editable("rewritten")?;
    match source.input.container {
        Framing::Dm2 => Ok(through(source, &mut MapMessages(f))),
        Framing::Mvd2 => Err(Error::misuse("an MVD2 has messages of its own: use map_mvd_messages")),
    }
}

pub(crate) fn map_mvd_messages(source: &EditSource<'_>, f: &mut dyn FnMut(Place, &mut MvdMessage) -> Fate) -> Result<Edited, Error> {
    match source.input.container {
        Framing::Mvd2 => Ok(through(source, &mut MapMvdMessages(f))),
        Framing::Dm2 => Err(Error::misuse("only an MVD2 has such messages: use map_messages")),
    }
}

/// Passes the whole recording through a hook and copies everything else byte for byte.
fn through(source: &EditSource<'_>, hook: &mut dyn Hook) -> Edited {
    let options = CopyOptions::all(source.timeline().count(), false);
    copy(source, options, Some(hook)).0.into_file().unwrap_or_default()
}

/// Adapts a closure to [`Hook`].
struct MapMessages<F>(F);

impl<F: FnMut(Place, &mut Message) -> Fate> Hook for MapMessages<F> {
    fn message(&mut self, at: Location, message: &mut Message, _: &State) -> Fate {
        let fate = (self.0)(at.place, message);
        let stays = matches!(message.body.op(), Op::ServerData | Op::SpawnBaseline | Op::PlayerInfo | Op::PacketEntities);
        if stays { Fate::Keep } else { fate }
    }
}

/// Adapts a closure to [`Hook`], for MVD2.
struct MapMvdMessages<F>(F);

impl<F: FnMut(Place, &mut MvdMessage) -> Fate> Hook for MapMvdMessages<F> {
    fn mvd_message(&mut self, at: Location, message: &mut MvdMessage, _: &State, _: &mut Vec<MvdMessage>) -> Fate {
        let fate = (self.0)(at.place, message);
        if matches!(message.body, MvdBody::ServerData(_) | MvdBody::Frame(_)) { Fate::Keep } else { fate }
    }
}
