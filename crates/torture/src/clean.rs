//! A clean recording: what cases are made of, and judged by.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::time::Duration;

use fragreel::Recording;
use fragreel::model::{DamageKind, Event, Fields, Frame, FrameOptions, Kinds, Selection};

use crate::watch::guarded;

/// Behind bytes that are none, messages are found again by this number of them in a row (GoldSrc): where a case has fewer, none.
const EVIDENCE: u32 = 3;

/// A clean recording, and what is known of it.
pub struct Clean {
    /// Its bytes, unpacked.
    pub bytes: Vec<u8>,
    pub name: String,
    /// By operation, and by the seed of those that do other work with another.
    pub times: HashMap<(&'static str, u64), Duration>,
    events: Option<Vec<Event>>,
    pub whole: OnceCell<bool>,
    /// By the byte where a case is spoiled.
    sound: Option<(usize, Option<Sound>)>,
}

/// What a spoiled recording has in common with the clean one.
#[derive(Clone, Copy)]
pub struct Sound {
    /// The first message that is spoiled.
    pub message: u32,
    /// The message of the last frame before it.
    pub frame: Option<u32>,
}

/// Where a message is.
#[derive(Clone, Copy)]
pub struct MessageAt {
    /// Its number.
    pub number: u32,
    /// Where its framing starts.
    pub offset: usize,
}

impl Clean {
    /// A recording that was not measured yet.
    pub fn of(bytes: &[u8], name: &str) -> Self {
        Clean { bytes: bytes.to_owned(), name: name.to_owned(), times: HashMap::new(), events: None, whole: OnceCell::new(), sound: None }
    }

    /// The message that holds a byte.
    pub fn message_at(&self, at: usize) -> Option<MessageAt> {
        guarded(|| {
            let recording = Recording::open(self.bytes.clone(), &self.name).ok()?;
            let last = recording.explain(Selection::At(at as u64)).last();
            last.map(|message| MessageAt { number: message.message, offset: message.offset as usize })
        })
        .ok()
        .flatten()
    }

    /// What happens in it.
    pub fn events(&mut self) -> &[Event] {
        let (bytes, name) = (&self.bytes, &self.name);
        self.events.get_or_insert_with(|| guarded(|| events(bytes, name)).unwrap_or_default())
    }

    /// What a case has in common with it that is spoiled from byte `first` on.
    pub fn sound(&mut self, first: usize) -> Option<Sound> {
        if self.sound.is_none_or(|(known, _)| known != first) {
            let spoiled = self.message_at(first).map(|message| message.number);
            let spoiled = spoiled.map(|message| self.found_again().filter(|again| (*again..again + EVIDENCE).contains(&message)).unwrap_or(message));
            self.sound = Some((first, spoiled.map(|message| Sound { message, frame: self.last_frame_before(message) })));
        }
        self.sound.and_then(|(_, sound)| sound)
    }

    /// The first message behind the last bytes that are passed over because they are none.
    fn found_again(&self) -> Option<u32> {
        guarded(|| {
            let recording = Recording::open(self.bytes.clone(), &self.name).ok()?;
            let report = recording.verify();
            let gaps = report.damage.iter().filter(|damage| damage.kind == DamageKind::Compatibility).filter_map(|damage| damage.skipped);
            let behind = gaps.map(|gap| gap.to).max()?;
            recording.explain(Selection::All).find(|message| message.offset >= behind).map(|message| message.message)
        })
        .ok()
        .flatten()
    }

    fn last_frame_before(&self, message: u32) -> Option<u32> {
        guarded(|| {
            let mut frames = Recording::open(self.bytes.clone(), &self.name).ok()?.frames(FrameOptions::default().fields(Fields::NONE)).ok()?;
            let (mut frame, mut last) = (Frame::default(), None);
            while frames.next_into(&mut frame) && frame.message < message {
                last = Some(frame.message);
            }
            last
        })
        .ok()
        .flatten()
    }
}

/// What happens in a recording.
pub fn events(bytes: &[u8], name: &str) -> Vec<Event> {
    let Ok(recording) = Recording::open(bytes.to_vec(), name) else { return Vec::new() };
    recording.events(Kinds::ALL).collect()
}
