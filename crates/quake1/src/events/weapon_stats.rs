//! Reads `//wps`, KTX's running totals of shots and hits (`docs/formats/quake1.md`, "Weapon statistics").

use std::borrow::Cow;
use std::collections::BTreeMap;

use fragreel_model::{PlayerStats, Statement, WeaponStat};

use crate::events::demo_info::common_weapon;
use crate::state::Game;

/// The newest totals, by slot and weapon.
#[derive(Debug, Clone, Default)]
pub(super) struct WeaponStats {
    totals: BTreeMap<(u8, String), [i64; 2]>,
}

/// The limit on weapons of all players.
const MOST: usize = 2048;

impl WeaponStats {
    /// Follows `SLOT WEAPON SHOTS HITS`.
    pub(super) fn take(&mut self, mut words: impl Iterator<Item = Cow<'static, str>>) -> Option<()> {
        let slot = words.next()?.parse().ok()?;
        let weapon = words.next()?.into_owned();
        let mut number = || words.next()?.parse().ok();
        let figures = [number()?, number()?];
        if self.totals.len() < MOST {
            self.totals.insert((slot, weapon), figures);
        }
        Some(())
    }

    /// Takes the totals so far.
    pub(super) fn statement(&mut self, game: &Game) -> Option<Statement> {
        let mut statement = Statement::new("wps");
        for ((slot, weapon), [shots, hits]) in std::mem::take(&mut self.totals) {
            let Some(player) = game.roster.player(slot) else { continue };
            if statement.players.last().is_none_or(|last| last.player != player) {
                statement.players.push(PlayerStats::new(player));
            }
            let Some(line) = statement.players.last_mut() else { continue };
            // pellets of shotguns, and of explosives the direct hits alone
            let [shot, hit] = match &*weapon {
                "sg" | "ssg" => [WeaponStat::Pellets, WeaponStat::PelletHits],
                "rl" | "gl" => [WeaponStat::Shots, WeaponStat::DirectHits],
                _ => [WeaponStat::Shots, WeaponStat::Hits],
            };
            let name = common_weapon(&weapon).map_or(Cow::Owned(weapon), Cow::Borrowed);
            let figures = line.weapon(name);
            figures.state(shot, shots);
            figures.state(hit, hits);
        }
        (!statement.players.is_empty()).then_some(statement)
    }
}
