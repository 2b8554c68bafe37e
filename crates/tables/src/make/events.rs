//! Rows of what happened.

use std::collections::{HashMap, HashSet};

use fragreel::Questions;
use fragreel::model::{Channel, Event, EventKind, Evidence, FlagAction, KillContext, Kind, Milliseconds, Player, Unknown, common};

use super::frames::list;
use super::{Place, Work, put_player};
use crate::batch::Rows;
use crate::declared::{awards, chat, damage, flags, items, kills, levels, players, rounds, shots};
use crate::source::Source;

/// The kinds of events that a table is made of.
fn kinds(table: &str) -> &'static [Kind] {
    match table {
        "kills" => &[Kind::Kill],
        "damage" => &[Kind::Damage],
        "shots" => &[Kind::Shot],
        "items" => &[Kind::Item],
        "flags" => &[Kind::Flag],
        "chat" => &[Kind::Chat],
        "rounds" => &[Kind::Round],
        "awards" => &[Kind::Award],
        "players" => &[Kind::Join, Kind::Leave, Kind::Rename, Kind::Team],
        _ => &[],
    }
}

/// The number of the level that events are in.
#[derive(Default)]
pub(super) struct Level {
    entered: u32,
}

impl Level {
    pub(super) fn of(&mut self, event: &Event) -> u32 {
        self.entered += u32::from(event.kind.kind() == Kind::Level);
        self.entered.saturating_sub(1)
    }
}

/// What a walk over the events must collect for these tables.
pub(super) fn asked(work: &Work, questions: Questions) -> Questions {
    let questions = work.queries.iter().fold(questions, |questions, query| questions.events(kinds(query.table().name)));
    // The columns from the first to the last of these need a walk over the frames besides.
    let with_context = work.wants_frames("kills", &(kills::frame..=kills::since_spawn).collect::<Vec<_>>());
    if with_context { questions.kill_context() } else { questions }
}

/// Puts an event into its tables.
pub(super) fn take(work: &mut Work, event: &Event, place: Place) {
    for (table, rows) in work.tables() {
        if row(table, rows, &event.kind) {
            place.put(rows, event.evidence);
            rows.end();
        }
    }
}

/// The table's own columns. Returns whether the event is a row of it.
fn row(table: &str, rows: &mut Rows, kind: &EventKind) -> bool {
    match (table, kind) {
        ("kills", EventKind::Kill(kill)) => {
            let attacker = [kills::attacker_slot, kills::attacker, kills::attacker_team];
            put_player(rows, attacker, Some(kills::attacker_raw), kill.attacker.as_ref());
            put_player(rows, [kills::victim_slot, kills::victim, kills::victim_team], Some(kills::victim_raw), Some(&kill.victim));
            rows.text(kills::means, Some(&kill.means));
            rows.text(kills::weapon, kill.weapon);
            rows.flag(kills::suicide, Some(kill.is_suicide()));
            rows.flag(kills::team_kill, Some(kill.team_kill));
            rows.flag(kills::headshot, Some(kill.headshot));
            rows.text(kills::place, kill.place.as_deref());
            let unknown = kill.unknown.map(|side| match side {
                Unknown::Attacker => "attacker",
                Unknown::Victim => "victim",
                Unknown::Both => "both",
            });
            rows.text(kills::unknown, unknown);
            if let Some(context) = &kill.context {
                put_context(rows, context);
            }
        }
        ("damage", EventKind::Damage { attacker, victim, amount, lost, means }) => {
            put_player(rows, [damage::attacker_slot, damage::attacker, damage::attacker_team], None, attacker.as_ref());
            put_player(rows, [damage::victim_slot, damage::victim, damage::victim_team], None, Some(victim));
            rows.int(damage::amount, Some(*amount));
            rows.int(damage::lost, *lost);
            rows.text(damage::means, means.as_deref());
            rows.text(damage::weapon, means.as_deref().and_then(common::weapon_of_means));
        }
        ("shots", EventKind::Shot { player, weapon }) => {
            put_player(rows, [shots::slot, shots::name, shots::team], None, Some(player));
            rows.text(shots::weapon, common::name_of_weapon(weapon));
            rows.text(shots::weapon_own, Some(weapon));
        }
        ("items", EventKind::Item { player, item, delay }) => {
            put_player(rows, [items::slot, items::name, items::team], None, Some(player));
            rows.text(items::item, common::name_of_item(item));
            rows.text(items::item_own, Some(item));
            rows.int(items::delay, delay.map(|delay| delay.0));
        }
        ("flags", EventKind::Flag { team, action, player, .. }) => {
            rows.text(flags::flag, Some(team));
            rows.text(flags::action, Some(action_name(*action)));
            put_player(rows, [flags::slot, flags::name, flags::team], None, player.as_ref());
        }
        ("chat", EventKind::Chat { from, channel, text }) => {
            put_player(rows, [chat::slot, chat::name, chat::team], Some(chat::name_raw), from.as_ref());
            rows.text(chat::channel, Some(channel_name(*channel)));
            rows.text(chat::text, Some(&text.clean));
            rows.text(chat::text_raw, Some(&text.raw));
        }
        ("awards", EventKind::Award { player, award }) => {
            put_player(rows, [awards::slot, awards::name, awards::team], None, Some(player));
            rows.text(awards::award, Some(award));
        }
        ("rounds", EventKind::Round { number, started, winner, .. }) => {
            rows.int(rounds::number, *number);
            rows.flag(rounds::started, Some(*started));
            rows.text(rounds::winner, winner.as_deref());
        }
        ("levels", EventKind::Level { map, game, game_type, title, .. }) => {
            rows.text(levels::map, Some(map));
            rows.text(levels::game, Some(game));
            rows.text(levels::game_type, game_type.as_deref());
            rows.text(levels::title, title.as_ref().map(|title| title.clean.as_str()));
        }
        _ => return false,
    }
    true
}

fn put_context(rows: &mut Rows, context: &KillContext) {
    rows.int(kills::frame, context.frame);
    rows.int(kills::frame_message, context.frame_message);
    rows.int(kills::frame_time, context.frame_time.map(|time| time.0));
    rows.vector(kills::attacker_x, context.attacker_origin);
    rows.vector(kills::victim_x, context.victim_origin);
    rows.real(kills::distance, context.distance);
    rows.text(kills::held, context.held.as_ref().and_then(|held| held.common));
    rows.text(kills::held_own, context.held.as_ref().map(|held| &*held.own));
    rows.vector(kills::attacker_pitch, context.attacker_angles);
    rows.real(kills::attacker_turn, context.attacker_turn);
    rows.real(kills::attacker_speed, context.attacker_speed);
    rows.real(kills::victim_speed, context.victim_speed);
    rows.flag(kills::victim_in_air, context.victim_in_air);
    rows.int(kills::victim_air_time, context.victim_air_time.map(|time| time.0));
    rows.int(kills::attacker_health, context.attacker_health);
    rows.int(kills::victim_health, context.victim_health);
    rows.int(kills::victim_armor, context.victim_armor);
    for (column, powerups) in [(kills::attacker_powerups, &context.attacker_powerups), (kills::victim_powerups, &context.victim_powerups)] {
        if !powerups.is_empty() {
            let mut text = String::new();
            list(powerups, &mut text);
            rows.text(column, Some(&text));
        }
    }
    rows.int(kills::since_spawn, context.since_spawn.map(|time| time.0));
}

fn action_name(action: FlagAction) -> &'static str {
    match action {
        FlagAction::Taken => "taken",
        FlagAction::Dropped => "dropped",
        FlagAction::Returned => "returned",
        FlagAction::Captured => "captured",
        _ => "other",
    }
}

fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Public => "public",
        Channel::Team => "team",
        Channel::Spectator => "spectator",
        Channel::Private => "private",
        Channel::Server => "server",
        _ => "other",
    }
}

/// More names than this in one slot are no names of people.
const MOST_NAMES: usize = 65_536;

/// The names of players, each once.
#[derive(Default)]
pub(super) struct Names {
    seen: Vec<(Player, Place, Evidence)>,
    /// Their places, by slot and name.
    places: HashMap<(Option<u16>, String), usize>,
}

impl Names {
    pub(super) fn take(&mut self, event: &Event, place: Place) {
        match &event.kind {
            EventKind::Rename { player, from } => {
                let before = Player { name: from.clone(), ..player.clone() };
                self.see(&before, place, event.evidence);
                self.see(player, place, event.evidence);
            }
            EventKind::Join { player } | EventKind::Leave { player, .. } | EventKind::Team { player, .. } => self.see(player, place, event.evidence),
            _ => {}
        }
    }

    fn see(&mut self, player: &Player, place: Place, evidence: Evidence) {
        let who = (player.slot, player.name.raw.clone());
        match self.places.get(&who) {
            Some(&at) => {
                let team = &mut self.seen[at].0.team;
                *team = player.team.clone().or(team.take());
            }
            None if self.seen.len() < MOST_NAMES && !player.name.raw.is_empty() => {
                self.places.insert(who, self.seen.len());
                self.seen.push((player.clone(), place, evidence));
            }
            None => {}
        }
    }

    pub(super) fn rows(&mut self, source: &Source<'_>, rows: &mut Rows) {
        let info = source.info();
        let start = Place { level: 0, time: Milliseconds(0), server_time: Milliseconds(0), match_time: None, message: 0, uncertain: false };
        for player in &info.players {
            let known = Player { slot: Some(player.slot), name: player.name.clone(), team: player.team.clone().map(Into::into) };
            self.see(&known, start, Evidence::Stated);
        }
        let last: HashSet<_> = info.players.iter().map(|one| (Some(one.slot), &one.name.raw)).collect();
        for (player, place, evidence) in &self.seen {
            put_player(rows, [players::slot, players::name, players::team], Some(players::name_raw), Some(player));
            rows.flag(players::recorder, Some(info.recorder.as_ref().is_some_and(|recorder| Some(recorder.slot) == player.slot)));
            rows.flag(players::last, Some(last.contains(&(player.slot, &player.name.raw))));
            place.put(rows, *evidence);
            rows.end();
        }
    }
}
