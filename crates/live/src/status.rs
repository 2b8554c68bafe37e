//! What servers answer when asked who plays: keys and values in one line, then a line per player.
//!
//! ```
//! use fragreel_live::status::{info, words};
//!
//! assert_eq!(info(b"\\map\\dm3\\x\\1"), [(b"map".to_vec(), b"dm3".to_vec()), (b"x".to_vec(), b"1".to_vec())]);
//! assert_eq!(words(b"5 30 \"a b\""), [&b"5"[..], b"30", b"a b"]);
//! ```

/// A query that is padded behind its line: servers answer a stranger with no more bytes than he sent, and read up to the line's end.
pub const fn padded<const LENGTH: usize>(query: &[u8]) -> [u8; LENGTH] {
    let mut all = [0; LENGTH];
    let mut at = 0;
    while at < query.len() {
        all[at] = query[at];
        at += 1;
    }
    all
}

/// A server and who plays on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// What the server calls itself.
    pub name: Vec<u8>,
    /// The map.
    pub map: Vec<u8>,
    /// How many may play.
    pub most_players: Option<u32>,
    /// Everything the server says of itself.
    pub info: Vec<(Vec<u8>, Vec<u8>)>,
    /// Who plays, as far as the server says.
    pub players: Vec<Player>,
}

/// One player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Player {
    /// His name.
    pub name: Vec<u8>,
    /// His score.
    pub score: i32,
    /// Milliseconds to him and back, where the server says so.
    pub ping: Option<i32>,
}

/// Most players of an answer that count.
const MOST_PLAYERS: usize = 256;

impl Status {
    /// Keys and values in the first line of `text`, and what `player` makes of the words of each other line.
    pub fn read(text: &[u8], keys: Keys, player: impl Fn(&[Vec<u8>]) -> Option<Player>) -> Self {
        let mut lines = text.split(|&byte| byte == b'\n');
        let info = info(lines.next().unwrap_or_default());
        let value = |key: &str| info.iter().find(|(found, _)| found.eq_ignore_ascii_case(key.as_bytes())).map(|(_, value)| value.clone()).unwrap_or_default();
        Self {
            name: value(keys.name),
            map: value(keys.map),
            most_players: std::str::from_utf8(&value(keys.most)).ok().and_then(|text| text.parse().ok()),
            players: lines.map(words).filter_map(|words| player(&words)).take(MOST_PLAYERS).collect(),
            info,
        }
    }
}

/// Under which keys a game's servers say what everybody wants to know.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    /// The server's name.
    pub name: &'static str,
    /// The map.
    pub map: &'static str,
    /// How many may play.
    pub most: &'static str,
}

/// A number in a word.
pub fn number(word: &[u8]) -> Option<i32> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Keys and values between backslashes.
pub fn info(text: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut parts = text.strip_prefix(b"\\").unwrap_or(text).split(|&byte| byte == b'\\');
    let mut pairs = Vec::new();
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        pairs.push((key.to_vec(), value.to_vec()));
    }
    pairs
}

/// A number between backslashes, behind its key.
pub fn info_number(text: &[u8], key: &str) -> Option<i32> {
    info(text).iter().find(|(found, _)| found == key.as_bytes()).and_then(|(_, value)| number(value))
}

/// A line's words: separated by blanks, quoted ones whole.
pub fn words(line: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        let start = rest.iter().position(|&byte| byte > b' ').unwrap_or(rest.len());
        rest = &rest[start..];
        match rest.first() {
            None => return found,
            Some(b'"') => {
                let end = rest[1..].iter().position(|&byte| byte == b'"').map_or(rest.len(), |end| end + 1);
                found.push(rest[1..end].to_vec());
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            Some(_) => {
                let end = rest.iter().position(|&byte| byte <= b' ').unwrap_or(rest.len());
                found.push(rest[..end].to_vec());
                rest = &rest[end..];
            }
        }
    }
}
