//! The words of a player state, its stats aside, and its mask bits.

super::slots! {
    /// The words of a player state, its stats aside.
    NAMES:
    PM_TYPE = "pm_type",
    ORIGIN_X = "origin_x", ORIGIN_Y = "origin_y", ORIGIN_Z = "origin_z",
    VELOCITY_X = "velocity_x", VELOCITY_Y = "velocity_y", VELOCITY_Z = "velocity_z",
    PM_TIME = "pm_time", PM_FLAGS = "pm_flags", GRAVITY = "gravity",
    DELTA_ANGLES_X = "delta_angles_x", DELTA_ANGLES_Y = "delta_angles_y", DELTA_ANGLES_Z = "delta_angles_z",
    VIEWOFFSET_X = "viewoffset_x", VIEWOFFSET_Y = "viewoffset_y", VIEWOFFSET_Z = "viewoffset_z",
    VIEWANGLES_X = "viewangles_x", VIEWANGLES_Y = "viewangles_y", VIEWANGLES_Z = "viewangles_z",
    KICK_ANGLES_X = "kick_angles_x", KICK_ANGLES_Y = "kick_angles_y", KICK_ANGLES_Z = "kick_angles_z",
    GUNINDEX = "gunindex", GUNFRAME = "gunframe",
    GUNOFFSET_X = "gunoffset_x", GUNOFFSET_Y = "gunoffset_y", GUNOFFSET_Z = "gunoffset_z",
    GUNANGLES_X = "gunangles_x", GUNANGLES_Y = "gunangles_y", GUNANGLES_Z = "gunangles_z",
    GUNRATE = "gunrate",
    // Which of the next eight a delta sends; not part of the state.
    BLEND_MASK = "blend_mask",
    BLEND_RED = "blend_red", BLEND_GREEN = "blend_green", BLEND_BLUE = "blend_blue", BLEND_ALPHA = "blend_alpha",
    DAMAGE_RED = "damage_blend_red", DAMAGE_GREEN = "damage_blend_green", DAMAGE_BLUE = "damage_blend_blue", DAMAGE_ALPHA = "damage_blend_alpha",
    FOV = "fov", RDFLAGS = "rdflags", VIEWHEIGHT = "viewheight", TEAM_ID = "team_id", CLIENTNUM = "clientnum",
    GUNINDEX2 = "gunindex2", GUNFRAME2 = "gunframe2", GUNSKIN = "gunskin", GUNSKIN2 = "gunskin2",
    MAXSPEED = "maxspeed", DUCKSPEED = "duckspeed", WATERSPEED = "waterspeed", ACCEL = "accel", STOPSPEED = "stopspeed",
    // Which parts of the fog a delta sends; not part of the state.
    FOG_MASK = "fog_mask",
    FOG_RED = "fog_red", FOG_GREEN = "fog_green", FOG_BLUE = "fog_blue", FOG_DENSITY = "fog_density", FOG_SKY_FACTOR = "fog_sky_factor",
    HEIGHTFOG_DENSITY = "heightfog_density", HEIGHTFOG_FALLOFF = "heightfog_falloff",
    HEIGHTFOG_START_RED = "heightfog_start_red", HEIGHTFOG_START_GREEN = "heightfog_start_green", HEIGHTFOG_START_BLUE = "heightfog_start_blue",
    HEIGHTFOG_END_RED = "heightfog_end_red", HEIGHTFOG_END_GREEN = "heightfog_end_green", HEIGHTFOG_END_BLUE = "heightfog_end_blue",
    HEIGHTFOG_START_DISTANCE = "heightfog_start_distance", HEIGHTFOG_END_DISTANCE = "heightfog_end_distance",
}

/// Words of a player's row.
pub const SLOTS: usize = NAMES.len();
/// A player's row.
pub type Row = [u32; SLOTS];

macro_rules! bits {
    ($($(#[$meta:meta])* $name:ident = $bit:expr),* $(,)?) => {
        $($(#[$meta])* #[allow(missing_docs, reason = "named as engines name them")] pub const $name: u64 = 1 << ($bit);)*
    };
}
bits! {
    PS_M_TYPE = 0, PS_M_ORIGIN = 1, PS_M_VELOCITY = 2, PS_M_TIME = 3, PS_M_FLAGS = 4, PS_M_GRAVITY = 5, PS_M_DELTA_ANGLES = 6,
    PS_VIEWOFFSET = 7, PS_VIEWANGLES = 8, PS_KICKANGLES = 9, PS_BLEND = 10, PS_FOV = 11, PS_WEAPONINDEX = 12, PS_WEAPONFRAME = 13, PS_RDFLAGS = 14,
    PS_MOREBITS = 15, PS_FOG = 16,
    PS_DAMAGE_BLEND = 16, PS_TEAM_ID = 17,
    PS_WEAPONSKIN = 15, PS_WEAPONINDEX2 = 16, PS_WEAPONFRAME2 = 17, PS_WEAPONSKIN2 = 18,
    PS_MAXSPEED = 19, PS_DUCKSPEED = 20, PS_WATERSPEED = 21, PS_ACCEL = 22, PS_STOPSPEED = 23,
    /// R1Q2 and Q2PRO send these seven apart from the mask, in the frame's header; here they follow its 32 bits.
    EPS_GUNOFFSET = EXTRA,
    EPS_GUNANGLES = EXTRA + 1, EPS_M_VELOCITY2 = EXTRA + 2, EPS_M_ORIGIN2 = EXTRA + 3, EPS_VIEWANGLE2 = EXTRA + 4, EPS_STATS = EXTRA + 5, EPS_CLIENTNUM = EXTRA + 6,
    PPS_M_TYPE = 0, PPS_M_ORIGIN = 1, PPS_M_ORIGIN2 = 2, PPS_VIEWOFFSET = 3, PPS_VIEWANGLES = 4, PPS_VIEWANGLE2 = 5, PPS_KICKANGLES = 6,
    PPS_BLEND = 7, PPS_FOV = 8, PPS_WEAPONINDEX = 9, PPS_WEAPONFRAME = 10, PPS_GUNOFFSET = 11, PPS_GUNANGLES = 12, PPS_RDFLAGS = 13, PPS_STATS = 14,
    PPS_MOREBITS = 15, PPS_REMOVE = 16, PPS_FOG = 17,
}

/// Where the extra flags of R1Q2 and Q2PRO stand in a mask.
pub const EXTRA: u32 = 32;
