//! The three containers: NetQuake's `.dem`, QuakeWorld's `.qwd` and `.mvd` (`docs/formats/quake1.md`, "Containers").
//!
//! A [`Blocks`] hands out windows over the file, each with its offset. Nothing is looked into.
//!
//! ```
//! use fragreel_quake1::unstable::container::{Blocks, Container, Framing};
//!
//! let mut file = b"-1\n".to_vec();
//! file.extend([1, 0, 0, 0]); // one byte of messages
//! file.extend([0; 12]); // view angles
//! file.push(2); // svc_disconnect
//! let mut blocks = Blocks::new(&file, Container::NetQuake, &fragreel_base::wire::Limits::default()).unwrap();
//! let block = blocks.next().unwrap().unwrap();
//! assert_eq!((block.offset, block.data_offset, block.data), (3, 19, &[2][..]));
//! assert!(matches!(block.framing, Framing::NetQuake { .. }));
//! assert!(blocks.next().is_none());
//! ```

mod hot_path;

use fragreel_base::wire::{Error, Limits, ReadBytes, Wire, WriteBytes};

use crate::dialect::Stream;
use crate::message::Float;

/// Which container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    /// `.dem`: a line with the music track, then lengths, view angles and messages.
    NetQuake,
    /// `.qwd`: what one client sent and received.
    QuakeWorld,
    /// `.mvd`: what the server sent to whom.
    MultiView,
}

impl Container {
    /// Whose messages it holds.
    pub fn stream(self) -> Stream {
        match self {
            Container::NetQuake => Stream::NetQuake,
            Container::QuakeWorld => Stream::QuakeWorld,
            Container::MultiView => Stream::MultiView,
        }
    }

    /// The usual extension.
    pub fn extension(self) -> &'static str {
        match self {
            Container::NetQuake => "dem",
            Container::QuakeWorld => "qwd",
            Container::MultiView => "mvd",
        }
    }
}

/// Longest line that a NetQuake recording starts with, without its end.
const LONGEST_HEADER: usize = 64;

/// The client's input as the engine's structure has it in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserCommand {
    /// Milliseconds.
    pub msec: u8,
    /// Whatever stood in the structure's gap.
    pub padding: [u8; 3],
    /// View angles in degrees.
    pub angles: [Float; 3],
    /// Forward, side, up.
    pub movement: [i16; 3],
    /// Buttons.
    pub buttons: u8,
    /// Impulse.
    pub impulse: u8,
}

/// What stands around a block's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// NetQuake: the view angles at that time.
    NetQuake {
        /// Pitch, yaw, roll in degrees.
        angles: [Float; 3],
    },
    /// QuakeWorld: what the client sent. No data.
    Command {
        /// When.
        time: Stamp,
        /// The input.
        command: UserCommand,
        /// View angles in degrees.
        angles: [Float; 3],
    },
    /// QuakeWorld: what the client received.
    Packet {
        /// When.
        time: Stamp,
        /// To whom, in a multi-view recording.
        target: Target,
    },
    /// QuakeWorld: where the connection's sequences stand. No data.
    Sequences {
        /// When.
        time: Stamp,
        /// The next packet sent.
        outgoing: u32,
        /// The last packet received.
        incoming: u32,
    },
}

/// When a block was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// Seconds on the client's clock (`.qwd`).
    At(Float),
    /// Milliseconds after the block before (`.mvd`).
    After(u8),
}

/// To whom a block of a multi-view recording was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Target {
    /// The type: 1 the client, or as the block before; 3 several, 4 one, 5 one's stats, 6 all.
    pub kind: u8,
    /// The slot for one player's, else mostly 0.
    pub slot: u8,
    /// The players, one bit each (type 3).
    pub players: u32,
}

/// Types of blocks in QuakeWorld's containers.
pub mod kind {
    #![allow(missing_docs, reason = "named as engines name them")]
    pub const COMMAND: u8 = 0;
    pub const READ: u8 = 1;
    pub const SET: u8 = 2;
    pub const MULTIPLE: u8 = 3;
    pub const SINGLE: u8 = 4;
    pub const STATS: u8 = 5;
    pub const ALL: u8 = 6;
}

impl Framing {
    /// The client's clock in seconds (`.qwd`).
    pub(crate) fn time(&self) -> Option<Float> {
        match self {
            Framing::Command { time: Stamp::At(time), .. }
            | Framing::Packet { time: Stamp::At(time), .. }
            | Framing::Sequences { time: Stamp::At(time), .. } => Some(*time),
            _ => None,
        }
    }

    fn blank(container: Container, kind: u8) -> Option<Self> {
        let time = if container == Container::MultiView { Stamp::After(0) } else { Stamp::At(Float(0)) };
        Some(match (container, kind) {
            (Container::NetQuake, _) => Framing::NetQuake { angles: [Float(0); 3] },
            (_, kind::COMMAND) => Framing::Command { time, command: UserCommand::default(), angles: [Float(0); 3] },
            (_, kind::SET) => Framing::Sequences { time, outgoing: 0, incoming: 0 },
            (_, kind::READ) | (Container::MultiView, kind::MULTIPLE..=kind::ALL) => Framing::Packet { time, target: Target { kind, ..Target::default() } },
            _ => return None,
        })
    }

    fn type_byte(&self) -> u8 {
        match self {
            Framing::NetQuake { .. } => 0,
            Framing::Command { .. } => kind::COMMAND,
            Framing::Sequences { .. } => kind::SET,
            Framing::Packet { target, .. } => target.kind | target.slot << 3,
        }
    }

    fn stamp(&mut self) -> Option<&mut Stamp> {
        match self {
            Framing::NetQuake { .. } => None,
            Framing::Command { time, .. } | Framing::Packet { time, .. } | Framing::Sequences { time, .. } => Some(time),
        }
    }
}

fn floats<W: Wire>(w: &mut W, name: &'static str, values: &mut [Float; 3]) -> Result<(), W::Error> {
    for value in values {
        value.0 = w.field(name, value.0, 32)?;
        let value = value.value();
        w.note(|| value.to_string());
    }
    Ok(())
}

/// Reads or writes what stands before a block's data, and the data's length.
pub fn code_framing<W: Wire>(w: &mut W, container: Container, framing: &mut Framing, length: &mut u32) -> Result<(), W::Error> {
    if container == Container::NetQuake {
        *length = w.field("length", *length, 32)?;
        if W::READING {
            *framing = Framing::NetQuake { angles: [Float(0); 3] };
        }
        if let Framing::NetQuake { angles } = framing {
            floats(w, "view_angles", angles)?;
        }
        return Ok(());
    }
    let stamp = match framing.stamp() {
        Some(Stamp::At(time)) => time.0,
        Some(Stamp::After(delay)) => u32::from(*delay),
        None => 0,
    };
    let multi_view = container == Container::MultiView;
    let stamp = w.field("time", stamp, if multi_view { 8 } else { 32 })?;
    if !multi_view {
        w.note(|| f32::from_bits(stamp).to_string());
    }
    let byte = w.field("type", u32::from(framing.type_byte()), 8)? as u8;
    if W::READING {
        let kind = if multi_view { byte & 7 } else { byte };
        let Some(mut blank) = Framing::blank(container, kind) else {
            return w.expect(false, "a block of no known type");
        };
        // the upper bits of these types mean nothing, and no engine sets them
        w.expect(matches!(kind, kind::READ | kind::MULTIPLE..) || byte == kind, "a block of no known type")?;
        if let Framing::Packet { target, .. } = &mut blank {
            target.slot = byte >> 3;
        }
        if let Some(time) = blank.stamp() {
            *time = if multi_view { Stamp::After(stamp as u8) } else { Stamp::At(Float(stamp)) };
        }
        *framing = blank;
    }
    match framing {
        Framing::Command { command, angles, .. } => {
            let c = command;
            c.msec = w.field("msec", u32::from(c.msec), 8)? as u8;
            w.enter("padding");
            for byte in &mut c.padding {
                *byte = w.bits(u32::from(*byte), 8)? as u8;
            }
            floats(w, "command_angles", &mut c.angles)?;
            for (name, value) in ["forward", "side", "up"].into_iter().zip(&mut c.movement) {
                *value = w.signed(name, i32::from(*value), 16)? as i16;
            }
            c.buttons = w.field("buttons", u32::from(c.buttons), 8)? as u8;
            c.impulse = w.field("impulse", u32::from(c.impulse), 8)? as u8;
            *length = 0;
            floats(w, "view_angles", angles)
        }
        Framing::Sequences { outgoing, incoming, .. } => {
            *outgoing = w.field("outgoing", *outgoing, 32)?;
            *incoming = w.field("incoming", *incoming, 32)?;
            *length = 0;
            Ok(())
        }
        Framing::Packet { target, .. } => {
            if target.kind == kind::MULTIPLE {
                target.players = w.field("players", target.players, 32)?;
            }
            *length = w.field("length", *length, 32)?;
            Ok(())
        }
        Framing::NetQuake { .. } => Ok(()),
    }
}

/// A window over the file.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    /// Its number, from 0.
    pub number: u32,
    /// Where its framing starts in the file.
    pub offset: u64,
    /// Where its data starts.
    pub data_offset: u64,
    /// What stands around the data.
    pub framing: Framing,
    /// The data: messages, for [`Framing::NetQuake`] and [`Framing::Packet`].
    pub data: &'a [u8],
    /// True if the blocks before and after contradict the block's time. Clocks ignore it.
    pub contradicted: bool,
    /// True if the block came late: its time is before that of the block before, and the next one goes on from there (NetQuake). Clocks ignore it.
    pub late: bool,
}

impl Block<'_> {
    /// The byte after its last.
    pub fn end(&self) -> u64 {
        self.data_offset + self.data.len() as u64
    }
}

/// What stands around the block at the start of `bytes`, where its data starts, and the data's length.
#[inline(always)]
pub(crate) fn frame(bytes: &[u8], container: Container, limit: usize) -> Result<(Framing, usize, usize), Error> {
    let (framing, at, length) = match hot_path::framing(bytes, container) {
        Some(found) => found,
        None => framing_read(bytes, container)?,
    };
    let length = length as usize;
    if length > limit {
        return Err(too_long(length));
    }
    Ok((framing, at, length))
}

#[cold]
fn too_long(length: usize) -> Error {
    Error::limit(format!("a block of {length} bytes, more than any engine reads"))
}

/// Reads framing a field at a time.
#[cold]
#[inline(never)]
fn framing_read(bytes: &[u8], container: Container) -> Result<(Framing, usize, u32), Error> {
    let mut r = ReadBytes::new(bytes);
    let mut framing = Framing::NetQuake { angles: [Float(0); 3] };
    let mut length = 0;
    code_framing(&mut r, container, &mut framing, &mut length)?;
    Ok((framing, r.offset(), length))
}

/// The blocks of a recording in file order.
///
/// An error is yielded once where framing breaks; then [`resume`](Self::resume) looks for the next place from which
/// several blocks in a row make sense.
#[derive(Debug, Clone)]
pub struct Blocks<'a> {
    bytes: &'a [u8],
    container: Container,
    at: usize,
    number: u32,
    limit: usize,
    broken: bool,
    /// Whether the broken block may be whole but for the file's end.
    cut: bool,
    /// Whether the file's start, which comes next, is damaged.
    lost_start: bool,
    /// The last time that the blocks stated.
    time: Option<f32>,
    /// False while the file may grow.
    ends: bool,
}

/// What the blocks behind a jump of the clock say of it.
enum Jump {
    /// They go on from the time before it: one time is damaged.
    Contradicted,
    /// They go on from the time before it, which is a little later: the block came late.
    Late,
    /// They go on from the new time: the clock was set, or a level began.
    Set,
    /// They make no sense: it is no block.
    Broken,
}

/// Seconds by which the clock may fall, or go on, from one block to the next without another look.
const STEADY: std::ops::Range<f32> = -1.0..5.0;
/// Seconds by which a block of NetQuake may be late.
const LATE: f32 = 10.0;
/// Seconds by which a single time may be ahead of the others.
const LONGEST_PAUSE: f32 = 60.0;
/// Seconds that a hole may take.
const LONGEST_HOLE: f32 = 600.0;
/// Zeros in a row that are no block.
const ZEROS: usize = 64;

/// A time, if it goes on from the one before.
fn steady(before: f32, time: f32, most: std::ops::Range<f32>) -> Option<f32> {
    most.contains(&(time - before)).then_some(time)
}

#[cold]
fn ends_within(length: usize) -> Error {
    Error::malformed(format!("the file ends within a block of {length} bytes"))
}

fn starts_with_zeros(bytes: &[u8]) -> bool {
    bytes.len() >= ZEROS && bytes[..ZEROS].iter().all(|&byte| byte == 0)
}

/// The time that a block states: the client's in its framing (`.qwd`), or the server's in its first message (NetQuake).
fn stated_time(framing: &Framing, data: &[u8]) -> Option<f32> {
    const SVC_TIME: u8 = 7;
    match framing {
        Framing::NetQuake { .. } => {
            let bytes = data.strip_prefix(&[SVC_TIME])?.first_chunk()?;
            Some(f32::from_le_bytes(*bytes))
        }
        framing => framing.time().map(Float::value),
    }
}

impl<'a> Blocks<'a> {
    /// The blocks of a file that does not start with one, or with a NetQuake file's line. The first item is an error.
    pub(crate) fn without_start(bytes: &'a [u8], container: Container, limits: &Limits) -> Self {
        Blocks { bytes, container, at: 0, number: 0, limit: limits.message_bytes, broken: false, cut: false, lost_start: true, time: None, ends: true }
    }

    /// The blocks of a file. Fails when a NetQuake file does not start with its line.
    pub fn new(bytes: &'a [u8], container: Container, limits: &Limits) -> Result<Self, Error> {
        let at = match container {
            Container::NetQuake => {
                header(bytes).ok_or_else(|| Error::malformed("the recording does not start with the number of a music track").at_offset(0))?.len()
            }
            _ => 0,
        };
        Ok(Blocks { bytes, container, at, number: 0, limit: limits.message_bytes, broken: false, cut: false, lost_start: false, time: None, ends: true })
    }

    /// The same place in more, or in other bytes. `ends` says that no more will follow.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8], ends: bool) -> Blocks<'b> {
        Blocks { bytes, ends, ..*self }
    }

    /// Looks behind a block whose time jumps.
    #[cold]
    #[inline(never)]
    fn judge(&self, before: f32, jumped: f32, mut at: usize) -> Jump {
        let (mut last, mut followed) = (jumped, 0);
        for _ in 0..IN_A_ROW {
            if at == self.bytes.len() {
                break;
            }
            let Ok((framing, data, length)) = self.read(at) else { break };
            if let Some(time) = stated_time(&framing, &self.bytes[data..data + length]) {
                if steady(before, time, 0.0..STEADY.end).is_some() {
                    let is_late = self.container == Container::NetQuake && jumped > 0.0 && (0.0..LATE).contains(&(before - jumped));
                    return if is_late { Jump::Late } else { Jump::Contradicted };
                }
                let Some(time) = steady(last, time, STEADY) else { break };
                (last, followed) = (time, followed + 1);
            }
            at = data + length;
        }
        let (ended, netquake) = (at == self.bytes.len(), self.container == Container::NetQuake);
        match followed {
            _ if !jumped.is_finite() => Jump::Contradicted,
            _ if !self.ends => Jump::Set,
            IN_A_ROW.. => Jump::Set,
            1.. if ended || netquake => Jump::Set,
            0 if (ended || netquake) && jumped - before > LONGEST_PAUSE => Jump::Contradicted,
            // nothing behind it says anything
            0 if ended && jumped - before < LONGEST_HOLE => Jump::Set,
            0 if netquake && !ended => Jump::Set,
            0 if ended => Jump::Contradicted,
            _ => Jump::Broken,
        }
    }

    /// True if the blocks behind the recording's first time follow each other, and start long after it.
    #[cold]
    #[inline(never)]
    fn is_first_contradicted(&self, first: f32, mut at: usize) -> bool {
        let mut last = None;
        for _ in 0..IN_A_ROW {
            if at == self.bytes.len() || !self.ends {
                return false;
            }
            let Ok((framing, data, length)) = self.read(at) else { return false };
            if let Some(time) = stated_time(&framing, &self.bytes[data..data + length]) {
                if (time - first).abs() <= LONGEST_PAUSE {
                    return false;
                }
                if let Some(last) = last {
                    return !first.is_finite() || steady(last, time, STEADY).is_some();
                }
                last = Some(time);
            }
            at = data + length;
        }
        false
    }

    /// Where the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.at as u64
    }

    #[inline(always)]
    fn read(&self, at: usize) -> Result<(Framing, usize, usize), Error> {
        let (framing, data, length) = frame(&self.bytes[at..], self.container, self.limit)?;
        let data = at + data;
        if self.bytes.len() - data < length {
            return Err(ends_within(length));
        }
        if self.bytes[at] == 0 && starts_with_zeros(&self.bytes[at..]) {
            return Err(Error::malformed("zeros where a block should begin"));
        }
        Ok((framing, data, length))
    }

    /// The next block: framing, where its data starts, the data's length, and what is wrong with its time.
    #[inline(always)]
    fn read_in_time(&mut self) -> Result<(Framing, usize, usize, Option<Jump>), Error> {
        let (framing, data, length) = self.read(self.at)?;
        let stated = stated_time(&framing, &self.bytes[data..data + length]);
        let Some(time) = stated else { return Ok((framing, data, length, None)) };
        let Some(before) = self.time else {
            let contradicted = self.is_first_contradicted(time, data + length);
            self.time = Some(time).filter(|_| !contradicted);
            return Ok((framing, data, length, contradicted.then_some(Jump::Contradicted)));
        };
        let is_plain = self.container != Container::NetQuake || time >= before;
        if let Some(time) = steady(before, time, STEADY).filter(|_| is_plain) {
            self.time = Some(time);
            return Ok((framing, data, length, None));
        }
        match self.judge(before, time, data + length) {
            Jump::Set => self.time = Some(time),
            // a clock that falls a little is no damage
            Jump::Broken | Jump::Contradicted if steady(before, time, STEADY).is_some() => self.time = Some(time),
            Jump::Broken => return Err(Error::malformed("a time that the blocks before and behind contradict")),
            doubtful => return Ok((framing, data, length, Some(doubtful))),
        }
        Ok((framing, data, length, None))
    }

    /// Looks for the next place after the one that broke where blocks make sense again, and `reads` reads the first. Where it reads none, their framing
    /// alone decides. The bytes passed over are returned; `None` when there is no such place.
    pub fn resume(&mut self, reads: impl Fn(&Block<'_>) -> bool) -> Option<(u64, u64)> {
        if !self.broken {
            return None;
        }
        let from = self.at;
        // where the file may just have been cut, a few bytes that look like a block at its very end prove nothing
        let cut = self.cut;
        let known = self.time.filter(|_| self.container == Container::QuakeWorld);
        let time_at = |at: usize| self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes);
        let makes_sense = |at: usize, in_time: bool| {
            let mut at = at;
            let (mut last, mut longest) = (known.filter(|_| in_time), LONGEST_HOLE);
            for _ in 0..IN_A_ROW {
                if starts_with_zeros(&self.bytes[at..]) {
                    return false;
                }
                if let (Some(before), Some(time)) = (last, time_at(at)) {
                    if !(STEADY.start..longest).contains(&(time - before)) {
                        return false;
                    }
                    (last, longest) = (Some(time), STEADY.end);
                }
                let Some(length) = plausible_length(&self.bytes[at..], self.container, self.limit) else { return false };
                at += length;
                if at == self.bytes.len() {
                    return !cut;
                }
            }
            true
        };
        let is_read = |at: usize| {
            let Ok((framing, data, length)) = self.read(at) else { return false };
            let data_offset = data as u64;
            let data = &self.bytes[data..data + length];
            reads(&Block { number: self.number, offset: at as u64, data_offset, framing, data, contradicted: false, late: false })
        };
        let place = |in_time: bool, is_read: &dyn Fn(usize) -> bool| {
            let mut places = from + 1..self.bytes.len();
            places.find(|&at| makes_sense(at, in_time) && is_read(at))
        };
        let in_time = known.and_then(|_| place(true, &is_read).or_else(|| place(true, &|_| true)));
        self.at = in_time.or_else(|| place(false, &is_read)).or_else(|| place(false, &|_| true))?;
        self.broken = false;
        Some((from as u64, self.at as u64))
    }
}

/// The line that starts a NetQuake recording, with its end.
pub(crate) fn header(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().take(LONGEST_HEADER).position(|&byte| byte == b'\n')?;
    let line = bytes[..end].trim_ascii();
    let digits = line.strip_prefix(b"-").unwrap_or(line);
    (digits.iter().all(u8::is_ascii_digit)).then(|| &bytes[..=end])
}

/// Blocks in a row that have to make sense where they are looked for.
pub(crate) const IN_A_ROW: usize = 6;
/// Engines write no longer messages.
pub(crate) const LONGEST_LIKELY: usize = 1 << 16;

/// The length of the [`plausible`] block that starts here, if there is one, from the few bytes that decide it.
/// Every place behind damage is looked at, and in foreign bytes many are zeros, which begin a command each: 0.9 MB of them take a
/// quarter of the time that reading takes.
pub(crate) fn plausible_length(bytes: &[u8], container: Container, limit: usize) -> Option<usize> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    let sane = |at: usize| (0..3).all(|axis| word(at + 4 * axis).is_some_and(|word| is_sane(Float(word))));
    let fixed = |length: usize| (bytes.len() >= length).then_some(length);
    let packet = |at: usize, head: usize| {
        let length = word(at)? as usize;
        fixed(head + length).filter(|_| (1..=LONGEST_LIKELY.min(limit)).contains(&length))
    };
    // where the fields behind time and type begin
    let (at, byte) = match container {
        Container::NetQuake => return packet(0, 4 + 12).filter(|_| sane(4)),
        Container::QuakeWorld => (5, *bytes.get(4)?),
        Container::MultiView => (2, *bytes.get(1)?),
    };
    if container == Container::QuakeWorld && !is_likely_time(Float(word(0)?)) {
        return None;
    }
    match (byte & 7, byte >> 3, container) {
        (kind::COMMAND, 0, _) => fixed(at + 36).filter(|_| sane(at + 4) && sane(at + 24)),
        (kind::SET, 0, _) => fixed(at + 8),
        (kind::READ, 0, _) | (kind::ALL, 0, Container::MultiView) | (kind::SINGLE | kind::STATS, _, Container::MultiView) => packet(at, at + 4),
        (kind::MULTIPLE, 0, Container::MultiView) => packet(at + 4, at + 8),
        _ => None,
    }
}

/// The same by reading, which [`plausible_length`] is held against.
pub(crate) fn plausible_length_read(bytes: &[u8], container: Container, limit: usize) -> Option<usize> {
    let (framing, head, length) = frame(bytes, container, limit).ok()?;
    bytes.get(head..head + length).filter(|data| plausible(&framing, data)).map(|_| head + length)
}

/// Whether framing looks like an engine's and not like chance.
pub(crate) fn plausible(framing: &Framing, data: &[u8]) -> bool {
    let sane = |floats: &[Float; 3]| floats.iter().all(|&float| is_sane(float));
    match framing {
        Framing::NetQuake { angles } => sane(angles) && !data.is_empty() && data.len() <= LONGEST_LIKELY,
        Framing::Command { time, command, angles } => sane_time(*time) && sane(angles) && sane(&command.angles),
        Framing::Packet { time, target } => {
            let slot = target.kind == kind::SINGLE || target.kind == kind::STATS || target.slot == 0;
            sane_time(*time) && slot && !data.is_empty() && data.len() <= LONGEST_LIKELY
        }
        Framing::Sequences { time, .. } => sane_time(*time),
    }
}

fn is_sane(float: Float) -> bool {
    float.value().is_finite() && float.value().abs() < 100_000.0
}

fn sane_time(time: Stamp) -> bool {
    match time {
        Stamp::At(seconds) => is_likely_time(seconds),
        Stamp::After(_) => true,
    }
}

/// Whether a recording may begin with a block of that time, so that it is recognized.
pub(crate) fn is_likely_time(seconds: Float) -> bool {
    (0.0..10_000_000.0).contains(&seconds.value()) && (seconds.0 == 0 || seconds.value() > 1e-6)
}

/// How many blocks in a row make sense from the start: detection's question.
pub(crate) fn sense(bytes: &[u8], container: Container, most: usize) -> usize {
    let Ok(mut blocks) = Blocks::new(bytes, container, &Limits::default()) else { return 0 };
    let mut count = 0;
    while count < most {
        match blocks.next() {
            Some(Ok(block)) if plausible(&block.framing, block.data) || block.data.is_empty() => count += 1,
            _ => break,
        }
    }
    count
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.broken || self.at >= self.bytes.len() {
            return None;
        }
        let offset = self.at;
        if std::mem::take(&mut self.lost_start) {
            self.broken = true;
            return Some(Err(Error::malformed("the start of the recording is damaged").at_offset(0).inside("block", Some(0))));
        }
        match self.read_in_time() {
            Ok((framing, data, length, doubt)) => {
                let number = self.number;
                self.number = number.wrapping_add(1);
                self.at = data + length;
                let (contradicted, late) = (matches!(doubt, Some(Jump::Contradicted)), matches!(doubt, Some(Jump::Late)));
                let (offset, data_offset) = (offset as u64, data as u64);
                Some(Ok(Block { number, offset, data_offset, framing, data: &self.bytes[data..data + length], contradicted, late }))
            }
            Err(error) => {
                self.broken = true;
                self.cut = error.kind() == fragreel_base::wire::ErrorKind::Malformed && self.bytes.len() - offset <= LONGEST_LIKELY;
                Some(Err(error.in_message_at(offset as u64).inside("block", Some(self.number))))
            }
        }
    }
}

/// Writes a block: its framing, then its data.
pub fn write_block(out: &mut Vec<u8>, container: Container, framing: &Framing, data: &[u8]) {
    let mut w = WriteBytes::default();
    let Ok(()) = code_framing(&mut w, container, &mut framing.clone(), &mut (data.len() as u32));
    out.extend_from_slice(w.written());
    out.extend_from_slice(data);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where blocks are looked for, the short look says of every place what reading says.
    #[test]
    fn the_short_look_says_what_reading_says() {
        let mut random = fragreel_testkit::Random::new(7);
        for container in [Container::NetQuake, Container::QuakeWorld, Container::MultiView] {
            let mut sensible = 0;
            for _ in 0..200_000 {
                // mostly small numbers, as blocks have
                let bytes: Vec<u8> = (0..80).map(|_| if random.once_in(3) { random.number() as u8 & 7 } else { 0 }).collect();
                let read = plausible_length_read(&bytes, container, 1 << 20);
                sensible += u32::from(read.is_some());
                assert_eq!(plausible_length(&bytes, container, 1 << 20), read, "{container:?} {bytes:?}");
            }
            assert!(sensible > 100, "{container:?}: {sensible}");
        }
    }
}
