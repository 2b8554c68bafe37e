//! From lines to bytes.

use fragreel_base::textform::{Compile, Error, Patch, read_line};
use fragreel_base::wire::WriteBits;

use super::layout::Layout;
use super::lines::{self, Line, MacroLine, Setting};
use super::scope::{Frames, Scope};
use crate::container::body::{Body, DemoInfo, Info};
use crate::container::{HEAD_BYTES, Header, MAX_MESSAGE, Macro, directory};
use crate::dialect::Dialect;
use crate::message::context::Context;
use crate::message::{self, Message, Pool};

/// Puts a recording together from lines.
#[derive(Default)]
pub struct Compiler {
    recording: Option<Recording>,
}

/// What has been put together so far.
struct Recording {
    dialect: Dialect,
    layout: Layout,
    before: DemoInfo,
    scope: Option<Scope>,
    frames: Frames,
    /// Where the header says the directory is, when that is not where it is.
    directory_offset: Option<i32>,
    pool: Pool,
}

fn refusal(line: u64, field: &str, expected: &str) -> Error {
    Error { line, column: 1, field: field.to_owned(), expected: expected.to_owned() }
}

impl Recording {
    fn line(&mut self, text: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        let setting = Setting { dialect: &self.dialect, layout: &self.layout, before: &self.before, scope: self.scope.as_ref(), frames: &self.frames };
        let mut line = Line::Opaque(Vec::new());
        read_line(text, number, |f| line.form(f, &setting))?;
        match line {
            Line::Macro(line) => self.macro_line(line, number, out)?,
            Line::Directory(entries) => {
                if self.layout.directory.replace(self.layout.offset).is_some() {
                    return Err(refusal(number, "directory", "a recording has one directory"));
                }
                let bytes = directory::bytes(&entries);
                self.layout.skip(bytes.len());
                out.extend_from_slice(&bytes);
            }
            Line::Header(offset) => self.directory_offset = Some(offset),
            Line::Opaque(bytes) => {
                self.layout.skip(bytes.len());
                out.extend_from_slice(&bytes);
            }
        }
        Ok(())
    }

    fn macro_line(&mut self, mut line: MacroLine, number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        let data = self.data(&mut line.messages, &line.undecoded);
        if data.len() > MAX_MESSAGE {
            let expected = format!("the block has {} bytes of messages, and engines read at most {MAX_MESSAGE}", data.len());
            return Err(refusal(number, line.kind.name(), &expected));
        }
        if let Body::Data(_, _, length) | Body::Packet(_, length) = &mut line.body {
            *length = data.len() as u32;
        }
        let mut body = line.body.bytes(&self.dialect);
        body.extend_from_slice(&data);
        let from = out.len();
        out.push(line.id.0);
        out.extend_from_slice(&line.time.to_le_bytes());
        out.extend_from_slice(&line.frame.to_le_bytes());
        debug_assert_eq!(out.len() - from, HEAD_BYTES);
        out.extend_from_slice(&body);
        self.layout.push(&Macro { id: line.id, kind: line.kind, time: line.time, frame: line.frame, offset: 0, body: &body });
        if let Body::Data(info, sequence, _) = line.body {
            self.frames.observe(sequence.words[0], &line.messages);
            if let Info::Known(info) = info {
                self.before = *info;
            }
        }
        Ok(())
    }

    fn data(&mut self, messages: &mut [Message], undecoded: &[u8]) -> Vec<u8> {
        let mut writer = WriteBits::default();
        if let Some(scope) = &mut self.scope {
            for message in messages {
                let Ok(()) = message::code(&mut writer, &scope.context, message, &mut self.pool);
                // reading the line has found that it can be observed
                let _ = scope.observe(message);
            }
        }
        let mut data = writer.finish();
        data.extend_from_slice(undecoded);
        data
    }
}

impl Compile for Compiler {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(recording) = &mut self.recording {
            return recording.line(line, number, out);
        }
        let (mut header, mut dialect) = (Header::default(), None);
        read_line(line, number, |f| lines::head(f, &mut header, &mut dialect))?;
        let Some(dialect) = dialect else {
            return Err(refusal(number, "recording", "the demo protocol is neither 4 nor 5"));
        };
        out.extend_from_slice(&header.bytes(&dialect));
        let mut layout = Layout::default();
        layout.skip(dialect.header_bytes());
        self.recording = Some(Recording {
            dialect,
            layout,
            before: DemoInfo::default(),
            scope: dialect.messages.map(|rules| Scope::new(Context::new(rules))),
            frames: Frames::default(),
            directory_offset: None,
            pool: Pool::default(),
        });
        Ok(())
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Vec<Patch>, Error> {
        let Some(recording) = &self.recording else { return Ok(Vec::new()) };
        let offset = recording.directory_offset.unwrap_or(recording.layout.directory_offset());
        let place = recording.dialect.header_bytes() - 4;
        Ok(vec![Patch { offset: place as u64, bytes: offset.to_le_bytes().to_vec() }])
    }
}
