//! Players' names and what shall stand for them, found in any line whatever their colors.

use std::collections::HashMap;
use std::ops::Range;

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
    /// The first name that goes through each node.
    through: Vec<usize>,
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
        Names { look, entries: Vec::new(), steps: HashMap::new(), ends: vec![None], through: vec![0] }
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
            self.through.push(self.entries.len());
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

    /// What each name reads like and what stands for it.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|entry| (&entry.read[..], &entry.new[..]))
    }

    /// Whether a text has one of the names in it. In a text of files and settings, names stand beside `_`, `-`, `/` and the like, too.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let mut replaced = text.to_vec();
        self.replace_in(&mut replaced);
        replaced != text
    }

    /// Replaces every name in a line for people. A name counts where it is not part of a longer word; of two that begin at
    /// one place the longer one counts. In a row of a table, what follows stays in its column, and a long name may be cut off.
    pub(super) fn replace_in(&self, line: &mut Vec<u8>) {
        let is_row = is_row(line);
        self.replace(line, is_row, |_, _| true);
    }

    /// Replaces names in a string for the game. A word with `/`, `\` or `.` may be a file and stays.
    pub(super) fn replace_outside_of_paths(&self, text: &mut Vec<u8>) {
        self.replace(text, false, |text, range| !is_path(text, range, b"/\\"));
    }

    /// The same in commands, whose first words stay.
    pub(super) fn replace_in_commands(&self, text: &mut Vec<u8>) {
        self.replace(text, false, |text, range| !is_path(text, range.clone(), b"/\\") && !is_command(&text[..range.start]));
    }

    fn replace(&self, line: &mut Vec<u8>, is_row: bool, goes: impl Fn(&[u8], Range<usize>) -> bool) {
        let mut out = Vec::new();
        let (mut at, mut copied, mut before) = (0, 0, None);
        while let Some(here) = self.seen(line, at).next() {
            let found = self.longest_at(line, here, before, is_row).filter(|(_, end)| goes(line, here.at..*end));
            let Some((entry, end)) = found else {
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
            if is_row {
                let (old, new) = (self.seen(&line[here.at..end], 0).count(), self.seen(&entry.new, 0).count());
                copied += keep_column(&mut out, entry.new.len(), &line[end..], old, new);
                at = copied;
                before = if at > end { Some(b' ') } else { before };
            }
        }
        if copied > 0 {
            out.extend_from_slice(&line[copied..]);
            *line = out;
        }
    }

    /// The longest name that begins `here`, and the byte after its last. In a row of a table the name may be cut off.
    fn longest_at(&self, line: &[u8], here: Seen, before: Option<u8>, is_row: bool) -> Option<(&Entry, usize)> {
        let parted = |neighbor: Option<u8>, edge: u8| neighbor.is_none_or(|neighbor| !(neighbor.is_ascii_alphanumeric() && edge.is_ascii_alphanumeric()));
        if !parted(before, here.character) {
            return None;
        }
        let (mut node, mut longest, mut length) = (0, None, 0);
        let mut seen = self.seen(line, here.at).peekable();
        while let Some(last) = seen.next() {
            let Some(&next) = self.steps.get(&(node, last.character)) else { break };
            node = next;
            length += 1;
            let after = seen.peek().map(|after| after.character);
            let ends = self.ends[node].filter(|_| parted(after, last.character));
            let is_cut = is_row && length >= SHORTEST_CUT && last.character != b' ' && after.is_none_or(|after| matches!(after, b' ' | b'|'));
            if let Some(entry) = ends.or_else(|| is_cut.then(|| self.through[node])) {
                longest = Some((&self.entries[entry], last.at + 1));
            }
        }
        longest
    }

    fn entry(&self, read: &[u8]) -> Option<&Entry> {
        let end = read.iter().try_fold(0, |node, &character| self.steps.get(&(node, character)).copied())?;
        self.ends[end].map(|entry| &self.entries[entry])
    }

    /// A text as a person reads it: without colors, in lower case.
    pub(super) fn read(&self, name: &[u8]) -> Vec<u8> {
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

/// The shortest part of a name that is taken for it where a table cuts names off.
const SHORTEST_CUT: usize = 10;

/// Whether a line is a row of a table: it has columns, parted by two blanks or more.
fn is_row(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let is_gap = |at: &usize| line[*at] == b' ' && line[*at + 1] == b' ' && (*at == 0 || line[*at - 1] != b' ');
    (0..line.len().saturating_sub(1)).filter(is_gap).count() >= 2
}

/// Adds or takes away blanks around a replaced name, so that what follows stays in its column; one blank stays on each side.
/// `out` ends with the new name of `length` bytes. Returns how many bytes of what follows are left out.
fn keep_column(out: &mut Vec<u8>, length: usize, follows: &[u8], old: usize, new: usize) -> usize {
    if follows.trim_ascii().is_empty() {
        return 0;
    }
    let blanks = follows.iter().take_while(|byte| **byte == b' ').count();
    if new < old {
        let place = if blanks > 0 { out.len() } else { out.len() - length };
        out.splice(place..place, std::iter::repeat_n(b' ', old - new));
        return 0;
    }
    let behind = (new - old).min(blanks.saturating_sub(1));
    let name = out.len() - length;
    let before = out[..name].iter().rev().take_while(|byte| **byte == b' ').count();
    let before = (new - old - behind).min(before.saturating_sub(1));
    out.drain(name - before..name);
    behind
}

/// Whether the word around a range may be a file's name: it has one of these slashes, or a point inside it. Other slashes end the word.
pub(super) fn is_path(text: &[u8], range: Range<usize>, slashes: &[u8]) -> bool {
    let is_slash = |byte: &u8| slashes.contains(byte);
    let divides = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b';') || (matches!(byte, b'/' | b'\\') && !is_slash(byte));
    let from = text[..range.start].iter().rposition(divides).map_or(0, |at| at + 1);
    let to = text[range.end..].iter().position(divides).map_or(text.len(), |length| range.end + length);
    let (front, back) = (&text[from..range.start], &text[range.end..to]);
    front.iter().chain(back).any(is_slash) || front.ends_with(b".") || (back.len() > 1 && back[0] == b'.' && back[1].is_ascii_alphanumeric())
}

/// Whether what stands behind this text is the first word of a command.
fn is_command(before: &[u8]) -> bool {
    let from = before.iter().rposition(|byte| matches!(byte, b'\n' | b';')).map_or(0, |at| at + 1);
    !before[from..].trim_ascii_start().iter().any(u8::is_ascii_whitespace)
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
        for (text, expected) in [
            (r"\model\grism\hc\70", r"\model\grism\hc\70"),
            ("models/grism.md3", "models/grism.md3"),
            ("kick Grism", "kick A"),
            ("of Grism.", "of A."),
            ("x_vs-grism", "x_vs-A"),
        ] {
            let mut text = text.as_bytes().to_vec();
            names.replace_outside_of_paths(&mut text);
            assert_eq!(text, expected.as_bytes());
        }
    }

    #[test]
    fn first_words_of_commands_stay() {
        let mut names = Names::new(Family::Quake3);
        names.set(b"map", b"A".to_vec());
        for (text, expected) in [("map_restart map", "map_restart A"), ("wait; map x\nmap y", "wait; map x\nmap y"), ("cmd map-map", "cmd A-A")] {
            let mut text = text.as_bytes().to_vec();
            names.replace_in_commands(&mut text);
            assert_eq!(String::from_utf8_lossy(&text), expected);
        }
    }

    #[test]
    fn rows_of_tables_keep_their_columns() {
        let names: &[(&[u8], &str)] = &[(b"Ann", "player 1"), (b"^1Bobby^7 the Long One", "player 2")];
        for (line, expected) in [
            ("red   Ann         12   3\n", "red   player 1    12   3\n"),
            ("  12   3   Ann\n", "  12   3   player 1\n"),
            ("  12        Ann  3\n", "  12    player 1 3\n"),
            ("| Bobby the Lo  12   3", "| player 2      12   3"),
            ("| ^1Bobby^7 the Long One  12   3", "| player 2            12   3"),
            ("Ann is Bobby the Lo", "player 1 is Bobby the Lo"),
        ] {
            assert_eq!(replaced(Family::Quake3, names, line.as_bytes()), expected);
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
