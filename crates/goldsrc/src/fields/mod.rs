//! The fields that engines know, by structure: tables only (`docs/formats/goldsrc.md`, "Fields").

pub(crate) mod description;
pub(crate) mod names;
pub(crate) mod scale;

/// Names of fields that a delta description may list, over all structures.
const FIELDS: &[&str] = &[
    // entity_state_t
    "animtime",
    "frame",
    "origin[0]",
    "origin[1]",
    "origin[2]",
    "angles[0]",
    "angles[1]",
    "angles[2]",
    "modelindex",
    "sequence",
    "movetype",
    "solid",
    "mins[0]",
    "mins[1]",
    "mins[2]",
    "maxs[0]",
    "maxs[1]",
    "maxs[2]",
    "endpos[0]",
    "endpos[1]",
    "endpos[2]",
    "startpos[0]",
    "startpos[1]",
    "startpos[2]",
    "impacttime",
    "starttime",
    "weaponmodel",
    "owner",
    "effects",
    "eflags",
    "colormap",
    "framerate",
    "skin",
    "controller[0]",
    "controller[1]",
    "controller[2]",
    "controller[3]",
    "blending[0]",
    "blending[1]",
    "blending[2]",
    "blending[3]",
    "body",
    "rendermode",
    "renderamt",
    "renderfx",
    "scale",
    "rendercolor.r",
    "rendercolor.g",
    "rendercolor.b",
    "aiment",
    "basevelocity[0]",
    "basevelocity[1]",
    "basevelocity[2]",
    "velocity[0]",
    "velocity[1]",
    "velocity[2]",
    "team",
    "playerclass",
    "health",
    "spectator",
    "gaitsequence",
    "usehull",
    "gravity",
    "friction",
    "oldbuttons",
    "onground",
    "iStepLeft",
    "flFallVelocity",
    "fov",
    "weaponanim",
    "iuser1",
    "iuser2",
    "iuser3",
    "iuser4",
    "fuser1",
    "fuser2",
    "fuser3",
    "fuser4",
    "vuser1[0]",
    "vuser1[1]",
    "vuser1[2]",
    "vuser2[0]",
    "vuser2[1]",
    "vuser2[2]",
    "vuser3[0]",
    "vuser3[1]",
    "vuser3[2]",
    "vuser4[0]",
    "vuser4[1]",
    "vuser4[2]",
    "number",
    "entityType",
    "msg_time",
    "messagenum",
    // clientdata_t
    "punchangle[0]",
    "punchangle[1]",
    "punchangle[2]",
    "viewmodel",
    "flags",
    "waterlevel",
    "watertype",
    "view_ofs[0]",
    "view_ofs[1]",
    "view_ofs[2]",
    "bInDuck",
    "weapons",
    "flTimeStepSound",
    "flDuckTime",
    "flSwimTime",
    "waterjumptime",
    "maxspeed",
    "m_iId",
    "ammo_shells",
    "ammo_nails",
    "ammo_cells",
    "ammo_rockets",
    "m_flNextAttack",
    "tfstate",
    "pushmsec",
    "deadflag",
    "physinfo",
    // weapon_data_t
    "m_iClip",
    "m_flNextPrimaryAttack",
    "m_flNextSecondaryAttack",
    "m_flTimeWeaponIdle",
    "m_fInReload",
    "m_fInSpecialReload",
    "m_flNextReload",
    "m_flPumpTime",
    "m_fReloadTime",
    "m_fAimedDamage",
    "m_fNextAimBonus",
    "m_fInZoom",
    "m_iWeaponState",
    // usercmd_t
    "lerp_msec",
    "msec",
    "viewangles[0]",
    "viewangles[1]",
    "viewangles[2]",
    "forwardmove",
    "sidemove",
    "upmove",
    "lightlevel",
    "buttons",
    "impulse",
    "weaponselect",
    "impact_index",
    "impact_position[0]",
    "impact_position[1]",
    "impact_position[2]",
    // event_t
    "entindex",
    "bparam1",
    "bparam2",
    "fparam1",
    "fparam2",
    "iparam1",
    "iparam2",
    "ducking",
];

/// The names of all fields that engines know.
pub(crate) fn all() -> &'static [&'static str] {
    FIELDS
}

/// The listed name that equals `name`.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    FIELDS.iter().copied().find(|&field| field == name)
}

/// A structure whose rows are sent as deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Structure {
    /// `event_t`
    Event,
    /// `weapon_data_t`
    WeaponData,
    /// `usercmd_t`
    UserCommand,
    /// `custom_entity_state_t`: beams
    CustomEntity,
    /// `entity_state_player_t`
    Player,
    /// `entity_state_t`
    Entity,
    /// `clientdata_t`
    ClientData,
}

impl Structure {
    /// All of them, in the order of their declaration.
    pub const ALL: [Structure; 7] =
        [Structure::Event, Structure::WeaponData, Structure::UserCommand, Structure::CustomEntity, Structure::Player, Structure::Entity, Structure::ClientData];

    /// Its name in the stream.
    pub fn name(self) -> &'static str {
        match self {
            Structure::Event => "event_t",
            Structure::WeaponData => "weapon_data_t",
            Structure::UserCommand => "usercmd_t",
            Structure::CustomEntity => "custom_entity_state_t",
            Structure::Player => "entity_state_player_t",
            Structure::Entity => "entity_state_t",
            Structure::ClientData => "clientdata_t",
        }
    }

    /// The structure of a name in the stream.
    pub(crate) fn from_name(name: &[u8]) -> Option<Structure> {
        Structure::ALL.into_iter().find(|structure| structure.name().as_bytes() == name)
    }
}
