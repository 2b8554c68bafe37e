//! A row of aim: what is known of a shot, or of a kill whose shot is not recorded.

use std::sync::Arc;

use fragreel_model::{Evidence, Milliseconds, Player};
use serde::Serialize;

/// What a row of aim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AimKind {
    /// A recorded shot.
    Shot,
    /// A kill by a weapon that hits at once, without a recorded shot.
    Kill,
}

impl AimKind {
    /// The stable names.
    pub const NAMES: &'static [&'static str] = &["shot", "kill"];

    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            AimKind::Shot => "shot",
            AimKind::Kill => "kill",
        }
    }
}

/// Where the views of a row come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewSource {
    /// The client: one view for each of its frames, of user commands or of its own data.
    Command,
    /// The recorded view, once in a frame of the recording.
    View,
    /// The angles of the player's entity, which some games round.
    Entity,
}

impl ViewSource {
    /// The stable names.
    pub const NAMES: &'static [&'static str] = &["command", "view", "entity"];

    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            ViewSource::Command => "command",
            ViewSource::View => "view",
            ViewSource::Entity => "entity",
        }
    }
}

/// How a player aimed at a shot, or at a kill whose shot is not recorded (`docs/statistics.md`, "Aim"). What is not recorded is absent.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Aim {
    /// The shooter.
    pub player: Player,
    /// The level, from 0.
    pub level: u32,
    /// The container's message that states the shot or the kill.
    pub message: u32,
    /// Since the recording's first frame.
    pub time: Milliseconds,
    /// On the server's clock.
    pub server_time: Milliseconds,
    /// On the match clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_time: Option<Milliseconds>,
    /// Whether damage made it uncertain.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// `stated` for a recorded shot with exact views; `inferred` for kills, and for views from entities.
    pub evidence: Evidence,
    /// Shot or kill.
    pub kind: AimKind,
    /// Where the views come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ViewSource>,
    /// The mean time between the views of the last 200 ms, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f32>,
    /// The common name of the weapon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weapon: Option<&'static str>,
    /// The weapon, or the means of death, in the game's own terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weapon_own: Option<Arc<str>>,
    /// The enemy nearest to the view ray; of a kill, the victim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Player>,
    /// The view's pitch in degrees, positive downwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f32>,
    /// The view's yaw in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yaw: Option<f32>,
    /// The widest angle between the view and one of the last 50 ms, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_50: Option<f32>,
    /// Of the last 100 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_100: Option<f32>,
    /// Of the last 200 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_200: Option<f32>,
    /// The angle between the view and the one recorded before it, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_step: Option<f32>,
    /// Steps in a row before that one in which the view stood still, at most 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still_before: Option<u32>,
    /// Steps in a row after the shot in which the view stood still, at most 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still_after: Option<u32>,
    /// The angle between the view ray and the target's box in degrees; 0 if the ray hits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle_error: Option<f32>,
    /// By how much `angle_error` may be wrong, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle_error_within: Option<f32>,
    /// The distance between the origins of shooter and target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f32>,
    /// The time for which the recording player's recording had shown the target without a break.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_sight: Option<Milliseconds>,
    /// Half-Life: the angle between the client's view and that of the user command of the same client frame, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_offset: Option<f32>,
    /// Half-Life: the time since the console command `+attack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_press: Option<Milliseconds>,
}
