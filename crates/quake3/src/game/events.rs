//! Events of entities and players by number (`docs/formats/quake3-events.md`, "Event numbers").

use crate::dialect::Line;
use crate::game::lists::{appended, inserted, place, without};

/// The events of a line of games.
#[derive(Debug, PartialEq, Eq)]
pub struct EventList {
    /// An entity whose type is at least this is an event by itself; the rest above is the event's number.
    pub first_type: u32,
    /// Names by number.
    pub names: &'static [&'static str],
    /// Somebody died. This and the next ones are [`ABSENT`] where the line has no such event.
    pub obituary: u32,
    /// A player took an item.
    pub item_pickup: u32,
    /// A player took an item that everybody is notified of.
    pub global_item_pickup: u32,
    /// Something happened to a flag or to the score.
    pub global_team_sound: u32,
    /// A player starts a race, passes a checkpoint, finishes.
    pub race: [u32; 3],
}

/// The number of an event that there is not.
pub const ABSENT: u32 = u32::MAX;

/// Bits of an event's number that distinguish a repeated event from the one before.
pub(crate) const TOGGLE_BITS: u32 = 0x300;

impl EventList {
    const fn new(line: Line, names: &'static [&'static str]) -> Self {
        EventList {
            first_type: line.first_event_type(),
            names,
            obituary: number(names, "EV_OBITUARY"),
            item_pickup: number(names, "EV_ITEM_PICKUP"),
            global_item_pickup: number(names, "EV_GLOBAL_ITEM_PICKUP"),
            global_team_sound: number(names, "EV_GLOBAL_TEAM_SOUND"),
            race: [number(names, "EV_RACE_START"), number(names, "EV_RACE_CHECKPOINT"), number(names, "EV_RACE_FINISH")],
        }
    }
}

const fn number(names: &[&str], name: &str) -> u32 {
    let at = place(names, name);
    if at < names.len() { at as u32 } else { ABSENT }
}

/// Events that are not known.
pub static UNKNOWN: EventList = EventList::new(Line::Quake3, &[]);
/// Up to protocol 45.
pub static EARLY: EventList = EventList::new(Line::Quake3Early, EARLY_NAMES);
/// From protocol 46 on.
pub static QUAKE3: EventList = EventList::new(Line::Quake3, QUAKE3_NAMES);
/// Quake Live.
pub static LIVE: EventList = EventList::new(Line::QuakeLive, LIVE_NAMES);

const EARLY_NAMES: &[&str] = &[
    "EV_NONE",
    "EV_FOOTSTEP",
    "EV_FOOTSTEP_METAL",
    "EV_FOOTSPLASH",
    "EV_FOOTWADE",
    "EV_SWIM",
    "EV_STEP_4",
    "EV_STEP_8",
    "EV_STEP_12",
    "EV_STEP_16",
    "EV_FALL_SHORT",
    "EV_FALL_MEDIUM",
    "EV_FALL_FAR",
    "EV_JUMP_PAD",
    "EV_JUMP",
    "EV_WATER_TOUCH",
    "EV_WATER_LEAVE",
    "EV_WATER_UNDER",
    "EV_WATER_CLEAR",
    "EV_ITEM_PICKUP",
    "EV_GLOBAL_ITEM_PICKUP",
    "EV_NOAMMO",
    "EV_CHANGE_WEAPON",
    "EV_FIRE_WEAPON",
    "EV_USE_ITEM0",
    "EV_USE_ITEM1",
    "EV_USE_ITEM2",
    "EV_USE_ITEM3",
    "EV_USE_ITEM4",
    "EV_USE_ITEM5",
    "EV_USE_ITEM6",
    "EV_USE_ITEM7",
    "EV_USE_ITEM8",
    "EV_USE_ITEM9",
    "EV_USE_ITEM10",
    "EV_USE_ITEM11",
    "EV_USE_ITEM12",
    "EV_USE_ITEM13",
    "EV_USE_ITEM14",
    "EV_USE_ITEM15",
    "EV_ITEM_RESPAWN",
    "EV_ITEM_POP",
    "EV_PLAYER_TELEPORT_IN",
    "EV_PLAYER_TELEPORT_OUT",
    "EV_GRENADE_BOUNCE",
    "EV_GENERAL_SOUND",
    "EV_GLOBAL_SOUND",
    "EV_BULLET_HIT_FLESH",
    "EV_BULLET_HIT_WALL",
    "EV_MISSILE_HIT",
    "EV_MISSILE_MISS",
    "EV_RAILTRAIL",
    "EV_SHOTGUN",
    "EV_BULLET",
    "EV_PAIN",
    "EV_DEATH1",
    "EV_DEATH2",
    "EV_DEATH3",
    "EV_OBITUARY",
    "EV_POWERUP_QUAD",
    "EV_POWERUP_BATTLESUIT",
    "EV_POWERUP_REGEN",
    "EV_GIB_PLAYER",
    "EV_SCOREPLUM",
    "EV_PROXIMITY_MINE_STICK",
    "EV_PROXIMITY_MINE_TRIGGER",
    "EV_KAMIKAZE",
    "EV_OBELISKEXPLODE",
    "EV_OBELISKPAIN",
    "EV_INVUL_IMPACT",
    "EV_JUICED",
    "EV_LIGHTNINGBOLT",
    "EV_DEBUG_LINE",
    "EV_STOPLOOPINGSOUND",
    "EV_TAUNT",
    "EV_TAUNT_YES",
    "EV_TAUNT_NO",
    "EV_TAUNT_FOLLOWME",
    "EV_TAUNT_GETFLAG",
    "EV_TAUNT_GUARDBASE",
    "EV_TAUNT_PATROL",
];

/// From protocol 46 on, without OpenArena's.
const BASE: &[&str] = &inserted::<83>(&inserted::<82>(EARLY_NAMES, "EV_GLOBAL_TEAM_SOUND", "EV_BULLET_HIT_FLESH"), "EV_MISSILE_MISS_METAL", "EV_RAILTRAIL");

/// The last eleven are OpenArena's.
const QUAKE3_NAMES: &[&str] = &appended::<94>(
    BASE,
    &[
        "EV_FOOTSTEP_SNOW",
        "EV_FOOTSTEP_WOOD",
        "EV_FOOTSTEP_SAND",
        "EV_FOOTSTEP_GRAVEL",
        "EV_FOOTSTEP_FOILAGE",
        "EV_FOOTSTEP_ICE",
        "EV_FOOTSTEP_GLASS",
        "EV_BULLET_HIT_WOOD",
        "EV_BULLET_HIT_SAND",
        "EV_BULLET_HIT_SNOW",
        "EV_BULLET_HIT_GLASS",
    ],
);

/// Quake Live's among those.
const LIVE_BASE: [&str; 81] = {
    let kept = without::<78>(BASE, &["EV_STEP_4", "EV_STEP_8", "EV_STEP_12", "EV_STEP_16", "EV_STOPLOOPINGSOUND"]);
    let kept = inserted::<79>(&kept, "EV_DROP_WEAPON", "EV_FIRE_WEAPON");
    let kept = inserted::<80>(&kept, "EV_DROWN", "EV_OBITUARY");
    inserted(&kept, "EV_POWERUP_ARMORREGEN", "EV_GIB_PLAYER")
};

const LIVE_NAMES: &[&str] = &appended::<100>(
    &LIVE_BASE,
    &[
        "EV_FOOTSTEP_SNOW",
        "EV_FOOTSTEP_WOOD",
        "EV_ITEM_PICKUP_SPEC",
        "EV_OVERTIME",
        "EV_GAMEOVER",
        "EV_MISSILE_MISS_DMGTHROUGH",
        "EV_THAW_PLAYER",
        "EV_THAW_TICK",
        "EV_SHOTGUN_KILL",
        "EV_POI",
        "EV_DEBUG_HITBOX",
        "EV_LIGHTNING_DISCHARGE",
        "EV_RACE_START",
        "EV_RACE_CHECKPOINT",
        "EV_RACE_FINISH",
        "EV_DAMAGEPLUM",
        "EV_AWARD",
        "EV_INFECTED",
        "EV_NEW_HIGH_SCORE",
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stand_where_engines_have_them() {
        assert_eq!((EARLY.obituary, QUAKE3.obituary, LIVE.obituary), (58, 60, 58));
        assert_eq!((EARLY.item_pickup, QUAKE3.item_pickup, LIVE.item_pickup), (19, 19, 15));
        assert_eq!((EARLY.global_team_sound, QUAKE3.global_team_sound, LIVE.global_team_sound), (ABSENT, 47, 44));
    }
}
