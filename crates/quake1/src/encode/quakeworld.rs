//! Converts QuakeWorld's messages and frames to plain QuakeWorld (`docs/formats/quake1.md`, "Conversions").

use std::sync::Arc;

use crate::dialect::Dialect;
use crate::fields::differing;
use crate::fields::quakeworld::{VIEW, view_bits, view_slot};
use crate::message::{
    Baseline, DeltaCommand, DeltaPacketEntities, EntityCoord, EntityDelta, FileList, LightStyle, Message, Nop, NqSound, PacketEntities, PlayerInfo, QwSound,
    ServerData, SetInfo, StatLong, Static, StaticSound, Text, Texts, ViewPlayer, flag, plain_entity,
};
use crate::replacement::EntityState;
use crate::state::{Game, QwRow, World};
use fragreel_model::Loss;

use crate::encode::recode::{MODEL_FILLER, Recode, SOUND_FILLER};
use crate::encode::reencode::entity_delta;
use crate::encode::usage::LevelFiles;
use crate::encode::world::{EntityView, PlayerView, WorldView};

/// The parts of a frame that a block of the source updates.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameParts {
    /// The position among the converted messages.
    pub at: Option<usize>,
    /// True if it has entities.
    pub entities: bool,
    /// The players with messages of their own.
    pub players: Vec<u8>,
}

impl FrameParts {
    /// Notes a message of the source that follows `at` converted ones.
    pub(crate) fn see(&mut self, message: &Message, at: usize) {
        match message {
            Message::UpdateEntities(_) | Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => self.entities = true,
            Message::ViewPlayer(m) => self.players.push(m.slot),
            _ => return,
        }
        self.at.get_or_insert(at);
    }
}

/// Converts messages, and writes frames.
#[derive(Clone)]
pub struct QuakeWorld {
    /// Converts the messages.
    pub recode: Recode,
    levels: Arc<[LevelFiles]>,
    level: usize,
    /// The entities as the output has them.
    emitted: World,
    /// The players as the output has them, in a multi-view recording.
    bodies: Vec<[u32; view_slot::COUNT]>,
    /// The players in the last frame, and whether each was dead.
    shown: Vec<(u8, bool)>,
    /// The slot of the recording client, and whether it spectates.
    pub own: Option<(u8, bool)>,
    /// Frames written.
    frames: u32,
    /// Whether the sound and model lists of this level were written.
    listed: [bool; 2],
    /// The number of the player's model.
    player_model: u32,
    /// True if the last pause message written was on.
    paused: bool,
}

/// The size in bytes at which engines end a part of a list.
const HALF_A_PACKET: usize = 1450 / 2;
/// The number of stats in plain QuakeWorld.
const STATS: u8 = 32;

impl QuakeWorld {
    /// A converter to these levels.
    pub fn new(recode: Recode, levels: impl Into<Arc<[LevelFiles]>>) -> Self {
        let bodies = vec![[0; view_slot::COUNT]; 32];
        QuakeWorld {
            recode,
            levels: levels.into(),
            level: 0,
            emitted: World::default(),
            bodies,
            shown: Vec::new(),
            own: None,
            frames: 0,
            listed: [false; 2],
            player_model: 0,
            paused: false,
        }
    }

    /// Converts a message. Messages of frames become nothing: [`frame`](Self::frame) writes those.
    pub fn message(&mut self, d: &Dialect, game: &Game, message: &Message) -> Vec<Message> {
        self.recode.from.clone_from(d);
        let mut turned = self.turned(game, message);
        if matches!(turned.first(), Some(Message::Static(_))) && self.emitted.statics().count() >= self.recode.limits.statics {
            self.recode.lose(Loss::StaticEntities { most: u64::from(self.recode.limits.statics) });
            turned.clear();
        }
        for message in &turned {
            let _ = self.emitted.apply(&self.recode.to, message, 0);
        }
        turned
    }

    fn turned(&mut self, game: &Game, message: &Message) -> Vec<Message> {
        match message {
            Message::ServerData(m) => vec![self.server_data(game, m)],
            Message::ModelList(_) | Message::ModelListShort(_) => self.list(true),
            Message::SoundList(_) | Message::SoundListShort(_) => self.list(false),
            _ => self.one(message).into_iter().collect(),
        }
    }

    fn server_data(&mut self, game: &Game, data: &ServerData) -> Message {
        self.emitted = World::default();
        self.bodies.fill([0; view_slot::COUNT]);
        self.shown.clear();
        self.listed = [false; 2];
        self.paused = false;
        self.level += 1;
        let (slot, watches) = match self.own {
            Some(own) => own,
            None => (game.own.unwrap_or_default(), game.own_spectates),
        };
        self.find_player();
        let mut data =
            ServerData { extensions: Vec::new(), protocol: self.recode.to.numbers.protocol, slots: 0, seats: 0, players: Vec::new(), ..data.clone() };
        if !self.recode.to.is_multi_view() {
            data.players = vec![slot | u8::from(watches) << 7];
        }
        Message::ServerData(data)
    }

    /// Sets the files of levels that were not known at the start.
    pub fn learn(&mut self, levels: Arc<[LevelFiles]>) {
        self.levels = levels;
        self.find_player();
    }

    fn find_player(&mut self) {
        let level = self.level.checked_sub(1).and_then(|at| self.levels.get(at));
        self.player_model = level.and_then(|level| level.models.iter().position(|name| name.bytes() == b"progs/player.mdl")).unwrap_or(0) as u32;
    }

    /// A whole list in the parts that engines write. Call at its first part in the source.
    fn list(&mut self, models: bool) -> Vec<Message> {
        if std::mem::replace(&mut self.listed[usize::from(models)], true) {
            return Vec::new();
        }
        let Some(level) = self.level.checked_sub(1).and_then(|at| self.levels.get(at)) else { return Vec::new() };
        let all = if models { &level.models } else { &level.sounds };
        let most = if models { self.recode.limits.models } else { self.recode.limits.sounds } as usize;
        if all.len() > most {
            self.recode.lose(if models { Loss::Models { from: 256 } } else { Loss::Sounds { from: 256 } });
        }
        let filler = Text(if models { MODEL_FILLER } else { SOUND_FILLER }.to_vec());
        let names = all.iter().skip(1).take(most - 1).map(|name| if name.bytes().is_empty() { &filler } else { name });
        let mut parts = vec![FileList::default()];
        let mut bytes = 0;
        for (at, name) in names.enumerate() {
            if bytes > HALF_A_PACKET {
                if let Some(last) = parts.last_mut() {
                    last.next = at as u8;
                }
                parts.push(FileList { first: at as u8, ..FileList::default() });
                bytes = 0;
            }
            bytes += name.bytes().len() + 1;
            if let Some(Texts(names)) = parts.last_mut().map(|part| &mut part.names) {
                names.push(name.clone());
            }
        }
        parts.into_iter().map(|part| if models { Message::ModelList(part) } else { Message::SoundList(part) }).collect()
    }

    fn one(&mut self, message: &Message) -> Option<Message> {
        let from = self.recode.from.clone();
        let state = |delta: &crate::replacement::Delta| {
            let mut state = EntityState::default();
            delta.apply(&from.layout(), &EntityState::default(), &mut state);
            state
        };
        Some(match message {
            Message::SpawnBaseline2(m) => return self.baseline(m.entity.number, &state(&m.delta)),
            Message::SpawnStatic2(m) => {
                let (looks, ..) = self.recode.appearance(0, &state(&m.delta));
                if looks.model == 0 {
                    self.recode.lose(Loss::Models { from: 256 });
                    return None;
                }
                Message::Static(Static { looks })
            }
            Message::ClassicBaseline(m) => {
                let number = m.entity.number(&from);
                return self.baseline(number, &classic(&from, &m.entity));
            }
            Message::ClassicStatic(m) => {
                let (looks, ..) = self.recode.appearance(0, &classic(&from, &m.entity));
                Message::Static(Static { looks })
            }
            Message::SpawnStaticSound2(m) if m.sound < 256 => {
                let mut sound = StaticSound { origin: m.origin, sound: m.sound, volume: m.volume, attenuation: m.attenuation };
                self.recode.coords(&mut sound.origin);
                Message::StaticSound(sound)
            }
            Message::QwSound(m) => {
                let mut sound = m.clone();
                self.recode.coords(&mut sound.origin);
                Message::QwSound(sound)
            }
            Message::NqSound(m) => return self.sound(m),
            Message::TempEntity(m) => Message::TempEntity(self.recode.temp_entity(m)?),
            Message::StatByte(m) if m.stat < STATS => message.clone(),
            Message::StatLong(m) if m.stat < STATS => message.clone(),
            Message::StatFloat(m) if m.stat < STATS => Message::StatLong(StatLong { stat: m.stat, value: m.value.value() as i32 }),
            Message::StatByte(_) | Message::StatLong(_) | Message::StatFloat(_) | Message::StatString(_) => {
                self.recode.lose(Loss::StatsAbove32);
                return None;
            }
            Message::LightStyleColor(m) if m.style_high == 0 => {
                self.recode.lose(Loss::LightStyleColors);
                Message::LightStyle(LightStyle { style: m.style, pattern: m.pattern.clone() })
            }
            Message::SetInfoBlob(m) if m.slot > 0 && m.offset == 0x8000_0000 => {
                Message::SetInfo(SetInfo { slot: m.slot - 1, key: m.key.clone(), value: Text(m.data.0.iter().copied().filter(|&byte| byte != 0).collect()) })
            }
            // FTE states at the start of every level that it is not paused; some readers stop there
            Message::SetPause(m) if std::mem::replace(&mut self.paused, m.paused != 0) == (m.paused != 0) => return None,
            // these are made from states or lists
            Message::UpdateEntities(_)
            | Message::PacketEntities(_)
            | Message::DeltaPacketEntities(_)
            | Message::PlayerInfo(_)
            | Message::ViewPlayer(_)
            | Message::QwTime(_)
            | Message::Precache(_)
            | Message::UpdateSeats(_)
            | Message::SplitScreenConfig(_) => return None,
            other => {
                let plain = self.recode.plain(other);
                if plain.is_none() {
                    self.recode.lose(Loss::Messages { name: other.name().to_owned() });
                }
                plain?
            }
        })
    }

    fn baseline(&mut self, number: u32, state: &EntityState) -> Option<Message> {
        if number >= self.recode.limits.entities {
            self.recode.lose(Loss::Entities { from: self.recode.limits.entities.into() });
            return None;
        }
        let (looks, ..) = self.recode.appearance(number, state);
        Some(Message::Baseline(Baseline { entity: plain_entity(number), looks }))
    }

    fn sound(&mut self, sound: &NqSound) -> Option<Message> {
        if sound.entity.number > 1023 || sound.sound > 255 {
            self.recode.lose(Loss::SoundNumbers);
            return None;
        }
        if sound.channel > 7 || sound.mask & !(NqSound::VOLUME | NqSound::ATTENUATION | NqSound::LARGE_ENTITY | NqSound::LARGE_SOUND) != 0 {
            self.recode.lose(Loss::SoundPitch);
        }
        let mut channel = (sound.entity.number << 3) as u16 | u16::from(sound.channel & 7);
        if sound.mask & NqSound::VOLUME != 0 {
            channel |= QwSound::VOLUME;
        }
        if sound.mask & NqSound::ATTENUATION != 0 {
            channel |= QwSound::ATTENUATION;
        }
        let mut plain = QwSound { channel, volume: sound.volume, attenuation: sound.attenuation, sound: sound.sound as u8, origin: sound.origin };
        self.recode.coords(&mut plain.origin);
        Some(Message::QwSound(plain))
    }

    /// Writes a frame: players, then all other visible entities.
    pub(crate) fn frame(&mut self, d: &Dialect, game: &Game, world_view: &WorldView, frame: &FrameParts) -> Vec<Message> {
        self.recode.from.clone_from(d);
        self.recode.decorations(game);
        if self.recode.to.is_multi_view() {
            return self.view(game, world_view, frame);
        }
        let own = self.own.or_else(|| game.own.map(|own| (own, game.own_spectates)));
        let eye = own.and_then(|(slot, _)| world_view.players.iter().find(|player| player.slot == slot)).map(|player| player.origin);
        let rows = self.rows(world_view, eye);
        self.frames += 1;
        let mut messages = Vec::new();
        for player in world_view.players.iter().filter(|player| player.slot < 32) {
            let here = game.roster.get(player.slot).is_some_and(|person| !person.spectator);
            let is_own = own.is_some_and(|(slot, _)| slot == player.slot);
            if here || (is_own && !own.is_some_and(|(_, watches)| watches)) {
                messages.push(self.player_info(player, is_own));
            } else if is_own {
                messages.push(self.watcher(player));
            }
        }
        // deltas need a client that acknowledges their base; every engine can read a full packet
        let entities = rows.iter().map(|(number, row)| entity_delta(&self.recode.to, *number, &self.emitted.qw_baseline(*number), row)).collect();
        let packet = Message::PacketEntities(PacketEntities { entities });
        let _ = self.emitted.apply(&self.recode.to, &packet, self.frames);
        messages.push(packet);
        messages
    }

    /// The rows of visible entities. If there are more than engines accept, brush models and the nearest ones stay.
    fn rows(&mut self, world_view: &WorldView, eye: Option<[f32; 3]>) -> Vec<(u32, QwRow)> {
        let most = if self.recode.to.is_multi_view() { MOST_IN_VIEW } else { self.recode.limits.in_sight };
        let mut things: Vec<&EntityView> = world_view.things.iter().filter(|thing| self.recode.can_say(thing)).collect();
        if things.len() > most {
            self.recode.lose(Loss::EntitiesAtATime { most: most as u64 });
            let models = self.level.checked_sub(1).and_then(|at| self.levels.get(at)).map(|level| &level.models);
            let is_brush =
                |thing: &EntityView| models.and_then(|models| models.get(thing.seen.model as usize)).is_some_and(|name| name.bytes().starts_with(b"*"));
            let distance = |thing: &EntityView| match eye {
                Some(eye) if !is_brush(thing) => (0..3).map(|axis| (thing.seen.origin[axis] - eye[axis]).powi(2)).sum::<f32>(),
                _ => 0.0,
            };
            things.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
            things.truncate(most);
            things.sort_by_key(|thing| thing.seen.number);
        }
        things.into_iter().map(|thing| (thing.seen.number, self.recode.qw_row(thing))).collect()
    }

    /// Players as servers send them to clients.
    fn player_info(&mut self, player: &PlayerView, own: bool) -> Message {
        let to = &self.recode.to;
        let mut info = PlayerInfo {
            slot: player.slot,
            flags: 0,
            origin: player.origin.map(|units| EntityCoord(to.entity_coord.word(units))),
            frame: player.frame as u8,
            msec: player.msec,
            model: player.model as u8,
            skin: player.skin as u8,
            effects: player.effects as u8,
            weapon_frame: player.weapon_frame as u8,
            ..PlayerInfo::default()
        };
        info.velocity = player.velocity.unwrap_or_default().map(|units| units as i16);
        let on = |bit: u32, on: bool| if on { bit } else { 0 };
        info.flags |= on(flag::MODEL, player.model != self.player_model && player.model < 256)
            | on(flag::SKIN, info.skin != 0)
            | on(flag::EFFECTS, info.effects != 0)
            | on(flag::DEAD, player.dead);
        for axis in 0..3 {
            info.flags |= on(flag::VELOCITY << axis, info.velocity[axis] != 0);
        }
        if own {
            info.flags |= on(flag::WEAPON_FRAME, info.weapon_frame != 0);
        } else {
            info.flags |= flag::MSEC | flag::COMMAND;
            // a corpse keeps its view level
            let angles = if player.dead { [0.0, player.angles[1], 0.0] } else { player.angles };
            info.command = DeltaCommand::new(angles.map(turns), player.movement, player.msec);
        }
        Message::PlayerInfo(info)
    }

    /// The spectator's own position, as servers send it.
    fn watcher(&mut self, player: &PlayerView) -> Message {
        let Message::PlayerInfo(mut info) = self.player_info(player, true) else { unreachable!("it makes one") };
        info.flags &= flag::VELOCITY * 7;
        Message::PlayerInfo(info)
    }

    /// The contents of blocks that only let time pass in a multi-view recording.
    pub(crate) fn keepalive_frame(&mut self) -> Vec<Message> {
        if self.emitted.qw_newest().sequence.is_none() {
            return vec![Message::Nop(Nop {})];
        }
        crate::encode::reencode::keepalive_frame(self.shown.iter().map(|&(slot, dead)| (slot, self.bodies[usize::from(slot)], dead)))
    }

    /// A frame of a multi-view recording: changes since the frame before.
    fn view(&mut self, game: &Game, world_view: &WorldView, frame: &FrameParts) -> Vec<Message> {
        let to = self.recode.to.clone();
        let mut messages = Vec::new();
        if frame.entities {
            messages.push(self.view_entities(&to, world_view));
            self.shown.clear();
        }
        // players with messages of their own in the source, or with its entities
        let by_themselves = self.recode.from.is_multi_view() && !self.recode.from.replacement();
        for player in world_view.players.iter().filter(|player| player.slot < 32 && (!by_themselves || frame.players.contains(&player.slot))) {
            if game.roster.get(player.slot).is_some_and(|person| !person.spectator) {
                messages.push(self.view_player(&to, player));
                self.shown.push((player.slot, player.dead));
            }
        }
        messages
    }

    fn view_entities(&mut self, to: &Dialect, world_view: &WorldView) -> Message {
        let rows = self.rows(world_view, None);
        self.frames += 1;
        let old = self.emitted.qw_newest().entities.clone();
        let entities = packet_changes(to, |number| self.emitted.qw_baseline(number), &old, &rows);
        let packet = match self.frames {
            1 => Message::PacketEntities(PacketEntities { entities }),
            _ => Message::DeltaPacketEntities(DeltaPacketEntities { from: self.frames.wrapping_sub(2) as u8, entities }),
        };
        let _ = self.emitted.apply(to, &packet, self.frames);
        packet
    }

    fn view_player(&mut self, to: &Dialect, player: &PlayerView) -> Message {
        let mut row = [0; view_slot::COUNT];
        row[view_slot::FRAME] = player.frame & 255;
        for axis in 0..3 {
            row[view_slot::ORIGIN + axis] = to.entity_coord.word(player.origin[axis]);
            row[view_slot::ANGLES + axis] = u32::from(turns(player.angles[axis]));
        }
        row[view_slot::MODEL] = player.model & 255;
        row[view_slot::SKIN] = player.skin as u32 & 255;
        row[view_slot::EFFECTS] = player.effects & 255;
        row[view_slot::WEAPON_FRAME] = player.weapon_frame & 255;
        let before = &mut self.bodies[usize::from(player.slot)];
        let flags = differing(&VIEW, before, &row) | if player.dead { view_bits::DEAD } else { 0 };
        *before = row;
        Message::ViewPlayer(ViewPlayer { slot: player.slot, flags: flags as u16, row })
    }
}

/// The number of entities that players of multi-view recordings accept in a frame.
const MOST_IN_VIEW: usize = 300;

/// Degrees as 65536ths of a turn.
fn turns(degrees: f32) -> u16 {
    (degrees * (65536.0 / 360.0)).round() as i32 as u16
}

/// The deltas from one frame to another.
pub fn packet_changes(to: &Dialect, baseline: impl Fn(u32) -> QwRow, old: &[(u32, QwRow)], new: &[(u32, QwRow)]) -> Vec<EntityDelta> {
    use crate::fields::quakeworld::bits;
    let mut entities = Vec::new();
    let mut rest = old.iter().peekable();
    let gone = |number: u32| EntityDelta { low_number: (number & 511) as u16, mask: bits::REMOVE as u32, ..EntityDelta::default() };
    for (number, row) in new {
        while let Some((before, _)) = rest.next_if(|(before, _)| before < number) {
            entities.push(gone(*before));
        }
        match rest.next_if(|(before, _)| before == number) {
            Some((_, before)) => {
                let delta = entity_delta(to, *number, before, row);
                if delta.mask != 0 {
                    entities.push(delta);
                }
            }
            None => entities.push(entity_delta(to, *number, &baseline(*number), row)),
        }
    }
    entities.extend(rest.map(|(before, _)| gone(*before)));
    entities
}

/// The state that an entity delta from a blank row gives.
pub fn classic(d: &Dialect, delta: &EntityDelta) -> EntityState {
    use crate::fields::quakeworld::slot;
    let mut world = World::default();
    let number = delta.number(d);
    let _ = world.apply(d, &Message::ClassicBaseline(crate::message::ClassicDelta { entity: delta.clone() }), 0);
    let row = world.qw_baseline(number);
    let angle = |word: u32| if d.angle == crate::replacement::Angles::Byte { word << 8 } else { word };
    EntityState {
        model: row[slot::MODEL],
        frame: row[slot::FRAME],
        colormap: row[slot::COLORMAP],
        skin: row[slot::SKIN] as i32,
        effects: row[slot::EFFECTS],
        origin: [0, 1, 2].map(|axis| row[slot::ORIGIN + axis]),
        angles: [0, 1, 2].map(|axis| angle(row[slot::ANGLES + axis])),
        alpha: if row[slot::TRANS] == 0 { crate::encode::world::OPAQUE } else { row[slot::TRANS] as u8 },
        ..EntityState::default()
    }
}
