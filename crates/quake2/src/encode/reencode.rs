//! Re-encodes frames from state, against another base or none.

use crate::dialect::{Dialect, FrameHeader};
use crate::encode::deltas::{self, EncodeFlags};
use crate::fields::entity::{EVENT, Row};
use crate::fields::{entity, player};
use crate::limits;
use crate::message::{Body, Context, EntityDelta, Frame, Message, PacketEntities};
use crate::state::{Baselines, FrameView, NOTHING, PlayerState, aged, apply_entity};

/// The players and entities of a frame.
#[derive(Debug, Clone, Default)]
pub struct FrameState {
    /// The players, each with its client in a multi-view recording.
    pub players: Vec<(Option<u8>, PlayerState)>,
    /// The entities by number.
    pub entities: Vec<(u16, Row)>,
}

impl FrameState {
    /// The players and entities of a frame, without numbers that engines refuse.
    pub fn of(view: FrameView<'_>, dialect: &Dialect) -> Self {
        let entities = view.entities(dialect.line).filter(|(number, _)| limits::holds(dialect, *number)).collect();
        FrameState { players: view.players().map(|(client, state)| (client, state.clone())).collect(), entities }
    }

    /// Whether the entities are in order, each once. Engines merge unordered lists as they arrive, so such a frame can only be sent in
    /// full, and cannot be a base.
    pub(crate) fn is_ordered(&self) -> bool {
        self.entities.is_sorted_by(|(a, _), (b, _)| a < b)
    }

    fn player(&self, client: Option<u8>) -> Option<&PlayerState> {
        self.players.iter().find(|(known, _)| *known == client).map(|(_, state)| state)
    }
}

/// Encodes frames from states.
#[derive(Debug, Clone, Copy)]
pub struct FrameEncoder<'a> {
    /// The dialect.
    pub dialect: &'a Dialect,
    /// The baselines that new entities are deltas against.
    pub baselines: &'a Baselines,
    /// Entities up to this number are players.
    pub max_clients: u16,
}

impl FrameEncoder<'_> {
    /// Encodes the entities `to` against `base`. Both lists must be in order, unless there is no base.
    pub fn entities(&self, base: Option<&FrameState>, to: &[(u16, Row)]) -> Vec<EntityDelta> {
        let mut deltas = Vec::new();
        let mut old = base.map_or(&[][..], |base| &base.entities).iter().peekable();
        let server = self.dialect.frame == FrameHeader::Server;
        for (number, row) in to {
            while let Some((gone, _)) = old.next_if(|(old, _)| old < number) {
                deltas.push(deltas::removal(self.dialect, *gone));
            }
            let player = *number <= self.max_clients;
            match old.next_if(|(old, _)| old == number) {
                Some((_, from)) => {
                    deltas.extend(deltas::entity(self.dialect, *number, from, row, EncodeFlags { force: false, new: player }));
                }
                None => {
                    let from = if server { &NOTHING } else { self.baselines.get(*number) };
                    deltas.extend(deltas::entity(self.dialect, *number, from, row, EncodeFlags { force: true, new: true }));
                }
            }
        }
        deltas.extend(old.map(|(gone, _)| deltas::removal(self.dialect, *gone)));
        deltas
    }

    /// Encodes a whole frame: header, players and entities, or the one message that holds them all.
    pub fn frame(&self, header: &Frame, base: Option<(i32, &FrameState)>, to: &FrameState, deltas: Vec<EntityDelta>) -> Vec<Message> {
        let mut header = Frame { delta: base.map_or(-1, |(number, _)| number), ..header.clone() };
        let zero = PlayerState::default();
        let players = to.players.iter().map(|(client, state)| {
            let from = base.and_then(|(_, base)| base.player(*client)).unwrap_or(&zero);
            (*client, deltas::player(self.dialect, from, state, false))
        });
        let list = PacketEntities { deltas, end_mask: 0 };
        if self.dialect.frame == FrameHeader::Packed {
            let delta = players.map(|(_, delta)| delta).next().unwrap_or_default();
            header.extra = (delta.mask >> player::EXTRA) as u8;
            header.packed = Some(Box::new((delta, list)));
            return vec![Message::new(Body::Frame(Box::new(header)))];
        }
        let mut messages = vec![Message::new(Body::Frame(Box::new(header)))];
        messages.extend(players.map(|(unicast, delta)| Message { unicast, body: Body::PlayerInfo(Box::new(delta)) }).collect::<Vec<_>>());
        messages.push(Message::new(Body::PacketEntities(list)));
        messages
    }
}

/// Encodes each message.
pub fn message_bytes(messages: &[Message], cx: &mut Context) -> Vec<Vec<u8>> {
    messages.iter().map(|message| crate::encode::signon::write(message, cx)).collect()
}

/// A full frame that is small enough for engines. If needed, it is preceded by frames that each hold a part of it.
pub(crate) struct StartingFrames {
    /// The messages of each frame, in order. The last frame is the wanted one.
    pub frames: Vec<Vec<Message>>,
    /// Whether every frame is small enough.
    pub fits: bool,
}

/// Encodes [`StartingFrames`] of at most `limit` bytes each. Frames before the first have the numbers just below its own.
pub(crate) fn starting_frames(encoder: FrameEncoder<'_>, header: &Frame, to: &FrameState, limit: usize, cx: &Context) -> StartingFrames {
    let size = |messages: &[Message]| message_bytes(messages, &mut cx.clone()).iter().map(Vec::len).sum::<usize>();
    let whole = encoder.frame(header, None, to, encoder.entities(None, &to.entities));
    let fits = size(&whole) <= limit;
    if fits || !to.is_ordered() {
        return StartingFrames { fits, frames: vec![whole] };
    }
    // The entities that each preceding frame adds, and the state of the client after it.
    let mut steps: Vec<(Vec<EntityDelta>, FrameState)> = Vec::new();
    let most = MAX_STEPS.min(header.number.saturating_sub(1).max(0) as usize);
    while steps.len() < most {
        let client_frame = steps.last().map(|(_, client_frame)| client_frame);
        let room = limit.saturating_sub(size(&encoder.frame(header, client_frame.map(|client_frame| (1, client_frame)), to, Vec::new())));
        let (step, next) = step(encoder, client_frame, to, room, &size);
        if step.is_empty() {
            break;
        }
        let last = encoder.frame(header, Some((1, &next)), to, encoder.entities(Some(&next), &to.entities));
        steps.push((step, next));
        if size(&last) <= limit {
            return StartingFrames { frames: chain(encoder, header, to, steps), fits: true };
        }
    }
    StartingFrames { frames: vec![whole], fits: false }
}

/// The maximum number of preceding frames. More would delay the start too much.
pub(crate) const MAX_STEPS: usize = 12;

/// As many entities that the client lacks as fit into `room` bytes, and the state of the client after them.
fn step(
    encoder: FrameEncoder<'_>,
    client_frame: Option<&FrameState>,
    to: &FrameState,
    room: usize,
    size: &dyn Fn(&[Message]) -> usize,
) -> (Vec<EntityDelta>, FrameState) {
    let (mut length, mut step) = (0, Vec::new());
    let mut next = FrameState { players: to.players.clone(), entities: Vec::new() };
    let mut known = client_frame.map_or(&[][..], |client_frame| &client_frame.entities).iter().peekable();
    for (number, row) in &to.entities {
        if let Some((_, row)) = known.next_if(|(known, _)| known == number) {
            next.entities.push((*number, aged(row, encoder.dialect.line)));
            continue;
        }
        let mut quiet = *row;
        quiet[EVENT] = 0;
        let from = encoder.baselines.get(*number);
        let Some(delta) = deltas::entity(encoder.dialect, *number, from, &quiet, EncodeFlags { force: true, new: true }) else { continue };
        let bytes = size(&[Message::new(Body::PacketEntities(PacketEntities { deltas: vec![delta.clone()], end_mask: 0 }))]) - LIST_END;
        if length + bytes <= room {
            length += bytes;
            next.entities.push((*number, apply_entity(encoder.dialect, from, &delta)));
            step.push(delta);
        }
    }
    (step, next)
}

/// The size of an empty entity list in bytes.
const LIST_END: usize = 3;

fn chain(encoder: FrameEncoder<'_>, header: &Frame, to: &FrameState, steps: Vec<(Vec<EntityDelta>, FrameState)>) -> Vec<Vec<Message>> {
    let first = header.number - steps.len() as i32;
    let mut client_frame: Option<(i32, FrameState)> = None;
    let mut frames = Vec::new();
    for (number, (step, next)) in (first..).zip(steps) {
        let header = Frame { number, ..header.clone() };
        frames.push(encoder.frame(&header, client_frame.as_ref().map(|(number, client_frame)| (*number, client_frame)), &next, step));
        client_frame = Some((number, next));
    }
    let base = client_frame.as_ref().map(|(number, client_frame)| (*number, client_frame));
    let deltas = encoder.entities(base.map(|(_, client_frame)| client_frame), &to.entities);
    frames.push(encoder.frame(header, base, to, deltas));
    frames
}

/// A frame that holds as many changes as fit.
pub struct PartialFrame {
    /// Its messages.
    pub messages: Vec<Message>,
    /// The state of the client after the frame.
    pub client_frame: FrameState,
    /// Whether changes were postponed to later frames.
    pub postponed: bool,
}

/// Encodes the changes nearest to the player in `limit` bytes. Other entities keep the state that the client has.
pub fn encode_within(encoder: FrameEncoder<'_>, header: &Frame, base: Option<(i32, &FrameState)>, to: &FrameState, limit: usize, cx: &Context) -> PartialFrame {
    let size = |messages: &[Message]| message_bytes(messages, &mut cx.clone()).iter().map(Vec::len).sum::<usize>();
    let old = base.map(|(_, frame_state)| frame_state);
    let mut deltas = encoder.entities(old, &to.entities);
    let place = |number: u16| to.entities.binary_search_by_key(&number, |(number, _)| *number).ok().map(|at| &to.entities[at].1);
    let far = |delta: &EntityDelta| match (place(delta.number), to.players.first()) {
        (Some(row), Some((_, player))) if delta.number > encoder.max_clients => distance(row, player),
        _ => 0,
    };
    deltas.sort_by_cached_key(|delta| (far(delta), delta.number));
    let all = deltas.len();
    let mut length = size(&encoder.frame(header, base, to, Vec::new()));
    let list = |deltas| Message::new(Body::PacketEntities(PacketEntities { deltas, end_mask: 0 }));
    let none = size(&[list(Vec::new())]);
    deltas.retain(|delta| {
        let bytes = size(&[list(vec![delta.clone()])]) - none;
        let fits = length + bytes <= limit;
        length += if fits { bytes } else { 0 };
        fits
    });
    let postponed = deltas.len() < all;
    deltas.sort_by_key(|delta| delta.number);
    // Entities without changes are not in the list, but present.
    let encoded = |number: u16| deltas.binary_search_by_key(&number, |delta| delta.number).is_ok();
    let mut client_frame = FrameState { players: to.players.clone(), entities: Vec::new() };
    client_frame.entities.extend(to.entities.iter().filter(|(number, _)| encoded(*number)).copied());
    let stays = old.map_or(&[][..], |old| &old.entities).iter().filter(|(number, _)| !encoded(*number));
    client_frame.entities.extend(stays.map(|(number, row)| (*number, aged(row, encoder.dialect.line))));
    client_frame.entities.sort_by_key(|(number, _)| *number);
    PartialFrame { messages: encoder.frame(header, base, to, deltas), client_frame, postponed }
}

/// The squared distance of an entity from the player. At least 1.
pub fn distance(row: &Row, state: &PlayerState) -> u64 {
    let axes = (entity::ORIGIN_X..=entity::ORIGIN_Z).zip(player::ORIGIN_X..=player::ORIGIN_Z);
    1 + axes.map(|(at, own)| u64::from((row[at] as i32).abs_diff(state.row[own] as i32)).pow(2)).sum::<u64>().isqrt()
}
