//! The reading direction.

use jiter::{Jiter, JiterError, Peek};
use wire::{Error, Vocabulary};

use crate::{Form, Names, number};

type Done = Result<(), Error>;

/// Reads one JSON value. Members are looked for in the order in which they are written, which is quick, and when that
/// fails in any order. Errors have the column, counted in bytes from 0, as their offset.
#[derive(Debug)]
pub struct Reader<'l> {
    line: &'l [u8],
    json: Jiter<'l>,
    /// Where in the line `json` begins.
    base: usize,
    scopes: Vec<Scope>,
    /// The key that was read ahead in the innermost object, and where it ends.
    key: String,
    pending: bool,
    /// A member was missing where it is usually written: worth another look, in any order.
    disorder: bool,
    /// The members of objects that are read in any order.
    members: Vec<Member>,
    /// Open lists of [`Form::open_list`]: whether an element is waiting.
    lists: Vec<ListState>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ListState {
    Fresh(Option<Peek>),
    Within,
}

#[derive(Debug, Clone, Copy)]
enum Scope {
    /// Members are asked for as they come.
    Ordered { fresh: bool, done: bool },
    /// Members are known: those from this place on. The object ends there.
    Indexed { from: usize, end: usize },
}

#[derive(Debug, Clone)]
struct Member {
    key: String,
    /// Where its value stands in the line.
    value: usize,
    asked: bool,
}

impl<'l> Reader<'l> {
    /// Reads from the start of a line.
    pub fn new(line: &'l [u8]) -> Self {
        Reader {
            line,
            json: Jiter::new(line),
            base: 0,
            scopes: Vec::new(),
            key: String::new(),
            pending: false,
            disorder: false,
            members: Vec::new(),
            lists: Vec::new(),
        }
    }

    /// Checks that nothing follows the value.
    pub fn finish(mut self) -> Done {
        let rest = self.json.finish();
        self.syntax(rest)
    }

    fn at(&self) -> usize {
        self.base + self.json.current_index()
    }

    fn jump(&mut self, to: usize) {
        self.base = to;
        self.json = Jiter::new(&self.line[to..]);
    }

    #[cold]
    fn wrong(&self, detail: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::malformed(detail).at_offset(self.at() as u64)
    }

    fn syntax<T>(&self, result: Result<T, JiterError>) -> Result<T, Error> {
        result.map_err(|error| Error::malformed(error.error_type.to_string()).at_offset((self.base + error.index) as u64))
    }

    /// Where the next value stands.
    fn start(&mut self) -> Result<usize, Error> {
        self.peek()?;
        Ok(self.at())
    }

    fn peek(&mut self) -> Result<Peek, Error> {
        let peek = self.json.peek();
        self.syntax(peek)
    }

    /// The raw characters of the number that comes next.
    fn number(&mut self, expected: impl FnOnce() -> String) -> Result<&'l [u8], Error> {
        let peek = self.peek()?;
        if !peek.is_num() {
            return Err(self.wrong(expected()));
        }
        let start = self.at();
        let read = self.json.known_number_bytes(peek).map(|_| ());
        self.syntax(read)?;
        Ok(&self.line[start..self.at()])
    }

    /// The text that comes next.
    fn string(&mut self, expected: impl FnOnce() -> String) -> Result<&str, Error> {
        if self.peek()? != Peek::String {
            return Err(self.wrong(expected()));
        }
        let base = self.base;
        self.json.known_str().map_err(|error| Error::malformed(error.error_type.to_string()).at_offset((base + error.index) as u64))
    }

    /// Reads the innermost object's next key ahead. False at its end.
    #[inline]
    fn key_ahead(&mut self) -> Result<bool, Error> {
        if self.pending {
            return Ok(true);
        }
        let Some(Scope::Ordered { fresh, done }) = self.scopes.last_mut() else { return Ok(false) };
        if *done {
            return Ok(false);
        }
        let read = if std::mem::replace(fresh, false) { self.json.next_object() } else { self.json.next_key() };
        match read {
            Ok(Some(key)) => {
                self.key.clear();
                self.key.push_str(key);
                self.pending = true;
                Ok(true)
            }
            Ok(None) => {
                *done = true;
                Ok(false)
            }
            Err(error) => Err(Error::malformed(error.error_type.to_string()).at_offset((self.base + error.index) as u64)),
        }
    }

    /// Finds all members of the object that starts here, and goes to its start.
    fn index(&mut self) -> Result<Scope, Error> {
        let from = self.members.len();
        if self.peek()? != Peek::Object {
            return Err(self.wrong("expected an object"));
        }
        let mut key = self.json.known_object().map(|key| key.map(str::to_owned));
        while let Some(found) = self.syntax(key)? {
            self.members.push(Member { key: found, value: self.at(), asked: false });
            let skipped = self.json.next_skip();
            self.syntax(skipped)?;
            key = self.json.next_key().map(|key| key.map(str::to_owned));
        }
        if let Some(twice) = repeated(&self.members[from..]) {
            return Err(Error::malformed(format!("the field `{}` stands here twice", twice.key)).at_offset(twice.value as u64));
        }
        Ok(Scope::Indexed { from, end: self.at() })
    }

    /// Leaves an indexed object behind.
    fn leave(&mut self, from: usize, end: usize) -> Done {
        let forgotten = self.members[from..].iter().find(|member| !member.asked);
        let result = match forgotten {
            Some(member) => Err(Error::malformed(format!("there is no field `{}` here", member.key)).at_offset(member.value as u64)),
            None => Ok(()),
        };
        self.members.truncate(from);
        self.jump(end);
        result
    }

    /// Goes to every member not asked for yet whose key `find` knows.
    #[inline]
    fn all(&mut self, find: impl Fn(&str) -> Option<usize>, mut each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        if let Some(&Scope::Indexed { from, .. }) = self.scopes.last() {
            let mut next = from;
            // objects inside put theirs behind and take them away again
            let end = self.members.len();
            while next < end {
                let member = &mut self.members[next];
                next += 1;
                if !member.asked
                    && let Some(at) = find(&member.key)
                {
                    member.asked = true;
                    let value = member.value;
                    self.jump(value);
                    each(self, at)?;
                }
            }
            return Ok(());
        }
        while self.key_ahead()? {
            let Some(at) = find(&self.key) else { break };
            self.pending = false;
            each(self, at)?;
        }
        Ok(())
    }

    fn ordered(&mut self, members: &mut impl FnMut(&mut Self) -> Done) -> Done {
        self.scopes.push(Scope::Ordered { fresh: true, done: false });
        members(self)?;
        if self.key_ahead()? {
            self.disorder = true;
            return Err(self.wrong(format!("there is no field `{}` here", self.key)));
        }
        Ok(())
    }
}

/// The first member whose key an earlier one has. Few members are compared one by one, which needs no memory.
fn repeated(members: &[Member]) -> Option<&Member> {
    if members.len() < 64 {
        return members.iter().enumerate().find(|(at, member)| members[..*at].iter().any(|other| other.key == member.key)).map(|(_, member)| member);
    }
    let mut seen = std::collections::HashSet::new();
    members.iter().find(|member| !seen.insert(&member.key))
}

impl Form for Reader<'_> {
    type Error = Error;
    const READING: bool = true;

    #[inline]
    fn int(&mut self, _: i64, from: i64, to: i64) -> Result<i64, Error> {
        let expected = || format!("expected a whole number from {from} to {to}");
        let start = self.start()?;
        let digits = self.number(expected)?;
        let value = number::whole(digits).filter(|value| (from..=to).contains(value));
        value.ok_or_else(|| Error::malformed(expected()).at_offset(start as u64))
    }

    #[inline]
    fn float(&mut self, _: f32) -> Result<f32, Error> {
        let expected = || String::from("expected a number, or the bits of one such as \"0x7fc00000\"");
        let start = self.start()?;
        if self.peek()? == Peek::String {
            let bits = self.string(expected)?.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
            return bits.map(f32::from_bits).ok_or_else(|| Error::malformed(expected()).at_offset(start as u64));
        }
        let digits = self.number(expected)?;
        let value = number::float(digits).filter(|value| value.is_finite());
        value.ok_or_else(|| Error::malformed("expected a number that a 32-bit float can hold").at_offset(start as u64))
    }

    #[inline]
    fn scaled(&mut self, _: i64, unit: f64, from: i64, to: i64) -> Result<i64, Error> {
        let expected = || format!("expected a number from {} to {}", from as f64 * unit, to as f64 * unit);
        let start = self.start()?;
        let digits = self.number(expected)?;
        let value = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<f64>().ok());
        let steps = value.and_then(|value| number::steps_of(value, unit)).filter(|steps| (from..=to).contains(steps));
        steps.ok_or_else(|| Error::malformed(expected()).at_offset(start as u64))
    }

    fn boolean(&mut self, _: bool) -> Result<bool, Error> {
        match self.peek()? {
            peek @ (Peek::True | Peek::False) => {
                let read = self.json.known_bool(peek);
                self.syntax(read)
            }
            _ => Err(self.wrong("expected true or false")),
        }
    }

    fn text(&mut self, text: &mut Vec<u8>) -> Done {
        let string = self.string(|| String::from("expected a text in quotes"))?;
        text.clear();
        if string.is_ascii() {
            text.extend_from_slice(string.as_bytes());
        } else {
            *text = model::game_bytes(string);
        }
        Ok(())
    }

    fn hex(&mut self, bytes: &mut Vec<u8>) -> Done {
        let expected = || String::from("expected bytes as pairs of hexadecimal digits in quotes");
        let start = self.start()?;
        let string = self.string(expected)?;
        bytes.clear();
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let pairs = string.as_bytes().chunks(2).map(|pair| match pair {
            [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
            _ => None,
        });
        for pair in pairs {
            bytes.push(pair.ok_or_else(|| Error::malformed(expected()).at_offset(start as u64))?);
        }
        Ok(())
    }

    fn word(&mut self, _: u32, to: u32, names: &dyn Vocabulary) -> Result<u32, Error> {
        if self.peek()? != Peek::String {
            return self.int(0, 0, i64::from(to)).map(|value| value as u32);
        }
        let start = self.start()?;
        let name = self.string(String::new)?;
        let found = names.number(name).filter(|value| *value <= to);
        found.ok_or_else(|| Error::malformed(format!("expected one of the names that stand here, or a number, not \"{name}\"")).at_offset(start as u64))
    }

    fn null(&mut self, _: bool) -> Result<bool, Error> {
        if self.peek()? != Peek::Null {
            return Ok(false);
        }
        let read = self.json.known_null();
        self.syntax(read)?;
        Ok(true)
    }

    #[inline]
    fn object(&mut self, mut members: impl FnMut(&mut Self) -> Done) -> Done {
        if self.peek()? != Peek::Object {
            return Err(self.wrong("expected an object"));
        }
        let start = self.start()?;
        let (depth, known, lists) = (self.scopes.len(), self.members.len(), self.lists.len());
        let first = self.ordered(&mut members);
        self.scopes.truncate(depth);
        if first.is_ok() || !std::mem::take(&mut self.disorder) {
            return first;
        }
        self.pending = false;
        self.members.truncate(known);
        self.lists.truncate(lists);
        self.jump(start);
        self.open_object()?;
        members(self)?;
        self.close_object()
    }

    #[inline]
    fn key(&mut self, name: &'static str, _: bool) -> Result<bool, Error> {
        if let Some(Scope::Indexed { from, .. }) = self.scopes.last() {
            let Some(member) = self.members[*from..].iter_mut().find(|member| member.key == name && !member.asked) else { return Ok(false) };
            member.asked = true;
            let value = member.value;
            self.jump(value);
            return Ok(true);
        }
        let found = self.key_ahead()? && self.key == name;
        self.pending &= !found;
        Ok(found)
    }

    #[inline]
    fn require(&mut self, name: &'static str) -> Done {
        if self.key(name, true)? {
            return Ok(());
        }
        if let Some(Scope::Indexed { end, .. }) = self.scopes.last() {
            return Err(Error::malformed(format!("the field `{name}` is missing")).at_offset(end.saturating_sub(1) as u64));
        }
        self.disorder = true;
        Err(self.wrong(format!("the field `{name}` is missing")))
    }

    #[inline]
    fn members(&mut self, names: &Names, _: impl Iterator<Item = usize>, each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        self.all(|key| names.find(key), each)
    }

    fn numbered(&mut self, below: usize, _: impl Iterator<Item = usize>, each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        let number = |key: &str| number::whole(key.as_bytes()).and_then(|number| usize::try_from(number).ok()).filter(|number| *number < below);
        self.all(|key| number(key).filter(|_| key == "0" || !key.starts_with(['0', '-'])), each)
    }

    fn variant(&mut self, names: &Names, _: usize, mut body: impl FnMut(&mut Self, usize) -> Done) -> Done {
        if self.peek()? != Peek::Object {
            return Err(self.wrong("expected an object with one field"));
        }
        let start = self.start()?;
        let read = self.json.known_object().map(|key| key.map(|key| (names.find(key), key.to_owned())));
        match self.syntax(read)? {
            Some((Some(at), _)) => body(self, at)?,
            Some((None, key)) => return Err(Error::malformed(format!("nothing called `{key}` can stand here")).at_offset(start as u64)),
            None => return Err(Error::malformed("the object is empty: its one field says what it is").at_offset(start as u64)),
        }
        let more = self.json.next_key().map(|key| key.map(str::to_owned));
        match self.syntax(more)? {
            None => Ok(()),
            Some(key) => Err(self.wrong(format!("`{key}` is one field too many: an object here has one, which says what it is"))),
        }
    }

    fn items(&mut self, _: usize, mut each: impl FnMut(&mut Self, usize) -> Done) -> Result<usize, Error> {
        if self.peek()? != Peek::Array {
            return Err(self.wrong("expected a list"));
        }
        let first = self.json.known_array();
        let mut more = self.syntax(first)?;
        let mut at = 0;
        while more.is_some() {
            each(self, at).map_err(|error| error.inside("element", Some(at as u32)))?;
            at += 1;
            let step = self.json.array_step();
            more = self.syntax(step)?;
        }
        Ok(at)
    }

    fn expect(&mut self, ok: bool, rule: &'static str) -> Done {
        if ok { Ok(()) } else { Err(self.wrong(rule)) }
    }

    fn open_object(&mut self) -> Done {
        let scope = self.index()?;
        self.scopes.push(scope);
        Ok(())
    }

    fn close_object(&mut self) -> Done {
        match self.scopes.pop() {
            Some(Scope::Indexed { from, end }) => self.leave(from, end),
            _ => Err(Error::misuse("no object is open")),
        }
    }

    fn has_more(&mut self) -> bool {
        match self.scopes.last() {
            Some(Scope::Indexed { from, .. }) => self.members[*from..].iter().any(|member| !member.asked),
            _ => false,
        }
    }

    fn mark(&self) -> usize {
        0
    }

    fn widen(&mut self, _: usize) -> Done {
        Err(self.wrong("expected a list"))
    }

    fn open_list(&mut self, must: bool) -> Result<bool, Error> {
        if self.peek()? != Peek::Array {
            return if must { Err(self.wrong("expected a list")) } else { Ok(false) };
        }
        let first = self.json.known_array();
        let first = self.syntax(first)?;
        self.lists.push(ListState::Fresh(first));
        Ok(true)
    }

    fn next_item(&mut self) -> Done {
        let waiting = match self.lists.last_mut() {
            Some(state @ ListState::Fresh(_)) => std::mem::replace(state, ListState::Within) != ListState::Fresh(None),
            Some(ListState::Within) => {
                let step = self.json.array_step();
                self.syntax(step)?.is_some()
            }
            None => false,
        };
        if waiting { Ok(()) } else { Err(self.wrong("expected another element of the list")) }
    }

    fn close_list(&mut self) -> Done {
        let more = match self.lists.pop() {
            Some(ListState::Fresh(first)) => first.is_some(),
            Some(ListState::Within) => {
                let step = self.json.array_step();
                self.syntax(step)?.is_some()
            }
            None => false,
        };
        if more { Err(self.wrong("the list has more elements than its message")) } else { Ok(()) }
    }
}
