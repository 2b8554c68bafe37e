//! A recording without what identifies who took part.

use fragreel_base::wire::Error;
use fragreel_model::{Edited, Fate, Place, Rewrite, Role};

use super::names::Names;
use super::personal;
use super::remains::Gone;
use super::rename::renamed;
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

/// What [`Recording::scrub`] removes: everything personal, unless it is switched off here.
#[derive(Debug, Clone)]
pub struct Scrub {
    chat: Chat,
    names: bool,
    addresses: bool,
    identifiers: bool,
    voice: bool,
    called: Vec<(String, String)>,
}

impl Default for Scrub {
    fn default() -> Self {
        Scrub { chat: Chat::Remove, names: true, addresses: true, identifiers: true, voice: true, called: Vec::new() }
    }
}

impl Scrub {
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

    /// Lets the player `name` be called `new` instead of a number.
    #[must_use]
    pub fn call(mut self, name: &str, new: &str) -> Self {
        self.called.push((name.to_owned(), new.to_owned()));
        self
    }
}

impl Recording {
    /// The recording without what identifies who took part: chat goes, names become `player 1`, `player 2` and so on wherever they
    /// stand, names of clans and teams `team 1` and so on, addresses and identifiers become empty (`***` inside a line), voices go. With names
    /// go the names of files that a command or a key makes, and models and skins that are called like a player. Reads the recording once more,
    /// to know the names before they are met.
    ///
    /// The result is searched for all that was removed, in every text and in every encoding, by another way than it was removed. What is left is
    /// named by [`Action::TextRemains`](fragreel_model::Action::TextRemains).
    ///
    /// What people wrote elsewhere (a server's name and its message of the day, a vote, a demo's title) stays, but for names,
    /// addresses and identifiers in it.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::edit::{Chat, Scrub};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let edited = recording.scrub(&Scrub::default().chat(Chat::Keep))?;
    /// let players = Recording::open(edited.bytes, &edited.extension)?.info().players;
    /// assert!(players.iter().all(|player| player.name.clean.starts_with("player ")));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the recording cannot be rewritten. [`ErrorKind::Misuse`](crate::ErrorKind::Misuse) for a name that nobody has, and for a new one that
    /// games cannot take.
    pub fn scrub(&self, scrub: &Scrub) -> Result<Edited, Error> {
        let stated = self.stated_names()?;
        let called: Vec<_> = scrub.called.iter().map(|(name, new)| (&**name, &**new)).collect();
        let called = renamed(self.family(), &stated, &called)?;
        let (mut names, mut teams) = (Names::new(self.family()), Names::new(self.family()));
        stated.iter().for_each(|name| learn(&mut names, name));
        self.stated_teams()?.iter().for_each(|team| learn_team(&mut teams, team));
        called.into_iter().for_each(|(name, new)| names.set(&name, new));
        let mut scrubber = Scrubber { scrub, names, teams, gone: Gone::default() };
        let mut edited = self.rewrite(&mut scrubber)?;
        let replaced = scrub.names.then_some([&scrubber.names, &scrubber.teams]);
        scrubber.gone.search(self.family(), &mut edited, replaced.iter().flatten().copied())?;
        Ok(edited)
    }
}

/// Removes what is personal.
struct Scrubber<'s> {
    scrub: &'s Scrub,
    names: Names,
    teams: Names,
    /// What was removed so far.
    gone: Gone,
}

impl Scrubber<'_> {
    /// What is personal in a line for people.
    fn line(&mut self, line: &mut Vec<u8>) {
        if self.scrub.names {
            self.names.replace_in(line);
            self.teams.replace_in(line);
        }
        self.words(line);
    }

    fn words(&mut self, line: &mut Vec<u8>) {
        let gone = &mut self.gone;
        personal::blank(line, self.scrub.addresses, self.scrub.identifiers, |word| gone.add(Role::Identifier, word));
    }

    fn said(&mut self, line: &mut Vec<u8>) -> Fate {
        let scrub = self.scrub;
        if scrub.chat != Chat::Keep {
            self.gone.add(Role::Chat, line);
        }
        match &scrub.chat {
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

/// Names of teams that say nothing of who plays in them.
const COMMON_TEAMS: &[&str] = &["auto", "blue", "default", "free", "green", "none", "player", "red", "spectator", "spectators", "team", "yellow"];

/// Gives a team that its players named the next number.
fn learn_team(teams: &mut Names, name: &[u8]) {
    let read = teams.read(name);
    let is_common = COMMON_TEAMS.iter().any(|common| read == common.as_bytes());
    if !is_common && !read.iter().all(u8::is_ascii_digit) && teams.is_new(name) {
        let pseudonym = format!("team {}", teams.len() + 1);
        teams.set(name, pseudonym.into_bytes());
    }
}

/// Gives a name the next number.
fn learn(names: &mut Names, name: &[u8]) {
    if names.is_new(name) {
        let pseudonym = format!("player {}", names.len() + 1);
        names.set(name, pseudonym.into_bytes());
    }
}

impl Rewrite for Scrubber<'_> {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Chat => return self.said(text),
            Role::Print => self.line(text),
            Role::Name if self.scrub.names => {
                learn(&mut self.names, text);
                if let Some(new) = self.names.of(text) {
                    *text = new.to_vec();
                }
            }
            Role::Team if self.scrub.names => {
                learn_team(&mut self.teams, text);
                if let Some(new) = self.teams.of(text) {
                    *text = new.to_vec();
                }
            }
            Role::Look if self.scrub.names && (self.names.is_in(text) || self.teams.is_in(text)) => return Fate::Drop,
            Role::FileName if self.scrub.names => {
                self.gone.add(role, text);
                return Fate::Drop;
            }
            Role::Address if self.scrub.addresses => {
                self.gone.add(role, text);
                return Fate::Drop;
            }
            Role::Identifier if self.scrub.identifiers => {
                self.gone.add(role, text);
                return Fate::Drop;
            }
            Role::Command => {
                if self.scrub.names {
                    self.names.replace_in_commands(text);
                    self.teams.replace_in_commands(text);
                }
                self.words(text);
            }
            Role::String => {
                if self.scrub.names {
                    self.names.replace_outside_of_paths(text);
                    self.teams.replace_outside_of_paths(text);
                }
                self.words(text);
            }
            _ => {}
        }
        Fate::Keep
    }

    fn voice(&mut self, _: Place) -> Fate {
        if self.scrub.voice { Fate::Drop } else { Fate::Keep }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                    personal::blank(&mut clean, true, true, |_| {});
                }
                Role::FileName => clean.clear(),
                Role::Command => self.names.replace_in_commands(&mut clean),
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
            let recording = Recording::open(sample.bytes(), &sample.name).expect("a recording");
            let edited = match recording.scrub(&Scrub::default()) {
                Ok(edited) => edited,
                // Nothing personal can be found where messages are not understood.
                Err(error) if error.kind() == fragreel_base::wire::ErrorKind::Unsupported && sample.name.contains("protocol-4") => continue,
                Err(error) => panic!("{}: {error}", sample.name),
            };
            let scrubbed = Recording::open(edited.bytes, &edited.extension).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let mut names = Names::new(recording.family());
            // A player may be called what all are called now.
            let known = recording.stated_names().expect("it was read before");
            known.iter().filter(|name| !name.to_ascii_lowercase().starts_with(b"player")).for_each(|name| names.set(name, b"?".to_vec()));
            let mut inspect = Inspect { names, left: Vec::new(), voices: 0 };
            scrubbed.rewrite(&mut inspect).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            assert_eq!((inspect.left, inspect.voices), (vec![], 0), "{}", sample.name);
        }
    }
}
