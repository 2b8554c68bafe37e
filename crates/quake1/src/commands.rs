//! `commands`: what players' hands did, command by command: the client's own in `.qwd`, everybody's in recordings of servers that
//! keep them in hidden messages (`docs/formats/quake1.md`, "User commands").

use model::Milliseconds;

use crate::clock::Clock;
use crate::container::Framing;
use crate::message::Float;
use crate::message::hidden::HiddenBody;
use crate::recording::Recording;
use crate::walk::{Decoder, Item, Step};

/// One recorded user command.
#[derive(Debug, Clone, PartialEq)]
pub struct UserCommandRow {
    /// The block that holds it, from 0.
    pub message: u32,
    /// Since the recording began.
    pub time: Milliseconds,
    /// Whose it is, where it is not the recorder's.
    pub slot: Option<u8>,
    /// Milliseconds that the command lasts.
    pub msec: u8,
    /// Pitch, yaw and roll in degrees.
    pub angles: [f32; 3],
    /// Units per second: forward, to the right, up.
    pub movement: [i16; 3],
    /// The buttons held, as sent.
    pub buttons: u8,
    /// 0 or an impulse.
    pub impulse: u8,
}

/// The engine's buttons, by bit.
const BUTTONS: [&str; 8] = ["attack", "jump", "use", "button4", "button5", "button6", "button7", "button8"];

/// The names of the buttons in `bits`.
pub fn button_names(bits: u8) -> Vec<&'static str> {
    BUTTONS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 != 0).map(|(_, name)| *name).collect()
}

impl Recording<'_> {
    /// The user commands, in order. NetQuake's recordings have none, and those of servers only where the server is set to keep
    /// them.
    pub fn commands(&self, sink: &mut dyn FnMut(UserCommandRow)) {
        let mut decoder = Decoder::skimming(self.container);
        let mut clock = Clock::default();
        for step in self.walk() {
            let Step::Block(block) = step else { continue };
            clock.block(&block.framing);
            let (message, time) = (block.number, clock.demo);
            if let Framing::Command { command, .. } = &block.framing {
                let angles = command.angles.map(Float::value);
                let (msec, movement, buttons, impulse) = (command.msec, command.movement, command.buttons, command.impulse);
                sink(UserCommandRow { message, time, slot: None, msec, angles, movement, buttons, impulse });
                continue;
            }
            let _ = decoder.decode(&block, |_, item, _| {
                let Item::Hidden(hidden) = item else { return };
                for hidden in &hidden.blocks {
                    let HiddenBody::UserCommand(command) = &hidden.body else { continue };
                    let angles = command.angles.map(Float::value);
                    let (msec, movement, buttons, impulse) = (command.msec, command.movement, command.buttons, command.impulse);
                    sink(UserCommandRow { message, time, slot: Some(command.slot), msec, angles, movement, buttons, impulse });
                }
            });
        }
    }
}
