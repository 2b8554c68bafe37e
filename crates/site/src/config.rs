//! What the owner of a site decides.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The settings of a site, as `site.toml` has them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The title of the site.
    pub title: String,
    /// A sentence about it.
    pub about: String,
    /// Where it will be, with a slash at the end; feeds, the sitemap and pictures for chat programs need it.
    pub base: Option<String>,
    /// Whom to write to: an address of mail or of a page.
    pub contact: Option<String>,
    /// Whose names are shown.
    pub names: Names,
    /// Whether chat is shown.
    pub chat: bool,
    /// Whether search engines may list pages of players.
    pub index_players: bool,
    /// The best moments that are listed.
    pub moments: usize,
    /// Each person with the other names that he uses.
    pub people: BTreeMap<String, Vec<String>>,
    /// What is left out.
    pub removed: Removed,
    /// Events: each with the matches that belong to it.
    pub events: Vec<Event>,
}

/// Whose names are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// Everybody's.
    #[default]
    All,
    /// Those of `people`; all others are `player 1` and so on.
    Listed,
    /// Nobody's.
    None,
}

/// What is left out of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Removed {
    /// Names of players.
    pub players: Vec<String>,
    /// Recordings, by their hash or the beginning of it.
    pub recordings: Vec<String>,
}

/// An event of the owner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// A sentence about it.
    #[serde(default)]
    pub about: String,
    /// The recordings that belong to it, by hash or the beginning of it, in their order.
    #[serde(default)]
    pub recordings: Vec<String>,
    /// Matches between these days belong to it, too: `2026-11-07`.
    #[serde(default)]
    pub from: Option<String>,
    /// The last day.
    #[serde(default)]
    pub to: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            title: String::from("Demo archive"),
            about: String::new(),
            base: None,
            contact: None,
            names: Names::All,
            chat: true,
            index_players: false,
            moments: 1000,
            people: BTreeMap::new(),
            removed: Removed::default(),
            events: Vec::new(),
        }
    }
}

/// Settings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadConfig(String);

impl std::fmt::Display for BadConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadConfig {}

/// The fewest digits that name a recording.
const DIGITS: usize = 8;

impl Config {
    /// Reads settings.
    pub fn parse(text: &str) -> Result<Self, BadConfig> {
        let mut config: Config = toml::from_str(text).map_err(|error| BadConfig(error.to_string().trim_end().to_owned()))?;
        config.set_base(config.base.clone())?;
        let named = config.events.iter().flat_map(|event| &event.recordings).chain(&config.removed.recordings);
        for hash in named {
            if hash.len() < DIGITS || hash.len() > 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(BadConfig(format!("`{hash}` is no hash of a recording: it has {DIGITS} to 64 hexadecimal digits")));
            }
        }
        Ok(config)
    }

    /// Takes the address of the site.
    pub fn set_base(&mut self, base: Option<String>) -> Result<(), BadConfig> {
        let Some(base) = base else { return Ok(()) };
        let is_address = (base.starts_with("https://") || base.starts_with("http://")) && !base.contains(['"', '\'', '<', '>', ' ', '?', '#']);
        if !is_address {
            return Err(BadConfig(format!("`{base}` is no address of a site: write it like https://demos.example.org/")));
        }
        self.base = Some(if base.ends_with('/') { base } else { base + "/" });
        Ok(())
    }

    /// Whether `hash` is one of these recordings.
    pub(crate) fn names_recording(list: &[String], hash: &str) -> bool {
        list.iter().any(|start| hash.starts_with(&start.to_ascii_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_mistakes_are_said() {
        let config = Config::parse("title = 'Cup'\nbase = 'https://example.org/cup'\nnames = 'listed'\n[people]\nmilton = ['mlton']\n").unwrap();
        assert_eq!((config.title.as_str(), config.base.as_deref(), config.names), ("Cup", Some("https://example.org/cup/"), Names::Listed));
        assert_eq!(config.people["milton"], ["mlton"]);
        for (text, expected) in [
            ("titel = 'x'", "titel"),
            ("base = 'example.org'", "https://"),
            ("[removed]\nrecordings = ['xyz']", "hash"),
            ("[[events]]\nname = 'Cup'\nrecordings = ['..']", "hash"),
        ] {
            let error = Config::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
