//! One question has one answer, by whatever route it is asked: `events`, `scores`, `frames`, `highlights`, `cut` and the tables.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

use fragreel::Recording;
use fragreel::edit::{Clock, Range, Wanted, What};
use fragreel::model::{Event, EventKind, Frame, FrameOptions, Kill, KillContext, Kind, Milliseconds, Player, Stat, Unknown, common};
use fragreel_tables::Query;

use crate::{name, rows, some_recordings, text};

/// Where routes disagree, and why. An entry that is no longer needed fails the test.
const DISAGREE: &[fragreel_testkit::Known] = &[(
    "ziptest.mvd2",
    "cut",
    "the game names the teams of its players on the board alone, and the board that a part begins with does not have every player whom an earlier one named",
)];

/// A kill and its circumstances, as `events --scenes` says them.
type Told = (Event, Kill, KillContext);

struct Asked<'r> {
    recording: &'r Recording,
    bytes: &'r [u8],
    name: &'r str,
    kills: Vec<Told>,
    faults: BTreeMap<&'static str, Vec<String>>,
}

impl Asked<'_> {
    fn fault(&mut self, question: &'static str, what: String) {
        self.faults.entry(question).or_default().push(what);
    }

    /// The table has the rows of the events.
    fn table(&mut self) {
        let columns = [
            "time",
            "match_time",
            "attacker",
            "attacker_team",
            "victim",
            "victim_team",
            "means",
            "weapon",
            "team_kill",
            "frame",
            "distance",
            "held_own",
            "attacker_turn",
            "victim_air_time",
        ];
        let wanted: Vec<Vec<String>> = self
            .kills
            .iter()
            .map(|(event, kill, context)| {
                let team = |player: Option<&Player>| text(player.and_then(|player| player.team.as_deref()));
                vec![
                    text(Some(event.time.0)),
                    text(event.match_time.map(|time| time.0)),
                    name(kill.attacker.as_ref()),
                    team(kill.attacker.as_ref()),
                    name(Some(&kill.victim)),
                    team(Some(&kill.victim)),
                    kill.means.to_string(),
                    text(kill.weapon),
                    kill.team_kill.to_string(),
                    text(context.frame),
                    text(context.distance),
                    text(context.held.as_ref().map(|held| held.own.clone())),
                    text(context.attacker_turn),
                    text(context.victim_air_time.map(|time| time.0)),
                ]
            })
            .collect();
        let found = rows(self.bytes, self.name, &Query::of("kills").unwrap().columns(columns).unwrap());
        if found != wanted {
            let first = found.iter().zip(&wanted).find(|(found, wanted)| found != wanted);
            self.fault("table", format!("{} rows for {} kills: {first:?}", found.len(), wanted.len()));
        }
    }

    /// A kill has the match time, the teams and the weapons of the frames around it.
    fn frames(&mut self) {
        let Ok(mut walk) = self.recording.frames(FrameOptions::default()) else { return };
        let times: BTreeSet<Milliseconds> = self.kills.iter().map(|(event, ..)| event.time).collect();
        let (mut frame, mut last) = (Frame::default(), HashMap::<u16, String>::new());
        let (mut clocks, mut teams) = (HashMap::<Milliseconds, Vec<Option<Milliseconds>>>::new(), HashMap::new());
        while walk.next_into(&mut frame) {
            if times.contains(&frame.time) {
                clocks.entry(frame.time).or_default().push(frame.match_time);
                teams.entry(frame.time).or_insert_with(|| last.clone());
            }
            last.clear();
            last.extend(frame.players.iter().filter_map(|player| Some((player.slot, player.team.as_deref()?.to_owned()))));
        }
        for (event, kill, _) in self.kills.clone() {
            let Some(shown) = clocks.get(&event.time) else { continue };
            if !shown.contains(&event.match_time) {
                self.fault("match time", format!("{}: {:?} in events, {shown:?} in frames", event.time, event.match_time));
            }
            for player in kill.attacker.iter().chain([&kill.victim]) {
                let shown = player.slot.and_then(|slot| teams[&event.time].get(&slot));
                if let (Some(shown), Some(said)) = (shown, &player.team)
                    && shown != said
                {
                    self.fault("team", format!("{}: {} is {said} in events, {shown} in the frame before", event.time, player.name));
                }
            }
        }
    }

    /// A board counts the kills between its ends, those of its first and last moment as the match has it.
    fn scores(&mut self) {
        for one in self.recording.scores().value {
            let mode = one.mode.as_deref();
            let died = |kill: &Kill| {
                let respawns = kill.means == "MOD_SUICIDE" && kill.is_suicide() && mode == Some("Capture Strike");
                kill.knows_victim() && kill.means != "MOD_SWITCH_TEAMS" && !respawns
            };
            let deaths = |within: &dyn Fn(Milliseconds) -> bool| self.kills.iter().filter(|(event, kill, _)| within(event.time) && died(kill)).count() as i64;
            let (least, most) = (deaths(&|time| time > one.from && time < one.to), deaths(&|time| time >= one.from && time <= one.to));
            let counted: i64 = one.players.iter().filter_map(|line| line.stats.get(Stat::Deaths).counted).sum();
            if !(least..=most).contains(&counted) {
                self.fault("scores", format!("match {}: {counted} deaths, {least} to {most} kills in events", one.number));
            }
        }
    }

    /// Highlights are the kills of `events`, with their circumstances and their clock.
    fn highlights(&mut self) {
        let mut wanted = Wanted::default();
        (wanted.kills, wanted.distance, wanted.mid_air, wanted.flick) = (Some((1, Milliseconds(0))), Some(0.0), Some(Milliseconds(1)), Some(0.0));
        let (mut count, mut faults) = (0, Vec::new());
        for reason in self.recording.highlights(&wanted).value.moments.iter().flat_map(|moment| &moment.reasons) {
            let told = |victim: Option<&Player>| {
                self.kills
                    .iter()
                    .find(|(event, kill, _)| event.time == reason.time && kill.attacker == reason.player && victim.is_none_or(|victim| *victim == kill.victim))
            };
            let same = |victim: &Player, same: &dyn Fn(&KillContext) -> bool| told(Some(victim)).is_some_and(|(.., context)| same(context));
            let is_same = match &reason.what {
                What::Kills { kills, .. } => {
                    count += kills;
                    told(None).is_some_and(|(event, ..)| event.match_time == reason.match_time && event.server_time == reason.server_time)
                }
                What::Distance { distance, victim, .. } => same(victim, &|context| context.distance == Some(*distance)),
                What::MidAir { air, victim, .. } => same(victim, &|context| context.victim_air_time == Some(*air)),
                What::Flick { turn, victim, .. } => same(victim, &|context| context.attacker_turn == Some(*turn)),
                _ => true,
            };
            if !is_same {
                faults.push(format!("{}: {:?}", reason.time, reason.what));
            }
        }
        let honest = |kill: &Kill| kill.attacker.is_some() && kill.unknown != Some(Unknown::Attacker) && !kill.is_suicide() && !kill.team_kill;
        let told = self.kills.iter().filter(|(_, kill, _)| honest(kill)).count();
        if told != count {
            faults.push(format!("{count} kills in highlights, {told} in events"));
        }
        faults.into_iter().for_each(|fault| self.fault("highlights", fault));
    }

    /// A cut by the match clock finds the kill that has the time, and says the same of it.
    fn cut(&mut self) {
        const MARGIN: Milliseconds = Milliseconds(1500);
        let timed: Vec<Told> = self.kills.iter().filter(|(event, ..)| event.match_time.is_some_and(|time| time.0 > 0)).cloned().collect();
        for (event, kill, _) in [timed.first(), timed.get(timed.len() / 2)].into_iter().flatten() {
            let at = event.match_time.unwrap_or_default();
            // Rounds and matches have clocks of their own: which of them a time means is another question.
            if timed.iter().any(|(other, ..)| (other.match_time.unwrap_or_default().0 - other.time.0 - (at.0 - event.time.0)).abs() > 2000) {
                return;
            }
            let range = Range { clock: Clock::Match, from: at - MARGIN, to: at + MARGIN };
            let edited = match self.recording.cut(range) {
                Ok(edited) => edited,
                Err(error) => {
                    self.fault("cut", format!("{} to {}: {error}", range.from, range.to));
                    continue;
                }
            };
            let mut found = Vec::new();
            let damage = Recording::open(edited.bytes, &edited.extension).map(|cut| {
                let mut events = cut.events(Kind::Kill);
                for event in events.by_ref() {
                    if let EventKind::Kill(kill) = event.kind {
                        found.push((event.match_time, kill));
                    }
                }
                events.damage()
            });
            let same = |one: &Kill| one.victim.slot == kill.victim.slot && one.means == kill.means && one.weapon == kill.weapon;
            let teams = |one: &Kill| (one.attacker.as_ref().and_then(|one| one.team.clone()), one.victim.team.clone(), one.team_kill);
            // A cut that lacks the match's start may not state its clock.
            let same_time = |time: Option<Milliseconds>| time.is_none_or(|time| Some(time) == event.match_time);
            let is_there = |(time, one): &(Option<Milliseconds>, Kill)| same(one) && same_time(*time) && teams(one) == teams(kill);
            if !found.iter().any(is_there) {
                let found: Vec<_> = found.iter().map(|(time, kill)| (time, &kill.victim.name.clean, &kill.means, teams(kill))).collect();
                let wanted = (event.match_time, &kill.victim.name.clean, &kill.means, teams(kill));
                self.fault("cut", format!("{wanted:?} is not in {found:?} {damage:?}"));
            }
        }
    }
}

/// Kills, match times, air times, turns, teams and weapons are the same by every route.
#[test]
fn one_question_has_one_answer() {
    let exceptions = fragreel_testkit::Exceptions::new(DISAGREE);
    let asked = Mutex::new(0);
    let all = some_recordings();
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let Ok(recording) = Recording::open(bytes.to_vec(), &sample.name) else { return };
        let mut kills = Vec::new();
        for event in recording.events_with_kill_context(Kind::Kill) {
            let EventKind::Kill(kill) = &event.kind else { continue };
            let context = kill.context.as_deref().cloned().unwrap_or_default();
            kills.push((event.clone(), kill.clone(), context));
        }
        let mut asked_of = Asked { recording: &recording, bytes, name: &sample.name, kills, faults: BTreeMap::new() };
        for (event, kill, _) in asked_of.kills.clone() {
            if kill.weapon != common::weapon_of_means(&kill.means) {
                asked_of.fault("weapon", format!("{}: {:?} by {}", event.time, kill.weapon, kill.means));
            }
        }
        asked_of.table();
        asked_of.frames();
        asked_of.scores();
        asked_of.highlights();
        if bytes.len() < 3_000_000 {
            asked_of.cut();
        }
        exceptions.seen(&sample.name);
        for (question, faults) in asked_of.faults {
            exceptions.fault(&sample.name, question, &format!("{} of {} kills: {}", faults.len(), asked_of.kills.len(), faults[0]));
        }
        *asked.lock().unwrap() += asked_of.kills.len();
    });
    exceptions.end();
    let asked = asked.into_inner().unwrap();
    assert!(asked > 100, "{asked} kills");
}
