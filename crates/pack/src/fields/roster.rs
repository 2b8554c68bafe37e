//! The lists of entities of frames: which number comes next, and which fields of it (`docs/formats/pack.md`, "Lists").

use crate::coding::Coding;
use crate::model::{Context, context};

/// The most numbers of a list that are remembered.
const MOST: usize = 1024;
/// The set of weights for numbers, and that for masks.
const NUMBERS: usize = 895;
const MASKS: usize = 884;

/// A number of a list.
#[derive(Debug, Clone, Copy)]
struct Entry {
    number: u32,
    /// Whether it was in the last 32 lists, the newest lowest.
    history: u32,
    /// Its last masks.
    masks: [u64; 2],
}

/// The numbers that came in the last lists, in order.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    entries: Vec<Entry>,
    /// The next of them, and the last number of this list with its mask.
    at: usize,
    last: u32,
    mask: u64,
    /// Which of the entries before the next were in this list, the last lowest.
    came: u64,
}

/// What follows in a list.
const ABSENT: u32 = 0;
const PRESENT: u32 = 1;
const ANOTHER: u32 = 2;

impl Roster {
    /// The next number; 0 ends a list.
    pub(crate) fn number<D: Coding>(&mut self, model: &mut D, number: u32, key: Context) -> u32 {
        loop {
            let next = self.entries.get(self.at).copied();
            let what = match next {
                Some(next) if number == next.number => PRESENT,
                Some(next) if number > next.number || number == 0 => ABSENT,
                None if number == 0 => ABSENT,
                _ => ANOTHER,
            };
            let Entry { number: candidate, history, masks } = next.unwrap_or(Entry { number: 0, history: 0, masks: [0; 2] });
            let (candidate, history) = (u64::from(candidate), u64::from(history));
            let contexts = [
                context(&[key, history & 0xff, 70]),
                context(&[key, candidate, history & 15, 71]),
                context(&[key, history & 0xffff, self.came & 1, 72]),
                context(&[key, masks[0], history & 3, 73]),
                context(&[key, candidate, history & 1, self.came & 15, 74]),
                context(&[key, masks[0], masks[1], self.came & 3, history & 7, 75]),
                context(&[key, u64::from(self.last), candidate, 76]),
            ];
            match model.symbol(what, 2, &contexts, NUMBERS) {
                PRESENT if next.is_some() => {
                    self.came = self.came << 1 | 1;
                    self.at += 1;
                    return candidate as u32;
                }
                ABSENT => {
                    self.came <<= 1;
                    if next.is_none() {
                        self.end();
                        return 0;
                    }
                    self.entries[self.at].history <<= 1;
                    self.at += 1;
                }
                _ => return self.another(model, number, key),
            }
        }
    }

    /// A number that the last lists did not have here.
    fn another<D: Coding>(&mut self, model: &mut D, number: u32, key: Context) -> u32 {
        let last = u64::from(self.last);
        let next = self.entries.get(self.at).map_or(0, |next| u64::from(next.number));
        let contexts = [context(&[key, 77]), context(&[key, last, 78]), context(&[key, next.wrapping_sub(last), 79]), context(&[key, self.mask, 80])];
        let number = model.number(i64::from(number) - i64::from(self.last), &contexts, NUMBERS + 1).wrapping_add(i64::from(self.last)) as u32 & 0xffff;
        if number == 0 {
            self.end();
        } else if self.entries.len() < MOST
            && self.at.checked_sub(1).is_none_or(|before| self.entries[before].number < number)
            && self.entries.get(self.at).is_none_or(|next| next.number > number)
        {
            self.entries.insert(self.at, Entry { number, history: 0, masks: [0; 2] });
            self.at += 1;
        }
        number
    }

    fn end(&mut self) {
        for entry in &mut self.entries[self.at..] {
            entry.history <<= 1;
        }
        self.entries.retain(|entry| entry.history != 0);
        (self.at, self.last, self.mask, self.came) = (0, 0, 0, 0);
    }

    /// The mask of the number that came, byte by byte, as far as `more` says.
    pub(crate) fn mask<D: Coding>(&mut self, coder: &mut D, mask: u64, (number, model): (u32, u64), more: &[u64], key: Context) -> u64 {
        let at = self.at.wrapping_sub(1);
        let entry = self.entries.get(at).copied().filter(|entry| entry.number == number).unwrap_or(Entry { number, history: 0, masks: [0; 2] });
        let mask = code_mask(coder, mask, &MaskBytes::Grown(more), u64::from(number), entry.masks, [self.mask, u64::from(entry.history & 1), model], key);
        if let Some(entry) = self.entries.get_mut(at).filter(|entry| entry.number == number) {
            entry.history = entry.history << 1 | 1;
            entry.masks = [mask, entry.masks[0]];
        }
        (self.last, self.mask) = (number, mask);
        mask
    }
}

/// How many bytes a mask has.
pub(crate) enum MaskBytes<'a> {
    /// As many as bits of the mask say.
    Grown(&'a [u64]),
    Fixed(u32),
}

impl MaskBytes<'_> {
    fn has(&self, at: u32, mask: u64) -> bool {
        match self {
            MaskBytes::Grown(more) => at == 0 || more.get(at as usize - 1).is_some_and(|bit| mask & bit != 0),
            MaskBytes::Fixed(bytes) => at < *bytes,
        }
    }
}

/// A mask of an entity, given its last two, and three more numbers that it depends on.
pub(crate) fn code_mask<D: Coding>(
    model: &mut D,
    mask: u64,
    bytes: &MaskBytes<'_>,
    entity: u64,
    last: [u64; 2],
    [other, state, looks]: [u64; 3],
    key: Context,
) -> u64 {
    let mut found = 0u64;
    let mut at = 0;
    while bytes.has(at, found) {
        let z = context(&[key, u64::from(at), found]);
        let contexts = [
            context(&[z, 81]),
            context(&[z, entity, last[0], 82]),
            context(&[z, last[0], state, 83]),
            context(&[z, last[0], last[1], 84]),
            context(&[z, other, state, 85]),
            context(&[z, other, last[0], 86]),
            context(&[z, entity, state, 87]),
            context(&[z, entity, last[0], last[1], 88]),
            context(&[z, looks, last[0], 89]),
        ];
        found |= u64::from(model.symbol((mask >> (8 * at)) as u32 & 0xff, 8, &contexts, MASKS + at as usize)) << (8 * at);
        at += 1;
    }
    found
}
