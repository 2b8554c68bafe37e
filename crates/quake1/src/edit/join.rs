//! Joins parts of one session (`docs/formats/quake1.md`, "Editing").

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, Milliseconds};

use crate::container::{Container, Framing, Stamp, Target, kind, write_block};
use crate::dialect::Dialect;
use crate::message::is_frame;
use crate::message::{Float, Message};
use crate::state::{Game, World};
use crate::walk::clock::is_sane;
use crate::walk::input::Input;
use crate::walk::playback::Delivery;

use crate::encode::block_writer::BlockWriter;
use crate::encode::delays::{LONGEST_WAIT, wait};
use crate::encode::reencode::{self, EVERYBODY, view_player};
use crate::encode::signon::{SignonPart, SignonState};
use crate::encode::world::WorldView;
use crate::walk::decoded_blocks::{DecodedBlock, DecodedBlocks, NextDecoded};

/// Fails unless a part is in the container of the first.
pub(super) fn check_container(first: &Input<'_>, part: &Input<'_>) -> Result<(), Error> {
    if part.container == first.container {
        return Ok(());
    }
    let (first, part) = (first.container.extension(), part.container.extension());
    Err(Error::misuse(format!("a .{first} and a .{part} cannot be one recording: convert one of them")))
}

/// Joins parts of one session in order.
pub(super) fn join(parts: &[&Input<'_>]) -> Result<Edited, Error> {
    let Some(first) = parts.first() else { return Err(Error::misuse("there is nothing to join")) };
    let mut join = Join {
        out: BlockWriter::new(first.container, first.header()),
        signon: SignonState::default(),
        emitted: World::default(),
        server: Milliseconds(0),
        time: Float(0),
        angles: [Float(0); 3],
        shift: 0.0,
        seam: Seam::default(),
        actions: Vec::new(),
    };
    for (at, part) in parts.iter().enumerate() {
        join.part(at, part)?;
    }
    join.out.write_end(join.time, join.angles);
    Ok(Edited { bytes: join.out.bytes, extension: first.container.extension().to_owned(), actions: join.actions, ..Edited::default() })
}

struct Join {
    out: BlockWriter,
    /// The signon state at the end of the output.
    signon: SignonState,
    /// The entities at the end of the output.
    emitted: World,
    /// The server's clock at the end of the output.
    server: Milliseconds,
    time: Float,
    angles: [Float; 3],
    /// Seconds added to the times of this part.
    shift: f32,
    seam: Seam,
    actions: Vec<Action>,
}

/// The last frame written. A part that was cut there repeats it.
#[derive(Default)]
struct Seam {
    /// The game after it.
    game: Game,
    /// Its packet.
    sequence: u32,
    /// Its server time, and that of the frame before it.
    at: Milliseconds,
    before: Milliseconds,
    /// The blocks after it.
    after: Vec<(Framing, Vec<u8>)>,
}

impl Seam {
    /// Notes a block that was written.
    fn see(&mut self, unit: &DecodedBlock<'_>, now: Milliseconds) {
        if unit.is_frame() {
            (self.before, self.at, self.sequence) = (self.at, now, unit.sequence());
            self.after.clear();
        } else if !unit.stops_engines() && !unit.messages.iter().any(|message| matches!(message, Message::Disconnect(_))) {
            self.after.push((unit.block.framing, unit.block.data.to_vec()));
        }
    }

    /// True if a part's first frame repeats this one.
    fn is_repeated_by(&self, reading: &DecodedBlocks<'_>, game: &Game, unit: &DecodedBlock<'_>) -> bool {
        let d = reading.dialect();
        let same = match unit.block.framing {
            // frames look the same while the clock stands still
            Framing::NetQuake { .. } => self.before < self.at,
            _ => self.sequence == unit.sequence(),
        };
        same && self.at == reading.clock().server && WorldView::of(d, game) == WorldView::of(d, &self.game)
    }
}

/// A part being joined.
struct Piece {
    signon: SignonState,
    game: Game,
    outgoing: u32,
    /// True while the part's signon is being skipped, until its first frame.
    skipping: bool,
    messages: Vec<Message>,
    changed: bool,
    /// True once a full replacement delta has been written.
    begun: bool,
}

impl Join {
    fn part(&mut self, at: usize, part: &Input<'_>) -> Result<(), Error> {
        let goes_on = at > 0 && self.goes_on(part);
        if at > 0 && !goes_on {
            self.actions.push(Action::PartStartsLevel { part: at as u64 + 1 });
            self.start_anew(part);
        }
        let mut piece = Piece {
            signon: SignonState::default(),
            game: Game::default(),
            outgoing: 0,
            skipping: goes_on,
            messages: Vec::new(),
            changed: false,
            begun: !goes_on,
        };
        let mut reading = DecodedBlocks::new(part);
        // blocks of the previous part that this one may repeat
        let mut repeated = Vec::new().into_iter();
        loop {
            let skipping = piece.skipping;
            piece.signon.start_block();
            let now = reading.clock().demo;
            let (emitted, own) = (&mut self.emitted, &mut self.signon);
            let next = reading.next(|d, message, delivery| piece.take(emitted, own, d, message, delivery, now));
            let mut unit = match next {
                None => break,
                Some(NextDecoded::Block(unit)) => unit,
                Some(NextDecoded::Broken(error, (from, _))) => {
                    return Err(Error::malformed(format!("part {} is damaged at byte {from} ({}): repair it first", at + 1, error.detail())));
                }
            };
            let messages = std::mem::take(&mut piece.messages);
            let changed = std::mem::take(&mut piece.changed);
            piece.follow(&unit);
            if skipping {
                if unit.dropped || !unit.messages.iter().any(is_frame) {
                    continue;
                }
                piece.skipping = false;
                self.actions.push(Action::PartGoesOnWithoutSignon { part: at as u64 + 1 });
                if self.seam.is_repeated_by(&reading, &piece.game, &unit) {
                    self.actions.push(Action::RepeatedFirstFrameLeftOut { part: at as u64 + 1 });
                    repeated = std::mem::take(&mut self.seam.after).into_iter();
                    self.signon.clone_from(&piece.signon);
                    continue;
                }
                self.bridge(&mut piece, &reading, &mut unit, messages);
                self.signon.clone_from(&piece.signon);
            } else if repeated.next().is_some_and(|(framing, data)| framing == unit.block.framing && data == unit.block.data) {
                self.seam.see(&unit, reading.clock().server);
                continue;
            } else {
                repeated = Vec::new().into_iter();
                self.write_unit(part, &mut unit, messages, changed);
            }
            self.seam.see(&unit, reading.clock().server);
            self.server = reading.clock().server;
        }
        self.seam.game = piece.game;
        Ok(())
    }

    /// Starts a new connection in a client's recording: packets count from 1, and time continues.
    fn start_anew(&mut self, part: &Input<'_>) {
        self.shift = 0.0;
        if self.out.container != Container::QuakeWorld {
            return;
        }
        let framing = Framing::Sequences { time: Stamp::At(self.time), outgoing: 1, incoming: 0 };
        write_block(&mut self.out.bytes, Container::QuakeWorld, &framing, &[]);
        let first = part.blocks().map_while(Result::ok).find_map(|block| block.framing.time());
        self.shift = first.map_or(0.0, |first| (self.time.value() - first.value()).max(0.0));
    }

    /// True if a part continues the level at the end of the output. Both may lack a statement.
    fn goes_on(&self, part: &Input<'_>) -> bool {
        let mut signon = SignonState::default();
        let mut reading = DecodedBlocks::new(part);
        while let Some(next) = reading.next(|d, message, delivery| signon.apply(d, message, delivery.target, Milliseconds(0))) {
            let NextDecoded::Block(unit) = next else { continue };
            if !unit.dropped && unit.messages.iter().any(is_frame) {
                break;
            }
        }
        // the same level, but entered again
        if reading.clock().server < self.seam.at {
            return false;
        }
        let server = |signon: &SignonState| {
            signon.part(SignonPart::Server).find_map(|entry| match &entry.message {
                // the time differs from part to part
                Message::ServerData(data) => Some(Message::ServerData(crate::message::ServerData { time: Float(0), ..data.clone() })),
                Message::ServerInfo(_) => Some(entry.message.clone()),
                _ => None,
            })
        };
        let files = |signon: &SignonState| {
            [SignonPart::Sounds, SignonPart::Models].map(|part| signon.part(part).map(|entry| entry.message.clone()).collect::<Vec<_>>())
        };
        server(&signon) == server(&self.signon) && files(&signon) == files(&self.signon)
    }

    /// Writes the changes between two parts, and the first frame of the second.
    fn bridge(&mut self, piece: &mut Piece, reading: &DecodedBlocks<'_>, unit: &mut DecodedBlock<'_>, frame: Vec<Message>) {
        let (signon, game) = (&piece.signon, &piece.game);
        let mut changes: Vec<(Target, Message)> = Vec::new();
        for part in [SignonPart::Settings, SignonPart::Files, SignonPart::Players, SignonPart::Lights, SignonPart::Stats, SignonPart::Lasting] {
            for entry in self.signon.changes(signon, part) {
                let kind = if part == SignonPart::Stats { kind::STATS } else { kind::SINGLE };
                changes.push((entry.slot.map_or(EVERYBODY, |slot| Target { kind, slot, players: 0 }), entry.message.clone()));
            }
        }
        // the number of static entities grows
        let placed = self.signon.part(SignonPart::Statics).count();
        for entry in self.signon.changes(signon, SignonPart::Baselines).chain(signon.part(SignonPart::Statics).skip(placed)) {
            let _ = self.emitted.apply(reading.dialect(), &entry.message, 0);
            changes.push((EVERYBODY, entry.message.clone()));
        }
        let d = reading.dialect();
        let mut first = reencode::entities_not_restated(d, &self.seam.game.world, &game.world, &frame, reading.clock().server);
        for message in &first {
            let _ = self.emitted.apply(d, message, game.packet_number(d, unit.sequence()));
            piece.begun |= matches!(message, Message::UpdateEntities(_));
        }
        first.extend(frame);
        // players are sent as deltas, too
        let views = game.roster.iter().filter_map(|(slot, _)| game.body_of(slot).map(|body| view_player(slot, body, signon.view_flags(slot))));
        match &mut unit.block.framing {
            Framing::Packet { time: Stamp::After(delay), target } => {
                let mut passed = (reading.clock().server - self.server).0.clamp(0, LONGEST_WAIT) as u32;
                let game = &self.seam.game;
                let players: Vec<_> = game.roster.iter().filter_map(|(slot, _)| game.body_of(slot).map(|body| (slot, body.row, body.dead))).collect();
                let mut keepalive_frame = || reencode::keepalive_frame(players.iter().copied());
                for (to, message) in changes {
                    let after = wait(&mut self.out, &mut passed, &mut keepalive_frame);
                    self.out.write_packet(&Framing::Packet { time: Stamp::After(after), target: to }, None, &[message]);
                }
                *delay = wait(&mut self.out, &mut passed, &mut keepalive_frame);
                *target = EVERYBODY;
                unit.messages = views.chain(first).collect();
            }
            Framing::Packet { time, .. } => {
                let framing = Framing::Sequences { time: *time, outgoing: piece.outgoing.max(unit.sequence()), incoming: unit.sequence().wrapping_sub(1) };
                write_block(&mut self.out.bytes, Container::QuakeWorld, &framing, &[]);
                unit.messages = changes.into_iter().flat_map(|(to, message)| game.seats.directed(to, message)).chain(first).collect();
            }
            framing => {
                let messages: Vec<Message> = changes.into_iter().map(|(_, message)| message).collect();
                if !messages.is_empty() {
                    self.out.write_packet(framing, None, &messages);
                }
                unit.messages = first;
            }
        }
        self.out.encode_block(unit);
        self.see(unit);
    }

    fn write_unit(&mut self, part: &Input<'_>, unit: &mut DecodedBlock<'_>, messages: Vec<Message>, changed: bool) {
        let messages = if unit.dropped { unit.messages.clone() } else { messages };
        // the end of a part is not the end of the output
        let ends = messages.iter().any(|message| matches!(message, Message::Disconnect(_)));
        let shifted = self.shift > 0.0;
        if shifted {
            shift(&mut unit.block.framing, self.shift);
        }
        self.see(unit);
        if unit.stops_engines() {
            return;
        }
        if !changed && !ends {
            if shifted {
                self.out.reframe_block(unit);
            } else {
                self.out.copy_block(part.bytes.into(), unit);
            }
            return;
        }
        unit.messages = messages.into_iter().filter(|message| !matches!(message, Message::Disconnect(_))).collect();
        if !unit.messages.is_empty() {
            self.out.encode_block(unit);
        }
    }

    fn see(&mut self, unit: &DecodedBlock<'_>) {
        match unit.block.framing {
            Framing::NetQuake { angles } => self.angles = angles,
            framing => self.time = framing.time().filter(|time| is_sane(*time)).unwrap_or(self.time),
        }
    }
}

fn shift(framing: &mut Framing, by: f32) {
    if let Framing::Packet { time: Stamp::At(time), .. } | Framing::Command { time: Stamp::At(time), .. } | Framing::Sequences { time: Stamp::At(time), .. } =
        framing
    {
        *time = Float::from(time.value() + by);
    }
}

impl Piece {
    /// Follows a message of the part, and decides what to write for it.
    fn take(&mut self, emitted: &mut World, own: &mut SignonState, d: &Dialect, message: &Message, delivery: &Delivery, now: Milliseconds) {
        self.signon.apply(d, message, delivery.target, now);
        let at = self.game.packet_number(d, delivery.sequence);
        self.game.apply(d, message, delivery.target, at);
        let lost = self.game.take_missing().is_some();
        if self.skipping && !is_frame(message) {
            self.messages.push(message.clone());
            return;
        }
        own.apply(d, message, delivery.target, now);
        let full = reencode::reencode_if_base_missing(d, message, at, &self.game, lost, emitted, &mut self.begun);
        self.changed |= full.is_some();
        self.messages.push(full.unwrap_or_else(|| message.clone()));
    }

    fn follow(&mut self, unit: &DecodedBlock<'_>) {
        match unit.block.framing {
            Framing::Sequences { outgoing, .. } => self.outgoing = outgoing,
            Framing::Command { .. } => self.outgoing = self.outgoing.wrapping_add(1),
            _ => {}
        }
    }
}
