//! The direction that notes what may stand where, and says it as JSON Schema.

use std::collections::BTreeSet;

use crate::wire::{Error, Vocabulary};
use serde_json::{Map, Value, json};

use crate::textform::{Flags, Form, Names};

type Done = Result<(), Error>;

/// Runs forms as a reader of every possible text would, as far as trying goes, and notes what they ask for.
///
/// Of forms whose path depends on what they read, as many paths are tried as [`collect`](Schema::collect) makes rounds.
#[derive(Debug)]
pub struct Schema {
    nodes: Vec<Node>,
    /// The place of the value that comes next.
    here: usize,
    objects: Vec<usize>,
    lists: Vec<usize>,
    round: u32,
    random: u32,
    /// Values that may still be asked for in this round and variant.
    fuel: u32,
}

#[derive(Debug, Clone, Default)]
struct Node {
    int: Option<(i64, i64)>,
    number: Option<(f64, f64)>,
    /// A float of 32 bits: any number, or bits as text.
    float: bool,
    /// Units as text, next to a number of steps.
    units: bool,
    boolean: bool,
    null: bool,
    text: bool,
    hex: bool,
    words: BTreeSet<String>,
    object: Option<Object>,
    variant: Vec<(String, usize)>,
    list: Option<usize>,
    /// The length of a list that always has the same.
    exactly: Option<usize>,
}

#[derive(Debug, Clone, Default)]
struct Object {
    visits: u32,
    /// Name, place of the value, and how often it was indispensable.
    members: Vec<(String, usize, u32)>,
    /// The place of the values of all members whose keys are numbers.
    numbered: Option<usize>,
}

const FUEL: u32 = 4000;

impl Schema {
    /// What `form` may hold, as a JSON Schema. It is run `rounds` times, with different answers to what it asks.
    pub fn collect(rounds: u32, mut form: impl FnMut(&mut Schema) -> Result<(), Error>) -> Value {
        let mut schema = Schema { nodes: vec![Node::default()], here: 0, objects: Vec::new(), lists: Vec::new(), round: 0, random: 0x9e37_79b9, fuel: FUEL };
        for round in 0..rounds {
            schema.round = round;
            schema.fuel = FUEL;
            schema.here = 0;
            schema.objects.clear();
            schema.lists.clear();
            // where a round runs into a rule it has noted what led there
            let _ = form(&mut schema);
        }
        schema.render(0)
    }

    fn burn(&mut self) -> Done {
        self.fuel = self.fuel.checked_sub(1).ok_or_else(|| Error::limit("enough was tried"))?;
        Ok(())
    }

    /// An answer: nothing, everything, then anything.
    fn answer(&mut self, from: i64, to: i64) -> i64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        match self.round {
            0 => 0.clamp(from, to),
            1 => to,
            round if round % 3 == 0 && to > 3 => from.max(0) + i64::from(self.random % 4),
            round if round % 3 == 1 && to > 7 && from <= 0 => (1i64 << (self.random % 32)).min(to),
            _ => (i128::from(from) + i128::from(self.random) % (i128::from(to) - i128::from(from) + 1)) as i64,
        }
    }

    fn node(&mut self) -> &mut Node {
        &mut self.nodes[self.here]
    }

    fn add(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn member(&mut self, name: &str, indispensable: bool) {
        let Some(&place) = self.objects.last() else { return };
        let fresh = self.nodes.len();
        let object = self.nodes[place].object.get_or_insert_default();
        self.here = match object.members.iter_mut().find(|(key, ..)| key == name) {
            Some((_, value, count)) => {
                *count += u32::from(indispensable);
                *value
            }
            None => {
                object.members.push((name.to_owned(), fresh, u32::from(indispensable)));
                self.add()
            }
        };
    }

    fn element(&mut self, place: usize) -> usize {
        match self.nodes[place].list {
            Some(element) => element,
            None => {
                let element = self.add();
                self.nodes[place].list = Some(element);
                element
            }
        }
    }

    /// [`Form::object`]. Compiled once, not for each of hundreds of closures.
    fn any_object(&mut self, members: &mut dyn FnMut(&mut Self) -> Done) -> Done {
        self.open_object()?;
        let depth = self.objects.len();
        let result = members(self);
        self.objects.truncate(depth - 1);
        result
    }

    /// [`Form::tuple`], likewise.
    fn any_tuple(&mut self, count: usize, each: &mut dyn FnMut(&mut Self, usize) -> Done) -> Done {
        let place = self.here;
        let same = self.nodes[place].list.is_none() || self.nodes[place].exactly == Some(count);
        self.nodes[place].exactly = same.then_some(count);
        let element = self.element(place);
        for at in 0..count {
            self.here = element;
            each(self, at)?;
        }
        Ok(())
    }

    fn render(&self, place: usize) -> Value {
        let node = &self.nodes[place];
        let mut choices = Vec::new();
        if let Some((from, to)) = node.int {
            choices.push(json!({"type": "integer", "minimum": from, "maximum": to}));
        }
        if let Some((from, to)) = node.number {
            choices.push(json!({"type": "number", "minimum": from, "maximum": to}));
        }
        if node.float {
            choices.push(json!({"type": "number"}));
            choices.push(json!({"type": "string", "pattern": "^0x[0-9a-f]{8}$"}));
        }
        if node.units {
            choices.push(json!({"type": "string", "pattern": "^-?[0-9]+(\\.[0-9]+)?$"}));
        }
        if node.boolean {
            choices.push(json!({"type": "boolean"}));
        }
        if node.null {
            choices.push(json!({"type": "null"}));
        }
        if node.text {
            choices.push(json!({"type": "string"}));
        } else if node.hex {
            choices.push(json!({"type": "string", "pattern": "^([0-9a-fA-F]{2})*$"}));
        }
        if !node.words.is_empty() {
            choices.push(json!({"enum": node.words}));
        }
        if let Some(object) = &node.object {
            let properties: Map<String, Value> = object.members.iter().map(|(name, value, _)| (name.clone(), self.render(*value))).collect();
            let required: Vec<&str> = object.members.iter().filter(|(_, _, count)| *count >= object.visits).map(|(name, ..)| name.as_str()).collect();
            let mut described = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
            if let Some(value) = object.numbered {
                described["patternProperties"] = json!({"^(0|[1-9][0-9]*)$": self.render(value)});
            }
            choices.push(described);
        }
        if !node.variant.is_empty() {
            let properties: Map<String, Value> = node.variant.iter().map(|(name, value)| (name.clone(), self.render(*value))).collect();
            choices.push(json!({"type": "object", "properties": properties, "minProperties": 1, "maxProperties": 1, "additionalProperties": false}));
        }
        if let Some(element) = node.list {
            let mut list = json!({"type": "array", "items": self.render(element)});
            if let Some(count) = node.exactly {
                list["minItems"] = count.into();
                list["maxItems"] = count.into();
            }
            choices.push(list);
        }
        match choices.len() {
            1 => choices.remove(0),
            0 => json!(true),
            _ => json!({"anyOf": choices}),
        }
    }
}

impl Form for Schema {
    type Error = Error;
    const READING: bool = true;

    fn int(&mut self, _: i64, from: i64, to: i64) -> Result<i64, Error> {
        self.burn()?;
        let node = self.node();
        let (low, high) = node.int.unwrap_or((from, to));
        node.int = Some((low.min(from), high.max(to)));
        Ok(self.answer(from, to))
    }

    fn float(&mut self, _: f32) -> Result<f32, Error> {
        self.burn()?;
        self.node().float = true;
        Ok(0.0)
    }

    fn scaled(&mut self, _: i64, unit: f64, from: i64, to: i64) -> Result<i64, Error> {
        self.burn()?;
        let node = self.node();
        let (from_value, to_value) = (from as f64 * unit, to as f64 * unit);
        let (low, high) = node.number.unwrap_or((from_value, to_value));
        node.number = Some((low.min(from_value), high.max(to_value)));
        Ok(self.answer(from, to))
    }

    fn steps(&mut self, _: i64, _: f64, from: i64, to: i64) -> Result<i64, Error> {
        self.node().units = true;
        self.int(0, from, to)
    }

    fn boolean(&mut self, _: bool) -> Result<bool, Error> {
        self.burn()?;
        self.node().boolean = true;
        Ok(self.answer(0, 1) != 0)
    }

    fn text(&mut self, text: &mut Vec<u8>) -> Done {
        self.burn()?;
        self.node().text = true;
        text.clear();
        Ok(())
    }

    fn hex(&mut self, bytes: &mut Vec<u8>) -> Done {
        self.burn()?;
        self.node().hex = true;
        // a reader's bytes have the stated length, which is not known here
        bytes.clear();
        Ok(())
    }

    fn word(&mut self, _: u32, to: u32, names: &dyn Vocabulary) -> Result<u32, Error> {
        const MOST: u32 = 4096;
        let words: Vec<String> = (0..=to.min(MOST)).filter_map(|number| names.name(number).map(str::to_owned)).collect();
        self.node().words.extend(words);
        self.int(0, 0, i64::from(to)).map(|value| value as u32)
    }

    fn flags(&mut self, _: u32, to: u32, names: Flags) -> Result<u32, Error> {
        let place = self.here;
        for place in [self.element(place), place] {
            self.here = place;
            self.node().words.extend(names.0.iter().filter(|(bit, _)| *bit <= to).map(|(_, name)| (*name).to_owned()));
            self.int(0, 0, i64::from(to))?;
        }
        Ok(self.answer(0, i64::from(to)) as u32)
    }

    fn null(&mut self, _: bool) -> Result<bool, Error> {
        self.node().null = true;
        Ok(false)
    }

    fn object(&mut self, mut members: impl FnMut(&mut Self) -> Done) -> Done {
        self.any_object(&mut members)
    }

    fn key(&mut self, name: &'static str, _: bool) -> Result<bool, Error> {
        self.member(name, false);
        Ok(true)
    }

    fn require(&mut self, name: &'static str) -> Done {
        self.member(name, true);
        Ok(())
    }

    fn members(&mut self, names: &Names, _: impl Iterator<Item = usize>, mut each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        for (at, name) in names.iter() {
            self.member(name, false);
            each(self, at)?;
        }
        Ok(())
    }

    fn numbered(&mut self, below: usize, _: impl Iterator<Item = usize>, mut each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        let Some(&place) = self.objects.last() else { return Ok(()) };
        let known = self.nodes[place].object.as_ref().and_then(|object| object.numbered);
        let value = known.unwrap_or_else(|| self.add());
        self.nodes[place].object.get_or_insert_default().numbered = Some(value);
        self.here = value;
        let number = self.answer(0, below as i64 - 1) as usize;
        each(self, number)
    }

    fn variant(&mut self, names: &Names, _: usize, mut body: impl FnMut(&mut Self, usize) -> Done) -> Done {
        let place = self.here;
        for (at, name) in names.iter() {
            let known = self.nodes[place].variant.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
            self.here = match known {
                Some(value) => value,
                None => {
                    let value = self.add();
                    self.nodes[place].variant.push((name.to_owned(), value));
                    value
                }
            };
            let (fuel, depth, lists) = (std::mem::replace(&mut self.fuel, FUEL), self.objects.len(), self.lists.len());
            // one that runs into a rule must not keep the others from being tried
            let _ = body(self, at);
            self.objects.truncate(depth);
            self.lists.truncate(lists);
            self.fuel = fuel;
        }
        Ok(())
    }

    fn items(&mut self, _: usize, mut each: impl FnMut(&mut Self, usize) -> Done) -> Result<usize, Error> {
        self.here = self.element(self.here);
        each(self, 0)?;
        Ok(1)
    }

    fn tuple(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        self.any_tuple(count, &mut each)
    }

    fn expect(&mut self, ok: bool, rule: &'static str) -> Done {
        if ok { Ok(()) } else { Err(Error::malformed(rule)) }
    }

    fn insist(&mut self, _: bool, _: &'static str) -> Done {
        Ok(())
    }

    fn open_object(&mut self) -> Done {
        let place = self.here;
        self.nodes[place].object.get_or_insert_default().visits += 1;
        self.objects.push(place);
        Ok(())
    }

    fn close_object(&mut self) -> Done {
        self.objects.pop();
        Ok(())
    }

    fn open_list(&mut self, must: bool) -> Result<bool, Error> {
        if must {
            self.lists.push(self.here);
        }
        Ok(must)
    }

    fn next_item(&mut self) -> Done {
        self.burn()?;
        let Some(&place) = self.lists.last() else { return Ok(()) };
        self.here = self.element(place);
        Ok(())
    }

    fn close_list(&mut self) -> Done {
        self.lists.pop();
        Ok(())
    }
}
