//! Messages whose fields are always the same, in wire order (`docs/formats/goldsrc.md`, "Messages").

use crate::scalars::{Attenuation, Coord, Fifths, Padded, Pitch, Str, Turn, Volume, plain};

/// Declares plain messages in bulk.
macro_rules! simple {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {
        $(plain! { $(#[$doc])* pub struct $name { $($field: $type),* } })*
    };
}

simple! {
    /// `svc_nop`
    Nop {}
    /// `svc_disconnect`
    Disconnect { reason: Str }
    /// `svc_version`
    Version { protocol: i32 }
    /// `svc_setview`
    SetView { entity: i16 }
    /// `svc_time`
    Time { time: f32 }
    /// `svc_print`
    Print { text: Str }
    /// `svc_stufftext`
    StuffText { command: Str }
    /// `svc_setangle`
    SetAngle { angles: [Turn; 3] }
    /// `svc_lightstyle`
    LightStyle { style: u8, pattern: Str }
    /// `svc_stopsound`
    StopSound { entity_and_channel: i16 }
    /// `svc_particle`
    Particle { origin: [Coord; 3], direction: [i8; 3], count: u8, color: u8 }
    /// `svc_damage`
    Damage {}
    /// `svc_setpause`
    SetPause { paused: u8 }
    /// `svc_signonnum`
    SignonNum { number: u8 }
    /// `svc_centerprint`
    CenterPrint { text: Str }
    /// `svc_killedmonster`
    KilledMonster {}
    /// `svc_foundsecret`
    FoundSecret {}
    /// `svc_spawnstaticsound`
    SpawnStaticSound { origin: [Coord; 3], sound: u16, volume: Volume, attenuation: Attenuation, entity: u16, pitch: Pitch, flags: u8 }
    /// `svc_intermission`
    Intermission {}
    /// `svc_finale`
    Finale { text: Str }
    /// `svc_cdtrack`
    CdTrack { track: u8, loop_track: u8 }
    /// `svc_cutscene`
    Cutscene { text: Str }
    /// `svc_weaponanim`
    WeaponAnim { sequence: i8, body: i8 }
    /// `svc_decalname`
    DecalName { index: u8, decal: Str }
    /// `svc_roomtype`
    RoomType { room: i16 }
    /// `svc_addangle`
    AddAngle { yaw: Turn }
    /// `svc_newusermsg`: a size of -1 says that a byte of length goes before the message.
    NewUserMessage { number: u8, size: i8, name: Padded<16> }
    /// `svc_choke`
    Choke {}
    /// `svc_newmovevars`
    NewMoveVars {
        gravity: f32, stop_speed: f32, max_speed: f32, spectator_max_speed: f32, accelerate: f32, air_accelerate: f32, water_accelerate: f32,
        friction: f32, edge_friction: f32, water_friction: f32, entity_gravity: f32, bounce: f32, step_size: f32, max_velocity: f32, z_max: f32,
        wave_height: f32, footsteps: u8, roll_angle: f32, roll_speed: f32, sky_color: [f32; 3], sky_vector: [f32; 3], sky_name: Str,
    }
    /// `svc_resourcerequest`
    ResourceRequest { spawn_count: i32, unused: i32 }
    /// `svc_crosshairangle`
    CrosshairAngle { pitch: Fifths, yaw: Fifths }
    /// `svc_soundfade`
    SoundFade { percent: u8, hold: u8, fade_out: u8, fade_in: u8 }
    /// `svc_filetxferfailed`
    FileTxferFailed { file: Str }
    /// `svc_timescale`
    TimeScale { scale: f32 }
    /// `svc_resourcelocation`
    ResourceLocation { url: Str }
    /// `svc_sendcvarvalue`
    SendCvarValue { cvar: Str }
    /// `svc_sendcvarvalue2`
    SendCvarValue2 { request: i32, cvar: Str }
}
