//! Converts NetQuake with replacement deltas, or of other protocols, to plain NetQuake (`docs/formats/quake1.md`, "Conversions").

use fragreel_base::delta::masked::extended;
use fragreel_model::Loss;

use crate::dialect::Dialect;
use crate::fields::netquake::{bits, client_bits as b, client_slot as s, slot};
use crate::message::{
    Baseline, ClientData, FastUpdate, FitzAppearance, FitzBaseline, Message, NqSound, NqTime, ServerInfo, StatLong, Static, StaticSound, Text, Texts, Version,
    WideStaticSound, plain_entity,
};
use crate::state::{Files, Game, World, stat};

use crate::encode::recode::{MODEL_FILLER, Recode, SOUND_FILLER, fitz_alpha};
use crate::encode::reencode::changed;
use crate::encode::usage::LevelFiles;
use crate::encode::world::{EntityView, LIFE_SIZE, WorldView, updated};
use crate::walk::playable;

/// Bits of an appearance: wide model, wide frame, opacity, size.
const LOOKS: [u8; 4] = [1, 2, 4, 8];
/// The view's height by default.
const VIEW_HEIGHT: i32 = 22;

/// Converts messages, and writes frames.
pub(super) struct NetQuake<'s> {
    pub recode: Recode,
    /// The files of each level.
    pub levels: &'s [LevelFiles],
    level: usize,
    /// The baselines as written.
    emitted: World,
    /// The player slots of the level as written.
    slots: u8,
}

impl<'s> NetQuake<'s> {
    pub(super) fn new(recode: Recode, levels: &'s [LevelFiles]) -> Self {
        NetQuake { recode, levels, level: 0, emitted: World::default(), slots: 0 }
    }

    /// Converts a message. `None` if nothing is written for it. [`frame`](Self::frame) writes frames.
    pub(super) fn message(&mut self, d: &Dialect, game: &Game, message: &Message) -> Option<Message> {
        self.recode.from.clone_from(d);
        let message = self.turned(game, message)?;
        if matches!(message, Message::Static(_) | Message::FitzStatic(_)) && self.emitted.statics().count() >= self.recode.limits.statics {
            self.recode.lose(Loss::StaticEntities { most: u64::from(self.recode.limits.statics) });
            return None;
        }
        let _ = self.emitted.apply(&self.recode.to, &message, 0);
        Some(message)
    }

    fn turned(&mut self, game: &Game, message: &Message) -> Option<Message> {
        Some(match message {
            Message::ServerInfo(m) => self.server_info(m),
            Message::Version(_) => return None,
            Message::SpawnBaseline2(m) => {
                let mut state = crate::replacement::EntityState::default();
                m.delta.apply(&self.recode.from.layout(), &Default::default(), &mut state);
                return self.baseline(m.entity.number, &state);
            }
            Message::SpawnStatic2(m) => {
                let mut state = crate::replacement::EntityState::default();
                m.delta.apply(&self.recode.from.layout(), &Default::default(), &mut state);
                return self.fixed(&state);
            }
            Message::FitzBaseline(m) => {
                if m.entity.number >= self.recode.limits.entities {
                    self.recode.lose(Loss::Entities { from: self.recode.limits.entities.into() });
                    return None;
                }
                let looks = self.looks(&m.looks);
                self.fitted_baseline(m.entity.number, looks, m.looks.alpha, m.looks.scale)?
            }
            Message::FitzStatic(m) => {
                let looks = self.looks(m);
                if looks.model == 0 {
                    return None;
                }
                self.fitted_static(looks, m.alpha, m.scale)
            }
            // replacement deltas replace these
            Message::FastUpdate(_) if self.recode.from.replacement() => {
                self.recode.lose(Loss::Messages { name: message.name().to_owned() });
                return None;
            }
            Message::FastUpdate(m) => {
                let thing = self.own_eyes(game, updated(&self.recode.from, game, m)?);
                return self.recode.can_number(&thing).then(|| self.update(&thing));
            }
            Message::NqTime(m) if !self.recode.from.replacement() => Message::NqTime(NqTime { time: m.time, input: 0 }),
            Message::NqSound(m) => return self.sound(m),
            Message::FitzStaticSound(m) => return self.static_sound(m),
            Message::StatByte(m) => return self.stat(m.stat, i32::from(m.value)),
            Message::StatLong(m) => return self.stat(m.stat, m.value),
            Message::StatFloat(m) => return self.stat(m.stat, m.value.value() as i32),
            Message::TempEntity(m) => Message::TempEntity(self.recode.temp_entity(m)?),
            Message::ClientData(m) => self.client_data(m),
            Message::BonusFlash(_) | Message::Fog(_) | Message::SkyBox(_) if self.recode.limits.alpha => message.clone(),
            // a setting of QuakeSpasm-Spiked, which other engines print as an unknown command
            Message::StuffText(m) if m.text.bytes().starts_with(b"cl_serverextension_download ") => return None,
            // these are made from states
            Message::UpdateEntities(_) | Message::NqTime(_) | Message::Precache(_) => return None,
            other => {
                let plain = self.recode.plain(other);
                if plain.is_none() {
                    self.recode.lose(Loss::Messages { name: other.name().to_owned() });
                }
                plain?
            }
        })
    }

    fn server_info(&mut self, info: &ServerInfo) -> Message {
        let limits = self.recode.limits;
        let numbers = &self.recode.to.numbers;
        let version = Version { extensions: Vec::new(), protocol: numbers.protocol, flags: numbers.flags };
        let level = self.levels.get(self.level);
        self.level += 1;
        self.emitted = World::default();
        // engines refuse servers with more players
        self.slots = info.max_clients.min(limits.players);
        let list = |known: &Texts, all: Option<&Files>, most: u32, filler: &[u8]| {
            let all = all.filter(|all| all.len() > known.0.len() + 1);
            let names = all.map_or_else(|| known.0.clone(), |all| all[1..].to_vec());
            // a gap would end the list; nothing refers to its number
            let names = names.into_iter().map(|name| if name.0.is_empty() { Text(filler.to_vec()) } else { name });
            Texts(names.take(most as usize - 1).collect())
        };
        let models = list(&info.models, level.map(|level| &*level.models), limits.models, MODEL_FILLER);
        let sounds = list(&info.sounds, level.map(|level| &*level.sounds), limits.sounds, SOUND_FILLER);
        Message::ServerInfo(ServerInfo {
            version,
            gamedir: Text::default(),
            max_clients: self.slots,
            game_type: info.game_type,
            level: info.level.clone(),
            models,
            sounds,
        })
    }

    fn baseline(&mut self, number: u32, state: &crate::replacement::EntityState) -> Option<Message> {
        if number >= self.recode.limits.entities {
            self.recode.lose(Loss::Entities { from: self.recode.limits.entities.into() });
            return None;
        }
        let (looks, alpha, scale) = self.recode.appearance(number, state);
        let scale = if scale == LIFE_SIZE { 0 } else { scale };
        self.fitted_baseline(number, looks, fitz_alpha(alpha), scale)
    }

    /// FitzQuake's appearance within the target's limits. Without a model if that has no number.
    fn looks(&mut self, looks: &FitzAppearance) -> crate::message::Appearance {
        let limits = self.recode.limits;
        let mut plain = looks.looks.clone();
        self.recode.looks(&mut plain);
        if u32::from(plain.model) >= limits.models {
            self.recode.lose(Loss::Models { from: limits.models.into() });
            plain.model = 0;
        }
        if u32::from(plain.frame) >= limits.frames {
            self.recode.lose(Loss::AnimationFrames);
            plain.frame &= (limits.frames - 1) as u16;
        }
        if looks.alpha != 0 && !limits.alpha {
            self.recode.lose(Loss::Opacity);
        }
        if !matches!(looks.scale, 0 | LIFE_SIZE) && !limits.scale {
            self.recode.lose(Loss::Sizes);
        }
        plain
    }

    /// A colormap of the target: 0 instead of one that no player of the level has, because engines stop there.
    fn colormap(&mut self, colormap: u32) -> u32 {
        if playable::stop_at_colormap(colormap, self.slots).is_none() {
            return colormap;
        }
        self.recode.lose(Loss::Colors);
        0
    }

    /// A baseline in the narrowest form. Opacity and size are FitzQuake's, 0 for the default.
    fn fitted_baseline(&mut self, number: u32, mut looks: crate::message::Appearance, alpha: u8, scale: u8) -> Option<Message> {
        looks.colormap = self.colormap(looks.colormap.into()) as u8;
        let entity = plain_entity(number);
        let mask = self.mask(&looks, alpha, scale);
        Some(match mask {
            0 => Message::Baseline(Baseline { entity, looks }),
            mask => Message::FitzBaseline(FitzBaseline { entity, looks: FitzAppearance { mask, looks, alpha, scale, unknown: [0; 4] } }),
        })
    }

    fn mask(&self, looks: &crate::message::Appearance, alpha: u8, scale: u8) -> u8 {
        let limits = &self.recode.limits;
        let on = [looks.model > 255, looks.frame > 255, limits.alpha && alpha != 0, limits.scale && scale != 0];
        on.iter().zip(LOOKS).fold(0, |mask, (on, bit)| if *on { mask | bit } else { mask })
    }

    fn fixed(&mut self, state: &crate::replacement::EntityState) -> Option<Message> {
        if state.model >= self.recode.limits.models {
            self.recode.lose(Loss::Models { from: self.recode.limits.models.into() });
            return None;
        }
        let (looks, alpha, scale) = self.recode.appearance(0, state);
        Some(self.fitted_static(looks, fitz_alpha(alpha), if scale == LIFE_SIZE { 0 } else { scale }))
    }

    fn fitted_static(&mut self, looks: crate::message::Appearance, alpha: u8, scale: u8) -> Message {
        match self.mask(&looks, alpha, scale) {
            0 => Message::Static(Static { looks }),
            mask => Message::FitzStatic(FitzAppearance { mask, looks, alpha, scale, unknown: [0; 4] }),
        }
    }

    fn sound(&mut self, sound: &NqSound) -> Option<Message> {
        let limits = self.recode.limits;
        let wide = limits.sounds > 256;
        let large = sound.entity.number > 8191 || sound.channel > 7;
        if u32::from(sound.sound) >= limits.sounds || sound.entity.number > 0xffff || (large && !wide) {
            self.recode.lose(Loss::SoundNumbers);
            return None;
        }
        if sound.mask & !(NqSound::VOLUME | NqSound::ATTENUATION | NqSound::LARGE_ENTITY | NqSound::LARGE_SOUND) != 0 {
            self.recode.lose(Loss::SoundPitch);
        }
        let mut plain = NqSound { mask: sound.mask & (NqSound::VOLUME | NqSound::ATTENUATION), entity: plain_entity(sound.entity.number), ..sound.clone() };
        if large {
            plain.mask |= NqSound::LARGE_ENTITY;
        }
        if sound.sound > 255 {
            plain.mask |= NqSound::LARGE_SOUND;
        }
        self.recode.coords(&mut plain.origin);
        Some(Message::NqSound(plain))
    }

    fn static_sound(&mut self, sound: &WideStaticSound) -> Option<Message> {
        let mut wide = sound.clone();
        self.recode.coords(&mut wide.origin);
        if wide.sound < 256 {
            let WideStaticSound { origin, sound, volume, attenuation } = wide;
            return Some(Message::StaticSound(StaticSound { origin, sound, volume, attenuation }));
        }
        if u32::from(wide.sound) >= self.recode.limits.sounds {
            self.recode.lose(Loss::SoundNumbers);
            return None;
        }
        Some(Message::FitzStaticSound(wide))
    }

    /// Stats that client data lacks.
    fn stat(&mut self, stat: u8, value: i32) -> Option<Message> {
        const BEYOND: usize = stat::ITEMS + 1;
        match usize::from(stat) {
            // a plain server sends these stats in addition to client data
            0..stat::COUNT if !self.recode.from.replacement() => return Some(Message::StatLong(StatLong { stat, value })),
            stat::TOTAL_SECRETS..=stat::MONSTERS => return Some(Message::StatLong(StatLong { stat, value })),
            0..BEYOND | VIEW_HEIGHT_STAT | IDEAL_PITCH_STAT..=LAST_PUNCH_STAT => {}
            _ => self.recode.lose(Loss::StatsWithoutPlace),
        }
        None
    }

    fn client_data(&mut self, data: &ClientData) -> Message {
        const WEAPON_HIGH: u64 = 1 << 16;
        const OPACITY: u64 = 1 << 25;
        let mut row = data.row;
        let mut mask = u64::from(data.mask) & !(b::EXTEND1 | b::EXTEND2);
        if self.recode.from.is_rerelease() {
            if mask & b::FLOATS != 0 {
                for word in &mut row[s::VELOCITY..s::VELOCITY + 3] {
                    *word = char_of((f32::from_bits(*word) / 16.0) as i32);
                }
            }
            mask &= !b::FLOATS & (2 * OPACITY - 1);
        }
        if !self.recode.limits.alpha {
            if NUMBERS.iter().any(|(_, high, bit, _)| mask >> bit & 1 != 0 && row[*high] != 0) {
                self.recode.lose(Loss::PlayerNumbers);
            }
            if mask & OPACITY != 0 {
                self.recode.lose(Loss::Opacity);
            }
            if mask & WEAPON_HIGH != 0 && row[s::WEAPON2] != 0 {
                // the number would show another model
                row[s::WEAPON] = 0;
            }
            mask &= 0x7fff;
        }
        Message::ClientData(ClientData { mask: announced(mask), row, ..ClientData::default() })
    }

    /// Writes a frame: time, client data, visible entities. `own_data` says that the source's client data is kept.
    pub(super) fn frame(&mut self, d: &Dialect, game: &Game, time: crate::message::Float, own_data: bool) -> Vec<Message> {
        self.recode.from.clone_from(d);
        let mut messages = vec![Message::NqTime(NqTime { time, input: 0 })];
        if !own_data {
            messages.push(Message::ClientData(self.own_data(game)));
        }
        self.recode.decorations(game);
        let world_view = WorldView::of(d, game);
        let own = own(game);
        for thing in &world_view.things {
            let thing = self.own_eyes(game, *thing);
            if (thing.seen.model != 0 || own == Some(thing.seen.number)) && self.recode.can_number(&thing) {
                messages.push(self.update(&thing));
            }
        }
        messages
    }

    /// Clients always receive their own entity: it is their view.
    fn own_eyes(&mut self, game: &Game, mut thing: EntityView) -> EntityView {
        let limits = self.recode.limits;
        if own(game) == Some(thing.seen.number) && thing.seen.model >= limits.models {
            self.recode.lose(Loss::Models { from: limits.models.into() });
            thing.seen.model = 0;
        }
        thing
    }

    fn update(&mut self, thing: &EntityView) -> Message {
        let number = thing.seen.number;
        let base = self.emitted.nq_baseline(number);
        let mut row = self.recode.nq_row(&base, thing);
        row[slot::COLORMAP] = self.colormap(row[slot::COLORMAP]);
        let mut mask = bits::SIGNAL | changed(&base, &row);
        if self.recode.limits.alpha {
            for (bit, at) in [(bits::ALPHA, slot::ALPHA), (bits::SCALE, slot::SCALE)] {
                if base[at] != row[at] {
                    mask |= bit;
                }
            }
            for (bit, with, at) in [(bits::FRAME2, bits::FRAME, slot::FRAME2), (bits::MODEL2, bits::MODEL, slot::MODEL2)] {
                if mask & with != 0 && row[at] != 0 {
                    mask |= bit;
                }
            }
        }
        if thing.steps {
            mask |= bits::NOLERP;
            // servers state the next think time unless it is a tenth of a second away
            let finish = (thing.lerp_end * 255 + 500) / 1000;
            if self.recode.limits.alpha && (1..=255).contains(&finish) && !(25..=26).contains(&finish) {
                row[slot::LERPFINISH] = finish;
                mask |= bits::LERPFINISH;
            }
        }
        if number >= 256 {
            mask |= bits::LONGENTITY;
        }
        let mask = extended(mask, &[bits::MOREBITS, bits::EXTEND1, bits::EXTEND2]) as u32;
        Message::FastUpdate(FastUpdate { mask, entity: plain_entity(number), row, ..FastUpdate::default() })
    }

    /// Client data from stats, by the rules of stock servers.
    fn own_data(&mut self, game: &Game) -> ClientData {
        let zero = [0; stat::COUNT];
        let stats = game.own_stats().unwrap_or(&zero);
        let own = game.own.and_then(|own| game.world.replaced().get(u32::from(own) + 1)).map(|known| &known.state);
        let mut row = [0; s::COUNT];
        row[s::VIEWHEIGHT] = char_of(stats[VIEW_HEIGHT_STAT]);
        row[s::IDEALPITCH] = char_of(stats[IDEAL_PITCH_STAT]);
        for axis in 0..3 {
            row[s::PUNCH + axis] = char_of(stats[IDEAL_PITCH_STAT + 1 + axis]);
            row[s::VELOCITY + axis] = char_of(own.map_or(0, |own| i32::from(own.velocity[axis]) / 128));
        }
        row[s::ITEMS] = stats[stat::ITEMS] as u32;
        row[s::HEALTH] = i32::from(stats[stat::HEALTH] as i16) as u32;
        row[s::ACTIVE_WEAPON] = stats[stat::ACTIVE_WEAPON] as u32 & 255;
        let mut mask = b::ITEMS | b::WEAPON;
        if own.is_some_and(|own| own.movetype & ON_GROUND != 0) {
            mask |= b::ONGROUND;
        }
        for (low, high, bit, at) in NUMBERS {
            let value = stats[at] as u32;
            row[low] = value & 255;
            row[high] = value >> 8 & 255;
            if row[high] != 0 && self.recode.limits.alpha {
                mask |= 1 << bit;
            } else if value > 255 {
                self.recode.lose(Loss::PlayerNumbers);
                if at == stat::WEAPON {
                    // the number would show another model
                    row[low] = 0;
                }
            }
        }
        if row[s::VIEWHEIGHT] as i32 != VIEW_HEIGHT {
            mask |= b::VIEWHEIGHT;
        }
        for (bit, at) in [(b::IDEALPITCH, s::IDEALPITCH), (b::WEAPONFRAME, s::WEAPONFRAME), (b::ARMOR, s::ARMOR)] {
            if row[at] != 0 {
                mask |= bit;
            }
        }
        // the high byte needs the low one
        for (high, low) in [(1 << 24, b::WEAPONFRAME), (1 << 17, b::ARMOR)] {
            if mask & high != 0 {
                mask |= low;
            }
        }
        for axis in 0..3 {
            for (bit, at) in [(b::PUNCH, s::PUNCH), (b::VELOCITY, s::VELOCITY)] {
                if row[at + axis] != 0 {
                    mask |= bit << axis;
                }
            }
        }
        ClientData { mask: announced(mask), row, ..ClientData::default() }
    }
}

/// Client data's numbers of two bytes: slot, bit of the high byte, stat.
const NUMBERS: [(usize, usize, u32, usize); 8] = [
    (s::WEAPONFRAME, s::WEAPONFRAME2, 24, stat::WEAPON_FRAME),
    (s::ARMOR, s::ARMOR2, 17, stat::ARMOR),
    (s::WEAPON, s::WEAPON2, 16, stat::WEAPON),
    (s::AMMO, s::AMMO2, 18, stat::AMMO),
    (s::SHELLS, s::SHELLS2, 19, stat::SHELLS),
    (s::NAILS, s::NAILS2, 20, stat::NAILS),
    (s::ROCKETS, s::ROCKETS2, 21, stat::ROCKETS),
    (s::CELLS, s::CELLS2, 22, stat::CELLS),
];

/// The entity of the recording player.
fn own(game: &Game) -> Option<u32> {
    game.own.map(|own| u32::from(own) + 1)
}

/// Client data's mask with the bits that announce its upper bytes.
fn announced(mask: u64) -> u32 {
    (extended(mask >> 8, &[b::EXTEND1 >> 8, b::EXTEND2 >> 8]) << 8 | mask & 255) as u32
}

fn char_of(value: i32) -> u32 {
    value.clamp(-128, 127) as u32
}

/// Bit of a replacement delta's movetype.
const ON_GROUND: u8 = 0x80;
const VIEW_HEIGHT_STAT: usize = 16;
const IDEAL_PITCH_STAT: usize = 25;
const LAST_PUNCH_STAT: usize = 28;
