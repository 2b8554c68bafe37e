//! Recordings that arrive over a connection.

use crate::RecordingOutput;

/// Why a recording is over when nobody let us in.
pub const UNANSWERED: &str = "the server did not answer";

/// A recording that comes from a server, from our first word to its end: bytes to be sent and bytes that came in between. What is taken from it is
/// a recording at any time, as far as it goes. Over datagrams, each call sends or takes one.
pub trait Stream {
    /// What is to be sent next.
    fn next_request(&mut self) -> Option<Vec<u8>>;
    /// Takes what came.
    fn receive(&mut self, bytes: &[u8]);
    /// Lets time pass, in seconds.
    fn tick(&mut self, now: f64);
    /// What is written of the recording and not taken yet.
    fn written(&mut self) -> &mut RecordingOutput;
    /// Adds what is new of the recording.
    fn take_recording(&mut self, out: &mut Vec<u8>) {
        self.written().take(out);
    }
    /// Asks for a recording of its own for each level, and where a level may be restarted, for each match. Whether that is possible.
    fn split_levels(&mut self) -> bool {
        self.written().split_levels()
    }
    /// Adds the rest of a recording that a new level has ended, if there is one: what [`take_recording`](Self::take_recording) adds from then on is another.
    fn take_ended(&mut self, out: &mut Vec<u8>) -> bool {
        self.written().take_ended(out)
    }
    /// Whether there is something to see in it yet.
    fn has_frames(&self) -> bool;
    /// Says goodbye, and ends the recording as its writers do.
    fn leave(&mut self);
    /// The server hung up, or nobody is there.
    fn closed(&mut self);
    /// Why it is over, once it is, in words for people.
    fn ended(&self) -> Option<&str>;
    /// Whether it is over because nobody let us in, whatever was answered. Who ends in other words than [`UNANSWERED`] then says so here.
    fn is_unanswered(&self) -> bool {
        self.ended() == Some(UNANSWERED)
    }
    /// Over datagrams: at which of the server's ports it goes on, where that is another one.
    fn port(&self) -> Option<u16> {
        None
    }
    /// Something that the person who records should know, once.
    fn notice(&mut self) -> Option<String> {
        None
    }
}
