//! Shows the texts of a recording to a [`Rewrite`], each in its role, and puts changed ones back (`docs/formats/quake3.md`, "Editing").

use fragreel_model::replay::{info_string, personal, undecoded};
use fragreel_model::{Fate, Place, Rewrite, Role};

use super::downloads::Downloads;
use super::undecoded_text;
use crate::dialect::{Dialect, Layout};
use crate::game::Game;
use crate::game::strings::{SERVERINFO, SYSTEMINFO};
use crate::message::{Download, Gamestate, GamestateItem};
use crate::strings::{Words, relayed_chat};

/// Shows text to a [`Rewrite`] in its roles.
pub(super) struct TextRewriter<'r> {
    pub rewrite: &'r mut dyn Rewrite,
    pub place: Place,
    game: Option<Game>,
}

/// Commands whose text has a role, and the number of its word.
const LINES: &[(&str, usize, Role)] = &[
    ("chat", 1, Role::Chat),
    ("tchat", 1, Role::Chat),
    ("bchat", 1, Role::Chat),
    // player, location, text
    ("mm2", 3, Role::Chat),
    // voice only, player, color, text
    ("vchat", 4, Role::Chat),
    ("vtchat", 4, Role::Chat),
    ("vtell", 4, Role::Chat),
    ("print", 1, Role::Print),
    ("cp", 1, Role::Print),
    ("disconnect", 1, Role::Print),
];

/// Keys of a player's string that say who the player is: Quake Live's have a clan's short and long name and a country.
const PLAYER: personal::OwnKeys<'_> = &[
    (b"n", Role::Name),
    (b"name", Role::Name),
    (b"cn", Role::Team),
    (b"xcn", Role::Team),
    (b"c", Role::Identifier),
    (b"model", Role::Look),
    (b"hmodel", Role::Look),
    (b"headmodel", Role::Look),
];

impl<'r> TextRewriter<'r> {
    pub(super) fn new(rewrite: &'r mut dyn Rewrite) -> Self {
        TextRewriter { rewrite, place: Place { message: 0, time: fragreel_model::Milliseconds(0) }, game: None }
    }

    /// Starts a level, whose strings state the game and so which strings are players'.
    pub(super) fn level(&mut self, gamestate: &Gamestate, dialect: &Dialect) {
        let string = |wanted: usize| {
            let found = gamestate.items.iter().rev().find_map(|item| match item {
                GamestateItem::ConfigString(string) if usize::from(string.index) == wanted => Some(&string.text[..]),
                _ => None,
            });
            found.unwrap_or_default()
        };
        let line = Game::of(dialect.line, b"", b"", b"");
        self.game = Some(Game::of(dialect.line, string(SERVERINFO), string(SYSTEMINFO), string(line.strings.game_version)));
    }

    fn show(&mut self, role: Role, text: &mut Vec<u8>) -> Fate {
        let fate = self.rewrite.text(self.place, role, text);
        if fate == Fate::Drop {
            text.clear();
        }
        fate
    }

    /// Shows a configstring. Returns whether it changed.
    pub(super) fn string(&mut self, index: usize, text: &mut Vec<u8>) -> bool {
        if text.is_empty() {
            return false;
        }
        let is_player = self.game.is_some_and(|game| game.strings.player_at(index).is_some());
        if is_player || text.contains(&b'\\') {
            let (rewrite, place) = (&mut *self.rewrite, self.place);
            return info_string::rewrite(text, if is_player { PLAYER } else { &[] }, &mut |role, value| rewrite.text(place, role, value));
        }
        let before = text.clone();
        let is_leader = self.game.and_then(|game| game.strings.leaders).is_some_and(|first| (first..first + 2).contains(&index));
        self.show(if is_leader { Role::Name } else { Role::String }, text);
        if *text != before {
            text.retain(|&byte| byte != 0);
        }
        *text != before
    }

    /// Shows a command. Returns whether it changed. A dropped command is left empty, because its number must exist.
    pub(super) fn command(&mut self, text: &mut Vec<u8>) -> bool {
        let before = text.clone();
        let mut words = Words::new(text);
        let Some(first) = words.next() else { return false };
        if first.eq_ignore_ascii_case(b"cs") {
            let index = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse::<usize>().ok());
            if let (Some(index), Some(range)) = (index, word_range(text, 2)) {
                self.trailing(text, range.end);
                let mut string = text[range.clone()].to_vec();
                if self.string(index, &mut string) {
                    replace(text, range, &string);
                }
            }
            return *text != before;
        }
        let line = LINES.iter().find(|(name, ..)| first.eq_ignore_ascii_case(name.as_bytes()));
        match line.and_then(|&(_, word, role)| Some((role, word_range(text, word)?))) {
            Some((role, range)) => {
                self.trailing(text, range.end);
                let mut said = text[range.clone()].to_vec();
                let role = if role == Role::Print && relayed_chat(&said).is_some() { Role::Chat } else { role };
                match self.rewrite.text(self.place, role, &mut said) {
                    Fate::Drop => text.clear(),
                    Fate::Keep if said != text[range.clone()] => replace(text, range, &said),
                    Fate::Keep => {}
                }
            }
            None => {
                let (rewrite, place) = (&mut *self.rewrite, self.place);
                personal::rewrite_commands(text, PLAYER, &mut |role, value| rewrite.text(place, role, value));
                if self.show(Role::Command, text) == Fate::Drop || *text != before {
                    text.retain(|&byte| byte != 0);
                }
            }
        }
        *text != before
    }

    /// Shows personal text in undecoded bytes, plain or Huffman-coded from any bit on. They keep their length. Returns whether anything changed.
    pub(super) fn undecoded(&mut self, bytes: &mut [u8], layout: Layout) -> bool {
        let (rewrite, place) = (&mut *self.rewrite, self.place);
        let mut hook = |role, text: &mut Vec<u8>| rewrite.text(place, role, text);
        let changed = undecoded::in_place(bytes, &mut hook);
        changed | undecoded_text::in_place(bytes, layout, &mut hook)
    }

    /// Like [`undecoded`](Self::undecoded), for Huffman-coded text only.
    pub(super) fn coded(&mut self, bytes: &mut [u8], layout: Layout) -> bool {
        let (rewrite, place) = (&mut *self.rewrite, self.place);
        let mut hook = |role, text: &mut Vec<u8>| rewrite.text(place, role, text);
        undecoded_text::in_place(bytes, layout, &mut hook)
    }

    /// Like [`undecoded`](Self::undecoded), for a piece of a downloaded file, which is plain.
    pub(super) fn download(&mut self, download: &mut Download, downloads: &mut Downloads<'_>) -> bool {
        let (rewrite, place) = (&mut *self.rewrite, self.place);
        let mut hook = |role, text: &mut Vec<u8>| rewrite.text(place, role, text);
        undecoded::in_place(&mut download.error, &mut hook) | downloads.piece(place.message, download.block, &mut download.data, &mut hook)
    }

    /// Shows the rest of a command behind the word that has a role. Clients ignore it, but people can read it.
    fn trailing(&mut self, text: &mut Vec<u8>, from: usize) {
        let from = from + usize::from(text.get(from) == Some(&b'"'));
        if text[from..].iter().any(|byte| !byte.is_ascii_whitespace()) {
            let mut rest = text.split_off(from);
            let (rewrite, place) = (&mut *self.rewrite, self.place);
            personal::rewrite_commands(&mut rest, PLAYER, &mut |role, value| rewrite.text(place, role, value));
            self.show(Role::Command, &mut rest);
            rest.retain(|&byte| byte != 0);
            text.append(&mut rest);
        }
    }
}

/// The range of word `wanted` of a command, without its quotation marks.
pub(super) fn word_range(text: &[u8], wanted: usize) -> Option<std::ops::Range<usize>> {
    Words::new(text).ranges().nth(wanted)
}

/// Replaces a word. Quotation marks become apostrophes, because they would end it.
fn replace(text: &mut Vec<u8>, range: std::ops::Range<usize>, new: &[u8]) {
    let quoted = range.start > 0 && text[range.start - 1] == b'"';
    let mut new: Vec<u8> = new.iter().filter(|&&byte| byte != 0).map(|&byte| if byte == b'"' { b'\'' } else { byte }).collect();
    if !quoted {
        new.insert(0, b'"');
        new.push(b'"');
    }
    text.splice(range, new);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes capitals, and remembers what it was shown.
    #[derive(Default)]
    struct Uppercase(Vec<(Role, String)>);

    impl Rewrite for Uppercase {
        fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
            self.0.push((role, String::from_utf8_lossy(text).into_owned()));
            text.make_ascii_uppercase();
            if text == b"GONE" { Fate::Drop } else { Fate::Keep }
        }
    }

    fn command(line: &str) -> (String, Vec<(Role, String)>) {
        let mut uppercase = Uppercase::default();
        let mut text = line.as_bytes().to_vec();
        let mut texts = TextRewriter::new(&mut uppercase);
        texts.level(&Gamestate::default(), Dialect::of(68).expect("known"));
        texts.command(&mut text);
        (String::from_utf8_lossy(&text).into_owned(), uppercase.0)
    }

    #[test]
    fn words_are_changed_where_they_stand() {
        for (line, expected, role) in [
            ("chat \"ann: hi\"", "chat \"ANN: HI\"", Role::Chat),
            ("print \"half", "print \"HALF", Role::Print),
            ("mm2 3 4 \"go now\"", "mm2 3 4 \"GO NOW\"", Role::Chat),
            ("cp bare", "cp \"BARE\"", Role::Print),
            ("chat \"gone\"", "", Role::Chat),
            ("map_restart", "MAP_RESTART", Role::Command),
            ("cs 3 \"a title\"", "cs 3 \"A TITLE\"", Role::String),
            ("print \"\"", "print \"\"", Role::Print),
        ] {
            let (text, shown) = command(line);
            assert_eq!((text.as_str(), shown[0].0), (expected, role), "{line}");
        }
    }

    #[test]
    fn what_follows_a_piece_is_shown_too() {
        for (line, expected, role) in [("print \"half\" more \n", "print \"HALF\" MORE \n", Role::Print), ("cs 3 \"a\" b", "cs 3 \"A\" B", Role::String)] {
            let (text, shown) = command(line);
            assert_eq!((text.as_str(), shown.len(), shown[0].0, shown[1].0), (expected, 2, Role::Command, role), "{line}");
        }
        assert_eq!(command("print \"all\"\n").1.len(), 1);
    }

    #[test]
    fn words_behind_personal_keys_are_shown() {
        let (text, shown) = command("set g_password abc; wait");
        assert_eq!((text.as_str(), shown[0].clone()), ("SET G_PASSWORD ABC; WAIT", (Role::Identifier, String::from("abc"))));
    }

    #[test]
    fn info_strings_show_persons_by_themselves() {
        let (text, shown) = command("cs 544 \"n\\ann\\t\\1\\ip\\1.2.3.4\\model\\sarge\\cl_guid\\abc\"");
        assert_eq!(text, "cs 544 \"n\\ANN\\t\\1\\ip\\1.2.3.4\\model\\SARGE\\cl_guid\\ABC\"");
        let expected = [(Role::Name, "ann"), (Role::Address, "1.2.3.4"), (Role::Look, "sarge"), (Role::Identifier, "abc")];
        assert_eq!(shown, expected.map(|(role, text)| (role, String::from(text))));
        let (text, _) = command("cs 0 \"\\n\\ann\\mapname\\q3dm6\"");
        assert_eq!(text, "cs 0 \"\\n\\ANN\\mapname\\q3dm6\"");
    }
}
