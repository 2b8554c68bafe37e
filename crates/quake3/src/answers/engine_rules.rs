//! Rules of messages that engines stop at although every value can be read (`docs/formats/quake3.md`, "What engines refuse").

use std::collections::BTreeMap;

use fragreel_model::{Damage, DamageKind};

use crate::container::Frame;
use crate::dialect::{Dialect, LONGEST_MESSAGE};
use crate::limits::{COMMAND_BYTES, CONFIGSTRING_BYTES, GAMESTATE_BYTES, gamestate_bytes, strings, unused_bytes};
use crate::message::{Message, Operation, Snapshot};
use crate::walk::container_damage;

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    MessageLength,
    GamestateSize,
    GamestateUnused,
    CommandLength,
    ConfigstringLength,
    Download,
    Nothing,
    Both,
    TwoSnapshots,
    Order,
}

/// Where a rule is broken first, and how often.
struct Broken {
    first: Damage,
    count: u64,
}

/// Counts what breaks rules.
#[derive(Default)]
pub(super) struct EngineRules {
    broken: BTreeMap<Rule, Broken>,
}

impl EngineRules {
    /// Looks at a message that could be read to its end.
    pub(super) fn take(&mut self, frame: &Frame, message: &Message, dialect: &Dialect) {
        let mut add = |rule: Rule, number: usize| {
            let first = || {
                let detail = sentence(rule, number);
                Damage { path: format!("message {}", frame.number), detail, ..container_damage(DamageKind::Compatibility, frame.offset, "") }
            };
            self.broken.entry(rule).or_insert_with(|| Broken { first: first(), count: 0 }).count += 1;
        };
        if frame.length as usize > dialect.longest_message {
            add(Rule::MessageLength, frame.length as usize);
        }
        let (mut gamestates, mut snapshots) = (0, 0);
        for operation in &message.operations {
            match operation {
                Operation::Gamestate(gamestate) => {
                    gamestates += 1;
                    let size = gamestate_bytes(gamestate);
                    if size > GAMESTATE_BYTES {
                        let needed = size - unused_bytes(gamestate);
                        add(if needed > GAMESTATE_BYTES { Rule::GamestateSize } else { Rule::GamestateUnused }, size);
                    }
                    strings(gamestate).filter(|text| text.len() > CONFIGSTRING_BYTES).for_each(|text| add(Rule::ConfigstringLength, text.len()));
                }
                Operation::Snapshot(snapshot) => {
                    snapshots += 1;
                    if !rises(snapshot) {
                        add(Rule::Order, 0);
                    }
                }
                Operation::ServerCommand(command) if command.text.len() > COMMAND_BYTES => add(Rule::CommandLength, command.text.len()),
                Operation::Download(_) => add(Rule::Download, 0),
                _ => {}
            }
        }
        match (gamestates, snapshots) {
            (0, 0) => add(Rule::Nothing, 0),
            (1.., 1..) => add(Rule::Both, 0),
            (0, 2..) => add(Rule::TwoSnapshots, snapshots),
            _ => {}
        }
    }

    /// A remark for each rule that is broken.
    pub(super) fn notes(self) -> impl Iterator<Item = Damage> {
        self.broken.into_values().map(|Broken { mut first, count }| {
            if count > 1 {
                first.detail = format!("{}; so are {} more", first.detail, count - 1);
            }
            first
        })
    }
}

fn rises(snapshot: &Snapshot) -> bool {
    snapshot.entities.windows(2).all(|pair| pair[0].number < pair[1].number)
}

fn sentence(rule: Rule, number: usize) -> String {
    match rule {
        Rule::MessageLength => {
            format!("the message has {number} bytes: engines read at most {LONGEST_MESSAGE} (Quake III 1.32, ioquake3), and end playback here")
        }
        Rule::GamestateSize => format!(
            "the strings of the gamestate take {number} bytes: engines hold {GAMESTATE_BYTES} (Quake III 1.32, ioquake3), and end playback with \
             `MAX_GAMESTATE_CHARS exceeded`; the level needs them all, so there is no repair"
        ),
        Rule::GamestateUnused => format!(
            "the strings of the gamestate take {number} bytes: engines hold {GAMESTATE_BYTES} (Quake III 1.32, ioquake3), and end playback with \
             `MAX_GAMESTATE_CHARS exceeded`; without those that are empty or replaced it is short enough"
        ),
        Rule::CommandLength => {
            format!("a server command has {number} bytes: Quake III 1.32 reads {COMMAND_BYTES}, and ends playback with `Illegible server message`")
        }
        Rule::ConfigstringLength => {
            format!("a configstring has {number} bytes: Quake III 1.32 reads {CONFIGSTRING_BYTES}, and ends playback with `Illegible server message`")
        }
        Rule::Download => String::from("a piece of a file: ioquake3 did not request it, and takes its bytes for messages"),
        Rule::Nothing => String::from("the message has neither gamestate nor snapshot: no stock client records that, and engines play on"),
        Rule::Both => String::from("the message holds a gamestate and a snapshot: no stock server sends that"),
        Rule::TwoSnapshots => format!("the message holds {number} snapshots: engines play on, and show the last one only"),
        Rule::Order => String::from(
            "the entities of a snapshot are not in the order of their numbers: no server sends that, and engines merge them wrongly with those before",
        ),
    }
}
