//! Sounds that last as long as an entity or a player is as it is: those of loops, of weapons that are held or fired, and of missiles.

use std::sync::{Arc, LazyLock, OnceLock};

use fragreel_model::{Sound, Term};

use crate::game::Game;
use crate::state::State;

/// Units up to which a sound has its full volume, and where it is gone.
pub(super) const NEAR: f32 = 80.0;
pub(super) const FAR: f32 = 1330.0;
/// Sounds by number.
pub(super) const SOUNDS: usize = 256;

/// The sounds of a level by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Sounds {
    /// The first string of a sound.
    first: usize,
    /// Each is made when it is first heard: most walks ask for no sounds.
    loops: Vec<OnceLock<Option<Arc<Sound>>>>,
    /// By weapon: while it is held, while it fires, and while what it shot flies.
    weapons: Vec<[Option<Arc<Sound>>; 3]>,
}

impl Sounds {
    /// Starts a level. `weapons` are its terms by number.
    pub(super) fn level(&mut self, game: &Game, weapons: &[Option<Term>]) {
        self.first = game.strings.players.saturating_sub(SOUNDS);
        self.loops.clear();
        self.loops.resize_with(SOUNDS, OnceLock::new);
        let of = |weapon: &Option<Term>| {
            let found = weapon.as_ref().and_then(|weapon| OF_WEAPONS.iter().find(|(own, _)| *own == &*weapon.own));
            found.map_or([const { None }; 3], |(_, sounds)| sounds.clone())
        };
        self.weapons = weapons.iter().map(of).collect();
    }

    /// The string at `index` changed.
    pub(super) fn string(&mut self, index: usize) {
        if let Some(known) = index.checked_sub(self.first).and_then(|at| self.loops.get_mut(at)) {
            *known = OnceLock::new();
        }
    }

    /// The sound that an entity states; 0 is none.
    #[inline]
    pub(super) fn of(&self, state: &State, number: u32) -> Option<Arc<Sound>> {
        let number = number as usize;
        if number == 0 { None } else { self.loops.get(number)?.get_or_init(|| sound(state, self.first + number)).clone() }
    }

    /// The sound of a weapon in a hand.
    pub(super) fn of_weapon(&self, number: u32, fires: bool) -> Option<Arc<Sound>> {
        let [held, fired, _] = self.weapons.get(number as usize)?;
        (if fires { fired } else { held }).clone()
    }

    /// The sound of what a weapon shot.
    pub(super) fn of_missile(&self, number: u32) -> Option<Arc<Sound>> {
        self.weapons.get(number as usize)?[2].clone()
    }
}

fn sound(state: &State, index: usize) -> Option<Arc<Sound>> {
    let path = state.string(index);
    (!path.is_empty()).then(|| lasting(&fragreel_model::game_text(path)))
}

fn lasting(path: &str) -> Arc<Sound> {
    Arc::new(Sound { lasts: true, ..Sound::new(Arc::from(path)).within(NEAR, Some(FAR)) })
}

type OfWeapon = (&'static str, [Option<Arc<Sound>>; 3]);

/// Sounds under `sound/weapons/` that the game's client plays for weapons.
static OF_WEAPONS: LazyLock<Vec<OfWeapon>> = LazyLock::new(|| {
    [
        ("weapon_gauntlet", ["", "melee/fstrun", ""]),
        ("weapon_lightning", ["melee/fsthum", "lightning/lg_hum", ""]),
        ("weapon_railgun", ["railgun/rg_hum", "", ""]),
        ("weapon_rocketlauncher", ["", "", "rocket/rockfly"]),
        ("weapon_plasmagun", ["", "", "plasma/lasfly"]),
        ("weapon_bfg", ["bfg/bfg_hum", "", "rocket/rockfly"]),
    ]
    .map(|(own, files)| (own, files.map(|file| (!file.is_empty()).then(|| lasting(&format!("sound/weapons/{file}.wav"))))))
    .into()
});
