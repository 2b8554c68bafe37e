//! What the lines so far announced about the form of the next.

use std::sync::OnceLock;

use fragreel_base::textform::Names;

use super::table::{Table, Widths};
use crate::dialect::{Dialect, Line, Numbering};
use crate::fields::{entity, player};
use crate::message::{Body, Context, MessageKind, layout};

/// The dialect in force, with its tables. Follows the lines as a reader's [`Context`] follows the bytes.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub context: Context,
    pub entity: &'static Table,
    pub player: &'static Table,
    pub operations: &'static Names,
    pub temp_entities: &'static Names,
    pub widths: Widths,
    /// Inside a compressed packet.
    pub nested: bool,
    /// A line announced a dialect.
    pub learned: bool,
}

impl Known {
    pub(super) fn new(dialect: Dialect) -> Self {
        // where Q2PRO's own reader is known to be at the other end, the sixteenth bit is no sign
        let unsigned = dialect.extended || dialect.is_mvd() || dialect.numbering == Numbering::Q2pro;
        let wide = if dialect.line == Line::Q2pro && unsigned { 0x1_0000 } else { 0x8000 };
        let skin = if dialect.line == Line::Id { 0x1_0000 } else { wide };
        let context = Context::new(dialect);
        Known {
            entity: Table::of(dialect.entity, None, entity::NAMES),
            player: Table::of(dialect.player, dialect.player_end, player::NAMES),
            operations: OPERATIONS[dialect.numbering as usize].get_or_init(|| MessageKind::names(dialect.numbering)),
            temp_entities: TEMP_ENTITIES[dialect.numbering as usize][usize::from(dialect.since_32)]
                .get_or_init(|| Names::new((0..=u8::MAX).map(|kind| layout(&context, kind).map_or("", |(name, _)| name)))),
            context,
            widths: Widths { skin, effects: wide },
            nested: false,
            learned: false,
        }
    }

    pub(super) fn dialect(&self) -> &Dialect {
        &self.context.dialect
    }

    /// Takes in what a message announces.
    pub(super) fn learn(&mut self, body: &Body) {
        if matches!(body, Body::ServerData(_)) {
            self.context.learn(body);
            *self = Known { context: self.context.clone(), nested: self.nested, learned: true, ..Known::new(self.context.dialect) };
        }
    }
}

/// How many numberings there are.
const NUMBERINGS: usize = Numbering::TestRelease as usize + 1;

/// The names of messages of each numbering, made when first needed.
static OPERATIONS: [OnceLock<Names>; NUMBERINGS] = [const { OnceLock::new() }; NUMBERINGS];
/// The same of temporary entities; two of them have other numbers from protocol 32 on.
static TEMP_ENTITIES: [[OnceLock<Names>; 2]; NUMBERINGS] = [const { [const { OnceLock::new() }; 2] }; NUMBERINGS];
