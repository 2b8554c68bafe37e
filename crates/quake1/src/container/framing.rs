//! What stands around a block's data.

use fragreel_base::wire::{Wire, WriteBytes};

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

impl Target {
    /// True if it names no player: blocks that only tools read have this target.
    #[inline]
    pub(crate) fn is_nobody(self) -> bool {
        self.kind == kind::MULTIPLE && self.players == 0
    }
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
            return w.expect(false, "a block of an unknown type");
        };
        // the upper bits of these types mean nothing, and no engine sets them
        w.expect(matches!(kind, kind::READ | kind::MULTIPLE..) || byte == kind, "a block of an unknown type")?;
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

/// Writes a block: its framing, then its data.
pub fn write_block(out: &mut Vec<u8>, container: Container, framing: &Framing, data: &[u8]) {
    let mut w = WriteBytes::default();
    let Ok(()) = code_framing(&mut w, container, &mut framing.clone(), &mut (data.len() as u32));
    out.extend_from_slice(w.written());
    out.extend_from_slice(data);
}
