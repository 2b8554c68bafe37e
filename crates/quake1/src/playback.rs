//! One walk through a recording, block by block, with the game as it stands after each.

use wire::Error;

use crate::Recording;
use crate::clock::Clock;
use crate::container::{Block, Container, Framing};
use crate::dialect::Dialect;
use crate::events::target_of;
use crate::message::{Float, Message, MessageKind};
use crate::recording::is_frame;
use crate::state::Game;
use crate::walk::{Addressee, Decoder, Item, Step, Walk};

/// A recording at one place: everything before it has been taken in.
#[derive(Debug, Clone)]
pub struct Playback<'a> {
    walk: Walk<'a>,
    decoder: Decoder,
    addressee: Addressee,
    container: Container,
    /// The game.
    pub game: Game,
    /// The clocks.
    pub clock: Clock,
    /// The view of a client: what he pressed last, or what a NetQuake block is framed with.
    pub view_angles: Option<[f32; 3]>,
    /// Whether the server still signs clients on: a multi-view recording shows players there, too.
    signing_on: bool,
}

/// What a step of a playback was.
#[derive(Debug)]
pub enum Beat<'a> {
    /// A block.
    Block(Played<'a>),
    /// Bytes that are no block, and why.
    Broken(Error, (u64, u64)),
}

/// A block that was taken in.
#[derive(Debug)]
pub struct Played<'a> {
    /// The block.
    pub block: Block<'a>,
    /// Whether it brought a new view of the world or of a player.
    pub is_frame: bool,
    /// What could not be read of it.
    pub error: Option<Error>,
}

/// What a server stuffs once everything is said.
const SIGNED_ON: &[u8] = b"skins\n";

impl<'a> Playback<'a> {
    /// From the start. Bodies and entities are followed only where `bodies` asks for them.
    pub fn new(recording: &Recording<'a>, bodies: bool) -> Self {
        let container = recording.container();
        Playback {
            walk: recording.walk(),
            decoder: if bodies { Decoder::new(container) } else { Decoder::skimming(container) },
            addressee: Addressee::default(),
            container,
            game: if bodies { Game::default() } else { Game::without_bodies() },
            clock: Clock::default(),
            view_angles: None,
            signing_on: false,
        }
    }

    /// The rules in force after the last block.
    pub fn dialect(&self) -> &Dialect {
        &self.decoder.dialect
    }

    /// Whether the next block is of the same moment on the recording's clock.
    pub fn lingers(&self) -> bool {
        matches!(self.walk.clone().next(), Some(Step::Block(block)) if self.clock.lingers_here(&block.framing))
    }

    /// Takes in blocks up to the next one that brings a frame, past everything that cannot be read.
    pub fn next_frame(&mut self) -> Option<Block<'a>> {
        loop {
            if let Beat::Block(Played { block, is_frame: true, .. }) = self.next()? {
                return Some(block);
            }
        }
    }
}

impl<'a> Iterator for Playback<'a> {
    type Item = Beat<'a>;

    /// Takes in the next block.
    fn next(&mut self) -> Option<Beat<'a>> {
        let block = match self.walk.next()? {
            Step::Block(block) => block,
            Step::Broken(error, skipped) => return Some(Beat::Broken(error, skipped)),
        };
        self.clock.block(&block.framing);
        match &block.framing {
            Framing::NetQuake { angles } | Framing::Command { angles, .. } => self.view_angles = Some(angles.map(Float::value)),
            _ => {}
        }
        let Some(target) = target_of(&block.framing) else { return Some(Beat::Block(Played { block, is_frame: false, error: None })) };
        let target = self.addressee.resolve(target);
        let (mut sequence, mut framed) = (0, false);
        let (clock, game, signing_on) = (&mut self.clock, &mut self.game, &mut self.signing_on);
        let multi_view = self.container == Container::MultiView;
        let result = self.decoder.decode(&block, |d, item, _| match item {
            Item::Header(header) => sequence = header.sequence & 0x7fff_ffff,
            Item::Message(message) => {
                clock.message(message);
                game.apply(d, message, target, sequence);
                *signing_on = multi_view && still_signing_on(*signing_on, message);
                framed |= is_frame(message) || matches!(message, Message::ViewPlayer(_));
            }
            Item::Hidden(_) | Item::Opaque(_) => {}
        });
        Some(Beat::Block(Played { block, is_frame: framed && !self.signing_on, error: result.err() }))
    }
}

/// Whether a server still signs clients on after a message.
pub fn still_signing_on(before: bool, message: &Message) -> bool {
    match message.kind() {
        MessageKind::ServerData | MessageKind::ServerInfo => true,
        _ => before && !(is_frame(message) || matches!(message, Message::StuffText(m) if m.text.bytes() == SIGNED_ON)),
    }
}
