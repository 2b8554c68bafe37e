//! Rewrites: texts, fields, voices, and whole kinds of messages, changed by a [`Rewrite`].

use std::collections::BTreeMap;

use fragreel_base::wire::Error;
use fragreel_model::{Edited, Fate, Place, Rewrite};

use super::downloads::Downloads;
use super::field_visitor::FieldVisitor;
use super::map_messages::{Change, MessageMapper, map};
use super::text_rewriter::{TextRewriter, word_range};
use crate::Recording;
use crate::container::{self, Frames, Piece};
use crate::dialect::Dialect;
use crate::limits::{COMMAND_BYTES, CONFIGSTRING_BYTES, Sizes};
use crate::message::{Depth, GamestateItem, Message, Operation, ServerCommand};
use crate::strings::Words;

pub(super) fn rewrite(recording: &Recording<'_>, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
    let dialect = recording.dialect();
    let fields = FieldVisitor::of(rewrite, dialect);
    let (big, downloads) = (BigStrings::of(recording), Downloads::of(recording));
    map(recording, &mut Rewriting { dialect, big, downloads, fields, texts: TextRewriter::new(rewrite), level: 0 })
}

struct Rewriting<'r> {
    dialect: &'static Dialect,
    big: BigStrings,
    downloads: Downloads<'r>,
    fields: FieldVisitor,
    texts: TextRewriter<'r>,
    level: u32,
}

impl MessageMapper for Rewriting<'_> {
    fn message(&mut self, place: Place, message: &mut Message) -> Result<Change, Error> {
        let Rewriting { dialect, big, downloads, fields, texts, level } = self;
        texts.place = place;
        let mut touched = drop_kinds(message, texts.rewrite, place);
        for operation in &mut message.operations {
            let before = Sizes::of(operation);
            touched |= match operation {
                Operation::Gamestate(gamestate) => {
                    *level += 1;
                    texts.level(gamestate, dialect);
                    let mut changed = false;
                    for item in &mut gamestate.items {
                        changed |= match item {
                            GamestateItem::ConfigString(string) => texts.string(usize::from(string.index), &mut string.text),
                            GamestateItem::Baseline(baseline) => fields.entity(texts.rewrite, place, baseline, dialect)?,
                        };
                    }
                    changed
                }
                Operation::ServerCommand(command) => match big.part(*level, command.sequence) {
                    Some((group, part)) => big.change_text(group, part, texts, command)?,
                    None => texts.command(&mut command.text),
                },
                Operation::Snapshot(snapshot) => fields.snapshot(texts.rewrite, place, snapshot, dialect)?,
                Operation::Download(download) => texts.download(download, downloads),
                _ => false,
            };
            Sizes::of(operation).check(before)?;
        }
        touched |= texts.undecoded(&mut message.rest, dialect.layout);
        let holds_nothing = message.operations.is_empty() && message.late_voice.is_empty() && message.rest.len() < 2;
        Ok(match (touched, holds_nothing) {
            (false, _) => Change::None,
            (true, true) => Change::Dropped,
            (true, false) => Change::Changed,
        })
    }

    fn undecoded(&mut self, place: Place, bytes: &mut [u8]) {
        self.texts.place = place;
        self.texts.undecoded(bytes, self.dialect.layout);
    }

    fn suspicious(&mut self, place: Place, bytes: &mut [u8]) {
        self.texts.place = place;
        self.texts.coded(bytes, self.dialect.layout);
    }
}

/// Removes the kinds and voices that the rewrite drops.
fn drop_kinds(message: &mut Message, rewrite: &mut dyn Rewrite, place: Place) -> bool {
    let before = (message.operations.len(), message.late_voice.len());
    message.operations.retain(|operation| {
        let fate = rewrite.message(place, operation.kind().name());
        match operation {
            // nothing plays without them
            Operation::Gamestate(_) | Operation::Snapshot(_) => true,
            Operation::VoiceSpeex(_) | Operation::VoiceOpus(_) => fate == Fate::Keep && rewrite.voice(place) == Fate::Keep,
            _ => fate == Fate::Keep,
        }
    });
    message.late_voice.retain(|_| rewrite.message(place, "voipSpeex") == Fate::Keep && rewrite.voice(place) == Fate::Keep);
    before != (message.operations.len(), message.late_voice.len())
}

/// Big configstrings, which several commands carry. Each is changed as a whole, and sent in the same number of parts.
#[derive(Default)]
struct BigStrings {
    /// Which group and which part of it a command is, by level and number.
    parts: BTreeMap<(u32, i32), (usize, usize)>,
    groups: Vec<Group>,
}

#[derive(Default)]
struct Group {
    index: Vec<u8>,
    texts: Vec<Vec<u8>>,
    /// The changed parts, once the string was shown.
    told: Option<Vec<Vec<u8>>>,
    whole: bool,
}

impl BigStrings {
    fn of(recording: &Recording<'_>) -> Self {
        let mut big = BigStrings::default();
        let (mut level, mut last, mut open) = (0, 0, None);
        let mut message = Message::default();
        for piece in Frames::new(recording.bytes()) {
            let Piece::Message(frame) = piece else { continue };
            if message.read_to(container::data(recording.bytes(), &frame), recording.dialect(), Depth::Commands).is_err() {
                continue;
            }
            for operation in &message.operations {
                match operation {
                    Operation::Gamestate(gamestate) => {
                        level += 1;
                        last = gamestate.command_sequence;
                        open = None;
                    }
                    Operation::ServerCommand(command) if command.sequence > last => {
                        last = command.sequence;
                        big.add(level, command, &mut open);
                    }
                    _ => {}
                }
            }
        }
        big
    }

    fn add(&mut self, level: u32, command: &ServerCommand, open: &mut Option<usize>) {
        let mut words = Words::new(&command.text);
        let first = words.next().unwrap_or_default();
        if !matches!(first, b"bcs0" | b"bcs1" | b"bcs2") {
            return;
        }
        let (index, text) = (words.next().unwrap_or_default().to_vec(), words.next().unwrap_or_default().to_vec());
        if first == b"bcs0" {
            *open = Some(self.groups.len());
            self.groups.push(Group { index, ..Group::default() });
        }
        let Some(group) = *open else { return };
        self.parts.insert((level, command.sequence), (group, self.groups[group].texts.len()));
        self.groups[group].texts.push(text);
        if first == b"bcs2" {
            self.groups[group].whole = true;
            *open = None;
        }
    }

    fn part(&self, level: u32, sequence: i32) -> Option<(usize, usize)> {
        self.parts.get(&(level, sequence)).copied().filter(|(group, _)| self.groups[*group].whole)
    }

    /// Changes one part of a group. The first call changes the whole string.
    fn change_text(&mut self, group: usize, part: usize, texts: &mut TextRewriter<'_>, command: &mut ServerCommand) -> Result<bool, Error> {
        let group = &mut self.groups[group];
        let told = match &group.told {
            Some(told) => told,
            None => {
                let mut text = group.texts.concat();
                let index = std::str::from_utf8(&group.index).ok().and_then(|index| index.parse().ok()).unwrap_or(usize::MAX);
                let changed = texts.string(index, &mut text);
                group.told.insert(if changed { parts(&text, group.texts.len()) } else { group.texts.clone() })
            }
        };
        if told[part] == group.texts[part] {
            return Ok(false);
        }
        let Some(range) = word_range(&command.text, 2) else { return Ok(false) };
        command.text.splice(range, told[part].iter().map(|&byte| if byte == b'"' { b'\'' } else { byte }));
        let (length, before) = (told.iter().map(Vec::len).sum::<usize>(), group.texts.iter().map(Vec::len).sum());
        if command.text.len() > COMMAND_BYTES || (length > CONFIGSTRING_BYTES && length > before) {
            return Err(Error::unsupported(format!("a configstring of {length} bytes does not fit into the commands that carry it: use shorter text")));
        }
        Ok(true)
    }
}

/// `text` in `count` parts.
fn parts(text: &[u8], count: usize) -> Vec<Vec<u8>> {
    let size = text.len().div_ceil(count).max(1);
    let mut parts: Vec<Vec<u8>> = text.chunks(size).map(<[u8]>::to_vec).collect();
    parts.resize(count, Vec::new());
    parts
}

/// Calls `hook` for every message, as a tree.
pub(super) fn map_messages(recording: &Recording<'_>, hook: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
    map(recording, &mut Mapping { dialect: recording.dialect(), hook })
}

struct Mapping<'h> {
    dialect: &'static Dialect,
    hook: &'h mut dyn FnMut(Place, &mut Message) -> Fate,
}

impl MessageMapper for Mapping<'_> {
    fn message(&mut self, place: Place, message: &mut Message) -> Result<Change, Error> {
        let before = message.clone();
        Ok(match (self.hook)(place, message) {
            Fate::Drop => {
                *message = before;
                Change::Dropped
            }
            Fate::Keep if *message == before => Change::None,
            Fate::Keep => {
                let said = message.write_anew(self.dialect);
                let mut again = Message::default();
                again
                    .read(&said, self.dialect)
                    .map_err(|error| Error::misuse(format!("message {} cannot be written as it was changed: {error}", place.message)))?;
                Change::Changed
            }
        })
    }
}
