//! `audit`: checks whether a recording is continuous (`docs/audit.md`, "Quake II").

mod continuity;

use std::collections::{BTreeSet, HashMap, HashSet};

use fragreel_model::replay::{cheats, info_string};

use fragreel_base::wire::Limits;
use fragreel_model::{Audit, Extent, Finding, FindingKind, Grade, Losses, Milliseconds};

use crate::chars;
use crate::container::Window;
use crate::dialect::FrameHeader;
use crate::message::{Body, Frame, Message, MvdBody, MvdMessage, Parcel, ServerData};
use crate::state::{Effect, State};
use crate::walk::{At, Input, Visitor};
use continuity::Continuity;

/// Gaps longer than this are rarely packet loss, in frames.
const LONG_GAP: i64 = 10;

/// The maximum number of the first frame in a level.
const FIRST_FRAMES: i64 = 3;

/// The maximum number of settings to report.
const MAX_SETTINGS: usize = 32;

/// The maximum age of a delta base in any engine, in frames.
const RING: i64 = 64;

pub(crate) fn audit(input: &Input<'_>) -> Audit {
    let limits = &input.limits;
    let mut auditor = Auditor {
        audit: Audit::of(&super::verify::verify(input), limits),
        limits,
        segment: Segment::default(),
        levels: HashSet::new(),
        lost: Losses::default(),
        block: (0, 0, 0),
        continuity: Continuity::default(),
        positions: HashMap::new(),
        settings: BTreeSet::new(),
    };
    input.walk(input.walk_options(), &mut auditor);
    auditor.lost.end("frames", &mut auditor.audit, limits);
    auditor.breaks();
    auditor.audit.sort();
    auditor.audit
}

/// Facts since the last `serverdata`.
#[derive(Default)]
struct Segment {
    frames: HashSet<i64>,
    first: Option<i64>,
    last: Option<i64>,
    /// Whether something before was damaged. Its consequences are not findings.
    hole: bool,
}

struct Auditor<'a> {
    audit: Audit,
    limits: &'a Limits,
    segment: Segment,
    /// The levels so far, as `serverdata` states them.
    levels: HashSet<(u32, Vec<u8>, Vec<u8>)>,
    lost: Losses,
    /// The number of the block and its range in the file.
    block: (u32, u64, u64),
    continuity: Continuity,
    /// The positions of the frames of an MVD2.
    positions: HashMap<u32, ((u32, u64, u64), Milliseconds)>,
    /// Cheats and speed settings that the game printed.
    settings: BTreeSet<String>,
}

impl Visitor for Auditor<'_> {
    fn block(&mut self, number: u32, window: Window<'_>) {
        self.block = (number, window.offset, window.data_offset + window.data.len() as u64);
    }

    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        match &message.body {
            Body::Frame(_) if effect == Effect::Contradicted => {}
            Body::ServerData(data) => self.begin(data, state),
            Body::Frame(frame) => self.frame(frame, state),
            body => self.settings(body, state),
        }
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            MvdBody::ServerData(data) => {
                let evidence = format!("level {} of the server begins", data.servercount);
                self.begin_segment(evidence, (data.servercount, data.gamedir.0.clone(), state.level.title.clone()), state);
                self.segment.last = Some(0);
                self.continuity.begin(&state.dialect, &state.in_place);
            }
            MvdBody::Frame(frame) => {
                let number = self.positions.len() as u32;
                self.positions.insert(number, (self.block, state.clock.time()));
                self.continuity.frame(number, &state.dialect, frame, &state.in_place);
            }
            MvdBody::Print(print) => self.add_setting(cheats::in_line(&print.text.0), state),
            _ => {}
        }
    }

    fn parcel(&mut self, _: At, _: &Parcel, message: &mut Message, _: &[u8], state: &State) {
        self.settings(&message.body, state);
    }

    fn damage(&mut self, _: fragreel_model::Damage) {
        self.segment.hole = true;
    }
}

impl Auditor<'_> {
    fn begin(&mut self, data: &ServerData, state: &State) {
        // id's client adds 0x10000 with every recording that it starts.
        let level = (data.servercount, data.gamedir.0.clone(), data.levelname.0.clone());
        self.begin_segment(format!("level {} of the server begins", data.servercount & 0xffff), level, state);
    }

    fn begin_segment(&mut self, evidence: String, level: (u32, Vec<u8>, Vec<u8>), state: &State) {
        let known = !self.levels.insert(level);
        if self.segment.last.is_some() {
            let grade = if known { Grade::Suspicious } else { Grade::Normal };
            self.add_finding(grade, FindingKind::Part, if known { format!("{evidence} again") } else { evidence }, state);
        }
        self.lost.end("frames", &mut self.audit, self.limits);
        self.segment = Segment { hole: self.segment.hole, ..Segment::default() };
    }

    fn frame(&mut self, frame: &Frame, state: &State) {
        let number = i64::from(frame.number);
        if self.segment.last.is_none() && self.levels.len() <= 1 {
            let (block, offset, _) = self.block;
            self.audit.opening(state.clock.server_time(), block, offset, self.limits);
        }
        if self.segment.first.is_none() {
            self.strings(state);
        }
        self.base(frame, state);
        if let Some(last) = self.segment.last {
            let missing = number - last - 1;
            if missing < 0 && state.dialect.frame == FrameHeader::Server && number <= FIRST_FRAMES {
                // Servers of the original engine write no new `serverdata` when the level changes.
                self.add_finding(Grade::Normal, FindingKind::Part, format!("frame {number} follows frame {last}: a level begins"), state);
                self.segment = Segment::default();
            } else if missing < 0 {
                self.add_finding(
                    Grade::Edited,
                    FindingKind::SequenceFall,
                    format!("frame {number} follows frame {last}: clients drop frames that come late"),
                    state,
                );
                self.segment = Segment { hole: true, ..Segment::default() };
            } else if missing > i64::from(frame.suppress) && !self.segment.hole {
                self.gap(last, number, state);
            }
        }
        self.segment.first.get_or_insert(number);
        self.segment.last = Some(number);
        self.segment.frames.retain(|&kept| kept > number - RING);
        self.segment.frames.insert(number);
    }

    /// Checks the two statements of the level title.
    fn strings(&mut self, state: &State) {
        let (stated, string) = (chars::clean(&state.level.title), chars::clean(state.strings.get(0)));
        if !string.is_empty() && stated != string {
            self.add_finding(Grade::Normal, FindingKind::Strings, format!("serverdata calls the level `{stated}`, configstring 0 `{string}`"), state);
        }
    }

    /// Collects cheats and speed settings that the game states.
    fn settings(&mut self, body: &Body, state: &State) {
        match body {
            Body::Print(print) => self.add_setting(cheats::in_line(&print.text.0), state),
            Body::StuffText(text) => {
                let info = info_string::inside(&text.0).and_then(|range| cheats::in_info(&text.0[range]));
                self.add_setting(info, state);
            }
            _ => {}
        }
    }

    fn add_setting(&mut self, said: Option<String>, state: &State) {
        if let Some(said) = said.filter(|_| self.settings.len() < MAX_SETTINGS)
            && self.settings.insert(said.clone())
        {
            self.add_finding(Grade::Normal, FindingKind::Settings, said, state);
        }
    }

    /// Handles a frame whose base the client had and the recording lacks.
    fn base(&mut self, frame: &Frame, state: &State) {
        let base = i64::from(frame.delta);
        let reachable = base > 0 && self.segment.first.is_some_and(|first| base > first);
        if reachable && !self.segment.frames.contains(&base) && !self.segment.hole {
            let evidence = format!("frame {} is a delta against frame {base}, which the client had received and the recording lacks", frame.number);
            self.add_finding(Grade::Edited, FindingKind::MissingBase, evidence, state);
        }
        // A full frame recovers everything visible. Later deltas may still need frames from the gap.
        if self.segment.hole && base <= 0 {
            self.segment.hole = false;
            self.segment.first = Some(i64::from(frame.number));
        }
    }

    fn gap(&mut self, last: i64, number: i64, state: &State) {
        let missing = number - last - 1;
        let words = format!("{missing} frames are missing between {last} and {number}");
        if state.dialect.frame == FrameHeader::Server {
            self.add_finding(Grade::Edited, FindingKind::SequenceGap, format!("{words}, and a server records each"), state);
        } else if missing >= LONG_GAP {
            self.add_finding(Grade::Suspicious, FindingKind::SequenceGap, words, state);
        } else {
            let (block, offset, _) = self.block;
            let time = state.clock.begun().then(|| state.clock.time());
            self.lost.add(missing as u64, || Finding::new(Grade::Normal, FindingKind::SequenceGap, block, offset, "").at(time));
        }
    }

    /// Checks whether the frames of an MVD2 continue each other.
    fn breaks(&mut self) {
        for ((number, what), times) in std::mem::take(&mut self.continuity).finish() {
            let Some(((block, from, to), time)) = self.positions.get(&number) else { continue };
            let finding = Finding::new(Grade::Suspicious, FindingKind::NotCanonical, *block, *from, what.evidence(times)).at(Some(*time));
            self.audit.add(Finding { extent: Some(Extent { from: *from, to: *to }), ..finding }, self.limits);
        }
    }

    fn add_finding(&mut self, grade: Grade, kind: FindingKind, evidence: String, state: &State) {
        let (block, from, to) = self.block;
        let time = state.clock.begun().then(|| state.clock.time());
        let finding = Finding::new(grade, kind, block, from, evidence).at(time);
        self.audit.add(Finding { extent: Some(Extent { from, to }), ..finding }, self.limits);
    }
}
