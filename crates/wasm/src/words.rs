//! Names, teams, weapons and other things that many rows share, by number.

use std::collections::HashMap;

use serde::Serialize;

use crate::layout::NONE;

/// A list of JSON values, each once.
#[derive(Debug, Default)]
pub struct Words {
    /// Those that were not taken yet, with commas between them.
    list: String,
    numbers: HashMap<String, i32>,
}

impl Words {
    /// The number of a thing.
    pub fn number<T: Serialize + ?Sized>(&mut self, thing: &T) -> i32 {
        let Ok(word) = serde_json::to_string(thing) else { return NONE };
        if let Some(&number) = self.numbers.get(&word) {
            return number;
        }
        if !self.list.is_empty() {
            self.list.push(',');
        }
        self.list.push_str(&word);
        let number = self.numbers.len() as i32;
        self.numbers.insert(word, number);
        number
    }

    /// Those since the last time as a JSON array.
    pub fn take(&mut self) -> String {
        format!("[{}]", std::mem::take(&mut self.list))
    }
}

/// What a subject was called last, so that the same is not looked up again.
#[derive(Debug)]
pub struct Last<T> {
    thing: Option<T>,
    number: i32,
}

impl<T> Default for Last<T> {
    fn default() -> Self {
        Self { thing: None, number: NONE }
    }
}

impl<T: Clone + PartialEq + Serialize> Last<T> {
    /// The number of a thing that is seldom another one than last time.
    pub fn number(&mut self, thing: Option<&T>, words: &mut Words) -> i32 {
        if self.thing.as_ref() != thing {
            self.number = thing.map_or(NONE, |thing| words.number(thing));
            self.thing = thing.cloned();
        }
        self.number
    }
}

impl<T: Clone + PartialEq + Serialize> Last<Vec<T>> {
    /// The same for a list, which is nothing when it is empty.
    pub fn of_list(&mut self, list: &Vec<T>, words: &mut Words) -> i32 {
        self.number((!list.is_empty()).then_some(list), words)
    }
}
