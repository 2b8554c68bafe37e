//! What the server said of the level.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::files::Files;
use super::held::HeldModels;
use crate::characters;
use crate::message::{MoveVars, Text};

/// What the server said of the level.
#[derive(Debug, Clone, Default)]
pub struct Level {
    /// The game directory.
    pub gamedir: Text,
    /// The title.
    pub title: Text,
    /// How many players there may be, where stated.
    pub max_clients: u8,
    /// 0 cooperative, 1 deathmatch (NetQuake).
    pub game_type: Option<u8>,
    /// True if a NetQuake level has ThreeWave's flags: then it is Capture the Flag, between the teams of red and blue trousers.
    pub has_flags: bool,
    /// Constants of movement.
    pub move_vars: MoveVars,
    /// Keys of the server's info.
    pub info: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The models of weapons in players' hands, if the server names them.
    pub held: Option<Arc<HeldModels>>,
    /// Files by number.
    pub models: Arc<Files>,
    /// Files by number.
    pub sounds: Arc<Files>,
}

impl Level {
    /// The game directory: the server's setting, or else the directory of its first statement.
    pub(crate) fn game_directory(&self) -> String {
        self.setting("*gamedir").unwrap_or_else(|| characters::clean(self.gamedir.bytes()))
    }

    /// The map's file name, without folder and extension.
    pub fn map(&self) -> Option<String> {
        let path = self.models.get(1).map(Text::bytes)?;
        let name = path.rsplit(|&byte| byte == b'/').next()?;
        let name = name.strip_suffix(b".bsp").unwrap_or(name);
        (!name.is_empty()).then(|| characters::clean(name))
    }

    /// What is played, in words: what the server says, or what its numbers mean.
    pub(crate) fn game_type(&self) -> Option<String> {
        let off = |key: &str| self.info.get(key.as_bytes()).is_some_and(|value| value.trim_ascii() == b"0");
        let named = self.setting("mode").map(|mode| fragreel_model::common::name_of_mode(&mode).to_owned());
        named.or_else(|| match self.game_type? {
            1 if self.has_flags => Some(String::from("Capture the Flag")),
            1 => Some(String::from("deathmatch")),
            // the number only says that it is no deathmatch
            0 if self.max_clients == 1 || (off("coop") && off("deathmatch")) => Some(String::from("single player")),
            0 => Some(String::from("cooperative")),
            _ => None,
        })
    }

    /// Whether the server plays with teams.
    pub(crate) fn has_teams(&self) -> bool {
        self.has_flags || self.setting("teamplay").is_some_and(|value| value.trim() != "0")
    }

    /// A value of the server's info.
    pub(crate) fn setting(&self, key: &str) -> Option<String> {
        self.info.get(key.as_bytes()).map(|value| characters::clean(value))
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        let files: usize = self.models.iter().chain(self.sounds.iter()).map(|name| size_of::<Text>() + name.bytes().len()).sum();
        let info: usize = self.info.iter().map(|(key, value)| 2 * size_of::<Vec<u8>>() + key.len() + value.len()).sum();
        size_of::<Level>() + self.gamedir.bytes().len() + self.title.bytes().len() + files + info
    }
}
