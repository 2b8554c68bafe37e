//! A recording of any family, open for questions.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{self, Share};
use fragreel_model::{Audit, Damage, Extracted, Family, Finding, Info, Moment, Verification, When};
use self_cell::self_cell;

use crate::family::Inner;
use crate::source::Source;

self_cell!(
    struct Opened {
        owner: Source,
        #[covariant]
        dependent: Inner,
    }
);

/// An open recording of any game. It owns its bytes, so it can be kept, and sent to another thread. Threads may share it. A clone
/// shares the bytes, and what earlier questions worked out.
///
/// ```
/// use fragreel::Recording;
/// use fragreel::model::FrameOptions;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
/// let frames = recording.frames(FrameOptions::default().hz(1.0))?;
/// let counted = std::thread::spawn(move || frames.count());
/// assert_eq!(recording.info().maps, ["oa_minia"]);
/// assert_eq!(counted.join().unwrap(), 57);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recording {
    opened: Arc<Opened>,
}

impl Recording {
    /// Opens the recording that these bytes are: plain, compressed with gzip, or packed by Fragreel. Its content says which format it is;
    /// the name of its file (or nothing: `""`) is a hint for content that does not. No more is decoded than that takes.
    ///
    /// [`Bytes`] are shared, not copied: give a `Vec<u8>`, a mapped file ([`Bytes::from_owner`]), or a part of an archive ([`Bytes::slice`]).
    ///
    /// A compressed file that is cut off or corrupt gives what could be unpacked. The answers report the damage.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) when no family knows the bytes; of what is packed then no more than the beginning
    /// is unpacked. [`ErrorKind::Malformed`](crate::ErrorKind::Malformed) when the family that does cannot make anything of them.
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) when unpacking would exceed the default [`Limits`], or gives so much more than goes in that
    /// it can be no recording.
    pub fn open(bytes: impl Into<Bytes>, name: &str) -> Result<Self, Error> {
        Self::open_with_limits(bytes, name, Limits::default())
    }

    /// [`open`](Self::open) under other limits.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with_limits(bytes: impl Into<Bytes>, name: &str, limits: Limits) -> Result<Self, Error> {
        Self::of(Source::unpack(bytes.into(), name, limits)?)
    }

    pub(crate) fn of(source: Source) -> Result<Self, Error> {
        let opened = Opened::try_new(source, |source| {
            let inner = Inner::detect(&source.bytes, source.extension.as_deref(), source.limits)?;
            #[cfg(feature = "quake1")]
            let inner = match &source.phrases {
                Some(phrases) => inner.with_phrases(phrases),
                None => inner,
            };
            Ok::<_, Error>(inner)
        })?;
        Ok(Recording { opened: Arc::new(opened) })
    }

    /// Plain bytes that are known to be of a family, and packed as these are.
    #[cfg(feature = "edit")]
    pub(crate) fn like(&self, bytes: Vec<u8>) -> Result<Self, Error> {
        let source = Source { packing: self.packing_damage().to_vec(), ..Source::plain(bytes.into(), None, *self.limits()) };
        let opened = Opened::try_new(source, |source| Inner::open(self.family(), &source.bytes, None, source.limits))?;
        Ok(Recording { opened: Arc::new(opened) })
    }

    pub(crate) fn inner(&self) -> &Inner<'_> {
        self.opened.borrow_dependent()
    }

    fn source(&self) -> &Source {
        self.opened.borrow_owner()
    }

    fn limits(&self) -> &Limits {
        &self.source().limits
    }

    /// The same recording, whose lines about deaths are read by these phrases first. Other families than Quake's have no such lines.
    #[cfg(feature = "quake1")]
    #[must_use]
    pub fn with_phrases(self, phrases: &Arc<fragreel_quake1::PhraseFile>) -> Self {
        // Bytes that were opened once can be opened again.
        Self::of(Source { phrases: Some(phrases.clone()), ..self.source().clone() }).unwrap_or(self)
    }

    /// The recording's bytes, unpacked. Every offset in an answer counts from the first of them.
    pub fn bytes(&self) -> &Bytes {
        &self.source().bytes
    }

    /// Whether the bytes came compressed or packed.
    pub fn is_compressed(&self) -> bool {
        self.source().is_compressed
    }

    /// What was wrong with the packing around it: then it lacks what comes behind the damage, or may be wrong.
    pub fn packing_damage(&self) -> &[Damage] {
        &self.source().packing
    }

    /// The family that it belongs to.
    pub fn family(&self) -> Family {
        self.inner().family()
    }

    /// What it is, who played, where and for how long. Decodes no more than that needs, so damage deep inside may go
    /// unseen; [`verify`](Self::verify) looks everywhere.
    pub fn info(&self) -> Info {
        let mut info = self.inner().info();
        info.damage.extend_from_slice(self.packing_damage());
        info.date = info.date.take().or_else(|| replay::date::of(|key| info.server_settings.get(key)));
        info
    }

    /// Decodes everything, encodes it again, compares the bytes, and says what is broken and where.
    pub fn verify(&self) -> Verification {
        self.verified(self.inner().verify(Share::all()))
    }

    /// Adds damage in the recording's packing to the report.
    pub(crate) fn verified(&self, mut report: Verification) -> Verification {
        for damage in self.packing_damage() {
            report.add(damage.clone(), self.limits());
        }
        report
    }

    /// Whether it is one unbroken recording: gaps and falls of numbers and clocks, deltas whose base is not there, broken seals.
    /// Each finding says what speaks for it and what usually causes it; `docs/audit.md` says what is looked at.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::model::{FindingKind, Grade};
    /// use fragreel::text_form::{compile, decompile};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// assert!(recording.audit().is_unbroken());
    ///
    /// // Somebody takes two seconds out.
    /// let text = String::from_utf8(decompile(recording.bytes(), "dm_bots.dm_71")?)?;
    /// let lines: Vec<&str> = text.lines().enumerate().filter(|(at, _)| !(400..440).contains(at)).map(|(_, line)| line).collect();
    /// let shorter = Recording::open(compile(lines.join("\n").as_bytes())?, "shorter.dm_71")?;
    /// let audit = shorter.audit();
    /// assert_eq!(audit.grade, Grade::Edited);
    /// assert!(audit.findings.iter().any(|finding| finding.kind == FindingKind::SequenceGap));
    /// # Ok(())
    /// # }
    /// ```
    pub fn audit(&self) -> Audit {
        let mut audit = self.inner().audit();
        for damage in self.packing_damage() {
            audit.add(Finding::damage(damage), self.limits());
        }
        audit.excuse();
        audit
    }

    /// What it holds beside the game: files that the server sent, voice, configstrings, statistics of the mod, data of tools, layouts.
    /// [`extract`](crate::extract) makes names for them that are safe.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::model::ExtractKind;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let found = recording.extract();
    /// assert_eq!((found[0].kind, &*found[0].made_name), (ExtractKind::Configstrings, "configstrings_1.tsv"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn extract(&self) -> Vec<Extracted> {
        self.inner().extract()
    }

    /// Everything known at the last frame at or before `when`; at the first frame for earlier times.
    ///
    /// # Errors
    /// When there is no frame.
    pub fn state_at(&self, when: When) -> Result<Moment, Error> {
        self.inner().state_at(when)
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("family", &self.family()).field("bytes", &self.bytes().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_base::wire::ErrorKind;

    #[test]
    fn it_goes_anywhere() {
        fn anywhere<T: Send + Sync + fmt::Debug + 'static>() {}
        anywhere::<Recording>();
        anywhere::<crate::Frames>();
    }

    #[test]
    fn bytes_are_shared() {
        let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name == "quake3/dm_bots.dm_71").expect("a sample");
        let bytes = Bytes::from([b"head of an archive", &sample.bytes()[..]].concat());
        let recording = Recording::open(bytes.slice(18..), &sample.name).expect("a recording");
        assert_eq!(recording.clone().bytes().as_ptr(), bytes[18..].as_ptr());
    }

    #[test]
    fn what_is_no_recording_is_refused_with_the_reason() {
        let kind = |bytes: &'static [u8]| Recording::open(bytes, "").unwrap_err().kind();
        assert_eq!(kind(b""), ErrorKind::Malformed);
        assert_eq!(kind(b"just some words, and not few of them at that"), ErrorKind::Unsupported);
        let packed = Recording::open(crate::edit::packed(&[b'x'; 3 << 20]), "x.gz");
        assert_eq!(packed.unwrap_err().kind(), ErrorKind::Unsupported, "not more than its head is unpacked");
    }
}
