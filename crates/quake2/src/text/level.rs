//! What a level begins with: the announcement, configstrings, and compressed parts.

use fragreel_base::textform::{Form, Leaf};
use fragreel_base::wire::WireError;

use super::kinds::KINDS;
use super::known::Known;
use super::message;
use super::values::{expected, expected_field, text};
use crate::dialect::{Announced, Dialect, Numbering, RecordingKind};
use crate::message::{ConfigString, ConfigStrings, Contents, EntityDelta, MessageKind, Packed, ServerData};

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
        expected_field(f, "tickrate", &mut self.tickrate, floats)?;
        text(f, "gamedir", &mut self.gamedir)?;
        f.field("clientnum", &mut self.clientnum)?;
        if expected(f, "split", floats && self.clientnum == -2)? {
            elements(f, &mut self.split, |f, number| number.form(f))?;
            f.insist(self.split.len() <= 8, "the game has at most 8 split screens")?;
        }
        text(f, "levelname", &mut self.levelname)?;
        let numbering = probe.map(|probe| probe.numbering);
        let (r1q2, q2pro) = (numbering == Some(Numbering::R1q2), numbering == Some(Numbering::Q2pro));
        expected_field(f, "enhanced", &mut self.enhanced, r1q2)?;
        expected_field(f, "minor", &mut self.minor, r1q2 || q2pro)?;
        expected_field(f, "advanced_deltas", &mut self.state, r1q2)?;
        expected_field(f, "state", &mut self.state, q2pro)?;
        if expected(f, "strafejump", r1q2)? {
            self.flags = f.int(self.flags.into(), 0, 255)? as u32;
        }
        if expected(f, "flags", q2pro)? {
            let most = if Dialect::q2pro_flags_word(self.minor.into()) { 0xffff } else { 0xff_ffff };
            self.flags = f.int(self.flags.into(), 0, most)? as u32;
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

fn strings<F: Form>(f: &mut F, list: &mut Vec<ConfigString>, mut check: impl FnMut(&mut F, &ConfigString) -> Result<(), F::Error>) -> Result<(), F::Error> {
    f.list("strings", list, |f, string| {
        f.object(|f| string.members(f))?;
        check(f, string)
    })
}

impl Packed {
    /// What is inside, and the compressed bytes where compressing it again gives others.
    pub(super) fn members<F: Form>(&mut self, f: &mut F, known: &mut Known, op: MessageKind) -> Result<(), F::Error> {
        let kind = match op {
            MessageKind::ZPacket => 0,
            MessageKind::ConfigBlast => 1,
            _ => 2,
        };
        let name = CONTENT_KEYS[kind];
        let told = f.key(name, !matches!(self.contents, Contents::Opaque))?;
        if F::READING {
            *self = Packed::default();
        }
        if told {
            f.insist(!known.nested, "a compressed packet cannot hold another")?;
            if !std::mem::replace(&mut known.nested, true) {
                let inside = self.contents(f, known, kind);
                known.nested = false;
                inside.map_err(|error| error.inside(name, None))?;
            }
        }
        expected_field(f, "inflated_size", &mut self.inflated_size, !told)?;
        let kex = op != MessageKind::ZPacket;
        let mut bytes = std::mem::take(&mut self.compressed);
        let spelled = if told { f.key("compressed", !F::READING && !self.is_usual(&bytes, kex))? } else { expected(f, "compressed", true)? };
        if spelled {
            f.hex(&mut bytes).map_err(|error| error.inside("compressed", None))?;
            f.insist(bytes.len() <= 0xffff, "a compressed part has at most 65,535 bytes")?;
        }
        if F::READING && told {
            let contents = std::mem::take(&mut self.contents);
            let usual = if spelled { Packed::inflate(bytes, kex) } else { Packed::deflate(Vec::new(), kex) };
            f.insist(usual.is_some(), "these bytes do not inflate: leave them out")?;
            *self = Packed { contents, ..usual.unwrap_or_default() };
        } else {
            self.compressed = bytes;
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
    fn is_usual(&self, compressed: &[u8], kex: bool) -> bool {
        Packed::deflate(self.inflated.clone(), kex).is_some_and(|again| again.compressed == compressed)
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
