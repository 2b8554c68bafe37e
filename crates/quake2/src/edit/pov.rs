//! One player's view of a recording of all players.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use fragreel_base::wire::Error;

use super::view::View;
use crate::chars;
use crate::dialect::FrameHeader;
use crate::fields::{entity, player};
use crate::message::{Body, Message, MvdBody, MvdFrame, MvdMessage};
use crate::state::{Detail, Effect, PlayerState, State};
use crate::walk::Input;
use crate::walk::roster::player_name;
use crate::walk::{At, Visitor, WalkOptions};

/// All names of each slot, and the slots that frames show. Spectators have names, but no view.
#[derive(Default)]
struct Names {
    names: BTreeMap<u16, Vec<Vec<u8>>>,
    kinds: BTreeSet<u16>,
}

impl Names {
    fn of(input: &Input<'_>) -> Self {
        let mut names = Names::default();
        input.walk(WalkOptions { skim: false, detail: Detail::Strings, parcels: false, ..input.walk_options() }, &mut names);
        names
    }

    fn show(&mut self, frame: &MvdFrame, state: &State) {
        self.kinds.extend(frame.players.iter().filter(|player| !player.removes(&state.dialect)).map(|player| u16::from(player.number)));
    }

    /// The players who have a view.
    fn players(&self) -> impl Iterator<Item = (&u16, &Vec<Vec<u8>>)> {
        self.names.iter().filter(|(slot, _)| self.kinds.contains(slot))
    }

    fn take_in(&mut self, index: u16, value: &[u8], state: &State) {
        let strings = state.dialect.strings;
        let name = player_name(value);
        if (strings.playerskins..strings.general).contains(&index) && !name.is_empty() {
            let known = self.names.entry(index - strings.playerskins).or_default();
            if !known.iter().any(|known| known == name) {
                known.push(name.to_vec());
            }
        }
    }
}

impl Visitor for Names {
    fn message(&mut self, _: At, message: &mut Message, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            Body::ConfigString(string) => self.take_in(string.index, &string.text.0, state),
            Body::GameState(_) | Body::ConfigStringStream(_) => state.strings.iter().for_each(|(index, value)| self.take_in(index, value, state)),
            Body::PlayerInfo(_) => self.kinds.extend(message.unicast.map(u16::from).or(u16::try_from(state.level.clientnum).ok())),
            Body::PacketEntities(list) if state.dialect.frame == FrameHeader::Server => {
                self.kinds.extend(list.deltas.iter().filter_map(|delta| delta.number.checked_sub(1)).take_while(|&slot| slot < 256));
            }
            _ => {}
        }
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        match &message.body {
            MvdBody::ConfigString(string) => self.take_in(string.index, &string.text.0, state),
            MvdBody::ServerData(data) => {
                data.strings.0.iter().for_each(|string| self.take_in(string.index, &string.text.0, state));
                self.show(&data.frame, state);
            }
            MvdBody::Frame(frame) => self.show(frame, state),
            _ => {}
        }
    }
}

/// The slot of the only player who has a name and a view.
pub(crate) fn only(input: &Input<'_>) -> Option<u16> {
    let known = Names::of(input);
    let mut players = known.players().map(|(slot, _)| *slot);
    players.next().filter(|_| players.next().is_none())
}

/// The first slot whose player has a name and a view.
pub fn first(input: &Input<'_>) -> Option<u16> {
    Names::of(input).players().map(|(slot, _)| *slot).next()
}

/// Lists the players for a message.
pub(crate) fn names(input: &Input<'_>) -> String {
    list(&Names::of(input))
}

fn list(names: &Names) -> String {
    let all: Vec<String> = names.players().flat_map(|(slot, names)| names.iter().map(move |name| format!("{slot} ({})", chars::clean(name)))).collect();
    if all.is_empty() { String::from("none: no player has a name") } else { all.join(", ") }
}

/// The slot that a number or a name means.
pub fn find(input: &Input<'_>, wanted: &str) -> Result<u16, Error> {
    let known = Names::of(input);
    if let Some(slot) = wanted.parse().ok().filter(|slot| known.players().any(|(known, _)| known == slot)) {
        return Ok(slot);
    }
    let raw = fragreel_model::game_bytes(wanted);
    let exact = |name: &Vec<u8>| *name == raw || chars::clean(name) == wanted;
    let close = |name: &Vec<u8>| chars::clean(name).eq_ignore_ascii_case(wanted);
    let by = |is: &dyn Fn(&Vec<u8>) -> bool| known.players().find(|(_, names)| names.iter().any(is)).map(|(slot, _)| *slot);
    by(&exact).or_else(|| by(&close)).ok_or_else(|| {
        let only_named = known.names.iter().any(|(slot, names)| slot.to_string() == wanted || names.iter().any(|name| exact(name) || close(name)));
        let why = if only_named { "was only a spectator and has no view" } else { "is not in the recording" };
        Error::misuse(format!("player `{wanted}` {why}: give one of {}", list(&known)))
    })
}

/// Fails unless `wanted` is the player who recorded.
pub(crate) fn check_own(input: &Input<'_>, wanted: Option<&str>) -> Result<(), Error> {
    let Some(wanted) = wanted else { return Ok(()) };
    let own = crate::answers::info::info(input).recorder.map(|recorder| recorder.slot);
    match (find(input, wanted), own) {
        (Ok(slot), Some(own)) if slot == own => Ok(()),
        _ => Err(Error::unsupported("a client's recording has only the recording player's view")),
    }
}

/// The movement type of a living player.
const PM_NORMAL: u32 = 0;

/// Moves a player's entity to the position of the player state, as engines do when the entity is sent without position and angles.
pub(crate) fn place_as(state: &PlayerState, row: &mut entity::Row) {
    if state.row[player::PM_TYPE] != PM_NORMAL {
        return;
    }
    row[entity::ORIGIN_X..=entity::ORIGIN_Z].copy_from_slice(&state.row[player::ORIGIN_X..=player::ORIGIN_Z]);
    let turn = |word: u32| i32::from(word as u16 as i16);
    // In 256ths of a turn, the precision of entities. The pitch of a body is a third of the head's.
    let pitch = turn(state.row[player::VIEWANGLES_X]) / 3 / 256;
    let yaw = turn(state.row[player::VIEWANGLES_Y]) >> 8;
    for (at, angle) in [(entity::ANGLES_X, pitch), (entity::ANGLES_Y, yaw), (entity::ANGLES_Z, 0)] {
        row[at] = (angle << 8) as u32;
    }
}

/// The positions of the players' entities in the previous frame. MVD2 has those of living players only in their states.
#[derive(Clone, Default)]
pub(crate) struct Places(RefCell<BTreeMap<u16, [u32; 3]>>);

impl Places {
    /// A frame with all players.
    pub(super) fn view(&self, state: &State) -> View {
        let mut view = View::of(state).without_repetitions();
        if state.in_place.frames() > 0 {
            let mut origins = self.0.borrow_mut();
            if state.in_place.frames() == 1 {
                origins.clear();
            }
            for (number, row) in &mut view.entities {
                let Some((_, player)) = view.players.iter().find(|(slot, _)| i32::from(*slot) + 1 == i32::from(*number)) else { continue };
                if player.row[player::PM_TYPE] != PM_NORMAL {
                    origins.remove(number);
                    continue;
                }
                place_as(player, row);
                let now = [0, 1, 2].map(|axis| row[entity::ORIGIN_X + axis]);
                let before = origins.insert(*number, now).unwrap_or(now);
                row[entity::OLD_ORIGIN_X..=entity::OLD_ORIGIN_Z].copy_from_slice(&before);
            }
        }
        view
    }
}

/// Extracts one player's view.
#[derive(Clone)]
pub(crate) struct Viewer {
    pub slot: u16,
    /// The last view, for frames without the player.
    last: Option<PlayerState>,
    places: Places,
}

impl Viewer {
    pub(super) fn new(slot: u16) -> Self {
        Viewer { slot, last: None, places: Places::default() }
    }

    /// Starts a level. The player may join it later.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// What the recording has of this frame.
    pub(super) fn recorded(&self, state: &State) -> View {
        let mut view = self.places.view(state);
        view.players.retain(|(number, _)| i32::from(*number) == i32::from(self.slot));
        view
    }

    /// The frame as the player sees it. There is no player before the first view. Later gaps repeat the last view.
    pub(super) fn view(&mut self, state: &State) -> View {
        let mut view = self.recorded(state);
        if state.dialect.frame == FrameHeader::Server {
            let own = view.entities.iter().find(|(number, _)| u32::from(*number) == u32::from(self.slot) + 1);
            view.players = own.map(|(_, row)| (self.slot as i16, infer_player(state, row))).into_iter().collect();
        }
        match view.players.first() {
            Some((_, player)) => self.last = Some(player.clone()),
            None => view.players.extend(self.last.clone().map(|player| (self.slot as i16, player))),
        }
        view
    }
}

/// The height of the eyes over the origin, in quarters of a unit: standing, and ducked or dead.
const STANDING: i32 = 22 * 4;
const DUCKED: i32 = -2 * 4;
/// The bounding box height of a standing player, as packed in `solid`.
const STANDING_HEIGHT: u32 = 8;
/// The default field of view.
const FOV: u32 = 90;
const GRAVITY: u32 = 800;
/// The movement type of a dead player.
const PM_DEAD: u32 = 2;

/// Infers a player state from the player's entity.
fn infer_player(state: &State, row: &entity::Row) -> PlayerState {
    let mut player = PlayerState::default();
    let to = &mut player.row;
    to[player::ORIGIN_X..=player::ORIGIN_Z].copy_from_slice(&row[entity::ORIGIN_X..=entity::ORIGIN_Z]);
    // The pitch of the head is three times that of the body.
    to[player::VIEWANGLES_X] = (row[entity::ANGLES_X] as i32).wrapping_mul(3) as i16 as u32;
    to[player::VIEWANGLES_Y] = row[entity::ANGLES_Y] as i16 as u32;
    to[player::VIEWANGLES_Z] = 0;
    let height = row[entity::SOLID] >> 10 & 63;
    let standing = height >= STANDING_HEIGHT;
    let dead = row[entity::SOLID] == 0;
    to[player::VIEWOFFSET_Z] = if standing { STANDING } else { DUCKED } as u32;
    to[player::PM_TYPE] = if dead { PM_DEAD } else { PM_NORMAL };
    to[player::GRAVITY] = GRAVITY;
    to[player::FOV] = FOV;
    if !dead && let Some((model, frame)) = weapon(state, row) {
        (to[player::GUNINDEX], to[player::GUNFRAME]) = (model, frame);
    }
    player
}

/// The weapon model on other players, the one in the own view, and the first frame of its idle animation.
const WEAPONS: [(&str, &str, u32); 11] = [
    ("w_blaster", "v_blast", 9),
    ("w_shotgun", "v_shotg", 19),
    ("w_sshotgun", "v_shotg2", 18),
    ("w_machinegun", "v_machn", 6),
    ("w_chaingun", "v_chain", 32),
    ("a_grenades", "v_handgr", 16),
    ("w_glauncher", "v_launch", 17),
    ("w_rlauncher", "v_rocket", 13),
    ("w_hyperblaster", "v_hyperb", 21),
    ("w_railgun", "v_rail", 19),
    ("w_bfg", "v_bfg", 33),
];

/// The player model on which engines draw the weapon that `skinnum` names.
const PLAYER_MODEL: u32 = 255;

/// The own view of the weapon that others see: model index and an idle frame.
fn weapon(state: &State, row: &entity::Row) -> Option<(u32, u32)> {
    if row[entity::MODELINDEX2] != PLAYER_MODEL {
        return None;
    }
    let models = || (state.dialect.strings.models..state.dialect.strings.sounds).map(|index| (index, state.strings.get(index)));
    // Weapon models begin with `#` and are counted from 1. 0 is the first of a player without weapons.
    let wanted = (row[entity::SKINNUM] >> 8 & 255).checked_sub(1)? as usize;
    let (_, views) = models().filter(|(_, name)| name.starts_with(b"#")).nth(wanted)?;
    let (_, own, frame) = WEAPONS.iter().find(|(name, ..)| views[1..].starts_with(name.as_bytes()) && views.get(1 + name.len()) == Some(&b'.'))?;
    let path = format!("models/weapons/{own}/tris.md2");
    let (index, _) = models().find(|(_, name)| *name == path.as_bytes())?;
    Some((u32::from(index - state.dialect.strings.models), *frame))
}
