//! Names, teams, and terms that the frames of a level share. They are made once, and again when a string changes.

use std::sync::Arc;

use fragreel_model::{Fields, PlayerFrame, Term, Text, common};

use super::looks::Files;
use super::sounds::Sounds;
use crate::game::Game;
use crate::state::State;
use crate::walk::Roster;

/// A player, with the name and team that frames share.
#[derive(Debug, Clone)]
pub(super) struct PresentPlayer {
    pub slot: u16,
    pub name: Arc<Text>,
    pub team: Option<Arc<str>>,
    pub spectates: bool,
}

/// Names and terms that the frames of a level share.
#[derive(Debug, Clone, Default)]
pub(super) struct LevelTerms {
    roster: Roster,
    /// The players, by slot.
    pub present: Vec<PresentPlayer>,
    /// The index of each slot among them.
    places: Vec<Option<u16>>,
    /// By number.
    pub weapons: Vec<Option<Term>>,
    pub ammo: Vec<Option<Term>>,
    pub items: Vec<Option<Term>>,
    pub powerups: Vec<Option<Term>>,
    /// Model strings by index.
    pub models: Vec<Option<Arc<str>>>,
    /// Names of the map's own parts by index.
    pub inline: Vec<Arc<str>>,
    /// Files of models.
    pub files: Files,
    /// Sounds that last.
    pub sounds: Sounds,
    /// The first string of a model.
    first_model: usize,
    teams: Vec<Arc<str>>,
}

/// How many models there are.
const MODELS: usize = 256;

impl LevelTerms {
    /// Starts a level.
    pub(super) fn level(&mut self, state: &State, game: &Game) {
        let terms = |names: &[&str], common: fn(&str) -> Option<&'static str>| -> Vec<Option<Term>> {
            names.iter().map(|name| Some(Term::new(*name, common(name))).filter(|_| !name.is_empty())).collect()
        };
        self.weapons = terms(game.weapons, common_name);
        self.ammo = game.weapons.iter().map(|weapon| ammo_of(weapon).map(|(own, common)| Term::new(own, Some(common)))).collect();
        self.items = terms(game.items, common_name);
        self.powerups = terms(game.powerups, common_name);
        self.teams = crate::game::names::TEAMS.iter().map(|team| Arc::from(*team)).collect();
        // models and sounds come before the players, 256 of each
        self.first_model = game.strings.players.saturating_sub(2 * MODELS);
        if self.inline.is_empty() {
            self.inline = (0..MODELS).map(|index| Arc::from(format!("*{index}"))).collect();
        }
        self.models = (0..MODELS).map(|index| model(state, self.first_model + index)).collect();
        self.files.level(state, game, &self.items, &self.weapons, &self.powerups);
        self.sounds.level(game, &self.weapons);
        self.roster.start_level(state, game);
        self.list();
    }

    fn list(&mut self) {
        self.present.clear();
        self.places.clear();
        for (slot, person) in self.roster.slots() {
            self.places.push(person.map(|_| self.present.len() as u16));
            self.present.extend(person.map(|person| PresentPlayer {
                slot: slot as u16,
                name: person.name.clone(),
                team: person.team.and_then(|team| self.teams.get(team)).cloned(),
                spectates: person.is_spectator(),
            }));
        }
    }

    /// The number of player slots.
    pub(super) fn slots(&self) -> usize {
        self.roster.len()
    }

    /// The index of a slot among the players.
    #[inline]
    pub(super) fn place(&self, slot: u32) -> Option<usize> {
        self.places.get(slot as usize)?.map(usize::from)
    }

    /// Sets a player's weapon, where weapons are asked for.
    #[inline]
    pub(super) fn arm(&self, player: &mut PlayerFrame, weapon: u32, fields: Fields) {
        Term::share(&mut player.weapon, if fields.any(Fields::WEAPON) { term(&self.weapons, weapon) } else { None });
    }

    /// The string at `index` changed.
    pub(super) fn string(&mut self, state: &State, game: &Game, index: usize) {
        if let Some(slot) = game.strings.player_at(index) {
            self.roster.update(slot, state.string(index));
            self.files.player(slot, state.string(index));
            self.list();
        } else if let Some(place) = index.checked_sub(self.first_model).and_then(|index| self.models.get_mut(index)) {
            *place = model(state, index);
        } else {
            self.sounds.string(index);
        }
    }
}

fn model(state: &State, index: usize) -> Option<Arc<str>> {
    let name = state.string(index);
    (!name.is_empty()).then(|| Arc::from(fragreel_model::game_text(name)))
}

/// The name that the families share.
fn common_name(own: &str) -> Option<&'static str> {
    Some(match own {
        "weapon_gauntlet" => common::MELEE,
        "weapon_machinegun" => common::MACHINE_GUN,
        "weapon_hmg" => common::HEAVY_MACHINE_GUN,
        "weapon_shotgun" => common::SHOTGUN,
        "weapon_grenadelauncher" => common::GRENADE_LAUNCHER,
        "weapon_rocketlauncher" => common::ROCKET_LAUNCHER,
        "weapon_lightning" => common::LIGHTNING_GUN,
        "weapon_railgun" => common::RAILGUN,
        "weapon_plasmagun" => common::PLASMA_GUN,
        "weapon_bfg" => common::BFG,
        "weapon_grapplinghook" => common::GRAPPLE,
        "weapon_nailgun" => common::NAILGUN,
        "weapon_prox_launcher" => common::MINE,
        "weapon_chaingun" => common::CHAINGUN,
        "item_armor_shard" => common::ARMOR_SHARD,
        "item_armor_combat" => common::YELLOW_ARMOR,
        "item_armor_body" => common::RED_ARMOR,
        "item_armor_jacket" => common::GREEN_ARMOR,
        "item_health_small" | "item_health" | "item_health_large" => common::HEALTH,
        "item_health_mega" => common::MEGA_HEALTH,
        "item_quad" => common::QUAD,
        "item_enviro" => common::BATTLE_SUIT,
        "item_haste" => common::HASTE,
        "item_invis" => common::INVISIBILITY,
        "item_regen" => common::REGENERATION,
        "item_flight" => common::FLIGHT,
        "item_scout" => common::SCOUT,
        "item_guard" => common::RESISTANCE,
        "item_doubler" => common::STRENGTH,
        "item_ammoregen" | "item_armorregen" => common::SUPPLY,
        "invulnerability" | "holdable_invulnerability" => common::INVULNERABILITY,
        "holdable_medkit" => common::MEDKIT,
        "holdable_teleporter" => common::TELEPORTER,
        "team_CTF_redflag" => common::RED_FLAG,
        "team_CTF_blueflag" => common::BLUE_FLAG,
        "team_CTF_neutralflag" => common::NEUTRAL_FLAG,
        _ => return ammo_names(own),
    })
}

fn ammo_names(own: &str) -> Option<&'static str> {
    AMMO.iter().find(|(_, name, _)| *name == own).map(|(_, _, common)| *common)
}

/// The ammunition of weapons: weapon, item, common name.
const AMMO: &[(&str, &str, &str)] = &[
    ("weapon_machinegun", "ammo_bullets", common::BULLETS),
    ("weapon_shotgun", "ammo_shells", common::SHELLS),
    ("weapon_grenadelauncher", "ammo_grenades", common::GRENADES),
    ("weapon_rocketlauncher", "ammo_rockets", common::ROCKETS),
    ("weapon_lightning", "ammo_lightning", common::LIGHTNING),
    ("weapon_railgun", "ammo_slugs", common::SLUGS),
    ("weapon_plasmagun", "ammo_cells", common::CELLS),
    ("weapon_bfg", "ammo_bfg", common::BFG_AMMO),
    ("weapon_nailgun", "ammo_nails", common::NAILS),
    ("weapon_prox_launcher", "ammo_mines", common::MINES),
    ("weapon_chaingun", "ammo_belt", common::BELTS),
    ("weapon_hmg", "ammo_hmg", common::BULLETS),
];

fn ammo_of(weapon: &str) -> Option<(&'static str, &'static str)> {
    AMMO.iter().find(|(of, ..)| *of == weapon).map(|(_, own, common)| (*own, *common))
}

pub(super) fn term(terms: &[Option<Term>], number: u32) -> Option<&Term> {
    terms.get(number as usize)?.as_ref()
}
