//! The recording that a question is about, in memory or read in chunks.

use std::path::Path;

use fragreel::model::{Audit, FrameOptions, Info, Kinds, MatchStats, NoMatch, Verification};
use fragreel::{Answer, Error, Events, Frames, LongRecording, Recording};

use crate::failure::Failure;
use crate::stream::Stream;

/// Shorter recordings are verified by one thread. The second would gain less than it takes to start (docs/performance.md).
const WORTH_TWO_THREADS: usize = 2_000_000;

/// A recording with what its question needs.
pub struct Asked<'a> {
    /// The file, or the member of an archive.
    pub path: &'a Path,
    /// Its name for machines.
    pub name: &'a str,
    /// The recording.
    pub recording: Held<'a>,
    /// Takes output that comes before the answer, in pieces.
    pub stream: &'a Stream,
}

/// Where a recording is.
#[derive(Clone, Copy)]
pub enum Held<'a> {
    /// In memory.
    Whole(&'a Recording),
    /// In its file: it is read in chunks.
    Long(&'a LongRecording),
}

impl<'a> Held<'a> {
    /// What it is.
    pub fn info(self) -> Result<Info, Error> {
        match self {
            Held::Whole(recording) => Ok(recording.info()),
            Held::Long(recording) => recording.info(),
        }
    }

    /// What happened.
    pub fn events(self, kinds: Kinds) -> Events<'a> {
        match self {
            Held::Whole(recording) => recording.events(kinds),
            Held::Long(recording) => recording.events(kinds),
        }
    }
}

/// The failure of a file that could not be read to its end.
pub fn broken_off(name: &str, error: &Error) -> Failure {
    Failure::new(format!("cannot read `{name}` to its end"))
        .because(error.clone())
        .help("Try to copy the file. If that also fails, the disk or the network has a fault.")
        .about(name)
}

impl Asked<'_> {
    /// The failure of a file that could not be read to its end.
    pub fn broken_off(&self, error: &Error) -> Failure {
        broken_off(self.name, error)
    }

    fn of_long<T>(&self, whole: impl FnOnce(&Recording) -> T, long: impl FnOnce(&LongRecording) -> Result<T, Error>) -> Result<T, Failure> {
        match self.recording {
            Held::Whole(recording) => Ok(whole(recording)),
            Held::Long(recording) => long(recording).map_err(|error| self.broken_off(&error)),
        }
    }

    /// What it is.
    pub fn info(&self) -> Result<Info, Failure> {
        self.recording.info().map_err(|error| self.broken_off(&error))
    }

    /// Whether it is whole.
    pub fn verify(&self) -> Result<Verification, Failure> {
        let of_whole = |whole: &Recording| {
            if whole.bytes().len() < WORTH_TWO_THREADS { whole.verify() } else { whole.verify_by_two(|first, second| rayon::join(first, second)) }
        };
        self.of_long(of_whole, |long| long.verify_by_two(|first, second| rayon::join(first, second)))
    }

    /// The findings of an audit.
    pub fn audit(&self) -> Result<Audit, Failure> {
        self.of_long(Recording::audit, LongRecording::audit)
    }

    /// What happened.
    pub fn events(&self, kinds: Kinds) -> Events<'_> {
        self.recording.events(kinds)
    }

    /// Where everybody was.
    pub fn frames(&self, options: FrameOptions) -> Result<Frames, Error> {
        match self.recording {
            Held::Whole(recording) => recording.frames(options),
            Held::Long(recording) => recording.frames(options),
        }
    }

    /// The scoreboards.
    pub fn scores(&self, with_frames: bool) -> Result<Answer<Vec<MatchStats>>, Failure> {
        if with_frames {
            return self.of_long(Recording::scores_with_frames, LongRecording::scores_with_frames);
        }
        self.of_long(Recording::scores, LongRecording::scores)
    }

    /// Why there are no scoreboards.
    pub fn no_match(&self) -> Result<NoMatch, Failure> {
        self.of_long(Recording::no_match, LongRecording::no_match)
    }
}
