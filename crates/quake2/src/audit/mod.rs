//! Whether a recording is one unbroken recording (`docs/audit.md`, "Quake II").

mod continuity;

use std::collections::{BTreeSet, HashMap, HashSet};

use replay::{cheats, info_string};

use model::{Audit, Extent, Finding, FindingKind, Grade, Losses, Milliseconds};
use wire::Limits;

use crate::Recording;
use crate::chars;
use crate::container::Window;
use crate::dialect::FrameHeader;
use crate::message::{Body, Frame, Message, MvdBody, MvdMessage, Parcel, ServerData};
use crate::playback::{At, Visitor};
use crate::state::{Effect, State};
use continuity::Continuity;

/// So many frames in a row are seldom lost.
const LONG_GAP: i64 = 10;

/// The first frame of a level has at most this number.
const FIRST_FRAMES: i64 = 3;

/// So many settings are told apart.
const MOST_SETTINGS: usize = 32;

/// How far back a delta base may lie in any engine.
const RING: i64 = 64;

pub(crate) fn audit(recording: &Recording<'_>, limits: &Limits) -> Audit {
    let mut trail = Trail {
        audit: Audit::of(&recording.verify(), limits),
        limits,
        part: Part::default(),
        levels: HashSet::new(),
        lost: Losses::default(),
        block: (0, 0, 0),
        continuity: Continuity::default(),
        places: HashMap::new(),
        settings: BTreeSet::new(),
    };
    recording.walk(recording.manner(), &mut trail);
    trail.lost.end("frames", &mut trail.audit, limits);
    trail.breaks();
    trail.audit.sort();
    trail.audit
}

/// What is known since the last `serverdata`.
#[derive(Default)]
struct Part {
    frames: HashSet<i64>,
    first: Option<i64>,
    last: Option<i64>,
    /// Something before was broken: what follows from that is no finding of its own.
    hole: bool,
}

struct Trail<'a> {
    audit: Audit,
    limits: &'a Limits,
    part: Part,
    /// The levels so far, as `serverdata` states them.
    levels: HashSet<(u32, Vec<u8>, Vec<u8>)>,
    lost: Losses,
    /// The block's number and the bytes that it fills.
    block: (u32, u64, u64),
    continuity: Continuity,
    /// Where the frames of an MVD2 stand.
    places: HashMap<u32, ((u32, u64, u64), Milliseconds)>,
    /// What the game said of cheats and speed.
    settings: BTreeSet<String>,
}

impl Visitor for Trail<'_> {
    fn block(&mut self, number: u32, window: Window<'_>) {
        self.block = (number, window.offset, window.data_offset + window.data.len() as u64);
    }

    fn message(&mut self, _: At, message: &mut Message, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            Body::ServerData(data) => self.begin(data, state),
            Body::Frame(frame) => self.frame(frame, state),
            body => self.settings(body, state),
        }
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            MvdBody::ServerData(data) => {
                let evidence = format!("level {} of the server begins", data.servercount);
                self.part(evidence, (data.servercount, data.gamedir.0.clone(), state.level.title.clone()), state);
                self.part.last = Some(0);
                self.continuity.begin(&state.dialect, &state.in_place);
            }
            MvdBody::Frame(frame) => {
                let number = self.places.len() as u32;
                self.places.insert(number, (self.block, state.clock.time()));
                self.continuity.frame(number, &state.dialect, frame, &state.in_place);
            }
            MvdBody::Print(print) => self.said(cheats::in_line(&print.text.0), state),
            _ => {}
        }
    }

    fn parcel(&mut self, _: At, _: &Parcel, message: &mut Message, _: &[u8], state: &State) {
        self.settings(&message.body, state);
    }

    fn damage(&mut self, _: model::Damage) {
        self.part.hole = true;
    }
}

impl Trail<'_> {
    fn begin(&mut self, data: &ServerData, state: &State) {
        // id's client adds 0x10000 for every recording that it begins.
        let level = (data.servercount, data.gamedir.0.clone(), data.levelname.0.clone());
        self.part(format!("level {} of the server begins", data.servercount & 0xffff), level, state);
    }

    fn part(&mut self, evidence: String, level: (u32, Vec<u8>, Vec<u8>), state: &State) {
        let known = !self.levels.insert(level);
        if self.part.last.is_some() {
            let grade = if known { Grade::Suspicious } else { Grade::Normal };
            self.found(grade, FindingKind::Part, if known { format!("{evidence} again") } else { evidence }, state);
        }
        self.lost.end("frames", &mut self.audit, self.limits);
        self.part = Part { hole: self.part.hole, ..Part::default() };
    }

    fn frame(&mut self, frame: &Frame, state: &State) {
        let number = i64::from(frame.number);
        if self.part.last.is_none() && self.levels.len() <= 1 {
            let (block, offset, _) = self.block;
            self.audit.opening(state.clock.server_time(), block, offset, self.limits);
        }
        if self.part.first.is_none() {
            self.strings(state);
        }
        self.base(frame, state);
        if let Some(last) = self.part.last {
            let missing = number - last - 1;
            if missing < 0 && state.dialect.frame == FrameHeader::Server && number <= FIRST_FRAMES {
                // Servers of the first engines write no new `serverdata` when the level changes.
                self.found(Grade::Normal, FindingKind::Part, format!("frame {number} follows frame {last}: a level begins"), state);
                self.part = Part::default();
            } else if missing < 0 {
                self.found(Grade::Edited, FindingKind::SequenceFall, format!("frame {number} follows frame {last}: clients drop frames that come late"), state);
                self.part = Part { hole: true, ..Part::default() };
            } else if missing > i64::from(frame.suppress) && !self.part.hole {
                self.gap(last, number, state);
            }
        }
        self.part.first.get_or_insert(number);
        self.part.last = Some(number);
        self.part.frames.retain(|&kept| kept > number - RING);
        self.part.frames.insert(number);
    }

    /// The level's title is stated twice.
    fn strings(&mut self, state: &State) {
        let (stated, string) = (chars::clean(&state.level.title), chars::clean(state.strings.get(0)));
        if !string.is_empty() && stated != string {
            self.found(Grade::Normal, FindingKind::Strings, format!("serverdata calls the level `{stated}`, configstring 0 `{string}`"), state);
        }
    }

    /// What the game says of cheats and speed.
    fn settings(&mut self, body: &Body, state: &State) {
        match body {
            Body::Print(print) => self.said(cheats::in_line(&print.text.0), state),
            Body::StuffText(text) => {
                let info = info_string::inside(&text.0).and_then(|range| cheats::in_info(&text.0[range]));
                self.said(info, state);
            }
            _ => {}
        }
    }

    fn said(&mut self, said: Option<String>, state: &State) {
        if let Some(said) = said.filter(|_| self.settings.len() < MOST_SETTINGS)
            && self.settings.insert(said.clone())
        {
            self.found(Grade::Normal, FindingKind::Settings, said, state);
        }
    }

    /// A frame whose base the client had and the recording lacks.
    fn base(&mut self, frame: &Frame, state: &State) {
        let base = i64::from(frame.delta);
        let reachable = base > 0 && self.part.first.is_some_and(|first| base > first);
        if reachable && !self.part.frames.contains(&base) && !self.part.hole {
            let evidence = format!("frame {} is a delta against frame {base}, which the client had received and the recording lacks", frame.number);
            self.found(Grade::Edited, FindingKind::MissingBase, evidence, state);
        }
        // A frame that needs no other shows everything again. Later deltas may still start from frames that lay in the hole.
        if self.part.hole && base <= 0 {
            self.part.hole = false;
            self.part.first = Some(i64::from(frame.number));
        }
    }

    fn gap(&mut self, last: i64, number: i64, state: &State) {
        let missing = number - last - 1;
        let words = format!("{missing} frames are missing between {last} and {number}");
        if state.dialect.frame == FrameHeader::Server {
            self.found(Grade::Edited, FindingKind::SequenceGap, format!("{words}, and a server records each"), state);
        } else if missing >= LONG_GAP {
            self.found(Grade::Suspicious, FindingKind::SequenceGap, words, state);
        } else {
            let (block, offset, _) = self.block;
            let time = state.clock.begun().then(|| state.clock.time());
            self.lost.add(missing as u64, || Finding::new(Grade::Normal, FindingKind::SequenceGap, block, offset, "").at(time));
        }
    }

    /// Frames of an MVD2 that do not continue the one before.
    fn breaks(&mut self) {
        for ((number, what), times) in std::mem::take(&mut self.continuity).finish() {
            let Some(((block, from, to), time)) = self.places.get(&number) else { continue };
            let finding = Finding::new(Grade::Suspicious, FindingKind::NotCanonical, *block, *from, what.evidence(times)).at(Some(*time));
            self.audit.add(Finding { extent: Some(Extent { from: *from, to: *to }), ..finding }, self.limits);
        }
    }

    fn found(&mut self, grade: Grade, kind: FindingKind, evidence: String, state: &State) {
        let (block, from, to) = self.block;
        let time = state.clock.begun().then(|| state.clock.time());
        let finding = Finding::new(grade, kind, block, from, evidence).at(time);
        self.audit.add(Finding { extent: Some(Extent { from, to }), ..finding }, self.limits);
    }
}
