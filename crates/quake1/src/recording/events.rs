//! What happened.

use model::{Damage, Event, Kinds};
use replay::{Flow, Sink};

use super::Recording;
use super::findings::Findings;
use super::verify::{broken, unknown, unreadable};
use crate::events::{Reporter, demo_info, target_of};
use crate::message::Message;
use crate::message::hidden::HiddenBody;
use crate::state::Game;
use crate::walk::{Addressee, Decoder, Item, Step};

impl Recording<'_> {
    /// The mod's own statistics as it wrote them, such as KTX's JSON: one text for each time. The events of kind
    /// `statistics` have them in typed form.
    pub fn demo_info(&self) -> Vec<String> {
        let (mut texts, mut parts) = (Vec::new(), Vec::new());
        let mut decoder = Decoder::skimming(self.container);
        for step in self.walk() {
            let Step::Block(block) = step else { continue };
            // what cannot be read has no statistics to give
            let _ = decoder.decode(&block, |_, item, _| {
                let Item::Hidden(blocks) = item else { return };
                for block in &blocks.blocks {
                    let HiddenBody::DemoInfo { block, content } = &block.body else { continue };
                    if parts.len() + content.len() <= demo_info::LONGEST {
                        parts.extend_from_slice(content);
                    }
                    if *block == 0 {
                        texts.push(demo_info::text(&std::mem::take(&mut parts)));
                    }
                }
            });
        }
        texts
    }

    /// Shows every event of the wanted kinds in stream order, until `sink` breaks off. Returns the damage met on the way.
    pub fn events<R: Flow>(&self, wanted: Kinds, sink: &mut (impl FnMut(Event) -> R + ?Sized)) -> Vec<Damage> {
        let mut take = |event| sink(event).flow();
        let mut findings = Findings::default();
        let mut decoder = Decoder::skimming(self.container);
        let mut game = Game::without_bodies();
        let mut reporter = Reporter::new(wanted, Sink::new(&mut take));
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
            if reporter.is_stopped() {
                break;
            }
        }
        reporter.finish(&game);
        findings.kept
    }
}
