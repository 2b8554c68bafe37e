//! What happened.

use model::{Damage, Event, Kinds};

use super::Recording;
use super::findings::Findings;
use super::verify::{broken, unknown, unreadable};
use crate::events::{Reporter, target_of};
use crate::message::Message;
use crate::state::Game;
use crate::walk::{Addressee, Decoder, Item, Step};

impl Recording<'_> {
    /// Shows every event of the wanted kinds in stream order. Returns the damage met on the way.
    pub fn events(&self, wanted: Kinds, sink: &mut dyn FnMut(Event)) -> Vec<Damage> {
        let mut findings = Findings::default();
        let mut decoder = Decoder::skimming(self.container);
        let mut game = Game::without_bodies();
        let mut reporter = Reporter::new(wanted, sink);
        let mut addressee = Addressee::default();
        for step in self.walk() {
            let block = match step {
                Step::Block(block) => block,
                Step::Broken(error, (from, to)) => {
                    findings.add(broken(&error, from, to, self.bytes.len()), &self.limits);
                    continue;
                }
            };
            reporter.block(&block);
            let Some(target) = target_of(&block.framing) else { continue };
            let target = addressee.resolve(target);
            let result = decoder.decode(&block, |d, item, at| match item {
                Item::Message(message) => {
                    if let Message::Unknown(m) = message {
                        findings.add(unknown(m.number, at, &block), &self.limits);
                    }
                    reporter.before(d, &game, message, target);
                    game.apply(d, message, target, 0);
                    reporter.after(&game, message);
                }
                Item::Hidden(blocks) => reporter.hidden(&game, blocks),
                Item::Header(_) | Item::Opaque(_) => {}
            });
            if let Err(error) = result {
                findings.add(unreadable(&error, &block), &self.limits);
            }
        }
        reporter.finish();
        findings.kept
    }
}
