//! `verify`: decodes everything, encodes everything again, and compares.

use std::ops::Range;

use model::{Damage, DamageKind, Family, RoundTrip, Verification};
use wire::{Error, ReadBits, Trace, WriteBits};

use crate::body::{self, Body};
use crate::container::{Macro, MacroKind, Source, Step, directory};
use crate::context::Context;
use crate::message::{self, Message, Pool};
use crate::munge::unmunge;
use crate::recording::{Recording, describe};
use crate::state::{State, Stumble};
use crate::stream::Decoder;

impl Recording<'_> {
    /// Decodes everything, encodes everything again from the trees, and compares the bytes; rebuilds the state and
    /// compares what the stock encoder would have written.
    pub fn verify(&self) -> Verification {
        let bytes = self.container.bytes;
        let mut report = Verification::new(Family::GoldSrc, self.dialect().name(), bytes.len() as u64);
        report.round_trip = RoundTrip::Identical;
        let mut check = Check { recording: self, report, state: State::default(), buffer: Vec::new(), pool: Pool::default() };
        for damage in &self.container.damage {
            check.report.add(damage.clone(), &self.limits);
        }
        check.frame();
        check.macros();
        check.report
    }
}

struct Check<'r, 'a> {
    recording: &'r Recording<'a>,
    report: Verification,
    state: State,
    buffer: Vec<u8>,
    pool: Pool,
}

impl Check<'_, '_> {
    /// Header, directory, and what lies between the segments.
    fn frame(&mut self) {
        let container = &self.recording.container;
        let header = container.header.bytes(&container.dialect);
        self.compare(0, &header, "header");
        let mut covered = vec![(0, header.len())];
        if container.source == Source::Directory {
            let entries: Vec<_> = container.segments.iter().map(|segment| segment.entry.clone()).collect();
            let offset = container.header.directory_offset as usize;
            let directory = directory::bytes(&entries);
            self.compare(offset, &directory, "directory");
            covered.push((offset, offset + directory.len()));
        }
        covered.extend(container.segments.iter().map(|segment| (segment.from, segment.to)));
        covered.sort_unstable();
        let mut at = 0;
        let length = container.bytes.len();
        for (from, to) in covered.into_iter().chain([(length, length)]) {
            if from > at {
                let kind = if from == length { DamageKind::TrailingData } else { DamageKind::Compatibility };
                let error = Error::malformed("nothing refers to these bytes").at_offset(at as u64);
                let damage = Damage::of(&error, kind).skipping(at as u64, from as u64);
                // behind a directory bytes are odd but harm nobody; where walking gave up they are lost data
                if container.source == Source::Walked { self.damage(damage) } else { self.report.notes.push(damage) }
            }
            at = at.max(to);
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
        for step in recording.container.macros() {
            match step {
                Step::Damage(damage) => self.damage(damage),
                Step::Macro { number, segment, window } => {
                    self.report.messages += 1;
                    let (frames, time, odd) = &mut counted[segment];
                    *frames += i32::from(matches!(window.kind, MacroKind::Data | MacroKind::Packet) && window.id.0 == 1);
                    if window.kind == MacroKind::End && !*odd {
                        (*time, *odd) = (window.time, true);
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
        let Some((offset, data)) = body::messages(window, dialect) else { return };
        let Some(decoder) = decoder else {
            self.report.opaque += 1;
            return;
        };
        self.state.begin(body::frame_sequence(window, dialect).unwrap_or_default());
        let before = decoder.last_good;
        if let Err(error) = decoder.block(data, offset, |context, message, range| self.message(context, message, data, range, offset, number)) {
            let from = error.offset().unwrap_or(offset as u64);
            let last = if decoder.last_good == before { None } else { decoder.last_good };
            let damage = describe(&error, self.recording.container.bytes, last.or(before), number).skipping(from, window.end() as u64);
            self.damage(damage);
        }
    }

    fn message(&mut self, context: &Context, found: &mut Message, data: &[u8], range: Range<usize>, offset: usize, number: u32) {
        let original = &data[range.clone()];
        if self.write(context, found) != original {
            self.differs(context, original, offset + range.start);
        }
        if let Err(stumble) = self.state.apply(context, found) {
            let kind = if stumble == Stumble::MissingBase { DamageKind::MissingBase } else { DamageKind::Message };
            let error = Error::malformed(stumble.text()).at_offset((offset + range.start) as u64);
            let error = error.inside(message::name(found.id()), None).inside("macro", Some(number));
            self.damage(Damage::of(&error, kind));
        }
        match found {
            Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => {
                self.report.snapshots += 1;
                if let Some(mut canonical) = self.state.canonical(context, found) {
                    self.report.canonical_attempted += 1;
                    let same = self.write(context, &mut canonical) == original;
                    self.report.canonical_identical += u64::from(same);
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
                self.note(offset, format!("the directory counts {} frames, there are {frames}", entry.frames));
            }
            if segment.is_playback() && ended && entry.time.to_bits() != time.to_bits() {
                self.note(offset, format!("the directory says {} seconds, the last macro {time}", entry.time));
            }
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.report.add(damage, &self.recording.limits);
    }

    fn note(&mut self, offset: usize, text: impl Into<String>) {
        if self.report.notes.len() < self.recording.limits.damage_entries {
            let error = Error::malformed(text.into()).at_offset(offset as u64);
            self.report.notes.push(Damage::of(&error, DamageKind::Compatibility));
        }
    }
}
