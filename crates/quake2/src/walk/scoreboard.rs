//! Scoreboards from layouts.

/// A row of a scoreboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    pub client: u16,
    pub score: i32,
    pub ping: Option<i32>,
    pub minutes: Option<i32>,
}

/// The rows of a layout: `client x y number score ping time` in deathmatch, `ctf x y number score ping` in CTF.
pub(crate) fn read(layout: &[u8]) -> Vec<Line> {
    let text = String::from_utf8_lossy(layout);
    let mut words = Words(&text);
    let mut lines = Vec::new();
    while let Some(word) = words.next() {
        let wanted = match word {
            "client" => 6,
            "ctf" => 5,
            _ => continue,
        };
        let numbers: Vec<i32> = words.by_ref().take(wanted).map_while(|word| word.parse().ok()).collect();
        let &[_, _, client, score, ping, ref rest @ ..] = &numbers[..] else { continue };
        let Ok(client) = u16::try_from(client) else { continue };
        lines.push(Line { client, score, ping: Some(ping), minutes: rest.first().copied() });
    }
    lines
}

/// Splits a layout into words and quoted strings, like the client's parser.
pub(crate) struct Words<'a>(pub &'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start_matches(|c: char| c <= ' ');
        if rest.is_empty() {
            return None;
        }
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(|c: char| c <= ' ').unwrap_or(rest.len())),
        };
        self.0 = after;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deathmatch_boards_are_read() {
        let lines = read(b"client 0 32 1 0 18 0 client 0 64 2 -3 20 7 xv 32 yv 96 picn tag1 string \"client 1 2 3 4 5 6\"");
        let line = |client, score, ping, minutes| Line { client, score, ping: Some(ping), minutes: Some(minutes) };
        assert_eq!(lines, [line(1, 0, 18, 0), line(2, -3, 20, 7)]);
        assert_eq!(read(b"ctf 0 42 5 12 33 "), [Line { client: 5, score: 12, ping: Some(33), minutes: None }]);
        assert_eq!(read(b"client 1 2"), []);
    }
}
