//! `join`: parts of one session, one after the other.

use model::{Action, Edited};
use wire::Error;

use super::copy::{Copier, Manner, extension};
use super::copy_mvd::MvdCopier;
use super::timeline::{Run, Timeline};
use crate::Recording;
use crate::dialect::FrameHeader;
use crate::identify::Framing;
use crate::playback;

pub(crate) fn join(parts: &[&Recording]) -> Result<Edited, Error> {
    let [first, rest @ ..] = parts else { return Err(Error::misuse("there is nothing to join")) };
    for part in rest {
        fits(first, part)?;
    }
    let mut edited = match first.identified().framing {
        Framing::Dm2 => dm2(parts)?,
        Framing::Mvd2 => mvd(parts)?,
    };
    edited.actions.insert(0, Action::JoinedParts { parts: parts.len() as u64 });
    Ok(edited)
}

/// Whether two recordings can be parts of one.
fn fits(first: &Recording, part: &Recording) -> Result<(), Error> {
    let (a, b) = (first.identified(), part.identified());
    let (old, new) = (first.info(), part.info());
    let slot = |info: &model::Info| info.recorder.as_ref().map(|recorder| recorder.slot);
    let wrong = if a.framing != b.framing || old.dialect != new.dialect || a.dialect.frame != b.dialect.frame {
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

fn manner(timeline: &Timeline) -> Result<Manner, Error> {
    let frames = timeline.all()?.last;
    Ok(Manner { runs: vec![Run { first: 1, last: frames }], frames, sizing: None, mend: true })
}

/// Whether a part of a server's recording is another level than the one before, though its opening is the same: levels after
/// the first have none, but frame numbers start anew.
fn starts_anew(before: Option<&Timeline>, part: &Timeline) -> bool {
    let first = |timeline: &Timeline| {
        let level = timeline.line.frames.last().map(|frame| frame.level);
        timeline.line.frames.iter().find(|frame| Some(frame.level) == level).map(|frame| frame.key)
    };
    before.is_some_and(|before| part.line.frames.first().map(|frame| frame.key) <= first(before))
}

fn dm2(parts: &[&Recording]) -> Result<Edited, Error> {
    let mut resume = None;
    let mut before = None;
    let mut edited = Edited::default();
    for part in parts {
        let dialect = part.identified().dialect;
        let timeline = part.timeline();
        let anew = dialect.frame == FrameHeader::Server && starts_anew(before, timeline);
        let mut copier = match resume.take() {
            None => Copier::new(dialect, part.bytes(), manner(timeline)?, None),
            Some(resume) => Copier::continuing(dialect, part.bytes(), manner(timeline)?, resume, anew),
        };
        before = Some(timeline);
        let (_, state) = part.walk(part.manner(), &mut copier);
        let mut stands = copier.suspend(&state)?;
        edited.actions.extend(stands.actions());
        edited.extension = extension(&state.dialect).to_owned();
        resume = Some(stands);
    }
    edited.bytes = resume.map(super::copy::Resume::finish).unwrap_or_default();
    Ok(edited)
}

fn mvd(parts: &[&Recording]) -> Result<Edited, Error> {
    let mut resume = None;
    for part in parts {
        let dialect = part.identified().dialect;
        let mut copier = match resume.take() {
            None => MvdCopier::new(dialect, manner(part.timeline())?, None),
            Some(resume) => MvdCopier::continuing(dialect, manner(part.timeline())?, resume),
        };
        let (_, state) = part.walk(playback::Manner { parcels: false, ..part.manner() }, &mut copier);
        resume = Some(copier.suspend(&state));
    }
    let bytes = resume.map(super::copy_mvd::MvdResume::finish).unwrap_or_default();
    Ok(Edited { bytes, extension: String::from("mvd2"), ..Edited::default() })
}
