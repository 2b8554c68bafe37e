//! Everybody who was there, each once however often he reconnected.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{PlayerInfo, Text};

/// Who was seen so far, and who of them is there.
///
/// ```
/// use fragreel_model::Text;
/// use fragreel_model::replay::People;
///
/// let mut people = People::default();
/// people.seat(0, Text::plain("paul"), None);
/// people.leave(0);
/// people.seat(0, Text::plain("eve"), None);
/// people.seat(3, Text::plain("paul"), None);
/// let slots: Vec<_> = people.all().into_iter().map(|info| (info.slot, info.name.clean)).collect();
/// assert_eq!(slots, [(0, "eve".into()), (3, "paul".into())]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct People {
    seen: Vec<PlayerInfo>,
    /// Who is in a slot, by his place among the seen.
    here: BTreeMap<u16, usize>,
    /// The others, by name.
    gone: HashMap<String, BTreeSet<usize>>,
}

impl People {
    /// Says who is in a slot. A player who is there already may have another name now; otherwise somebody of that name comes back,
    /// perhaps from another slot.
    pub fn seat(&mut self, slot: u16, name: Text, team: Option<String>) {
        let at = self.here.get(&slot).copied().or_else(|| self.comes_back(&name.raw)).unwrap_or(self.seen.len());
        self.here.insert(slot, at);
        let info = PlayerInfo { slot, name, team };
        match self.seen.get_mut(at) {
            Some(seen) => *seen = info,
            None => self.seen.push(info),
        }
    }

    fn comes_back(&mut self, name: &str) -> Option<usize> {
        let places = self.gone.get_mut(name)?;
        let first = places.pop_first();
        if places.is_empty() {
            self.gone.remove(name);
        }
        first
    }

    /// A slot is empty now.
    pub fn leave(&mut self, slot: u16) {
        if let Some(at) = self.here.remove(&slot) {
            self.gone.entry(self.seen[at].name.raw.clone()).or_default().insert(at);
        }
    }

    /// A level begins: who is there will be said again.
    pub fn level(&mut self) {
        self.leave_unless(|_| false);
    }

    /// Everybody leaves but whom this holds of, by slot.
    pub fn leave_unless(&mut self, stays: impl Fn(u16) -> bool) {
        let leaving: Vec<u16> = self.here.keys().copied().filter(|&slot| !stays(slot)).collect();
        leaving.into_iter().for_each(|slot| self.leave(slot));
    }

    /// Who is or was last in a slot.
    pub fn in_slot(&self, slot: u16) -> Option<&PlayerInfo> {
        let here = self.here.get(&slot).map(|&at| &self.seen[at]);
        here.or_else(|| self.seen.iter().rfind(|seen| seen.slot == slot))
    }

    /// Everybody, in slot order.
    pub fn all(mut self) -> Vec<PlayerInfo> {
        self.seen.sort_by_key(|info| info.slot);
        self.seen
    }
}
