//! The recorder behind the interface of all families' recorders.

use std::collections::VecDeque;

use fragreel_live::{RecordingOutput, Stream, UNANSWERED};

use crate::recorder::{End, Recorder, Settings, Status};

/// A [`Recorder`] with a clock of its own, behind the interface of all families' recorders.
#[derive(Debug, Clone)]
pub struct Joined {
    recorder: Recorder,
    written: RecordingOutput,
    now: f64,
    ended: Option<String>,
    /// How often the server's map was learned, and what is still to be sent of an earlier attempt.
    maps: u32,
    goodbye: VecDeque<Vec<u8>>,
}

/// More than one level in a row that changes under us.
const MOST_MAPS: u32 = 3;

impl Joined {
    /// Not connected yet.
    pub fn new(settings: Settings) -> Self {
        Joined { recorder: Recorder::new(settings), written: RecordingOutput::default(), now: 0.0, ended: None, maps: 0, goodbye: VecDeque::new() }
    }

    fn look(&mut self) {
        // before there is anything to see, the next attempt is a part of this one
        if let Status::Ended(End::Map(checksum)) = *self.recorder.status()
            && self.recorder.frames() == 0
            && self.maps < MOST_MAPS
        {
            self.maps += 1;
            let mut unread = Vec::new();
            while self.recorder.take_recording(&mut unread) {}
            self.goodbye.extend(std::iter::from_fn(|| self.recorder.next_datagram()));
            self.recorder = Recorder::new(Settings { map_checksum: checksum, ..self.recorder.settings().clone() });
            self.written = RecordingOutput::default();
            return;
        }
        if let (None, Status::Ended(end)) = (&self.ended, self.recorder.status()) {
            self.ended = Some(end.words(self.recorder.packets()));
        }
    }
}

impl End {
    /// Why the connection ended, as a sentence. `packets` is the number of recorded packets.
    pub fn words(&self, packets: u64) -> String {
        let with = |what: &str, why: &str| if why.is_empty() { what.to_owned() } else { format!("{what}: {why}") };
        match self {
            End::Refused(reason) => with("the server refused", reason),
            End::Disconnected(reason) => with("the server closed the connection", reason),
            End::Stalled(reason) => with("the server did not admit us to the game", reason),
            End::Silent if packets == 0 => String::from(UNANSWERED),
            End::Silent => String::from("the server fell silent"),
            End::Unreachable => String::from("no server listens there"),
            End::Flooded => String::from("the server requested more than it acknowledged"),
            End::Match => String::from("the next match begins"),
            End::Map(_) => String::from("the server wants the checksum of its map"),
            End::Left => String::from("left the server"),
        }
    }
}

impl Stream for Joined {
    fn next_request(&mut self) -> Option<Vec<u8>> {
        self.goodbye.pop_front().or_else(|| self.recorder.next_datagram())
    }

    fn receive(&mut self, datagram: &[u8]) {
        self.recorder.receive(self.now, datagram);
        self.look();
    }

    fn tick(&mut self, now: f64) {
        self.now = self.now.max(now);
        self.recorder.tick(self.now);
        self.look();
    }

    fn written(&mut self) -> &mut RecordingOutput {
        while self.recorder.take_recording(&mut self.written.bytes) {}
        &mut self.written
    }

    fn has_frames(&self) -> bool {
        self.recorder.frames() > 0
    }

    fn leave(&mut self) {
        self.recorder.leave(self.now);
        self.look();
    }

    fn closed(&mut self) {
        self.recorder.unreachable(self.now);
        self.look();
    }

    fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }
}
