//! The meaning of the fields that `explain` shows: names, boxes, and what strings say.

use fragreel_base::wire::Vocabulary as _;
use fragreel_model::Part;

use crate::dialect::Dialect;
use crate::fields::array;
use crate::game::Game;
use crate::message::{Message, Operation};
use crate::state::State;
use crate::strings::clean;
use crate::text::vocabulary::{SNAPSHOT_FLAGS, Vocabulary, string_name};

/// `solid` of an entity whose model is a part of the map.
const INLINE_MODEL: u32 = 0xff_ffff;

/// The strings and the game of a level, which name its numbers.
pub(crate) struct Names {
    state: State,
    game: Game,
    words: Vocabulary,
}

impl Names {
    pub(crate) fn new(dialect: &'static Dialect) -> Self {
        let state = State::new(dialect);
        let game = Game::of_state(&state);
        Names { words: Vocabulary::new(dialect, &game), state, game }
    }

    /// The names in a state.
    pub(crate) fn of(state: &State) -> (Game, Vocabulary) {
        let game = Game::of_state(state);
        (game, Vocabulary::new(state.dialect(), &game))
    }

    /// Takes in what a message says.
    pub(super) fn learn(&mut self, sequence: i32, message: &Message) {
        for operation in &message.operations {
            match operation {
                Operation::Gamestate(_) => {
                    self.state.apply(sequence, operation);
                    (self.game, self.words) = Self::of(&self.state);
                }
                Operation::ServerCommand(_) => drop(self.state.apply(sequence, operation)),
                _ => {}
            }
        }
    }

    /// Replaces numbers by what they mean.
    pub(super) fn interpret(&self, parts: &mut [Part]) {
        for part in parts {
            if let Some(meaning) = self.of_part(part) {
                part.meaning = meaning;
            }
        }
    }

    fn of_part(&self, part: &Part) -> Option<String> {
        let holder = part.path.rsplit(" › ").next().unwrap_or_default();
        if part.field == "element" {
            return self.slot(holder, &part.meaning);
        }
        if part.field == "area mask" {
            return Some(format!("{} hides areas {}", part.meaning, members(&part.meaning)));
        }
        let number: i64 = part.meaning.parse().ok()?;
        let word = number as u32;
        Some(match part.field {
            "snapFlags" => SNAPSHOT_FLAGS.show(word),
            "solid" => solid_box(word),
            "index" if holder == "configstring" => format!("{number} {}", string_name(&self.game, word as usize)?),
            "modelindex" | "modelindex2" => self.listed(2 * FILES, word)?,
            "loopSound" => self.listed(FILES, word)?,
            "powerups" => bits(&self.words, word),
            field => match (self.words.flags(field), self.words.names(field)) {
                (Some(flags), _) => flags.show(word),
                (None, Some(names)) => names.show(word),
                (None, None) => return None,
            },
        })
    }

    /// A number with the name that the strings so far before the players' have for it.
    fn listed(&self, before: usize, number: u32) -> Option<String> {
        let from = self.game.strings.players.checked_sub(before)?;
        let name = self.state.string(from + number as usize);
        (number > 0 && number < FILES as u32 && !name.is_empty()).then(|| format!("{number} {:?}", clean(name)))
    }

    /// `[1] = 87` of an array with the slot's name.
    fn slot(&self, array: &str, meaning: &str) -> Option<String> {
        let (slot, value) = meaning.strip_prefix('[')?.split_once("] = ")?;
        Some(format!("{} = {value}", self.words.slots[self.words.dialect.array(array)?.at].get(slot.parse().ok()?)?))
    }
}

/// Models of a level; sounds, too.
const FILES: usize = 256;

/// The power-ups that an entity shows, by the names of their slots.
fn bits(words: &Vocabulary, word: u32) -> String {
    let names = (0..16).filter(|slot| word >> slot & 1 != 0).filter_map(|slot| words.slots[array::POWERUPS].get(slot));
    let shown = names.collect::<Vec<_>>().join(" ");
    if shown.is_empty() { word.to_string() } else { shown }
}

/// The box that `solid` packs: half its width, how far it reaches down and up.
pub(crate) fn solid_box(solid: u32) -> String {
    match solid {
        0 => String::from("not solid"),
        INLINE_MODEL => String::from("part of the map"),
        _ => {
            let (width, down, up) = (solid & 0xff, solid >> 8 & 0xff, i64::from(solid >> 16 & 0xff) - 32);
            format!("box -{width} -{width} -{down} to {width} {width} {up}")
        }
    }
}

/// The numbers of the bits that are set in a mask of hexadecimal digits.
fn members(digits: &str) -> String {
    let byte = |at: usize| digits.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()).unwrap_or(0);
    let set = (0..digits.len() * 4).filter(|bit| byte(bit / 8) >> (bit % 8) & 1 != 0).map(|bit| bit.to_string());
    set.collect::<Vec<_>>().join(" ")
}
