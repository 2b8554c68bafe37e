//! Puts a game into frames.

use fragreel_model::{EntityKinds, Fields, Frame, FrameOptions, PlayerFrame, View};

use super::models::Models;
use super::names::Names;
use super::{entity, player};
use crate::dialect::Dialect;
use crate::state::{Game, Seen, viewed_slot};
use crate::walk::playback::Playback;

/// The default height of the view above a player's origin.
const VIEW_HEIGHT: f32 = 22.0;
/// The same for a dead player of QuakeWorld.
const DEAD_VIEW_HEIGHT: f32 = -16.0;
/// What frames share, made once.
#[derive(Debug, Clone, Default)]
pub(super) struct Filler {
    pub(super) models: Models,
    names: Names,
}

impl Filler {
    /// Fills a frame that has its times. `in_sight` are the entities in sight, `jumped` those that were teleported since the last frame.
    pub(super) fn fill(&mut self, playback: &Playback<'_>, options: &FrameOptions, in_sight: &[Seen], jumped: &[u32], frame: &mut Frame) {
        frame.uncertain = playback.uncertain;
        let game = &playback.game;
        let d = playback.dialect();
        let fields = options.fields;
        // a number that is none says nothing, and some clients count on past a full turn
        let is_known = |angles: &[f32; 3]| !d.is_multi_view() && angles.iter().all(|angle| angle.is_finite());
        let own_angles = playback.view_angles.filter(is_known).map(|[pitch, yaw, roll]| [within_half_a_turn(pitch), yaw % 360.0, within_half_a_turn(roll)]);
        self.models.of_level(game);
        let mut count = 0;
        for slot in player::slots(game, d) {
            let player = frame.player_at(count, slot.into());
            let angles = own_angles.filter(|_| Some(slot) == game.own);
            player::fill(player, game, d, fields, slot, angles, &mut self.names);
            player.teleported = jumped.contains(&(u32::from(slot) + 1));
            count += 1;
        }
        frame.end_players(count);
        if fields.has(Fields::VIEW) && !d.is_multi_view() {
            frame.view = view(game, d, own_angles, &frame.players, |number| jumped.contains(&number));
        }
        if options.entities != EntityKinds::NONE {
            let kinds = options.entities;
            entity::each((game, d, in_sight), kinds, fields, &mut self.models, |mut entity| {
                entity.teleported = jumped.contains(&entity.number);
                frame.entities.push(entity);
            });
        }
    }
}

/// An angle from -180 to 180 degrees. Clients of spectators count pitch from 0 to 360.
fn within_half_a_turn(angle: f32) -> f32 {
    match angle % 360.0 {
        over if over > 180.0 => over - 360.0,
        under if under < -180.0 => under + 360.0,
        angle => angle,
    }
}

/// The view of a client.
fn view(game: &Game, d: &Dialect, angles: Option<[f32; 3]>, players: &[PlayerFrame], jumped: impl Fn(u32) -> bool) -> Option<View> {
    let own = game.own;
    let number = if d.is_netquake() { game.view_entity? } else { u32::from(own?) + 1 };
    let slot = if d.is_netquake() { viewed_slot(number, game.level.max_clients) } else { own };
    let mut origin = match slot {
        Some(slot) => player::place(game, d, slot)?,
        None => game.world.entity(d, number)?.origin,
    };
    let dead = players.iter().any(|player| Some(player.slot) == own.map(u16::from) && player.alive == Some(false));
    origin[2] += match (game.view_height(), d.is_netquake()) {
        (Some(height), _) => height,
        (None, false) if dead => DEAD_VIEW_HEIGHT,
        (None, _) if slot.is_some() => VIEW_HEIGHT,
        _ => 0.0,
    };
    let mut view = View::new(slot.map(u16::from), origin, angles);
    view.teleported = jumped(number);
    Some(view)
}
