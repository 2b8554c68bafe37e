//! Messages that are mostly text: prints, layouts, configstrings; and the inventory.

use fragreel_base::wire::{Bounded, Wire};

/// Longer strings are taken for damage. Engines hold 2047 bytes; a layout may have more.
const LONGEST: Bounded = Bounded { bytes: 0xffff, rule: "the string is longer than any engine writes" };

/// A string from the game, without its NUL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub Vec<u8>);

impl Text {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, name: &'static str) -> Result<(), W::Error> {
        w.enter(name);
        w.text(&mut self.0, LONGEST)?;
        w.note(|| format!("{:?}", crate::chars::clean(&self.0)));
        Ok(())
    }
}

/// A line for the console or the chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Print {
    /// 0 low, 1 medium, 2 high, 3 chat; the rerelease has two more.
    pub level: u8,
    /// The text, line end and all.
    pub text: Text,
}

impl Print {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.level = w.field("level", self.level.into(), 8)? as u8;
        let level = self.level;
        w.note(|| ["low", "medium", "high", "chat"].get(usize::from(level)).map_or_else(|| level.to_string(), ToString::to_string));
        self.text.code(w, "text")
    }
}

/// One configstring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigString {
    /// Which.
    pub index: u16,
    /// Its new value, or a slice of it.
    pub text: Text,
}

impl ConfigString {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.index = w.field("index", self.index.into(), 16)? as u16;
        self.text.code(w, "text")
    }
}

/// What the player carries, by item number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory(pub [i16; 256]);

impl Default for Inventory {
    fn default() -> Self {
        Inventory([0; 256])
    }
}

impl Inventory {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        for (item, count) in self.0.iter_mut().enumerate() {
            *count = w.scope("item", Some(item as u32), |w| w.signed("count", (*count).into(), 16))? as i16;
        }
        Ok(())
    }
}
