//! User commands: the player's buttons and movement, frame by frame (`docs/formats/goldsrc.md`, "User commands").

use fragreel_model::UserCommand;

use crate::container::Step;
use crate::container::body;
use crate::walk::input::Input;
use crate::walk::playback::Playback;
use crate::walk::recorder::is_hltv;

/// The engine's buttons, by bit.
const BUTTONS: [&str; 16] =
    ["attack", "jump", "duck", "forward", "back", "use", "cancel", "left", "right", "moveleft", "moveright", "attack2", "run", "reload", "alt1", "score"];

pub(crate) fn usercmds(input: &Input) -> impl Iterator<Item = UserCommand> {
    let mut playback = (!is_hltv(input)).then(|| Playback::new(input));
    std::iter::from_fn(move || {
        loop {
            let playback = playback.as_mut()?;
            let Step::Macro { number, segment, window } = playback.next()? else { continue };
            if !playback.is_played(segment) {
                continue;
            }
            let Some(command) = body::user_command(&window, input.dialect()) else { continue };
            let view_model = window.body.get(432..436).and_then(|field| field.first_chunk::<4>()).map_or(0, |four| i32::from_le_bytes(*four));
            let moves = [command.forward_move, command.side_move, command.up_move];
            let mut row = UserCommand::new(number, window.time, command.msec, command.view_angles, moves).holding(command.buttons, &BUTTONS);
            row.frame = Some(window.frame);
            row.impulse = command.impulse;
            row.weapon_select = Some(command.weapon_select);
            row.lerp_msec = Some(command.lerp_msec);
            row.light_level = Some(command.light_level);
            row.view_model = Some(view_model);
            row.predicted = body::predicted(&window, input.dialect()).map(Box::new);
            return Some(row);
        }
    })
}

/// The client's view in each of its frames: the macro's number, the frame, the time in seconds, and the angles.
pub(crate) fn client_views(input: &Input) -> impl Iterator<Item = (u32, i32, f32, [f32; 3])> {
    let mut playback = (!is_hltv(input)).then(|| Playback::new(input));
    std::iter::from_fn(move || {
        loop {
            let playback = playback.as_mut()?;
            let Step::Macro { number, segment, window } = playback.next()? else { continue };
            if playback.is_played(segment)
                && let Some(angles) = body::client_angles(&window)
            {
                return Some((number, window.frame, window.time, angles));
            }
        }
    })
}
