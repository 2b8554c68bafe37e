//! Recordings to lines.

use fragreel_base::textform::{Decompile, write_line};
use fragreel_base::wire::{Error, Limits};

use super::lines::{Head, Line};
use super::vocabulary::Vocabulary;
use crate::container::{self, Frame, Frames, HEAD, Piece, Step, Walker};
use crate::dialect::Dialect;
use crate::game::Game;
use crate::message::{Depth, Message, Operation};
use crate::state::State;

/// Converts a recording to lines.
pub struct Decompiler {
    head: Option<Head>,
    words: Vocabulary,
    walker: Walker,
    message: Message,
}

/// Opaque bytes on one line.
const LONGEST_LINE: usize = 1 << 16;
/// How many messages are searched for the gamestate.
const LOOKED_AT: usize = 32;

impl Decompiler {
    /// Detects the dialect and the game from the recording's first bytes (1 MiB or all of it). `extension` (`dm_68`) decides where the content
    /// states none.
    pub fn new(head: &[u8], extension: Option<&str>, _limits: Limits) -> Result<Self, Error> {
        let dialect = crate::detect::dialect(head, extension)?;
        let prologue = match Frames::new(head).next() {
            Some(Piece::Prologue(range)) => head[range.start as usize..range.end as usize].to_vec(),
            _ => Vec::new(),
        };
        let head = Head { protocol: dialect.protocol, game: game(head, dialect).title.as_bytes().to_vec(), prologue };
        // found as a compiler finds them
        let words = head.vocabulary().ok_or_else(|| Error::unsupported("the game is not one that has a title"))?;
        Ok(Decompiler { head: Some(head), words, walker: Walker::new(), message: Message::default() })
    }

    fn message(&mut self, frame: &Frame, window: &[u8], out: &mut Vec<u8>) {
        let data = &window[HEAD..];
        let length = frame.length as usize;
        let line = match self.message.read_ahead(data, length, self.words.dialect, Depth::Whole) {
            Ok(()) => Line::Message(frame.sequence),
            Err(_) => Line::Undecoded(frame.sequence, data[..length].to_vec()),
        };
        self.line(line, out);
    }

    fn line(&mut self, mut line: Line, out: &mut Vec<u8>) {
        write_line(out, |f| line.form(f, &mut self.message, &self.words));
    }
}

/// The game of the first gamestate.
fn game(head: &[u8], dialect: &'static Dialect) -> Game {
    let mut state = State::new(dialect);
    let mut message = Message::default();
    for piece in Frames::new(head).take(LOOKED_AT) {
        let Piece::Message(frame) = piece else { continue };
        // the part of a broken message before the damage is enough
        let _ = message.read(container::data(head, &frame), dialect);
        for operation in &message.operations {
            if let Operation::Gamestate(_) = operation {
                state.apply(frame.sequence, operation);
                return Game::of_state(&state);
            }
        }
    }
    Game::of_state(&state)
}

impl Decompile for Decompiler {
    fn step(&mut self, window: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        if let Some(mut head) = self.head.take() {
            write_line(out, |f| head.form(f));
        }
        let mut used = 0;
        loop {
            let before = self.walker.offset();
            let rest = &window[used..];
            let Step::Piece(piece) = self.walker.step(rest, last) else { return used };
            let length = (self.walker.offset() - before) as usize;
            match piece {
                Piece::Message(frame) => self.message(&frame, rest, out),
                // part of the first line
                Piece::Prologue(_) => {}
                Piece::End(_) => self.line(Line::End, out),
                Piece::Opaque(..) => {
                    for bytes in rest[..length].chunks(LONGEST_LINE) {
                        self.line(Line::Opaque(bytes.to_vec()), out);
                    }
                }
            }
            used += length;
        }
    }
}
