//! Random edits.

use std::hash::{DefaultHasher, Hash, Hasher};

use fragreel_base::wire::Error;
use fragreel_model::{Clock, Edited, Fate, Milliseconds, Place, Range, Rewrite, Role, Split, Target};

use super::limits;
use crate::Recording;
use crate::edit::{Chat, Same, Scrub};

/// Whatever the bytes are, they are edited or refused; and what was whole stays whole, with its frames as they were where the
/// edit had no business with them. The first four bytes choose the edit.
pub fn edit(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first_chunk::<4>() else { return };
    let Ok(recording) = Recording::open_with_limits(bytes.to_vec(), "", limits()) else { return };
    let edit = Edit::of(*choice);
    let Ok(results) = edit.apply(&recording) else { return };
    let whole = recording.verify().is_whole();
    for edited in &results {
        let same = if edit.keeps_states() { Same::Strings } else { Same::States };
        let checked = recording.check_edited(edited, same);
        if !whole {
            continue;
        }
        let checked = checked.unwrap_or_else(|error| panic!("{edit:?}: {error}"));
        assert!(checked.verification.is_whole(), "{edit:?}: {:?} {:?}", checked.verification.damage, checked.verification.first_difference);
        if edit.keeps_states() {
            assert_eq!(checked.comparison.differing, 0, "{edit:?}: {:?}", checked.comparison.differences);
        }
        if matches!(edit, Edit::Nothing) {
            assert!(edited.bytes == *recording.bytes() && edited.actions.is_empty(), "who does nothing changes nothing");
        }
    }
}

/// An edit.
#[derive(Debug, Clone, Copy)]
enum Edit {
    Cut { from: u8, to: u8 },
    Split(Split),
    Repair,
    Convert,
    Nothing,
    Scrub { chat: bool },
    Vandal { seed: u16 },
}

impl Edit {
    fn of([kind, a, b, _]: [u8; 4]) -> Self {
        match kind % 8 {
            0 | 1 => Edit::Cut { from: a.min(b), to: a.max(b) },
            2 => Edit::Split([Split::Level, Split::Gamestate, Split::Match, Split::Size(1 + u64::from(b) * 256)][usize::from(a % 4)]),
            3 => Edit::Repair,
            4 => Edit::Convert,
            5 => Edit::Nothing,
            6 => Edit::Scrub { chat: a % 2 == 0 },
            _ => Edit::Vandal { seed: u16::from_le_bytes([a, b]) },
        }
    }

    /// Whether the frames that the result has are the source's.
    fn keeps_states(&self) -> bool {
        matches!(self, Edit::Cut { .. } | Edit::Split(_) | Edit::Repair | Edit::Nothing)
    }

    fn apply(&self, recording: &Recording) -> Result<Vec<Edited>, Error> {
        let edited = match *self {
            Edit::Cut { from, to } => {
                let length = recording.info().duration.unwrap_or_default().0;
                let at = |part: u8| Milliseconds((i128::from(length) * i128::from(part) / 255) as i64);
                recording.cut(Range { clock: Clock::Demo, from: at(from), to: at(to) })
            }
            Edit::Split(by) => return recording.split(by),
            Edit::Repair => recording.repair(),
            Edit::Convert => recording.convert(&Target::default()),
            Edit::Nothing => recording.rewrite(&mut Untouched),
            Edit::Scrub { chat } => recording.scrub(&Scrub::default().chat(if chat { Chat::Keep } else { Chat::Remove })),
            Edit::Vandal { seed } => recording.rewrite(&mut Vandal { seed }),
        };
        Ok(vec![edited?])
    }
}

struct Untouched;

impl Rewrite for Untouched {}

/// Drops and changes whatever a number says; the same things whenever it sees them.
struct Vandal {
    seed: u16,
}

impl Vandal {
    fn roll(&self, of: impl Hash, sides: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, of).hash(&mut hasher);
        hasher.finish() % sides
    }
}

impl Rewrite for Vandal {
    fn message(&mut self, place: Place, kind: &str) -> Fate {
        if self.roll((place.message, kind), 7) == 0 { Fate::Drop } else { Fate::Keep }
    }

    fn text(&mut self, _: Place, _: Role, text: &mut Vec<u8>) -> Fate {
        match self.roll(&text[..], 9) {
            0 => return Fate::Drop,
            1 => text.clear(),
            2 => text.make_ascii_uppercase(),
            3 => text.extend_from_slice(b" \"%\\\n\xff^1$;"),
            4 => text.extend_from_slice(&[b'x'; 300]),
            _ => {}
        }
        Fate::Keep
    }

    fn voice(&mut self, place: Place) -> Fate {
        if self.roll(place.message, 2) == 0 { Fate::Drop } else { Fate::Keep }
    }
}
