//! What all shows have in common for whoever owns the socket.

use crate::{Console, Control, ControlCommand};

/// A server that shows a recording to games. `A` is whatever the caller calls an address.
pub trait PlaybackServer<A> {
    /// The clock, and what may be done with it.
    fn control(&self) -> &Control;
    /// The same, to be changed.
    fn control_mut(&mut self) -> &mut Control;
    /// The time of the last [`tick`](Self::tick).
    fn now(&self) -> f64;
    /// What came of the recording's console commands, in games whose servers send any.
    fn console(&self) -> Option<&Console> {
        None
    }
    /// Says at which port it listens: some games' servers tell it to their clients.
    fn listens(&mut self, _port: u16) {}
    /// Takes a datagram. `controls` says whether who sent it may stop the show and turn it back.
    fn receive(&mut self, from: A, datagram: &[u8], controls: bool);
    /// Lets time pass, in seconds since the start: shows what is due.
    fn tick(&mut self, now: f64);
    /// The next datagram to be sent, and to whom.
    fn next_datagram(&mut self) -> Option<(A, Vec<u8>)>;
    /// How many watch.
    fn watching(&self) -> usize;
    /// Whether somebody has connected.
    fn has(&self, who: &A) -> bool;
    /// Lets go of somebody without a word to him.
    fn forget(&mut self, who: &A);
    /// Does what a viewer's command came to.
    fn apply(&mut self, order: ControlCommand);
    /// More of a recording that grows: everything that there is of it is shown at once from now on.
    fn feed(&mut self, bytes: &[u8]);
    /// Ends it for all.
    fn close(&mut self);

    /// Goes somewhere else.
    fn seek(&mut self, position: i64) {
        self.apply(ControlCommand::Seek(position));
    }
    /// Does what a console of somebody would ask who may control the show: `pause`, `play`, `seek 1:30`, `speed 0.5`, `next`, `prev`. What else it
    /// says is passed over.
    fn order(&mut self, text: &[u8]) {
        let now = self.now();
        if let Some(order) = self.control_mut().command(text, now) {
            self.apply(order);
        }
    }
    /// What is shown now, in milliseconds since the first frame.
    fn position(&self) -> i64 {
        self.control().position(self.now())
    }
    /// The recording's length in milliseconds.
    fn length(&self) -> i64 {
        self.control().length()
    }
    /// How fast it goes, and whether it stands still.
    fn clock(&self) -> (f64, bool) {
        (self.control().clock.speed(), self.control().clock.is_paused())
    }
    /// Console commands of the recording that nobody was sent, and how often each came.
    fn held_back(&self) -> Vec<(String, u32)> {
        self.console().map(|console| console.held_back().map(|(name, count)| (name.to_owned(), count)).collect()).unwrap_or_default()
    }
}
