//! An event by its kind and number.

use std::str::FromStr;

use fragreel::Error;
use fragreel::model::{Kind, Kinds, Milliseconds};

use crate::asked::Held;
use crate::failure::Failure;

/// The n-th event of a kind, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Around {
    kind: Option<Kind>,
    number: usize,
}

/// Stands for all kinds.
const ANY: &str = "event";

impl FromStr for Around {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text.split_once(':').ok_or("write a kind and a number, such as kill:3")?;
        let number = number.parse().ok().filter(|&number| number > 0).ok_or("events count from 1")?;
        let kind = Kind::ALL.iter().copied().find(|kind| kind.name() == name);
        if kind.is_none() && name != ANY {
            let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            return Err(format!("the kinds are {ANY} (any), {}", all.join(", ")));
        }
        Ok(Around { kind, number })
    }
}

impl Around {
    /// When it happened, since the recording's first frame.
    pub fn find(&self, recording: Held<'_>, broken_off: &dyn Fn(Error) -> Failure) -> Result<Milliseconds, Failure> {
        let kinds = self.kind.map_or(Kinds::ALL, |kind| [kind].into_iter().collect());
        let (mut count, mut found) = (0, None);
        let mut events = recording.events(kinds);
        for event in events.by_ref() {
            count += 1;
            if count == self.number {
                found = Some(event.time);
            }
        }
        if let Some(error) = events.failure() {
            return Err(broken_off(error.clone()));
        }
        found.ok_or_else(|| {
            let name = self.kind.map_or(ANY, Kind::name);
            Failure::new(format!("the recording has no {name} {}", self.number)).help(format!("There are {count}; `fragreel events` lists them."))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_numbers_are_read() {
        assert_eq!("kill:3".parse(), Ok(Around { kind: Some(Kind::Kill), number: 3 }));
        assert_eq!("event:1".parse(), Ok(Around { kind: None, number: 1 }));
        for wrong in ["kill", "kill:0", "kill:x", "frag:1", ""] {
            assert!(wrong.parse::<Around>().is_err(), "{wrong}");
        }
    }
}
