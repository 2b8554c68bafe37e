//! `audit`: checks whether a recording is continuous (`docs/audit.md`, "Quake II").

mod continuity;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use fragreel_model::replay::{self, Chunks, Numbering, Rule, Share, Whole, cheats, feed_all, info_string};
use fragreel_model::{Audit, Extent, Family, Finding, FindingKind, Grade};

use super::verify::{verify_and, verify_chunks};
use crate::chars;
use crate::container::Window;
use crate::detect::Framing;
use crate::dialect::FrameHeader;
use crate::message::{Body, Frame, Message, MvdBody, MvdMessage, Parcel, ServerData};
use crate::state::{Effect, State};
use crate::walk::repeats::Repeats;
use crate::walk::{At, Input, Visitor, VisitorWalk};
use continuity::{Continuity, Place};

/// The maximum number of the first frame in a level.
const FIRST_FRAMES: i64 = 3;

/// The maximum age of a delta base in any engine is 64 frames.
const NUMBERING: Numbering = Numbering { what: "frame", ring: 64 };

/// How frame numbers follow each other in an undamaged recording.
/// How far behind a late packet is. Stock clients drop such packets before they record.
const LATE_BY: i64 = 64;
const FRAMES: Rule = Rule::Rising(1000, LATE_BY);

/// Audits a recording in memory.
pub(crate) fn audit(input: &Input<'_>) -> Audit {
    let Ok(audit) = audit_chunks(input, &mut Whole(input.bytes));
    audit
}

/// Audits the recording in `chunks`. `input` says how to read it.
pub(crate) fn audit_chunks<C: Chunks>(input: &Input<'_>, chunks: &mut C) -> Result<Audit, C::Error> {
    let core = replay::Auditor::new(Family::Quake2, &input.limits, NUMBERING);
    // which breaks of an MVD2 are usual depends on the number of its frames, so it is walked over once more
    if input.container == Framing::Mvd2 {
        let report = verify_chunks(input, Share::all(), chunks)?;
        let mut walk =
            |core| Ok(feed_all(VisitorWalk::new(input, input.walk_options(), Auditor::new(input, core, report.snapshots)), chunks)?.visitor.finish());
        return walk(core)?.weigh(&report, walk);
    }
    let (report, auditor) = verify_and(input, Share::all(), chunks, Auditor::new(input, core, 0))?;
    auditor.finish().weigh(&report, |core| Ok(feed_all(VisitorWalk::new(input, input.walk_options(), Auditor::new(input, core, 0)), chunks)?.visitor.finish()))
}

struct Auditor<'a> {
    core: replay::Auditor<'a>,
    /// The hashes of the `serverdata` of all levels so far.
    levels: HashSet<u64>,
    continuity: Continuity,
    repeats: Repeats,
    /// Whether the block repeats the one before.
    repeated: bool,
}

impl Visitor for Auditor<'_> {
    fn block(&mut self, number: u32, window: Window<'_>) {
        self.repeated = self.repeats.take(&window);
        self.core.message = number;
        self.core.extent = Extent { from: window.offset, to: window.data_offset + window.data.len() as u64 };
    }

    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        match &message.body {
            Body::Frame(_) if effect == Effect::Contradicted => {}
            Body::Frame(frame) if self.repeated => {
                self.at(state).found(Grade::Suspicious, FindingKind::SequenceFall, format!("the block with frame {} repeats the previous one", frame.number));
            }
            Body::ServerData(_) if self.repeated => {}
            Body::ServerData(data) => self.begin(data, state),
            Body::Frame(frame) => self.frame(frame, state),
            body => self.settings(body, state),
        }
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            MvdBody::ServerData(data) => {
                let evidence = format!("level {} of the server begins", data.servercount);
                self.begin_segment(evidence, (data.servercount, &data.gamedir.0, &state.level.title), state);
                self.core.last = Some(0);
                self.continuity.begin(&state.dialect, &state.in_place);
            }
            MvdBody::Frame(frame) => {
                let place = Place { block: self.core.message, extent: self.core.extent, time: state.clock.time() };
                self.continuity.frame(place, &state.dialect, frame, &state.in_place);
            }
            MvdBody::Print(print) => self.at(state).add_setting(cheats::in_line(&print.text.0)),
            _ => {}
        }
    }

    fn parcel(&mut self, _: At, _: &Parcel, message: &mut Message, _: &[u8], state: &State) {
        self.settings(&message.body, state);
    }

    fn damage(&mut self, _: fragreel_model::Damage) {
        self.core.hole = true;
    }
}

impl<'a> Auditor<'a> {
    fn new(input: &Input<'_>, core: replay::Auditor<'a>, frames: u64) -> Self {
        Auditor { core, levels: HashSet::new(), continuity: Continuity::new(frames), repeats: Repeats::new(input), repeated: false }
    }

    fn finish(mut self) -> replay::Auditor<'a> {
        self.core.end_part();
        self.breaks();
        self.core
    }

    fn begin(&mut self, data: &ServerData, state: &State) {
        // id's client adds 0x10000 with every recording that it starts.
        let level = (data.servercount, &data.gamedir.0, &data.levelname.0);
        self.begin_segment(format!("level {} of the server begins", data.servercount & 0xffff), level, state);
    }

    fn begin_segment(&mut self, evidence: String, level: impl Hash, state: &State) {
        let mut hasher = DefaultHasher::new();
        level.hash(&mut hasher);
        let known = !self.levels.insert(hasher.finish());
        if self.core.last.is_some() {
            let grade = if known { Grade::Suspicious } else { Grade::Normal };
            self.at(state).found(grade, FindingKind::Part, if known { format!("{evidence} again") } else { evidence });
        }
        self.core.end_part();
        self.core.forget_numbers();
    }

    fn frame(&mut self, frame: &Frame, state: &State) {
        let number = i64::from(frame.number);
        if self.core.last.is_none() && self.levels.len() <= 1 {
            self.core.audit.opening(state.clock.server_time(), self.core.message, self.core.extent.from, self.core.limits);
        }
        if self.core.first.is_none() {
            self.strings(state);
        }
        if !self.at(state).believes("frame", FRAMES, number) {
            return;
        }
        self.base(frame, state);
        if let Some(last) = self.core.last {
            let missing = number - last - 1;
            if missing < 0 && state.dialect.frame == FrameHeader::Server && number <= FIRST_FRAMES {
                // Servers of the original engine write no new `serverdata` when the level changes.
                self.at(state).found(Grade::Normal, FindingKind::Part, format!("frame {number} follows frame {last}: a level begins"));
                self.core.forget_numbers();
                self.core.hole = false;
            } else if missing < 0 {
                let evidence = format!("frame {number} follows frame {last}: clients drop late frames");
                self.at(state).found(Grade::Edited, FindingKind::SequenceFall, evidence);
                self.core.forget_numbers();
                self.core.hole = true;
            } else if missing > i64::from(frame.suppress) && !self.core.hole {
                self.gap(last, number, state);
            }
        }
        self.core.number(number);
    }

    /// Checks the two statements of the level title.
    fn strings(&mut self, state: &State) {
        let (stated, string) = (chars::clean(&state.level.title), chars::clean(state.strings.get(0)));
        if !string.is_empty() && stated != string {
            self.at(state).found(Grade::Normal, FindingKind::Strings, format!("serverdata calls the level `{stated}`, configstring 0 `{string}`"));
        }
    }

    /// Collects cheats and speed settings that the game states.
    fn settings(&mut self, body: &Body, state: &State) {
        match body {
            Body::Print(print) => self.at(state).add_setting(cheats::in_line(&print.text.0)),
            Body::StuffText(text) => {
                let info = info_string::inside(&text.0).and_then(|range| cheats::in_info(&text.0[range]));
                self.at(state).add_setting(info);
            }
            _ => {}
        }
    }

    /// Handles a frame whose base the client had and the recording lacks.
    fn base(&mut self, frame: &Frame, state: &State) {
        let base = i64::from(frame.delta);
        if base > 0 {
            self.at(state).base(i64::from(frame.number), base);
        } else {
            self.core.end_hole(Some(i64::from(frame.number)));
        }
    }

    fn gap(&mut self, last: i64, number: i64, state: &State) {
        if state.dialect.frame == FrameHeader::Server {
            let evidence = format!("{} frames are missing between {last} and {number}, and a server records each", number - last - 1);
            self.at(state).found(Grade::Edited, FindingKind::SequenceGap, evidence);
        } else {
            self.at(state).gap(last, number);
        }
    }

    /// Checks whether the frames of an MVD2 continue each other.
    fn breaks(&mut self) {
        for ((_, what), (place, times)) in std::mem::take(&mut self.continuity).finish() {
            let Place { block, extent, time } = place;
            let finding = Finding::new(Grade::Suspicious, FindingKind::NotCanonical, block, extent.from, what.evidence(times)).at(Some(time));
            self.core.audit.add(Finding { extent: Some(extent), ..finding }, self.core.limits);
        }
    }

    /// For what is found at this time.
    fn at(&mut self, state: &State) -> &mut replay::Auditor<'a> {
        self.core.time = state.clock.begun().then(|| state.clock.time());
        &mut self.core
    }
}
