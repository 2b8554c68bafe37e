//! A recording without what identifies who took part.

use fragreel_base::wire::Error;
use fragreel_model::{Fate, Place, Rewrite, Role};

use super::names::Names;
use super::{Players, personal};
use crate::Recording;

/// What becomes of lines of chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chat {
    /// They stay, with names, addresses and identifiers in them treated like everywhere else.
    Keep,
    /// They go.
    Remove,
    /// What was said becomes this; who said it stays to be seen.
    Replace(Vec<u8>),
}

/// A [`Rewrite`] that removes what identifies who took part: chat goes, names become `player 1`, `player 2` and so on wherever they
/// stand, addresses and identifiers become empty (`***` inside a line), voices go. Each can be switched off.
///
/// What people wrote elsewhere (a server's name and its message of the day, a vote, a demo's title) stays, but for names,
/// addresses and identifiers in it.
///
/// ```
/// use fragreel::Demo;
/// use fragreel::edit::{Chat, Scrub};
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
/// let recording = demo.open()?;
/// let edited = recording.rewrite(&mut Scrub::of(&recording)?.chat(Chat::Keep))?;
/// let demo = Demo::new(edited.bytes, &edited.extension)?;
/// let players = demo.open()?.info().players;
/// assert!(players.iter().all(|player| player.name.clean.starts_with("player ")));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Scrub {
    players: Names,
    chat: Chat,
    names: bool,
    addresses: bool,
    identifiers: bool,
    voice: bool,
}

impl Scrub {
    /// Everything personal goes. Reads the recording once, to know the names before they are met.
    ///
    /// # Errors
    /// When the recording cannot be rewritten.
    pub fn of(recording: &Recording<'_>) -> Result<Self, Error> {
        let players = Players::of(recording)?;
        let mut names = Names::new(recording.family());
        for name in &players.names {
            learn(&mut names, name);
        }
        Ok(Scrub { players: names, chat: Chat::Remove, names: true, addresses: true, identifiers: true, voice: true })
    }

    /// What becomes of chat; it goes at first.
    #[must_use]
    pub fn chat(self, chat: Chat) -> Self {
        Scrub { chat, ..self }
    }

    /// Whether names are replaced; they are at first.
    #[must_use]
    pub fn names(self, names: bool) -> Self {
        Scrub { names, ..self }
    }

    /// Whether network addresses go; they do at first.
    #[must_use]
    pub fn addresses(self, addresses: bool) -> Self {
        Scrub { addresses, ..self }
    }

    /// Whether GUIDs, Steam numbers and the like go; they do at first.
    #[must_use]
    pub fn identifiers(self, identifiers: bool) -> Self {
        Scrub { identifiers, ..self }
    }

    /// Whether voices go; they do at first.
    #[must_use]
    pub fn voice(self, voice: bool) -> Self {
        Scrub { voice, ..self }
    }

    /// Lets a player be called `new` instead of a number.
    #[must_use]
    pub fn call(mut self, name: &[u8], new: &[u8]) -> Self {
        self.players.set(name, new.to_vec());
        self
    }

    /// What is personal in a line for people.
    fn line(&self, line: &mut Vec<u8>) {
        if self.names {
            self.players.replace_in(line);
        }
        self.words(line);
    }

    fn words(&self, line: &mut Vec<u8>) {
        personal::blank(line, self.addresses, self.identifiers);
    }

    fn said(&self, line: &mut Vec<u8>) -> Fate {
        match &self.chat {
            Chat::Remove => return Fate::Drop,
            Chat::Keep => self.line(line),
            Chat::Replace(text) => {
                let end = line.iter().rposition(|c| !matches!(c, b'\n' | b'\r')).map_or(0, |last| last + 1);
                let speaker = line.windows(2).position(|pair| pair == b": ").map_or(0, |colon| colon + 2);
                let (mut front, back) = (line[..speaker].to_vec(), line[end.max(speaker)..].to_vec());
                self.line(&mut front);
                *line = [&front[..], text, &back].concat();
            }
        }
        Fate::Keep
    }
}

/// Gives a name the next number.
fn learn(names: &mut Names, name: &[u8]) {
    if names.is_new(name) {
        let pseudonym = format!("player {}", names.len() + 1);
        names.set(name, pseudonym.into_bytes());
    }
}

impl Rewrite for Scrub {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Chat => return self.said(text),
            Role::Print => self.line(text),
            Role::Name if self.names => {
                learn(&mut self.players, text);
                if let Some(new) = self.players.of(text) {
                    *text = new.to_vec();
                }
            }
            Role::Address if self.addresses => return Fate::Drop,
            Role::Identifier if self.identifiers => return Fate::Drop,
            Role::Command | Role::String => {
                if self.names {
                    self.players.replace_outside_of_paths(text);
                }
                self.words(text);
            }
            _ => {}
        }
        Fate::Keep
    }

    fn voice(&mut self, _: Place) -> Fate {
        if self.voice { Fate::Drop } else { Fate::Keep }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Demo;

    /// Looks for what should have gone.
    struct Inspect {
        names: Names,
        left: Vec<(Role, String)>,
        voices: usize,
    }

    impl Rewrite for Inspect {
        fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
            let mut clean = text.clone();
            match role {
                Role::Chat | Role::Address | Role::Identifier => clean.clear(),
                Role::Name | Role::Print => {
                    self.names.replace_in(&mut clean);
                    personal::blank(&mut clean, true, true);
                }
                _ => self.names.replace_outside_of_paths(&mut clean),
            }
            if clean != *text {
                self.left.push((role, fragreel_model::game_text(text)));
            }
            Fate::Keep
        }

        fn voice(&mut self, _: Place) -> Fate {
            self.voices += 1;
            Fate::Keep
        }
    }

    #[test]
    fn nothing_personal_is_left_in_any_sample() {
        for sample in ["quake3", "quake2", "goldsrc", "quake1"].into_iter().flat_map(fragreel_testkit::samples) {
            let demo = Demo::new(sample.bytes(), &sample.name).expect("within the limits");
            let recording = demo.open().expect("a recording");
            let mut scrub = match Scrub::of(&recording) {
                Ok(scrub) => scrub,
                // Nothing personal can be found where messages are not understood.
                Err(error) if error.kind() == fragreel_base::wire::ErrorKind::Unsupported && sample.name.contains("protocol-4") => continue,
                Err(error) => panic!("{}: {error}", sample.name),
            };
            let edited = recording.rewrite(&mut scrub).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let scrubbed = Demo::new(edited.bytes, &edited.extension).expect("within the limits");
            let mut names = Names::new(recording.family());
            // A player may be called what all are called now.
            let known = Players::of(&recording).expect("it was read before").names;
            known.iter().filter(|name| !name.to_ascii_lowercase().starts_with(b"player")).for_each(|name| names.set(name, b"?".to_vec()));
            let mut inspect = Inspect { names, left: Vec::new(), voices: 0 };
            scrubbed.open().and_then(|recording| recording.rewrite(&mut inspect)).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            assert_eq!((inspect.left, inspect.voices), (vec![], 0), "{}", sample.name);
        }
    }
}
