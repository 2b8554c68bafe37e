//! Moments worth cutting out. What each kind is and how moments are ranked, `docs/moments.md` says.

mod captures;
mod rank;
mod reason;
mod runs;

use std::collections::{HashMap, HashSet};

use fragreel_model::{Channel, Event, EventKind, Fields, Kill, Kind, Kinds, Milliseconds, Player, Text};
use serde::Serialize;

use super::{Clock, Pattern, Range};
use crate::kill_context::{KillContexts, Needs};
use crate::means::{hits_at_once, is_missile, is_splash, weapon};
use crate::{Answer, Recording};
pub use reason::{Reason, What};

/// What makes a moment worth watching, and how much around it belongs to it. Nothing is looked for by default.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Wanted {
    /// At least this number of kills by one player within this time, suicides and team mates not counted.
    pub kills: Option<(usize, Milliseconds)>,
    /// At least this number of kills by one shot of a rail gun.
    pub multi_rail: Option<usize>,
    /// Chat that holds one of these words, in any case.
    pub words: Vec<String>,
    /// Marks that were set while the game ran.
    pub marks: bool,
    /// Flags brought home.
    pub captures: bool,
    /// Of those, the ones by who carried the flag no longer than that.
    pub capture_within: Option<Milliseconds>,
    /// Kills over this distance or more, in the game's units, where the recording has both positions.
    pub distance: Option<f32>,
    /// Kills of somebody who has been in the air for this long or longer, where the recording says who stands on the ground:
    /// Quake III does of everybody, Quake II of whom it shows the eyes. Splash does not count.
    pub mid_air: Option<Milliseconds>,
    /// The same by the direct hit of a missile.
    pub air_shots: Option<Milliseconds>,
    /// Kills by a weapon that hits at once, if the killer's view turned by at least this many degrees within [`VIEW_TURN_WINDOW`](crate::VIEW_TURN_WINDOW).
    pub flick: Option<f32>,
    /// Only kills with these weapons, by the game's own means of death or by their common name. Empty: any weapon. Chat and captures have no weapon, so
    /// that a weapon leaves them out.
    pub weapons: Vec<Pattern>,
    /// Only what these players do; what anybody does when there are none.
    pub players: Vec<Pattern>,
    /// Only what the player does whose eyes the recording shows at that time.
    pub own: bool,
    /// Leave out kills of somebody who has lived for less than this.
    pub spawned: Option<Milliseconds>,
    /// Whether moments that overlap become one.
    pub merge: bool,
    /// Time before the first thing that happens.
    pub before: Milliseconds,
    /// Time after the last thing that happens.
    pub after: Milliseconds,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted {
            kills: None,
            multi_rail: None,
            words: Vec::new(),
            marks: false,
            captures: false,
            capture_within: None,
            distance: None,
            mid_air: None,
            air_shots: None,
            flick: None,
            weapons: Vec::new(),
            players: Vec::new(),
            own: false,
            spawned: None,
            merge: false,
            before: Milliseconds(5000),
            after: Milliseconds(3000),
        }
    }
}

impl Wanted {
    /// The criteria for lists of the best moments: two kills within five seconds, several kills by one rail shot, flags brought home, air shots, and
    /// quick turns.
    pub fn best() -> Self {
        Wanted {
            kills: Some((2, Milliseconds(5000))),
            multi_rail: Some(2),
            captures: true,
            air_shots: Some(Milliseconds(500)),
            flick: Some(60.0),
            ..Wanted::default()
        }
    }
}

/// A moment, or several that overlap where they are merged.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Highlight {
    /// From when, since the recording's first frame.
    pub from: Milliseconds,
    /// Until when.
    pub to: Milliseconds,
    /// How good it is, for ranking: the points of its reasons together.
    pub points: u32,
    /// Why, in order of time.
    pub reasons: Vec<Reason>,
    /// Who did it, each once.
    pub players: Vec<Text>,
}

impl Highlight {
    /// The part of the recording to cut out.
    pub fn range(&self) -> Range {
        Range { clock: Clock::Demo, from: self.from, to: self.to }
    }

    /// The means of death that it is most about, in the game's own terms.
    pub fn means(&self) -> Option<&str> {
        self.reasons.iter().find_map(|reason| reason.what.means())
    }

    /// The common name of the weapon behind those.
    pub fn weapon(&self) -> Option<&'static str> {
        weapon(self.means()?)
    }
}

/// What a search for highlights found.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Highlights {
    /// The moments, in order of time.
    pub moments: Vec<Highlight>,
    /// Kills that could not be judged because the recording does not say where somebody was.
    pub unplaced: usize,
}

impl Recording {
    /// Looks for moments worth cutting out.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::edit::Wanted;
    /// use fragreel::model::Milliseconds;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/crowd_latency.dm_71")?, "crowd_latency.dm_71")?;
    /// let mut wanted = Wanted::default();
    /// wanted.kills = Some((3, Milliseconds(5000)));
    /// assert!(!recording.highlights(&wanted).value.moments.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn highlights(&self, wanted: &Wanted) -> Answer<Highlights> {
        let mut walk = self.events(wanted.kinds());
        let events = walk.by_ref().collect();
        Answer { value: wanted.of(self, events), damage: walk.damage() }
    }
}

impl Wanted {
    /// The moments among events of these [kinds](Self::kinds).
    pub(crate) fn of(&self, recording: &Recording, events: Vec<Event>) -> Highlights {
        let wanted = self;
        let levels: Vec<Milliseconds> = events.iter().filter(|event| event.kind.kind() == Kind::Level).map(|event| event.time).collect();
        let (seen, unplaced) = wanted.look(recording, &events);
        let mut reasons = Vec::new();
        let mut kept = Vec::with_capacity(events.len());
        for (event, seen) in events.into_iter().zip(seen) {
            if event.kind.kind() == Kind::Level || wanted.keeps(&event, &seen) {
                reasons.extend(seen.reasons(&event, wanted));
                kept.push(event);
            }
        }
        if let Some((least, within)) = wanted.kills {
            reasons.extend(runs::of(&kept, least.max(1), within));
        }
        if let Some(least) = wanted.multi_rail {
            reasons.extend(runs::by_one_shot(&kept, least.max(2)));
        }
        if wanted.captures {
            reasons.extend(captures::of(&kept, wanted.capture_within));
        }
        reasons.extend(kept.iter().filter_map(|event| spoken(event, wanted)));
        if wanted.marks {
            reasons.extend(kept.iter().filter_map(mark));
        }
        reasons.retain(|reason| wanted.weapons.is_empty() || reason.what.means().is_some());
        reasons.retain(|reason| wanted.players.is_empty() || wanted.players.iter().any(|name| is_called(reason.player.as_ref(), name)));
        reasons.sort_by_key(|reason| (reason.time, reason.until));
        Highlights { moments: moments(reasons, &levels, wanted), unplaced }
    }
}

/// What the frames show of one event.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    /// Whose eyes the recording shows.
    view: Option<u16>,
    distance: Option<f32>,
    air: Option<Milliseconds>,
    turn: Option<f32>,
    /// Whether the victim had lived for less than what is asked for.
    spawned: bool,
}

impl Wanted {
    /// The kinds of events that it is made of.
    pub(crate) fn kinds(&self) -> Kinds {
        let kills = self.kills.is_some() || self.multi_rail.is_some() || self.judges();
        let kinds = [(true, Kind::Level), (kills, Kind::Kill), (!self.words.is_empty(), Kind::Chat), (self.marks, Kind::Command), (self.captures, Kind::Flag)];
        kinds.into_iter().filter_map(|(on, kind)| on.then_some(kind)).collect()
    }

    /// Whether something is asked for that kills are judged by.
    fn judges(&self) -> bool {
        self.distance.is_some() || self.mid_air.is_some() || self.air_shots.is_some() || self.flick.is_some()
    }

    /// What of the frames it takes.
    fn fields(&self) -> Fields {
        let air = self.mid_air.is_some() || self.air_shots.is_some();
        let fields = [
            (self.distance.is_some(), Fields::ORIGIN),
            (air, Fields::STANCE),
            (self.flick.is_some(), Fields::ANGLES),
            (self.own, Fields::VIEW),
            (self.spawned.is_some(), Fields::HEALTH),
        ];
        fields.into_iter().filter_map(|(on, field)| on.then_some(field)).collect()
    }

    /// What the frames show of each event, and of how many kills they do not show what was asked for.
    fn look(&self, recording: &Recording, events: &[Event]) -> (Vec<Seen>, usize) {
        let fields = self.fields();
        let mut seen = vec![Seen::default(); events.len()];
        if fields == Fields::NONE || events.iter().all(|event| event.kind.kind() == Kind::Level) {
            return (seen, 0);
        }
        let air = self.mid_air.is_some() || self.air_shots.is_some();
        let mut contexts = KillContexts::of(recording, Needs { fields, air_time: air, spawns: self.spawned.is_some() });
        let mut deaths: HashMap<Who<'_>, Milliseconds> = HashMap::new();
        let mut unplaced = 0;
        for (event, seen) in events.iter().zip(&mut seen) {
            contexts.go_to(event.time);
            seen.view = contexts.view(event.time);
            let EventKind::Kill(kill) = &event.kind else { continue };
            let context = contexts.context(kill, event.time).unwrap_or_default();
            if let Some(least) = self.spawned {
                // The victim cannot have lived longer than since the last death.
                let died = deaths.insert(who(&kill.victim), event.time).map(|died| event.time - died);
                seen.spawned = [died, context.since_spawn].into_iter().flatten().any(|lived| lived < least);
            }
            let Some((kill, attacker)) = honest_kill(event).filter(|(kill, _)| !is_the_worlds(&kill.means)) else { continue };
            let mut judged = true;
            if self.distance.is_some() {
                seen.distance = context.distance;
                judged &= seen.distance.is_some();
            }
            if air {
                seen.air = if context.victim_in_air == Some(false) { Some(Milliseconds(0)) } else { context.victim_air_time };
                judged &= seen.air.is_some();
            }
            if self.flick.is_some() && hits_at_once(&kill.means) {
                seen.turn = context.attacker_turn;
                judged &= seen.turn.is_some();
            }
            // Only kills that would count otherwise.
            let is_meant = self.keeps(event, seen) && (self.players.is_empty() || self.players.iter().any(|name| is_called(Some(attacker), name)));
            unplaced += usize::from(!judged && is_meant);
        }
        (seen, unplaced)
    }

    /// Whether an event is one of those that are looked at.
    fn keeps(&self, event: &Event, seen: &Seen) -> bool {
        let by = match &event.kind {
            EventKind::Kill(kill) => {
                let weapon = weapon(&kill.means).unwrap_or_default();
                let with = self.weapons.is_empty() || self.weapons.iter().any(|name| name.matches(&kill.means) || name.matches(weapon));
                if !with || seen.spawned {
                    return false;
                }
                kill.attacker.as_ref()
            }
            EventKind::Chat { from, .. } => from.as_ref(),
            // Who took a flag counts for who brings it home.
            EventKind::Flag { action, player, .. } if *action == fragreel_model::FlagAction::Captured => player.as_ref(),
            _ => return true,
        };
        !self.own || by.and_then(|by| by.slot).is_some_and(|slot| seen.view == Some(slot))
    }
}

impl Seen {
    /// What is remarkable about a kill for where and how it happened.
    fn reasons(&self, event: &Event, wanted: &Wanted) -> Vec<Reason> {
        let Some((kill, attacker)) = honest_kill(event) else { return Vec::new() };
        let (means, victim) = (kill.means.to_string(), kill.victim.clone());
        let mut found = Vec::new();
        let mut add = |what| found.push(Reason::of(event, Some(attacker), what));
        if let Some(distance) = self.distance.filter(|distance| wanted.distance.is_some_and(|least| *distance >= least)) {
            add(What::Distance { distance, victim: victim.clone(), means: means.clone() });
        }
        if let Some(air) = self.air.filter(|air| air.0 > 0 && !is_splash(&means)) {
            if wanted.mid_air.is_some_and(|least| air >= least) {
                add(What::MidAir { victim: victim.clone(), means: means.clone(), air });
            }
            if wanted.air_shots.is_some_and(|least| air >= least) && is_missile(&means) {
                add(What::AirShot { victim: victim.clone(), means: means.clone(), air });
            }
        }
        if let Some(turn) = self.turn.filter(|turn| wanted.flick.is_some_and(|least| *turn >= least)) {
            add(What::Flick { victim, means, turn });
        }
        found
    }
}

fn is_called(player: Option<&Player>, name: &Pattern) -> bool {
    player.is_some_and(|player| name.matches(&player.name.clean))
}

/// What identifies a player: the slot where it is known, otherwise the name.
type Who<'p> = (Option<u16>, &'p str);

fn who(player: &Player) -> Who<'_> {
    (player.slot, if player.slot.is_some() { "" } else { &player.name.clean })
}

fn same(a: &Player, b: &Player) -> bool {
    who(a) == who(b)
}

/// Who killed whom, where somebody did and they were not on one side.
fn honest_kill(event: &Event) -> Option<(&Kill, &Player)> {
    let EventKind::Kill(kill) = &event.kind else { return None };
    let attacker = kill.attacker.as_ref()?;
    (kill.knows_attacker() && !kill.is_suicide() && !kill.team_kill).then_some((kill, attacker))
}

fn spoken(event: &Event, wanted: &Wanted) -> Option<Reason> {
    let EventKind::Chat { from, text, channel } = &event.kind else { return None };
    let said = text.clean.to_lowercase();
    let found = *channel != Channel::Server && wanted.words.iter().any(|word| said.contains(&word.to_lowercase()));
    found.then(|| Reason::of(event, from.as_ref(), What::Chat { text: text.clone() }))
}

/// The mark that a command sets.
fn mark(event: &Event) -> Option<Reason> {
    let EventKind::Command { text } = &event.kind else { return None };
    let said = text.clean.strip_prefix("//demomark").filter(|rest| rest.is_empty() || rest.starts_with(' '))?;
    Some(Reason::of(event, None, What::Mark { text: Text::plain(said.trim()) }))
}

/// Somebody is given the kill, but it was the level that did it.
fn is_the_worlds(means: &str) -> bool {
    const WORLD: [&str; 8] = ["lava", "slime", "water", "falling", "crush", "trigger", "telefrag", "exit"];
    let means = means.to_ascii_lowercase();
    WORLD.iter().any(|word| means.contains(word))
}

/// Reasons with the time around them, inside of their level; overlapping ones together where that is wanted.
fn moments(reasons: Vec<Reason>, levels: &[Milliseconds], wanted: &Wanted) -> Vec<Highlight> {
    let mut moments: Vec<Highlight> = Vec::new();
    for reason in reasons {
        let (begun, later) = levels.split_at(levels.partition_point(|&start| start <= reason.time));
        let level = begun.last().copied().unwrap_or_default();
        let next = later.first().map(|&start| start - Milliseconds(1));
        let from = (reason.time - wanted.before).max(level).max(Milliseconds(0));
        let to = (reason.until + wanted.after).min(next.unwrap_or(Milliseconds(i64::MAX)));
        match moments.last_mut().filter(|last| wanted.merge && from <= last.to) {
            Some(last) => {
                last.to = last.to.max(to);
                last.reasons.push(reason);
            }
            None => moments.push(Highlight { from, to, points: 0, reasons: vec![reason], players: Vec::new() }),
        }
    }
    for moment in &mut moments {
        moment.points = moment.reasons.iter().map(|reason| rank::points(&reason.what, reason.until - reason.time)).sum();
        let mut known = HashSet::new();
        let players = moment.reasons.iter().filter_map(|reason| reason.player.as_ref());
        moment.players = players.filter(|player| known.insert(&player.name.raw)).map(|player| player.name.clone()).collect();
    }
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::{Evidence, common};

    fn chat(seconds: i64) -> Reason {
        let time = Milliseconds(seconds * 1000);
        let channel = Channel::Public;
        let kind = EventKind::Chat { from: None, channel, text: Text::plain("gg") };
        let event = Event { time, server_time: time, match_time: None, message: 0, evidence: Evidence::Stated, uncertain: false, kind };
        Reason::of(&event, None, What::Chat { text: Text::plain("gg") })
    }

    #[test]
    fn what_overlaps_is_one_moment_and_levels_are_not_crossed() {
        let wanted = Wanted { before: Milliseconds(5000), after: Milliseconds(3000), merge: true, ..Wanted::default() };
        let found = moments([10, 17, 40, 43].map(chat).to_vec(), &[Milliseconds(0), Milliseconds(41_000)], &wanted);
        let times: Vec<(i64, i64, usize)> = found.iter().map(|moment| (moment.from.0, moment.to.0, moment.reasons.len())).collect();
        assert_eq!(times, [(5000, 20_000, 2), (35_000, 40_999, 1), (41_000, 46_000, 1)]);
        let apart = moments([10, 17].map(chat).to_vec(), &[], &Wanted::default());
        assert_eq!(apart.len(), 2, "nothing is merged unasked");
    }

    #[test]
    fn a_weapon_filters_all_moments() {
        let bytes = fragreel_testkit::samples("quake3").iter().find(|sample| sample.name.contains("ctf_bots")).expect("it is ours").bytes();
        let recording = Recording::open(bytes, "a.dm_71").unwrap();
        let wanted = Wanted { kills: Some((1, Milliseconds(5000))), captures: true, words: vec![String::new()], ..Wanted::default() };
        let all = recording.highlights(&wanted).value.moments;
        assert!(all.iter().any(|moment| moment.reasons.iter().any(|reason| matches!(reason.what, What::Capture { .. }))));
        for weapon in [common::SHOTGUN, common::ROCKET_LAUNCHER, "no such weapon"] {
            let found = recording.highlights(&Wanted { weapons: vec![Pattern::new(weapon)], ..wanted.clone() }).value.moments;
            assert!(found.iter().all(|moment| moment.weapon() == Some(weapon)), "{weapon}: {found:?}");
        }
    }

    /// Where somebody is by what `state` says.
    fn stated(moment: &fragreel_model::Moment, slot: u16) -> Option<[f32; 3]> {
        let find = |section: &str, number: &str, place: &str| {
            let is_he = |record: &&fragreel_model::Record| matches!(record.find(number), Some(fragreel_model::Value::Int(found)) if *found == i64::from(slot));
            let record = moment.section(section)?.records.iter().find(is_he)?;
            match record.find(place) {
                Some(fragreel_model::Value::Floats(values)) => values.as_slice().try_into().ok(),
                _ => None,
            }
        };
        find("player", "clientNum", "origin").or_else(|| find("entities", "number", "pos.trBase"))
    }

    /// Kills that could not be judged are those of the players asked for.
    #[test]
    fn others_kills_are_not_counted_as_unjudged() {
        let mut all = 0;
        for sample in fragreel_testkit::samples("quake3") {
            let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
            let wanted = Wanted { mid_air: Some(Milliseconds(100)), distance: Some(1.0), ..Wanted::default() };
            all += recording.highlights(&wanted).value.unplaced;
            let nobody = Wanted { players: vec![Pattern::new("nobody is called this")], ..wanted };
            assert_eq!(recording.highlights(&nobody).value.unplaced, 0, "{}", sample.name);
        }
        assert!(all > 0, "some cannot be judged");
    }

    #[test]
    fn distances_are_those_of_states() {
        let bytes = fragreel_testkit::samples("quake3").iter().find(|sample| sample.name.contains("crowd_latency")).expect("it is ours").bytes();
        let recording = Recording::open(bytes, "a.dm_71").unwrap();
        let wanted = Wanted { distance: Some(0.0), mid_air: Some(Milliseconds(500)), ..Wanted::default() };
        let found = recording.highlights(&wanted).value;
        let (mut far, mut high) = (0, 0);
        for reason in found.moments.iter().flat_map(|moment| &moment.reasons) {
            let moment = recording.state_at(fragreel_model::When::Demo(reason.time - Milliseconds(1))).unwrap();
            let place = |player: &Player| stated(&moment, player.slot.unwrap()).unwrap();
            match &reason.what {
                What::Distance { distance, victim, .. } => {
                    let (from, to) = (place(reason.player.as_ref().unwrap()), place(victim));
                    let expected = (0..3).map(|axis| (from[axis] - to[axis]).powi(2)).sum::<f32>().sqrt();
                    assert!((distance - expected).abs() < 0.01, "{reason:?}");
                    far += 1;
                }
                What::MidAir { .. } => high += 1,
                other => panic!("{other:?}"),
            }
        }
        assert!(far > 5 && high <= far, "{far} {high}");
    }
}
