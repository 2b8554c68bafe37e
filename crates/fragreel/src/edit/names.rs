//! Players' names and what shall stand for them, found in any line whatever their colors.

use std::collections::HashMap;

use fragreel_model::Family;

/// Names to replace.
#[derive(Debug, Clone)]
pub(super) struct Names {
    look: Look,
    entries: Vec<Entry>,
    /// The tree of what is read of the names: from a node and a character to the next node. One walk finds the longest name, however many
    /// there are.
    steps: HashMap<(usize, u8), usize>,
    /// Which name ends at each node, the root first.
    ends: Vec<Option<usize>>,
}

#[derive(Debug, Clone)]
struct Entry {
    /// As a person reads it, in lower case.
    read: Vec<u8>,
    /// As a person reads it.
    shown: String,
    /// Color codes before the first character that is seen, which go with the name.
    lead: Vec<u8>,
    /// What stands for it.
    new: Vec<u8>,
}

/// How a game's text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// `^` and a character change the color.
    Carets,
    /// Characters above 127 are those below in another color, and digits stand in boxes.
    Quake,
    /// What is written is what is seen.
    Plain,
}

/// A character that is seen, and the byte of the line that it comes from.
#[derive(Debug, Clone, Copy)]
struct Seen {
    character: u8,
    at: usize,
}

impl Names {
    pub(super) fn new(family: Family) -> Self {
        let look = match family {
            Family::Quake3 => Look::Carets,
            Family::Quake1 | Family::Quake2 => Look::Quake,
            _ => Look::Plain,
        };
        Names { look, entries: Vec::new(), steps: HashMap::new(), ends: vec![None] }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether `name` has something to be seen and is not known yet.
    pub(super) fn is_new(&self, name: &[u8]) -> bool {
        let read = self.read(name);
        !read.is_empty() && self.entry(&read).is_none()
    }

    /// Adds a name, or gives a known one something else to stand for it.
    pub(super) fn set(&mut self, name: &[u8], new: Vec<u8>) {
        let read = self.read(name);
        let lead = self.seen(name, 0).next().map(|first| name[..first.at].to_vec()).unwrap_or_default();
        let end = read.iter().fold(0, |node, &character| self.grow(node, character));
        if let Some(known) = self.ends[end] {
            self.entries[known].new = new;
        } else {
            self.ends[end] = Some(self.entries.len());
            self.entries.push(Entry { read, shown: self.shown(name), lead, new });
        }
    }

    /// The node behind a character, made where there is none.
    fn grow(&mut self, node: usize, character: u8) -> usize {
        let next = *self.steps.entry((node, character)).or_insert(self.ends.len());
        if next == self.ends.len() {
            self.ends.push(None);
        }
        next
    }

    /// What stands for a name.
    pub(super) fn of(&self, name: &[u8]) -> Option<&[u8]> {
        self.entry(&self.read(name)).map(|entry| &entry.new[..])
    }

    /// The names as people read them.
    pub(super) fn readable(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.shown)
    }

    /// Replaces every name in a line for people. A name counts where it is not part of a longer word; of two that begin at
    /// one place the longer one counts.
    pub(super) fn replace_in(&self, line: &mut Vec<u8>) {
        self.replace(line, |_| true);
    }

    /// Replaces names in a string for the game. What stands next to `/`, `\`, `.`, `_` or `-` may be a file or a setting and
    /// stays.
    pub(super) fn replace_outside_of_paths(&self, text: &mut Vec<u8>) {
        self.replace(text, |neighbor| !matches!(neighbor, b'/' | b'\\' | b'.' | b'_' | b'-'));
    }

    fn replace(&self, line: &mut Vec<u8>, may_touch: impl Fn(u8) -> bool) {
        let mut out = Vec::new();
        let (mut at, mut copied, mut before) = (0, 0, None);
        while let Some(here) = self.seen(line, at).next() {
            let Some((entry, end)) = self.longest_at(line, here, before, &may_touch) else {
                (at, before) = (here.at + 1, Some(here.character));
                continue;
            };
            let mut from = here.at;
            if line[copied..from].ends_with(&entry.lead) {
                from -= entry.lead.len();
            }
            out.extend_from_slice(&line[copied..from]);
            out.extend_from_slice(&entry.new);
            (at, copied, before) = (end, end, entry.read.last().copied());
        }
        if copied > 0 {
            out.extend_from_slice(&line[copied..]);
            *line = out;
        }
    }

    /// The longest name that begins `here`, and the byte after its last.
    fn longest_at(&self, line: &[u8], here: Seen, before: Option<u8>, may_touch: impl Fn(u8) -> bool) -> Option<(&Entry, usize)> {
        let parted = |neighbor: Option<u8>, edge: u8| {
            neighbor.is_none_or(|neighbor| may_touch(neighbor) && !(neighbor.is_ascii_alphanumeric() && edge.is_ascii_alphanumeric()))
        };
        if !parted(before, here.character) {
            return None;
        }
        let (mut node, mut longest) = (0, None);
        let mut seen = self.seen(line, here.at).peekable();
        while let Some(last) = seen.next() {
            let Some(&next) = self.steps.get(&(node, last.character)) else { break };
            node = next;
            if let Some(entry) = self.ends[node].filter(|_| parted(seen.peek().map(|after| after.character), last.character)) {
                longest = Some((&self.entries[entry], last.at + 1));
            }
        }
        longest
    }

    fn entry(&self, read: &[u8]) -> Option<&Entry> {
        let end = read.iter().try_fold(0, |node, &character| self.steps.get(&(node, character)).copied())?;
        self.ends[end].map(|entry| &self.entries[entry])
    }

    fn read(&self, name: &[u8]) -> Vec<u8> {
        let read: Vec<u8> = self.seen(name, 0).map(|seen| seen.character).collect();
        read.trim_ascii().to_vec()
    }

    fn shown(&self, name: &[u8]) -> String {
        let character = |seen: Seen| if self.look == Look::Quake { uncolored(name[seen.at]) } else { name[seen.at] };
        let shown: Vec<u8> = self.seen(name, 0).map(character).collect();
        String::from_utf8_lossy(shown.trim_ascii()).into_owned()
    }

    /// What is seen of a line from a byte on.
    fn seen<'l>(&self, line: &'l [u8], mut from: usize) -> impl Iterator<Item = Seen> + use<'l> {
        let look = self.look;
        std::iter::from_fn(move || {
            while look == Look::Carets && line.get(from) == Some(&b'^') && line.get(from + 1).is_some_and(|&code| code != b'^') {
                from += 2;
            }
            let byte = *line.get(from)?;
            from += 1;
            let character = if look == Look::Quake { uncolored(byte) } else { byte };
            Some(Seen { character: character.to_ascii_lowercase(), at: from - 1 })
        })
    }
}

/// A character of Quake's set as ASCII has it.
fn uncolored(byte: u8) -> u8 {
    match byte & 127 {
        0x10 => b'[',
        0x11 => b']',
        digit @ 0x12..=0x1b => digit - 0x12 + b'0',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(family: Family, names: &[(&[u8], &str)], line: &[u8]) -> String {
        let mut known = Names::new(family);
        for (name, new) in names {
            known.set(name, new.as_bytes().to_vec());
        }
        let mut line = line.to_vec();
        known.replace_in(&mut line);
        String::from_utf8_lossy(&line).into_owned()
    }

    #[test]
    fn colors_do_not_hide_a_name_and_go_with_it() {
        let names: &[(&[u8], &str)] = &[(b"^1Red^7Fox", "A")];
        for (line, expected) in [
            ("^1Red^7Fox^7: hello", "A^7: hello"),
            ("redfox was killed by RedFox's rocket", "A was killed by A's rocket"),
            ("^5RED^2FOX^7", "^5A^7"),
            ("RedFoxes and theRedFox", "RedFoxes and theRedFox"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(replaced(Family::Quake3, names, line.as_bytes()), expected);
        }
    }

    #[test]
    fn characters_in_another_color_are_the_same_and_boxes_are_digits() {
        let names: &[(&[u8], &str)] = &[(b"\xd0aul\x13", "A")];
        assert_eq!(replaced(Family::Quake1, names, b"paul1 \xf0\xe1\xf5\xec\x93: hi\n"), "A A: hi\n");
        assert_eq!(replaced(Family::GoldSrc, &[(b"Paul", "A")], b"\x02\xd0aul Paul"), "\u{2}\u{fffd}aul A");
    }

    #[test]
    fn the_longer_name_counts_and_what_was_put_in_is_not_looked_at_again() {
        let names: &[(&[u8], &str)] = &[(b"Sir", "player 1"), (b"Sir Lag", "player 2"), (b"player", "player 3")];
        assert_eq!(replaced(Family::Quake2, names, b"Sir Lag shot Sir, player"), "player 2 shot player 1, player 3");
    }

    #[test]
    fn paths_and_settings_keep_their_words() {
        let mut names = Names::new(Family::Quake3);
        names.set(b"Grism", b"A".to_vec());
        for (text, expected) in [(r"\model\grism\hc\70", r"\model\grism\hc\70"), ("models/grism.md3", "models/grism.md3"), ("kick Grism", "kick A")] {
            let mut text = text.as_bytes().to_vec();
            names.replace_outside_of_paths(&mut text);
            assert_eq!(text, expected.as_bytes());
        }
    }

    #[test]
    fn nothing_to_be_seen_is_no_name() {
        let mut names = Names::new(Family::Quake3);
        assert!(!names.is_new(b"^1^2 ") && !names.is_new(b"") && names.is_new(b"^1x"));
        names.set(b"^1x", b"A".to_vec());
        assert!(!names.is_new(b"X"));
        assert_eq!((names.of(b"x"), names.len()), (Some(&b"A"[..]), 1));
    }
}
