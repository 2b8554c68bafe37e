//! One walk through a recording, block by block, with the game as it stands after each.

use std::sync::Arc;

use model::{Damage, DamageKind, Extent, Milliseconds};
use wire::{Error, Limits};

use crate::container::{Block, Container, Framing, Target};
use crate::dialect::Dialect;
use crate::message::is_frame;
use crate::message::{Float, Message};
use crate::state::Game;
use crate::state::seats::Seats;
use crate::walk::blocks::{BlockReader, NextBlock};
use crate::walk::clock::Clock;
use crate::walk::decoder::{Decoder, Item, TargetResolver};
use crate::walk::findings::Findings;
use crate::walk::findings::{broken, no_time, unknown, unplayable};
use crate::walk::input::Input;
use crate::walk::playable;

/// A recording at one place: everything before it has been taken in.
///
/// It is the one loop that all questions and edits go by. Who only wants blocks iterates; who wants each message calls
/// [`next_block`](Self::next_block) and [`play`](Self::play).
#[derive(Debug, Clone)]
pub struct Playback<'a> {
    walk: BlockReader<'a>,
    decoder: Decoder,
    resolver: TargetResolver,
    container: Container,
    limits: Limits,
    /// The game.
    pub game: Game,
    /// The clocks.
    pub clock: Clock,
    /// The view of a client: what he pressed last, or what a NetQuake block is framed with.
    pub view_angles: Option<[f32; 3]>,
    /// What is broken up to here.
    pub findings: Findings,
    /// Whether the server still signs clients on: a multi-view recording shows players there, too.
    pub signing_on: bool,
}

/// A place in a recording that [`Playback::enter`] can go to.
#[derive(Debug, Clone)]
pub(crate) struct SavedPosition {
    walk: BlockReader<'static>,
    dialect: Arc<Dialect>,
    resolver: TargetResolver,
    pub(crate) game: Game,
    clock: Clock,
    view_angles: Option<[f32; 3]>,
    signing_on: bool,
}

/// What a step of a playback was.
#[derive(Debug)]
pub enum Step<'a> {
    /// A block.
    Block(PlayedBlock<'a>),
    /// Bytes that are no block, and why.
    Broken(Error, (u64, u64)),
}

/// A block that was taken in.
#[derive(Debug)]
pub struct PlayedBlock<'a> {
    /// The block.
    pub block: Block<'a>,
    /// Whether it brought a new view of the world or of a player.
    pub is_frame: bool,
    /// What could not be read of it.
    pub error: Option<Error>,
}

/// Where a part of a block's data stands, and the game before it.
pub struct MessageContext<'p> {
    /// The rules by which it was read.
    pub dialect: &'p Dialect,
    /// The game, which [`apply`](Self::apply) takes on.
    pub game: &'p mut Game,
    /// The clocks, with the time that the message states.
    pub clock: &'p Clock,
    /// The block.
    pub block: &'p Block<'p>,
    /// For whom it is, and in which packet.
    pub delivery: Delivery,
    /// The byte of the block's data at which it begins.
    pub at: usize,
    /// Whether engines stop at the message: it does nothing to the game.
    pub refused: bool,
}

/// How a message came.
#[derive(Debug, Clone, Copy, Default)]
pub struct Delivery {
    /// For whom: of a further seat's message in a `.qwd`, the player who sits there.
    pub target: Target,
    /// For which seat of the connection, 0 for all but further ones' messages.
    pub seat: u8,
    /// In which packet, without its reliable bit (`.qwd`).
    pub sequence: u32,
}

impl Delivery {
    /// Takes a message into a game.
    #[inline]
    pub fn apply(&self, game: &mut Game, d: &Dialect, message: &Message) {
        game.apply(d, message, self.target, self.sequence);
    }
}

impl MessageContext<'_> {
    /// Takes a message into the game, unless engines stop at it.
    #[inline]
    pub fn apply(&mut self, message: &Message) {
        if self.refused {
            return;
        }
        self.delivery.apply(self.game, self.dialect, message);
    }

    /// Whether a message brings a new view of the world or of a player: what engines stop at brings none.
    #[inline]
    pub fn brings_frame(&self, message: &Message) -> bool {
        !self.refused && brings_frame(message)
    }
}

/// For who holds a recording that may grow: `bytes` are what there is of it, and `last` says that nothing will follow.
impl Playback<'static> {
    /// As [`next_block`](Self::next_block).
    pub(crate) fn next_block_in<'b>(&mut self, bytes: &'b [u8], last: bool) -> Option<NextBlock<'b>> {
        let mut walk = self.walk.over(bytes, last);
        let step = walk.next();
        self.walk = walk.over(&[], false);
        let step = step?;
        self.begin(&step, walk.length());
        Some(step)
    }

    /// As [`peek`](Self::peek).
    pub(crate) fn peek_in<'b>(&self, bytes: &'b [u8], last: bool) -> Option<Block<'b>> {
        self.walk.over(bytes, last).peek()
    }
}

/// What a server stuffs once everything is said.
const SIGNED_ON: &[u8] = b"skins\n";
/// What a server stuffs before it shows the players that there are.
const SPAWN: &[u8] = b"cmd spawn ";

impl<'a> Playback<'a> {
    /// From the start. Bodies and entities are followed only where `bodies` asks for them.
    pub fn new(input: &Input<'a>, bodies: bool) -> Self {
        let container = input.container;
        Playback {
            walk: input.block_reader(),
            decoder: if bodies { Decoder::new(container) } else { Decoder::skimming(container) },
            resolver: TargetResolver::default(),
            container,
            limits: input.limits,
            game: if bodies { Game::default() } else { Game::without_bodies() },
            clock: Clock::default(),
            view_angles: None,
            findings: Findings::default(),
            signing_on: false,
        }
    }

    /// The rules in force after the last block.
    pub fn dialect(&self) -> &Dialect {
        &self.decoder.dialect
    }

    /// Whom a block is for that was taken in last, with "as the block before" resolved.
    pub fn addressed(&self, target: Target) -> Target {
        self.resolver.clone().resolve(target)
    }

    /// What decodes the next block.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The next block, without going on to it.
    pub fn peek(&self) -> Option<Block<'a>> {
        self.walk.peek()
    }

    /// Where the next block starts.
    pub fn offset(&self) -> u64 {
        self.walk.offset()
    }

    /// The place where it is, with the game as it is.
    pub(crate) fn position(&self) -> SavedPosition {
        SavedPosition {
            walk: self.walk.over(&[], true),
            dialect: self.decoder.dialect.clone(),
            resolver: self.resolver,
            game: self.game.clone(),
            clock: self.clock.clone(),
            view_angles: self.view_angles,
            signing_on: self.signing_on,
        }
    }

    /// Goes to a place of the same recording, whose game was packed.
    pub(crate) fn restore(&mut self, position: &SavedPosition, bytes: &'a [u8]) {
        self.walk = position.walk.over(bytes, self.walk.is_last());
        self.decoder.adopt(position.dialect.clone());
        self.resolver = position.resolver;
        let wanted = std::mem::replace(&mut self.game, position.game.unpacked()).bodies_wanted;
        self.game.bodies_wanted = wanted;
        self.clock = position.clock.clone();
        (self.view_angles, self.signing_on) = (position.view_angles, position.signing_on);
    }

    /// The same over the recording as it is now: the bytes from its start, of which those that were there are the first. `last` says
    /// that it is complete; until then a block that is not waits.
    pub fn resume<'b>(self, bytes: &'b [u8], last: bool) -> Playback<'b> {
        Playback {
            walk: self.walk.over(bytes, last),
            decoder: self.decoder,
            resolver: self.resolver,
            container: self.container,
            limits: self.limits,
            game: self.game,
            clock: self.clock,
            view_angles: self.view_angles,
            findings: self.findings,
            signing_on: self.signing_on,
        }
    }

    /// Whether it is a server's recording of all players.
    pub fn is_multi_view(&self) -> bool {
        self.container == Container::MultiView
    }

    /// Whether another block follows, or none ever will.
    pub fn has_lookahead(&self) -> bool {
        self.walk.is_last() || self.peek().is_some()
    }

    /// Whether the next block is of the same moment on the recording's clock.
    pub fn same_time_as_next(&self) -> bool {
        self.peek().is_some_and(|block| self.clock.is_same_demo_time(&block.framing))
    }

    /// Whether the next block is later than a time on the recording's clock.
    pub(crate) fn next_is_after(&self, time: Milliseconds) -> bool {
        self.peek().is_some_and(|block| {
            let mut next = self.clock.clone();
            next.block(&block.framing);
            next.demo > time
        })
    }

    /// Takes in blocks up to the next one that brings a frame, past everything that cannot be read.
    pub fn next_frame(&mut self) -> Option<Block<'a>> {
        loop {
            if let Step::Block(PlayedBlock { block, is_frame: true, .. }) = self.next()? {
                return Some(block);
            }
        }
    }

    /// The next block, whose data [`play`](Self::play) takes in. The clocks have its time.
    #[inline]
    pub fn next_block(&mut self) -> Option<NextBlock<'a>> {
        let step = self.walk.next()?;
        self.begin(&step, self.walk.length());
        Some(step)
    }

    #[inline]
    fn begin(&mut self, step: &NextBlock<'_>, length: usize) {
        match step {
            NextBlock::Broken(error, (from, to)) => self.find(Some(Extent { from: *from, to: *to }), || broken(error, *to, length)),
            NextBlock::Block(block) => {
                self.clock.block(&block.framing);
                if let Framing::NetQuake { angles } | Framing::Command { angles, .. } = &block.framing {
                    self.view_angles = Some(angles.map(Float::value));
                }
                if let Some(why) = playable::stop_at_framing(&block.framing) {
                    self.find(None, || no_time(why, block));
                }
            }
        }
    }

    /// Takes in a block's data. `show` gets each part of it, and lets messages happen by [`MessageContext::apply`]. After an error,
    /// everything before it has been shown.
    #[inline]
    pub fn play(&mut self, block: &Block<'_>, mut show: impl FnMut(&mut MessageContext<'_>, Item<'_>)) -> Result<(), Error> {
        let Some(target) = target_of(&block.framing) else { return Ok(()) };
        let whole = Delivery { target: self.resolver.resolve(target), ..Delivery::default() };
        let mut delivery = whole;
        let (mut stop, mut nameless) = (None, None);
        let multi_view = self.is_multi_view();
        let (clock, game, signing_on) = (&mut self.clock, &mut self.game, &mut self.signing_on);
        let seats = &mut self.resolver.seats;
        let result = self.decoder.decode(block, |dialect, item, at| {
            let mut refused = false;
            match &item {
                Item::Header(header) => delivery.sequence = header.sequence & 0x7fff_ffff,
                Item::Message(message) => {
                    if let Some(why) = playable::stop_at_message(dialect, message, game.level.max_clients) {
                        refused = true;
                        stop.get_or_insert((why, at));
                    } else {
                        clock.message(message);
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
        let rest = |from| Some(Extent { from, to: block.end() });
        if let Some((why, at)) = stop {
            self.find(None, || unplayable(why, at, block));
        }
        if let Some((number, at)) = nameless {
            self.find(rest(block.data_offset + at as u64), || unknown(number, at, block));
        }
        if let Err(error) = &result {
            self.find(rest(error.offset().unwrap_or(block.data_offset)), || Damage::of(error, DamageKind::Message));
        }
        result
    }

    fn find(&mut self, skipped: Option<Extent>, damage: impl FnOnce() -> Damage) {
        self.findings.add(skipped, damage, &self.limits);
    }
}

impl<'a> Iterator for Playback<'a> {
    type Item = Step<'a>;

    /// Takes in the next block.
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

/// Whether a message brings a new view of the world or of a player.
#[inline]
pub fn brings_frame(message: &Message) -> bool {
    is_frame(message) || matches!(message, Message::ViewPlayer(_))
}

/// For whom a block's messages are; `None` for one without messages.
pub fn target_of(framing: &Framing) -> Option<Target> {
    match framing {
        Framing::NetQuake { .. } => Some(Target::default()),
        Framing::Packet { target, .. } => Some(*target),
        _ => None,
    }
}

/// Whether a server still signs clients on after a message. `known` says that it has stated its level: without that, the signon begins where it
/// asks clients to spawn.
fn is_signing_on_after(before: bool, message: &Message, known: bool) -> bool {
    match message {
        Message::ServerData(_) | Message::ServerInfo(_) => true,
        Message::StuffText(m) if !known && m.text.bytes().starts_with(SPAWN) => true,
        Message::StuffText(m) => before && m.text.bytes() != SIGNED_ON,
        _ => before && !is_frame(message),
    }
}
