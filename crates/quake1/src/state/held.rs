//! Models of weapons in players' hands (`docs/formats/quake1.md`, "Weapons in hand").
//!
//! The server names them in the command `//vwep`, behind the figure that holds them. For a multi-view recording without that command, clients use their own list.

use std::sync::{Arc, LazyLock};

/// The most that a client takes.
const MOST: usize = 32;
/// The list of clients for multi-view recordings.
static USUAL: LazyLock<HeldModels> = LazyLock::new(|| HeldModels::of(b"vwplayer w_axe w_shot w_shot2 w_nail w_nail2 w_rock w_rock2 w_light"));
/// The weapons before a player's eyes, in the order of the usual list.
const VIEWED: [&[u8]; 8] = [
    b"progs/v_axe.mdl",
    b"progs/v_shot.mdl",
    b"progs/v_shot2.mdl",
    b"progs/v_nail.mdl",
    b"progs/v_nail2.mdl",
    b"progs/v_rock.mdl",
    b"progs/v_rock2.mdl",
    b"progs/v_light.mdl",
];

/// The figure, and the weapons that it holds, by number. Absent are those that are not drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldModels(Vec<Option<Arc<str>>>);

/// What is drawn in place of a player's model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Holds {
    /// The figure without a weapon.
    pub bare: Option<Arc<str>>,
    /// The weapon.
    pub held: Option<Arc<str>>,
}

impl HeldModels {
    /// Reads what follows the command's name. A name that leaves the game's folder makes the list void.
    pub(super) fn of(names: &[u8]) -> Self {
        let words = names.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(MOST);
        HeldModels(words.map(path).collect::<Option<_>>().unwrap_or_default())
    }

    /// The list of clients for a multi-view recording.
    pub(crate) fn usual() -> &'static Self {
        &USUAL
    }

    /// What is drawn of somebody with a weapon of this number. 0 is no weapon.
    pub(crate) fn holds(&self, number: u8) -> Option<Holds> {
        let weapon = self.0.get(usize::from(number)).filter(|_| number > 0)?;
        Some(match self.figure() {
            Some(figure) => Holds { bare: Some(figure), held: weapon.clone() },
            // the weapon's model is all that is drawn
            None => Holds { bare: weapon.clone(), held: None },
        })
    }

    /// The figure without a weapon.
    pub(crate) fn figure(&self) -> Option<Arc<str>> {
        self.0.first()?.clone()
    }

    /// The number of the weapon whose model a player sees.
    pub(crate) fn number_of(viewed: &[u8]) -> u8 {
        VIEWED.iter().position(|path| *path == viewed).map_or(0, |at| at as u8 + 1)
    }
}

/// The path of a model. `-` is none; the outer absence is a name that no client takes.
fn path(word: &[u8]) -> Option<Option<Arc<str>>> {
    let name = std::str::from_utf8(word).ok()?;
    if name == "-" {
        return Some(None);
    }
    if name.contains("..") || name.starts_with(['/', '\\']) {
        return None;
    }
    let folder = if name.contains('/') { "" } else { "progs/" };
    let extension = if name.contains('.') { "" } else { ".mdl" };
    Some(Some(Arc::from(format!("{folder}{name}{extension}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_the_figure_and_its_weapons() {
        let list = HeldModels::of(b" vwplayer w_axe - models/gun.md3\n");
        let shown = |number| list.holds(number).map(|holds| (holds.bare.unwrap().to_string(), holds.held.map(|held| held.to_string())));
        let figure = || String::from("progs/vwplayer.mdl");
        assert_eq!(shown(1), Some((figure(), Some("progs/w_axe.mdl".into()))));
        assert_eq!(shown(2), Some((figure(), None)));
        assert_eq!(shown(3), Some((figure(), Some("models/gun.md3".into()))));
        assert_eq!((shown(0), shown(4)), (None, None));
        for void in [&b""[..], b"vwplayer ../w_axe", b"/vwplayer w_axe", b"\xff"] {
            assert_eq!(HeldModels::of(void).holds(1), None);
        }
        let alone = HeldModels::of(b"- w_axe").holds(1).unwrap();
        assert_eq!((alone.bare.as_deref(), alone.held), (Some("progs/w_axe.mdl"), None));
    }

    #[test]
    fn the_usual_list_has_the_weapons_that_players_see() {
        assert_eq!(HeldModels::number_of(b"progs/v_rock2.mdl"), 7);
        assert_eq!(HeldModels::usual().holds(7).unwrap().held.as_deref(), Some("progs/w_rock2.mdl"));
        assert_eq!(HeldModels::number_of(b"progs/v_other.mdl"), 0);
    }
}
