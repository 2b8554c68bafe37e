//! The reading direction.

use std::borrow::Cow;

use crate::wire::{Error, Vocabulary};

use crate::textform::scan::Scan;
use crate::textform::{Flags, Form, Names, number};

type Done = Result<(), Error>;

/// Reads one JSON value. Members are looked for in the order in which they are written, which is quick, and when that
/// fails in any order. Errors have the column, counted in bytes from 0, as their offset.
#[derive(Debug)]
pub struct Reader<'l> {
    scan: Scan<'l>,
    scopes: Vec<Scope>,
    /// The key that was read ahead in the innermost object.
    ahead: Option<Cow<'l, str>>,
    /// A member was missing where it is usually written: worth another look, in any order.
    disorder: bool,
    /// The members of objects that are read in any order.
    members: Vec<Member<'l>>,
    /// Open lists of [`Form::open_list`]: whether an element was asked for yet.
    lists: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
enum Scope {
    /// Members are asked for as they come.
    Ordered { fresh: bool, done: bool },
    /// Members are known: those from this place on. The object ends there.
    Indexed { from: usize, end: usize },
}

#[derive(Debug, Clone)]
struct Member<'l> {
    key: Cow<'l, str>,
    /// Where its value stands in the line.
    value: usize,
    asked: bool,
}

impl<'l> Reader<'l> {
    /// Reads from the start of a line.
    pub fn new(line: &'l [u8]) -> Self {
        let scan = Scan::new(line);
        Reader { scan, scopes: Vec::new(), ahead: None, disorder: false, members: Vec::new(), lists: Vec::new() }
    }

    /// Checks that nothing follows the value.
    pub fn finish(self) -> Done {
        self.scan.finish()
    }

    #[cold]
    fn wrong(&self, detail: impl Into<Cow<'static, str>>) -> Error {
        self.scan.wrong(detail)
    }

    /// A key with its colon.
    #[inline]
    fn name(&mut self) -> Result<Cow<'l, str>, Error> {
        if self.scan.peek() != b'"' {
            return Err(self.wrong("expected a field's name in quotes"));
        }
        let key = self.scan.string()?;
        self.scan.pass(b':', "expected a colon")?;
        Ok(key)
    }

    /// The key of the next member of an object; `None` at its end. `fresh`: nothing of the object was read yet.
    #[inline]
    fn next_name(&mut self, fresh: bool) -> Result<Option<Cow<'l, str>>, Error> {
        if fresh {
            self.scan.pass(b'{', "expected an object")?;
        }
        if self.scan.take(b'}') {
            return Ok(None);
        }
        if !fresh {
            self.scan.pass(b',', "expected a comma or the end of the object")?;
        }
        self.name().map(Some)
    }

    /// Goes to the next element of a list. False at its end. `fresh`: nothing of the list was read yet.
    #[inline]
    fn next_element(&mut self, fresh: bool) -> Result<bool, Error> {
        if self.scan.take(b']') {
            return Ok(false);
        }
        if !fresh {
            self.scan.pass(b',', "expected a comma or the end of the list")?;
        }
        Ok(true)
    }

    /// Reads the innermost object's next key ahead. False at its end.
    #[inline]
    fn key_ahead(&mut self) -> Result<bool, Error> {
        if self.ahead.is_some() {
            return Ok(true);
        }
        let Some(&Scope::Ordered { fresh, done: false }) = self.scopes.last() else { return Ok(false) };
        self.ahead = self.next_name(fresh)?;
        if let Some(scope) = self.scopes.last_mut() {
            *scope = Scope::Ordered { fresh: false, done: self.ahead.is_none() };
        }
        Ok(self.ahead.is_some())
    }

    /// Finds all members of the object that starts here.
    fn index(&mut self) -> Result<Scope, Error> {
        let from = self.members.len();
        let mut fresh = true;
        while let Some(key) = self.next_name(fresh)? {
            fresh = false;
            self.members.push(Member { key, value: self.scan.start(), asked: false });
            self.scan.skip()?;
        }
        if let Some(twice) = repeated(&self.members[from..]) {
            return Err(Error::malformed(format!("the field `{}` occurs twice", twice.key)).at_offset(twice.value as u64));
        }
        Ok(Scope::Indexed { from, end: self.scan.start() })
    }

    /// Leaves an indexed object behind.
    fn leave(&mut self, from: usize, end: usize) -> Done {
        let forgotten = self.members[from..].iter().find(|member| !member.asked);
        let result = match forgotten {
            Some(member) => Err(Error::malformed(format!("there is no field `{}` here", member.key)).at_offset(member.value as u64)),
            None => Ok(()),
        };
        self.members.truncate(from);
        self.scan.jump(end);
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
                    self.scan.jump(value);
                    each(self, at)?;
                }
            }
            return Ok(());
        }
        let mut seen = Seen::default();
        while self.key_ahead()? {
            let Some(at) = self.ahead.as_deref().and_then(&find) else { break };
            if !seen.is_new(at) {
                // another look, in any order, says whether it is the same member twice
                self.disorder = true;
                return Err(self.wrong("a field occurs twice"));
            }
            self.ahead = None;
            each(self, at)?;
        }
        Ok(())
    }

    fn ordered(&mut self, members: &mut dyn FnMut(&mut Self) -> Done) -> Done {
        self.scopes.push(Scope::Ordered { fresh: true, done: false });
        members(self)?;
        if self.key_ahead()? {
            self.disorder = true;
            let key = self.ahead.take().unwrap_or_default();
            return Err(self.wrong(format!("there is no field `{key}` here")));
        }
        Ok(())
    }

    /// [`Form::object`]. Compiled once, not for each of hundreds of closures.
    fn any_object(&mut self, members: &mut dyn FnMut(&mut Self) -> Done) -> Done {
        if self.scan.peek() != b'{' {
            return Err(self.wrong("expected an object"));
        }
        let start = self.scan.start();
        let (depth, known, lists) = (self.scopes.len(), self.members.len(), self.lists.len());
        let first = self.ordered(members);
        self.scopes.truncate(depth);
        if first.is_ok() || !std::mem::take(&mut self.disorder) {
            return first;
        }
        self.ahead = None;
        self.members.truncate(known);
        self.lists.truncate(lists);
        self.scan.jump(start);
        self.open_object()?;
        members(self)?;
        self.close_object()
    }

    /// [`Form::items`], likewise.
    fn any_items(&mut self, each: &mut dyn FnMut(&mut Self, usize) -> Done) -> Result<usize, Error> {
        self.scan.pass(b'[', "expected a list")?;
        let mut at = 0;
        while self.next_element(at == 0)? {
            each(self, at).map_err(|error| error.inside("element", Some(at as u32)))?;
            at += 1;
        }
        Ok(at)
    }
}

/// Which members an object had so far: exactly the first ones, which may come in any order; of the others, which rise as they are
/// written, the highest.
#[derive(Default)]
struct Seen {
    first: u128,
    highest: usize,
}

impl Seen {
    #[inline]
    fn is_new(&mut self, at: usize) -> bool {
        if at < 128 {
            let known = self.first >> at & 1 != 0;
            self.first |= 1 << at;
            return !known;
        }
        at > std::mem::replace(&mut self.highest, at)
    }
}

/// Adds the field that is called by a name to an error's path, unless the form itself did.
#[cold]
fn below(error: Error, names: &Names, at: usize) -> Error {
    match names.crumb(at) {
        Some(name) if error.path().next().is_none_or(|crumb| crumb.name != name) => error.inside(name, None),
        _ => error,
    }
}

/// The same for a field that is called by a number.
#[cold]
fn below_number(error: Error, number: usize) -> Error {
    let told = error.path().next().is_some_and(|crumb| crumb.index == Some(number as u32));
    if told { error } else { error.inside("number", Some(number as u32)) }
}

/// The first member whose key an earlier one has. Few members are compared one by one, which needs no memory.
fn repeated<'m, 'l>(members: &'m [Member<'l>]) -> Option<&'m Member<'l>> {
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
        let start = self.scan.start();
        let whole = match self.scan.whole() {
            Some(whole) => Some(whole),
            // masks of 64 bits have more digits than are read at once
            None => self.scan.number().and_then(|digits| digits.parse().ok()),
        };
        let value = whole.filter(|value| (from..=to).contains(value));
        value.ok_or_else(|| Error::malformed(expected()).at_offset(start as u64))
    }

    #[inline]
    fn float(&mut self, _: f32) -> Result<f32, Error> {
        let expected = || String::from("expected a number, or the bits of one such as \"0x7fc00000\"");
        let start = self.scan.start();
        if let Some(whole) = self.scan.whole() {
            // an integer becomes the nearest float, as every number does
            return Ok(whole as f32);
        }
        if self.scan.peek() == b'"' {
            let bits = self.scan.string()?.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
            return bits.map(f32::from_bits).ok_or_else(|| Error::malformed(expected()).at_offset(start as u64));
        }
        let digits = self.scan.number().ok_or_else(|| self.wrong(expected()))?;
        let value = digits.parse::<f32>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| Error::malformed("expected a number that a 32-bit float can hold").at_offset(start as u64))
    }

    #[inline]
    fn scaled(&mut self, _: i64, unit: f64, from: i64, to: i64) -> Result<i64, Error> {
        let expected = || format!("expected a number from {} to {}", from as f64 * unit, to as f64 * unit);
        let start = self.scan.start();
        let value = match self.scan.decimal() {
            None => self.scan.number().and_then(|digits| digits.parse::<f64>().ok()),
            decimal => decimal,
        };
        let steps = value.and_then(|value| number::steps_of(value, unit)).filter(|steps| (from..=to).contains(steps));
        steps.ok_or_else(|| Error::malformed(expected()).at_offset(start as u64))
    }

    fn steps(&mut self, _: i64, unit: f64, from: i64, to: i64) -> Result<i64, Error> {
        if self.scan.peek() != b'"' {
            return self.int(0, from, to);
        }
        let start = self.scan.start();
        let text = self.scan.string()?;
        let steps = text.parse().ok().filter(|value: &f64| value.is_finite()).and_then(|value| number::steps_of(value, unit));
        let expected = || format!("expected a whole number from {from} to {to}, or units such as \"{}\"", from.max(1).min(to) as f64 * unit);
        steps.filter(|steps| (from..=to).contains(steps)).ok_or_else(|| Error::malformed(expected()).at_offset(start as u64))
    }

    fn boolean(&mut self, _: bool) -> Result<bool, Error> {
        if self.scan.word("true") {
            return Ok(true);
        }
        if self.scan.word("false") { Ok(false) } else { Err(self.wrong("expected true or false")) }
    }

    fn text(&mut self, text: &mut Vec<u8>) -> Done {
        let string = self.scan.string()?;
        text.clear();
        if string.is_ascii() {
            text.extend_from_slice(string.as_bytes());
        } else {
            *text = crate::characters::game_bytes(&string);
        }
        Ok(())
    }

    fn hex(&mut self, bytes: &mut Vec<u8>) -> Done {
        let expected = || String::from("expected bytes as pairs of hexadecimal digits in quotes");
        let start = self.scan.start();
        if self.scan.peek() != b'"' {
            return Err(self.wrong(expected()));
        }
        let string = self.scan.string()?;
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
        if self.scan.peek() != b'"' {
            return self.int(0, 0, i64::from(to)).map(|value| value as u32);
        }
        let start = self.scan.start();
        let name = self.scan.string()?;
        let found = names.number(&name).filter(|value| *value <= to);
        found.ok_or_else(|| Error::malformed(format!("expected one of the names of this field, or a number, not \"{name}\"")).at_offset(start as u64))
    }

    fn flags(&mut self, _: u32, to: u32, names: Flags) -> Result<u32, Error> {
        if self.scan.peek() != b'[' {
            return self.word(0, to, &names);
        }
        let mut value = 0;
        self.any_items(&mut |f, _| {
            value |= f.word(0, to, &names)?;
            Ok(())
        })?;
        Ok(value)
    }

    fn null(&mut self, _: bool) -> Result<bool, Error> {
        Ok(self.scan.word("null"))
    }

    #[inline]
    fn object(&mut self, mut members: impl FnMut(&mut Self) -> Done) -> Done {
        self.any_object(&mut members)
    }

    #[inline]
    fn key(&mut self, name: &'static str, _: bool) -> Result<bool, Error> {
        if let Some(Scope::Indexed { from, .. }) = self.scopes.last() {
            let Some(member) = self.members[*from..].iter_mut().find(|member| member.key == name && !member.asked) else { return Ok(false) };
            member.asked = true;
            let value = member.value;
            self.scan.jump(value);
            return Ok(true);
        }
        if self.ahead.is_none()
            && let Some(Scope::Ordered { fresh, done: false }) = self.scopes.last_mut()
            && self.scan.plain_name(if *fresh { b'{' } else { b',' }, name)
        {
            *fresh = false;
            return Ok(true);
        }
        let found = self.key_ahead()? && self.ahead.as_deref() == Some(name);
        if found {
            self.ahead = None;
        }
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
    fn members(&mut self, names: &Names, _: impl Iterator<Item = usize>, mut each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        self.all(|key| names.find(key), |f, at| each(f, at).map_err(|error| below(error, names, at)))
    }

    fn numbered(&mut self, below: usize, _: impl Iterator<Item = usize>, mut each: impl FnMut(&mut Self, usize) -> Done) -> Done {
        let number = |key: &str| number::whole(key.as_bytes()).and_then(|number| usize::try_from(number).ok()).filter(|number| *number < below);
        let plain = |key: &str| key == "0" || !key.starts_with(['0', '-']);
        self.all(|key| number(key).filter(|_| plain(key)), |f, at| each(f, at).map_err(|error| below_number(error, at)))
    }

    fn variant(&mut self, names: &Names, _: usize, mut body: impl FnMut(&mut Self, usize) -> Done) -> Done {
        let start = self.scan.start();
        let Some(key) = self.next_name(true)? else {
            return Err(Error::malformed("the object is empty: it needs one member, whose name is its kind").at_offset(start as u64));
        };
        match names.find(&key) {
            Some(at) => body(self, at).map_err(|error| below(error, names, at))?,
            None => return Err(Error::malformed(format!("`{key}` is not possible here")).at_offset(start as u64)),
        }
        match self.next_name(false)? {
            None => Ok(()),
            Some(key) => Err(self.wrong(format!("`{key}` is one member too many: an object here has one, whose name is its kind"))),
        }
    }

    #[inline]
    fn items(&mut self, _: usize, mut each: impl FnMut(&mut Self, usize) -> Done) -> Result<usize, Error> {
        self.any_items(&mut each)
    }

    fn expect(&mut self, ok: bool, rule: &'static str) -> Done {
        if ok { Ok(()) } else { Err(self.wrong(rule)) }
    }

    fn insist(&mut self, ok: bool, rule: &'static str) -> Done {
        if ok {
            return Ok(());
        }
        // what the rule is about may stand later in the object than where it is usually written
        self.disorder |= matches!(self.scopes.last(), Some(Scope::Ordered { .. }));
        Err(self.wrong(rule))
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

    fn open_list(&mut self, must: bool) -> Result<bool, Error> {
        if !self.scan.take(b'[') {
            return if must { Err(self.wrong("expected a list")) } else { Ok(false) };
        }
        self.lists.push(true);
        Ok(true)
    }

    fn next_item(&mut self) -> Done {
        let fresh = self.lists.last_mut().is_some_and(std::mem::take);
        if self.next_element(fresh)? { Ok(()) } else { Err(self.wrong("expected another element of the list")) }
    }

    fn close_list(&mut self) -> Done {
        let fresh = self.lists.pop().unwrap_or(false);
        if self.next_element(fresh)? { Err(self.wrong("the list has more elements than its message")) } else { Ok(()) }
    }
}
