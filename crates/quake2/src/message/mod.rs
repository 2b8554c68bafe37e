//! Messages: a lossless tree for each, with one function for both directions. Implements *Messages* of
//! `docs/formats/quake2.md`.
//!
//! A tree is made with the [`Context`] that the messages before it announced (the dialect, and for the 2022 rerelease
//! which entities are solid), never with the state of the game.

mod body;
mod classic;
mod compressed;
mod effects;
mod entity;
mod frame;
mod list;
mod mvd;
mod number;
mod player;
mod players_only;
mod reader;
mod rerelease;
mod server_data;
mod skim;
mod strings;
mod temp_entity;

pub use body::{Body, Message, MessageKind};
pub use compressed::{ConfigStrings, Contents, GameState, Packed};
pub(crate) use compressed::{Inflated, inflate};
pub use effects::{Download, Fog, MuzzleFlash, Setting, Sound, position};
pub use entity::{EntityDelta, PacketEntities};
pub use frame::Frame;
pub(crate) use list::messages;
pub use mvd::{Destination, MvdBody, MvdFrame, MvdMessage, MvdPlayer, MvdReader, MvdServerData, Parcel};
pub use player::PlayerDelta;
pub(crate) use reader::head;
pub use reader::{Failure, Reader};
pub(crate) use rerelease::FOG;
pub use rerelease::{BotChat, DamageDealt, FogChange, HelpPath, LocalisedPrint, Poi};
pub use server_data::ServerData;
pub use strings::{ConfigString, Inventory, Print, Text};
pub use temp_entity::{Part, TempEntity, layout};
pub(crate) use temp_entity::{layout_in, position_name};

use crate::dialect::Dialect;
use crate::fields::Plans;

/// What the messages so far announced of how to read the next.
#[derive(Debug, Clone)]
pub struct Context {
    /// The dialect in force.
    pub dialect: Dialect,
    /// Only the 2022 rerelease: a bit for every entity that was last said to be solid, and the same of the baselines.
    solid: Solids,
    baseline_solid: Solids,
    /// How deep compressed packets are nested here.
    depth: u8,
    plans: Plans,
    /// Entities up to this number may be players: as many as the server states, or else as many as any engine has.
    players: u16,
}

impl Context {
    /// The context at the start of a recording of this dialect.
    pub fn new(dialect: Dialect) -> Self {
        Context { dialect, solid: Solids::default(), baseline_solid: Solids::default(), depth: 0, plans: Plans::default(), players: MOST_PLAYERS }
    }

    /// Whether an entity was last said to be solid.
    pub(crate) fn is_solid(&self, number: u16) -> bool {
        self.solid.has(number)
    }

    /// Bytes that a copy takes on the heap.
    pub(crate) fn bytes(&self) -> usize {
        (self.solid.0.len() + self.baseline_solid.0.len()) * size_of::<u64>()
    }

    /// Goes back to what was announced by then, and keeps what was worked out for masks.
    pub fn restore(&mut self, then: &Context) {
        *self = Context { plans: std::mem::take(&mut self.plans), ..then.clone() };
    }

    /// Takes in what a message announces, after it was read or written.
    pub fn learn(&mut self, body: &Body) {
        match body {
            Body::ServerData(data) => {
                self.players = MOST_PLAYERS;
                if let Some(dialect) = data.dialect() {
                    *self = Context { depth: self.depth, plans: std::mem::take(&mut self.plans), ..Context::new(dialect.after(&self.dialect)) };
                }
            }
            Body::ConfigString(string) if string.index == self.dialect.strings.maxclients => {
                let stated = std::str::from_utf8(&string.text.0).ok().and_then(|text| text.trim().parse().ok());
                self.players = stated.map_or(MOST_PLAYERS, |stated: u16| stated.clamp(1, MOST_PLAYERS));
            }
            Body::GameState(_) | Body::ConfigStringStream(_) | Body::ConfigBlast(_) | Body::LevelRestart(_) => self.players = MOST_PLAYERS,
            _ => {}
        }
    }
}

/// No engine has more.
const MOST_PLAYERS: u16 = 256;

#[derive(Debug, Clone, Default)]
struct Solids(Vec<u64>);

impl Solids {
    fn has(&self, number: u16) -> bool {
        self.0.get(usize::from(number) / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    fn set(&mut self, number: u16, on: bool) {
        if self.0.is_empty() {
            self.0 = vec![0; 1024];
        }
        let word = &mut self.0[usize::from(number) / 64];
        *word = *word & !(1 << (number % 64)) | u64::from(on) << (number % 64);
    }
}
