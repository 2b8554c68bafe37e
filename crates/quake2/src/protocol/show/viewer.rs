//! One client of a show: his channel, and the frames that he has.

use std::sync::Arc;

use live::RateLimiter;

use super::{Shot, Signon};
use crate::edit::retell::{Picture, Teller, bytes as bytes_of, fitting};
use crate::message::{Context, Frame};
use crate::protocol::client_message::ClientMessage;
use crate::protocol::netchan::{Channel, LONGEST, Side};

/// One client.
#[derive(Clone)]
pub(super) struct Viewer {
    pub challenge: i32,
    pub qport: u16,
    pub channel: Channel,
    pub stage: Stage,
    pub heard: f64,
    /// When something was sent last.
    pub sent: f64,
    pub left: bool,
    /// How fast he takes frames.
    pub allowance: RateLimiter,
    /// The frame that he says he has.
    has: i32,
    /// Frames that he was sent.
    shots: [Option<(i32, Arc<Picture>)>; KEPT],
}

/// What a client is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// `new`.
    Connected,
    /// `begin`.
    Loading,
    /// Nothing: he is in the game.
    Playing,
}

const KEPT: usize = 16;
/// Bytes per second for who does not say.
const USUAL_RATE: i32 = 5000;
/// Where a packet that begins with a frame says how many were left out: behind its number and that of its base.
const LEFT_OUT: usize = 9;
/// How old a frame may be that another is encoded against.
const OLDEST: i32 = 13;

/// Encoded frames, for all who have the same base.
#[derive(Default)]
pub(super) struct Cache(Vec<Encoded>);

/// One of them: its delta base, its bytes, and what they show.
type Encoded = (Option<Arc<Picture>>, Vec<u8>, Arc<Picture>);

impl Viewer {
    pub fn new(challenge: i32, qport: u16, rate: Option<i32>, now: f64) -> Self {
        Viewer {
            challenge,
            qport,
            channel: Channel::new(Side::Server { qport }),
            stage: Stage::Connected,
            heard: now,
            sent: now,
            left: false,
            allowance: RateLimiter::new(rate, USUAL_RATE),
            has: -1,
            shots: [const { None }; KEPT],
        }
    }

    /// Takes a datagram. Gives the commands in it.
    pub fn receive(&mut self, now: f64, datagram: &[u8]) -> Vec<Vec<u8>> {
        let Some(received) = self.channel.receive(datagram) else { return Vec::new() };
        self.heard = now;
        let said = ClientMessage::read(&received.payload);
        self.has = said.frame.unwrap_or(self.has);
        self.allowance.set(said.rate);
        said.commands
    }

    /// Begins the level with him.
    pub fn sign_on(&mut self, signon: &Signon) {
        self.jump();
        self.stage = Stage::Loading;
        signon.messages.iter().for_each(|message| self.channel.queue(message));
    }

    /// The picture jumps: what he has is no base any more.
    pub fn jump(&mut self) {
        (self.has, self.shots) = (-1, [const { None }; KEPT]);
    }

    /// The packet of a frame.
    pub fn show(&mut self, shot: &Shot, effects: &[Vec<u8>], teller: Teller<'_>, cache: &mut Cache) -> Vec<u8> {
        let has = self.has;
        let base = self.shots[has as usize % KEPT].as_ref().filter(|(number, _)| has > 0 && *number == has && shot.number - has < OLDEST && shot.number > has);
        let place = match cache.0.iter().position(|(from, ..)| match (from, base) {
            (None, None) => true,
            (Some(from), Some((_, base))) => Arc::ptr_eq(from, base),
            _ => false,
        }) {
            Some(place) => place,
            None => {
                let (bytes, had) = encode(shot, base.map(|(number, picture)| (*number, &**picture)), teller);
                cache.0.push((base.map(|(_, picture)| Arc::clone(picture)), bytes, had));
                cache.0.len() - 1
            }
        };
        let (_, bytes, had) = &cache.0[place];
        let mut packet = bytes.clone();
        if let (left_out @ 1.., Some(count)) = (self.allowance.take_left_out(), packet.get_mut(LEFT_OUT)) {
            *count = left_out;
        }
        for effect in effects {
            if packet.len() + effect.len() <= LONGEST {
                packet.extend_from_slice(effect);
            }
        }
        self.shots[shot.number as usize % KEPT] = Some((shot.number, Arc::clone(had)));
        self.channel.transmit(&packet)
    }
}

/// The frame's messages, and what the client has after them.
fn encode(shot: &Shot, base: Option<(i32, &Picture)>, teller: Teller<'_>) -> (Vec<u8>, Arc<Picture>) {
    let mut cx = Context::new(*teller.dialect);
    let header = Frame { number: shot.number, delta: -1, areas: shot.areas.clone(), ..Frame::default() };
    let deltas = teller.entities(base.map(|(_, picture)| picture), &shot.picture.entities);
    let whole = bytes_of(&teller.frame(&header, base, &shot.picture, deltas), &mut cx).concat();
    if whole.len() <= LONGEST {
        return (whole, Arc::clone(&shot.picture));
    }
    let part = fitting(teller, &header, base, &shot.picture, LONGEST, &cx);
    (bytes_of(&part.messages, &mut cx).concat(), Arc::new(part.had))
}
