//! What happened.

use model::{Damage, Event, Kinds};
use wire::Limits;

use super::Recording;
use crate::events::{Reporter, target_of};
use crate::state::Game;
use crate::walk::{Addressee, Decoder, Item, Step};

/// Damage entries as far as the limits keep them.
pub(super) fn keep(damage: &mut Vec<Damage>, limits: &Limits, entry: Damage) {
    if damage.len() < limits.damage_entries {
        damage.push(entry);
    }
}

impl Recording<'_> {
    /// Shows every event of the wanted kinds in stream order. Returns the damage met on the way.
    pub fn events(&self, wanted: Kinds, sink: &mut dyn FnMut(Event)) -> Vec<Damage> {
        let mut damage = Vec::new();
        let mut decoder = Decoder::skimming(self.container);
        let mut game = Game::without_bodies();
        let mut reporter = Reporter::new(wanted, sink);
        let mut addressee = Addressee::default();
        for step in self.walk() {
            let block = match step {
                Step::Block(block) => block,
                Step::Broken(error, (from, to)) => {
                    keep(&mut damage, &self.limits, super::verify::broken(&error, from, to, self.bytes.len()));
                    continue;
                }
            };
            reporter.block(&block);
            let Some(target) = target_of(&block.framing) else { continue };
            let target = addressee.resolve(target);
            let result = decoder.decode(&block, |d, item, _| match item {
                Item::Message(message) => {
                    reporter.before(d, &game, message, target);
                    game.apply(d, message, target, 0);
                    reporter.after(&game, message);
                }
                Item::Hidden(blocks) => reporter.hidden(&game, blocks),
                Item::Header(_) | Item::Opaque(_) => {}
            });
            if let Err(error) = result {
                keep(&mut damage, &self.limits, super::verify::unreadable(&error, &block));
            }
        }
        reporter.finish();
        damage
    }
}
