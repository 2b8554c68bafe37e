//! What players' hands did, command by command.

mod hands;

use serde::Serialize;
use wire::Error;

use crate::Recording;
use crate::family::Inner;

pub use hands::{Hands, Presses, Turn};

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
}

#[cfg(feature = "goldsrc")]
impl From<goldsrc::UserCommandRow> for UserCommand {
    fn from(row: goldsrc::UserCommandRow) -> Self {
        let goldsrc::UserCommandRow { message, frame, time, msec, lerp_msec, buttons, button_bits, .. } = row;
        let goldsrc::UserCommandRow { pitch, yaw, roll, forward_move, side_move, up_move, impulse, weapon_select, light_level, view_model, .. } = row;
        UserCommand {
            message,
            slot: None,
            frame: Some(frame),
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
            weapon_select: Some(weapon_select),
            lerp_msec: Some(lerp_msec),
            light_level: Some(light_level),
            view_model: Some(view_model),
        }
    }
}

#[cfg(feature = "quake1")]
impl From<quake1::UserCommandRow> for UserCommand {
    fn from(row: quake1::UserCommandRow) -> Self {
        let quake1::UserCommandRow { message, time, slot, msec, angles: [pitch, yaw, roll], movement, buttons, impulse } = row;
        let [forward_move, side_move, up_move] = movement.map(f32::from);
        UserCommand {
            message,
            slot: slot.map(u16::from),
            time: time.seconds() as f32,
            msec,
            buttons: quake1::button_names(buttons),
            button_bits: u16::from(buttons),
            pitch,
            yaw,
            roll,
            forward_move,
            side_move,
            up_move,
            impulse,
            ..UserCommand::default()
        }
    }
}

impl Recording<'_> {
    /// Hands every recorded user command to `sink`, in order: of Half-Life's clients, of QuakeWorld's, and of all players where a
    /// QuakeWorld server kept theirs.
    ///
    /// ```
    /// use fragreel::Hands;
    ///
    /// # fn main() -> Result<(), fragreel::Error> {
    /// let bytes = include_bytes!("../../../../samples/quake1/match_e1m1.qwd");
    /// let mut hands = Hands::default();
    /// fragreel::Demo::new(&bytes[..], "match_e1m1.qwd")?.open()?.commands(&mut |command| hands.add(&command))?;
    /// assert!(hands.commands > 1000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Fault::Unsupported`](wire::Fault::Unsupported) for families whose recordings hold no commands.
    pub fn commands(&self, sink: &mut dyn FnMut(UserCommand)) -> Result<(), Error> {
        match &self.inner {
            #[cfg(feature = "goldsrc")]
            Inner::GoldSrc(recording) => recording.commands(&mut |row| sink(row.into())),
            #[cfg(feature = "quake1")]
            Inner::Quake1(recording) => recording.commands(&mut |row| sink(row.into())),
            #[allow(unreachable_patterns, reason = "none is left where only these families are")]
            _ => return Err(Error::unsupported(format!("{} recordings hold no user commands", self.family))),
        }
        Ok(())
    }
}
