//! The playhead of a QuakeWorld demo server: messages and visible entities at the current position of a recording.

use std::sync::Arc;

use fragreel_live::Growing;

use crate::server::{Board, Level};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Framing, Target};
use fragreel_quake1::unstable::decoded_blocks::{DecodedBlocks, NextDecoded};
use fragreel_quake1::unstable::dialect::{Dialect, Stream};
use fragreel_quake1::unstable::limits::Limits;
use fragreel_quake1::unstable::message::{Float, Message, Text};
use fragreel_quake1::unstable::quakeworld::{QuakeWorld, classic};
use fragreel_quake1::unstable::recode::Recode;
use fragreel_quake1::unstable::replacement::{EntityState, Flags};
use fragreel_quake1::unstable::state::{Game, World, stat};
use fragreel_quake1::unstable::usage::{LevelFiles, Usage};
use fragreel_quake1::unstable::world::{EntityView, PlayerView, WorldView};

/// The contents of a recording, surveyed before it is served.
#[derive(Debug)]
pub struct Contents(Usage);

impl Contents {
    /// Surveys a recording.
    pub fn of(recording: &Recording<'_>) -> Self {
        Contents(Usage::of(recording.input()))
    }

    /// True if no player ever has a slot.
    pub(super) fn is_free(&self, slot: u8) -> bool {
        !self.0.people.contains_key(&slot)
    }
}

/// A position in a recording. Everything before it has been applied.
#[derive(Clone)]
pub(super) struct Playhead {
    reading: DecodedBlocks<'static>,
    converter: QuakeWorld,
    files: Arc<[LevelFiles]>,
    pub game: Game,
    /// The scoreboard and other persistent messages, which all clients know.
    pub board: Board,
    baselines: Vec<(u32, EntityState)>,
    statics: Vec<Message>,
    /// The number of levels so far.
    pub level: usize,
    /// True once the level has had a frame.
    pub is_open: bool,
    /// The recording player's view angles, from the last user command.
    view: Option<[f32; 3]>,
}

/// The output of a block.
#[derive(Debug, Default)]
pub(super) struct BlockOutput {
    /// Messages in plain QuakeWorld, with their addressees.
    pub messages: Vec<(Target, Message)>,
    /// True if a new level starts.
    pub level: bool,
}

/// The render flag of entities that move in steps.
const STEPS: u32 = 1;
/// The collision box of a living player.
const BODY: u32 = 0x8020_1810;
/// The movement type of walking players.
const WALKS: u8 = 3;
/// File names for numbers without a file.
const FILLERS: [&str; 2] = ["progs/player.mdl", "misc/null.wav"];
/// Server info keys that change how frames are read. Frames sent here are plain.
const OURS: [&[u8]; 1] = [b"*z_ext"];

impl Playhead {
    /// Starts before the first block.
    pub(super) fn new(recording: &Recording<'_>, contents: &Contents) -> Self {
        let files: Arc<[LevelFiles]> = contents.0.levels.clone().into();
        let to = Dialect::plain(Stream::QuakeWorld, 28, recording.dialect());
        Playhead {
            reading: DecodedBlocks::of_growing(recording.input()),
            converter: QuakeWorld::new(Recode::new(recording.dialect(), &to, Limits::of(&to)), Arc::clone(&files)),
            files,
            game: Game::default(),
            board: Board::new(),
            baselines: Vec::new(),
            statics: Vec::new(),
            level: 0,
            is_open: false,
            view: None,
        }
    }

    /// Milliseconds since the first frame.
    pub(super) fn time(&self) -> i64 {
        self.reading.clock().demo.0
    }

    /// True if the next block has the same time.
    pub(super) fn lingers(&self, recording: &Growing) -> bool {
        self.reading.same_time_as_next_in(recording.bytes(), recording.is_last())
    }

    /// Applies the next block of the recording so far.
    pub(super) fn step(&mut self, recording: &Growing) -> Option<BlockOutput> {
        let mut output = BlockOutput::default();
        let (game, converter, mut framed) = (&mut self.game, &mut self.converter, false);
        let next = self.reading.next_in(recording.bytes(), recording.is_last(), |d, message, delivery| {
            game.apply(d, message, delivery.target, delivery.sequence);
            framed |= fragreel_quake1::unstable::message::is_frame(message);
            output.level |= matches!(message, Message::ServerData(_));
            for message in converter.message(d, game, message) {
                output.messages.push((delivery.target, message));
            }
        })?;
        if let NextDecoded::Block(unit) = next
            && let Framing::Command { angles, .. } = unit.block.framing
        {
            self.view = Some(angles.map(Float::value));
        }
        if output.level {
            self.level += 1;
            self.is_open = false;
            (self.board, self.baselines, self.statics) = (Board::new(), Vec::new(), Vec::new());
        }
        self.is_open |= framed && self.level > 0;
        if self.is_open && self.files.len() < self.level {
            self.learn_files();
        }
        for (_, message) in &output.messages {
            match message {
                Message::Baseline(m) => {
                    let mut world = World::default();
                    let d = &self.converter.recode.to;
                    let _ = world.apply(d, message, 0);
                    self.baselines.push((m.entity.number, classic_row(&world, d, m.entity.number)));
                }
                Message::Static(_) | Message::StaticSound(_) => self.statics.push(message.clone()),
                _ => {
                    self.board.apply(message);
                }
            }
        }
        Some(output)
    }

    /// Adds the files of a level of a growing recording. They are complete at its first frame.
    fn learn_files(&mut self) {
        let level = LevelFiles { models: self.game.level.models.clone(), sounds: self.game.level.sounds.clone() };
        let unknown = self.level - 1 - self.files.len();
        self.files = self.files.iter().cloned().chain(std::iter::repeat_with(LevelFiles::default).take(unknown)).chain([level]).collect();
        self.converter.learn(Arc::clone(&self.files));
    }

    /// The level as servers send it to joining clients.
    pub(super) fn level(&self, layout: &Flags, server_count: i32) -> Level {
        let said = &self.game.level;
        let files = self.level.checked_sub(1).and_then(|at| self.files.get(at));
        let names = |list: &[Text], filler: &str| {
            list.iter().skip(1).map(|name| if name.bytes().is_empty() { filler.to_owned() } else { string(name.bytes()) }).collect()
        };
        let mut server_info = String::new();
        for (key, value) in said.info.iter().filter(|(key, _)| !OURS.contains(&key.as_slice())) {
            server_info.push_str(&format!("\\{}\\{}", string(key), string(value)));
        }
        let mut baselines: Vec<_> = self.baselines.iter().map(|(number, state)| (*number, from_plain(&self.converter.recode.to, layout, state))).collect();
        baselines.sort_by_key(|(number, _)| *number);
        baselines.dedup_by_key(|(number, _)| *number);
        Level {
            name: string(said.title.bytes()),
            gamedir: string(said.gamedir.bytes()),
            server_info,
            models: files.map(|files| names(&files.models, FILLERS[0])).unwrap_or_default(),
            sounds: files.map(|files| names(&files.sounds, FILLERS[1])).unwrap_or_default(),
            baselines,
            statics: self.statics.clone(),
            move_vars: said.move_vars.clone(),
            server_count,
        }
    }

    /// Visible entities in rising order of numbers. Players are 1 to 32.
    pub(super) fn visible(&self, layout: &Flags) -> Vec<(u32, EntityState)> {
        let d = self.reading.dialect();
        if d.replacement() {
            let own = d.layout();
            return self.game.world.replaced().iter().map(|(number, known)| (number, crate::server::reworded(&own, layout, &known.state))).collect();
        }
        let world_view = WorldView::of(d, &self.game);
        let mut visible: Vec<(u32, EntityState)> = Vec::with_capacity(world_view.players.len() + world_view.things.len());
        let own = self.game.own.filter(|_| !d.is_multi_view());
        for mut player in world_view.players {
            let here = self.game.roster.get(player.slot).is_some_and(|person| !person.spectator);
            if player.slot >= 32 || !(here || own == Some(player.slot)) || (own == Some(player.slot) && self.game.own_spectates) {
                continue;
            }
            if own == Some(player.slot) {
                player.angles = self.view.unwrap_or(player.angles);
                player.weapon_frame |= self.game.own_stats().map_or(0, |stats| stats[stat::WEAPON_FRAME].max(0) as u32);
            }
            visible.push((u32::from(player.slot) + 1, body(layout, &player)));
        }
        visible.extend(
            world_view.things.iter().filter(|thing| thing.seen.number > 32 && thing.seen.model != 0).map(|thing| (thing.seen.number, entity(layout, thing))),
        );
        visible
    }

    /// The slot of the recording player. `None` for a spectator, and in multi-view recordings.
    pub(super) fn own(&self) -> Option<u8> {
        self.game.own.filter(|_| !self.reading.dialect().is_multi_view() && !self.game.own_spectates)
    }

    /// The position of the recording spectator, who is not visible.
    pub(super) fn eye(&self) -> Option<[f32; 3]> {
        self.game.own.and_then(|own| self.game.body_of(own)).map(|body| body.origin)
    }

    /// The players by slot, without spectators.
    pub(super) fn players(&self) -> impl Iterator<Item = (u8, &fragreel_quake1::unstable::state::Person)> {
        self.game.roster.iter().filter(|(slot, person)| *slot < 32 && person.is_here() && !person.spectator)
    }
}

fn string(text: &[u8]) -> String {
    // quotes would end the command
    String::from_utf8_lossy(text).replace(['"', '\n'], "")
}

fn classic_row(world: &World, d: &Dialect, number: u32) -> EntityState {
    classic(
        d,
        &fragreel_quake1::unstable::reencode::entity_delta(
            d,
            number,
            &[0; fragreel_quake1::unstable::fields::quakeworld::slot::COUNT],
            &world.qw_baseline(number),
        ),
    )
}

/// Converts a state from plain QuakeWorld's units to those of a layout.
fn from_plain(d: &Dialect, layout: &Flags, state: &EntityState) -> EntityState {
    let mut state = state.clone();
    state.origin = state.origin.map(|word| layout.origin.word(d.coord.units(word)));
    state.angles = state.angles.map(|word| layout.angles.from_turns(word));
    state
}

/// Degrees as 65536ths of a turn.
fn turns(degrees: f32) -> i16 {
    (degrees * (65536.0 / 360.0)).round() as i32 as i16
}

fn body(layout: &Flags, player: &PlayerView) -> EntityState {
    // a body's pitch is a third of the view's
    let facing = [player.angles[0] / -3.0, player.angles[1], 0.0];
    // a corpse keeps its view level
    let looks = if player.dead { [0.0, player.angles[1], 0.0] } else { player.angles };
    EntityState {
        frame: player.frame,
        origin: player.origin.map(|units| layout.origin.word(units)),
        angles: facing.map(|degrees| layout.angles.word(degrees)),
        effects: player.effects,
        movement: player.movement,
        movetype: WALKS,
        velocity: player.velocity.unwrap_or_default().map(|units| (units * 8.0) as i16),
        msec: player.msec,
        weapon_frame: player.weapon_frame as u16,
        view_angles: looks.map(turns),
        model: player.model,
        skin: player.skin,
        colormap: u32::from(player.slot) + 1,
        solid: if player.dead { 0 } else { BODY },
        ..EntityState::default()
    }
}

fn entity(layout: &Flags, thing: &EntityView) -> EntityState {
    let seen = &thing.seen;
    EntityState {
        frame: seen.frame,
        origin: seen.origin.map(|units| layout.origin.word(units)),
        angles: seen.angles.map(|degrees| layout.angles.word(degrees)),
        effects: seen.effects,
        model: seen.model,
        skin: seen.skin,
        colormap: seen.colormap,
        flags: if thing.steps { STEPS } else { 0 },
        alpha: thing.alpha,
        scale: thing.scale,
        lerp_end: thing.lerp_end,
        ..EntityState::default()
    }
}
