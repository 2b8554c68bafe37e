//! Chat. Games encode a chat line in several ways (`docs/formats/goldsrc.md`, "Chat").

use fragreel_model::{Channel, EventKind, Evidence, Text};

use super::EventBuilder;
use crate::game_text::{clean, text};
use crate::message::payload::Payload;

impl EventBuilder {
    /// `SayText`: the sender's number, then either a key and its parameters or a finished line. Servers use the number
    /// to choose a color for their own lines, which do not contain the name of a present player.
    pub(super) fn say_text(&mut self, data: &[u8]) -> Option<()> {
        let mut payload = Payload::new(data);
        let sender = payload.byte()?.checked_sub(1).filter(|&slot| self.roster.member(slot).present);
        let from = sender.map(|slot| self.roster.player(slot));
        let parts = strings(payload);
        let first = *parts.first()?;
        if from.is_some() && first.starts_with(b"#") {
            // key, name (often empty, because the number identifies the sender), words
            let words = parts.iter().skip(2).find(|part| !part.is_empty()).or_else(|| parts.iter().skip(1).find(|part| !part.is_empty()));
            let said = text(words.copied().unwrap_or(first));
            self.emit_stated(EventKind::Chat { from, channel: keyed_channel(first), text: said });
            return Some(());
        }
        let line = filled(&parts);
        let split = from.as_ref().and_then(|player| after_name(&line, &player.name.clean));
        let (from, channel, words) = match split {
            Some((before, words)) => (from, marked_channel(before), words),
            None => (None, Channel::Server, line.as_str()),
        };
        let said = Text::new(&parts.join(&0), words);
        if from.is_none() {
            self.finish_line(&said.clean);
        }
        self.emit(Evidence::Inferred, EventKind::Chat { from, channel, text: said });
        Some(())
    }

    /// The radio of Counter-Strike, in a `TextMsg` to the place 5: the sender's number as text, a key, the name, what
    /// was called.
    pub(super) fn radio(&mut self, parts: &[&[u8]]) -> Option<()> {
        let key = parts.iter().position(|part| part.starts_with(b"#Game_radio"))?;
        let name = clean(parts.get(key + 1)?);
        let said = parts.last()?;
        let from = self.roster.by_name(&name).map(|slot| self.roster.player(slot));
        self.emit_stated(EventKind::Chat { from, channel: Channel::Team, text: text(said) });
        Some(())
    }
}

/// The strings of a message, the last one closed by its NUL or by the message's end.
pub(super) fn strings(payload: Payload<'_>) -> Vec<&[u8]> {
    let rest = payload.rest();
    let rest = rest.strip_suffix(b"\0").unwrap_or(rest);
    if rest.is_empty() { Vec::new() } else { rest.split(|&byte| byte == 0).collect() }
}

/// A text with its parameters filled in: each `%s` takes the next parameter; the rest is appended.
pub(super) fn filled(parts: &[&[u8]]) -> String {
    let mut rest = parts.iter().map(|part| clean(part));
    let mut line = rest.next().unwrap_or_default();
    for part in rest.filter(|part| !part.is_empty()) {
        match line.find("%s") {
            Some(at) => {
                let digit = line[at + 2..].starts_with(|c: char| c.is_ascii_digit());
                line.replace_range(at..at + 2 + usize::from(digit), &part);
            }
            None => {
                line.push(' ');
                line.push_str(&part);
            }
        }
    }
    line
}

fn keyed_channel(key: &[u8]) -> Channel {
    let key = String::from_utf8_lossy(key);
    let Some(to) = key.strip_prefix("#Cstrike_Chat_") else { return Channel::Public };
    match to {
        _ if to.starts_with("All") => Channel::Public,
        _ if to.starts_with("Spec") => Channel::Spectator,
        _ => Channel::Team,
    }
}

fn marked_channel(before: &str) -> Channel {
    let before = before.to_ascii_lowercase();
    if before.contains("(team)") || before.contains("(terrorist)") || before.contains("(counter-terrorist)") {
        Channel::Team
    } else if before.contains("(spectator)") {
        Channel::Spectator
    } else {
        Channel::Public
    }
}

/// The part of a finished line before the speaker's name, and the words behind `name:` or `name :`.
fn after_name<'l>(line: &'l str, name: &str) -> Option<(&'l str, &'l str)> {
    if name.is_empty() {
        return None;
    }
    let at = line.find(name)?;
    let words = line[at + name.len()..].trim_start().strip_prefix(':')?;
    Some((&line[..at], words.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_fill_the_text() {
        assert_eq!(filled(&[b"%s1 killed %s2", b"a", b"b"]), "a killed b");
        assert_eq!(filled(&[b"#Key", b"", b"5"]), "#Key 5");
    }

    #[test]
    fn lines_are_split_behind_the_name() {
        assert_eq!(after_name("(TEAM) Gordon: go: now", "Gordon"), Some(("(TEAM) ", "go: now")));
        assert_eq!(after_name("*DEAD* Gordon :  hi", "Gordon"), Some(("*DEAD* ", "hi")));
        assert_eq!(after_name("Gordon has left", "Gordon"), None);
        assert_eq!(keyed_channel(b"#Cstrike_Chat_CT_Dead"), Channel::Team);
        assert_eq!(keyed_channel(b"#Cstrike_Chat_AllDead"), Channel::Public);
    }
}
