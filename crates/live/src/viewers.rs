//! Who watches a recording that is served.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// A client of a [`PlaybackServer`](crate::PlaybackServer).
pub trait Viewer {
    /// Whether the connection is complete, so that the viewer sees the recording.
    fn watches(&self) -> bool;
    /// The last datagrams to this viewer.
    fn farewell(&mut self, reason: &str) -> Vec<Vec<u8>>;
}

/// What every [`PlaybackServer`](crate::PlaybackServer) can do with those who watch, however it stores them.
pub trait ViewerList<A> {
    /// How many watch.
    fn watching(&self) -> usize;
    /// Whether somebody has connected.
    fn has(&self, who: &A) -> bool;
    /// Lets go of somebody without a word.
    fn forget(&mut self, who: &A);
    /// Lets go of everybody else without a word.
    fn keep_only(&mut self, who: &A);
    /// Lets go of all. Returns the last datagrams, and to whom.
    fn close(&mut self, reason: &str) -> Vec<(A, Vec<u8>)>;
}

/// Viewers by address, and, in games whose handshake proves no address, those who have acknowledged nothing yet.
///
/// ```
/// use fragreel_live::{Viewer, ViewerList, Viewers};
///
/// struct Guest(bool);
/// impl Viewer for Guest {
///     fn watches(&self) -> bool { self.0 }
///     fn farewell(&mut self, reason: &str) -> Vec<Vec<u8>> { vec![reason.into()] }
/// }
///
/// let mut viewers = Viewers::new(2).with_unproven(2);
/// // the oldest makes room for the newest
/// (0..3).for_each(|address| viewers.knock(address, Guest(false), f64::from(address)));
/// assert_eq!([0, 1, 2].map(|address| viewers.unproven(&address).is_some()), [false, true, true]);
/// let guest = viewers.prove(&2).unwrap();
/// viewers.insert(2, guest);
/// viewers.insert(7, Guest(true));
/// assert_eq!((viewers.watching(), viewers.has_room(&7), viewers.has_room(&8)), (1, true, false));
/// assert_eq!(viewers.part("late", |guest| !guest.0), [(2, b"late".to_vec())]);
/// viewers.expire(1.5);
/// assert!(viewers.unproven(&1).is_none());
/// ```
#[derive(Debug, Clone)]
pub struct Viewers<A, V> {
    known: BTreeMap<A, V>,
    most: usize,
    unproven: BTreeMap<A, Unproven<V>>,
    most_unproven: usize,
}

/// A client that has acknowledged nothing: its address may be forged.
#[derive(Debug, Clone)]
pub struct Unproven<V> {
    /// The client.
    pub viewer: V,
    /// Bytes that it may be sent.
    pub credit: usize,
    since: f64,
}

impl<A: Ord + Copy, V> Viewers<A, V> {
    /// Room for this many.
    pub fn new(most: usize) -> Self {
        Viewers { known: BTreeMap::new(), most, unproven: BTreeMap::new(), most_unproven: 0 }
    }

    /// Also keeps this many that have acknowledged nothing.
    #[must_use]
    pub fn with_unproven(mut self, most: usize) -> Self {
        self.most_unproven = most;
        self
    }

    /// Whether there is a place for somebody, or the place is his already.
    pub fn has_room(&self, who: &A) -> bool {
        self.known.len() < self.most || self.known.contains_key(who)
    }

    /// A new client that has acknowledged nothing. The oldest makes room.
    pub fn knock(&mut self, who: A, viewer: V, now: f64) {
        if self.unproven.len() >= self.most_unproven {
            let oldest = self.unproven.iter().min_by(|a, b| a.1.since.total_cmp(&b.1.since)).map(|(who, _)| *who);
            oldest.map(|oldest| self.unproven.remove(&oldest));
        }
        self.unproven.insert(who, Unproven { viewer, credit: 0, since: now });
    }

    /// The client at an address, if it has acknowledged nothing.
    pub fn unproven(&mut self, who: &A) -> Option<&mut Unproven<V>> {
        self.unproven.get_mut(who)
    }

    /// All clients that have acknowledged nothing.
    pub fn all_unproven(&mut self) -> impl Iterator<Item = (A, &mut Unproven<V>)> {
        self.unproven.iter_mut().map(|(who, unproven)| (*who, unproven))
    }

    /// Takes a client that has acknowledged something out of those that have not.
    pub fn prove(&mut self, who: &A) -> Option<V> {
        self.unproven.remove(who).map(|unproven| unproven.viewer)
    }

    /// Forgets the clients that have acknowledged nothing since this time.
    pub fn expire(&mut self, since: f64) {
        self.unproven.retain(|_, unproven| unproven.since >= since);
    }
}

impl<A: Ord + Copy, V: Viewer> Viewers<A, V> {
    /// Lets go of those who are lost. Returns the last datagrams, and to whom.
    pub fn part(&mut self, reason: &str, is_lost: impl Fn(&V) -> bool) -> Vec<(A, Vec<u8>)> {
        let mut last = Vec::new();
        self.known.retain(|who, viewer| {
            let goes = is_lost(viewer);
            if goes {
                last.extend(viewer.farewell(reason).into_iter().map(|datagram| (*who, datagram)));
            }
            !goes
        });
        last
    }
}

impl<A: Ord + Copy, V: Viewer> ViewerList<A> for Viewers<A, V> {
    fn watching(&self) -> usize {
        self.known.values().filter(|viewer| viewer.watches()).count()
    }

    fn has(&self, who: &A) -> bool {
        self.known.contains_key(who)
    }

    fn forget(&mut self, who: &A) {
        self.known.remove(who);
    }

    fn keep_only(&mut self, who: &A) {
        self.known.retain(|other, _| other == who);
        self.unproven.clear();
    }

    fn close(&mut self, reason: &str) -> Vec<(A, Vec<u8>)> {
        self.part(reason, |_| true)
    }
}

impl<A, V> Deref for Viewers<A, V> {
    type Target = BTreeMap<A, V>;

    fn deref(&self) -> &Self::Target {
        &self.known
    }
}

impl<A, V> DerefMut for Viewers<A, V> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.known
    }
}
