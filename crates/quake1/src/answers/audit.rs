//! Audits a recording: is it one unbroken recording? (`docs/audit.md`, "Quake")

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{self, Chunks, Fed, Numbering, Rule, Share, Whole, cheats, feed_all};
use fragreel_model::{Audit, Extent, Family, Finding, FindingKind, Grade, Milliseconds};

use super::verify::{Listener, verify_and};
use crate::container::{Block, Container, Framing, Stamp};
use crate::message::is_frame;
use crate::message::{Message, PacketHeader};
use crate::state::Game;
use crate::walk::blocks::NextBlock;
use crate::walk::clock::Clock;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::playback::{MessageContext, Playback};

/// Gaps longer than this are rarely packet loss.
const LONG_GAP: i64 = 10;

/// Engines keep 64 frames, and send the lowest 8 bits of a delta base's number.
const NUMBERING: Numbering = Numbering { what: "packet", ring: 256 };

/// Milliseconds by which a clock may jump during play without a finding.
const JUMP: f64 = 250.0;

/// Milliseconds by which the two clocks of a multi-view recording may differ per block. Each is rounded.
const DRIFT: f64 = 60.0;

/// Milliseconds by which a clock must fall. Damage to its lowest bits makes less.
const LEAST_FALL: f64 = 0.001;

/// Milliseconds over which clocks are compared.
const LONG_ENOUGH: f64 = 10_000.0;

/// How far the server's clock, or the sum of the user commands, may run ahead of the recorder's without a finding. Clients round each command
/// down to whole milliseconds, so the sum may lag by any amount.
const PACE: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// User commands that must be recorded before acknowledgements are checked against them. During the signon
/// clients send packets that are not recorded.
const SETTLED: i64 = 200;

/// Packets in a row that networks do not deliver late. A recording of 1997 to 2026 has at most two.
const LATE_IN_A_ROW: u32 = 10;

/// Frames of a multi-view recording that one damaged place may hide.
const HIDDEN_FRAMES: u8 = 3;

/// Client packets that may be acknowledged beyond the recorded ones.
const SLACK: i64 = 20;

/// How numbers follow each other in an undamaged recording. Networks deliver packets late.
const PACKETS: Rule = Rule::Rising(1000, 64);
const ACKNOWLEDGEMENTS: Rule = Rule::Rising(1000, 0);
const FRAMES: Rule = Rule::Rising(LONG_GAP, 0);
const FRAMES_OF_256: Rule = Rule::Counting(256);
/// Milliseconds from one time to the next in an undamaged recording.
const LONGEST_STEP: u32 = 5000;

/// Audits a recording in memory.
pub(crate) fn audit(input: &Input<'_>) -> Audit {
    let Ok(audit) = audit_chunks(input, &mut Whole(input.bytes));
    audit
}

/// Audits the recording in `chunks`. `input` says how to read it.
pub(crate) fn audit_chunks<C: Chunks>(input: &Input<'_>, chunks: &mut C) -> Result<Audit, C::Error> {
    let auditor = Auditor::new(input, replay::Auditor::new(Family::Quake1, &input.limits, NUMBERING));
    let (report, auditor) = verify_and(input, Share::all(), chunks, auditor)?;
    auditor.finish().weigh(&report, |core| Ok(feed_all(AuditWalk::new(input, core), chunks)?.auditor.finish()))
}

/// A walk that only audits.
struct AuditWalk<'a> {
    playback: Playback<'static>,
    auditor: Auditor<'a>,
}

impl<'a> AuditWalk<'a> {
    fn new(input: &Input<'_>, core: replay::Auditor<'a>) -> Self {
        AuditWalk { playback: Playback::new(input, false).over(Chunk::none()), auditor: Auditor::new(input, core) }
    }
}

impl Fed for AuditWalk<'_> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let AuditWalk { playback, mut auditor } = self;
        let mut playback = playback.over(chunk);
        while let Some(step) = playback.next_block() {
            let NextBlock::Block(block) = step else {
                auditor.skipped();
                continue;
            };
            auditor.block(&block, &playback.clock);
            let sound = playback.play(&block, |context, item| match item {
                Item::Header(header) => auditor.header(header, context.delivery.dropped),
                Item::Message(message) => {
                    auditor.message(message);
                    context.apply(message);
                    auditor.applied(message, context);
                }
                Item::Hidden(_) | Item::Opaque(_) => {}
            });
            auditor.block_end(sound.is_ok());
        }
        AuditWalk { playback: playback.over(Chunk::none()), auditor }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }
}

impl Listener for Auditor<'_> {
    fn block(&mut self, block: &Block<'_>, clock: &Clock) {
        self.core.time = Some(clock.demo);
        if block.late {
            self.count_late();
        } else if self.container == Container::NetQuake {
            self.late_in_a_row = 0;
        }
        self.check_block(block);
    }

    fn header(&mut self, header: PacketHeader, dropped: bool) {
        if dropped { self.late(header) } else { self.check_header(header) }
    }

    #[inline]
    fn message(&mut self, message: &Message) {
        self.check_message(message);
    }

    #[inline]
    fn applied(&mut self, message: &Message, context: &MessageContext<'_>) {
        self.core.time = Some(context.clock.demo);
        self.settings(message, context.game);
        if !self.segment.named && is_frame(message) {
            self.segment.named = true;
            self.strings(context.game);
        }
    }

    fn block_end(&mut self, sound: bool) {
        if self.container == Container::NetQuake && self.position.frame && !self.position.timed {
            self.found(Grade::Suspicious, FindingKind::MissingTime, String::from("a frame without the server's time"));
        }
        self.core.hole |= !sound;
    }

    fn skipped(&mut self) {
        self.core.hole = true;
    }
}

/// The state since the last server data.
#[derive(Default)]
struct Segment {
    acknowledged: Option<i64>,
    /// User commands recorded, and the smallest lag of the server's acknowledgements.
    commands: i64,
    behind: Option<i64>,
    /// The time of the last user command, in milliseconds.
    command_time: Option<f64>,
    /// The container's and the server's clock at the last frame with a time, in milliseconds.
    container_time: Option<f64>,
    times: Option<(f64, f64)>,
    /// The delta base of the last frame of a multi-view recording.
    from: Option<u8>,
    /// True if the last frame of a multi-view recording was full.
    full: bool,
    /// The re-release's frame number.
    numbered: Option<i64>,
    /// True once the level's strings have been compared.
    named: bool,
}

/// The position of the walk.
#[derive(Default)]
struct Position {
    sequence: i64,
    /// Whether the block has a frame, and whether it has a time.
    frame: bool,
    timed: bool,
    /// Whether other blocks contradict its time.
    contradicted: bool,
}

struct Auditor<'a> {
    core: replay::Auditor<'a>,
    container: Container,
    segment: Segment,
    /// The number of levels so far.
    levels: u32,
    position: Position,
    /// Packets that came late or twice.
    late: u64,
    first_late: Option<Finding>,
    late_in_a_row: u32,
    paused: bool,
    /// Milliseconds of user commands, and those that passed on the recorder's clock meanwhile.
    commanded: (f64, f64),
    /// Milliseconds that passed on the server's clock, and on the recorder's.
    paced: (f64, f64),
}

impl<'a> Auditor<'a> {
    fn new(input: &Input<'_>, core: replay::Auditor<'a>) -> Self {
        Auditor {
            core,
            container: input.container,
            segment: Segment::default(),
            levels: 0,
            position: Position::default(),
            late: 0,
            first_late: None,
            late_in_a_row: 0,
            paused: false,
            commanded: (0.0, 0.0),
            paced: (0.0, 0.0),
        }
    }

    fn check_block(&mut self, block: &Block<'_>) {
        self.core.message = block.number;
        self.core.extent = Extent { from: block.offset, to: block.end() };
        self.position = Position { contradicted: block.contradicted || block.late, ..Position::default() };
        if let Framing::Sequences { incoming, .. } = block.framing
            && !self.segment.named
        {
            // a signon written during play has numbers of its own; from here on they are the netchan's
            self.core.last = Some(i64::from(incoming & 0x7fff_ffff));
            (self.core.first, self.segment.acknowledged) = (self.core.last, None);
        }
        if self.container == Container::MultiView && matches!(block.framing, Framing::Command { .. }) {
            // zeros look like one, and take the blocks behind them for its fields
            self.found(Grade::Damaged, FindingKind::Framing, String::from("a user command, which no server writes into a multi-view recording"));
            self.core.hole = true;
        }
        let stamp = match block.framing {
            Framing::Command { time: Stamp::At(time), .. }
            | Framing::Packet { time: Stamp::At(time), .. }
            | Framing::Sequences { time: Stamp::At(time), .. } => f64::from(time.value()) * 1000.0,
            _ => return,
        };
        if block.contradicted || !self.core.believes_time("client's clock", LONGEST_STEP, stamp) {
            return;
        }
        if let Some(before) = self.segment.container_time.filter(|before| *before - stamp >= LEAST_FALL && !self.core.hole) {
            self.found(Grade::Edited, FindingKind::ClockFall, format!("the client's clock falls by {:.0} ms", before - stamp));
        }
        self.segment.container_time = Some(stamp);
        if let Framing::Command { command, .. } = block.framing {
            self.segment.commands += 1;
            let before = self.segment.command_time.replace(stamp);
            if let Some(passed) = before.map(|before| stamp - before).filter(|passed| (0.0..JUMP).contains(passed) && !self.core.hole) {
                self.commanded = (self.commanded.0 + f64::from(command.msec), self.commanded.1 + passed);
            }
            if let Some(passed) = before.map(|before| stamp - before).filter(|passed| *passed - f64::from(command.msec) > JUMP && !self.core.hole) {
                let evidence = format!("a user command of {} ms where {passed:.0} ms passed", command.msec);
                self.found(Grade::Suspicious, FindingKind::UserCommandClock, evidence);
            }
        }
    }

    /// Counts a packet that came late or twice. id's client records packets before it drops these.
    fn late(&mut self, header: PacketHeader) {
        let sequence = i64::from(header.sequence & 0x7fff_ffff);
        if self.core.came_late("packet", sequence) || self.core.believes("packet", PACKETS, sequence) {
            self.count_late();
        }
    }

    fn count_late(&mut self) {
        self.late += 1;
        if self.first_late.is_none() {
            self.first_late = Some(Finding::new(Grade::Normal, FindingKind::SequenceFall, self.core.message, self.core.extent.from, "").at(self.core.time));
        }
        self.late_in_a_row += 1;
        if self.late_in_a_row == LATE_IN_A_ROW && !self.core.hole {
            self.found(Grade::Edited, FindingKind::SequenceFall, format!("{LATE_IN_A_ROW} packets in a row are late or repeated"));
        }
    }

    fn late_ends(&mut self) {
        if let Some(first) = self.first_late.take() {
            let evidence = match self.late {
                1 => String::from("a packet arrived late or twice, and clients drop it"),
                late => format!("{late} packets arrived late or twice, and clients drop them"),
            };
            self.core.audit.add(Finding { evidence, ..first }, self.core.limits);
        }
    }

    /// Checks the netchan's numbers of a received packet.
    fn check_header(&mut self, header: PacketHeader) {
        if header.is_connectionless() {
            return;
        }
        self.late_in_a_row = 0;
        let (sequence, acknowledged) = (i64::from(header.sequence & 0x7fff_ffff), i64::from(header.acknowledged & 0x7fff_ffff));
        if !self.core.believes("packet", PACKETS, sequence) {
            return;
        }
        self.position.sequence = sequence;
        if let Some(last) = self.core.last {
            if sequence <= last {
                self.found(Grade::Edited, FindingKind::SequenceFall, format!("packet {sequence} follows packet {last}: another numbering begins"));
                self.segment = Segment::default();
                self.core.forget_numbers();
                self.core.hole = true;
            } else {
                self.core.gap(last, sequence);
            }
        }
        self.core.number(sequence);
        self.acknowledged(acknowledged);
    }

    /// Checks that the server acknowledges only packets that the client sent. Every user command sent is recorded.
    fn acknowledged(&mut self, acknowledged: i64) {
        if !self.core.believes("acknowledgement", ACKNOWLEDGEMENTS, acknowledged) {
            return;
        }
        if let Some(before) = self.segment.acknowledged.replace(acknowledged).filter(|before| acknowledged < *before && !self.core.hole) {
            self.found(Grade::Edited, FindingKind::Acknowledgement, format!("the server acknowledges client packet {acknowledged} after {before}"));
        }
        if self.segment.commands < SETTLED {
            return;
        }
        let behind = self.segment.commands - acknowledged;
        let least = *self.segment.behind.get_or_insert(behind);
        if least - behind > SLACK && !self.core.hole {
            let evidence = format!("the server acknowledges {} client packets that the recording lacks", least - behind);
            self.found(Grade::Edited, FindingKind::Acknowledgement, evidence);
        }
        self.segment.behind = Some(least.min(behind));
    }

    #[inline]
    fn check_message(&mut self, message: &Message) {
        match message {
            Message::ServerData(_) | Message::ServerInfo(_) => {
                self.paused = false;
                self.begin();
            }
            Message::SetPause(pause) => self.paused = pause.paused != 0,
            Message::DeltaPacketEntities(delta) => self.delta(delta.from),
            Message::PacketEntities(_) => {
                self.position.frame = true;
                self.full_frame();
                // This frame is full. Later deltas may still have a base in the hole.
                self.core.end_hole(Some(self.position.sequence));
            }
            Message::ClientData(_) => self.position.frame = true,
            Message::NqTime(time) => self.time(f64::from(time.time.value()) * 1000.0),
            Message::UpdateEntities(update) => self.time(f64::from(update.update.seconds()) * 1000.0),
            Message::QexSequence(sequence) => self.numbered(sequence.sequence.value as i64),
            _ => {}
        }
    }

    fn begin(&mut self) {
        if self.levels > 0 {
            self.found(Grade::Normal, FindingKind::Part, String::from("server data: a level begins"));
        }
        self.levels += 1;
        self.core.end_level();
        let Segment { acknowledged, container_time, .. } = std::mem::take(&mut self.segment);
        self.segment = Segment { acknowledged, container_time, ..Segment::default() };
    }

    /// Follows prints about cheats: QuakeWorld servers that allow them announce it.
    #[inline]
    fn settings(&mut self, message: &Message, game: &Game) {
        let said = match message {
            Message::StuffText(_) | Message::ServerInfoKey(_) => game.level.setting("*cheats").map(|value| format!("*cheats {value}")),
            Message::QwPrint(print) => cheats::in_line(print.text.bytes()),
            Message::NqPrint(print) => cheats::in_line(print.text.bytes()),
            _ => return,
        };
        self.core.add_setting(said);
    }

    /// Compares the map and game directory in the server info with the first model and the server data.
    fn strings(&mut self, game: &Game) {
        let stated = [
            ("map", game.level.setting("map"), game.level.map()),
            ("game directory", game.level.setting("*gamedir"), Some(crate::characters::clean(game.level.gamedir.bytes()))),
        ];
        for (what, info, level) in stated {
            let (Some(info), Some(level)) = (info, level) else { continue };
            if !info.is_empty() && !level.is_empty() && !info.eq_ignore_ascii_case(&level) {
                self.found(Grade::Normal, FindingKind::Strings, format!("the server's info states the {what} `{info}`, the level `{level}`"));
            }
        }
    }

    /// Counts a full frame of a multi-view recording. Servers count it among the others, and write one whenever their count begins again.
    fn full_frame(&mut self) {
        let number = self.segment.from.filter(|_| self.container == Container::MultiView && !self.core.hole).map(|before| before.wrapping_add(1));
        if let Some(number) = number {
            self.core.believes("delta base", FRAMES_OF_256, i64::from(number));
        }
        (self.segment.from, self.segment.full) = (number, true);
    }

    /// Checks the base of a delta packet.
    fn delta(&mut self, from: u8) {
        self.position.frame = true;
        if self.container == Container::MultiView {
            if !self.core.believes("delta base", FRAMES_OF_256, i64::from(from)) {
                return;
            }
            // The server counts its frames, and each is a delta to the one before.
            let expected = self.segment.from.replace(from).map(|before| before.wrapping_add(1));
            let behind_full = std::mem::take(&mut self.segment.full);
            if let Some(expected) = expected.filter(|expected| *expected != from && !self.core.hole) {
                // damage may hide a frame or two, and everything else is read; a full frame may stand for what a repair left out
                let grade = if behind_full || from.wrapping_sub(expected) <= HIDDEN_FRAMES { Grade::Suspicious } else { Grade::Edited };
                self.found(grade, FindingKind::SequenceGap, format!("the frame's delta base is frame {from} (of 256), but {expected} is the last"));
            }
            return;
        }
        let sequence = self.position.sequence;
        self.core.base(sequence, sequence - i64::from((sequence as u8).wrapping_sub(from)));
    }

    /// Checks the server's clock at a frame.
    fn time(&mut self, now: f64) {
        self.position.frame = true;
        self.position.timed = true;
        if !now.is_finite() || self.position.contradicted || !self.core.believes_time("server's clock", LONGEST_STEP, now) {
            return;
        }
        let container = self.core.time.map_or(0.0, |now| now.0 as f64);
        let Some((before, container_before)) = self.segment.times.replace((now, container)) else {
            if self.levels == 1 {
                self.core.audit.opening(Milliseconds(now as i64), self.core.message, self.core.extent.from, self.core.limits);
            }
            return;
        };
        let passed = now - before;
        if std::mem::take(&mut self.core.hole) {
            // what was lost explains it
        } else if passed <= -LEAST_FALL {
            self.found(Grade::Edited, FindingKind::ClockFall, format!("the server's clock falls by {:.0} ms", -passed));
        } else if self.container == Container::MultiView {
            let drift = passed - (container - container_before);
            if drift.abs() > DRIFT {
                let evidence = format!("the server's clock advances by {passed:.0} ms, the recording's by {:.0} ms", container - container_before);
                self.found(Grade::Suspicious, FindingKind::ClockDrift, evidence);
            }
        } else {
            let recorded = container - container_before;
            if self.container == Container::QuakeWorld && !self.paused && passed < JUMP && (0.0..JUMP).contains(&recorded) {
                self.paced = (self.paced.0 + passed, self.paced.1 + recorded);
            }
            if passed > JUMP {
                self.found(Grade::Suspicious, FindingKind::ClockJump, format!("the server's clock jumps ahead by {passed:.0} ms"));
            }
        }
    }

    /// Compares what the clocks advanced by in the whole recording.
    fn paces(&mut self) {
        let (commands, recorded) = self.commanded;
        if recorded >= LONG_ENOUGH && commands / recorded > *PACE.end() {
            let evidence = format!("the user commands last {:.1} s, while {:.1} s pass on the recorder's clock", commands / 1000.0, recorded / 1000.0);
            self.found(Grade::Suspicious, FindingKind::ClockDrift, evidence);
        }
        let (server, recorded) = self.paced;
        if recorded >= LONG_ENOUGH && !PACE.contains(&(server / recorded)) {
            let evidence = format!("the server's clock advances by {:.1} s while the recorder's advances by {:.1} s", server / 1000.0, recorded / 1000.0);
            self.found(Grade::Suspicious, FindingKind::ClockDrift, evidence);
        }
    }

    /// Checks the re-release's frame numbers.
    fn numbered(&mut self, number: i64) {
        if !self.core.believes("frame", FRAMES, number) {
            return;
        }
        let Some(before) = self.segment.numbered.replace(number) else { return };
        if number < before {
            self.found(Grade::Edited, FindingKind::SequenceFall, format!("frame {number} follows frame {before}"));
        } else if number - before > LONG_GAP {
            self.found(Grade::Suspicious, FindingKind::SequenceGap, format!("{} frames are missing between {before} and {number}", number - before - 1));
        }
    }

    fn found(&mut self, grade: Grade, kind: FindingKind, evidence: String) {
        self.core.found(grade, kind, evidence);
    }

    fn finish(mut self) -> replay::Auditor<'a> {
        self.paces();
        self.core.end_part();
        self.late_ends();
        self.core
    }
}
