//! Recordings as streams over connections (TCP), to any client: as they stand, from the position of the playback.

use crate::{PlaybackCore, PlaybackServer, Viewer, ViewerList, Viewers};

/// A recording that is sent block by block, as it stands. A clone goes on by itself from the same place.
pub trait RecordingStream: Clone {
    /// When the next block is, in milliseconds since the first frame; none: there is no other, or not yet.
    fn next(&mut self) -> Option<i64>;
    /// Takes in the next block, and adds it to `out`.
    fn step(&mut self, out: &mut Vec<Vec<u8>>);
    /// What somebody is sent who joins before the next block: a recording that begins here. `None`: nobody can join here.
    fn opening(&mut self) -> Option<Vec<Vec<u8>>>;
    /// More of the recording.
    fn feed(&mut self, bytes: &[u8]);
    /// What a stream ends with.
    fn ending(&self) -> Vec<u8>;
}

/// The protocol of one connection: how somebody asks for the stream, and how its blocks are wrapped.
pub trait StreamProtocol: Clone {
    /// Takes what came.
    fn receive(&mut self, bytes: &[u8]) -> Vec<StreamRequest>;
    /// A block as it is sent.
    fn wrap(&self, block: &[u8]) -> Vec<u8>;
    /// Goodbye.
    fn farewell(&self) -> Vec<u8>;
}

/// What a connection asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamRequest {
    /// To be answered with these bytes.
    Answer(Vec<u8>),
    /// The stream.
    Stream,
    /// No stream for now.
    Pause,
    /// Something typed into a console, or chat.
    Command(Vec<u8>),
    /// To be let go: nobody here understands it, or it is done.
    Nothing,
}

/// A server of streams. As a [`PlaybackServer`] whose datagrams are the bytes of connections, in order; who [connects](PlaybackServer::receive) says so with no bytes,
/// and whom it does not [have](PlaybackServer::has) any more is to be hung up on.
///
/// ```
/// # use fragreel_live::{StreamRequest, StreamServer, StreamProtocol, PlaybackServer, RecordingStream};
/// # #[derive(Clone)] struct Letters(u8);
/// # impl RecordingStream for Letters {
/// #     fn next(&mut self) -> Option<i64> { (self.0 < 26).then_some(i64::from(self.0) * 100) }
/// #     fn step(&mut self, out: &mut Vec<Vec<u8>>) { out.push(vec![b'a' + self.0]); self.0 += 1 }
/// #     fn opening(&mut self) -> Option<Vec<Vec<u8>>> { Some(vec![b"from ".to_vec()]) }
/// #     fn feed(&mut self, _: &[u8]) {}
/// #     fn ending(&self) -> Vec<u8> { b".".to_vec() }
/// # }
/// # #[derive(Clone)] struct Plain;
/// # impl StreamProtocol for Plain {
/// #     fn receive(&mut self, bytes: &[u8]) -> Vec<StreamRequest> { if bytes.is_empty() { Vec::new() } else { vec![StreamRequest::Stream] } }
/// #     fn wrap(&self, block: &[u8]) -> Vec<u8> { block.to_vec() }
/// #     fn farewell(&self) -> Vec<u8> { Vec::new() }
/// # }
/// // `Letters` is a recording of a letter every 100 ms, and `Plain` a protocol that streams to any client that sends something
/// let mut server = StreamServer::new(Letters(0), Plain, 2500, []);
/// server.receive(1, b"", false);
/// server.receive(1, b"please", false);
/// server.tick(0.25);
/// let heard: Vec<u8> = std::iter::from_fn(|| server.next_datagram()).flat_map(|(_, bytes)| bytes).collect();
/// assert_eq!(heard, b"abc");
/// server.seek(1000);
/// server.tick(0.4);
/// server.seek(0);
/// server.tick(0.55);
/// let heard: Vec<u8> = std::iter::from_fn(|| server.next_datagram()).flat_map(|(_, bytes)| bytes).collect();
/// assert_eq!(heard, b"from lab");
/// ```
#[derive(Debug, Clone)]
pub struct StreamServer<A, T, R> {
    source: T,
    /// Places that were passed, and when they are.
    keys: Vec<(i64, T)>,
    key_distance: i64,
    /// Whether anything was taken from the recording.
    begun: bool,
    core: PlaybackCore<A>,
    reception: R,
    watchers: Viewers<A, Watcher<R>>,
    over: bool,
}

/// One connection.
#[derive(Debug, Clone)]
struct Watcher<R> {
    reception: R,
    stage: Stage,
    since: f64,
    controls: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// He has not asked for the stream yet.
    Asking,
    /// He gets it from the next place where somebody can join.
    Waiting,
    Watching,
    /// He wants none for now.
    Resting,
}

impl<R: StreamProtocol> Viewer for Watcher<R> {
    fn watches(&self) -> bool {
        self.stage != Stage::Asking
    }

    fn farewell(&mut self, _: &str) -> Vec<Vec<u8>> {
        Some(self.reception.farewell()).filter(|farewell| !farewell.is_empty()).into_iter().collect()
    }
}

/// Most connections.
const MOST: usize = 64;
/// Seconds for asking.
const PATIENCE: f64 = 5.0;
/// Milliseconds between two places that are kept for going back, at least, and most of them.
const KEY: i64 = 15_000;
const MOST_KEYS: i64 = 64;

impl<A: Ord + Copy, T: RecordingStream, R: StreamProtocol> StreamServer<A, T, R> {
    /// A server that streams a recording of this length in milliseconds from its start. `marks` are the times that `next` and `prev` go to, in rising order.
    pub fn new(source: T, reception: R, length: i64, marks: impl IntoIterator<Item = i64>) -> Self {
        StreamServer {
            keys: vec![(i64::MIN, source.clone())],
            key_distance: KEY.max(length / MOST_KEYS),
            source,
            begun: false,
            core: PlaybackCore::new(length, marks, &[]),
            reception,
            watchers: Viewers::new(MOST),
            over: false,
        }
    }

    /// Takes in blocks up to a time, and sends them to those who watch.
    fn advance(&mut self, time: i64, heard: bool) {
        self.admit();
        let mut blocks = Vec::new();
        while let Some(next) = self.source.next().filter(|next| *next <= time) {
            self.source.step(&mut blocks);
            self.begun = true;
            if self.core.control.is_live() {
                self.core.control.grow(next);
            } else if next >= self.keys.last().map_or(0, |(at, _)| *at).max(0) + self.key_distance {
                self.keys.push((next, self.source.clone()));
            }
            if heard {
                for (&address, watcher) in self.watchers.iter().filter(|(_, watcher)| watcher.stage == Stage::Watching) {
                    self.core.outbox.extend(blocks.iter().map(|block| (address, watcher.reception.wrap(block))));
                }
            }
            blocks.clear();
        }
        if !self.core.control.is_live() && !self.over && self.source.next().is_none() {
            self.over = true;
            self.everybody(&self.source.ending());
        }
    }

    fn everybody(&mut self, block: &[u8]) {
        for (&address, watcher) in self.watchers.iter().filter(|(_, watcher)| watcher.stage == Stage::Watching && !block.is_empty()) {
            self.core.outbox.push_back((address, watcher.reception.wrap(block)));
        }
    }

    /// Lets those in who wait: they get what a recording that begins here begins with, or at its very start nothing but what follows.
    fn admit(&mut self) {
        if !self.watchers.values().any(|watcher| watcher.stage == Stage::Waiting) {
            return;
        }
        let Some(opening) = (if self.begun { self.source.opening() } else { Some(Vec::new()) }) else { return };
        for (&address, watcher) in self.watchers.iter_mut().filter(|(_, watcher)| watcher.stage == Stage::Waiting) {
            watcher.stage = Stage::Watching;
            self.core.outbox.extend(opening.iter().map(|block| (address, watcher.reception.wrap(block))));
        }
    }
}

impl<A: Ord + Copy, T: RecordingStream, R: StreamProtocol> PlaybackServer<A> for StreamServer<A, T, R> {
    fn parts(&self) -> (&PlaybackCore<A>, &dyn ViewerList<A>) {
        (&self.core, &self.watchers)
    }

    fn parts_mut(&mut self) -> (&mut PlaybackCore<A>, &mut dyn ViewerList<A>) {
        (&mut self.core, &mut self.watchers)
    }

    fn receive(&mut self, from: A, bytes: &[u8], controls: bool) {
        if bytes.is_empty() {
            if self.watchers.has_room(&from) {
                let watcher = Watcher { reception: self.reception.clone(), stage: Stage::Asking, since: self.core.now, controls };
                self.watchers.insert(from, watcher);
            }
            return;
        }
        let Some(watcher) = self.watchers.get_mut(&from) else { return };
        watcher.controls = controls;
        for asked in watcher.reception.receive(bytes) {
            let Some(watcher) = self.watchers.get_mut(&from) else { return };
            match asked {
                StreamRequest::Answer(answer) => self.core.outbox.push_back((from, answer)),
                StreamRequest::Stream if watcher.stage != Stage::Watching => watcher.stage = Stage::Waiting,
                StreamRequest::Pause => watcher.stage = Stage::Resting,
                StreamRequest::Stream => {}
                StreamRequest::Command(text) if watcher.controls && !self.core.control.is_live() => self.order(&text),
                StreamRequest::Command(_) => {}
                StreamRequest::Nothing => {
                    self.watchers.remove(&from);
                }
            }
        }
    }

    fn tick(&mut self, now: f64) {
        if let Some(due) = self.core.pass(now) {
            self.advance(due, true);
        }
        self.core.end();
        let now = self.core.now;
        self.watchers.retain(|_, watcher| watcher.stage != Stage::Asking || now - watcher.since <= PATIENCE);
    }

    /// It would be part of the recording.
    fn say(&mut self, _: &str) {}

    /// Goes somewhere else: all begin there.
    fn seek(&mut self, time: i64) {
        let time = self.core.control.seek(self.core.now, time);
        let key = self.keys.iter().rposition(|(at, _)| *at <= time).unwrap_or(0);
        self.source = self.keys[key].1.clone();
        self.begun = key > 0;
        self.over = false;
        for watcher in self.watchers.values_mut().filter(|watcher| watcher.stage == Stage::Watching) {
            watcher.stage = Stage::Waiting;
        }
        // at its very start it is sent as it stands
        if time > 0 {
            // nobody watches on the way there
            let watchers = std::mem::replace(&mut self.watchers, Viewers::new(MOST));
            self.advance(time, false);
            self.watchers = watchers;
            self.over = false;
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.keys.truncate(1);
        self.source.feed(bytes);
    }

    fn close(&mut self) {
        if !self.over {
            self.everybody(&self.source.ending());
        }
        self.core.outbox.extend(self.watchers.close(""));
    }
}
