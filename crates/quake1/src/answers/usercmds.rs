//! User commands: the client's own in `.qwd`, every player's in multi-view recordings that keep them in hidden messages
//! (`docs/formats/quake1.md`, "User commands").

use fragreel_model::UserCommand;

use crate::container::Framing;
use crate::message::Float;
use crate::message::hidden::HiddenBody;
use crate::walk::blocks::NextBlock;
use crate::walk::clock::Clock;
use crate::walk::decoder::{Decoder, Item};
use crate::walk::input::Input;

/// The engine's buttons, by bit.
const BUTTONS: [&str; 8] = ["attack", "jump", "use", "button4", "button5", "button6", "button7", "button8"];

/// The user commands in order. NetQuake recordings have none; multi-view ones only if the server keeps them.
pub(crate) fn usercmds(input: &Input<'_>) -> impl Iterator<Item = UserCommand> {
    let mut decoder = Decoder::skimming(input.container);
    let mut clock = Clock::default();
    // The next packet that the client sends. Each carries a command.
    let mut packet = None;
    input.block_reader().flat_map(move |step| {
        let mut rows = Vec::new();
        let NextBlock::Block(block) = step else { return rows };
        clock.block(&block.framing, block.contradicted);
        let (message, time) = (block.number, clock.demo.seconds() as f32);
        if let Framing::Sequences { outgoing, .. } = &block.framing {
            packet = Some(outgoing & 0x7fff_ffff);
        }
        let command = |msec, angles: [Float; 3], movement: [i16; 3], buttons: u8| {
            let [pitch, yaw, roll] = angles.map(Float::value);
            UserCommand::new(message, time, msec, [upright(pitch), yaw, roll], movement.map(f32::from)).holding(buttons.into(), &BUTTONS)
        };
        if let Framing::Command { command: sent, .. } = &block.framing {
            let mut row = command(sent.msec, sent.angles, sent.movement, sent.buttons);
            row.impulse = sent.impulse;
            row.packet = packet;
            packet = packet.map(|packet| packet.wrapping_add(1));
            rows.push(row);
            return rows;
        }
        let _ = decoder.decode(&block, |_, item, _| {
            let Item::Hidden(hidden) = item else { return };
            for hidden in &hidden.blocks {
                let HiddenBody::UserCommand(sent) = &hidden.body else { continue };
                let mut row = command(sent.msec, sent.angles, sent.movement, sent.buttons);
                (row.slot, row.impulse) = (Some(sent.slot.into()), sent.impulse);
                rows.push(row);
            }
        });
        rows
    })
}

/// A pitch between straight down and straight up. Some clients count from 0 to 360.
fn upright(pitch: f32) -> f32 {
    if pitch > 180.0 { pitch - 360.0 } else { pitch }
}

#[cfg(test)]
mod tests {
    use super::upright;

    #[test]
    fn pitch_is_that_of_a_view() {
        assert_eq!([359.5, 89.0, -70.0].map(upright), [-0.5, 89.0, -70.0]);
    }
}
