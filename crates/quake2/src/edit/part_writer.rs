//! What the writers of both containers share: which frames become which file, the hook, and the finished files.

use fragreel_base::wire::Error;
use fragreel_model::replay::{SizePlan, SizedParts};
use fragreel_model::{Action, Damage, DamageKind, Edited, Fate, Place};

use super::report::Report;
use crate::dialect::Dialect;
use crate::message::{Message, MvdMessage, Packed};
use crate::state::State;
use crate::walk::timeline::Run;

/// Changes messages while they are copied.
pub(crate) trait Hook {
    /// Called for every copied message of a `.dm2` or `.rla`, after the state applied it.
    fn message(&mut self, _: Location, _: &mut Message, _: &State) -> Fate {
        Fate::Keep
    }

    /// Called for every copied message of an MVD2, after the state applied it. Messages pushed to `more` are written after it.
    fn mvd_message(&mut self, _: Location, _: &mut MvdMessage, _: &State, _more: &mut Vec<MvdMessage>) -> Fate {
        Fate::Keep
    }

    /// Called with bytes that cannot be decoded. The hook may change bytes or remove all of them.
    fn leftover(&mut self, _: Location, _: &mut Vec<u8>, _: &Dialect) {}

    /// Called for damage other than a missing end mark.
    fn damaged(&mut self) {}

    /// Called with the bytes after the stream of a compressed packet, whose messages arrive one by one.
    fn behind_packet(&mut self, _: Location, _: &mut Packed) {}
}

/// The place of a message, and its offset in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location {
    pub place: Place,
    pub offset: u64,
}

/// Which frames to copy, and how.
#[derive(Debug, Clone)]
pub(crate) struct CopyOptions {
    /// The runs, in order. Each becomes a file.
    pub runs: Vec<Run>,
    /// Frames in the recording.
    pub frames: u64,
    /// Starts another file before one gets too long.
    pub sizing: Option<SizePlan>,
    /// Drops undecodable bytes, empty blocks and trailing data, splits oversized blocks, and writes the engine's end mark.
    pub repair: bool,
}

impl CopyOptions {
    /// Every frame of a recording with `frames` frames.
    pub(super) fn all(frames: u64, repair: bool) -> Self {
        CopyOptions { runs: vec![Run { first: 1, last: frames.max(1) }], frames, sizing: None, repair }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Before the first frame of the run.
    Waiting,
    /// The first frame of the run is being read.
    Starting,
    Copying,
    /// After the last run.
    Over,
}

/// Decides which frames belong to which file, and collects the files.
pub(crate) struct PartWriter<'h> {
    pub options: CopyOptions,
    pub hook: Option<&'h mut dyn Hook>,
    /// The run that is being copied or waited for.
    pub run: usize,
    pub phase: Phase,
    /// The last message.
    pub place: Place,
    /// Frames begun in the recording.
    pub ordinal: u64,
    /// Size of the current block or record in the source.
    pub source_bytes: usize,
    pub report: Report,
    /// Set when a file got longer than wanted. No more files are made.
    pub failed: Option<Result<SizedParts, Error>>,
    pub done: Vec<Edited>,
}

impl<'h> PartWriter<'h> {
    pub(super) fn new(options: CopyOptions, hook: Option<&'h mut dyn Hook>) -> Self {
        let from_start = options.runs.first().is_some_and(|run| run.first <= 1);
        PartWriter {
            phase: if from_start { Phase::Copying } else { Phase::Waiting },
            options,
            hook,
            run: 0,
            place: Place { message: 0, time: fragreel_model::Milliseconds(0) },
            ordinal: 0,
            source_bytes: 0,
            report: Report::default(),
            failed: None,
            done: Vec::new(),
        }
    }

    pub(super) fn is_copying(&self) -> bool {
        self.phase == Phase::Copying
    }

    pub(super) fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Whether frame `ordinal` starts the run that is waited for.
    pub(super) fn starts(&self, ordinal: u64) -> bool {
        self.phase == Phase::Waiting && self.options.runs.get(self.run).is_some_and(|run| ordinal >= run.first)
    }

    /// Whether the run ends before frame `ordinal`. With a size plan, it also ends if the file has `bytes` and `more` would make it
    /// too long. `begun`: the file has a frame. There must be a run.
    pub(super) fn ends_before(&mut self, ordinal: u64, begun: bool, bytes: usize, more: usize) -> bool {
        let CopyOptions { runs, sizing, .. } = &mut self.options;
        if let Some(sizing) = sizing {
            if !begun {
                sizing.open(bytes);
            } else if sizing.ends(bytes, more) {
                let last = std::mem::replace(&mut runs[self.run].last, ordinal - 1);
                runs.insert(self.run + 1, Run { first: ordinal, last });
            }
        }
        ordinal > runs[self.run].last
    }

    /// Whether the current frame is the last of its run, and what follows in the file belongs to no run.
    pub(super) fn run_is_complete(&self) -> bool {
        let CopyOptions { runs, frames, sizing, .. } = &self.options;
        let Some(run) = runs.get(self.run) else { return true };
        let continues = run.last >= *frames || runs.get(self.run + 1).is_some_and(|next| next.first == run.last + 1) || sizing.is_some();
        !continues && self.ordinal >= run.last
    }

    pub(super) fn next_run(&mut self) {
        self.run += 1;
        self.phase = if self.run < self.options.runs.len() && self.failed.is_none() { Phase::Waiting } else { Phase::Over };
    }

    /// Adds a finished file.
    pub(super) fn add_file(&mut self, edited: Edited) {
        if let Some(sizing) = &mut self.options.sizing {
            self.failed = sizing.close(edited.bytes.len()).transpose();
        }
        self.done.push(edited);
    }

    /// Passes undecodable bytes through the hook.
    pub(super) fn leftover(&mut self, offset: u64, bytes: &[u8], dialect: &Dialect) -> Vec<u8> {
        let mut left = bytes.to_vec();
        if let Some(hook) = self.hook.as_mut().filter(|_| !bytes.is_empty()) {
            hook.leftover(Location { place: self.place, offset }, &mut left, dialect);
        }
        self.report.changed += u64::from(left != bytes);
        left
    }

    /// Reports damage to the hook, and as an action if `report` is set.
    pub(super) fn damage(&mut self, damage: &Damage, report: bool) {
        if damage.kind == DamageKind::NoEndMarker {
            return;
        }
        if let Some(hook) = &mut self.hook {
            hook.damaged();
        }
        if report && self.is_copying() && self.options.repair {
            self.report.damage.push(Action::BytesLeftOut { bytes: None, offset: damage.offset, why: damage.detail.clone() });
        }
    }

    /// The files, or why there are none.
    pub(super) fn into_parts(self) -> Result<SizedParts, Error> {
        self.failed.unwrap_or(Ok(SizedParts::Parts(self.done)))
    }

    /// The only file.
    pub(super) fn into_file(mut self) -> Option<Edited> {
        self.done.pop()
    }
}
