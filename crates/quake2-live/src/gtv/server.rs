//! A GTV server: sends an MVD2 to clients that connect with Q2PRO's `mvdconnect`. Document: *GTV*.
//!
//! ```
//! use fragreel_live::{PlaybackServer, Stream, StreamServer};
//! use fragreel_quake2_live::gtv::{Client, Settings, server::{GtvHandshake, GtvStream}};
//!
//! # let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake2/q2p_mvd_multi.mvd2")).unwrap();
//! let recording = fragreel_quake2::Recording::open(&bytes, Some("mvd2"), fragreel_base::wire::Limits::default()).unwrap();
//! let length = recording.info().duration.unwrap().0;
//! let mut server = StreamServer::new(GtvStream::new(&recording).unwrap(), GtvHandshake::default(), length, []);
//! let mut client = Client::new(Settings::default());
//! server.receive(1, b"", false);
//! let mut recorded = Vec::new();
//! for second in 0..=length / 1000 + 1 {
//!     for _ in 0..4 {
//!         while let Some(request) = client.next_request() {
//!             server.receive(1, &request, false);
//!         }
//!         server.tick(second as f64);
//!         while let Some((_, bytes)) = server.next_datagram() {
//!             client.receive(&bytes);
//!         }
//!     }
//!     client.take_recording(&mut recorded);
//! }
//! client.leave();
//! client.take_recording(&mut recorded);
//! assert_eq!(recorded, bytes);
//! ```

use fragreel_live::{Growing, StreamProtocol, StreamRequest};

use super::{MAGIC, VERSION, from_client, from_server};
use fragreel_quake2::Recording;
use fragreel_quake2::container::Window;
use fragreel_quake2::detect::Framing;
use fragreel_quake2::message::{Context, MvdBody, MvdMessage};
use fragreel_quake2::state::{Effect, State};
use fragreel_quake2::unstable::mvd::write;
use fragreel_quake2::unstable::mvd_signon::MvdSignonState;
use fragreel_quake2::walk::{At, Playback, Visitor, WalkOptions};

/// An MVD2 as a stream, from any position.
#[derive(Debug, Clone)]
pub struct GtvStream {
    recording: Growing,
    playback: Playback<'static>,
    /// The offset of the next record.
    at: usize,
    level: MvdSignonState,
    portals: Vec<u8>,
    /// Whether the level has had a frame, and whether the last record had one.
    is_open: bool,
    framed: bool,
}

impl GtvStream {
    /// Starts at the first record. Fails with a reason if Q2PRO does not stream such recordings.
    pub fn new(recording: &Recording<'_>) -> Result<Self, &'static str> {
        if recording.input().container != Framing::Mvd2 {
            return Err("GTV streams multi-view recordings (.mvd2)");
        }
        Ok(GtvStream {
            recording: Growing::whole(recording.bytes().to_vec()),
            playback: recording.input().playback(WalkOptions { parcels: false, ..recording.input().walk_options() }).over(&[], false),
            at: MAGIC.len(),
            level: MvdSignonState::default(),
            portals: Vec::new(),
            is_open: false,
            framed: false,
        })
    }

    /// The next record, if it is complete.
    fn record(&self) -> Option<&[u8]> {
        let rest = self.recording.bytes().get(self.at..)?;
        let (length, rest) = rest.split_first_chunk::<2>()?;
        rest.get(..usize::from(u16::from_le_bytes(*length))).filter(|record| !record.is_empty())
    }
}

struct StepVisitor<'t> {
    level: &'t mut MvdSignonState,
    portals: &'t mut Vec<u8>,
    framed: bool,
    began: bool,
}

impl Visitor for StepVisitor<'_> {
    fn block(&mut self, _: u32, _: Window<'_>) {}

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        self.level.take_in(message, state);
        match &message.body {
            MvdBody::ServerData(data) => (self.began, self.framed, *self.portals) = (true, true, data.frame.portals.clone()),
            MvdBody::Frame(frame) => (self.framed, *self.portals) = (true, frame.portals.clone()),
            _ => {}
        }
    }
}

impl fragreel_live::RecordingStream for GtvStream {
    fn next(&mut self) -> Option<i64> {
        self.record()?;
        let clock = &self.playback.state.clock;
        let step = if self.framed { 1000 / i64::from(clock.rate().max(1)) } else { 0 };
        Some(clock.time().0 + step)
    }

    fn step(&mut self, out: &mut Vec<Vec<u8>>) {
        let Some(record) = self.record().map(<[u8]>::to_vec) else { return };
        let mut visitor = StepVisitor { level: &mut self.level, portals: &mut self.portals, framed: false, began: false };
        self.playback.step_in(self.recording.bytes(), self.recording.is_last(), &mut visitor);
        (self.framed, self.is_open) = (visitor.framed, self.is_open || visitor.began);
        self.at += 2 + record.len();
        out.push(record);
    }

    fn opening(&mut self) -> Option<Vec<Vec<u8>>> {
        let state = &self.playback.state;
        let mut opening = self.level.signon_message(state).filter(|_| self.is_open)?;
        if let MvdBody::ServerData(data) = &mut opening.body {
            data.frame.portals.clone_from(&self.portals);
        }
        let mut cx = Context::new(state.dialect);
        let mut records = vec![write(&opening, &mut cx)];
        records.extend(self.level.single.values().map(|parcel| write(&MvdMessage { extra: 0, body: MvdBody::Parcel(parcel.clone()) }, &mut cx)));
        Some(records)
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.recording.feed(bytes);
    }

    fn ending(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// The server side of the GTV handshake.
#[derive(Debug, Clone, Default)]
pub struct GtvHandshake {
    rest: Vec<u8>,
    greeted: bool,
    known: bool,
}

/// The maximum size of a client's and a server's message, with its number.
const LONGEST_REQUEST: usize = 256;
const LONGEST: usize = 0x8000;
/// The flag for commands. Nothing else is granted.
const COMMANDS: u32 = 2;

fn message(op: u8, data: &[u8]) -> Vec<u8> {
    [&(data.len() as u16 + 1).to_le_bytes()[..], &[op], data].concat()
}

impl GtvHandshake {
    fn answer(&mut self, op: u8, data: &[u8]) -> Vec<StreamRequest> {
        match op {
            from_client::HELLO => {
                let (Some(version), Some(flags)) = (data.first_chunk::<2>(), data.get(2..6)) else { return vec![StreamRequest::Nothing] };
                if u16::from_le_bytes(*version) != VERSION {
                    return vec![StreamRequest::Answer(message(from_server::BAD_REQUEST, &[])), StreamRequest::Nothing];
                }
                self.known = true;
                let granted = u32::from(flags[0]) & COMMANDS;
                // Proxies without viewers ask for the stream when the first viewer comes.
                vec![StreamRequest::Answer(message(from_server::HELLO, &granted.to_le_bytes())), StreamRequest::Pause]
            }
            from_client::PING => vec![StreamRequest::Answer(message(from_server::PONG, &[]))],
            from_client::START if self.known => vec![StreamRequest::Answer(message(from_server::START, &[])), StreamRequest::Stream],
            from_client::STOP if self.known => vec![StreamRequest::Answer(message(from_server::STOP, &[])), StreamRequest::Pause],
            from_client::COMMAND if self.known => {
                let end = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
                vec![StreamRequest::Command(data[..end].to_vec())]
            }
            _ => vec![StreamRequest::Nothing],
        }
    }
}

impl StreamProtocol for GtvHandshake {
    fn receive(&mut self, bytes: &[u8]) -> Vec<StreamRequest> {
        self.rest.extend_from_slice(bytes);
        let mut asked = Vec::new();
        if !self.greeted {
            let Some(magic) = self.rest.get(..MAGIC.len()) else { return asked };
            if magic != MAGIC {
                return vec![StreamRequest::Nothing];
            }
            self.rest.drain(..MAGIC.len());
            self.greeted = true;
            asked.push(StreamRequest::Answer(MAGIC.to_vec()));
        }
        while let Some(length) = self.rest.first_chunk::<2>().map(|length| usize::from(u16::from_le_bytes(*length))) {
            if length == 0 || length > LONGEST_REQUEST {
                asked.push(StreamRequest::Nothing);
                break;
            }
            let Some(message) = self.rest.get(2..2 + length).map(<[u8]>::to_vec) else { break };
            self.rest.drain(..2 + length);
            asked.extend(self.answer(message[0], &message[1..]));
            if asked.last() == Some(&StreamRequest::Nothing) {
                break;
            }
        }
        asked
    }

    /// Returns nothing if the block is longer than a message can be.
    fn wrap(&self, block: &[u8]) -> Vec<u8> {
        if block.len() + 1 > LONGEST { Vec::new() } else { message(from_server::DATA, block) }
    }

    fn farewell(&self) -> Vec<u8> {
        message(from_server::DISCONNECT, &[])
    }
}

#[cfg(test)]
mod tests;
