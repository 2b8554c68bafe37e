//! `rewrite`: passes every message to a hook and copies everything else byte for byte.

use fragreel_base::wire::Error;
use fragreel_model::{Edited, Fate, Place, Rewrite};

use super::EditSource;
use super::copy::copy;
use super::part_writer::{CopyOptions, Hook, Location};
use super::text_rewriter::TextRewriter;
use crate::detect::Framing;
use crate::message::{Message, MessageKind};
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
        Framing::Mvd2 => Err(Error::misuse("an MVD2 has messages of its own")),
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
        let stays = matches!(message.body.kind(), MessageKind::ServerData | MessageKind::SpawnBaseline | MessageKind::PlayerInfo | MessageKind::PacketEntities);
        if stays { Fate::Keep } else { fate }
    }
}
