//! Commands to the client that say who plays and how the server is set up (`docs/formats/quake1.md`, "Info in commands").
//!
//! QuakeWorld's `fullserverinfo`; and of FTE and its kin in NetQuake, where no message of their own has them,
//! `//fullserverinfo`, `//svi`, `//fui` and `//ui`, which older clients take for comments.

/// A command as far as it matters to the score board, the server's info, and the models of players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stuffed<'t> {
    /// All of the server's info.
    ServerInfo { info: &'t [u8] },
    /// One key of the server's info.
    ServerKey { key: &'t [u8], value: &'t [u8] },
    /// All of a player's info; empty when the slot becomes free.
    UserInfo { slot: u8, info: &'t [u8] },
    /// One key of a player's info.
    UserKey { slot: u8, key: &'t [u8], value: &'t [u8] },
    /// The models of weapons in players' hands; empty when the server has none.
    HeldModels { names: &'t [u8] },
}

impl<'t> Stuffed<'t> {
    /// The commands of a text that matter, in its order.
    pub(crate) fn read(text: &'t [u8]) -> impl Iterator<Item = Stuffed<'t>> {
        text.split(|&byte| byte == b'\n').filter_map(Self::command)
    }

    /// The slot that a command is about.
    pub(crate) fn slot(&self) -> Option<u8> {
        match self {
            Stuffed::UserInfo { slot, .. } | Stuffed::UserKey { slot, .. } => Some(*slot),
            _ => None,
        }
    }

    fn command(line: &'t [u8]) -> Option<Self> {
        let (name, mut rest) = word(line)?;
        match name {
            b"fullserverinfo" | b"//fullserverinfo" => Some(Stuffed::ServerInfo { info: word(rest)?.0 }),
            b"//vwep" => Some(Stuffed::HeldModels { names: rest }),
            b"//svi" => {
                let (key, rest) = word(rest)?;
                Some(Stuffed::ServerKey { key, value: word(rest)?.0 })
            }
            b"//fui" | b"//ui" => {
                let slot = std::str::from_utf8(word(rest)?.0).ok()?.parse().ok()?;
                rest = word(rest)?.1;
                let (first, rest) = word(rest)?;
                match name {
                    b"//fui" => Some(Stuffed::UserInfo { slot, info: first }),
                    _ => Some(Stuffed::UserKey { slot, key: first, value: word(rest)?.0 }),
                }
            }
            _ => None,
        }
    }
}

/// The next word, with what follows it; quotes hold a word together, and a missing last one ends it with the line.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    if let Some(quoted) = text.strip_prefix(b"\"") {
        let end = quoted.iter().position(|&byte| byte == b'"').unwrap_or(quoted.len());
        return Some((&quoted[..end], quoted.get(end + 1..).unwrap_or_default()));
    }
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_among_others() {
        let text = b"cl_foo 1\n//fullserverinfo \"\\a\\b c\"\n//fui 3 \"\\name\\joe\"\n//ui 3 \"team\" \"red\"\n//svi \"coop\" \"1\"\n//fui 4 \"\"\n//fui x\n//vwep a b";
        let found: Vec<_> = Stuffed::read(text).collect();
        assert_eq!(
            found,
            [
                Stuffed::ServerInfo { info: b"\\a\\b c" },
                Stuffed::UserInfo { slot: 3, info: b"\\name\\joe" },
                Stuffed::UserKey { slot: 3, key: b"team", value: b"red" },
                Stuffed::ServerKey { key: b"coop", value: b"1" },
                Stuffed::UserInfo { slot: 4, info: b"" },
                Stuffed::HeldModels { names: b" a b" },
            ]
        );
    }
}
