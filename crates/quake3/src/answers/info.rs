//! Game, map, players, and duration of a recording.

use std::collections::{BTreeMap, HashSet};

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{Chunks, Clock, Fed, Whole, feed_all};
use fragreel_model::{Damage, Family, Info, Milliseconds, PlayerInfo, game_text};

use crate::container::Frame;
use crate::fields;
use crate::game::Game;
use crate::game::strings::{SERVERINFO, SYSTEMINFO};
use crate::message::{Depth, Gamestate, Snapshot};
use crate::state::State;
use crate::strings::{clean, info as value, info_pairs, text};
use crate::walk::{Input, MatchClock, Person, Roster, Visit, Visitor};

/// Summarizes a recording in memory.
pub(crate) fn info(input: &Input<'_>) -> Info {
    let Ok(info) = info_chunks(input, &mut Whole(input.bytes));
    info
}

/// Summarizes the recording that `chunks` give. `input` says how it is read.
pub(crate) fn info_chunks<C: Chunks>(input: &Input<'_>, chunks: &mut C) -> Result<Info, C::Error> {
    let recorder = feed_all(VisitWalk::new(input, First(None, false)), chunks)?.visitor.0;
    let VisitWalk { mut visit, visitor: mut builder, length } = feed_all(VisitWalk::new(input, InfoBuilder::default()), chunks)?;
    visit.close_at(length, &mut builder);
    let mut info = Info::new(Family::Quake3, input.dialect.protocol.to_string(), length as u64);
    if let Some(game) = builder.game {
        describe(&mut info, &game, visit.state());
    }
    info.recorder = recorder.and_then(|slot| u16::try_from(slot).ok()).and_then(|slot| builder.players.get(&slot).cloned());
    info.players = builder.all_players();
    info.players.sort_by_key(|player| player.slot);
    info.maps = builder.maps;
    info.date = builder.date;
    info.messages = builder.messages;
    info.snapshots = builder.snapshots;
    info.duration = builder.last;
    info.match_clock = builder.match_first.zip(builder.match_last);
    info.snapshot_rate = Info::rate(builder.snapshots, info.duration);
    builder.damage.truncate(input.limits.damage_entries);
    info.damage = builder.damage;
    Ok(info)
}

/// A visit that takes a recording in chunks.
struct VisitWalk<V> {
    visit: Visit<'static>,
    visitor: V,
    /// Bytes that were walked over.
    length: usize,
}

impl<V: Visitor> VisitWalk<V> {
    fn new(input: &Input<'_>, visitor: V) -> Self {
        VisitWalk { visit: Visit::new(&[], input.dialect, visitor.depth()).over(Chunk::none()), visitor, length: 0 }
    }
}

impl<V: Visitor> Fed for VisitWalk<V> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let VisitWalk { visit, mut visitor, .. } = self;
        let mut visit = visit.over(chunk);
        while visitor.wants_more() && visit.step(&mut visitor) {}
        VisitWalk { visit: visit.over(Chunk::none()), visitor, length: chunk.end() }
    }

    fn needed(&self) -> usize {
        self.visit.needed()
    }

    fn is_over(&self) -> bool {
        !self.visitor.wants_more()
    }
}

fn describe(info: &mut Info, game: &Game, state: &State) {
    let (serverinfo, systeminfo) = (state.string(SERVERINFO), state.string(SYSTEMINFO));
    let stated = |key| Some(value(serverinfo, key)).filter(|text| !text.is_empty()).map(clean);
    info.game = String::from(game.title);
    info.game_mod = game.mod_name().map(String::from).or_else(|| Some(game.directory_of(serverinfo, systeminfo)));
    info.mod_version = stated("gameversion").or_else(|| stated("defrag_vers"));
    info.engine = stated("version");
    info.game_type = game.game_type(serverinfo).map(|kind| String::from(kind.name));
    info.server = Some(value(serverinfo, "sv_hostname")).filter(|name| !name.is_empty()).map(text);
    info.server_settings = info_pairs(serverinfo).map(|(key, value)| (game_text(key), game_text(value))).collect();
}

/// The slot of the recording player: that of the gamestate where it states one, else that of the first player state. The second is whether it is known.
struct First(Option<i32>, bool);

impl Visitor for First {
    fn gamestate(&mut self, state: &State, _: &Gamestate) {
        self.0 = state.client();
        self.1 = self.0.is_some();
    }
    fn snapshot(&mut self, state: &State, _: &Snapshot) {
        let at = fields::find(state.dialect().player, "clientNum");
        self.0 = state.snapshot().and_then(|snapshot| snapshot.player.row.get(at)).map(|&slot| slot as i32);
        self.1 = true;
    }
    fn wants_more(&self) -> bool {
        !self.1
    }
}

#[derive(Default)]
struct InfoBuilder {
    /// When the first level began.
    date: Option<String>,
    game: Option<Game>,
    clock: Clock,
    maps: Vec<String>,
    roster: Roster,
    players: BTreeMap<u16, PlayerInfo>,
    /// Players whose slot was given up.
    left: Vec<PlayerInfo>,
    match_clock: MatchClock,
    messages: u64,
    snapshots: u64,
    last: Option<Milliseconds>,
    match_first: Option<Milliseconds>,
    match_last: Option<Milliseconds>,
    damage: Vec<Damage>,
}

impl InfoBuilder {
    /// The players at the end, and those who left and did not come back.
    fn all_players(&mut self) -> Vec<PlayerInfo> {
        let mut all: Vec<PlayerInfo> = std::mem::take(&mut self.players).into_values().collect();
        let mut names: HashSet<String> = all.iter().map(|known| known.name.raw.clone()).collect();
        all.extend(std::mem::take(&mut self.left).into_iter().rev().filter(|player| names.insert(player.name.raw.clone())));
        all
    }

    /// Updates the player in a slot. A slot without a name is empty.
    fn set_player(&mut self, slot: usize, person: Option<&Person>) {
        let slot = slot as u16;
        match person.filter(|person| !person.raw.is_empty()) {
            None => self.left.extend(self.players.remove(&slot)),
            Some(person) => {
                self.players.insert(slot, PlayerInfo { slot, name: (*person.name).clone(), team: person.team_name().map(String::from) });
            }
        }
    }
}

impl Visitor for InfoBuilder {
    fn depth(&self) -> Depth {
        Depth::Commands
    }

    fn message(&mut self, _: &Frame, server_time: Option<i32>) {
        self.messages += 1;
        let Some(now) = server_time else { return };
        self.snapshots += 1;
        self.last = Some(self.clock.at(i64::from(now)));
        if let Some(match_time) = self.match_clock.at(now) {
            self.match_first.get_or_insert(match_time);
            self.match_last = Some(match_time);
        }
    }

    fn gamestate(&mut self, state: &State, _: &Gamestate) {
        let game = Game::of_state(state);
        self.game = Some(game);
        self.clock.level();
        let map = clean(value(state.string(SERVERINFO), "mapname"));
        // a map that is loaded again counts once
        if self.maps.last() != Some(&map) {
            self.maps.push(map);
        }
        // a restart states another one
        self.date = self.date.take().or_else(|| crate::events::date(state.string(SERVERINFO)));
        self.match_clock = MatchClock::of(state, &game);
        let mut roster = std::mem::take(&mut self.roster);
        roster.start_level(state, &game);
        for (slot, person) in roster.slots() {
            self.set_player(slot, person);
        }
        self.roster = roster;
    }

    fn command(&mut self, state: &State) {
        let (Some(game), Some(index)) = (self.game, state.changed_string()) else { return };
        if let Some(slot) = game.strings.player_at(index) {
            let mut roster = std::mem::take(&mut self.roster);
            if let Some((_, person)) = roster.update(slot, state.string(index)) {
                self.set_player(slot, person);
            }
            self.roster = roster;
        }
        self.match_clock = MatchClock::of(state, &game);
    }

    fn damage(&mut self, damage: Damage) {
        self.damage.push(damage);
    }
}
