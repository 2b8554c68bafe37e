//! A recording as something to be shown: its blocks, and the state of the game at the one that is shown.

use live::{Console, Growing};

use crate::Recording;
use crate::encode::signon::{SignonState, write};
use crate::message::{Body, Context, Message, Text};
use crate::state::{Effect, State};
use crate::walk::{At, Playback, Visitor};

/// A place in a recording: everything before it has been taken in.
#[derive(Clone)]
pub(crate) struct Playhead {
    playback: Playback<'static>,
    /// What the level is made of that no state keeps.
    pub signon: SignonState,
    /// Levels that were announced.
    pub level: u32,
    /// Whether the level has had a frame.
    pub is_open: bool,
    /// What is seen and heard once, with the newest frame.
    pub effects: Vec<Vec<u8>>,
    /// Whether the newest block had a frame.
    framed: bool,
}

/// What a block brings.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// What must arrive.
    pub reliable: Vec<Vec<u8>>,
    /// Whether there is a new frame.
    pub framed: bool,
    /// Another level begins.
    pub level: bool,
}

/// Most effects that are shown with a frame.
const MOST_EFFECTS: usize = 256;

impl Playhead {
    /// Before the first block.
    pub fn new(recording: &Recording<'_>) -> Self {
        Playhead {
            playback: recording.input().playback(recording.input().walk_options()).over(&[], false),
            signon: SignonState::default(),
            level: 0,
            is_open: false,
            effects: Vec::new(),
            framed: false,
        }
    }

    /// The state of the game.
    pub fn state(&self) -> &State {
        &self.playback.state
    }

    /// Milliseconds since the first frame.
    pub fn time(&self) -> i64 {
        self.playback.state.clock.time().0
    }

    /// Takes in the next block of what there is of the recording. What it stuffs goes through `console`. `None`: that was the last one.
    pub fn step(&mut self, recording: &Growing, console: &mut Console) -> Option<Step> {
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
    fn message(&mut self, _: At, message: &mut Message, bytes: &[u8], effect: Effect, state: &State) {
        self.signon.take_in(message, state);
        match &message.body {
            Body::ServerData(_) => self.step.level = true,
            Body::MuzzleFlash(_) | Body::MuzzleFlash2(_) | Body::TempEntity(_) | Body::Sound(_) if self.effects.len() < MOST_EFFECTS => {
                self.effects.push(bytes.to_vec());
            }
            Body::Print(_) | Body::CenterPrint(_) | Body::Layout(_) | Body::Inventory(_) | Body::ConfigString(_) => self.step.reliable.push(bytes.to_vec()),
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
