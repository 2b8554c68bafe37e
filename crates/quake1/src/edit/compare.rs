//! Two recordings of the same game, frame by frame (`docs/formats/quake1.md`, "Editing").

use model::{Comparison, Milliseconds};

use crate::Recording;
use crate::container::Container;
use crate::dialect::Dialect;
use crate::fields::quakeworld::view_slot;
use crate::message::Message;
use crate::replacement::{Angles, Coordinates};
use crate::state::{Body, Game, Person, Roster, Seen, stat};

use super::excerpt::apply;
use super::range::{FrameAt, server_stands_still};
use super::reading::{Next, Reading};

/// A game that stops after each frame.
struct Frames<'a> {
    reading: Reading<'a>,
    game: Game,
    server: Milliseconds,
    /// Whether the last frame changes anything.
    news: bool,
}

impl<'a> Frames<'a> {
    fn new(recording: &Recording<'a>) -> Self {
        Frames { reading: Reading::new(recording), game: Game::default(), server: Milliseconds(0), news: false }
    }

    /// Goes on to the next frame.
    fn next(&mut self) -> bool {
        loop {
            let (game, news) = (&mut self.game, &mut self.news);
            *news = false;
            let next = self.reading.next(|d, message, heard| {
                apply(game, d, message, heard);
                *news |= match message {
                    Message::DeltaPacketEntities(m) => !m.entities.is_empty(),
                    Message::ViewPlayer(m) => m.flags != 0,
                    _ => true,
                };
                if matches!(message, Message::ServerData(_)) {
                    // clients forget everybody with the level
                    game.roster = Roster::default();
                }
            });
            match next {
                None => return false,
                Some(Next::Unit(unit)) if unit.is_frame() => {
                    self.server = self.reading.clock.server;
                    return true;
                }
                Some(_) => {}
            }
        }
    }

    /// Takes in what else is told at the moment of the last frame.
    fn settle(&mut self) {
        while self.reading.lingers() {
            let game = &mut self.game;
            if self.reading.next(|d, message, heard| apply(game, d, message, heard)).is_none() {
                break;
            }
        }
    }

    fn dialect(&self) -> &Dialect {
        self.reading.dialect()
    }
}

/// Differences told in words.
const MOST_DIFFERENCES: usize = 10;

/// Which frames of two recordings are of the same moment.
/// `alike` says that a frame of one is a frame of the other.
fn pairs(source: &[i64], edited: &[i64], alike: bool) -> Vec<(Option<usize>, usize)> {
    let runs = |keys: &[i64]| -> Vec<(i64, usize, usize)> {
        let mut runs: Vec<(i64, usize, usize)> = Vec::new();
        for (at, &key) in keys.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.0 == key => run.2 = at + 1,
                _ => runs.push((key, at, at + 1)),
            }
        }
        runs
    };
    let source = runs(source);
    let mut by_key: std::collections::BTreeMap<i64, Vec<usize>> = std::collections::BTreeMap::new();
    for (at, run) in source.iter().enumerate() {
        by_key.entry(run.0).or_default().push(at);
    }
    let mut next = 0;
    let mut pairs = Vec::new();
    let edited = runs(edited);
    let last = edited.len().saturating_sub(1);
    for (number, (key, from, to)) in edited.into_iter().enumerate() {
        // the next time that the source's clock shows this; it may have started anew with a level
        let run = by_key.get(&key).and_then(|runs| runs.get(runs.partition_point(|&at| at < next)));
        let run = run.map(|&at| {
            next = at + 1;
            &source[at]
        });
        for at in from..to {
            // a part ends with the first frames of a moment
            if let Some(run) = run.filter(|run| number == last && number > 0 && alike && run.2 - run.1 > to - from) {
                pairs.push((Some(run.1 + at - from), at));
                continue;
            }
            // of more frames at one moment than the edited recording has, the last ones
            pairs.push((run.and_then(|run| run.2.checked_sub(to - at)).filter(|&at| run.is_some_and(|run| at >= run.1)), at));
        }
    }
    pairs
}

impl Recording<'_> {
    /// How the frames of `edited`, made from this recording, agree with those of this one at the same times.
    ///
    /// What both can say is compared: of the same dialect everything, of another one what its quantisation and limits leave.
    pub fn compare(&self, edited: &Recording<'_>) -> Comparison {
        let same_clock =
            self.container() != edited.container() || self.dialect().replacement() == edited.dialect().replacement() || self.dialect().is_netquake();
        // an opening of a multi-view recording shows players, too, but is no moment of the game
        let (theirs, ours) = (super::range::frames(self), super::range::frames(edited));
        let opening = ours.iter().take_while(|frame| frame.opening).count();
        let by_first = self.container() != edited.container() && server_stands_still(&theirs);
        let times = |frames: &[FrameAt]| -> Vec<i64> {
            let first = frames.first().map_or(0, |frame| frame.demo.0);
            let time = |frame: &FrameAt| match (by_first, same_clock) {
                (true, _) => frame.demo.0 - first,
                (false, true) => frame.server.0,
                (false, false) => frame.demo.0,
            };
            frames.iter().map(time).collect()
        };
        let (theirs, ours) = (times(&theirs), times(&ours[opening..]));
        let mut comparison = Comparison::default();
        // one packet of a client's tells what several blocks of a server's do
        let settles = self.container() == Container::MultiView && edited.container() != Container::MultiView;
        let (mut source, mut other) = (Frames::new(self), Frames::new(edited));
        let (mut source_at, mut other_at) = (0, 0);
        for (from, to) in pairs(&theirs, &ours, self.container() == edited.container()) {
            while other_at <= to + opening && other.next() {
                other_at += 1;
            }
            if from.is_none() && !other.news {
                // time passes, and nothing changes
                continue;
            }
            comparison.frames += 1;
            let mut differ = Differ { out: Vec::new() };
            match from {
                None => differ.add(String::from("the source has no frame at this time")),
                Some(from) => {
                    while source_at <= from && source.next() {
                        source_at += 1;
                    }
                    if settles && theirs.get(from + 1) != Some(&theirs[from]) {
                        source.settle();
                    }
                    differ.games(&source, &other);
                }
            }
            if !differ.out.is_empty() {
                comparison.differing += 1;
            }
            let room = MOST_DIFFERENCES - comparison.differences.len();
            let time = other.reading.clock.demo;
            comparison.differences.extend(differ.out.into_iter().take(room).map(|what| format!("at {time}: {what}")));
        }
        comparison
    }
}

struct Differ {
    out: Vec<String>,
}

impl Differ {
    fn add(&mut self, what: String) {
        self.out.push(what);
    }

    fn value<T: PartialEq + std::fmt::Debug>(&mut self, what: impl FnOnce() -> String, source: &T, edited: &T) {
        if source != edited {
            self.add(format!("{} is {edited:?} instead of {source:?}", what()));
        }
    }

    fn games(&mut self, source: &Frames<'_>, edited: &Frames<'_>) {
        let (d, e) = (source.dialect(), edited.dialect());
        let exact = d.numbers == e.numbers && d.is_rerelease() == e.is_rerelease();
        let players = if exact { u8::MAX } else { super::limits::Limits::of(e).players };
        self.people(&source.game, &edited.game, usize::from(players));
        self.stats(d, e, &source.game, &edited.game, exact);
        if exact {
            self.exactly(d, &source.game, &edited.game);
        } else {
            self.scenes(d, e, &source.game, &edited.game);
        }
    }

    fn people(&mut self, source: &Game, edited: &Game, most: usize) {
        let nobody = Person::default();
        for slot in 0..source.roster.people.len().max(edited.roster.people.len()).min(most) {
            let of = |game: &Game| game.roster.people.get(slot).filter(|person| person.is_here()).cloned().unwrap_or_else(|| nobody.clone());
            let (a, b) = (of(source), of(edited));
            self.value(|| format!("the name of player {slot}"), &crate::characters::clean(&a.name), &crate::characters::clean(&b.name));
            self.value(|| format!("the score of player {slot}"), &a.frags, &b.frags);
            self.value(|| format!("the team of player {slot}"), &a.team, &b.team);
            self.value(|| format!("the colours of player {slot}"), &a.colors, &b.colors);
        }
    }

    fn stats(&mut self, d: &Dialect, e: &Dialect, source: &Game, edited: &Game, exact: bool) {
        let known = if exact { stat::COUNT } else { stat::ITEMS + 1 };
        for slot in 0..source.stats.len().max(edited.stats.len()).min(256) {
            let (a, b) = (source.stats_of(slot as u8), edited.stats_of(slot as u8));
            let (Some(a), Some(b)) = (a, b) else {
                if exact && a.is_some_and(|stats| stats.iter().any(|&value| value != 0)) != b.is_some_and(|stats| stats.iter().any(|&value| value != 0)) {
                    self.add(format!("the stats of player {slot} are known in one only"));
                }
                continue;
            };
            for at in 0..known {
                // a client counts these by himself; a server's recording does not say for whom
                if !exact && d.is_multi_view() && matches!(at, stat::SECRETS | stat::MONSTERS) {
                    continue;
                }
                // client data has a byte for the weapon, and protocol 15 one for all but health and items; no model stands for one beyond it
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

    /// The same dialect: everything.
    fn exactly(&mut self, d: &Dialect, source: &Game, edited: &Game) {
        self.value(|| String::from("the number of statics"), &source.world.statics, &edited.world.statics);
        self.value(|| String::from("the list of models"), &source.level.models, &edited.level.models);
        self.value(|| String::from("the list of sounds"), &source.level.sounds, &edited.level.sounds);
        self.value(|| String::from("the pause"), &source.paused, &edited.paused);
        if d.replacement() {
            let list = |game: &Game| game.world.replaced().iter().map(|(number, known)| (number, known.state.clone())).collect::<Vec<_>>();
            let (a, b) = (list(source), list(edited));
            self.lists(&a, &b);
        } else if d.is_netquake() {
            self.lists(source.world.nq_frame(), edited.world.nq_frame());
        } else {
            self.lists(&source.world.qw_newest().entities, &edited.world.qw_newest().entities);
        }
        let (a, b) = (super::scene::Scene::of(d, source), super::scene::Scene::of(d, edited));
        self.value(|| String::from("the number of players in sight"), &a.players.len(), &b.players.len());
        for (a, b) in a.players.iter().zip(&b.players) {
            self.value(|| format!("player {}", a.slot), a, b);
        }
        if d.is_multi_view() {
            let row = |game: &Game, slot: u8| game.body_of(slot).map_or([0; view_slot::COUNT], |body: &Body| body.row);
            for player in &a.players {
                self.value(|| format!("the view of player {}", player.slot), &row(source, player.slot), &row(edited, player.slot));
            }
        }
    }

    fn lists<T: PartialEq + std::fmt::Debug>(&mut self, source: &[(u32, T)], edited: &[(u32, T)]) {
        let numbers = |list: &[(u32, T)]| list.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        if numbers(source) != numbers(edited) {
            self.value(|| String::from("the entities in sight"), &numbers(source), &numbers(edited));
            return;
        }
        for ((number, a), (_, b)) in source.iter().zip(edited) {
            self.value(|| format!("entity {number}"), a, b);
        }
    }

    /// Another dialect: what it can say.
    fn scenes(&mut self, d: &Dialect, e: &Dialect, source: &Game, edited: &Game) {
        let (a, b) = (super::scene::Scene::of(d, source), super::scene::Scene::of(e, edited));
        let loose = Loose::between(d, e);
        // a client is not told of its own view
        let own = |slot: u8| [(source, d), (edited, e)].iter().any(|(game, d)| game.own == Some(slot) && !d.is_multi_view());
        for player in &a.players {
            let Some(other) = b.players.iter().find(|other| other.slot == player.slot) else {
                let here = edited.roster.get(player.slot).is_some_and(|person| !person.spectator);
                if player.model != 0 && here && source.roster.get(player.slot).is_some_and(|person| !person.spectator) {
                    self.add(format!("player {} is not in sight", player.slot));
                }
                continue;
            };
            let who = || format!("player {}", player.slot);
            self.place(who, &loose, player.origin, other.origin);
            if !own(player.slot) && !player.dead && !other.dead {
                self.angles(who, &loose, player.angles, other.angles);
            }
            self.value(|| format!("the frame of player {}", player.slot), &(player.frame & 255), &(other.frame & 255));
            self.value(|| format!("the effects of player {}", player.slot), &(player.effects & 255), &(other.effects & 255));
            self.value(|| format!("the skin of player {}", player.slot), &(player.skin & 255), &(other.skin & 255));
        }
        for thing in a.things.iter().filter(|thing| loose.can_say(&thing.seen)) {
            let number = thing.seen.number;
            let Ok(at) = b.things.binary_search_by_key(&number, |other| other.seen.number) else {
                if b.things.len() >= loose.in_sight {
                    continue;
                }
                self.add(format!("entity {number} is not in sight"));
                continue;
            };
            let (seen, other) = (&thing.seen, &b.things[at].seen);
            self.place(|| format!("entity {number}"), &loose, seen.origin, other.origin);
            self.angles(|| format!("entity {number}"), &loose, seen.angles, other.angles);
            self.value(|| format!("the model of entity {number}"), &seen.model, &other.model);
            self.value(|| format!("the frame of entity {number}"), &(seen.frame & loose.frames), &(other.frame & loose.frames));
            self.value(|| format!("the skin of entity {number}"), &(seen.skin & 255), &(other.skin & 255));
            self.value(|| format!("the effects of entity {number}"), &(seen.effects & 255), &(other.effects & 255));
            self.value(|| format!("the colours of entity {number}"), &seen.colormap, &other.colormap);
        }
        for other in &b.things {
            if a.things.binary_search_by_key(&other.seen.number, |thing| thing.seen.number).is_err() {
                self.add(format!("entity {} is in sight and was not", other.seen.number));
            }
        }
    }

    fn place(&mut self, what: impl Fn() -> String, loose: &Loose, a: [f32; 3], b: [f32; 3]) {
        if !(0..3).all(|axis| a[axis].abs() >= loose.reach || (a[axis] - b[axis]).abs() <= loose.place) {
            self.value(|| format!("the place of {}", what()), &a, &b);
        }
    }

    fn angles(&mut self, what: impl Fn() -> String, loose: &Loose, a: [f32; 3], b: [f32; 3]) {
        let off = |axis: usize| {
            let off = (a[axis] - b[axis]).rem_euclid(360.0);
            off.min(360.0 - off)
        };
        if !(0..3).all(|axis| off(axis) <= loose.angle) {
            self.value(|| format!("the angles of {}", what()), &a, &b);
        }
    }
}

/// How far values may differ between two dialects, and what the second cannot say at all.
struct Loose {
    place: f32,
    angle: f32,
    frames: u32,
    models: u32,
    entities: u32,
    in_sight: usize,
    /// How far from the middle the second reaches.
    reach: f32,
}

impl Loose {
    fn between(d: &Dialect, e: &Dialect) -> Self {
        // rounding, and a little for the arithmetic of floats
        let place = |kind: Coordinates| -> f32 {
            match kind {
                Coordinates::Eighths => 1.0 / 16.0,
                Coordinates::Fraction => 1.0 / 510.0,
                Coordinates::Sixteenths => 1.0 / 32.0,
                Coordinates::Float => 0.0,
            }
        };
        let angle = |kind: Angles| -> f32 {
            match kind {
                Angles::Byte => 360.0 / 512.0,
                Angles::Short => 360.0 / 131_072.0,
                Angles::Float => 0.0,
            }
        };
        let limits = super::limits::Limits::of(e);
        Loose {
            place: place(e.entity_coord).max(place(d.entity_coord)) + 1e-3,
            angle: angle(e.angle).max(angle(d.angle)) + 1e-2,
            frames: limits.frames - 1,
            models: limits.models,
            entities: limits.entities,
            in_sight: limits.in_sight,
            reach: e.coord_reach().min(d.coord_reach()),
        }
    }

    fn can_say(&self, seen: &Seen) -> bool {
        seen.model != 0 && seen.model < self.models && seen.number < self.entities
    }
}
