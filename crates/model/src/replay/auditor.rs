//! What the audits of all families check alike: numbers that rise, deltas whose base is there, settings that are reported once.

use std::collections::{BTreeMap, BTreeSet};

use fragreel_base::wire::Limits;

use super::{Doubt, Rule, Series};
use crate::{Audit, Extent, Family, Finding, FindingKind, Grade, Losses, Milliseconds, Verification};

/// Gaps of this many or more are rarely packet loss.
const LONG_GAP: i64 = 10;

/// Messages in a row that one damaged place may hide.
const HIDDEN: usize = 3;

/// Most settings that are reported.
const MOST_SETTINGS: usize = 32;

/// How a family numbers what its deltas refer to.
#[derive(Debug, Clone, Copy)]
pub struct Numbering {
    /// What has the numbers, in the singular: `packet`.
    pub what: &'static str,
    /// How far back a delta base may be.
    pub ring: i64,
}

/// The findings of an audit, and the numbers since the last level or the last break in the numbering.
///
/// ```
/// use fragreel_model::replay::{Auditor, Numbering};
/// use fragreel_model::{Family, Verification};
///
/// let limits = fragreel_base::wire::Limits::default();
/// let mut auditor = Auditor::new(Family::Quake3, &limits, Numbering { what: "packet", ring: 64 });
/// for number in [1, 2, 30] {
///     if let Some(last) = auditor.last.filter(|last| number - last > 1) {
///         auditor.gap(last, number);
///     }
///     auditor.number(number);
/// }
/// auditor.base(30, 2);
/// auditor.base(30, 20);
/// let report = Verification::new(Family::Quake3, "71", 100);
/// let evidence: Vec<String> = auditor.finish(&report).findings.into_iter().map(|finding| finding.evidence).collect();
/// assert_eq!(evidence[0], "27 packets are missing between 2 and 30");
/// assert_eq!(evidence[1], "packet 30 is a delta against packet 20, which the client had received and the recording lacks");
/// assert_eq!(evidence.len(), 2);
/// ```
#[derive(Debug)]
pub struct Auditor<'a> {
    /// The findings so far.
    pub audit: Audit,
    /// The limits on them.
    pub limits: &'a Limits,
    numbering: Numbering,
    /// The message or block that is read, by its number, and its bytes.
    pub message: u32,
    /// See `message`.
    pub extent: Extent,
    /// The time of what is found.
    pub time: Option<Milliseconds>,
    /// The numbers that the recording has, as far back as a delta may reach.
    pub there: BTreeSet<i64>,
    /// The first number. A client may have had what came before.
    pub first: Option<i64>,
    /// The last number.
    pub last: Option<i64>,
    /// Damage came before. Its consequences are no findings of their own.
    pub hole: bool,
    lost: Losses,
    /// The settings that were reported.
    pub settings: BTreeSet<String>,
    /// The numbers so far, where they are weighed.
    series: Option<Series>,
    /// The numbers that their neighbors contradict, by what they number and by their message.
    doubted: BTreeMap<(&'static str, u32), (i64, Doubt)>,
}

/// Nanoseconds in a millisecond.
const NANOSECONDS: i64 = 1_000_000;

/// How far apart the delta bases of two frames may be.
const BASES: Rule = Rule::Rising(1000, 0);

impl<'a> Auditor<'a> {
    /// Weighs what this walk found in a recording. `report` is the recording's verification. If a number suggests an edit, walks again to find numbers that
    /// their neighbors contradict. Those are damage and suggest no edit.
    ///
    /// # Errors
    /// If the walk fails.
    pub fn weigh<E>(self, report: &Verification, mut walk: impl FnMut(Self) -> Result<Self, E>) -> Result<Audit, E> {
        let (limits, numbering) = (self.limits, self.numbering);
        let begin = || Auditor::new(report.family, limits, numbering);
        let audit = self.finish(report);
        if audit.grade < Grade::Edited {
            return Ok(audit);
        }
        let weighed = walk(Auditor { series: Some(Series::default()), ..begin() })?;
        let doubted = weighed.series.unwrap_or_default().doubted();
        Ok(if doubted.is_empty() { audit } else { walk(Auditor { doubted, ..begin() })?.finish(report) })
    }

    /// An audit without findings.
    pub fn new(family: Family, limits: &'a Limits, numbering: Numbering) -> Self {
        Auditor {
            audit: Audit::of(&Verification::new(family, "", 0), limits),
            limits,
            numbering,
            message: 0,
            extent: Extent { from: 0, to: 0 },
            time: None,
            there: BTreeSet::new(),
            first: None,
            last: None,
            hole: false,
            lost: Losses::default(),
            settings: BTreeSet::new(),
            series: None,
            doubted: BTreeMap::new(),
        }
    }

    /// Whether a number of the message that is read can be believed. One that its neighbors contradict came late, or is damage.
    #[inline]
    pub fn believes(&mut self, what: &'static str, rule: Rule, number: i64) -> bool {
        self.weighs(what, rule, number, 1)
    }

    /// The same for a time in milliseconds that rises by at most `longest` from one message to the next. Damage may change it by a fraction of one.
    #[inline]
    pub fn believes_time(&mut self, what: &'static str, longest: u32, time: f64) -> bool {
        let rule = Rule::Rising(i64::from(longest) * NANOSECONDS, 0);
        self.weighs(what, rule, (time * NANOSECONDS as f64) as i64, NANOSECONDS)
    }

    /// Weighs a number that counts parts of a unit.
    #[inline]
    fn weighs(&mut self, what: &'static str, rule: Rule, number: i64, parts: i64) -> bool {
        if let Some(series) = &mut self.series {
            series.add(what, rule, self.message, number);
        }
        self.doubted.is_empty() || self.is_undoubted(what, number, parts)
    }

    /// Whether a number of the message that is read came late, by its neighbors: for families whose recorders write what clients drop.
    pub fn came_late(&self, what: &'static str, number: i64) -> bool {
        self.doubted.get(&(what, self.message)) == Some(&(number, Doubt::Late))
    }

    #[cold]
    fn is_undoubted(&mut self, what: &'static str, number: i64, parts: i64) -> bool {
        let shown = number / parts;
        match self.doubted.get(&(what, self.message)) {
            Some((doubted, Doubt::Late)) if *doubted == number => {
                self.found(Grade::Suspicious, FindingKind::SequenceFall, format!("{what} {shown} arrived late or twice, and clients drop it"));
            }
            Some((doubted, Doubt::Damaged)) if *doubted == number => {
                self.found(Grade::Damaged, FindingKind::Damage, format!("{what} {shown}: its neighbors contradict it"));
                self.hole = true;
            }
            Some((doubted, Doubt::Unconfirmed)) if *doubted == number => {
                self.found(Grade::Suspicious, FindingKind::Damage, format!("{what} {shown}: no neighbor confirms it"));
                self.hole = true;
            }
            _ => return true,
        }
        false
    }

    /// Adds a finding about what is read.
    pub fn found(&mut self, grade: Grade, kind: FindingKind, evidence: impl Into<String>) {
        let finding = Finding::new(grade, kind, self.message, self.extent.from, evidence).at(self.time);
        self.audit.add(Finding { extent: Some(self.extent), ..finding }, self.limits);
    }

    /// Numbers are missing. Few of them are collected to one finding of the level.
    pub fn gap(&mut self, last: i64, number: i64) {
        let missing = number - last - 1;
        if self.hole || missing <= 0 {
            return;
        }
        if missing >= LONG_GAP {
            let what = self.numbering.what;
            self.found(Grade::Suspicious, FindingKind::SequenceGap, format!("{missing} {what}s are missing between {last} and {number}"));
        } else {
            let (message, offset, time) = (self.message, self.extent.from, self.time);
            self.lost.add(missing as u64, || Finding::new(Grade::Normal, FindingKind::SequenceGap, message, offset, "").at(time));
        }
    }

    /// The recording has a number.
    pub fn number(&mut self, number: i64) {
        // a first number far from the second may be damaged: nothing confirms it
        if self.first.is_none_or(|first| self.last == Some(first) && number - first > LONG_GAP) {
            self.first = Some(number);
        }
        self.last = Some(number);
        while self.there.first().is_some_and(|&kept| kept <= number - self.numbering.ring) {
            self.there.pop_first();
        }
        self.there.insert(number);
    }

    /// Checks that the recording has the delta base of a frame, if the client had it.
    pub fn base(&mut self, number: i64, base: i64) {
        if !self.believes("delta base", BASES, base) {
            return;
        }
        let reachable = self.first.is_some_and(|first| base > first);
        if reachable && !self.there.contains(&base) && !self.hole {
            let what = self.numbering.what;
            let evidence = format!("{what} {number} is a delta against {what} {base}, which the client had received and the recording lacks");
            // one damaged place may hide a few messages, and everything else is read; an edit removes more
            let grade = if self.missing_beside(number, base) <= HIDDEN { Grade::Suspicious } else { Grade::Edited };
            self.found(grade, FindingKind::MissingBase, evidence);
        }
    }

    /// How many numbers in a row are missing around this one, counted up to one more than damage hides.
    fn missing_beside(&self, number: i64, missing: i64) -> usize {
        let is_missing = |at: &i64| *at < number && !self.there.contains(at);
        let below = (0..=HIDDEN as i64).map(|back| missing - back).take_while(is_missing).count();
        let above = (1..=HIDDEN as i64).map(|ahead| missing + ahead).take_while(is_missing).count();
        below + above
    }

    /// A full frame ends a hole. Later deltas may still have a base in it.
    pub fn end_hole(&mut self, number: Option<i64>) {
        if std::mem::take(&mut self.hole) {
            self.first = number;
        }
    }

    /// Forgets the numbers. A hole goes on over the break.
    pub fn forget_numbers(&mut self) {
        self.there.clear();
        (self.first, self.last) = (None, None);
    }

    /// Reports what the game says about cheats and speed, each once.
    pub fn add_setting(&mut self, setting: Option<String>) {
        if let Some(setting) = setting.filter(|_| self.settings.len() < MOST_SETTINGS)
            && self.settings.insert(setting.clone())
        {
            self.found(Grade::Normal, FindingKind::Settings, setting);
        }
    }

    /// Numbers may start again here.
    pub fn restart(&mut self) {
        if let Some(series) = &mut self.series {
            series.restart();
        }
    }

    /// Ends a level: its few missing numbers become one finding, and numbers may start again.
    pub fn end_part(&mut self) {
        self.restart();
        self.lost.end(&format!("{}s", self.numbering.what), &mut self.audit, self.limits);
    }

    /// Ends a level whose numbers go on in the next one, where the last is the first.
    pub fn end_level(&mut self) {
        self.end_part();
        let last = self.last;
        self.forget_numbers();
        if let Some(last) = last {
            self.number(last);
        }
    }

    /// The findings in file order, with those of the recording's verification.
    pub fn finish(mut self, report: &Verification) -> Audit {
        self.end_part();
        let mut audit = Audit::of(report, self.limits);
        audit.append(self.audit, self.limits);
        audit.sort();
        audit.excuse();
        audit
    }
}
