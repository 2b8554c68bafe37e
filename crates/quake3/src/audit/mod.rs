//! Whether a recording is one unbroken recording (`docs/audit.md`, "Quake III").

pub(crate) mod seal;

use std::collections::HashSet;

use model::{Audit, Extent, Finding, FindingKind, Grade, Losses, Milliseconds};
use wire::Limits;

use crate::Recording;
use crate::container::{Frame, Frames, Piece, data};
use crate::edit::MARK;
use crate::message::{Depth, Gamestate, Message, Operation, Snapshot};
use crate::state::{Outcome, State};
use crate::text::{clean, info};
use seal::RunTime;

/// So many packets in a row are seldom lost.
const LONG_GAP: i64 = 10;

/// A snapshot is encoded against one of the last 32 packets.
const RING: i64 = 32;

/// Configstring 0: what the server says of itself.
const SERVER_INFO: usize = 0;

/// Configstring 1: the server's settings that clients must share.
const SYSTEM_INFO: usize = 1;

pub(crate) fn audit(recording: &Recording<'_>, limits: &Limits) -> Audit {
    let mut trail = Trail {
        audit: Audit::of(&recording.verify(), limits),
        limits,
        state: State::new(recording.dialect()),
        part: Part::default(),
        torn: false,
        opening: None,
        elapsed: 0,
        gamestates: HashSet::new(),
        lost: Losses::default(),
        settings: String::new(),
        run_time: None,
    };
    let bytes = recording.bytes();
    let mut message = Message::default();
    for piece in Frames::new(bytes) {
        match piece {
            Piece::Message(frame) => {
                let from_here = &bytes[frame.data_offset() as usize..];
                let sound = message.read_ahead(from_here, frame.length as usize, recording.dialect(), Depth::Whole).is_ok();
                trail.message(&frame, &message, data(bytes, &frame));
                if !sound {
                    trail.hole();
                }
            }
            Piece::Opaque(..) => {
                trail.torn = true;
                trail.hole();
            }
            Piece::End(_) | Piece::Prologue(_) => {}
        }
    }
    trail.finish()
}

/// What is known of the part of the recording since its gamestate.
#[derive(Default)]
struct Part {
    /// The packets that are there, as far back as a snapshot may reach.
    there: HashSet<i64>,
    first: Option<i64>,
    last: Option<i64>,
    /// The last reliable command, and the last client command that the server had seen.
    command: Option<i32>,
    /// Whether a command came since the gamestate, and whether a hole may have swallowed some.
    commanded: bool,
    commands_lost: bool,
    acknowledged: u32,
    time: Option<(i64, i64)>,
    /// Something before was broken: what follows from that is no finding of its own.
    hole: bool,
}

struct Trail<'a> {
    audit: Audit,
    limits: &'a Limits,
    state: State,
    part: Part,
    /// Whether bytes were passed over that are no message: what is found behind them may lie in any order.
    torn: bool,
    /// The number of the gamestate that the recording begins with.
    opening: Option<i64>,
    /// Milliseconds of the parts before this one.
    elapsed: i64,
    /// The gamestates so far, byte for byte.
    gamestates: HashSet<Vec<u8>>,
    lost: Losses,
    settings: String,
    run_time: Option<RunTime>,
}

impl Trail<'_> {
    fn message(&mut self, frame: &Frame, message: &Message, data: &[u8]) {
        let gamestate = message.operations.iter().find_map(|operation| match operation {
            Operation::Gamestate(gamestate) => Some(gamestate),
            _ => None,
        });
        if let Some(gamestate) = gamestate {
            self.begin(frame, gamestate, data);
        } else {
            self.sequence(frame, message);
        }
        self.acknowledgement(frame, message.acknowledged);
        for operation in &message.operations {
            match operation {
                Operation::ServerCommand(command) => {
                    self.command(frame, command.sequence);
                    if gamestate.is_some() && command.text.starts_with(MARK) {
                        self.found(Grade::Normal, FindingKind::Merge, frame, clean(&command.text["// ".len()..]));
                    }
                    self.state.apply_command(command);
                    if self.state.changed_string() == Some(SYSTEM_INFO) {
                        self.read_settings(frame);
                    }
                }
                Operation::Snapshot(snapshot) => self.snapshot(frame, snapshot),
                _ => {}
            }
        }
    }

    /// A gamestate: the first one, a level change, a new connection, or another recording behind this one.
    fn begin(&mut self, frame: &Frame, gamestate: &Gamestate, data: &[u8]) {
        let falls = self.part.last.is_some_and(|last| i64::from(frame.sequence) <= last);
        let repeated = !self.gamestates.insert(data.to_vec());
        if let Some(last) = self.part.last {
            let evidence = format!("a gamestate in packet {} after packet {last}", frame.sequence);
            match (falls, repeated) {
                (true, true) => self.found(Grade::Edited, FindingKind::SequenceFall, frame, format!("{evidence}, byte for byte one that was there already")),
                (true, false) => self.found(Grade::Suspicious, FindingKind::Part, frame, evidence),
                _ => self.found(Grade::Normal, FindingKind::Part, frame, evidence),
            }
        }
        self.end_part();
        if self.gamestates.len() == 1 && frame.number == 0 {
            self.opening = Some(i64::from(frame.sequence));
        }
        let hole = self.part.hole;
        self.part = Part {
            first: Some(i64::from(frame.sequence)),
            last: Some(i64::from(frame.sequence)),
            command: Some(gamestate.command_sequence),
            hole,
            ..Part::default()
        };
        self.part.there.insert(i64::from(frame.sequence));
        self.state.apply_gamestate(gamestate);
        self.read_protocol(frame);
        self.read_settings(frame);
        self.run_time = RunTime::sealed(&self.state).or(self.run_time.take());
    }

    /// Something is broken: what follows from that is no finding of its own.
    fn hole(&mut self) {
        self.part.hole = true;
        self.part.commands_lost = true;
    }

    fn sequence(&mut self, frame: &Frame, message: &Message) {
        let sequence = i64::from(frame.sequence);
        let Some(last) = self.part.last.replace(sequence) else {
            self.part.first = Some(sequence);
            self.part.there.insert(sequence);
            return;
        };
        // A recording begun during the game has its gamestate under the number of the packet that came before or comes next.
        let after_gamestate = self.part.there.len() == 1 && self.part.first == Some(last);
        let missing = sequence - last - 1;
        // Some servers send voice in a packet of its own under the number of the snapshot before.
        let same = sequence == last && message.operations.iter().any(|operation| matches!(operation, Operation::Snapshot(_)));
        if sequence < last || same && !after_gamestate {
            let grade = if self.torn { Grade::Suspicious } else { Grade::Edited };
            self.found(grade, FindingKind::SequenceFall, frame, format!("packet {sequence} follows packet {last}: clients drop packets that come late"));
            self.part.there.clear();
            self.part.first = Some(sequence);
            self.hole();
        } else if missing > 0 && !after_gamestate && !self.part.hole {
            if missing >= LONG_GAP {
                self.found(Grade::Suspicious, FindingKind::SequenceGap, frame, format!("{missing} packets are missing between {last} and {sequence}"));
            } else {
                let time = self.time();
                self.lost.add(missing as u64, || Finding::new(Grade::Normal, FindingKind::SequenceGap, frame.number, frame.offset, "").at(time));
            }
        }
        self.part.there.retain(|&kept| kept > sequence - 2 * RING);
        self.part.there.insert(sequence);
    }

    /// The number of a reliable command, which the server sends until it arrives.
    fn command(&mut self, frame: &Frame, sequence: i32) {
        let Some(before) = self.part.command.filter(|_| !self.part.commands_lost) else {
            (self.part.command, self.part.commands_lost) = (Some(sequence), false);
            return;
        };
        if sequence > before.saturating_add(1) {
            // A recording begun during the game may lack commands that came with its gamestate.
            let grade = if self.part.commanded { Grade::Edited } else { Grade::Normal };
            let evidence = format!("reliable command {sequence} follows {before}: the game sends each until it arrives");
            self.found(grade, FindingKind::CommandGap, frame, evidence);
        }
        self.part.commanded |= sequence > before;
        self.part.command = Some(before.max(sequence));
    }

    fn acknowledgement(&mut self, frame: &Frame, acknowledged: u32) {
        let before = std::mem::replace(&mut self.part.acknowledged, acknowledged);
        if (acknowledged as i32) < before as i32 && !self.part.hole {
            self.found(Grade::Edited, FindingKind::Acknowledgement, frame, format!("the server acknowledges client command {acknowledged} after {before}"));
        }
    }

    fn snapshot(&mut self, frame: &Frame, snapshot: &Snapshot) {
        let (sequence, time) = (i64::from(frame.sequence), i64::from(snapshot.server_time));
        let base = sequence - i64::from(snapshot.delta);
        let reachable = snapshot.delta != 0 && self.part.first.is_some_and(|first| base > first);
        if reachable && !self.part.there.contains(&base) && !self.part.hole {
            let evidence = format!("packet {sequence} is a delta against packet {base}, which the client had received and the recording lacks");
            self.found(Grade::Edited, FindingKind::MissingBase, frame, evidence);
        }
        if self.state.apply_snapshot(frame.sequence, snapshot) == Outcome::Applied {
            // What a hole made unreadable can be read again. Later deltas may still start from packets that lay in it.
            if self.part.hole && snapshot.delta == 0 {
                self.part.hole = false;
                self.part.first = Some(sequence);
            }
            let holds = self.run_time.as_mut().and_then(|run_time| run_time.check(&self.state));
            if holds == Some(false) {
                self.found(Grade::Edited, FindingKind::Seal, frame, "the run time that DeFRaG sealed does not fit place, speed, health and time");
            }
        }
        if self.part.time.is_none() && self.elapsed == 0 && self.opening == Some(sequence - 1) && time > LATE {
            // Recorders give the gamestate that they write the number of the packet before the last, and the next is not in the recording yet.
            let evidence = format!("the gamestate has the number right before that of the first snapshot, {sequence}, {} into the game", Milliseconds(time));
            self.found(Grade::Normal, FindingKind::Cut, frame, evidence);
        } else if self.part.time.is_none() && self.elapsed == 0 {
            self.audit.opening(Milliseconds(time), frame.number, frame.offset, self.limits);
        }
        let origin = self.part.time.map_or(time, |(origin, _)| origin);
        if let Some((_, before)) = self.part.time {
            let jump = time - before;
            if jump < 0 {
                self.found(Grade::Normal, FindingKind::ClockFall, frame, format!("server time {time} follows {before}"));
            } else if jump > LONG_JUMP {
                self.found(Grade::Normal, FindingKind::ClockJump, frame, format!("server time {time} follows {before}"));
            }
        }
        self.part.time = Some((origin, time));
    }

    /// What the server says of its protocol.
    fn read_protocol(&mut self, frame: &Frame) {
        let stated = clean(info(self.state.string(SERVER_INFO), "protocol"));
        let read = self.state.dialect().protocol.to_string();
        if !stated.is_empty() && stated != read {
            self.found(Grade::Normal, FindingKind::Strings, frame, format!("the server states protocol {stated}, and the recording follows {read}"));
        }
    }

    /// What the server says of cheats and speed.
    fn read_settings(&mut self, frame: &Frame) {
        let settings = self.state.string(SYSTEM_INFO);
        let value = |key: &str| clean(info(settings, key));
        let (cheats, scale) = (value("sv_cheats"), value("timescale"));
        let mut said = Vec::new();
        if cheats.parse().is_ok_and(|cheats: i32| cheats != 0) {
            said.push(format!("sv_cheats {cheats}"));
        }
        if scale.parse().is_ok_and(|scale: f64| scale != 1.0) {
            said.push(format!("timescale {scale}"));
        }
        let said = said.join(", ");
        if said != self.settings && !said.is_empty() {
            self.found(Grade::Normal, FindingKind::Settings, frame, said.clone());
        }
        self.settings = said;
    }

    /// The time since the recording's first snapshot.
    fn time(&self) -> Option<Milliseconds> {
        self.part.time.map(|(origin, now)| Milliseconds(self.elapsed + (now - origin).max(0)))
    }

    fn end_part(&mut self) {
        self.elapsed = self.time().map_or(self.elapsed, |time| time.0);
        self.lost.end("packets", &mut self.audit, self.limits);
    }

    fn found(&mut self, grade: Grade, kind: FindingKind, frame: &Frame, evidence: impl Into<String>) {
        let finding = Finding::new(grade, kind, frame.number, frame.offset, evidence).at(self.time());
        self.audit.add(Finding { extent: Some(Extent { from: frame.offset, to: frame.end() }), ..finding }, self.limits);
    }

    fn finish(mut self) -> Audit {
        self.end_part();
        self.audit.seals.extend(self.run_time.as_ref().and_then(RunTime::seal));
        self.audit.sort();
        self.audit
    }
}

/// A first snapshot that far into the game, in milliseconds, is no beginning.
const LATE: i64 = 3000;

/// A jump of the server's clock that is remarked, in milliseconds.
const LONG_JUMP: i64 = 1000;
