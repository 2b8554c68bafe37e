//! The kinds of lines.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names};
use fragreel_base::wire::WireError;

use super::kinds::KINDS;
use super::known::Known;
use super::mvd::LineMessage;
use super::{message, mvd};
use crate::detect::{Framing, Identified};
use crate::dialect::{Dialect, RecordingKind};
use crate::message::Message;

/// The number of this text form.
const FORM: u8 = 1;

/// What the first line says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Head {
    records: bool,
    protocol: u32,
    kind: u8,
    /// Which of the dialects that the protocol may mean.
    variant: u8,
}

static FIRST: LazyLock<Names> = LazyLock::new(|| Names::new(["recording"]));
static CONTAINERS: LazyLock<Names> = LazyLock::new(|| Names::new(["dm2", "mvd2"]));

impl Head {
    /// What to say of a recording. `None` when nobody could put it together from that.
    pub(super) fn of(found: &Identified) -> Option<Self> {
        let records = found.framing == Framing::Mvd2;
        let Dialect { protocol, kind, .. } = found.dialect;
        let dialects = Dialect::beginnings(protocol, kind);
        let variant = dialects.iter().position(|dialect| dialect.begins_as(&found.dialect))?;
        Some(Head { records, protocol, kind: kind.0, variant: variant as u8 })
    }

    /// What a compiler begins with.
    pub(super) fn dialect(&self) -> Option<(Framing, Dialect)> {
        let framing = if self.records { Framing::Mvd2 } else { Framing::Dm2 };
        let dialects = Dialect::beginnings(self.protocol, RecordingKind(self.kind));
        let dialect = *dialects.get(usize::from(self.variant))?;
        (dialect.is_mvd() || !self.records).then_some((framing, dialect))
    }

    pub(super) fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.variant(&FIRST, 0, |f, _| {
            f.object(|f| {
                let (mut form, mut family) = (FORM, fragreel_model::Family::Quake2.name().as_bytes().to_vec());
                f.field("form", &mut form)?;
                f.insist(form == FORM, "this version reads form 1 only")?;
                f.require("family")?;
                f.text(&mut family)?;
                f.insist(family == fragreel_model::Family::Quake2.name().as_bytes(), "this is a recording of another family")?;
                f.require("container")?;
                self.records = f.word(self.records.into(), 1, &*CONTAINERS)? != 0;
                f.field("protocol", &mut self.protocol)?;
                f.require("kind")?;
                self.kind = f.word(self.kind.into(), 255, &*KINDS)? as u8;
                f.unless("variant", &mut self.variant, 0)
            })
        })
    }
}

/// A line behind the first. What a block holds is kept apart, for its buffers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Line {
    /// A block of a `.dm2`, a record of an MVD2.
    Block,
    /// The mark that ends a recording.
    #[default]
    End,
    /// Bytes that are no block.
    Opaque(Vec<u8>),
}

/// The messages of a block or of a record.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub messages: Vec<Message>,
    pub told: Vec<LineMessage>,
    /// The bytes from the first message on that cannot be read.
    pub rest: Vec<u8>,
}

static BLOCKS: LazyLock<Names> = LazyLock::new(|| Names::new(["block", "end", "opaque"]));
static RECORDS: LazyLock<Names> = LazyLock::new(|| Names::new(["record", "end", "opaque"]));

impl Line {
    pub(super) fn form<F: Form>(&mut self, f: &mut F, framing: Framing, content: &mut Content, known: &mut Known) -> Result<(), F::Error> {
        let which = match self {
            Line::Block => 0,
            Line::End => 1,
            Line::Opaque(_) => 2,
        };
        let names = if framing == Framing::Mvd2 { &*RECORDS } else { &*BLOCKS };
        f.variant(names, which, |f, which| {
            if F::READING {
                *self = [Line::Block, Line::End, Line::Opaque(Vec::new())][which].clone();
            }
            match self {
                Line::Block => content.form(f, framing, known),
                Line::End => f.object(|_| Ok(())),
                Line::Opaque(bytes) => f.hex(bytes),
            }
        })
    }
}

impl Content {
    fn form<F: Form>(&mut self, f: &mut F, framing: Framing, known: &mut Known) -> Result<(), F::Error> {
        let before = F::READING.then(|| known.clone());
        let mut again = false;
        f.object(|f| {
            if let Some(before) = before.as_ref().filter(|_| again) {
                known.clone_from(before);
            }
            again = true;
            let any = !self.messages.is_empty() || !self.told.is_empty();
            if f.key("messages", any)? {
                let listed = match framing {
                    Framing::Dm2 => message::list(f, &mut self.messages, known),
                    Framing::Mvd2 => mvd::list(f, &mut self.told, known),
                };
                listed.map_err(|error| error.inside("messages", None))?;
            } else {
                self.messages.clear();
                self.told.clear();
            }
            f.hex_unless_empty("undecoded", &mut self.rest)
        })
    }
}
