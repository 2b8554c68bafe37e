//! The game state that messages build: baselines, a ring of frames, the player's own state, strings (`docs/formats/goldsrc.md`, "State").

mod direct;
pub(crate) mod field;
mod packed;
pub(crate) mod rows;

use std::collections::HashMap;
use std::sync::Arc;

use crate::fields::Structure;
use crate::fields::description::Description;
use crate::message::context::Context;
use crate::message::{Base, ClientDataBody, Delta, EntityUpdate, Message, Resource, ServerInfo, SpawnBaseline, UpdateUserInfo, Values};
use crate::state::rows::{RowId, Rows};

pub(crate) use packed::PackedState;

/// Frames that deltas may refer to.
pub(crate) const RING: usize = 64;
/// Slots that `svc_updateuserinfo` may name.
const SLOTS: usize = 256;

/// An entity of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entity {
    /// Its number.
    pub number: u16,
    /// The structure that its row follows.
    pub structure: Structure,
    /// Its row, see [`State::row`].
    pub row: RowId,
}

/// One frame of the ring.
#[derive(Debug, Clone, Default)]
struct Frame {
    entities: Vec<Entity>,
    client: Option<RowId>,
    weapons: Vec<(u8, RowId)>,
    /// The sequence number of the entities, and that of the client data. Absent if there are none.
    entities_at: Option<u32>,
    client_at: Option<u32>,
    /// They rest on the last known state, because a delta base before them is lost, or on a frame that contradicts itself.
    entities_uncertain: bool,
    client_uncertain: bool,
}

/// The player of a slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slot {
    /// The number of the connection.
    pub user_id: i32,
    /// Keys and values.
    pub info: Vec<u8>,
}

/// The strings that rows name.
#[derive(Debug, Clone)]
struct Texts {
    texts: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, u32>,
}

impl Texts {
    /// About how many bytes they take on the heap.
    fn bytes(&self) -> usize {
        self.texts.iter().map(|text| 2 * (size_of::<Vec<u8>>() + text.len()) + size_of::<u32>()).sum()
    }
}

/// Why a message could not be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyError {
    /// The delta base is not in the ring.
    MissingBase,
    /// The number of entities differs from the count in the message.
    Count {
        /// The count in the message.
        declared: u16,
        /// The number of entities rebuilt.
        rebuilt: usize,
    },
    /// An earlier entity or an instanced baseline is missing.
    MissingReference,
}

impl ApplyError {
    /// The sentence for a report.
    pub fn text(self) -> String {
        match self {
            ApplyError::MissingBase => String::from("the delta base of this frame is not in the recording"),
            ApplyError::Count { declared, rebuilt } => format!("the message states {declared} entities, but there are {rebuilt}"),
            ApplyError::MissingReference => String::from("the baseline of an entity does not exist"),
        }
    }
}

/// The state of a game as its messages have built it so far.
#[derive(Debug, Clone)]
pub struct State {
    rows: Rows,
    frames: Vec<Frame>,
    sequence: u32,
    /// The sequence numbers of the last entities and the last client data: the last known state.
    last_entities: Option<u32>,
    last_client: Option<u32>,
    baselines: Vec<Option<Entity>>,
    instanced: Vec<RowId>,
    texts: Arc<Texts>,
    /// For each update of the last entity message: its base row and its new row.
    pub(crate) steps: Vec<(RowId, RowId)>,
    /// Room for the lists of the next frame that is read without a tree.
    spare_entities: Vec<Entity>,
    spare_weapons: Vec<(u8, RowId)>,
    /// The last `svc_serverinfo`.
    pub server: Option<ServerInfo>,
    /// The players by slot.
    pub slots: Vec<Slot>,
    /// The resources of the level.
    pub resources: Vec<Resource>,
    /// The light styles.
    pub light_styles: Arc<HashMap<u8, Vec<u8>>>,
    /// The entity whose view is shown.
    pub view_entity: i16,
    /// The game is paused.
    pub paused: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            rows: Rows::default(),
            frames: vec![Frame::default(); RING],
            sequence: 0,
            last_entities: None,
            last_client: None,
            baselines: Vec::new(),
            instanced: Vec::new(),
            texts: Arc::new(Texts { texts: vec![Vec::new()], ids: HashMap::from([(Vec::new(), 0)]) }),
            steps: Vec::new(),
            spare_entities: Vec::new(),
            spare_weapons: Vec::new(),
            server: None,
            slots: vec![Slot::default(); SLOTS],
            resources: Vec::new(),
            light_styles: Arc::default(),
            view_entity: 0,
            paused: false,
        }
    }
}

impl State {
    /// Starts a data block. Its messages belong to the frame with this sequence number.
    pub fn begin(&mut self, sequence: u32) {
        self.sequence = sequence;
    }

    /// Applies a message. `context` is the context that decoded it.
    ///
    /// A delta whose base is lost is applied to the last known state. The error says so, and [`is_uncertain`](Self::is_uncertain) stays true
    /// for all that starts from it.
    #[inline]
    pub fn apply(&mut self, context: &Context, message: &Message) -> Result<(), ApplyError> {
        match message {
            Message::DeltaPacketEntities(update) => {
                let base = Some(update.delta_sequence);
                self.entities(context, base, &update.updates, &update.values, update.count)
            }
            Message::PacketEntities(update) => self.entities(context, None, &update.updates, &update.values, update.count),
            Message::ClientData(data) => data.body.as_ref().map_or(Ok(()), |body| self.client_data(context, body)),
            Message::SpawnBaseline(baseline) => {
                self.take_baselines(context, baseline);
                Ok(())
            }
            Message::ServerInfo(info) => {
                self.new_level(info);
                Ok(())
            }
            Message::UpdateUserInfo(info) => {
                self.user_info(info);
                Ok(())
            }
            Message::ResourceList(list) => {
                self.resources.clone_from(&list.resources);
                Ok(())
            }
            Message::LightStyle(light) => {
                Arc::make_mut(&mut self.light_styles).insert(light.style, light.pattern.0.clone());
                Ok(())
            }
            Message::SetView(view) => {
                self.view_entity = view.entity;
                Ok(())
            }
            Message::SetPause(pause) => {
                self.paused = pause.paused != 0;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// True if the entities or the client data of the last frame rest on the last known state, because a delta base before them is lost, or on
    /// a frame that contradicts itself. Fields that were not sent since may have old values, and entities may be there that have gone.
    pub fn is_uncertain(&self) -> bool {
        self.entities_uncertain() || self.client_uncertain()
    }

    /// Marks the last frame as uncertain, because its block is damaged.
    pub(crate) fn doubt(&mut self) {
        let frame = &mut self.frames[slot(self.sequence)];
        frame.entities_uncertain |= frame.entities_at == Some(self.sequence);
        frame.client_uncertain |= frame.client_at == Some(self.sequence);
    }

    pub(crate) fn entities_uncertain(&self) -> bool {
        let frame = &self.frames[slot(self.sequence)];
        frame.entities_at == Some(self.sequence) && frame.entities_uncertain
    }

    pub(crate) fn client_uncertain(&self) -> bool {
        let frame = &self.frames[slot(self.sequence)];
        frame.client_at == Some(self.sequence) && frame.client_uncertain
    }

    /// The entities of the last frame, in rising order.
    pub fn frame(&self) -> &[Entity] {
        let frame = &self.frames[slot(self.sequence)];
        if frame.entities_at == Some(self.sequence) { &frame.entities } else { &[] }
    }

    /// The player's own row in the last frame, and weapons with their rows.
    pub fn client(&self) -> Option<(RowId, &[(u8, RowId)])> {
        let frame = &self.frames[slot(self.sequence)];
        if frame.client_at == Some(self.sequence) { frame.client.map(|row| (row, &frame.weapons[..])) } else { None }
    }

    /// The words of a row. The description of its structure defines their meaning.
    pub fn row(&self, id: RowId) -> &[u32] {
        self.rows.row(id)
    }

    /// The string that a row's word names.
    pub fn text(&self, word: u32) -> &[u8] {
        self.texts.texts.get(word as usize).map_or(&[], Vec::as_slice)
    }

    /// The resource of a kind and number.
    pub(crate) fn resource(&self, kind: u8, index: u16) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.kind == kind && resource.index == index)
    }

    fn entities(&mut self, context: &Context, base: Option<u8>, updates: &[EntityUpdate], values: &Values, count: u16) -> Result<(), ApplyError> {
        self.make_room();
        let at = slot(self.sequence);
        self.steps.clear();
        let found = base.map(|byte| self.find_frame(byte));
        let is_lost = found == Some(None);
        let last = self.last_entities.map(slot).filter(|&at| self.frames[at].entities_at == self.last_entities);
        let old_at = if is_lost { last } else { found.flatten() };
        let uncertain = is_lost || old_at.is_some_and(|at| self.frames[at].entities_uncertain);
        // the last known state may be in the place of the new one
        let old = old_at.map(|at| std::mem::take(&mut self.frames[at].entities)).unwrap_or_default();
        let mut new = std::mem::take(&mut self.frames[at].entities);
        new.clear();
        let result = self.merge(context, &old, &mut new, updates, values);
        if let Some(old_at) = old_at.filter(|&old_at| old_at != at) {
            self.frames[old_at].entities = old;
        }
        let counted = self.keep_entities(at, new, uncertain || result.is_err(), count);
        if is_lost {
            return Err(ApplyError::MissingBase);
        }
        result?;
        // entities that came and went in what is lost are missing or left over
        if uncertain { Ok(()) } else { counted }
    }

    /// Makes these the entities of the frame that is being read. Fails if they are not as many as the message states.
    #[inline]
    fn keep_entities(&mut self, at: usize, entities: Vec<Entity>, uncertain: bool, declared: u16) -> Result<(), ApplyError> {
        let rebuilt = entities.len();
        let counts = rebuilt == usize::from(declared);
        let frame = &mut self.frames[at];
        (frame.entities, frame.entities_at) = (entities, Some(self.sequence));
        frame.entities_uncertain = uncertain || !counts;
        self.last_entities = Some(self.sequence);
        if counts { Ok(()) } else { Err(ApplyError::Count { declared, rebuilt }) }
    }

    /// Applies updates to the entities of the old frame. Both are in rising order.
    fn merge(&mut self, context: &Context, old: &[Entity], new: &mut Vec<Entity>, updates: &[EntityUpdate], values: &Values) -> Result<(), ApplyError> {
        let mut result = Ok(());
        let mut rest = old;
        for update in updates {
            let unchanged = rest.iter().take_while(|entity| entity.number < update.number).count();
            new.extend_from_slice(&rest[..unchanged]);
            rest = &rest[unchanged..];
            let before = rest.first().copied().filter(|entity| entity.number == update.number);
            if before.is_some() {
                rest = &rest[1..];
            }
            let Some(delta) = &update.delta else {
                self.steps.push((RowId::ZERO, RowId::ZERO));
                continue;
            };
            let structure = context.entity_structure(update.number, update.custom);
            let base = match (before, update.base) {
                (Some(entity), _) => Some((entity.row, entity.structure)),
                (None, Base::Instanced(index)) => self.instanced.get(usize::from(index)).map(|&row| (row, Structure::Entity)),
                (None, Base::Back(back)) if back > 0 => new.len().checked_sub(usize::from(back)).map(|at| (new[at].row, new[at].structure)),
                (None, _) => Some(self.baseline(update.number).map_or((RowId::ZERO, structure), |entity| (entity.row, entity.structure))),
            };
            let (base, base_structure) = base.unwrap_or_else(|| {
                result = Err(ApplyError::MissingReference);
                (RowId::ZERO, structure)
            });
            let base = if base_structure == structure { base } else { self.convert(context, base, base_structure, structure) };
            let row = self.changed(context, structure, base, delta, values);
            self.steps.push((base, row));
            new.push(Entity { number: update.number, structure, row });
        }
        new.extend_from_slice(rest);
        result
    }

    /// Applies a delta to a row.
    #[inline]
    fn changed(&mut self, context: &Context, structure: Structure, base: RowId, delta: &Delta, values: &Values) -> RowId {
        let Some(description) = context.description(structure) else { return base };
        if delta.mask == 0 {
            return base;
        }
        let id = self.rows.copy(base);
        let special = description.time_fields | description.text_fields;
        if delta.mask & special == 0 {
            let row = self.rows.row_mut(id);
            for (at, word) in values.of(delta) {
                row[at] = word;
            }
            return id;
        }
        for (at, word) in values.of(delta) {
            let word = if special >> at & 1 == 0 {
                word
            } else if description.time_fields >> at & 1 != 0 {
                description.absolute(at, word, context.time)
            } else {
                self.intern(values.string(word))
            };
            self.rows.row_mut(id)[at] = word;
        }
        id
    }

    /// The entities of an earlier frame, if the ring still has it.
    pub(crate) fn frame_at(&self, sequence: u32) -> Option<&[Entity]> {
        let frame = &self.frames[slot(sequence)];
        (frame.entities_at == Some(sequence)).then_some(&frame.entities[..])
    }

    /// The sequence number of the frame that is being read.
    pub(crate) fn sequence(&self) -> u32 {
        self.sequence
    }

    /// The row that an entity starts from when it enters a frame without naming another base.
    pub(crate) fn start_of(&mut self, context: &Context, number: u16, structure: Structure) -> RowId {
        match self.baseline(number) {
            Some(base) => self.under(context, base, structure),
            None => RowId::ZERO,
        }
    }

    /// An entity's row as a base for a row of a structure.
    pub(crate) fn under(&mut self, context: &Context, base: Entity, structure: Structure) -> RowId {
        if base.structure == structure { base.row } else { self.convert(context, base.row, base.structure, structure) }
    }

    /// Converts a row to another description. Fields of the same name and encoding keep their words; other fields get the nearest value that
    /// the new encoding has.
    #[cold]
    fn convert(&mut self, context: &Context, row: RowId, from: Structure, to: Structure) -> RowId {
        let (Some(from), Some(to)) = (context.description(from), context.description(to)) else { return RowId::ZERO };
        let (from, to): (Arc<Description>, Arc<Description>) = (from.clone(), to.clone());
        let id = self.rows.copy(RowId::ZERO);
        for (at, field) in to.fields.iter().enumerate() {
            let Some(old) = from.find(&field.name) else { continue };
            let word = self.rows.row(row)[old];
            let word = if from.fields[old] == *field { word } else { to.nearest(at, from.value(old, word)) };
            self.rows.row_mut(id)[at] = word;
        }
        id
    }

    fn client_data(&mut self, context: &Context, body: &ClientDataBody) -> Result<(), ApplyError> {
        self.make_room();
        let at = slot(self.sequence);
        let found = body.delta_sequence.map(|byte| self.find_client(byte));
        let is_lost = found == Some(None);
        let last = self.last_client.map(slot).filter(|&at| self.frames[at].client_at == self.last_client);
        let old = if is_lost { last } else { found.flatten() };
        let uncertain = is_lost || old.is_some_and(|at| self.frames[at].client_uncertain);
        let base = old.and_then(|at| self.frames[at].client).unwrap_or(RowId::ZERO);
        let row = self.changed(context, Structure::ClientData, base, &body.client, &body.values);
        let mut weapons = std::mem::take(&mut self.frames[at].weapons);
        if old != Some(at) {
            weapons.clear();
            weapons.extend(old.into_iter().flat_map(|at| self.frames[at].weapons.iter().copied()));
        }
        for update in &body.weapons {
            let place = weapons.binary_search_by_key(&update.index, |&(index, _)| index);
            let base = place.map_or(RowId::ZERO, |at| weapons[at].1);
            let row = self.changed(context, Structure::WeaponData, base, &update.delta, &body.values);
            match place {
                Ok(at) => weapons[at].1 = row,
                Err(at) => weapons.insert(at, (update.index, row)),
            }
        }
        self.keep_client(row, weapons, uncertain);
        if is_lost { Err(ApplyError::MissingBase) } else { Ok(()) }
    }

    /// Makes this the player's own state in the frame that is being read. Returns the list of weapons that was in its place.
    #[inline]
    fn keep_client(&mut self, row: RowId, weapons: Vec<(u8, RowId)>, uncertain: bool) -> Vec<(u8, RowId)> {
        let frame = &mut self.frames[slot(self.sequence)];
        frame.client = Some(row);
        (frame.client_at, frame.client_uncertain) = (Some(self.sequence), uncertain);
        self.last_client = Some(self.sequence);
        std::mem::replace(&mut frame.weapons, weapons)
    }

    fn find_frame(&self, low_byte: u8) -> Option<usize> {
        let base = delta_base(low_byte, self.sequence)?;
        (self.frames[slot(base)].entities_at == Some(base)).then(|| slot(base))
    }

    fn find_client(&self, low_byte: u8) -> Option<usize> {
        let base = delta_base(low_byte, self.sequence)?;
        (self.frames[slot(base)].client_at == Some(base)).then(|| slot(base))
    }

    fn baseline(&self, number: u16) -> Option<Entity> {
        self.baselines.get(usize::from(number)).copied().flatten()
    }

    /// The baselines, by entity number.
    pub fn baselines(&self) -> impl Iterator<Item = &Entity> {
        self.baselines.iter().flatten()
    }

    fn take_baselines(&mut self, context: &Context, message: &SpawnBaseline) {
        self.baselines.clear();
        self.instanced.clear();
        for baseline in &message.baselines {
            let structure = context.entity_structure(baseline.number, baseline.custom());
            let row = self.changed(context, structure, RowId::ZERO, &baseline.delta, &message.values);
            let at = usize::from(baseline.number);
            if self.baselines.len() <= at {
                self.baselines.resize(at + 1, None);
            }
            self.baselines[at] = Some(Entity { number: baseline.number, structure, row });
        }
        for delta in &message.instanced {
            let row = self.changed(context, Structure::Entity, RowId::ZERO, delta, &message.values);
            self.instanced.push(row);
        }
    }

    fn new_level(&mut self, info: &ServerInfo) {
        for frame in &mut self.frames {
            frame.entities_at = None;
            frame.client_at = None;
        }
        (self.last_entities, self.last_client) = (None, None);
        self.baselines.clear();
        self.instanced.clear();
        self.resources.clear();
        self.light_styles = Arc::default();
        self.paused = false;
        self.server = Some(info.clone());
    }

    fn user_info(&mut self, info: &UpdateUserInfo) {
        let slot = &mut self.slots[usize::from(info.slot)];
        slot.user_id = info.user_id;
        slot.info.clone_from(&info.info.0);
    }

    fn intern(&mut self, text: &[u8]) -> u32 {
        if let Some(&id) = self.texts.ids.get(text) {
            return id;
        }
        let known = Arc::make_mut(&mut self.texts);
        let id = known.texts.len() as u32;
        known.texts.push(text.to_vec());
        known.ids.insert(text.to_vec(), id);
        id
    }

    #[inline]
    fn make_room(&mut self) {
        if self.rows.crowded() {
            let frames = self.frames.iter().flat_map(|frame| {
                let entities = frame.entities.iter().map(|entity| entity.row);
                entities.chain(frame.weapons.iter().map(|&(_, row)| row)).chain(frame.client)
            });
            let still = self.baselines.iter().flatten().map(|entity| entity.row).chain(self.instanced.iter().copied());
            self.rows.sweep(frames.chain(still));
        }
    }
}

/// The sequence number that `low_byte` means in frame `now`: an earlier frame within the ring. The caller must check that the ring has that
/// frame: after a gap, or where numbers go back, its slot may hold an older frame with the same low byte.
pub(crate) fn delta_base(low_byte: u8, now: u32) -> Option<u32> {
    let back = u32::from((now as u8).wrapping_sub(low_byte));
    (1..RING as u32).contains(&back).then(|| now.wrapping_sub(back))
}

/// The index in the ring for a sequence number.
pub(crate) fn slot(sequence: u32) -> usize {
    sequence as usize % RING
}
