//! A block's data as text: its header, its messages, and what cannot be read.

use fragreel_base::textform::Form;
use fragreel_base::wire::{ReadBytes, Wire, WriteBytes};

use crate::container::{Container, Framing, kind};
use crate::dialect::{Dialect, mvd1};
use crate::message::hidden::HiddenBlocks;
use crate::message::hot_path::FastReader;
use crate::message::{Body, FastUpdate, Message, MessageKind, PacketHeader, body_of, code};
use crate::text::framing;
use crate::text::rules::Rules;
use crate::text::update::updates;
use crate::text::value::AsText;

/// What was learned so far, and buffers.
#[derive(Debug, Clone)]
pub(super) struct Session {
    container: Container,
    pub(super) rules: Rules,
    /// One message per kind, reused.
    slots: Vec<Message>,
    fast: FastReader,
    hidden: HiddenBlocks,
    /// Updates in a row.
    updates: Vec<FastUpdate>,
    /// What was known before the line, once something was learned in it.
    before: Option<Dialect>,
    /// Whether that was so of any line.
    pub(super) learned: bool,
}

/// Where a block's data comes from or goes to.
#[derive(Debug)]
pub(super) enum Data<'d> {
    /// Taken apart.
    From(ReadBytes<'d>),
    /// Put together.
    To(WriteBytes),
    /// Only the form matters.
    Nowhere,
}

impl Data<'_> {
    /// Whether the block will be read again.
    fn check<F: Form>(&self, f: &mut F) -> Result<(), F::Error> {
        let fits = !matches!(self, Data::To(w) if w.written().len() > LONGEST_BLOCK);
        f.expect(fits, "a block of more bytes than any engine reads")
    }

    fn restart(&mut self) {
        if let Data::To(w) = self {
            *w = WriteBytes::with_buffer(std::mem::take(w).finish());
        }
    }
}

impl Session {
    pub(super) fn new(container: Container) -> Self {
        Self::knowing(container, Dialect::new(container.stream()))
    }

    pub(super) fn knowing(container: Container, dialect: Dialect) -> Self {
        let slots = MessageKind::ALL.iter().map(|kind| kind.empty()).collect();
        Session {
            container,
            rules: Rules::new(dialect),
            slots,
            fast: FastReader::new(false),
            hidden: HiddenBlocks::default(),
            updates: Vec::new(),
            before: None,
            learned: false,
        }
    }

    /// Another that knows the same.
    pub(super) fn fork(&self) -> Self {
        Self::knowing(self.container, self.rules.d.clone())
    }

    /// Before a line.
    pub(super) fn begin(&mut self) {
        self.before = None;
    }

    /// The object of a block.
    pub(super) fn block<F: Form>(&mut self, f: &mut F, around: &mut Framing, data: &mut Data<'_>) -> Result<(), F::Error> {
        let holds = matches!(around, Framing::NetQuake { .. } | Framing::Packet { .. });
        f.object(|f| {
            // what describes an object may run again
            data.restart();
            if let Some(before) = self.before.take() {
                self.rules.restore(before);
            }
            framing::framing(f, around, &self.rules)?;
            if !holds {
                return Ok(());
            }
            if !self.hidden_blocks(f, around, data)? {
                let mut readable = true;
                if self.container == Container::QuakeWorld {
                    readable = header(f, data)?;
                }
                self.messages(f, data, readable)?;
            }
            undecoded(f, data)
        })
    }

    /// Hidden blocks instead of messages. Returns whether there are any.
    fn hidden_blocks<F: Form>(&mut self, f: &mut F, around: &Framing, data: &mut Data<'_>) -> Result<bool, F::Error> {
        let nobody = matches!(around, Framing::Packet { target, .. } if target.kind == kind::MULTIPLE && target.players == 0);
        let may = nobody && self.rules.d.has_mvd1(mvd1::HIDDEN_MESSAGES);
        if self.container != Container::MultiView || !(may || matches!(data, Data::Nowhere)) {
            return Ok(false);
        }
        let mut present = false;
        if let Data::From(r) = data {
            let mut reader = r.clone();
            self.hidden.expect_length(r.rest().len());
            present = !r.rest().is_empty() && self.hidden.code(&mut reader, &self.rules.d).is_ok();
            if present {
                *r = reader;
            }
        }
        let here = self.hidden.form(f, &self.rules, present)?;
        if let (true, Data::To(w)) = (here, &mut *data) {
            let Ok(()) = self.hidden.code(w, &self.rules.d);
        }
        // blocks for nobody never hold messages
        Ok(may)
    }

    /// The next message of a packet; `None` at its end and where it cannot be read.
    #[inline]
    fn next(&mut self, r: &mut ReadBytes<'_>) -> Option<usize> {
        if !r.more(false) || !self.rules.d.supported() {
            return None;
        }
        let mut reader = r.clone();
        let number = reader.bits(0, 8).ok()?;
        let kind = self.rules.d.message(number as u8) as usize;
        let message = &mut self.slots[kind];
        match self.fast.read(&self.rules.d, number as u8, reader.rest(), message) {
            Some(length) => reader.skip(length).ok()?,
            None => body_of(&mut reader, &self.rules.d, message, number).ok()?,
        }
        *r = reader;
        Some(kind)
    }

    fn learn(&mut self, kind: usize) {
        let message = &self.slots[kind];
        // the re-release gives itself away in every frame
        let known = self.rules.d.is_rerelease() && !message.states_dialect();
        if message.changes_dialect() && !known {
            if self.before.is_none() {
                self.before = Some(self.rules.d.clone());
            }
            message.apply_to_dialect(&mut self.rules.d);
            self.learned = true;
            self.rules.refresh();
            self.fast.clear();
        }
    }

    /// An element of the list of messages: an object whose one key is the message's name. Returns the kind found.
    #[inline]
    fn message<F: Form>(&mut self, f: &mut F, kind: usize, data: &mut Data<'_>) -> Result<usize, F::Error> {
        let mut found = kind;
        let Session { rules, slots, updates, .. } = self;
        f.variant(rules.messages, kind, |f, at| {
            found = at;
            if at == MessageKind::FastUpdate as usize {
                return fast_updates(f, updates, rules, data);
            }
            let message = &mut slots[at];
            if F::READING {
                f.expect(message.belongs(&rules.d) || matches!(message, Message::Unknown(_)), "this dialect has no such message")?;
            }
            message.form(f, rules)?;
            if let Data::To(w) = data {
                let unknown = !matches!(message, Message::Unknown(_)) || message.belongs(&rules.d);
                f.expect(unknown, "this number is a message's that is known")?;
                let Ok(()) = code(w, &rules.d, message);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Reads the updates that follow the one just read, as long as their numbers rise. Returns the message after them.
    fn gather(&mut self, r: &mut ReadBytes<'_>) -> Option<usize> {
        const UPDATE: usize = MessageKind::FastUpdate as usize;
        self.updates.clear();
        loop {
            if let Message::FastUpdate(update) = &self.slots[UPDATE] {
                self.updates.push(update.clone());
            }
            let next = self.next(r);
            let Message::FastUpdate(update) = &self.slots[UPDATE] else { return next };
            if next != Some(UPDATE) || self.updates.last().is_some_and(|last| last.entity.number >= update.entity.number) {
                return next;
            }
        }
    }

    /// The list of messages, which is left out when it is empty.
    fn messages<F: Form>(&mut self, f: &mut F, data: &mut Data<'_>, readable: bool) -> Result<(), F::Error> {
        if let Data::From(r) = data {
            let mut next = if readable { self.next(r) } else { None };
            if next.is_none() {
                return Ok(());
            }
            f.require("messages")?;
            f.open_list(true)?;
            while let Some(kind) = next {
                let after = if kind == MessageKind::FastUpdate as usize { Some(self.gather(r)) } else { None };
                f.next_item()?;
                self.message(f, kind, &mut Data::Nowhere)?;
                next = after.unwrap_or_else(|| {
                    self.learn(kind);
                    self.next(r)
                });
            }
            return f.close_list();
        }
        if !f.key("messages", false)? {
            return Ok(());
        }
        let mut swallowed = false;
        f.items(0, |f, _| {
            f.insist(!swallowed, "nothing can follow a message that takes the rest of its packet")?;
            f.expect(self.rules.d.supported(), "messages of this dialect are not decoded")?;
            let kind = self.message(f, 0, data)?;
            if let Data::To(_) = data {
                swallowed = MessageKind::ALL[kind].consumes_rest(&self.rules.d);
                self.learn(kind);
            }
            Ok(())
        })?;
        data.check(f)
    }
}

/// Updates in a row.
fn fast_updates<F: Form>(f: &mut F, list: &mut Vec<FastUpdate>, rules: &Rules, data: &mut Data<'_>) -> Result<(), F::Error> {
    if F::READING {
        f.expect(rules.d.is_netquake(), "this dialect has no such message")?;
    }
    updates(f, list, rules)?;
    if let Data::To(w) = data {
        for update in list {
            let Ok(_) = w.bits(update.mask & 255, 8);
            let Ok(()) = update.code(w, &rules.d);
        }
    }
    Ok(())
}

/// Longest block that is read again.
pub(super) const LONGEST_BLOCK: usize = 1 << 20;

/// The two words in front of a packet. Returns whether what follows is messages.
fn header<F: Form>(f: &mut F, data: &mut Data<'_>) -> Result<bool, F::Error> {
    let mut words = None;
    let mut readable = true;
    if let Data::From(r) = data {
        let mut reader = r.clone();
        let mut found = PacketHeader::default();
        readable = found.code(&mut reader).is_ok();
        if readable {
            *r = reader;
            words = Some(found);
            // outside of any connection only the end of a recording is a message
            readable = !found.is_connectionless() || r.rest().first() == Some(&DISCONNECT);
        }
    }
    framing::header(f, &mut words)?;
    if let (Data::To(w), Some(mut words)) = (data, words) {
        let Ok(()) = words.code(w);
    }
    Ok(readable)
}

/// `svc_disconnect`.
const DISCONNECT: u8 = 2;

/// Bytes behind what can be read.
fn undecoded<F: Form>(f: &mut F, data: &mut Data<'_>) -> Result<(), F::Error> {
    let mut rest = Vec::new();
    if let Data::From(r) = data {
        rest = r.rest().to_vec();
    }
    f.hex_unless_empty("undecoded", &mut rest)?;
    if let Data::To(w) = data {
        let length = rest.len();
        let Ok(()) = w.octets(&mut rest, length);
    }
    data.check(f)
}
