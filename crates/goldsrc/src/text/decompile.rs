//! From bytes to lines.

use fragreel_base::textform::{Decompile, write_line};
use fragreel_base::wire::{Error, Limits, ReadBits, Wire};

use super::layout::Layout;
use super::lines::{self, Line, MacroLine, Setting};
use super::scope::{Frames, Scope};
use crate::container::body::{self, Body, DemoInfo, Info};
use crate::container::{Container, Header, Macro, directory, looks_like_directory, macros, scan};
use crate::dialect::Dialect;
use crate::message::context::Context;
use crate::message::{self, Message, Pool};

/// Takes a recording apart into lines.
pub struct Decompiler {
    header: Header,
    dialect: Dialect,
    limits: Limits,
    layout: Layout,
    begun: bool,
    ended: bool,
    /// What stands here is no macro; the next is looked for.
    lost: bool,
    before: DemoInfo,
    scope: Option<Scope>,
    frames: Frames,
    message: Message,
    messages: Vec<Message>,
    pool: Pool,
}

/// Opaque bytes on one line.
const LONGEST_LINE: usize = 1 << 16;
/// What decides about a place: three macros after the opaque bytes of a line. More is never looked at, so that the text
/// does not depend on how the recording was handed over.
const LOOKAHEAD: usize = 6 << 16;

impl Decompiler {
    /// Reads the header from the recording's first bytes (1 MiB or all of it). A damaged header is read around where these hold the directory.
    pub fn new(head: &[u8], _extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        let (header, dialect) = header(head, &limits)?;
        Ok(Decompiler {
            header,
            dialect,
            limits,
            layout: Layout::default(),
            begun: false,
            ended: false,
            lost: false,
            before: DemoInfo::default(),
            scope: dialect.messages.map(|rules| Scope::new(Context::new(rules))),
            frames: Frames::default(),
            message: Message::default(),
            messages: Vec::new(),
            pool: Pool::default(),
        })
    }

    /// Appends a line for what stands at the start of `view`, and returns its length.
    fn piece(&mut self, view: &[u8], out: &mut Vec<u8>) -> usize {
        if let Some(length) = self.directory(view, out) {
            return length;
        }
        let found = match self.lost {
            true => None,
            false => macros::find(view, 0, view.len(), &self.dialect, &self.limits).ok(),
        };
        let understood = found.and_then(|found| Some((found, Body::read(&found, &self.dialect).ok()?)));
        let Some((found, body)) = understood else { return self.opaque(view, out) };
        self.macro_line(&found, body, out);
        self.layout.push(&found);
        found.end()
    }

    /// A directory where the header names one, or where one seems to be. There is one only.
    fn directory(&mut self, view: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        if self.layout.directory.is_some() || !(self.is_named(self.layout.offset) || looks_like_directory(view, 0)) {
            return None;
        }
        let entries = directory::read_here(view).ok()?;
        let length = 4 + entries.len() * directory::ENTRY_BYTES;
        self.line(&mut Line::Directory(entries), out);
        self.layout.directory = Some(self.layout.offset);
        self.layout.skip(length);
        self.lost = false;
        Some(length)
    }

    fn is_named(&self, offset: u64) -> bool {
        u64::try_from(self.header.directory_offset) == Ok(offset)
    }

    fn opaque(&mut self, view: &[u8], out: &mut Vec<u8>) -> usize {
        let longest = view.len().min(LONGEST_LINE);
        let here = |at: &usize| {
            let named = self.layout.directory.is_none() && (self.is_named(self.layout.offset + *at as u64) || looks_like_directory(view, *at));
            named || scan::is_macro_run(view, *at, view.len(), &self.dialect, &self.limits)
        };
        let from = usize::from(!self.lost);
        let found = (from..longest).find(here);
        self.lost = found.is_none();
        let length = found.unwrap_or(longest);
        if length > 0 {
            self.line(&mut Line::Opaque(view[..length].to_vec()), out);
            self.layout.skip(length);
        }
        length
    }

    fn macro_line(&mut self, found: &Macro, body: Body, out: &mut Vec<u8>) {
        let mut undecoded = Vec::new();
        let after = body::messages(found, &self.dialect).and_then(|(_, data)| {
            let (used, scope) = self.read_messages(data);
            undecoded.extend_from_slice(&data[used..]);
            scope
        });
        let messages = std::mem::take(&mut self.messages);
        let line = MacroLine { kind: found.kind, id: found.id, time: found.time, frame: found.frame, body, messages, undecoded };
        let mut line = Line::Macro(line);
        self.line(&mut line, out);
        if let Line::Macro(mut line) = line {
            if after.is_some() {
                self.scope = after;
            }
            if let Body::Data(info, sequence, _) = line.body {
                self.frames.observe(sequence.words[0], &line.messages);
                if let Info::Known(info) = info {
                    self.before = *info;
                }
            }
            line.messages.drain(..).for_each(|message| self.pool.give(message));
            self.messages = line.messages;
        }
    }

    /// Reads the messages of a block. Returns how many bytes they are, and the tables in force afterwards.
    fn read_messages(&mut self, data: &[u8]) -> (usize, Option<Scope>) {
        let Some(mut scope) = self.scope.clone() else { return (0, None) };
        let mut reader = ReadBits::new(data);
        let mut used = 0;
        while reader.more(true) {
            let read = message::code(&mut reader, &scope.context, &mut self.message, &mut self.pool);
            if read.is_err() || scope.observe(&self.message).is_err() {
                break;
            }
            used = (reader.position() / 8) as usize;
            self.messages.push(std::mem::take(&mut self.message));
        }
        (used, Some(scope))
    }

    fn line(&self, line: &mut Line, out: &mut Vec<u8>) {
        let setting = Setting { dialect: &self.dialect, layout: &self.layout, before: &self.before, scope: self.scope.as_ref(), frames: &self.frames };
        write_line(out, |f| line.form(f, &setting));
    }
}

/// The header as it stands there, and the dialect of what follows it, as [`Recording::open`](crate::Recording::open) finds them.
fn header(head: &[u8], limits: &Limits) -> Result<(Header, Dialect), Error> {
    let around = || Container::open(head, limits).map(|container| (container.header, container.dialect));
    match Header::read(head) {
        Ok(stated) if stated.1.messages.is_some() => Ok(stated),
        Ok(stated) => Ok(around().unwrap_or(stated)),
        Err(_) => around(),
    }
}

impl Decompile for Decompiler {
    fn step(&mut self, window: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        let mut used = 0;
        if !self.begun {
            used = self.dialect.header_bytes();
            if window.len() < used {
                return 0;
            }
            self.begun = true;
            write_line(out, |f| lines::head(f, &mut self.header, &mut Some(self.dialect)));
            self.layout.skip(used);
        }
        loop {
            let rest = &window[used..];
            if rest.is_empty() || !last && rest.len() < LOOKAHEAD {
                break;
            }
            used += self.piece(&rest[..rest.len().min(LOOKAHEAD)], out);
        }
        if last && !self.ended {
            self.ended = true;
            if self.header.directory_offset != self.layout.directory_offset() {
                self.line(&mut Line::Header(self.header.directory_offset), out);
            }
        }
        used
    }
}
