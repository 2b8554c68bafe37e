//! `commands`: what players' hands did, command by command: the client's own in `.qwd`, everybody's in recordings of servers that
//! keep them in hidden messages (`docs/formats/quake1.md`, "User commands").

use model::UserCommand;

use crate::clock::Clock;
use crate::container::Framing;
use crate::message::Float;
use crate::message::hidden::HiddenBody;
use crate::recording::Recording;
use crate::walk::{Decoder, Item, Step};

/// The engine's buttons, by bit.
const BUTTONS: [&str; 8] = ["attack", "jump", "use", "button4", "button5", "button6", "button7", "button8"];

impl Recording<'_> {
    /// The user commands, in order. NetQuake's recordings have none, and those of servers only where the server is set to keep
    /// them.
    pub fn commands(&self, sink: &mut dyn FnMut(UserCommand)) {
        let mut decoder = Decoder::skimming(self.container);
        let mut clock = Clock::default();
        for step in self.walk() {
            let Step::Block(block) = step else { continue };
            clock.block(&block.framing);
            let (message, time) = (block.number, clock.demo.seconds() as f32);
            let command = |msec, angles: [Float; 3], movement: [i16; 3], buttons: u8| {
                UserCommand::new(message, time, msec, angles.map(Float::value), movement.map(f32::from)).holding(buttons.into(), &BUTTONS)
            };
            if let Framing::Command { command: sent, .. } = &block.framing {
                let mut row = command(sent.msec, sent.angles, sent.movement, sent.buttons);
                row.impulse = sent.impulse;
                sink(row);
                continue;
            }
            let _ = decoder.decode(&block, |_, item, _| {
                let Item::Hidden(hidden) = item else { return };
                for hidden in &hidden.blocks {
                    let HiddenBody::UserCommand(sent) = &hidden.body else { continue };
                    let mut row = command(sent.msec, sent.angles, sent.movement, sent.buttons);
                    (row.slot, row.impulse) = (Some(sent.slot.into()), sent.impulse);
                    sink(row);
                }
            });
        }
    }
}
