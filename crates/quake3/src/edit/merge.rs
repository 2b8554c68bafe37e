//! Several viewpoints of one match in one recording (`docs/formats/quake3.md`, "Editing").

use std::collections::{BTreeMap, BTreeSet};

use fragreel_base::delta::interleaved::Row;
use fragreel_base::wire::Error;
use fragreel_model::replay::FrameAt;
use fragreel_model::{Action, Edited, Loss, Milliseconds};

use super::recording_writer::RecordingWriter;
use super::source::Source;
use crate::Recording;
use crate::container::Piece;
use crate::dialect::Dialect;
use crate::encode::{MERGE_MARK, canonical};
use crate::fields::{array, find};
use crate::message::{Message, Operation, ServerCommand, Snapshot};
use crate::state::{PlayerState, State};
use crate::strings::{clean, info};
use crate::walk::{Level, Timeline};

/// The most entities of a frame that engines show.
const MOST_ENTITIES: usize = 256;
/// The maximum age of another viewpoint's frame, in milliseconds.
const OLDEST: i64 = 250;

pub(super) fn merge(parts: &[&Recording<'_>]) -> Result<Edited, Error> {
    let [base, others @ ..] = parts else { return Err(Error::misuse("there is nothing to merge")) };
    if let Some(other) = others.iter().find(|other| other.dialect().protocol != base.dialect().protocol) {
        let (a, b) = (base.dialect().protocol, other.dialect().protocol);
        return Err(Error::misuse(format!("the viewpoints have different protocols, {a} and {b}: convert them first")));
    }
    let timeline = base.timeline();
    let mut views = others.iter().enumerate().map(|(number, other)| View::of(other, timeline, base, number + 2)).collect::<Result<Vec<_>, Error>>()?;
    let mut merger = Merger {
        writer: RecordingWriter::for_source(base),
        before: None,
        level: 0,
        seen: BTreeSet::new(),
        shared: 0,
        stale: 0,
        crowded: 0,
        frames: 0,
        marked: false,
    };
    let mut source = Source::new(base);
    let mut at = 0;
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        let is_frame = timeline.line.frames.get(at).is_some_and(|next| next.message == frame.number);
        if !is_frame {
            let marked = !merger.marked && source.playback.error.is_none() && insert_mark(&mut source.playback.message, parts.len());
            merger.writer.pass_changed(&mut source, &frame, marked)?;
            if marked {
                merger.marked = true;
            }
            merger.forget_levels(&source);
            continue;
        }
        let now = timeline.line.frames[at];
        at += 1;
        merger.forget_levels(&source);
        source.apply(&frame);
        merger.frame(&mut source, now, &mut views)?;
    }
    let Merger { writer, shared, stale, crowded, frames, seen, .. } = merger;
    let actions = vec![
        Action::ViewpointsMerged { viewpoints: parts.len() as u64 },
        Action::EntitiesMerged { frames: u64::from(shared), of: u64::from(frames), entities: seen.len() as u64 },
    ];
    let mut edited = writer.finish(base, actions);
    if stale > 0 {
        edited.lose(Loss::StaleViewpoints { frames: u64::from(stale), oldest: Milliseconds(OLDEST) });
    }
    if crowded > 0 {
        edited.lose(Loss::CrowdedFrames { frames: u64::from(crowded), most: MOST_ENTITIES as u64 });
    }
    Ok(edited)
}

/// Marks the recording as merger, by a command behind the first gamestate. It has the number of the last command that a client has by then, so no
/// engine executes it. Returns whether there is a gamestate.
fn insert_mark(message: &mut Message, parts: usize) -> bool {
    let gamestate = message.operations.iter().enumerate().find_map(|(at, operation)| match operation {
        Operation::Gamestate(gamestate) => Some((at, gamestate.command_sequence)),
        _ => None,
    });
    let Some((at, sequence)) = gamestate else { return false };
    let text = [MERGE_MARK, format!("{parts} viewpoints").as_bytes()].concat();
    message.operations.insert(at + 1, Operation::ServerCommand(ServerCommand { sequence, text }));
    true
}

/// The entities of one viewpoint.
#[derive(Debug, Clone, Default)]
struct ViewFrame {
    server_time: i64,
    entities: BTreeMap<u16, Row>,
    /// The player of the view as an entity, where others could see it.
    own: Option<(u16, Row)>,
    area_mask: Vec<u8>,
}

/// Another viewpoint, played alongside the base.
struct View<'a> {
    source: Source<'a>,
    frames: Vec<FrameAt>,
    /// The base's level of each of its levels.
    levels: Vec<Option<u32>>,
    next: usize,
    now: Option<(u32, ViewFrame)>,
    event_sequence: Option<u32>,
}

impl<'a> View<'a> {
    fn of(recording: &Recording<'a>, base: &Timeline, base_recording: &Recording<'_>, number: usize) -> Result<Self, Error> {
        let timeline = recording.timeline();
        let keys = |timeline: &Timeline, recording: &Recording<'_>| -> Vec<LevelKey> {
            let seeds = seeds(recording);
            timeline.levels.iter().zip(seeds).map(|(level, seed)| LevelKey::of(level, seed)).collect()
        };
        let known = keys(base, base_recording);
        let levels: Vec<Option<u32>> = keys(timeline, recording).iter().map(|key| known.iter().position(|other| other == key).map(|at| at as u32)).collect();
        if levels.iter().all(Option::is_none) {
            let name = timeline.levels.first().map(|level| clean(info(&level.strings[0], "mapname"))).unwrap_or_default();
            return Err(Error::misuse(format!("recording {number} is not of the same match: no level of it (`{name}`) is one of the first recording's")));
        }
        Ok(View { source: Source::new(recording), frames: timeline.line.frames.clone(), levels, next: 0, now: None, event_sequence: None })
    }

    /// The last frame at or before a time of the base's level.
    fn at(&mut self, level: u32, server_time: i64) -> Option<&ViewFrame> {
        while let Some(frame) = self.frames.get(self.next).copied() {
            let past = match self.levels[frame.level as usize] {
                Some(other) => other > level || (other == level && frame.server.0 > server_time),
                None => false,
            };
            if past {
                break;
            }
            self.next += 1;
            while let Some(piece) = self.source.next() {
                let Piece::Message(read) = piece else { continue };
                self.source.apply(&read);
                if read.number == frame.message {
                    break;
                }
            }
            self.now = self.levels[frame.level as usize].map(|level| (level, self.current_frame()));
        }
        self.now.as_ref().filter(|(of, seen)| *of == level && server_time - seen.server_time <= OLDEST).map(|(_, seen)| seen)
    }

    fn current_frame(&mut self) -> ViewFrame {
        let state = &self.source.playback.state;
        let Some(snapshot) = state.snapshot() else { return ViewFrame::default() };
        let own = own_entity(state.dialect(), &snapshot.player, &mut self.event_sequence);
        ViewFrame {
            server_time: i64::from(snapshot.server_time),
            entities: state.entities().map(|(number, row)| (number, *row)).collect(),
            own,
            area_mask: snapshot.area_mask.clone(),
        }
    }
}

/// Identifies a level of a server.
#[derive(Debug, PartialEq, Eq)]
struct LevelKey {
    server: Vec<u8>,
    map: Vec<u8>,
    /// The seed of checksums, which a server chooses for each level; without one, the level's number.
    seed: Vec<u8>,
}

impl LevelKey {
    fn of(level: &Level, seed: Option<i32>) -> Self {
        let [serverinfo, systeminfo] = &level.strings;
        let number = info(systeminfo, "sv_serverid").to_vec();
        LevelKey {
            server: info(serverinfo, "sv_hostname").to_vec(),
            map: info(serverinfo, "mapname").to_vec(),
            seed: seed.map_or(number, |seed| seed.to_string().into_bytes()),
        }
    }
}

/// The seed of each level.
fn seeds(recording: &Recording<'_>) -> Vec<Option<i32>> {
    struct Seeds(Vec<Option<i32>>);
    impl crate::walk::Visitor for Seeds {
        fn depth(&self) -> crate::message::Depth {
            crate::message::Depth::Commands
        }
        fn gamestate(&mut self, state: &State, gamestate: &crate::message::Gamestate) {
            self.0.push(state.dialect().identifies_client.then_some(gamestate.checksum_feed));
        }
    }
    let mut seeds = Seeds(Vec::new());
    crate::walk::visit(recording.bytes(), recording.dialect(), &mut seeds);
    seeds.0
}

/// The player of the view as an entity, as the game's server shows it to others.
fn own_entity(dialect: &Dialect, player: &PlayerState, last_event: &mut Option<u32>) -> Option<(u16, Row)> {
    const INVISIBLE: [u32; 2] = [2, 5];
    const GIBBED: i32 = -40;
    const DEAD: u32 = 1;
    let of = |name: &str| player.row.get(find(dialect.player, name)).copied().unwrap_or(0);
    let number = of("clientNum");
    let sequence = of("eventSequence");
    let fresh = last_event.replace(sequence).is_some_and(|before| before != sequence);
    let health = player.arrays[array::STATS][0] as i32;
    if INVISIBLE.contains(&of("pm_type")) || health <= GIBBED || number >= 64 {
        return None;
    }
    let mut row = [0; 64];
    let mut set = |name: &str, value: u32| {
        if let Some(word) = row.get_mut(find(dialect.entity, name)) {
            *word = value;
        }
    };
    set("eType", 1);
    set("pos.trType", 1);
    set("apos.trType", 1);
    for (axis, name) in ["[0]", "[1]", "[2]"].into_iter().enumerate() {
        // positions are whole units
        let origin = f32::from_bits(of(&format!("origin{name}"))).trunc();
        set(&format!("pos.trBase{name}"), (origin + 0.0).to_bits());
        set(&format!("pos.trDelta{name}"), of(&format!("velocity{name}")));
        if axis < 2 {
            set(&format!("apos.trBase{name}"), of(&format!("viewangles{name}")));
        }
    }
    set("angles2[1]", (of("movementDir") as f32).to_bits());
    for name in ["legsAnim", "torsoAnim", "clientNum", "weapon", "groundEntityNum", "loopSound", "generic1"] {
        set(name, of(name));
    }
    set("eFlags", if health <= 0 { of("eFlags") | DEAD } else { of("eFlags") & !DEAD });
    let powerups = (0..16).filter(|&slot| player.arrays[array::POWERUPS][slot] != 0).fold(0, |bits, slot| bits | 1 << slot);
    set("powerups", powerups);
    if of("externalEvent") != 0 {
        set("event", of("externalEvent"));
        set("eventParm", of("externalEventParm"));
    } else if fresh && sequence > 0 {
        let last = sequence.wrapping_sub(1);
        set("event", of(&format!("events[{}]", last & 1)) | (last & 3) << 8);
        set("eventParm", of(&format!("eventParms[{}]", last & 1)));
    }
    Some((number as u16, row))
}

struct Merger {
    writer: RecordingWriter,
    /// The frame written last.
    before: Option<WrittenFrame>,
    level: u32,
    seen: BTreeSet<u16>,
    shared: u32,
    stale: u32,
    crowded: u32,
    frames: u32,
    marked: bool,
}

struct WrittenFrame {
    sequence: i32,
    player: PlayerState,
    entities: Vec<(u16, Row)>,
}

impl Merger {
    fn forget_levels(&mut self, source: &Source<'_>) {
        let begins = source.begins_level();
        if begins || self.level != source.signon.levels {
            self.level = source.signon.levels;
            self.before = None;
        }
    }

    /// Writes the message that `source` has applied, with the entities of all.
    fn frame(&mut self, source: &mut Source<'_>, now: FrameAt, views: &mut [View<'_>]) -> Result<(), Error> {
        let Some(snapshot) = source.playback.state.snapshot() else { return Ok(()) };
        let mut entities: BTreeMap<u16, Row> = source.playback.state.entities().map(|(number, row)| (number, *row)).collect();
        let mut area_mask = snapshot.area_mask.clone();
        let own = snapshot.player.row.get(find(source.playback.state.dialect().player, "clientNum")).map_or(u16::MAX, |&client| client as u16);
        let (before, mut stale) = (entities.len(), false);
        let mut owns = Vec::new();
        for view in views {
            let Some(seen) = view.at(now.level, now.server.0) else { continue };
            stale |= seen.server_time != now.server.0;
            for (number, row) in &seen.entities {
                entities.entry(*number).or_insert(*row);
            }
            owns.extend(seen.own);
            // a set bit hides an area
            for (byte, other) in area_mask.iter_mut().zip(&seen.area_mask) {
                *byte &= other;
            }
        }
        // entities that a server sent go before those made of player states
        for (number, row) in owns {
            entities.entry(number).or_insert(row);
        }
        // servers never send a player its own entity
        if source.playback.state.entities().all(|(number, _)| number != own) {
            entities.remove(&own);
        }
        self.frames += 1;
        self.shared += u32::from(entities.len() > before);
        self.stale += u32::from(stale);
        let base: Vec<u16> = source.playback.state.entities().map(|(number, _)| number).collect();
        let mut list: Vec<(u16, Row)> = entities.into_iter().collect();
        if list.len() > MOST_ENTITIES {
            self.crowded += 1;
            let mut spare = list.len() - MOST_ENTITIES;
            list.reverse();
            list.retain(|(number, _)| {
                let goes = spare > 0 && !base.contains(number);
                spare -= usize::from(goes);
                !goes
            });
            list.reverse();
        }
        self.seen.extend(list.iter().filter(|(number, _)| !base.contains(number)).map(|(number, _)| *number));
        let written = WrittenFrame { sequence: now.key as i32, player: snapshot.player, entities: list };
        let near = self.before.as_ref().filter(|before| (1..32).contains(&(i64::from(written.sequence) - i64::from(before.sequence))));
        let tree = Snapshot {
            client_command: 0,
            server_time: snapshot.server_time,
            delta: near.map_or(0, |before| written.sequence.wrapping_sub(before.sequence) as u8),
            flags: snapshot.flags,
            area_mask,
            player: canonical::player(near.map_or(&PlayerState::default(), |before| &before.player), &written.player, source.playback.state.dialect()),
            entities: canonical::entity_rows(&source.playback.state, near.map_or(&[], |before| &before.entities), &written.entities).into(),
        };
        for operation in &mut source.playback.message.operations {
            if let Operation::Snapshot(snapshot) = operation {
                let client_command = snapshot.client_command;
                **snapshot = Snapshot { client_command, ..tree.clone() };
            }
        }
        self.before = Some(written);
        self.writer.write(now.key as i32, &mut source.playback.message)
    }
}
