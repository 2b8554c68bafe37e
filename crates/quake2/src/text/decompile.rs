//! Decompiles bytes to lines.

use fragreel_base::textform::{Decompile, write_line};
use fragreel_base::wire::{Error, Limits, ReadBytes, Wire};

use super::known::Known;
use super::lines::{Content, Head, Line};
use super::mvd::LineMessage;
use crate::container::{Found, dm2, mvd2};
use crate::detect::{Framing, identify};
use crate::dialect::Dialect;
use crate::message::{Body, Context, Message, MessageKind, MvdBody, head};

/// Decompiles a recording to lines.
#[derive(Debug)]
pub struct Decompiler {
    head: Option<Head>,
    framing: Framing,
    /// The announcements of the bytes so far.
    context: Context,
    /// The announcements of the lines so far.
    known: Known,
    content: Content,
    /// Messages of the last blocks, to reuse.
    spare: Vec<Message>,
    spare_told: Vec<LineMessage>,
    stage: Stage,
    /// Bytes outside of blocks that were not written yet.
    opaque: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Magic,
    Blocks,
    /// After an implausible length: searching for the next block.
    Searching,
    /// After the end mark.
    Trailing,
}

/// The number of opaque bytes on one line.
const LONGEST_LINE: usize = 1 << 16;

impl Decompiler {
    /// Detects the dialect from the first bytes of the recording (1 MiB or all of it). `extension` (`dm2`, `rla`) helps if the content is
    /// ambiguous.
    pub fn new(head: &[u8], extension: Option<&str>, _limits: Limits) -> Result<Self, Error> {
        let found = identify(head, extension).ok_or_else(|| Error::malformed("this is not a recording of the Quake II family").at_offset(0))?;
        let head = Head::of(&found).ok_or_else(|| Error::unsupported("a recording cannot begin in this dialect"))?;
        let stage = if found.framing == Framing::Mvd2 { Stage::Magic } else { Stage::Blocks };
        Ok(Decompiler { head: Some(head), stage, ..Self::within(found.framing, found.dialect) })
    }

    /// A decompiler for blocks from the middle of a recording in this dialect.
    pub(crate) fn within(framing: Framing, dialect: Dialect) -> Self {
        Decompiler {
            head: None,
            framing,
            context: Context::new(dialect),
            known: Known::new(dialect),
            content: Content::default(),
            spare: Vec::new(),
            spare_told: Vec::new(),
            stage: Stage::Blocks,
            opaque: Vec::new(),
        }
    }

    fn line(&mut self, mut line: Line, out: &mut Vec<u8>) {
        let Decompiler { content, known, framing, .. } = self;
        write_line(out, |f| line.form(f, *framing, content, known));
    }

    /// Collects bytes until they fill a line.
    fn opaque(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let (taken, rest) = bytes.split_at(bytes.len().min(LONGEST_LINE - self.opaque.len()));
            self.opaque.extend_from_slice(taken);
            bytes = rest;
            if self.opaque.len() == LONGEST_LINE {
                self.tell_opaque(out);
            }
        }
    }

    fn tell_opaque(&mut self, out: &mut Vec<u8>) {
        if !self.opaque.is_empty() {
            let line = Line::Opaque(std::mem::take(&mut self.opaque));
            self.line(line, out);
        }
    }

    fn block(&mut self, data: &[u8], out: &mut Vec<u8>) {
        self.tell_opaque(out);
        let read = match self.framing {
            Framing::Dm2 => read_messages(data, &mut self.context, &mut self.content.messages, &mut self.spare),
            Framing::Mvd2 => read_record(data, &mut self.context, &mut self.content.told, &mut self.spare_told),
        };
        self.content.rest.clear();
        self.content.rest.extend_from_slice(&data[read..]);
        self.line(Line::Block, out);
        if read < data.len() {
            // The broken message may have announced something that no line contains.
            self.context.restore(&self.known.context);
        }
    }

    /// Handles one piece of the window. Returns its size in bytes, or 0 if the window has no complete piece.
    fn piece(&mut self, window: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        match self.stage {
            Stage::Magic => {
                self.stage = Stage::Blocks;
                mvd2::MAGIC.len()
            }
            Stage::Trailing => {
                self.opaque(window, out);
                window.len()
            }
            Stage::Searching => {
                let numbering = self.known.dialect().numbering;
                let (passed, found) = dm2::search(window, last, numbering);
                self.opaque(&window[..passed], out);
                if found {
                    self.stage = Stage::Blocks;
                    return passed + self.piece(&window[passed..], last, out);
                }
                passed
            }
            Stage::Blocks => {
                let found = match self.framing {
                    Framing::Dm2 => dm2::first(window),
                    Framing::Mvd2 => mvd2::first(window),
                };
                match found {
                    Found::Block(from, to) => {
                        self.block(&window[from..to], out);
                        to
                    }
                    Found::Mark(length) => {
                        self.tell_opaque(out);
                        self.line(Line::End, out);
                        self.stage = Stage::Trailing;
                        length
                    }
                    Found::Wild => {
                        self.opaque(&window[..1], out);
                        self.stage = Stage::Searching;
                        1
                    }
                    Found::Part if last => {
                        self.opaque(window, out);
                        window.len()
                    }
                    Found::Part => 0,
                }
            }
        }
    }
}

/// Reads messages up to the first undecodable one. Returns its offset.
fn read_messages(data: &[u8], cx: &mut Context, messages: &mut Vec<Message>, spare: &mut Vec<Message>) -> usize {
    let mut r = ReadBytes::new(data);
    let mut count = 0;
    let mut good = 0;
    while r.more(false) {
        let Ok(head) = head(&mut r, cx) else { break };
        if messages.len() == count {
            messages.push(spare.pop().unwrap_or_else(|| Message::new(Body::Nop)));
        }
        let message = &mut messages[count];
        if message.body.kind() != head.op || head.op == MessageKind::ServerData {
            message.body = head.op.empty();
        }
        message.unicast = head.unicast;
        if message.body.code(&mut r, cx, head.high).is_err() {
            break;
        }
        cx.learn(&message.body);
        count += 1;
        good = r.offset();
    }
    spare.extend(messages.drain(count..));
    good
}

/// Like [`read_messages`], for a record.
fn read_record(data: &[u8], cx: &mut Context, list: &mut Vec<LineMessage>, spare: &mut Vec<LineMessage>) -> usize {
    let mut r = ReadBytes::new(data);
    let mut count = 0;
    let mut good = 0;
    while r.more(false) {
        if list.len() == count {
            list.push(spare.pop().unwrap_or_default());
        }
        let told = &mut list[count];
        if told.message.read(&mut r, cx).is_err() {
            break;
        }
        if let MvdBody::Parcel(parcel) = &told.message.body {
            let read = read_messages(&parcel.data, &mut Context::new(cx.dialect), &mut told.inner, &mut Vec::new());
            told.rest.clear();
            told.rest.extend_from_slice(&parcel.data[read..]);
        }
        count += 1;
        good = r.offset();
    }
    spare.extend(list.drain(count..));
    good
}

impl Decompile for Decompiler {
    fn step(&mut self, window: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        if let Some(mut head) = self.head.take() {
            write_line(out, |f| head.form(f));
        }
        let mut used = 0;
        while used < window.len() {
            let piece = self.piece(&window[used..], last, out);
            if piece == 0 {
                break;
            }
            used += piece;
        }
        if last && used == window.len() {
            self.tell_opaque(out);
        }
        used
    }
}
