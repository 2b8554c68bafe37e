//! What demo servers of all games have in common.

use std::collections::VecDeque;

use crate::{Console, Control, ControlCommand, ViewerList};

/// The state that every [`PlaybackServer`] has. `A` is the caller's type of addresses.
#[derive(Debug, Clone)]
pub struct PlaybackCore<A> {
    /// The clock, and what may be done with it.
    pub control: Control,
    /// What came of the recording's console commands, in games whose servers send any.
    pub console: Console,
    /// Datagrams to be sent, and to whom.
    pub outbox: VecDeque<(A, Vec<u8>)>,
    /// The time of the last tick, in seconds.
    pub now: f64,
}

impl<A> PlaybackCore<A> {
    /// For a recording of this length. `marks` are the times that `next` and `prev` go to; `allowed` are the console commands of the recording
    /// that viewers get.
    pub fn new(length: i64, marks: impl IntoIterator<Item = i64>, allowed: &'static [&'static str]) -> Self {
        PlaybackCore { control: Control::new(length, marks), console: Console::allowing(allowed), outbox: VecDeque::new(), now: 0.0 }
    }

    /// Lets time pass. Returns up to where the recording is to be played, unless it is paused.
    pub fn pass(&mut self, now: f64) -> Option<i64> {
        self.now = self.now.max(now);
        (!self.control.clock.is_paused()).then(|| self.control.due(self.now))
    }

    /// Pauses at the end of the recording. Returns what to say then, once.
    pub fn end(&mut self) -> Option<&'static str> {
        self.control.end(self.now)
    }

    /// The position, as people read it.
    pub fn stamp(&self) -> String {
        crate::stamp(self.control.position(self.now))
    }
}

/// A server that shows a recording to games. `A` is whatever the caller calls an address.
pub trait PlaybackServer<A> {
    /// What all servers have: the shared state, and those who watch.
    fn parts(&self) -> (&PlaybackCore<A>, &dyn ViewerList<A>);
    /// The same, to be changed.
    fn parts_mut(&mut self) -> (&mut PlaybackCore<A>, &mut dyn ViewerList<A>);
    /// The shared state.
    fn core(&self) -> &PlaybackCore<A> {
        self.parts().0
    }
    /// The same, to be changed.
    fn core_mut(&mut self) -> &mut PlaybackCore<A> {
        self.parts_mut().0
    }
    /// Sets the port that it listens at: some games' servers send it to their clients.
    fn listens(&mut self, _port: u16) {}
    /// Takes a datagram. `controls` says whether who sent it may stop the show and turn it back.
    fn receive(&mut self, from: A, datagram: &[u8], controls: bool);
    /// Lets time pass, in seconds since the start: shows what is due.
    fn tick(&mut self, now: f64);
    /// The next datagram to be sent, and to whom.
    fn next_datagram(&mut self) -> Option<(A, Vec<u8>)> {
        self.core_mut().outbox.pop_front()
    }
    /// How many watch.
    fn watching(&self) -> usize {
        self.parts().1.watching()
    }
    /// Whether somebody has connected.
    fn has(&self, who: &A) -> bool {
        self.parts().1.has(who)
    }
    /// Lets go of somebody without a word to him.
    fn forget(&mut self, who: &A) {
        self.parts_mut().1.forget(who);
    }
    /// Prints a line for all viewers.
    fn say(&mut self, text: &str);
    /// Moves to a time.
    fn seek(&mut self, position: i64);
    /// More of a recording that grows: everything that there is of it is shown at once from now on.
    fn feed(&mut self, bytes: &[u8]) {
        self.core_mut().control.go_live();
        self.extend(bytes);
    }
    /// Takes in more of the recording.
    fn extend(&mut self, bytes: &[u8]);
    /// Ends it for all.
    fn close(&mut self) {
        let (core, viewers) = self.parts_mut();
        core.outbox.extend(viewers.close("the recording is over"));
    }

    /// Does what a viewer's command came to.
    fn apply(&mut self, order: ControlCommand) {
        match order {
            ControlCommand::Seek(position) => self.seek(position),
            ControlCommand::Say(text) => self.say(&text),
            ControlCommand::Follow(_) => self.say("the recording has only one player's view"),
        }
    }
    /// Does what a console of somebody would ask who may control the show: `pause`, `play`, `seek 1:30`, `speed 0.5`, `next`, `prev`. What else it
    /// says is passed over.
    fn order(&mut self, text: &[u8]) {
        let core = self.core_mut();
        if let Some(order) = core.control.command(text, core.now) {
            self.apply(order);
        }
    }
    /// What is shown now, in milliseconds since the first frame.
    fn position(&self) -> i64 {
        self.core().control.position(self.core().now)
    }
    /// The recording's length in milliseconds.
    fn length(&self) -> i64 {
        self.core().control.length()
    }
    /// How fast it goes, and whether it stands still.
    fn clock(&self) -> (f64, bool) {
        (self.core().control.clock.speed(), self.core().control.clock.is_paused())
    }
    /// Console commands of the recording that nobody was sent, and how often each came.
    fn held_back(&self) -> Vec<(String, u32)> {
        self.core().console.held_back().map(|(name, count)| (name.to_owned(), count)).collect()
    }
}
