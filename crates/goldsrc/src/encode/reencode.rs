//! Re-encodes frames from state: complete, or against another delta base (`docs/formats/goldsrc.md`, "Editing").

use std::collections::BTreeMap;

use crate::fields::Structure;
use crate::fields::description::DeltaDescription;
use crate::message::context::Context;
use crate::message::decoder::encode;
use crate::message::{
    Base, ClientDataBody, ClientDataMessage, DeltaPacketEntities, EntityUpdate, Message, NumberSpelling, PacketEntities, Values, WeaponUpdate,
};
use crate::state::rows::RowId;
use crate::state::{Entity, State};

/// Encodes frames and client data from state.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameEncoder {
    /// The delta descriptions in force, as the stream sent them, by structure.
    descriptions: BTreeMap<usize, DeltaDescription>,
}

impl FrameEncoder {
    /// Remembers descriptions; ignores all other messages.
    pub(crate) fn observe(&mut self, message: &Message) {
        if let Message::DeltaDescription(tree) = message
            && let Some(structure) = Structure::from_name(&tree.name.0)
        {
            self.descriptions.insert(structure as usize, tree.clone());
        }
    }

    /// The entities of the frame just applied, as a message: complete, or as a delta against the earlier frame `base` if the state still has
    /// it. Times too long ago for their windows are sent in wider ones: the message then stands between the wider descriptions and the old
    /// ones.
    pub(crate) fn entities(&self, state: &mut State, context: &Context, base: Option<u32>) -> Vec<u8> {
        let frame = state.frame().to_vec();
        let old = base.and_then(|base| Some((base, state.frame_at(base)?.to_vec())));
        let steps = entity_changes(state, context, old.as_ref().map_or(&[], |(_, entities)| entities), &frame);
        let rows = steps.iter().filter_map(|step| step.change);
        let windows = WiderWindows::for_rows(state, context, &self.descriptions, rows);
        let (updates, values) = updates(state, &windows.context, &steps, old.is_none());
        let count = frame.len() as u16;
        windows.enclose(match old {
            None => Message::PacketEntities(PacketEntities { count, updates, values, padding: 0 }),
            Some((base, _)) => Message::DeltaPacketEntities(DeltaPacketEntities { count, delta_sequence: base as u8, updates, values, padding: 0 }),
        })
    }

    /// An entity message of an uncertain frame with the number of entities that it gives. Absent if the message states that number.
    pub(crate) fn recounted(state: &State, context: &Context, message: &Message) -> Option<Vec<u8>> {
        let rebuilt = state.frame().len() as u16;
        let mut message = message.clone();
        let (Message::PacketEntities(PacketEntities { count, .. }) | Message::DeltaPacketEntities(DeltaPacketEntities { count, .. })) = &mut message else {
            return None;
        };
        if std::mem::replace(count, rebuilt) == rebuilt {
            return None;
        }
        Some(encode(&mut [message], &mut context.clone()))
    }

    /// The client data just applied, as a message that refers to no earlier frame, with all weapons.
    pub(crate) fn client_data(&self, state: &State, context: &Context) -> Vec<u8> {
        let Some((row, weapons)) = state.client() else {
            return encode(&mut [Message::ClientData(ClientDataMessage::default())], &mut context.clone());
        };
        let rows = weapons.iter().map(|&(_, row)| (Structure::WeaponData, RowId::ZERO, row));
        let windows = WiderWindows::for_rows(state, context, &self.descriptions, rows.chain([(Structure::ClientData, RowId::ZERO, row)]));
        let mut body = ClientDataBody::default();
        let change = |structure, to, values: &mut Values| match windows.context.description(structure) {
            Some(description) => state.change(description, context.time, RowId::ZERO, to, values),
            None => values.push(0, 0, &[]),
        };
        body.client = change(Structure::ClientData, row, &mut body.values);
        for &(index, row) in weapons {
            let delta = change(Structure::WeaponData, row, &mut body.values);
            body.weapons.push(WeaponUpdate { index, delta });
        }
        windows.enclose(Message::ClientData(ClientDataMessage { body: Some(body) }))
    }
}

/// One entity of a frame to encode.
struct EntityChange {
    number: u16,
    /// The structure, the row that the delta starts from, and the new row. Absent if the entity leaves.
    change: Option<(Structure, RowId, RowId)>,
}

fn entity_changes(state: &mut State, context: &Context, old: &[Entity], new: &[Entity]) -> Vec<EntityChange> {
    let mut steps = Vec::new();
    let mut rest = old;
    for entity in new {
        let gone = rest.iter().take_while(|before| before.number < entity.number).count();
        steps.extend(rest[..gone].iter().map(|before| EntityChange { number: before.number, change: None }));
        rest = &rest[gone..];
        let before = rest.first().copied().filter(|before| before.number == entity.number);
        let from = match before {
            Some(before) => {
                rest = &rest[1..];
                // an unchanged entity is not sent, unless its row follows another structure now
                if before.structure == entity.structure && state.row(before.row) == state.row(entity.row) {
                    continue;
                }
                state.under(context, before, entity.structure)
            }
            None => state.start_of(context, entity.number, entity.structure),
        };
        steps.push(EntityChange { number: entity.number, change: Some((entity.structure, from, entity.row)) });
    }
    steps.extend(rest.iter().map(|before| EntityChange { number: before.number, change: None }));
    steps
}

fn updates(state: &State, context: &Context, steps: &[EntityChange], full: bool) -> (Vec<EntityUpdate>, Values) {
    let (mut updates, mut values) = (Vec::new(), Values::default());
    let mut last = 0;
    for step in steps {
        let mut update = EntityUpdate { number: step.number, spelling: NumberSpelling::shortest(last, step.number, full), ..EntityUpdate::default() };
        last = step.number;
        if let Some((structure, from, to)) = step.change {
            let Some(description) = context.description(structure) else { continue };
            update.custom = structure == Structure::CustomEntity;
            update.base = Base::Baseline;
            update.delta = Some(state.change(description, context.time, from, to, &mut values));
        }
        updates.push(update);
    }
    (updates, values)
}

/// Descriptions whose time windows are wide enough for the rows to encode.
struct WiderWindows {
    wide: Vec<Message>,
    old: Vec<Message>,
    context: Context,
    before: Context,
}

impl WiderWindows {
    fn for_rows(
        state: &State,
        context: &Context,
        descriptions: &BTreeMap<usize, DeltaDescription>,
        rows: impl Iterator<Item = (Structure, RowId, RowId)>,
    ) -> Self {
        let mut windows = WiderWindows { wide: Vec::new(), old: Vec::new(), context: context.clone(), before: context.clone() };
        let mut done = 0u32;
        for (structure, from, to) in rows {
            let Some(description) = context.description(structure) else { continue };
            if description.time_fields == 0 || done >> structure as u32 & 1 != 0 {
                continue;
            }
            let (from, to) = (state.row(from), state.row(to));
            let times = (0..description.fields.len()).filter(|at| description.time_fields >> at & 1 != 0);
            let far = times.into_iter().any(|at| from[at] != to[at] && !description.reaches(at, to[at], context.time));
            if let Some(tree) = descriptions.get(&(structure as usize)).filter(|_| far) {
                done |= 1 << structure as u32;
                let wide = Message::DeltaDescription(tree.widened());
                // a wider window breaks no rule that the narrow one kept
                let _ = windows.context.observe(&wide);
                windows.wide.push(wide);
                windows.old.push(Message::DeltaDescription(tree.clone()));
            }
        }
        windows
    }

    fn enclose(mut self, message: Message) -> Vec<u8> {
        let mut messages = std::mem::take(&mut self.wide);
        messages.push(message);
        messages.append(&mut self.old);
        encode(&mut messages, &mut self.before)
    }
}
