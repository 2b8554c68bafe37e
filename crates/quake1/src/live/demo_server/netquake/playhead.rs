//! A plain recording of NetQuake as something to be shown: its messages by when and how they are to be sent.

use crate::Recording;
use crate::container::{Blocks, Container, Framing};
use crate::dialect::Dialect;
use crate::encode::block_writer::Writing;
use crate::encode::signon::{Ledger, Part};
use crate::encode::signon_writer::{self, Moment};
use crate::message::{Float, Message, StuffText, Text};
use crate::state::Game;
use crate::walk::decoded_blocks::{Next, Reading};

use live::{Console, Growing};

/// A place in a recording: everything before it has been taken in.
#[derive(Clone)]
pub(super) struct Reel {
    reading: Reading<'static>,
    pub game: Game,
    /// What lasts.
    pub ledger: Ledger,
    /// Levels begun.
    pub level: usize,
    /// Whether the level has had a frame.
    pub is_open: bool,
    /// Where the recording player looked.
    pub angles: [Float; 3],
    /// The newest frame.
    pub frame: Vec<Message>,
}

/// What a block brings.
#[derive(Debug, Default)]
pub(super) struct Beat {
    /// What must arrive.
    pub reliable: Vec<Message>,
    /// Whether there is a new frame.
    pub framed: bool,
    /// Another level begins.
    pub level: bool,
}

impl Reel {
    /// Before the first block.
    pub fn new(recording: &Recording<'_>) -> Self {
        Reel {
            reading: Reading::apart(recording.input()),
            game: Game::default(),
            ledger: Ledger::default(),
            level: 0,
            is_open: false,
            angles: [Float::default(); 3],
            frame: Vec::new(),
        }
    }

    /// The rules in force.
    pub fn dialect(&self) -> &Dialect {
        self.reading.dialect()
    }

    /// Milliseconds since the first frame.
    pub fn time(&self) -> i64 {
        self.reading.clock().demo.0
    }

    /// Takes in the next block of what there is of the recording. What it stuffs goes through `console`.
    pub fn step(&mut self, tape: &Growing, console: &mut Console) -> Option<Beat> {
        let mut beat = Beat::default();
        let now = self.reading.clock().demo;
        self.ledger.block();
        let (game, ledger, mut frame) = (&mut self.game, &mut self.ledger, Vec::new());
        let next = self.reading.next_of(tape.bytes(), tape.is_last(), |d, message, heard| {
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
            game.apply(d, message, heard.target, heard.sequence);
            ledger.apply(d, message, heard.target, now);
            match message {
                Message::ServerInfo(_) => beat.level = true,
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
                | Message::Fog(_) => beat.reliable.push(message.clone()),
                _ => {}
            }
        })?;
        if let Next::Unit(unit) = next
            && let Framing::NetQuake { angles } = unit.block.framing
        {
            self.angles = angles;
        }
        if beat.level {
            self.level += 1;
            self.is_open = false;
        }
        beat.framed = frame.iter().any(|message| matches!(message, Message::NqTime(_)));
        if beat.framed {
            self.is_open |= self.level > 0 && frame.iter().any(|message| matches!(message, Message::FastUpdate(_) | Message::ClientData(_)));
            self.frame = frame;
        } else {
            self.frame.extend(frame);
        }
        Some(beat)
    }

    /// The three parts of signing on, each as messages of a block's length; what comes after each is up to the client.
    pub fn signon(&self) -> [Vec<Vec<u8>>; 3] {
        const SIGNON: u8 = 25;
        const LINE: &[u8] = b"-1\n";
        let mut out = Writing::new(Container::NetQuake, LINE);
        let at = Moment { now: self.reading.clock().demo, server: self.reading.clock().server, time: Float::default(), angles: self.angles, sequences: (0, 0) };
        signon_writer::write(&mut out, &self.ledger, &self.game, &at);
        let (mut parts, mut at) = ([const { Vec::new() }; 3], 0);
        let Ok(blocks) = Blocks::new(&out.bytes, Container::NetQuake, &wire::Limits::default()) else { return parts };
        for block in blocks.map_while(Result::ok) {
            parts[at].push(block.data.to_vec());
            at = (at + usize::from(block.data.ends_with(&[SIGNON, at as u8 + 1]))).min(2);
        }
        parts
    }

    /// What those who know another place of this level are to be sent.
    pub fn changes(&self, before: &Ledger) -> Vec<Message> {
        let parts = [Part::Players, Part::Lights, Part::Stats, Part::Lasting, Part::Settings];
        parts.into_iter().flat_map(|part| before.changes(&self.ledger, part).map(|entry| entry.message.clone())).collect()
    }

    /// Whether everybody's view stands still until the level is loaded again.
    pub fn stands_still(&self) -> bool {
        self.game.intermission
    }

    /// The map's name, and how many may play.
    pub fn map(&self) -> (String, u8) {
        (self.game.level.map().unwrap_or_default(), self.game.level.max_clients)
    }
}
