//! Whether a recording is one unbroken recording, and what speaks against it.

use serde::Serialize;

use crate::{Damage, DamageKind, Extent, Family, Milliseconds, Verification};

/// The answer to `audit`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// The family.
    pub family: Family,
    /// The dialect within it.
    pub dialect: String,
    /// Bytes of the recording, after decompression.
    pub bytes: u64,
    /// Messages of the container.
    pub messages: u64,
    /// Frames (snapshots).
    pub frames: u64,
    /// The worst grade of a finding; [`Grade::Normal`] where there is none.
    pub grade: Grade,
    /// What was found, in file order.
    pub findings: Vec<Finding>,
    /// Findings beyond what the limits keep.
    pub omitted: u64,
    /// Seals that the game itself put in.
    pub seals: Vec<Seal>,
}

/// A first frame that far into the game, in milliseconds, is no beginning.
const LATE: i64 = 3000;

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// It happens in play: packet loss, a pause, a level change.
    Normal,
    /// It happens in play, seldom, and an edit looks the same.
    Suspicious,
    /// The file is broken there.
    Damaged,
    /// Nothing but an edit explains it, and nothing in the recording is damaged.
    Edited,
}

impl Grade {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Normal => "normal",
            Grade::Suspicious => "suspicious",
            Grade::Damaged => "damaged",
            Grade::Edited => "edited",
        }
    }
}

/// Something that an unbroken recording does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How serious it is.
    pub grade: Grade,
    /// What it is.
    pub kind: FindingKind,
    /// Number of the container's message at which it shows, from 0.
    pub message: u32,
    /// File offset of that message, after decompression.
    pub offset: u64,
    /// Time since the recording's first frame, where the family's clock says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Milliseconds>,
    /// The part of the file that it spans, where it is more than a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extent>,
    /// What the recording says there, in words and numbers.
    pub evidence: String,
    /// What usually causes it.
    pub cause: &'static str,
    /// How often it was found; repetitions of one cause are one finding.
    pub times: u64,
}

impl Finding {
    /// A finding at a message.
    pub fn new(grade: Grade, kind: FindingKind, message: u32, offset: u64, evidence: impl Into<String>) -> Self {
        Finding { grade, kind, message, offset, time: None, extent: None, evidence: evidence.into(), cause: kind.cause(grade), times: 1 }
    }

    /// The same, with the time at which it shows.
    #[must_use]
    pub fn at(mut self, time: Option<Milliseconds>) -> Self {
        self.time = time;
        self
    }
}

/// Declares the kinds of findings once, with their names and what usually causes them: in play, and otherwise.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal: $play:literal, $edit:literal;)*) => {
        /// What a finding is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum FindingKind {
            $($(#[doc = $doc])* $variant),*
        }

        impl FindingKind {
            /// Every kind.
            pub const ALL: &'static [FindingKind] = &[$(FindingKind::$variant),*];

            /// The stable name used in machine-readable output.
            pub fn name(self) -> &'static str {
                match self { $(FindingKind::$variant => $name),* }
            }

            /// What usually causes a finding of this kind and grade.
            fn cause(self, grade: Grade) -> &'static str {
                match self { $(FindingKind::$variant => if grade <= Grade::Suspicious { $play } else { $edit }),* }
            }
        }
    };
}

kinds! {
    /// Numbers that rise by one leave some out.
    SequenceGap = "sequence_gap": "packet loss, or removed frames", "removed frames";
    /// A number that only rises falls or repeats.
    SequenceFall = "sequence_fall": "a new connection, or another recording appended", "duplicated or reordered frames";
    /// What the other side acknowledged does not fit what the recording says was sent.
    Acknowledgement = "acknowledgement": "packet loss, or removed frames", "removed or reordered frames";
    /// Reliable commands are missing: the game sends each until it arrives.
    CommandGap = "command_gap": "a level change, or removed frames", "removed frames";
    /// The clock jumps ahead.
    ClockJump = "clock_jump": "a stalled server or client, packet loss, or removed frames", "removed frames";
    /// The clock falls inside a level.
    ClockFall = "clock_fall": "a level change or a restart", "duplicated or reordered frames";
    /// Two clocks of the recording run apart.
    ClockDrift = "clock_drift": "a pause, slow motion, or removed frames", "removed, duplicated or reordered frames";
    /// A frame without the time that every frame states.
    MissingTime = "missing_time": "an unusual server", "a removed message";
    /// The milliseconds of user commands do not fit the clock.
    UserCommandClock = "user_command_clock": "a stalled client, or a changed game speed", "removed or duplicated frames, or a changed game speed";
    /// A frame's delta base is not in the recording though the client had received it.
    MissingBase = "missing_base": "an incomplete recording", "removed frames";
    /// Frames that the server would not have encoded in this way after the ones before.
    NotCanonical = "not_canonical": "another server or tool wrote them", "frames removed, duplicated, reordered, or changed by a tool";
    /// Headers or directories that do not fit the content.
    Framing = "framing": "a crash or a broken copy", "a crash, a broken copy, or a careless tool";
    /// The recording is broken there, as `verify` says.
    Damage = "damage": "a crash or a broken copy", "a crash, a broken copy, or a careless tool";
    /// It begins in the middle of a level with an opening made for it.
    Opening = "opening": "recording begun during the game, or a cut", "a cut";
    /// It was cut by a tool: it begins in the middle of a level as no recorder begins.
    Cut = "cut": "a cut", "a cut";
    /// It shows what several viewpoints of one match saw.
    Merge = "merge": "a merge", "a merge";
    /// Another part begins: a recording may hold several levels, connections or joined files.
    Part = "part": "a level change, a new connection, or a join", "a join";
    /// Strings of the engine and of the mod disagree.
    Strings = "strings": "an unusual server", "strings changed by a tool";
    /// The game states that it ran with cheats or at another speed.
    Settings = "settings": "the server's settings", "the server's settings";
    /// A seal that the game itself put in does not fit.
    Seal = "seal": "an unknown version of the mod", "frames or strings changed by a tool";
}

/// A seal that a game itself puts in, and whether it is unbroken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seal {
    /// What it is, such as `DeFRaG run time`.
    pub name: String,
    /// Frames whose seal fits.
    pub holds: u64,
    /// Frames whose seal does not.
    pub broken: u64,
    /// What it states last, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<String>,
}

impl Audit {
    /// Starts from what `verify` found: whatever is broken is a finding of grade [`Grade::Damaged`].
    pub fn of(report: &Verification, limits: &fragreel_base::wire::Limits) -> Self {
        let mut audit = Audit {
            family: report.family,
            dialect: report.dialect.clone(),
            bytes: report.bytes,
            messages: report.messages,
            frames: report.snapshots,
            grade: Grade::Normal,
            findings: Vec::new(),
            omitted: 0,
            seals: Vec::new(),
        };
        for damage in report.damage.iter().chain(&report.first_difference) {
            audit.add(Finding::damage(damage), limits);
        }
        // what lies behind damage is encoded from states that are not there
        if let Some(fall) = report.canonical.fall().filter(|_| report.damage.is_empty()) {
            let ((before, as_usual), (behind, unusual)) = (fall.before, fall.behind);
            let evidence = format!("{as_usual} of {before} earlier frames are encoded as the game encodes them, from here on {unusual} of {behind}");
            audit.add(Finding::new(Grade::Suspicious, FindingKind::NotCanonical, fall.message, fall.offset, evidence), limits);
        }
        if report.damage_omitted > 0 {
            audit.omitted += report.damage_omitted;
            audit.grade = audit.grade.max(Grade::Damaged);
        }
        audit
    }

    /// The worst grade between two times. A finding without a time may be anywhere, and one that repeats goes on to the end.
    pub fn grade_between(&self, from: Option<Milliseconds>, to: Milliseconds) -> Grade {
        let bears = |finding: &&Finding| finding.time.is_none_or(|time| time <= to && (finding.times > 1 || from.is_none_or(|from| from <= time)));
        let worst = self.findings.iter().filter(bears).map(|finding| finding.grade).max().unwrap_or(Grade::Normal);
        if self.omitted > 0 { worst.max(self.grade) } else { worst }
    }

    /// Adds all that another audit of the recording found.
    pub(crate) fn append(&mut self, other: Audit, limits: &fragreel_base::wire::Limits) {
        other.findings.into_iter().for_each(|finding| self.add(finding, limits));
        self.grade = self.grade.max(other.grade);
        self.omitted += other.omitted;
        self.seals.extend(other.seals);
    }

    /// Adds a finding, or counts it once `limits` are reached.
    pub fn add(&mut self, finding: Finding, limits: &fragreel_base::wire::Limits) {
        self.grade = self.grade.max(finding.grade);
        if self.findings.len() < limits.damage_entries {
            self.findings.push(finding);
        } else {
            self.omitted += 1;
        }
    }

    /// Notes that the first frame lies well inside the game: so do a cut and a recording that was begun late.
    pub fn opening(&mut self, into: Milliseconds, message: u32, offset: u64, limits: &fragreel_base::wire::Limits) {
        if into.0 > LATE {
            let evidence = format!("the first frame is {into} into the server's clock");
            self.add(Finding::new(Grade::Normal, FindingKind::Opening, message, offset, evidence).at(Some(Milliseconds(0))), limits);
        }
    }

    /// Takes back what a damaged recording cannot be accused of: damage looks like any edit. A missing delta base is no damage by itself, because a lost
    /// frame is the usual cause.
    pub fn excuse(&mut self) {
        let is_damage = |finding: &Finding| finding.grade == Grade::Damaged && finding.kind != FindingKind::MissingBase;
        if self.grade < Grade::Edited || self.omitted == 0 && !self.findings.iter().any(is_damage) {
            return;
        }
        for finding in self.findings.iter_mut().filter(|finding| finding.grade == Grade::Edited) {
            finding.grade = Grade::Suspicious;
            finding.cause = finding.kind.cause(Grade::Suspicious);
        }
        self.grade = Grade::Damaged;
    }

    /// Whether it is one unbroken recording as far as can be seen: neither damaged nor edited.
    pub fn is_unbroken(&self) -> bool {
        self.grade < Grade::Damaged
    }

    /// Brings the findings into file order.
    pub fn sort(&mut self) {
        self.findings.sort_by_key(|finding| (finding.offset, finding.message, finding.kind));
    }
}

impl Finding {
    /// What `verify` found broken.
    pub fn damage(damage: &Damage) -> Self {
        let kind = match damage.kind {
            DamageKind::MissingBase => FindingKind::MissingBase,
            DamageKind::Framing => FindingKind::Framing,
            _ => FindingKind::Damage,
        };
        let evidence = if damage.path.is_empty() { damage.detail.clone() } else { format!("{}: {}", damage.path, damage.detail) };
        // The breadcrumb begins with the message's number, where there is one.
        let number = damage.path.split(|c: char| !c.is_ascii_digit()).find_map(|word| word.parse().ok()).unwrap_or_default();
        Finding { extent: damage.skipped, ..Finding::new(Grade::Damaged, kind, number, damage.offset, evidence) }
    }
}

/// Small gaps that happen in play: of each part of a recording they are one finding, at the first of them.
#[derive(Debug, Clone, Default)]
pub struct Losses {
    first: Option<Finding>,
    gaps: u64,
    missing: u64,
    longest: u64,
}

impl Losses {
    /// A gap of this size at the place that `finding` names.
    pub fn add(&mut self, missing: u64, finding: impl FnOnce() -> Finding) {
        self.first.get_or_insert_with(finding);
        self.gaps += 1;
        self.missing += missing;
        self.longest = self.longest.max(missing);
    }

    /// Ends the part: what was collected becomes a finding. `what`: what is missing, in the plural.
    pub fn end(&mut self, what: &str, audit: &mut Audit, limits: &fragreel_base::wire::Limits) {
        let Losses { first, gaps, missing, longest } = std::mem::take(self);
        let Some(mut finding) = first else { return };
        finding.times = gaps;
        finding.evidence = format!("{missing} {what} missing in {gaps} gaps, {longest} in the longest");
        audit.add(finding, limits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_a_finding_and_the_worst_grade_counts() {
        let limits = fragreel_base::wire::Limits::default();
        let mut report = Verification::new(Family::Quake3, "71", 100);
        report.damage.push(Damage {
            offset: 40,
            bit: None,
            path: String::from("message 812 › snapshot"),
            kind: DamageKind::MissingBase,
            detail: String::from("gone"),
            skipped: None,
        });
        let mut audit = Audit::of(&report, &limits);
        assert_eq!((audit.grade, audit.findings[0].message, audit.findings[0].kind), (Grade::Damaged, 812, FindingKind::MissingBase));
        audit.add(Finding::new(Grade::Edited, FindingKind::SequenceFall, 3, 4, "7 after 9"), &limits);
        audit.sort();
        audit.excuse();
        assert_eq!((audit.grade, audit.findings[0].kind.name(), audit.is_unbroken()), (Grade::Edited, "sequence_fall", false));

        // damage looks like any edit
        report.damage[0].kind = DamageKind::Message;
        let mut audit = Audit::of(&report, &limits);
        audit.add(Finding::new(Grade::Edited, FindingKind::SequenceFall, 3, 4, "7 after 9"), &limits);
        audit.excuse();
        let grades: Vec<Grade> = audit.findings.iter().map(|finding| finding.grade).collect();
        assert_eq!((audit.grade, &grades[..]), (Grade::Damaged, &[Grade::Damaged, Grade::Suspicious][..]));
    }
}
