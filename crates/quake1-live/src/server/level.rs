//! The data of a level that a server sends before play.

use fragreel_quake1::unstable::message::{Float, Message, MoveVars};
use fragreel_quake1::unstable::replacement::EntityState;

/// The contents of a level.
#[derive(Debug, Clone)]
pub struct Level {
    /// The level's title.
    pub name: String,
    /// The game directory.
    pub gamedir: String,
    /// Server info: backslash-separated keys and values.
    pub server_info: String,
    /// Model files from number 1 on; the first is the map.
    pub models: Vec<String>,
    /// Sound files from number 1 on.
    pub sounds: Vec<String>,
    /// Baselines.
    pub baselines: Vec<(u32, EntityState)>,
    /// Static entities and sounds: `Static`, `StaticSound`, coordinates in eighths.
    pub statics: Vec<Message>,
    /// Constants of movement; a spectator without them cannot fly.
    pub move_vars: MoveVars,
    /// A number that no other level has.
    pub server_count: i32,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            name: String::from("A small level"),
            gamedir: String::from("qw"),
            server_info: String::from("\\hostname\\small\\map\\small"),
            models: vec![String::from("maps/small.bsp"), String::from("progs/missile.mdl")],
            sounds: vec![String::from("weapons/sgun1.wav")],
            baselines: Vec::new(),
            statics: Vec::new(),
            move_vars: usual(),
            server_count: 1,
        }
    }
}

/// Constants of movement as servers have them by default.
fn usual() -> MoveVars {
    let float = Float::from;
    MoveVars {
        gravity: float(800.0),
        stop_speed: float(100.0),
        max_speed: float(320.0),
        spectator_max_speed: float(500.0),
        accelerate: float(10.0),
        air_accelerate: float(0.7),
        water_accelerate: float(10.0),
        friction: float(4.0),
        water_friction: float(4.0),
        entity_gravity: float(1.0),
    }
}
