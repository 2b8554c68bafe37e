//! The files of models in the game's data: players, items, weapons, missiles.

use std::sync::{Arc, LazyLock};

use fragreel_model::Term;

use crate::game::Game;
use crate::state::State;
use crate::strings::{clean, info};

/// The figure of a player: the folder of its three parts, and the name of its skin.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    pub model: Arc<str>,
    pub skin: Arc<str>,
}

/// The models of a level by the numbers that entities state.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    figures: Vec<Option<Figure>>,
    items: Vec<Option<Arc<str>>>,
    weapons: Vec<Option<Arc<str>>>,
    hands: Vec<Option<Arc<str>>>,
    missiles: Vec<Option<Arc<str>>>,
    flags: Vec<Option<Arc<str>>>,
}

impl Files {
    /// Starts a level. `items`, `weapons` and `powerups` are its terms by number.
    pub(super) fn level(&mut self, state: &State, game: &Game, items: &[Option<Term>], weapons: &[Option<Term>], powerups: &[Option<Term>]) {
        let all = |terms: &[Option<Term>], table: &FileTable| -> Vec<Option<Arc<str>>> {
            let file = |term: &Term| table.iter().find(|(own, _)| *own == &*term.own).map(|(_, file)| file.clone());
            terms.iter().map(|term| term.as_ref().and_then(file)).collect()
        };
        self.items = all(items, &ITEM_FILES);
        self.weapons = all(weapons, &ITEM_FILES);
        self.hands = self.weapons.iter().map(|weapon| Some(Arc::from(format!("{}_hand.md3", weapon.as_ref()?.strip_suffix(".md3")?)))).collect();
        self.missiles = all(weapons, &MISSILE_FILES);
        self.flags = all(powerups, &FLAG_FILES);
        self.figures = (0..game.strings.player_slots()).map(|slot| Figure::of(state.string(game.strings.players + slot))).collect();
    }

    /// The string of a player changed.
    pub(super) fn player(&mut self, slot: usize, string: &[u8]) {
        if let Some(figure) = self.figures.get_mut(slot) {
            *figure = Figure::of(string);
        }
    }

    pub(super) fn figure(&self, slot: u32) -> Option<&Figure> {
        self.figures.get(slot as usize)?.as_ref()
    }

    pub(super) fn item(&self, number: u32) -> Option<Arc<str>> {
        self.items.get(number as usize)?.clone()
    }

    pub(super) fn weapon(&self, number: u32) -> Option<Arc<str>> {
        self.weapons.get(number as usize)?.clone()
    }

    /// The hand that holds a weapon before somebody's eyes.
    pub(super) fn hand(&self, number: u32) -> Option<Arc<str>> {
        self.hands.get(number as usize)?.clone()
    }

    /// The flag of a power-up that is one.
    pub(super) fn flag(&self, powerup: u32) -> Option<Arc<str>> {
        self.flags.get(powerup as usize)?.clone()
    }

    pub(super) fn missile(&self, weapon: u32) -> Option<Arc<str>> {
        self.missiles.get(weapon as usize)?.clone()
    }
}

impl Figure {
    /// Reads the `model` of a player's string: `sarge/default`, or `sarge` for the default skin.
    fn of(string: &[u8]) -> Option<Self> {
        let named = clean(info(string, "model"));
        let (model, skin) = named.split_once('/').unwrap_or((&named, "default"));
        let is_plain = |part: &str| !part.is_empty() && part != ".." && !part.contains(['/', '\\']);
        (is_plain(model) && is_plain(skin)).then(|| Figure { model: Arc::from(format!("models/players/{model}")), skin: Arc::from(skin) })
    }
}

type FileTable = LazyLock<Vec<(&'static str, Arc<str>)>>;

/// Files under `models/` by item. Where an item has several models, the one that identifies it.
static ITEM_FILES: FileTable = LazyLock::new(|| {
    files(&[
        ("item_armor_shard", "powerups/armor/shard"),
        ("item_armor_combat", "powerups/armor/armor_yel"),
        ("item_armor_body", "powerups/armor/armor_red"),
        ("item_health_small", "powerups/health/small_cross"),
        ("item_health", "powerups/health/medium_cross"),
        ("item_health_large", "powerups/health/large_cross"),
        ("item_health_mega", "powerups/health/mega_cross"),
        ("weapon_gauntlet", "weapons2/gauntlet/gauntlet"),
        ("weapon_machinegun", "weapons2/machinegun/machinegun"),
        ("weapon_shotgun", "weapons2/shotgun/shotgun"),
        ("weapon_grenadelauncher", "weapons2/grenadel/grenadel"),
        ("weapon_rocketlauncher", "weapons2/rocketl/rocketl"),
        ("weapon_lightning", "weapons2/lightning/lightning"),
        ("weapon_railgun", "weapons2/railgun/railgun"),
        ("weapon_plasmagun", "weapons2/plasma/plasma"),
        ("weapon_bfg", "weapons2/bfg/bfg"),
        ("weapon_grapplinghook", "weapons2/grapple/grapple"),
        ("ammo_shells", "powerups/ammo/shotgunam"),
        ("ammo_bullets", "powerups/ammo/machinegunam"),
        ("ammo_grenades", "powerups/ammo/grenadeam"),
        ("ammo_cells", "powerups/ammo/plasmaam"),
        ("ammo_lightning", "powerups/ammo/lightningam"),
        ("ammo_rockets", "powerups/ammo/rocketam"),
        ("ammo_slugs", "powerups/ammo/railgunam"),
        ("ammo_bfg", "powerups/ammo/bfgam"),
        ("holdable_teleporter", "powerups/holdable/teleporter"),
        ("holdable_medkit", "powerups/holdable/medkit"),
        ("item_quad", "powerups/instant/quad"),
        ("item_enviro", "powerups/instant/enviro"),
        ("item_haste", "powerups/instant/haste"),
        ("item_invis", "powerups/instant/invis"),
        ("item_regen", "powerups/instant/regen"),
        ("item_flight", "powerups/instant/flight"),
        ("team_CTF_redflag", "flags/r_flag"),
        ("team_CTF_blueflag", "flags/b_flag"),
        ("team_CTF_neutralflag", "flags/n_flag"),
    ])
});

/// Files under `models/` of flags that players carry.
static FLAG_FILES: FileTable =
    LazyLock::new(|| files(&[("team_CTF_redflag", "flags/r_flag"), ("team_CTF_blueflag", "flags/b_flag"), ("team_CTF_neutralflag", "flags/n_flag")]));

/// Files under `models/` of what weapons shoot. Plasma is a sprite.
static MISSILE_FILES: FileTable =
    LazyLock::new(|| files(&[("weapon_rocketlauncher", "ammo/rocket/rocket"), ("weapon_grenadelauncher", "ammo/grenade1"), ("weapon_bfg", "weaphits/bfg")]));

fn files(table: &[(&'static str, &str)]) -> Vec<(&'static str, Arc<str>)> {
    table.iter().map(|(own, path)| (*own, Arc::from(format!("models/{path}.md3")))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_names_a_figure() {
        let of = |string: &[u8]| Figure::of(string).map(|figure| (figure.model.to_string(), figure.skin.to_string()));
        assert_eq!(of(b"n\\Ann\\model\\sarge/krusade"), Some(("models/players/sarge".into(), "krusade".into())));
        assert_eq!(of(b"n\\Ann\\model\\visor"), Some(("models/players/visor".into(), "default".into())));
        for broken in [&b""[..], b"n\\Ann", b"model\\", b"model\\../x", b"model\\a/b/c"] {
            assert_eq!(of(broken), None);
        }
    }
}
