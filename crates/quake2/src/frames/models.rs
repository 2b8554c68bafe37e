//! The meaning of models and pictures, in the vocabulary of all games.

use std::sync::Arc;

use fragreel_model::{EntityKind, Term, common};

use crate::chars;
use crate::state::State;

/// The meaning of a model.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub kind: EntityKind,
    pub model: Arc<str>,
    pub item: Option<Term>,
    /// The weapon, if it is a view model.
    pub weapon: Option<Term>,
}

/// The meaning of models and pictures by index. Computed on first use in a level.
#[derive(Debug, Clone, Default)]
pub(super) struct Models {
    models: Vec<Option<Option<Model>>>,
    images: Vec<Option<Option<Term>>>,
    /// The weapons that others are drawn with, by their number in `skinnum`.
    carried: Option<Vec<Option<Term>>>,
}

impl Models {
    /// Clears everything, because strings changed.
    pub(super) fn clear(&mut self) {
        self.models.clear();
        self.images.clear();
        self.carried = None;
    }

    /// The meaning of a model.
    pub(super) fn model(&mut self, state: &State, index: u32) -> Option<&Model> {
        let strings = state.dialect.strings;
        let known = known(&mut self.models, index, strings.sounds - strings.models)?;
        known.get_or_insert_with(|| entry(&string(state, strings.models, index)?)).as_ref()
    }

    /// The ammunition or power-up that a picture of the status bar stands for.
    pub(super) fn image(&mut self, state: &State, index: i16) -> Option<&Term> {
        let strings = state.dialect.strings;
        let index = u32::from(u16::try_from(index).ok()?);
        let known = known(&mut self.images, index, strings.lights - strings.images)?;
        known.get_or_insert_with(|| string(state, strings.images, index).map(|name| named(&name, IMAGES))).as_ref()
    }

    /// The weapon in another player's hand. Models that begin with `#` are counted, from 1.
    pub(super) fn carried(&mut self, state: &State, number: u32) -> Option<&Term> {
        let all = self.carried.get_or_insert_with(|| {
            let strings = state.dialect.strings;
            let models = (strings.models..strings.sounds).map(|index| state.strings.get(index)).filter(|name| name.starts_with(b"#"));
            models.map(|name| carried(&chars::clean(name))).collect()
        });
        all.get(number.checked_sub(1)? as usize)?.as_ref()
    }
}

fn known<T>(list: &mut Vec<Option<T>>, index: u32, end: u16) -> Option<&mut Option<T>> {
    let at = usize::try_from(index).ok().filter(|&at| at > 0 && at < usize::from(end))?;
    if list.len() <= at {
        list.resize_with(at + 1, || None);
    }
    list.get_mut(at)
}

fn string(state: &State, first: u16, index: u32) -> Option<String> {
    let text = state.strings.get(first.checked_add(u16::try_from(index).ok()?)?);
    (!text.is_empty()).then(|| chars::clean(text))
}

type Names = [(&'static str, Option<&'static str>)];

/// Pictures of the status bar.
const IMAGES: &Names = &[
    ("a_shells", Some(common::SHELLS)),
    ("a_bullets", Some(common::BULLETS)),
    ("a_cells", Some(common::CELLS)),
    ("a_rockets", Some(common::ROCKETS)),
    ("a_slugs", Some(common::SLUGS)),
    ("a_grenades", Some(common::GRENADES)),
    ("p_quad", Some(common::QUAD)),
    ("p_invulnerability", Some(common::INVULNERABILITY)),
    ("p_envirosuit", Some(common::BATTLE_SUIT)),
];

/// Weapons, by their names in events.
const WEAPONS: &Names = &[
    ("blaster", Some(common::PISTOL)),
    ("shotgun", Some(common::SHOTGUN)),
    ("super shotgun", Some(common::SUPER_SHOTGUN)),
    ("machinegun", Some(common::MACHINE_GUN)),
    ("chaingun", Some(common::CHAINGUN)),
    ("grenades", Some(common::HAND_GRENADE)),
    ("grenade launcher", Some(common::GRENADE_LAUNCHER)),
    ("rocket launcher", Some(common::ROCKET_LAUNCHER)),
    ("hyperblaster", Some(common::PLASMA_GUN)),
    ("railgun", Some(common::RAILGUN)),
    ("bfg10k", Some(common::BFG)),
    // CTF, the mission packs, Action Quake II.
    ("v_grapple", Some(common::GRAPPLE)),
    ("v_etf_rifle", Some(common::NAILGUN)),
    ("v_plaunch", Some(common::MINE)),
    ("v_dual", Some(common::PISTOL)),
    ("v_m4", Some(common::ASSAULT_RIFLE)),
    ("v_sniper", Some(common::SNIPER_RIFLE)),
    ("v_cannon", Some(common::SUPER_SHOTGUN)),
    ("v_knife", Some(common::MELEE)),
];

/// Weapon models on other players.
const CARRIED: &[(&str, &str)] = &[
    ("w_blaster", "blaster"),
    ("w_shotgun", "shotgun"),
    ("w_sshotgun", "super shotgun"),
    ("w_machinegun", "machinegun"),
    ("w_chaingun", "chaingun"),
    ("a_grenades", "grenades"),
    ("w_glauncher", "grenade launcher"),
    ("w_rlauncher", "rocket launcher"),
    ("w_hyperblaster", "hyperblaster"),
    ("w_railgun", "railgun"),
    ("w_bfg", "bfg10k"),
    ("w_grapple", "v_grapple"),
    ("w_mk23", "blaster"),
    ("w_m4", "v_m4"),
    ("w_sniper", "v_sniper"),
    ("w_knife", "v_knife"),
];

/// Items, by the start of their model path after `models/`.
const ITEMS: &Names = &[
    ("items/mega_h", Some(common::MEGA_HEALTH)),
    ("items/healing", Some(common::HEALTH)),
    ("items/armor/body", Some(common::RED_ARMOR)),
    ("items/armor/combat", Some(common::YELLOW_ARMOR)),
    ("items/armor/jacket", Some(common::GREEN_ARMOR)),
    ("items/armor/shard", Some(common::ARMOR_SHARD)),
    ("items/quaddama", Some(common::QUAD)),
    ("items/invulner", Some(common::INVULNERABILITY)),
    ("items/enviro", Some(common::BATTLE_SUIT)),
    ("items/ammo/shells", Some(common::SHELLS)),
    ("items/ammo/bullets", Some(common::BULLETS)),
    ("items/ammo/cells", Some(common::CELLS)),
    ("items/ammo/rockets", Some(common::ROCKETS)),
    ("items/ammo/slugs", Some(common::SLUGS)),
    ("items/ammo/grenades", Some(common::GRENADES)),
    ("items/keys", Some(common::KEY)),
    ("items", None),
    ("weapons/g_shotg2", Some(common::SUPER_SHOTGUN)),
    ("weapons/g_shotg", Some(common::SHOTGUN)),
    ("weapons/g_machn", Some(common::MACHINE_GUN)),
    ("weapons/g_chain", Some(common::CHAINGUN)),
    ("weapons/g_launch", Some(common::GRENADE_LAUNCHER)),
    ("weapons/g_rocket", Some(common::ROCKET_LAUNCHER)),
    ("weapons/g_hyperb", Some(common::PLASMA_GUN)),
    ("weapons/g_rail", Some(common::RAILGUN)),
    ("weapons/g_bfg", Some(common::BFG)),
    ("weapons/g_", None),
    ("ctf/resistance", Some(common::RESISTANCE)),
    ("ctf/strength", Some(common::STRENGTH)),
    ("ctf/haste", Some(common::HASTE)),
    ("ctf/regeneration", Some(common::REGENERATION)),
    ("flags/flag1", Some(common::RED_FLAG)),
    ("flags/flag2", Some(common::BLUE_FLAG)),
];

/// Missiles, by the start of their model path.
const MISSILES: &Names = &[
    ("models/objects/rocket", Some(common::ROCKET_LAUNCHER)),
    ("models/objects/grenade2", Some(common::HAND_GRENADE)),
    ("models/objects/grenade", Some(common::GRENADE_LAUNCHER)),
    ("models/objects/laser", None),
    ("models/objects/bomb", None),
    ("models/objects/flechette", Some(common::NAILGUN)),
    ("models/objects/knife", Some(common::MELEE)),
    ("models/weapons/g_prox", Some(common::MINE)),
    ("models/weapons/grapple", Some(common::GRAPPLE)),
    ("models/proj", None),
    ("sprites/s_bfg1", Some(common::BFG)),
];

fn entry(path: &str) -> Option<Model> {
    let of = |kind, item| Some(Model { kind, model: Arc::from(path), item, weapon: weapon(path) });
    if path.starts_with('*') || path.starts_with("maps/") {
        return of(EntityKind::Mover, None);
    }
    if let Some((name, common)) = MISSILES.iter().find(|(name, _)| path.starts_with(name)) {
        return of(EntityKind::Missile, Some(Term::new(name.rsplit('/').next().unwrap_or(name), *common)));
    }
    if let Some(behind) = path.strip_prefix("models/")
        && let Some((_, common)) = ITEMS.iter().find(|(name, _)| behind.starts_with(name))
    {
        let own = behind.strip_suffix("/tris.md2").unwrap_or(behind);
        return of(EntityKind::Item, Some(Term::new(own, *common)));
    }
    let flag = [("players/male/flag1", common::RED_FLAG), ("players/male/flag2", common::BLUE_FLAG)];
    if let Some((name, common)) = flag.iter().find(|(name, _)| path.starts_with(name)) {
        return of(EntityKind::Item, Some(Term::new(*name, Some(common))));
    }
    let effect = path.starts_with("sprites/") || ["explode", "flash", "smoke"].iter().any(|word| path.contains(word));
    of(if effect { EntityKind::Effect } else { EntityKind::Other }, None)
}

/// The weapon of a view model.
fn weapon(path: &str) -> Option<Term> {
    let name = crate::walk::weapons::weapon(path).filter(|_| path.contains("/v_"))?;
    Some(named(&name, WEAPONS))
}

fn carried(model: &str) -> Option<Term> {
    let name = model.strip_prefix('#')?.split('.').next()?;
    let known = CARRIED.iter().find(|(model, _)| *model == name);
    Some(known.map_or_else(|| Term::new(name, None), |(_, weapon)| named(weapon, WEAPONS)))
}

fn named(name: &str, list: &Names) -> Term {
    Term::new(name, list.iter().find(|(known, _)| *known == name).and_then(|(_, common)| *common))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_what_they_stand_for() {
        let of = |path: &str| entry(path).map(|entry| (entry.kind, entry.item.and_then(|item| item.common))).unwrap();
        assert_eq!(of("*7"), (EntityKind::Mover, None));
        assert_eq!(of("models/items/armor/body/tris.md2"), (EntityKind::Item, Some("red_armor")));
        assert_eq!(of("models/weapons/g_shotg2/tris.md2"), (EntityKind::Item, Some("super_shotgun")));
        assert_eq!(of("models/objects/rocket/tris.md2"), (EntityKind::Missile, Some("rocket_launcher")));
        assert_eq!(of("models/objects/r_explode/tris.md2"), (EntityKind::Effect, None));
        assert_eq!(of("models/monsters/soldier/tris.md2"), (EntityKind::Other, None));
        assert_eq!(weapon("models/weapons/v_rail/tris.md2").unwrap().common, Some("railgun"));
        assert_eq!(carried("#w_rlauncher.md2").unwrap(), Term::new("rocket launcher", Some("rocket_launcher")));
        assert_eq!(weapon("models/objects/rocket/tris.md2"), None);
    }
}
