//! The context of the text form: the stream's own tables, and the entities of earlier frames.

use std::sync::Arc;

use super::rows::Rows;
use crate::fields::Structure;
use crate::message::context::Context;
use crate::message::{EntityUpdate, Message};

/// The tables in force.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub context: Context,
    rows: [Option<Arc<Rows>>; 7],
}

impl Scope {
    pub(super) fn new(context: Context) -> Self {
        Scope { context, rows: Default::default() }
    }

    /// Tables in which engines' fields can be written, a part of them.
    pub(super) fn any(context: Context, part: usize) -> Self {
        let rows = Arc::new(Rows::any(part));
        Scope { context, rows: std::array::from_fn(|_| Some(rows.clone())) }
    }

    /// How rows of a structure are written, once the stream has described it.
    pub(super) fn rows(&self, structure: Structure) -> Option<&Rows> {
        self.rows[structure as usize].as_deref()
    }

    /// Updates the tables from a message. The error names the rule that a description breaks.
    #[inline]
    pub(super) fn observe(&mut self, message: &Message) -> Result<(), &'static str> {
        self.context.observe(message)?;
        if let Message::DeltaDescription(tree) = message
            && let Some(structure) = Structure::from_name(&tree.name.0)
            && let Some(description) = self.context.description(structure)
        {
            let known = &mut self.rows[structure as usize];
            if !known.as_ref().is_some_and(|rows| Arc::ptr_eq(&rows.description, description)) {
                *known = Some(Arc::new(Rows::new(description.clone(), self.context.order())));
            }
        }
        Ok(())
    }
}

/// The numbers of a frame's entities.
type Set = [u64; 32];

/// Which entities the latest frames had, by the low byte of their sequence number: messages say how many there are.
#[derive(Debug)]
pub(crate) struct Frames {
    sets: Vec<Set>,
}

impl Default for Frames {
    fn default() -> Self {
        Frames { sets: vec![[0; 32]; 256] }
    }
}

impl Frames {
    /// The entities after an update of the frame whose number has this low byte; `None`: of nothing.
    fn after(&self, base: Option<u8>, updates: &[EntityUpdate]) -> Set {
        let mut set = base.map_or([0; 32], |base| self.sets[usize::from(base)]);
        for update in updates {
            let (word, bit) = (usize::from(update.number) / 64 % 32, update.number % 64);
            let present = u64::from(update.delta.is_some());
            set[word] = set[word] & !(1 << bit) | present << bit;
        }
        set
    }

    /// How many there are then.
    pub(super) fn count(&self, base: Option<u8>, updates: &[EntityUpdate]) -> u16 {
        self.after(base, updates).iter().map(|word| word.count_ones() as u16).sum()
    }

    /// Remembers what the messages of a frame say.
    pub(super) fn observe(&mut self, sequence: i32, messages: &[Message]) {
        for message in messages {
            let set = match message {
                Message::PacketEntities(update) => self.after(None, &update.updates),
                Message::DeltaPacketEntities(update) => self.after(Some(update.delta_sequence), &update.updates),
                _ => continue,
            };
            self.sets[usize::from(sequence as u8)] = set;
        }
    }
}
