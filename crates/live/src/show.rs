//! What all shows have in common for whoever owns the socket.

/// A server that shows a recording to games. `A` is whatever the caller calls an address.
pub trait Show<A> {
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
    /// What is shown now, in milliseconds since the first frame.
    fn position(&self) -> i64;
    /// The recording's length in milliseconds.
    fn length(&self) -> i64;
    /// Goes somewhere else.
    fn seek(&mut self, position: i64);
    /// Ends it for all.
    fn close(&mut self);
    /// Console commands of the recording that nobody was sent, and how often each came.
    fn held_back(&self) -> Vec<(String, u32)>;
}
