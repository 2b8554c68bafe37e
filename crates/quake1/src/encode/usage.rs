//! Surveys a recording before it is converted.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dialect::Dialect;
use crate::message::Message;
use crate::state::{Files, Game};
use crate::walk::input::Input;

use crate::encode::world::{EntityView, LIFE_SIZE, OPAQUE, WorldView, thing};
use crate::limits::Limits;
use crate::walk::decoded_blocks::{DecodedBlock, DecodedBlocks, NextDecoded};

/// The files of a level.
#[derive(Debug, Clone, Default)]
pub struct LevelFiles {
    /// Files by number.
    pub models: Arc<Files>,
    /// Files by number.
    pub sounds: Arc<Files>,
}

/// The numbers, files and players that a recording uses.
#[derive(Debug, Clone, Default)]
pub struct Usage {
    /// Its levels.
    pub levels: Vec<LevelFiles>,
    /// The players by slot: their names, and whether they ever played.
    pub people: BTreeMap<u8, (Vec<Vec<u8>>, bool)>,
    /// The greatest number of a model,
    pub models: u32,
    /// of a sound,
    pub sounds: u32,
    /// of an entity,
    pub entities: u32,
    /// and of a frame of a model.
    pub frames: u32,
    /// Whether any entity has an opacity,
    pub alpha: bool,
    /// or a size.
    pub scale: bool,
    /// The most static entities of any level.
    pub statics: u32,
    /// The greatest coordinate.
    pub reach: f32,
}

impl Usage {
    /// Surveys a recording.
    pub fn of(recording: &Input<'_>) -> Self {
        let mut usage = Usage::default();
        let mut game = Game::default();
        let mut reading = DecodedBlocks::new(recording);
        loop {
            let next = reading.next(|d, message, delivery| {
                if matches!(message, Message::ServerInfo(_) | Message::ServerData(_)) {
                    usage.level(&game);
                }
                usage.message(d, message);
                delivery.apply(&mut game, d, message);
            });
            match next {
                None => break,
                Some(NextDecoded::Block(unit)) => usage.unit(reading.dialect(), &game, &unit),
                Some(NextDecoded::Broken(..)) => {}
            }
        }
        usage.level(&game);
        usage
    }

    /// A level ends.
    fn level(&mut self, game: &Game) {
        if game.levels > 0 {
            let level = LevelFiles { models: game.level.models.clone(), sounds: game.level.sounds.clone() };
            self.models = self.models.max(level.models.len().saturating_sub(1) as u32);
            self.sounds = self.sounds.max(level.sounds.len().saturating_sub(1) as u32);
            self.statics = self.statics.max(game.world.statics().count());
            self.levels.push(level);
        }
    }

    fn message(&mut self, d: &Dialect, message: &Message) {
        let (number, delta) = match message {
            Message::SpawnBaseline2(m) => (m.entity.number, &m.delta),
            Message::SpawnStatic2(m) => (0, &m.delta),
            _ => return,
        };
        let mut state = crate::replacement::EntityState::default();
        delta.apply(&d.layout(), &Default::default(), &mut state);
        let thing = thing(d, number, &state);
        self.thing(&thing);
    }

    fn thing(&mut self, thing: &EntityView) {
        let seen = &thing.seen;
        self.entities = self.entities.max(seen.number);
        self.models = self.models.max(seen.model);
        self.frames = self.frames.max(seen.frame);
        self.alpha |= thing.alpha != OPAQUE;
        self.scale |= thing.scale != LIFE_SIZE;
        self.reach = seen.origin.iter().fold(self.reach, |reach, units| reach.max(units.abs()));
    }

    fn unit(&mut self, d: &Dialect, game: &Game, unit: &DecodedBlock<'_>) {
        if unit.is_frame() {
            let world_view = WorldView::of(d, game);
            world_view.things.iter().filter(|thing| thing.seen.model != 0).for_each(|thing| self.thing(thing));
        }
        let names = |message: &Message| matches!(message, Message::UpdateUserInfo(_) | Message::SetInfo(_) | Message::UpdateName(_));
        if unit.messages.iter().any(names) {
            for (slot, person) in game.roster.iter() {
                let (names, plays) = self.people.entry(slot).or_default();
                if !names.contains(&person.name) {
                    names.push(person.name.clone());
                }
                *plays |= !person.spectator;
            }
        }
    }

    /// True if everything is within limits.
    pub(crate) fn fits(&self, limits: &Limits) -> bool {
        self.models < limits.models
            && self.sounds < limits.sounds
            && self.entities < limits.entities
            && self.frames < limits.frames
            && self.statics <= limits.statics
            && (limits.alpha || !self.alpha)
            && (limits.scale || !self.scale)
    }
}
