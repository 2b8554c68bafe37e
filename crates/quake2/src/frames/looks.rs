//! The files of players' figures, by slot and weapon.

use std::sync::Arc;

use crate::chars;
use crate::state::State;

/// The figure of a slot.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    pub model: Arc<str>,
    pub skin: Arc<str>,
    folder: String,
}

/// A slot's figure, and the weapons in its hand by number, each made when first seen.
#[derive(Debug, Clone)]
struct Slot {
    figure: Option<Figure>,
    held: Vec<Option<Option<Arc<str>>>>,
}

/// Figures and weapons of a level.
#[derive(Debug, Clone, Default)]
pub(super) struct Figures(Vec<Option<Slot>>);

impl Figures {
    /// Clears everything, because strings changed.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn slot(&mut self, state: &State, number: u8) -> &mut Slot {
        let at = usize::from(number);
        if self.0.len() <= at {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at].get_or_insert_with(|| {
            let string = state.dialect.strings.playerskins.checked_add(number.into()).map_or(&[][..], |index| state.strings.get(index));
            Slot { figure: Figure::of(string), held: Vec::new() }
        })
    }

    /// The figure that a slot's string names.
    pub(super) fn figure(&mut self, state: &State, slot: u8) -> Option<&Figure> {
        self.slot(state, slot).figure.as_ref()
    }

    /// The weapon in the hand of a slot's figure. Models that begin with `#` are counted from 1; 0 is the figure's default weapon.
    pub(super) fn held(&mut self, state: &State, slot: u8, number: u8) -> Option<Arc<str>> {
        let Slot { figure, held } = self.slot(state, slot);
        let at = usize::from(number);
        if held.len() <= at {
            held.resize(at + 1, None);
        }
        let make = || {
            let strings = state.dialect.strings;
            let mut files = (strings.models..strings.sounds).filter_map(|index| state.strings.get(index).strip_prefix(b"#"));
            let file = match at.checked_sub(1) {
                None => "weapon.md2".to_owned(),
                Some(at) => chars::clean(files.nth(at)?),
            };
            Some(Arc::from(format!("{}/{file}", figure.as_ref()?.folder)))
        };
        held[at].get_or_insert_with(make).clone()
    }
}

impl Figure {
    /// Reads `name\\model/skin`.
    fn of(string: &[u8]) -> Option<Self> {
        let text = chars::clean(string);
        let (model, skin) = text.split_once('\\')?.1.split_once('/')?;
        let is_plain = |part: &str| !part.is_empty() && !part.contains(['/', '\\']) && part != "..";
        (is_plain(model) && is_plain(skin)).then(|| {
            let folder = format!("players/{model}");
            Figure { model: Arc::from(format!("{folder}/tris.md2")), skin: Arc::from(format!("{folder}/{skin}")), folder }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_names_the_files_of_a_figure() {
        let figure = Figure::of(b"Ann\\female/athena").unwrap();
        assert_eq!((&*figure.model, &*figure.skin), ("players/female/tris.md2", "players/female/athena"));
        for broken in [&b""[..], b"Ann", b"Ann\\female", b"Ann\\/athena", b"Ann\\../athena", b"Ann\\a/b/c"] {
            assert!(Figure::of(broken).is_none());
        }
    }
}
