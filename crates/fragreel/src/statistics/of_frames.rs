//! Which figures only frames show.

use fragreel_model::{Figure, Figures, ItemStat, PlayerStats, Stat, WeaponStat};

/// Whether a figure comes from frames alone.
pub(super) fn is_of_frames(stat: Stat) -> bool {
    matches!(stat, Stat::TimeOnTeam | Stat::TimeAlive | Stat::Distance | Stat::Lost | Stat::TopSpeed | Stat::AverageSpeed)
}

/// Whether frames show a player of whom nothing else is known: a scoreboard without frames does not have him.
pub(super) fn shows_all(line: &PlayerStats) -> bool {
    let is_counted = |figure: Figure| figure.stated.is_none();
    let shots =
        |figures: &Figures<WeaponStat>| figures.iter().all(|(stat, figure)| is_counted(figure) && matches!(stat, WeaponStat::Shots | WeaponStat::Pellets));
    let held = |figures: &Figures<ItemStat>| figures.iter().all(|(stat, figure)| is_counted(figure) && stat == ItemStat::TimeHeld);
    line.other.is_empty()
        && line.stats.iter().all(|(stat, figure)| is_counted(figure) && is_of_frames(stat))
        && line.weapons.values().all(shots)
        && line.items.values().all(held)
}
