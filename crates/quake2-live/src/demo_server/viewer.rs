//! A viewer of a demo server: its channel, and the frames that it has.

use std::sync::Arc;

use fragreel_live::RateLimiter;

use crate::client_message::{Buttons, ClientMessage};
use crate::netchan::{Channel, LONGEST, Side};
use fragreel_quake2::message::{Context, Frame};
use fragreel_quake2::unstable::reencode::{FrameEncoder, FrameState, encode_within, message_bytes};

/// A frame to send.
pub(crate) struct OutgoingFrame {
    pub number: i32,
    pub areas: Vec<u8>,
    pub frame_state: Arc<FrameState>,
}

/// The messages that a client is sent when it joins.
pub(crate) struct SignonMessages {
    pub messages: Vec<Vec<u8>>,
}

/// A viewer.
#[derive(Clone)]
pub(crate) struct Viewer {
    pub challenge: i32,
    pub qport: u16,
    pub channel: Channel,
    pub phase: ClientPhase,
    pub last_received: f64,
    /// The time of the last packet sent.
    pub last_sent: f64,
    pub left: bool,
    /// The slot of the player whose view it has, in recordings of several players.
    pub follows: Option<u16>,
    /// The buttons in its last move.
    pub buttons: Buttons,
    /// Limits the frames to the viewer's rate.
    pub rate_limiter: RateLimiter,
    /// The newest frame that the viewer acknowledged.
    has: i32,
    /// The last frames sent.
    sent_frames: [Option<(i32, Arc<FrameState>)>; KEPT],
}

/// What the server waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClientPhase {
    /// The command `new`.
    Connected,
    /// The command `begin`.
    Loading,
    /// Nothing: the viewer is in the game.
    Playing,
}

const KEPT: usize = 16;
/// The rate of viewers that do not set one, in bytes per second.
const USUAL_RATE: i32 = 5000;
/// The offset of the count of suppressed frames in a packet that begins with a frame.
const LEFT_OUT: usize = 9;
/// The maximum age of a delta base in frames.
const OLDEST: i32 = 13;

/// Encoded frames, shared by viewers with the same base.
#[derive(Default)]
pub(crate) struct Cache(Vec<Encoded>);

/// The base, the bytes, and the state of the client after them.
type Encoded = (Option<Arc<FrameState>>, Vec<u8>, Arc<FrameState>);

impl fragreel_live::Viewer for Viewer {
    fn watches(&self) -> bool {
        self.phase == ClientPhase::Playing
    }

    fn farewell(&mut self, _: &str) -> Vec<Vec<u8>> {
        const DISCONNECT: &[u8] = &[7];
        vec![self.channel.transmit(DISCONNECT)]
    }
}

impl Viewer {
    pub(super) fn new(challenge: i32, qport: u16, rate: Option<i32>, now: f64) -> Self {
        Viewer {
            challenge,
            qport,
            channel: Channel::new(Side::Server { qport }),
            phase: ClientPhase::Connected,
            last_received: now,
            last_sent: now,
            left: false,
            follows: None,
            buttons: Buttons::default(),
            rate_limiter: RateLimiter::new(rate, USUAL_RATE),
            has: -1,
            sent_frames: [const { None }; KEPT],
        }
    }

    /// Reads a datagram.
    pub(super) fn receive(&mut self, now: f64, datagram: &[u8]) -> ClientMessage {
        let Ok(received) = self.channel.receive(datagram) else { return ClientMessage::default() };
        self.last_received = now;
        let message = ClientMessage::read(received.payload);
        self.has = message.frame.unwrap_or(self.has);
        self.rate_limiter.set(message.rate);
        message
    }

    /// Sends the signon.
    pub(super) fn sign_on(&mut self, signon: &SignonMessages) {
        self.jump();
        self.phase = ClientPhase::Loading;
        signon.messages.iter().for_each(|message| self.channel.queue(message));
    }

    /// Forgets all frames: none is a base after a seek.
    pub(super) fn jump(&mut self) {
        (self.has, self.sent_frames) = (-1, [const { None }; KEPT]);
    }

    /// Encodes the packet of a frame.
    pub(super) fn encode_frame(&mut self, outgoing: &OutgoingFrame, effects: &[Vec<u8>], encoder: FrameEncoder<'_>, cache: &mut Cache) -> Vec<u8> {
        let has = self.has;
        let base = self.sent_frames[has as usize % KEPT]
            .as_ref()
            .filter(|(number, _)| has > 0 && *number == has && outgoing.number - has < OLDEST && outgoing.number > has);
        let place = match cache.0.iter().position(|(from, ..)| match (from, base) {
            (None, None) => true,
            (Some(from), Some((_, base))) => Arc::ptr_eq(from, base),
            _ => false,
        }) {
            Some(place) => place,
            None => {
                let (bytes, client_frame) = encode(outgoing, base.map(|(number, frame_state)| (*number, &**frame_state)), encoder);
                cache.0.push((base.map(|(_, frame_state)| Arc::clone(frame_state)), bytes, client_frame));
                cache.0.len() - 1
            }
        };
        let (_, bytes, client_frame) = &cache.0[place];
        let mut packet = bytes.clone();
        if let (left_out @ 1.., Some(count)) = (self.rate_limiter.take_left_out(), packet.get_mut(LEFT_OUT)) {
            *count = left_out;
        }
        for effect in effects {
            if packet.len() + effect.len() <= LONGEST {
                packet.extend_from_slice(effect);
            }
        }
        self.sent_frames[outgoing.number as usize % KEPT] = Some((outgoing.number, Arc::clone(client_frame)));
        self.channel.transmit(&packet)
    }
}

/// Encodes a frame. Also returns the state of the client after it.
fn encode(outgoing: &OutgoingFrame, base: Option<(i32, &FrameState)>, encoder: FrameEncoder<'_>) -> (Vec<u8>, Arc<FrameState>) {
    let mut cx = Context::new(*encoder.dialect);
    let header = Frame { number: outgoing.number, delta: -1, areas: outgoing.areas.clone(), ..Frame::default() };
    let deltas = encoder.entities(base.map(|(_, frame_state)| frame_state), &outgoing.frame_state.entities);
    let whole = message_bytes(&encoder.frame(&header, base, &outgoing.frame_state, deltas), &mut cx).concat();
    if whole.len() <= LONGEST {
        return (whole, Arc::clone(&outgoing.frame_state));
    }
    let part = encode_within(encoder, &header, base, &outgoing.frame_state, LONGEST, &cx);
    (message_bytes(&part.messages, &mut cx).concat(), Arc::new(part.client_frame))
}
