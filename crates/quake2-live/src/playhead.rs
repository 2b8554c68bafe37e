//! The playhead of a demo server: a position in a recording, with the state there.

mod step;
mod views;

use std::borrow::Cow;

use fragreel_live::{Console, Growing};

use fragreel_quake2::Recording;
use fragreel_quake2::dialect::Dialect;
use fragreel_quake2::message::{Body, Message};
use fragreel_quake2::state::{Baselines, Effect, State};
use fragreel_quake2::unstable::signon::SignonState;
use fragreel_quake2::unstable::strings::StringSlots;
use fragreel_quake2::unstable::views::{Translator, has_several_views, name, players};
use fragreel_quake2::walk::{At, Playback, Visitor};
pub(crate) use step::Directed;
use step::{CommonStep, Step};
use views::{Views, ViewsStep};

/// A position in a recording. The state includes everything before it.
#[derive(Clone)]
pub(crate) struct Playhead {
    playback: Playback<'static>,
    /// The signon state of the level, without what single players received.
    pub signon: SignonState,
    /// What only recordings of several views have.
    views: Option<Views>,
    /// The number of levels announced so far.
    pub level: u32,
    /// Whether the level has had a frame.
    pub is_open: bool,
    /// Sounds and effects of the newest frame.
    pub effects: Vec<Directed>,
    /// Whether the newest block had a frame.
    framed: bool,
}

impl Playhead {
    /// A playhead before the first block.
    pub(super) fn new(recording: &Recording<'_>) -> Self {
        let input = recording.input();
        Playhead {
            playback: input.playback(input.walk_options()).over(&[], false),
            signon: SignonState::default(),
            views: has_several_views(input).then(Views::default),
            level: 0,
            is_open: false,
            effects: Vec::new(),
            framed: false,
        }
    }

    /// The state at the playhead, in the recording's dialect.
    pub(super) fn state(&self) -> &State {
        &self.playback.state
    }

    /// The dialect that clients receive.
    pub(super) fn dialect(&self) -> Dialect {
        if self.has_views() { Dialect::playable() } else { self.state().dialect }
    }

    /// The baselines that clients receive.
    pub(super) fn baselines(&self) -> &Baselines {
        self.views.as_ref().map_or(&self.state().baselines, |views| &views.baselines)
    }

    /// Whether clients choose the player to follow.
    pub(super) fn has_views(&self) -> bool {
        self.views.is_some()
    }

    /// The slots of the players in the current frame, in order.
    pub(super) fn players(&self) -> Vec<u16> {
        players(self.state())
    }

    /// The name of the player in a slot; empty if nobody is there.
    pub(super) fn name(&self, slot: u16) -> &[u8] {
        name(self.state(), slot)
    }

    /// The configstrings of a viewer who follows the player in a slot.
    pub(super) fn image(&self, follows: Option<u16>) -> Cow<'_, StringSlots> {
        let (mut image, dialect) = (Cow::Borrowed(&self.signon.image), self.dialect());
        if let Some(own) = self.views.as_ref().and_then(|views| views.own(follows)) {
            own.strings.iter().for_each(|(index, text)| image.to_mut().set(&dialect, *index, text));
        }
        image
    }

    /// What is on the screen of a viewer who follows the player in a slot.
    pub(super) fn screen(&self, follows: Option<u16>) -> impl Iterator<Item = &Message> {
        let own = self.views.as_ref().and_then(|views| views.own(follows));
        self.signon.screen.messages().chain(own.into_iter().flat_map(|own| own.screen.messages()))
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
        let common = CommonStep { step: &mut step, signon: &mut self.signon, effects: &mut self.effects, console };
        match &mut self.views {
            Some(views) => {
                let mut visitor = Translator::new(self.playback.state.dialect, ViewsStep { common, views, is_open: self.is_open });
                self.playback.step_in(recording.bytes(), recording.is_last(), &mut visitor);
            }
            None => {
                let mut visitor = StepVisitor(common);
                self.playback.step_in(recording.bytes(), recording.is_last(), &mut visitor);
            }
        }
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

/// Steps through a client's recording.
struct StepVisitor<'b>(CommonStep<'b>);

impl Visitor for StepVisitor<'_> {
    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        self.0.signon.take_in(message, state);
        self.0.step.level |= matches!(message.body, Body::ServerData(_));
        self.0.message(None, message);
        self.0.step.framed |= effect == Effect::Frame;
    }
}
