//! `serverdata`: what is recorded, and in which dialect.

use fragreel_base::wire::Wire;

use super::Text;
use crate::dialect::{Announced, Dialect, RecordingKind};

/// The message that opens every level of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerData {
    /// The protocol.
    pub protocol: u32,
    /// The server's count of levels; id's client adds 0x10000 when it records.
    pub servercount: u32,
    /// What engines call `attractloop`: the kind of recording.
    pub kind: u8,
    /// The rerelease: frames per second.
    pub tickrate: u8,
    /// The game directory; empty for `baseq2`.
    pub gamedir: Text,
    /// The recording player's number; −1 for none, −2 for several in the rerelease.
    pub clientnum: i16,
    /// The rerelease: several players' numbers.
    pub split: Vec<u16>,
    /// The level's title (or the file, of cinematics and pictures).
    pub levelname: Text,
    /// R1Q2: an "enhanced" server.
    pub enhanced: u8,
    /// The minor version of R1Q2 or Q2PRO.
    pub minor: u16,
    /// R1Q2: once "advanced deltas"; Q2PRO: the server's state.
    pub state: u8,
    /// R1Q2: the strafe-jump byte; Q2PRO: flags, or three bytes before 1024, from low to high.
    pub flags: u32,
}

impl ServerData {
    /// The dialect that it announces.
    pub fn dialect(&self) -> Option<Dialect> {
        let announced = Announced { minor: self.minor.into(), flags: self.flags, rate: self.tickrate.into() };
        Dialect::of(self.protocol, RecordingKind(self.kind), announced)
    }

    pub(crate) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        if W::READING {
            // what this protocol leaves out must not be what an earlier one said
            *self = ServerData::default();
        }
        self.protocol = w.field("protocol", self.protocol, 32)?;
        self.servercount = w.field("servercount", self.servercount, 32)?;
        self.kind = w.field("kind", self.kind.into(), 8)? as u8;
        let kind = RecordingKind(self.kind);
        w.note(|| kind.name().to_owned());
        let probe = Dialect::of(self.protocol, kind, Announced::default());
        let Some(probe) = probe else { return self.unknown(w) };
        if probe.floats {
            self.tickrate = w.field("tickrate", self.tickrate.into(), 8)? as u8;
        }
        self.gamedir.code(w, "gamedir")?;
        self.clientnum = w.signed("clientnum", self.clientnum.into(), 16)? as i16;
        if probe.floats && self.clientnum == -2 {
            self.code_split(w)?;
        }
        self.levelname.code(w, "levelname")?;
        match probe.numbering {
            crate::dialect::Numbering::R1q2 => {
                self.enhanced = w.field("enhanced", self.enhanced.into(), 8)? as u8;
                self.minor = w.field("minor", self.minor.into(), 16)? as u16;
                self.state = w.field("advanced_deltas", self.state.into(), 8)? as u8;
                self.flags = w.field("strafejump", self.flags, 8)?;
            }
            crate::dialect::Numbering::Q2pro => {
                self.minor = w.field("minor", self.minor.into(), 16)? as u16;
                self.state = w.field("state", self.state.into(), 8)? as u8;
                let width = if Dialect::q2pro_flags_word(self.minor.into()) { 16 } else { 24 };
                self.flags = w.field("flags", self.flags, width)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// A protocol that nobody described: the rest has the layout that all have so far.
    fn unknown<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.gamedir.code(w, "gamedir")?;
        self.clientnum = w.signed("clientnum", self.clientnum.into(), 16)? as i16;
        self.levelname.code(w, "levelname")
    }

    fn code_split<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        let count = w.field("split_count", self.split.len() as u32, 16)?;
        w.expect(count <= 8, "more split screens than the game has")?;
        self.split.resize(count as usize, 0);
        for number in &mut self.split {
            *number = w.field("split_clientnum", (*number).into(), 16)? as u16;
        }
        Ok(())
    }
}
