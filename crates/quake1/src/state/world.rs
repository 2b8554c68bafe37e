//! Entities in sight, whatever the dialect (`docs/formats/quake1.md`, "State").

use crate::dialect::Dialect;
use crate::fields::{netquake, quakeworld, slots_of_bits};
use crate::message::{Appearance, Baseline, ClassicDelta, EntityDelta, FastUpdate, FitzBaseline, Message, UpdateEntities};
use crate::replacement;

use crate::state::rows::{MOST_ROWS, Rows};
use crate::state::seen::{Seen, appearance_seen, nq_seen, qw_seen, replaced_seen, update_seen};
use crate::state::statics::Statics;

/// A row of QuakeWorld's entity fields.
pub type QwRow = [u32; quakeworld::slot::COUNT];
/// A row of NetQuake's entity fields.
pub type NqRow = [u32; netquake::slot::COUNT];

/// Entities of one QuakeWorld packet, in rising order of numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct QwFrame {
    /// The sequence of its packet, when the frame is usable.
    pub sequence: Option<u32>,
    /// Numbers and rows.
    pub entities: Vec<(u32, QwRow)>,
}

/// A frame of QuakeWorld without the words that are 0.
#[derive(Debug, Clone)]
struct PackedFrame {
    sequence: u32,
    /// For each entity its number, which words follow, and those.
    words: Box<[u32]>,
}

impl PackedFrame {
    fn of(frame: &QwFrame) -> Option<Self> {
        let mut words = Vec::new();
        for (number, row) in &frame.entities {
            let mask = row.iter().enumerate().fold(0u64, |mask, (at, word)| mask | u64::from(*word != 0) << at);
            words.extend([*number, mask as u32, (mask >> 32) as u32]);
            words.extend(row.iter().filter(|word| **word != 0));
        }
        Some(PackedFrame { sequence: frame.sequence?, words: words.into() })
    }

    fn unpacked(&self) -> QwFrame {
        let mut words = self.words.iter().copied();
        let mut entities = Vec::new();
        while let (Some(number), Some(low), Some(high)) = (words.next(), words.next(), words.next()) {
            let mut row = NO_QW;
            for at in fragreel_base::delta::masked::members(u64::from(low) | u64::from(high) << 32) {
                row[at] = words.next().unwrap_or_default();
            }
            entities.push((number, row));
        }
        QwFrame { sequence: Some(self.sequence), entities }
    }
}

/// Rows have fewer words than their mask has bits.
const _: () = assert!(quakeworld::slot::COUNT <= 64);

/// Packets that a delta can go back.
const FRAMES: usize = 64;

/// All entities.
#[derive(Debug, Clone)]
pub struct World {
    /// What QuakeWorld's updates start from, by number.
    qw_baselines: Rows<QwRow>,
    /// The last frames, by the low bits of their sequence.
    qw_frames: Vec<QwFrame>,
    qw_newest: usize,
    /// The packet that the newest one starts from.
    qw_from: Option<u32>,
    /// Frames of a packed copy, instead.
    qw_packed: Vec<PackedFrame>,
    /// What NetQuake's updates start from, by number.
    nq_baselines: Rows<NqRow>,
    /// The updates of this NetQuake frame.
    nq_frame: Vec<(u32, NqRow)>,
    /// Where among them a number is, where that entry is this number's.
    nq_places: Vec<u32>,
    /// Replacement deltas.
    replaced: replacement::Entities,
    /// Entities that never change, by their order.
    statics: Statics,
}

impl Default for World {
    fn default() -> Self {
        World {
            qw_baselines: Rows::new(NO_QW),
            qw_frames: vec![QwFrame::default(); FRAMES],
            qw_newest: 0,
            qw_from: None,
            qw_packed: Vec::new(),
            nq_baselines: Rows::new(NO_NQ),
            nq_frame: Vec::new(),
            nq_places: Vec::new(),
            replaced: replacement::Entities::new(),
            statics: Statics::default(),
        }
    }
}

/// The entity that a delta starts from does not exist here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingBase {
    /// Low 8 bits of the packet that was meant.
    pub from: u8,
}

const NO_QW: QwRow = [0; quakeworld::slot::COUNT];
const NO_NQ: NqRow = [0; netquake::slot::COUNT];

/// A byte angle as it is kept in rows, from how plain baselines keep it.
fn row_angle(d: &Dialect, angle: u32) -> u32 {
    if d.angle == replacement::Angles::Byte { angle >> 8 } else { angle }
}

impl World {
    /// Takes in what a message says of entities. `sequence` is the packet's.
    #[inline]
    pub fn apply(&mut self, d: &Dialect, message: &Message, sequence: u32) -> Result<(), MissingBase> {
        match message {
            Message::FastUpdate(update) => self.fast_update(d, update),
            Message::NqTime(_) => self.nq_frame.clear(),
            Message::DeltaPacketEntities(m) => return self.packet(d, Some(m.from), &m.entities, sequence),
            Message::PacketEntities(m) => return self.packet(d, None, &m.entities, sequence),
            Message::UpdateEntities(UpdateEntities { update }) => self.replaced.apply(&d.layout(), update),
            Message::SpawnBaseline2(m) => self.replaced.baselines_mut().receive(&d.layout(), m.entity.number, &m.delta),
            Message::Baseline(Baseline { entity, looks }) => self.baseline(d, entity.number, looks, 0, 0),
            Message::DpBaseline(m) => self.baseline(d, m.entity.number, &m.looks, 0, 0),
            Message::FitzBaseline(FitzBaseline { entity, looks }) => self.baseline(d, entity.number, &looks.looks, looks.alpha, looks.scale),
            Message::ClassicBaseline(ClassicDelta { entity }) => {
                self.qw_baselines.set(entity.number(d), row_of(d, entity));
            }
            Message::Static(_) | Message::FitzStatic(_) | Message::SpawnStatic2(_) | Message::ClassicStatic(_) | Message::DpStatic(_) => {
                self.statics.add(static_seen(d, self.statics.count(), message));
            }
            Message::ServerData(_) | Message::ServerInfo(_) => *self = World::default(),
            _ => {}
        }
        Ok(())
    }

    fn baseline(&mut self, d: &Dialect, number: u32, looks: &Appearance, alpha: u8, scale: u8) {
        if d.is_netquake() {
            use netquake::slot;
            let mut row = NO_NQ;
            row[slot::MODEL] = u32::from(looks.model) & if d.wide_models() { 0xffff } else { 0xff };
            row[slot::FRAME] = u32::from(looks.frame) & 0xff;
            row[slot::COLORMAP] = u32::from(looks.colormap);
            row[slot::SKIN] = u32::from(looks.skin);
            row[slot::ALPHA] = u32::from(alpha);
            row[slot::SCALE] = u32::from(scale);
            if !d.wide_models() {
                row[slot::MODEL2] = u32::from(looks.model) >> 8;
            }
            row[slot::FRAME2] = u32::from(looks.frame) >> 8;
            for at in 0..3 {
                row[slot::ORIGIN + at] = looks.origin[at].0;
                row[slot::ANGLES + at] = row_angle(d, looks.angles[at].0);
            }
            self.nq_baselines.set(number, row);
        } else {
            use quakeworld::slot;
            let mut row = NO_QW;
            row[slot::MODEL] = u32::from(looks.model);
            row[slot::FRAME] = u32::from(looks.frame);
            row[slot::COLORMAP] = u32::from(looks.colormap);
            row[slot::SKIN] = u32::from(looks.skin);
            for at in 0..3 {
                // baselines have the coordinates of everything else, updates may have floats
                let word = looks.origin[at].0;
                row[slot::ORIGIN + at] = if d.coord == d.entity_coord { word } else { d.entity_coord.word(d.coord.units(word)) };
                row[slot::ANGLES + at] = row_angle(d, looks.angles[at].0);
            }
            self.qw_baselines.set(number, row);
        }
    }

    fn fast_update(&mut self, d: &Dialect, update: &FastUpdate) {
        let number = update.entity.number;
        let mut row = self.nq_baselines.get(number);
        overlay(d, &mut row, update);
        let at = number as usize;
        if at >= MOST_ROWS {
            return;
        }
        // engines keep the last of two updates in a frame
        match self.nq_place(number) {
            Some(place) => self.nq_frame[place].1 = row,
            None => {
                if self.nq_places.len() <= at {
                    self.nq_places.resize(at + 1, 0);
                }
                self.nq_places[at] = self.nq_frame.len() as u32;
                self.nq_frame.push((number, row));
            }
        }
    }

    /// Where among the updates of this frame a number is.
    fn nq_place(&self, number: u32) -> Option<usize> {
        let place = *self.nq_places.get(number as usize)? as usize;
        self.nq_frame.get(place).is_some_and(|(known, _)| *known == number).then_some(place)
    }

    fn packet(&mut self, d: &Dialect, from: Option<u8>, entities: &[EntityDelta], sequence: u32) -> Result<(), MissingBase> {
        let to = sequence as usize % FRAMES;
        let mut new = std::mem::take(&mut self.qw_frames[to]);
        let base = match from {
            None => None,
            // a multi-view recording always goes on from the frame before
            Some(_) if d.is_multi_view() => Some(self.qw_newest),
            Some(from) => Some(usize::from(from) % FRAMES),
        };
        // the slot was emptied above; a delta from 64 packets ago still has its old contents at hand
        let same;
        let old: &QwFrame = match base {
            None => &QwFrame::default(),
            Some(at) if at == to => {
                same = new.clone();
                &same
            }
            Some(at) => &self.qw_frames[at],
        };
        let usable = match (base, old.sequence) {
            (None, _) => true,
            // the first frame of a multi-view recording goes on from nothing
            (Some(_), _) if d.is_multi_view() => true,
            (Some(_), None) => false,
            (Some(_), Some(before)) => sequence.wrapping_sub(before) < FRAMES as u32,
        };
        self.qw_from = base.and(old.sequence);
        new.entities.clear();
        new.sequence = None;
        if usable {
            merge(d, &self.qw_baselines, &old.entities, entities, &mut new.entities);
            new.sequence = Some(sequence);
        }
        self.qw_frames[to] = new;
        if usable {
            self.qw_newest = to;
            Ok(())
        } else {
            Err(MissingBase { from: from.unwrap_or_default() })
        }
    }

    /// The packet that QuakeWorld's newest frame starts from.
    pub(crate) fn qw_from(&self) -> Option<u32> {
        self.qw_from
    }

    /// Bytes that a packed copy takes which shares what it can with `like`.
    pub(super) fn bytes_beside(&self, like: Option<&World>) -> usize {
        let qw = self.qw_baselines.bytes_beside(like.map(|like| &like.qw_baselines));
        let nq = self.nq_baselines.bytes_beside(like.map(|like| &like.nq_baselines));
        let frames: usize = self.qw_packed.iter().map(|frame| size_of::<PackedFrame>() + size_of_val(&frame.words[..])).sum();
        let statics = self.statics.bytes_beside(like.map(|like| &like.statics));
        qw + nq + frames + statics + self.replaced.bytes_beside(like.map(|like| &like.replaced))
    }

    /// All that later frames need: of QuakeWorld's the newest and those with the numbers `needed`, of NetQuake's none.
    pub(super) fn packed(&self, needed: &[u32]) -> World {
        let (newest, needs) = (self.qw_newest().sequence, |sequence| needed.contains(&sequence));
        let frames = self.qw_frames.iter().filter(|frame| frame.sequence.is_some_and(|sequence| Some(sequence) == newest || needs(sequence)));
        World {
            qw_baselines: self.qw_baselines.clone(),
            qw_frames: Vec::new(),
            qw_packed: frames.filter_map(PackedFrame::of).collect(),
            qw_newest: self.qw_newest,
            qw_from: self.qw_from,
            nq_baselines: self.nq_baselines.clone(),
            nq_frame: Vec::new(),
            nq_places: Vec::new(),
            replaced: self.replaced.packed(),
            statics: self.statics.clone(),
        }
    }

    /// What was packed, with room for the frames that are to come.
    pub(super) fn unpacked(&self) -> World {
        let mut frames = vec![QwFrame::default(); FRAMES];
        for frame in &self.qw_packed {
            frames[frame.sequence as usize % FRAMES] = frame.unpacked();
        }
        World { qw_frames: frames, qw_packed: Vec::new(), ..self.clone() }
    }

    /// The frame that a delta of QuakeWorld starts from, its baselines included, for encoding it again.
    pub(crate) fn qw_base(&self, d: &Dialect, from: u8) -> &QwFrame {
        &self.qw_frames[if d.is_multi_view() { self.qw_newest } else { usize::from(from) % FRAMES }]
    }

    /// The newest frame of QuakeWorld.
    pub(crate) fn qw_newest(&self) -> &QwFrame {
        &self.qw_frames[self.qw_newest]
    }

    /// What an entity of QuakeWorld starts from.
    pub fn qw_baseline(&self, number: u32) -> QwRow {
        self.qw_baselines.get(number)
    }

    /// What an entity of NetQuake starts from.
    pub(crate) fn nq_baseline(&self, number: u32) -> NqRow {
        self.nq_baselines.get(number)
    }

    /// The updates of this frame of NetQuake.
    pub fn nq_frame(&self) -> &[(u32, NqRow)] {
        &self.nq_frame
    }

    /// What this frame of NetQuake says of an entity.
    pub(crate) fn nq_row(&self, number: u32) -> Option<&NqRow> {
        self.nq_place(number).map(|place| &self.nq_frame[place].1)
    }

    /// Entities known by replacement deltas.
    pub fn replaced(&self) -> &replacement::Entities {
        &self.replaced
    }

    /// Model and skin of an entity's baseline.
    pub(crate) fn baseline_looks(&self, d: &Dialect, number: u32) -> (u32, u32) {
        if d.replacement() {
            let state = self.replaced.baselines().get(number);
            (state.model, state.skin as u32)
        } else if d.is_netquake() {
            let seen = nq_seen(d, number, &self.nq_baseline(number));
            (seen.model, seen.skin as u32)
        } else {
            let row = self.qw_baseline(number);
            (row[quakeworld::slot::MODEL], row[quakeworld::slot::SKIN])
        }
    }

    /// Shows every entity in sight, in rising order of numbers.
    pub fn each(&self, d: &Dialect, mut show: impl FnMut(Seen)) {
        if d.replacement() {
            let layout = d.layout();
            self.replaced.iter().for_each(|(number, known)| show(replaced_seen(&layout, number, &known.state)));
        } else if d.is_netquake() {
            self.nq_frame.iter().for_each(|(number, row)| show(nq_seen(d, *number, row)));
        } else {
            self.qw_newest().entities.iter().for_each(|(number, row)| show(qw_seen(d, *number, row)));
        }
    }

    /// Entities that never change, in the order of their messages.
    pub(crate) fn statics(&self) -> &Statics {
        &self.statics
    }

    /// What entities start from, in rising order of numbers.
    pub(crate) fn each_baseline(&self, d: &Dialect, mut show: impl FnMut(Seen)) {
        if d.replacement() {
            let layout = d.layout();
            self.replaced.baselines().iter().for_each(|(number, state)| show(replaced_seen(&layout, number, state)));
        } else if d.is_netquake() {
            self.nq_baselines.each(|number, row| show(nq_seen(d, number, row)));
        } else {
            self.qw_baselines.each(|number, row| show(qw_seen(d, number, row)));
        }
    }

    /// One entity, when it is in sight.
    pub fn entity(&self, d: &Dialect, number: u32) -> Option<Seen> {
        let mut found = None;
        if d.is_netquake() && !d.replacement() {
            return self.nq_row(number).map(|row| nq_seen(d, number, row));
        }
        self.each(d, |seen| {
            if seen.number == number {
                found = Some(seen);
            }
        });
        found
    }
}

/// Puts an update's values over a row.
pub(crate) fn overlay(d: &Dialect, row: &mut NqRow, update: &FastUpdate) {
    use netquake::{bits, slot};
    let mask = u64::from(update.mask);
    // a low byte stands for the whole number unless the high one follows
    for (bit, high) in [(bits::FRAME, slot::FRAME2), (bits::MODEL, slot::MODEL2)] {
        if mask & bit != 0 {
            row[high] = 0;
        }
    }
    for bit in fragreel_base::delta::masked::members(mask & 0x3f5e) {
        let at = NQ_SLOT_OF_BIT[bit & 15];
        row[at] = update.row[at];
    }
    if d.is_rerelease() && mask & bits::FLOATCOORDS != 0 {
        // rows have the stream's coordinates
        for axis in (0..3).filter(|axis| mask & bits::ORIGIN1 << axis != 0) {
            row[slot::ORIGIN + axis] = d.coord.word(f32::from_bits(row[slot::ORIGIN + axis]));
        }
    }
    if mask >> 16 != 0 {
        for &(_, at, bit) in netquake::further(d.netquake) {
            if mask & bit != 0 {
                row[at] = update.row[at];
            }
        }
    }
}

/// Slots of the original mask bits; bits that own none are masked out before.
static NQ_SLOT_OF_BIT: [usize; 16] = slots_of_bits(&netquake::PLAIN, 0);

/// The entity of a message that says of one that it never changes.
fn static_seen(d: &Dialect, number: u32, message: &Message) -> Seen {
    match message {
        Message::Static(m) => appearance_seen(d, number, &m.looks),
        Message::FitzStatic(m) => appearance_seen(d, number, &m.looks),
        Message::DpStatic(m) => appearance_seen(d, number, &m.looks),
        Message::ClassicStatic(ClassicDelta { entity }) => qw_seen(d, number, &row_of(d, entity)),
        Message::SpawnStatic2(m) => update_seen(d, number, &m.delta),
        _ => Seen { number, ..Seen::default() },
    }
}

/// The row of an entity that starts from nothing.
fn row_of(d: &Dialect, delta: &EntityDelta) -> QwRow {
    let mut row = NO_QW;
    change(d, delta, &mut row);
    row
}

/// Puts a delta's values over a row.
#[inline]
fn change(d: &Dialect, delta: &EntityDelta, row: &mut QwRow) {
    use quakeworld::{bits, slot};
    let mask = u64::from(delta.mask);
    for bit in fragreel_base::delta::masked::members(mask & (bits::SOLID - 1) | mask & 0x7e00) {
        let at = SLOT_OF_BIT[bit];
        if at != usize::MAX {
            row[at] = delta.row[at];
        }
    }
    if mask & bits::EVENMORE == 0 {
        return;
    }
    if mask & (bits::MODEL | bits::MODELDBL) == bits::MODEL | bits::MODELDBL && d.has1(crate::dialect::pext1::MODELDBL) {
        row[slot::MODEL] = delta.row[slot::MODEL] + 256;
    } else if mask & bits::MODELDBL != 0 && d.has1(crate::dialect::pext1::MODELDBL) {
        row[slot::MODEL] = delta.row[slot::MODEL];
    }
    for (bit, from, count) in quakeworld::EXTENSIONS {
        if mask & bit != 0 {
            row[from..from + count].copy_from_slice(&delta.row[from..from + count]);
        }
    }
}

/// Slots of the classic mask bits.
static SLOT_OF_BIT: [usize; 16] = slots_of_bits(&quakeworld::PLAIN, usize::MAX);

/// A frame from the one it starts from and the changes, as clients merge them.
fn merge(d: &Dialect, baselines: &Rows<QwRow>, old: &[(u32, QwRow)], deltas: &[EntityDelta], new: &mut Vec<(u32, QwRow)>) {
    let mut at = 0;
    for delta in deltas {
        let number = delta.number(d);
        let rest = &old[at..];
        let unchanged = rest.iter().take_while(|(known, _)| *known < number).count();
        new.extend_from_slice(&rest[..unchanged]);
        at += unchanged;
        let known = old.get(at).filter(|(known, _)| *known == number);
        at += usize::from(known.is_some());
        if delta.removes() {
            continue;
        }
        let mut row = known.map_or_else(|| baselines.get(number), |(_, row)| *row);
        change(d, delta, &mut row);
        new.push((number, row));
    }
    new.extend_from_slice(&old[at..]);
}
