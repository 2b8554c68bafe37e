//! Jumps and falls: phases off the ground.

use fragreel_model::{Evidence, Milliseconds, Player};
use serde::Serialize;

use crate::kind::JumpKind;
use crate::state::Source;
use crate::strafe::Strafe;

/// How a phase off the ground ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// On the ground.
    #[default]
    Ground,
    /// In water.
    Water,
    /// On a ladder.
    Ladder,
    /// By a teleport, a spawn or a death.
    Cut,
    /// The recording ends, or does not show the player any more.
    Unseen,
}

impl End {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            End::Ground => "ground",
            End::Water => "water",
            End::Ladder => "ladder",
            End::Cut => "cut",
            End::Unseen => "unseen",
        }
    }
}

/// A phase off the ground.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Jump {
    /// Whose it is. The name is empty if it is not known.
    pub player: Player,
    /// The number of the player's phase in the recording, from 1.
    pub number: u32,
    /// The number of the hop in a row without a longer time on the ground, from 1.
    pub chain: u32,
    /// The level, from 0.
    pub level: u32,
    /// The container's message of the first state in the air.
    pub message: u32,
    /// The first state in the air, since the recording's first frame.
    pub time: Milliseconds,
    /// On the server's clock.
    pub server_time: Milliseconds,
    /// On the match clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_time: Option<Milliseconds>,
    /// Whether damage made it uncertain.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// Whether ground contact and velocity are stated, or inferred.
    pub evidence: Evidence,
    /// Where its rows come from.
    pub source: Source,
    /// The median time between its states in milliseconds: the error of its times.
    pub step: f32,
    /// The kind.
    pub kind: JumpKind,
    /// Half-Life: the hull was still that of a crouching player before the jump.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standup: Option<bool>,
    /// Whether the player jumped.
    pub jumped: bool,
    /// How it ended.
    pub end: End,
    /// The landing, or the last state in the air.
    pub time_to: Milliseconds,
    /// Milliseconds from the last state on the ground to the landing.
    pub air_time: f32,
    /// Steps from the last state on the ground to the landing.
    pub air_steps: u32,
    /// States on the ground before: 1 is the fastest hop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground_steps: Option<u32>,
    /// Milliseconds on the ground before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground_time: Option<f32>,
    /// The place of the last state on the ground.
    pub from: [f32; 3],
    /// The landing's place.
    pub to: [f32; 3],
    /// The horizontal distance between both.
    pub distance: f32,
    /// The distance as Half-Life's KZ plug-ins count it: the smaller of `distance` and the distance to the computed landing, plus 32 for the hull.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_kz: Option<f32>,
    /// The rise from the last state on the ground to the landing.
    pub offset: f32,
    /// The rise to the highest state.
    pub height: f32,
    /// The horizontal speed at the end of the phase before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_landed: Option<f32>,
    /// The horizontal speed one state before the next figure, if that was on the ground too; else the same.
    pub speed_earlier: f32,
    /// The horizontal speed of the last state on the ground: the pre-strafe.
    pub speed_before: f32,
    /// Of the first state in the air.
    pub speed_takeoff: f32,
    /// The highest in the air.
    pub speed_max: f32,
    /// Of the last state in the air.
    pub speed_to: f32,
    /// Whether the game cut the speed at the jump (Half-Life).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capped: Option<bool>,
    /// The vertical speed of the first state in the air.
    pub vz: f32,
    /// The sum of rises of speed in the air.
    pub gain: f32,
    /// The sum of falls.
    pub loss: f32,
    /// Steps in the air with rising speed in percent.
    pub sync: f32,
    /// The same of the steps with a movement key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_keys: Option<f32>,
    /// Steps with one side key in which the view turns to that side, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_turn: Option<f32>,
    /// The gain in percent of the greatest gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f32>,
    /// How far the wished direction is from the best, in degrees, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle_error: Option<f32>,
    /// Steps in the air that the physics explains, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<f32>,
    /// Steps with both side keys held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap_steps: Option<u32>,
    /// Steps without any move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_steps: Option<u32>,
    /// The sum of turns of the view in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<f32>,
    /// Steps that the jump key was held before the take-off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jump_held: Option<u32>,
    /// Presses of the jump key since the take-off before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jump_presses: Option<u32>,
    /// States in the air with the hull of a crouching player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duck_steps: Option<u32>,
    /// Counter-Strike's stamina before the jump.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stamina: Option<f32>,
    /// The greatest change of velocity in one step that the player's own movement does not explain: a hit, a pad, a wall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kick: Option<f32>,
    /// The number of strafes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strafe_count: Option<u32>,
    /// The strafes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strafes: Vec<Strafe>,
}
