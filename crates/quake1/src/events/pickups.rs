//! Pick-ups that are stated and printed in one moment are one pick-up (`docs/formats/quake1.md`, "Items").

use std::borrow::Cow;
use std::collections::BTreeSet;

/// A pick-up: the player and the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pickup {
    /// The slot of the player.
    pub slot: u8,
    /// Its name.
    pub item: Cow<'static, str>,
}

/// The pick-ups that were stated in a moment.
#[derive(Debug, Default)]
pub(super) struct StatedPickups<'p>(BTreeSet<(u8, &'p str)>);

impl<'p> StatedPickups<'p> {
    /// Adds a statement.
    pub(super) fn take(&mut self, pickup: &'p Pickup) {
        self.0.insert((pickup.slot, without_kind(&pickup.item)));
    }

    /// True if a line repeats a statement.
    pub(super) fn has(&self, line: &Pickup) -> bool {
        self.0.contains(&(line.slot, without_kind(&line.item))) || (line.item.ends_with("health") && self.0.contains(&(line.slot, "megahealth")))
    }
}

/// An item as lines name it: they do not say which armor.
fn without_kind(item: &str) -> &str {
    if item.ends_with("armor") { "armor" } else { item }
}
