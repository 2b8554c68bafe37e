//! `audit`: signs that a recording is not one unbroken recording (`docs/audit.md`, "Half-Life").

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{self, Chunks, Fed, Numbering, Rule, Share, Whole, cheats, feed_all, info_string};
use fragreel_model::{Audit, Extent, Family, FindingKind, Grade, Milliseconds};

use super::verify::{Listener, verify_and};
use crate::container::body::{self, Body};
use crate::container::{Header, Macro, MacroKind, Step};
use crate::game_text::clean;
use crate::message::{Message, ServerInfo};
use crate::walk::input::Input;
use crate::walk::playback::Playback;
use crate::walk::recorder::is_hltv_chunks;

/// Gaps longer than this are rarely packet loss.
const LONG_GAP: i64 = 10;

/// Longer gaps than this need another block to confirm them.
const USUAL_GAP: i64 = 1000;

/// Deltas name the lowest 8 bits of their base's sequence number.
const NUMBERING: Numbering = Numbering { what: "packet", ring: 256 };

/// Seconds that the recorder's clock may jump in play without a finding.
const JUMP: f32 = 0.5;

/// Seconds that a user command may be shorter than the time since the one before.
const LATE_COMMAND: f32 = 0.25;

/// Seconds over which the recorder's clock and the server's are compared.
const LONG_ENOUGH: f64 = 10.0;

/// The server's seconds per second of the recorder that need no explanation. Recordings of the corpus have 0.79 (a game on the player's own
/// machine, which takes frames longer than 0.1 s for shorter ones) to 1.01.
const USUAL_PACE: std::ops::RangeInclusive<f64> = 0.6..=1.5;

/// The same without any finding.
const EQUAL_PACE: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// Audits a recording in memory.
pub(crate) fn audit(input: &Input) -> Audit {
    let Ok(audit) = audit_chunks(input, &mut Whole(input.container.bytes));
    audit
}

/// Audits the recording in `chunks`. `input` says how to read it.
pub(crate) fn audit_chunks<C: Chunks>(input: &Input, chunks: &mut C) -> Result<Audit, C::Error> {
    let hltv = is_hltv_chunks(input, chunks)?;
    let core = replay::Auditor::new(Family::GoldSrc, &input.limits, NUMBERING);
    let (report, macros) = verify_and(input, Share::all(), chunks, AuditedMacros::new(input, hltv, core))?;
    macros.finish().weigh(&report, |core| Ok(feed_all(AuditWalk::new(input, hltv, core), chunks)?.macros.finish()))
}

/// A walk that only audits.
struct AuditWalk<'a> {
    playback: Playback<'static>,
    macros: AuditedMacros<'a>,
}

impl<'a> AuditWalk<'a> {
    fn new(input: &Input, hltv: bool, core: replay::Auditor<'a>) -> Self {
        AuditWalk { playback: Playback::new(&input.over(Chunk::none())), macros: AuditedMacros::new(input, hltv, core) }
    }
}

impl Fed for AuditWalk<'_> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let AuditWalk { playback, mut macros } = self;
        let mut playback = playback.in_chunk(chunk);
        while let Some(step) = playback.next() {
            let Step::Macro { number, segment, window } = step else {
                macros.skipped();
                continue;
            };
            if macros.waits(&window, &playback) {
                playback.step_back();
                break;
            }
            let body = Body::read(&window, playback.dialect()).ok();
            macros.begin((number, segment), &window, body.as_ref(), &playback);
            let read = playback.read(&window, |_, message, _| macros.message(message));
            macros.end(segment, &window, &playback, read.is_ok());
        }
        AuditWalk { playback: playback.in_chunk(Chunk::none()), macros }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.playback.is_over()
    }
}

/// What is audited of each macro of a walk.
struct AuditedMacros<'a> {
    auditor: Auditor<'a>,
    /// The header of the file.
    header: Header,
    /// The segment of the last macro.
    segment: Option<usize>,
    /// Whether the numbers of the current macro are damaged. Its messages are not audited.
    damaged: bool,
}

impl<'a> AuditedMacros<'a> {
    fn new(input: &Input, hltv: bool, core: replay::Auditor<'a>) -> Self {
        let auditor = Auditor { core, hltv, current: Segment::default(), begun: false, elapsed: 0.0, paused: false, paced: (0.0, 0.0), commanded: (0.0, 0.0) };
        AuditedMacros { auditor, header: input.container.header.clone(), segment: None, damaged: false }
    }

    fn finish(mut self) -> replay::Auditor<'a> {
        self.auditor.check_pace();
        self.auditor.core
    }
}

impl Listener for AuditedMacros<'_> {
    fn waits(&self, window: &Macro<'_>, playback: &Playback<'_>) -> bool {
        let is_far = |sequence: u32| self.auditor.is_far(sequence as i32);
        body::frame_sequence(window, playback.dialect()).is_some_and(is_far) && playback.is_next_sequence_hidden()
    }

    fn begin(&mut self, (number, segment): (u32, usize), window: &Macro<'_>, body: Option<&Body>, playback: &Playback<'_>) {
        let auditor = &mut self.auditor;
        auditor.core.message = number;
        auditor.core.extent = Extent { from: window.offset as u64, to: window.end() as u64 };
        if self.segment.replace(segment) != Some(segment) {
            auditor.start_segment();
        }
        if playback.is_played(segment) && !playback.time_contradicted() {
            auditor.check_clock(window);
            if let Some(command) = body::user_command(window, playback.dialect()).filter(|_| !auditor.hltv) {
                auditor.check_user_command(command.msec, window.time);
            }
        }
        self.damaged = false;
        if let Some(Body::Data(_, sequence, _)) = body {
            self.damaged = auditor.are_numbers_damaged(sequence.words[0], playback);
            if self.damaged {
                auditor.core.hole = true;
            } else {
                auditor.check_packet(&sequence.words);
            }
        }
    }

    fn message(&mut self, message: &Message) {
        let auditor = &mut self.auditor;
        if self.damaged {
            return;
        }
        match message {
            Message::ServerInfo(info) => {
                auditor.start_level();
                auditor.check_header(info, &self.header);
            }
            Message::Print(print) => auditor.at().add_setting(cheats::in_line(print.text.0.strip_prefix(b"\x02").unwrap_or(&print.text.0))),
            Message::StuffText(stuff) => {
                auditor.at().add_setting(info_string::inside(&stuff.command.0).and_then(|range| cheats::in_info(&stuff.command.0[range])));
            }
            Message::SetPause(pause) => auditor.paused = pause.paused != 0,
            Message::TimeScale(time) if time.scale != 1.0 => auditor.at().add_setting(Some(format!("timescale {}", time.scale))),
            Message::DeltaPacketEntities(delta) => auditor.check_delta(delta.delta_sequence),
            // A complete frame ends a hole. Later deltas may still start from packets inside the hole.
            Message::PacketEntities(_) => auditor.core.end_hole(auditor.core.last),
            _ => {}
        }
    }

    fn end(&mut self, segment: usize, window: &Macro<'_>, playback: &Playback<'_>, sound: bool) {
        if self.damaged {
            return;
        }
        self.auditor.core.hole |= !sound;
        if playback.is_played(segment) && window.kind == MacroKind::Data && !playback.time_contradicted() {
            self.auditor.compare_clocks(window.time, playback.server_time());
        }
    }

    fn skipped(&mut self) {
        self.auditor.core.hole = true;
    }
}

/// Seconds by which a clock must fall. Damage to its lowest bits makes less.
const LEAST_FALL: f32 = 0.000_001;
/// How far behind a late packet is. Stock clients drop such packets before they record.
const LATE_BY: i64 = 64;
/// How numbers follow each other in an undamaged recording.
const PACKETS: Rule = Rule::Rising(USUAL_GAP, LATE_BY);
/// Milliseconds from one macro to the next in an undamaged recording.
const LONGEST_STEP: u32 = 60_000;

/// The numbers since the last server information.
#[derive(Default)]
struct Segment {
    /// The last packet that the server acknowledged, and the next to be sent.
    last: Option<[i64; 2]>,
    /// The last packet that had a frame.
    framed: Option<i64>,
    /// The recorder's last frame and time.
    step: Option<(i32, f32)>,
    /// The time of the last user command, and whether a clock jump was reported since.
    command: Option<(f32, bool)>,
    /// The recorder's and the server's clock at the last data block.
    clocks: Option<(f32, f32)>,
}

struct Auditor<'a> {
    core: replay::Auditor<'a>,
    hltv: bool,
    current: Segment,
    begun: bool,
    /// Seconds of the segments before this one.
    elapsed: f32,
    paused: bool,
    /// Seconds that the recorder's and the server's clock advanced by while the game was not paused.
    paced: (f64, f64),
    /// Seconds of user commands, and those that passed on the recorder's clock meanwhile.
    commanded: (f64, f64),
}

impl<'a> Auditor<'a> {
    fn start_segment(&mut self) {
        self.elapsed += self.current.step.take().map_or(0.0, |(_, time)| time);
        // The loading part keeps only some packets, so the first packet of the game may have any number.
        self.current = Segment::default();
        self.core.forget_numbers();
        self.core.restart();
    }

    /// Checks a macro's frame number and time, which only rise.
    fn check_clock(&mut self, window: &Macro<'_>) {
        if window.kind == MacroKind::Start {
            (self.current.step, self.current.command) = (None, None);
        }
        if !self.core.believes_time("recorder's clock", LONGEST_STEP, f64::from(window.time) * 1000.0) {
            return;
        }
        let Some((frame, time)) = self.current.step.replace((window.frame, window.time)) else { return };
        if self.core.hole || window.kind == MacroKind::End {
            return;
        }
        let frames = i64::from(window.frame) - i64::from(frame);
        let passed = window.time - time;
        let falls = passed <= -LEAST_FALL;
        if frames < 0 || falls {
            // Tools that write their own macros may number frames freely, but no clock runs back.
            let grade = if falls { Grade::Edited } else { Grade::Normal };
            let evidence = format!("frame {} at {:.3} s follows frame {frame} at {time:.3} s", window.frame, window.time);
            self.add(grade, FindingKind::ClockFall, evidence);
        } else if frames > LONG_GAP {
            self.add(Grade::Suspicious, FindingKind::SequenceGap, format!("{} frames of the recorder are missing, {passed:.3} s", frames - 1));
        } else if passed > JUMP {
            self.add(Grade::Suspicious, FindingKind::ClockJump, format!("the recorder's clock jumps ahead by {passed:.3} s"));
        } else {
            return;
        }
        self.current.command = self.current.command.map(|(time, _)| (time, true));
    }

    /// Adds the seconds since the last data block of the level, by both clocks.
    fn compare_clocks(&mut self, recorder: f32, server: f32) {
        let Some((recorder_before, server_before)) = self.current.clocks.replace((recorder, server)) else { return };
        let passed = (f64::from(recorder - recorder_before), f64::from(server - server_before));
        if passed.0 >= 0.0 && passed.1 >= 0.0 && passed.0 < f64::from(JUMP) && !self.paused && !self.core.hole {
            self.paced = (self.paced.0 + passed.0, self.paced.1 + passed.1);
        }
    }

    /// Checks that the server's clock advances about as the recorder's does. A timescale that the server states explains another pace.
    fn check_pace(&mut self) {
        let (commands, passed) = self.commanded;
        if passed >= LONG_ENOUGH && commands / passed > *EQUAL_PACE.end() {
            let evidence = format!("the user commands last {commands:.1} s, while {passed:.1} s pass on the recorder's clock");
            self.add(Grade::Suspicious, FindingKind::ClockDrift, evidence);
        }
        let (recorder, server) = self.paced;
        if self.hltv
            || recorder < LONG_ENOUGH
            || EQUAL_PACE.contains(&(server / recorder))
            || self.core.settings.iter().any(|setting| setting.contains("timescale"))
        {
            return;
        }
        let evidence = format!("the server's clock advances by {server:.1} s while the recorder's advances by {recorder:.1} s");
        let grade = if USUAL_PACE.contains(&(server / recorder)) { Grade::Normal } else { Grade::Suspicious };
        self.add(grade, FindingKind::ClockDrift, evidence);
    }

    /// Checks that a user command lasts about as long as the time since the one before.
    fn check_user_command(&mut self, msec: u8, time: f32) {
        let Some((before, remarked)) = self.current.command.replace((time, false)) else { return };
        let passed = time - before;
        // the blocks of one frame repeat its command
        if passed > 0.0 && passed < JUMP && !self.core.hole {
            self.commanded = (self.commanded.0 + f64::from(msec) / 1000.0, self.commanded.1 + f64::from(passed));
        }
        if passed - f32::from(msec) / 1000.0 > LATE_COMMAND && !remarked && !self.core.hole {
            let evidence = format!("a user command of {msec} ms where {:.0} ms passed", passed * 1000.0);
            self.add(Grade::Suspicious, FindingKind::UserCommandClock, evidence);
        }
    }

    /// True if the packet's number does not follow the previous block's number.
    fn is_far(&self, sequence: i32) -> bool {
        self.core.last.is_some_and(|last| !(last..=last + USUAL_GAP).contains(&i64::from(sequence)))
    }

    /// True if the packet's number fits neither the block before nor the one behind, which fit each other: a hole lies over it.
    fn are_numbers_damaged(&self, sequence: i32, playback: &Playback) -> bool {
        let Some(last) = self.core.last.filter(|_| self.is_far(sequence)) else { return false };
        playback.next_sequence().is_some_and(|next| {
            let next = i64::from(next as i32);
            (last..=last + USUAL_GAP).contains(&next) && !(last..=next).contains(&i64::from(sequence))
        })
    }

    /// Checks the netchan's numbers in a data block.
    fn check_packet(&mut self, words: &[i32; 7]) {
        let sequence = i64::from(words[0]);
        let acknowledged = if self.hltv { 0 } else { i64::from(words[1]) };
        let sent = if self.hltv { 0 } else { i64::from(words[4]) };
        let core = self.at();
        let believed =
            [("packet", sequence), ("acknowledgement", acknowledged), ("packet to be sent", sent)].map(|(what, number)| core.believes(what, PACKETS, number));
        if believed.contains(&false) {
            return;
        }
        if let (Some(last), Some([acknowledged_before, sent_before])) = (self.core.last, self.current.last) {
            let missing = sequence - last - 1;
            // A packet may be kept in several blocks.
            if missing < -1 {
                self.add(Grade::Edited, FindingKind::SequenceFall, format!("packet {sequence} follows packet {last}: clients drop late packets"));
                self.current = Segment { step: self.current.step, ..Segment::default() };
                self.core.forget_numbers();
                self.core.hole = true;
            } else if acknowledged < acknowledged_before || sent < sent_before {
                let evidence = format!("packets {acknowledged} acknowledged and {sent} to be sent follow {acknowledged_before} and {sent_before}");
                self.add(Grade::Edited, FindingKind::Acknowledgement, evidence);
            } else {
                self.at().gap(last, sequence);
            }
        }
        self.current.last = Some([acknowledged, sent]);
        self.core.number(sequence);
    }

    /// Checks that the recording has the delta base of a frame, if the client had it.
    fn check_delta(&mut self, base: u8) {
        let Some(sequence) = self.core.last else { return };
        if self.current.framed.replace(sequence) == Some(sequence) {
            // one damaged number looks the same, and frames that were doubled fall behind those before them
            self.add(Grade::Suspicious, FindingKind::SequenceFall, format!("packet {sequence} has its frame twice"));
        }
        self.at().base(sequence, sequence - i64::from((sequence as u8).wrapping_sub(base)));
    }

    fn start_level(&mut self) {
        self.current.framed = None;
        if self.begun {
            self.add(Grade::Normal, FindingKind::Part, String::from("server information: a level begins"));
        }
        self.begun = true;
        self.core.end_level();
        self.current = Segment { last: self.current.last, step: self.current.step, ..Segment::default() };
    }

    /// Compares protocol, game directory and map in the file's header with the server's.
    fn check_header(&mut self, info: &ServerInfo, header: &Header) {
        if self.core.audit.findings.iter().any(|finding| finding.kind == FindingKind::Part) {
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
                self.add(Grade::Normal, FindingKind::Strings, format!("the file's header states the {what} `{header}`, the server `{server}`"));
            }
        }
    }

    fn time(&self) -> Option<Milliseconds> {
        self.current.step.map(|(_, time)| Milliseconds::from_seconds(f64::from(self.elapsed + time)))
    }

    fn add(&mut self, grade: Grade, kind: FindingKind, evidence: String) {
        self.at().found(grade, kind, evidence);
    }

    /// For what is found at this time.
    fn at(&mut self) -> &mut replay::Auditor<'a> {
        self.core.time = self.time();
        &mut self.core
    }
}
