//! What happened.

use model::{Damage, Event, Kinds};
use replay::{Flow, Sink};

use super::Recording;
use crate::events::{Reporter, demo_info};
use crate::message::hidden::HiddenBody;
use crate::playback::Playback;
use crate::walk::{Item, Step};

impl Recording<'_> {
    /// The mod's own statistics as it wrote them, such as KTX's JSON: one text for each time. The events of kind
    /// `statistics` have them in typed form.
    pub fn demo_info(&self) -> Vec<String> {
        let (mut texts, mut parts) = (Vec::new(), Vec::new());
        let mut playback = Playback::new(self, false);
        while let Some(step) = playback.next_block() {
            let Step::Block(block) = step else { continue };
            // what cannot be read has no statistics to give
            let _ = playback.play(&block, |scene, item| match item {
                Item::Message(message) => scene.apply(message),
                Item::Hidden(blocks) => {
                    for block in &blocks.blocks {
                        let HiddenBody::DemoInfo { block, content } = &block.body else { continue };
                        if parts.len() + content.len() <= demo_info::LONGEST {
                            parts.extend_from_slice(content);
                        }
                        if *block == 0 {
                            texts.push(demo_info::text(&std::mem::take(&mut parts)));
                        }
                    }
                }
                Item::Header(_) | Item::Opaque(_) => {}
            });
        }
        texts
    }

    /// Shows every event of the wanted kinds in stream order, until `sink` breaks off. Returns the damage met on the way.
    pub fn events<R: Flow>(&self, wanted: Kinds, sink: &mut (impl FnMut(Event) -> R + ?Sized)) -> Vec<Damage> {
        let mut take = |event| sink(event).flow();
        let mut playback = Playback::new(self, false);
        let mut reporter = Reporter::new(wanted, Sink::new(&mut take));
        while let Some(step) = playback.next_block() {
            let Step::Block(block) = step else { continue };
            reporter.block(&block, &playback.clock);
            // what cannot be read is among the findings
            let _ = playback.play(&block, |scene, item| match item {
                Item::Message(message) => {
                    reporter.before(scene, message);
                    scene.apply(message);
                    reporter.after(scene.game, message);
                }
                Item::Hidden(blocks) => reporter.hidden(scene.game, blocks),
                Item::Header(_) | Item::Opaque(_) => {}
            });
            if reporter.is_stopped() {
                break;
            }
        }
        reporter.finish(&playback.game);
        playback.findings.kept
    }
}
