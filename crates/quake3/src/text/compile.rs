//! Lines to recordings.

use std::sync::Arc;

use fragreel_base::textform::{Compile, Error, Patch, read_line};

use super::lines::{Head, Line};
use super::vocabulary::Vocabulary;
use crate::container::{END_MARK, Frame, Framing, LONGEST};
use crate::message::Message;

/// Makes a recording from lines.
#[derive(Default)]
pub struct Compiler {
    words: Option<Arc<Vocabulary>>,
    message: Message,
    mirrored: bool,
}

impl Compiler {
    fn frame(&self, sequence: i32, data: &[u8], line: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        if data.len() > LONGEST {
            let expected = format!("the message has {} bytes, and engines read at most {LONGEST}", data.len());
            return Err(Error { line, column: 1, field: String::from("message"), expected });
        }
        let framing = if self.mirrored { Framing::Mirrored } else { Framing::Plain };
        Frame { number: 0, offset: 0, sequence, length: 0, framing }.write(data, out);
        Ok(())
    }
}

impl Compile for Compiler {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(words) = &self.words else {
            let mut head = Head::default();
            read_line(line, number, |f| head.form(f))?;
            let unknown = || Error {
                line: number,
                column: 1,
                field: String::from("recording"),
                expected: format!("there is no protocol {} of a game called `{}`", head.protocol, fragreel_model::game_text(&head.game)),
            };
            self.mirrored = !head.prologue.is_empty();
            out.extend_from_slice(&head.prologue);
            self.words = Some(Arc::new(head.vocabulary().ok_or_else(unknown)?));
            return Ok(());
        };
        let mut read = Line::default();
        read_line(line, number, |f| read.form(f, &mut self.message, words))?;
        match read {
            Line::Opaque(bytes) => out.extend_from_slice(&bytes),
            Line::End => out.extend_from_slice(&END_MARK),
            Line::Message(sequence) => {
                let data = self.message.write(words.dialect);
                self.frame(sequence, &data, number, out)?;
            }
            Line::Undecoded(sequence, data) => self.frame(sequence, &data, number, out)?,
        }
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn Compile + Send>> {
        let words = self.words.clone()?;
        Some(Box::new(Compiler { words: Some(words), message: Message::default(), mirrored: self.mirrored }))
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Vec<Patch>, Error> {
        Ok(Vec::new())
    }
}
