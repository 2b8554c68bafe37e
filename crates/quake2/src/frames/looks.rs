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

/// Effects that give a shell: stated by colors, quad damage, invulnerability, and two of the mission packs.
const COLOR_SHELL: u32 = 0x100;
const EFFECT_SHELLS: [(u32, [u8; 3]); 4] = [(0x8000, [0, 0, 255]), (0x1_0000, [255, 0, 0]), (0x800_0000, [230, 180, 0]), (0x4000_0000, [143, 150, 115])];
/// The bits of `renderfx` that are its colors, where it is stated by colors.
const COLORS: [(u32, [u8; 3]); 5] = [(0x400, [255, 0, 0]), (0x800, [0, 255, 0]), (0x1000, [0, 0, 255]), (0x1_0000, [230, 180, 0]), (0x2_0000, [143, 150, 115])];

/// The color of the shell that an entity has: the brightest of each channel.
pub(super) fn shell(effects: u32, render: u32) -> Option<[u8; 3]> {
    let stated = COLORS.iter().filter(|(bit, _)| effects & COLOR_SHELL != 0 && render & bit != 0);
    let all = EFFECT_SHELLS.iter().filter(|(bit, _)| effects & bit != 0).chain(stated);
    all.map(|(_, color)| *color).reduce(|one, other| std::array::from_fn(|channel| one[channel].max(other[channel])))
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
    fn power_ups_give_shells() {
        assert_eq!(shell(0x8000, 0), Some([0, 0, 255]));
        assert_eq!(shell(0x1_8000, 0), Some([255, 0, 255]));
        assert_eq!(shell(COLOR_SHELL, 0xc00), Some([255, 255, 0]));
        assert_eq!((shell(COLOR_SHELL, 0), shell(0, 0xc00)), (None, None));
    }

    #[test]
    fn a_string_names_the_files_of_a_figure() {
        let figure = Figure::of(b"Ann\\female/athena").unwrap();
        assert_eq!((&*figure.model, &*figure.skin), ("players/female/tris.md2", "players/female/athena"));
        for broken in [&b""[..], b"Ann", b"Ann\\female", b"Ann\\/athena", b"Ann\\../athena", b"Ann\\a/b/c"] {
            assert!(Figure::of(broken).is_none());
        }
    }
}
