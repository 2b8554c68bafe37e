//! Chat: the commands that carry it, and how speaker and text share one string (`docs/formats/quake3-events.md`,
//! "Chat").

use fragreel_model::{Channel, EventKind, Player};

use crate::game::Game;
use crate::strings::{Words, number, relayed_chat, text};
use crate::walk::Roster;

/// The control character that stock servers put around names, so that players cannot fake them.
const ESCAPE: u8 = 0x19;

/// A line of chat.
#[derive(Debug, PartialEq)]
pub(super) struct ChatLine {
    from: Option<Player>,
    channel: Channel,
    text: Vec<u8>,
}

impl ChatLine {
    pub(super) fn event(self) -> EventKind {
        EventKind::Chat { from: self.from, channel: self.channel, text: text(&self.text) }
    }
}

/// Reads the line of chat of a command, if it carries one.
pub(super) fn read(command: &[u8], mut words: Words<'_>, players: &Roster, game: &Game) -> Option<ChatLine> {
    let channel = match command {
        b"chat" | b"bchat" => Channel::Public,
        b"tchat" | b"mm2" => Channel::Team,
        // `vchat` and similar commands name a voice file and have no text
        _ => return None,
    };
    let said = match command {
        // player, location, text
        b"mm2" => by_slot(words.next()?, channel, words.nth(1)?, players),
        _ => line(words.next()?, channel, players, game.numbered_chat),
    };
    Some(said.for_spectators())
}

impl ChatLine {
    /// Team chat of spectators goes to spectators.
    fn for_spectators(mut self) -> Self {
        if self.channel == Channel::Team && self.from.as_ref().is_some_and(|from| from.team.as_deref() == Some("spectator")) {
            self.channel = Channel::Spectator;
        }
        self
    }
}

fn by_slot(slot: &[u8], channel: Channel, text: &[u8], players: &Roster) -> ChatLine {
    let from = u32::try_from(number(slot)).ok().filter(|&slot| players.has_slot(slot)).map(|slot| players.player(slot));
    ChatLine { from, channel, text: text.to_vec() }
}

/// Takes `NAME^7: ^2TEXT` and its kin apart.
fn line(whole: &[u8], channel: Channel, players: &Roster, numbered: bool) -> ChatLine {
    let (slot, line) = if numbered { split_slot(whole) } else { (None, whole) };
    let slot = slot.filter(|&slot| players.has_slot(slot));
    let Some((head, body)) = split(line, slot, players) else {
        return ChatLine { from: slot.map(|slot| players.player(slot)), channel: if slot.is_some() { channel } else { Channel::Server }, text: line.to_vec() };
    };
    let head: Vec<u8> = head.iter().copied().filter(|&byte| byte != ESCAPE).collect();
    let (name, channel) = speaker(&head, channel, players);
    let text = body.strip_suffix(b"\n").unwrap_or(body).to_vec();
    match slot {
        Some(slot) => ChatLine { from: Some(players.player(slot)), channel, text },
        None if matches!(name, b"console" | b"server") => ChatLine { from: None, channel: Channel::Server, text },
        None => ChatLine { from: Some(players.named(name)), channel, text },
    }
}

/// Quake Live's two digits and a blank before the line.
fn split_slot(line: &[u8]) -> (Option<u32>, &[u8]) {
    match line {
        [tens, ones, b' ', rest @ ..] if tens.is_ascii_digit() && ones.is_ascii_digit() => (Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')), rest),
        _ => (None, line),
    }
}

/// Splits a line into speaker and text. What the server puts before a colon shows that it ends the name, or the name is known.
fn split<'a>(line: &'a [u8], slot: Option<u32>, players: &Roster) -> Option<(&'a [u8], &'a [u8])> {
    if let Some(at) = find(line, b"\x19: ") {
        return Some((&line[..at], &line[at + 3..]));
    }
    let known = match slot.and_then(|slot| players.raw_name(slot)) {
        // a clan tag may precede the name
        Some(name) => find(line, name).map(|at| at + name.len()),
        None => players.raw_names().filter_map(|name| end_of_name(line, name)).max(),
    };
    if let Some(end) = known
        && let Some(at) = find(&line[end..], b": ")
    {
        return Some((&line[..end + at], &line[end + at + 2..]));
    }
    let at = find(line, b"^7: ").map(|at| at + 2).or_else(|| find(line, b": "))?;
    Some((&line[..at], &line[at + 2..]))
}

/// Where `name` ends in `line`, when the line begins with it and the server's mark follows.
fn end_of_name(line: &[u8], name: &[u8]) -> Option<usize> {
    let lead = usize::from(matches!(line.first(), Some(b'(' | b'[')));
    let rest = line.get(lead..)?.strip_prefix(name).filter(|_| !name.is_empty())?;
    let marked = [&b"^7: "[..], b": ", b"^7)", b"^7]"].iter().any(|mark| rest.starts_with(mark));
    marked.then_some(lead + name.len())
}

/// The name in `NAME^7`, `(NAME^7)`, `(NAME^7) (LOCATION)`, `[NAME^7]`, and the channel that the brackets mean.
fn speaker<'a>(head: &'a [u8], channel: Channel, players: &Roster) -> (&'a [u8], Channel) {
    let (close, inside) = match (channel, head.first()) {
        (Channel::Team, Some(b'(')) => (b')', Channel::Team),
        (Channel::Public, Some(b'[')) => (b']', Channel::Private),
        _ => return (head.strip_suffix(b"^7").unwrap_or(head), channel),
    };
    let name = &head[1..];
    // `[` may well be the beginning of a name
    let marked = find(name, &[b'^', b'7', close]);
    match marked.or_else(|| name.iter().rposition(|&byte| byte == close).filter(|_| inside == Channel::Team)) {
        Some(at) if inside == Channel::Team || players.named(&name[..at]).slot.is_some() => (&name[..at], inside),
        _ => (head.strip_suffix(b"^7").unwrap_or(head), channel),
    }
}

/// Chat of OSP's spectators and GTV's viewers, which comes as a print.
pub(super) fn printed(line: &[u8]) -> Option<ChatLine> {
    let (name, body) = relayed_chat(line)?;
    let from = Player { slot: None, name: text(name), team: None };
    Some(ChatLine { from: Some(from), channel: Channel::Spectator, text: body.trim_ascii_end().to_vec() })
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len().max(1)).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Line;
    use crate::walk::roster::tests::roster;

    fn said(command: &str, quake_live: bool) -> (Option<(Option<u16>, String)>, Channel, String) {
        let players = roster(&["^1Red", "anna: b", "[x] y", "^2c58^3|^2PELE ^3[^2PK^3]^7"]);
        let game = Game::of(if quake_live { Line::QuakeLive } else { Line::Quake3 }, b"", b"", b"");
        let mut words = Words::new(command.as_bytes());
        let name = words.next().unwrap();
        let said = read(name, words, &players, &game).unwrap();
        (said.from.map(|from| (from.slot, from.name.clean)), said.channel, String::from_utf8(said.text).unwrap())
    }

    fn by(slot: u16, name: &str) -> Option<(Option<u16>, String)> {
        Some((Some(slot), String::from(name)))
    }

    #[test]
    fn stock_servers_mark_names() {
        assert_eq!(said("chat \"^1Red^7\x19: ^2a: b\"", false), (by(0, "Red"), Channel::Public, String::from("^2a: b")));
        assert_eq!(said("chat \"anna: b^7\x19: ^2hi\"", false), (by(1, "anna: b"), Channel::Public, String::from("^2hi")));
        assert_eq!(said("tchat \"\x19(^1Red^7\x19) (RA)\x19: ^5mine\"", false), (by(0, "Red"), Channel::Team, String::from("^5mine")));
        assert_eq!(said("chat \"\x19[^1Red^7\x19]\x19: ^6psst\"", false), (by(0, "Red"), Channel::Private, String::from("^6psst")));
    }

    #[test]
    fn without_marks_known_names_help() {
        assert_eq!(said("chat \"anna: b^7: ^2hi: there\"", false), (by(1, "anna: b"), Channel::Public, String::from("^2hi: there")));
        assert_eq!(said("chat \"[x] y^7: ^2hi\"", false), (by(2, "[x] y"), Channel::Public, String::from("^2hi")));
        assert_eq!(said("chat \"^2c58^3|^2PELE ^3[^2PK^3]^7^7: ^2gg\"", false), (by(3, "c58|PELE [PK]"), Channel::Public, String::from("^2gg")));
        assert_eq!(said("tchat \"(^1Red^7) (Loser's Hall): ^5ok\"", false), (by(0, "Red"), Channel::Team, String::from("^5ok")));
        assert_eq!(said("chat \"nobody^7: ^2hi\"", false), (Some((None, String::from("nobody"))), Channel::Public, String::from("^2hi")));
    }

    #[test]
    fn some_say_by_number() {
        assert_eq!(said("mm2 1 5 \"Lightning Gun^5 ^3TAKEN\"", false), (by(1, "anna: b"), Channel::Team, String::from("Lightning Gun^5 ^3TAKEN")));
        assert_eq!(said("chat \"00 ^1Red^7\x19: ^2thats ok\"", true), (by(0, "Red"), Channel::Public, String::from("^2thats ok")));
        assert_eq!(said("tchat \"01 (^1+^7 anna: b^7) (Bridge^7): ^5^3LOW\"", true), (by(1, "anna: b"), Channel::Team, String::from("^5^3LOW")));
        // more slots than there can be
        assert_eq!(said("mm2 4096 0 x", false).0, None);
    }

    /// The entry of a game says it, not the line of games that it belongs to.
    #[test]
    fn a_game_of_another_line_may_number_its_chat() {
        let toy = Game { numbered_chat: true, ..Game::of(Line::Quake3Early, b"", b"", b"") };
        let said = read(b"chat", Words::new(b"\"01 anna: b^7\x19: ^2hi\""), &roster(&["a", "anna: b"]), &toy).unwrap();
        assert_eq!((said.from.and_then(|from| from.slot), &*said.text), (Some(1), &b"^2hi"[..]));
    }

    #[test]
    fn lines_of_voice_files_are_no_words() {
        let game = Game::of(Line::Quake3, b"", b"", b"");
        for command in ["vchat 0 2 50 taunt", "vtchat 0 2 50 getflag", "vtell 0 2 50 yes"] {
            let mut words = Words::new(command.as_bytes());
            let name = words.next().unwrap();
            assert_eq!(read(name, words, &roster(&["a", "b", "c"]), &game), None, "{command}");
        }
    }

    #[test]
    fn servers_speak_too() {
        assert_eq!(said("chat \"console: hello\"", false), (None, Channel::Server, String::from("hello")));
        assert_eq!(said("chat \"no colon\"", false), (None, Channel::Server, String::from("no colon")));
    }

    #[test]
    fn prints_of_relayed_spectators_are_chat() {
        let said = printed(b"^7=KK-Sprout=^4 (45)^3: found it\n").unwrap();
        assert_eq!((said.from.unwrap().name.clean.as_str(), &said.text[..]), ("=KK-Sprout=", &b"found it"[..]));
        for line in ["Timelimit hit.\n", "^4 (): x", "a^4 (1) b"] {
            assert_eq!(printed(line.as_bytes()), None);
        }
    }
}
