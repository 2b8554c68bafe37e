//! The files that a game uses (`docs/formats/goldsrc.md`, "Messages").

use fragreel_base::wire::Wire;

use crate::bit_order::Section;
use crate::message::context::Context;
use crate::scalars::{Plain, Str, digest};

/// `svc_resourcelist`: the files that the game uses, and which of them the client must prove to have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceList {
    /// The files.
    pub resources: Vec<Resource>,
    /// The files to be proven; absent when the server does not ask.
    pub consistency: Option<Vec<Proof>>,
    /// What fills the last byte.
    pub padding: u8,
}

/// A file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resource {
    /// 0 sound, 1 skin, 2 model, 3 decal, 4 generic, 5 event script.
    pub kind: u8,
    /// Its path.
    pub name: Str,
    /// Its number among those of its kind.
    pub index: u16,
    /// Bytes to download.
    pub size: u32,
    /// Engine flags; 4 says that a hash follows.
    pub flags: u8,
    /// Its hash, of custom resources.
    pub md5: Option<[u8; 16]>,
    /// Anti-tampering data.
    pub reserved: Option<[u8; 32]>,
}

impl Resource {
    /// The flag that says that a hash follows.
    pub(crate) const CUSTOM: u8 = 4;
}

/// One file to be proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// This number of places after the last.
    After(u8),
    /// At this place.
    At(u16),
}

impl ResourceList {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context) -> Result<(), W::Error> {
        let mut w = Section::new(w, context.order());
        let count = w.field("count", self.resources.len() as u32, 12)?;
        if W::READING {
            self.resources.clear();
        }
        for at in 0..count {
            if W::READING {
                let mut resource = Resource::default();
                w.scope("resource", Some(at), |w| resource.code(w))?;
                self.resources.push(resource);
            } else if let Some(resource) = self.resources.get_mut(at as usize) {
                w.scope("resource", Some(at), |w| resource.code(w))?;
            }
        }
        w.enter("consistency");
        let asked = w.flag(self.consistency.is_some())?;
        if W::READING {
            self.consistency = asked.then(Vec::new);
        }
        if let Some(proofs) = &mut self.consistency {
            code_proofs(&mut w, proofs)?;
        }
        self.padding = w.finish(self.padding)?;
        Ok(())
    }
}

fn code_proofs<W: Wire>(w: &mut W, proofs: &mut Vec<Proof>) -> Result<(), W::Error> {
    let mut at = 0;
    loop {
        let wanted = proofs.get(at).copied();
        w.enter("another proof");
        if !w.flag(wanted.is_some())? {
            return Ok(());
        }
        let (after, value) = match wanted {
            Some(Proof::At(place)) => (false, u32::from(place)),
            Some(Proof::After(places)) => (true, u32::from(places)),
            None => (false, 0),
        };
        w.enter("proof");
        let proof = if w.flag(after)? { Proof::After(w.bits(value, 5)? as u8) } else { Proof::At(w.bits(value, 10)? as u16) };
        w.note(|| match proof {
            Proof::After(places) => format!("{places} after the last"),
            Proof::At(place) => place.to_string(),
        });
        if W::READING {
            proofs.push(proof);
        }
        at += 1;
    }
}

impl Resource {
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.kind = w.field("kind", u32::from(self.kind), 4)? as u8;
        w.enter("name");
        self.name.code_bits(w)?;
        self.index = w.field("index", u32::from(self.index), 12)? as u16;
        self.size = w.field("size", self.size, 24)?;
        self.flags = w.field("flags", u32::from(self.flags), 3)? as u8;
        if self.flags & Resource::CUSTOM != 0 {
            w.enter("md5");
            digest(w, self.md5.get_or_insert_default())?;
        }
        w.enter("reserved");
        if w.flag(self.reserved.is_some())? {
            digest(w, self.reserved.get_or_insert_default())?;
        }
        Ok(())
    }
}

/// `svc_customization`: a player's own resource, such as a spray.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Customization {
    /// The player's slot, from 0.
    pub slot: u8,
    /// As in [`Resource`].
    pub kind: u8,
    /// Its path.
    pub name: Str,
    /// Its number.
    pub index: u16,
    /// Its size.
    pub size: u32,
    /// As in [`Resource`].
    pub flags: u8,
    /// Its hash.
    pub md5: Option<[u8; 16]>,
}

impl Customization {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, _: &Context) -> Result<(), W::Error> {
        self.slot = w.field("slot", u32::from(self.slot), 8)? as u8;
        self.kind = w.field("kind", u32::from(self.kind), 8)? as u8;
        w.enter("name");
        self.name.code(w)?;
        self.index = w.field("index", u32::from(self.index), 16)? as u16;
        self.size = w.field("size", self.size, 32)?;
        self.flags = w.field("flags", u32::from(self.flags), 8)? as u8;
        if self.flags & Resource::CUSTOM == 0 {
            self.md5 = None;
            return Ok(());
        }
        w.enter("md5");
        digest(w, self.md5.get_or_insert_default())
    }
}
