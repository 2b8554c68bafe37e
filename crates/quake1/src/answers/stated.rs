//! What KTX states of the last match, found by the heads of blocks (`docs/formats/quake1.md`, "Demo info").

use fragreel_model::{Milliseconds, Statement};

use crate::container::{Block, Blocks, Container, Target};
use crate::dialect::mvd1;
use crate::events::demo_info::{self, LONGEST};
use crate::message::Message;
use crate::message::hidden::{HiddenBody, kind};
use crate::state::Game;
use crate::walk::decoder::{Decoder, Item};
use crate::walk::input::Input;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::target_of;

/// The statistics of the last match, without the slots of players. `None` if no such statement comes after the last start of a match, or if only a walk
/// finds it.
///
/// Only heads of blocks are read up to the statement, which takes 1 % of the instructions of a walk (docs/performance.md).
pub(crate) fn at_end(input: &Input<'_>) -> Option<Statement> {
    if input.container != Container::MultiView || input.start_lost || !input.dialect.has_mvd1(mvd1::HIDDEN_MESSAGES) {
        return None;
    }
    let mut decoder = Decoder::skimming(input.container);
    decoder.adopt(std::sync::Arc::new(input.dialect.clone()));
    let (mut blocks, mut parts, mut last) = (input.blocks(), Vec::new(), None);
    loop {
        blocks.pass_while(|_, target, data, length| !target.is_nobody() || !has_demo_info(&data[..length]));
        let Some(block) = blocks.next() else { break };
        // a walk reads on behind damage
        let block = block.ok()?;
        if !decoder.is_hidden(&block.framing) || !has_demo_info(block.data) {
            continue;
        }
        let statement = read(&mut decoder, &block, &mut parts);
        last = statement.map(|statement| (statement, blocks.clone())).or(last);
    }
    let (statement, rest) = last?;
    (!begins_again(&mut decoder, rest)?).then_some(statement)
}

/// Whether hidden blocks may hold a part of the statistics.
fn has_demo_info(mut data: &[u8]) -> bool {
    while let [a, b, c, d, low, high, rest @ ..] = data {
        let (length, number) = (u32::from_le_bytes([*a, *b, *c, *d]), u32::from(u16::from_le_bytes([*low, *high])));
        if matches!(number, kind::DEMO_INFO | kind::EXTENDED) {
            return true;
        }
        data = rest.get(length as usize..).unwrap_or_default();
    }
    false
}

/// Adds the parts in a block. Returns the statement that the last part completes.
fn read(decoder: &mut Decoder, block: &Block<'_>, parts: &mut Vec<u8>) -> Option<Statement> {
    let mut statement = None;
    // unreadable data has no statistics
    let _ = decoder.decode(block, |_, item, _| {
        let Item::Hidden(blocks) = item else { return };
        for hidden in &blocks.blocks {
            let HiddenBody::DemoInfo { block: part, content } = &hidden.body else { continue };
            if parts.len() + content.len() <= LONGEST {
                parts.extend_from_slice(content);
            }
            if *part == 0 {
                statement = demo_info::statement(&Game::default(), &std::mem::take(parts)).or(statement.take());
            }
        }
    });
    statement
}

/// Whether a match or a level begins in these blocks. `None` if they are not all readable.
fn begins_again(decoder: &mut Decoder, blocks: Blocks<'_>) -> Option<bool> {
    let (mut clock, mut target, mut has_level) = (MatchClock::default(), Target::default(), false);
    for block in blocks {
        let block = block.ok()?;
        target = target_of(&block.framing).unwrap_or(target);
        let read = decoder.decode(&block, |_, item, _| {
            if let Item::Message(message) = item {
                has_level |= matches!(message, Message::ServerData(_) | Message::ServerInfo(_));
                clock.message(message, target, Milliseconds(0));
            }
        });
        read.ok()?;
    }
    Some(has_level || clock.has_start())
}
