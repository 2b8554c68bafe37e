//! What the packets so far said.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::figures::Figures;
use super::range::Fault;
use super::record::{Entity, Player, entity, player};

/// Packets whose players and entities are kept.
const PACKETS: usize = 32;
/// User commands whose length is kept.
const COMMANDS: usize = 64;
/// The most parts that a list of models or sounds comes in.
const PARTS: usize = 8;
/// Players of a server.
pub(super) const SLOTS: usize = 32;

/// Entities by their numbers.
pub(super) type Entities = BTreeMap<u16, Entity>;

/// Something of a packet, by the packet's number.
#[derive(Clone)]
struct Of<T> {
    sequence: u32,
    what: T,
}

/// What the packets so far said.
pub(super) struct State {
    /// The recorder's slot.
    pub own_slot: u8,
    /// The number of the players' model.
    pub player_model: u8,
    /// The number of the last user command.
    pub outgoing: u32,
    /// The packet that is decoded, the one that it refers to, and its players.
    pub sequence: u32,
    pub base: Option<u32>,
    pub players: Vec<Player>,
    /// Whether this packet's entities are known.
    pub has_entities: bool,
    pub baselines: Entities,
    commands: [(u32, u8); COMMANDS],
    player_history: Vec<Option<Of<Rc<[Player]>>>>,
    entity_history: Vec<Option<Of<Rc<Entities>>>>,
    /// Entities of packets that came as they were, by the low byte of their numbers.
    whole: Vec<Option<Rc<Entities>>>,
    models: Names,
    sounds: Names,
    /// Players' names by slot, without what is not of the name.
    names: [Vec<u8>; SLOTS],
}

impl State {
    pub(super) fn new() -> Self {
        State {
            own_slot: 0,
            player_model: 0,
            outgoing: 0,
            sequence: 0,
            base: None,
            players: Vec::new(),
            has_entities: false,
            baselines: Entities::new(),
            commands: [(0, 1); COMMANDS],
            player_history: vec![None; PACKETS],
            entity_history: vec![None; PACKETS],
            whole: vec![None; 256],
            models: Names::new(),
            sounds: Names::new(),
            names: std::array::from_fn(|_| Vec::new()),
        }
    }

    /// A user command of this length was sent.
    pub(super) fn sent(&mut self, milliseconds: u8) {
        self.outgoing = self.outgoing.wrapping_add(1);
        self.commands[self.outgoing as usize % COMMANDS] = (self.outgoing, milliseconds);
    }

    /// How long the command of a packet lasts, or the one that has its place.
    pub(super) fn length_of_command(&self, sequence: u32) -> u8 {
        self.commands[sequence as usize % COMMANDS].1
    }

    pub(super) fn begin_packet(&mut self, sequence: u32) {
        self.sequence = sequence & 0x7fff_ffff;
        self.players.clear();
        self.base = None;
        self.has_entities = false;
    }

    /// Keeps what a coded packet said.
    pub(super) fn end_packet(&mut self) {
        if let Some(base) = self.base.filter(|_| !self.has_entities).and_then(|base| self.entities_of(base)) {
            self.keep_entities(self.sequence, base);
        }
        self.keep_players(self.sequence);
    }

    pub(super) fn keep_players(&mut self, sequence: u32) {
        self.player_history[sequence as usize % PACKETS] = Some(Of { sequence, what: self.players.as_slice().into() });
    }

    pub(super) fn keep_entities(&mut self, sequence: u32, entities: Rc<Entities>) {
        self.entity_history[sequence as usize % PACKETS] = Some(Of { sequence, what: entities });
    }

    /// Keeps the entities of a packet that came as it was, by its own number too.
    pub(super) fn keep_whole(&mut self, number: u32, sequence: u32, entities: Entities) {
        let entities = Rc::new(entities);
        self.whole[number as usize % 256] = Some(Rc::clone(&entities));
        self.keep_entities(sequence, entities);
    }

    pub(super) fn whole(&self, number: u8) -> Option<&Entities> {
        self.whole[usize::from(number)].as_deref()
    }

    pub(super) fn players_of(&self, sequence: u32) -> Option<Rc<[Player]>> {
        let kept = self.player_history[sequence as usize % PACKETS].as_ref();
        kept.filter(|kept| kept.sequence == sequence).map(|kept| Rc::clone(&kept.what))
    }

    pub(super) fn entities_of(&self, sequence: u32) -> Option<Rc<Entities>> {
        let kept = self.entity_history[sequence as usize % PACKETS].as_ref();
        kept.filter(|kept| kept.sequence == sequence).map(|kept| Rc::clone(&kept.what))
    }

    /// A player of whom nothing is known.
    pub(super) fn new_player(&self, slot: u8) -> Player {
        let mut new = Player::EMPTY;
        new.0[player::SLOT] = slot;
        new.0[player::MODEL] = self.player_model;
        new
    }

    /// The recorder and all players of the packet that is referred to.
    pub(super) fn base_of(&self, sequence: u32) -> Result<(Player, Rc<[Player]>), Fault> {
        let is_sent = self.commands[sequence as usize % COMMANDS].0 == sequence;
        let players = self.players_of(sequence).filter(|_| is_sent && self.entities_of(sequence).is_some()).ok_or(Fault::Lost)?;
        let own = players.iter().find(|one| one.0[player::SLOT] == self.own_slot).copied();
        Ok((own.unwrap_or_else(|| self.new_player(self.own_slot)), players))
    }

    pub(super) fn baseline(&self, number: u16) -> Entity {
        self.baselines.get(&number).copied().unwrap_or_else(|| {
            let mut new = Entity::EMPTY;
            new.set(entity::NUMBER, number);
            new
        })
    }

    /// A level begins.
    pub(super) fn forget_entities(&mut self) {
        self.baselines.clear();
        self.entity_history.fill(None);
        self.whole.fill(None);
        self.base = None;
        self.has_entities = false;
    }

    pub(super) fn add_models(&mut self, first: u8, names: &[&[u8]]) {
        self.models.add(first, names);
        for (at, name) in names.iter().enumerate() {
            if *name == b"progs/player.mdl" {
                self.player_model = first.wrapping_add(at as u8).wrapping_add(1);
            }
        }
    }

    pub(super) fn add_sounds(&mut self, first: u8, names: &[&[u8]]) {
        self.sounds.add(first, names);
    }

    /// The numbers of the level's models and sounds are needed from now on.
    pub(super) fn name_if_new(&mut self) {
        if self.models.is_new || self.sounds.is_new {
            self.name_again();
        }
    }

    /// Finds out which number each model and sound that Qizmo knows has in this level.
    pub(super) fn name_again(&mut self) {
        if self.models.parts.is_empty() && self.sounds.parts.is_empty() {
            return;
        }
        let figures = Figures::get();
        self.sounds.number(&figures.sounds, b"", 0);
        // Qizmo goes on counting parts where it left off with the sounds.
        self.models.number(&figures.models, b"progs/", self.sounds.parts.len());
        (self.models.is_new, self.sounds.is_new) = (false, false);
    }

    pub(super) fn model(&self, symbol: u8) -> u8 {
        self.models.numbers[usize::from(symbol)]
    }

    pub(super) fn sound(&self, symbol: u8) -> u8 {
        self.sounds.numbers[usize::from(symbol)]
    }

    /// Takes the name out of a player's info, which is keys and values between backslashes.
    pub(super) fn add_user_info(&mut self, slot: u8, info: &[u8]) {
        let mut parts = info.split(|byte| *byte == b'\\').skip(1);
        let mut name: &[u8] = b"";
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            if key == b"name" {
                name = value;
            }
        }
        self.set_name(slot, name);
    }

    pub(super) fn set_name(&mut self, slot: u8, name: &[u8]) {
        if let Some(of) = self.names.get_mut(usize::from(slot)) {
            name.clone_into(of);
        }
    }

    pub(super) fn name(&self, slot: usize) -> &[u8] {
        self.names.get(slot).map_or(b"", Vec::as_slice)
    }
}

/// A list of models or sounds of the level, and the numbers of those that Qizmo knows.
struct Names {
    /// The parts that it came in: where each begins, and its names.
    parts: Vec<(u8, Vec<Vec<u8>>)>,
    is_new: bool,
    numbers: [u8; 256],
}

impl Names {
    fn new() -> Self {
        Names { parts: Vec::new(), is_new: true, numbers: std::array::from_fn(|at| at as u8) }
    }

    fn add(&mut self, first: u8, names: &[&[u8]]) {
        if first == 0 {
            self.parts.clear();
        }
        if self.parts.len() < PARTS && self.parts.iter().all(|(known, _)| *known != first) {
            self.parts.push((first, names.iter().map(|name| name.to_vec()).collect()));
            self.is_new = true;
        }
    }

    /// Numbers what is known. The first part is followed by the one behind `counted` more.
    fn number(&mut self, known: &[Vec<u8>], folder: &[u8], counted: usize) {
        let mut symbols: [u8; 256] = std::array::from_fn(|at| at as u8);
        let mut numbers = symbols;
        let (first, rest) = (self.parts.first(), self.parts.get(counted + 1..).unwrap_or_default());
        let names = first.into_iter().chain(rest).take_while(|(_, names)| !names.is_empty()).flat_map(|(_, names)| names);
        for (number, name) in (1..=255).zip(names) {
            let known = name.strip_prefix(folder).and_then(|name| known.get(1..)?.binary_search_by(|known| known.as_slice().cmp(name)).ok());
            if let Some(at) = known {
                swap(&mut symbols, &mut numbers, number, at as u8 + 1);
            }
        }
        self.numbers = numbers;
    }
}

/// Gives a number the symbol `symbol`; what has that symbol gets the number's.
fn swap(symbols: &mut [u8; 256], numbers: &mut [u8; 256], number: u8, symbol: u8) {
    let before = symbols[usize::from(number)];
    if before == symbol {
        return;
    }
    let other = if symbols[usize::from(symbol)] == symbol { symbol } else { numbers[usize::from(symbol)] };
    symbols[usize::from(number)] = symbol;
    numbers[usize::from(symbol)] = number;
    symbols[usize::from(other)] = before;
    numbers[usize::from(before)] = other;
}
