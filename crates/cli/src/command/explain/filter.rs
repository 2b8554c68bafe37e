//! Which fields are shown.

use std::collections::HashMap;
use std::str::FromStr;

use fragreel::Recording;
use fragreel::edit::Pattern;
use fragreel::model::{Explained, Fields, Frame, FrameOptions, Part, Selection};

use crate::command::{Clock, Times};
use crate::failure::Failure;

/// Options that choose messages and fields.
#[derive(clap::Args)]
pub struct Filter {
    /// Only the messages from one number to another, such as 100..200; 100.. and
    /// ..200 stand for all after and before
    #[arg(long, value_name = "A..B", conflicts_with_all = ["message", "at"])]
    messages: Option<Numbers>,

    #[command(flatten)]
    times: Times,

    /// The clock that --from and --to are on
    #[arg(long, value_enum, default_value_t = Clock::Demo)]
    clock: Clock,

    /// Only messages of these kinds, separated by commas, as paths name them: snapshot,
    /// serverCommand, svc_print, ...
    #[arg(long, alias = "kind", value_name = "KIND", value_delimiter = ',')]
    kinds: Vec<String>,

    #[command(flatten)]
    which: Which,
}

/// Options that choose fields.
#[derive(clap::Args)]
pub struct Which {
    /// Only updates of the entity with this number
    #[arg(long, value_name = "N")]
    pub entity: Option<u32>,

    /// Only fields with these names, separated by commas, with `*` and `?` as wildcards
    #[arg(long = "fields", alias = "field", value_name = "NAME", value_delimiter = ',')]
    field: Vec<String>,

    /// Only fields whose value differs from the last one sent
    #[arg(long)]
    changed: bool,
}

impl Which {
    /// Whether fields are left out.
    pub fn chooses(&self) -> bool {
        self.entity.is_some() || !self.field.is_empty() || self.changed
    }

    /// What leaves fields out, of messages of some kinds.
    pub fn sieve(&self, kinds: &[String]) -> Sieve {
        let kinds = kinds.iter().map(|kind| Pattern::new(kind)).collect();
        let fields = self.field.iter().map(|field| Pattern::new(field)).collect();
        let entity = self.entity.map(|number| [format!("entity {number}"), format!("baseline {number}")]);
        Sieve { entity, kinds, fields, changed: self.changed.then(HashMap::new) }
    }
}

/// Numbers of messages, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers(u32, u32);

impl Numbers {
    /// The first and the last.
    pub fn ends(self) -> (u32, u32) {
        (self.0, self.1)
    }

    /// Whether a number is among them.
    pub fn hold(self, number: u32) -> bool {
        (self.0..=self.1).contains(&number)
    }
}

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || String::from("write two numbers, such as 100..200, 100.. or ..200");
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str, absent: u32| if text.is_empty() { Ok(absent) } else { text.parse().map_err(|_| wrong()) };
        let numbers = Numbers(number(from, 0)?, number(to, u32::MAX)?);
        if numbers.0 > numbers.1 { Err(String::from("the first number must be the smaller one")) } else { Ok(numbers) }
    }
}

impl Filter {
    /// Whether fields are left out.
    pub fn chooses_fields(&self) -> bool {
        self.which.chooses() || !self.kinds.is_empty()
    }

    /// The messages that are meant; nothing where none is.
    pub fn selection(&self, recording: &Recording) -> Result<Option<Selection>, Failure> {
        self.times.must_make_sense()?;
        let Numbers(mut from, mut to) = self.messages.unwrap_or(Numbers(0, u32::MAX));
        if !self.times.are_all() {
            let clock = match self.clock {
                Clock::Demo => fragreel::edit::Clock::Demo,
                Clock::Server => fragreel::edit::Clock::Server,
                Clock::Match => fragreel::edit::Clock::Match,
            };
            let times = self.times.of(recording, self.clock)?;
            let options = FrameOptions { clock, from: times.from, to: times.to, ..FrameOptions::default().fields(Fields::NONE).players_only() };
            let mut frames = recording
                .frames(options)
                .map_err(|error| Failure::new("messages cannot be found by time").because(error).help("Select messages by number with --messages."))?;
            let mut frame = Frame::default();
            if !frames.next_into(&mut frame) {
                return Ok(None);
            }
            let first = frame.message;
            while frames.next_into(&mut frame) {}
            (from, to) = (from.max(first), to.min(frame.message));
        }
        Ok((from <= to).then_some(Selection::Within { from, to, entity: self.which.entity }))
    }

    /// What leaves fields out.
    pub fn sieve(&self) -> Sieve {
        self.which.sieve(&self.kinds)
    }
}

/// What holds a field, and what it is called.
type Name = (String, &'static str);

/// Leaves fields out of messages.
pub struct Sieve {
    entity: Option<[String; 2]>,
    kinds: Vec<Pattern>,
    fields: Vec<Pattern>,
    /// What each field was when it was sent last.
    changed: Option<HashMap<Name, (String, String)>>,
}

/// Fields that say how others are sent.
const OF_CODING: [&str; 3] = ["unchanged fields", "field count", "mask"];

impl Sieve {
    /// Leaves out what is not asked for.
    pub fn pass(&mut self, message: &mut Explained) {
        message.parts.retain(|part| wanted(&self.entity, &self.kinds, &self.fields, part));
        let Some(before) = &mut self.changed else { return };
        message.parts.retain(|part| {
            if OF_CODING.contains(&part.field) {
                return false;
            }
            let now = (part.raw.clone(), part.meaning.clone());
            before.insert((part.path.clone(), part.field), now.clone()) != Some(now)
        });
    }
}

fn wanted(entity: &Option<[String; 2]>, kinds: &[Pattern], fields: &[Pattern], part: &Part) -> bool {
    let mut path = part.path.split(" › ");
    // What a message begins with stands outside of its path, and names it.
    let kind = match path.clone().next().unwrap_or_default() {
        "" => part.meaning.as_str(),
        first => first.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end(),
    };
    let last = part.path.rsplit(" › ").next().unwrap_or_default();
    (kinds.is_empty() || kinds.iter().any(|known| known.matches(kind)))
        && (fields.is_empty() || fields.iter().any(|known| known.matches(part.field) || known.matches(last)))
        && entity.as_ref().is_none_or(|entity| path.any(|step| entity.iter().any(|known| known == step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        for (text, expected) in [("100..200", Some((100, 200))), ("5..", Some((5, u32::MAX))), ("..7", Some((0, 7))), ("..", Some((0, u32::MAX)))] {
            assert_eq!(text.parse::<Numbers>().ok().map(|numbers| (numbers.0, numbers.1)), expected, "{text}");
        }
        for wrong in ["5", "7..5", "a..b", "-1..2"] {
            assert!(wrong.parse::<Numbers>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn fields_are_chosen_by_kind_name_and_change() {
        let part = |path: &str, field: &'static str, raw: u32| Part {
            path: path.into(),
            field,
            from_bit: 0,
            to_bit: 1,
            raw: raw.to_string(),
            meaning: raw.to_string(),
        };
        let message = || Explained {
            message: 0,
            offset: 0,
            data_offset: 0,
            length: 0,
            heading: String::new(),
            parts: vec![
                part("snapshot", "serverTime", 1),
                part("snapshot › entity 43", "origin[0]", 2),
                part("snapshot › entity 430", "origin[0]", 3),
                part("baseline 43", "number", 4),
                part("svc_print", "text", 5),
                part("snapshot › player › ammo", "element", 6),
            ],
            error: None,
        };
        let left = |sieve: &mut Sieve| {
            let mut message = message();
            sieve.pass(&mut message);
            message.parts.iter().filter_map(|part| part.raw.parse().ok()).collect::<Vec<u32>>()
        };
        let none = || Sieve { entity: None, kinds: Vec::new(), fields: Vec::new(), changed: None };
        assert_eq!(left(&mut Sieve { entity: Some(["entity 43".into(), "baseline 43".into()]), ..none() }), [2, 4]);
        assert_eq!(left(&mut Sieve { kinds: vec![Pattern::new("snapshot"), Pattern::new("baseline")], ..none() }), [1, 2, 3, 4, 6]);
        assert_eq!(left(&mut Sieve { fields: vec![Pattern::new("origin*"), Pattern::new("ammo")], ..none() }), [2, 3, 6]);
        let mut changed = Sieve { changed: Some(HashMap::new()), ..none() };
        assert_eq!((left(&mut changed).len(), left(&mut changed).len()), (6, 0));
    }
}
