//! The playhead of a demo server: a position in a recording, with the state there.

use fragreel_live::{Console, Growing};

use super::safe;
use fragreel_quake2::Recording;
use fragreel_quake2::message::{Body, Context, Message, Text};
use fragreel_quake2::state::{Effect, State};
use fragreel_quake2::unstable::signon::{SignonState, write};
use fragreel_quake2::walk::{At, Playback, Visitor};

/// A position in a recording. The state includes everything before it.
#[derive(Clone)]
pub(crate) struct Playhead {
    playback: Playback<'static>,
    /// The signon state of the level.
    pub signon: SignonState,
    /// The number of levels announced so far.
    pub level: u32,
    /// Whether the level has had a frame.
    pub is_open: bool,
    /// Sounds and effects of the newest frame.
    pub effects: Vec<Vec<u8>>,
    /// Whether the newest block had a frame.
    framed: bool,
}

/// The output of one block.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// Messages to send reliably.
    pub reliable: Vec<Vec<u8>>,
    /// Whether the block has a new frame.
    pub framed: bool,
    /// Whether another level begins.
    pub level: bool,
}

/// The maximum number of effects sent with a frame.
const MAX_EFFECTS: usize = 256;

impl Playhead {
    /// A playhead before the first block.
    pub(super) fn new(recording: &Recording<'_>) -> Self {
        Playhead {
            playback: recording.input().playback(recording.input().walk_options()).over(&[], false),
            signon: SignonState::default(),
            level: 0,
            is_open: false,
            effects: Vec::new(),
            framed: false,
        }
    }

    /// The state at the playhead.
    pub(super) fn state(&self) -> &State {
        &self.playback.state
    }

    /// The time of the playhead, in milliseconds since the first frame.
    pub(super) fn time(&self) -> i64 {
        self.playback.state.clock.time().0
    }

    /// Plays the next block. Console commands in it pass through `console`. Returns `None` if no complete block is left.
    pub(super) fn step(&mut self, recording: &Growing, console: &mut Console) -> Option<Step> {
        if std::mem::take(&mut self.framed) {
            self.effects.clear();
        }
        let mut step = Step::default();
        let before = self.playback.offset();
        let mut visitor = StepVisitor { step: &mut step, signon: &mut self.signon, effects: &mut self.effects, console };
        self.playback.step_in(recording.bytes(), recording.is_last(), &mut visitor);
        if self.playback.offset() == before {
            return None;
        }
        self.framed = step.framed;
        if step.level {
            self.level += 1;
            self.is_open = false;
        }
        self.is_open |= step.framed && self.signon.server_data.is_some();
        Some(step)
    }
}

struct StepVisitor<'b> {
    step: &'b mut Step,
    signon: &'b mut SignonState,
    effects: &'b mut Vec<Vec<u8>>,
    console: &'b mut Console,
}

impl Visitor for StepVisitor<'_> {
    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        self.signon.take_in(message, state);
        match &message.body {
            Body::ServerData(_) => self.step.level = true,
            Body::MuzzleFlash(_) | Body::MuzzleFlash2(_) | Body::TempEntity(_) | Body::Sound(_) if self.effects.len() < MAX_EFFECTS => {
                self.effects.extend(safe::message(message, &state.dialect));
            }
            Body::Print(_) | Body::CenterPrint(_) | Body::Layout(_) | Body::Inventory(_) | Body::ConfigString(_) => {
                self.step.reliable.extend(safe::message(message, &state.dialect));
            }
            Body::StuffText(text) => {
                let text = self.console.filter(&text.0);
                if !text.is_empty() {
                    self.step.reliable.push(write(&Message::new(Body::StuffText(Text(text))), &mut Context::new(state.dialect)));
                }
            }
            _ => {}
        }
        self.step.framed |= effect == Effect::Frame;
    }
}
