//! What a player's hand asked of the server.

use serde::Serialize;

/// One recorded user command: what the client asked of the server for one of its frames. What a format does not say is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UserCommand {
    /// The container's message that holds it, from 0.
    pub message: u32,
    /// Whose it is, by slot, in recordings that hold those of several players; absent for the recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u16>,
    /// The recorder's frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<i32>,
    /// Seconds since playing starts, as precise as the recording has them.
    pub time: f32,
    /// Milliseconds that the command lasts.
    pub msec: u8,
    /// The buttons held, by name.
    pub buttons: Vec<&'static str>,
    /// The buttons held, as recorded.
    pub button_bits: u16,
    /// Pitch in degrees.
    pub pitch: f32,
    /// Yaw in degrees.
    pub yaw: f32,
    /// Roll in degrees.
    pub roll: f32,
    /// Units per second, forward.
    pub forward_move: f32,
    /// Units per second, to the right.
    pub side_move: f32,
    /// Units per second, up.
    pub up_move: f32,
    /// 0 or an impulse.
    pub impulse: u8,
    /// 0 or the weapon asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weapon_select: Option<u8>,
    /// Milliseconds of interpolation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lerp_msec: Option<i16>,
    /// The light that falls on the player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub light_level: Option<u8>,
    /// The model of the weapon in hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_model: Option<i32>,
    /// The number of the client's packet that carried it first (QuakeWorld's `.qwd`).
    #[serde(skip)]
    pub packet: Option<u32>,
    /// Where its client had the player after it (Half-Life).
    #[serde(skip)]
    pub predicted: Option<Box<Predicted>>,
}

/// The player after a command, as his client predicted it, and the physics in force.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Predicted {
    /// Seconds that the client's frame lasted.
    pub frame_time: f32,
    /// Place.
    pub origin: [f32; 3],
    /// Units a second.
    pub velocity: [f32; 3],
    /// Whether the player stood on something.
    pub on_ground: bool,
    /// 0 to 3: dry, feet, waist, eyes.
    pub water_level: i32,
    /// How far the view was knocked aside: pitch, yaw, roll.
    pub punch_angle: [f32; 3],
    /// `sv_gravity`, times the player's own share.
    pub gravity: f32,
    /// `sv_stopspeed`.
    pub stop_speed: f32,
    /// `sv_maxspeed`.
    pub max_speed: f32,
    /// `sv_accelerate`.
    pub accelerate: f32,
    /// `sv_airaccelerate`.
    pub air_accelerate: f32,
    /// `sv_friction`.
    pub friction: f32,
    /// `sv_maxvelocity`.
    pub max_velocity: f32,
}

impl UserCommand {
    /// A command with what all formats say of one: the message that holds it, its time, how long it lasts, where its player looks,
    /// and how fast he wants to go forward, to the right and up.
    pub fn new(message: u32, time: f32, msec: u8, [pitch, yaw, roll]: [f32; 3], [forward_move, side_move, up_move]: [f32; 3]) -> Self {
        UserCommand { message, time, msec, pitch, yaw, roll, forward_move, side_move, up_move, ..UserCommand::default() }
    }

    /// The command with the buttons in `bits`; the lowest bit has the first of `names`.
    #[must_use]
    pub fn holding(mut self, bits: u16, names: &[&'static str]) -> Self {
        self.button_bits = bits;
        self.buttons = names.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 != 0).map(|(_, name)| *name).collect();
        self
    }
}
