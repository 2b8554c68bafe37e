//! A recording of any family that is not in memory as a whole.

use std::fmt;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use fragreel_base::wire::{Error, Limits};
use fragreel_detect::{candidates, extension};
use fragreel_model::replay::{self, CheckedCut, ChunkedEvents, Chunks, EventSource, HEAD, Share, causes};
use fragreel_model::{Audit, Certainty, Edited, Family, Fields, FrameOptions, Info, Kinds, MatchStats, NoMatch, Range, Verification};

use crate::edit::{Checked, checked};
use crate::feeder::{CHUNK, Feeder, Source, failed};
use crate::frames::Walk;
use crate::questions::Collected;
use crate::scores::{FIELDS, no_match, scores_of};
use crate::{Answer, Events, Frames, Questions};

/// A recording that is read in chunks of about a megabyte, so memory use does not depend on its length. It answers questions that need one walk from
/// start to end. The answers are those of [`Recording`](crate::Recording), to the byte. Offsets count from the first byte.
///
/// A chunk is longer if a damaged place needs more bytes: the next valid data may start much later, in some formats anywhere up to the end.
///
/// ```
/// use fragreel::{Limits, LongRecording};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let longer_than_a_head = fragreel::text_form::compile(&{
/// #     let text = fragreel::text_form::decompile(&std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
/// #     let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
/// #     [lines[..3].concat(), lines[3..lines.len() - 1].concat().repeat(24)].concat()
/// # })?;
/// let file = std::io::Cursor::new(longer_than_a_head); // or a `File`
/// let recording = LongRecording::open(file, "dm_bots.dm_71", Limits::default())?.expect("it need not be read as a whole");
/// assert_eq!(recording.info()?.maps, ["oa_minia"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LongRecording {
    source: Arc<Source>,
    inner: Chunked,
}

/// One line for each family whose recordings can be read in chunks.
macro_rules! chunked {
    ($($family:ident = $krate:ident if $feature:literal),* $(,)?) => {
        #[derive(Debug, Clone)]
        enum Chunked {
            $(#[cfg(feature = $feature)] $family(Box<$krate::Chunked>)),*
        }

        impl Chunked {
            fn open(family: Family, chunks: &mut Feeder, extension: Option<&str>, limits: Limits) -> Result<Option<Self>, Error> {
                match family {
                    $(#[cfg(feature = $feature)] Family::$family => Ok($krate::Chunked::open(chunks, extension, limits)?.map(|recording| Chunked::$family(Box::new(recording)))),)*
                    _ => Ok(None),
                }
            }

            fn family(&self) -> Family {
                match self { $(#[cfg(feature = $feature)] Chunked::$family(_) => Family::$family),* }
            }

            fn info(&self, chunks: &mut Feeder) -> Result<Info, Error> {
                match self { $(#[cfg(feature = $feature)] Chunked::$family(recording) => recording.info(chunks)),* }
            }

            fn verify(&self, share: Share, chunks: &mut Feeder) -> Result<Verification, Error> {
                match self { $(#[cfg(feature = $feature)] Chunked::$family(recording) => recording.verify(share, chunks)),* }
            }

            fn audit(&self, chunks: &mut Feeder) -> Result<Audit, Error> {
                match self { $(#[cfg(feature = $feature)] Chunked::$family(recording) => recording.audit(chunks)),* }
            }

            fn cut(&self, range: Range, chunks: &mut Feeder) -> Result<CheckedCut, Error> {
                match self { $(#[cfg(feature = $feature)] Chunked::$family(recording) => recording.cut(range, chunks)?),* }
            }

            fn events(&self, wanted: Kinds, chunks: Feeder) -> Box<dyn EventSource> {
                match self { $(#[cfg(feature = $feature)] Chunked::$family(recording) => Box::new(ChunkedEvents::new(recording.event_walk(wanted), chunks))),* }
            }

            fn frames(&self, options: FrameOptions) -> Walk<'static> {
                match self { $(#[cfg(feature = $feature)] Chunked::$family(recording) => Walk::$family(Box::new(recording.frames(options)))),* }
            }
        }
    };
}

chunked! {
    Quake1 = fragreel_quake1 if "quake1",
    Quake2 = fragreel_quake2 if "quake2",
    Quake3 = fragreel_quake3 if "quake3",
    GoldSrc = fragreel_goldsrc if "goldsrc",
}

impl LongRecording {
    /// Opens the recording that `reader` gives. The name of its file is a hint as for [`Recording::open`](crate::Recording::open).
    ///
    /// Returns `None` if the recording must be in memory: it is packed or shorter than a chunk, its start is damaged, or its name contradicts its
    /// content. The same applies to a Half-Life recording if the directory at its end is missing or incomplete. `Recording::open` opens these, and
    /// reports an error for files that are not recordings.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if reading fails. [`ErrorKind::Limit`](crate::ErrorKind::Limit) if there is more to read than `limits` allow.
    pub fn open(reader: impl Read + Seek + Send + 'static, name: &str, limits: Limits) -> Result<Option<Self>, Error> {
        Ok(Self::open_in_chunks_of(CHUNK, reader, name, limits)?.filter(|long| long.source.length() > CHUNK))
    }

    /// The same in chunks of another size, for tests.
    #[doc(hidden)]
    pub fn open_in_chunks_of(chunk_bytes: usize, mut reader: impl Read + Seek + Send + 'static, name: &str, limits: Limits) -> Result<Option<Self>, Error> {
        let length = reader.seek(SeekFrom::End(0)).map_err(|error| failed(0, &error))?;
        if length > limits.recording_bytes {
            return Err(Error::limit("the recording is larger than the limits allow"));
        }
        let Ok(length) = usize::try_from(length) else { return Ok(None) };
        let source = Arc::new(Source::new(reader, length, chunk_bytes));
        let extension = extension(name);
        let mut feeder = Feeder::new(&source);
        let head = feeder.chunk(0, HEAD - 1)?;
        let [(family, Certainty::Certain)] = candidates(head.bytes(), extension.as_deref())[..] else { return Ok(None) };
        let inner = Chunked::open(family, &mut feeder, extension.as_deref(), limits)?;
        Ok(inner.map(|inner| LongRecording { source, inner }))
    }

    /// The same recording. Obituaries are matched against these phrases first.
    #[cfg(feature = "quake1")]
    #[must_use]
    pub fn with_phrases(self, phrases: &Arc<fragreel_quake1::PhraseFile>) -> Self {
        let inner = match self.inner {
            Chunked::Quake1(recording) => Chunked::Quake1(Box::new(recording.with_phrases(phrases.clone()))),
            #[allow(unreachable_patterns, reason = "where there is only one family")]
            other => other,
        };
        LongRecording { inner, ..self }
    }

    fn feeder(&self) -> Feeder {
        Feeder::new(&self.source)
    }

    /// The family that it belongs to.
    pub fn family(&self) -> Family {
        self.inner.family()
    }

    /// The same as [`Recording::info`](crate::Recording::info).
    ///
    /// # Errors
    /// If reading fails.
    pub fn info(&self) -> Result<Info, Error> {
        let mut info = self.inner.info(&mut self.feeder())?;
        info.date = info.date.take().or_else(|| replay::date::of(|key| info.server_settings.get(key)));
        Ok(info)
    }

    /// The same as [`Recording::verify`](crate::Recording::verify).
    ///
    /// # Errors
    /// If reading fails.
    pub fn verify(&self) -> Result<Verification, Error> {
        self.verify_share(Share::all())
    }

    pub(crate) fn verify_share(&self, share: Share) -> Result<Verification, Error> {
        self.inner.verify(share, &mut self.feeder())
    }

    /// The length of the recording in bytes.
    pub(crate) fn length(&self) -> usize {
        self.source.length()
    }

    /// The same as [`Recording::audit`](crate::Recording::audit).
    ///
    /// # Errors
    /// If reading fails.
    pub fn audit(&self) -> Result<Audit, Error> {
        self.inner.audit(&mut self.feeder())
    }

    /// The same as [`Recording::cut`](crate::Recording::cut), with what [`check_edited`](crate::Recording::check_edited) finds. Memory holds the part about
    /// three times, and nothing of what lies before and behind it. Frames are compared with those of the part only, so a frame of a damaged recording
    /// may differ here that has its like elsewhere.
    ///
    /// # Errors
    /// Those of `Recording::cut`, and [`ErrorKind::Io`](crate::ErrorKind::Io) if reading fails.
    pub fn cut(&self, range: Range) -> Result<(Edited, Checked), Error> {
        let CheckedCut { edited, comparison } = self.inner.cut(range, &mut self.feeder())?;
        let verification = checked::verify(&edited)?;
        let of_text_mode = causes::text_mode_in(&mut self.feeder())?.is_some() && !self.verify()?.is_whole();
        Ok((edited, Checked { verification, comparison, of_text_mode }))
    }

    /// Whether these are its bytes.
    ///
    /// # Errors
    /// If reading fails.
    pub fn has_bytes(&self, bytes: &[u8]) -> Result<bool, Error> {
        replay::has_bytes(&mut self.feeder(), bytes)
    }

    /// The same as [`Recording::events`](crate::Recording::events). [`Events::failure`] says why reading failed.
    pub fn events(&self, wanted: impl Into<Kinds>) -> Events<'static> {
        self.ask(Questions::default().events(wanted))
    }

    fn ask(&self, questions: Questions) -> Events<'static> {
        Events::new(self.walk(questions.kinds()), Collected::new(None, questions))
    }

    fn walk(&self, wanted: Kinds) -> replay::Events<Box<dyn EventSource>> {
        replay::Events::new(self.inner.events(wanted, self.feeder()))
    }

    /// The same as [`Recording::scores`](crate::Recording::scores).
    ///
    /// # Errors
    /// If reading fails.
    pub fn scores(&self) -> Result<Answer<Vec<MatchStats>>, Error> {
        let mut events = self.ask(Questions::default().scores());
        events.by_ref().for_each(drop);
        if let Some(error) = events.failure() {
            return Err(error.clone());
        }
        let answers = events.answers();
        Ok(Answer { value: answers.scores, damage: answers.damage })
    }

    /// The same as [`Recording::scores_with_frames`](crate::Recording::scores_with_frames).
    ///
    /// # Errors
    /// If reading fails.
    pub fn scores_with_frames(&self) -> Result<Answer<Vec<MatchStats>>, Error> {
        let options = FrameOptions::default().fields(FIELDS.into_iter().collect::<Fields>()).players_only();
        scores_of(self.family(), &mut self.walk(crate::statistics::KINDS.iter().copied().collect()), Some(self.frames(options)?), None)
    }

    /// The same as [`Recording::no_match`](crate::Recording::no_match).
    ///
    /// # Errors
    /// If reading fails.
    pub fn no_match(&self) -> Result<NoMatch, Error> {
        no_match(|kinds| self.walk(kinds), || self.info())
    }

    /// The same as [`Recording::frames`](crate::Recording::frames). The walk only goes forward. [`Frames::failure`] says why reading failed.
    ///
    /// # Errors
    /// If reading fails.
    pub fn frames(&self, options: FrameOptions) -> Result<Frames, Error> {
        Frames::in_chunks(self.inner.frames(options), self.feeder())
    }
}

impl fmt::Debug for LongRecording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongRecording").field("family", &self.family()).field("bytes", &self.length()).finish_non_exhaustive()
    }
}
