//! What the messages do to the game (`docs/formats/quake1.md`, "State").

mod files;
mod held;
mod level;
pub(crate) mod record;
mod roster;
mod rows;
pub mod seats;
mod seen;
mod statics;
mod stuffed;
mod world;

pub(crate) use files::Files;
pub(crate) use held::{HeldModels, Holds};
pub(crate) use level::Level;
pub use roster::Person;
pub(crate) use roster::{Roster, player, slot_of_entity, team};
pub(crate) use seen::{MODEL_NUMBER, Seen, appearance_seen, nq_seen};
pub(crate) use world::{MissingBase, overlay};
pub use world::{NqRow, QwRow, World};

use std::collections::BTreeMap;
use std::sync::Arc;

use fragreel_model::replay::info_string::pairs;

use crate::container::{Target, kind};
use crate::dialect::Dialect;
use crate::fields::netquake::{client_bits, client_slot};
use crate::fields::quakeworld::{view_bits, view_slot};
use crate::state::seats::Seats;
pub(crate) use stuffed::Stuffed;

use crate::message::{ClientData, Message, PlayerInfo, ServerData, Text, ViewPlayer, flag};

/// Numbers of the stats that matter to people.
pub mod stat {
    #![allow(missing_docs, reason = "named as engines name them")]
    pub const HEALTH: usize = 0;
    pub const WEAPON: usize = 2;
    pub const AMMO: usize = 3;
    pub const ARMOR: usize = 4;
    pub const WEAPON_FRAME: usize = 5;
    pub const SHELLS: usize = 6;
    pub const NAILS: usize = 7;
    pub const ROCKETS: usize = 8;
    pub const CELLS: usize = 9;
    pub const ACTIVE_WEAPON: usize = 10;
    pub(crate) const TOTAL_SECRETS: usize = 11;
    pub(crate) const TOTAL_MONSTERS: usize = 12;
    pub const SECRETS: usize = 13;
    pub const MONSTERS: usize = 14;
    pub const ITEMS: usize = 15;
    pub const VIEW_HEIGHT: usize = 16;
    /// Stats kept; higher ones belong to the mod.
    pub const COUNT: usize = 32;
}

/// Stats of one player.
pub type Stats = [i32; stat::COUNT];

/// A player's body as last sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body {
    /// The number of the frame that brought it, from 1.
    pub frame_number: u64,
    /// Where.
    pub origin: [f32; 3],
    /// Where he looks: pitch, yaw, roll in degrees.
    pub angles: [f32; 3],
    /// Units per second.
    pub velocity: [f32; 3],
    /// Animation frame.
    pub frame: u32,
    /// Which model.
    pub model: u32,
    /// Which skin.
    pub skin: u32,
    /// Effects.
    pub effects: u32,
    /// Frame of the weapon.
    pub weapon_frame: u32,
    /// The number of the weapon in his hands in the server's list of models. A multi-view recording has none.
    pub held: u8,
    /// Whether he is dead.
    pub dead: bool,
    /// The row that a multi-view recording goes on from.
    pub row: [u32; view_slot::COUNT],
}

/// More keys than any server has are not kept.
const MOST_KEYS: usize = 1024;

/// The game as one recording has it.
#[derive(Debug, Clone)]
pub struct Game {
    /// The level, which copies share.
    pub level: Arc<Level>,
    /// The score board.
    pub roster: Roster,
    /// Entities.
    pub world: World,
    /// Stats by slot, where any were sent.
    pub stats: Vec<Option<Stats>>,
    /// Bodies by slot.
    pub bodies: Vec<Body>,
    /// The slot of the recording player, who has the first seat.
    pub own: Option<u8>,
    /// All who sit at the connection (QuakeWorld).
    pub seats: Seats,
    /// Stats of the recording player while it is not known which slot is his (NetQuake).
    own_stats: Option<Stats>,
    /// The entity through whose eyes the recording player sees (NetQuake): a camera, perhaps.
    pub view_entity: Option<u32>,
    /// How far above the origin the recording player's eyes are (NetQuake).
    own_view_height: Option<f32>,
    /// Whether the recording player stands on something, where the server says so.
    pub own_on_ground: Option<bool>,
    /// Whether the recording player only watches.
    pub own_spectates: bool,
    /// Whether the game is paused.
    pub paused: bool,
    /// Whether the score board is shown at the end.
    pub intermission: bool,
    /// Frames seen.
    pub frames: u64,
    /// Levels seen.
    pub levels: u32,
    /// The patterns of the level's light styles, which copies share.
    pub light_styles: Arc<BTreeMap<u16, Vec<u8>>>,
    /// Whether entities and bodies are wanted at all.
    pub bodies_wanted: bool,
    entities_from: Option<MissingBase>,
}

impl Default for Game {
    fn default() -> Self {
        Game {
            level: Arc::default(),
            roster: Roster::default(),
            world: World::default(),
            stats: Vec::new(),
            bodies: Vec::new(),
            own: None,
            seats: Seats::default(),
            own_stats: None,
            view_entity: None,
            own_view_height: None,
            own_on_ground: None,
            own_spectates: false,
            paused: false,
            intermission: false,
            frames: 0,
            levels: 0,
            light_styles: Arc::default(),
            bodies_wanted: true,
            entities_from: None,
        }
    }
}

/// NetQuake's number for deathmatch.
const DEATHMATCH: u8 = 1;
/// The model of ThreeWave's flags.
const FLAG: &[u8] = b"progs/flag.mdl";

/// The team of ThreeWave's Capture the Flag, from shirt and trousers.
fn team_of_colors(colors: u8) -> &'static [u8] {
    match colors & 15 {
        4 => b"red",
        13 => b"blue",
        _ => b"",
    }
}

fn slot_of<T: Clone + Default>(list: &mut Vec<T>, slot: u8) -> &mut T {
    let at = usize::from(slot);
    if list.len() <= at {
        list.resize(at + 1, T::default());
    }
    &mut list[at]
}

impl Game {
    /// Nothing known, and bodies not asked for.
    pub(crate) fn without_bodies() -> Self {
        Game { bodies_wanted: false, ..Game::default() }
    }

    /// Stats of a slot.
    pub fn stats_of(&self, slot: u8) -> Option<&Stats> {
        self.stats.get(usize::from(slot)).and_then(Option::as_ref)
    }

    /// Stats of the recording player, whose slot may not be known.
    pub fn own_stats(&self) -> Option<&Stats> {
        self.own.map_or(self.own_stats.as_ref(), |own| self.stats_of(own))
    }

    fn stats_mut(&mut self, slot: u8) -> &mut Stats {
        slot_of(&mut self.stats, slot).get_or_insert([0; stat::COUNT])
    }

    /// The largest possible number of players, if showing players does not need other entities. QuakeWorld shows players without entities. NetQuake
    /// sometimes shows the view of another entity.
    pub(crate) fn players_alone(&self, d: &Dialect) -> Option<u8> {
        if !d.is_netquake() {
            return Some(u8::MAX);
        }
        let players = self.level.max_clients;
        let is_player = |entity: u32| entity <= u32::from(players);
        (players > 0 && self.view_entity.is_none_or(is_player)).then_some(players)
    }

    /// Bodies of a slot.
    pub fn body_of(&self, slot: u8) -> Option<&Body> {
        self.bodies.get(usize::from(slot)).filter(|body| body.frame_number > 0)
    }

    /// Whether a player's body came with the frame that has just ended.
    pub(crate) fn is_fresh(&self, body: &Body) -> bool {
        body.frame_number > 0 && body.frame_number >= self.frames
    }

    /// How far above the origin the recording player's eyes are, where the server says so.
    pub(crate) fn view_height(&self) -> Option<f32> {
        let stated = self.own_stats().map(|stats| stats[stat::VIEW_HEIGHT]).filter(|height| *height != 0);
        self.own_view_height.or(stated.map(|height| height as f32))
    }

    /// What the last message could not be applied to, once.
    pub fn take_missing(&mut self) -> Option<MissingBase> {
        self.entities_from.take()
    }

    /// The slots that a message without a slot of its own is about.
    pub(crate) fn addressed(&self, target: Target) -> impl Iterator<Item = u8> + use<> {
        let one = match target.kind {
            kind::SINGLE | kind::STATS => Some(target.slot),
            kind::MULTIPLE | kind::ALL => None,
            _ => self.own,
        };
        let many = if target.kind == kind::MULTIPLE { target.players } else { 0 };
        one.into_iter().chain((0..32).filter(move |slot| many >> slot & 1 != 0))
    }

    fn set_stat(&mut self, d: &Dialect, target: Target, stat: u8, value: i32) {
        if usize::from(stat) >= stat::COUNT {
            return;
        }
        if self.own.is_none() && d.is_netquake() {
            self.own_stats_mut()[usize::from(stat)] = value;
        }
        for slot in self.addressed(target) {
            self.stats_mut(slot)[usize::from(stat)] = value;
        }
    }

    /// Stats of the recording player, before its slot is known.
    fn own_stats_mut(&mut self) -> &mut Stats {
        match self.own {
            Some(own) => self.stats_mut(own),
            None => self.own_stats.get_or_insert([0; stat::COUNT]),
        }
    }

    /// It turns out who records.
    fn set_own(&mut self, slot: u8) {
        self.own = Some(slot);
        if let Some(stats) = self.own_stats.take() {
            *slot_of(&mut self.stats, slot) = Some(stats);
        }
    }

    /// The number by which a packet's frame is found again: that of the packet, or, where packets have none, of the frame.
    pub(crate) fn packet_number(&self, d: &Dialect, sequence: u32) -> u32 {
        if d.is_multi_view() { self.frames as u32 } else { sequence }
    }

    /// Takes in a message. `target` says to whom it was sent (multi-view), `sequence` in which packet (`.qwd`).
    #[inline]
    pub fn apply(&mut self, d: &Dialect, message: &Message, target: Target, sequence: u32) {
        let sequence = self.packet_number(d, sequence);
        match message {
            Message::ViewPlayer(m) if self.bodies_wanted => self.view_player(d, m),
            Message::PlayerInfo(m) if self.bodies_wanted => self.player_info(d, m),
            Message::FastUpdate(_) | Message::DeltaPacketEntities(_) | Message::PacketEntities(_) | Message::NqTime(_) | Message::UpdateEntities(_) => {
                self.frames += u64::from(!matches!(message, Message::FastUpdate(_)));
                if self.bodies_wanted {
                    self.entities_from = self.world.apply(d, message, sequence).err();
                }
            }
            Message::StatByte(m) => self.set_stat(d, target, m.stat, i32::from(m.value)),
            Message::StatLong(m) => self.set_stat(d, target, m.stat, m.value),
            Message::StatFloat(m) => self.set_stat(d, target, m.stat, m.value.value() as i32),
            Message::ClientData(m) => self.client_data(m),
            Message::SetPause(m) => self.paused = m.paused != 0,
            Message::QwIntermission(_) | Message::NqIntermission(_) | Message::Finale(_) | Message::CutScene(_) => self.intermission = true,
            Message::KilledMonster(_) => self.count(d, target, stat::MONSTERS),
            Message::FoundSecret(_) => self.count(d, target, stat::SECRETS),
            _ => self.rare(d, message, target, sequence),
        }
    }

    fn count(&mut self, d: &Dialect, target: Target, stat: usize) {
        if d.is_netquake() {
            let value = &mut self.own_stats_mut()[stat];
            *value = value.wrapping_add(1);
        } else if self.own.is_some() {
            // a server's recording is nobody's
            for slot in self.addressed(target) {
                let value = &mut self.stats_mut(slot)[stat];
                *value = value.wrapping_add(1);
            }
        }
    }

    /// One of the level's lists of files, to be changed.
    fn files(&mut self, of: impl FnOnce(&mut Level) -> &mut Arc<Files>) -> &mut Files {
        Arc::make_mut(of(Arc::make_mut(&mut self.level)))
    }

    fn rare(&mut self, d: &Dialect, message: &Message, target: Target, sequence: u32) {
        match message {
            Message::ServerData(m) => {
                self.new_level();
                self.level = Arc::new(Level {
                    gamedir: m.gamedir.clone(),
                    title: m.level.clone(),
                    max_clients: m.slots,
                    move_vars: m.move_vars.clone(),
                    ..Level::default()
                });
                self.seats.learn(message);
                self.own = self.seats.slot(0);
                let flagged = m.players.first().zip(self.own).is_some_and(|(stated, slot)| *stated != slot);
                self.own_spectates = flagged || m.seats & ServerData::END_OF_SEATS != 0;
            }
            Message::ServerInfo(m) => {
                self.new_level();
                self.roster = Roster::default();
                let level = Arc::make_mut(&mut self.level);
                level.gamedir = m.gamedir.clone();
                level.title = m.level.clone();
                level.max_clients = m.max_clients;
                level.game_type = Some(m.game_type);
                level.has_flags = m.game_type == DEATHMATCH && m.models.0.iter().any(|model| model.bytes() == FLAG);
                Arc::make_mut(&mut level.models).list(0, &m.models.0);
                Arc::make_mut(&mut level.sounds).list(0, &m.sounds.0);
            }
            Message::SplitScreenConfig(_) | Message::UpdateSeats(_) if !d.is_multi_view() => {
                self.seats.learn(message);
                self.own = self.seats.slot(0).or(self.own);
            }
            Message::SetView(m) if d.is_netquake() => {
                self.view_entity = Some(m.entity.number);
                if self.own.is_none()
                    && let Some(slot) = viewed_slot(m.entity.number, self.level.max_clients)
                {
                    self.set_own(slot);
                }
            }
            Message::ModelList(m) => self.files(|level| &mut level.models).list(usize::from(m.first), &m.names.0),
            Message::SoundList(m) => self.files(|level| &mut level.sounds).list(usize::from(m.first), &m.names.0),
            Message::ModelListShort(m) => self.files(|level| &mut level.models).list(usize::from(m.first), &m.names.0),
            Message::SoundListShort(m) => self.files(|level| &mut level.sounds).list(usize::from(m.first), &m.names.0),
            Message::Precache(m) => match m.code >> 14 {
                0 => self.files(|level| &mut level.models).set(usize::from(m.code & 0x3fff), &m.name),
                2 => self.files(|level| &mut level.sounds).set(usize::from(m.code & 0x3fff), &m.name),
                _ => {}
            },
            Message::LightStyle(m) => self.set_light(m.style.into(), &m.pattern),
            Message::LightStyleColor(m) => self.set_light(u16::from(m.style) | u16::from(m.style_high) << 8, &m.pattern),
            Message::ServerInfoKey(m) => self.set_info(m.key.bytes(), m.value.bytes()),
            Message::SetInfoBlob(m) if m.slot == 0 && m.offset == 0x8000_0000 => self.set_info(m.key.bytes(), &m.data.0),
            Message::StuffText(m) => self.stuffed(m.text.bytes()),
            _ => {
                self.roster.apply(message);
                if let Message::UpdateColors(m) = message
                    && self.level.has_flags
                {
                    self.roster.person(m.slot).team = team_of_colors(m.colors).to_vec();
                }
                if let (Message::UpdateUserInfo(m), true) = (message, target.kind == 0)
                    && Some(m.slot) == self.own
                {
                    self.own_spectates = self.roster.person(m.slot).spectator;
                }
            }
        }
        if self.bodies_wanted || is_baseline(message) {
            self.entities_from = self.world.apply(d, message, sequence).err();
        }
    }

    /// Bytes that a copy takes which shares what it can with `like`.
    pub(crate) fn bytes_beside(&self, like: Option<&Game>) -> usize {
        let level = if like.is_some_and(|like| Arc::ptr_eq(&like.level, &self.level)) { 0 } else { self.level.bytes() };
        let roster = self.roster.bytes_beside(like.map(|like| &like.roster));
        let world = self.world.bytes_beside(like.map(|like| &like.world));
        let is_lit_alike = like.is_some_and(|like| Arc::ptr_eq(&like.light_styles, &self.light_styles));
        let lights = if is_lit_alike { 0 } else { self.light_styles.values().map(|pattern| pattern.len() + 2 * size_of::<Vec<u8>>()).sum() };
        size_of::<Game>() + level + lights + roster + world + self.stats.len() * size_of::<Option<Stats>>() + self.bodies.len() * size_of::<Body>()
    }

    /// The game without what only the frame that just ended needs, and with those frames of QuakeWorld alone that later ones start from.
    pub(crate) fn packed(&self, needed: &[u32]) -> Game {
        Game { world: self.world.packed(needed), ..self.clone() }
    }

    /// The game that was packed.
    pub(crate) fn unpacked(&self) -> Game {
        Game { world: self.world.unpacked(), ..self.clone() }
    }

    fn new_level(&mut self) {
        let roster = std::mem::take(&mut self.roster);
        let (frames, levels, wanted) = (self.frames, self.levels, self.bodies_wanted);
        *self = Game { roster, frames, levels: levels + 1, bodies_wanted: wanted, ..Game::default() };
    }

    fn set_info(&mut self, key: &[u8], value: &[u8]) {
        let known = self.level.info.get(key);
        if known.is_none_or(|known| known != value) && (known.is_some() || self.level.info.len() < MOST_KEYS) {
            Arc::make_mut(&mut self.level).info.insert(key.to_vec(), value.to_vec());
        }
    }

    fn set_light(&mut self, style: u16, pattern: &Text) {
        if self.light_styles.len() < MOST_KEYS || self.light_styles.contains_key(&style) {
            Arc::make_mut(&mut self.light_styles).insert(style, pattern.bytes().to_vec());
        }
    }

    fn stuffed(&mut self, text: &[u8]) {
        for command in Stuffed::read(text) {
            match command {
                Stuffed::ServerInfo { info } => pairs(info).for_each(|pair| self.set_info(pair.key, pair.value)),
                Stuffed::ServerKey { key, value } => self.set_info(key, value),
                Stuffed::HeldModels { names } => {
                    Arc::make_mut(&mut self.level).held =
                        Some(Arc::new(HeldModels::of(names))).filter(|held| held.figure().is_some() || held.holds(1).is_some());
                }
                Stuffed::UserInfo { .. } | Stuffed::UserKey { .. } => self.roster.stuffed(&command),
            }
        }
    }

    fn view_player(&mut self, d: &Dialect, m: &ViewPlayer) {
        let frames = self.frames;
        let body = slot_of(&mut self.bodies, m.slot);
        let flags = u64::from(m.flags);
        body.row[view_slot::FRAME] = m.row[view_slot::FRAME];
        for axis in 0..3 {
            if flags & view_bits::ORIGIN << axis != 0 {
                body.row[view_slot::ORIGIN + axis] = m.row[view_slot::ORIGIN + axis];
                body.origin[axis] = d.entity_coord.units(m.row[view_slot::ORIGIN + axis]);
            }
            if flags & view_bits::ANGLE << axis != 0 {
                let word = m.row[view_slot::ANGLES + axis];
                body.row[view_slot::ANGLES + axis] = word;
                body.angles[axis] = f32::from(word as u16 as i16) * (360.0 / 65536.0);
            }
        }
        for (bit, at) in [
            (view_bits::MODEL, view_slot::MODEL),
            (view_bits::SKIN, view_slot::SKIN),
            (view_bits::EFFECTS, view_slot::EFFECTS),
            (view_bits::WEAPON_FRAME, view_slot::WEAPON_FRAME),
        ] {
            if flags & bit != 0 {
                body.row[at] = m.row[at];
            }
        }
        body.frame = body.row[view_slot::FRAME];
        body.model = body.row[view_slot::MODEL];
        body.skin = body.row[view_slot::SKIN];
        body.effects = body.row[view_slot::EFFECTS];
        body.weapon_frame = body.row[view_slot::WEAPON_FRAME];
        body.dead = flags & (view_bits::DEAD | view_bits::GIB) != 0;
        body.frame_number = frames + 1;
    }

    fn player_info(&mut self, d: &Dialect, m: &PlayerInfo) {
        let frames = self.frames;
        let body = slot_of(&mut self.bodies, m.slot);
        body.origin = m.origin.map(|word| d.entity_coord.units(word.0));
        if m.flags & flag::COMMAND != 0 {
            body.angles = m.command.angles.map(|word| f32::from(word as i16) * (360.0 / 65536.0));
        }
        body.held = m.command.impulse;
        body.velocity = m.velocity.map(f32::from);
        body.frame = u32::from(m.frame);
        body.model = u32::from(m.model);
        body.skin = u32::from(m.skin);
        body.effects = u32::from(m.effects);
        body.weapon_frame = u32::from(m.weapon_frame);
        body.dead = m.flags & (flag::DEAD | flag::GIB) != 0;
        body.frame_number = frames + 1;
    }

    fn client_data(&mut self, m: &ClientData) {
        let (row, mask) = (&m.row, u64::from(m.mask));
        let value = |at: usize, high: usize| (row[at] | row[high] << 8) as i32;
        self.own_on_ground = Some(mask & client_bits::ONGROUND != 0);
        self.own_view_height = Some(if mask & client_bits::VIEWHEIGHT != 0 { row[client_slot::VIEWHEIGHT] as i32 as f32 } else { DEFAULT_VIEW_HEIGHT });
        let stats = self.own_stats_mut();
        stats[stat::HEALTH] = row[client_slot::HEALTH] as i32;
        stats[stat::ARMOR] = value(client_slot::ARMOR, client_slot::ARMOR2);
        stats[stat::WEAPON] = value(client_slot::WEAPON, client_slot::WEAPON2);
        stats[stat::WEAPON_FRAME] = value(client_slot::WEAPONFRAME, client_slot::WEAPONFRAME2);
        stats[stat::AMMO] = value(client_slot::AMMO, client_slot::AMMO2);
        stats[stat::SHELLS] = value(client_slot::SHELLS, client_slot::SHELLS2);
        stats[stat::NAILS] = value(client_slot::NAILS, client_slot::NAILS2);
        stats[stat::ROCKETS] = value(client_slot::ROCKETS, client_slot::ROCKETS2);
        stats[stat::CELLS] = value(client_slot::CELLS, client_slot::CELLS2);
        stats[stat::ACTIVE_WEAPON] = row[client_slot::ACTIVE_WEAPON] as i32;
        stats[stat::ITEMS] = row[client_slot::ITEMS] as i32;
        if let Some(own) = self.own.filter(|_| self.bodies_wanted) {
            let frames = self.frames;
            let body = slot_of(&mut self.bodies, own);
            body.frame_number = frames + 1;
            let floats = mask & client_bits::FLOATS != 0;
            for axis in 0..3 {
                let word = row[client_slot::VELOCITY + axis];
                body.velocity[axis] = if floats { f32::from_bits(word) } else { word as i32 as f32 * 16.0 };
            }
        }
    }
}

/// The slot of the player who is seen through (NetQuake). The view also moves to cameras, but a player's entity never exceeds the number of slots.
pub(crate) fn viewed_slot(entity: u32, max_clients: u8) -> Option<u8> {
    (1..=u32::from(max_clients)).contains(&entity).then(|| (entity - 1) as u8)
}

/// Where eyes are above the origin unless the server says otherwise.
const DEFAULT_VIEW_HEIGHT: f32 = 22.0;

/// Whether a message sets something up that events need later: what lies where on the map.
fn is_baseline(message: &Message) -> bool {
    matches!(
        message,
        Message::Baseline(_)
            | Message::FitzBaseline(_)
            | Message::SpawnBaseline2(_)
            | Message::ClassicBaseline(_)
            | Message::ServerData(_)
            | Message::ServerInfo(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Stream;

    /// Those of a recording's first frame, too.
    #[test]
    fn players_are_of_the_frame_that_brought_them() {
        let d = Dialect::new(Stream::QuakeWorld);
        for first in 0..3 {
            let mut game = Game::default();
            let mut fresh = Vec::new();
            for packet in 0..=first + 1 {
                if packet == first {
                    game.apply(&d, &Message::PlayerInfo(Default::default()), Target::default(), packet);
                }
                game.apply(&d, &Message::PacketEntities(Default::default()), Target::default(), packet);
                fresh.push(game.body_of(0).is_some_and(|body| game.is_fresh(body)));
            }
            assert_eq!(fresh[first as usize..], [true, false], "{first} frames before");
        }
    }
}
