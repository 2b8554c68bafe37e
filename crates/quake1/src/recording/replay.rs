//! Every state in turn.

use model::Milliseconds;

use super::{Recording, is_frame};
use crate::clock::Clock;
use crate::dialect::Dialect;
use crate::events::target_of;
use crate::message::Message;
use crate::state::Game;
use crate::walk::{Addressee, Decoder, Item, Step};

/// Where a replay stands: after a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Since the recording's first frame.
    pub time: Milliseconds,
    /// The server's clock.
    pub server_time: Milliseconds,
    /// The container's message.
    pub message: u32,
}

impl Recording<'_> {
    /// Shows the whole game after every frame, in stream order. What cannot be read is passed over; [`verify`](Self::verify)
    /// tells of it.
    pub fn frames(&self, mut show: impl FnMut(Frame, &Dialect, &Game)) {
        let mut decoder = Decoder::new(self.container);
        let mut game = Game::default();
        let mut clock = Clock::default();
        let mut addressee = Addressee::default();
        for step in self.walk() {
            let Step::Block(block) = step else { continue };
            clock.block(&block.framing);
            let Some(target) = target_of(&block.framing) else { continue };
            let target = addressee.resolve(target);
            let mut sequence = 0;
            let mut framed = false;
            let _ = decoder.decode(&block, |d, item, _| match item {
                Item::Header(header) => sequence = header.sequence & 0x7fff_ffff,
                Item::Message(message) => {
                    clock.message(message);
                    game.apply(d, message, target, if d.is_multi_view() { game.frames as u32 } else { sequence });
                    framed |= is_frame(message) || matches!(message, Message::ViewPlayer(_));
                }
                Item::Hidden(_) | Item::Opaque(_) => {}
            });
            if framed {
                show(Frame { time: clock.demo, server_time: clock.server, message: block.number }, &decoder.dialect, &game);
            }
        }
    }
}
