//! The kinds of lines.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names};

use super::vocabulary::Vocabulary;
use crate::dialect::Dialect;
use crate::game::Game;
use crate::message::Message;

/// The number of this text form.
const FORM: u8 = 1;

/// The first line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Head {
    pub protocol: u16,
    /// The game whose names the text uses.
    pub game: Vec<u8>,
    /// The bytes before the first message of Urban Terror's recordings.
    pub prologue: Vec<u8>,
}

/// A line behind the first.
#[derive(Debug, Clone, Default)]
pub(super) enum Line {
    /// A message with its sequence. The tree is kept elsewhere, for its buffers.
    Message(i32),
    /// The bytes of a message that cannot be read, with its sequence.
    Undecoded(i32, Vec<u8>),
    /// The mark that ends a recording.
    #[default]
    End,
    /// Bytes that are no message.
    Opaque(Vec<u8>),
}

static FIRST: LazyLock<Names> = LazyLock::new(|| Names::new(["recording"]));
static KINDS: LazyLock<Names> = LazyLock::new(|| Names::new(["message", "undecoded", "end", "opaque"]));

impl Head {
    pub(super) fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.variant(&FIRST, 0, |f, _| {
            f.object(|f| {
                let (mut form, mut family) = (FORM, fragreel_model::Family::Quake3.name().as_bytes().to_vec());
                f.field("form", &mut form)?;
                f.insist(form == FORM || !F::READING, "this version reads form 1 only")?;
                f.require("family")?;
                f.text(&mut family)?;
                f.field("protocol", &mut self.protocol)?;
                f.require("game")?;
                f.text(&mut self.game)?;
                f.hex_unless_empty("prologue", &mut self.prologue)
            })
        })
    }

    /// The names in force, when the protocol and the game are known.
    pub(super) fn vocabulary(&self) -> Option<Vocabulary> {
        let dialect = Dialect::of(self.protocol)?;
        let game = Game::titled(&fragreel_model::game_text(&self.game), dialect)?;
        Some(Vocabulary::new(dialect, &game))
    }
}

impl Line {
    pub(super) fn form<F: Form>(&mut self, f: &mut F, message: &mut Message, words: &Vocabulary) -> Result<(), F::Error> {
        let which = match self {
            Line::Message(_) => 0,
            Line::Undecoded(..) => 1,
            Line::End => 2,
            Line::Opaque(_) => 3,
        };
        f.variant(&KINDS, which, |f, which| {
            if F::READING {
                *self = match which {
                    0 => Line::Message(0),
                    1 => Line::Undecoded(0, Vec::new()),
                    2 => Line::End,
                    _ => Line::Opaque(Vec::new()),
                };
            }
            match self {
                Line::Opaque(bytes) => f.hex(bytes),
                Line::End => f.object(|_| Ok(())),
                Line::Message(sequence) => f.object(|f| {
                    f.field("sequence", sequence)?;
                    message.form(f, words)
                }),
                Line::Undecoded(sequence, data) => f.object(|f| {
                    f.field("sequence", sequence)?;
                    f.require("data")?;
                    f.hex(data)
                }),
            }
        })
    }
}
