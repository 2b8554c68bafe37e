//! What a level begins with: the announcement, configstrings, and compressed parts.

use textform::Form;
use wire::WireError;

use super::known::Known;
use super::message::{self, text};
use super::vocabulary::KINDS;
use crate::dialect::{Announced, Dialect, Numbering, RecordingKind};
use crate::message::{ConfigString, ConfigStrings, Contents, EntityDelta, Op, Packed, ServerData};

impl ServerData {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        if F::READING {
            *self = ServerData::default();
        }
        f.field("protocol", &mut self.protocol)?;
        f.field("servercount", &mut self.servercount)?;
        f.require("kind")?;
        self.kind = f.word(self.kind.into(), 255, &*KINDS).map_err(|error| error.inside("kind", None))? as u8;
        let probe = Dialect::of(self.protocol, RecordingKind(self.kind), Announced::default());
        let floats = probe.is_some_and(|probe| probe.floats);
        if floats {
            f.field("tickrate", &mut self.tickrate)?;
        }
        text(f, "gamedir", &mut self.gamedir)?;
        f.field("clientnum", &mut self.clientnum)?;
        if floats && self.clientnum == -2 {
            f.list("split", &mut self.split, |f, number| textform::Leaf::form(number, f))?;
            f.insist(self.split.len() <= 8, "the game has at most 8 split screens")?;
        }
        text(f, "levelname", &mut self.levelname)?;
        match probe.map(|probe| probe.numbering) {
            Some(Numbering::R1q2) => {
                f.field("enhanced", &mut self.enhanced)?;
                f.field("minor", &mut self.minor)?;
                f.field("advanced_deltas", &mut self.state)?;
                f.require("strafejump")?;
                self.flags = f.int(self.flags.into(), 0, 255)? as u32;
            }
            Some(Numbering::Q2pro) => {
                f.field("minor", &mut self.minor)?;
                f.field("state", &mut self.state)?;
                f.require("flags")?;
                let most = if Dialect::q2pro_flags_word(self.minor.into()) { 0xffff } else { 0xff_ffff };
                self.flags = f.int(self.flags.into(), 0, most)? as u32;
            }
            _ => {}
        }
        Ok(())
    }
}

impl ConfigStrings {
    /// Up to the closing index.
    pub(super) fn members<F: Form>(&mut self, f: &mut F, dialect: &Dialect) -> Result<(), F::Error> {
        let end = dialect.strings.end;
        strings(f, &mut self.0, |f, string| f.insist(string.index != end, "this index ends the list"))
    }
}

fn strings<F: Form>(
    f: &mut F,
    list: &mut Vec<ConfigString>,
    mut check: impl FnMut(&mut F, &ConfigString) -> Result<(), F::Error>,
) -> Result<(), F::Error> {
    f.list("strings", list, |f, string| {
        f.object(|f| string.members(f))?;
        check(f, string)
    })
}

impl Packed {
    /// What is inside, and the compressed bytes where compressing it again gives others.
    pub(super) fn members<F: Form>(&mut self, f: &mut F, known: &mut Known, op: Op) -> Result<(), F::Error> {
        let kind = match op {
            Op::ZPacket => 0,
            Op::ConfigBlast => 1,
            _ => 2,
        };
        let name = CONTENT_KEYS[kind];
        if !f.key(name, !matches!(self.contents, Contents::Opaque))? {
            if F::READING {
                *self = Packed::default();
            }
            f.field("inflated_size", &mut self.inflated_size)?;
            f.require("compressed")?;
            f.hex(&mut self.compressed)?;
            return f.insist(self.compressed.len() <= 0xffff, "a compressed part has at most 65,535 bytes");
        }
        f.insist(!known.nested, "a compressed packet cannot hold another")?;
        if known.nested {
            return Ok(());
        }
        known.nested = true;
        let inside = self.contents(f, known, kind);
        known.nested = false;
        inside.map_err(|error| error.inside(name, None))?;
        let kex = op != Op::ZPacket;
        let mut bytes = if F::READING || self.is_usual(kex) { Vec::new() } else { self.compressed.clone() };
        let spelled = f.key("compressed", !bytes.is_empty())?;
        if spelled {
            f.hex(&mut bytes)?;
            f.insist(bytes.len() <= 0xffff, "a compressed part has at most 65,535 bytes")?;
        }
        if F::READING {
            let contents = std::mem::take(&mut self.contents);
            let usual = if spelled { Packed::inflate(bytes, kex) } else { Packed::deflate(Vec::new(), kex) };
            f.insist(usual.is_some(), "these bytes do not inflate: leave them out")?;
            *self = Packed { contents, ..usual.unwrap_or_default() };
        }
        Ok(())
    }

    fn contents<F: Form>(&mut self, f: &mut F, known: &mut Known, kind: usize) -> Result<(), F::Error> {
        if F::READING {
            self.contents = match kind {
                0 => Contents::Messages(Vec::new()),
                1 => Contents::Strings(Vec::new()),
                _ => Contents::Baselines(Vec::new()),
            };
        }
        match &mut self.contents {
            Contents::Opaque => Ok(()),
            Contents::Messages(list) => message::list(f, list, known),
            Contents::Strings(list) => elements(f, list, |f, string| f.object(|f| string.members(f))),
            Contents::Baselines(list) => elements(f, list, |f, delta: &mut EntityDelta| {
                f.object(|f| delta.baseline(f, known))?;
                delta.announce_baseline(&mut known.context);
                Ok(())
            }),
        }
    }

    /// Whether compressing the contents again gives the same bytes.
    fn is_usual(&self, kex: bool) -> bool {
        Packed::deflate(self.inflated.clone(), kex).is_some_and(|again| again.compressed == self.compressed)
    }
}

const CONTENT_KEYS: [&str; 3] = ["messages", "strings", "baselines"];

fn elements<F: Form, T: Default>(f: &mut F, list: &mut Vec<T>, mut each: impl FnMut(&mut F, &mut T) -> Result<(), F::Error>) -> Result<(), F::Error> {
    let count = f.items(list.len(), |f, at| {
        if F::READING {
            list.truncate(at);
            list.push(T::default());
        }
        each(f, &mut list[at])
    })?;
    list.truncate(count);
    Ok(())
}
