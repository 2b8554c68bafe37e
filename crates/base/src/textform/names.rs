//! Lists of names that keys and enumerations are looked up in.

use std::borrow::Cow;

use crate::wire::Vocabulary;

/// Names in order, found by their text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    list: Vec<Cow<'static, str>>,
    /// Places in `list` plus one, by hash; a power of two, at most half full.
    slots: Vec<u16>,
}

impl Names {
    /// Takes a list. Of equal names the first is found; empty names are placeholders and never found.
    ///
    /// ```
    /// let names = fragreel_base::textform::Names::new(["origin", "", "angles"]);
    /// assert_eq!((names.find("angles"), names.find(""), names.get(0)), (Some(2), None, Some("origin")));
    /// ```
    pub fn new<T: Into<Cow<'static, str>>>(list: impl IntoIterator<Item = T>) -> Self {
        Names::of(list.into_iter().map(Into::into).collect())
    }

    fn of(list: Vec<Cow<'static, str>>) -> Self {
        assert!(list.len() < usize::from(u16::MAX), "far more names than any format has");
        let mut names = Names { slots: vec![0; (2 * list.len()).next_power_of_two()], list: Vec::new() };
        for name in list {
            if !name.is_empty() && names.find(&name).is_none() {
                let slot = names.probe(&name).find(|&slot| names.slots[slot] == 0);
                if let Some(slot) = slot {
                    names.slots[slot] = names.list.len() as u16 + 1;
                }
            }
            names.list.push(name);
        }
        names
    }

    fn probe(&self, name: &str) -> impl Iterator<Item = usize> + use<> {
        let hash = hash(name.as_bytes());
        let mask = self.slots.len() - 1;
        (0..=mask).map(move |step| (hash as usize).wrapping_add(step) & mask)
    }

    /// The place of a name.
    #[inline]
    pub fn find(&self, name: &str) -> Option<usize> {
        for slot in self.probe(name) {
            match self.slots[slot] {
                0 => return None,
                place if self.list[usize::from(place) - 1] == name => return Some(usize::from(place) - 1),
                _ => {}
            }
        }
        None
    }

    /// The name at a place.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&str> {
        self.list.get(at).map(|name| &**name).filter(|name| !name.is_empty())
    }

    /// As [`get`](Names::get), for a name that is not made at run time: what breadcrumbs are made of.
    pub(crate) fn crumb(&self, at: usize) -> Option<&'static str> {
        match self.list.get(at) {
            Some(Cow::Borrowed(name)) => Some(name),
            _ => None,
        }
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The names with their places.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        self.list.iter().enumerate().filter(|(_, name)| !name.is_empty()).map(|(at, name)| (at, &**name))
    }
}

/// Both ends of a name and its length identify a field. (Taking every byte in turn cost 3 % of compiling.)
#[inline]
fn hash(name: &[u8]) -> u64 {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (front, back) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(front), Some(back)) => (u64::from_le_bytes(*front), u64::from_le_bytes(*back)),
        _ => (name.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
    };
    ((front ^ back.rotate_left(29)).wrapping_add(name.len() as u64)).wrapping_mul(SPREAD) >> 32
}

/// A number is a place.
impl Vocabulary for Names {
    /// Only when the number is what [`find`](Names::find) gives for the name, so that it comes back.
    fn name(&self, number: u32) -> Option<&str> {
        let name = self.get(number as usize)?;
        (self.find(name) == Some(number as usize)).then_some(name)
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.find(name).map(|at| at as u32)
    }
}
