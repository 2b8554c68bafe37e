//! Keeps the texts of players to write them again. From frame to frame, players move, but little else about them changes. Often they do not move either.

use fragreel::model::PlayerFrame;

/// The number of slots with texts of their own. No recording has more slots. Higher slots would share one text.
const MOST: usize = 1024;

/// A format in which players are written.
pub trait Form {
    /// Appends the text before and after the player's place, velocity, and angles. `is_view` is true if the recorded view is the player's.
    fn append_around(&mut self, before: &mut Vec<u8>, behind: &mut Vec<u8>, player: &PlayerFrame, is_view: bool);
    /// Appends place, velocity, and angles.
    fn append_places(&mut self, text: &mut Vec<u8>, places: &Places);
}

/// A player's place, velocity, and angles.
pub type Places = [Option<[f32; 3]>; 3];

/// The texts of players as they were written last, by slot.
#[derive(Default)]
pub struct Known(Vec<Parts>);

/// The text of a player in three parts.
#[derive(Default)]
struct Parts {
    /// The player whose text it is, and whether the recorded view is the player's.
    of: Option<(PlayerFrame, bool)>,
    before: Vec<u8>,
    behind: Vec<u8>,
    places: Places,
    middle: Vec<u8>,
}

impl Known {
    /// Appends a player.
    pub fn append(&mut self, text: &mut Vec<u8>, form: &mut impl Form, player: &PlayerFrame, is_view: bool) {
        let at = usize::from(player.slot).min(MOST);
        if at >= self.0.len() {
            self.0.resize_with(at + 1, Parts::default);
        }
        let parts = &mut self.0[at];
        if !parts.of.as_ref().is_some_and(|(known, was_view)| *was_view == is_view && known.is_but_for_place(player)) {
            parts.before.clear();
            parts.behind.clear();
            form.append_around(&mut parts.before, &mut parts.behind, player, is_view);
            parts.of = Some((player.clone(), is_view));
        }
        parts.move_to(form, [player.origin, player.velocity, player.angles]);
        text.extend_from_slice(&parts.before);
        text.extend_from_slice(&parts.middle);
        text.extend_from_slice(&parts.behind);
    }
}

impl Parts {
    #[inline]
    fn move_to(&mut self, form: &mut impl Form, places: Places) {
        let [old_origin, old_velocity, old_angles] = &self.places;
        let [origin, velocity, angles] = &places;
        let same = is_same(old_origin, origin) && is_same(old_velocity, velocity) && is_same(old_angles, angles);
        if !same || self.middle.is_empty() {
            self.middle.clear();
            form.append_places(&mut self.middle, &places);
            self.places = places;
        }
    }
}

/// True if three numbers are written as three others.
#[inline(always)]
fn is_same(old: &Option<[f32; 3]>, new: &Option<[f32; 3]>) -> bool {
    match (old, new) {
        // negative zero is written differently
        (Some([a, b, c]), Some([x, y, z])) => (a.to_bits() ^ x.to_bits()) | (b.to_bits() ^ y.to_bits()) | (c.to_bits() ^ z.to_bits()) == 0,
        (old, new) => old.is_none() && new.is_none(),
    }
}
