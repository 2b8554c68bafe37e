//! Which lines of the text are wanted, and what they say of where they stand.

use std::collections::HashSet;

use fragreel::Recording;
use fragreel::model::{Fields, Frame, FrameOptions, Milliseconds, Selection};
use fragreel::text_form::{Places, placed};
use serde_json::Value;

use crate::command::Times;
use crate::command::explain::{Numbers, Which};
use crate::failure::Failure;

/// Options that choose lines.
#[derive(clap::Args)]
pub struct Options {
    /// Only the lines of messages from one number to another, such as 100..200
    #[arg(long, value_name = "A..B")]
    messages: Option<Numbers>,

    #[command(flatten)]
    times: Times,

    /// Only lines that contain one of these names at any depth, separated by commas: snapshot,
    /// serverCommand, print, ...
    #[arg(long, alias = "kind", value_name = "KIND", value_delimiter = ',')]
    kinds: Vec<String>,

    #[command(flatten)]
    which: Which,

    /// Add the message's number and times to each line, as `at`. `compile` ignores it
    #[arg(long)]
    places: bool,
}

impl Options {
    /// Whether the text is as it is.
    pub fn change_nothing(&self) -> bool {
        self.chooses_nothing() && !self.places
    }

    /// What chooses the lines of a recording.
    pub fn lines(&self, recording: &Recording) -> Result<Lines<'_>, Failure> {
        self.times.must_make_sense()?;
        let mut clock = Vec::new();
        if self.places || !self.times.are_all() {
            let frames = recording.frames(FrameOptions::default().fields(Fields::NONE).players_only());
            let mut frames =
                frames.map_err(|error| Failure::new("the lines have no times").because(error).help("Select messages by number with --messages."))?;
            let mut frame = Frame::default();
            while frames.next_into(&mut frame) {
                clock.push((frame.message, frame.time, frame.server_time));
            }
        }
        Ok(Lines { options: self, places: Places::of(recording.family()), clock, at: 0, chosen: self.chosen(recording) })
    }

    /// The messages in which `explain` would show something of what is asked for; nothing where no fields are.
    fn chosen(&self, recording: &Recording) -> Option<HashSet<u32>> {
        if !self.which.chooses() {
            return None;
        }
        let (from, to) = self.messages.map_or((0, u32::MAX), Numbers::ends);
        let (mut sieve, mut chosen) = (self.which.sieve(&[]), HashSet::new());
        for mut message in recording.explain(Selection::Within { from, to, entity: self.which.entity }) {
            sieve.pass(&mut message);
            if !message.parts.is_empty() {
                chosen.insert(message.message);
            }
        }
        Some(chosen)
    }
}

/// Chooses lines one after the other.
pub struct Lines<'a> {
    options: &'a Options,
    places: Places,
    /// Which message brought which time.
    clock: Vec<(u32, Milliseconds, Milliseconds)>,
    at: usize,
    /// The messages that have what is asked for, where fields are chosen.
    chosen: Option<HashSet<u32>>,
}

impl Lines<'_> {
    /// Adds a line to the text, if it is wanted.
    pub fn take(&mut self, line: &[u8], text: &mut Vec<u8>) {
        let number = self.places.number(line);
        let Some(message) = number else {
            // The first line says how to read the others; an end would say that all are there.
            if line.starts_with(b"{\"recording\"") || self.options.chooses_nothing() {
                text.extend_from_slice(line);
            }
            return;
        };
        while self.clock.get(self.at + 1).is_some_and(|(next, ..)| *next <= message) {
            self.at += 1;
        }
        let times = self.clock.get(self.at).map(|(_, time, server)| (*time, *server));
        let in_time = self.options.times.are_all() || times.is_some_and(|(time, _)| self.options.times.hold(time));
        let in_numbers = self.options.messages.is_none_or(|numbers| numbers.hold(message));
        let is_chosen = self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&message));
        if !in_time || !in_numbers || !is_chosen || !(self.options.kinds.is_empty() || holds(line, &self.options.kinds)) {
            return;
        }
        if self.options.places {
            text.extend_from_slice(&placed(line, number, times));
        } else {
            text.extend_from_slice(line);
        }
    }
}

impl Options {
    fn chooses_nothing(&self) -> bool {
        self.messages.is_none() && self.times.are_all() && self.kinds.is_empty() && !self.which.chooses()
    }
}

/// Whether something of one of these names is in a line.
fn holds(line: &[u8], kinds: &[String]) -> bool {
    fn search(value: &Value, kinds: &[String]) -> bool {
        match value {
            Value::Object(members) => members.iter().any(|(name, value)| kinds.contains(name) || search(value, kinds)),
            Value::Array(elements) => elements.iter().any(|element| search(element, kinds)),
            _ => false,
        }
    }
    serde_json::from_slice(line).is_ok_and(|line| search(&line, kinds))
}
