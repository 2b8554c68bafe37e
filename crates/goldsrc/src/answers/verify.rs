//! `verify`: decodes everything, encodes everything again, and compares.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use fragreel_base::wire::{Chunk, Error, ReadBits, Trace, WriteBits};
use fragreel_model::replay::{Chunks, Fed, Share, Whole, causes, feed_all};
use fragreel_model::{Damage, DamageKind, Family, RoundTrip, Verification};

use crate::container::body::Body;
use crate::container::{Container, HEAD_BYTES, Macro, MacroKind, MacroType, Source, Step, directory, tool_of_macro};
use crate::message::context::Context;
use crate::message::munge::unmunge;
use crate::message::{self, Message, Pool};
use crate::state::{ApplyError, State};
use crate::walk::findings::{Repeats, is_repeated, lacks_start};
use crate::walk::input::Input;
use crate::walk::playable::stop_at_message;
use crate::walk::playback::{Playback, Visitor};

/// Verifies a recording in memory. Encodes only the messages of `share` again.
pub(crate) fn verify(input: &Input<'_>, share: Share) -> Verification {
    let Ok(report) = verify_chunks(input, share, &mut Whole(input.container.bytes));
    report
}

/// Decodes everything, encodes it again from the trees, and compares the bytes. Also rebuilds the state and compares each frame with what
/// the stock encoder would have written. `chunks` give the recording, and `input` says how it is read.
pub(crate) fn verify_chunks<C: Chunks>(input: &Input<'_>, share: Share, chunks: &mut C) -> Result<Verification, C::Error> {
    Ok(verify_and(input, share, chunks, ())?.0)
}

/// Verifies the recording, and shows `listener` what the walk reads.
pub(super) fn verify_and<C: Chunks, L: Listener>(input: &Input<'_>, share: Share, chunks: &mut C, listener: L) -> Result<(Verification, L), C::Error> {
    let container = &input.container;
    let input = input.over(Chunk::none());
    let mut report = Verification::new(Family::GoldSrc, input.dialect().name(), input.container.length as u64);
    report.round_trip = RoundTrip::Identical;
    let playback = Playback::new(&input);
    let counted = vec![(0, 0.0, false); input.container.segments.len()];
    let mut check = Check {
        input,
        report,
        share,
        encodes: true,
        stopped: false,
        walked: 0,
        buffer: Vec::new(),
        body: Vec::new(),
        pool: Pool::default(),
        blocks: 0,
        repeats: Repeats::default(),
        cause: None,
        apply_error: None,
        uncertain: None,
        tool_data: BTreeMap::new(),
        counted,
        entered: None,
        before: None,
    };
    for damage in &check.input.container.damage {
        check.report.add(damage.clone(), &check.input.limits);
    }
    check.check_frame(container, chunks)?;
    check.note_unseen();
    let VerifyWalk { mut check, listener, .. } = feed_all(VerifyWalk { playback, check, listener }, chunks)?;
    check.check_entries();
    check.end_uncertain_run();
    check.note_tool_data();
    check.repeats.annotate(&mut check.report.damage);
    if check.report.damage.iter().any(|damage| damage.kind != DamageKind::NoEndMarker) {
        check.report.damage.extend(causes::text_mode_in(chunks)?);
    }
    Ok((check.report, listener))
}

/// What learns from the same walk.
pub(super) trait Listener {
    /// True if the macro must wait for the next chunk.
    fn waits(&self, window: &Macro<'_>, playback: &Playback<'_>) -> bool;

    /// A macro begins: the one of this number, in this segment. `body` is what could be read before its messages.
    fn begin(&mut self, place: (u32, usize), window: &Macro<'_>, body: Option<&Body>, playback: &Playback<'_>);

    /// A message of the macro.
    fn message(&mut self, message: &Message);

    /// The macro ends. Unless it is `sound`, a part of its messages was not read.
    fn end(&mut self, segment: usize, window: &Macro<'_>, playback: &Playback<'_>, sound: bool);

    /// Bytes are skipped.
    fn skipped(&mut self);
}

impl Listener for () {
    fn waits(&self, _: &Macro<'_>, _: &Playback<'_>) -> bool {
        false
    }
    fn begin(&mut self, _: (u32, usize), _: &Macro<'_>, _: Option<&Body>, _: &Playback<'_>) {}
    fn message(&mut self, _: &Message) {}
    fn end(&mut self, _: usize, _: &Macro<'_>, _: &Playback<'_>, _: bool) {}
    fn skipped(&mut self) {}
}

/// The walk that verifies.
struct VerifyWalk<L> {
    playback: Playback<'static>,
    check: Check,
    listener: L,
}

impl<L: Listener> Fed for VerifyWalk<L> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let VerifyWalk { playback, mut check, mut listener } = self;
        let mut playback = playback.in_chunk(chunk);
        check.check_macros(&mut playback, &mut listener);
        VerifyWalk { playback: playback.in_chunk(Chunk::none()), check, listener }
    }

    /// A macro is compared with the one before it.
    fn needed(&self) -> usize {
        self.check.before.map_or(self.playback.offset() as usize, |before| before.offset)
    }

    fn is_over(&self) -> bool {
        self.check.stopped || self.playback.is_over()
    }
}

/// A macro without its bytes.
#[derive(Debug, Clone, Copy)]
struct Place {
    id: MacroType,
    kind: MacroKind,
    time: f32,
    frame: i32,
    offset: usize,
    /// Bytes of its body.
    length: usize,
}

impl Place {
    fn of(window: &Macro<'_>) -> Self {
        Place { id: window.id, kind: window.kind, time: window.time, frame: window.frame, offset: window.offset, length: window.body.len() }
    }

    /// The macro, if the chunk holds it.
    fn window<'a>(self, chunk: Chunk<'a>) -> Macro<'a> {
        let Place { id, kind, time, frame, offset, length } = self;
        let from = offset + HEAD_BYTES;
        Macro { id, kind, time, frame, offset, body: chunk.get(from..from + length).unwrap_or_default() }
    }
}

struct Check {
    /// How the recording is read.
    input: Input<'static>,
    report: Verification,
    /// The macros that the walk encodes again, whether the current macro is one of them, and whether the walk stopped after them.
    share: Share,
    encodes: bool,
    stopped: bool,
    /// Bytes of the macros before the current one. A directory may list segments in any order, so offsets may fall.
    walked: u64,
    buffer: Vec<u8>,
    /// The last body that was written.
    body: Vec<u8>,
    pool: Pool,
    /// Data blocks read.
    blocks: u64,
    repeats: Repeats,
    /// The last damage, as an index into the report, and the number of blocks before it. Frames that it makes uncertain come later.
    cause: Option<(usize, u64)>,
    /// The first message of this block that could not be applied.
    apply_error: Option<Damage>,
    /// The current run of blocks whose frames are uncertain.
    uncertain: Option<UncertainRun>,
    /// Commands that hold a tool's data, by the tool's name: the first one's offset, and their number.
    tool_data: BTreeMap<&'static str, (usize, u64)>,
    /// Of each segment: its frames, the time of its first end macro, and whether it has one.
    counted: Vec<(i32, f32, bool)>,
    /// The segment of the last macro.
    entered: Option<usize>,
    /// The last macro.
    before: Option<Place>,
}

/// A run of frames that damage made uncertain. It is one finding.
struct UncertainRun {
    first: Damage,
    from: usize,
    to: usize,
    blocks: u64,
    last: u32,
    cause: Option<usize>,
}

/// Blocks after which damage can no longer be the cause of an uncertain frame: deltas reach back no further.
const REACH: u64 = 64;

/// Checks the messages of one block.
struct BlockCheck<'c, 'a, L> {
    check: &'c mut Check,
    listener: &'c mut L,
    data: &'a [u8],
    offset: usize,
    number: u32,
}

impl<L> BlockCheck<'_, '_, L> {
    fn error(&self, text: impl Into<Cow<'static, str>>, message: &Message, range: &Range<usize>) -> Error {
        let error = Error::malformed(text).at_offset((self.offset + range.start) as u64);
        error.inside(message::name(message.id()), None).inside("macro", Some(self.number))
    }
}

impl<L: Listener> Visitor for BlockCheck<'_, '_, L> {
    fn before(&mut self, _: &State, context: &Context, message: &mut Message, range: Range<usize>) {
        self.listener.message(message);
        let original = &self.data[range.clone()];
        if self.check.encodes && self.check.write(context, message) != original {
            self.check.add_message_difference(context, original, self.offset + range.start);
        }
    }

    fn after(&mut self, state: &mut State, context: &Context, message: &Message, range: Range<usize>, result: Result<(), ApplyError>) {
        if let Err(cause) = result
            && self.check.apply_error.is_none()
        {
            let kind = if cause == ApplyError::MissingBase { DamageKind::MissingBase } else { DamageKind::Message };
            self.check.apply_error = Some(Damage::of(&self.error(cause.text(), message, &range), kind));
        }
        if let Some(why) = stop_at_message(message) {
            let error = self.error(why, message, &range);
            self.check.damage(Damage::of(&error, DamageKind::Message));
        }
        match message {
            Message::Time(time) if !time.time.is_finite() => {
                let error = self.error("the server's time is not a number", message, &range);
                self.check.damage(Damage::of(&error, DamageKind::Message));
            }
            Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => {
                self.check.report.snapshots += 1;
                // what lies behind damage is not judged
                if self.check.encodes
                    && !state.entities_uncertain()
                    && let Some(mut canonical) = state.canonical(context, message)
                {
                    let same = self.check.write(context, &mut canonical) == &self.data[range.clone()];
                    self.check.report.count_canonical(self.number, (self.offset + range.start) as u64, same);
                }
            }
            Message::ServerInfo(info) => {
                let protocol = self.check.input.dialect().network_protocol;
                if info.protocol != protocol && crate::dialect::Dialect::new(5, info.protocol).is_none_or(|dialect| dialect.messages.is_none()) {
                    let error = self.error(
                        format!("the server states protocol {}, and the recording follows {protocol}: games refuse it", info.protocol),
                        message,
                        &range,
                    );
                    self.check.damage(Damage::of(&error, DamageKind::Message));
                }
                let (stated, found) = (self.check.input.container.header.map_crc, unmunge(info.munged_crc, info.player_number));
                if stated != 0 && stated != found {
                    let text = format!("the server's map has the checksum {found:08x}, the header says {stated:08x}");
                    self.check.note(self.offset + range.start, text);
                }
            }
            _ => {}
        }
    }
}

impl Check {
    /// Checks the header, the directory, and the bytes between the segments.
    fn check_frame<C: Chunks>(&mut self, container: &Container<'_>, chunks: &mut C) -> Result<(), C::Error> {
        let header = container.header.bytes(&container.dialect);
        self.compare(chunks.chunk(0, header.len())?, 0, &header, "header");
        if container.source == Source::Directory {
            let entries: Vec<_> = container.segments.iter().map(|segment| segment.entry.clone()).collect();
            let (offset, written) = (container.header.directory_offset as usize, directory::bytes(&entries));
            self.compare(chunks.chunk(offset, offset + written.len())?, offset, &written, "directory");
        }
        if let Some(second) = container.second {
            let error = Error::malformed("a second recording begins here: engines play the first; `split` gives both").at_offset(second as u64);
            let damage = Damage::of(&error, DamageKind::TrailingData).skipping(second as u64, container.length as u64);
            self.report.notes.push(damage);
        }
        let own = |gap: Range<usize>| gap.start..gap.end.min(container.second.unwrap_or(gap.end));
        for gap in container.unreferenced().into_iter().map(own).filter(|gap| !gap.is_empty()) {
            let kind = if gap.end == container.length { DamageKind::TrailingData } else { DamageKind::Compatibility };
            let error = Error::malformed("nothing refers to these bytes").at_offset(gap.start as u64);
            let damage = Damage::of(&error, kind).skipping(gap.start as u64, gap.end as u64);
            // bytes behind a directory are harmless, and the damage of an unused directory is reported already; bytes
            // where the walk gave up are lost data
            let harmless = container.source == Source::Directory || container.is_directory(gap.start);
            if harmless { self.report.notes.push(damage) } else { self.damage(damage) }
        }
        Ok(())
    }

    /// Notes that nobody has seen the messages of the protocol.
    fn note_unseen(&mut self) {
        if self.input.dialect().messages.is_some_and(|rules| !rules.seen) {
            self.note(8, "no real recording of this network protocol has been seen; its rules come from the notes of others");
        }
    }

    fn check_macros(&mut self, playback: &mut Playback<'_>, listener: &mut impl Listener) {
        let chunk = playback.chunk();
        let mut before = self.before.map(|before| before.window(chunk));
        while let Some(step) = playback.next() {
            match step {
                Step::Damage(damage) => {
                    listener.skipped();
                    self.damage(damage);
                }
                Step::Macro { number, segment, window } => {
                    if listener.waits(&window, playback) {
                        playback.step_back();
                        break;
                    }
                    self.stopped = self.share.stops_at(self.walked);
                    if self.stopped {
                        break;
                    }
                    self.encodes = self.share.encodes(self.walked);
                    self.walked += (window.end() - window.offset) as u64;
                    self.report.messages += 1;
                    if self.entered.replace(segment) != Some(segment) && lacks_start(&self.input, segment, &window) {
                        let error = Error::malformed("a played segment does not begin with its start: games count times from there");
                        self.damage(Damage::of(&error.at_offset(window.offset as u64).inside("macro", Some(number)), DamageKind::Framing));
                    }
                    let (frames, time, odd) = &mut self.counted[segment];
                    *frames += i32::from(matches!(window.kind, MacroKind::Data | MacroKind::Packet) && window.id.0 == 1);
                    if window.kind == MacroKind::End && !*odd {
                        (*time, *odd) = (window.time, true);
                    }
                    if before.replace(window).is_some_and(|before| is_repeated(&before, &window, self.input.dialect())) {
                        self.note(window.offset, "the macro repeats the previous one; `repair` leaves it out");
                    }
                    let sound = self.check_macro((number, segment), &window, playback, listener);
                    listener.end(segment, &window, playback, sound);
                }
            }
        }
        self.before = before.as_ref().map(Place::of);
    }

    /// Returns false if a part of the macro's messages was not read.
    fn check_macro<'a>(&mut self, (number, segment): (u32, usize), window: &Macro<'a>, playback: &mut Playback<'a>, listener: &mut impl Listener) -> bool {
        let dialect = *self.input.dialect();
        if let Some(tool) = tool_of_macro(window) {
            self.tool_data.entry(tool).or_insert((window.offset, 0)).1 += 1;
        }
        let body = Body::read(window, &dialect);
        listener.begin((number, segment), window, body.as_ref().ok(), playback);
        match body {
            Ok(_) if !self.encodes => {}
            Ok(mut body) => {
                let written = body.write_into(std::mem::take(&mut self.body), &dialect);
                self.compare(playback.chunk(), window.body_offset(), &written, window.kind.name());
                self.body = written;
            }
            Err(error) => self.damage(Damage::of(&error.inside("macro", Some(number)), DamageKind::Framing)),
        }
        if !window.time.is_finite() {
            let error = Error::malformed("its time is not a number: a game would wait for it forever").at_offset(window.offset as u64 + 1);
            self.damage(Damage::of(&error.inside("macro", Some(number)), DamageKind::Framing));
        }
        if window.time.is_finite() && playback.time_contradicted() {
            let error = Error::malformed("the neighboring macros contradict its time").at_offset(window.offset as u64 + 1);
            self.damage(Damage::of(&error.inside("macro", Some(number)), DamageKind::Framing));
        }
        let Some((offset, data)) = playback.messages(window) else { return true };
        if playback.context().is_none() {
            self.report.count_opaque("those of a protocol that is not known");
            return true;
        }
        self.blocks += 1;
        let frames = self.report.snapshots;
        let (_, read) = playback.visit(window, &mut BlockCheck { check: self, listener, data, offset, number });
        if let Err(error) = &read {
            match self.repeats.count(error, number) {
                Some(at) => self.cause = Some((at, self.blocks)),
                None => {
                    self.repeats.start(error, self.report.damage.len());
                    self.damage(playback.damage(error, number, window));
                }
            }
        }
        match self.apply_error.take() {
            Some(first) => self.add_uncertain_block(first, window, number),
            None if self.report.snapshots == frames => {}
            None if playback.state.is_uncertain() => self.extend_uncertain_run(window, number),
            None => self.end_uncertain_run(),
        }
        read.is_ok()
    }

    /// The block's frame is uncertain, and `first` says why.
    fn add_uncertain_block(&mut self, first: Damage, window: &Macro, number: u32) {
        let cause = self.cause.filter(|&(_, at)| self.blocks - at <= REACH).map(|(at, _)| at);
        self.uncertain.get_or_insert(UncertainRun { from: first.offset as usize, first, to: 0, blocks: 0, last: number, cause });
        self.extend_uncertain_run(window, number);
    }

    fn extend_uncertain_run(&mut self, window: &Macro, number: u32) {
        if let Some(run) = &mut self.uncertain {
            (run.to, run.last) = (window.end(), number);
            run.blocks += 1;
        }
    }

    /// Reports the uncertain frames, together with their cause if that is known. Called when a frame is stated in full again, and at the end.
    fn end_uncertain_run(&mut self) {
        let Some(UncertainRun { mut first, from, to, blocks, last, cause }) = self.uncertain.take() else { return };
        match cause.and_then(|at| self.report.damage.get_mut(at)) {
            Some(cause) => cause.detail.push_str(&format!("; because of it, {blocks} data blocks up to macro {last} are decoded against the last known state")),
            None => {
                if blocks > 1 {
                    first.detail.push_str(&format!("; {blocks} data blocks up to macro {last} are decoded against the last known state"));
                }
                self.report.add(first.skipping(from as u64, to as u64), &self.input.limits);
            }
        }
    }

    fn note_tool_data(&mut self) {
        for (tool, (offset, commands)) in std::mem::take(&mut self.tool_data) {
            self.note(offset, format!("{commands} command macros have data of {tool}, which is not decoded; `scrub` leaves them out"));
        }
    }

    fn write(&mut self, context: &Context, message: &mut Message) -> &[u8] {
        let mut writer = WriteBits::with_buffer(std::mem::take(&mut self.buffer));
        let Ok(()) = message::code(&mut writer, context, message, &mut self.pool);
        self.buffer = writer.finish();
        &self.buffer
    }

    /// Names the first field that was written differently.
    #[cold]
    fn add_message_difference(&mut self, context: &Context, original: &[u8], offset: usize) {
        let same = original.iter().zip(&self.buffer).take_while(|(a, b)| a == b).count();
        let bit = same as u64 * 8 + original.get(same).zip(self.buffer.get(same)).map_or(0, |(a, b)| u64::from((a ^ b).trailing_zeros()));
        let mut trace = Trace::new(ReadBits::new(original));
        // the trace only names the field; the message has been read before
        let _ = message::code(&mut trace, context, &mut Message::default(), &mut Pool::default());
        let field = trace.spans().iter().find(|span| (span.from..span.to).contains(&bit));
        let name = field.map_or("the end of the message", |span| span.field);
        let error = Error::malformed(format!("encoding it again gives different bits, first in {name}")).at_bit(bit).in_message_at(offset as u64);
        self.add_difference(Damage::of(&error, DamageKind::RoundTrip));
    }

    fn compare(&mut self, chunk: Chunk<'_>, offset: usize, written: &[u8], what: &'static str) {
        let original = chunk.from(offset);
        let original = &original[..written.len().min(original.len())];
        if original != written {
            let same = original.iter().zip(written).take_while(|(a, b)| a == b).count();
            let error = Error::malformed("encoding it again gives other bytes").at_offset((offset + same) as u64).inside(what, None);
            self.add_difference(Damage::of(&error, DamageKind::RoundTrip));
        }
    }

    fn add_difference(&mut self, damage: Damage) {
        self.report.round_trip = RoundTrip::Differs;
        self.report.first_difference.get_or_insert(damage);
    }

    /// Compares the directory with the macros.
    fn check_entries(&mut self) {
        let (container, counted) = (self.input.container.clone(), std::mem::take(&mut self.counted));
        if container.source == Source::Walked {
            return;
        }
        for (segment, (frames, time, ended)) in container.segments.iter().zip(counted) {
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
        self.report.add(damage, &self.input.limits);
    }

    fn note(&mut self, offset: usize, text: impl Into<String>) {
        if self.report.notes.len() < self.input.limits.damage_entries {
            let error = Error::malformed(text.into()).at_offset(offset as u64);
            self.report.notes.push(Damage::of(&error, DamageKind::Compatibility));
        }
    }
}
