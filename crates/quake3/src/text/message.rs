//! The text form of messages.

use std::sync::LazyLock;

use fragreel_base::delta::FieldSet;
use fragreel_base::match_message;
use fragreel_base::textform::{Form, Leaf, Names};
use fragreel_base::wire::Reused;

use super::row;
use super::vocabulary::{SNAPSHOT_FLAGS, Vocabulary};
use crate::dialect::{Dialect, Layout};
use crate::fields::known_masks::KNOWN_MASKS;
use crate::fields::{Element, SLOTS};
use crate::message::{
    ArrayDelta, Change, ConfigString, Download, EntityDelta, Gamestate, GamestateItem, LAST, Message, Operation, OperationKind, PlayerDelta, ServerCommand,
    Snapshot, Voice, op, operations,
};

/// Numbers of the operations by name; 0 is none.
static OPERATIONS: LazyLock<Names> = LazyLock::new(|| Names::new((0..=u8::MAX).map(|number| OperationKind::of(number).map_or("", OperationKind::name))));
static ITEMS: LazyLock<Names> = LazyLock::new(|| Names::new(["configstring", "baseline"]));

/// A text that ends with NUL on the wire.
fn string<F: Form>(f: &mut F, name: &'static str, text: &mut Vec<u8>, most: usize) -> Result<(), F::Error> {
    f.require(name)?;
    f.text(text).map_err(|error| fragreel_base::wire::WireError::inside(error, name, None))?;
    f.insist(!text.contains(&0), "a text cannot hold the character NUL, which ends it")?;
    f.insist(text.len() <= most, "the text is longer than any engine reads")
}

impl Message {
    /// The members of a message, without its sequence.
    pub(super) fn form<F: Form>(&mut self, f: &mut F, words: &Vocabulary) -> Result<(), F::Error> {
        let dialect = words.dialect;
        if F::READING {
            self.clear();
        }
        if dialect.acknowledges {
            f.field("reliableAcknowledge", &mut self.acknowledged)?;
        }
        f.require("operations")?;
        let count = self.operations.len();
        let operations = f.items(count, |f, at| {
            let number = self.operations.get(at).map_or(op::NOP, Operation::number);
            f.variant(&OPERATIONS, number.into(), |f, number| {
                if F::READING {
                    self.shorten(at);
                    self.add_operation(number as u8);
                }
                self.operations[at].form(f, words)
            })
        });
        operations.map_err(|error| fragreel_base::wire::WireError::inside(error, "operations", None))?;
        // stock servers of the early line let the data just end
        let usual = if dialect.layout == Layout::Coded { i16::from(op::EOF) } else { -1 };
        let mut end = self.end.map_or(-1, i16::from);
        f.unless("end", &mut end, usual)?;
        self.end = u8::try_from(end).ok();
        if F::READING {
            let allowed = end == i16::from(op::EOF) || (dialect.layout == Layout::Plain && (end == -1 || end == i16::from(op::BAD)));
            f.insist(allowed, "a message cannot end so")?;
        }
        if dialect.layout == Layout::Plain {
            self.gaps_form(f)?;
        } else if f.key("lateVoice", !self.late_voice.is_empty())? {
            let voices = f.items(self.late_voice.len(), |f, at| {
                if F::READING {
                    self.late_voice.truncate(at);
                    self.late_voice.push(Voice::default());
                }
                self.late_voice[at].form(f, false)
            })?;
            self.late_voice.truncate(voices);
        }
        f.unless("padding", &mut self.padding, 0)?;
        f.insist(self.padding < 128, "there are at most seven bits of padding")?;
        f.hex_unless_empty("rest", &mut self.rest)
    }

    /// The bits behind each operation, omitted when all are zero.
    fn gaps_form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        if F::READING {
            self.gaps = vec![0; self.operations.len()];
        }
        if !f.key("gaps", self.gaps.iter().any(|gap| *gap != 0))? {
            return Ok(());
        }
        let count = f.items(self.gaps.len(), |f, at| match self.gaps.get_mut(at) {
            Some(gap) => {
                gap.form(f)?;
                f.insist(*gap < 128, "there are at most seven bits in a gap")
            }
            None => f.insist(false, "there are more gaps than operations"),
        })?;
        f.insist(count == self.gaps.len(), "there are fewer gaps than operations")
    }
}

impl Operation {
    fn form<F: Form>(&mut self, f: &mut F, words: &Vocabulary) -> Result<(), F::Error> {
        operations! { match_message { self as Operation, form(&mut *f, words) else f.object(|_| Ok(())) } }
    }
}

impl ServerCommand {
    fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("sequence", &mut self.sequence)?;
        string(f, "command", &mut self.text, Dialect::MAX_COMMAND)
    }
}

impl Download {
    fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.field("block", &mut self.block)?;
        if self.block == 0 {
            f.field("fileSize", &mut self.file_size)?;
            if self.file_size < 0 {
                return string(f, "error", &mut self.error, Download::LONGEST_ERROR);
            }
        }
        f.require("data")?;
        f.hex(&mut self.data)?;
        f.insist(self.data.len() <= usize::from(u16::MAX), "the piece is too long")
    }
}

impl Voice {
    fn form<F: Form>(&mut self, f: &mut F, flags: bool) -> Result<(), F::Error> {
        f.object(|f| {
            f.field("sender", &mut self.sender)?;
            f.field("generation", &mut self.generation)?;
            f.field("sequence", &mut self.sequence)?;
            f.field("frames", &mut self.frames)?;
            if flags {
                f.unless("flags", &mut self.flags, 0)?;
                f.insist(self.flags < 4, "there are two flags")?;
            }
            f.require("data")?;
            f.hex(&mut self.data)?;
            f.insist(self.data.len() <= usize::from(u16::MAX), "there is too much voice")
        })
    }
}

impl Gamestate {
    fn form<F: Form>(&mut self, f: &mut F, words: &Vocabulary) -> Result<(), F::Error> {
        f.field("commandSequence", &mut self.command_sequence)?;
        f.require("items")?;
        let count = f.items(self.items.len(), |f, at| {
            let which = usize::from(matches!(self.items.get(at), Some(GamestateItem::Baseline(_))));
            f.variant(&ITEMS, which, |f, which| {
                if F::READING {
                    self.items.truncate(at);
                    let configstring = GamestateItem::ConfigString(ConfigString::default());
                    self.items.push(if which == 0 { configstring } else { GamestateItem::Baseline(Box::default()) });
                }
                match &mut self.items[at] {
                    GamestateItem::ConfigString(configstring) => f.object(|f| {
                        f.field("index", &mut configstring.index)?;
                        f.insist(configstring.index < 1024, "there are 1024 configstrings")?;
                        string(f, "string", &mut configstring.text, Dialect::MAX_COMMAND)
                    }),
                    GamestateItem::Baseline(baseline) => baseline.form(f, words, LAST),
                }
            })
        });
        self.items.truncate(count.map_err(|error| fragreel_base::wire::WireError::inside(error, "items", None))?);
        f.unless("end", &mut self.end, op::EOF)?;
        f.insist(self.end == op::EOF || (self.end == op::BAD && words.dialect.layout == Layout::Plain), "a gamestate cannot end so")?;
        if words.dialect.identifies_client {
            f.field("clientNum", &mut self.client)?;
            f.field("checksumFeed", &mut self.checksum_feed)?;
        }
        Ok(())
    }
}

impl Snapshot {
    fn form<F: Form>(&mut self, f: &mut F, words: &Vocabulary) -> Result<(), F::Error> {
        if words.dialect.snapshot_command {
            f.field("clientCommand", &mut self.client_command)?;
        }
        f.field("serverTime", &mut self.server_time)?;
        f.field("deltaNum", &mut self.delta)?;
        if f.key("snapFlags", self.flags != 0)? {
            self.flags =
                f.flags(self.flags.into(), 255, SNAPSHOT_FLAGS).map_err(|error| fragreel_base::wire::WireError::inside(error, "snapFlags", None))? as u8;
        } else {
            self.flags = 0;
        }
        f.hex_unless_empty("areaMask", &mut self.area_mask)?;
        f.insist(self.area_mask.len() <= 32, "the area mask is longer than 32 bytes")?;
        f.part("player", |f| self.player.form(f, words))?;
        let rising = self.entities.windows(2).all(|pair| pair[0].number < pair[1].number);
        if f.key("entities", rising && !self.entities.is_empty())? {
            return entities(f, &mut self.entities, words).map_err(|error| fragreel_base::wire::WireError::inside(error, "entities", None));
        }
        if f.key("entities_in_order", !rising)? {
            return self.entities_in_order(f, words).map_err(|error| fragreel_base::wire::WireError::inside(error, "entities_in_order", None));
        }
        if F::READING {
            self.entities.cut(0);
        }
        Ok(())
    }

    /// Entities as no stock server sends them: not in the order of their numbers.
    fn entities_in_order<F: Form>(&mut self, f: &mut F, words: &Vocabulary) -> Result<(), F::Error> {
        let count = f.items(self.entities.len(), |f, at| {
            if F::READING {
                self.entities.cut(at);
                self.entities.grow();
            }
            self.entities[at].form(f, words, LAST - 1)
        })?;
        self.entities.cut(count);
        Ok(())
    }
}

/// Entities by their numbers, in whose order they are sent.
fn entities<F: Form>(f: &mut F, entities: &mut Reused<EntityDelta>, words: &Vocabulary) -> Result<(), F::Error> {
    let present: Vec<usize> = if F::READING { Vec::new() } else { entities.iter().map(|entity| entity.number.into()).collect() };
    f.object(|f| {
        if F::READING {
            entities.cut(0);
        }
        let mut next = 0;
        f.numbered(LAST.into(), present.iter().copied(), |f, number| {
            if F::READING {
                entities.grow().number = number as u16;
            }
            let entity = &mut entities[next];
            next += 1;
            f.object(|f| entity.members(f, words))
        })
    })?;
    if !entities.is_sorted_by_key(|entity| entity.number) {
        entities.sort_unstable_by_key(|entity| entity.number);
    }
    f.insist(entities.windows(2).all(|pair| pair[0].number < pair[1].number), "an entity stands here twice")
}

impl EntityDelta {
    /// `most`: the highest number that it may have where it stands.
    fn form<F: Form>(&mut self, f: &mut F, words: &Vocabulary, most: u16) -> Result<(), F::Error> {
        f.object(|f| {
            f.field("number", &mut self.number)?;
            f.insist(self.number <= most, "there is no entity of this number")?;
            self.members(f, words)
        })
    }

    /// The kind of change.
    fn members<F: Form>(&mut self, f: &mut F, words: &Vocabulary) -> Result<(), F::Error> {
        let mut removed = self.change == Change::Removed;
        f.unless("remove", &mut removed, false)?;
        let mut sent = if self.change == Change::Changed { self.spelling.sent } else { FieldSet::EMPTY };
        row::fields(f, words, &words.entity, &mut self.row, &mut sent)?;
        // a change that names no field
        let mut empty = self.change == Change::Changed && sent.is_empty();
        f.unless("changed", &mut empty, false)?;
        if F::READING {
            f.insist(!(removed && (empty || !sent.is_empty())), "an entity that is removed has no fields")?;
            self.change = if removed {
                Change::Removed
            } else if empty || !sent.is_empty() {
                Change::Changed
            } else {
                Change::Unchanged
            };
        }
        if self.change != Change::Changed && !F::READING {
            return Ok(());
        }
        self.spelling.sent = sent;
        let most = words.entity.fields.len() as u8;
        match words.dialect.layout {
            Layout::Coded => row::spelling::<F, true>(f, &words.entity, &self.row, &mut self.spelling, |usual| usual.end, most),
            Layout::Plain => {
                row::spelling::<F, false>(f, &words.entity, &self.row, &mut self.spelling, |usual| EntityDelta::known_mask(usual.sent), EntityDelta::EXPLICIT)?;
                let fits = self.change != Change::Changed || KNOWN_MASKS.get(usize::from(self.spelling.end)).is_none_or(|mask| *mask == sent);
                f.insist(fits, "the known mask of this number has other fields")
            }
        }
    }
}

impl PlayerDelta {
    fn form<F: Form>(&mut self, f: &mut F, words: &Vocabulary) -> Result<(), F::Error> {
        let mut sent = self.spelling.sent;
        row::fields(f, words, &words.player, &mut self.row, &mut sent)?;
        self.spelling.sent = sent;
        let all = words.player.fields.len() as u8;
        let plain = words.dialect.layout == Layout::Plain;
        row::spelling::<F, false>(f, &words.player, &self.row, &mut self.spelling, |usual| if plain { all } else { usual.end }, all)?;
        let told = self.arrays_sent || F::READING;
        for array in words.dialect.arrays {
            self.arrays[array.at].form(f, array.name, array.element, &words.slots[array.at], told)?;
        }
        let any = self.arrays.iter().any(|array| array.sent);
        let mut empty = self.arrays_sent && !any && !plain;
        f.unless("arrays", &mut empty, false)?;
        if F::READING {
            self.arrays_sent = any || empty || plain;
        }
        Ok(())
    }
}

impl ArrayDelta {
    fn form<F: Form>(&mut self, f: &mut F, name: &'static str, element: Element, slots: &Names, told: bool) -> Result<(), F::Error> {
        let sent = f.key(name, self.sent && told)?;
        let mut mask = if F::READING { 0 } else { self.mask };
        if sent {
            let (from, to) = match element {
                Element::Signed => (i16::MIN.into(), i16::MAX.into()),
                Element::Unsigned => (0, u16::MAX.into()),
                Element::Long => (i32::MIN.into(), i32::MAX.into()),
            };
            let present = FieldSet(self.mask.into());
            f.object(|f| {
                f.members(slots, present.into_iter(), |f, at| {
                    mask |= 1 << (at % SLOTS);
                    let value = &mut self.values[at & 15];
                    *value = f.int((*value as i32).into(), from, to)? as i32 as u32;
                    Ok(())
                })
            })
            .map_err(|error| fragreel_base::wire::WireError::inside(error, name, None))?;
        }
        if F::READING {
            (self.sent, self.mask) = (sent, mask);
        }
        Ok(())
    }
}
