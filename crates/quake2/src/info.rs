//! `info`: what a recording is. Frames are passed over.

use std::collections::BTreeMap;

use model::{Damage, Family, Info, Milliseconds, PlayerInfo};
use wire::Limits;

use crate::chars;
use crate::container::Window;
use crate::dialect::Dialect;
use crate::identify::{Framing, Identified};
use crate::message::{Body, Message, MvdBody, MvdMessage};
use crate::playback::{At, Manner, Visitor, walk};
use crate::state::{Detail, Effect, State};

pub(crate) fn info(bytes: &[u8], found: &Identified, limits: &Limits) -> Info {
    let mut look = Look::default();
    let manner = Manner { skim: true, detail: Detail::Strings, lenient: false, parcels: false, longest: limits.message_bytes };
    let (walked, state) = walk(bytes, found, manner, &mut look);
    let dialect = state.dialect;
    let mut info = Info::new(Family::Quake2, dialect.name(), bytes.len() as u64);
    info.recording = if found.framing == Framing::Mvd2 { String::from("multi-view") } else { dialect.kind.name().to_owned() };
    info.game = String::from("Quake II");
    info.game_mod = look.gamedir.map(|dir| chars::clean(&dir)).filter(|dir| !dir.is_empty());
    info.engine = dialect.engine().map(str::to_owned);
    info.maps = look.maps;
    info.game_type = look.settings.get("game_type").cloned();
    look.settings.remove("game_type");
    info.duration = (state.clock.frames() > 0).then(|| state.clock.time());
    info.snapshots = state.clock.frames();
    info.messages = walked.blocks.into();
    info.snapshot_rate = rate(info.duration, info.snapshots, state.levels);
    info.players = look.players.into_iter().map(|(slot, name)| PlayerInfo { slot, name: chars::text(&name), team: None }).collect();
    if let Ok(slot) = u16::try_from(look.recorder) {
        let name = info.players.iter().find(|player| player.slot == slot).map(|player| player.name.clone());
        info.recorder = name.map(|name| PlayerInfo { slot, name, team: None });
    }
    info.server_settings = look.settings;
    info.damage = look.damage;
    info.damage.truncate(limits.damage_entries);
    info
}

/// Frames per second: of the time between the first and the last, on all levels together.
fn rate(duration: Option<Milliseconds>, frames: u64, levels: u32) -> Option<f64> {
    let seconds = duration?.seconds();
    let steps = frames.checked_sub(u64::from(levels.max(1)))?;
    (seconds > 0.0 && steps > 0).then(|| (steps as f64 / seconds * 100.0).round() / 100.0)
}

/// The visitor.
#[derive(Default)]
struct Look {
    gamedir: Option<Vec<u8>>,
    maps: Vec<String>,
    players: BTreeMap<u16, Vec<u8>>,
    settings: BTreeMap<String, String>,
    recorder: i16,
    damage: Vec<Damage>,
}

impl Look {
    fn string(&mut self, index: u16, value: &[u8], dialect: &Dialect) {
        let strings = dialect.strings;
        if index == strings.models + 1 {
            self.maps.extend(map_name(value));
        } else if (strings.playerskins..strings.general).contains(&index) {
            let name = player_name(value);
            if !name.is_empty() {
                self.players.insert(index - strings.playerskins, name.to_vec());
            }
        } else if index == strings.maxclients {
            self.settings.insert(String::from("maxclients"), chars::clean(value));
        } else if index == strings.maxclients + 1 {
            self.settings.insert(String::from("mapchecksum"), chars::clean(value));
        } else if index == strings.airaccel {
            self.settings.insert(String::from("airaccel"), chars::clean(value));
        } else if index == 0 {
            self.settings.insert(String::from("level"), chars::clean(value));
        }
    }

    fn all(&mut self, state: &State) {
        for (index, value) in state.strings.iter() {
            self.string(index, value, &state.dialect);
        }
    }
}

impl Visitor for Look {
    fn block(&mut self, _: u32, _: Window<'_>) {}

    fn message(&mut self, _: At, message: &mut Message, _: &[u8], effect: Effect, state: &State) {
        match &message.body {
            Body::ConfigString(string) => self.string(string.index, &string.text.0, &state.dialect),
            Body::ServerData(data) => {
                self.gamedir.get_or_insert_with(|| data.gamedir.0.clone());
                if state.levels <= 1 {
                    self.recorder = data.clientnum;
                }
            }
            Body::GameState(_) | Body::ConfigStringStream(_) | Body::ConfigBlast(_) => self.all(state),
            _ => {}
        }
        let _ = effect;
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            MvdBody::ServerData(data) => {
                self.gamedir.get_or_insert_with(|| data.gamedir.0.clone());
                self.recorder = -1;
                self.all(state);
            }
            MvdBody::ConfigString(string) => self.string(string.index, &string.text.0, &state.dialect),
            _ => {}
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.damage.push(damage);
    }
}

/// The map's file name without folder and extension, from the configstring of its model.
pub(crate) fn map_name(model: &[u8]) -> Option<String> {
    let name = chars::clean(model);
    let name = name.strip_suffix(".bsp")?;
    Some(name.strip_prefix("maps/").unwrap_or(name).to_owned())
}

/// A player's name from the configstring of his skin: `name\model/skin`.
pub(crate) fn player_name(skin: &[u8]) -> &[u8] {
    skin.split(|&byte| byte == b'\\').next().unwrap_or(skin)
}
