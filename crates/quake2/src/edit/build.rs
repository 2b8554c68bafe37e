//! Builds a client recording of protocol 34 from states: signon, delta-encoded frames, and blocks that engines play.

use fragreel_model::{Edited, Loss};

use crate::dialect::Dialect;
use crate::encode::block_writer::{BlockOutcome, BlockWriter};
use crate::encode::deltas::{self, EncodeFlags};
use crate::encode::reencode::{FrameEncoder, FrameState, distance, encode_within, message_bytes, starting_frames};
use crate::encode::signon::{ScreenMessages, Signon, write};
use crate::encode::strings::{StringSlots, signon_strings};
use crate::fields::entity::{Row, U_OLDORIGIN};
use crate::message::{Body, ConfigString, Context, Frame, Message, ServerData, Text};
use crate::state::{Baselines, NOTHING, PlayerState, Strings};

/// The maximum entities of a frame that can be a delta base. id's client keeps 1024 states and wants 128 of them free.
const MAX_ENTITIES: usize = 1024 - 128;

/// The recording so far.
pub(crate) struct Builder {
    dialect: Dialect,
    blocks: BlockWriter,
    cx: Context,
    server_data: ServerData,
    image: StringSlots,
    baselines: Baselines,
    screen: ScreenMessages,
    /// Whether the signon of the level was written.
    opened: bool,
    /// The last frame, as the client has it.
    client_frame: Option<(i32, FrameState)>,
    /// Frames written.
    pub frames: u64,
    postponed: u64,
    crowded: u64,
    long: u64,
}

impl Default for Builder {
    fn default() -> Self {
        let dialect = Dialect::playable();
        Builder {
            dialect,
            blocks: BlockWriter::default(),
            cx: Context::new(dialect),
            server_data: ServerData { protocol: dialect.protocol, kind: dialect.kind.0, ..ServerData::default() },
            image: StringSlots::default(),
            baselines: Baselines::default(),
            screen: ScreenMessages::default(),
            opened: false,
            client_frame: None,
            frames: 0,
            postponed: 0,
            crowded: 0,
            long: 0,
        }
    }
}

impl Builder {
    pub(super) fn opened(&self) -> bool {
        self.opened
    }

    /// Starts a level. Its signon is written with the first frame.
    pub(super) fn level(&mut self, server_data: ServerData) {
        self.end_block();
        self.server_data = server_data;
        self.image.clear();
        self.baselines.clear();
        self.screen.clear();
        self.unannounced();
    }

    /// Handles frame numbers that start over without a new level.
    pub(super) fn unannounced(&mut self) {
        self.opened = false;
        self.client_frame = None;
    }

    pub(super) fn string(&mut self, index: u16, text: &[u8]) {
        self.image.set(&self.dialect, index, text);
        if self.opened {
            self.put(&Message::new(Body::ConfigString(ConfigString { index, text: Text(text.to_vec()) })));
        }
    }

    pub(super) fn baseline(&mut self, number: u16, row: Row) {
        // Keep the row only as the client will have it. The event of a baseline does not count.
        let delta = deltas::entity(&self.dialect, number, &NOTHING, &row, EncodeFlags { force: true, new: true });
        if delta.is_some_and(|delta| delta.mask & U_OLDORIGIN != 0) {
            self.baselines.put(number, row);
        }
    }

    pub(super) fn message(&mut self, message: Message) {
        self.screen.take_in(&message);
        if self.opened {
            self.put(&message);
        }
    }

    fn put(&mut self, message: &Message) {
        let bytes = write(message, &mut self.cx);
        self.blocks.message(&bytes);
    }

    pub(super) fn end_block(&mut self) {
        if self.opened && self.blocks.end_block(self.dialect.safe_block()) == BlockOutcome::TooLong {
            self.long += 1;
        }
    }

    fn open(&mut self) {
        let strings = signon_strings(&self.dialect, &self.image, &Strings::default());
        let opening = Signon { dialect: &self.dialect, server_data: Some(self.server_data.clone()), strings, baselines: &self.baselines, screen: &self.screen };
        opening.write(&mut self.blocks, &mut self.cx);
        self.opened = true;
    }

    /// Writes a frame.
    pub(super) fn frame(&mut self, number: i32, areas: Vec<u8>, player: PlayerState, entities: Vec<(u16, Row)>, max_clients: u16) {
        let limit = self.dialect.safe_block();
        let header = Frame { number, delta: -1, areas, ..Frame::default() };
        let mut to = FrameState { players: vec![(None, player)], entities };
        if to.entities.len() > MAX_ENTITIES {
            self.crowded += 1;
            keep_nearest(&mut to, max_clients);
        }
        self.frames += 1;
        if !self.opened {
            self.open();
        }
        let dialect = self.dialect;
        let baselines = std::mem::take(&mut self.baselines);
        let encoder = FrameEncoder { dialect: &dialect, baselines: &baselines, max_clients };
        let begins = self.client_frame.is_none();
        // Clients find a base by the low four bits of its number, treat numbers below 1 as no base, and merge lists in order.
        let ordered = to.is_ordered();
        let usable = |client_frame: i32, frame_state: &FrameState| {
            (1..number).contains(&client_frame) && (client_frame & 15) != (number & 15) && frame_state.is_ordered()
        };
        let base = self.client_frame.take().filter(|(client_frame, frame_state)| ordered && usable(*client_frame, frame_state));
        let encoded = if begins {
            let begun = starting_frames(encoder, &header, &to, limit, &self.cx);
            begun.fits.then_some(begun.frames)
        } else {
            let base = base.as_ref().map(|(client_frame, frame_state)| (*client_frame, frame_state));
            let messages = encoder.frame(&header, base, &to, encoder.entities(base.map(|(_, frame_state)| frame_state), &to.entities));
            (self.size(&messages) <= limit).then(|| vec![messages])
        };
        let client_frame = match encoded {
            Some(frames) => {
                let last = frames.len() - 1;
                for (at, frame) in frames.iter().enumerate() {
                    self.put_frame(frame);
                    if at < last {
                        self.blocks.end_block(limit);
                    }
                }
                to
            }
            None => self.as_much_as_fits(encoder, &header, base.as_ref(), &to),
        };
        self.client_frame = Some((number, client_frame));
        self.baselines = baselines;
    }

    fn size(&self, messages: &[Message]) -> usize {
        message_bytes(messages, &mut self.cx.clone()).iter().map(Vec::len).sum()
    }

    fn put_frame(&mut self, messages: &[Message]) {
        for (at, bytes) in message_bytes(messages, &mut self.cx).into_iter().enumerate() {
            if at == 0 { self.blocks.message(&bytes) } else { self.blocks.append(&bytes) }
        }
    }

    /// Encodes what fits. See [`encode_within`]. Returns the state of the client after it.
    fn as_much_as_fits(&mut self, encoder: FrameEncoder<'_>, header: &Frame, base: Option<&(i32, FrameState)>, to: &FrameState) -> FrameState {
        let partial = encode_within(encoder, header, base.map(|(number, frame_state)| (*number, frame_state)), to, self.dialect.safe_block(), &self.cx);
        self.postponed += u64::from(partial.postponed);
        self.put_frame(&partial.messages);
        partial.client_frame
    }

    pub(super) fn finish(mut self) -> Edited {
        self.end_block();
        let mut edited = Edited { bytes: self.blocks.finish(true), extension: String::from("dm2"), ..Edited::default() };
        if self.postponed > 0 {
            edited.lose(Loss::Punctuality { frames: self.postponed, bytes: self.dialect.safe_block() as u64 });
        }
        if self.crowded > 0 {
            edited.lose(Loss::FarthestEntities { frames: self.crowded, most: MAX_ENTITIES as u64 });
        }
        if self.long > 0 {
            edited.lose(Loss::TooLong { count: self.long, of: "messages", limit: format!("the {} bytes that id's engines play", self.dialect.safe_block()) });
        }
        edited
    }
}

/// Drops the entities that are farthest from the player.
fn keep_nearest(frame_state: &mut FrameState, max_clients: u16) {
    let FrameState { players, entities } = frame_state;
    let near = |(number, row): &(u16, Row)| match players.first() {
        Some((_, player)) if *number > max_clients => (distance(row, player), *number),
        _ => (0, *number),
    };
    entities.sort_by_cached_key(near);
    entities.truncate(MAX_ENTITIES);
    entities.sort_by_key(|(number, _)| *number);
}
