//! Whether an edited recording says the same as its source: the states of frames that both have.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use model::Comparison;

use super::retell::MOST_STEPS;
use crate::Recording;
use crate::dialect::Dialect;
use crate::fields::{entity, player};
use crate::identify::Framing;
use crate::limits;
use crate::message::{Body, Message, MvdBody, MvdMessage};
use crate::playback::{At, Manner, Visitor};
use crate::state::{Effect, PlayerState, State, aged};

/// Differences described at most.
const DESCRIBED: usize = 10;

/// A frame as both sides can say it.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    pub players: Vec<(i16, PlayerState)>,
    pub entities: Vec<(u16, entity::Row)>,
}

impl View {
    pub fn of(state: &State) -> Self {
        let players = state.players().map(|(number, state)| (number, state.clone())).collect();
        let mut entities = Vec::new();
        state.entities(|number, row| {
            if limits::holds(&state.dialect, number) {
                entities.push((number, *row));
            }
        });
        entities.sort_by_key(|(number, _)| *number);
        View { players, entities }
    }

    /// The same, where a broken list had an entity twice, with the first of them alone.
    pub fn without_repetitions(mut self) -> Self {
        self.entities.dedup_by_key(|(number, _)| *number);
        self
    }
}

/// How a frame of the source is seen, so that it can be held against one of the edited recording.
type Seen<'p> = dyn Fn(&State) -> View + 'p;

/// A frame's parts as hashes.
struct Digest {
    key: (u64, i64),
    whole: u64,
    parts: Vec<(u32, u64)>,
    /// Of a frame that has no room for more: the entities of which it says nothing, and which may therefore be late.
    late: Vec<u32>,
}

/// Players have these numbers among the parts.
const PLAYERS: u32 = 0x1_0000;

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Digest {
    fn of(view: &View, key: (u64, i64)) -> Self {
        let players = view.players.iter().map(|(number, state)| (PLAYERS + u32::from(*number as u16), hash((state.row, state.stats, &state.more_stats))));
        let parts: Vec<(u32, u64)> = players.chain(view.entities.iter().map(|(number, row)| (u32::from(*number), hash(row)))).collect();
        Digest { key, whole: hash(&parts), parts, late: Vec::new() }
    }

    /// Whether this frame only prepares the next, of which it has a part: so begins a copy whose first frame would be too long.
    fn prepares(&self, next: &Digest) -> bool {
        let split = |digest: &Digest| digest.parts.partition_point(|(number, _)| *number >= PLAYERS);
        let (own, others) = self.parts.split_at(split(self));
        let (next_own, next_others) = next.parts.split_at(split(next));
        own == next_own && others.len() <= next_others.len() && others.iter().all(|(number, _)| next_others.iter().any(|(next, _)| next == number))
    }

    /// Whether what both say is the same. `all`: and both say the same things.
    fn agrees(&self, other: &Digest, all: bool) -> bool {
        if all {
            return self.whole == other.whole;
        }
        let known: HashMap<u32, u64> = other.parts.iter().copied().collect();
        self.parts.iter().all(|(number, hash)| known.get(number).is_none_or(|known| known == hash) || self.late.binary_search(number).is_ok())
    }
}

/// Most bytes of an entity in protocol 34. A frame that has so much room left could have told of one more.
const LONGEST_ENTITY: usize = 64;

/// The frames of what a recording was converted to.
#[derive(Default)]
struct Converted {
    digests: Vec<Digest>,
    /// Bytes of the frame being read.
    length: usize,
    last: Vec<(u16, entity::Row)>,
}

impl Visitor for Converted {
    fn message(&mut self, _: At, message: &mut Message, bytes: &[u8], effect: Effect, state: &State) {
        match message.body {
            Body::Frame(_) => self.length = bytes.len(),
            Body::PlayerInfo(_) | Body::PacketEntities(_) => self.length += bytes.len(),
            _ => return,
        }
        if effect != Effect::Frame {
            return;
        }
        let view = View::of(state);
        let mut digest = Digest::of(&view, key(state, 0));
        if self.length + LONGEST_ENTITY > state.dialect.safe_block() {
            let before = |number: u16| self.last.binary_search_by_key(&number, |(known, _)| *known).ok().map(|at| aged(&self.last[at].1, state.dialect.line));
            digest.late = view.entities.iter().filter(|(number, row)| before(*number) == Some(*row)).map(|(number, _)| u32::from(*number)).collect();
        }
        self.digests.push(digest);
        self.last = view.entities;
    }
}

/// Calls a function for every complete frame.
pub(crate) struct EachFrame<F: FnMut(&State)>(pub F);

impl<F: FnMut(&State)> Visitor for EachFrame<F> {
    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        if effect == Effect::Frame && matches!(message.body, Body::Frame(_) | Body::PacketEntities(_)) {
            self.0(state);
        }
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        if matches!(message.body, MvdBody::Frame(_) | MvdBody::ServerData(_)) {
            self.0(state);
        }
    }
}

pub(crate) fn each_frame(recording: &Recording, mut each: impl FnMut(&State)) {
    recording.walk(Manner { parcels: false, ..recording.manner() }, &mut EachFrame(&mut each));
}

/// Which frame it is: of this level, this number.
fn key(state: &State, shift: i64) -> (u64, i64) {
    let map = state.strings.get(state.dialect.strings.models + 1);
    (hash((state.level.servercount & 0xffff, map)), state.clock.number() + shift)
}

pub(crate) fn compare(source: &Recording, edited: &Recording) -> Comparison {
    // a mended copy has frames whose bases are missing in the source, told from the last whole one
    let source = &source.clone().lenient(true);
    let (from, to) = (source.identified(), edited.identified());
    let multi = from.framing == Framing::Mvd2;
    let same = from.framing == to.framing && same_layout(&from.dialect, &to.dialect);
    let seen: Box<Seen<'_>> = if same { Box::new(View::of) } else { super::convert::seen(source, edited) };
    let shift = if multi && to.framing == Framing::Dm2 { super::convert::FIRST_FRAME } else { 0 };

    let mut copies: Vec<Digest> = Vec::new();
    if same {
        each_frame(edited, |state| copies.push(Digest::of(&View::of(state), key(state, 0))));
    } else {
        let mut converted = Converted::default();
        edited.walk(edited.manner(), &mut converted);
        copies = converted.digests;
    }
    let steps = if multi && to.framing == Framing::Mvd2 { vec![false; copies.len()] } else { steps(&copies) };
    let mut originals: Vec<((u64, i64), u64)> = Vec::new();
    each_frame(source, |state| originals.push((key(state, shift), if same { Digest::of(&seen(state), (0, 0)).whole } else { 0 })));
    let pairs = pairs(&originals, &copies, multi && to.framing == Framing::Mvd2);

    let mut comparison = Comparison::default();
    let mut wrong: Vec<(usize, u64)> = Vec::new();
    let mut met = vec![false; copies.len()];
    let mut ordinal = 0;
    each_frame(source, |state| {
        ordinal += 1;
        // A view may depend on the frame before.
        let view = seen(state);
        let Some(&at) = pairs.get(&ordinal) else { return };
        met[at] = true;
        let agrees = copies[at].agrees(&Digest::of(&view, copies[at].key), same);
        if !agrees && steps[at] {
            return;
        }
        comparison.frames += 1;
        if !agrees {
            comparison.differing += 1;
            if wrong.len() < DESCRIBED {
                wrong.push((at, ordinal));
            }
        }
    });
    for (at, _) in met.iter().enumerate().filter(|(at, met)| !**met && !steps[*at]) {
        comparison.frames += 1;
        comparison.differing += 1;
        if comparison.differences.len() < DESCRIBED {
            comparison.differences.push(format!("frame {}: the source has no such frame", copies[at].key.1));
        }
    }
    describe(source, edited, &wrong, &*seen, same, &mut comparison);
    comparison.differences.truncate(DESCRIBED);
    comparison
}

/// Which frames may only prepare the first frame of a level.
fn steps(copies: &[Digest]) -> Vec<bool> {
    let mut steps: Vec<bool> = Vec::with_capacity(copies.len());
    let mut run = 0;
    for (at, copy) in copies.iter().enumerate() {
        let begins = at.checked_sub(1).is_none_or(|before| steps[before] || copies[before].key.0 != copy.key.0 || copies[before].key.1 > copy.key.1);
        let is = begins && run < MOST_STEPS && copies.get(at + 1).is_some_and(|next| copy.prepares(next));
        run = if is { run + 1 } else { 0 };
        steps.push(is);
    }
    steps
}

/// Which frames of the source, counted from 1, the copies are: in order, by level and number, and where several have these
/// (levels that came unannounced) by their contents. Frames of an MVD2 have no numbers.
fn pairs(originals: &[((u64, i64), u64)], copies: &[Digest], unnumbered: bool) -> HashMap<u64, usize> {
    let mut places: HashMap<(u64, i64), Vec<usize>> = HashMap::new();
    let mut alike: HashMap<((u64, i64), u64), Vec<usize>> = HashMap::new();
    let named = |key: (u64, i64)| if unnumbered { (0, 0) } else { key };
    for (place, (key, whole)) in originals.iter().enumerate() {
        places.entry(named(*key)).or_default().push(place);
        alike.entry((named(*key), *whole)).or_default().push(place);
    }
    let mut pairs = HashMap::new();
    let mut next = 0;
    for (at, copy) in copies.iter().enumerate() {
        let ahead = |places: Option<&Vec<usize>>| places.and_then(|places| places.get(places.partition_point(|&place| place < next)).copied());
        let key = named(copy.key);
        if let Some(place) = ahead(alike.get(&(key, copy.whole))).or_else(|| ahead(places.get(&key))) {
            pairs.insert(place as u64 + 1, at);
            next = place + 1;
        }
    }
    pairs
}

fn same_layout(a: &Dialect, b: &Dialect) -> bool {
    a.name() == b.name() && a.frame == b.frame && a.unicasts() == b.unicasts()
}

/// Says of the wrong pairs what differs first.
fn describe(source: &Recording, edited: &Recording, wrong: &[(usize, u64)], seen: &Seen<'_>, all: bool, comparison: &mut Comparison) {
    if wrong.is_empty() {
        return;
    }
    let mut copies: HashMap<usize, (View, model::Milliseconds)> = HashMap::new();
    let mut at = 0;
    each_frame(edited, |state| {
        if wrong.iter().any(|(copy, _)| *copy == at) {
            copies.insert(at, (View::of(state), state.clock.server_time()));
        }
        at += 1;
    });
    let mut ordinal = 0;
    each_frame(source, |state| {
        ordinal += 1;
        let source = seen(state);
        for (copy, _) in wrong.iter().filter(|(_, wanted)| *wanted == ordinal) {
            if let Some((view, time)) = copies.get(copy)
                && let Some(difference) = difference(view, &source, all)
            {
                comparison.differences.push(format!("at server time {time}: {difference}"));
            }
        }
    });
}

/// The first difference, in words.
pub(crate) fn difference(copy: &View, source: &View, all: bool) -> Option<String> {
    for (number, state) in &copy.players {
        match source.players.iter().find(|(known, _)| known == number) {
            None if all => return Some(format!("player {number} is not in the source")),
            None => {}
            Some((_, known)) => {
                if let Some(at) = (0..player::SLOTS).find(|&at| state.row[at] != known.row[at]) {
                    return Some(format!(
                        "player {number}, {}: {} in the copy, {} in the source",
                        player::NAMES[at],
                        state.row[at] as i32,
                        known.row[at] as i32
                    ));
                }
                if let Some(at) = (0..64).find(|&at| state.stats[at] != known.stats[at]) {
                    return Some(format!("player {number}, stat {at}: {} in the copy, {} in the source", state.stats[at], known.stats[at]));
                }
                if state.more_stats != known.more_stats {
                    return Some(format!("player {number}, stats from 32 on"));
                }
            }
        }
    }
    for (number, row) in &copy.entities {
        match source.entities.binary_search_by_key(number, |(known, _)| *known) {
            Err(_) if all => return Some(format!("entity {number} is not in the source")),
            Err(_) => {}
            Ok(place) => {
                let known = &source.entities[place].1;
                if let Some(at) = (0..entity::SLOTS).find(|&at| row[at] != known[at]) {
                    return Some(format!("entity {number}, {}: {} in the copy, {} in the source", entity::NAMES[at], row[at] as i32, known[at] as i32));
                }
            }
        }
    }
    if all && (copy.entities.len() != source.entities.len() || copy.players.len() != source.players.len()) {
        return Some(format!(
            "{} players and {} entities in the copy, {} and {} in the source",
            copy.players.len(),
            copy.entities.len(),
            source.players.len(),
            source.entities.len()
        ));
    }
    None
}
