//! Compares two recordings of the same game frame by frame (`docs/formats/quake1.md`, "Editing").

mod moments;
mod stepper;
mod tolerance;

use fragreel_model::Comparison;
use fragreel_model::replay::lockstep::{Tally, Verdict};
use fragreel_model::replay::{Advance, CheckpointedWalk};

use crate::dialect::Dialect;
use crate::edit::source::Source;
use crate::fields::quakeworld::view_slot;
use crate::state::{Body, Game, Person, stat};
use crate::walk::playback::Playback;

use crate::edit::frame_pairs::{Pair, pairs};
use crate::encode::world::players;
use moments::Moments;
pub(super) use stepper::FrameStepper;
use tolerance::Tolerance;

/// What to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// The states of frames.
    States,
    /// States, and names and teams of players.
    Strings,
}

/// Compares recordings with their source. Several of them take one walk over the source if they come in the order in which their
/// frames lie there.
pub(crate) struct Comparer<'a> {
    recording: Source<'a>,
    /// The walk over the blocks where a part of the recording starts, if it is one.
    part: Option<Playback<'a>>,
    stepper: CheckpointedWalk<FrameStepper<'a>>,
}

impl<'a> Comparer<'a> {
    /// Compares recordings with `source`.
    pub(crate) fn new(source: &Source<'a>) -> Self {
        Comparer { recording: source.clone(), part: None, stepper: CheckpointedWalk::new(FrameStepper::new(source)) }
    }

    /// Compares recordings with the part of a source that has these frames. `stepper` stands before it.
    pub(crate) fn with_part(source: Source<'a>, stepper: FrameStepper<'a>) -> Self {
        let stepper = stepper.within(&source);
        Comparer { recording: source, part: Some(stepper.playback().clone()), stepper: CheckpointedWalk::new(stepper) }
    }

    /// A walk over the blocks, from the start.
    fn blocks(&self) -> Playback<'a> {
        self.part.clone().unwrap_or_else(|| Playback::new(&self.recording, false))
    }

    /// See `Recording::compare`.
    pub(crate) fn compare(&mut self, edited: &Source<'_>) -> Comparison {
        self.compared(edited, Compared::States)
    }

    /// See `Recording::compare_with_strings`.
    pub(crate) fn compare_with_strings(&mut self, edited: &Source<'_>) -> Comparison {
        self.compared(edited, Compared::Strings)
    }

    fn compared(&mut self, edited: &Source<'_>, same: Compared) -> Comparison {
        let moments = Moments::of(&self.recording, edited);
        let mut best = Best::default();
        for offset in &moments.level_offsets {
            let pairs = pairs(&moments.source, &moments.edited, *offset, moments.alike);
            let comparison = self.side_by_side(edited, &moments, &pairs, same, best.differing());
            best.take(comparison, pairs);
            if best.differing() == Some(0) {
                break;
            }
        }
        if !moments.alike || best.differing() == Some(0) {
            return best.comparison.unwrap_or_default();
        }
        // clocks that stand still or jump do not help: match frames by their bytes
        for first in moments.frame_offsets(self.blocks(), Playback::new(edited, false)) {
            if best.differing() == Some(0) {
                break;
            }
            let pairs: Vec<Pair> = (0..moments.edited.len()).map(|at| (Some(first + at), at)).collect();
            if pairs != best.pairs {
                let comparison = self.side_by_side(edited, &moments, &pairs, same, best.differing());
                best.take(comparison, pairs);
            }
        }
        best.comparison.unwrap_or_default()
    }

    fn side_by_side(&mut self, edited: &Source<'_>, moments: &Moments, pairs: &[Pair], same: Compared, least: Option<u64>) -> Comparison {
        let mut tally = Tally::default();
        let (mut source, mut other) = (None, FrameStepper::new(edited));
        for &(from, to) in pairs {
            other.play_to(to as u32);
            if least.is_some_and(|least| tally.comparison.differing >= least) {
                // another offset is already better
                break;
            }
            let difference = match from {
                // only time passes here
                None if !other.news => continue,
                None => Some(String::from("the source has no frame at this time")),
                Some(from) => {
                    let source = self.stepper.follow(&mut source, from as u32);
                    source.play_to(from as u32);
                    // a frame of another format includes all blocks with its time
                    if !moments.alike && moments.source.get(from + 1) != Some(&moments.source[from]) {
                        source.apply_rest_of_moment(moments.still);
                    }
                    let mut differ = Differ { difference: None, same };
                    differ.games(source, &other);
                    differ.difference
                }
            };
            tally.take(&edited.timeline().line.frames[to], difference.map_or(Verdict::Same, Verdict::Differs));
        }
        tally.comparison
    }
}

/// The comparison with the fewest differing frames, and the pairs that it used.
#[derive(Default)]
struct Best {
    comparison: Option<Comparison>,
    pairs: Vec<Pair>,
}

impl Best {
    fn differing(&self) -> Option<u64> {
        self.comparison.as_ref().map(|comparison| comparison.differing)
    }

    fn take(&mut self, comparison: Comparison, pairs: Vec<Pair>) {
        if self.differing().is_none_or(|least| comparison.differing < least) {
            *self = Best { comparison: Some(comparison), pairs };
        }
    }
}

/// Finds the first difference of two frames.
struct Differ {
    difference: Option<String>,
    same: Compared,
}

impl Differ {
    fn add(&mut self, what: impl FnOnce() -> String) {
        self.difference.get_or_insert_with(what);
    }

    fn value<T: PartialEq + std::fmt::Debug + ?Sized>(&mut self, what: impl FnOnce() -> String, source: &T, edited: &T) {
        if source == edited || self.difference.is_some() {
            return;
        }
        // NaN equals NaN here
        let (source, edited) = (format!("{source:?}"), format!("{edited:?}"));
        if source != edited {
            self.add(|| format!("{} is {edited} instead of {source}", what()));
        }
    }

    fn games(&mut self, source: &FrameStepper<'_>, edited: &FrameStepper<'_>) {
        let (d, e) = (source.dialect(), edited.dialect());
        let entities_unknown = source.entities_unknown;
        let (source, edited) = (source.game(), edited.game());
        let exact = d.numbers == e.numbers && d.is_rerelease() == e.is_rerelease();
        let players = if exact { u8::MAX } else { crate::limits::Limits::of(e).players };
        self.people(source, edited, usize::from(players));
        self.stats(d, e, source, edited, exact);
        if self.difference.is_some() || entities_unknown {
            return;
        }
        if exact {
            self.exactly(d, source, edited);
        } else {
            self.scenes(d, e, source, edited);
        }
    }

    fn people(&mut self, source: &Game, edited: &Game, most: usize) {
        let nobody = Person::default();
        for slot in 0..source.roster.people.len().max(edited.roster.people.len()).min(most) {
            fn of<'g>(game: &'g Game, slot: usize, nobody: &'g Person) -> &'g Person {
                game.roster.people.get(slot).filter(|person| person.is_here()).unwrap_or(nobody)
            }
            let (a, b) = (of(source, slot, &nobody), of(edited, slot, &nobody));
            self.value(|| format!("whether there is a player {slot}"), &a.is_here(), &b.is_here());
            self.value(|| format!("the score of player {slot}"), &a.frags, &b.frags);
            self.value(|| format!("the colors of player {slot}"), &a.colors, &b.colors);
            if self.same == Compared::Strings {
                if a.name != b.name {
                    self.value(|| format!("the name of player {slot}"), &crate::characters::clean(&a.name), &crate::characters::clean(&b.name));
                }
                self.value(|| format!("the team of player {slot}"), &a.team, &b.team);
            }
        }
    }

    fn stats(&mut self, d: &Dialect, e: &Dialect, source: &Game, edited: &Game, exact: bool) {
        let known = if exact { stat::COUNT } else { stat::ITEMS + 1 };
        if exact && d.is_netquake() && source.own.is_none() && edited.own.is_none() {
            self.value(|| String::from("the stats of the recording player"), &source.own_stats(), &edited.own_stats());
        }
        for slot in 0..source.stats.len().max(edited.stats.len()).min(256) {
            let (a, b) = (source.stats_of(slot as u8), edited.stats_of(slot as u8));
            let (Some(a), Some(b)) = (a, b) else {
                if exact && a.is_some_and(|stats| stats.iter().any(|&value| value != 0)) != b.is_some_and(|stats| stats.iter().any(|&value| value != 0)) {
                    self.add(|| format!("the stats of player {slot} are known in one only"));
                }
                continue;
            };
            if a == b {
                continue;
            }
            for at in 0..known {
                // clients count these; a multi-view recording does not state them
                if !exact && d.is_multi_view() && matches!(at, stat::SECRETS | stat::MONSTERS) {
                    continue;
                }
                // client data has one byte for the weapon, and in protocol 15 for all but health and items; a model beyond it becomes none
                let narrow = !exact && e.is_netquake() && !e.has_opacity();
                if narrow && at == stat::WEAPON && a[at] > 255 && b[at] == 0 {
                    continue;
                }
                let is_byte = !exact && at == stat::ACTIVE_WEAPON || narrow && (stat::AMMO..=stat::CELLS).contains(&at);
                let mask = if is_byte { 255 } else { -1 };
                self.value(|| format!("stat {at} of player {slot}"), &(a[at] & mask), &(b[at] & mask));
            }
        }
    }

    /// Compares games of the same dialect: everything.
    fn exactly(&mut self, d: &Dialect, source: &Game, edited: &Game) {
        self.value(|| String::from("the number of statics"), &source.world.statics().count(), &edited.world.statics().count());
        self.value(|| String::from("the list of models"), &source.level.models, &edited.level.models);
        self.value(|| String::from("the list of sounds"), &source.level.sounds, &edited.level.sounds);
        self.value(|| String::from("the pause"), &source.paused, &edited.paused);
        if d.replacement() {
            let list = |game: &Game| game.world.replaced().iter().map(|(number, known)| (number, known.state.clone())).collect::<Vec<_>>();
            let (a, b) = (source.world.replaced().iter(), edited.world.replaced().iter());
            if !a.map(|(number, known)| (number, &known.state)).eq(b.map(|(number, known)| (number, &known.state))) {
                self.lists(&list(source), &list(edited));
            }
        } else if d.is_netquake() {
            self.lists(source.world.nq_frame(), edited.world.nq_frame());
        } else {
            self.lists(&source.world.qw_newest().entities, &edited.world.qw_newest().entities);
        }
        let (a, b) = (players(d, source), players(d, edited));
        self.value(|| String::from("the number of players in sight"), &a.len(), &b.len());
        for (a, b) in a.iter().zip(&b) {
            self.value(|| format!("player {}", a.slot), a, b);
        }
        if d.is_multi_view() {
            let row = |game: &Game, slot: u8| game.body_of(slot).map_or([0; view_slot::COUNT], |body: &Body| body.row);
            for player in &a {
                self.value(|| format!("the view of player {}", player.slot), &row(source, player.slot), &row(edited, player.slot));
            }
        }
    }

    fn lists<T: PartialEq + std::fmt::Debug>(&mut self, source: &[(u32, T)], edited: &[(u32, T)]) {
        if source == edited {
            return;
        }
        let numbers = |list: &[(u32, T)]| list.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        if numbers(source) != numbers(edited) {
            self.value(|| String::from("the entities in sight"), &numbers(source), &numbers(edited));
            return;
        }
        for ((number, a), (_, b)) in source.iter().zip(edited) {
            self.value(|| format!("entity {number}"), a, b);
        }
    }

    /// Compares games of two dialects: the values that both have.
    fn scenes(&mut self, d: &Dialect, e: &Dialect, source: &Game, edited: &Game) {
        let (a, b) = (crate::encode::world::WorldView::of(d, source), crate::encode::world::WorldView::of(e, edited));
        let tolerance = Tolerance::between(d, e);
        // a client does not receive its own view
        let own = |slot: u8| [(source, d), (edited, e)].iter().any(|(game, d)| game.own == Some(slot) && !d.is_multi_view());
        for player in &a.players {
            let Some(other) = b.players.iter().find(|other| other.slot == player.slot) else {
                let here = edited.roster.get(player.slot).is_some_and(|person| !person.spectator);
                if player.model != 0 && here && source.roster.get(player.slot).is_some_and(|person| !person.spectator) {
                    self.add(|| format!("player {} is not in sight", player.slot));
                }
                continue;
            };
            let who = || format!("player {}", player.slot);
            self.place(who, &tolerance, player.origin, other.origin);
            if !own(player.slot) && !player.dead && !other.dead {
                self.angles(who, &tolerance, player.angles, other.angles);
            }
            self.value(|| format!("the frame of player {}", player.slot), &(player.frame & 255), &(other.frame & 255));
            self.value(|| format!("the effects of player {}", player.slot), &(player.effects & 255), &(other.effects & 255));
            self.value(|| format!("the skin of player {}", player.slot), &(player.skin & 255), &(other.skin & 255));
        }
        for thing in a.things.iter().filter(|thing| tolerance.can_say(&thing.seen)) {
            let number = thing.seen.number;
            let Ok(other) = b.things.binary_search_by_key(&number, |thing| thing.seen.number).map(|at| &b.things[at]) else {
                if b.things.len() >= tolerance.in_sight {
                    continue;
                }
                self.add(|| format!("entity {number} is not in sight"));
                continue;
            };
            let (seen, other) = (&thing.seen, &other.seen);
            self.place(|| format!("entity {number}"), &tolerance, seen.origin, other.origin);
            self.angles(|| format!("entity {number}"), &tolerance, seen.angles, other.angles);
            self.value(|| format!("the model of entity {number}"), &seen.model, &other.model);
            self.value(|| format!("the frame of entity {number}"), &(seen.frame & tolerance.frames), &(other.frame & tolerance.frames));
            self.value(|| format!("the skin of entity {number}"), &(seen.skin & 255), &(other.skin & 255));
            self.value(|| format!("the effects of entity {number}"), &(seen.effects & 255), &(other.effects & 255));
            self.value(|| format!("the colors of entity {number}"), &seen.colormap, &other.colormap);
        }
        for other in &b.things {
            if a.things.binary_search_by_key(&other.seen.number, |thing| thing.seen.number).is_err() {
                self.add(|| format!("entity {} is in sight and was not", other.seen.number));
            }
        }
    }

    fn place(&mut self, what: impl Fn() -> String, tolerance: &Tolerance, a: [f32; 3], b: [f32; 3]) {
        if !(0..3).all(|axis| a[axis].abs() >= tolerance.reach || (a[axis] - b[axis]).abs() <= tolerance.place) {
            self.value(|| format!("the place of {}", what()), &a, &b);
        }
    }

    fn angles(&mut self, what: impl Fn() -> String, tolerance: &Tolerance, a: [f32; 3], b: [f32; 3]) {
        let off = |axis: usize| {
            let off = (a[axis] - b[axis]).rem_euclid(360.0);
            off.min(360.0 - off)
        };
        if !(0..3).all(|axis| off(axis) <= tolerance.angle) {
            self.value(|| format!("the angles of {}", what()), &a, &b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_on_both_sides_does_not_differ() {
        let mut differ = Differ { difference: None, same: Compared::States };
        differ.value(|| String::from("x"), &[f32::NAN, 1.0], &[f32::NAN, 1.0]);
        assert_eq!(differ.difference, None);
        differ.value(|| String::from("x"), &f32::NAN, &1.0);
        differ.value(|| String::from("y"), &2.0, &1.0);
        assert_eq!(differ.difference.as_deref(), Some("x is 1.0 instead of NaN"));
    }
}
