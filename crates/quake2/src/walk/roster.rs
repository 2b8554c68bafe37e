//! Names and teams by slot, each made once and shared by all frames that show it.

use std::sync::Arc;

use model::Text;

use crate::chars;
use crate::state::State;

/// Somebody in a slot.
#[derive(Debug, Clone)]
pub(crate) struct RosterEntry {
    /// The configstring that says so.
    skin: Vec<u8>,
    pub name: Arc<Text>,
    pub team: Option<Arc<str>>,
}

/// Who is in which slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roster {
    pub entries: Vec<Option<RosterEntry>>,
}

impl Roster {
    /// Takes in what the strings say now.
    pub fn update(&mut self, state: &State, slots: u16) {
        self.entries.resize_with(usize::from(slots), || None);
        for (slot, entry) in self.entries.iter_mut().enumerate() {
            let skin = state.strings.get(state.dialect.strings.playerskins.saturating_add(slot as u16));
            if entry.as_ref().map_or(&[][..], |entry| &entry.skin) != skin {
                *entry = RosterEntry::of(skin);
            }
        }
    }
}

impl RosterEntry {
    fn of(skin: &[u8]) -> Option<Self> {
        let name = player_name(skin);
        // CTF's skins name the team.
        let team = [(&b"/ctf_r"[..], "red"), (b"/ctf_b", "blue")].into_iter().find(|(end, _)| skin.ends_with(end)).map(|(_, team)| Arc::from(team));
        (!name.is_empty()).then(|| RosterEntry { skin: skin.to_vec(), name: Arc::new(chars::text(name)), team })
    }
}

/// The map's file name without folder and extension, from the configstring of its model.
pub(crate) fn map_name(model: &[u8]) -> Option<String> {
    let name = chars::clean(model);
    let name = name.strip_suffix(".bsp")?;
    Some(name.strip_prefix("maps/").unwrap_or(name).to_owned())
}

/// A player's name from the configstring of his skin: `name\model/skin`.
pub(crate) fn player_name(skin: &[u8]) -> &[u8] {
    skin.split(|&byte| byte == b'\\').next().unwrap_or(skin)
}
