//! `verify`: decodes everything, encodes everything again, and compares.

use std::ops::Range;

use model::{Damage, DamageKind, Family, RoundTrip, Verification};
use wire::{Error, ReadBits, Trace, WriteBits};

use crate::container::body::{self, Body};
use crate::container::{Macro, MacroKind, Source, Step, directory};
use crate::edit::repair::{is_repeated, is_startless};
use crate::message::context::Context;
use crate::message::decoder::Decoder;
use crate::message::munge::unmunge;
use crate::message::{self, Message, Pool};
use crate::recording::{Recording, describe};
use crate::state::{ApplyError, State};
use crate::walk::findings::Unreadable;

impl Recording<'_> {
    /// Decodes everything, encodes everything again from the trees, and compares the bytes; rebuilds the state and
    /// compares what the stock encoder would have written.
    pub fn verify(&self) -> Verification {
        let bytes = self.container.bytes;
        let mut report = Verification::new(Family::GoldSrc, self.dialect().name(), bytes.len() as u64);
        report.round_trip = RoundTrip::Identical;
        let mut check = Check {
            recording: self,
            report,
            state: State::default(),
            buffer: Vec::new(),
            pool: Pool::default(),
            blocks: 0,
            unreadable: Unreadable::default(),
            cause: None,
            stumbled: None,
            loss: None,
        };
        for damage in &self.container.damage {
            check.report.add(damage.clone(), &self.limits);
        }
        check.frame();
        check.macros();
        check.regained();
        check.unreadable.finish(&mut check.report.damage);
        check.report
    }
}

struct Check<'r, 'a> {
    recording: &'r Recording<'a>,
    report: Verification,
    state: State,
    buffer: Vec<u8>,
    pool: Pool,
    /// Data blocks read.
    blocks: u64,
    unreadable: Unreadable,
    /// The last thing found broken, by its place in the report, and after how many blocks: what it took with it shows later.
    cause: Option<(usize, u64)>,
    /// The first thing in this block that could not be applied.
    stumbled: Option<Damage>,
    /// Blocks in a row whose frames cannot be rebuilt.
    loss: Option<Loss>,
}

/// Frames in a row that cannot be rebuilt: one finding, however many they are.
struct Loss {
    first: Damage,
    from: usize,
    to: usize,
    blocks: u64,
    last: u32,
    cause: Option<usize>,
}

/// As many blocks later a loss can still be due to what was found broken: deltas reach back no further.
const REACH: u64 = 64;

impl Check<'_, '_> {
    /// Header, directory, and what lies between the segments.
    fn frame(&mut self) {
        let container = &self.recording.container;
        let header = container.header.bytes(&container.dialect);
        self.compare(0, &header, "header");
        if container.source == Source::Directory {
            let entries: Vec<_> = container.segments.iter().map(|segment| segment.entry.clone()).collect();
            self.compare(container.header.directory_offset as usize, &directory::bytes(&entries), "directory");
        }
        for gap in container.unreferenced() {
            let kind = if gap.end == container.bytes.len() { DamageKind::TrailingData } else { DamageKind::Compatibility };
            let error = Error::malformed("nothing refers to these bytes").at_offset(gap.start as u64);
            let damage = Damage::of(&error, kind).skipping(gap.start as u64, gap.end as u64);
            // behind a directory bytes are odd but harm nobody, and of a directory that is not used the damage is named
            // already; where walking gave up they are lost data
            let harmless = container.source == Source::Directory || container.is_directory(gap.start);
            if harmless { self.report.notes.push(damage) } else { self.damage(damage) }
        }
    }

    fn macros(&mut self) {
        let recording = self.recording;
        let dialect = recording.dialect();
        let mut decoder = dialect.messages.map(|rules| Decoder::new(Context::new(rules)));
        if let Some(rules) = &dialect.messages
            && !rules.seen
        {
            self.note(8, "no real recording of this network protocol has been seen; its rules come from others' notes");
        }
        let mut counted = vec![(0, 0.0, false); recording.container.segments.len()];
        let (mut before, mut entered) = (None, None);
        for step in recording.container.macros() {
            match step {
                Step::Damage(damage) => self.damage(damage),
                Step::Macro { number, segment, window } => {
                    self.report.messages += 1;
                    if entered.replace(segment) != Some(segment) && is_startless(recording, segment, &window) {
                        let error = Error::malformed("a played segment does not begin with its start: games count times from there");
                        self.damage(Damage::of(&error.at_offset(window.offset as u64).inside("macro", Some(number)), DamageKind::Framing));
                    }
                    let (frames, time, odd) = &mut counted[segment];
                    *frames += i32::from(matches!(window.kind, MacroKind::Data | MacroKind::Packet) && window.id.0 == 1);
                    if window.kind == MacroKind::End && !*odd {
                        (*time, *odd) = (window.time, true);
                    }
                    if before.replace(window).is_some_and(|before| is_repeated(&before, &window, dialect)) {
                        self.note(window.offset, "the macro is the one before it once more; `repair` leaves it out");
                    }
                    self.one(number, &window, decoder.as_mut());
                }
            }
        }
        self.entries(&counted);
    }

    fn one(&mut self, number: u32, window: &Macro, decoder: Option<&mut Decoder>) {
        let dialect = self.recording.dialect();
        match Body::read(window, dialect) {
            Ok(mut body) => {
                let written = body.bytes(dialect);
                self.compare(window.body_offset(), &written, window.kind.name());
            }
            Err(error) => self.damage(Damage::of(&error.inside("macro", Some(number)), DamageKind::Framing)),
        }
        if !window.time.is_finite() {
            let error = Error::malformed("its time is no number: a game would wait for it for ever").at_offset(window.offset as u64 + 1);
            self.damage(Damage::of(&error.inside("macro", Some(number)), DamageKind::Framing));
        }
        let Some((offset, data)) = body::messages(window, dialect) else { return };
        let Some(decoder) = decoder else {
            self.report.opaque += 1;
            return;
        };
        self.state.begin(body::frame_sequence(window, dialect).unwrap_or_default());
        self.blocks += 1;
        let (before, frames) = (decoder.last_good, self.report.snapshots);
        if let Err(error) = decoder.block(data, offset, |context, message, range| self.message(context, message, data, range, offset, number)) {
            let from = error.offset().unwrap_or(offset as u64);
            let last = if decoder.last_good == before { None } else { decoder.last_good };
            let damage = describe(&error, self.recording.container.bytes, last.or(before), number).skipping(from, window.end() as u64);
            match self.unreadable.again(&error, number) {
                Some(at) => self.cause = Some((at, self.blocks)),
                None => {
                    self.unreadable.first(&error, self.report.damage.len());
                    self.damage(damage);
                }
            }
        }
        match self.stumbled.take() {
            Some(first) => self.lose(first, window, number),
            None if self.report.snapshots > frames => self.regained(),
            None => {}
        }
    }

    /// The block's frame cannot be rebuilt.
    fn lose(&mut self, first: Damage, window: &Macro, number: u32) {
        let cause = self.cause.filter(|&(_, at)| self.blocks - at <= REACH).map(|(at, _)| at);
        let loss = self.loss.get_or_insert(Loss { from: first.offset as usize, first, to: 0, blocks: 0, last: number, cause });
        (loss.to, loss.last) = (window.end(), number);
        loss.blocks += 1;
    }

    /// A frame can be rebuilt again, or nothing follows: reports what could not be, beside its cause if that is known.
    fn regained(&mut self) {
        let Some(Loss { mut first, from, to, blocks, last, cause }) = self.loss.take() else { return };
        match cause.and_then(|at| self.report.damage.get_mut(at)) {
            Some(cause) => cause.detail.push_str(&format!("; because of it {blocks} data blocks up to macro {last} cannot be rebuilt")),
            None => {
                if blocks > 1 {
                    first.detail.push_str(&format!("; {blocks} data blocks up to macro {last} cannot be rebuilt"));
                }
                self.report.add(first.skipping(from as u64, to as u64), &self.recording.limits);
            }
        }
    }

    fn message(&mut self, context: &Context, found: &mut Message, data: &[u8], range: Range<usize>, offset: usize, number: u32) {
        let original = &data[range.clone()];
        if self.write(context, found) != original {
            self.differs(context, original, offset + range.start);
        }
        if let Err(cause) = self.state.apply(context, found) {
            let kind = if cause == ApplyError::MissingBase { DamageKind::MissingBase } else { DamageKind::Message };
            let error = Error::malformed(cause.text()).at_offset((offset + range.start) as u64);
            let error = error.inside(message::name(found.id()), None).inside("macro", Some(number));
            self.stumbled.get_or_insert_with(|| Damage::of(&error, kind));
        }
        match found {
            Message::Time(time) if !time.time.is_finite() => {
                let error = Error::malformed("the server's time is no number").at_offset((offset + range.start) as u64);
                let error = error.inside(message::name(found.id()), None).inside("macro", Some(number));
                self.damage(Damage::of(&error, DamageKind::Message));
            }
            Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => {
                self.report.snapshots += 1;
                if let Some(mut canonical) = self.state.canonical(context, found) {
                    let same = self.write(context, &mut canonical) == original;
                    self.report.count_canonical(number, (offset + range.start) as u64, same);
                }
            }
            Message::ServerInfo(info) => {
                let (stated, found) = (self.recording.container.header.map_crc, unmunge(info.munged_crc, info.player_number));
                if stated != 0 && stated != found {
                    let text = format!("the server's map has the checksum {found:08x}, the header says {stated:08x}");
                    self.note(offset + range.start, text);
                }
            }
            _ => {}
        }
    }

    fn write(&mut self, context: &Context, message: &mut Message) -> &[u8] {
        let mut writer = WriteBits::with_buffer(std::mem::take(&mut self.buffer));
        let Ok(()) = message::code(&mut writer, context, message, &mut self.pool);
        self.buffer = writer.finish();
        &self.buffer
    }

    /// Names the field in which what was just written first differs.
    #[cold]
    fn differs(&mut self, context: &Context, original: &[u8], offset: usize) {
        let same = original.iter().zip(&self.buffer).take_while(|(a, b)| a == b).count();
        let bit = same as u64 * 8 + original.get(same).zip(self.buffer.get(same)).map_or(0, |(a, b)| u64::from((a ^ b).trailing_zeros()));
        let mut trace = Trace::new(ReadBits::new(original));
        // the trace only serves to name the field; that the message can be read is known
        let _ = message::code(&mut trace, context, &mut Message::default(), &mut Pool::default());
        let field = trace.spans().iter().find(|span| (span.from..span.to).contains(&bit));
        let name = field.map_or("the end of the message", |span| span.field);
        let error = Error::malformed(format!("encoding it again gives other bits, first in {name}")).at_bit(bit).in_message_at(offset as u64);
        self.difference(Damage::of(&error, DamageKind::RoundTrip));
    }

    fn compare(&mut self, offset: usize, written: &[u8], what: &'static str) {
        let original = &self.recording.container.bytes[offset..];
        let original = &original[..written.len().min(original.len())];
        if original != written {
            let same = original.iter().zip(written).take_while(|(a, b)| a == b).count();
            let error = Error::malformed("encoding it again gives other bytes").at_offset((offset + same) as u64).inside(what, None);
            self.difference(Damage::of(&error, DamageKind::RoundTrip));
        }
    }

    fn difference(&mut self, damage: Damage) {
        self.report.round_trip = RoundTrip::Differs;
        self.report.first_difference.get_or_insert(damage);
    }

    /// What the directory says against what the macros say.
    fn entries(&mut self, counted: &[(i32, f32, bool)]) {
        let container = &self.recording.container;
        if container.source == Source::Walked {
            return;
        }
        for (segment, &(frames, time, ended)) in container.segments.iter().zip(counted) {
            let offset = container.header.directory_offset as usize;
            let entry = &segment.entry;
            if segment.is_playback() && entry.frames != frames {
                self.note(offset, format!("the directory counts {} frames, there are {frames}; `repair` corrects it", entry.frames));
            }
            if segment.is_playback() && ended && entry.time.to_bits() != time.to_bits() {
                self.note(offset, format!("the directory says {} seconds, the last macro {time}", entry.time));
            }
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.cause = Some((self.report.damage.len(), self.blocks));
        self.report.add(damage, &self.recording.limits);
    }

    fn note(&mut self, offset: usize, text: impl Into<String>) {
        if self.report.notes.len() < self.recording.limits.damage_entries {
            let error = Error::malformed(text.into()).at_offset(offset as u64);
            self.report.notes.push(Damage::of(&error, DamageKind::Compatibility));
        }
    }
}
