//! `info`: what a recording is.

use std::ops::ControlFlow;

use model::{DamageKind, Family, Info, Kinds, PlayerInfo};
use replay::Sink;

use crate::container::Step;
use crate::events::{EventBuilder, map_name};
use crate::game_text::{clean, text};
use crate::message::munge::unmunge;
use crate::message::{Message, ServerInfo};
use crate::recording::Recording;
use crate::walk::findings::Unreadable;
use crate::walk::playback::Playback;

/// Games by their directory.
const GAMES: &[(&str, &str)] = &[
    ("valve", "Half-Life"),
    ("gearbox", "Opposing Force"),
    ("bshift", "Blue Shift"),
    ("cstrike", "Counter-Strike"),
    ("czero", "Counter-Strike: Condition Zero"),
    ("tfc", "Team Fortress Classic"),
    ("dod", "Day of Defeat"),
    ("dmc", "Deathmatch Classic"),
    ("ricochet", "Ricochet"),
];

impl Recording<'_> {
    /// What the recording is and who took part. Reads messages, but rebuilds no entities.
    pub fn info(&self) -> Info {
        let container = &self.container;
        let mut info = Info::new(Family::GoldSrc, self.dialect().name(), container.bytes.len() as u64);
        info.damage.clone_from(&container.damage);
        let game = clean(container.header.game_name());
        info.game = GAMES.iter().find(|(directory, _)| *directory == game).map_or("Half-Life", |(_, name)| name).to_owned();
        info.game_mod = Some(game).filter(|game| !game.is_empty());
        info.engine = Some(self.dialect().build().to_owned());
        let hltv = self.is_hltv();
        info.recording = String::from(if hltv { "hltv" } else { "client" });
        let mut unreadable = Unreadable::default();
        let mut ignore = |_| ControlFlow::Continue(());
        let mut builder = EventBuilder::new(Kinds::NONE, Sink::new(&mut ignore));
        // a recorder that was stopped late or crashed dates its last macro otherwise than what it shows
        let (mut last_frame, mut last_macro, mut played) = (None, None, 0);
        let mut playback = Playback::new(self);
        while let Some(step) = playback.next() {
            let (number, segment, window) = match step {
                Step::Damage(damage) => {
                    info.damage.push(damage);
                    continue;
                }
                Step::Macro { number, segment, window } => (number, segment, window),
            };
            info.messages += 1;
            let playing = playback.is_played(segment);
            builder.moment(number, playing, playback.now());
            let frames = info.snapshots;
            let read = playback.read(&window, |context, message, _| {
                builder.message(context, message);
                note(&mut info, message);
            });
            if playing {
                let time = Some(playback.now());
                last_macro = last_macro.max(time);
                if info.snapshots > frames {
                    last_frame = last_frame.max(time);
                    played += 1;
                }
            }
            if let Err(error) = read
                && unreadable.again(&error, number).is_none()
            {
                unreadable.first(&error, info.damage.len());
                info.damage.push(playback.broken(&error, number, &window));
            }
        }
        if info.maps.is_empty() {
            info.maps.extend(Some(map_name(container.header.map_name())).filter(|map| !map.is_empty()));
        }
        info.duration = last_frame.or(last_macro);
        info.snapshot_rate = Info::rate(played, info.duration);
        info.players = builder.roster.everybody();
        info.recorder = builder.pov.filter(|&slot| builder.roster.member(slot).present).map(|slot| {
            let member = builder.roster.member(slot);
            PlayerInfo { slot: u16::from(slot), name: member.name.clone(), team: member.team.clone() }
        });
        unreadable.finish(&mut info.damage);
        info.damage.retain(|damage| damage.kind != DamageKind::Compatibility);
        info.damage.truncate(self.limits.damage_entries);
        info
    }
}

fn note(info: &mut Info, message: &Message) {
    match message {
        Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => info.snapshots += 1,
        Message::ServerInfo(server) => server_info(info, server),
        Message::SendExtraInfo(extra) => {
            info.server_settings.insert(String::from("cheats"), extra.cheats.to_string());
        }
        Message::Print(print) => {
            let lines = print.text.0.split(|&byte| byte == b'\n').map(clean);
            if let Some(line) = lines.into_iter().find(|line| line.starts_with("BUILD ") && line.contains(" SERVER")) {
                info.engine = Some(line);
            }
        }
        Message::VoiceInit(voice) if !voice.codec.0.is_empty() => {
            info.server_settings.insert(String::from("voice_codec"), clean(&voice.codec.0));
        }
        _ => {}
    }
}

fn server_info(info: &mut Info, server: &ServerInfo) {
    let map = map_name(&server.map.0);
    if info.maps.last() != Some(&map) {
        info.maps.push(map);
    }
    if let Some(name) = &server.host_name {
        info.server = Some(text(&name.0));
    }
    let mut set = |key: &str, value: String| info.server_settings.insert(key.to_owned(), value);
    set("maxclients", server.max_clients.to_string());
    set("deathmatch", server.deathmatch.to_string());
    set("map_crc", format!("{:08x}", unmunge(server.munged_crc, server.player_number)));
}
