//! The server's side of QTV: streams a multi-view recording. Document: *QTV*.
//!
//! ```
//! use fragreel_live::{PlaybackServer, StreamServer, Stream};
//! use fragreel_quake1_live::qtv::{Client, Settings, server::{QtvHandshake, QtvStream}};
//!
//! # let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake1/match_e1m1.mvd")).unwrap();
//! let recording = fragreel_quake1::Recording::open(&bytes, Some("mvd"), fragreel_base::wire::Limits::default()).unwrap();
//! let length = recording.info().duration.unwrap().0;
//! let mut server = StreamServer::new(QtvStream::new(&recording).unwrap(), QtvHandshake::new("final.mvd"), length, []);
//! let mut client = Client::new(Settings::default());
//! server.receive(1, b"", false);
//! server.receive(1, &client.next_request().unwrap(), false);
//! let mut recorded = Vec::new();
//! for second in 0..=length / 1000 + 1 {
//!     server.tick(second as f64);
//!     while let Some((_, bytes)) = server.next_datagram() {
//!         client.receive(&bytes);
//!     }
//!     client.take_recording(&mut recorded);
//! }
//! assert_eq!(recorded, bytes);
//! ```

use fragreel_live::{Growing, StreamProtocol, StreamRequest};

use fragreel_quake1::Recording;
use fragreel_quake1::unstable::block_writer::BlockWriter;
use fragreel_quake1::unstable::blocks::NextBlock;
use fragreel_quake1::unstable::container::{Block, Container, Framing, Stamp, kind};
use fragreel_quake1::unstable::decoder::Item;
use fragreel_quake1::unstable::message::{Float, Message, MessageKind};
use fragreel_quake1::unstable::playback::{Playback, target_of};
use fragreel_quake1::unstable::reencode::{EVERYBODY, packet_entities, update_entities};
use fragreel_quake1::unstable::signon::SignonState;
use fragreel_quake1::unstable::signon_writer::BEFORE_FIRST_FRAME;
use fragreel_quake1::unstable::signon_writer::{self, SignonPoint};
use fragreel_quake1::unstable::state::Game;

/// A multi-view recording, streamed from a position.
#[derive(Debug, Clone)]
pub struct QtvStream {
    recording: Growing,
    playback: Playback<'static>,
    game: Game,
    signon: SignonState,
    /// Whether the level has had a frame, and whether the last block ended the recording.
    is_open: bool,
    said_end: bool,
    /// The server time and client input of the newest replacement deltas.
    updated: (u32, u16),
}

impl QtvStream {
    /// Starts at the first block. Fails with the reason if QTV cannot stream the recording.
    pub fn new(recording: &Recording<'_>) -> Result<Self, &'static str> {
        if recording.container() != Container::MultiView {
            return Err("QTV streams multi-view recordings (.mvd)");
        }
        Ok(QtvStream {
            recording: Growing::whole(recording.input().bytes.to_vec()),
            playback: Playback::new(recording.input(), true).resume(&[], false),
            game: Game::default(),
            signon: SignonState::default(),
            is_open: false,
            said_end: false,
            updated: (0, 0),
        })
    }

    fn peek(&self) -> Option<Block<'_>> {
        self.playback.peek_in(self.recording.bytes(), self.recording.is_last())
    }
}

impl fragreel_live::RecordingStream for QtvStream {
    fn next(&mut self) -> Option<i64> {
        let block = self.peek()?;
        let mut clock = self.playback.clock.clone();
        clock.block(&block.framing, block.contradicted);
        Some(clock.demo.0)
    }

    fn step(&mut self, out: &mut Vec<Vec<u8>>) {
        let QtvStream { recording, playback, game, signon, is_open, said_end, updated } = self;
        let now = playback.clock.demo;
        let Some(NextBlock::Block(block)) = playback.next_block_in(recording.bytes(), recording.is_last()) else { return };
        signon.start_block();
        *said_end = false;
        // an error ends the block; messages before it count
        let _ = playback.play(&block, |context, item| {
            let Item::Message(message) = item else { return };
            signon.apply(context.dialect, message, context.delivery.target, now);
            game.apply(context.dialect, message, context.delivery.target, context.delivery.sequence);
            game.take_missing();
            match message {
                Message::ServerData(_) => *is_open = false,
                Message::UpdateEntities(m) => *updated = (m.update.time, m.update.input_sequence),
                Message::Disconnect(_) => *said_end = true,
                _ => {}
            }
            *is_open |= fragreel_quake1::unstable::message::is_frame(message);
        });
        out.push(recording.bytes()[block.offset as usize..block.end() as usize].to_vec());
    }

    fn opening(&mut self) -> Option<Vec<Vec<u8>>> {
        if !self.is_open {
            return None;
        }
        let mut out = BlockWriter::new(Container::MultiView, &[]);
        let clock = &self.playback.clock;
        let at = SignonPoint { now: clock.demo, server: clock.server, time: Float(0), angles: [Float(0); 3], sequences: (0, 0) };
        signon_writer::write(&mut out, &self.signon, &self.game, &at);
        let d = out.dialect.clone();
        let whole = if d.replacement() {
            update_entities(&d.layout(), self.game.world.replaced(), self.updated.0, self.updated.1)
        } else {
            packet_entities(&d, &self.game.world)
        };
        out.write_packet(&Framing::Packet { time: Stamp::After(BEFORE_FIRST_FRAME), target: EVERYBODY }, None, &[whole]);
        // the next block may be addressed "same as before", and the client lacks the one before
        let next = self.peek().and_then(|block| target_of(&block.framing)).filter(|target| matches!(target.kind, 0 | kind::READ));
        if let Some(next) = next {
            let target = self.playback.addressed(next);
            out.write_packet(&Framing::Packet { time: Stamp::After(0), target }, None, &[MessageKind::Nop.empty()]);
        }
        Some(vec![out.bytes])
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.recording.feed(bytes);
    }

    fn ending(&self) -> Vec<u8> {
        let mut out = BlockWriter::new(Container::MultiView, &[]);
        if !self.said_end {
            out.write_end(Float(0), [Float(0); 3]);
        }
        out.bytes
    }
}

/// The handshake with a client that asks for the stream.
#[derive(Debug, Clone, Default)]
pub struct QtvHandshake {
    name: String,
    rest: Vec<u8>,
    streams: bool,
}

/// The longest request, and the longest message after it, in bytes.
const LONGEST_REQUEST: usize = 4096;
const LONGEST_MESSAGE: usize = 1024;
/// The only kind of message from clients: typed text.
const STRING: u8 = 1;

impl QtvHandshake {
    /// For a stream of this name.
    pub fn new(name: &str) -> Self {
        QtvHandshake { name: crate::qtv::plain(name), ..Self::default() }
    }

    /// Parses a complete request.
    fn request(&mut self, text: &str) -> Vec<StreamRequest> {
        let refuse = |why: &str| vec![StreamRequest::Answer(format!("QTVSV 1\n{why}\n\n").into_bytes()), StreamRequest::Nothing];
        let mut lines = text.lines();
        if lines.next() != Some("QTV") {
            return vec![StreamRequest::Nothing];
        }
        let (mut version, mut raw, mut list) = (None, false, None);
        for line in lines {
            let (key, value) = line.split_once(':').map_or((line, ""), |(key, value)| (key, value.trim()));
            match key {
                "VERSION" => version = value.parse::<f32>().ok().map(|number| number as i32),
                "RAW" => raw = value == "1",
                "SOURCELIST" => list = Some(format!("ASOURCE: 1: {}: {}", self.name, self.name)),
                "DEMOLIST" => list = Some(String::from("PERROR: there is no list of demos")),
                _ => {}
            }
        }
        if version != Some(1) {
            return refuse("PERROR: Incompatible version (valid version is v1)");
        }
        if let Some(list) = list {
            return refuse(&list);
        }
        self.streams = true;
        let begin = if raw { Vec::new() } else { b"QTVSV 1\nBEGIN\n\n".to_vec() };
        vec![StreamRequest::Answer(begin), StreamRequest::Stream]
    }

    /// Takes a message from the received bytes: length, kind, text.
    fn message(&mut self) -> Option<StreamRequest> {
        let length = usize::from(u16::from_le_bytes(*self.rest.first_chunk::<2>()?));
        if !(3..=LONGEST_MESSAGE).contains(&length) {
            return Some(StreamRequest::Nothing);
        }
        let message: Vec<u8> = self.rest.get(2..length)?.to_vec();
        self.rest.drain(..length);
        let (&op, text) = message.split_first()?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        Some(if op == STRING { StreamRequest::Command(text[..end].to_vec()) } else { StreamRequest::Nothing })
    }
}

impl StreamProtocol for QtvHandshake {
    fn receive(&mut self, bytes: &[u8]) -> Vec<StreamRequest> {
        self.rest.extend(bytes.iter().copied().filter(|byte| self.streams || *byte != b'\r'));
        let mut asked = Vec::new();
        if !self.streams {
            let Some(end) = self.rest.windows(2).position(|pair| pair == b"\n\n") else {
                // drop clients that send anything else
                let foreign = !self.rest.starts_with(&b"QTV\n"[..self.rest.len().min(4)]);
                return if foreign || self.rest.len() > LONGEST_REQUEST { vec![StreamRequest::Nothing] } else { asked };
            };
            let text = String::from_utf8_lossy(&self.rest[..end]).into_owned();
            self.rest.drain(..end + 2);
            asked = self.request(&text);
        }
        while self.streams && asked.last() != Some(&StreamRequest::Nothing) {
            let Some(message) = self.message() else { break };
            asked.push(message);
        }
        asked
    }

    fn wrap(&self, block: &[u8]) -> Vec<u8> {
        block.to_vec()
    }

    fn farewell(&self) -> Vec<u8> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
