//! `commands`: what the player's hands did, frame by frame (`docs/formats/goldsrc.md`, "User commands").

use serde::Serialize;

use crate::body;
use crate::container::Step;
use crate::recording::Recording;

/// One recorded user command.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UserCommandRow {
    /// The macro that holds it, from 0.
    pub message: u32,
    /// The recorder's frame.
    pub frame: i32,
    /// Seconds since playing starts.
    pub time: f32,
    /// Milliseconds that the command lasts.
    pub msec: u8,
    /// Milliseconds of interpolation.
    pub lerp_msec: i16,
    /// The buttons held, by name.
    pub buttons: Vec<&'static str>,
    /// The buttons held, as sent.
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
    pub weapon_select: u8,
    /// The light that falls on the player.
    pub light_level: u8,
    /// The model of the weapon in hand.
    pub view_model: i32,
}

/// The engine's buttons, by bit.
const BUTTONS: [&str; 16] =
    ["attack", "jump", "duck", "forward", "back", "use", "cancel", "left", "right", "moveleft", "moveright", "attack2", "run", "reload", "alt1", "score"];

/// The names of the buttons in `bits`.
pub fn button_names(bits: u16) -> Vec<&'static str> {
    BUTTONS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 != 0).map(|(_, name)| *name).collect()
}

impl Recording<'_> {
    /// The user commands recorded while playing, in order. HLTV recordings and network protocols up to 43 have none
    /// that could be read.
    pub fn commands(&self, sink: &mut dyn FnMut(UserCommandRow)) {
        if self.is_hltv() {
            return;
        }
        for step in self.container.macros() {
            let Step::Macro { number, segment, window } = step else { continue };
            if !self.container.segments[segment].is_playback() {
                continue;
            }
            let Some(command) = body::user_command(&window, self.dialect()) else { continue };
            let view_model = window.body.get(432..436).and_then(|field| field.first_chunk::<4>()).map_or(0, |four| i32::from_le_bytes(*four));
            let [pitch, yaw, roll] = command.view_angles;
            sink(UserCommandRow {
                message: number,
                frame: window.frame,
                time: window.time,
                msec: command.msec,
                lerp_msec: command.lerp_msec,
                buttons: button_names(command.buttons),
                button_bits: command.buttons,
                pitch,
                yaw,
                roll,
                forward_move: command.forward_move,
                side_move: command.side_move,
                up_move: command.up_move,
                impulse: command.impulse,
                weapon_select: command.weapon_select,
                light_level: command.light_level,
                view_model,
            });
        }
    }
}
