//! What a recording is.

use std::collections::{BTreeMap, HashSet};

use model::{Damage, Family, Info, Milliseconds, PlayerInfo, game_text};
use replay::Clock;

use super::Recording;
use crate::container::Frame;
use crate::events::MatchClock;
use crate::fields;
use crate::game::Game;
use crate::game::strings::{PLAYERS, SERVERINFO, SYSTEMINFO};
use crate::message::{Depth, Gamestate, Snapshot};
use crate::playback::{Listener, run};
use crate::state::State;
use crate::text::{clean, info as value, info_pairs, number, text};

pub(super) fn info(recording: &Recording<'_>) -> Info {
    let mut survey = Survey::default();
    let state = run(recording.bytes, recording.dialect, &mut survey);
    let mut info = Info::new(Family::Quake3, recording.dialect.protocol.to_string(), recording.bytes.len() as u64);
    if let Some(game) = survey.game {
        describe(&mut info, &game, &state);
    }
    info.recorder = recorder(recording).and_then(|slot| survey.players.get(&slot).cloned());
    info.players = survey.everybody();
    info.players.sort_by_key(|player| player.slot);
    info.maps = survey.maps;
    info.messages = survey.messages;
    info.snapshots = survey.snapshots;
    info.duration = survey.last;
    info.match_clock = survey.match_first.zip(survey.match_last);
    info.snapshot_rate = Info::rate(survey.snapshots, info.duration);
    survey.damage.truncate(recording.limits.damage_entries);
    info.damage = survey.damage;
    info
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

/// The recording player's slot: the gamestate's where it says, else the first player state's.
fn recorder(recording: &Recording<'_>) -> Option<u16> {
    struct First(Option<i32>, bool);
    impl Listener for First {
        fn gamestate(&mut self, state: &State, _: &Gamestate) {
            self.0 = state.client();
            self.1 = self.0.is_some();
        }
        fn snapshot(&mut self, state: &State, _: &Snapshot) {
            let at = fields::find(state.dialect().player, "clientNum");
            self.0 = state.snapshot().and_then(|snapshot| snapshot.player.row.get(at)).map(|&slot| slot as i32);
            self.1 = true;
        }
        fn goes_on(&self) -> bool {
            !self.1
        }
    }
    let mut first = First(None, false);
    run(recording.bytes, recording.dialect, &mut first);
    first.0.and_then(|slot| u16::try_from(slot).ok())
}

#[derive(Default)]
struct Survey {
    game: Option<Game>,
    clock: Clock,
    maps: Vec<String>,
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

impl Survey {
    /// Those who are there at the end, and those who left and did not come back.
    fn everybody(&mut self) -> Vec<PlayerInfo> {
        let mut all: Vec<PlayerInfo> = std::mem::take(&mut self.players).into_values().collect();
        let mut names: HashSet<String> = all.iter().map(|known| known.name.raw.clone()).collect();
        all.extend(std::mem::take(&mut self.left).into_iter().rev().filter(|player| names.insert(player.name.raw.clone())));
        all
    }

    fn read_player(&mut self, slot: u16, game: &Game, string: &[u8]) {
        let name = value(string, "n");
        if name.is_empty() {
            self.left.extend(self.players.remove(&slot));
            return;
        }
        let team = u32::try_from(number(value(string, "t"))).ok().and_then(|team| game.team(team)).map(String::from);
        self.players.insert(slot, PlayerInfo { slot, name: text(name), team });
    }
}

impl Listener for Survey {
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
        // one that is loaded again is the same level
        if self.maps.last() != Some(&map) {
            self.maps.push(map);
        }
        self.match_clock = MatchClock::of(state, &game);
        for slot in 0..PLAYERS {
            self.read_player(slot as u16, &game, state.string(game.strings.players + slot));
        }
    }

    fn command(&mut self, state: &State) {
        let (Some(game), Some(index)) = (self.game, state.changed_string()) else { return };
        let players = game.strings.players;
        if (players..players + PLAYERS).contains(&index) {
            self.read_player((index - players) as u16, &game, state.string(index));
        }
        self.match_clock = MatchClock::of(state, &game);
    }

    fn damage(&mut self, damage: Damage) {
        self.damage.push(damage);
    }
}
