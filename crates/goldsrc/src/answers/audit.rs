//! Whether a recording is one unbroken recording (`docs/audit.md`, "Half-Life").

use std::collections::{BTreeSet, HashSet};

use model::{Audit, Extent, Finding, FindingKind, Grade, Losses, Milliseconds};
use replay::{cheats, info_string};
use wire::Limits;

use crate::container::body::{self, Body};
use crate::container::{Header, Macro, MacroKind, Step};
use crate::game_text::clean;
use crate::message::context::Context;
use crate::message::decoder::Decoder;
use crate::message::{Message, ServerInfo};
use crate::recording::Recording;

/// So many packets or frames in a row are seldom lost.
const LONG_GAP: i64 = 10;

/// Frames state the lowest 8 bits of their base's number.
const RING: i64 = 256;

/// So many settings are told apart.
const MOST_SETTINGS: usize = 32;

/// Seconds by which the recorder's clock may jump in play without a remark.
const JUMP: f32 = 0.5;

/// Seconds by which a user command may be shorter than the time since the one before.
const LATE_COMMAND: f32 = 0.25;

pub(crate) fn audit(recording: &Recording<'_>, limits: &Limits) -> Audit {
    let mut auditor = Auditor {
        audit: Audit::of(&recording.verify(), limits),
        limits,
        hltv: recording.is_hltv(),
        current: Segment::default(),
        begun: false,
        elapsed: 0.0,
        lost: Losses::default(),
        position: (0, 0, 0),
        settings: BTreeSet::new(),
    };
    let mut decoder = recording.dialect().messages.map(|rules| Decoder::new(Context::new(rules)));
    let mut segment_now = None;
    for step in recording.container().macros() {
        let Step::Macro { number, segment, window } = step else {
            auditor.current.hole = true;
            continue;
        };
        auditor.position = (number, window.offset as u64, window.end() as u64);
        if segment_now.replace(segment) != Some(segment) {
            auditor.segment();
        }
        if recording.container().segments[segment].is_playback() {
            auditor.step(&window);
            if let Some(command) = body::user_command(&window, recording.dialect()).filter(|_| !auditor.hltv) {
                auditor.command(command.msec, window.time);
            }
        }
        if let Ok(Body::Data(_, sequence, _)) = Body::read(&window, recording.dialect()) {
            auditor.packet(&sequence.words);
        }
        if let (Some(decoder), Some((offset, data))) = (&mut decoder, body::messages(&window, recording.dialect())) {
            let sound = decoder.block(data, offset, |_, message, _| match message {
                Message::ServerInfo(info) => {
                    auditor.begin();
                    auditor.strings(info, &recording.container().header);
                }
                Message::Print(print) => auditor.said(cheats::in_line(print.text.0.strip_prefix(b"\x02").unwrap_or(&print.text.0))),
                Message::StuffText(stuff) => {
                    auditor.said(info_string::inside(&stuff.command.0).and_then(|range| cheats::in_info(&stuff.command.0[range])));
                }
                Message::TimeScale(time) if time.scale != 1.0 => auditor.said(Some(format!("timescale {}", time.scale))),
                Message::DeltaPacketEntities(delta) => auditor.delta(delta.delta_sequence),
                // Everything is shown again. Later deltas may still start from packets that lay in a hole.
                Message::PacketEntities(_) if auditor.current.hole => {
                    auditor.current.hole = false;
                    auditor.current.first = auditor.current.last.map(|[sequence, ..]| sequence);
                }
                _ => {}
            });
            auditor.current.hole |= sound.is_err();
        }
    }
    auditor.lost.end("packets", &mut auditor.audit, limits);
    auditor.audit.sort();
    auditor.audit
}

/// What is known since the last server information.
#[derive(Default)]
struct Segment {
    packets: HashSet<i64>,
    first: Option<i64>,
    /// The last packet that was received, the last that the server acknowledged, and the next to be sent.
    last: Option<[i64; 3]>,
    /// The last packet that had a frame.
    framed: Option<i64>,
    /// The recorder's last frame and time.
    step: Option<(i32, f32)>,
    /// The time of the last user command, and whether a jump of the clock has been remarked since.
    command: Option<(f32, bool)>,
    /// Something before was broken: what follows from that is no finding of its own.
    hole: bool,
}

struct Auditor<'a> {
    audit: Audit,
    limits: &'a Limits,
    hltv: bool,
    current: Segment,
    begun: bool,
    /// Seconds of the segments before this one.
    elapsed: f32,
    lost: Losses,
    /// The macro's number and the bytes that it fills.
    position: (u32, u64, u64),
    /// What the game said of cheats and speed.
    settings: BTreeSet<String>,
}

impl Auditor<'_> {
    fn segment(&mut self) {
        self.elapsed += self.current.step.take().map_or(0.0, |(_, time)| time);
        // What was sent while loading was kept; between that and the first packet of the game anything may lie.
        self.current = Segment { hole: self.current.hole, ..Segment::default() };
    }

    /// A macro of the recorder: its frames and its clock only rise.
    fn step(&mut self, window: &Macro<'_>) {
        if window.kind == MacroKind::Start {
            (self.current.step, self.current.command) = (None, None);
        }
        let Some((frame, time)) = self.current.step.replace((window.frame, window.time)) else { return };
        if self.current.hole || window.kind == MacroKind::End {
            return;
        }
        let frames = i64::from(window.frame) - i64::from(frame);
        let passed = window.time - time;
        if frames < 0 || passed < 0.0 {
            // Tools that write macros of their own may number frames as they like, but nobody's clock runs back.
            let grade = if passed < 0.0 { Grade::Edited } else { Grade::Normal };
            let evidence = format!("frame {} at {:.3} s follows frame {frame} at {time:.3} s", window.frame, window.time);
            self.found(grade, FindingKind::ClockFall, evidence);
        } else if frames > LONG_GAP {
            self.found(Grade::Suspicious, FindingKind::SequenceGap, format!("{} frames of the recorder are missing, {passed:.3} s", frames - 1));
        } else if passed > JUMP {
            self.found(Grade::Suspicious, FindingKind::ClockJump, format!("the recorder's clock jumps ahead by {passed:.3} s"));
        } else {
            return;
        }
        self.current.command = self.current.command.map(|(time, _)| (time, true));
    }

    /// A user command, which lasts about as long as the time that passed since the one before.
    fn command(&mut self, msec: u8, time: f32) {
        let Some((before, remarked)) = self.current.command.replace((time, false)) else { return };
        let passed = time - before;
        if passed - f32::from(msec) / 1000.0 > LATE_COMMAND && !remarked && !self.current.hole {
            let evidence = format!("a user command of {msec} ms where {:.0} ms passed", passed * 1000.0);
            self.found(Grade::Suspicious, FindingKind::UserCommandClock, evidence);
        }
    }

    /// The netchan's numbers of a data block.
    fn packet(&mut self, words: &[i32; 7]) {
        let sequence = i64::from(words[0]);
        let acknowledged = if self.hltv { 0 } else { i64::from(words[1]) };
        let sent = if self.hltv { 0 } else { i64::from(words[4]) };
        if let Some([last, acknowledged_before, sent_before]) = self.current.last {
            let missing = sequence - last - 1;
            // A packet may be kept in several blocks.
            if missing < -1 {
                self.found(Grade::Edited, FindingKind::SequenceFall, format!("packet {sequence} follows packet {last}: clients drop packets that come late"));
                self.current = Segment { hole: true, step: self.current.step, ..Segment::default() };
            } else if acknowledged < acknowledged_before || sent < sent_before {
                let evidence = format!("packets {acknowledged} acknowledged and {sent} to be sent follow {acknowledged_before} and {sent_before}");
                self.found(Grade::Edited, FindingKind::Acknowledgement, evidence);
            } else if missing >= LONG_GAP && !self.current.hole {
                self.found(Grade::Suspicious, FindingKind::SequenceGap, format!("{missing} packets are missing between {last} and {sequence}"));
            } else if missing > 0 && !self.current.hole {
                let ((number, offset, _), time) = (self.position, self.time());
                self.lost.add(missing as u64, || Finding::new(Grade::Normal, FindingKind::SequenceGap, number, offset, "").at(time));
            }
        }
        self.current.first.get_or_insert(sequence);
        self.current.last = Some([sequence, acknowledged, sent]);
        self.current.packets.retain(|&kept| kept > sequence - RING);
        self.current.packets.insert(sequence);
    }

    /// A frame whose base the client had and the recording lacks.
    fn delta(&mut self, base: u8) {
        let Some([sequence, ..]) = self.current.last else { return };
        if self.current.framed.replace(sequence) == Some(sequence) {
            self.found(Grade::Edited, FindingKind::SequenceFall, format!("packet {sequence} brings its frame twice"));
        }
        let base = sequence - i64::from((sequence as u8).wrapping_sub(base));
        let reachable = self.current.first.is_some_and(|first| base > first);
        if reachable && !self.current.packets.contains(&base) && !self.current.hole {
            let evidence = format!("packet {sequence} is a delta against packet {base}, which the client had received and the recording lacks");
            self.found(Grade::Edited, FindingKind::MissingBase, evidence);
        }
    }

    fn begin(&mut self) {
        self.current.framed = None;
        if self.begun {
            self.found(Grade::Normal, FindingKind::Part, String::from("server information: a level begins"));
        }
        self.begun = true;
        self.lost.end("packets", &mut self.audit, self.limits);
        let last = self.current.last;
        self.current = Segment { first: last.map(|[sequence, ..]| sequence), last, step: self.current.step, hole: self.current.hole, ..Segment::default() };
        self.current.packets.extend(self.current.first);
    }

    /// The file's header and the server state the protocol, the game directory and the map.
    fn strings(&mut self, info: &ServerInfo, header: &Header) {
        if self.audit.findings.iter().any(|finding| finding.kind == FindingKind::Part) {
            // the header is the first level's
            return;
        }
        let file = clean(&info.map.0);
        let map = file.strip_prefix("maps/").unwrap_or(&file);
        let map = map.strip_suffix(".bsp").unwrap_or(map);
        let stated = [
            ("protocol", header.network_protocol.to_string(), info.protocol.to_string()),
            ("game", clean(header.game_name()), clean(&info.game.0)),
            ("map", clean(header.map_name()), map.to_owned()),
        ];
        for (what, header, server) in stated {
            if !header.is_empty() && !server.is_empty() && !header.eq_ignore_ascii_case(&server) {
                self.found(Grade::Normal, FindingKind::Strings, format!("the file's header states the {what} `{header}`, the server `{server}`"));
            }
        }
    }

    fn said(&mut self, said: Option<String>) {
        if let Some(said) = said.filter(|_| self.settings.len() < MOST_SETTINGS)
            && self.settings.insert(said.clone())
        {
            self.found(Grade::Normal, FindingKind::Settings, said);
        }
    }

    fn time(&self) -> Option<Milliseconds> {
        self.current.step.map(|(_, time)| Milliseconds::from_seconds(f64::from(self.elapsed + time)))
    }

    fn found(&mut self, grade: Grade, kind: FindingKind, evidence: String) {
        let (number, from, to) = self.position;
        let finding = Finding::new(grade, kind, number, from, evidence).at(self.time());
        self.audit.add(Finding { extent: Some(Extent { from, to }), ..finding }, self.limits);
    }
}
