//! `join`: joins parts of one session.

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited};

use super::EditSource;
use super::dm2_writer::{Dm2Writer, ResumeState};
use super::mvd2_writer::{Mvd2Writer, MvdResume};
use super::part_writer::CopyOptions;
use super::report::extension;
use crate::answers::info::info;
use crate::detect::Framing;
use crate::dialect::FrameHeader;
use crate::walk::Input;
use crate::walk::WalkOptions;
use crate::walk::timeline::Timeline;

pub(crate) fn join(parts: &[EditSource<'_>]) -> Result<Edited, Error> {
    parts.iter().try_for_each(|part| part.check_editable("joined"))?;
    let [first, rest @ ..] = parts else { return Err(Error::misuse("there is nothing to join")) };
    for part in rest {
        fits(&first.input, &part.input)?;
    }
    let mut edited = match first.input.container {
        Framing::Dm2 => dm2(parts)?,
        Framing::Mvd2 => mvd(parts)?,
    };
    edited.actions.insert(0, Action::PartsJoined { parts: parts.len() as u64 });
    Ok(edited)
}

/// Fails unless both recordings can be parts of one.
fn fits(first: &Input<'_>, part: &Input<'_>) -> Result<(), Error> {
    let (a, b) = (first, part);
    let (old, new) = (info(first), info(part));
    let slot = |info: &fragreel_model::Info| info.recorder.as_ref().map(|recorder| recorder.slot);
    let wrong = if a.container != b.container || old.dialect != new.dialect || a.dialect.frame != b.dialect.frame {
        format!("one part is a {} recording of {}, another a {} recording of {}: convert them first", old.recording, old.dialect, new.recording, new.dialect)
    } else if old.game_mod != new.game_mod {
        String::from("the parts are of different games")
    } else if slot(&old) != slot(&new) {
        String::from("the parts were recorded by different players")
    } else {
        return Ok(());
    };
    Err(Error::misuse(wrong))
}

fn options(timeline: &Timeline) -> Result<CopyOptions, Error> {
    Ok(CopyOptions::all(timeline.all()?.last, true))
}

/// Whether a part of a server recording starts another level than the part before, although the signon is the same. Only the first
/// level of such a recording has a signon, but frame numbers start over with each.
fn starts_new_level(before: Option<&Timeline>, part: &Timeline) -> bool {
    let first = |timeline: &Timeline| {
        let level = timeline.line.frames.last().map(|frame| frame.level);
        timeline.line.frames.iter().find(|frame| Some(frame.level) == level).map(|frame| frame.key)
    };
    before.is_some_and(|before| part.line.frames.first().map(|frame| frame.key) <= first(before))
}

fn dm2(parts: &[EditSource<'_>]) -> Result<Edited, Error> {
    let mut resume = None;
    let mut before = None;
    let mut edited = Edited::default();
    for part in parts {
        let dialect = part.input.dialect;
        let timeline = part.timeline();
        let as_new_level = dialect.frame == FrameHeader::Server && starts_new_level(before, timeline);
        let mut writer = match resume.take() {
            None => Dm2Writer::new(dialect, part.input.bytes, options(timeline)?, None),
            Some(resume) => Dm2Writer::continuing(dialect, part.input.bytes, options(timeline)?, resume, as_new_level),
        };
        before = Some(timeline);
        let (_, state) = part.input.walk(part.input.walk_options(), &mut writer);
        let mut stands = writer.suspend(&state)?;
        edited.actions.extend(stands.actions());
        edited.extension = extension(&state.dialect).to_owned();
        resume = Some(stands);
    }
    edited.bytes = resume.map(ResumeState::finish).unwrap_or_default();
    Ok(edited)
}

fn mvd(parts: &[EditSource<'_>]) -> Result<Edited, Error> {
    let mut resume = None;
    for part in parts {
        let dialect = part.input.dialect;
        let mut writer = match resume.take() {
            None => Mvd2Writer::new(dialect, part.input.bytes, options(part.timeline())?, None),
            Some(resume) => Mvd2Writer::continuing(dialect, part.input.bytes, options(part.timeline())?, resume),
        };
        let (_, state) = part.input.walk(WalkOptions { parcels: false, ..part.input.walk_options() }, &mut writer);
        resume = Some(writer.suspend(&state));
    }
    let bytes = resume.map(MvdResume::finish).unwrap_or_default();
    Ok(Edited { bytes, extension: String::from("mvd2"), ..Edited::default() })
}
