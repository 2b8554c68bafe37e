//! The playhead of a NetQuake demo server: the messages of a plain recording, sorted by how to send them.

use std::collections::BTreeMap;

use crate::demo_server::netquake::fit::fit;
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::block_writer::BlockWriter;
use fragreel_quake1::unstable::container::{Blocks, Container, Framing};
use fragreel_quake1::unstable::decoded_blocks::{DecodedBlocks, NextDecoded};
use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::message::{Float, Message, StuffText, Text};
use fragreel_quake1::unstable::signon::{SignonPart, SignonState};
use fragreel_quake1::unstable::signon_writer::{self, SignonPoint};
use fragreel_quake1::unstable::state::Game;
use fragreel_quake1::unstable::world::{EntityView, updated};

use fragreel_live::{Console, Growing};

/// A position in a recording. Everything before it has been applied.
#[derive(Clone)]
pub(super) struct Playhead {
    reading: DecodedBlocks<'static>,
    pub game: Game,
    /// The signon state.
    pub signon: SignonState,
    /// The number of levels so far.
    pub level: usize,
    /// True once the level has had a frame.
    pub is_open: bool,
    /// The recording player's view angles.
    pub angles: [Float; 3],
    /// The newest frame.
    pub frame: Vec<Message>,
    /// Its entities, as they were when it came.
    pub views: BTreeMap<u32, EntityView>,
}

/// The output of a block.
#[derive(Debug, Default)]
pub(super) struct BlockOutput {
    /// Reliable messages.
    pub reliable: Vec<Message>,
    /// True if there is a new frame.
    pub framed: bool,
    /// True if a new level starts.
    pub level: bool,
}

impl Playhead {
    /// Starts before the first block.
    pub(super) fn new(recording: &Recording<'_>) -> Self {
        Playhead {
            reading: DecodedBlocks::of_growing(recording.input()),
            game: Game::default(),
            signon: SignonState::default(),
            level: 0,
            is_open: false,
            angles: [Float::default(); 3],
            frame: Vec::new(),
            views: BTreeMap::new(),
        }
    }

    /// The current dialect.
    pub(super) fn dialect(&self) -> &Dialect {
        self.reading.dialect()
    }

    /// Milliseconds since the first frame.
    pub(super) fn time(&self) -> i64 {
        self.reading.clock().demo.0
    }

    /// Applies the next block of the recording so far. `console` filters stuffed commands.
    pub(super) fn step(&mut self, recording: &Growing, console: &mut Console) -> Option<BlockOutput> {
        let mut output = BlockOutput::default();
        let now = self.reading.clock().demo;
        self.signon.start_block();
        let (game, signon, mut frame, mut views) = (&mut self.game, &mut self.signon, Vec::new(), BTreeMap::new());
        let next = self.reading.next_in(recording.bytes(), recording.is_last(), |d, message, delivery| {
            let filtered;
            let message = match message {
                Message::StuffText(m) => {
                    let text = console.filter(m.text.bytes());
                    if text.is_empty() {
                        return;
                    }
                    filtered = Message::StuffText(StuffText { text: Text(text) });
                    &filtered
                }
                Message::SetPause(_) => return,
                _ => message,
            };
            let max_clients = if let Message::ServerInfo(m) = message { m.max_clients } else { game.level.max_clients };
            let Some(fitted) = fit(d, max_clients, message.clone()) else { return };
            let message = &fitted;
            game.apply(d, message, delivery.target, delivery.sequence);
            signon.apply(d, message, delivery.target, now);
            if let Message::FastUpdate(update) = message {
                views.extend(updated(d, game, update).map(|view| (view.seen.number, view)));
            }
            match message {
                Message::ServerInfo(_) => output.level = true,
                Message::NqTime(_)
                | Message::ClientData(_)
                | Message::FastUpdate(_)
                | Message::NqSound(_)
                | Message::StopSound(_)
                | Message::Particle(_)
                | Message::TempEntity(_)
                | Message::Damage(_)
                | Message::BonusFlash(_) => frame.push(message.clone()),
                Message::NqPrint(_)
                | Message::CenterPrint(_)
                | Message::StuffText(_)
                | Message::LightStyle(_)
                | Message::UpdateName(_)
                | Message::UpdateFrags(_)
                | Message::UpdateColors(_)
                | Message::StatByte(_)
                | Message::StatLong(_)
                | Message::SetView(_)
                | Message::KilledMonster(_)
                | Message::FoundSecret(_)
                | Message::NqIntermission(_)
                | Message::Finale(_)
                | Message::CutScene(_)
                | Message::NqCdTrack(_)
                | Message::SellScreen(_)
                | Message::SkyBox(_)
                | Message::Fog(_) => output.reliable.push(message.clone()),
                _ => {}
            }
        })?;
        if let NextDecoded::Block(unit) = next
            && let Framing::NetQuake { angles } = unit.block.framing
        {
            self.angles = angles;
        }
        if output.level {
            self.level += 1;
            self.is_open = false;
        }
        output.framed = frame.iter().any(|message| matches!(message, Message::NqTime(_)));
        if output.framed {
            self.is_open |= self.level > 0 && frame.iter().any(|message| matches!(message, Message::FastUpdate(_) | Message::ClientData(_)));
            (self.frame, self.views) = (frame, views);
        } else {
            self.frame.extend(frame);
            self.views.extend(views);
        }
        Some(output)
    }

    /// The three stages of the signon, as messages of a block's length. The client asks for the next stage.
    pub(super) fn signon(&self) -> [Vec<Vec<u8>>; 3] {
        const SIGNON: u8 = 25;
        const LINE: &[u8] = b"-1\n";
        let mut out = BlockWriter::new(Container::NetQuake, LINE);
        let at =
            SignonPoint { now: self.reading.clock().demo, server: self.reading.clock().server, time: Float::default(), angles: self.angles, sequences: (0, 0) };
        signon_writer::write(&mut out, &self.signon, &self.game, &at);
        let (mut parts, mut at) = ([const { Vec::new() }; 3], 0);
        let Ok(blocks) = Blocks::new(&out.bytes, Container::NetQuake, &fragreel_base::wire::Limits::default()) else { return parts };
        for block in blocks.map_while(Result::ok) {
            parts[at].push(block.data.to_vec());
            at = (at + usize::from(block.data.ends_with(&[SIGNON, at as u8 + 1]))).min(2);
        }
        parts
    }

    /// The messages that bring clients from another position of this level to this one.
    pub(super) fn changes(&self, before: &SignonState) -> Vec<Message> {
        let parts = [SignonPart::Players, SignonPart::Lights, SignonPart::Stats, SignonPart::Lasting, SignonPart::Settings];
        parts.into_iter().flat_map(|part| before.changes(&self.signon, part).map(|entry| entry.message.clone())).collect()
    }

    /// True during the intermission, when views stand still until the level is loaded again.
    pub(super) fn stands_still(&self) -> bool {
        self.game.intermission
    }

    /// The map's name, and the number of player slots.
    pub(super) fn map(&self) -> (String, u8) {
        (self.game.level.map().unwrap_or_default(), self.game.level.max_clients)
    }
}
