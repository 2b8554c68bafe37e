//! The level's strings and baselines.

use fragreel_base::wire::{Bounded, Wire};

use super::entity::Baseline;
use super::op;
use crate::dialect::{Dialect, Layout};

/// All that a client must know before the first snapshot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gamestate {
    /// The last reliable command that it includes.
    pub command_sequence: i32,
    /// Strings and baselines, in order.
    pub items: Vec<GamestateItem>,
    /// The operation that closed the list.
    pub end: u8,
    /// The recording client's number; 0 where the dialect has none.
    pub client: i32,
    /// The seed of pure-server checksums; 0 where the dialect has none.
    pub checksum_feed: i32,
}

/// An item of a gamestate.
#[derive(Debug, Clone, PartialEq)]
pub enum GamestateItem {
    /// A string.
    ConfigString(ConfigString),
    /// An entity's baseline.
    Baseline(Box<Baseline>),
}

/// A string of the level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigString {
    /// Its place, below 1024.
    pub index: u16,
    /// Its text as sent.
    pub text: Vec<u8>,
}

const LIMIT: Bounded = Bounded { bytes: 8191, rule: "the configstring is longer than any engine sends" };

impl Gamestate {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            // a broken one is worth looking at, so it must hold nothing of the one before
            *self = Gamestate::default();
        }
        self.command_sequence = w.signed("command sequence", self.command_sequence, 32)?;
        let mut at = 0;
        loop {
            let number = match self.items.get(at) {
                Some(GamestateItem::ConfigString(_)) => op::CONFIGSTRING,
                Some(GamestateItem::Baseline(_)) => op::BASELINE,
                None => self.end,
            };
            let number = w.field("operation", u32::from(number), 8)? as u8;
            match number {
                op::EOF => {}
                op::BAD if dialect.layout == Layout::Plain => {}
                op::CONFIGSTRING | op::BASELINE => {
                    if W::READING {
                        self.items.push(GamestateItem::new(number));
                    }
                    let item = &mut self.items[at];
                    let result = w.scope("item", Some(at as u32), |w| item.code(w, dialect));
                    if W::READING && result.is_err() {
                        self.items.truncate(at);
                    }
                    result?;
                    w.checkpoint()?;
                    at += 1;
                    continue;
                }
                _ => w.expect(false, "a gamestate holds only configstrings and baselines")?,
            }
            self.end = number;
            break;
        }
        if dialect.identifies_client {
            self.client = w.signed("clientNum", self.client, 32)?;
            self.checksum_feed = w.signed("checksumFeed", self.checksum_feed, 32)?;
        }
        Ok(())
    }
}

impl GamestateItem {
    fn new(number: u8) -> Self {
        if number == op::CONFIGSTRING { GamestateItem::ConfigString(ConfigString::default()) } else { GamestateItem::Baseline(Box::default()) }
    }

    fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        match self {
            GamestateItem::ConfigString(string) => {
                string.index = w.field("index", u32::from(string.index), 16)? as u16;
                w.expect(string.index < 1024, "the configstring's index is out of range")?;
                w.enter("string");
                w.text(&mut string.text, LIMIT)
            }
            GamestateItem::Baseline(baseline) => {
                baseline.number = w.field("number", u32::from(baseline.number), 10)? as u16;
                baseline.code(w, dialect)
            }
        }
    }
}
