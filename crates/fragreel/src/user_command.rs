//! What the player's hands did, command by command.

use serde::Serialize;
use wire::Error;

use crate::Recording;
use crate::family::Inner;

/// One recorded user command: what the client asked of the server for one of its frames.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UserCommand {
    /// The container's message that holds it, from 0.
    pub message: u32,
    /// The recorder's frame.
    pub frame: i32,
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
    pub weapon_select: u8,
    /// Milliseconds of interpolation.
    pub lerp_msec: i16,
    /// The light that falls on the player.
    pub light_level: u8,
    /// The model of the weapon in hand.
    pub view_model: i32,
}

impl From<goldsrc::UserCommandRow> for UserCommand {
    fn from(row: goldsrc::UserCommandRow) -> Self {
        let goldsrc::UserCommandRow { message, frame, time, msec, lerp_msec, buttons, button_bits, .. } = row;
        let goldsrc::UserCommandRow { pitch, yaw, roll, forward_move, side_move, up_move, impulse, weapon_select, light_level, view_model, .. } = row;
        UserCommand {
            message,
            frame,
            time,
            msec,
            buttons,
            button_bits,
            pitch,
            yaw,
            roll,
            forward_move,
            side_move,
            up_move,
            impulse,
            weapon_select,
            lerp_msec,
            light_level,
            view_model,
        }
    }
}

impl Recording<'_> {
    /// Hands every recorded user command to `sink`, in order.
    ///
    /// # Errors
    /// [`Fault::Unsupported`](wire::Fault::Unsupported) for families whose commands are not read.
    pub fn commands(&self, sink: &mut dyn FnMut(UserCommand)) -> Result<(), Error> {
        match &self.inner {
            Inner::GoldSrc(recording) => recording.commands(&mut |row| sink(row.into())),
            #[allow(unreachable_patterns, reason = "where there is only one family")]
            _ => return Err(Error::unsupported(format!("user commands of {} recordings are not read", self.family))),
        }
        Ok(())
    }
}
