//! What the recorders of Quake III, Quake II and NetQuake servers have in common: they connect, wait, write, and say why it is over.

use std::collections::VecDeque;

use crate::{RecordingOutput, Stream, UNANSWERED};

/// Seconds without an answer before a recorder gives up connecting.
const CONNECT_TIMEOUT: f64 = 20.0;
/// Seconds of silence before a server counts as gone.
const SILENCE_TIMEOUT: f64 = 30.0;

/// The state that every [`DatagramRecorder`] has.
#[derive(Debug)]
pub struct RecorderCore {
    /// Datagrams to send.
    pub requests: VecDeque<Vec<u8>>,
    /// What is written of the recording.
    pub written: RecordingOutput,
    /// The frames in it.
    pub frames: u64,
    /// The time of the last tick, in seconds.
    pub now: f64,
    /// When the server was last heard.
    pub last_received: f64,
    /// When connecting, or waiting for the first frame of this recording, began.
    since: Option<f64>,
    /// What the caller should know, once.
    pub notice: Option<String>,
    ended: Option<String>,
}

impl Default for RecorderCore {
    fn default() -> Self {
        RecorderCore {
            requests: VecDeque::new(),
            written: RecordingOutput::separable(),
            frames: 0,
            now: 0.0,
            last_received: 0.0,
            since: None,
            notice: None,
            ended: None,
        }
    }
}

impl RecorderCore {
    /// Begins to connect once more; the time for it starts again.
    pub fn connect_again(&mut self) {
        self.requests.clear();
        self.since = Some(self.now);
    }
}

/// A client that joins a server and records it. It is a [`Stream`] of datagrams.
pub trait DatagramRecorder {
    /// Seconds in which a server that let us in must show a frame, whatever else it sends, and what to say if it does not.
    const ENTER: (f64, &'static str) = (60.0, "the server does not admit us to the game");

    /// The shared state.
    fn core(&self) -> &RecorderCore;
    /// The same, to be changed.
    fn core_mut(&mut self) -> &mut RecorderCore;
    /// Whether the server let us in.
    fn is_connected(&self) -> bool;
    /// Takes a datagram of a server that is not over.
    fn take(&mut self, datagram: &[u8]);
    /// Sends what is due.
    fn send_if_due(&mut self);
    /// Says goodbye to a server that let us in.
    fn say_goodbye(&mut self);
    /// Writes what ends a recording.
    fn write_end(&mut self);
    /// The server's port to go on with, where that is another one.
    fn new_port(&self) -> Option<u16> {
        None
    }

    /// What else is to be said when it is over.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Ends the recording. Only the first reason counts.
    fn end(&mut self, reason: &str) {
        if self.has_ended() {
            return;
        }
        let reason = self.remark().map_or_else(|| reason.to_owned(), |remark| format!("{reason}; {remark}"));
        self.core_mut().ended = Some(reason);
        if self.is_connected() {
            self.say_goodbye();
        }
        if self.core().frames > 0 {
            self.write_end();
        }
    }

    /// Whether it is over.
    fn has_ended(&self) -> bool {
        self.core().ended.is_some()
    }

    /// Ends the file of a level, if each level gets one. Returns whether it did.
    fn end_level(&mut self) -> bool {
        let ends = self.core().written.is_split() && self.core().frames > 0;
        if ends {
            self.write_end();
            let core = self.core_mut();
            core.written.end_level();
            (core.frames, core.since) = (0, Some(core.now));
        }
        ends
    }
}

impl<R: DatagramRecorder> Stream for R {
    fn next_request(&mut self) -> Option<Vec<u8>> {
        self.core_mut().requests.pop_front()
    }

    fn receive(&mut self, datagram: &[u8]) {
        if !self.has_ended() {
            self.take(datagram);
        }
    }

    fn tick(&mut self, now: f64) {
        let core = self.core_mut();
        if core.since.is_none() {
            core.last_received = now;
        }
        core.now = core.now.max(now);
        let waited = core.now - *core.since.get_or_insert(now);
        let (silence, has_frames) = (core.now - core.last_received, core.frames > 0);
        let (enter, not_let_in) = R::ENTER;
        match self.is_connected() {
            false if waited > CONNECT_TIMEOUT => self.end(UNANSWERED),
            true if silence > SILENCE_TIMEOUT => self.end("the server fell silent"),
            true if !has_frames && waited > CONNECT_TIMEOUT + enter => self.end(not_let_in),
            _ => {}
        }
        self.send_if_due();
    }

    fn written(&mut self) -> &mut RecordingOutput {
        &mut self.core_mut().written
    }

    fn has_frames(&self) -> bool {
        self.core().frames > 0
    }

    fn leave(&mut self) {
        self.end("left the server");
    }

    fn closed(&mut self) {
        self.end(if self.is_connected() { "the server stopped" } else { "no server listens there" });
    }

    fn ended(&self) -> Option<&str> {
        self.core().ended.as_deref()
    }

    fn port(&self) -> Option<u16> {
        self.new_port()
    }

    fn notice(&mut self) -> Option<String> {
        self.core_mut().notice.take()
    }
}
