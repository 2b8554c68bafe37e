//! Names and teams by slot, each made once and shared by all frames that show it.

use std::sync::Arc;

use model::Text;

use crate::chars;
use crate::info::player_name;
use crate::state::State;

/// Somebody in a slot.
#[derive(Debug, Clone)]
pub(super) struct Person {
    /// The configstring that says so.
    skin: Vec<u8>,
    pub name: Arc<Text>,
    pub team: Option<Arc<str>>,
}

/// Who is in which slot.
#[derive(Debug, Clone, Default)]
pub(super) struct Roster {
    pub people: Vec<Option<Person>>,
}

impl Roster {
    /// Takes in what the strings say now.
    pub fn update(&mut self, state: &State, slots: u16) {
        self.people.resize_with(usize::from(slots), || None);
        for (slot, person) in self.people.iter_mut().enumerate() {
            let skin = state.strings.get(state.dialect.strings.playerskins.saturating_add(slot as u16));
            if person.as_ref().map_or(&[][..], |person| &person.skin) != skin {
                *person = Person::of(skin);
            }
        }
    }
}

impl Person {
    fn of(skin: &[u8]) -> Option<Self> {
        let name = player_name(skin);
        // CTF's skins name the team.
        let team = [(&b"/ctf_r"[..], "red"), (b"/ctf_b", "blue")].into_iter().find(|(end, _)| skin.ends_with(end)).map(|(_, team)| Arc::from(team));
        (!name.is_empty()).then(|| Person { skin: skin.to_vec(), name: Arc::new(chars::text(name)), team })
    }
}
