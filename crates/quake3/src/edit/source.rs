//! A recording on its way through an edit, message by message.

use fragreel_base::wire::Chunk;
use fragreel_model::Fate;

use crate::Recording;
use crate::container::{self, Frame, Piece};
use crate::encode::SignonState;
use crate::message::{Depth, Gamestate, Message, Operation, Snapshot};
use crate::state::{Effect, Outcome, State};
use crate::walk::{Input, Playback};

/// A playback for edits: [`next`](Self::next) reads a message, [`apply`](Self::apply) applies it, so that an edit sees the state before
/// and after, and can change the message in between.
#[derive(Clone)]
pub(super) struct Source<'a> {
    /// The last message, and the state after those applied so far.
    pub playback: Playback<'a>,
    /// What a signon at this place needs.
    pub signon: SignonState,
}

/// Gives sources that stand before messages of a recording. Requests in rising order cost one walk over the recording altogether.
pub(super) struct SourceSeeker<'a> {
    recording: Recording<'a>,
    source: Source<'a>,
}

impl<'a> SourceSeeker<'a> {
    pub(super) fn new(recording: &Recording<'a>) -> Self {
        SourceSeeker { recording: recording.clone(), source: Source::new(recording) }
    }

    /// A source whose next message is this one.
    pub(super) fn before(&mut self, message: u32) -> Source<'a> {
        if self.source.next_message().is_none_or(|next| next > message) {
            self.source = Source::new(&self.recording);
        }
        let last = self.source.next_message().and_then(|next| next.checked_sub(1));
        if let Some((near, _)) = message.checked_sub(1).and_then(|before| Source::at_keyframe(&self.recording, before, last)) {
            self.source = near;
        }
        while self.source.next_message().is_some_and(|next| next < message) {
            if let Some(Piece::Message(frame)) = self.source.next() {
                self.source.apply(&frame);
            }
        }
        self.source.clone()
    }
}

impl<'a> Source<'a> {
    pub(super) fn new(recording: &Recording<'a>) -> Self {
        Self::of_input(&recording.input)
    }

    pub(super) fn of_input(input: &Input<'a>) -> Self {
        Source { playback: Playback::new(input, Depth::Whole), signon: SignonState::default() }
    }

    /// A source that has applied the message of the last keyframe up to `message`, and the number of that message. `None` unless that is
    /// behind `beyond`, and where the recording has no index yet.
    pub(super) fn at_keyframe(recording: &Recording<'a>, message: u32, beyond: Option<u32>) -> Option<(Self, u32)> {
        let key = recording.index.get()?.upto(message)?;
        let (at, keyframe) = (key.at, &key.keyframe);
        // a signon needs the parts of a big string as they were sent
        if beyond >= Some(at.message) || keyframe.is_inside_big_string() {
            return None;
        }
        let mut source = Source::new(recording);
        let mut begun = Message::default();
        let whole = begun.read(container::data(recording.bytes(), &keyframe.gamestate()), recording.dialect()).is_ok();
        let sent = begun.operations.iter().rev().find_map(|operation| if let Operation::Gamestate(tree) = operation { Some(tree) } else { None })?;
        source.signon.gamestate = whole.then(|| Gamestate { items: Vec::new(), ..*sent });
        (source.signon.end, source.signon.levels) = (begun.end, at.level + 1);
        keyframe.enter(&mut source.playback, &recording.input).then_some((source, at.message))
    }

    /// The same position in another chunk of the recording.
    pub(super) fn over<'b>(self, chunk: Chunk<'b>) -> Source<'b> {
        Source { playback: self.playback.over(chunk), signon: self.signon }
    }

    /// The first byte that the next chunk must hold.
    pub(super) fn needed(&self) -> usize {
        self.playback.place().offset() as usize
    }

    /// Reads the next piece.
    pub(super) fn next(&mut self) -> Option<Piece> {
        self.playback.read()
    }

    /// The number of the next message.
    fn next_message(&self) -> Option<u32> {
        self.playback.place().clone().find_map(|piece| if let Piece::Message(frame) = piece { Some(frame.number) } else { None })
    }

    /// The player's number in the last snapshot, or in the next one that can be read.
    pub(super) fn client(&self) -> Option<i32> {
        let mut ahead = self.playback.clone();
        let at = crate::fields::find(ahead.state.dialect().player, "clientNum");
        loop {
            if let Some(snapshot) = ahead.state.snapshot() {
                return snapshot.player.row.get(at).map(|&client| client as i32);
            }
            let Piece::Message(frame) = ahead.read()? else { continue };
            if ahead.error.is_none() {
                let message = std::mem::take(&mut ahead.message);
                ahead.state.apply_message(frame.sequence, &message);
            }
        }
    }

    /// Whether the last message has a gamestate.
    pub(super) fn begins_level(&self) -> bool {
        self.playback.message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)))
    }

    /// Applies the last message.
    pub(super) fn apply(&mut self, frame: &Frame) {
        self.apply_with(frame, &mut |_, _, _| Fate::Keep);
    }

    /// Applies the last message. `seen` gets each snapshot after it was applied: the state, the tree, which it may change, and the
    /// outcome. Snapshots that it drops are removed from the message. Returns whether any was.
    pub(super) fn apply_with(&mut self, frame: &Frame, seen: &mut dyn FnMut(&State, &mut Snapshot, Outcome) -> Fate) -> bool {
        let mut dropped = false;
        let (state, signon) = (&mut self.playback.state, &mut self.signon);
        let (end, broken) = (self.playback.message.end, self.playback.error.is_some());
        self.playback.message.operations.retain_mut(|operation| {
            let effect = state.apply(frame.sequence, operation);
            signon.update(operation, effect, end, broken);
            if let (Operation::Snapshot(snapshot), Effect::Snapshot(outcome)) = (operation, effect)
                && seen(state, snapshot, outcome) == Fate::Drop
            {
                dropped = true;
                return false;
            }
            true
        });
        signon.end_message();
        dropped
    }
}
