//! Copies a recording with the writer of its container.

use fragreel_model::replay::{Chunks, Whole, feed_all};

use super::EditSource;
use super::dm2_writer::Dm2Writer;
use super::mvd2_writer::Mvd2Writer;
use super::part_writer::{CopyOptions, Hook, PartWriter};
use crate::container::End;
use crate::detect::Framing;
use crate::walk::{Input, Playback, StoppingWalk, Visitor, WalkOptions};

/// Walks over the recording and writes the files that `options` ask for. Also returns how the recording ends.
pub(crate) fn copy<'h>(source: &EditSource<'h>, options: CopyOptions, hook: Option<&'h mut dyn Hook>) -> (PartWriter<'h>, End) {
    let Ok((parts, seen)) = copy_chunks(&source.input, options, hook, 0, &mut Whole(source.input.bytes));
    (parts, seen.end)
}

/// What a walk that copied a recording saw.
pub(super) struct Seen {
    /// How the recording ends.
    pub end: End,
    /// The walk as it stood before the block that was asked for.
    pub before: Playback<'static>,
    /// The end of the last chunk. No byte behind it had a say in the files.
    pub bytes: usize,
}

/// Like [`copy`], of a recording that comes in chunks. Where the options say to repair, `input` needs no bytes. Keeps the walk as it stands before the block
/// `stand`.
pub(super) fn copy_chunks<'h, C: Chunks>(
    input: &Input<'h>,
    options: CopyOptions,
    hook: Option<&'h mut dyn Hook>,
    stand: u32,
    chunks: &mut C,
) -> Result<(PartWriter<'h>, Seen), C::Error> {
    let Input { bytes, container, dialect, .. } = *input;
    Ok(match container {
        Framing::Dm2 => {
            let writer = Dm2Writer::new(dialect, bytes, options, hook);
            let (mut writer, seen) = walked(input, input.walk_options(), writer, stand, chunks)?;
            writer.finish(seen.end);
            (writer.parts, seen)
        }
        Framing::Mvd2 => {
            let writer = Mvd2Writer::new(dialect, bytes, options, hook);
            let (mut writer, seen) = walked(input, WalkOptions { parcels: false, ..input.walk_options() }, writer, stand, chunks)?;
            writer.finish(seen.end, bytes);
            (writer.parts, seen)
        }
    })
}

fn walked<V: Visitor, C: Chunks>(input: &Input<'_>, options: WalkOptions, writer: V, stand: u32, chunks: &mut C) -> Result<(V, Seen), C::Error> {
    let walk = feed_all(StoppingWalk::new(input, options, writer).before(stand), chunks)?;
    let before = walk.walk.playback.clone();
    let mut walk = feed_all(walk.on(), chunks)?.walk;
    let end = walk.playback.close_at(walk.length, input, &mut walk.visitor).end;
    Ok((walk.visitor, Seen { end, before, bytes: walk.length }))
}
