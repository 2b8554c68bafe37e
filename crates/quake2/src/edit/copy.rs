//! Copies a recording with the writer of its container.

use super::EditSource;
use super::dm2_writer::Dm2Writer;
use super::mvd2_writer::Mvd2Writer;
use super::part_writer::{CopyOptions, Hook, PartWriter};
use crate::container::End;
use crate::detect::Framing;
use crate::walk::{Input, WalkOptions};

/// Walks over the recording and writes the files that `options` ask for. Also returns how the recording ends.
pub(crate) fn copy<'h>(source: &EditSource<'h>, options: CopyOptions, hook: Option<&'h mut dyn Hook>) -> (PartWriter<'h>, End) {
    let Input { bytes, container, dialect, .. } = source.input;
    match container {
        Framing::Dm2 => {
            let mut writer = Dm2Writer::new(dialect, bytes, options, hook);
            let (summary, _) = source.input.walk(source.input.walk_options(), &mut writer);
            writer.finish(summary.end);
            (writer.parts, summary.end)
        }
        Framing::Mvd2 => {
            let mut writer = Mvd2Writer::new(dialect, bytes, options, hook);
            let (summary, _) = source.input.walk(WalkOptions { parcels: false, ..source.input.walk_options() }, &mut writer);
            writer.finish(summary.end, bytes);
            (writer.parts, summary.end)
        }
    }
}
