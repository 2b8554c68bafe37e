//! Editing: cut, split, join, repair, convert, rewrite (`docs/formats/quake1.md`, "Editing").

pub(crate) mod chunked_cut;
pub(crate) mod compare;
mod convert;
mod donor;
mod fields;
mod frame_pairs;
mod join;
mod other_texts;
mod part_writer;
mod repair;
mod rewrite;
pub(crate) mod source;
mod split;
mod statistics;
mod text_rewriter;

use fragreel_base::wire::Error;
use fragreel_model::{Certainty, Edited, Range, Rewrite, Split, Target};

use crate::walk::input::Input;
use source::Source;

pub(crate) use rewrite::map_messages;

/// Fails if messages of this dialect are not decoded. Only the container can be repaired then.
fn understood(recording: &Input<'_>) -> Result<(), Error> {
    if recording.dialect.known && !recording.dialect.supported() {
        return Err(Error::unsupported(format!("messages of {} are not decoded, so it can only be repaired", recording.dialect.name())));
    }
    Ok(())
}

/// The frames of each range as a recording, in as few walks as possible.
pub(crate) fn cuts(source: &Source<'_>, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
    match understood(source) {
        Ok(()) => split::cuts(source, ranges),
        Err(error) => ranges.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Parts that the game plays, each with a signon.
pub(crate) fn split(source: &Source<'_>, by: Split) -> Result<Vec<Edited>, Error> {
    understood(source)?;
    split::split(source, by)
}

/// One recording of consecutive parts of one session.
pub(crate) fn join(parts: &[&Input<'_>]) -> Result<Edited, Error> {
    for part in parts {
        join::check_container(parts[0], part)?;
        understood(part)?;
    }
    join::join(parts)
}

/// A recording that plays, made of everything readable in this one.
pub(crate) fn repair(input: &Input<'_>) -> Result<Edited, Error> {
    if input.start_lost && !donor::states_level(input) {
        return Err(Error::malformed(
            "the start of the recording is lost, with the models and baselines that every frame needs. Name a recording that has them with --donor",
        ));
    }
    let repaired = repair::repair(input);
    if repaired.bytes != input.bytes && crate::detect(&repaired.bytes, Some(&repaired.extension)) == Certainty::No {
        return Err(Error::malformed("too little can be read to recognize a recording"));
    }
    Ok(repaired)
}

/// The bytes of a recording with the signon of another one in the place of its own, which is lost.
pub(crate) fn opened_by(recording: &Input<'_>, donor: &Input<'_>) -> Result<Vec<u8>, Error> {
    donor::open_by(recording, donor)
}

/// The recording in another format.
pub(crate) fn convert(source: &Source<'_>, target: &Target) -> Result<Edited, Error> {
    understood(source)?;
    convert::convert(source, target)
}

/// The recording as `rewrite` changes it.
pub(crate) fn rewrite(input: &Input<'_>, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
    understood(input)?;
    rewrite::rewrite(input, rewrite)
}
