//! Rows of movement: what is known of a player at one time.

use std::sync::Arc;

use fragreel_model::{Milliseconds, Text};
use serde::Serialize;

use crate::input::Input;
use crate::physics::Physics;

/// A player at one time, and the command that led there.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The slot.
    pub slot: u16,
    /// The name without colors, and as sent.
    pub name: Option<Arc<Text>>,
    /// The team.
    pub team: Option<Arc<str>>,
    /// Number of the level, from 0.
    pub level: u32,
    /// The container's message.
    pub message: u32,
    /// Since the recording's first frame.
    pub time: Milliseconds,
    /// The server's clock.
    pub server_time: Milliseconds,
    /// The match clock.
    pub match_time: Option<Milliseconds>,
    /// Whether damage made it uncertain.
    pub uncertain: bool,
    /// Milliseconds since the state before, by the most precise clock that there is.
    pub msec: f32,
    /// Where the origin is.
    pub origin: [f32; 3],
    /// Units a second.
    pub velocity: [f32; 3],
    /// Whether the velocity is stated. Otherwise it is the difference of places.
    pub is_velocity_stated: bool,
    /// Whether the player stands on something.
    pub on_ground: Option<bool>,
    /// Whether that is stated. Otherwise it is inferred.
    pub is_ground_stated: bool,
    /// Whether the hull is that of a crouching player.
    pub ducked: Option<bool>,
    /// How the player moves.
    pub phase: Phase,
    /// Whether the player was teleported, spawned or died since the state before.
    pub is_cut: bool,
    /// Whether a message says that the player jumped.
    pub jumped: bool,
    /// Counter-Strike's stamina in milliseconds: what slows the player down after a jump.
    pub stamina: Option<f32>,
    /// What the player pressed.
    pub input: Option<Input>,
    /// The physics of the step that led here.
    pub physics: Option<Physics>,
    /// Where the row comes from.
    pub source: Source,
}

/// How a player moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Walks or falls.
    #[default]
    Normal,
    /// Climbs a ladder.
    Ladder,
    /// Swims.
    Water,
    /// Flies, watches, is dead or frozen.
    Other,
}

impl Phase {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Normal => "normal",
            Phase::Ladder => "ladder",
            Phase::Water => "water",
            Phase::Other => "other",
        }
    }
}

/// Where a row of movement comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// One user command leads from the state before to this one.
    Command,
    /// Stated velocity, with one command or several between.
    Snapshot,
    /// Places alone.
    #[default]
    Positions,
}

impl Source {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Source::Command => "command",
            Source::Snapshot => "snapshot",
            Source::Positions => "positions",
        }
    }
}

impl State {
    /// The horizontal speed.
    pub fn speed(&self) -> f32 {
        self.velocity[0].hypot(self.velocity[1])
    }

    /// Whether the player walks on ground.
    pub fn is_grounded(&self) -> bool {
        self.on_ground == Some(true) && self.phase == Phase::Normal
    }

    /// Whether the player is in the air.
    pub fn is_airborne(&self) -> bool {
        self.on_ground == Some(false) && self.phase == Phase::Normal
    }
}
