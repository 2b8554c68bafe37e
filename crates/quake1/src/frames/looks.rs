//! What players and entities are drawn with.

use std::sync::{Arc, LazyLock};

use fragreel_model::{Look, Subject};

use crate::dialect::Dialect;
use crate::state::{Body, Game, HeldModels, Holds, Seen, stat};

use crate::frames::models::Models;
use crate::frames::player::{DEATH_FRAMES, body, by_entity, is_player, slots};

/// The model of a player for whom QuakeWorld's server states none.
static PLAYER: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from("progs/player.mdl"));

/// The flag that a player carries, and `effects` with the skin that it has.
static FLAG: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from("progs/flag.mdl"));
const FLAGS: [(u32, i32); 2] = [(16, 0), (32, 1)];

/// Adds the looks of everybody, and of all entities in sight.
pub(super) fn add(game: &Game, d: &Dialect, in_sight: &[Seen], models: &mut Models, looks: &mut Vec<Look>) {
    if !by_entity(d) {
        for slot in slots(game, d) {
            let Some(body) = body(game, d, slot) else { continue };
            let mut look = Look::new(Subject::Player(slot.into()));
            look.model = match body.model {
                0 if !d.is_multi_view() => Some(PLAYER.clone()),
                0 => None,
                model => models.model(game, model).map(|kind| kind.model.clone()),
            };
            look.frame = Some(body.frame as f32);
            look.skin_number = Some(body.skin as i32);
            look.colors = colors(game, u32::from(slot) + 1);
            if look.model.as_deref() == Some(&**PLAYER) {
                look.skin = models.skin(game, slot);
            }
            (look.bare, look.held) = held(game, d, slot, body).map(|holds| (holds.bare, holds.held)).unwrap_or_default();
            if !d.is_netquake() {
                (look.carried, look.carried_skin) = flag(body.effects);
            }
            looks.push(look);
        }
    }
    for seen in in_sight {
        let Some(kind) = models.model(game, seen.model).filter(|kind| !kind.model.starts_with('*')) else { continue };
        let player = is_player(game, d, seen.number);
        let mut look = Look::new(if player { Subject::Player((seen.number - 1) as u16) } else { Subject::Entity(seen.number) });
        look.model = Some(kind.model.clone());
        look.frame = Some(seen.frame as f32);
        look.skin_number = Some(seen.skin);
        look.colors = colors(game, seen.colormap);
        looks.push(look);
    }
    if d.is_multi_view() {
        for slot in slots(game, d) {
            let stats = game.stats_of(slot).map(|stats| stats[stat::WEAPON]);
            view_model(game, models, slot, stats, body(game, d, slot).map(|body| body.weapon_frame), looks);
        }
    } else if let Some((own, stats)) = game.own.zip(game.own_stats()) {
        let frame = if by_entity(d) { u32::try_from(stats[stat::WEAPON_FRAME]).ok() } else { body(game, d, own).map(|body| body.weapon_frame) };
        view_model(game, models, own, Some(stats[stat::WEAPON]), frame, looks);
    }
}

/// What is drawn in place of a player's model, if his weapon has a model of its own.
fn held(game: &Game, d: &Dialect, slot: u8, body: &Body) -> Option<Holds> {
    let is_player = match body.model {
        0 => !d.is_multi_view(),
        model => game.level.models.get(model as usize)?.bytes() == PLAYER.as_bytes(),
    };
    if !is_player || d.is_netquake() {
        return None;
    }
    if !d.is_multi_view() {
        return game.level.held.as_ref()?.holds(body.held);
    }
    let list = game.level.held.as_deref().unwrap_or_else(|| HeldModels::usual());
    let viewed = game.stats_of(slot).and_then(|stats| game.level.models.get(usize::try_from(stats[stat::WEAPON]).ok()?));
    let dead = || DEATH_FRAMES.contains(&body.frame).then(|| Holds { bare: list.figure(), held: None });
    list.holds(viewed.map_or(0, |model| HeldModels::number_of(model.bytes()))).or_else(dead)
}

/// Adds the weapon that a player sees; nothing, where he sees none.
fn view_model(game: &Game, models: &mut Models, slot: u8, model: Option<i32>, frame: Option<u32>, looks: &mut Vec<Look>) {
    let Some(kind) = model.and_then(|model| u32::try_from(model).ok()).and_then(|model| models.model(game, model)) else { return };
    let look = Look::of(looks, Subject::Player(slot.into()));
    look.view_model = Some(kind.model.clone());
    look.view_frame = frame.map(|frame| frame as f32);
}

/// The flag that effects show, and its skin.
fn flag(effects: u32) -> (Option<Arc<str>>, Option<i32>) {
    FLAGS.iter().find(|(bit, _)| effects & bit != 0).map(|(_, skin)| (FLAG.clone(), *skin)).unzip()
}

/// Shirt and trousers of the player that a color map names, counted from 1.
fn colors(game: &Game, colormap: u32) -> Option<[u8; 2]> {
    let slot = u8::try_from(colormap.checked_sub(1)?).ok()?;
    game.roster.get(slot).map(|person| person.colors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_show_who_carries_a_flag() {
        let shown = |effects| flag(effects).1;
        assert_eq!([0, 2, 16, 32].map(shown), [None, None, Some(0), Some(1)]);
        assert_eq!(flag(18).0.as_deref(), Some("progs/flag.mdl"));
    }
}
