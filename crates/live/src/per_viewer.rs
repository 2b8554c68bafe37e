//! Everybody on his own clock.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{ControlCommand, PlaybackCore, PlaybackServer, ViewerList};

/// A server with an independent playback for each viewer, from the start: a pause stops it for that viewer only, so everybody has the controls.
///
/// Who has not connected yet talks to one that goes round and round, and takes it with him when he is let in.
///
/// ```
/// # use fragreel_live::{Viewer, Viewers};
/// # #[derive(Clone)]
/// # struct Guest;
/// # impl Viewer for Guest {
/// #     fn watches(&self) -> bool { true }
/// #     fn farewell(&mut self, _: &str) -> Vec<Vec<u8>> { Vec::new() }
/// # }
/// # #[derive(Clone)]
/// # struct Slides(Viewers<u8, Guest>, fragreel_live::PlaybackCore<u8>);
/// # impl fragreel_live::PlaybackServer<u8> for Slides {
/// #     fn parts(&self) -> (&fragreel_live::PlaybackCore<u8>, &dyn fragreel_live::ViewerList<u8>) { (&self.1, &self.0) }
/// #     fn parts_mut(&mut self) -> (&mut fragreel_live::PlaybackCore<u8>, &mut dyn fragreel_live::ViewerList<u8>) { (&mut self.1, &mut self.0) }
/// #     fn receive(&mut self, from: u8, datagram: &[u8], controls: bool) {
/// #         if datagram == b"join" { self.0.insert(from, Guest); } else if controls && self.has(&from) { self.seek(50) }
/// #     }
/// #     fn tick(&mut self, _: f64) {}
/// #     fn say(&mut self, _: &str) {}
/// #     fn seek(&mut self, position: i64) { self.1.control.seek(0.0, position); }
/// #     fn extend(&mut self, _: &[u8]) {}
/// # }
/// use fragreel_live::{PerViewer, PlaybackServer};
///
/// // `Slides` is a show of 100 ms that goes to its middle when somebody who watches says anything
/// let mut show = PerViewer::new(Slides(Viewers::new(2), fragreel_live::PlaybackCore::new(100, [], &[])));
/// for viewer in [1, 2] {
///     show.receive(viewer, b"join", false);
/// }
/// show.receive(2, b"jump", false);
/// assert_eq!(show.watching(), 2);
/// assert_eq!([1, 2].map(|viewer| show.position_of(&viewer)), [Some(0), Some(50)]);
/// ```
pub struct PerViewer<A, S> {
    lobby: S,
    own: BTreeMap<A, S>,
    /// Those who have connected and see nothing yet.
    waiting: BTreeSet<A>,
    outbox: VecDeque<(A, Vec<u8>)>,
    start: i64,
}

/// Most who watch.
const MOST: usize = 64;

impl<A: Ord + Copy, S: PlaybackServer<A> + Clone> PerViewer<A, S> {
    /// Shows what `show` does, which nobody watches yet.
    pub fn new(show: S) -> Self {
        PerViewer { lobby: show, own: BTreeMap::new(), waiting: BTreeSet::new(), outbox: VecDeque::new(), start: 0 }
    }

    /// What somebody sees, in milliseconds since the first frame.
    pub fn position_of(&self, who: &A) -> Option<i64> {
        self.own.get(who).map(S::position)
    }

    fn shows(&mut self) -> impl Iterator<Item = &mut S> {
        self.own.values_mut().chain([&mut self.lobby])
    }
}

impl<A: Ord + Copy, S: PlaybackServer<A> + Clone> PlaybackServer<A> for PerViewer<A, S> {
    /// The state of the first who watches; and those who have not connected yet.
    fn parts(&self) -> (&PlaybackCore<A>, &dyn ViewerList<A>) {
        (self.own.values().next().unwrap_or(&self.lobby).core(), self.lobby.parts().1)
    }

    fn parts_mut(&mut self) -> (&mut PlaybackCore<A>, &mut dyn ViewerList<A>) {
        let (core, viewers) = self.lobby.parts_mut();
        (self.own.values_mut().next().map_or(core, S::core_mut), viewers)
    }

    fn watching(&self) -> usize {
        self.own.values().map(S::watching).sum()
    }

    fn has(&self, who: &A) -> bool {
        self.own.contains_key(who)
    }

    fn forget(&mut self, who: &A) {
        self.own.remove(who);
        self.waiting.remove(who);
    }

    fn listens(&mut self, port: u16) {
        self.lobby.listens(port);
    }

    fn receive(&mut self, from: A, datagram: &[u8], _: bool) {
        if let Some(own) = self.own.get_mut(&from) {
            own.receive(from, datagram, true);
            // a viewer who asks for it only after connecting misses nothing of it
            if own.watching() > 0 && self.waiting.remove(&from) {
                own.seek(self.start);
            }
            return;
        }
        self.lobby.receive(from, datagram, false);
        if self.lobby.has(&from) {
            self.outbox.extend(std::iter::from_fn(|| self.lobby.next_datagram()));
            if self.own.len() < MOST {
                let mut own = self.lobby.clone();
                own.parts_mut().1.keep_only(&from);
                own.seek(self.start);
                if own.watching() == 0 {
                    self.waiting.insert(from);
                }
                self.own.insert(from, own);
            }
            self.lobby.forget(&from);
        }
    }

    fn tick(&mut self, now: f64) {
        self.shows().for_each(|show| show.tick(now));
        // one that has stopped at its end would stand still for new viewers
        if self.lobby.position() >= self.lobby.length() {
            self.lobby.seek(self.start);
        }
        for show in self.own.values_mut().chain([&mut self.lobby]) {
            self.outbox.extend(std::iter::from_fn(|| show.next_datagram()));
        }
        self.own.retain(|who, show| show.has(who));
        self.waiting.retain(|who| self.own.contains_key(who));
    }

    fn next_datagram(&mut self) -> Option<(A, Vec<u8>)> {
        self.outbox.pop_front()
    }

    /// Everybody has a clock of his own.
    fn apply(&mut self, _: ControlCommand) {}
    fn order(&mut self, _: &[u8]) {}

    fn say(&mut self, text: &str) {
        self.shows().for_each(|show| show.say(text));
    }

    /// For all, and where those who join begin.
    fn seek(&mut self, position: i64) {
        self.start = position;
        self.shows().for_each(|show| show.seek(position));
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.extend(bytes);
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.shows().for_each(|show| show.feed(bytes));
    }

    fn close(&mut self) {
        self.shows().for_each(PlaybackServer::close);
        for show in self.own.values_mut().chain([&mut self.lobby]) {
            self.outbox.extend(std::iter::from_fn(|| show.next_datagram()));
        }
    }

    fn held_back(&self) -> Vec<(String, u32)> {
        let mut sum: BTreeMap<String, u32> = BTreeMap::new();
        self.own.values().flat_map(S::held_back).for_each(|(name, count)| *sum.entry(name).or_default() += count);
        sum.into_iter().collect()
    }
}
