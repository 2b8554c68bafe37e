//! A client's recording of protocol 34 made from states: opening, frames told one from the other, blocks that engines play.

use model::{Edited, Loss};

use super::encode::{self, Telling};
use super::opening::{Kept, Opening, write};
use super::retell::{Picture, Teller, bytes as bytes_of, distance, fitting, start};
use super::sheet::{Sheet, Written};
use super::strings::{Image, opening as opening_strings};
use crate::dialect::Dialect;
use crate::fields::entity::{Row, U_OLDORIGIN};
use crate::message::{Body, ConfigString, Context, Frame, Message, ServerData, Text};
use crate::state::{Baselines, NOTHING, PlayerState, Strings};

/// Entities of a frame from which id's clients can tell another: they keep 1024 states, and want 128 of them free.
const MOST_ENTITIES: usize = 1024 - 128;

/// The recording being built.
pub(crate) struct Builder {
    dialect: Dialect,
    sheet: Sheet,
    cx: Context,
    server_data: ServerData,
    image: Image,
    baselines: Baselines,
    kept: Kept,
    /// Whether the level's opening was written.
    opened: bool,
    /// What the reader has.
    had: Option<(i32, Picture)>,
    /// Frames told.
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
            sheet: Sheet::default(),
            cx: Context::new(dialect),
            server_data: ServerData { protocol: dialect.protocol, kind: dialect.kind.0, ..ServerData::default() },
            image: Image::default(),
            baselines: Baselines::default(),
            kept: Kept::default(),
            opened: false,
            had: None,
            frames: 0,
            postponed: 0,
            crowded: 0,
            long: 0,
        }
    }
}

impl Builder {
    pub fn opened(&self) -> bool {
        self.opened
    }

    /// A level begins. It is opened when its first frame comes.
    pub fn level(&mut self, server_data: ServerData) {
        self.end_block();
        self.server_data = server_data;
        self.image.clear();
        self.baselines.clear();
        self.kept.clear();
        self.unannounced();
    }

    /// Frame numbers start anew without a word.
    pub fn unannounced(&mut self) {
        self.opened = false;
        self.had = None;
    }

    pub fn string(&mut self, index: u16, text: &[u8]) {
        self.image.set(&self.dialect, index, text);
        if self.opened {
            self.put(&Message::new(Body::ConfigString(ConfigString { index, text: Text(text.to_vec()) })));
        }
    }

    pub fn baseline(&mut self, number: u16, row: Row) {
        // Only as the reader will have it: the event of a baseline counts for nothing.
        let delta = encode::entity(&self.dialect, number, &NOTHING, &row, Telling { force: true, new: true });
        if delta.is_some_and(|delta| delta.mask & U_OLDORIGIN != 0) {
            self.baselines.put(number, row);
        }
    }

    pub fn message(&mut self, message: Message) {
        self.kept.take_in(&message);
        if self.opened {
            self.put(&message);
        }
    }

    fn put(&mut self, message: &Message) {
        let bytes = write(message, &mut self.cx);
        self.sheet.message(&bytes);
    }

    pub fn end_block(&mut self) {
        if self.opened && self.sheet.end_block(self.dialect.safe_block()) == Written::TooLong {
            self.long += 1;
        }
    }

    fn open(&mut self) {
        let strings = opening_strings(&self.dialect, &self.image, &Strings::default());
        let opening = Opening { dialect: &self.dialect, server_data: Some(self.server_data.clone()), strings, baselines: &self.baselines, kept: &self.kept };
        opening.write(&mut self.sheet, &mut self.cx);
        self.opened = true;
    }

    /// A frame.
    pub fn frame(&mut self, number: i32, areas: Vec<u8>, player: PlayerState, entities: Vec<(u16, Row)>, max_clients: u16) {
        let limit = self.dialect.safe_block();
        let header = Frame { number, delta: -1, areas, ..Frame::default() };
        let mut to = Picture { players: vec![(None, player)], entities };
        if to.entities.len() > MOST_ENTITIES {
            self.crowded += 1;
            keep_nearest(&mut to, max_clients);
        }
        self.frames += 1;
        if !self.opened {
            self.open();
        }
        let dialect = self.dialect;
        let baselines = std::mem::take(&mut self.baselines);
        let teller = Teller { dialect: &dialect, baselines: &baselines, max_clients };
        let begins = self.had.is_none();
        // A reader finds a frame by the last four bits of its number, takes none for a number that is not positive, and merges lists in order.
        let ordered = to.is_ordered();
        let usable = |had: i32, picture: &Picture| (1..number).contains(&had) && (had & 15) != (number & 15) && picture.is_ordered();
        let base = self.had.take().filter(|(had, picture)| ordered && usable(*had, picture));
        let told = if begins {
            let begun = start(teller, &header, &to, limit, &self.cx);
            begun.fits.then_some(begun.frames)
        } else {
            let base = base.as_ref().map(|(had, picture)| (*had, picture));
            let messages = teller.frame(&header, base, &to, teller.entities(base.map(|(_, picture)| picture), &to.entities));
            (self.size(&messages) <= limit).then(|| vec![messages])
        };
        let had = match told {
            Some(frames) => {
                let last = frames.len() - 1;
                for (at, frame) in frames.iter().enumerate() {
                    self.put_frame(frame);
                    if at < last {
                        self.sheet.end_block(limit);
                    }
                }
                to
            }
            None => self.as_much_as_fits(teller, &header, base.as_ref(), &to),
        };
        self.had = Some((number, had));
        self.baselines = baselines;
    }

    fn size(&self, messages: &[Message]) -> usize {
        bytes_of(messages, &mut self.cx.clone()).iter().map(Vec::len).sum()
    }

    fn put_frame(&mut self, messages: &[Message]) {
        for (at, bytes) in bytes_of(messages, &mut self.cx).into_iter().enumerate() {
            if at == 0 { self.sheet.message(&bytes) } else { self.sheet.glued(&bytes) }
        }
    }

    /// See [`fitting`]. Gives what the reader has then.
    fn as_much_as_fits(&mut self, teller: Teller<'_>, header: &Frame, base: Option<&(i32, Picture)>, to: &Picture) -> Picture {
        let fitting = fitting(teller, header, base.map(|(number, picture)| (*number, picture)), to, self.dialect.safe_block(), &self.cx);
        self.postponed += u64::from(fitting.postponed);
        self.put_frame(&fitting.messages);
        fitting.had
    }

    pub fn finish(mut self) -> Edited {
        self.end_block();
        let mut edited = Edited { bytes: self.sheet.finish(true), extension: String::from("dm2"), ..Edited::default() };
        if self.postponed > 0 {
            edited.lose(Loss::Punctuality { frames: self.postponed, bytes: self.dialect.safe_block() as u64 });
        }
        if self.crowded > 0 {
            edited.lose(Loss::FarthestEntities { frames: self.crowded, most: MOST_ENTITIES as u64 });
        }
        if self.long > 0 {
            edited.lose(Loss::LongMessages { messages: self.long, bytes: self.dialect.safe_block() as u64 });
        }
        edited
    }
}

/// Takes away what is farthest from the player.
fn keep_nearest(picture: &mut Picture, max_clients: u16) {
    let Picture { players, entities } = picture;
    let near = |(number, row): &(u16, Row)| match players.first() {
        Some((_, player)) if *number > max_clients => (distance(row, player), *number),
        _ => (0, *number),
    };
    entities.sort_by_cached_key(near);
    entities.truncate(MOST_ENTITIES);
    entities.sort_by_key(|(number, _)| *number);
}
