//! Decodes the messages of a block without an allocation per message.

use std::sync::Arc;

use fragreel_base::wire::{Error, ReadBytes, Wire};

use crate::container::{Block, Container, Framing, Target, kind};
use crate::dialect::Dialect;
use crate::message::hidden::HiddenBlocks;
use crate::message::hot_path::{FastReader, QuietBlocks, Unasked};
use crate::message::{Body, Message, MessageKind, PacketHeader, body_of, end_of_recording};
use crate::state::seats::Seats;

/// A part of a block's data.
#[derive(Debug)]
pub enum Item<'m> {
    /// The netchan header.
    Header(PacketHeader),
    /// A message.
    Message(&'m Message),
    /// Hidden blocks of a multi-view recording.
    Hidden(&'m HiddenBlocks),
    /// Undecoded bytes: a packet outside of any connection, or a dialect that is recognized but not supported.
    Opaque(&'m [u8]),
}

/// Decodes consecutive blocks. Messages that change the dialect change it for later blocks.
#[derive(Debug, Clone)]
pub struct Decoder {
    /// The current dialect.
    pub dialect: Arc<Dialect>,
    container: Container,
    /// One message per kind, reused.
    slots: Vec<Message>,
    hidden: HiddenBlocks,
    fast: FastReader,
}

/// Resolves the addressee "same as before", and follows the seats of the connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TargetResolver {
    last: Target,
    pub seats: Seats,
}

impl TargetResolver {
    /// The target of the next block, with "same as before" resolved.
    pub(crate) fn resolve(&mut self, target: Target) -> Target {
        if target.kind != kind::READ {
            self.last = target;
        }
        self.last
    }
}

impl Decoder {
    /// A decoder that knows nothing yet.
    pub fn new(container: Container) -> Self {
        let slots = MessageKind::ALL.iter().map(|kind| kind.empty()).collect();
        Decoder { dialect: Arc::new(Dialect::new(container.stream())), container, slots, hidden: HiddenBlocks::default(), fast: FastReader::new(false) }
    }

    /// A decoder that only measures messages about entities and players, for callers that do not need them.
    pub(crate) fn skimming(container: Container) -> Self {
        Decoder { fast: FastReader::new(true), ..Self::new(container) }
    }

    /// Whether to only measure messages about entities and players from now on.
    pub(crate) fn set_skim(&mut self, skim: bool) {
        self.fast.set_skim(skim);
    }

    /// Whether to follow no entities but this number of players from now on.
    pub(crate) fn set_players(&mut self, players: Option<u8>) {
        self.fast.set_players(players);
    }

    /// Continues in another dialect.
    pub(crate) fn adopt(&mut self, dialect: Arc<Dialect>) {
        self.dialect = dialect;
        self.fast.clear();
    }

    /// What measures quiet blocks of the current dialect, if such blocks need not be read.
    pub(crate) fn quiet_blocks(&mut self, unasked: Unasked) -> Option<Arc<QuietBlocks>> {
        self.fast.quiet_blocks(&self.dialect, unasked)
    }

    /// True if a block holds hidden blocks instead of messages.
    pub(crate) fn is_hidden(&self, framing: &Framing) -> bool {
        let nobody = matches!(framing, Framing::Packet { target, .. } if target.is_nobody());
        nobody && self.dialect.has_mvd1(crate::dialect::mvd1::HIDDEN_MESSAGES)
    }

    /// True if packets of this container start with a netchan header.
    pub fn has_header(&self) -> bool {
        self.container == Container::QuakeWorld
    }

    /// True if a block's data decodes to its end.
    #[cold]
    pub(crate) fn reads(&self, block: &Block<'_>) -> bool {
        let mut reader = Decoder { dialect: self.dialect.clone(), ..Self::skimming(self.container) };
        let mut known = true;
        let read = reader.decode(block, |_, item, _| known &= !matches!(item, Item::Message(Message::Unknown(_))));
        known && read.is_ok()
    }

    /// Decodes a block's data. Calls `show` with each part and the byte at which it starts. Parts before an error
    /// have been shown.
    #[inline]
    pub fn decode(&mut self, block: &Block<'_>, mut show: impl FnMut(&Dialect, Item<'_>, usize)) -> Result<(), Error> {
        if !matches!(block.framing, Framing::NetQuake { .. } | Framing::Packet { .. }) {
            return Ok(());
        }
        self.data(block, &mut show).map_err(|error| error.in_message_at(block.data_offset).inside("block", Some(block.number)))
    }

    #[inline]
    fn data(&mut self, block: &Block<'_>, show: &mut impl FnMut(&Dialect, Item<'_>, usize)) -> Result<(), Error> {
        let mut r = ReadBytes::new(block.data);
        if self.is_hidden(&block.framing) {
            self.hidden.expect_length(block.data.len());
            self.hidden.code(&mut r, &self.dialect)?;
            show(&self.dialect, Item::Hidden(&self.hidden), 0);
            return Ok(());
        }
        if self.has_header() {
            let mut header = PacketHeader::default();
            header.code(&mut r)?;
            show(&self.dialect, Item::Header(header), 0);
            if header.is_connectionless() {
                match end_of_recording(r.rest()) {
                    Some(message) => show(&self.dialect, Item::Message(&message), r.offset()),
                    None => show(&self.dialect, Item::Opaque(r.rest()), r.offset()),
                }
                return Ok(());
            }
        }
        let passes = self.fast.passes();
        while r.more(false) {
            if passes {
                let passed = self.fast.pass(&self.dialect, r.rest());
                r.skip(passed)?;
                if !r.more(false) {
                    break;
                }
            }
            let start = r.offset();
            if !self.dialect.supported() {
                show(&self.dialect, Item::Opaque(r.rest()), start);
                return Ok(());
            }
            let number = r.bits(0, 8)?;
            let message = &mut self.slots[self.dialect.message(number as u8) as usize];
            if let Some(length) = self.fast.read(&self.dialect, number as u8, r.rest(), message) {
                r.skip(length)?;
                show(&self.dialect, Item::Message(message), start);
                continue;
            }
            body_of(&mut r, &self.dialect, message, number)?;
            show(&self.dialect, Item::Message(message), start);
            if message.changes_dialect() {
                message.apply_to_dialect(Arc::make_mut(&mut self.dialect));
                self.fast.clear();
            }
        }
        Ok(())
    }
}
