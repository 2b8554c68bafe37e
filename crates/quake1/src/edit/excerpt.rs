//! A part of a recording as a recording of its own: an opening, frames that need nothing from before, an end.

use model::{Edited, Milliseconds};

use crate::Recording;
use crate::clock::is_sane;
use crate::container::{Framing, Stamp, kind};
use crate::dialect::Dialect;
use crate::message::{Float, Message};
use crate::playback::Came;
use crate::state::{Game, World};

use super::full::{self, EVERYBODY};
use super::ledger::{Ledger, Part};
use super::opening;
use super::reading::{Next, Reading, Unit};
use super::repair::counted;
use super::timeline::Blocks;
use super::writing::Writing;

/// What happened on the way.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Frames re-encoded in full because their delta base was cut off.
    pub full: u32,
    /// Bytes of the source that are no blocks and were left out.
    pub skipped: u64,
    /// Blocks without a byte, at which engines stop, left out.
    pub empty: u32,
    /// Whether the source's own opening stands.
    pub own_opening: bool,
    /// Whether the source's own end stands.
    pub own_end: bool,
}

impl Report {
    /// The part, with what was done.
    pub fn edited(self, source: &Recording<'_>, out: Writing) -> Edited {
        let mut edited = Edited { extension: out.container.extension().to_owned(), bytes: out.bytes, ..Edited::default() };
        if edited.bytes == source.bytes {
            return edited;
        }
        if !self.own_opening {
            edited.actions.push(String::from("wrote a signon with the state at that time"));
        }
        if self.full > 0 {
            edited.actions.push(format!("re-encoded {} in full: the delta base was cut off", counted(self.full, "frame")));
        }
        if self.skipped > 0 {
            edited.actions.push(format!("left out {} bytes that are no blocks", self.skipped));
        }
        if self.empty > 0 {
            edited.actions.push(format!("left out {} without a byte, at which engines stop", counted(self.empty, "block")));
        }
        if !self.own_end {
            edited.actions.push(String::from("wrote the end marker"));
        }
        if edited.actions.is_empty() {
            edited.actions.push(String::from("left out what is outside of the range"));
        }
        edited
    }
}

/// Writes the blocks of a part. `from_start` says that nothing comes before its first frame: then the source's opening stands.
pub fn write(recording: &Recording<'_>, part: Blocks, from_start: bool) -> (Writing, Report) {
    let mut excerpt = Excerpt::new(recording, from_start);
    let mut reading = Reading::new(recording);
    while excerpt.next < part.end {
        let starts = excerpt.next == part.first && !from_start;
        let before = starts.then(|| excerpt.start());
        excerpt.ledger.block();
        let now = reading.clock().demo;
        match reading.next(|d, message, came| excerpt.take(d, message, came, now)) {
            None => break,
            Some(Next::Broken(_, (from, to))) => excerpt.broken(from, to),
            Some(Next::Unit(mut unit)) => {
                excerpt.next = unit.block.number + 1;
                excerpt.follow(&unit);
                if let Some(before) = before {
                    excerpt.write_opening(&reading, &before, &mut unit);
                }
                excerpt.write_unit(recording, &mut unit);
            }
        }
    }
    excerpt.close();
    (excerpt.out, excerpt.report)
}

/// What was known before a part's first block.
struct Before {
    ledger: Ledger,
    game: Game,
}

struct Excerpt {
    out: Writing,
    report: Report,
    /// The source's next block.
    next: u32,
    ledger: Ledger,
    /// The game as the source has it.
    game: Game,
    /// What the part says of entities; before it starts, nothing.
    emitted: Option<World>,
    /// Whether a first frame of entities was emitted in full.
    begun: bool,
    /// The messages of this block as the part says them, where they are others.
    messages: Vec<Message>,
    changed: bool,
    /// The next packet sent.
    outgoing: u32,
    /// Whether blocks are written.
    started: bool,
    time: Float,
    angles: [Float; 3],
}

impl Excerpt {
    fn new(recording: &Recording<'_>, from_start: bool) -> Self {
        Excerpt {
            out: Writing::new(recording.container(), recording.header()),
            report: Report { own_opening: from_start, ..Report::default() },
            next: 0,
            ledger: Ledger::default(),
            game: Game::default(),
            emitted: None,
            begun: false,
            messages: Vec::new(),
            changed: false,
            outgoing: 0,
            started: from_start,
            time: Float(0),
            angles: [Float(0); 3],
        }
    }

    /// The part starts with the next block.
    fn start(&mut self) -> Before {
        let mut emitted = World::default();
        let d = opening::dialect(&self.ledger, self.out.container);
        for part in [Part::Baselines, Part::Statics] {
            for entry in self.ledger.part(part) {
                let _ = emitted.apply(&d, &entry.message, 0);
            }
        }
        self.emitted = Some(emitted);
        self.started = true;
        Before { ledger: self.ledger.clone(), game: self.game.clone() }
    }

    /// Takes in a message of the source, and finds what the part says in its place.
    fn take(&mut self, d: &Dialect, message: &Message, came: &Came, now: Milliseconds) {
        self.ledger.apply(d, message, came.target, now);
        let number = self.game.packet_number(d, came.sequence);
        self.game.apply(d, message, came.target, number);
        let lost = self.game.take_missing().is_some();
        let Some(emitted) = &mut self.emitted else { return };
        let full = full::instead(d, message, number, &self.game, lost, emitted, &mut self.begun);
        if full.is_some() {
            self.changed = true;
            self.report.full += 1;
        }
        self.messages.push(full.unwrap_or_else(|| message.clone()));
    }

    fn broken(&mut self, from: u64, to: u64) {
        if self.started {
            self.report.skipped += to - from;
        }
    }

    /// Follows the connection's numbers and the clocks.
    fn follow(&mut self, unit: &Unit<'_>) {
        match unit.block.framing {
            Framing::Sequences { outgoing, .. } => self.outgoing = outgoing,
            Framing::Command { .. } => self.outgoing = self.outgoing.wrapping_add(1),
            Framing::NetQuake { angles } => self.angles = angles,
            Framing::Packet { .. } => {}
        }
        if let Some(time) = unit.block.framing.time().filter(|time| is_sane(*time)) {
            self.time = time;
        }
    }

    /// Writes the opening, and prepares the first block.
    fn write_opening(&mut self, reading: &Reading<'_>, before: &Before, unit: &mut Unit<'_>) {
        let at = opening::Moment {
            now: reading.clock().demo,
            server: reading.clock().server,
            time: self.time,
            angles: self.angles,
            sequences: (self.outgoing.max(unit.sequence()), unit.sequence().wrapping_sub(1)),
        };
        opening::write(&mut self.out, &before.ledger, &before.game, &at);
        if let (Framing::Packet { time: Stamp::After(delay), target }, Some(resolved)) = (&mut unit.block.framing, unit.target) {
            // the opening addresses everybody
            *delay = opening::BEFORE_FIRST_FRAME;
            *target = if resolved.kind == kind::READ || resolved.kind == 0 { EVERYBODY } else { resolved };
            self.changed = true;
        }
        let brings = |message: &Message| matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_) | Message::UpdateEntities(_));
        let d = reading.dialect();
        if d.is_multi_view() && !d.replacement() && !unit.messages.iter().any(brings) && !before.game.world.qw_newest().entities.is_empty() {
            let whole = full::packet_entities(d, &before.game);
            if let Some(emitted) = &mut self.emitted {
                let _ = emitted.apply(d, &whole, before.game.frames as u32);
            }
            self.messages.insert(0, whole);
            self.changed = true;
            self.report.full += 1;
        }
    }

    fn write_unit(&mut self, recording: &Recording<'_>, unit: &mut Unit<'_>) {
        let messages = std::mem::take(&mut self.messages);
        let changed = std::mem::take(&mut self.changed);
        if !self.started {
            return;
        }
        if unit.stops_engines() {
            self.report.empty += 1;
            return;
        }
        self.report.own_end = unit.messages.iter().any(|message| matches!(message, Message::Disconnect(_)));
        if changed {
            unit.messages = messages;
            self.out.unit(unit);
        } else {
            self.out.copy(recording.bytes, unit);
        }
    }

    fn close(&mut self) {
        if !self.report.own_end {
            self.out.end(self.time, self.angles);
        }
    }
}
