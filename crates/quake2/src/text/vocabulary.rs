//! Names of numbers that people would not know by heart, as engines name them.

use std::borrow::Cow;
use std::sync::LazyLock;

use fragreel_base::textform::Names;

use crate::dialect::RecordingKind;

/// Importance of a line on the console.
pub(super) static PRINT_LEVELS: LazyLock<Names> = LazyLock::new(|| Names::new(["low", "medium", "high", "chat"]));

/// Kinds of recordings.
pub(super) static KINDS: LazyLock<Names> = LazyLock::new(|| {
    let named = [RecordingKind::NETWORK, RecordingKind::CLIENT, RecordingKind::SERVER, RecordingKind::RELAY];
    Names::new((0..=u8::MAX).map(|kind| named.iter().find(|known| known.0 == kind).map_or("", |known| known.name())))
});

/// Channels of an entity's sounds.
pub(super) static CHANNELS: LazyLock<Names> = LazyLock::new(|| Names::new(["auto", "weapon", "voice", "item", "body"]));

/// What happens to an entity for one frame.
pub(super) static EVENTS: LazyLock<Names> = LazyLock::new(|| {
    Names::new(["EV_NONE", "EV_ITEM_RESPAWN", "EV_FOOTSTEP", "EV_FALLSHORT", "EV_FALL", "EV_FALLFAR", "EV_PLAYER_TELEPORT", "EV_OTHER_TELEPORT"])
});

/// How a player moves.
pub(super) static MOVEMENTS: LazyLock<Names> = LazyLock::new(|| Names::new(["PM_NORMAL", "PM_SPECTATOR", "PM_DEAD", "PM_GIB", "PM_FREEZE"]));

/// How a player moves in the rerelease.
pub(super) static RERELEASE_MOVEMENTS: LazyLock<Names> =
    LazyLock::new(|| Names::new(["PM_NORMAL", "PM_GRAPPLE", "PM_NOCLIP", "PM_SPECTATOR", "PM_DEAD", "PM_GIB", "PM_FREEZE"]));

/// The muzzle flashes of players.
pub(super) static MUZZLE_FLASHES: LazyLock<Names> = LazyLock::new(|| {
    let first = [
        "MZ_BLASTER",
        "MZ_MACHINEGUN",
        "MZ_SHOTGUN",
        "MZ_CHAINGUN1",
        "MZ_CHAINGUN2",
        "MZ_CHAINGUN3",
        "MZ_RAILGUN",
        "MZ_ROCKET",
        "MZ_GRENADE",
        "MZ_LOGIN",
        "MZ_LOGOUT",
        "MZ_RESPAWN",
        "MZ_BFG",
        "MZ_SSHOTGUN",
        "MZ_HYPERBLASTER",
        "MZ_ITEMRESPAWN",
        "MZ_IONRIPPER",
        "MZ_BLUEHYPERBLASTER",
        "MZ_PHALANX",
    ];
    let second = ["MZ_ETF_RIFLE", "MZ_UNUSED", "MZ_SHOTGUN2", "MZ_HEATBEAM", "MZ_BLASTER2", "MZ_TRACKER", "MZ_NUKE1", "MZ_NUKE2", "MZ_NUKE4", "MZ_NUKE8"];
    const SECOND: usize = 30;
    Names::new(first.into_iter().chain(std::iter::repeat_n("", SECOND - first.len())).chain(second))
});

/// Most stats of any dialect.
pub(super) const STATS_LIMIT: usize = 256;

/// The stats that the stock games have; others go by their numbers.
pub(super) static STATS: LazyLock<Names> = LazyLock::new(|| {
    let known = [
        "health_icon",
        "health",
        "ammo_icon",
        "ammo",
        "armor_icon",
        "armor",
        "selected_icon",
        "pickup_icon",
        "pickup_string",
        "timer_icon",
        "timer",
        "helpicon",
        "selected_item",
        "layouts",
        "frags",
        "flashes",
    ];
    Names::new((0..STATS_LIMIT).map(|stat| known.get(stat).map_or_else(|| Cow::Owned(stat.to_string()), |name| Cow::Borrowed(*name))))
});
