//! What editing is asked for and what it gives.

mod action;
mod loss;
mod sentence;

use crate::{Clock, Milliseconds, Subject, Value};
pub use action::{Action, DeltaBase};
pub use loss::{Loss, LossList};

/// An edited recording, and what was done to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edited {
    /// The whole new file.
    pub bytes: Vec<u8>,
    /// The extension that its format usually has, without a dot: `dm_68`.
    pub extension: String,
    /// What was done, in file order; empty when the bytes are the old ones.
    pub actions: Vec<Action>,
    /// What the new file cannot say that the old one said, each once.
    pub losses: Vec<Loss>,
}

impl Edited {
    /// Adds a loss that was not named before.
    pub fn lose(&mut self, what: Loss) {
        if !self.losses.contains(&what) {
            self.losses.push(what);
        }
    }
}

/// A part of a recording: from the last frame at or before `from` to the last at or before `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Whose time it is.
    pub clock: Clock,
    /// Where it starts.
    pub from: Milliseconds,
    /// Where it ends.
    pub to: Milliseconds,
}

/// What to split a recording by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Split {
    /// A part for each level.
    Level,
    /// A part for each gamestate (server data, signon): a level that was loaded twice is two.
    Gamestate,
    /// A part for each match, from its start to its intermission.
    Match,
    /// Parts of at most this number of bytes.
    Size(u64),
}

/// What to convert a recording to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// The format: an extension (`dm_68`, `dm2`, `qwd`, `mvd`, `dem`), a protocol number (`34`, `15`, `666`), or both
    /// (`dem 666`); `None` for the closest that stock engines play.
    pub format: Option<String>,
    /// Through whose eyes, where the source saw several players: a slot's number, or a name with or without colors.
    pub pov: Option<String>,
}

/// How an edited recording agrees with its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// Frames of the edited recording whose state was compared with the source's at the same time.
    pub frames: u64,
    /// Frames among them that differ.
    pub differing: u64,
    /// The first differences, in words: time, what, both values. At most ten.
    pub differences: Vec<String>,
}

/// Whether a thing that a [`Rewrite`] was shown stays in the recording.
///
/// Every method of `Rewrite` returns one for the name, text, message, or file that it was given. `Keep` stands for a change, too: the method edits the
/// thing in place, and what it leaves there is written. The edit counts what was dropped and what was changed as [`Action`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It stays, as it now is.
    Keep,
    /// It goes.
    Drop,
}

/// Where a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the container's message, from 0.
    pub message: u32,
    /// Time since the recording's first frame.
    pub time: Milliseconds,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A line of chat, name and all, as it is shown.
    Chat,
    /// Any other line on the console or the screen.
    Print,
    /// A player's name, wherever it stands by itself: in user information, a configstring, a scoreboard.
    Name,
    /// A network address.
    Address,
    /// What identifies one person: a GUID, a Steam or cd-key number, a hash of one.
    Identifier,
    /// The name of a clan, or of a team that its players named.
    Team,
    /// The model or skin that a player chose.
    Look,
    /// The name of a file that a command or a key makes: games put players' names into it.
    FileName,
    /// A command to the client (`stufftext`, a Quake III server command that is no print), without what has a role of its own.
    Command,
    /// Any other string of the level: configstrings, user information, without what has a role of its own.
    String,
}

/// Changes a recording on its way through: identity by default, override one hook. A message that no hook touched keeps its
/// bytes.
///
/// Hooks see a thing again wherever it is repeated (a gamestate repeats user information), so what a hook does must
/// depend on what it is shown and not on how often.
pub trait Rewrite {
    /// A message of the game's protocol, by its stable name (`svc_print`, `snapshot`), before its texts. What the game cannot
    /// do without (a frame, server data) stays, whatever is said.
    fn message(&mut self, _place: Place, _kind: &str) -> Fate {
        Fate::Keep
    }

    /// A piece of text, bytes as sent without its end. Dropping a name, an address, an identifier, a team, a look or a file name empties it; dropping a line
    /// or a command drops the message or the command that holds nothing else.
    fn text(&mut self, _place: Place, _role: Role, _text: &mut Vec<u8>) -> Fate {
        Fate::Keep
    }

    /// The fields of players and entities, by the game's own names, that [`field`](Self::field) is shown; none by default.
    fn fields(&self) -> &[&str] {
        &[]
    }

    /// A field that a message gives a value: of whom, its name, its value. A message says only what has changed since another one, so the
    /// same value must always become the same. Shown are numbers of Quake III and Half-Life recordings, by the names that `state` has
    /// (`pos.trBase[0]`, `origin[0]`, `weapon.m_iClip`; in Half-Life also text, `physinfo`), and words of Quake II and Quake recordings as
    /// they are sent, by the names that `explain` has (`origin_x`, `stat_1`; of Quake II not coordinates that are sent as differences); a
    /// value that its field cannot hold is an error of the edit.
    fn field(&mut self, _place: Place, _of: Subject, _name: &str, _value: &mut Value) {}

    /// Voice data.
    fn voice(&mut self, _place: Place) -> Fate {
        Fate::Keep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stands_in_the_document() {
        let document = include_str!("../../../../docs/json.md");
        for kind in Action::KINDS.iter().chain(Loss::KINDS) {
            assert!(document.contains(&format!("`{kind}`")), "docs/json.md does not list {kind}");
        }
    }

    /// A kind has two variants only where they have other data: an offset or a number of parcels, a block's size or a count.
    #[test]
    fn kinds_have_one_variant_each() {
        let twice = |kinds: &[&'static str]| {
            let mut kinds = kinds.to_vec();
            kinds.sort_unstable();
            kinds.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect::<Vec<_>>()
        };
        assert_eq!(twice(Action::KINDS), ["bytes_left_out", "converted", "frames_left_out_baseless", "message_left_out", "split"]);
    }

    #[test]
    fn sentences_have_their_data() {
        let action = Action::BytesLeftOut { bytes: Some(1), offset: 7, why: String::from("no message") };
        assert_eq!((action.kind(), action.to_string().as_str()), ("bytes_left_out", "dropped 1 byte at offset 7: no message"));
        let loss = Loss::Voices { pieces: 2, protocol: 68 };
        assert_eq!(loss.to_string(), "2 pieces of voice, which clients of protocol 68 cannot read");
        let mut losses = LossList::default();
        [Loss::Sizes, Loss::Opacity, Loss::Sizes].into_iter().for_each(|what| losses.lose(what));
        assert_eq!(losses.sorted(), [Loss::Opacity, Loss::Sizes]);
    }
}
