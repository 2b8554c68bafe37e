//! Moments worth cutting out.

mod positions;
mod runs;

use model::{Channel, Damage, Event, EventKind, FlagAction, Kill, Kind, Kinds, Milliseconds, Player, Text, Unknown};
use serde::Serialize;

use super::{Clock, Pattern, Range};
use crate::Recording;
use positions::Places;

/// What makes a moment worth watching, and how much around it belongs to it. Nothing is looked for by default.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Wanted {
    /// At least so many kills by one player within so much time, suicides and team mates not counted.
    pub kills: Option<(usize, Milliseconds)>,
    /// Chat that holds one of these words, in any case.
    pub words: Vec<String>,
    /// Flags brought home.
    pub captures: bool,
    /// Kills over this distance or more, in the game's units, where the recording has both positions.
    pub distance: Option<f32>,
    /// Kills of somebody who has been in the air for this long or longer, where the recording says who stands on the ground:
    /// Quake III does of everybody, Quake II of whom it shows the eyes. Splash does not count.
    pub mid_air: Option<Milliseconds>,
    /// Only what these players do; what anybody does when there are none.
    pub players: Vec<Pattern>,
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
            words: Vec::new(),
            captures: false,
            distance: None,
            mid_air: None,
            players: Vec::new(),
            merge: false,
            before: Milliseconds(5000),
            after: Milliseconds(3000),
        }
    }
}

/// A moment, or several that overlap where they are merged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Highlight {
    /// From when, since the recording's first frame.
    pub from: Milliseconds,
    /// Until when.
    pub to: Milliseconds,
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
}

/// Something worth watching.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// When it begins.
    pub time: Milliseconds,
    /// When it ends.
    pub until: Milliseconds,
    /// Who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<Player>,
    /// What it is.
    #[serde(flatten)]
    pub what: What,
}

/// What is worth watching.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum What {
    /// Several kills in a short time.
    Kills {
        /// How many.
        kills: usize,
    },
    /// A word in chat.
    Chat {
        /// What was said.
        text: Text,
    },
    /// A flag brought home.
    Capture {
        /// The flag's team.
        team: String,
    },
    /// A kill from afar.
    Distance {
        /// How far, in the game's units.
        distance: f32,
        /// Who died.
        victim: Player,
        /// The means, in the game's own terms.
        means: String,
    },
    /// A kill in mid-air.
    MidAir {
        /// Who died.
        victim: Player,
        /// The means, in the game's own terms.
        means: String,
    },
}

/// What a search for highlights found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Highlights {
    /// The moments, in order of time.
    pub moments: Vec<Highlight>,
    /// Kills that could not be judged because the recording does not say where somebody was.
    pub unplaced: usize,
    /// Damage met on the way.
    pub damage: Vec<Damage>,
}

/// Looks for moments worth cutting out.
///
/// ```
/// use fragreel::edit::{Wanted, highlights};
/// use fragreel::model::Milliseconds;
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = include_bytes!("../../../../../samples/quake3/crowd_latency.dm_71");
/// let demo = fragreel::Demo::new(&bytes[..], "crowd_latency.dm_71")?;
/// let mut wanted = Wanted::default();
/// wanted.kills = Some((3, Milliseconds(5000)));
/// let found = highlights(&demo.open()?, &wanted);
/// assert!(!found.moments.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn highlights(recording: &Recording<'_>, wanted: &Wanted) -> Highlights {
    let mut events = Vec::new();
    let mut levels = Vec::new();
    let damage = recording.events(wanted.kinds(), &mut |event| match event.kind {
        EventKind::Level { .. } => levels.push(event.time),
        _ => events.push(event),
    });
    let mut reasons = Vec::new();
    if let Some((least, within)) = wanted.kills {
        reasons.extend(runs::of(&events, least.max(1), within));
    }
    reasons.extend(events.iter().filter_map(|event| spoken_or_captured(event, wanted)));
    let unplaced = placed_kills(recording, &events, wanted, &mut reasons);
    reasons.retain(|reason| wanted.players.is_empty() || wanted.players.iter().any(|name| is_called(reason.player.as_ref(), name)));
    reasons.sort_by_key(|reason| (reason.time, reason.until));
    Highlights { moments: moments(reasons, &levels, wanted), unplaced, damage }
}

impl Wanted {
    fn kinds(&self) -> Kinds {
        let places = self.distance.is_some() || self.mid_air.is_some();
        let kinds = [(true, Kind::Level), (self.kills.is_some() || places, Kind::Kill), (!self.words.is_empty(), Kind::Chat), (self.captures, Kind::Flag)];
        kinds.into_iter().filter_map(|(on, kind)| on.then_some(kind)).collect()
    }
}

fn is_called(player: Option<&Player>, name: &Pattern) -> bool {
    player.is_some_and(|player| name.matches(&player.name.clean))
}

/// Who killed whom, where somebody did and they were not on one side.
fn honest_kill(event: &Event) -> Option<(&Kill, &Player)> {
    let EventKind::Kill(kill) = &event.kind else { return None };
    let attacker = kill.attacker.as_ref()?;
    let known = kill.unknown != Some(Unknown::Attacker);
    (known && !kill.is_suicide() && !kill.team_kill).then_some((kill, attacker))
}

fn spoken_or_captured(event: &Event, wanted: &Wanted) -> Option<Reason> {
    let reason = |player: &Option<Player>, what| Reason { time: event.time, until: event.time, player: player.clone(), what };
    match &event.kind {
        EventKind::Chat { from, text, channel } if *channel != Channel::Server => {
            let said = text.clean.to_lowercase();
            let found = wanted.words.iter().any(|word| said.contains(&word.to_lowercase()));
            found.then(|| reason(from, What::Chat { text: text.clone() }))
        }
        EventKind::Flag { team, action: FlagAction::Captured, player } if wanted.captures => {
            Some(reason(player, What::Capture { team: team.clone().into_owned() }))
        }
        _ => None,
    }
}

/// How often somebody in the air is looked at.
const GLANCE: Milliseconds = Milliseconds(250);

/// Kills that are remarkable for where they happened. Returns how many could not be judged.
fn placed_kills(recording: &Recording<'_>, events: &[Event], wanted: &Wanted, reasons: &mut Vec<Reason>) -> usize {
    if wanted.distance.is_none() && wanted.mid_air.is_none() {
        return 0;
    }
    let mut unplaced = 0;
    let mut places = Places::of(recording, wanted.mid_air.unwrap_or_default() + GLANCE);
    for event in events {
        let Some((kill, attacker)) = honest_kill(event).filter(|(kill, _)| !is_the_worlds(&kill.means)) else { continue };
        let mut add = |what| reasons.push(Reason { time: event.time, until: event.time, player: Some(attacker.clone()), what });
        // The frame before the one that tells: there both are as they were.
        let just_before = event.time - Milliseconds(1);
        places.go_to(just_before);
        let (means, victim) = (kill.means.to_string(), kill.victim.clone());
        let find = |player: &Player| places.at(just_before).and_then(|bodies| bodies.find(player));
        let (from, to) = (find(attacker), find(&kill.victim));
        let mut judged = true;
        if let Some(least) = wanted.distance {
            match (from, to) {
                (Some(from), Some(to)) if from.distance(to) >= least => {
                    add(What::Distance { distance: from.distance(to), victim: victim.clone(), means: means.clone() });
                }
                (Some(_), Some(_)) => {}
                _ => judged = false,
            }
        }
        if let Some(long) = wanted.mid_air {
            match to.and_then(|body| body.in_air) {
                Some(true) if !is_splash(&means) => {
                    let earlier = (1..=long.0 / GLANCE.0).map(|step| just_before - Milliseconds(step * GLANCE.0));
                    let flew = |when| places.at(when).and_then(|bodies| bodies.find(&kill.victim)?.in_air) == Some(true);
                    if earlier.into_iter().all(flew) {
                        add(What::MidAir { victim, means });
                    }
                }
                Some(_) => {}
                None => judged = false,
            }
        }
        unplaced += usize::from(!judged);
    }
    unplaced
}

/// Somebody is given the kill, but it was the level that did it.
fn is_the_worlds(means: &str) -> bool {
    const WORLD: [&str; 8] = ["lava", "slime", "water", "falling", "crush", "trigger", "telefrag", "exit"];
    let means = means.to_ascii_lowercase();
    WORLD.iter().any(|word| means.contains(word))
}

fn is_splash(means: &str) -> bool {
    let means = means.to_ascii_lowercase();
    means.contains("splash") || means.contains("radius")
}

/// Reasons with the time around them, inside of their level; overlapping ones together where that is wanted.
fn moments(reasons: Vec<Reason>, levels: &[Milliseconds], wanted: &Wanted) -> Vec<Highlight> {
    let mut moments: Vec<Highlight> = Vec::new();
    for reason in reasons {
        let level = levels.iter().rev().find(|&&start| start <= reason.time).copied().unwrap_or_default();
        let next = levels.iter().find(|&&start| start > reason.time).map(|&start| start - Milliseconds(1));
        let from = (reason.time - wanted.before).max(level).max(Milliseconds(0));
        let to = (reason.until + wanted.after).min(next.unwrap_or(Milliseconds(i64::MAX)));
        match moments.last_mut().filter(|last| wanted.merge && from <= last.to) {
            Some(last) => {
                last.to = last.to.max(to);
                last.reasons.push(reason);
            }
            None => moments.push(Highlight { from, to, reasons: vec![reason], players: Vec::new() }),
        }
    }
    for moment in &mut moments {
        for player in moment.reasons.iter().filter_map(|reason| reason.player.as_ref()) {
            if !moment.players.contains(&player.name) {
                moment.players.push(player.name.clone());
            }
        }
    }
    moments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(seconds: i64) -> Reason {
        let time = Milliseconds(seconds * 1000);
        Reason { time, until: time, player: None, what: What::Chat { text: Text::plain("gg") } }
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

    /// Where somebody is by what `state` says.
    fn stated(moment: &model::Moment, slot: u16) -> Option<[f32; 3]> {
        let find = |section: &str, number: &str, place: &str| {
            let is_he = |record: &&model::Record| matches!(record.find(number), Some(model::Value::Int(found)) if *found == i64::from(slot));
            let record = moment.section(section)?.records.iter().find(is_he)?;
            match record.find(place) {
                Some(model::Value::Floats(values)) => values.as_slice().try_into().ok(),
                _ => None,
            }
        };
        find("player", "clientNum", "origin").or_else(|| find("entities", "number", "pos.trBase"))
    }

    #[test]
    fn distances_are_those_of_states() {
        let bytes = testkit::samples("quake3").iter().find(|sample| sample.name.contains("crowd_latency")).expect("it is ours").bytes();
        let demo = crate::Demo::new(bytes, "a.dm_71").unwrap();
        let recording = demo.open().unwrap();
        let wanted = Wanted { distance: Some(0.0), mid_air: Some(Milliseconds(500)), ..Wanted::default() };
        let found = highlights(&recording, &wanted);
        let (mut far, mut high) = (0, 0);
        for reason in found.moments.iter().flat_map(|moment| &moment.reasons) {
            let moment = recording.state_at(model::When::Demo(reason.time - Milliseconds(1))).unwrap();
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
