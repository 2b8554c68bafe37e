//! One walk through a recording, block by block, with the game after each.

use std::sync::Arc;

use fragreel_base::wire::{Chunk, Error, Limits};
use fragreel_model::{Damage, DamageKind, Extent, Milliseconds};

use crate::container::{Block, Container, Framing, Target};
use crate::dialect::Dialect;
use crate::message::hot_path::Unasked;
use crate::message::is_frame;
use crate::message::{Float, Message, PacketHeader};
use crate::state::Game;
use crate::state::seats::Seats;
use crate::walk::blocks::{BlockReader, NextBlock};
use crate::walk::clock::Clock;
use crate::walk::decoder::{Decoder, Item, TargetResolver};
use crate::walk::findings::Findings;
use crate::walk::findings::{broken, contradicted, no_time, unknown, unplayable};
use crate::walk::input::Input;
use crate::walk::playable;

/// A position in a recording. Everything before it has been applied to the game.
///
/// All questions and edits use this one loop. To get blocks, iterate. To get each message, call
/// [`next_block`](Self::next_block) and [`play`](Self::play).
#[derive(Debug, Clone)]
pub struct Playback<'a> {
    walk: BlockReader<'a>,
    decoder: Decoder,
    resolver: TargetResolver,
    container: Container,
    limits: Limits,
    /// The game after the last message.
    pub game: Game,
    /// The clocks after the last message.
    pub clock: Clock,
    /// The view angles of the recording client, from its last user command or from a NetQuake block's framing.
    pub view_angles: Option<[f32; 3]>,
    /// Damage found so far.
    pub findings: Findings,
    /// True during signon. MVDs already contain players at this point.
    pub signing_on: bool,
    /// The numbers of received packets (`.qwd`).
    received: Received,
    /// True since damage until the game is stated in full again.
    pub uncertain: bool,
    /// True if [`play`](Self::play) shows the messages of dropped packets, too.
    shows_dropped: bool,
    /// True if only players are followed, not other entities.
    players_only: bool,
    /// True if quiet blocks are read as all others.
    reads_quiet: bool,
}

/// A position that [`Playback::restore`] can return to.
#[derive(Debug, Clone)]
pub(crate) struct SavedPosition {
    walk: BlockReader<'static>,
    dialect: Arc<Dialect>,
    resolver: TargetResolver,
    /// The game.
    pub game: Game,
    clock: Clock,
    view_angles: Option<[f32; 3]>,
    signing_on: bool,
    received: Received,
    uncertain: bool,
}

/// Blocks that were passed over.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PassedBlocks {
    /// How many.
    pub blocks: u32,
    /// The time of the last frame among them, on the demo clock.
    pub frame: Option<Milliseconds>,
}

/// A step of a playback.
#[derive(Debug)]
pub enum Step<'a> {
    /// A block.
    Block(PlayedBlock<'a>),
    /// Bytes outside of any block: the error, and their range.
    Broken(Error, (u64, u64)),
}

/// A block that has been applied.
#[derive(Debug)]
pub struct PlayedBlock<'a> {
    /// The block.
    pub block: Block<'a>,
    /// True if it updated the world or a player.
    pub is_frame: bool,
    /// The error at which decoding stopped.
    pub error: Option<Error>,
}

/// A part of a block's data in context: its position, and the game before it.
pub struct MessageContext<'p> {
    /// The dialect it was read in.
    pub dialect: &'p Dialect,
    /// The game before the message. [`apply`](Self::apply) changes it.
    pub game: &'p mut Game,
    /// The clocks, including a time that the message states.
    pub clock: &'p Clock,
    /// The block.
    pub block: &'p Block<'p>,
    /// The addressee and the packet.
    pub delivery: Delivery,
    /// Its first byte within the block's data.
    pub at: usize,
    /// True if engines stop at the message, or drop its packet. It does not change the game then.
    pub refused: bool,
}

/// The addressee and the packet of a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Delivery {
    /// The addressee. For an extra seat of a `.qwd`, the player at that seat.
    pub target: Target,
    /// The seat of the connection: 0 except for messages to extra seats.
    pub seat: u8,
    /// The packet's sequence number without the reliable bit (`.qwd`).
    pub sequence: u32,
    /// True if clients drop the packet: it came late, or twice (`.qwd`). It does not change the game then.
    pub dropped: bool,
}

impl Delivery {
    /// Applies a message to a game.
    #[inline]
    pub(crate) fn apply(&self, game: &mut Game, d: &Dialect, message: &Message) {
        if self.dropped {
            return;
        }
        game.apply(d, message, self.target, self.sequence);
    }
}

impl MessageContext<'_> {
    /// Applies a message to the game, unless engines stop at it.
    #[inline]
    pub(crate) fn apply(&mut self, message: &Message) {
        if self.refused {
            return;
        }
        self.delivery.apply(self.game, self.dialect, message);
    }

    /// True if a message updates the world or a player. Messages that engines stop at do not.
    #[inline]
    pub(crate) fn brings_frame(&self, message: &Message) -> bool {
        !self.refused && brings_frame(message)
    }
}

/// For recordings that are still being written. `bytes` is the file so far. Set `last` once no more bytes will arrive.
impl Playback<'static> {
    /// Like [`next_block`](Self::next_block).
    pub fn next_block_in<'b>(&mut self, bytes: &'b [u8], last: bool) -> Option<NextBlock<'b>> {
        let mut walk = self.walk.over(Chunk::growing(bytes, last));
        let decoder = &self.decoder;
        let step = walk.next_read(|block| decoder.reads(block));
        self.walk = walk.over(Chunk::none());
        let step = step?;
        self.begin(&step, bytes.len());
        Some(step)
    }

    /// Like [`peek`](Self::peek).
    pub fn peek_in<'b>(&self, bytes: &'b [u8], last: bool) -> Option<Block<'b>> {
        self.walk.over(Chunk::growing(bytes, last)).peek()
    }
}

/// The command that ends a signon.
const SIGNED_ON: &[u8] = b"skins\n";
/// The command with which a server asks clients to spawn.
const SPAWN: &[u8] = b"cmd spawn ";

impl<'a> Playback<'a> {
    /// Starts at the first block. `bodies` says whether to follow players and entities.
    pub fn new(input: &Input<'a>, bodies: bool) -> Self {
        let container = input.container;
        let mut decoder = if bodies { Decoder::new(container) } else { Decoder::skimming(container) };
        if input.start_lost {
            decoder.adopt(Arc::new(input.dialect.clone()));
        }
        Playback {
            walk: input.block_reader(),
            decoder,
            resolver: TargetResolver::default(),
            container,
            limits: input.limits,
            game: if bodies { Game::default() } else { Game::without_bodies() },
            clock: Clock::default(),
            view_angles: None,
            findings: Findings::default(),
            signing_on: false,
            received: Received::default(),
            uncertain: false,
            shows_dropped: false,
            players_only: false,
            reads_quiet: false,
        }
    }

    /// Follows players only. Other entities stay unknown, or as they were.
    pub(crate) fn of_players(self) -> Self {
        Playback { players_only: true, ..self }
    }

    /// Shows the messages of dropped packets, too. They are marked, and do not change the game.
    pub(crate) fn with_dropped(self) -> Self {
        Playback { shows_dropped: true, ..self }
    }

    /// Reads quiet blocks as all others: for tests of [`pass_quiet`](Self::pass_quiet).
    pub(crate) fn with_quiet(self) -> Self {
        Playback { reads_quiet: true, ..self }
    }

    /// The dialect after the last block.
    pub fn dialect(&self) -> &Dialect {
        &self.decoder.dialect
    }

    /// The addressee of the last block, with "same as before" resolved.
    pub fn addressed(&self, target: Target) -> Target {
        self.resolver.clone().resolve(target)
    }

    /// True if later frames need no entities of this one: NetQuake's updates start from baselines.
    pub(crate) fn frames_stand_alone(&self) -> bool {
        let d = self.dialect();
        d.known && d.is_netquake() && !d.replacement()
    }

    /// Whether to only measure entities from now on, where a frame [stands alone](Self::frames_stand_alone).
    pub(crate) fn set_skim(&mut self, skim: bool) {
        self.decoder.set_skim(skim);
    }

    /// The decoder for the next block.
    pub(crate) fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The next block, without advancing.
    pub(crate) fn peek(&self) -> Option<Block<'a>> {
        self.walk.peek()
    }

    /// The bytes that it plays.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.walk.chunk()
    }

    /// The byte at which the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.walk.offset()
    }

    /// The number of the next block.
    pub(crate) fn next_number(&self) -> u32 {
        self.walk.next_number()
    }

    /// The current position and game.
    pub(crate) fn position(&self) -> SavedPosition {
        SavedPosition {
            walk: self.walk.over(Chunk::none()),
            dialect: self.decoder.dialect.clone(),
            resolver: self.resolver,
            game: self.game.clone(),
            clock: self.clock.clone(),
            view_angles: self.view_angles,
            signing_on: self.signing_on,
            received: self.received,
            uncertain: self.uncertain,
        }
    }

    /// Returns to a position of the same recording. Its game may be packed.
    pub(crate) fn restore(&mut self, position: &SavedPosition, bytes: &'a [u8]) {
        self.walk = position.walk.over(Chunk::growing(bytes, self.walk.chunk().is_last()));
        self.decoder.adopt(position.dialect.clone());
        self.resolver = position.resolver;
        let wanted = std::mem::replace(&mut self.game, position.game.unpacked()).bodies_wanted;
        self.game.bodies_wanted = wanted;
        self.clock = position.clock.clone();
        (self.view_angles, self.signing_on, self.received) = (position.view_angles, position.signing_on, position.received);
        self.uncertain = position.uncertain;
    }

    /// Continues over a recording that has grown to `bytes`. Set `last` once no more bytes will arrive;
    /// until then an incomplete last block is not read.
    pub fn resume<'b>(self, bytes: &'b [u8], last: bool) -> Playback<'b> {
        self.over(Chunk::growing(bytes, last))
    }

    /// Continues over another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> Playback<'b> {
        Playback {
            walk: self.walk.over(chunk),
            decoder: self.decoder,
            resolver: self.resolver,
            container: self.container,
            limits: self.limits,
            game: self.game,
            clock: self.clock,
            view_angles: self.view_angles,
            findings: self.findings,
            signing_on: self.signing_on,
            received: self.received,
            uncertain: self.uncertain,
            shows_dropped: self.shows_dropped,
            players_only: self.players_only,
            reads_quiet: self.reads_quiet,
        }
    }

    /// True for a multi-view recording.
    pub(crate) fn is_multi_view(&self) -> bool {
        self.container == Container::MultiView
    }

    /// True if the next block is known, or known not to exist.
    pub(crate) fn has_lookahead(&self) -> bool {
        self.walk.has_lookahead()
    }

    /// True if the next block has the same time on the demo clock.
    pub(crate) fn same_time_as_next(&self) -> bool {
        self.peek().is_some_and(|block| block.contradicted || block.late || self.clock.is_same_demo_time(&block.framing))
    }

    /// True if the next block is later than a time on the demo clock.
    pub(crate) fn next_is_after(&self, time: Milliseconds) -> bool {
        self.peek().is_some_and(|block| {
            let mut next = self.clock.clone();
            next.block(&block.framing, block.contradicted || block.late);
            next.demo > time
        })
    }

    /// Applies blocks up to and including the next frame. Skips what cannot be read.
    pub(crate) fn next_frame(&mut self) -> Option<Block<'a>> {
        loop {
            if let Step::Block(PlayedBlock { block, is_frame: true, .. }) = self.next()? {
                return Some(block);
            }
        }
    }

    /// Reads the next block and sets the clocks to its time. [`play`](Self::play) applies its data.
    #[inline]
    pub(crate) fn next_block(&mut self) -> Option<NextBlock<'a>> {
        let decoder = &self.decoder;
        let step = self.walk.next_read(|block| decoder.reads(block))?;
        self.begin(&step, self.chunk().end());
        Some(step)
    }

    /// Passes over quiet blocks (`QuietBlocks`), which change nothing but the clocks and the number of frames. A caller whose state depends on single blocks
    /// or frames does not call it.
    pub(crate) fn pass_quiet(&mut self, unasked: Unasked) -> PassedBlocks {
        let mut passed = PassedBlocks::default();
        // these follow messages that are quiet otherwise
        if self.signing_on || self.uncertain || self.reads_quiet || self.shows_dropped || !self.is_multi_view() {
            return passed;
        }
        let Some(quiet) = self.decoder.quiet_blocks(unasked) else { return passed };
        let (mut resolver, mut after, mut frames) = (self.resolver, 0, 0);
        let (roster, before) = (&mut self.game.roster, self.clock.demo);
        self.walk.pass_while(|delay, target, data, length| {
            let measured = if target.is_nobody() { None } else { quiet.frames(data, length) };
            let Some((brought, has_connections)) = measured else { return false };
            if has_connections {
                quiet.connections(data, length, |connection| roster.connection(connection));
            }
            resolver.resolve(target);
            after += i64::from(delay);
            passed.blocks += 1;
            if brought > 0 {
                frames += brought;
                passed.frame = Some(before + Milliseconds(after));
            }
            true
        });
        self.resolver = resolver;
        if passed.blocks > 0 {
            self.clock.pass(after);
            self.game.frames += u64::from(frames);
        }
        passed
    }

    #[inline]
    fn begin(&mut self, step: &NextBlock<'_>, length: usize) {
        match step {
            NextBlock::Broken(error, (from, to)) => {
                self.uncertain = true;
                self.find(Some(Extent { from: *from, to: *to }), || broken(error, *to, length));
            }
            NextBlock::Block(block) => {
                self.clock.block(&block.framing, block.contradicted || block.late);
                if let Framing::Sequences { incoming, .. } = block.framing {
                    self.received.set(incoming);
                }
                if let Framing::NetQuake { angles } | Framing::Command { angles, .. } = &block.framing {
                    self.view_angles = Some(angles.map(Float::value));
                }
                if let Some(why) = playable::stop_at_framing(&block.framing) {
                    self.find(None, || no_time(why, block));
                } else if block.contradicted {
                    self.find(None, || contradicted(block));
                }
            }
        }
    }

    /// The last packet of the client that the server had (`.qwd`).
    pub(crate) fn acknowledged(&self) -> Option<u32> {
        self.received.acknowledged
    }

    /// Decodes a block's data. Calls `show` with each part; `show` applies messages with [`MessageContext::apply`]. Parts before
    /// an error have been shown.
    #[inline]
    pub fn play(&mut self, block: &Block<'_>, mut show: impl FnMut(&mut MessageContext<'_>, Item<'_>)) -> Result<(), Error> {
        let Some(target) = target_of(&block.framing) else { return Ok(()) };
        let whole = Delivery { target: self.resolver.resolve(target), ..Delivery::default() };
        let mut delivery = whole;
        let (mut stop, mut nameless) = (None, None);
        let multi_view = self.is_multi_view();
        if self.players_only {
            self.decoder.set_players(self.game.players_alone(&self.decoder.dialect));
        }
        let (clock, game, signing_on) = (&mut self.clock, &mut self.game, &mut self.signing_on);
        let (seats, received, uncertain, shows_dropped) = (&mut self.resolver.seats, &mut self.received, &mut self.uncertain, self.shows_dropped);
        let result = self.decoder.decode(block, |dialect, item, at| {
            let mut refused = false;
            match &item {
                Item::Header(header) => {
                    delivery.sequence = header.sequence & 0x7fff_ffff;
                    delivery.dropped = received.drops(*header, block.data);
                }
                Item::Message(_) | Item::Opaque(_) | Item::Hidden(_) if delivery.dropped => {
                    if shows_dropped {
                        show(&mut MessageContext { dialect, game, clock, block, delivery, at, refused: true }, item);
                    }
                    return;
                }
                Item::Message(message) => {
                    if let Some(why) = playable::stop_at_message(dialect, message, game.level.max_clients) {
                        refused = true;
                        stop.get_or_insert((why, at));
                    } else if !matches!(message, Message::FastUpdate(_)) {
                        // updates are most of NetQuake's messages, and say nothing of this
                        match message {
                            Message::UpdateEntities(m) if !dialect.replacement() => clock.guessed_update(message, Float(m.update.time)),
                            message => clock.message(message),
                        }
                        *uncertain &= !states_in_full(message);
                        if multi_view {
                            *signing_on = is_signing_on_after(*signing_on, message, dialect.known);
                        }
                    }
                    if let Message::Unknown(m) = message {
                        nameless = Some((m.number, at));
                    }
                }
                Item::Hidden(_) | Item::Opaque(_) => {}
            }
            let reseated = match &item {
                Item::Message(message) if Seats::concerns(message) => Some(seats.follow(message, whole.target, multi_view)),
                Item::Message(_) if delivery.seat > 0 => Some((0, whole.target)),
                _ => None,
            };
            show(&mut MessageContext { dialect, game, clock, block, delivery, at, refused }, item);
            if let Some(reseated) = reseated {
                (delivery.seat, delivery.target) = reseated;
            }
        });
        self.note_damage(block, stop, nameless, result.as_ref().err());
        result
    }

    /// Notes a message at which engines stop, one with an unknown number, and the error at which decoding stopped. The first two come with
    /// their positions.
    fn note_damage(&mut self, block: &Block<'_>, stop: Option<(String, usize)>, nameless: Option<(u8, usize)>, error: Option<&Error>) {
        let rest = |from| Some(Extent { from, to: block.end() });
        if let Some((why, at)) = stop {
            self.find(None, || unplayable(why, at, block));
        }
        if let Some((number, at)) = nameless {
            self.find(rest(block.data_offset + at as u64), || unknown(number, at, block));
        }
        if let Some(error) = error {
            self.uncertain = true;
            self.find(rest(error.offset().unwrap_or(block.data_offset)), || Damage::of(error, DamageKind::Message));
        }
    }

    fn find(&mut self, skipped: Option<Extent>, damage: impl FnOnce() -> Damage) {
        self.findings.add(skipped, damage, &self.limits);
    }
}

impl<'a> Iterator for Playback<'a> {
    type Item = Step<'a>;

    /// Applies the next block.
    fn next(&mut self) -> Option<Step<'a>> {
        let block = match self.next_block()? {
            NextBlock::Block(block) => block,
            NextBlock::Broken(error, skipped) => return Some(Step::Broken(error, skipped)),
        };
        let mut framed = false;
        let result = self.play(&block, |context, item| {
            if let Item::Message(message) = item {
                context.apply(message);
                framed |= context.brings_frame(message);
            }
        });
        Some(Step::Block(PlayedBlock { block, is_frame: framed && !self.signing_on, error: result.err() }))
    }
}

/// The numbers of received packets. Clients drop a packet with a number that is not above the last, while playing a recording, too.
#[derive(Debug, Clone, Copy, Default)]
struct Received {
    last: Option<u32>,
    /// The last packet of the client that the server had, by the last header.
    acknowledged: Option<u32>,
}

/// A number that falls further belongs to another connection, or to a damaged header.
const LATEST: u32 = 64;

impl Received {
    /// Follows the recorder's statement of the last number.
    fn set(&mut self, incoming: u32) {
        self.last = Some(incoming & 0x7fff_ffff);
    }

    /// Follows a packet. Returns true if clients drop it.
    fn drops(&mut self, header: PacketHeader, data: &[u8]) -> bool {
        if header.is_connectionless() {
            // a server that accepts a client starts to count
            if data.get(4) == Some(&ACCEPTED) {
                self.last = None;
            }
            return false;
        }
        let sequence = header.sequence & 0x7fff_ffff;
        // recorders number their signon from 1
        let is_late = |last: u32| sequence <= last && last - sequence < LATEST && (sequence > 1 || last == sequence);
        if self.last.is_some_and(is_late) {
            return true;
        }
        self.last = Some(sequence);
        self.acknowledged = Some(header.acknowledged & 0x7fff_ffff);
        false
    }
}

/// The connectionless reply to a client that may connect.
const ACCEPTED: u8 = b'j';

/// True if a message updates the world or a player.
#[inline]
pub(crate) fn brings_frame(message: &Message) -> bool {
    is_frame(message) || matches!(message, Message::ViewPlayer(_))
}

/// True if a message states the level, or all entities without a base.
fn states_in_full(message: &Message) -> bool {
    matches!(message, Message::ServerData(_) | Message::ServerInfo(_) | Message::PacketEntities(_) | Message::ClientData(_))
}

/// The addressee of a block's messages; `None` for a block without messages.
pub fn target_of(framing: &Framing) -> Option<Target> {
    match framing {
        Framing::NetQuake { .. } => Some(Target::default()),
        Framing::Packet { target, .. } => Some(*target),
        _ => None,
    }
}

/// Whether the signon continues after a message. `known` says that the server has stated its level; otherwise the signon begins
/// where the server asks clients to spawn.
fn is_signing_on_after(before: bool, message: &Message, known: bool) -> bool {
    match message {
        Message::ServerData(_) | Message::ServerInfo(_) => true,
        Message::StuffText(m) if !known && m.text.bytes().starts_with(SPAWN) => true,
        Message::StuffText(m) => before && m.text.bytes() != SIGNED_ON,
        _ => before && !is_frame(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_blocks_are_quiet() {
        let unasked = Unasked { stats: true, center_prints: true, low_prints: false, chat: true };
        let names = ["quake1/ktx_duel.mvd", "quake1/qw_match.mvd"];
        let samples = fragreel_testkit::samples("quake1").into_iter().filter(|sample| names.contains(&&*sample.name));
        assert_eq!(samples.map(|sample| most_are_quiet(&sample.bytes(), unasked)).collect::<Vec<_>>(), [true, true]);
    }

    fn most_are_quiet(bytes: &[u8], unasked: Unasked) -> bool {
        let input = Input::open(bytes, Some("mvd"), Limits::default()).unwrap();
        let (mut playback, mut passed, mut read) = (Playback::new(&input, false), 0, 0);
        loop {
            passed += playback.pass_quiet(unasked).blocks;
            if playback.next().is_none() {
                return passed > 2 * read;
            }
            read += 1;
        }
    }
}
