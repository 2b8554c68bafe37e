//! What a recording is.

use model::{Family, Info};

use super::Recording;
use super::findings::Findings;
use super::people::People;
use super::verify::{broken, unknown, unreadable};
use crate::characters;
use crate::clock::Clock;
use crate::container::Container;
use crate::events::target_of;
use crate::message::Message;
use crate::state::Game;
use crate::walk::{Addressee, Decoder, Item, Step};

/// The game directory as the server states it.
pub(crate) fn game_directory(game: &Game) -> String {
    let stated = characters::clean(game.level.gamedir.bytes());
    let setting = game.level.setting("*gamedir");
    match (stated.is_empty(), setting) {
        (_, Some(setting)) => setting,
        (true, None) => String::new(),
        (false, None) => stated,
    }
}

impl Recording<'_> {
    /// What the recording is, as far as its strings say.
    pub fn info(&self) -> Info {
        let mut info = Info::new(Family::Quake1, self.dialect.name(), self.bytes.len() as u64);
        let mut seen = Survey { game: Game::without_bodies(), clock: Clock::default(), maps: Vec::new(), people: People::default(), first: None };
        let mut findings = Findings::default();
        let mut decoder = Decoder::skimming(self.container);
        let mut addressee = Addressee::default();
        for step in self.walk() {
            let block = match step {
                Step::Block(block) => block,
                Step::Broken(error, (from, to)) => {
                    findings.add(broken(&error, from, to, self.bytes.len()), &self.limits);
                    continue;
                }
            };
            info.messages += 1;
            seen.clock.block(&block.framing);
            let Some(target) = target_of(&block.framing) else { continue };
            let target = addressee.resolve(target);
            let result = decoder.decode(&block, |d, item, at| match item {
                Item::Message(message) => {
                    if let Message::Unknown(m) = message {
                        findings.add(unknown(m.number, at, &block), &self.limits);
                    }
                    seen.clock.message(message);
                    seen.game.apply(d, message, target, 0);
                    seen.message(message);
                }
                Item::Hidden(_) | Item::Header(_) | Item::Opaque(_) => {}
            });
            if let Err(error) = result {
                findings.add(unreadable(&error, &block), &self.limits);
            }
        }
        seen.tell(self.container, &mut info);
        info.dialect = self.dialect.name();
        info.damage = findings.kept;
        info
    }
}

struct Survey {
    game: Game,
    clock: Clock,
    maps: Vec<String>,
    people: People,
    first: Option<model::Milliseconds>,
}

impl Survey {
    fn message(&mut self, message: &Message) {
        match message {
            Message::ModelList(_) | Message::ModelListShort(_) | Message::ServerInfo(_) => {
                if matches!(message, Message::ServerInfo(_)) {
                    self.people.level();
                }
                if let Some(map) = self.game.level.map().filter(|map| self.maps.last() != Some(map)) {
                    self.maps.push(map);
                }
            }
            Message::UpdateUserInfo(_) | Message::SetInfo(_) | Message::UpdateName(_) => {
                self.people.see(&self.game);
            }
            Message::StuffText(m) if m.text.bytes().starts_with(b"//") => self.people.see(&self.game),
            message if super::is_frame(message) => {
                self.first.get_or_insert(self.clock.demo);
            }
            _ => {}
        }
    }

    fn tell(self, container: Container, info: &mut Info) {
        let game = &self.game;
        info.recording = String::from(if container == Container::MultiView { "multi-view" } else { "client" });
        info.game = String::from(if container == Container::NetQuake { "Quake" } else { "QuakeWorld" });
        let directory = game_directory(game);
        let ktx = game.level.setting("ktxver");
        // the game's own directory says nothing of the mod that runs in it
        info.game_mod = Some(directory).filter(|directory| !directory.is_empty() && directory != "qw").or_else(|| ktx.as_ref().map(|_| String::from("ktx")));
        info.mod_version = ktx.map(|version| format!("KTX {version}"));
        info.engine = game.level.setting("*version");
        info.maps = self.maps;
        info.game_type = game.level.game_type();
        info.server = game.level.info.get(b"hostname".as_slice()).map(|name| characters::text(name));
        let first = self.first.unwrap_or_default();
        info.duration = (game.frames > 0).then(|| self.clock.demo - first);
        info.snapshots = game.frames;
        let seconds = info.duration.map_or(0.0, model::Milliseconds::seconds);
        info.snapshot_rate = (seconds > 0.0).then(|| game.frames as f64 / seconds);
        info.recorder = game.own.and_then(|slot| self.people.in_slot(slot)).cloned();
        info.players = self.people.all();
        info.server_settings = game.level.info.iter().map(|(key, value)| (characters::clean(key), characters::clean(value))).collect();
    }
}
