//! Text in undecoded bytes, Huffman-coded from any bit on (`docs/formats/quake3.md`, "Rewriting").
//!
//! In a broken message, the first bit of a string is unknown. So every bit is tried as the start of a character; a run of characters is text, or
//! soon ends. Runs from different bits mostly converge to the same characters, which are searched once.

use std::cmp::Reverse;
use std::ops::Range;

use fragreel_base::wire::huffman::{CODES, LONGEST};
use fragreel_model::replay::undecoded;
use fragreel_model::{Fate, Role};

use crate::dialect::Layout;

/// The window size in bytes. Windows overlap by twice `OVERLAP`, so that text across their border is found.
const WINDOW: usize = 0x4000;
const OVERLAP: usize = 0x100;
/// How many known characters a run reads on, for context.
const CONTEXT: usize = 160;
/// How often the surroundings of a replacement are searched again. Bytes that still match after that are zeroed.
const ROUNDS: usize = 8;

/// Shows personal text in coded bytes, from any bit on. Changed characters get codes of the same length, so all other bits stay in place. Returns
/// whether anything changed.
pub(super) fn in_place(bytes: &mut [u8], layout: Layout, hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> bool {
    // a character takes at least two bits. Searching every bit is slow, so it runs only for hooks that remove personal text.
    if bytes.len() * 8 < 2 * undecoded::SHORTEST || !undecoded::goes(bytes, hook) {
        return false;
    }
    let (mut from, mut changed) = (0, false);
    while from < bytes.len() {
        let end = bytes.len().min(from + WINDOW + 2 * OVERLAP);
        // text from here on belongs to the next window
        let upto = if end < bytes.len() { WINDOW + OVERLAP } else { end - from };
        changed |= in_window(&mut bytes[from..end], upto, layout, hook);
        from += WINDOW;
    }
    changed
}

/// Like [`in_place`], for text that begins in the first `upto` bytes of a window.
fn in_window(window: &mut [u8], upto: usize, layout: Layout, hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> bool {
    let mut places: Vec<_> = std::iter::once(0..window.len()).collect();
    for round in 0..ROUNDS {
        let mut changed = Vec::new();
        for place in places {
            let begins = upto.saturating_sub(place.start);
            let found = search(&mut window[place.clone()], begins * 8, layout, hook);
            changed.extend(found.into_iter().map(|at| place.start + at));
        }
        if changed.is_empty() {
            return round > 0;
        }
        // a replacement can only reveal text near it
        places = around(changed, window.len());
    }
    for place in places {
        window[place.start.min(upto)..place.end.min(upto)].fill(0);
    }
    true
}

/// The stretches around these bytes.
fn around(mut bytes: Vec<usize>, length: usize) -> Vec<Range<usize>> {
    bytes.sort_unstable();
    let mut places: Vec<Range<usize>> = Vec::new();
    for at in bytes {
        let place = at.saturating_sub(OVERLAP)..length.min(at + OVERLAP);
        match places.last_mut() {
            Some(last) if place.start <= last.end => last.end = place.end,
            _ => places.push(place),
        }
    }
    places
}

/// A character that a bit may begin: its byte, and how many bits it takes; none where there is none.
type Character = (u8, u8);

const NONE: Character = (0, 0);

/// The character of each window of bits.
static CODED: [Character; 1 << LONGEST] = {
    let mut table = [NONE; 1 << LONGEST];
    let mut symbol = 0;
    while symbol < 256 {
        let code = CODES[symbol];
        let mut window = code.bits as usize;
        while window < table.len() {
            table[window] = (symbol as u8, code.length);
            window += 1 << code.length;
        }
        symbol += 1;
    }
    table
};

/// How many bits the character of text takes that each window of bits begins with; 0 where it begins with none.
type Lengths = [u8; 1 << LONGEST];

/// The farthest that a character reaches.
const REACH: usize = LONGEST as usize;

static CODED_TEXT: Lengths = {
    let mut table = [0; 1 << LONGEST];
    let mut window = 0;
    while window < table.len() {
        let (symbol, length) = CODED[window];
        if undecoded::is_text(symbol) {
            table[window] = length;
        }
        window += 1;
    }
    table
};

static PLAIN_TEXT: Lengths = {
    let mut table = [0; 1 << LONGEST];
    let mut window = 0;
    while window < table.len() {
        if undecoded::is_text(window as u8) {
            table[window] = 8;
        }
        window += 1;
    }
    table
};

/// The bits from those of a byte on, as many as the longest code has or more.
#[inline]
fn window(bytes: &[u8], byte: usize) -> usize {
    let byte = |at: usize| usize::from(bytes.get(byte + at).copied().unwrap_or_default());
    byte(0) | byte(1) << 8 | byte(2) << 16
}

/// The text in bytes, from every bit on.
struct Runs<'a> {
    bytes: &'a [u8],
    layout: Layout,
    lengths: &'static Lengths,
    /// Of each bit: how many characters of text follow one another from it on, up to 255.
    counts: Vec<u8>,
    /// The first bits of runs that are long enough. The longest come first: they are the most likely text.
    starts: Vec<usize>,
}

impl<'a> Runs<'a> {
    fn of(bytes: &'a [u8], layout: Layout) -> Self {
        let lengths = if layout == Layout::Coded { &CODED_TEXT } else { &PLAIN_TEXT };
        let bits = bytes.len() * 8;
        let (mut counts, mut starts) = (vec![0u8; bits + 1], Vec::new());
        // bit n is set where the bit n behind the current one follows a character
        let mut follows = 0u32;
        for byte in (0..bytes.len()).rev() {
            let window = window(bytes, byte);
            for bit in (0..8).rev() {
                let at = byte * 8 + bit;
                follows <<= 1;
                let length = usize::from(lengths[window >> bit & ((1 << LONGEST) - 1)]);
                if length > 0 && at + length <= bits {
                    counts[at] = counts[at + length].saturating_add(1);
                    follows |= 1 << length;
                }
                // no bit before this one reaches that far
                let decided = at + REACH;
                if decided < bits && usize::from(counts[decided]) >= undecoded::SHORTEST && follows >> REACH & 1 == 0 {
                    starts.push(decided);
                }
            }
        }
        let first = (0..bits.min(REACH)).rev().filter(|&at| usize::from(counts[at]) >= undecoded::SHORTEST && follows >> at & 1 == 0);
        starts.extend(first);
        starts.sort_by_key(|&start| (Reverse(counts[start]), start));
        Runs { bytes, layout, lengths, counts, starts }
    }

    /// The character of text that a bit begins, and how many bits it takes.
    fn character(&self, bit: usize) -> Option<(u8, usize)> {
        let window = window(self.bytes, bit / 8) >> (bit % 8) & ((1 << LONGEST) - 1);
        let symbol = if self.layout == Layout::Coded { CODED[window].0 } else { window as u8 };
        (self.counts[bit] > 0).then(|| (symbol, usize::from(self.lengths[window])))
    }
}

/// Searches text that begins before the bit `upto`. Returns the bytes that changed.
fn search(bytes: &mut [u8], upto: usize, layout: Layout, hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> Vec<usize> {
    let runs = Runs::of(bytes, layout);
    if runs.starts.is_empty() {
        return Vec::new();
    }
    let bits = bytes.len() * 8;
    let (mut searched, mut taken) = (vec![false; bits], vec![false; bits]);
    let mut replaced = Vec::new();
    let (mut text, mut before, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for &start in &runs.starts {
        text.clear();
        before.clear();
        places.clear();
        let (mut at, mut known) = (start, 0);
        while let Some((symbol, length)) = runs.character(at) {
            known += usize::from(std::mem::replace(&mut searched[at], true));
            if known > CONTEXT {
                break;
            }
            text.push(symbol);
            places.push(at..at + length);
            at += length;
        }
        before.extend_from_slice(&text);
        if !undecoded::in_place(&mut text, hook) {
            continue;
        }
        let changed: Vec<usize> = (0..text.len()).filter(|&at| text[at] != before[at]).collect();
        for piece in changed.chunk_by(|one, next| one + 1 == *next) {
            let bits = places[piece[0]].start..places[piece[piece.len() - 1]].end;
            // bits that read differently from another start are searched again
            if bits.start < upto && !taken[bits.clone()].contains(&true) {
                taken[bits].fill(true);
                replaced.extend(piece.iter().map(|&at| (places[at].start, before[at])));
            }
        }
    }
    for &(at, old) in &replaced {
        put(bytes, at, stand_in(old, layout));
    }
    replaced.iter().map(|(at, _)| at / 8).collect()
}

/// The code that replaces a character, with the same number of bits.
fn stand_in(old: u8, layout: Layout) -> (u16, u8) {
    if layout == Layout::Plain {
        return (u16::from(b'*'), 8);
    }
    let length = CODES[usize::from(old)].length;
    let same = b"*=|}\x80".iter().map(|&new| CODES[usize::from(new)]).find(|code| code.length == length);
    same.map_or((0, length), |code| (code.bits, length))
}

fn put(bytes: &mut [u8], at: usize, (bits, length): (u16, u8)) {
    for bit in 0..usize::from(length) {
        let (byte, mask) = ((at + bit) / 8, 1 << ((at + bit) % 8));
        bytes[byte] = if bits >> bit & 1 != 0 { bytes[byte] | mask } else { bytes[byte] & !mask };
    }
}

#[cfg(test)]
mod tests {
    use fragreel_base::wire::{ReadHuffman, Wire, WriteHuffman};

    use super::*;

    const LINE: &[u8] = b"say 10.98.76.54, STEAM_0:1:4242424 or me@example.org; set password \"hUsh hUsh7\"; bye";

    /// A line behind `junk` bits of junk.
    fn coded(junk: u32, line: &[u8]) -> Vec<u8> {
        let mut w = WriteHuffman::with_buffer(Vec::new());
        for at in 0..junk {
            let Ok(_) = w.bits((at / 3) & 1, 1);
        }
        for &byte in line {
            let Ok(_) = w.bits(byte.into(), 8);
        }
        w.finish()
    }

    fn read(bytes: &[u8], skip: u32, length: usize) -> Vec<u8> {
        let mut r = ReadHuffman::new(bytes);
        (0..skip).for_each(|_| drop(r.bits(0, 1)));
        (0..length).map_while(|_| r.bits(0, 8).ok()).map(|byte| byte as u8).collect()
    }

    #[test]
    fn what_is_personal_goes_from_whatever_bit_on_and_nothing_else_moves() {
        for junk in 0..40 {
            let mut bytes = coded(junk, LINE);
            let length = bytes.len();
            assert!(!in_place(&mut bytes, Layout::Coded, &mut |_, _| Fate::Keep) && bytes == coded(junk, LINE), "{junk}");
            assert!(in_place(&mut bytes, Layout::Coded, &mut |_, _| Fate::Drop), "{junk}");
            let text = read(&bytes, junk, LINE.len());
            assert_eq!((bytes.len(), text.len()), (length, LINE.len()), "{junk}");
            let kept = |words: &[u8]| text.windows(words.len()).any(|window| window == words);
            assert!(kept(b"say ") && kept(b" or ") && kept(b"; set password \"") && kept(b"\"; bye"), "{junk}: {}", String::from_utf8_lossy(&text));
            for gone in [&b"10.9"[..], b"STEAM", b"4242", b"example", b"hUsh"] {
                assert!(!kept(gone), "{junk}: {}", String::from_utf8_lossy(&text));
            }
            assert!(!in_place(&mut bytes, Layout::Coded, &mut |_, _| Fate::Drop), "{junk}: once is enough");
        }
    }

    #[test]
    fn what_crosses_a_window_goes() {
        for before in (WINDOW - 100..WINDOW + 2 * OVERLAP + 4).step_by(37) {
            let mut bytes = [vec![0; before], coded(3, LINE), vec![0; 10]].concat();
            assert!(in_place(&mut bytes, Layout::Coded, &mut |_, _| Fate::Drop), "{before}");
            let text = read(&bytes[before..], 3, LINE.len());
            assert!(!text.windows(4).any(|window| window == b"10.9" || window == b"hUsh" || window == b"4242"), "{before}");
        }
    }

    #[test]
    fn plain_text_goes_from_whatever_bit_on() {
        for skip in 0..8 {
            let mut bytes: Vec<u8> = vec![0; LINE.len() + 1];
            for (at, &byte) in LINE.iter().enumerate() {
                bytes[at] |= byte << skip;
                bytes[at + 1] |= (u16::from(byte) << skip >> 8) as u8;
            }
            assert!(in_place(&mut bytes, Layout::Plain, &mut |_, _| Fate::Drop), "{skip}");
            let text: Vec<u8> = bytes.windows(2).map(|pair| (u16::from_le_bytes([pair[0], pair[1]]) >> skip) as u8).collect();
            assert!(text.starts_with(b"say ***********, ") && text.ends_with(b"set password \"**********\"; bye"), "{}", String::from_utf8_lossy(&text));
        }
    }
}
