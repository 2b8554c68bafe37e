//! The roster: who is in which slot, by the strings of the players' skins.

use std::sync::Arc;

use fragreel_model::Text;

use crate::chars;
use crate::state::State;

/// A player in a slot.
#[derive(Debug, Clone)]
pub(crate) struct RosterEntry {
    /// The configstring, `name\model/skin`.
    skin: Vec<u8>,
    pub name: Arc<Text>,
    /// The team that a CTF skin names.
    pub team: Option<Arc<str>>,
}

/// The players by slot. Frames share the names and teams instead of copying them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roster {
    entries: Vec<Option<RosterEntry>>,
}

impl Roster {
    /// Updates the slots below `slots` from the strings of `state`.
    pub(crate) fn update(&mut self, state: &State, slots: u16) {
        self.entries.truncate(usize::from(slots));
        for slot in 0..slots {
            self.set(slot, state.strings.get(state.dialect.strings.playerskins.saturating_add(slot)));
        }
    }

    /// Sets the configstring of a slot. An empty name leaves the slot empty.
    pub(crate) fn set(&mut self, slot: u16, skin: &[u8]) {
        let at = usize::from(slot);
        if self.entries.len() <= at {
            self.entries.resize_with(at + 1, || None);
        }
        let entry = &mut self.entries[at];
        if entry.as_ref().map_or(&[][..], |entry| &entry.skin) != skin {
            *entry = RosterEntry::of(skin);
        }
    }

    /// The player in a slot.
    pub(crate) fn get(&self, slot: u16) -> Option<&RosterEntry> {
        self.entries.get(usize::from(slot))?.as_ref()
    }

    /// All players with their slots, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u16, &RosterEntry)> {
        self.entries.iter().enumerate().filter_map(|(slot, entry)| Some((slot as u16, entry.as_ref()?)))
    }

    /// The first slot whose player has this name, whatever the colors of its characters.
    pub(crate) fn find(&self, name: &[u8]) -> Option<u16> {
        let plain = chars::plain(name);
        self.iter().find(|(_, entry)| chars::plain(entry.raw_name()) == plain).map(|(slot, _)| slot)
    }
}

impl RosterEntry {
    fn of(skin: &[u8]) -> Option<Self> {
        let name = player_name(skin);
        let team = team_of_skin(skin).map(Arc::from);
        (!name.is_empty()).then(|| RosterEntry { skin: skin.to_vec(), name: Arc::new(chars::text(name)), team })
    }

    /// The name as the server sent it.
    pub(crate) fn raw_name(&self) -> &[u8] {
        player_name(&self.skin)
    }
}

/// The team that a skin of CTF names.
pub(crate) fn team_of_skin(skin: &[u8]) -> Option<&'static str> {
    [(&b"/ctf_r"[..], "red"), (b"/ctf_b", "blue")].into_iter().find(|(end, _)| skin.ends_with(end)).map(|(_, team)| team)
}

/// The map name in the configstring of a map's model: no folder, no extension.
pub(crate) fn map_name(model: &[u8]) -> Option<String> {
    let name = chars::clean(model);
    let name = name.strip_suffix(".bsp")?;
    Some(name.strip_prefix("maps/").unwrap_or(name).to_owned())
}

/// The name in the configstring of a player's skin, `name\model/skin`.
pub(crate) fn player_name(skin: &[u8]) -> &[u8] {
    skin.split(|&byte| byte == b'\\').next().unwrap_or(skin)
}
