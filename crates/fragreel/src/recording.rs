//! A recording of any family, open for questions.

use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{self, EventSource, Flow};
use fragreel_model::{Audit, Damage, Event, Explained, Extracted, Family, Finding, Info, Kind, Kinds, Moment, Selection, Verification, When};

use crate::family::Inner;
use crate::statistics::{KINDS, Numbered};

/// An open recording. Borrows the bytes of its [`Demo`](crate::Demo).
pub struct Recording<'a> {
    pub(crate) family: Family,
    pub(crate) inner: Inner<'a>,
    /// What was wrong with the packing around the recording.
    pub(crate) packing: &'a [Damage],
    pub(crate) limits: Limits,
}

/// The events of a recording in stream order, from [`Recording::iter_events`]. The recording is read as they are taken.
pub struct Events<'r> {
    walk: replay::Events<Box<dyn EventSource + 'r>>,
    /// Puts results to the ends of matches, where they are wanted.
    numbered: Option<Numbered>,
    packing: &'r [Damage],
}

impl Events<'_> {
    /// The damage met so far; after the last event, all of it.
    pub fn damage(&mut self) -> Vec<Damage> {
        let mut damage = self.walk.damage();
        damage.extend_from_slice(self.packing);
        damage
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let Some(numbered) = &mut self.numbered else { return self.walk.next() };
        while numbered.ready.is_empty() {
            let Some(event) = self.walk.next() else {
                numbered.release();
                break;
            };
            numbered.take(event);
        }
        numbered.ready.pop_front()
    }
}

impl std::iter::FusedIterator for Events<'_> {}

impl Recording<'_> {
    /// The family that it belongs to.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The same recording, whose lines about deaths are read by these phrases first. Other families than Quake's have no such lines.
    #[cfg(feature = "quake1")]
    #[must_use]
    pub fn with_phrases(self, phrases: &std::sync::Arc<crate::PhraseFile>) -> Self {
        let inner = match self.inner {
            Inner::Quake1(recording) => Inner::Quake1(Box::new(recording.with_phrases(phrases.clone()))),
            #[allow(unreachable_patterns, reason = "where there is only one family")]
            other => other,
        };
        Recording { inner, ..self }
    }

    /// What was wrong with the packing around it: then it lacks what comes behind the damage, or may be wrong.
    pub fn packing_damage(&self) -> &[Damage] {
        self.packing
    }

    /// What it is, who played, where and for how long. Decodes no more than that needs, so damage deep inside may go
    /// unseen; [`verify`](Self::verify) looks everywhere.
    pub fn info(&self) -> Info {
        let mut info = self.inner.info();
        info.damage.extend_from_slice(self.packing);
        info.date = replay::date::of(|key| info.server_settings.get(key));
        info
    }

    /// Decodes everything, encodes it again, compares the bytes, and says what is broken and where.
    pub fn verify(&self) -> Verification {
        let mut report = self.inner.verify();
        for damage in self.packing {
            report.add(damage.clone(), &self.limits);
        }
        report
    }

    /// Whether it is one unbroken recording: gaps and falls of numbers and clocks, deltas whose base is not there, broken seals.
    /// Each finding says what speaks for it and what usually causes it; `docs/audit.md` says what is looked at.
    ///
    /// ```
    /// use fragreel::model::{FindingKind, Grade};
    /// use fragreel::text_form::{compile, decompile};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
    /// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
    /// assert!(demo.open()?.audit().is_unbroken());
    ///
    /// // Somebody takes two seconds out.
    /// let text = String::from_utf8(decompile(bytes, "dm_bots.dm_71")?)?;
    /// let lines: Vec<&str> = text.lines().enumerate().filter(|(at, _)| !(400..440).contains(at)).map(|(_, line)| line).collect();
    /// let demo = fragreel::Demo::new(compile(lines.join("\n").as_bytes())?, "shorter.dm_71")?;
    /// let audit = demo.open()?.audit();
    /// assert_eq!(audit.grade, Grade::Edited);
    /// assert!(audit.findings.iter().any(|finding| finding.kind == FindingKind::SequenceGap));
    /// # Ok(())
    /// # }
    /// ```
    pub fn audit(&self) -> Audit {
        let mut audit = self.inner.audit();
        for damage in self.packing {
            audit.add(Finding::damage(damage), &self.limits);
        }
        audit.excuse();
        audit
    }

    /// Hands every event of the `wanted` kinds to `sink`, in stream order, and returns the damage met on the way. A sink that returns
    /// [`ControlFlow::Break`](std::ops::ControlFlow::Break) ends it; one that returns nothing gets them all.
    /// What serves no wanted kind is skipped, so asking for kills alone is a good deal faster than asking for all.
    /// [`Match`](fragreel_model::EventKind::Match) events have the numbers and results of matches, for which all of a match is looked at.
    ///
    /// ```
    /// use fragreel::model::{EventKind, Kind, Kinds};
    ///
    /// # fn main() -> Result<(), fragreel::Error> {
    /// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
    /// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
    /// let wanted: Kinds = [Kind::Kill].into_iter().collect();
    /// let mut victims = Vec::new();
    /// let damage = demo.open()?.events(wanted, &mut |event| {
    ///     if let EventKind::Kill(kill) = event.kind {
    ///         victims.push(kill.victim.name.clean);
    ///     }
    /// });
    /// assert_eq!((victims.len(), damage.len()), (11, 0));
    ///
    /// // The first is enough: the rest of the recording is not read.
    /// use std::ops::ControlFlow;
    /// let mut first = None;
    /// demo.open()?.events(wanted, &mut |event| {
    ///     first = Some(event.time);
    ///     ControlFlow::Break(())
    /// });
    /// assert_eq!(first.unwrap().to_string(), "0:03.650");
    /// # Ok(())
    /// # }
    /// ```
    pub fn events<R: Flow>(&self, wanted: Kinds, sink: &mut (impl FnMut(Event) -> R + ?Sized)) -> Vec<Damage> {
        let mut events = self.iter_events(wanted);
        let _ = events.try_for_each(|event| sink(event).flow());
        events.damage()
    }

    /// The events of the `wanted` kinds as an iterator, in stream order. The recording is read only as far as events are taken.
    ///
    /// ```
    /// use fragreel::model::{EventKind, Kind};
    ///
    /// # fn main() -> Result<(), fragreel::Error> {
    /// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
    /// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
    /// let recording = demo.open()?;
    /// let mut events = recording.iter_events([Kind::Kill]);
    /// assert_eq!(events.next().unwrap().time.to_string(), "0:03.650");
    /// let suicides = events.by_ref().filter(|event| matches!(&event.kind, EventKind::Kill(kill) if kill.is_suicide())).count();
    /// assert!(suicides < 10 && events.damage().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter_events(&self, wanted: impl Into<Kinds>) -> Events<'_> {
        let wanted = wanted.into();
        let numbered = wanted.has(Kind::Match).then(|| Numbered::new(wanted));
        // a result is counted from events of other kinds
        let needed = if numbered.is_some() { wanted | KINDS.into() } else { wanted };
        Events { walk: self.inner.iter_events(needed), numbered, packing: self.packing }
    }

    /// Takes the selected messages apart, field by field with their bit ranges, until `sink` breaks off.
    ///
    /// ```
    /// use fragreel::model::Selection;
    ///
    /// # fn main() -> Result<(), fragreel::Error> {
    /// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
    /// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
    /// demo.open()?.explain(Selection::Message(100), &mut |message| {
    ///     // The fields follow each other without a gap.
    ///     assert!(message.parts.windows(2).all(|pair| pair[0].to_bit == pair[1].from_bit));
    /// });
    /// # Ok(())
    /// # }
    /// ```
    pub fn explain<R: Flow>(&self, selection: Selection, sink: &mut (impl FnMut(Explained) -> R + ?Sized)) {
        let _ = self.inner.explain(selection).try_for_each(|explained| sink(explained).flow());
    }

    /// What it holds beside the game: files that the server sent, voice, configstrings, statistics of the mod, data of tools, layouts.
    /// [`extract`](crate::extract) makes names for them that are safe.
    ///
    /// ```
    /// use fragreel::model::ExtractKind;
    ///
    /// # fn main() -> Result<(), fragreel::Error> {
    /// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
    /// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
    /// let found = demo.open()?.extract();
    /// assert_eq!((found[0].kind, &*found[0].made_name), (ExtractKind::Configstrings, "configstrings_1.tsv"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn extract(&self) -> Vec<Extracted> {
        self.inner.extract()
    }

    /// Everything known at the last frame at or before `when`; at the first frame for earlier times.
    pub fn state_at(&self, when: When) -> Result<Moment, Error> {
        self.inner.state_at(when)
    }
}
