//! Means of death: the weapon behind each, and how it hits.

use fragreel_model::common;

use crate::statistics;

/// The common name of the weapon behind a means of death.
pub(crate) fn weapon(means: &str) -> Option<&'static str> {
    statistics::terms::means(means)
}

/// Whether an explosion beside the victim did it.
pub(crate) fn is_splash(means: &str) -> bool {
    let means = means.to_ascii_lowercase();
    means.contains("splash") || means.contains("radius")
}

/// Whether it flies before it hits.
pub(crate) fn is_missile(means: &str) -> bool {
    const MISSILES: [&str; 7] =
        [common::ROCKET_LAUNCHER, common::GRENADE_LAUNCHER, common::HAND_GRENADE, common::PLASMA_GUN, common::BFG, common::NAILGUN, common::SUPER_NAILGUN];
    weapon(means).is_some_and(|weapon| MISSILES.contains(&weapon))
}

/// Whether a shot hits where it is aimed, in the same instant.
pub(crate) fn hits_at_once(means: &str) -> bool {
    weapon(means).is_some_and(|weapon| weapon != common::MELEE && weapon != common::MINE && weapon != common::GRAPPLE)
        && !is_missile(means)
        && !is_splash(means)
}
