//! All entities that one receiver knows, and their baselines. Document: *State*.

use std::sync::Arc;

use crate::replacement::delta::Delta;
use crate::replacement::shape::Flags;
use crate::replacement::state::EntityState;
use crate::replacement::update::{Change, Update};

/// States by entity number. Memory follows how many there are, not their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByNumber<T> {
    /// Entity number and slot, in rising order of numbers.
    order: Vec<(u32, u32)>,
    slots: Vec<T>,
    free: Vec<u32>,
    /// Where the last look-up ended: numbers mostly rise.
    hint: usize,
}

impl<T: Default> ByNumber<T> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// Forgets all, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.free.extend(self.order.drain(..).map(|(_, slot)| slot));
        self.hint = 0;
    }

    fn find(&self, number: u32) -> Result<usize, usize> {
        self.order.binary_search_by_key(&number, |&(number, _)| number)
    }

    fn find_from_hint(&mut self, number: u32) -> Result<usize, usize> {
        let found = match self.order.get(self.hint) {
            Some(&(at, _)) if at == number => Ok(self.hint),
            Some(_) => self.find(number),
            None if self.order.last().is_none_or(|&(last, _)| last < number) => Err(self.order.len()),
            None => self.find(number),
        };
        self.hint = found.unwrap_or_else(|at| at) + 1;
        found
    }

    /// The one with this number.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.find(number).ok().map(|at| &self.slots[self.order[at].1 as usize])
    }

    /// The one with this number, made from the default when new, and whether it is.
    pub(crate) fn entry(&mut self, number: u32) -> (&mut T, bool) {
        match self.find_from_hint(number) {
            Ok(at) => (&mut self.slots[self.order[at].1 as usize], false),
            Err(at) => {
                let slot = self.free.pop().unwrap_or_else(|| {
                    self.slots.push(T::default());
                    self.slots.len() as u32 - 1
                });
                self.order.insert(at, (number, slot));
                let state = &mut self.slots[slot as usize];
                *state = T::default();
                (state, true)
            }
        }
    }

    /// Forgets one, and says whether it was known.
    pub(crate) fn remove(&mut self, number: u32) -> bool {
        match self.find(number) {
            Ok(at) => {
                self.free.push(self.order.remove(at).1);
                true
            }
            Err(_) => false,
        }
    }

    /// Bytes of memory, without what values own.
    fn bytes(&self) -> usize {
        size_of_val(&self.order[..]) + size_of_val(&self.slots[..]) + size_of_val(&self.free[..])
    }

    /// The same without room to spare.
    fn packed(&self) -> Self
    where
        T: Clone,
    {
        let order = self.order.iter().enumerate().map(|(at, (number, _))| (*number, at as u32)).collect();
        ByNumber { order, slots: self.iter().map(|(_, value)| value.clone()).collect(), free: Vec::new(), hint: 0 }
    }

    /// All, in rising order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.order.iter().map(|&(number, slot)| (number, &self.slots[slot as usize]))
    }
}

/// What a reset of each entity starts from. One value serves all clients of a server that share a layout.
#[derive(Debug, Clone, Default)]
pub struct Baselines {
    /// Copies share them.
    states: Arc<ByNumber<EntityState>>,
    null: EntityState,
}

impl Baselines {
    /// None: every reset starts from the null state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the update of a `svcfte_spawnbaseline2`.
    pub(crate) fn receive(&mut self, flags: &Flags, number: u32, delta: &Delta) {
        let (baseline, _) = Arc::make_mut(&mut self.states).entry(number);
        *baseline = EntityState::default();
        delta.apply(flags, &self.null, baseline);
    }

    /// Sets a baseline on the sending side, and makes the update to be sent in a `svcfte_spawnbaseline2`.
    pub fn set(&mut self, flags: &Flags, number: u32, state: &EntityState, delta: &mut Delta) {
        let mut quantized = state.clone();
        flags.quantize(&mut quantized);
        flags.compose(crate::replacement::bits::RESET | flags.difference(&self.null, &quantized, false), &quantized, false, delta);
        self.receive(flags, number, delta);
    }

    /// The baseline of an entity: the null state where none was sent.
    pub fn get(&self, number: u32) -> &EntityState {
        self.states.get(number).unwrap_or(&self.null)
    }

    /// The baselines that were set, in rising order of entity numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &EntityState)> {
        self.states.iter()
    }

    /// Forgets all, as at a change of map.
    pub(crate) fn clear(&mut self) {
        Arc::make_mut(&mut self.states).clear();
    }
}

/// An entity and how surely it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Its state.
    pub state: EntityState,
    /// Whether it began with a reset. One that did not (the packet with its reset was lost) lacks what did not
    /// change since, until its reset is sent again.
    pub complete: bool,
}

/// What a receiver of replacement deltas knows.
///
/// Updates without a reset for an entity that is not known start from the null state, as FTE and QuakeSpasm-Spiked
/// do (vkQuake starts from the baseline), and leave it incomplete.
#[derive(Debug, Clone, Default)]
pub struct Entities {
    known: ByNumber<Known>,
    baselines: Baselines,
}

impl Entities {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a baseline from `svcfte_spawnbaseline2`.
    pub fn set_baseline(&mut self, flags: &Flags, number: u32, delta: &Delta) {
        self.baselines.receive(flags, number, delta);
    }

    /// The baseline of an entity: the null state where none was sent.
    pub(crate) fn baseline(&self, number: u32) -> &EntityState {
        self.baselines.get(number)
    }

    /// The baselines.
    pub(crate) fn baselines(&self) -> &Baselines {
        &self.baselines
    }

    /// The baselines, to be changed.
    pub(crate) fn baselines_mut(&mut self) -> &mut Baselines {
        &mut self.baselines
    }

    /// Applies a message.
    pub fn apply(&mut self, flags: &Flags, update: &Update) {
        self.known.hint = 0;
        for entity in &update.entities {
            let number = entity.number;
            match &entity.change {
                Change::Remove if number == 0 => self.known.clear(),
                Change::Remove => {
                    self.known.remove(number);
                }
                Change::Delta(delta) => {
                    let (known, _) = self.known.entry(number);
                    known.complete |= delta.bits & crate::replacement::bits::RESET != 0;
                    delta.apply(flags, self.baselines.get(number), &mut known.state);
                }
            }
        }
    }

    /// Forgets all entities, not the baselines.
    pub fn clear(&mut self) {
        self.known.clear();
    }

    /// Forgets everything, as at a change of map.
    pub fn reset(&mut self) {
        self.known.clear();
        self.baselines.clear();
    }

    /// Bytes that a copy takes which shares its baselines with `like`, if they are the same.
    pub(crate) fn bytes_beside(&self, like: Option<&Entities>) -> usize {
        let shared = like.is_some_and(|like| Arc::ptr_eq(&like.baselines.states, &self.baselines.states));
        self.known.bytes() + if shared { 0 } else { self.baselines.states.bytes() }
    }

    /// The same without room to spare.
    pub(crate) fn packed(&self) -> Self {
        Entities { known: self.known.packed(), baselines: self.baselines.clone() }
    }

    /// One entity.
    pub fn get(&self, number: u32) -> Option<&Known> {
        self.known.get(number)
    }

    /// All entities, in rising order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Known)> {
        self.known.iter()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }
}
